// KernelBench level 2, problem 76: relu(x * w^T + b) with bf16 inputs on
// v_mfma_f32_32x32x8_bf16: a workgroup of four waves computes a 64x64 tile, k in steps of 16
// through LDS. M and N must be multiples of 64, K of 16. Register layout as in matmul_f16.hip.
#include "device.h"

typedef short short4 __attribute__((ext_vector_type(4)));
typedef float float16 __attribute__((ext_vector_type(16)));

extern "C" __global__ __launch_bounds__(256) void gemm_add_relu_mfma(const short* x, const short* w,
                                                                     const float* b, float* y,
                                                                     int M, int N, int K) {
  __shared__ short xs[64][16];
  __shared__ short ws[64][16];
  int t = threadIdx.x;
  int wave = t >> 6, lane = t & 63;
  int wave_row = (wave >> 1) * 32, wave_column = (wave & 1) * 32;
  const short* xrow = x + (int64)blockIdx.y * 64 * K;
  const short* wrow = w + (int64)blockIdx.x * 64 * K;
  float16 sum = {};
  for (int k0 = 0; k0 < K; k0 += 16) {
    for (int e = t; e < 64 * 16; e += 256) {
      int r = e / 16, k = e % 16;
      xs[r][k] = xrow[(int64)r * K + k0 + k];
      ws[r][k] = wrow[(int64)r * K + k0 + k];
    }
    __syncthreads();
    for (int k = 0; k < 16; k += 8) {
      short4 a = *(short4*)&xs[wave_row + (lane & 31)][k + 4 * (lane >> 5)];
      short4 c = *(short4*)&ws[wave_column + (lane & 31)][k + 4 * (lane >> 5)];
      sum = __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(a, c, sum, 0, 0, 0);
    }
    __syncthreads();
  }
  int n = blockIdx.x * 64 + wave_column + (lane & 31);
  for (int r = 0; r < 16; ++r) {
    int m = blockIdx.y * 64 + wave_row + 8 * (r / 4) + 4 * (lane >> 5) + r % 4;
    y[(int64)m * N + n] = fmaxf(sum[r] + b[n], 0.0f);
  }
}
