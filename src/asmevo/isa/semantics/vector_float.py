"""VALU floating-point arithmetic (CDNA3 ISA 6.x; NaN and zero rules from AMD's pseudocode)."""

from __future__ import annotations

from asmevo.isa.semantics.table import lane
from asmevo.isa.semantics.values import (
    Value,
    ceil,
    floor,
    fma,
    ftrunc,
    rint,
    sqrt,
    where,
)

_MANTISSA = {16: 10, 32: 23, 64: 52}
_BIAS = {16: 15, 32: 127, 64: 1023}


def _fma_odd(a: Value, b: Value, c: Value) -> Value:
    """a * b + c of f16 or f32 operands as an f64 rounded to odd.

    The product is exact in f64; the sum is made odd when inexact, so that one later rounding to
    the operands' width (scaled or not) cannot round twice (Boldo and Melquiond, 2008).
    """
    x, y, z = a.fconvert(64), b.fconvert(64), c.fconvert(64)
    p = x * y
    s = p + z
    t = s - p
    error = (p - (s - t)) + (z - t)
    # An infinite or NaN sum leaves a NaN error: nothing to adjust.
    inexact = (error != 0.0) & ((s.u & 1) == 0) & ~error.is_nan
    away = (error > 0.0) ^ s.sign  # error points away from zero
    odd = where(away, s.u + 1, s.u - 1)
    return where(inexact, odd, s.u).f


def fma16(a: Value, b: Value, c: Value) -> Value:
    """Fused multiply-add of halves with one rounding."""
    return _fma_odd(a, b, c).fconvert(16)


def mul_add(a: Value, b: Value, c: Value) -> Value:
    """fma in the operands' width."""
    return fma16(a, b, c) if a.width == 16 else fma(a, b, c)


def fmin(a: Value, b: Value) -> Value:
    """minNum with -0 < +0; a NaN operand yields the other."""
    less = (a < b) | ((a == b) & a.sign)
    return where(a.is_nan, b, where(b.is_nan, a, where(less, a, b)))


def fmax(a: Value, b: Value) -> Value:
    """maxNum with -0 < +0; a NaN operand yields the other."""
    more = (a > b) | ((a == b) & ~a.sign)
    return where(a.is_nan, b, where(b.is_nan, a, where(more, a, b)))


def med3(a: Value, b: Value, c: Value) -> Value:
    """Median of three; with a NaN operand the minimum of all (pseudocode V_MED3_F32).

    Built from min and max so that -0 orders below +0; the pseudocode's == does not tell them
    apart and would return +0 for (-0, +0, -0).
    """
    any_nan = a.is_nan | b.is_nan | c.is_nan
    median = fmax(fmin(a, b), fmin(fmax(a, b), c))
    return where(any_nan, fmin(fmin(a, b), c), median)


def _mul_legacy(a: Value, b: Value) -> Value:
    """0 times anything is +0 (DX9 rules)."""
    return where((a == 0.0) | (b == 0.0), a.const(0.0), a * b)


for _t in ("f16", "f32", "f64"):
    _2, _3 = f"{_t} {_t}", f"{_t} {_t} {_t}"
    lane(f"v_add_{_t}", _t, _2)(lambda a, b: a + b)
    lane(f"v_mul_{_t}", _t, _2)(lambda a, b: a * b)
    lane(f"v_fma_{_t}", _t, _3)(mul_add)
    lane(f"v_fmac_{_t}", _t, _2, reads_dst=True)(mul_add)
    lane(f"v_min_{_t}", _t, _2)(fmin)
    lane(f"v_max_{_t}", _t, _2)(fmax)
    lane(f"v_trunc_{_t}", _t, _t)(ftrunc)
    lane(f"v_ceil_{_t}", _t, _t)(ceil)
    lane(f"v_floor_{_t}", _t, _t)(floor)
    lane(f"v_rndne_{_t}", _t, _t)(rint)
    lane(f"v_sqrt_{_t}", _t, _t, exact="approximate (correctly rounded; hardware within 1 ulp)")(
        sqrt
    )
    if _t != "f64":
        lane(f"v_sub_{_t}", _t, _2)(lambda a, b: a - b)
        lane(f"v_subrev_{_t}", _t, _2)(lambda a, b: b - a)
        lane(f"v_min3_{_t}", _t, _3)(lambda a, b, c: fmin(fmin(a, b), c))
        lane(f"v_max3_{_t}", _t, _3)(lambda a, b, c: fmax(fmax(a, b), c))
        lane(f"v_med3_{_t}", _t, _3)(med3)
        # v_mad and v_mac round the product first (no fused step).
        lane(f"v_mad_{_t} v_mad_legacy_{_t}" if _t == "f16" else f"v_mad_{_t}", _t, _3)(
            lambda a, b, c: a * b + c
        )
        lane(f"v_mac_{_t}", _t, _2, reads_dst=True)(lambda a, b, c: a * b + c)
        lane(f"v_madak_{_t}", _t, _3)(lambda a, b, c: a * b + c)
        lane(f"v_fmaak_{_t}", _t, _3)(mul_add)

