"""Matrix instructions in `exact` arithmetic: the accumulation models, emitted in narrow vectors.

Operands are unpacked once into significands and exponents. The results are then computed sixteen
lanes at a time: the models keep many values alive, and whole waves of them would only spill. A
second, slower loop also follows infinities, NaNs and products of 2**128 or more; it runs when an
operand has one.
"""

from __future__ import annotations

from dataclasses import dataclass

from asmevo.emulate import layout as L
from asmevo.emulate.helpers.matrix.areas import (
    Area,
    allocate,
    as_float,
    barrier,
    put,
    turns,
    unpack,
)
from asmevo.emulate.helpers.matrix.parts import copy_accumulator, index_area, scale_areas
from asmevo.emulate.native.helper import Helper
from asmevo.emulate.native.ir import Fn, vec
from asmevo.emulate.native.llvm_algebra import LLVMAlgebra
from asmevo.isa.semantics.matrix import SCALE_BLOCK, Format, MatrixOp, a_block
from asmevo.isa.semantics.matrix_models import (
    Element,
    Model,
    element_of,
    flushed_input,
    group_step,
    is_special,
    model_of,
    number_of,
    pairwise_step,
    scale_nan,
    smallest_exponent,
)
from asmevo.isa.semantics.table import FloatMode
from asmevo.isa.semantics.values import Value, where

_UNROLLED = 2  # groups along k that are laid out without a loop where a loop is possible


def differs(arch: str, base: str, op: MatrixOp) -> bool:
    """Whether `exact` is another computation than `fast` for this instruction."""
    return model_of(op, arch, base).kind not in ("fma", "int")


@dataclass(slots=True)
class _Side:
    """Areas of one operand: significands (plain numbers in the pairwise model), exponents."""

    significand: Area
    exponent: Area
    highest: str  # largest exponent, i32
    special: str  # whether an element is infinite or NaN, i1


def emit(h: Helper, f: Fn, op: MatrixOp) -> None:
    """The body of the worker function."""
    model = model_of(op, h.variant.option("arch", "gfx942"), h.variant.name)
    a = _unpacked(h, f, model, "%a", op.a, op.a_elements, 0)
    b = _unpacked(h, f, model, "%b", op.b, op.b_elements, h.variant.option("blgp", 0))
    index = index_area(h, f, op, 4) if op.sparse else None
    scales = scale_areas(h, f) if op.scaled else None
    areas = [a.significand, a.exponent, b.significand, b.exponent]
    barrier(f, [*areas, *([index] if index else []), *(scales or ())])
    if h.variant.option("overlap"):
        copy_accumulator(f, op)
    work = _Work(h, f, op, model, a, b, index, scales)
    if model.kind == "pairwise":  # ordinary arithmetic: no second loop
        work.all(careful=False)
        return
    # A product of 2**128 or more counts as infinite (bf16 and xf32 can reach that).
    large = f.op(f"icmp sge i32 {f.op(f'add i32 {a.highest}, {b.highest}')}, 127")
    special = f.op(f"or i1 {f.op(f'or i1 {a.special}, {b.special}')}, {large}")
    for area in scales or ():
        code = h.v(f.load(f.i32s, area.pointer, L.ROW_ALIGN), 32)
        special = f.op(f"or i1 {special}, {_any(h, f, (code == 255).raw)}")
    plain, careful, done = f.label("plain"), f.label("careful"), f.label("done")
    f.cond(special, careful, plain, likely=False)
    for label, with_special in ((plain, False), (careful, True)):
        f.place(label)
        work.all(with_special)
        f.br(done)
    f.place(done)


def _unpacked(
    h: Helper, f: Fn, model: Model, pointer: str, fmt: Format, count: int, blgp: int
) -> _Side:
    mode: FloatMode = h.variant.option("mode", FloatMode())
    smallest = smallest_exponent(fmt, mode)
    significand, exponent = allocate(f, count, "float"), allocate(f, count, "i32")
    seen = allocate(f, 2, "i32")  # running maximum of exponents, and of special marks
    put(f, seen, 0, h.vector.const(32, -(1 << 30)))
    put(f, seen, 1, h.vector.const(32, 0))

    def one(bits: str, slot: int | str) -> None:
        number = number_of(h.v(bits, 32), fmt, mode)
        if model.kind == "pairwise":
            put(f, significand, slot, as_float(f, flushed_input(number, smallest)))
            return
        part = element_of(number, smallest)
        put(f, significand, slot, as_float(f, part.significand))
        put(f, exponent, slot, part.exponent.raw)
        marks = f.at(seen.pointer, L.ROW)
        top = h.v(f.load(f.i32s, seen.pointer, L.ROW_ALIGN), 32, "i")
        put(f, seen, 0, where(part.exponent > top, part.exponent, top).raw)
        mark = is_special(number).to(32).raw
        put(f, seen, 1, f.op(f"or {f.i32s} {f.load(f.i32s, marks, L.ROW_ALIGN)}, {mark}"))

    unpack(h, f, pointer, fmt, count, blgp, one)
    if model.kind == "pairwise":
        return _Side(significand, exponent, "0", "false")
    top = f.load(f.i32s, seen.pointer, L.ROW_ALIGN)
    highest = f.call(
        "i32", f"llvm.vector.reduce.smax.v{f.lanes}i32", f"{f.i32s} {top}", declare=f.i32s
    )
    marks = f.load(f.i32s, f.at(seen.pointer, L.ROW), L.ROW_ALIGN)
    special = _any(h, f, f.op(f"icmp ne {f.i32s} {marks}, zeroinitializer"))
    return _Side(significand, exponent, highest, special)


