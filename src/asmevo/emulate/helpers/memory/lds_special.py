"""Helpers for LDS instructions with their own addressing: transposed reads, by-lane, counters."""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.helpers.memory import access
from asmevo.emulate.helpers.memory.lds import LdsAddress
from asmevo.emulate.native.helper import Helper
from asmevo.emulate.native.ir import Module, vec
from asmevo.emulate.native.variant import Variant, family
from asmevo.emulate.sanitize import shadow

GROUP = 16  # lanes that exchange elements


def transpose_source(lane: int, element: int, per_lane: int) -> tuple[int, int]:
    """(lane, element) whose value a transposed read puts into `element` of `lane`.

    Sixteen lanes hold `per_lane` rows of sixteen elements; lane c receives column c.
    """
    base, column = lane & ~(GROUP - 1), lane % GROUP
    lanes_per_row = GROUP // per_lane
    return base + element * lanes_per_row + column // per_lane, column % per_lane


def _shuffle(h: Helper, value: str, element: str, index: list[int]) -> str:
    n = len(index)
    t = vec(element, n)
    text = ", ".join(f"i32 {i}" for i in index)
    return h.fn.op(f"shufflevector {t} {value}, {t} poison, <{n} x i32> <{text}>")


def _transposed_wide(h: Helper, rows: list[str], bits: int) -> list[str]:
    """Transpose of 16-, 8- or 4-bit elements, 64 bits of them per lane."""
    f = h.fn
    whole = h.join(rows[0], rows[1])
    if bits == 4:
        whole = _nibbles(h, whole)
    else:
        per_lane = 64 // bits
        t = vec(f"i{bits}", f.lanes * per_lane)
        flat = f.op(f"bitcast {f.i64s} {whole} to {t}")
        index: list[int] = []
        for lane in range(f.lanes):
            for element in range(per_lane):
                source, at = transpose_source(lane, element, per_lane)
                index.append(source * per_lane + at)
        whole = f.op(f"bitcast {t} {_shuffle(h, flat, f'i{bits}', index)} to {f.i64s}")
    return list(h.split(whole))


def _nibbles(h: Helper, whole: str) -> str:
    f = h.fn
    t = vec("i8", 8 * f.lanes)
    flat = f.op(f"bitcast {f.i64s} {whole} to {t}")
    shift = ", ".join(f"i8 {4 * (lane & 1)}" for lane in range(f.lanes) for _ in range(8))
    halves: list[str] = []
    for odd in (0, 1):
        index = [
            8 * transpose_source(lane, 2 * byte + odd, 16)[0] + (lane % GROUP) // 2
            for lane in range(f.lanes)
            for byte in range(8)
        ]
        moved = f.op(f"lshr {t} {_shuffle(h, flat, 'i8', index)}, <{shift}>")
        halves.append(f.op(f"and {t} {moved}, splat (i8 15)"))
    high = f.op(f"shl {t} {halves[1]}, splat (i8 4)")
    return f.op(f"bitcast {t} {f.op(f'or {t} {halves[0]}, {high}')} to {f.i64s}")


def _transposed_six(h: Helper, rows: list[str]) -> list[str]:
    """Transpose of 96-bit lanes of 6-bit elements."""
    f = h.fn
    words = [h.v(r, 32) for r in rows]
    elements: list[str] = []
    for e in range(16):
        word, at = divmod(6 * e, 32)
        value = words[word] >> at if at else words[word]
        if at > 26:
            value = value | (words[word + 1] << (32 - at))
        elements.append((value & 63).raw)
    out = [words[0].const(0) for _ in range(3)]
    for j in range(16):
        column = "zeroinitializer"
        for c in range(16):
            moved = _shuffle(h, elements[c], "i32", [(x & ~15) + j for x in range(f.lanes)])
            mask = ", ".join("i1 true" if x % 16 == c else "i1 false" for x in range(f.lanes))
            column = f.op(f"select {f.i1s} <{mask}>, {f.i32s} {moved}, {f.i32s} {column}")
        value = h.v(column, 32)
        word, at = divmod(6 * j, 32)
        out[word] = out[word] | (value << at if at else value)
        if at > 26:
            out[word + 1] = out[word + 1] | (value >> (32 - at))
    return [v.raw for v in out]


