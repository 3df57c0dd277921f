// KernelBench level 2, problem 30: clamp(groupnorm_16(x * w^T + b), -2, 2) in two launches.
#include "block.h"
#include "gemm64.h"

extern "C" __global__ __launch_bounds__(256) void gemm_bias(const float* x, const float* w,
                                                            const float* b, float* h, int M, int N,
                                                            int K) {
  gemm64(x, w, b, h, N, K, [](float v) { return v; });
}

extern "C" __global__ __launch_bounds__(256) void groupnorm_clamp(const float* h, const float* gw,
                                                                  const float* gb, float* y, int N) {
  __shared__ float partial[4];
  int count = N / 16;
  int group = blockIdx.x % 16;
  const float* in = h + (int64)blockIdx.x * count;
  float* out = y + (int64)blockIdx.x * count;
  float sum = 0.0f, squares = 0.0f;
  for (int i = threadIdx.x; i < count; i += 256) {
    sum += in[i];
    squares += in[i] * in[i];
  }
  sum = wave_sum(partial, sum, 4);
  squares = wave_sum(partial, squares, 4);
  float mean = sum / count;
  float scale = 1.0f / sqrtf(squares / count - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < count; i += 256) {
    int n = group * count + i;
    out[i] = fminf(fmaxf((in[i] - mean) * scale * gw[n] + gb[n], -2.0f), 2.0f);
  }
}
