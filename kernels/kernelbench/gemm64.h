// The tiled fp32 product that several problems of level 2 share: x[M,K] * w[N,K]^T, a 16x16
// workgroup computes a 64x64 tile, four by four outputs a workitem, k in steps of 16 through LDS.
// M and N must be multiples of 64, K of 16.
#pragma once
#include "device.h"

struct Tile4x4 {
  float v[4][4];
};

static __device__ __forceinline__ Tile4x4 gemm_tile(const float* x, const float* w, int K) {
  __shared__ float xs[16][64];
  __shared__ float ws[16][64];
  int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  const float* xrow = x + (int64)blockIdx.y * 64 * K;
  const float* wrow = w + (int64)blockIdx.x * 64 * K;
  Tile4x4 sum = {};
  for (int k0 = 0; k0 < K; k0 += 16) {
    for (int e = t; e < 64 * 16; e += 256) {
      int r = e / 16, k = e % 16;
      xs[k][r] = xrow[(int64)r * K + k0 + k];
      ws[k][r] = wrow[(int64)r * K + k0 + k];
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
      float a[4], b[4];
      for (int i = 0; i < 4; ++i) a[i] = xs[k][ty * 4 + i];
      for (int j = 0; j < 4; ++j) b[j] = ws[k][tx * 4 + j];
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum.v[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
  return sum;
}

template <typename Epilogue>
static __device__ __forceinline__ void gemm64(const float* x, const float* w, const float* b,
                                              float* y, int N, int K, Epilogue epilogue) {
  Tile4x4 sum = gemm_tile(x, w, K);
  for (int i = 0; i < 4; ++i) {
    int m = blockIdx.y * 64 + threadIdx.y * 4 + i;
    for (int j = 0; j < 4; ++j) {
      int n = blockIdx.x * 64 + threadIdx.x * 4 + j;
      y[(int64)m * N + n] = epilogue(sum.v[i][j] + b[n]);
    }
  }
}
