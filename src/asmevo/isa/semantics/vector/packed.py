"""Packed (VOP3P) semantics (CDNA3 ISA chapter 12.10).

Packed opcodes are stated for one half; the generic layer applies op_sel, op_sel_hi, neg_lo and
neg_hi and joins the halves.
"""

from __future__ import annotations

from asmevo.isa.semantics.table import packed
from asmevo.isa.semantics.values import where
from asmevo.isa.semantics.vector.floats import (
    MINIMUM3,
    add,
    fma_full,
    fmax,
    fmin,
    maximum3,
    minimum3,
    mul,
    mul_add,
    quick_add,
    quick_max,
    quick_min,
    quick_mul,
)

for _t, _w in (("f16", 16), ("f32", 32)):
    packed(f"v_pk_add_{_t}", _w, _t, f"{_t} {_t}", fast=quick_add)(add)
    packed(f"v_pk_mul_{_t}", _w, _t, f"{_t} {_t}", fast=quick_mul)(mul)
    packed(f"v_pk_fma_{_t}", _w, _t, f"{_t} {_t} {_t}", fast=mul_add)(fma_full)
packed("v_pk_fmac_f16", 16, "f16", "f16 f16", reads_dst=True, fast=mul_add)(fma_full)
packed(
    "v_pk_min_f16",
    16,
    "f16",
    "f16 f16",
    uses=("ieee",),
    guard="source",
    rounds=False,
    fast=quick_min,
)(fmin)
packed(
    "v_pk_max_f16",
    16,
    "f16",
    "f16 f16",
    uses=("ieee",),
    guard="source",
    rounds=False,
    fast=quick_max,
)(fmax)
packed("v_pk_minimum3_f16", 16, "f16", "f16 f16 f16", rounds=False, exact=MINIMUM3)(minimum3)
packed("v_pk_maximum3_f16", 16, "f16", "f16 f16 f16", rounds=False, exact=MINIMUM3)(maximum3)
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
