// KernelBench level 1, problem 4: y = A * x, one workgroup a row.
#include "block.h"

extern "C" __global__ __launch_bounds__(256) void matvec(const float* A, const float* x, float* y,
                                                         int M, int K) {
  __shared__ float scratch[256];
  const float* row = A + (int64)blockIdx.x * K;
  float sum = 0.0f;
  for (int k = threadIdx.x; k < K; k += 256) sum += row[k] * x[k];
  sum = tree_sum(scratch, sum);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
