"""Shadow memory: who wrote and who read each dword, for races and uninitialized reads.

Every LDS dword and every dword of a buffer has an entry with its last writer and last readers
(workgroup, wave, barrier interval, instruction, bytes). `asmevo_shadow` checks an access against
the entries and updates them. Two accesses conflict when they touch the same bytes from different
waves of one workgroup in one barrier interval, or from different workgroups, at least one of
them writes, and they are not both atomic. Ordering by atomics or by spinning is not known here,
so a finding between workgroups says "without a barrier", not more.
"""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.emit import I64X64, Helper
from asmevo.emulate.ir import Fn, Module
from asmevo.emulate.loops import CountedLoop
from asmevo.isa.semantics.memory import memory_op

READ, WRITE, ATOMIC = 1, 2, 4

# Entry fields (u32 each).
ENTRY_SIZE = 48
W_GROUP, W_WAVE, W_EPOCH, W_INDEX, W_BYTES, W_ATOMIC = range(0, 24, 4)
R_GROUP, R_WAVE, R_EPOCH, R_INDEX, R_BYTES, R_MANY = range(24, 48, 4)
_OTHER_WAVES, _OTHER_GROUPS = 1, 2  # bits of R_MANY

# Report kinds.
KINDS = (
    "none",
    "read after write by another wave",
    "write after write by another wave",
    "write after read by another wave",
    "uninitialized read",
    "waves wait at different barriers",
)
(NONE, READ_AFTER_WRITE, WRITE_AFTER_WRITE, WRITE_AFTER_READ, UNINITIALIZED, BARRIER) = range(6)

# Report buffer: a u64 count, then entries.
REPORT_CAPACITY = 512
REPORT_HEAD = 16
REPORT_SIZE = 48
P_KIND, P_FIRST, P_SECOND, P_SPACE, P_GROUP, P_WAVES = range(0, 24, 4)
P_ADDRESS, P_COUNT = 24, 32
LDS_SPACE, GLOBAL_SPACE = 0, 1

SHADOW, NOTE = "asmevo_shadow", "asmevo_note"


def flags_of(base: str) -> int:
    """What a memory mnemonic does: READ, WRITE or an atomic's READ | WRITE | ATOMIC."""
    op = memory_op(base)
    action = "load" if op is None else op.action
    return {"load": READ, "store": WRITE}.get(action, READ | WRITE | ATOMIC)


def access(h: Helper, hosts: str, mask: str, size: int, flags: int) -> None:
    """Emit the shadow check of one access at per-lane host addresses."""
    f = h.fn
    f.store(I64X64, hosts, f.at("%st", L.HOST), 64)
    f.module.declare(f"declare void @{SHADOW}(ptr, ptr, i64, i64, i64)")
    f.emit(f"call void @{SHADOW}(ptr %st, ptr %rec, i64 {mask}, i64 {size}, i64 {flags})")


def emit_note(module: Module) -> None:
    """`void asmevo_note(state, kind, first, second, space, address, waves)`: count a finding."""
    f = Fn(
        module,
        NOTE,
        "ptr %st, i32 %kind, i32 %first, i32 %second, i32 %space, i64 %address, i32 %waves",
        noinline=True,
    )
    reports = f.load("ptr", f.at("%st", L.REPORTS), 8)
    count = f.load("i64", reports, 8)
    with CountedLoop(f, count, "seen") as seen:
        entry = f.at(f.at(reports, REPORT_HEAD), f.op(f"mul i64 {seen.i}, {REPORT_SIZE}"))
        same = "true"
        for field, value in ((P_KIND, "%kind"), (P_FIRST, "%first"), (P_SECOND, "%second")):
            equal = f.op(f"icmp eq i32 {f.load('i32', f.at(entry, field))}, {value}")
            same = f.op(f"and i1 {same}, {equal}")
        known = f.label("known")
        f.cond(same, known, seen.step)
        f.place(known)
        times = f.at(entry, P_COUNT)
        f.store("i64", f.op(f"add i64 {f.load('i64', times, 8)}, 1"), times, 8)
        f.ret()
        f.place(f.label("dead"))
    room, full = f.label("room"), f.label("full")
    f.cond(f.op(f"icmp ult i64 {count}, {REPORT_CAPACITY}"), room, full)
    f.place(full)
    f.ret()
    f.place(room)
    entry = f.at(f.at(reports, REPORT_HEAD), f.op(f"mul i64 {count}, {REPORT_SIZE}"))
    group = f.load("i32", f.at("%st", L.GROUP))
    for field, value in (
        (P_KIND, "%kind"),
        (P_FIRST, "%first"),
        (P_SECOND, "%second"),
        (P_SPACE, "%space"),
        (P_GROUP, group),
        (P_WAVES, "%waves"),
    ):
        f.store("i32", value, f.at(entry, field))
    f.store("i64", "%address", f.at(entry, P_ADDRESS), 8)
    f.store("i64", "1", f.at(entry, P_COUNT), 8)
    f.store("i64", f.op(f"add i64 {count}, 1"), reports, 8)
    f.ret()
    f.finish()


