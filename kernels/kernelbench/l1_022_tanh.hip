// KernelBench level 1, problem 22: y = tanh(x), one element a workitem.
#include "mathlib.h"

extern "C" __global__ __launch_bounds__(256) void tanh_forward(const float* x, float* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = tanhf(x[i]);
}
