"""Matrix instructions in `exact` arithmetic: the accumulation models, emitted over 64 lanes.

Operands are unpacked into integer significands and exponents. A second copy of the loop also
follows infinities, NaNs and products beyond f32; it runs only when an operand has one.
"""

from __future__ import annotations

from dataclasses import dataclass

from asmevo.emulate.emit import I32X64, Helper, Variant
from asmevo.emulate.ir import Fn, vec
from asmevo.emulate.matrix_areas import (
    Area,
    Position,
    PositionTable,
    Reader,
    allocate,
    as_number,
    barrier,
    element_bits,
    put,
    static_position,
    turns,
)
from asmevo.emulate.matrix_parts import (
    accumulator,
    copy_accumulator,
    index_area,
    scale_areas,
    store_element,
)
from asmevo.isa.semantics.matrix import MatrixOp
from asmevo.isa.semantics.matrix_models import (
    Element,
    Model,
    flush_input,
    gtr_step,
    model_of,
    pairwise_step,
    special_sum,
    split_element,
    tr_step,
)
from asmevo.isa.semantics.table import FloatMode
from asmevo.isa.semantics.values import Value, where

_UNROLLED = 2  # groups along k that are laid out without a loop


def differs(variant: Variant, op: MatrixOp) -> bool:
    """Whether `exact` is another computation than `fast` for this instruction."""
    return model_of(op, variant.option("arch", "gfx942"), variant.name).kind not in ("fma", "int")


@dataclass(slots=True)
class _Side:
    """Areas of one operand: significands, exponents, and the plain float values."""

    significand: Area
    exponent: Area
    number: Area


def emit(h: Helper, f: Fn, op: MatrixOp) -> None:
    """The body of the worker function."""
    model = model_of(op, h.variant.option("arch", "gfx942"), h.variant.name)
    mode: FloatMode = h.variant.option("mode", FloatMode())
    blgp = h.variant.option("blgp", 0)
    odd = h.vector.const(1, 0)
    highest: list[str] = []
    sides: list[_Side] = []
    for pointer, fmt, count, permute in (
        ("%a", op.a, op.a_elements, 0),
        ("%b", op.b, op.b_elements, blgp),
    ):
        side = _Side(*(allocate(f, count, t) for t in ("i32", "i32", "float")))
        top = h.vector.const(32, -(1 << 30))
        for slot in range(count):
            bits = element_bits(h, f, pointer, fmt, slot, permute)
            number = as_number(h, f, bits, fmt, mode)
            if model.kind == "pairwise":
                number = _flushed(h, f, number, bits, fmt.name)
            part = split_element(h.v(bits, 32), fmt, mode.fnuz)
            put(f, side.significand, slot, part.significand.raw)
            put(f, side.exponent, slot, part.exponent.raw)
            put(f, side.number, slot, number)
            odd = h.vector.or_(1, odd, part.special.raw)
            raised = h.vector.slt(32, top, part.exponent.raw)
            top = h.vector.select(32, raised, part.exponent.raw, top)
        highest.append(_reduce_max(f, top))
        sides.append(side)
    a, b = sides
    held = allocate(f, 1, "i32")
    index = index_area(h, f, op, 4) if op.sparse else None
    scales = scale_areas(h, f) if op.scaled else None
    if scales is not None:
        for area in scales:
            code = h.v(f.load(I32X64, area.pointer, 64), 32)
            odd = h.vector.or_(1, odd, (code == 255).raw)
    barrier(
        f,
        [
            a.significand,
            a.exponent,
            a.number,
            b.significand,
            b.exponent,
            b.number,
            *([index] if index else []),
            *(scales or ()),
        ],
    )
    if h.variant.option("overlap"):
        copy_accumulator(f, op)
    reader = Reader(h, f, op, h.variant.option("cbsz", 0), h.variant.option("abid", 0))
    any_odd = f.op(f"icmp ne i64 {h.bits(odd)}, 0")
    # A product of 2**128 or more counts as infinite (bf16 and xf32 can reach that).
    large = f.op(f"icmp sge i32 {f.op(f'add i32 {highest[0]}, {highest[1]}')}, 127")
    special = f.op(f"or i1 {any_odd}, {large}")
    special = f.op(f"or i1 {special}, {_special_accumulator(h, f, op)}")
    plain, careful, done = f.label("plain"), f.label("careful"), f.label("done")
    f.cond(special, careful, plain, likely=False)
    table = PositionTable(h, f, op, reader)
    work = _Work(h, f, op, model, reader, a, b, index, scales, table, held)
    for label, with_special in ((plain, False), (careful, True)):
        f.place(label)
        turns(f, op.acc_elements, lambda e, s=with_special: work.element(e, s))
        f.br(done)
    f.place(done)


