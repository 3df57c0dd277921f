// KernelBench level 2, problem 56: y[m] = sum over n of sigmoid(x[m,:] . w[n,:] + b[n]).
#include "block.h"
#include "mathlib.h"

extern "C" __global__ __launch_bounds__(256) void gemv_sigmoid_sum(const float* x, const float* w,
                                                                   const float* b, float* y, int M,
                                                                   int N, int K) {
  __shared__ float scratch[256];
  const float* row = x + (int64)blockIdx.x * K;
  float total = 0.0f;
  for (int n = threadIdx.x; n < N; n += 256) {
    float dot = 0.0f;
    for (int k = 0; k < K; ++k) dot += row[k] * w[(int64)n * K + k];
    total += sigmoid_value(dot + b[n]);
  }
  total = tree_sum(scratch, total);
  if (threadIdx.x == 0) y[blockIdx.x] = total;
}
