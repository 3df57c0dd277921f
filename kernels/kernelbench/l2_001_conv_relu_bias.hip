// KernelBench level 2, problem 1: relu(conv3x3(x) + cb) + bias, one output a workitem.
#include "device.h"

extern "C" __global__ __launch_bounds__(256) void conv_relu_bias(const float* x, const float* w,
                                                                 const float* cb, const float* bias,
                                                                 float* y, int I, int O, int H,
                                                                 int V) {
  int p = blockIdx.x * 256 + threadIdx.x;
  int o = blockIdx.y, b = blockIdx.z;
  if (p >= (H - 2) * (V - 2)) return;
  int row = p / (V - 2), column = p % (V - 2);
  float sum = cb[o];
  for (int i = 0; i < I; ++i)
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c)
        sum += w[((o * I + i) * 3 + r) * 3 + c] *
               x[(((int64)b * I + i) * H + row + r) * V + column + c];
  y[((int64)b * O + o) * (H - 2) * (V - 2) + p] = fmaxf(sum, 0.0f) + bias[o];
}
