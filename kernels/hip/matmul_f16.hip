// C[M,N] (fp32) = A[M,K] * B[K,N] (fp16) on v_mfma_f32_32x32x8_f16: a workgroup of four waves
// computes a 64x64 tile of C, each wave a 32x32 quarter, from LDS tiles of 64x16 and 16x64.
// Register layout of the 32x32x8 form: lane l holds A[l % 32][4 * (l / 32) + 0..3],
// B[4 * (l / 32) + 0..3][l % 32], and element r of the result is
// C[8 * (r / 4) + 4 * (l / 32) + r % 4][l % 32].
#include "device.h"

#define TILE 64
#define TILE_K 16

typedef half half4 __attribute__((ext_vector_type(4)));
typedef float float16 __attribute__((ext_vector_type(16)));

extern "C" __global__ __launch_bounds__(256) void matmul_f16(const half* A, const half* B, float* C,
                                                             int M, int N, int K) {
  __shared__ half a[TILE][TILE_K + 4];
  __shared__ half b[TILE][TILE_K + 4];  // transposed: [column][k]
  int t = threadIdx.x;
  int wave = t >> 6, lane = t & 63;
  int wave_row = (wave >> 1) * 32, wave_column = (wave & 1) * 32;
  int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;

  float16 sum = {};
  for (int k0 = 0; k0 < K; k0 += TILE_K) {
    for (int e = t; e < TILE * TILE_K; e += 256) {
      int r = e / TILE_K, k = e % TILE_K;
      a[r][k] = row0 + r < M && k0 + k < K ? A[(row0 + r) * K + k0 + k] : (half)0.0f;
    }
    for (int e = t; e < TILE * TILE_K; e += 256) {
      int k = e / TILE, c = e % TILE;
      b[c][k] = column0 + c < N && k0 + k < K ? B[(k0 + k) * N + column0 + c] : (half)0.0f;
    }
    __syncthreads();
    for (int k = 0; k < TILE_K; k += 8) {
      half4 af = *(half4*)&a[wave_row + (lane & 31)][k + 4 * (lane >> 5)];
      half4 bf = *(half4*)&b[wave_column + (lane & 31)][k + 4 * (lane >> 5)];
      sum = __builtin_amdgcn_mfma_f32_32x32x8f16(af, bf, sum, 0, 0, 0);
    }
    __syncthreads();
  }
  int column = column0 + wave_column + (lane & 31);
  for (int r = 0; r < 16; ++r) {
    int row = row0 + wave_row + 8 * (r / 4) + 4 * (lane >> 5) + r % 4;
    if (row < M && column < N) C[row * N + column] = sum[r];
  }
}
