// KernelBench level 1, problem 51: index of the first maximum over the middle axis.
#include "device.h"

extern "C" __global__ __launch_bounds__(256) void argmax_dim1(const float* x, int64* y, int D1,
                                                              int D2, int count) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= count) return;
  const float* in = x + (int64)(i / D2) * D1 * D2 + i % D2;
  float best = in[0];
  int64 index = 0;
  for (int k = 1; k < D1; ++k) {
    float v = in[(int64)k * D2];
    if (v > best) {
      best = v;
      index = k;
    }
  }
  y[i] = index;
}
