// Everything that makes a code object hard to take apart and put together again: direct and
// indirect calls, recursion, a table of function pointers (relocated data), initialized data in
// .data and .bss, dynamic LDS, scratch, and two kernels in one object.
#include "device.h"

typedef int (*Operation)(int, int);

extern __shared__ int staging[];

// Written by nobody in this file, but visible to the host: neither is a compile-time constant.
__device__ int weights[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ int history[64];

static __device__ __attribute__((noinline)) int op_add(int a, int b) { return a + b; }
static __device__ __attribute__((noinline)) int op_mix(int a, int b) { return a * 31 + (b ^ a); }
static __device__ __attribute__((noinline)) int op_weight(int a, int b) {
  return a + weights[b & 7];
}
static __device__ __attribute__((noinline)) int op_steps(int a, int b) {
  if (b <= 0) return a;
  return op_steps(op_steps(a + 1, b - 2), b - 3) * 3 + b;
}

__device__ Operation operations[4] = {op_add, op_mix, op_weight, op_steps};

// y[i] = a chain of operations chosen by data; neighbours are read through dynamic LDS.
extern "C" __global__ __launch_bounds__(256) void table_walk(const int* x, const int* program,
                                                             int* y, int n, int steps) {
  int t = threadIdx.x;
  int i = blockIdx.x * 256 + t;
  staging[t] = i < n ? x[i] : 0;
  __syncthreads();
  if (i >= n) return;
  int seen[64];  // indexed by data and too large for registers: lives in scratch
  for (int k = 0; k < 64; ++k) seen[k] = k;
  int value = staging[t];
  for (int s = 0; s < steps; ++s) {
    int code = program[s];
    value = operations[code & 3](value, staging[(t + s) & 255] & 7);
    seen[value & 63] += code;
  }
  y[i] = value + seen[(value >> 4) & 63];
}

// The same object's second kernel: direct call, .bss.
extern "C" __global__ __launch_bounds__(64) void remember(const int* x, int* y, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  int value = op_mix(x[i], i);
  history[i & 63] = value;
  y[i] = op_add(value, history[i & 63] >> 1);
}
