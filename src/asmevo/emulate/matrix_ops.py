"""Helpers for dense matrix instructions, `fast` arithmetic: fused accumulation in ascending k.

All lanes take part whatever EXEC says. A and B are unpacked to the accumulator's type in a
scratch area; the product loop runs over result registers with A broadcast per lane group.
"""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.emit import I32X64, Helper, Variant, family
from asmevo.emulate.ir import Fn, Module, vec
from asmevo.isa.semantics.matrix import MatrixOp, matrix_op

# Record slots: destination, A, B, C.
D_SLOT, A_SLOT, B_SLOT, C_SLOT = range(4)


def _element_vectors(
    h: Helper, f: Fn, pointer: str, op: MatrixOp, fmt: str, bits: int, arch: str
) -> list[str]:
    """Per element slot, the 64 lanes' elements in the accumulator's type."""
    from asmevo.emulate.small_floats import decode8

    acc_t = {"f32": "float", "f64": "double", "i32": "i32"}[op.acc]
    out: list[str] = []
    count = op.elements
    if bits == 64:
        low, high = f.load(I32X64, pointer, 64), f.load(I32X64, f.at(pointer, L.ROW), 64)
        wide = h.join(low, high)
        return [f.op(f"bitcast {vec('i64')} {wide} to {vec('double')}")]
    per_row = 32 // bits
    for slot in range(count):
        row = f.load(I32X64, f.at(pointer, (slot // per_row) * L.ROW), 64)
        at = (slot % per_row) * bits
        if at:
            row = f.op(f"lshr {I32X64} {row}, splat (i32 {at})")
        if fmt in ("f32", "xf32"):
            if fmt == "xf32":  # inputs are cut to 10 mantissa bits
                row = f.op(f"and {I32X64} {row}, splat (i32 {-(1 << 13)})")
            out.append(f.op(f"bitcast {I32X64} {row} to {vec('float')}"))
        elif fmt == "f16":
            half = f.op(f"trunc {I32X64} {row} to {vec('i16')}")
            half = f.op(f"bitcast {vec('i16')} {half} to {vec('half')}")
            out.append(f.op(f"fpext {vec('half')} {half} to {vec('float')}"))
        elif fmt == "bf16":
            up = f.op(f"shl {I32X64} {row}, splat (i32 16)")
            out.append(f.op(f"bitcast {I32X64} {up} to {vec('float')}"))
        elif fmt == "i8":
            byte = f.op(f"trunc {I32X64} {row} to {vec('i8')}")
            out.append(f.op(f"sext {vec('i8')} {byte} to {I32X64}"))
        else:
            value = decode8(h.v(row, 32) & 0xFF, fmt, arch)
            out.append(f.op(f"bitcast {I32X64} {value.raw} to {vec('float')}"))
    assert acc_t
    return out


@family("matrix")
def emit_matrix(module: Module, variant: Variant) -> None:
    """A dense MFMA. The work is in a noinline callee: a big frame would defeat the tail call."""
    op = matrix_op(variant.name)
    assert op is not None, variant
    h = Helper(module, variant)
    worker = variant.symbol + "_work"
    outer = h.fn
    pointers = ", ".join(f"ptr {h.slot(i)}" for i in range(4))
    outer.emit(f"call void @{worker}(ptr %st, {pointers})")
    h.next()
    h.finish()
    f = Fn(module, worker, "ptr %st, ptr %d, ptr %a, ptr %b, ptr %c", noinline=True)
    inner = Helper(module, variant)
    inner.fn = f
    inner.vector.fn = f
    inner.scalar.fn = f
    _emit_work(inner, f, op)
    f.finish()


def _emit_work(h: Helper, f: Fn, op: MatrixOp) -> None:
    acc_bits = 64 if op.acc == "f64" else 32
    scalar_t = {"f32": "float", "f64": "double", "i32": "i32"}[op.acc]
    vector_t = vec(scalar_t)
    size = acc_bits // 8
    arch = h.variant.option("arch", "gfx942")
    count = op.elements
    area_a = f.op(f"alloca [{64 * count} x {scalar_t}], align 64")
    area_b = f.op(f"alloca [{64 * count} x {scalar_t}], align 64")
    for area, pointer, fmt in ((area_a, "%a", op.a), (area_b, "%b", op.b)):
        elements = _element_vectors(h, f, pointer, op, fmt.name, fmt.bits, arch)
        for slot, value in enumerate(elements):
            f.store(vector_t, value, f.at(area, slot * 64 * size), 64)

    # The unpacked operands must be read back from memory: as broadcasts they fold into the
    # multiply-adds, while shuffles out of registers would cost as much as the products.
    f.emit(f'call void asm sideeffect "", "r,r,~{{memory}}"(ptr {area_a}, ptr {area_b})')

    def a_scalar(i: int, k: int, block: int) -> str:
        lane, slot = op.source_lane(i, k, block)
        return f.load(scalar_t, f.at(area_a, (slot * 64 + lane) * size), size)

    def group_vector(parts: list[str], width: int) -> str:
        """Concatenate `64 / width` splats of `width` lanes."""
        t = vec(scalar_t, width)
        pieces: list[str] = []
        for p in parts:
            one = f.op(f"insertelement {t} poison, {scalar_t} {p}, i64 0")
            pieces.append(
                f.op(f"shufflevector {t} {one}, {t} poison, <{width} x i32> zeroinitializer")
            )
        while len(pieces) > 1:
            t = vec(scalar_t, width)
            index = ", ".join(f"i32 {i}" for i in range(2 * width))
            pieces = [
                f.op(f"shufflevector {t} {x}, {t} {y}, <{2 * width} x i32> <{index}>")
                for x, y in zip(pieces[::2], pieces[1::2], strict=True)
            ]
            width *= 2
        return pieces[0]

    # Which (row, block) each lane group of each result element computes.
    elements = op.acc_registers // (acc_bits // 32)
    place: dict[tuple[int, int], tuple[int, int, int]] = {}
    for block in range(op.blocks):
        for row in range(op.m):
            for column in range(op.n):
                lane, element = op.result_place(row, column, block)
                place[(element, lane)] = (row, column, block)
    width = min(op.n, 64)
    b_vectors: dict[tuple[int, tuple[int, ...]], str] = {}

    def b_vector(k: int, blocks: tuple[int, ...]) -> str:
        """Per lane: B[k, column of the lane] of the block that the lane group computes."""
        key = (k, blocks)
        if key not in b_vectors:
            pieces: list[str] = []
            t = vec(scalar_t, width)
            for block in blocks:
                lane, slot = op.source_lane(0, k, block)
                pieces.append(f.load(t, f.at(area_b, (slot * 64 + lane) * size), size))
            w = width
            while len(pieces) > 1:
                t = vec(scalar_t, w)
                index = ", ".join(f"i32 {i}" for i in range(2 * w))
                pieces = [
                    f.op(f"shufflevector {t} {x}, {t} {y}, <{2 * w} x i32> <{index}>")
                    for x, y in zip(pieces[::2], pieces[1::2], strict=True)
                ]
                w *= 2
            b_vectors[key] = pieces[0]
        return b_vectors[key]

    results: list[str] = []
    negate = h.variant.option("neg3", (0, 0, 0))
    for element in range(elements):
        groups = [place[(element, lane)] for lane in range(0, 64, width)]
        blocks = tuple(g[2] for g in groups)
        acc = _accumulator(h, f, op, element, negate[2])
        for k in range(op.k):
            a = group_vector([a_scalar(row, k, block) for row, _c, block in groups], width)
            b = b_vector(k, blocks)
            if op.acc == "i32":
                acc = f.op(f"add {I32X64} {acc}, {f.op(f'mul {I32X64} {a}, {b}')}")
                continue
            if negate[0]:
                a = f.op(f"fneg {vector_t} {a}")
            if negate[1]:
                b = f.op(f"fneg {vector_t} {b}")
            suffix = "v64f64" if op.acc == "f64" else "v64f32"
            acc = f.call(
                vector_t,
                f"llvm.fma.{suffix}",
                f"{vector_t} {a}, {vector_t} {b}, {vector_t} {acc}",
                declare=f"{vector_t}, {vector_t}, {vector_t}",
            )
        results.append(acc)
        if not h.variant.option("overlap"):
            # A and B are copies, and C is D or apart from it: each element may be written at once.
            _store_element(h, f, op, element, acc)
    if h.variant.option("overlap"):
        for element, acc in enumerate(results):
            _store_element(h, f, op, element, acc)
    f.ret()


def _store_element(h: Helper, f: Fn, op: MatrixOp, element: int, acc: str) -> None:
    if op.acc == "f64":
        wide = f.op(f"bitcast {vec('double')} {acc} to {vec('i64')}")
        low, high = h.split(wide)
        f.store(I32X64, low, f.at("%d", 2 * element * L.ROW), 64)
        f.store(I32X64, high, f.at("%d", (2 * element + 1) * L.ROW), 64)
    else:
        t = I32X64 if op.acc == "i32" else vec("float")
        f.store(t, acc, f.at("%d", element * L.ROW), 64)


def _accumulator(h: Helper, f: Fn, op: MatrixOp, element: int, negate: int) -> str:
    constant = h.variant.kinds[3] == "s"
    if op.acc == "f64":
        if constant:
            value = h.splat(f.load("i64", "%c", 8), 64)
        else:
            low = f.load(I32X64, f.at("%c", 2 * element * L.ROW), 64)
            high = f.load(I32X64, f.at("%c", (2 * element + 1) * L.ROW), 64)
            value = h.join(low, high)
        acc = f.op(f"bitcast {vec('i64')} {value} to {vec('double')}")
        return f.op(f"fneg {vec('double')} {acc}") if negate else acc
    if constant:
        value = h.splat(f.load("i32", "%c"), 32)
        if op.acc == "i32":
            return value
        return f.op(f"bitcast {I32X64} {value} to {vec('float')}")
    t = I32X64 if op.acc == "i32" else vec("float")
    return f.load(t, f.at("%c", element * L.ROW), 64)
