"""Helpers for buffer, global and scratch instructions, LDS-DMA and vector memory atomics."""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.helpers.memory import access, scratch
from asmevo.emulate.helpers.memory.atomics import atomic_lanes, check_alignment
from asmevo.emulate.native.helper import Helper
from asmevo.emulate.native.ir import LANE_SET, Module
from asmevo.emulate.native.variant import Variant, family
from asmevo.emulate.sanitize import held, pending, shadow
from asmevo.emulate.sanitize.touched import touch
from asmevo.isa.semantics.memory import MemoryOp, memory_op
from asmevo.timing.touches import MEMORY

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
        self.voffset: str | None = None  # i32s
        self.base: str | None = None  # i64 scalar part
        if self.mode in ("vaddr", "flat"):
            wide = h.source_wide(VADDR, "v")
            self.wide = f.op(f"add {f.i64s} {wide}, {h.splat(self.imm, 64)}")
            self.flat_base = wide  # before the offset: what the apertures are compared with
            if self.mode == "flat" and h.variant.option("late"):
                shared = scratch.in_aperture(h, wide, L.SHARED_BASE)
                h.set_field(L.FLAT_IN_LDS, f.op(f"and i64 {shared}, {self.bits}"))
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
        self.srd_base = srd_base
        self.records = f.op(f"zext i32 {word2} to i64")
        stride = f.op(f"and i64 {f.op(f'lshr i64 {low}, 48')}, {0x3FFF}")
        soffset = f.op(f"zext i32 {f.load('i32', h.slot(SOFFSET))} to i64")
        self.soffset = soffset
        self.base = f.op(f"add i64 {srd_base}, {soffset}")
        offen, idxen = h.variant.option("offen"), h.variant.option("idxen")
        # ADD_TID (word 3 bit 23) adds the lane number to the index; with SWIZZLE_ENABLE (word 1
        # bit 31) dwords of neighbouring lanes lie side by side.
        self.tid = f.op(f"icmp ne i32 {f.op(f'and i32 {word3}, {1 << 23}')}, 0")
        self.word3, self.low = word3, low
        pointer = h.slot(VADDR)
        imm32 = f.op(f"trunc i64 {self.imm} to i32")
        offset = "zeroinitializer"
        if offen:
            offset = h.row(f.at(pointer, L.ROW if idxen else 0))
        self.voffset = f.op(f"add {f.i32s} {offset}, {h.splat(imm32, 32)}")
        self.index = h.row(pointer) if idxen else None
        self.stride = stride

    def _scratch(self) -> None:
        h, f = self.h, self.h.fn
        row = h.source_row(VADDR, "v") if h.variant.option("vaddr") else "zeroinitializer"
        total = h.splat(f.op(f"trunc i64 {self.imm} to i32"), 32)
        if h.variant.option("saddr"):
            total = f.op(f"add {f.i32s} {total}, {h.source_row(SADDR, 's')}")
        self.voffset = f.op(f"add {f.i32s} {total}, {row}")

    def may_be_straight(self) -> bool:
        """Whether the contiguous path applies to this form at all."""
        return self.mode != "scratch" and not self.h.variant.option("idxen")

    @property
    def by_dword(self) -> bool:
        """Whether the dwords of one lane may lie apart (buffers, swizzled scratch)."""
        return self.mode in ("buffer", "scratch", "flat")

    def note(self) -> None:
        """Record what the lanes touch, where the clock asked for it."""
        h = self.h
        if h.variant.option("touch") and self.mode != "scratch":
            mask = self.in_range(0, self.size)
            touch(h, self.device_addresses(), mask, self.size, MEMORY)

    # --- contiguous path ---------------------------------------------------------------------
    def fast_path(self, permission: int, miss: str) -> str:
        """Host pointer when all lanes are active and consecutive; else branches to `miss`."""
        h, f, size = self.h, self.h.fn, self.size
        if self.mode in ("vaddr", "flat"):
            start = f.op(f"extractelement {f.i64s} {self.wide}, i64 0")
            expected = f.op(f"add {f.i64s} {h.splat(start, 64)}, {access.scale_lanes(h, size, 64)}")
            same = f.op(f"icmp eq {f.i64s} {self.wide}, {expected}")
            ok = h.is_full(self.bits)
        else:
            assert self.voffset is not None
            assert self.base is not None
            first = f.op(f"extractelement {f.i32s} {self.voffset}, i64 0")
            expected = f.op(f"add {f.i32s} {h.splat(first, 32)}, {access.scale_lanes(h, size)}")
            same = f.op(f"icmp eq {f.i32s} {self.voffset}, {expected}")
            wide = f.op(f"zext i32 {first} to i64")
            start = f.op(f"add i64 {self.base}, {wide}")
            no_wrap = f.op(f"icmp ule i32 {first}, {-((h.lanes - 1) * size) - 1}")
            ok = f.op(f"and i1 {no_wrap}, {h.is_full(self.bits)}")
            if self.mode == "buffer":
                end = f.op(f"add i64 {f.op(f'add i64 {wide}, {self.soffset}')}, {f.lanes * size}")
                ok = f.op(f"and i1 {ok}, {f.op(f'icmp ule i64 {end}, {self.records}')}")
                ok = f.op(f"and i1 {ok}, {f.op(f'xor i1 {self.tid}, true')}")
        equal = h.is_full(h.bits(same))
        straight = f.label("straight")
        f.cond(f.op(f"and i1 {equal}, {ok}"), straight, miss, likely=True)
        f.place(straight)
        host = access.contiguous_host(h, start, f.lanes * size, permission, miss)
        if h.variant.option("shadow"):
            shadow.straight(h, host, f.lanes * size, shadow.flags_of(h.variant.name))
        return host

    def watch(self, hosts: str, mask: str, part: int | None = None) -> None:
        """Check the lanes of `mask` in shadow memory.

        With `part`, `hosts` are of that dword of each lane: lanes whose whole element is in range
        and contiguous are checked as a whole at dword 0, the others dword by dword.
        """
        h, f = self.h, self.h.fn
        if not h.variant.option("shadow") or self.mode == "scratch":
            return
        flags = shadow.flags_of(h.variant.name)
        if part is None or self.size <= 4:
            shadow.access(h, hosts, mask, self.size, flags)
            return
        whole = self.in_range(0, self.size)
        if self.mode == "buffer":
            whole = f.op(f"select i1 {self.tid}, i64 0, i64 {whole}")
        if part == 0:
            shadow.access(h, hosts, whole, self.size, flags)
        rest = f.op(f"and i64 {mask}, {f.op(f'xor i64 {whole}, -1')}")
        single, after = f.label("single"), f.label("watched")
        f.cond(f.op(f"icmp eq i64 {rest}, 0"), after, single, likely=True)
        f.place(single)
        shadow.access(h, hosts, rest, 4, flags)
        f.br(after)
        f.place(after)

    # --- general path --------------------------------------------------------------------------
    def device_addresses(self, at: int = 0) -> str:
        """Device addresses (i64s) of byte `at` of each lane's element."""
        h, f = self.h, self.h.fn
        if self.mode in ("vaddr", "flat"):
            if not at:
                return self.wide
            return f.op(f"add {f.i64s} {self.wide}, splat (i64 {at})")
        assert self.voffset is not None
        assert self.base is not None
        offset = f.op(f"zext {f.i32s} {self.voffset} to {f.i64s}")
        if at:
            offset = f.op(f"add {f.i64s} {offset}, splat (i64 {at})")
        total = f.op(f"add {f.i64s} {offset}, {h.splat(self.base, 64)}")
        if self.mode != "buffer":
            return total
        if self.index is not None:
            index = f.op(f"zext {f.i32s} {self.index} to {f.i64s}")
            scaled = f.op(f"mul {f.i64s} {index}, {h.splat(self.stride, 64)}")
            total = f.op(f"add {f.i64s} {total}, {scaled}")
        by_lane = self._by_lane(offset)
        return f.op(f"select i1 {self.tid}, {f.i64s} {by_lane}, {f.i64s} {total}")

    def _by_lane(self, offset: str) -> str:
        """Addresses of an ADD_TID buffer (GFX9: swizzled in elements of four bytes)."""
        h, f = self.h, self.h.fn
        assert self.base is not None
        lane = access.scale_lanes(h, 1, 64)
        # Formats are not looked at, so DATA_FORMAT extends the stride.
        more = f.op(f"and i32 {f.op(f'lshr i32 {self.word3}, 15')}, 15")
        high = f.op(f"shl i64 {f.op(f'zext i32 {more} to i64')}, 14")
        stride = h.splat(f.op(f"or i64 {self.stride}, {high}"), 64)
        swizzled = f.op(f"icmp slt i64 {self.low}, 0")
        index, linear_index, linear_stride = lane, lane, stride
        if self.index is not None:
            own = f.op(f"zext {f.i32s} {self.index} to {f.i64s}")
            index = f.op(f"add {f.i64s} {own}, {lane}")
            # Linear buffers with an index drop the lane number, and the longer stride with it.
            linear_index, linear_stride = own, h.splat(self.stride, 64)
        step = f.op(f"mul {f.i64s} {linear_index}, {linear_stride}")
        linear = f.op(f"add {f.i64s} {offset}, {step}")
        code = f.op(f"and i32 {f.op(f'lshr i32 {self.word3}, 21')}, 3")
        shift = f.op(f"add i64 {f.op(f'zext i32 {code} to i64')}, 3")
        group = h.splat(shift, 64)
        width = h.splat(f.op(f"shl i64 1, {shift}"), 64)
        inner = f.op(f"and {f.i64s} {index}, {f.op(f'sub {f.i64s} {width}, splat (i64 1)')}")
        outer = f.op(f"mul {f.i64s} {f.op(f'lshr {f.i64s} {index}, {group}')}, {stride}")
        element = f.op(f"and {f.i64s} {offset}, splat (i64 -4)")
        rows = f.op(f"shl {f.i64s} {f.op(f'add {f.i64s} {outer}, {element}')}, {group}")
        column = f.op(f"shl {f.i64s} {inner}, splat (i64 2)")
        byte = f.op(f"and {f.i64s} {offset}, splat (i64 3)")
        moved = f.op(f"or {f.i64s} {column}, {byte}")
        swizzle = f.op(f"add {f.i64s} {rows}, {moved}")
        chosen = f.op(f"select i1 {swizzled}, {f.i64s} {swizzle}, {f.i64s} {linear}")
        return f.op(f"add {f.i64s} {chosen}, {h.splat(self.base, 64)}")

    def in_range(self, at: int, size: int | str) -> str:
        """i64 bits of active lanes whose bytes [at, at+size) lie inside the buffer's records.

        GFX9 rule: with IDXEN and a stride the index is checked, otherwise the byte offset
        including soffset (semantics_traps: raw and structured buffer bounds).
        """
        h, f = self.h, self.h.fn
        if self.mode != "buffer":
            return self.bits
        assert self.voffset is not None
        offset = f.op(f"zext {f.i32s} {self.voffset} to {f.i64s}")
        reach = f.op(f"add i64 {self.soffset}, {size}")
        if at:
            reach = f.op(f"add i64 {reach}, {at}")
        end = f.op(f"add {f.i64s} {offset}, {h.splat(reach, 64)}")
        records = h.splat(self.records, 64)
        valid = f.op(f"icmp ule {f.i64s} {end}, {records}")
        if self.index is not None:
            index = f.op(f"zext {f.i32s} {self.index} to {f.i64s}")
            by_index = f.op(f"icmp ult {f.i64s} {index}, {records}")
            structured = f.op(f"icmp ne i64 {self.stride}, 0")
            valid = f.op(f"select i1 {structured}, {f.i1s} {by_index}, {f.i1s} {valid}")
        # ADD_TID without an index is not checked.
        inside = h.bits(valid)
        if self.index is None:
            inside = f.op(f"select i1 {self.tid}, i64 -1, i64 {inside}")
        return f.op(f"and i64 {inside}, {self.bits}")

    def hosts(self, mask: str, at: int, size: int | str, permission: int) -> str:
        """Host addresses of bytes [at, at+size) of each lane in `mask`."""
        h, f = self.h, self.h.fn
        if self.mode == "scratch":
            assert isinstance(size, int)
            assert self.voffset is not None
            offset = f.op(f"zext {f.i32s} {self.voffset} to {f.i64s}")
            if at:
                offset = f.op(f"add {f.i64s} {offset}, splat (i64 {at})")
            return scratch.lane_hosts(h, offset, mask, size)
        addresses = self.device_addresses(at)
        if self.mode == "flat":
            assert isinstance(size, int)
            return scratch.flat_hosts(h, self.flat_base, addresses, mask, size, permission)
        if self.mode != "buffer" or isinstance(size, str):
            return access.hosts(h, addresses, mask, size, permission)
        window = f.op(
            f"icmp eq i64 {f.op(f'lshr i64 {self.srd_base}, 40')}, {L.PRIVATE_WINDOW >> 40}"
        )
        private, memory, join = f.label("window"), f.label("memory"), f.label("found")
        f.cond(f.op(f"and i1 {self.tid}, {window}"), private, memory, likely=False)
        f.place(private)
        mine = scratch.window_hosts(h, addresses, mask, size)
        private_end = f.block
        f.br(join)
        f.place(memory)
        theirs = access.hosts(h, addresses, mask, size, permission)
        memory_end = f.block
        f.br(join)
        f.place(join)
        return f.phi(f.i64s, [(mine, private_end), (theirs, memory_end)])


