"""Packed (VOP3P) and mixed-precision semantics (CDNA3 ISA chapter 12.10).

Packed opcodes are stated for one half; the generic layer applies op_sel, op_sel_hi, neg_lo and
neg_hi and joins the halves.
"""

from __future__ import annotations

from asmevo.isa.semantics.table import lane, packed
from asmevo.isa.semantics.values import Value, where
from asmevo.isa.semantics.vector_float import fmax, fmin, mul_add

packed("v_pk_add_f16", 16, "f16", "f16 f16")(lambda a, b: a + b)
packed("v_pk_mul_f16", 16, "f16", "f16 f16")(lambda a, b: a * b)
packed("v_pk_fma_f16", 16, "f16", "f16 f16 f16")(mul_add)
packed("v_pk_min_f16", 16, "f16", "f16 f16")(fmin)
packed("v_pk_max_f16", 16, "f16", "f16 f16")(fmax)
packed("v_pk_add_f32", 32, "f32", "f32 f32")(lambda a, b: a + b)
packed("v_pk_mul_f32", 32, "f32", "f32 f32")(lambda a, b: a * b)
packed("v_pk_fma_f32", 32, "f32", "f32 f32 f32")(mul_add)
packed("v_pk_mov_b32", 32, "b32", "b32 b32")(lambda a, b: a)
packed("v_pk_add_u16 v_pk_add_i16", 16, "u16", "u16 u16")(lambda a, b: a + b)
packed("v_pk_sub_u16 v_pk_sub_i16", 16, "u16", "u16 u16")(lambda a, b: a - b)
packed("v_pk_mul_lo_u16", 16, "u16", "u16 u16")(lambda a, b: a * b)
packed("v_pk_mad_u16 v_pk_mad_i16", 16, "u16", "u16 u16 u16")(lambda a, b, c: a * b + c)
packed("v_pk_lshlrev_b16", 16, "b16", "b16 b16")(lambda n, a: a << (n & 15))
packed("v_pk_lshrrev_b16", 16, "b16", "b16 b16")(lambda n, a: a >> (n & 15))
packed("v_pk_ashrrev_i16", 16, "i16", "i16 i16")(lambda n, a: a >> (n & 15))
for _k in ("u16", "i16"):
    packed(f"v_pk_min_{_k}", 16, _k, f"{_k} {_k}")(lambda a, b: where(a < b, a, b))
    packed(f"v_pk_max_{_k}", 16, _k, f"{_k} {_k}")(lambda a, b: where(a > b, a, b))


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
    lane(f"v_dot2_{_k}32_{_k}16", "b32", "b32 b32 b32")(
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


def _dot2_f32_f16(a: Value, b: Value, c: Value) -> Value:
    for at in (0, 16):
        x, y = a.bits(at, 16).f.fconvert(32), b.bits(at, 16).f.fconvert(32)
        c = mul_add(x, y, c.f)
    return c


lane("v_dot2_f32_f16", "f32", "b32 b32 f32")(_dot2_f32_f16)
lane("v_dot2c_f32_f16", "f32", "b32 b32", reads_dst=True)(_dot2_f32_f16)
