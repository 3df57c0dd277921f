"""VALU exponent and division helpers: ldexp, frexp, div_fixup, div_fmas, div_scale.

CDNA3 ISA 12.7 and 12.10; corrections to the pseudocode follow hardware tests.
"""

from __future__ import annotations

from asmevo.isa.semantics.table import lane
from asmevo.isa.semantics.values import Value, fma, where
from asmevo.isa.semantics.vector_float import (
    BIAS,
    MANTISSA,
    default_nan,
    fma_nan,
    fma_odd,
    infinity,
    quiet,
)


def _exponent(a: Value) -> Value:
    """Biased exponent field."""
    return (a.u >> MANTISSA[a.width]) & (2 * BIAS[a.width] + 1)


def _scale(a: Value, n: Value) -> Value:
    """a * 2**n with one rounding, for any 32-bit n.

    Three exact-or-final multiplications by powers of two: the first two never round because
    they move by at most what keeps the value normal; only the last may round.
    """
    w = a.width
    wide = a.fconvert(64) if w != 64 else a
    bias, bits = 1023, 52
    limit = 2200 if w == 64 else 400
    n = where(n > limit, n.const(limit), where(n < -limit, n.const(-limit & 0xFFFFFFFF), n))
    n = n.i
    if w != 64:
        # f64 holds any f16/f32 scaled by up to 2**400 exactly; one rounding at the end.
        power = ((n.to(64) + bias) << bits).u.f
        return where(a.is_nan, quiet(a), (wide * power).fconvert(w))
    # f64: normalise a subnormal input, add exponents, then round once if the result is small.
    sub = (_exponent(a) == 0) & (a != 0.0)
    norm = where(sub, a * 18014398509481984.0, a)  # 2**54
    e = _exponent(norm).i + where(sub, norm.i.const(-54 & (2**64 - 1)), norm.i.const(0)) + n.to(64)
    special = (_exponent(a) == 2047) | (a == 0.0)
    over, normal = e >= 2047, e >= 1
    sign = a.u & (1 << 63)
    fraction = norm.u & ((1 << 52) - 1)
    in_range = sign | fraction | (where(normal & ~over, e, e.const(1)).u << 52)
    # Small results: build with exponent e + 64 and multiply by 2**-64, which rounds once.
    lifted = where(e < -60, e.const(4), e + 64)
    small = (sign | fraction | (lifted.u << 52)).f * 5.421010862427522e-20
    infinity = (sign | (2047 << 52)).f
    r = where(over, infinity, where(normal, in_range.f, small))
    return where(special, where(a.is_nan, quiet(a), a), r)


lane("v_ldexp_f32", "f32", "f32 i32")(_scale)
lane("v_ldexp_f64", "f64", "f64 i32")(_scale)
lane("v_ldexp_f16", "f16", "f16 i16")(lambda a, n: _scale(a, n.to(32)))


def _frexp(a: Value) -> tuple[Value, Value]:
    """(significand in [0.5, 1), exponent as i32); both pass specials through unchanged."""
    w = a.width
    up = {16: 12, 32: 25, 64: 54}[w]
    power = a.u.const((BIAS[w] + up) << MANTISSA[w]).f
    sub = (_exponent(a) == 0) & (a != 0.0)
    norm = where(sub, a * power, a)
    e = _exponent(norm).i
    e = e - (BIAS[w] - 1) - where(sub, e.const(up), e.const(0))
    keep = a.u.const((1 << (w - 1)) | ((1 << MANTISSA[w]) - 1))
    significand = (norm.u & keep) | ((BIAS[w] - 1) << MANTISSA[w])
    special = (a == 0.0) | (_exponent(a) == 2 * BIAS[w] + 1)
    e32 = e.to(32) if w != 32 else e
    significand = where(special, where(a.is_nan, quiet(a).u, a.u), significand).f
    return significand, where(special, e32.const(0), e32)


for _t in ("f16", "f32", "f64"):
    lane(f"v_frexp_mant_{_t}", _t, _t, rounds=False)(lambda a: _frexp(a)[0])
    lane(f"v_frexp_exp_i{16 if _t == 'f16' else 32}_{_t}", "i16" if _t == "f16" else "i32", _t)(
        (lambda a: _frexp(a)[1].to(16)) if _t == "f16" else (lambda a: _frexp(a)[1])
    )