@family("transpose")
def emit_transpose(module: Module, variant: Variant) -> None:
    """ds_read_b64_tr_b16/b8/b4 and ds_read_b96_tr_b6 (gfx950)."""
    h = Helper(module, variant)
    f = h.fn
    bits: int = variant.option("bits")
    dwords = 3 if bits == 6 else 2
    offset = f.op(f"trunc i64 {h.imm()} to i32")
    address = LdsAddress(h, h.source_row(1, "v"), offset, 4 * dwords)
    hosts = address.hosts()
    rows = access.gather_rows(h, hosts, dwords, h.exec_bits())
    moved = _transposed_six(h, rows) if bits == 6 else _transposed_wide(h, rows, bits)
    pointer = h.slot(0)
    h.store_rows([(row, f.at(pointer, d * L.ROW)) for d, row in enumerate(moved)])
    h.finish()


def _checked(h: Helper, start: str, size: int) -> str:
    """Host pointer of `size` bytes at LDS byte address `start` (i64), or a fault."""
    f = h.fn
    end = f.op(f"add i64 {start}, {size}")
    good, bad = f.label("inlds"), f.label("outlds")
    f.cond(f.op(f"icmp ule i64 {end}, {h.field(L.LDS_SIZE)}"), good, bad, likely=True)
    f.place(bad)
    h.fault(L.LDS_FAULT, h.exec_bits(), start)
    f.place(good)
    return f.at(h.field(L.LDS_BASE, "ptr"), start)


@family("lds_lane")
def emit_by_lane(module: Module, variant: Variant) -> None:
    """ds_read/write_addtid (M0 + offset + lane * 4), ds_append and ds_consume (M0 + offset)."""
    h = Helper(module, variant)
    f = h.fn
    m0 = h.field(L.M0, "i32")
    h.exec_bits()
    reads = variant.name == "ds_read_addtid_b32"
    if reads or variant.name == "ds_write_addtid_b32":
        low = f.op(f"zext i32 {f.op(f'and i32 {m0}, 65535')} to i64")
        host = _checked(h, f.op(f"add i64 {low}, {h.imm()}"), 4 * h.lanes)
        pointer = h.slot(0)
        if variant.option("shadow"):
            base = f.op(f"ptrtoint ptr {host} to i64")
            lanes = f.op(f"add {f.i64s} {access.scale_lanes(h, 4, 64)}, {h.splat(base, 64)}")
            flags = shadow.READ if reads else shadow.WRITE
            shadow.access(h, lanes, h.exec_bits(), 4, flags, lds=True)
        if reads:
            h.store_rows([(f.load(f.i32s, host, 4), pointer)])
        else:
            store = f"void @llvm.masked.store.v{f.lanes}i32.p0"
            h.module.declare(f"declare {store}({f.i32s}, ptr, i32 immarg, {f.i1s})")
            f.emit(
                f"call {store}({f.i32s} {h.row(pointer)}, ptr {host}, "
                f"i32 4, {f.i1s} {h.mask(h.exec_bits())})"
            )
            h.next()
    else:
        address = f.op(f"add i64 {f.op(f'zext i32 {m0} to i64')}, {h.imm()}")
        host = _checked(h, address, 4)
        if variant.option("shadow"):
            flags = shadow.READ | shadow.WRITE | shadow.ATOMIC
            shadow.straight(h, host, 4, flags, lds=True)
        active = f.call("i64", "llvm.ctpop.i64", f"i64 {h.exec_bits()}", declare="i64")
        count = f.op(f"trunc i64 {active} to i32")
        operation = "add" if variant.name == "ds_append" else "sub"
        old = f.load("i32", host, 1)
        f.store("i32", f.op(f"{operation} i32 {old}, {count}"), host, 1)
        # Every active lane receives the value before the change.
        h.store_rows([(h.splat(old, 32), h.slot(0))])
    h.finish()
