"""Results of VALU helpers: omod, clamp, flushing, and where a narrow result lands."""

from __future__ import annotations

from typing import Any

from asmevo.emulate.helpers.emit import Helper
from asmevo.emulate.helpers.lane.sources import FLUSH_OUT, denorm_of, flush
from asmevo.isa.semantics import table
from asmevo.isa.semantics.table import Semantic
from asmevo.isa.semantics.values import Value, where

_TRUE_INFINITY = ("v_rcp", "v_rsq", "v_log", "v_div_fixup")


def _magnitude(value: Value) -> Value:
    return value.u & ((1 << (value.width - 1)) - 1)


def limit_f16(semantic: Semantic, args: list[Any], value: Value) -> Value:
    """FP16_OVFL: a finite overflow becomes the largest half; true infinities stay."""
    true = value.u != value.u
    for arg in args:
        if isinstance(arg, Value) and arg.kind == "f":
            inf = {16: 0x7C00, 32: 0x7F800000, 64: 0x7FF << 52}[arg.width]
            true = true | (_magnitude(arg) == inf)
            if semantic.name.startswith(_TRUE_INFINITY):
                true = true | (_magnitude(arg) == 0)
    overflow = (_magnitude(value) == 0x7C00) & ~true
    return where(overflow, value.u - 1, value.u).f


def finish_float(h: Helper, semantic: Semantic | None, args: list[Any], value: Value) -> Value:
    """FP16_OVFL, MODE flushing, omod and clamp of a float result, in this order."""
    variant = h.variant
    if value.width == 16 and variant.option("fp16_ovfl") and semantic is not None:
        value = limit_f16(semantic, args, value)
    flushes = semantic is None or semantic.flush_result
    if flushes and FLUSH_OUT[denorm_of(variant, value.width)]:
        value = flush(value)
    omod = variant.option("omod")
    if omod:
        # Zero and what underflows lose their value; MODE's denormal setting is flush here.
        scaled = value * {"mul2": 2.0, "mul4": 4.0, "div2": 0.5}[omod]
        value = where(_magnitude(value) == 0, value.const(0.0), flush(scaled))
    if variant.option("clamp"):
        clamped = where(value > 1.0, value.const(1.0), where(value > 0.0, value, value.const(0.0)))
        # Without DX10_CLAMP a NaN stays.
        keep = variant.option("dx10", True) is False
        value = where(value.is_nan, value, clamped) if keep else clamped
    return value


def place_part(h: Helper, semantic: Semantic, value: Value, pointer: str) -> Value:
    """A byte or word result in the part of the destination that op_sel names, the rest kept."""
    op_sel = h.variant.option("part", 0)
    bits = 8 if semantic.part == "byte" else 16
    at = 8 * (op_sel >> 2 & 3) if semantic.part == "byte" else 16 * (op_sel >> 3 & 1)
    field = ((1 << bits) - 1) << at
    old = h.v(h.row(pointer), 32)
    part = value.u.to(32)
    return (old & (0xFFFFFFFF ^ field)) | (part << at if at else part)


def place_16(h: Helper, semantic: Semantic, value: Value, pointer: str) -> Value:
    """A 16-bit result as a 32-bit row.

    op_sel's last bit writes the high half and keeps the low one; otherwise the high half becomes
    zero or is kept, as the opcode has it (GFX9).
    """
    op_sel = h.variant.option("op_sel", ())
    sources = len([t for t in semantic.srcs if t not in table.IMPLICIT])
    if len(op_sel) > sources and op_sel[sources]:
        old = h.v(h.row(pointer), 32)
        return (old & 0xFFFF) | (value.u.to(32) << 16)
    if h.variant.option("open"):
        return (~h.v(h.row(pointer), 32) & 0xFFFF0000) | value.u.to(32)
    if semantic.high == "keep":
        return (h.v(h.row(pointer), 32) & 0xFFFF0000) | value.u.to(32)
    return value.u.to(32)


def place_sdwa(h: Helper, value: Value, pointer: str) -> Value:
    """SDWA destination selection: byte or word, the rest zero, sign or preserved."""
    dst_sel, unused, *_ = h.variant.option("sdwa")
    value = value.u.to(32)
    if dst_sel == "DWORD":
        return value
    size, at = (
        (8, int(dst_sel[-1]) * 8) if dst_sel.startswith("BYTE") else (16, int(dst_sel[-1]) * 16)
    )
    field = (1 << size) - 1
    part = (value & field) << at
    if unused == "UNUSED_PRESERVE":
        return (h.v(h.row(pointer), 32) & (0xFFFFFFFF ^ (field << at))) | part
    if unused == "UNUSED_SEXT":
        up = 32 - size - at
        return ((part << up).i >> up).u if up else part
    return part