class _Entry:
    """The shadow entry of one dword inside `asmevo_shadow`."""

    def __init__(self, f: Fn, pointer: str) -> None:
        self.f, self.pointer = f, pointer

    def get(self, field: int) -> str:
        """Load a field."""
        return self.f.load("i32", self.f.at(self.pointer, field))

    def set(self, field: int, value: str) -> None:
        """Store a field."""
        self.f.store("i32", value, self.f.at(self.pointer, field))


def emit_shadow(module: Module) -> None:
    """`void asmevo_shadow(state, record, lanes, size, flags)`; hosts stand in the state."""
    f = Fn(module, SHADOW, "ptr %st, ptr %rec, i64 %mask, i64 %size, i64 %flags", noinline=True)
    lds = f.op(f"ptrtoint ptr {f.load('ptr', f.at('%st', L.LDS_BASE), 8)} to i64")
    lds_size = f.load("i64", f.at("%st", L.LDS_SIZE), 8)
    regions = f.load("ptr", f.at("%st", L.REGIONS), 8)
    count = f.load("i64", f.at("%st", L.REGION_COUNT), 8)
    table = f.load("ptr", f.at("%st", L.SHADOW_TABLE), 8)
    entries, offset = f.op("alloca ptr"), f.op("alloca i64")
    address, space = f.op("alloca i64"), f.op("alloca i32")
    undefined = f.op("alloca i1")
    with CountedLoop(f, "64", "lane") as lane:
        bit = f.op(f"and i64 {f.op(f'lshr i64 %mask, {lane.i}')}, 1")
        work = f.label("work")
        f.cond(f.op(f"icmp ne i64 {bit}, 0"), work, lane.step)
        f.place(work)
        slot = f.at(f.at("%st", L.HOST), f.op(f"mul i64 {lane.i}, 8"))
        host = f.load("i64", slot, 8)
        in_lds, search, found = f.label("inlds"), f.label("search"), f.label("found")
        lds_offset = f.op(f"sub i64 {host}, {lds}")
        f.cond(f.op(f"icmp ult i64 {lds_offset}, {lds_size}"), in_lds, search)
        f.place(in_lds)
        f.store("ptr", f.load("ptr", f.at("%st", L.SHADOW_LDS), 8), entries, 8)
        f.store("i64", lds_offset, offset, 8)
        f.store("i64", lds_offset, address, 8)
        f.store("i32", str(LDS_SPACE), space)
        f.store("i1", "true", undefined, 1)
        f.br(found)
        f.place(search)
        with CountedLoop(f, count, "region") as region:
            entry = f.at(regions, f.op(f"mul i64 {region.i}, {L.REGION_SIZE}"))
            base = f.load("i64", f.at(entry, L.REGION_BASE), 8)
            delta = f.load("i64", f.at(entry, L.REGION_DELTA), 8)
            inside = f.op(f"sub i64 {host}, {f.op(f'add i64 {base}, {delta}')}")
            hit = f.label("hit")
            length = f.load("i64", f.at(entry, L.REGION_BYTES), 8)
            f.cond(f.op(f"icmp ult i64 {inside}, {length}"), hit, region.step)
            f.place(hit)
            shadow = f.load("ptr", f.at(table, f.op(f"mul i64 {region.i}, 8")), 8)
            f.store("ptr", shadow, entries, 8)
            f.store("i64", inside, offset, 8)
            f.store("i64", f.op(f"add i64 {base}, {inside}"), address, 8)
            f.store("i32", str(GLOBAL_SPACE), space)
            flags = f.load("i64", f.at(entry, L.REGION_FLAGS), 8)
            unset = f.op(f"icmp ne i64 {f.op(f'and i64 {flags}, {L.UNDEFINED}')}, 0")
            f.store("i1", unset, undefined, 1)
            known = f.label("known")
            f.cond(f.op(f"icmp eq ptr {shadow}, null"), lane.step, known)
            f.place(known)
            f.br(found)
            f.place(f.label("dead"))
        f.br(lane.step)
        f.place(found)
        start = f.load("i64", offset, 8)
        end = f.op(f"add i64 {start}, %size")
        first = f.op(f"lshr i64 {start}, 2")
        last = f.op(f"lshr i64 {f.op(f'sub i64 {end}, 1')}, 2")
        dwords = f.op(f"add i64 {f.op(f'sub i64 {last}, {first}')}, 1")
        with CountedLoop(f, dwords, "dword") as dword:
            number = f.op(f"add i64 {first}, {dword.i}")
            pointer = f.at(f.load("ptr", entries, 8), f.op(f"mul i64 {number}, {ENTRY_SIZE}"))
            low = f.op(f"shl i64 {number}, 2")
            mask = _byte_mask(f, start, end, low)
            _check(f, _Entry(f, pointer), mask, address, space, undefined)
    f.ret()
    f.finish()


