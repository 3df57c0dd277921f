"""VALU opcodes of graphics origin: cube map coordinates and the 2/pi segments of v_trig_preop."""

from __future__ import annotations

from asmevo.isa.semantics.table import lane
from asmevo.isa.semantics.values import Value, where
from asmevo.isa.semantics.vector.floats import quiet


def _faces(x: Value, y: Value, z: Value) -> tuple[Value, Value]:
    """(z is the major axis, otherwise y is)."""
    ax, ay, az = x.fabs(), y.fabs(), z.fabs()
    return (az >= ax) & (az >= ay), ay >= ax


def _pick(x: Value, y: Value, z: Value, on_z: Value, on_y: Value, on_x: Value) -> Value:
    major_z, major_y = _faces(x, y, z)
    return where(major_z, on_z, where(major_y, on_y, on_x))


@lane("v_cubeid_f32", "f32", "f32 f32 f32", rounds=False)
def _(x: Value, y: Value, z: Value) -> Value:
    def face(axis: Value, positive: float) -> Value:
        return where(axis < 0.0, x.const(positive + 1.0), x.const(positive))

    return _pick(x, y, z, face(z, 4.0), face(y, 2.0), face(x, 0.0))


@lane("v_cubesc_f32", "f32", "f32 f32 f32", rounds=False)
def _(x: Value, y: Value, z: Value) -> Value:
    return _pick(x, y, z, where(z < 0.0, -x, x), x, where(x < 0.0, z, -z))


@lane("v_cubetc_f32", "f32", "f32 f32 f32", rounds=False)
def _(x: Value, y: Value, z: Value) -> Value:
    return _pick(x, y, z, -y, where(y < 0.0, -z, z), -y)


@lane("v_cubema_f32", "f32", "f32 f32 f32")
def _(x: Value, y: Value, z: Value) -> Value:
    axis = _pick(x, y, z, z, y, x)
    return where(axis.is_nan, quiet(axis), axis * 2.0)


def _two_over_pi(bits: int) -> int:
    """floor(2/pi * 2**bits) by Machin's formula in integers."""
    guard = 64
    one = 1 << (bits + guard)

    def arctan_inverse(n: int) -> int:
        total, term, k, sign = 0, one // n, 1, 1
        while term:
            total += sign * (term // k)
            term //= n * n
            k, sign = k + 2, -sign
        return total

    pi = 4 * (4 * arctan_inverse(5) - arctan_inverse(239))
    return (2 * one * one // pi) >> guard


_DIGITS = 1201
_TABLE = _two_over_pi(_DIGITS)


def _segment(shift: Value) -> Value:
    """53 bits of 2/pi from bit `shift` of the fraction on; zeros past the table."""
    size = (_DIGITS + 31) // 32
    padded = _TABLE << (32 * size - _DIGITS)
    words = [padded >> 32 * (size - 1 - i) & 0xFFFFFFFF for i in range(size)] + [0] * 3
    # Select the 96-bit window by word, then shift inside it.
    word = (shift.u >> 5).to(64)
    high = word.const(0)
    low = word.const(0)
    for i in range(len(words) - 2):
        here = word == i
        high = where(here, word.const(words[i] << 32 | words[i + 1]), high)
        low = where(here, word.const(words[i + 2]), low)
    at = (shift.u & 31).to(64)
    window = (high << at) | ((low << at) >> 32)
    return window >> 11


@lane("v_trig_preop_f64", "f64", "f64 u32")
def _(a: Value, n: Value) -> Value:
    # The mask after the pseudocode's left shift keeps the wrong bits (LLVM#98562).
    exponent = ((a.u >> 52) & 0x7FF).to(32)
    over = where(exponent > 1077, exponent - 1077, exponent.const(0))
    shift = (n & 31) * 53 + over
    scale = (shift.const(0) - 53).i - shift.i
    scale = where(exponent >= 1968, scale + 128, scale)
    segment = _segment(shift).to_float(64)
    # The result's exponent stays normal: scale is above -53 - 31 * 53 - 970 + 128.
    first = scale >> 1
    rest = scale - first

    def power(k: Value) -> Value:
        return ((k.i.to(64) + 1023) << 52).u.f

    r = (segment * power(first)) * power(rest)
    return where(a.is_nan, quiet(a), r)
