// y[i] = a * x[i] + y[i], one element a workitem; the last workgroup is partial.
#include "device.h"

extern "C" __global__ __launch_bounds__(256) void saxpy(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