# --- division helpers (pseudocode V_DIV_*) ----------------------------------------------------
def _div_fixup(q: Value, den: Value, num: Value) -> Value:
    w = q.width
    sign_bit = 1 << (w - 1)
    sign = (den.u ^ num.u) & sign_bit
    inf = infinity(q)
    zero = q.u.const(0)
    mag = q.u & (sign_bit - 1)
    den_inf, num_inf = (den.fabs().u == inf), (num.fabs().u == inf)
    invalid = default_nan(q).u
    r = sign | mag
    r = where(den_inf | (num == 0.0), sign | zero, r)
    r = where((den == 0.0) | num_inf, sign | inf, r)
    r = where((den_inf & num_inf) | ((den == 0.0) & (num == 0.0)), invalid, r)
    if w != 16:
        # A NaN or infinite estimate means the quotient overflowed (the pseudocode's own test,
        # exponent(den) == 255, is never reached); a tiny quotient rounds to zero.
        finite = ~(den_inf | num_inf | (den == 0.0) | (num == 0.0))
        r = where(finite & (q.is_nan | (mag == inf)), sign | inf, r)
        low = (_exponent(num).i - _exponent(den).i) < {32: -150, 64: -1075}[w]
        r = where(low & finite, sign | zero, r)
    r = where(den.is_nan, quiet(den).u, r)
    return where(num.is_nan, quiet(num).u, r).f


for _t in ("f16", "f32", "f64"):
    _keep = {"high": "keep"} if _t == "f16" else {}
    lane(f"v_div_fixup_{_t}", _t, f"{_t} {_t} {_t}", rounds=False, **_keep)(_div_fixup)
lane("v_div_fixup_legacy_f16", "f16", "f16 f16 f16", rounds=False)(_div_fixup)


def _div_fmas(a: Value, b: Value, c: Value, scale: Value) -> Value:
    # V_DIV_SCALE moved an operand by 2**64 (2**128); this undoes it, upwards when the addend is
    # large. The pseudocode's 2**32 (2**64) is wrong (hardware tests). The f32 form rounds once.
    exponent, bias = {32: (64, 1023), 64: (128, 1023)}[a.width]
    r = fma_odd(a, b, c) if a.width == 32 else fma(a, b, c)
    up = _exponent(c).i > BIAS[a.width]
    power = where(up, r.u.const((bias + exponent) << 52), (bias - exponent) << 52).f
    return where(scale, r * power, r).fconvert(a.width)


for _t in ("f32", "f64"):
    lane(f"v_div_fmas_{_t}", _t, f"{_t} {_t} {_t} vccbit", flush=False, fast=_div_fmas)(
        lambda a, b, c, scale: fma_nan(_div_fmas(a, b, c, scale), a, b, c)
    )


def _scaled_nan(a: Value, r: Value) -> Value:
    """A NaN operand comes out of a scaling quieted (compilers do not keep its sign)."""
    return where(a.is_nan, quiet(a), r)


def _div_scale(a: Value, den: Value, num: Value) -> tuple[Value, Value]:
    w = a.width
    shift = {32: 64, 64: 128}[w]
    up = _scaled_nan(a, a * a.u.const((BIAS[w] + shift) << MANTISSA[w]).f)
    down = _scaled_nan(a, a * a.u.const((BIAS[w] - shift) << MANTISSA[w]).f)
    big, small = {32: (96, 23), 64: (768, 53)}[w]

    def denormal(v: Value) -> Value:
        return (_exponent(v) == 0) & (v != 0.0)

    zero = (num == 0.0) | (den == 0.0)
    huge = (_exponent(num).i - _exponent(den).i) >= big
    reciprocal = denormal(a.const(1.0) / den)
    quotient = denormal(num / den)
    is_den, is_num = a.u == den.u, a.u == num.u
    # The pseudocode's if-elsif chain, built from its last branch upwards.
    r = where(_exponent(num).i <= small, up, a)
    r = where(quotient, where(is_num, up, a), r)
    r = where(reciprocal, down, r)
    r = where(reciprocal & quotient, where(is_den, up, a), r)
    r = where(denormal(den), up, r)
    r = where(huge, where(is_den, up, a), r)
    r = where(zero, default_nan(a), r)
    flag = ~zero & (huge | (~denormal(den) & quotient))
    return r, flag


lane("v_div_scale_f32", "f32 m", "f32 f32 f32", flush=False, rounds=False)(_div_scale)
lane("v_div_scale_f64", "f64 m", "f64 f64 f64", flush=False, rounds=False)(_div_scale)