# madmk/fmamk print the constant in the middle: D = S0 * K + S1.
for _t in ("f16", "f32"):
    lane(f"v_madmk_{_t}", _t, f"{_t} {_t} {_t}")(lambda a, k, b: a * k + b)
    lane(f"v_fmamk_{_t}", _t, f"{_t} {_t} {_t}")(mul_add)

lane("v_mul_legacy_f32", "f32", "f32 f32")(_mul_legacy)
lane("v_fma_legacy_f16", "f16", "f16 f16 f16")(mul_add)


@lane("v_fract_f16", "f16", "f16")
@lane("v_fract_f32", "f32", "f32")
@lane("v_fract_f64", "f64", "f64")
def _(a: Value) -> Value:
    # The result stays below one: 1 - ulp/2 is the largest value (ISA V_FRACT).
    below_one = a.u.const({16: 0x3BFF, 32: 0x3F7FFFFF, 64: 0x3FEFFFFFFFFFFFFF}[a.width]).f
    r = a - floor(a)
    return where(r >= 1.0, below_one, r)


def _exponent(a: Value) -> Value:
    """Biased exponent field."""
    return (a.u >> _MANTISSA[a.width]) & (2 * _BIAS[a.width] + 1)


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
        return (wide * power).fconvert(w)
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
    return where(special, a, r)


lane("v_ldexp_f32", "f32", "f32 i32")(_scale)
lane("v_ldexp_f64", "f64", "f64 i32")(_scale)
lane("v_ldexp_f16", "f16", "f16 i16")(lambda a, n: _scale(a, n.to(32)))


def _frexp(a: Value) -> tuple[Value, Value]:
    """(significand in [0.5, 1), exponent as i32); both pass specials through unchanged."""
    w = a.width
    up = {16: 12, 32: 25, 64: 54}[w]
    power = a.u.const((_BIAS[w] + up) << _MANTISSA[w]).f
    sub = (_exponent(a) == 0) & (a != 0.0)
    norm = where(sub, a * power, a)
    e = _exponent(norm).i
    e = e - (_BIAS[w] - 1) - where(sub, e.const(up), e.const(0))
    keep = a.u.const((1 << (w - 1)) | ((1 << _MANTISSA[w]) - 1))
    significand = (norm.u & keep) | ((_BIAS[w] - 1) << _MANTISSA[w])
    special = (a == 0.0) | (_exponent(a) == 2 * _BIAS[w] + 1)
    e32 = e.to(32) if w != 32 else e
    return where(special, a.u, significand).f, where(special, e32.const(0), e32)


for _t in ("f16", "f32", "f64"):
    lane(f"v_frexp_mant_{_t}", _t, _t)(lambda a: _frexp(a)[0])
    lane(
        f"v_frexp_exp_i{16 if _t == 'f16' else 32}_{_t}", "i16" if _t == "f16" else "i32", _t
    )((lambda a: _frexp(a)[1].to(16)) if _t == "f16" else (lambda a: _frexp(a)[1]))


# --- division helpers (pseudocode V_DIV_*) ----------------------------------------------------
def _infinity(a: Value) -> Value:
    return a.u.const((2 * _BIAS[a.width] + 1) << _MANTISSA[a.width])


def _quiet(a: Value) -> Value:
    return (a.u | (1 << (_MANTISSA[a.width] - 1))).f


