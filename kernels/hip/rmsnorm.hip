// RMSNorm: y = x / sqrt(mean(x^2) + eps) * w, one workgroup of 256 workitems a row; shuffles
// inside the wave, LDS across the waves.
#include "device.h"

extern "C" __global__ __launch_bounds__(256) void rmsnorm(const float* x, const float* w, float* y,
                                                          int columns, float eps) {
  __shared__ float partial[4];
  int t = threadIdx.x;
  const float* row = x + (int64)blockIdx.x * columns;
  float* out = y + (int64)blockIdx.x * columns;

  float sum = 0.0f;
  for (int i = t; i < columns; i += 256) sum += row[i] * row[i];
  for (int s = 32; s > 0; s >>= 1) sum += __shfl_xor(sum, s);
  if ((t & 63) == 0) partial[t >> 6] = sum;
  __syncthreads();
  sum = partial[0] + partial[1] + partial[2] + partial[3];

  float scale = rsqrtf(sum / (float)columns + eps);
  for (int i = t; i < columns; i += 256) out[i] = row[i] * scale * w[i];
}
