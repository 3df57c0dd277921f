"""Helpers for buffer, global and scratch instructions, LDS-DMA and vector memory atomics."""

from __future__ import annotations

from asmevo.emulate import access
from asmevo.emulate import layout as L
from asmevo.emulate.emit import I1X64, I32X64, I64X64, Helper, Variant, family
from asmevo.emulate.ir import Module
from asmevo.isa.semantics.memory import ATOMICS, MemoryOp, memory_op

# Record slots of a vector memory instruction.
DATA, VADDR, SADDR, SOFFSET, RESULT = range(5)


class Addressing:
    """Per-lane addresses of one instruction: what the fast and the general path need.

    Attributes:
        bits: EXEC (i64) as the active lanes.
    """

    def __init__(self, h: Helper, size: int) -> None:
        self.h = h
        self.size = size
        self.bits = h.exec_bits()
        f = h.fn
        self.mode: str = h.variant.option("mode")
        self.imm = h.imm()
        self.voffset: str | None = None  # <64 x i32>
        self.base: str | None = None  # i64 scalar part
        if self.mode == "vaddr":
            wide = h.source_wide(VADDR, "v")
            self.wide = f.op(f"add {I64X64} {wide}, {h.splat(self.imm, 64)}")
        elif self.mode == "saddr":
            self.voffset = h.source_row(VADDR, "v")
            saddr = f.load("i64", h.slot(SADDR))
            self.base = f.op(f"add i64 {saddr}, {self.imm}")
        elif self.mode == "buffer":
            self._buffer()
        else:
            self._scratch()

    # --- forms ----------------------------------------------------------------------------
    def _buffer(self) -> None:
        h, f = self.h, self.h.fn
        pointer = h.slot(SADDR)
        low = f.load("i64", pointer)
        word2 = f.load("i32", f.at(pointer, 8))
        word3 = f.load("i32", f.at(pointer, 12))
        srd_base = f.op(f"and i64 {low}, {(1 << 48) - 1}")
        self.records = f.op(f"zext i32 {word2} to i64")
        stride = f.op(f"and i64 {f.op(f'lshr i64 {low}, 48')}, {0x3FFF}")
        soffset = f.op(f"zext i32 {f.load('i32', h.slot(SOFFSET))} to i64")
        self.soffset = soffset
        self.base = f.op(f"add i64 {srd_base}, {soffset}")
        offen, idxen = h.variant.option("offen"), h.variant.option("idxen")
        # ADD_TID (word 3 bit 23) changes the address; no compiler output seen uses it.
        tid = f.op(f"and i32 {word3}, {1 << 23}")
        plain, odd = f.label("plain"), f.label("addtid")
        f.cond(f.op(f"icmp eq i32 {tid}, 0"), plain, odd, likely=True)
        f.place(odd)
        h.fault(L.DESCRIPTOR_FAULT)
        f.place(plain)
        pointer = h.slot(VADDR)
        imm32 = f.op(f"trunc i64 {self.imm} to i32")
        offset = "zeroinitializer"
        if offen:
            offset = h.row(f.at(pointer, L.ROW if idxen else 0))
        self.voffset = f.op(f"add {I32X64} {offset}, {h.splat(imm32, 32)}")
        self.index = h.row(pointer) if idxen else None
        self.stride = stride

    def _scratch(self) -> None:
        h, f = self.h, self.h.fn
        row = h.source_row(VADDR, "v") if h.variant.option("vaddr") else "zeroinitializer"
        total = h.splat(f.op(f"trunc i64 {self.imm} to i32"), 32)
        if h.variant.option("saddr"):
            total = f.op(f"add {I32X64} {total}, {h.source_row(SADDR, 's')}")
        self.voffset = f.op(f"add {I32X64} {total}, {row}")

    # --- contiguous path ---------------------------------------------------------------------
    def fast_path(self, permission: int, miss: str) -> str:
        """Host pointer when all 64 lanes are active and consecutive; else branches to `miss`."""
        h, f, size = self.h, self.h.fn, self.size
        if self.mode == "vaddr":
            first = f.op(f"extractelement {I64X64} {self.wide}, i64 0")
            expected = f.op(f"add {I64X64} {h.splat(first, 64)}, {access.scale_lanes(h, size, 64)}")
            same = f.op(f"icmp eq {I64X64} {self.wide}, {expected}")
            start = first
        else:
            assert self.voffset is not None and self.base is not None
            first = f.op(f"extractelement {I32X64} {self.voffset}, i64 0")
            expected = f.op(f"add {I32X64} {h.splat(first, 32)}, {access.scale_lanes(h, size)}")
            same = f.op(f"icmp eq {I32X64} {self.voffset}, {expected}")
            wide = f.op(f"zext i32 {first} to i64")
            start = f.op(f"add i64 {self.base}, {wide}")
        equal = f.op(f"icmp eq i64 {h.bits(same)}, -1")
        ok = f.op(f"and i1 {equal}, {h.is_full(self.bits)}")
        if self.mode != "vaddr":
            wraps = f.op(f"icmp ule i32 {first}, {-(63 * size) - 1}")
            ok = f.op(f"and i1 {ok}, {wraps}")
        if self.mode == "buffer":
            end = f.op(f"add i64 {wide}, {self.soffset}")
            end = f.op(f"add i64 {end}, {64 * size}")
            ok = f.op(f"and i1 {ok}, {f.op(f'icmp ule i64 {end}, {self.records}')}")
        straight = f.label("straight")
        f.cond(ok, straight, miss, likely=True)
        f.place(straight)
        return access.contiguous_host(h, start, 64 * size, permission, miss)

    # --- general path --------------------------------------------------------------------------
    def device_addresses(self) -> str:
        """<64 x i64> device addresses."""
        h, f = self.h, self.h.fn
        if self.mode == "vaddr":
            return self.wide
        assert self.voffset is not None and self.base is not None
        wide = f.op(f"zext {I32X64} {self.voffset} to {I64X64}")
        total = f.op(f"add {I64X64} {wide}, {h.splat(self.base, 64)}")
        if self.mode == "buffer" and self.index is not None:
            index = f.op(f"zext {I32X64} {self.index} to {I64X64}")
            scaled = f.op(f"mul {I64X64} {index}, {h.splat(self.stride, 64)}")
            total = f.op(f"add {I64X64} {total}, {scaled}")
        return total

    def in_range(self, at: int, size: int) -> str:
        """i64 bits of active lanes whose bytes [at, at+size) lie inside the buffer's records.

        GFX9 rule: with IDXEN and a stride the index is checked, otherwise the byte offset
        including soffset (semantics_traps: raw and structured buffer bounds).
        """
        h, f = self.h, self.h.fn
        if self.mode != "buffer":
            return self.bits
        assert self.voffset is not None
        offset = f.op(f"zext {I32X64} {self.voffset} to {I64X64}")
        end = f.op(
            f"add {I64X64} {offset}, {h.splat(f.op(f'add i64 {self.soffset}, {at + size}'), 64)}"
        )
        records = h.splat(self.records, 64)
        valid = f.op(f"icmp ule {I64X64} {end}, {records}")
        if self.index is not None:
            index = f.op(f"zext {I32X64} {self.index} to {I64X64}")
            by_index = f.op(f"icmp ult {I64X64} {index}, {records}")
            structured = f.op(f"icmp ne i64 {self.stride}, 0")
            valid = f.op(f"select i1 {structured}, {I1X64} {by_index}, {I1X64} {valid}")
        return f.op(f"and i64 {h.bits(valid)}, {self.bits}")

    def hosts(self, mask: str, at: int, size: int, permission: int) -> str:
        """Host addresses of bytes [at, at+size) of each lane in `mask`."""
        h, f = self.h, self.h.fn
        if self.mode == "scratch":
            return self._scratch_hosts(mask, at, size)
        addresses = self.device_addresses()
        if at:
            addresses = f.op(f"add {I64X64} {addresses}, splat (i64 {at})")
        return access.hosts(h, addresses, mask, size, permission)

    def _scratch_hosts(self, mask: str, at: int, size: int) -> str:
        h, f = self.h, self.h.fn
        assert self.voffset is not None
        offset = f.op(f"zext {I32X64} {self.voffset} to {I64X64}")
        if at:
            offset = f.op(f"add {I64X64} {offset}, splat (i64 {at})")
        per_lane = h.field(L.PRIVATE_SIZE)
        end = f.op(f"add {I64X64} {offset}, splat (i64 {size})")
        inside = f.op(f"icmp ule {I64X64} {end}, {h.splat(per_lane, 64)}")
        missing = f.op(f"and i64 {f.op(f'xor i64 {h.bits(inside)}, -1')}, {mask}")
        good, bad = f.label("private"), f.label("badprivate")
        f.cond(f.op(f"icmp eq i64 {missing}, 0"), good, bad, likely=True)
        f.place(bad)
        h.fault(L.SCRATCH_FAULT, missing)
        f.place(good)
        base = f.op(f"ptrtoint ptr {h.field(L.PRIVATE, 'ptr')} to i64")
        lanes = f.op(f"mul {I64X64} {access.scale_lanes(h, 1, 64)}, {h.splat(per_lane, 64)}")
        start = f.op(f"add {I64X64} {lanes}, {h.splat(base, 64)}")
        return f.op(f"add {I64X64} {start}, {offset}")


