"""Helpers for LDS instructions: reads, writes, pairs and atomics, all checked to the byte."""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.helpers.memory import access
from asmevo.emulate.helpers.memory.atomics import atomic_lanes, check_alignment
from asmevo.emulate.native.helper import Helper
from asmevo.emulate.native.ir import Module
from asmevo.emulate.native.variant import Variant, family
from asmevo.emulate.sanitize import shadow
from asmevo.emulate.sanitize.touched import touch
from asmevo.isa.semantics.memory import MemoryOp, memory_op
from asmevo.timing.touches import LDS

# Record slots: destination, address, first and second data.
DST, ADDR, DATA0, DATA1 = range(4)


class LdsAddress:
    """Byte addresses of one access at `vaddr + offset` (offset: an i32 value)."""

    def __init__(self, h: Helper, row: str, offset: str, size: int) -> None:
        f = h.fn
        self.h, self.size = h, size
        self.bytes = f.op(f"add {f.i32s} {row}, {h.splat(offset, 32)}")
        if h.variant.option("touch"):
            wide = f.op(f"zext {f.i32s} {self.bytes} to {f.i64s}")
            touch(h, wide, h.exec_bits(), size, LDS)

    def fast(self, miss: str) -> str:
        """Host pointer when the lanes' elements are consecutive, or a branch to `miss`."""
        h, f, size = self.h, self.h.fn, self.size
        first = f.op(f"extractelement {f.i32s} {self.bytes}, i64 0")
        expected = f.op(f"add {f.i32s} {h.splat(first, 32)}, {access.scale_lanes(h, size)}")
        same = f.op(f"icmp eq {f.i32s} {self.bytes}, {expected}")
        equal = h.is_full(h.bits(same))
        ok = f.op(f"and i1 {equal}, {h.is_full(h.exec_bits())}")
        start = f.op(f"zext i32 {first} to i64")
        end = f.op(f"add i64 {start}, {f.lanes * size}")
        ok = f.op(f"and i1 {ok}, {f.op(f'icmp ule i64 {end}, {h.field(L.LDS_SIZE)}')}")
        straight = f.label("straight")
        f.cond(ok, straight, miss, likely=True)
        f.place(straight)
        host = f.at(h.field(L.LDS_BASE, "ptr"), start)
        if h.variant.option("shadow"):
            flags = shadow.flags_of(h.variant.name)
            shadow.straight(h, host, f.lanes * size, flags, lds=True)
        return host

    def hosts(self) -> str:
        """Host addresses of the active lanes; an address outside the allocation faults."""
        h, f = self.h, self.h.fn
        start = f.op(f"zext {f.i32s} {self.bytes} to {f.i64s}")
        end = f.op(f"add {f.i64s} {start}, splat (i64 {self.size})")
        inside = f.op(f"icmp ule {f.i64s} {end}, {h.splat(h.field(L.LDS_SIZE), 64)}")
        out = f.op(f"xor i64 {h.bits(inside)}, -1")
        missing = f.op(f"and i64 {out}, {h.exec_bits()}")
        good, bad = f.label("inlds"), f.label("outlds")
        f.cond(f.op(f"icmp eq i64 {missing}, 0"), good, bad, likely=True)
        f.place(bad)
        lane = f.call("i64", "llvm.cttz.i64", f"i64 {missing}, i1 true", declare="i64, i1")
        which = f.op(f"trunc i64 {lane} to i32")
        address = f.op(f"extractelement {f.i64s} {start}, i32 {which}")
        h.fault(L.LDS_FAULT, missing, address)
        f.place(good)
        base = f.op(f"ptrtoint ptr {h.field(L.LDS_BASE, 'ptr')} to i64")
        found = f.op(f"add {f.i64s} {start}, {h.splat(base, 64)}")
        if h.variant.option("shadow"):
            flags = shadow.flags_of(h.variant.name)
            shadow.access(h, found, h.exec_bits(), self.size, flags, lds=True)
        return found


def _offset(h: Helper, second: bool = False) -> str:
    return h.fn.op(f"trunc i64 {h.imm2() if second else h.imm()} to i32")


