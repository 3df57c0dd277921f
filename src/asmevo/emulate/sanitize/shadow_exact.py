"""The exact part of shadow memory: one granule after the other, and the reports."""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.native.ir import Fn, Module
from asmevo.emulate.native.loops import CountedLoop
from asmevo.emulate.sanitize.pending import CARRIED_COUNT, CARRIED_LIST
from asmevo.emulate.sanitize.shadow_layout import (
    A_BYTES,
    A_DEVICE,
    A_HOST,
    A_READS,
    A_SHIFT,
    A_UNDEFINED,
    A_WRITES,
    AREA_SIZE,
    ATOMIC,
    CARRIED,
    EPOCH_SHIFT,
    GLOBAL_SPACE,
    INDEX_BITS,
    LDS,
    LDS_SPACE,
    MANY,
    MANY_GROUPS,
    MEMORY,
    OUTSTANDING,
    P_ADDRESS,
    P_COUNT,
    P_FIRST,
    P_GROUP,
    P_KIND,
    P_OTHER,
    P_SECOND,
    P_SPACE,
    P_WAVES,
    READ,
    READ_AFTER_WRITE,
    REPORT_CAPACITY,
    REPORT_HEAD,
    REPORT_SIZE,
    UNINITIALIZED,
    WAVE_SHIFT,
    WRITE,
    WRITE_AFTER_READ,
    WRITE_AFTER_WRITE,
    Space,
)

NOTE, AREA, EXACT = "asmevo_note", "asmevo_area", "asmevo_exact"
TAKEN = "asmevo_taken"


def emit_note(module: Module) -> None:
    """`void asmevo_note(state, kind, first, second, space, address, waves, other group)`."""
    f = Fn(
        module,
        NOTE,
        "ptr %st, i32 %kind, i32 %first, i32 %second, i32 %space, i64 %address, i32 %waves, "
        "i32 %other",
        noinline=True,
    )
    reports = f.load("ptr", f.at("%st", L.REPORTS), 8)
    count = f.load("i64", reports, 8)
    group = f.load("i32", f.at("%st", L.GROUP))
    apart = f.op(f"icmp ne i32 {group}, %other")
    with CountedLoop(f, count, "seen") as seen:
        entry = f.at(f.at(reports, REPORT_HEAD), f.op(f"mul i64 {seen.i}, {REPORT_SIZE}"))
        there = f.load("i32", f.at(entry, P_GROUP)), f.load("i32", f.at(entry, P_OTHER))
        same = f.op(f"icmp eq i1 {f.op(f'icmp ne i32 {there[0]}, {there[1]}')}, {apart}")
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
    for field, value in (
        (P_KIND, "%kind"),
        (P_FIRST, "%first"),
        (P_SECOND, "%second"),
        (P_SPACE, "%space"),
        (P_GROUP, group),
        (P_WAVES, "%waves"),
        (P_OTHER, "%other"),
    ):
        f.store("i32", value, f.at(entry, field))
    f.store("i64", "%address", f.at(entry, P_ADDRESS), 8)
    f.store("i64", "1", f.at(entry, P_COUNT), 8)
    f.store("i64", f.op(f"add i64 {count}, 1"), reports, 8)
    f.ret()
    f.finish()


def emit_taken(module: Module) -> None:
    """`i32 asmevo_taken(state, wave, index)`: OUTSTANDING or 0.

    Whether that wave of this workgroup took an access of the instruction over the last barrier.
    """
    f = Fn(module, TAKEN, "ptr %st, i32 %wave, i32 %index", "i32", noinline=True)
    at = f.op(f"mul i64 {f.op('zext i32 %wave to i64')}, 8")
    other = f.load("ptr", f.at(f.load("ptr", f.at("%st", L.SIBLINGS), 8), at), 8)
    queue = f.load("ptr", f.at(other, L.PENDING), 8)
    follow, none = f.label("follow"), f.label("none")
    f.cond(f.op(f"icmp eq ptr {queue}, null"), none, follow)
    f.place(follow)
    count = f.load("i64", f.at(queue, CARRIED_COUNT), 8)
    with CountedLoop(f, count, "taken") as each:
        where = f.at(f.at(queue, CARRIED_LIST), f.op(f"mul i64 {each.i}, 4"))
        found = f.label("found")
        f.cond(f.op(f"icmp eq i32 {f.load('i32', where)}, %index"), found, each.step)
        f.place(found)
        f.ret(f"i32 {OUTSTANDING}")
        f.place(f.label("dead"))
    f.br(none)
    f.place(none)
    f.ret("i32 0")
    f.finish()