def _any(h: Helper, f: Fn, mask: str) -> str:
    return f.op(f"icmp ne i64 {h.bits(mask)}, 0")


@dataclass(frozen=True, slots=True)
class _Group:
    """Positions (in elements) of one group along k in the areas of A, B and the scales."""

    a: tuple[int, ...]
    b: tuple[int, ...]
    scale_a: int
    scale_b: int

    @property
    def shape(self) -> tuple[int, ...]:
        """Positions relative to the first, of A and then of B."""
        return tuple(n - s[0] for s in (self.a, self.b) for n in s)


@dataclass(frozen=True, slots=True)
class _Start:
    """Where a group's positions count from: i64 values, or numbers."""

    a: str = "0"
    b: str = "0"
    scale_a: str = "0"
    scale_b: str = "0"


def _groups(op: MatrixOp, size: int, lanes: int) -> list[_Group]:
    out: list[_Group] = []
    for first in range(0, op.a_k, size):
        ks = range(first, first + size)
        a = tuple(_position(op.a_place(0, k), lanes) for k in ks)
        # Sparse forms choose B's element inside the quad by the index.
        b = tuple(_position(op.b_place(0, 4 * (k // 2) if op.sparse else k), lanes) for k in ks)
        block = first // SCALE_BLOCK
        out.append(_Group(a, b, op.m * block, op.n * block))
    return out


def _position(place: tuple[int, int], lanes: int) -> int:
    lane, slot = place
    return slot * lanes + lane


class _Work:
    """The loop over result elements, `width` lanes at a time."""

    def __init__(
        self,
        h: Helper,
        f: Fn,
        op: MatrixOp,
        model: Model,
        a: _Side,
        b: _Side,
        index: Area | None,
        scales: tuple[Area, Area] | None,
    ) -> None:
        self.h, self.f, self.op, self.model = h, f, op, model
        self.a, self.b, self.index, self.scales = a, b, index, scales
        self.width = min(op.n, 16)
        self.lanes = LLVMAlgebra(f, self.width)
        self.groups = _groups(op, min(model.group, op.a_k), f.lanes)
        self.looped = len(self.groups) > _UNROLLED and len({g.shape for g in self.groups}) == 1
        self._rows = self._row_table()
        self._starts = self._start_table() if self.looped else ""
        self._a_lane = self._b_lane = ""

    # --- tables -----------------------------------------------------------------------------
    def _table(self, name: str, numbers: list[int]) -> str:
        symbol = f"@{self.h.variant.symbol}_{name}"
        text = ", ".join(f"i64 {n}" for n in numbers)
        self.h.module.globals.append(
            f"{symbol} = internal constant [{len(numbers)} x i64] [{text}]"
        )
        return symbol

    def _row_table(self) -> str:
        """Per turn the lane of A's row and the first lane of B's columns."""
        op = self.op
        cbsz, abid = (self.h.variant.option(n, 0) for n in ("cbsz", "abid"))
        numbers: list[int] = []
        for element in op.groups():
            for lane in range(0, self.f.lanes, self.width):
                i, block = element[lane // op.n]
                source = a_block(block, cbsz, abid) if op.blocks > 1 else 0
                numbers += [op.a_place(i, 0, source)[0], op.b_place(0, 0, block)[0] + lane % op.n]
        return self._table("rows", numbers)

    def _start_table(self) -> str:
        """Per group the first position in A and B and those of its scales."""
        numbers = [n for g in self.groups for n in (g.a[0], g.b[0], g.scale_a, g.scale_b)]
        return self._table("starts", numbers)

    # --- loops ------------------------------------------------------------------------------
    def all(self, careful: bool) -> None:
        """Compute and store every result element."""
        turns(
            self.f,
            self.op.acc_elements * self.f.lanes // self.width,
            lambda turn: self._turn(turn, careful),
        )

    def _turn(self, turn: str, careful: bool) -> None:
        f = self.f
        base = f.at(self._rows, f.op(f"mul i64 {turn}, 16"))
        self._a_lane, self._b_lane = f.load("i64", base, 8), f.load("i64", f.at(base, 8), 8)
        at = f.op(f"mul i64 {turn}, {4 * self.width}")
        acc = self._value(self._accumulator(at), "f")
        if self.model.kind == "pairwise":
            acc = flushed_input(acc, -126)
        if self.looped:
            acc = self._loop(acc, careful)
        else:
            for group in self.groups:
                start = _Start(scale_a=str(group.scale_a), scale_b=str(group.scale_b))
                acc = self._group(acc, group, start, careful)
        f.store(vec("i32", self.width), acc.raw, f.at("%d", at), 4 * self.width)

    def _accumulator(self, at: str) -> str:
        f = self.f
        if self.h.variant.kinds[3] == "s" and not self.op.sparse:
            return self._broadcast("%c")
        # C stands in D for sparse forms, and after `copy_accumulator`.
        in_place = self.op.sparse or self.h.variant.option("overlap")
        pointer = f.at("%d" if in_place else "%c", at)
        return f.load(vec("i32", self.width), pointer, 4 * self.width)

    def _loop(self, acc: Value, careful: bool) -> Value:
        """Groups of equal shape: a loop with the accumulator in a register."""
        f, t = self.f, vec("i32", self.width)
        before, head, leave = f.block, f.label("groups"), f.label("leave")
        f.br(head)
        f.place(head)
        running, number = f.fresh("acc"), f.fresh("group")
        after, following = f.fresh("acc"), f.fresh("group")
        f.emit(f"{running} = phi {t} [ {acc.raw}, %{before} ], [ {after}, %{head} ]")
        f.emit(f"{number} = phi i64 [ 0, %{before} ], [ {following}, %{head} ]")
        base = f.at(self._starts, f.op(f"mul i64 {number}, 32"))
        start = _Start(*(f.load("i64", f.at(base, 8 * n), 8) for n in range(4)))
        first = self.groups[0]
        relative = _Group(
            tuple(n - first.a[0] for n in first.a), tuple(n - first.b[0] for n in first.b), 0, 0
        )
        new = self._group(self._value(running, "f"), relative, start, careful)
        f.emit(f"{after} = bitcast {t} {new.raw} to {t}")  # the name that the phi waits for
        f.emit(f"{following} = add i64 {number}, 1")
        f.cond(f.op(f"icmp ult i64 {following}, {len(self.groups)}"), head, leave)
        f.place(leave)
        return self._value(after, "f")

    # --- one group --------------------------------------------------------------------------
    def _group(self, acc: Value, group: _Group, start: _Start, careful: bool) -> Value:
        row, column = self._plus(self._a_lane, start.a), self._plus(self._b_lane, start.b)
        extra: list[str | None] = [None] * len(group.a)
        if self.index is not None:
            at = self._pointer(self.index, row)
            extra = [self.f.load("i64", self.f.at(at, 8 * n), 8) for n in group.a]

        def a(area: Area) -> list[Value]:
            pointer = self._pointer(area, row)
            return [self._value(self._broadcast(self.f.at(pointer, 4 * n))) for n in group.a]

        def b(area: Area) -> list[Value]:
            pointer = self._pointer(area, column)
            out: list[Value] = []
            for n, offset in zip(group.b, extra, strict=True):
                at = pointer if offset is None else self.f.at(pointer, offset)
                raw = self.f.load(vec("i32", self.width), self.f.at(at, 4 * n), 4)
                out.append(self._value(raw))
            return out

        xs, ys = a(self.a.significand), b(self.b.significand)
        if self.model.kind == "pairwise":
            return pairwise_step(acc, [x.f for x in xs], [y.f for y in ys])
        left = [Element(s.f, e.i) for s, e in zip(xs, a(self.a.exponent), strict=True)]
        right = [Element(s.f, e.i) for s, e in zip(ys, b(self.b.exponent), strict=True)]
        if self.scales is None:
            return group_step(self.model, acc, left, right, None, careful)
        codes = self._codes(self.scales, start)
        acc = group_step(self.model, acc, left, right, codes[0] + codes[1] - 254, careful)
        return scale_nan(acc, codes) if careful else acc

    def _codes(self, scales: tuple[Area, Area], start: _Start) -> tuple[Value, Value]:
        """E8M0 codes of A's row and B's columns for a group (it lies in one block of 32 k)."""
        row = self._pointer(scales[0], self._plus(self._a_lane, start.scale_a))
        column = self._pointer(scales[1], self._plus(self._b_lane, start.scale_b))
        b = self.f.load(vec("i32", self.width), column, 4)
        return self._value(self._broadcast(row), "i"), self._value(b, "i")

    # --- small things -----------------------------------------------------------------------
    def _value(self, raw: str, kind: str = "u") -> Value:
        return Value(self.lanes, raw, 32, kind)

    def _plus(self, lane: str, position: str) -> str:
        return lane if position == "0" else self.f.op(f"add i64 {lane}, {position}")

    def _pointer(self, area: Area, position: str) -> str:
        return self.f.at(area.pointer, self.f.op(f"mul i64 {position}, {area.size}"))

    def _broadcast(self, pointer: str) -> str:
        """The 32-bit number at `pointer` in all lanes."""
        f, t = self.f, vec("i32", self.width)
        one = f.op(f"insertelement {t} poison, i32 {f.load('i32', pointer, 4)}, i64 0")
        return f.op(f"shufflevector {t} {one}, {t} poison, <{self.width} x i32> zeroinitializer")
