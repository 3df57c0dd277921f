// KernelBench level 1, problem 16: C = A^T * B with A stored [K,M]; a 16x16 workgroup computes a
// 32x32 tile, two by two outputs a workitem.
#include "device.h"

extern "C" __global__ __launch_bounds__(256) void matmul_ta(const float* A, const float* B,
                                                            float* C, int M, int N, int K) {
  __shared__ float a[16][32];
  __shared__ float b[16][32];
  int tx = threadIdx.x, ty = threadIdx.y;
  int m0 = blockIdx.y * 32, n0 = blockIdx.x * 32;
  float sum[2][2] = {};
  for (int k0 = 0; k0 < K; k0 += 16) {
    a[ty][tx] = A[(int64)(k0 + ty) * M + m0 + tx];
    a[ty][tx + 16] = A[(int64)(k0 + ty) * M + m0 + tx + 16];
    b[ty][tx] = B[(int64)(k0 + ty) * N + n0 + tx];
    b[ty][tx + 16] = B[(int64)(k0 + ty) * N + n0 + tx + 16];
    __syncthreads();
    for (int k = 0; k < 16; ++k)
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) sum[i][j] += a[k][ty * 2 + i] * b[k][tx * 2 + j];
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) C[(int64)(m0 + ty * 2 + i) * N + n0 + tx * 2 + j] = sum[i][j];
}