def _load_rows(h: Helper, op: MemoryOp, address: LdsAddress, pointer: str) -> list[str]:
    mask = h.mask(h.exec_bits())
    hosts = address.hosts()
    if op.size < 4:
        raw = access.gather(h, hosts, 0, f"i{8 * op.size}", mask, "zeroinitializer")
        old = h.row(pointer)
        return [access.extend_loaded(h, raw, op.size, op.extend, op.signed, old)]
    return access.gather_rows(h, hosts, op.dwords, h.exec_bits())


def _load(h: Helper, op: MemoryOp) -> None:
    f = h.fn
    pointer = h.slot(DST)
    row = h.source_row(ADDR, "v")
    address = LdsAddress(h, row, _offset(h), op.size)
    if op.size >= 4 and not op.pair:
        general = f.label("general")
        host = address.fast(general)
        for d, value in enumerate(access.load_contiguous(h, host, op.dwords)):
            f.store(f.i32s, value, f.at(pointer, d * L.ROW), L.ROW_ALIGN)
        h.next()
        f.place(general)
    rows = _load_rows(h, op, address, pointer)
    if op.pair:
        rows += _load_rows(h, op, LdsAddress(h, row, _offset(h, True), op.size), pointer)
    h.store_rows([(r, f.at(pointer, d * L.ROW)) for d, r in enumerate(rows)], h.exec_bits())


def _store_rows(h: Helper, op: MemoryOp, address: LdsAddress, data: int) -> None:
    f = h.fn
    pointer = h.slot(data)
    rows = [h.row(f.at(pointer, d * L.ROW)) for d in range(op.dwords)]
    mask = h.mask(h.exec_bits())
    hosts = address.hosts()
    if op.size < 4:
        value = access.narrow_stored(h, rows[0], op.size, op.extend == "hi")
        access.scatter(h, hosts, 0, f"i{8 * op.size}", mask, value)
        return
    access.scatter_rows(h, hosts, rows, h.exec_bits())


def _store(h: Helper, op: MemoryOp) -> None:
    f = h.fn
    row = h.source_row(ADDR, "v")
    address = LdsAddress(h, row, _offset(h), op.size)
    if op.size >= 4 and not op.pair:
        general = f.label("general")
        host = address.fast(general)
        pointer = h.slot(DATA0)
        rows = [h.row(f.at(pointer, d * L.ROW)) for d in range(op.dwords)]
        access.store_contiguous(h, host, rows)
        h.next()
        f.place(general)
    if op.pair:
        # Both addresses are checked before either is written.
        second = LdsAddress(h, row, _offset(h, True), op.size)
        second.hosts()
        _store_rows(h, op, address, DATA0)
        _store_rows(h, op, second, DATA1)
    else:
        _store_rows(h, op, address, DATA0)
    h.next()


@family("lds")
def emit_lds(module: Module, variant: Variant) -> None:
    """A ds_ read, write or atomic."""
    op = memory_op(variant.name)
    assert op is not None, variant
    h = Helper(module, variant)
    if op.action == "load":
        _load(h, op)
    elif op.action == "store":
        _store(h, op)
    else:
        _atomic(h, op)
    h.finish()


def _atomic(h: Helper, op: MemoryOp) -> None:
    f = h.fn
    row = h.source_row(ADDR, "v")
    area = f.at("%st", L.HOST)
    flushed = bool(h.variant.option("flush"))
    addresses = [LdsAddress(h, row, _offset(h), op.size)]
    if op.pair:
        addresses.append(LdsAddress(h, row, _offset(h, True), op.size))
    if op.atomic == "condxchg":
        kept = f.op(f"and {f.i32s} {addresses[0].bytes}, splat (i32 {0xFFF8})")
        addresses[0].bytes = kept
    # Every address is checked before memory changes.
    hosts: list[str] = []
    for address in addresses:
        check_alignment(h, address.bytes, 32, op.size, h.exec_bits())
        hosts.append(address.hosts())
    result = h.slot(DST) if op.returns else None
    second = h.slot(DATA1) if op.atomic in ("cmpst", "mskor", "wrap") else None
    for n, host in enumerate(hosts):
        f.store(f.i64s, host, area, L.ROW_ALIGN)
        into = f.at(result, n * op.dwords * L.ROW) if result is not None else None
        data = h.slot(DATA0 + n)
        atomic_lanes(h, op, h.exec_bits(), data, into, second, flushed=flushed)
    h.next()
