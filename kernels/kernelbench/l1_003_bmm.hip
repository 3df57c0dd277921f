// KernelBench level 1, problem 3: batched product, one output a workitem, straight from memory.
#include "device.h"

extern "C" __global__ __launch_bounds__(256) void bmm(const float* A, const float* B, float* C,
                                                      int M, int N, int K) {
  int column = blockIdx.x * 64 + threadIdx.x;
  int row = blockIdx.y * 4 + threadIdx.y;
  int64 batch = blockIdx.z;
  if (row >= M || column >= N) return;
  const float* a = A + (batch * M + row) * K;
  const float* b = B + batch * K * N + column;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += a[k] * b[(int64)k * N];
  C[(batch * M + row) * N + column] = sum;
}
