"""VALU division steps: v_div_scale, v_div_fmas, v_div_fixup.

A quotient is made of a scaled reciprocal, two refinements, V_DIV_FMAS (which takes the scale
away) and V_DIV_FIXUP (special operands). AMD's pseudocode is wrong in places: V_DIV_SCALE decides
by encoded exponents, not by tests for subnormals, and V_DIV_FMAS scales before its one rounding
(rocjitsu division.h, checked on gfx1100 and gfx1201; tinygrad's hardware tests test_vop3.py).
"""

from __future__ import annotations

from asmevo.isa.semantics.rounding.directed import nearest, rounding_of
from asmevo.isa.semantics.rounding.exact_fma import DOWN, NEAREST, UP, ZERO, scaled_fma
from asmevo.isa.semantics.table import DEFAULT_MODE, FloatMode, lane
from asmevo.isa.semantics.values import Value, fma, where
from asmevo.isa.semantics.vector.floats import (
    BIAS,
    MANTISSA,
    default_nan,
    exponent_field,
    fma_nan,
    fma_odd,
    infinity,
    quiet,
)

_SCALE = {32: 64, 64: 128}  # binary logarithm of the factor that V_DIV_SCALE applies
_FAR_APART = {32: 96, 64: 768}  # exponent difference from which a quotient needs the scale
_TINY = {32: 24, 64: 53}  # numerators up to this exponent field are scaled with the denominator
_MEASURED = "exact (exponent rules and flushing as measured on gfx1100 and gfx1201)"


# --- V_DIV_SCALE ------------------------------------------------------------------------------
def _div_scale(a: Value, den: Value, num: Value) -> tuple[Value, Value]:
    """(operand scaled for the division, whether V_DIV_FMAS has to take the scale away)."""
    w = a.width
    a, den, num = nearest(a), nearest(den), nearest(num)  # by powers of two: nothing is rounded
    up = a * a.u.const((BIAS[w] + _SCALE[w]) << MANTISSA[w]).f
    down = a * a.u.const((BIAS[w] - _SCALE[w]) << MANTISSA[w]).f
    num_exponent, den_exponent = exponent_field(num).i, exponent_field(den).i
    apart = num_exponent - den_exponent
    large, small = apart >= _FAR_APART[w], apart <= -_FAR_APART[w]
    is_den = a.u == den.u
    # The last rule comes first; each earlier one overrides what follows it.
    r = where(num_exponent <= _TINY[w], up, a)
    r = where(small, where(is_den, a, up), r)
    reciprocal_subnormal = den_exponent >= 2 * BIAS[w] - 1
    r = where(reciprocal_subnormal, where(small & ~is_den, a, down), r)
    den_subnormal = den_exponent == 0
    r = where(den_subnormal, up, r)
    r = where(large, where(is_den, up, a), r)
    # A quotient too small needs the scale unless the denominator is subnormal (never both).
    flag = large | (small & ~den_subnormal)
    r = where(a.is_nan, quiet(a), r)
    return where((num == 0.0) | (den == 0.0), default_nan(a), r), flag


lane("v_div_scale_f32", "f32 m", "f32 f32 f32", rounds=False, exact=_MEASURED)(_div_scale)
lane("v_div_scale_f64", "f64 m", "f64 f64 f64", rounds=False, exact=_MEASURED)(_div_scale)


# --- V_DIV_FMAS -------------------------------------------------------------------------------
def _fmas_power(c: Value) -> Value:
    """Whether the scale goes upwards: the addend is the quotient so far, still scaled."""
    return exponent_field(c).i > BIAS[c.width]


def _div_fmas_32(a: Value, b: Value, c: Value, scale: Value) -> Value:
    # The sum as a double rounded to odd; scaling it is exact, and the conversion rounds once.
    r = fma_odd(a, b, c)
    up, down = ((1023 + 64) << 52), ((1023 - 64) << 52)
    power = where(_fmas_power(c), r.u.const(up), down).f
    return where(scale, r * power, r).fconvert(32)