def _load(h: Helper, op: MemoryOp, a: Addressing) -> None:
    f = h.fn
    pointer = h.slot(DATA)
    to_lds = h.variant.option("lds")
    general = f.label("general")
    if op.size >= 4 and not to_lds and a.may_be_straight():
        host = a.fast_path(L.READABLE, general)
        for d, row in enumerate(access.load_contiguous(h, host, op.dwords)):
            f.store(f.i32s, row, f.at(pointer, d * L.ROW), L.ROW_ALIGN)
        h.next()
    else:
        f.br(general)
    f.place(general)
    rows: list[str] = []
    if op.size < 4:
        valid = a.in_range(0, op.size)
        hosts = a.hosts(valid, 0, op.size, L.READABLE)
        a.watch(hosts, valid)
        element = f"i{8 * op.size}"
        raw = access.gather(h, hosts, 0, element, h.mask(valid), "zeroinitializer")
        old = h.row(pointer)
        rows.append(access.extend_loaded(h, raw, op.size, op.extend, op.signed, old))
    elif a.by_dword:
        if op.dwords in (2, 4) and a.mode == "buffer" and not to_lds:
            _load_whole(h, op, a)
        # Each dword is checked by itself: a partly out-of-range wide load returns zeros there.
        for d in range(op.dwords):
            valid = a.in_range(4 * d, 4)
            hosts = a.hosts(valid, 4 * d, 4, L.READABLE)
            a.watch(hosts, valid, d)
            rows.append(access.gather(h, hosts, 0, "i32", h.mask(valid), "zeroinitializer"))
    else:
        hosts = a.hosts(a.bits, 0, op.size, L.READABLE)
        a.watch(hosts, a.bits)
        rows = access.gather_rows(h, hosts, op.dwords, a.bits)
    if to_lds:
        _into_lds(h, rows, a)
        return
    # All address reads are done; only now may the destination (which can overlap) change.
    h.store_rows([(row, f.at(pointer, d * L.ROW)) for d, row in enumerate(rows)], a.bits)


