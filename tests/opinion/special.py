"""Transcendental functions: the correctly rounded value (to within float64's own error).

Hardware results are table based, so a comparison needs `TOLERANCE` (units in the last place of
the destination; for sine and cosine an absolute bound as well). f32 forms flush subnormal inputs
and outputs whatever MODE says; f16 forms keep them (`facts/semantics_traps.md` section 7).
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, replace

from .softfloat import (
    DEFAULT,
    DOWN,
    F32,
    F64,
    RNE,
    Format,
    Mode,
    cast,
    flush_in,
    is_nan,
    quiet,
    round_pack,
    unpack,
)


@dataclass(frozen=True)
class Tolerance:
    """Accepted distance: `ulp` of the destination format or `absolute`, whichever is larger."""

    ulp: int
    absolute: float = 0.0


# ISA manuals: V_EXP/LOG/RCP/RSQ/SQRT_F32 1 ULP; V_RCP_F64 and V_RSQ_F64 about 2^29 ULP and
# V_SQRT_F64 2^29 ULP (they seed a Newton iteration); f16 forms 0.51 ULP; sine and cosine are
# given as absolute errors.
TOLERANCE: dict[str, Tolerance] = {
    **{f"V_{n}_F32": Tolerance(1) for n in ("EXP", "LOG", "RCP", "RCP_IFLAG", "RSQ", "SQRT")},
    **{f"V_{n}_F16": Tolerance(1) for n in ("EXP", "LOG", "RCP", "RSQ", "SQRT")},
    **{f"V_{n}_F64": Tolerance(1 << 29) for n in ("RCP", "RSQ", "SQRT")},
    "V_SIN_F32": Tolerance(2, 2.0**-20),
    "V_COS_F32": Tolerance(2, 2.0**-20),
    "V_SIN_F16": Tolerance(2, 2.0**-10),
    "V_COS_F16": Tolerance(2, 2.0**-10),
}


def to_float(f: Format, a: int) -> float:
    """Python float of a pattern (every format here fits float64 exactly)."""
    bits = a if f is F64 else cast(f, F64, a)
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def from_float(f: Format, value: float, mode: Mode) -> int:
    bits = struct.unpack("<Q", struct.pack("<d", value))[0]
    if math.isinf(value) or value == 0:
        return (f.sign_bit if bits >> 63 else 0) | (f.inf if value else 0)
    sign, sig, exp = unpack(F64, bits)
    return round_pack(f, sign, sig, exp, RNE, keep=bool(f.denorm(mode) & 2))


def always_flush_f32(mode: Mode) -> Mode:
    return replace(mode, denorm_32=0, round_32=RNE)


def exp2(f: Format, a: int, mode: Mode) -> int:
    mode = always_flush_f32(mode)
    a = flush_in(f, a, mode)
    if is_nan(f, a):
        return quiet(f, a)
    x = to_float(f, a)
    if x >= 1024:
        return f.inf
    return from_float(f, math.exp2(max(x, -1020.0)), mode)


def log2(f: Format, a: int, mode: Mode) -> int:
    mode = always_flush_f32(mode)
    a = flush_in(f, a, mode)
    if is_nan(f, a):
        return quiet(f, a)
    if not a & f.abs_mask:
        return f.sign_bit | f.inf
    if a & f.sign_bit:
        return f.nan
    if a == f.inf:
        return a
    return from_float(f, math.log2(to_float(f, a)), mode)


def _turns(f: Format, a: int) -> tuple[int, float]:
    """Quarter of the circle and the angle within it, in turns, from an exact reduction."""
    sign, sig, exp = unpack(f, a)
    if exp >= 0:
        return 0, 0.0
    whole = 1 << -exp
    rest = (-sig if sign else sig) % whole
    quarter, inner = divmod(4 * rest, whole)
    return quarter, inner / whole / 4


def sin_turns(f: Format, a: int, mode: Mode) -> int:
    """sin(2 * pi * a)."""
    mode = always_flush_f32(mode)
    a = flush_in(f, a, mode)
    if (a & f.abs_mask) >= f.inf:
        return quiet(f, a) if is_nan(f, a) else f.nan
    if not a & f.abs_mask:
        return a
    quarter, turn = _turns(f, a)
    angle = 2 * math.pi * turn
    value = (math.sin, math.cos, lambda t: -math.sin(t), lambda t: -math.cos(t))[quarter](angle)
    return from_float(f, value, mode)


def cos_turns(f: Format, a: int, mode: Mode) -> int:
    """cos(2 * pi * a)."""
    mode = always_flush_f32(mode)
    a = flush_in(f, a, mode)
    if (a & f.abs_mask) >= f.inf:
        return quiet(f, a) if is_nan(f, a) else f.nan
    quarter, turn = _turns(f, a)
    angle = 2 * math.pi * turn
    value = (math.cos, lambda t: -math.sin(t), lambda t: -math.cos(t), math.sin)[quarter](angle)
    return from_float(f, value, mode)


def _two_over_pi(bits: int) -> int:
    """floor(2 / pi * 2^bits), from Machin's formula in fixed point."""
    guard = bits + 64
    one = 1 << guard

    def arctan_inverse(n: int) -> int:
        power = total = one // n
        k, sign = 1, 1
        while power:
            power //= n * n
            k, sign = k + 2, -sign
            total += sign * (power // k)
        return total

    pi = 4 * (4 * arctan_inverse(5) - arctan_inverse(239))
    return (1 << (bits + 1 + guard)) // pi


TWO_OVER_PI_1201 = _two_over_pi(1201)


def two_over_pi_segment(shift: int) -> int:
    """53 bits of 2/pi from `shift` bits below the binary point; zeros past bit 1201."""
    down = 1201 - 53 - shift
    bits = TWO_OVER_PI_1201 >> down if down >= 0 else TWO_OVER_PI_1201 << -down
    return bits & ((1 << 53) - 1)


# V_CVT_OFF_F32_I4: signed nibble / 16, as f32 patterns.
CVT_OFF_TABLE = [
    round_pack(F32, int(n >= 8), abs(n - 16 if n >= 8 else n), -4, RNE) for n in range(16)
]


def norm_to_int(f: Format, a: int, scale: int, low: int, mode: Mode) -> int:
    """V_CVT_PKNORM: a * scale clamped to [low, scale], rounded to nearest even; NaN gives 0."""
    a = flush_in(f, a, mode)
    if is_nan(f, a):
        return 0
    if (a & f.abs_mask) == f.inf:
        return low if a & f.sign_bit else scale
    sign, sig, exp = unpack(f, a)
    num = sig * scale
    if exp < 0:
        size, rest = num >> -exp, num & ((1 << -exp) - 1)
        half = 1 << (-exp - 1)
        size += rest > half or (rest == half and size & 1)
    else:
        size = num << exp
    return max(low, min(scale, -size if sign else size))


def floor_to_int(f: Format, a: int, low: int, high: int, mode: Mode, *, half: bool) -> int:
    """floor(a), or floor(a + 1/2) computed exactly, saturated to [low, high]; NaN gives 0."""
    a = flush_in(f, a, mode)
    if is_nan(f, a):
        return 0
    if (a & f.abs_mask) == f.inf:
        return low if a & f.sign_bit else high
    sign, sig, exp = unpack(f, a)
    value = -sig if sign else sig
    if half:
        value, exp = 2 * value, exp - 1
        value = value + (1 << (-exp - 1)) if exp < 0 else value
    size = value << exp if exp >= 0 else value >> -exp
    return max(low, min(high, size))


__all__ = [
    "CVT_OFF_TABLE",
    "DEFAULT",
    "DOWN",
    "TOLERANCE",
    "TWO_OVER_PI_1201",
    "Tolerance",
    "cos_turns",
    "exp2",
    "floor_to_int",
    "from_float",
    "log2",
    "norm_to_int",
    "sin_turns",
    "to_float",
    "two_over_pi_segment",
]