def emit_area(module: Module) -> None:
    """`ptr asmevo_area(state, record, host)`: the area of a host address, or null."""
    f = Fn(module, AREA, "ptr %st, ptr %rec, i64 %host", "ptr", noinline=True)
    table = f.load("ptr", f.at("%st", L.SHADOW_TABLE), 8)

    def inside(area: str) -> str:
        base = f.load("i64", f.at(area, A_HOST), 8)
        size = f.load("i64", f.at(area, A_BYTES), 8)
        return f.op(f"icmp ult i64 {f.op(f'sub i64 %host, {base}')}, {size}")

    def try_one(area: str) -> None:
        hit, miss = f.label("hit"), f.label("miss")
        f.cond(inside(area), hit, miss)
        f.place(hit)
        f.ret(f"ptr {area}")
        f.place(miss)

    region = f.load("ptr", f.at("%rec", L.R_REGION), 8)
    number = f.load("i64", f.at(region, L.REGION_ID), 8)
    try_one(f.at(table, f.op(f"mul i64 {number}, {AREA_SIZE}")))
    try_one(f.load("ptr", f.at("%st", L.SHADOW_LDS), 8))
    count = f.load("i64", f.at("%st", L.REGION_COUNT), 8)
    with CountedLoop(f, count, "region") as each:
        area = f.at(table, f.op(f"mul i64 {each.i}, {AREA_SIZE}"))
        hit = f.label("hit")
        f.cond(inside(area), hit, each.step)
        f.place(hit)
        f.ret(f"ptr {area}")
        f.place(f.label("dead"))
    f.ret("ptr null")
    f.finish()


def emit_exact(module: Module) -> None:
    """`void asmevo_exact(state, record, area, host, size, flags)`: check, report, update."""
    for space in (LDS, MEMORY):
        _Granules(module, space).emit()
    f = Fn(
        module,
        EXACT,
        "ptr %st, ptr %rec, ptr %area, i64 %host, i64 %size, i64 %flags",
        noinline=True,
    )
    writes = f.load("ptr", f.at("%area", A_WRITES), 8)
    out, watched = f.label("out"), f.label("watched")
    f.cond(f.op(f"icmp eq ptr {writes}, null"), out, watched)
    f.place(watched)
    own = f.load("ptr", f.at("%st", L.SHADOW_LDS), 8)
    lds, memory = f.label("lds"), f.label("memory")
    f.cond(f.op(f"icmp eq ptr %area, {own}"), lds, memory)
    for label, space in ((lds, LDS), (memory, MEMORY)):
        f.place(label)
        f.emit(
            f"call void @{EXACT}_{space.name}(ptr %st, ptr %rec, ptr %area, i64 %host, i64 %size, "
            "i64 %flags)"
        )
        f.br(out)
    f.place(out)
    f.ret()
    f.finish()


