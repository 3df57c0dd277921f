// KernelBench level 2, problem 99: softmax(gelu(x * w^T + b)) over N in two launches.
#include "block.h"
#include "gemm64.h"
#include "mathlib.h"

extern "C" __global__ __launch_bounds__(256) void gemm_gelu(const float* x, const float* w,
                                                            const float* b, float* h, int M, int N,
                                                            int K) {
  gemm64(x, w, b, h, N, K, [](float v) { return gelu_value(v); });
}

extern "C" __global__ __launch_bounds__(256) void softmax_rows(const float* h, float* y, int N) {
  __shared__ float scratch[256];
  int64 start = (int64)blockIdx.x * N;
  softmax_row(scratch, h + start, y + start, N);
}
