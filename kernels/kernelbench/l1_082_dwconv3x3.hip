// KernelBench level 1, problem 82: depthwise 3x3 convolution; a 32x8 workgroup stages a 34x10
// tile with its halo in LDS.
#include "device.h"

extern "C" __global__ __launch_bounds__(256) void dwconv3x3(const float* x, const float* w,
                                                            float* y, int C, int H, int V) {
  __shared__ float tile[10][34];
  int plane = blockIdx.z;
  int r0 = blockIdx.y * 8, c0 = blockIdx.x * 32;
  const float* in = x + (int64)plane * H * V;
  int tx = threadIdx.x, ty = threadIdx.y;
  for (int r = ty; r < 10; r += 8)
    for (int c = tx; c < 34; c += 32)
      tile[r][c] = r0 + r < H && c0 + c < V ? in[(int64)(r0 + r) * V + c0 + c] : 0.0f;
  __syncthreads();
  int row = r0 + ty, column = c0 + tx;
  if (row >= H - 2 || column >= V - 2) return;
  const float* taps = w + plane % C * 9;
  float sum = 0.0f;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) sum += taps[r * 3 + c] * tile[ty + r][tx + c];
  y[((int64)plane * (H - 2) + row) * (V - 2) + column] = sum;
}
