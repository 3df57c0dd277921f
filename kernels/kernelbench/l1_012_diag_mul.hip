// KernelBench level 1, problem 12: C[i,j] = a[i] * B[i,j], one element a workitem.
#include "device.h"

extern "C" __global__ __launch_bounds__(256) void diag_mul(const float* a, const float* B, float* C,
                                                           int N, int M) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < N * M) C[i] = a[i / M] * B[i];
}
