"""Sources of VALU helpers: operand rows as typed values with every source modifier applied."""

from __future__ import annotations

from typing import Any

from asmevo.emulate import layout as L
from asmevo.emulate.helpers.emit import Helper, Variant
from asmevo.emulate.helpers.lane.dpp import shuffle_dpp
from asmevo.isa.semantics import table
from asmevo.isa.semantics.values import Value, where

# MODE denormal settings: bit 0 allows denormal inputs, bit 1 denormal results.
FLUSH_IN = {0: True, 1: False, 2: True, 3: False}
FLUSH_OUT = {0: True, 1: True, 2: False, 3: False}


def flush(v: Value) -> Value:
    """Denormal to zero of the same sign."""
    exponent = {16: 0x7C00, 32: 0x7F800000, 64: 0x7FF << 52}[v.width]
    u = v.u
    return where((u & exponent) == 0, u & (1 << (v.width - 1)), u).f


def denorm_of(variant: Variant, width: int) -> int:
    """MODE's denormal setting for a float width (0 flush both .. 3 keep), as the opcode sees it."""
    semantic = table.lookup(variant.name)
    if semantic is not None:
        if not semantic.flush:
            return 3
        if semantic.forced_flush and width == 32:
            return 0
    single, other = variant.option("denorm", (3, 3))
    return single if width == 32 else other


def read_source(h: Helper, index: int, position: int, kind: str, type_: str) -> Any:
    """Source operand `position` (record slot `index`) as a typed value, modifiers applied.

    Types wider than 64 bits come as a list of 32-bit values.
    """
    variant = h.variant
    width, what = table.width_of(type_), table.kind_of(type_)
    if type_ == "lane":
        return h.v(h.lane_numbers(), 32)
    if type_ == "vccbit":
        return h.v(h.mask(h.field(L.VCC)), 1, "b")
    if type_ == "m":
        bits = h.fn.load("i64", h.slot(index))
        return h.v(h.mask(bits), 1, "b")
    if width > 64:
        return [h.v(h.source_row(index, kind, part), 32) for part in range(width // 32)]
    if width == 64:
        raw = h.source_wide(index, kind)
        if position == 0 and variant.option("dpp"):
            low, high = (shuffle_dpp(h, row) for row in h.split(raw))
            raw = h.join(low, high)
        value = h.v(raw, 64, what)
    else:
        value = _narrow_source(h, index, position, kind, width)
        value = Value(value.alg, value.raw, width, what)
    return modify(variant, position, value, what == "f")


def _narrow_source(h: Helper, index: int, position: int, kind: str, width: int) -> Value:
    variant = h.variant
    raw = h.source_row(index, kind)
    if position == 0 and variant.option("dpp"):
        raw = shuffle_dpp(h, raw)
    value = h.v(raw, 32)
    sdwa = variant.option("sdwa")
    if sdwa and position < 2:
        signed = bool(variant.option("sext", 0) >> position & 1)
        value = select_part(value, sdwa[2 + position], signed)
    semantic = table.lookup(variant.name)
    if position == 0 and semantic is not None and semantic.source_part:
        op_sel = variant.option("part", 0)
        at = 8 * (op_sel & 3) if semantic.source_part == "byte" else 16 * (op_sel & 1)
        value = value >> at if at else value
    if width < 32:
        op_sel = variant.option("op_sel", ())
        if kind == "v" and position < len(op_sel) and op_sel[position]:
            value = value >> 16
        value = value.to(width)
    return value


def _flushes(variant: Variant, position: int, width: int) -> bool:
    semantic = table.lookup(variant.name)
    kept = semantic is not None and position in semantic.kept
    return not kept and FLUSH_IN[denorm_of(variant, width)]


def modify(variant: Variant, position: int, value: Value, is_float: bool) -> Value:
    """Apply abs, neg and MODE flushing to a source."""
    if is_float and _flushes(variant, position, value.width):
        value = flush(value)
    if variant.option("abs", 0) >> position & 1:
        value = value.fabs()
    if variant.option("neg", 0) >> position & 1:
        sign = 1 << (value.width - 1)
        value = Value(value.alg, (value.u ^ sign).raw, value.width, value.kind)
    return value


def old_destination(h: Helper, semantic: table.Semantic) -> Any:
    """The destination's value before the instruction, as a source of its type."""
    type_ = semantic.dsts[0]
    width, what = table.width_of(type_), table.kind_of(type_)
    if width > 64:
        return [h.v(h.source_row(0, "v", part), 32) for part in range(width // 32)]
    raw = h.source_wide(0, "v") if width == 64 else h.source_row(0, "v")
    old = h.v(raw, 64 if width == 64 else 32).to(width)
    old = Value(old.alg, old.raw, width, what)
    if what == "f" and FLUSH_IN[denorm_of(h.variant, width)]:
        old = flush(old)
    return old


def select_part(value: Value, part: str, signed: bool) -> Value:
    """SDWA source selection of a byte or word, zero- or sign-extended to 32 bits."""
    if part == "DWORD":
        return value
    size, at = (8, int(part[-1]) * 8) if part.startswith("BYTE") else (16, int(part[-1]) * 16)
    piece = value.bits(at, size)
    return (piece.i if signed else piece).to(32).u
