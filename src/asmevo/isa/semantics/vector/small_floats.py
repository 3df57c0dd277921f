"""Floats of at most 8 bits: conversions with nearest or stochastic rounding and with scales.

Formats: FNUZ fp8/bf8 on gfx940 to gfx942 (no infinity, no negative zero, one NaN 0x80), OCP
fp8/bf8 and the OCP MX fp6, bf6 and fp4 on gfx950. FP16_OVFL makes overflow saturate. A scale is
the exponent field of an f32 (E8M0): the value is multiplied by 2**(field - 127) when decoding
and divided by it when encoding; 255 makes everything NaN.
"""

from __future__ import annotations

from dataclasses import dataclass

from asmevo.isa.semantics.table import DEFAULT_MODE, FloatMode, lane
from asmevo.isa.semantics.values import Value, concat, floor, where
from asmevo.isa.semantics.vector.convert import flushed_half, round_bf16

_SOURCE_MANTISSA = {"f32": 23, "f16": 10, "bf16": 7}
_WIDE = {32: (23, 127), 64: (52, 1023)}


@dataclass(frozen=True, slots=True)
class Small:
    """A small format: field widths, bias, largest finite code, NaN and infinity codes."""

    name: str
    exponent: int
    mantissa: int
    bias: int
    largest: int
    nan: int | None
    infinity: int | None = None
    signed_zero: bool = True

    @property
    def sign(self) -> int:
        """The sign bit's value."""
        return 1 << (self.exponent + self.mantissa)

    @property
    def width(self) -> int:
        """Bits of a code."""
        return 1 + self.exponent + self.mantissa


_FNUZ = {
    "fp8": Small("fp8", 4, 3, 8, 0x7F, 0x80, signed_zero=False),
    "bf8": Small("bf8", 5, 2, 16, 0x7F, 0x80, signed_zero=False),
}
_OCP = {
    "fp8": Small("fp8", 4, 3, 7, 0x7E, 0x7F),
    "bf8": Small("bf8", 5, 2, 15, 0x7B, 0x7F, 0x7C),
    "fp6": Small("fp6", 2, 3, 1, 0x1F, None),
    "bf6": Small("bf6", 3, 2, 3, 0x1F, None),
    "fp4": Small("fp4", 2, 1, 1, 0x7, None),
}


def small_format(name: str, mode: FloatMode) -> Small:
    """A format by name on the target that the mode describes."""
    return _FNUZ[name] if mode.fnuz and name in _FNUZ else _OCP[name]


def _power(like: Value, exponent: int) -> Value:
    """2**exponent as a float of the value's width."""
    mantissa, bias = _WIDE[like.width]
    return like.u.const((exponent + bias) << mantissa).f


# --- encoding -----------------------------------------------------------------------------------
def _special(s: Small, a: Value, code: Value, mode: FloatMode, nan: Value) -> Value:
    """Overflow, infinity, NaN and the sign around a magnitude code."""
    sign = where(a.sign, code.const(s.sign), 0)
    infinite = a.fabs().u == (2 * _WIDE[a.width][1] + 1) << _WIDE[a.width][0]
    over = (code > s.largest) | infinite
    signed = code | sign
    if s.nan is None:
        return where(over | nan, sign | s.largest, signed)
    nan_code = code.const(s.nan) if not s.signed_zero else sign | s.nan
    if mode.fp16_ovfl:
        beyond = sign | s.largest
    else:
        beyond = sign | s.infinity if s.infinity is not None else nan_code
    if not s.signed_zero:
        signed = where(code == 0, code, signed)
    return where(nan, nan_code, where(over, beyond, signed))