def _merge(h: Helper, value: str, old: str, written: str) -> str:
    return h.fn.op(f"select {I1X64} {h.mask(written)}, {I32X64} {value}, {I32X64} {old}")


def _load(h: Helper, op: MemoryOp, a: Addressing) -> None:
    f = h.fn
    pointer = h.slot(DATA)
    to_lds = h.variant.option("lds")
    general = f.label("general")
    if op.size >= 4 and a.mode != "scratch" and not to_lds and not h.variant.option("idxen"):
        host = a.fast_path(L.READABLE, general)
        for d, row in enumerate(access.load_contiguous(h, host, op.dwords)):
            f.store(I32X64, row, f.at(pointer, d * L.ROW), 64)
        h.next()
    else:
        f.br(general)
    f.place(general)
    rows: list[str] = []
    if op.size < 4:
        valid = a.in_range(0, op.size)
        hosts = a.hosts(valid, 0, op.size, L.READABLE)
        element = f"i{8 * op.size}"
        raw = access.gather(h, hosts, 0, element, h.mask(valid), "zeroinitializer")
        old = h.row(pointer)
        rows.append(access.extend_loaded(h, raw, op.size, op.extend, op.signed, old))
    elif a.mode == "buffer":
        # Each dword is checked by itself: a partly out-of-range wide load returns zeros there.
        for d in range(op.dwords):
            valid = a.in_range(4 * d, 4)
            hosts = a.hosts(valid, 4 * d, 4, L.READABLE)
            rows.append(access.gather(h, hosts, 0, "i32", h.mask(valid), "zeroinitializer"))
    else:
        hosts = a.hosts(a.bits, 0, op.size, L.READABLE)
        mask = h.mask(a.bits)
        rows = [
            access.gather(h, hosts, 4 * d, "i32", mask, "zeroinitializer") for d in range(op.dwords)
        ]
    if to_lds:
        _into_lds(h, rows, a)
        return
    # All address reads are done; only now may the destination (which can overlap) change.
    h.store_rows([(row, f.at(pointer, d * L.ROW)) for d, row in enumerate(rows)], a.bits)