def _all_in_range(h: Helper, op: MemoryOp, a: Addressing, other: str) -> None:
    """Continue if every active lane's element lies in a linear buffer as a whole."""
    f = h.fn
    valid = a.in_range(0, op.size)
    linear = f.op(f"xor i1 {a.tid}, true")
    every = f.op(f"and i1 {f.op(f'icmp eq i64 {valid}, {a.bits}')}, {linear}")
    whole = f.label("whole")
    f.cond(every, whole, other, likely=True)
    f.place(whole)


def _load_whole(h: Helper, op: MemoryOp, a: Addressing) -> None:
    """The usual wide buffer load: no element is cut by the end of the buffer."""
    f = h.fn
    other = f.label("cut")
    _all_in_range(h, op, a, other)
    hosts = access.hosts(h, a.device_addresses(), a.bits, op.size, L.READABLE)
    a.watch(hosts, a.bits)
    rows = access.gather_rows(h, hosts, op.dwords, a.bits)
    pointer = h.slot(DATA)
    h.store_rows([(row, f.at(pointer, d * L.ROW)) for d, row in enumerate(rows)], a.bits)
    f.place(other)


def _into_lds(h: Helper, rows: list[str], a: Addressing) -> None:
    """LDS-DMA: byte M0 + instruction offset + lane * size; inactive lanes write nothing."""
    f = h.fn
    step = 4 * len(rows)
    m0 = f.op(f"zext i32 {h.field(L.M0, 'i32')} to i64")
    start = f.op(f"add i64 {m0}, {a.imm}")
    # Up to the highest active lane.
    unused = f.call("i64", "llvm.ctlz.i64", f"i64 {a.bits}, i1 false", declare="i64, i1")
    used = f.op(f"mul i64 {f.op(f'sub i64 {LANE_SET}, {unused}')}, {step}")
    end = f.op(f"add i64 {start}, {used}")
    inside = f.op(f"icmp ule i64 {end}, {h.field(L.LDS_SIZE)}")
    idle = f.op(f"icmp eq i64 {a.bits}, 0")
    good, bad = f.label("inlds"), f.label("outlds")
    f.cond(f.op(f"or i1 {inside}, {idle}"), good, bad, likely=True)
    f.place(bad)
    h.fault(L.LDS_FAULT, a.bits, start)
    f.place(good)
    base = f.op(f"ptrtoint ptr {h.field(L.LDS_BASE, 'ptr')} to i64")
    first = f.op(f"add i64 {base}, {start}")
    lanes = f.op(f"add {f.i64s} {access.scale_lanes(h, step, 64)}, {h.splat(first, 64)}")
    if h.variant.option("shadow"):
        shadow.access(h, lanes, a.bits, step, shadow.WRITE, lds=True, hold=False)
    if h.variant.option("late"):
        pending.hold_lds(h, rows, start)
        h.next()
        return
    mask = h.mask(a.bits)
    for d, row in enumerate(rows):
        access.scatter(h, lanes, 4 * d, "i32", mask, row)
    h.next()


