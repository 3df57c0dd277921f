// KernelBench level 1, problem 8: the tiled product with a bounds test on every load and store.
#include "device.h"

extern "C" __global__ __launch_bounds__(256) void matmul_irregular(const float* A, const float* B,
                                                                   float* C, int M, int N, int K) {
  __shared__ float a[16][16];
  __shared__ float b[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += 16) {
    a[ty][tx] = row < M && k0 + tx < K ? A[(int64)row * K + k0 + tx] : 0.0f;
    b[ty][tx] = k0 + ty < K && column < N ? B[(int64)(k0 + ty) * N + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += a[ty][k] * b[k][tx];
    __syncthreads();
  }
  if (row < M && column < N) C[(int64)row * N + column] = sum;
}
