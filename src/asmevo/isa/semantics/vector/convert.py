"""VALU conversions between integers and floats (CDNA3 ISA 6.x, pseudocode V_CVT_*)."""

from __future__ import annotations

from asmevo.isa.semantics.table import DEFAULT_MODE, FloatMode, lane
from asmevo.isa.semantics.values import Value, concat, floor, rint, to_int, where

_U8 = "open (rounding of the float to u8 is not documented)"
_NORM = "open (rounding of ties is not documented)"
_FLOOR = "open (a NaN: the manual says 0, a later chip saturates by its sign)"
_BF16 = "open (whether FP_DENORM flushes inputs or results is not documented; kept here)"

for _w in (16, 32, 64):
    for _k in ("i", "u"):
        _from = 16 if _w == 16 else 32

        def _int_to_float(a: Value, w: int = _w) -> Value:
            return a.to_float(w)

        lane(f"v_cvt_f{_w}_{_k}{_from}", f"f{_w}", f"{_k}{_from}")(_int_to_float)

        def _float_to_int(a: Value, n: int = _from, signed: bool = _k == "i") -> Value:
            return to_int(a, n, signed)

        lane(f"v_cvt_{_k}{_from}_f{_w}", f"{_k}{_from}", f"f{_w}")(_float_to_int)


@lane("v_cvt_rpi_i32_f32", "i32", "f32", exact=_FLOOR)
def _(a: Value) -> Value:
    # floor(a + 1/2) exactly: the sum itself may round (0.49999997, odd integers from 2**23).
    whole = floor(a)
    return to_int(where(a - whole >= 0.5, whole + 1.0, whole), 32, True)


@lane("v_cvt_flr_i32_f32", "i32", "f32", exact=_FLOOR)
def _(a: Value) -> Value:
    return to_int(floor(a), 32, True)


@lane("v_cvt_f32_f16", "f32", "f16")
def _(a: Value) -> Value:
    return a.fconvert(32)


@lane("v_cvt_f16_f32", "f16", "f32")
def _(a: Value) -> Value:
    return a.fconvert(16)


def flushed_half(half: Value, mode: FloatMode) -> Value:
    """Bits of a half inside a packed result, which the generic layer does not flush."""
    if mode.denorm_16_64 & 2:
        return half.u
    return where((half.u & 0x7C00) == 0, half.u & 0x8000, half.u)


_HALVES = ("fp16_ovfl", "denorm_16_64")


@lane("v_cvt_pk_f16_f32", "b32", "f32 f32", uses=_HALVES)
def _(a: Value, b: Value, mode: FloatMode = DEFAULT_MODE) -> Value:
    halves: list[Value] = []
    for v in (a, b):
        half = v.fconvert(16)
        if mode.fp16_ovfl:
            infinite = v.fabs().u == 0x7F800000
            over = (half.fabs().u == 0x7C00) & ~infinite
            half = where(over, half.u - 1, half.u).f
        halves.append(flushed_half(half, mode))
    return concat(halves[0], halves[1])


@lane("v_cvt_f64_f32", "f64", "f32")
def _(a: Value) -> Value:
    return a.fconvert(64)


@lane("v_cvt_f32_f64", "f32", "f64")
def _(a: Value) -> Value:
    return a.fconvert(32)


for _i in range(4):

    def _ubyte(a: Value, i: int = _i) -> Value:
        return ((a >> (8 * i)) & 0xFF).to_float(32)

    lane(f"v_cvt_f32_ubyte{_i}", "f32", "u32")(_ubyte)


def round_bf16(a: Value) -> Value:
    """f32 to bf16 bits (u16), nearest even; NaN keeps its upper half, made quiet."""
    u = a.u
    rounded = (u + 0x7FFF + ((u >> 16) & 1)) >> 16
    quiet = (u >> 16) | 0x40
    return where(a.is_nan, quiet, rounded).to(16)


@lane("v_cvt_pk_bf16_f32", "b32", "f32 f32", flush=False, exact=_BF16)
def _(a: Value, b: Value) -> Value:
    return concat(round_bf16(a), round_bf16(b))


def _toward_zero_16(a: Value) -> Value:
    """f32 to f16 bits, rounded toward zero (finite overflow gives the largest half)."""
    nearest = a.fconvert(16)
    back = nearest.fconvert(32)
    too_far = back.fabs() > a.fabs()
    return where(too_far & ~a.is_nan, nearest.u - 1, nearest.u)


@lane("v_cvt_pkrtz_f16_f32", "b32", "f32 f32", uses=("denorm_16_64",))
def _(a: Value, b: Value, mode: FloatMode = DEFAULT_MODE) -> Value:
    return concat(*(flushed_half(_toward_zero_16(v), mode) for v in (a, b)))


def _clamp_int(a: Value, low: int, high: int) -> Value:
    return where(a < low, a.const(low & (2**a.width - 1)), where(a > high, a.const(high), a))


@lane("v_cvt_pk_u16_u32", "b32", "u32 u32")
def _(a: Value, b: Value) -> Value:
    return concat(_clamp_int(a, 0, 65535).to(16), _clamp_int(b, 0, 65535).to(16))


@lane("v_cvt_pk_i16_i32", "b32", "i32 i32")
def _(a: Value, b: Value) -> Value:
    return concat(_clamp_int(a, -32768, 32767).to(16), _clamp_int(b, -32768, 32767).to(16))


def _norm16(a: Value, signed: bool) -> Value:
    scale = 32767.0 if signed else 65535.0
    wide = a.fconvert(32)
    low = -1.0 if signed else 0.0
    wide = where(wide < low, wide.const(low), where(wide > 1.0, wide.const(1.0), wide))
    return to_int(rint(wide * wide.u.const(_f32_bits(scale)).f), 32, True).to(16)


def _f32_bits(x: float) -> int:
    import struct

    return struct.unpack("<I", struct.pack("<f", x))[0]


for _k, _signed in (("i", True), ("u", False)):

    def _pknorm(a: Value, b: Value, signed: bool = _signed) -> Value:
        return concat(_norm16(a, signed), _norm16(b, signed))

    lane(f"v_cvt_pknorm_{_k}16_f32", "b32", "f32 f32", exact=_NORM)(_pknorm)
    lane(f"v_cvt_pknorm_{_k}16_f16", "b32", "f16 f16", exact=_NORM)(_pknorm)

    def _norm_one(a: Value, signed: bool = _signed) -> Value:
        return _norm16(a, signed)

    lane(f"v_cvt_norm_{_k}16_f16", f"{_k}16", "f16", exact=_NORM, high="open")(_norm_one)


@lane("v_cvt_pkaccum_u8_f32", "b32", "f32 u32", reads_dst=True, exact=_U8)
@lane("v_cvt_pk_u8_f32", "b32", "f32 u32 b32", exact=_U8)
def _(a: Value, at: Value, c: Value) -> Value:
    shift = (at & 3) * 8
    byte = to_int(rint(a), 32, True)
    byte = where(byte < 0, byte.const(0), where(byte > 255, byte.const(255), byte)).u
    return (c & ~(c.const(0xFF) << shift)) | (byte << shift)


@lane("v_cvt_off_f32_i4", "f32", "u32")
def _(a: Value) -> Value:
    nibble = ((a.i << 28) >> 28).i
    return nibble.to_float(32) * 0.0625
