// KernelBench level 1, problem 19: y = max(x, 0), one element a workitem.
#include "device.h"

extern "C" __global__ __launch_bounds__(256) void relu(const float* x, float* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
}
