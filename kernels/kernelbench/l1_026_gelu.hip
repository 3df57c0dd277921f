// KernelBench level 1, problem 26: exact GELU, four elements a workitem.
#include "mathlib.h"

extern "C" __global__ __launch_bounds__(256) void gelu(const float* x, float* y, int n) {
  int stride = gridDim.x * 256;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += stride) y[i] = gelu_value(x[i]);
}
