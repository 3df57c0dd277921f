// KernelBench level 1, problem 1: C = A * B, square, N a multiple of the 16x16 tile.
#include "device.h"

extern "C" __global__ __launch_bounds__(256) void matmul(const float* A, const float* B, float* C,
                                                         int N) {
  __shared__ float a[16][16];
  __shared__ float b[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
  float sum = 0.0f;
  for (int k0 = 0; k0 < N; k0 += 16) {
    a[ty][tx] = A[(int64)row * N + k0 + tx];
    b[ty][tx] = B[(int64)(k0 + ty) * N + column];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += a[ty][k] * b[k][tx];
    __syncthreads();
  }
  C[(int64)row * N + column] = sum;
}