def encode(s: Small, a: Value, mode: FloatMode, bad: Value | None = None) -> Value:
    """f32 or f64 to a small code (u32), nearest even; lanes in `bad` become NaN."""
    mantissa, bias = _WIDE[a.width]
    drop = mantissa - s.mantissa
    u = a.fabs().u
    rounded = (u + ((1 << (drop - 1)) - 1) + ((u >> drop) & 1)) >> drop
    normal = rounded - ((bias - s.bias) << s.mantissa)
    # Below the normal range: adding 2**k makes the code appear in the low bits, rounded.
    magic = _power(a, 1 - s.bias - s.mantissa + mantissa)
    tiny = (a.fabs() + magic).u - magic.u
    code = where(a.fabs() < _power(a, 1 - s.bias), tiny, normal)
    # Values beyond the format may wrap in the low bits: bring them just above the range.
    code = where(a.fabs() >= _power(a, 2), _capped(code, s), code).to(32)
    nan = a.is_nan if bad is None else a.is_nan | bad
    return _special(s, a, code, mode, nan)


def _capped(code: Value, s: Small) -> Value:
    limit = code.const(s.largest + 1)
    return where(code > limit, limit, code)


def encode_stochastic(
    s: Small, a: Value, seed: Value, source: str, mode: FloatMode, bad: Value | None = None
) -> Value:
    """f64 to a small code (u32): the seed's top bits added below the kept bits, then truncated.

    `source` is the type the value came from; it sets how many bits of the seed take part.
    """
    bits = _SOURCE_MANTISSA[source] - s.mantissa
    noise = seed.u >> (32 - bits)
    drop = 52 - s.mantissa
    u = a.fabs().u
    normal = ((u + (noise.to(64) << (drop - bits))) >> drop) - ((1023 - s.bias) << s.mantissa)
    quanta = a.fabs() * _power(a, s.bias + s.mantissa - 1)
    fraction = noise.to_float(64) * _power(a, -bits)
    small = a.fabs() < _power(a, 1 - s.bias)
    # The sum is exact enough: see the module's tests for the bound.
    total = floor(where(small, quanta, quanta.const(0.0)) + fraction)
    count = Value(a.alg, a.alg.to_uint(64, 64, total.raw), 64, "u")
    code = where(small, count, normal)
    code = where(a.fabs() >= _power(a, 2), _capped(code, s), code).to(32)
    nan = a.is_nan if bad is None else a.is_nan | bad
    return _special(s, a, code, mode, nan)


# --- decoding -----------------------------------------------------------------------------------
def decode(s: Small, code: Value) -> Value:
    """Small code (low bits of a u32) to f32, exactly; infinities and NaN keep their sign."""
    code = code.u & (2 * s.sign - 1)
    sign = where((code & s.sign) != 0, code.const(1 << 31), 0)
    body = code & (s.sign - 1)
    normal = (body << (23 - s.mantissa)) + ((127 - s.bias) << 23)
    tiny = (body.to_float(32) * _power(body, 1 - s.bias - s.mantissa)).u
    bits = where(body < (1 << s.mantissa), tiny, normal)
    if s.infinity is not None:
        bits = where(body == s.infinity, bits.const(0x7F800000), bits)
        bits = where(body > s.infinity, bits.const(0x7FC00000), bits)
    elif s.nan is not None and s.signed_zero:
        bits = where(body > s.largest, bits.const(0x7FC00000), bits)
    result = bits | sign
    if not s.signed_zero:
        assert s.nan is not None
        result = where(code == s.nan, result.const(0xFFC00000), result)
    return result.f


# --- plain conversions --------------------------------------------------------------------
_USES = {"uses": ("fnuz", "fp16_ovfl"), "flush": False}


def _bytes(low: Value, high: Value) -> Value:
    return (low & 0xFF) | ((high & 0xFF) << 8)


