"""The NumPy instantiation of the value algebra: the slow, plain reference of the engine.

A raw value is an unsigned array (`uint8/16/32/64`), or a boolean array for one-bit values; any
shape works, usually one element per lane.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asmevo.isa.semantics.values import Value

Array = NDArray[Any]
_UINT = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
_INT = {8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}
_MANTISSA = {16: 10, 32: 23, 64: 52}
_FLOAT = {16: np.float16, 32: np.float32, 64: np.float64}


def _fma_exact(a: float, b: float, c: float) -> float:
    """Fused multiply-add of doubles through exact rationals."""
    if not (np.isfinite(a) and np.isfinite(b) and np.isfinite(c)):
        return a * b + c if not (np.isfinite(a) and np.isfinite(b)) else c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return a * b + c  # the sign of an exact zero follows IEEE addition
    try:
        return exact.numerator / exact.denominator
    except OverflowError:
        return float("inf") if exact > 0 else float("-inf")


class NumpyAlgebra:
    """Algebra over NumPy arrays; see `values.Algebra` for what each operation means."""

    def const(self, w: int, value: int) -> Array:
        if w == 1:
            return np.asarray(bool(value))
        return np.asarray(value & ((1 << w) - 1), dtype=_UINT[w])

    def add(self, w: int, a: Array, b: Array) -> Array:
        return np.add(a, b, dtype=_UINT[w])

    def sub(self, w: int, a: Array, b: Array) -> Array:
        return np.subtract(a, b, dtype=_UINT[w])

    def mul(self, w: int, a: Array, b: Array) -> Array:
        return np.multiply(a, b, dtype=_UINT[w])

    def and_(self, w: int, a: Array, b: Array) -> Array:
        return a & b

    def or_(self, w: int, a: Array, b: Array) -> Array:
        return a | b

    def xor(self, w: int, a: Array, b: Array) -> Array:
        return a ^ b

    def shl(self, w: int, a: Array, b: Array) -> Array:
        return np.left_shift(a, b, dtype=_UINT[w])

    def lshr(self, w: int, a: Array, b: Array) -> Array:
        return np.right_shift(a, b, dtype=_UINT[w])

    def ashr(self, w: int, a: Array, b: Array) -> Array:
        return np.right_shift(a.view(_INT[w]), b.view(_INT[w])).view(_UINT[w])

    def eq(self, w: int, a: Array, b: Array) -> Array:
        return a == b

    def ult(self, w: int, a: Array, b: Array) -> Array:
        return a < b

    def slt(self, w: int, a: Array, b: Array) -> Array:
        return a.view(_INT[w]) < b.view(_INT[w])

    def select(self, w: int, c: Array, a: Array, b: Array) -> Array:
        return np.where(c, a, b)

    def zext(self, w: int, to: int, a: Array) -> Array:
        return a.astype(_UINT[to])

    def sext(self, w: int, to: int, a: Array) -> Array:
        if w == 1:
            return np.where(a, _UINT[to]((1 << to) - 1), _UINT[to](0))
        return a.view(_INT[w]).astype(_INT[to]).view(_UINT[to])

    def trunc(self, w: int, to: int, a: Array) -> Array:
        if to == 1:
            return (a & _UINT[w](1)) != 0
        return a.astype(_UINT[to])

    def popcount(self, w: int, a: Array) -> Array:
        return np.bitwise_count(a).astype(_UINT[w])

    def ctlz(self, w: int, a: Array) -> Array:
        smeared = a
        shift = 1
        while shift < w:
            smeared = smeared | (smeared >> _UINT[w](shift))
            shift *= 2
        return (_UINT[w](w) - np.bitwise_count(smeared)).astype(_UINT[w])

    def cttz(self, w: int, a: Array) -> Array:
        return np.bitwise_count(~a & (a - _UINT[w](1))).astype(_UINT[w])

    def bitreverse(self, w: int, a: Array) -> Array:
        out = np.zeros_like(a)
        one = _UINT[w](1)
        for i in range(w):
            out |= ((a >> _UINT[w](i)) & one) << _UINT[w](w - 1 - i)
        return out

    def _f(self, w: int, a: Array) -> Array:
        return np.ascontiguousarray(a).view(_FLOAT[w]).reshape(np.shape(a))

    def _u(self, w: int, a: Array) -> Array:
        out = np.asarray(a, dtype=_FLOAT[w])
        return np.ascontiguousarray(out).view(_UINT[w]).reshape(np.shape(out))

    def _op(self, w: int, fn: Any, *args: Array) -> Array:
        with np.errstate(all="ignore"):
            return self._u(w, fn(*(self._f(w, a) for a in args)))

    def fadd(self, w: int, a: Array, b: Array) -> Array:
        return self._op(w, np.add, a, b)

    def fsub(self, w: int, a: Array, b: Array) -> Array:
        return self._op(w, np.subtract, a, b)

    def fmul(self, w: int, a: Array, b: Array) -> Array:
        return self._op(w, np.multiply, a, b)

    def fdiv(self, w: int, a: Array, b: Array) -> Array:
        return self._op(w, np.divide, a, b)

    def fma(self, w: int, a: Array, b: Array, c: Array) -> Array:
        x, y, z = np.broadcast_arrays(self._f(w, a), self._f(w, b), self._f(w, c))
        out = np.empty(x.shape, dtype=_FLOAT[w])
        with np.errstate(all="ignore"):
            if w == 64:
                for i in np.ndindex(x.shape):
                    out[i] = _fma_exact(float(x[i]), float(y[i]), float(z[i]))
                return self._u(w, out)
            # Product exact in f64; the sum made odd when inexact; then one rounding.
            x, y, z = (v.astype(np.float64) for v in (x, y, z))
            p = x * y
            s = p + z
            t = s - p
            err = (p - (s - t)) + (z - t)
            bits = np.ascontiguousarray(s).view(np.int64).reshape(s.shape)
            fix = (err != 0) & np.isfinite(err) & ((bits & 1) == 0) & np.isfinite(s)
            step = np.where((err > 0) ^ np.signbit(s), 1, -1)
            odd = np.where(fix, bits + step, bits).astype(np.int64)
            return self._u(w, odd.view(np.float64).reshape(s.shape).astype(_FLOAT[w]))

    def fsqrt(self, w: int, a: Array) -> Array:
        return self._op(w, np.sqrt, a)

    def feq(self, w: int, a: Array, b: Array) -> Array:
        return self._f(w, a) == self._f(w, b)

    def flt(self, w: int, a: Array, b: Array) -> Array:
        with np.errstate(all="ignore"):
            return self._f(w, a) < self._f(w, b)

    def frint(self, w: int, a: Array) -> Array:
        return self._op(w, np.rint, a)

    def ffloor(self, w: int, a: Array) -> Array:
        return self._op(w, np.floor, a)

    def fceil(self, w: int, a: Array) -> Array:
        return self._op(w, np.ceil, a)

    def ftrunc(self, w: int, a: Array) -> Array:
        return self._op(w, np.trunc, a)

    def fconvert(self, w: int, to: int, a: Array) -> Array:
        with np.errstate(all="ignore"):
            out = self._u(to, self._f(w, a).astype(_FLOAT[to]))
        # NumPy's conversions of halves neither make a NaN quiet nor cut its payload plainly.
        old, new = _MANTISSA[w], _MANTISSA[to]
        wide = a.astype(np.uint64)
        payload = wide & np.uint64((1 << old) - 1)
        down, up = np.uint64(max(old - new, 0)), np.uint64(max(new - old, 0))
        nan = payload >> down << up | np.uint64(
            ((1 << (to - new)) - 1) << (new - 1) & ((1 << (to - 1)) - 1)
        )
        nan |= (wide >> np.uint64(w - 1)) << np.uint64(to - 1)
        return np.where(np.isnan(self._f(w, a)), nan.astype(_UINT[to]), out)

    def from_sint(self, w: int, to: int, a: Array) -> Array:
        with np.errstate(all="ignore"):
            return self._u(to, a.view(_INT[w]).astype(_FLOAT[to]))

    def from_uint(self, w: int, to: int, a: Array) -> Array:
        with np.errstate(all="ignore"):
            return self._u(to, a.astype(_FLOAT[to]))

    def to_sint(self, w: int, to: int, a: Array) -> Array:
        with np.errstate(all="ignore"):
            return self._f(w, a).astype(_INT[to]).view(_UINT[to])

    def to_uint(self, w: int, to: int, a: Array) -> Array:
        with np.errstate(all="ignore"):
            return self._f(w, a).astype(_UINT[to])


ALGEBRA = NumpyAlgebra()


def value(bits: Any, width: int, kind: str = "u") -> Value:
    """Wrap an array of bit patterns (or booleans for width 1) as a `Value`."""
    array = np.asarray(bits, dtype=bool if width == 1 else _UINT[width])
    return Value(ALGEBRA, array, width, kind)
