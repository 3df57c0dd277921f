// KernelBench level 1, problem 47: sum over the middle axis, one (b, j) a workitem.
#include "device.h"

extern "C" __global__ __launch_bounds__(256) void sum_dim1(const float* x, float* y, int D1, int D2,
                                                           int count) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= count) return;
  const float* in = x + (int64)(i / D2) * D1 * D2 + i % D2;
  float sum = 0.0f;
  for (int k = 0; k < D1; ++k) sum += in[(int64)k * D2];
  y[i] = sum;
}
