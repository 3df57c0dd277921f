// KernelBench level 1, problem 35: group normalization, one workgroup a (sample, group).
#include "block.h"

extern "C" __global__ __launch_bounds__(256) void groupnorm(const float* x, const float* w,
                                                            const float* b, float* y, int C, int G,
                                                            int pixels) {
  __shared__ float partial[4];
  int channels = C / G;
  int group = blockIdx.x % G;
  int count = channels * pixels;
  const float* in = x + (int64)blockIdx.x * count;
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
    int c = group * channels + i / pixels;
    out[i] = (in[i] - mean) * scale * w[c] + b[c];
  }
}
