// C[M,N] = A[M,K] * B[K,N] in fp32: a 16x16 workgroup computes a 16x16 tile of C from LDS tiles of
// A and B; sizes need not be multiples of 16.
#include "device.h"

#define TILE 16

extern "C" __global__ __launch_bounds__(256) void matmul_f32(const float* A, const float* B,
                                                             float* C, int M, int N, int K) {
  __shared__ float a[TILE][TILE];
  __shared__ float b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;

  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    a[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
    b[ty][tx] = column < N && k0 + ty < K ? B[(k0 + ty) * N + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += a[ty][k] * b[k][tx];
    __syncthreads();
  }
  if (row < M && column < N) C[row * N + column] = sum;
}
