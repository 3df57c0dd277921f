// KernelBench level 1, problem 42: maximum over 4x4 windows, stride 1, padding 1.
#include "device.h"

extern "C" __global__ __launch_bounds__(256) void maxpool2d(const float* x, float* y, int count,
                                                            int H, int V) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= count) return;
  int column = i % (V - 1), row = i / (V - 1) % (H - 1), plane = i / (V - 1) / (H - 1);
  const float* in = x + (int64)plane * H * V;
  float m = -INFINITY;
  for (int dr = 0; dr < 4; ++dr)
    for (int dc = 0; dc < 4; ++dc) {
      int r = row - 1 + dr, c = column - 1 + dc;
      if (r >= 0 && r < H && c >= 0 && c < V) m = fmaxf(m, in[r * V + c]);
    }
  y[i] = m;
}
