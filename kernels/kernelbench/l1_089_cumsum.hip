// KernelBench level 1, problem 89: running sum of each row; chunks of 256 by a Hillis-Steele scan
// in LDS, with a carry from chunk to chunk.
#include "device.h"

extern "C" __global__ __launch_bounds__(256) void cumsum(const float* x, float* y, int D) {
  __shared__ float scan[256];
  int t = threadIdx.x;
  const float* row = x + (int64)blockIdx.x * D;
  float* out = y + (int64)blockIdx.x * D;
  float carry = 0.0f;
  for (int start = 0; start < D; start += 256) {
    int i = start + t;
    scan[t] = i < D ? row[i] : 0.0f;
    __syncthreads();
    for (int s = 1; s < 256; s <<= 1) {
      float v = t >= s ? scan[t - s] : 0.0f;
      __syncthreads();
      scan[t] += v;
      __syncthreads();
    }
    if (i < D) out[i] = carry + scan[t];
    carry += scan[255];
    __syncthreads();
  }
}
