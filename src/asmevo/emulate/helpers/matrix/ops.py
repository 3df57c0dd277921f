"""Helpers for matrix instructions in `fast` arithmetic, and what both arithmetics share.

All lanes take part whatever EXEC says. `fast` accumulates with fused multiply-adds in ascending
k; `exact` (`matrix_exact`) follows the published accumulation models.
"""

from __future__ import annotations

from asmevo.emulate.helpers.matrix import exact as matrix_exact
from asmevo.emulate.helpers.matrix.areas import (
    Area,
    Reader,
    allocate,
    as_number,
    barrier,
    double_rows,
    put,
    scale_blocks,
    turns,
    unpack,
)
from asmevo.emulate.helpers.matrix.parts import (
    accumulator,
    copy_accumulator,
    index_area,
    scale_areas,
    store_element,
)
from asmevo.emulate.native.helper import Helper
from asmevo.emulate.native.ir import Fn, Module
from asmevo.emulate.native.variant import Variant, family
from asmevo.isa.semantics.matrix import LANES, SCALE_BLOCK, Format, MatrixOp, matrix_op
from asmevo.isa.semantics.table import FloatMode

# Record slots: destination, A, B, C (the index register of sparse forms), scales of A and B.
D_SLOT, A_SLOT, B_SLOT, C_SLOT, SA_SLOT, SB_SLOT = range(6)


def operation(variant: Variant) -> MatrixOp:
    """The matrix operation of a variant."""
    op = matrix_op(variant.name, *variant.option("formats", (0, 0)))
    assert op is not None, variant
    return op


@family("matrix")
def emit_matrix(module: Module, variant: Variant) -> None:
    """A matrix instruction. The work is in a noinline callee: big frames defeat tail calls."""
    op = operation(variant)
    assert variant.lanes == LANES, variant
    h = Helper(module, variant)
    worker = variant.symbol + "_work"
    slots = 6 if op.scaled else 4
    pointers = ", ".join(f"ptr {h.slot(i)}" for i in range(slots))
    h.fn.emit(f"call void @{worker}(ptr %st, {pointers})")
    h.next()
    h.finish()
    names = ", ".join(f"ptr %{n}" for n in ("d", "a", "b", "c", "sa", "sb")[:slots])
    f = Fn(module, worker, f"ptr %st, {names}", noinline=True, lanes=h.lanes)
    inner = Helper(module, variant)
    inner.fn = f
    inner.vector.fn = f
    inner.scalar.fn = f
    if variant.option("exact") and matrix_exact.differs(
        variant.option("arch", "gfx942"), variant.name, op
    ):
        matrix_exact.emit(inner, f, op)
    else:
        _emit_fast(inner, f, op)
    f.ret()
    f.finish()


def _emit_fast(h: Helper, f: Fn, op: MatrixOp) -> None:
    number = {"f32": "float", "f64": "double", "i32": "i32"}[op.acc]
    mode: FloatMode = h.variant.option("mode", FloatMode())
    blgp = h.variant.option("blgp", 0)
    a, b = allocate(f, op.a_elements, number), allocate(f, op.b_elements, number)
    areas = [a, b]
    if op.acc == "f64":
        put(f, a, 0, double_rows(h, f, "%a"))
        put(f, b, 0, double_rows(h, f, "%b"))
    else:
        for pointer, fmt, area, count, permute in (
            ("%a", op.a, a, op.a_elements, 0),
            ("%b", op.b, b, op.b_elements, blgp),
        ):

            def one(bits: str, slot: int | str, fmt: Format = fmt, area: Area = area) -> None:
                put(f, area, slot, as_number(h, f, bits, fmt, mode))

            unpack(h, f, pointer, fmt, count, permute, one)
    index = index_area(h, f, op, b.size) if op.sparse else None
    scales = scale_areas(h, f) if op.scaled else None
    barrier(f, [*areas, *([index] if index else []), *(scales or ())])
    reader = Reader(h, f, op, h.variant.option("cbsz", 0), h.variant.option("abid", 0))

    def element(e: str) -> None:
        reader.turn(e)
        acc = accumulator(h, f, op, e)
        if scales is not None:
            acc = _scaled_sum(f, op, reader, a, b, scales, acc)
        else:
            for k in range(op.a_k):
                acc = _multiply_add(h, f, op, reader, a, b, index, k, acc)
        if h.variant.option("exact"):
            acc = _canonical(f, number, acc)
        store_element(h, f, op, e, acc)

    if h.variant.option("overlap"):
        copy_accumulator(f, op)
    turns(f, op.acc_elements, element)


