// KernelBench level 1, problem 95: cross entropy; a workgroup a row, then a mean.
#include "block.h"

extern "C" __global__ __launch_bounds__(256) void xent_rows(const float* p, const int64* t,
                                                            float* part, int B, int C) {
  __shared__ float scratch[256];
  const float* row = p + (int64)blockIdx.x * C;
  float m = -INFINITY;
  for (int i = threadIdx.x; i < C; i += 256) m = fmaxf(m, row[i]);
  m = tree_max(scratch, m);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < C; i += 256) sum += expf(row[i] - m);
  sum = tree_sum(scratch, sum);
  if (threadIdx.x == 0) part[blockIdx.x] = logf(sum) + m - row[t[blockIdx.x]];
}

extern "C" __global__ __launch_bounds__(256) void mean_final(const float* part, float* y, int B) {
  __shared__ float scratch[256];
  float sum = 0.0f;
  for (int i = threadIdx.x; i < B; i += 256) sum += part[i];
  sum = tree_sum(scratch, sum);
  if (threadIdx.x == 0) y[0] = sum / B;
}