def _div_fixup(q: Value, den: Value, num: Value) -> Value:
    w = q.width
    sign_bit = 1 << (w - 1)
    sign = (den.u ^ num.u) & sign_bit
    inf = _infinity(q)
    zero = q.u.const(0)
    mag = q.u & (sign_bit - 1)
    den_inf, num_inf = (den.fabs().u == inf), (num.fabs().u == inf)
    default_nan = q.u.const(((2 * _BIAS[w] + 1) << _MANTISSA[w]) | (1 << (_MANTISSA[w] - 1)))
    # The default NaN of AMD hardware is negative: 0xffc00000.
    default_nan = default_nan | sign_bit
    r = sign | mag
    r = where(den_inf | (num == 0.0), sign | zero, r)
    r = where((den == 0.0) | num_inf, sign | inf, r)
    r = where((den_inf & num_inf) | ((den == 0.0) & (num == 0.0)), default_nan, r)
    if w != 16:
        # A NaN or infinite estimate means the quotient overflowed (the pseudocode's own test,
        # exponent(den) == 255, is never reached); a tiny quotient rounds to zero.
        finite = ~(den_inf | num_inf | (den == 0.0) | (num == 0.0))
        r = where(finite & (q.is_nan | (mag == inf)), sign | inf, r)
        low = (_exponent(num).i - _exponent(den).i) < {32: -150, 64: -1075}[w]
        r = where(low & finite, sign | zero, r)
    r = where(den.is_nan, _quiet(den).u, r)
    return where(num.is_nan, _quiet(num).u, r).f


for _t in ("f16", "f32", "f64"):
    lane(f"v_div_fixup_{_t}", _t, f"{_t} {_t} {_t}")(_div_fixup)


@lane("v_div_fmas_f32", "f32", "f32 f32 f32 vccbit", flush=False)
@lane("v_div_fmas_f64", "f64", "f64 f64 f64 vccbit", flush=False)
def _(a: Value, b: Value, c: Value, scale: Value) -> Value:
    # V_DIV_SCALE moved an operand by 2**64 (2**128); this undoes it, upwards when the addend is
    # large. The pseudocode's 2**32 (2**64) is wrong (hardware tests). The f32 form rounds once.
    exponent, bias = {32: (64, 1023), 64: (128, 1023)}[a.width]
    r = _fma_odd(a, b, c) if a.width == 32 else fma(a, b, c)
    up = _exponent(c).i > _BIAS[a.width]
    power = where(up, r.u.const((bias + exponent) << 52), (bias - exponent) << 52).f
    return where(scale, r * power, r).fconvert(a.width)


def _div_scale(a: Value, den: Value, num: Value) -> tuple[Value, Value]:
    w = a.width
    shift = {32: 64, 64: 128}[w]
    up = a * a.u.const((_BIAS[w] + shift) << _MANTISSA[w]).f
    down = a * a.u.const((_BIAS[w] - shift) << _MANTISSA[w]).f
    big, small = {32: (96, 23), 64: (768, 53)}[w]

    def denormal(v: Value) -> Value:
        return (_exponent(v) == 0) & (v != 0.0)

    zero = (num == 0.0) | (den == 0.0)
    huge = (_exponent(num).i - _exponent(den).i) >= big
    reciprocal = denormal(a.const(1.0) / den)
    quotient = denormal(num / den)
    is_den, is_num = a.u == den.u, a.u == num.u
    nan = a.u.const((((2 * _BIAS[w] + 1) << 1) | 1) << (_MANTISSA[w] - 1)).f
    # The pseudocode's if-elsif chain, built from its last branch upwards.
    r = where(_exponent(num).i <= small, up, a)
    r = where(quotient, where(is_num, up, a), r)
    r = where(reciprocal, down, r)
    r = where(reciprocal & quotient, where(is_den, up, a), r)
    r = where(denormal(den), up, r)
    r = where(huge, where(is_den, up, a), r)
    r = where(zero, nan, r)
    flag = ~zero & (huge | (~denormal(den) & quotient))
    return r, flag


lane("v_div_scale_f32", "f32 m", "f32 f32 f32")(_div_scale)
lane("v_div_scale_f64", "f64 m", "f64 f64 f64")(_div_scale)