for _name in ("fp8", "bf8"):

    def _pack(a: Value, b: Value, mode: FloatMode = DEFAULT_MODE, n: str = _name) -> Value:
        s = small_format(n, mode)
        return _bytes(encode(s, a, mode), encode(s, b, mode)).to(16)

    lane(f"v_cvt_pk_{_name}_f32", "b16", "f32 f32", part="word", **_USES)(_pack)

    def _stochastic(a: Value, seed: Value, mode: FloatMode = DEFAULT_MODE, n: str = _name) -> Value:
        s = small_format(n, mode)
        return encode_stochastic(s, a.fconvert(64), seed, "f32", mode).to(8)

    lane(f"v_cvt_sr_{_name}_f32", "b8", "f32 u32", part="byte", **_USES)(_stochastic)

    def _one(a: Value, mode: FloatMode = DEFAULT_MODE, n: str = _name) -> Value:
        return decode(small_format(n, mode), a)

    lane(f"v_cvt_f32_{_name}", "f32", "b32", uses=("fnuz",), flush=False, rounds=False)(_one)

    def _two(a: Value, mode: FloatMode = DEFAULT_MODE, n: str = _name) -> Value:
        s = small_format(n, mode)
        return concat(decode(s, a).u, decode(s, a >> 8).u)

    lane(f"v_cvt_pk_f32_{_name}", "b64", "b32", uses=("fnuz",), flush=False)(_two)


@lane("v_cvt_f32_bf16", "f32", "b16", flush=False, rounds=False)
def _(a: Value) -> Value:
    return (a.to(32) << 16).f


# --- f16 and bf16 with stochastic rounding ------------------------------------------------
def _round_stochastic(a: Value, seed: Value, mantissa: int, bias: int) -> Value:
    """f32 to a 16-bit float (u16): seed bits added below the kept bits, then truncated."""
    u = a.fabs().u
    bits = 23 - mantissa
    noise = seed.u >> (32 - bits)
    wide = a.fabs().fconvert(64)
    exponent = (127 - bias) << mantissa
    normal = ((u + noise) >> bits) - exponent if exponent else (u + noise) >> bits
    quanta = wide * _power(wide, bias + mantissa - 1)
    small = wide < _power(wide, 1 - bias)
    total = floor(
        where(small, quanta, quanta.const(0.0)) + noise.to_float(64) * _power(wide, -bits)
    )
    count = Value(a.alg, a.alg.to_uint(64, 64, total.raw), 64, "u").to(32)
    infinity = ((1 << (15 - mantissa)) - 1) << mantissa
    code = where(small, count, normal)
    code = where((code > infinity) & ~small, code.const(infinity), code)
    special = u >= 0x7F800000
    payload = ((u & 0x7FFFFF) >> bits) | infinity | (1 << (mantissa - 1))
    code = where(special, where(a.is_nan, payload, payload.const(infinity)), code)
    return (code | where(a.sign, code.const(0x8000), 0)).to(16)


@lane("v_cvt_sr_f16_f32", "b16", "f32 u32", part="word", uses=("denorm_16_64",))
def _(a: Value, seed: Value, mode: FloatMode = DEFAULT_MODE) -> Value:
    return flushed_half(_round_stochastic(a, seed, 10, 15), mode)


lane("v_cvt_sr_bf16_f32", "b16", "f32 u32", part="word")(
    lambda a, seed: _round_stochastic(a, seed, 7, 127)
)


# --- shared by the scaled conversions -----------------------------------------------------
def widen(a: Value, source: str) -> Value:
    """Bits of an f32, f16 or bf16 as f64."""
    if source == "bf16":
        return (a.to(16).to(32) << 16).f.fconvert(64)
    return a.to(16 if source == "f16" else 32).f.fconvert(64)


def narrow(a: Value, target: str) -> Value:
    """An f64 rounded to f32, f16 or bf16, as bits of that width."""
    if target == "bf16":
        return round_bf16(a.fconvert(32))
    return a.fconvert(16 if target == "f16" else 32).u


def scale_of(scale: Value) -> tuple[Value, Value]:
    """(exponent of the scale, whether it is NaN) from the exponent field of an f32."""
    field = (scale.u >> 23) & 0xFF
    return field.i - 127, field == 255


def times_power(a: Value, exponent: Value) -> Value:
    """f64 times 2**exponent (|exponent| <= 255), exact for these ranges."""
    return a * ((exponent.i.to(64) + 1023) << 52).u.f
