// KernelBench level 1, problem 45: mean over 11x11 windows, stride 11.
#include "device.h"

extern "C" __global__ __launch_bounds__(256) void avgpool2d(const float* x, float* y, int H, int V,
                                                            int count) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= count) return;
  int columns = V / 11, rows = H / 11;
  int column = i % columns, row = i / columns % rows, plane = i / columns / rows;
  const float* in = x + (int64)plane * H * V + (int64)row * 11 * V + column * 11;
  float sum = 0.0f;
  for (int r = 0; r < 11; ++r)
    for (int c = 0; c < 11; ++c) sum += in[r * V + c];
  y[i] = sum / 121.0f;
}
