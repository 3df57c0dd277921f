"""Parts of a matrix instruction besides A and B: scales, sparse indices, accumulators."""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.helpers.matrix.areas import Area, allocate, double_rows, put
from asmevo.emulate.native.helper import Helper
from asmevo.emulate.native.ir import Fn
from asmevo.isa.semantics.matrix import MatrixOp


def scale_areas(h: Helper, f: Fn) -> tuple[Area, Area]:
    """The E8M0 codes of A and B, one per lane, as i32."""
    bytes_ = h.variant.option("scale_bytes", (0, 0))
    out: list[Area] = []
    for pointer, byte in zip(("%sa", "%sb"), bytes_, strict=True):
        area = allocate(f, 1, "i32")
        row = f.load(f.i32s, pointer, L.ROW_ALIGN)
        if byte:
            row = f.op(f"lshr {f.i32s} {row}, splat (i32 {8 * byte})")
        put(f, area, 0, f.op(f"and {f.i32s} {row}, splat (i32 255)"))
        out.append(area)
    return out[0], out[1]


def index_area(h: Helper, f: Fn, op: MatrixOp, size: int) -> Area:
    """Per stored element of A the byte offset of its B element inside the quad, as i64."""
    area = allocate(f, op.a_elements, "i64")
    word = h.v(f.load(f.i32s, "%c", L.ROW_ALIGN), 32)
    cbsz, abid = h.variant.option("cbsz", 0), h.variant.option("abid", 0)
    for slot in range(op.a_elements):
        _lane, bit = op.index_place(0, slot, cbsz, abid)
        number = ((word >> bit) & 3).to(64) * (f.lanes * size)
        put(f, area, slot, number.raw)
    return area


def accumulator(h: Helper, f: Fn, op: MatrixOp, element: str) -> str:
    """C (D of sparse forms) of a result element, in the accumulator's type."""
    if op.sparse:
        return _rows_at(h, f, op, "%d", element)
    negate = h.variant.option("neg3", (0, 0, 0))[2]
    if h.variant.kinds[3] == "s":
        width = op.acc_bits
        value = h.splat(f.load(f"i{width}", "%c"), width)
        if op.acc == "i32":
            return value
        kind = "double" if width == 64 else "float"
        acc = f.op(f"bitcast {f.vec(f'i{width}')} {value} to {f.vec(kind)}")
    else:
        # After `copy_accumulator` C stands in D.
        acc = _rows_at(h, f, op, "%d" if h.variant.option("overlap") else "%c", element)
    return f.op(f"fneg {f.vec('double')} {acc}") if negate else acc


def _rows_at(h: Helper, f: Fn, op: MatrixOp, pointer: str, element: str) -> str:
    at = f.at(pointer, f.op(f"mul i64 {element}, {L.ROW * op.acc_bits // 32}"))
    if op.acc == "f64":
        return double_rows(h, f, at)
    return f.load(f.i32s if op.acc == "i32" else f.vec("float"), at, L.ROW_ALIGN)


def store_element(h: Helper, f: Fn, op: MatrixOp, element: str, acc: str) -> None:
    """Write a result element. A and B are copies, so this may happen at once."""
    at = f.at("%d", f.op(f"mul i64 {element}, {L.ROW * op.acc_bits // 32}"))
    if op.acc == "f64":
        wide = f.op(f"bitcast {f.vec('double')} {acc} to {f.vec('i64')}")
        low, high = h.split(wide)
        f.store(f.i32s, low, at, L.ROW_ALIGN)
        f.store(f.i32s, high, f.at(at, L.ROW), L.ROW_ALIGN)
    else:
        f.store(f.i32s if op.acc == "i32" else f.vec("float"), acc, at, L.ROW_ALIGN)


def copy_accumulator(f: Fn, op: MatrixOp) -> None:
    """Where C is shifted against D: move C into D first, as a whole, then work in place."""
    size = L.ROW * op.acc_registers
    f.module.declare("declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)")
    f.emit(f"call void @llvm.memmove.p0.p0.i64(ptr %d, ptr %c, i64 {size}, i1 false)")