def _div_fmas_64(a: Value, b: Value, c: Value, scale: Value) -> Value:
    shift = where(_fmas_power(c), c.i.const(128), -128)
    shift = where(scale, shift, 0)
    exact = scaled_fma(nearest(a), nearest(b), nearest(c), shift, rounding_of(a))
    return Value(a.alg, exact.raw, 64, "f")


def _quick_div_fmas_64(a: Value, b: Value, c: Value, scale: Value) -> Value:
    """NaN where scaling after the rounding may not be exact: the full function decides there."""
    if rounding_of(a) != NEAREST:
        return _div_fmas_64(a, b, c, scale)
    r = fma(a, b, c)
    up, down = ((1023 + 128) << 52), ((1023 - 128) << 52)
    out = r * where(_fmas_power(c), r.u.const(up), down).f
    exponent = exponent_field(r)
    risky = (exponent == 0) | (exponent == 2047) | (exponent_field(out) <= 1)
    return where(scale, where(risky, default_nan(r), out), r)


lane(
    "v_div_fmas_f32",
    "f32",
    "f32 f32 f32 vccbit",
    kept=(0, 1, 2),
    fast=_div_fmas_32,
    exact=_MEASURED,
)(lambda a, b, c, scale: fma_nan(_div_fmas_32(a, b, c, scale), a, b, c))
lane(
    "v_div_fmas_f64",
    "f64",
    "f64 f64 f64 vccbit",
    kept=(0, 1, 2),
    fast=_quick_div_fmas_64,
    exact=_MEASURED,
)(lambda a, b, c, scale: fma_nan(_div_fmas_64(a, b, c, scale), a, b, c))


# --- V_DIV_FIXUP ------------------------------------------------------------------------------
def _beyond(sign: Value, like: Value, rounding: int) -> Value:
    """The bits of an overflowed result of a sign."""
    inf = infinity(like)
    if rounding == NEAREST:
        return sign | inf
    if rounding == ZERO:
        return sign | (inf - 1)
    towards = sign == 0 if rounding == UP else sign != 0
    return where(towards, sign | inf, sign | (inf - 1))


def _underflowed(sign: Value, rounding: int, keep: bool) -> Value:
    """The bits of a result below half the smallest subnormal."""
    if rounding not in (UP, DOWN) or not keep:
        return sign
    away = sign == 0 if rounding == UP else sign != 0
    return where(away, sign | 1, sign)


def _div_fixup(q: Value, den: Value, num: Value, mode: FloatMode = DEFAULT_MODE) -> Value:
    w, rounding = q.width, rounding_of(q)
    sign_bit = 1 << (w - 1)
    sign = (den.u ^ num.u) & sign_bit
    inf = infinity(q)
    mag = q.u & (sign_bit - 1)
    den_inf, num_inf = (den.fabs().u == inf), (num.fabs().u == inf)
    r = sign | mag
    if w != 16:
        # A NaN or infinite estimate means that the quotient overflowed (the pseudocode's own
        # test, exponent(den) == 255, is never reached); far below the format it underflowed.
        r = where(q.is_nan | (mag == inf), _beyond(sign, q, rounding), r)
        apart = exponent_field(num).i - exponent_field(den).i
        keep = bool(mode.denorm_of(w) & 2)
        r = where(apart < -(BIAS[w] + MANTISSA[w]), _underflowed(sign, rounding, keep), r)
    r = where(den_inf | (num == 0.0), sign, r)
    r = where((den == 0.0) | num_inf, sign | inf, r)
    r = where((den_inf & num_inf) | ((den == 0.0) & (num == 0.0)), default_nan(q).u, r)
    r = where(den.is_nan, quiet(den).u, r)
    return where(num.is_nan, quiet(num).u, r).f


for _t in ("f16", "f32", "f64"):
    lane(
        f"v_div_fixup_{_t}",
        _t,
        f"{_t} {_t} {_t}",
        kept=(0,),
        flush_result=False,
        high="keep" if _t == "f16" else "zero",
        uses=() if _t == "f16" else ("denorm_32" if _t == "f32" else "denorm_16_64",),
    )(_div_fixup)
lane("v_div_fixup_legacy_f16", "f16", "f16 f16 f16", kept=(0,), flush_result=False)(_div_fixup)
