// KernelBench level 1, problem 40: layer normalization, one workgroup of 1024 a sample.
#include "block.h"

extern "C" __global__ __launch_bounds__(1024) void layernorm(const float* x, const float* w,
                                                             const float* b, float* y, int count) {
  __shared__ float partial[16];
  const float* in = x + (int64)blockIdx.x * count;
  float* out = y + (int64)blockIdx.x * count;
  float sum = 0.0f, squares = 0.0f;
  for (int i = threadIdx.x; i < count; i += 1024) {
    sum += in[i];
    squares += in[i] * in[i];
  }
  sum = wave_sum(partial, sum, 16);
  squares = wave_sum(partial, squares, 16);
  float mean = sum / count;
  float scale = 1.0f / sqrtf(squares / count - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < count; i += 1024) out[i] = (in[i] - mean) * scale * w[i] + b[i];
}