def _into_lds(h: Helper, rows: list[str], a: Addressing) -> None:
    """LDS-DMA: byte M0 + instruction offset + lane * size; inactive lanes write nothing."""
    f = h.fn
    step = 4 * len(rows)
    m0 = f.op(f"zext i32 {h.field(L.M0, 'i32')} to i64")
    start = f.op(f"add i64 {m0}, {a.imm}")
    end = f.op(f"add i64 {start}, {64 * step}")
    good, bad = f.label("inlds"), f.label("outlds")
    f.cond(f.op(f"icmp ule i64 {end}, {h.field(L.LDS_SIZE)}"), good, bad, likely=True)
    f.place(bad)
    h.fault(L.LDS_FAULT, a.bits, start)
    f.place(good)
    base = f.op(f"ptrtoint ptr {h.field(L.LDS_BASE, 'ptr')} to i64")
    first = f.op(f"add i64 {base}, {start}")
    lanes = f.op(f"add {I64X64} {access.scale_lanes(h, step, 64)}, {h.splat(first, 64)}")
    mask = h.mask(a.bits)
    for d, row in enumerate(rows):
        access.scatter(h, lanes, 4 * d, "i32", mask, row)
    h.next()


def _store(h: Helper, op: MemoryOp, a: Addressing) -> None:
    f = h.fn
    pointer = h.slot(DATA)
    rows = [h.row(f.at(pointer, d * L.ROW)) for d in range(op.dwords)]
    general = f.label("general")
    if op.size >= 4 and a.mode != "scratch" and not h.variant.option("idxen"):
        host = a.fast_path(L.WRITABLE, general)
        access.store_contiguous(h, host, rows)
        h.next()
    else:
        f.br(general)
    f.place(general)
    if op.size < 4:
        valid = a.in_range(0, op.size)
        hosts = a.hosts(valid, 0, op.size, L.WRITABLE)
        value = access.narrow_stored(h, rows[0], op.size, op.extend == "hi")
        access.scatter(h, hosts, 0, f"i{8 * op.size}", h.mask(valid), value)
    elif a.mode == "buffer":
        for d, row in enumerate(rows):
            valid = a.in_range(4 * d, 4)
            hosts = a.hosts(valid, 4 * d, 4, L.WRITABLE)
            access.scatter(h, hosts, 0, "i32", h.mask(valid), row)
    else:
        hosts = a.hosts(a.bits, 0, op.size, L.WRITABLE)
        for d, row in enumerate(rows):
            access.scatter(h, hosts, 4 * d, "i32", h.mask(a.bits), row)
    h.next()


