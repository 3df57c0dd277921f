"""Helpers for VALU opcodes of the semantics table: the engine's instance of `State`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from asmevo.emulate import layout as L
from asmevo.emulate.helpers.lane import perm as lane_perm
from asmevo.emulate.native.helper import Helper
from asmevo.emulate.native.ir import Module
from asmevo.emulate.native.variant import Variant, family
from asmevo.isa.semantics import table
from asmevo.isa.semantics.instruction.execute import evaluate, execute
from asmevo.isa.semantics.instruction.form import Form, form_from
from asmevo.isa.semantics.instruction.state import Results
from asmevo.isa.semantics.table import Semantic
from asmevo.isa.semantics.values import Algebra, Value

FULL = "_full"  # suffix of the function that knows every NaN rule


class LaneState:
    """Registers of the wave state behind a record's operands, the lanes side by side.

    With `fast`, the opcode's cheaper function is used, and the helper hands over to its full
    version when the guard finds a NaN in any lane: only that one knows which NaN comes out.
    """

    def __init__(self, h: Helper, fast: bool = False) -> None:
        self.count = h.lanes
        self.algebra: Algebra = h.vector
        self._h, self._fast = h, fast

    def _kind(self, operand: int) -> str:
        return self._h.variant.kinds[operand]

    # --- reading --------------------------------------------------------------------------
    def dword(self, operand: int, part: int = 0) -> Value:
        """One row, or a scalar broadcast."""
        return self._h.v(self._h.source_row(operand, self._kind(operand), part), 32)

    def qword(self, operand: int) -> Value:
        """Two rows joined, or a scalar pair broadcast."""
        return self._h.v(self._h.source_wide(operand, self._kind(operand)), 64)

    def mask(self, operand: int) -> Value:
        """The lanes of a mask in SGPRs."""
        return self._h.v(self._h.mask(self._h.load_mask(self._h.slot(operand))), 1, "b")

    def implicit(self, name: str) -> Value:
        """EXEC or VCC by lane, or the lane numbers."""
        h = self._h
        if name == "lane":
            return h.v(h.lane_numbers(), 32)
        bits = h.exec_bits() if name == "exec" else h.mask_field(L.VCC)
        return h.v(h.mask(bits), 1, "b")

    # --- lanes ----------------------------------------------------------------------------
    def lanes(self, chosen: Sequence[bool]) -> Value:
        """A constant mask."""
        bits = sum(1 << lane for lane, c in enumerate(chosen) if c)
        return self._h.v(self._h.mask(str(bits - (bits >> 63 << 64))), 1, "b")

    def move(self, value: Value, sources: Sequence[int]) -> Value:
        """A shuffle."""
        f = self._h.fn
        t = f.vec(f"i{value.width}")
        index = ", ".join(f"i32 {s}" for s in sources)
        raw = f.op(f"shufflevector {t} {value.raw}, {t} poison, {f.i32s} <{index}>")
        return Value(value.alg, raw, value.width, value.kind)

    # --- computing ------------------------------------------------------------------------
    def evaluate(self, form: Form, arguments: list[list[Any]]) -> list[Results]:
        """Results, behind the guard when fast."""
        if not self._fast:
            return [evaluate(form, args) for args in arguments]
        h, f, semantic = self._h, self._h.fn, form.semantic
        quick = [evaluate(form, args, fast=True) for args in arguments]
        results = [v for r in quick for v in _typed(semantic, r)]
        if semantic.guard == "result" and table.width_of(semantic.dsts[0]) >= 32:
            found = _may_hold_nan(h, results)
        else:
            watched = results if semantic.guard == "result" else [a for x in arguments for a in x]
            guard = _nan_lanes(h, watched)
            assert guard is not None, semantic.name
            found = f.op(f"icmp ne i64 {h.bits(guard)}, 0")
        special, plain = f.label("nan"), f.label("plain")
        f.cond(found, special, plain, likely=False)
        f.place(special)
        # A separate function reads the sources again: nothing has to be kept for it here.
        full = h.variant.symbol + FULL
        f.emit(f"musttail call void @{full}(ptr noundef %st, ptr noundef %rec)")
        f.ret()
        f.place(plain)
        return quick

    # --- writing --------------------------------------------------------------------------
    def write_mask(self, operand: int, value: Value) -> None:
        """Store a mask to SGPRs."""
        self._h.store_mask(self._h.bits(value.raw), self._h.slot(operand))

    def write_exec(self, value: Value) -> None:
        """Store EXEC."""
        h = self._h
        h.store_mask(h.bits(value.raw), h.fn.at("%st", L.EXEC), 8)

    def commit(self, writes: list[tuple[int, int, Value]], where: Value | None) -> None:
        """Store rows and go on to the next record."""
        h = self._h
        if not writes:
            h.next()
            return
        rows = [
            (value.raw, h.fn.at(h.slot(operand), part * L.ROW)) for operand, part, value in writes
        ]
        h.store_rows(rows, None if where is None else h.bits(where.raw))


def _nan_lanes(h: Helper, values: list[Any]) -> str | None:
    """Which lanes have some float value that is NaN, as i1s."""
    mask: str | None = None
    for value in values:
        if not isinstance(value, Value) or value.kind != "f":
            continue
        raw = value.is_nan.raw
        mask = raw if mask is None else h.fn.op(f"or {h.fn.i1s} {mask}, {raw}")
    return mask


def _may_hold_nan(h: Helper, values: list[Value]) -> str:
    """Whether some lane may be NaN: the sum over all lanes is (infinities can cancel, too)."""
    f = h.fn
    width = values[0].width
    element = {32: "float", 64: "double"}[width]
    bits, floats = f.vec(f"i{width}"), f.vec(element)
    parts = [f.op(f"bitcast {bits} {v.raw} to {floats}") for v in values]
    size = h.lanes
    while len(parts) > 1 or size > 8:
        if len(parts) == 1:
            (whole,) = parts
            size //= 2
            for first in (0, size):
                index = ", ".join(f"i32 {first + i}" for i in range(size))
                t = f"<{2 * size} x {element}>"
                parts.append(
                    f.op(f"shufflevector {t} {whole}, {t} poison, <{size} x i32> <{index}>")
                )
            parts = parts[1:]
        t = f"<{size} x {element}>"
        parts = [f.op(f"fadd {t} {parts[0]}, {parts[1]}"), *parts[2:]]
    t = f"<8 x {element}>"
    nan = f.op(f"fcmp uno {t} {parts[0]}, {parts[0]}")
    return f.op(f"icmp ne i8 {f.op(f'bitcast <8 x i1> {nan} to i8')}, 0")


def _typed(semantic: Semantic, results: Results) -> list[Value]:
    """Results with the kinds of their types (a float may come as bits)."""
    return [
        Value(v.alg, v.raw, v.width, table.kind_of(t))
        for t, v in zip(semantic.dsts, results, strict=True)
        if t != "m"
    ]


@family("lane")
def emit_lane(module: Module, variant: Variant) -> None:
    """A VALU opcode of the semantics table."""
    semantic = table.lookup(variant.name)
    assert semantic is not None, variant
    h = Helper(module, variant)
    if lane_perm.applies(h):
        _emit(Helper(module, variant, FULL), semantic, False)
        lane_perm.emit_words(h, variant.symbol + FULL)
        return
    if semantic.fast is not None:
        _emit(Helper(module, variant, FULL), semantic, False)
    _emit(h, semantic, semantic.fast is not None)


def _emit(h: Helper, semantic: Semantic, fast: bool) -> None:
    kinds, options = h.variant.kinds, h.variant.options
    execute(form_from(semantic, (k == "v" for k in kinds), options), LaneState(h, fast))
    h.finish()