@dataclass(slots=True)
class _Work:
    """One result element after the other."""

    h: Helper
    f: Fn
    op: MatrixOp
    model: Model
    reader: Reader
    a: _Side
    b: _Side
    index: Area | None
    scales: tuple[Area, Area] | None
    table: PositionTable
    held: Area

    def element(self, e: str, with_special: bool) -> None:
        """Accumulate and store result element `e`."""
        h, f, op = self.h, self.f, self.op
        self.reader.turn(e)
        raw = accumulator(h, f, op, e)
        acc = h.v(f.op(f"bitcast {vec('float')} {raw} to {I32X64}"), 32, "f")
        if self.model.kind == "pairwise":
            acc = flush_input(acc)
        size = min(self.model.group, op.a_k)
        count = op.a_k // size
        if count <= _UNROLLED:
            for start in range(0, op.a_k, size):
                ks = [static_position(op, self.reader, start + n) for n in range(size)]
                acc = self._group(acc, ks, with_special)
        else:
            acc = self._loop(acc, count, size, with_special)
        store_element(h, f, op, e, f.op(f"bitcast {I32X64} {acc.raw} to {vec('float')}"))

    def _loop(self, acc: Value, count: int, size: int, with_special: bool) -> Value:
        """Many groups: a loop over them with the accumulator in memory."""
        h, f = self.h, self.f
        f.store(I32X64, acc.raw, self.held.pointer, 64)

        def turn(group: str) -> None:
            first = f.op(f"mul i64 {group}, {size}")
            ks = [self.table.at(f.op(f"add i64 {first}, {n}")) for n in range(size)]
            before = h.v(f.load(I32X64, self.held.pointer, 64), 32, "f")
            f.store(I32X64, self._group(before, ks, with_special).raw, self.held.pointer, 64)

        turns(f, count, turn)
        return h.v(f.load(I32X64, self.held.pointer, 64), 32, "f")

    def _group(self, acc: Value, ks: list[Position], with_special: bool) -> Value:
        new = self._step(acc, ks)
        if not with_special:
            return new
        total = special_sum(acc, *self._numbers(ks))
        odd = (total.u & 0x7F800000) == 0x7F800000
        if self.scales is not None:
            odd, total = self._scale_nan(odd, total, ks)
        return where(odd, total, new)

    def _pair(self, k: Position, left: Area, right: Area) -> tuple[str, str]:
        r = self.reader
        x = r.a(left, k.a)
        if self.index is None:
            return x, r.b(right, k.b)
        return x, r.b_at(right, k.b, r.a_scalars(self.index, k.a))

    def _numbers(self, ks: list[Position]) -> tuple[list[Value], list[Value]]:
        """The f32 values of A and B at these k."""
        xs: list[Value] = []
        ys: list[Value] = []
        for k in ks:
            x, y = self._pair(k, self.a.number, self.b.number)
            for value, out in ((x, xs), (y, ys)):
                bits = self.f.op(f"bitcast {vec('float')} {value} to {I32X64}")
                out.append(self.h.v(bits, 32, "f"))
        return xs, ys

    def _step(self, acc: Value, ks: list[Position]) -> Value:
        if self.model.kind == "pairwise":
            return pairwise_step(acc, *self._numbers(ks))
        h = self.h
        left: list[Element] = []
        right: list[Element] = []
        never = h.v(h.vector.const(1, 0), 1, "b")
        for k in ks:
            sx, sy = self._pair(k, self.a.significand, self.b.significand)
            ex, ey = self._pair(k, self.a.exponent, self.b.exponent)
            x_exponent = h.v(ex, 32, "i")
            if self.scales is not None:
                x, y = self._codes(k)
                x_exponent = x_exponent + x + y - 254
            left.append(Element(h.v(sx, 32, "i"), x_exponent, never))
            right.append(Element(h.v(sy, 32, "i"), h.v(ey, 32, "i"), never))
        step = tr_step if self.model.kind == "tr" else gtr_step
        return step(acc, left, right, self.op.a.mantissa + self.op.b.mantissa)

    def _codes(self, k: Position) -> tuple[Value, Value]:
        """E8M0 codes of A's row and B's column at k."""
        assert self.scales is not None
        a = self.reader.a(self.scales[0], k.scale_a)
        b = self.reader.b(self.scales[1], k.scale_b)
        return self.h.v(a, 32, "i"), self.h.v(b, 32, "i")

    def _scale_nan(self, odd: Value, total: Value, ks: list[Position]) -> tuple[Value, Value]:
        """A scale code of 255 makes the whole sum NaN (a group lies in one scale block)."""
        a, b = self._codes(ks[0])
        bad = (a == 255) | (b == 255)
        return odd | bad, where(bad, total.u.const(0x7FC00000), total.u).f


def _flushed(h: Helper, f: Fn, number: str, bits: str, name: str) -> str:
    """gfx90a: subnormal f16 and bf16 inputs become +0."""
    field = 0x7C00 if name == "f16" else 0x7F80
    value = h.v(f.op(f"bitcast {vec('float')} {number} to {I32X64}"), 32)
    small = (h.v(bits, 32) & field) == 0
    return f.op(f"bitcast {I32X64} {where(small, value.const(0), value).raw} to {vec('float')}")


def _reduce_max(f: Fn, value: str) -> str:
    return f.call("i32", "llvm.vector.reduce.smax.v64i32", f"{I32X64} {value}", declare=I32X64)


def _special_accumulator(h: Helper, f: Fn, op: MatrixOp) -> str:
    """Whether any element of C is infinite or NaN."""
    found = h.v(h.vector.const(1, 0), 1, "b")
    for element in range(op.acc_elements):
        raw = accumulator(h, f, op, str(element))
        bits = h.v(f.op(f"bitcast {vec('float')} {raw} to {I32X64}"), 32)
        found = found | ((bits & 0x7F800000) == 0x7F800000)
    return f.op(f"icmp ne i64 {h.bits(found.raw)}, 0")
