// KernelBench level 1, problem 36: RMS normalization over the channels of each pixel.
#include "device.h"

extern "C" __global__ __launch_bounds__(256) void rmsnorm(const float* x, float* y, int C,
                                                          int pixels, int count) {
  int i = blockIdx.x * 256 + threadIdx.x;  // (sample, pixel)
  if (i >= count) return;
  int64 start = (int64)(i / pixels) * C * pixels + i % pixels;
  float sum = 0.0f;
  for (int c = 0; c < C; ++c) {
    float v = x[start + (int64)c * pixels];
    sum += v * v;
  }
  float scale = 1.0f / sqrtf(sum / C + 1e-5f);
  for (int c = 0; c < C; ++c) y[start + (int64)c * pixels] = x[start + (int64)c * pixels] * scale;
}
