// Sum reduction: each workgroup of 256 workitems adds 512 elements with a tree in LDS and writes
// one partial sum.
#include "device.h"

extern "C" __global__ __launch_bounds__(256) void reduce(const float* x, float* partial, int n) {
  __shared__ float scratch[256];
  int t = threadIdx.x;
  int i = blockIdx.x * 512 + t;
  float v = 0.0f;
  if (i < n) v = x[i];
  if (i + 256 < n) v += x[i + 256];
  scratch[t] = v;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (t < s) scratch[t] += scratch[t + s];
    __syncthreads();
  }
  if (t == 0) partial[blockIdx.x] = scratch[0];
}
