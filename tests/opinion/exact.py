"""Exact results as rationals, and their rounding: the reference of whole computations.

Independent of `softfloat`: values are `fractions.Fraction`, and rounding is one search for the
nearest representable number.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.generic]
UINT = {16: np.uint16, 32: np.uint32, 64: np.uint64}
FLOAT = {16: np.float16, 32: np.float32, 64: np.float64}
_MANTISSA = {16: 10, 32: 23, 64: 52}
_BIAS = {16: 15, 32: 127, 64: 1023}


def floats(bits: Array, width: int) -> NDArray[np.floating]:
    """Patterns as floats."""
    return np.asarray(bits).astype(UINT[width]).view(FLOAT[width])


def exact(bits: int, width: int) -> Fraction:
    """The value of a finite pattern."""
    return Fraction(float(np.array([bits], UINT[width]).view(FLOAT[width])[0]))


def nearest(value: Fraction, width: int, zero_sign: int = 0) -> int:
    """Pattern of a rational, to nearest even; overflow is infinity."""
    mantissa, bias = _MANTISSA[width], _BIAS[width]
    sign = (1 if value < 0 else 0) if value else zero_sign
    size, out = abs(value), 0
    if size:
        top = size.numerator.bit_length() - size.denominator.bit_length()
        top -= size < Fraction(2) ** top
        unit = Fraction(2) ** (max(top, 1 - bias) - mantissa)
        whole, rest = divmod(size, unit)
        count = int(whole) + (2 * rest > unit or (2 * rest == unit and int(whole) & 1))
        field = max(top, 1 - bias) + bias - 1
        out = min((field << mantissa) + count, (2 * bias + 1) << mantissa)
    return sign << (width - 1) | out


def root(value: Fraction, bits: int = 200) -> Fraction:
    """Square root to about `bits` bits, rounded down."""
    shift = 2 * bits
    while (value.numerator << shift) // value.denominator < 1 << (2 * bits):
        shift += 2 * bits
    return Fraction(isqrt((value.numerator << shift) // value.denominator), 1 << (shift // 2))


def ordinal(bits: Array, width: int) -> NDArray[np.int64]:
    """Numbers in the order of the floats, so that neighbours differ by one."""
    signed = np.asarray(bits).astype(np.int64) & ((1 << (width - 1)) - 1)
    negative = (np.asarray(bits).astype(np.uint64) >> np.uint64(width - 1)).astype(bool)
    return np.where(negative, -signed, signed)


def two_over_pi(bits: int) -> int:
    """floor(2 / pi * 2**bits), from the Gauss-Legendre iteration."""
    guard = bits + 64
    one = 1 << guard
    a, b, t, p = one, isqrt(one * one // 2), one // 4, 1
    for _ in range(12):
        a, b, t, p = (a + b) // 2, isqrt(a * b), t - p * ((a - (a + b) // 2) ** 2) // one, 2 * p
    pi = (a + b) ** 2 // (4 * t)
    return (1 << (bits + 1 + guard)) // pi