def _byte_mask(f: Fn, start: str, end: str, low: str) -> str:
    """Bits of the bytes of the dword at `low` that [start, end) covers, as i32."""

    def clipped(value: str) -> str:
        relative = f.op(f"sub i64 {value}, {low}")
        below = f.op(f"icmp slt i64 {relative}, 0")
        above = f.op(f"icmp sgt i64 {relative}, 4")
        inner = f.op(f"select i1 {above}, i64 4, i64 {relative}")
        return f.op(f"select i1 {below}, i64 0, i64 {inner}")

    from_, to = clipped(start), clipped(end)
    high = f.op(f"sub i64 {f.op(f'shl i64 1, {to}')}, 1")
    less = f.op(f"sub i64 {f.op(f'shl i64 1, {from_}')}, 1")
    return f.op(f"trunc i64 {f.op(f'xor i64 {high}, {less}')} to i32")


def _check(f: Fn, entry: _Entry, mask: str, address: str, space: str, undefined: str) -> None:
    group = f.op(f"add i32 {f.load('i32', f.at('%st', L.GROUP))}, 1")
    wave = f.load("i32", f.at("%st", L.WAVE_NUMBER))
    epoch = f.load("i32", f.at("%st", L.EPOCH))
    index = f.load("i32", f.at("%rec", L.R_INDEX))
    writes = f.op(f"icmp ne i64 {f.op(f'and i64 %flags, {WRITE}')}, 0")
    reads = f.op(f"icmp ne i64 {f.op(f'and i64 %flags, {READ}')}, 0")
    atomic = f.op(f"icmp ne i64 {f.op(f'and i64 %flags, {ATOMIC}')}, 0")

    def concurrent(of_group: int, of_wave: int, of_epoch: int, many: str) -> str:
        """Whether the recorded access may run beside this one."""
        other_group = entry.get(of_group)
        present = f.op(f"icmp ne i32 {other_group}, 0")
        foreign = f.op(f"icmp ne i32 {other_group}, {group}")
        foreign = f.op(f"or i1 {foreign}, {_bit(f, many, _OTHER_GROUPS)}")
        now = f.op(f"icmp eq i32 {entry.get(of_epoch)}, {epoch}")
        other = f.op(f"icmp ne i32 {entry.get(of_wave)}, {wave}")
        other = f.op(f"or i1 {other}, {_bit(f, many, _OTHER_WAVES)}")
        local = f.op(f"and i1 {now}, {other}")
        return f.op(f"and i1 {present}, {f.op(f'or i1 {foreign}, {local}')}")

    def overlap(field: int) -> str:
        return f.op(f"icmp ne i32 {f.op(f'and i32 {entry.get(field)}, {mask}')}, 0")

    def report(when: str, kind: str, other_index: str, other_wave: str) -> None:
        note, after = f.label("note"), f.label("after")
        f.cond(when, note, after, likely=False)
        f.place(note)
        waves = f.op(f"or i32 {f.op(f'shl i32 {other_wave}, 16')}, {wave}")
        f.emit(
            f"call void @{NOTE}(ptr %st, i32 {kind}, i32 {other_index}, i32 {index}, "
            f"i32 {f.load('i32', space)}, i64 {f.load('i64', address, 8)}, i32 {waves})"
        )
        f.br(after)
        f.place(after)

    # Against the last write.
    clash = concurrent(W_GROUP, W_WAVE, W_EPOCH, "0")
    clash = f.op(f"and i1 {clash}, {overlap(W_BYTES)}")
    both = f.op(f"icmp ne i32 {entry.get(W_ATOMIC)}, 0")
    both = f.op(f"and i1 {both}, {atomic}")
    clash = f.op(f"and i1 {clash}, {f.op(f'xor i1 {both}, true')}")
    kind = f.op(f"select i1 {writes}, i32 {WRITE_AFTER_WRITE}, i32 {READ_AFTER_WRITE}")
    report(clash, kind, entry.get(W_INDEX), entry.get(W_WAVE))
    # A write against the last reads; atomics order themselves against plain reads often enough.
    plain = f.op(f"and i1 {writes}, {f.op(f'xor i1 {atomic}, true')}")
    clash = concurrent(R_GROUP, R_WAVE, R_EPOCH, entry.get(R_MANY))
    clash = f.op(f"and i1 {clash}, {overlap(R_BYTES)}")
    clash = f.op(f"and i1 {clash}, {plain}")
    report(clash, str(WRITE_AFTER_READ), entry.get(R_INDEX), entry.get(R_WAVE))
    # Reading what nobody wrote.
    never = f.op(f"icmp eq i32 {entry.get(W_GROUP)}, 0")
    never = f.op(f"and i1 {never}, {f.load('i1', undefined, 1)}")
    never = f.op(f"and i1 {never}, {reads}")
    report(never, str(UNINITIALIZED), index, wave)

    note_read, after_read = f.label("noteread"), f.label("afterread")
    f.cond(reads, note_read, after_read)
    f.place(note_read)
    same_group = f.op(f"icmp eq i32 {entry.get(R_GROUP)}, {group}")
    fresh = f.op(f"icmp eq i32 {entry.get(R_GROUP)}, 0")
    same_time = f.op(f"icmp eq i32 {entry.get(R_EPOCH)}, {epoch}")
    same_time = f.op(f"and i1 {same_time}, {same_group}")
    same_wave = f.op(f"icmp eq i32 {entry.get(R_WAVE)}, {wave}")
    more_waves = f.op(f"and i1 {same_time}, {f.op(f'xor i1 {same_wave}, true')}")
    kept = f.op(f"select i1 {same_time}, i32 {entry.get(R_MANY)}, i32 0")
    kept = f.op(f"or i32 {kept}, {f.op(f'zext i1 {more_waves} to i32')}")
    stranger = f.op(f"or i1 {same_group}, {fresh}")
    foreign = f.op(f"select i1 {stranger}, i32 0, i32 {_OTHER_GROUPS}")
    earlier = f.op(f"and i32 {entry.get(R_MANY)}, {_OTHER_GROUPS}")
    many = f.op(f"or i32 {f.op(f'or i32 {kept}, {foreign}')}, {earlier}")
    old_bytes = f.op(f"select i1 {same_time}, i32 {entry.get(R_BYTES)}, i32 0")
    entry.set(R_BYTES, f.op(f"or i32 {old_bytes}, {mask}"))
    entry.set(R_MANY, many)
    for field, value in ((R_GROUP, group), (R_WAVE, wave), (R_EPOCH, epoch), (R_INDEX, index)):
        entry.set(field, value)
    f.br(after_read)
    f.place(after_read)

    note_write, after_write = f.label("notewrite"), f.label("afterwrite")
    f.cond(writes, note_write, after_write)
    f.place(note_write)
    same = f.op(f"icmp eq i32 {entry.get(W_GROUP)}, {group}")
    for field, value in ((W_WAVE, wave), (W_EPOCH, epoch)):
        same = f.op(f"and i1 {same}, {f.op(f'icmp eq i32 {entry.get(field)}, {value}')}")
    old_bytes = f.op(f"select i1 {same}, i32 {entry.get(W_BYTES)}, i32 0")
    entry.set(W_BYTES, f.op(f"or i32 {old_bytes}, {mask}"))
    entry.set(W_ATOMIC, f.op(f"zext i1 {atomic} to i32"))
    for field, value in ((W_GROUP, group), (W_WAVE, wave), (W_EPOCH, epoch), (W_INDEX, index)):
        entry.set(field, value)
    f.br(after_write)
    f.place(after_write)


def _bit(f: Fn, value: str, bit: int) -> str:
    return f.op(f"icmp ne i32 {f.op(f'and i32 {value}, {bit}')}, 0")