@family("vmem")
def emit_vector_memory(module: Module, variant: Variant) -> None:
    """A buffer, global or scratch load, store or atomic."""
    op = memory_op(variant.name)
    assert op is not None, variant
    h = Helper(module, variant)
    a = Addressing(h, op.size)
    if op.action == "load":
        _load(h, op, a)
    elif op.action == "store":
        _store(h, op, a)
    else:
        valid = a.in_range(0, op.size)
        hosts = a.hosts(valid, 0, op.size, L.WRITABLE)
        h.fn.store(I64X64, hosts, h.fn.at("%st", L.HOST), 64)
        result = None
        if variant.option("returns"):
            result = h.slot(RESULT)
        atomic_lanes(h, op, valid, h.slot(DATA), result)
        h.next()
    h.finish()


def atomic_lanes(
    h: Helper, op: MemoryOp, valid: str, data: str, result: str | None, second: str | None = None
) -> None:
    """Atomics lane by lane, lowest first, on the host addresses stored in the state.

    `data` points to the data row(s); for cmpswap the compare value follows the new one, for the
    LDS cmpst form `second` points to the new value and `data` to the compare value.
    """
    f = h.fn
    width = 8 * op.size
    t = f"i{width}"

    def lane_value(rows: str, lane: str, part: int = 0) -> str:
        low_at = f.op(f"mul i64 {lane}, 4")
        step = L.ROW * (op.size // 4)
        low = f.load("i32", f.at(f.at(rows, part * step), low_at))
        if width == 32:
            return low
        high = f.load("i32", f.at(f.at(rows, part * step + L.ROW), low_at))
        wide = f.op(f"shl i64 {f.op(f'zext i32 {high} to i64')}, 32")
        return f.op(f"or i64 {f.op(f'zext i32 {low} to i64')}, {wide}")

    loop, body, done, step = (f.label(x) for x in ("loop", "lane", "done", "step"))
    entry = f.block
    f.br(loop)
    f.place(loop)
    left_name, next_left = f.fresh("left"), f.fresh("left")
    f.emit(f"{left_name} = phi i64 [ {valid}, %{entry} ], [ {next_left}, %{step} ]")
    f.cond(f.op(f"icmp eq i64 {left_name}, 0"), done, body)
    f.place(body)
    lane = f.call("i64", "llvm.cttz.i64", f"i64 {left_name}, i1 true", declare="i64, i1")
    slot = f.op(f"mul i64 {lane}, 8")
    host = f.load("i64", f.at(f.at("%st", L.HOST), slot), 8)
    pointer = f.op(f"inttoptr i64 {host} to ptr")
    value = lane_value(data, lane)
    old_holder: str
    if op.atomic in ("cmpswap", "cmpst"):
        if op.atomic == "cmpswap":
            new, expected = value, lane_value(data, lane, 1)
        else:
            assert second is not None
            new, expected = lane_value(second, lane), value
        pair = f.op(
            f"cmpxchg ptr {pointer}, {t} {expected}, {t} {new} seq_cst seq_cst, align {op.size}"
        )
        old_holder = f.op(f"extractvalue {{ {t}, i1 }} {pair}, 0")
    else:
        retry, swapped = f.label("retry"), f.label("swapped")
        first = f.op(f"load atomic {t}, ptr {pointer} monotonic, align {op.size}")
        before = f.block
        f.br(retry)
        f.place(retry)
        old_holder, again = f.fresh("old"), f.fresh("seen")
        f.emit(f"{old_holder} = phi {t} [ {first}, %{before} ], [ {again}, %{retry} ]")
        if op.atomic == "mskor":
            assert second is not None
            keep = f.op(f"xor {t} {value}, -1")
            new = f.op(
                f"or {t} {f.op(f'and {t} {old_holder}, {keep}')}, {lane_value(second, lane)}"
            )
        else:
            old_value, new_data = h.s(old_holder, width), h.s(value, width)
            new = ATOMICS[op.atomic](old_value, new_data).raw
        pair = f.op(
            f"cmpxchg ptr {pointer}, {t} {old_holder}, {t} {new} seq_cst seq_cst, align {op.size}"
        )
        f.emit(f"{again} = extractvalue {{ {t}, i1 }} {pair}, 0")
        f.cond(f.op(f"extractvalue {{ {t}, i1 }} {pair}, 1"), swapped, retry, likely=True)
        f.place(swapped)
    if result is not None:
        at = f.op(f"mul i64 {lane}, 4")
        if width == 32:
            f.store("i32", old_holder, f.at(result, at))
        else:
            f.store("i32", f.op(f"trunc i64 {old_holder} to i32"), f.at(result, at))
            high = f.op(f"trunc i64 {f.op(f'lshr i64 {old_holder}, 32')} to i32")
            f.store("i32", high, f.at(f.at(result, L.ROW), at))
    f.br(step)
    f.place(step)
    minus = f.op(f"sub i64 {left_name}, 1")
    f.emit(f"{next_left} = and i64 {left_name}, {minus}")
    f.br(loop)
    f.place(done)
