// Row softmax: one workgroup of 256 workitems a row, three passes over the row (maximum, sum of
// exponentials, division), tree reductions in LDS.
#include "device.h"

extern "C" __global__ __launch_bounds__(256) void softmax(const float* x, float* y, int columns) {
  __shared__ float scratch[256];
  int t = threadIdx.x;
  const float* row = x + (int64)blockIdx.x * columns;
  float* out = y + (int64)blockIdx.x * columns;

  float m = -INFINITY;
  for (int i = t; i < columns; i += 256) m = fmaxf(m, row[i]);
  scratch[t] = m;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (t < s) scratch[t] = fmaxf(scratch[t], scratch[t + s]);
    __syncthreads();
  }
  m = scratch[0];
  __syncthreads();

  float sum = 0.0f;
  for (int i = t; i < columns; i += 256) sum += expf(row[i] - m);
  scratch[t] = sum;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (t < s) scratch[t] += scratch[t + s];
    __syncthreads();
  }
  sum = scratch[0];

  for (int i = t; i < columns; i += 256) out[i] = expf(row[i] - m) / sum;
}
