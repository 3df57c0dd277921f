"""Dot products of packed integers and halves (CDNA3 ISA 12.10)."""

from __future__ import annotations

from typing import Any

from asmevo.isa.semantics.table import DEFAULT_MODE, FloatMode, lane
from asmevo.isa.semantics.values import Value
from asmevo.isa.semantics.vector.floats import flush, mul_add


def _dot2(a: Value, b: Value, c: Value, signed: bool) -> Value:
    for at in (0, 16):
        x, y = a.bits(at, 16), b.bits(at, 16)
        x, y = (x.i, y.i) if signed else (x, y)
        c = c + x.to(32).u * y.to(32).u
    return c


def _dot(a: Value, b: Value, c: Value, width: int, signed: bool) -> Value:
    up = 32 - width
    for at in range(0, 32, width):
        x, y = (a >> at) << up, (b >> at) << up
        x = (x.i >> up).u if signed else x >> up
        y = (y.i >> up).u if signed else y >> up
        c = c + x * y
    return c


for _k, _s in (("i", True), ("u", False)):
    lane(f"v_dot2_{_k}32_{_k}16", "b32", "b32 b32 b32", pairs=(0, 1))(
        lambda a, b, c, s=_s: _dot2(a, b, c, s)
    )
    for _width, _n in ((8, 4), (4, 8)):
        lane(f"v_dot{_n}_{_k}32_{_k}{_width}", "b32", "b32 b32 b32")(
            lambda a, b, c, w=_width, s=_s: _dot(a, b, c, w, s)
        )
        if _k == "i":
            lane(f"v_dot{_n}c_{_k}32_{_k}{_width}", "b32", "b32 b32", reads_dst=True)(
                lambda a, b, c, w=_width, s=_s: _dot(a, b, c, w, s)
            )
lane("v_dot2c_i32_i16", "b32", "b32 b32", reads_dst=True)(lambda a, b, c: _dot2(a, b, c, True))


_ORDER = "order and internal precision of the accumulation are not documented"
_OPEN_F16 = (
    f"open ({_ORDER}; subnormal halves are flushed on gfx90a and kept on gfx950 whatever MODE "
    "says, as measured in llvm-project#205101; gfx942 was not measured, kept here)"
)
_OPEN_BF16 = f"open ({_ORDER}; whether subnormal bf16 inputs are flushed is not documented)"


def _half(a: Value, at: int, mode: FloatMode) -> Value:
    half = a.bits(at, 16).f
    return (flush(half) if mode.dot2_flush else half).fconvert(32)


def _dot2_f16(a: Value, b: Value, c: Value, mode: FloatMode = DEFAULT_MODE) -> Value:
    """c + low product + high product; f16 products are exact in f32."""
    for at in (0, 16):
        c = mul_add(_half(a, at, mode), _half(b, at, mode), c.f)
    return c


def _bf16(a: Value, at: int) -> Value:
    return (a.bits(at, 16).to(32) << 16).f


def _dot2_bf16(a: Value, b: Value, c: Value) -> Value:
    """Sum of the products, then c (pseudocode V_DOT2_F32_BF16)."""
    low = _bf16(a, 0) * _bf16(b, 0)
    return (low + _bf16(a, 16) * _bf16(b, 16)) + c


def _dot2c_bf16(a: Value, b: Value, c: Value) -> Value:
    """c, then the low and the high product (pseudocode V_DOT2C_F32_BF16)."""
    return (c + _bf16(a, 0) * _bf16(b, 0)) + _bf16(a, 16) * _bf16(b, 16)


# The f32 accumulator and the result are flushed whatever MODE says (LLVM performFMACombine).
_FORCED: dict[str, Any] = {"forced_flush": True, "rounds": False, "pairs": (0, 1)}
_F16: dict[str, Any] = {"exact": _OPEN_F16, "uses": ("dot2_flush",), **_FORCED}
_BF16: dict[str, Any] = {"exact": _OPEN_BF16, **_FORCED}
lane("v_dot2_f32_f16", "f32", "b32 b32 f32", **_F16)(_dot2_f16)
lane("v_dot2c_f32_f16", "f32", "b32 b32", reads_dst=True, **_F16)(_dot2_f16)
lane("v_dot2_f32_bf16", "f32", "b32 b32 f32", **_BF16)(_dot2_bf16)
lane("v_dot2c_f32_bf16", "f32", "b32 b32", reads_dst=True, **_BF16)(_dot2c_bf16)