def _store(h: Helper, op: MemoryOp, a: Addressing) -> None:
    f = h.fn
    pointer = h.slot(DATA)
    if h.variant.option("held"):
        _hold(h, op, a, pointer)
        return
    rows = [h.row(f.at(pointer, d * L.ROW)) for d in range(op.dwords)]
    general = f.label("general")
    if op.size >= 4 and a.may_be_straight():
        host = a.fast_path(L.WRITABLE, general)
        access.store_contiguous(h, host, rows)
        h.next()
    else:
        f.br(general)
    f.place(general)
    if op.size < 4:
        valid = a.in_range(0, op.size)
        hosts = a.hosts(valid, 0, op.size, L.WRITABLE)
        a.watch(hosts, valid)
        value = access.narrow_stored(h, rows[0], op.size, op.extend == "hi")
        access.scatter(h, hosts, 0, f"i{8 * op.size}", h.mask(valid), value)
    elif a.by_dword:
        if op.dwords in (2, 4) and a.mode == "buffer":
            other = f.label("cut")
            _all_in_range(h, op, a, other)
            hosts = access.hosts(h, a.device_addresses(), a.bits, op.size, L.WRITABLE)
            a.watch(hosts, a.bits)
            access.scatter_rows(h, hosts, rows, a.bits)
            h.next()
            f.place(other)
        for d, row in enumerate(rows):
            valid = a.in_range(4 * d, 4)
            hosts = a.hosts(valid, 4 * d, 4, L.WRITABLE)
            a.watch(hosts, valid, d)
            access.scatter(h, hosts, 0, "i32", h.mask(valid), row)
    else:
        hosts = a.hosts(a.bits, 0, op.size, L.WRITABLE)
        a.watch(hosts, a.bits)
        access.scatter_rows(h, hosts, rows, a.bits)
    h.next()


