"""Matrix operands in scratch memory: unpacked once per instruction, read back as broadcasts.

An area holds, per element slot, the lanes' elements as 32- or 64-bit numbers. Reading it back
from memory lets a broadcast of A fold into the multiply-add.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import gcd

from asmevo.emulate import layout as L
from asmevo.emulate.native.helper import Helper
from asmevo.emulate.native.ir import Fn, vec
from asmevo.isa.semantics.matrix import SCALE_BLOCK, Format, MatrixOp, a_block, b_lane
from asmevo.isa.semantics.matrix_models import (
    flushed_input,
    number_of,
    smallest_exponent,
)
from asmevo.isa.semantics.table import FloatMode
from asmevo.isa.semantics.values import Value


@dataclass(frozen=True, slots=True)
class Area:
    """Scratch of `slots` rows of numbers of LLVM type `kind`, `size` bytes each."""

    pointer: str
    kind: str
    size: int


def allocate(f: Fn, slots: int, kind: str) -> Area:
    """A new area on the stack."""
    size = 8 if kind in ("double", "i64") else 4
    return Area(f.op(f"alloca [{f.lanes * slots} x {kind}], align {L.ROW_ALIGN}"), kind, size)


def put(f: Fn, area: Area, slot: int | str, value: str) -> None:
    """Store one slot's lanes; the slot is a number or an i64 value."""
    size = f.lanes * area.size
    at = f.op(f"mul i64 {slot}, {size}") if isinstance(slot, str) else slot * size
    f.store(f.vec(area.kind), value, f.at(area.pointer, at), L.ROW_ALIGN)


def barrier(f: Fn, areas: list[Area]) -> None:
    """Keep LLVM from forwarding the stores: shuffles out of registers cost more than loads."""
    constraints = ",".join(["r"] * len(areas) + ["~{memory}"])
    operands = ", ".join(f"ptr {a.pointer}" for a in areas)
    f.emit(f'call void asm sideeffect "", "{constraints}"({operands})')


def element_bits(h: Helper, f: Fn, pointer: str, fmt: Format, slot: int, blgp: int = 0) -> str:
    """Element `slot` of every lane, zero-extended to 32 bits (formats up to 32 bits)."""

    def row(index: int) -> str:
        value = f.load(f.i32s, f.at(pointer, index * L.ROW), L.ROW_ALIGN)
        if blgp:
            order = ", ".join(f"i32 {b_lane(lane, blgp)}" for lane in range(f.lanes))
            value = f.op(f"shufflevector {f.i32s} {value}, {f.i32s} poison, {f.i32s} <{order}>")
        return value

    first = slot * fmt.bits
    index, at = first // 32, first % 32
    value = row(index)
    if fmt.bits == 32:
        return value
    if at:
        value = f.op(f"lshr {f.i32s} {value}, splat (i32 {at})")
    if at + fmt.bits > 32:  # six-bit elements cross registers
        rest = f.op(f"shl {f.i32s} {row(index + 1)}, splat (i32 {32 - at})")
        value = f.op(f"or {f.i32s} {value}, {rest}")
    if at + fmt.bits == 32:
        return value
    return f.op(f"and {f.i32s} {value}, splat (i32 {(1 << fmt.bits) - 1})")


_STRAIGHT = 8  # elements per lane that are unpacked without a loop


