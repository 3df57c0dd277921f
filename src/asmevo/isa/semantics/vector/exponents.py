"""VALU exponent operations: ldexp and frexp (CDNA3 ISA 12.7 and 12.10)."""

from __future__ import annotations

from asmevo.isa.semantics.rounding.directed import rounding_of
from asmevo.isa.semantics.rounding.exact_fma import scaled_fma
from asmevo.isa.semantics.table import lane
from asmevo.isa.semantics.values import Value, where
from asmevo.isa.semantics.vector.floats import BIAS, MANTISSA, exponent_field, quiet


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
    rounding = rounding_of(a)
    if rounding:
        scaled = scaled_fma(a, a.const(1.0), a.const(0.0), n.to(64), rounding)
        return where((a == 0.0) | a.is_nan, where(a.is_nan, quiet(a), a), scaled)
    # f64: normalise a subnormal input, add exponents, then round once if the result is small.
    sub = (exponent_field(a) == 0) & (a != 0.0)
    norm = where(sub, a * 18014398509481984.0, a)  # 2**54
    lifted = where(sub, norm.i.const(-54 & (2**64 - 1)), norm.i.const(0))
    e = exponent_field(norm).i + lifted + n.to(64)
    special = (exponent_field(a) == 2047) | (a == 0.0)
    over, normal = e >= 2047, e >= 1
    sign = a.u & (1 << 63)
    fraction = norm.u & ((1 << 52) - 1)
    in_range = sign | fraction | (where(normal & ~over, e, e.const(1)).u << 52)
    # Small results: build with exponent e + 64 and multiply by 2**-64, which rounds once.
    raised = where(e < -60, e.const(4), e + 64)
    small = (sign | fraction | (raised.u << 52)).f * 5.421010862427522e-20
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
    sub = (exponent_field(a) == 0) & (a != 0.0)
    norm = where(sub, a * power, a)
    e = exponent_field(norm).i
    e = e - (BIAS[w] - 1) - where(sub, e.const(up), e.const(0))
    keep = a.u.const((1 << (w - 1)) | ((1 << MANTISSA[w]) - 1))
    significand = (norm.u & keep) | ((BIAS[w] - 1) << MANTISSA[w])
    special = (a == 0.0) | (exponent_field(a) == 2 * BIAS[w] + 1)
    e32 = e.to(32) if w != 32 else e
    significand = where(special, where(a.is_nan, quiet(a).u, a.u), significand).f
    return significand, where(special, e32.const(0), e32)


for _t in ("f16", "f32", "f64"):
    lane(f"v_frexp_mant_{_t}", _t, _t, rounds=False)(lambda a: _frexp(a)[0])
    lane(f"v_frexp_exp_i{16 if _t == 'f16' else 32}_{_t}", "i16" if _t == "f16" else "i32", _t)(
        (lambda a: _frexp(a)[1].to(16)) if _t == "f16" else (lambda a: _frexp(a)[1])
    )