def _hold(h: Helper, op: MemoryOp, a: Addressing, pointer: str) -> None:
    """A store that other workgroups see later."""
    f = h.fn
    if op.size >= 4 and a.by_dword:
        for d in range(op.dwords):
            valid = a.in_range(4 * d, 4)
            hosts = a.hosts(valid, 4 * d, 4, L.WRITABLE)
            held.hold(h, hosts, valid, f.at(pointer, d * L.ROW), 1, 4, high=False)
    else:
        valid = a.in_range(0, op.size)
        hosts = a.hosts(valid, 0, op.size, L.WRITABLE)
        held.hold(h, hosts, valid, pointer, op.dwords, op.size, high=op.extend == "hi")
    h.next()


@family("vmem")
def emit_vector_memory(module: Module, variant: Variant) -> None:
    """A buffer, global or scratch load, store or atomic."""
    op = memory_op(variant.name)
    assert op is not None, variant
    h = Helper(module, variant)
    a = Addressing(h, op.size)
    a.note()
    if op.action == "load":
        _load(h, op, a)
    elif op.action == "store":
        _store(h, op, a)
    else:
        valid = a.in_range(0, op.size)
        check_alignment(h, a.device_addresses(), 64, op.size, valid)
        hosts = a.hosts(valid, 0, op.size, L.WRITABLE)
        a.watch(hosts, valid)
        h.fn.store(h.fn.i64s, hosts, h.fn.at("%st", L.HOST), L.ROW_ALIGN)
        if variant.option("held"):
            held.settle(h, valid, op.size)
        result = None
        if variant.option("returns"):
            result = h.slot(RESULT)
        flushed = bool(variant.option("flush"))
        atomic_lanes(h, op, valid, h.slot(DATA), result, flushed=flushed)
        h.next()
    h.finish()
