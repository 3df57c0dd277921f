// KernelBench level 2, problem 29: mish(mish(x * w^T + b)), 16x16 tiles, one output a workitem.
#include "mathlib.h"

static __device__ __forceinline__ float mish(float v) { return v * tanhf(log1pf(expf(v))); }

extern "C" __global__ __launch_bounds__(256) void gemm_mish(const float* x, const float* w,
                                                            const float* b, float* y, int M, int N,
                                                            int K) {
  __shared__ float xs[16][16];
  __shared__ float ws[16][17];
  int tx = threadIdx.x, ty = threadIdx.y;
  int m = blockIdx.y * 16 + ty, n = blockIdx.x * 16 + tx;
  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += 16) {
    xs[ty][tx] = x[(int64)m * K + k0 + tx];
    ws[ty][tx] = w[(int64)(blockIdx.x * 16 + ty) * K + k0 + tx];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += xs[ty][k] * ws[tx][k];
    __syncthreads();
  }
  y[(int64)m * N + n] = mish(mish(sum + b[n]));
}
