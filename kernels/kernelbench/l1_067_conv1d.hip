// KernelBench level 1, problem 67: 1D convolution with 3 taps, one output a workitem.
#include "device.h"

extern "C" __global__ __launch_bounds__(256) void conv1d(const float* x, const float* w, float* y,
                                                         int I, int O, int L) {
  int t = blockIdx.x * 256 + threadIdx.x;
  int o = blockIdx.y, b = blockIdx.z;
  if (t >= L - 2) return;
  float sum = 0.0f;
  for (int i = 0; i < I; ++i)
    for (int k = 0; k < 3; ++k) sum += w[(o * I + i) * 3 + k] * x[((int64)b * I + i) * L + t + k];
  y[((int64)b * O + o) * (L - 2) + t] = sum;
}
