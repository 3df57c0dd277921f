// Reductions over a workgroup of 256 workitems.
#pragma once
#include "device.h"

// Tree in LDS with a barrier at every step; every workitem gets the result.
static __device__ __forceinline__ float tree_sum(float* scratch, float v) {
  int t = threadIdx.x;
  scratch[t] = v;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (t < s) scratch[t] += scratch[t + s];
    __syncthreads();
  }
  float total = scratch[0];
  __syncthreads();
  return total;
}

static __device__ __forceinline__ float tree_max(float* scratch, float v) {
  int t = threadIdx.x;
  scratch[t] = v;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (t < s) scratch[t] = fmaxf(scratch[t], scratch[t + s]);
    __syncthreads();
  }
  float top = scratch[0];
  __syncthreads();
  return top;
}

// Shuffles in the wave of 64, then LDS across `waves` waves; every workitem gets the result.
static __device__ __forceinline__ float wave_sum(float* partial, float v, int waves) {
  for (int s = 32; s > 0; s >>= 1) v += __shfl_xor(v, s);
  if ((threadIdx.x & 63) == 0) partial[threadIdx.x >> 6] = v;
  __syncthreads();
  float total = 0.0f;
  for (int w = 0; w < waves; ++w) total += partial[w];
  __syncthreads();
  return total;
}

// Three passes over one row of `columns` elements: maximum, sum of exponentials, division.
static __device__ __forceinline__ void softmax_row(float* scratch, const float* row, float* out,
                                                   int columns) {
  int t = threadIdx.x;
  float m = -INFINITY;
  for (int i = t; i < columns; i += 256) m = fmaxf(m, row[i]);
  m = tree_max(scratch, m);
  float sum = 0.0f;
  for (int i = t; i < columns; i += 256) sum += expf(row[i] - m);
  sum = tree_sum(scratch, sum);
  for (int i = t; i < columns; i += 256) out[i] = expf(row[i] - m) / sum;
}