def unpack(
    h: Helper,
    f: Fn,
    pointer: str,
    fmt: Format,
    count: int,
    blgp: int,
    body: Callable[[str, int | str], None],
) -> None:
    """Run `body(bits, slot)` for each of the `count` elements that a lane holds at `pointer`."""
    rows = fmt.bits // gcd(fmt.bits, 32)  # after which an element starts a register again
    slots = rows * 32 // fmt.bits
    if count <= _STRAIGHT or count % slots:
        for slot in range(count):
            body(element_bits(h, f, pointer, fmt, slot, blgp), slot)
        return

    def turn(number: str) -> None:
        at = f.at(pointer, f.op(f"mul i64 {number}, {rows * L.ROW}"))
        first = f.op(f"mul i64 {number}, {slots}")
        for slot in range(slots):
            bits = element_bits(h, f, at, fmt, slot, blgp)
            body(bits, f.op(f"add i64 {first}, {slot}"))

    turns(f, count // slots, turn)


def as_number(h: Helper, f: Fn, bits: str, fmt: Format, mode: FloatMode) -> str:
    """An element as float (floats) or i32 (integers), lane by lane."""
    if fmt.name == "i8":
        byte = f.op(f"trunc {f.i32s} {bits} to {f.vec('i8')}")
        return f.op(f"sext {f.vec('i8')} {byte} to {f.i32s}")
    number = number_of(h.v(bits, 32), fmt, mode)
    if h.variant.option("arch") == "gfx90a" and fmt.bits == 16:
        number = flushed_input(number, smallest_exponent(fmt, mode))
    return as_float(f, number)


def as_float(f: Fn, value: Value) -> str:
    """An f32 per lane as the LLVM type float."""
    return f.op(f"bitcast {f.i32s} {value.raw} to {f.vec('float')}")


def double_rows(h: Helper, f: Fn, pointer: str) -> str:
    """A 64-bit element per lane as doubles."""
    low, high = (
        f.load(f.i32s, pointer, L.ROW_ALIGN),
        f.load(f.i32s, f.at(pointer, L.ROW), L.ROW_ALIGN),
    )
    return f.op(f"bitcast {f.vec('i64')} {h.join(low, high)} to {f.vec('double')}")


class Reader:
    """Broadcasts of A and vectors of B for the result element of the current loop turn.

    For each lane group of a result element a constant table gives the offsets of its row of A
    and of its block of B; the position along k is a static offset from these.
    """

    def __init__(self, h: Helper, f: Fn, op: MatrixOp, cbsz: int, abid: int) -> None:
        self.f, self.op = f, op
        self.width = op.n
        self.groups = f.lanes // op.n
        rows: list[tuple[int, int]] = []
        for element in op.groups():
            for i, block in element:
                source = a_block(block, cbsz, abid) if op.blocks > 1 else 0
                a_lane, _ = op.a_place(i, 0, source)
                b_lane_, _ = op.b_place(0, 0, block)
                rows.append((a_lane, b_lane_))
        symbol = h.variant.symbol + "_rows"
        numbers = ", ".join(f"i64 {n}" for pair in rows for n in pair)
        line = f"@{symbol} = internal constant [{2 * len(rows)} x i64] [{numbers}]"
        if line not in h.module.globals:
            h.module.globals.append(line)
        self._table = f"@{symbol}"
        self._a: list[str] = []
        self._b: list[str] = []

    def turn(self, element: str) -> None:
        """Load the lane offsets of the groups of `element` (an i64)."""
        f = self.f
        base = f.at(self._table, f.op(f"mul i64 {element}, {16 * self.groups}"))
        self._a = [f.load("i64", f.at(base, 16 * g), 8) for g in range(self.groups)]
        shared = self.op.blocks == 1
        self._b = (
            ["0"]
            if shared
            else [f.load("i64", f.at(base, 16 * g + 8), 8) for g in range(self.groups)]
        )

    def _offset(self, lane: str, area: Area, constant: int | str) -> str:
        f = self.f
        pointer = f.at(area.pointer, f.op(f"mul i64 {lane}, {area.size}"))
        if isinstance(constant, str):
            return f.at(pointer, f.op(f"mul i64 {constant}, {area.size}"))
        return f.at(pointer, constant * area.size)

    def a_constant(self, k: int) -> int:
        """Position of k in an A area, relative to the row's lane."""
        lane, slot = self.op.a_place(0, k)
        return slot * self.f.lanes + lane

    def b_constant(self, k: int) -> int:
        """Position of k in a B area, relative to the block's first lane."""
        lane, slot = self.op.b_place(0, k)
        return slot * self.f.lanes + lane

    def a(self, area: Area, constant: int | str) -> str:
        """By lane: its group's A number at `constant`."""
        return _spread(
            self.f,
            area.kind,
            self.width,
            [
                self.f.load(area.kind, self._offset(lane, area, constant), area.size)
                for lane in self._a
            ],
        )

    def a_scalars(self, area: Area, constant: int | str) -> list[str]:
        """One A number per group."""
        return [
            self.f.load(area.kind, self._offset(lane, area, constant), area.size)
            for lane in self._a
        ]

    def b(self, area: Area, constant: int | str) -> str:
        """By lane: B numbers at `constant`, by column, of each group's block."""
        t = vec(area.kind, self.width)
        pieces = [self.f.load(t, self._offset(lane, area, constant), area.size) for lane in self._b]
        if len(pieces) == 1:
            pieces *= self.groups
        return joined(self.f, area.kind, self.width, pieces)

    def b_at(self, area: Area, constant: int | str, extra: list[str]) -> str:
        """As `b`, with a byte offset per group (sparse forms)."""
        t = vec(area.kind, self.width)
        lanes = self._b if len(self._b) == self.groups else self._b * self.groups
        pieces = [
            self.f.load(t, self.f.at(self._offset(lane, area, constant), e), area.size)
            for lane, e in zip(lanes, extra, strict=True)
        ]
        return joined(self.f, area.kind, self.width, pieces)


def _spread(f: Fn, kind: str, width: int, scalars: list[str]) -> str:
    t = vec(kind, width)
    pieces: list[str] = []
    for s in scalars:
        one = f.op(f"insertelement {t} poison, {kind} {s}, i64 0")
        pieces.append(f.op(f"shufflevector {t} {one}, {t} poison, <{width} x i32> zeroinitializer"))
    return joined(f, kind, width, pieces)


def joined(f: Fn, kind: str, width: int, pieces: list[str]) -> str:
    """Concatenate vectors of `width` lanes."""
    while len(pieces) > 1:
        t = vec(kind, width)
        order = ", ".join(f"i32 {i}" for i in range(2 * width))
        pieces = [
            f.op(f"shufflevector {t} {x}, {t} {y}, <{2 * width} x i32> <{order}>")
            for x, y in zip(pieces[::2], pieces[1::2], strict=True)
        ]
        width *= 2
    return pieces[0]


def turns(f: Fn, count: int, body: Callable[[str], None]) -> None:
    """Run `body(element)` for element = 0 .. count - 1."""
    head, inside, leave = f.label("head"), f.label("inside"), f.label("leave")
    entry = f.block
    f.br(head)
    f.place(head)
    element, following = f.fresh("element"), f.fresh("element")
    latch = f.label("latch")
    f.emit(f"{element} = phi i64 [ 0, %{entry} ], [ {following}, %{latch} ]")
    f.cond(f.op(f"icmp ult i64 {element}, {count}"), inside, leave)
    f.place(inside)
    body(element)
    f.br(latch)
    f.place(latch)
    f.emit(f"{following} = add i64 {element}, 1")
    f.br(head)
    f.place(leave)


def scale_blocks(op: MatrixOp) -> int:
    """Scale blocks along k."""
    return op.k // SCALE_BLOCK
