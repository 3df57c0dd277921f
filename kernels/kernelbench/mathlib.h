// Elementary functions in plain code, so that no device library is linked.
#pragma once
#include "device.h"

// Least-squares fit of (tanh(x)/x - 1)/x^2 in x^2 below 0.625, the exponential form above.
static __device__ __forceinline__ float tanhf(float x) {
  float a = fabsf(x), y;
  if (a < 0.625f) {
    float u = a * a;
    float p = -0.006088716f;
    p = p * u + 0.020990873f;
    p = p * u - 0.053849350f;
    p = p * u + 0.133327573f;
    p = p * u - 0.333333288f;
    y = a + a * (u * p);
  } else {
    y = 1.0f - 2.0f / (expf(2.0f * a) + 1.0f);
  }
  return __builtin_copysignf(y, x);
}

// Least-squares fit of erf(x)/x in x^2 below 1; Abramowitz and Stegun 7.1.26 above.
static __device__ __forceinline__ float erff(float x) {
  float a = fabsf(x), y;
  if (a < 1.0f) {
    float u = a * a;
    float p = 7.8472591e-5f;
    p = p * u - 8.0081893e-4f;
    p = p * u + 5.1880981e-3f;
    p = p * u - 0.026853691f;
    p = p * u + 0.112835822f;
    p = p * u - 0.376126256f;
    p = p * u + 1.128379166f;
    y = a * p;
  } else {
    float t = 1.0f / (1.0f + 0.3275911f * a);
    float p = 1.061405429f;
    p = p * t - 1.453152027f;
    p = p * t + 1.421413741f;
    p = p * t - 0.284496736f;
    p = p * t + 0.254829592f;
    y = 1.0f - p * t * expf(-a * a);
  }
  return __builtin_copysignf(y, x);
}

// log(1 + x) for x >= 0, exact to rounding where 1 + x loses bits of x.
static __device__ __forceinline__ float log1pf(float x) {
  float u = 1.0f + x;
  if (u == 1.0f) return x;
  if (__builtin_isinf(u)) return u;
  return logf(u) * (x / (u - 1.0f));
}

static __device__ __forceinline__ float gelu_value(float x) {
  return 0.5f * x * (1.0f + erff(x * 0.70710678f));
}

static __device__ __forceinline__ float sigmoid_value(float x) { return 1.0f / (1.0f + expf(-x)); }
