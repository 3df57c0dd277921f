// KernelBench level 1, problem 94: mean squared error in two launches, without atomics.
#include "block.h"

extern "C" __global__ __launch_bounds__(256) void mse_partial(const float* p, const float* t,
                                                              float* part, int n, int blocks) {
  __shared__ float scratch[256];
  float sum = 0.0f;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += blocks * 256) {
    float d = p[i] - t[i];
    sum += d * d;
  }
  sum = tree_sum(scratch, sum);
  if (threadIdx.x == 0) part[blockIdx.x] = sum;
}

extern "C" __global__ __launch_bounds__(256) void sum_final(const float* part, float* y, int n,
                                                            int blocks) {
  __shared__ float scratch[256];
  float sum = 0.0f;
  for (int i = threadIdx.x; i < blocks; i += 256) sum += part[i];
  sum = tree_sum(scratch, sum);
  if (threadIdx.x == 0) y[0] = sum / n;
}