def _canonical(f: Fn, kind: str, acc: str) -> str:
    """NaNs as the models give them; the host's payload depends on its operand order."""
    t = f.vec(kind)
    nan = f.op(f"fcmp uno {t} {acc}, zeroinitializer")
    return f.op(f"select {f.i1s} {nan}, {t} splat ({kind} 0x7FF8000000000000), {t} {acc}")


def _multiply_add(
    h: Helper,
    f: Fn,
    op: MatrixOp,
    reader: Reader,
    a: Area,
    b: Area,
    index: Area | None,
    k: int,
    acc: str,
) -> str:
    x = reader.a(a, reader.a_constant(k))
    if index is None:
        y = reader.b(b, reader.b_constant(k))
    else:
        chosen = reader.a_scalars(index, reader.a_constant(k))
        y = reader.b_at(b, reader.b_constant(4 * (k // 2)), chosen)
    t = f.vec(a.kind)
    if op.acc == "i32":
        return f.op(f"add {t} {acc}, {f.op(f'mul {t} {x}, {y}')}")
    negate = h.variant.option("neg3", (0, 0, 0))
    if negate[0]:
        x = f.op(f"fneg {t} {x}")
    if negate[1]:
        y = f.op(f"fneg {t} {y}")
    return fused(f, a.kind, x, y, acc)


def fused(f: Fn, kind: str, x: str, y: str, z: str) -> str:
    """Fused multiply-add, lane by lane."""
    t = f.vec(kind)
    name = f"llvm.fma.v{f.lanes}f64" if kind == "double" else f"llvm.fma.v{f.lanes}f32"
    return f.call(t, name, f"{t} {x}, {t} {y}, {t} {z}", declare=f"{t}, {t}, {t}")


def _scaled_sum(
    f: Fn, op: MatrixOp, reader: Reader, a: Area, b: Area, scales: tuple[Area, Area], acc: str
) -> str:
    """Each 32-wide block is summed from zero, scaled, and added."""
    t = f.vec("float")
    for block in range(scale_blocks(op)):
        part = "zeroinitializer"
        for k in range(block * SCALE_BLOCK, (block + 1) * SCALE_BLOCK):
            x = reader.a(a, reader.a_constant(k))
            part = fused(f, "float", x, reader.b(b, reader.b_constant(k)), part)
        sa = reader.a(scales[0], op.m * block)
        sb = reader.b(scales[1], op.n * block)
        part = f.op(f"fmul {t} {part}, {_power(f, sa)}")
        acc = f.op(f"fadd {t} {acc}, {f.op(f'fmul {t} {part}, {_power(f, sb)}')}")
    return acc


def _power(f: Fn, exponents: str) -> str:
    """2**(e - 127) of E8M0 codes as float; 255 is NaN, 0 the subnormal 2**-127."""
    t = f.vec("float")
    normal = f.op(f"shl {f.i32s} {exponents}, splat (i32 23)")
    zero = f.op(f"icmp eq {f.i32s} {exponents}, zeroinitializer")
    value = f.op(f"select {f.i1s} {zero}, {f.i32s} splat (i32 4194304), {f.i32s} {normal}")
    bad = f.op(f"icmp eq {f.i32s} {exponents}, splat (i32 255)")
    value = f.op(f"select {f.i1s} {bad}, {f.i32s} splat (i32 2143289344), {f.i32s} {value}")
    return f.op(f"bitcast {f.i32s} {value} to {t}")