class _Granules:
    """`asmevo_exact_SPACE` under construction: the values of one access, and one granule's work."""

    def __init__(self, module: Module, space: Space) -> None:
        self.space = space
        self.f = f = Fn(
            module,
            f"{EXACT}_{space.name}",
            "ptr %st, ptr %rec, ptr %area, i64 %host, i64 %size, i64 %flags",
            noinline=True,
        )
        self.shift = f.load("i64", f.at("%area", A_SHIFT), 8)
        offset = f.op(f"sub i64 %host, {f.load('i64', f.at('%area', A_HOST), 8)}")
        self.first = f.op(f"lshr i64 {offset}, {self.shift}")
        end = f.op(f"sub i64 {f.op(f'add i64 {offset}, %size')}, 1")
        last = f.op(f"lshr i64 {end}, {self.shift}")
        self.count = f.op(f"add i64 {f.op(f'sub i64 {last}, {self.first}')}, 1")
        self.device = f.load("i64", f.at("%area", A_DEVICE), 8)
        flag = f.load("i64", f.at("%area", A_UNDEFINED), 8)
        self.undefined = f.op(f"icmp ne i64 {flag}, 0")
        self.entries = {x: f.load("ptr", f.at("%area", x), 8) for x in (A_WRITES, A_READS)}
        tag = space.tag(f)
        self.new = self._wide(space.entry(f, tag))
        self.tag = self._wide(tag)
        self.index = f.load("i32", f.at("%rec", L.R_INDEX))
        self.wave = f.load("i32", f.at("%st", L.WAVE_NUMBER))
        self.group = f.load("i32", f.at("%st", L.GROUP))
        self.writes, self.reads = self._flagged(WRITE), self._flagged(READ)
        self.atomic = self._flagged(ATOMIC)
        self.fresh = f.op(f"xor i1 {self._flagged(CARRIED)}, true")
        self.plain_write = f.op(f"and i1 {self.writes}, {f.op(f'xor i1 {self.atomic}, true')}")
        self.plain_read = f.op(f"xor i1 {self.writes}, true")

    def _wide(self, value: str) -> str:
        if self.space.bits == 64:
            return value
        return self.f.op(f"zext {self.space.type} {value} to i64")

    def _flagged(self, bits: int) -> str:
        return self.f.op(f"icmp ne i64 {self.f.op(f'and i64 %flags, {bits}')}, 0")

    def emit(self) -> None:
        f, space = self.f, self.space
        with CountedLoop(f, self.count, "granule") as each:
            number = f.op(f"add i64 {self.first}, {each.i}")
            place = f.op(f"mul i64 {number}, {space.bits // 8}")
            at = {field: f.at(pointer, place) for field, pointer in self.entries.items()}
            w, r = (
                self._wide(f.load(space.type, at[x], space.bits // 8)) for x in (A_WRITES, A_READS)
            )
            address = f.op(f"add i64 {self.device}, {f.op(f'shl i64 {number}, {self.shift}')}")
            self._granule(w, r, at, address)
        f.ret()
        f.finish()

    def _granule(self, w: str, r: str, at: dict[int, str], address: str) -> None:
        """Check one granule against its last write `w` and reads `r`, and enter the access."""
        f = self.f
        # Against the last write.
        foreign_w, now_w, other_w = self._relation(w, False)
        several = f.op(f"or i1 {other_w}, {_bit(f, w, MANY_GROUPS)}")
        clash = f.op(f"or i1 {foreign_w}, {f.op(f'and i1 {now_w}, {several}')}")
        both = f.op(f"and i1 {_bit(f, w, MANY)}, {self.atomic}")
        clash = f.op(f"and i1 {clash}, {f.op(f'xor i1 {both}, true')}")
        kind = f.op(f"select i1 {self.writes}, i32 {WRITE_AFTER_WRITE}, i32 {READ_AFTER_WRITE}")
        self._report(clash, kind, w, foreign_w, address)
        # A plain write against the last reads; atomics are how waves signal that they have read.
        foreign_r, now_r, other_r = self._relation(r, True)
        several = f.op(f"or i1 {other_r}, {_bit(f, r, MANY)}")
        local_r = f.op(f"and i1 {now_r}, {several}")
        clash = f.op(f"or i1 {foreign_r}, {local_r}")
        when = f.op(f"and i1 {clash}, {self.plain_write}")
        self._report(when, str(WRITE_AFTER_READ), r, foreign_r, address)
        # Reading what nobody wrote.
        never = f.op(f"and i1 {f.op(f'icmp eq i64 {w}, 0')}, {self.undefined}")
        when = f.op(f"and i1 {never}, {self.reads}")
        self._report(when, str(UNINITIALIZED), self.new, "false", address)

        note_read, after_read = f.label("noteread"), f.label("afterread")
        f.cond(self.plain_read, note_read, after_read)
        f.place(note_read)
        many = f.op(f"select i1 {local_r}, i64 {MANY}, i64 0")
        groups = f.op(f"select i1 {foreign_r}, i64 {MANY_GROUPS}, i64 0")
        value = f.op(f"or i64 {self.new}, {f.op(f'or i64 {many}, {groups}')}")
        _put(f, self.space, value, at[A_READS])
        f.br(after_read)
        f.place(after_read)

        note_write, after_write = f.label("notewrite"), f.label("afterwrite")
        f.cond(self.writes, note_write, after_write)
        f.place(note_write)
        again = f.op(f"or i1 {foreign_w}, {f.op(f'and i1 {now_w}, {other_w}')}")
        again = f.op(f"or i1 {again}, {f.op(f'and i1 {now_w}, {_bit(f, w, MANY_GROUPS)}')}")
        several = f.op(f"select i1 {again}, i64 {MANY | MANY_GROUPS}, i64 {MANY}")
        flags = f.op(f"select i1 {self.atomic}, i64 {several}, i64 0")
        _put(f, self.space, f.op(f"or i64 {self.new}, {flags}"), at[A_WRITES])
        f.br(after_write)
        f.place(after_write)

    def _relation(self, entry: str, many_groups: bool) -> tuple[str, str, str]:
        """(another workgroup's, of this interval, by another wave) of an entry there."""
        f, space = self.f, self.space
        y = f.op(f"xor i64 {entry}, {self.tag}")
        there = f.op(f"icmp ne i64 {entry}, 0")
        foreign = "false"
        if space is MEMORY:
            foreign = f.op(f"icmp uge i64 {y}, {1 << space.group_shift}")
            if many_groups:
                foreign = f.op(f"or i1 {foreign}, {_bit(f, entry, MANY_GROUPS)}")
            foreign = f.op(f"and i1 {foreign}, {there}")
        now = f.op(f"icmp ult i64 {y}, {1 << EPOCH_SHIFT}")
        waves = f.op(f"icmp ne i64 {f.op(f'and i64 {y}, {15 << WAVE_SHIFT}')}, 0")
        return foreign, now, waves

    def _report(self, when: str, kind: str, entry: str, foreign: str, address: str) -> None:
        """Report a conflict with an entry, unless the access is only carried over a barrier."""
        f, space = self.f, self.space
        note, after = f.label("note"), f.label("after")
        f.cond(f.op(f"and i1 {when}, {self.fresh}"), note, after, likely=False)
        f.place(note)
        low = f.op(f"and i64 {entry}, {(1 << INDEX_BITS) - 1}")
        other_index = f.op(f"trunc i64 {f.op(f'sub i64 {low}, 1')} to i32")
        other_wave = f.op(f"and i64 {f.op(f'lshr i64 {entry}, {WAVE_SHIFT}')}, 15")
        other_wave = f.op(f"trunc i64 {other_wave} to i32")
        waves = f.op(f"or i32 {f.op(f'shl i32 {other_wave}, 16')}, {self.wave}")
        other_group = self.group
        if space is MEMORY:
            high = f.op(f"sub i64 {f.op(f'lshr i64 {entry}, {space.group_shift}')}, 1")
            high = f.op(f"trunc i64 {high} to i32")
            # Of several workgroups that read, the last may be this one.
            own = f.op(f"icmp eq i32 {high}, {self.group}")
            high = f.op(f"select i1 {own}, i32 -1, i32 {high}")
            other_group = f.op(f"select i1 {foreign}, i32 {high}, i32 {self.group}")
        if kind != str(UNINITIALIZED):
            old = f.call("i32", TAKEN, f"ptr %st, i32 {other_wave}, i32 {other_index}")
            old = f.op(f"select i1 {foreign}, i32 0, i32 {old}")
            kind = f.op(f"add i32 {kind}, {old}")
        where = LDS_SPACE if space is LDS else GLOBAL_SPACE
        f.emit(
            f"call void @{NOTE}(ptr %st, i32 {kind}, i32 {other_index}, i32 {self.index}, "
            f"i32 {where}, i64 {address}, i32 {waves}, i32 {other_group})"
        )
        f.br(after)
        f.place(after)


def _put(f: Fn, space: Space, value: str, pointer: str) -> None:
    if space.bits == 32:
        value = f.op(f"trunc i64 {value} to i32")
    f.store(space.type, value, pointer, space.bits // 8)


def _bit(f: Fn, value: str, bit: int) -> str:
    return f.op(f"icmp ne i64 {f.op(f'and i64 {value}, {bit}')}, 0")
