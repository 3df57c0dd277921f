"""Accesses that are outstanding when their wave passes a barrier (shadow memory and late loads).

s_barrier waits for nothing: an access whose completion no wait has proved may still happen behind
it, so it conflicts with what other waves do there. Every watched access is kept in a list of its
wave until a wait completes it by the rules of `pending`; when the workgroup's barrier opens, those
that are left enter shadow memory again in the new interval. LDS-DMA loads are followed by `early`.
"""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.native.helper import Helper
from asmevo.emulate.native.ir import Fn, Module
from asmevo.emulate.native.loops import CountedLoop
from asmevo.emulate.sanitize.pending import (
    CARRIED_COUNT,
    CARRIED_LIST,
    COMMIT,
    FLAT,
    FLAT_LDS,
    LDS,
    N_FLAGS,
    N_HOST,
    N_HOSTS,
    N_KIND,
    N_MASK,
    N_RECORD,
    N_SEQUENCE,
    N_SIZE,
    NO_WAIT,
    NOTE_SIZE,
    NOTED,
    NOTES,
    NOTES_CAPACITY,
    SMEM,
    VMEM,
)
from asmevo.emulate.sanitize.shadow_exact import AREA, EXACT
from asmevo.emulate.sanitize.shadow_layout import CARRIED

HOLD, CARRY = "asmevo_hold", "asmevo_carry"
CLASS_SHIFT = 8  # of a completion class + 1 in an access' flags; 0 is not to be kept


def class_of(h: Helper) -> int:
    """Completion class of the memory instruction that a helper executes."""
    family = h.variant.family
    if family in ("lds", "transpose", "lds_lane"):
        return LDS
    if family.startswith("smem"):
        return SMEM
    return FLAT if h.variant.option("mode") == "flat" else VMEM


def emit_hold(module: Module) -> None:
    """`void asmevo_hold(state, record, lanes, host, size, flags)`: keep an access in the list.

    With lanes 0 it is `size` bytes at `host`; otherwise the lanes' hosts stand in the state. An
    access that finds the list full is not followed.
    """
    f = Fn(
        module,
        HOLD,
        "ptr %st, ptr %rec, i64 %mask, i64 %host, i64 %size, i64 %flags",
        noinline=True,
    )
    queue = f.load("ptr", f.at("%st", L.PENDING), 8)
    number = f.at(queue, NOTED)
    full, room, put, out = (f.label(x) for x in ("full", "room", "put", "out"))
    count = f.load("i64", number, 8)
    f.cond(f.op(f"icmp ult i64 {count}, {NOTES_CAPACITY}"), room, full, likely=True)
    f.place(full)
    f.emit(f"call void @{COMMIT}(ptr %st, i64 {NO_WAIT}, i64 {NO_WAIT})")
    fewer = f.load("i64", number, 8)
    f.cond(f.op(f"icmp ult i64 {fewer}, {NOTES_CAPACITY}"), room, out)
    f.place(room)
    at = f.load("i64", number, 8)
    f.store("i64", f.op(f"add i64 {at}, 1"), number, 8)
    entry = f.at(f.at(queue, NOTES), f.op(f"mul i64 {at}, {NOTE_SIZE}"))
    kind = f.op(f"sub i64 {f.op(f'lshr i64 %flags, {CLASS_SHIFT}')}, 1")
    flat = f.op(f"icmp eq i64 {kind}, {FLAT}")
    in_lds = f.op(f"icmp ne i64 {f.load('i64', f.at('%st', L.FLAT_IN_LDS), 8)}, 0")
    kind = f.op(f"select i1 {f.op(f'and i1 {flat}, {in_lds}')}, i64 {FLAT_LDS}, i64 {kind}")
    # The record behind this one counts the operation.
    is_lds = f.op(f"icmp eq i64 {kind}, {LDS}")
    issued = [f.load("i64", f.at("%st", x), 8) for x in (L.LDS_ISSUED, L.VM_ISSUED)]
    sequence = f.op(f"select i1 {is_lds}, i64 {issued[0]}, i64 {issued[1]}")
    f.store("ptr", "%rec", f.at(entry, N_RECORD), 8)
    for field, value in (
        (N_SEQUENCE, f.op(f"add i64 {sequence}, 1")),
        (N_KIND, kind),
        (N_FLAGS, f.op(f"and i64 %flags, {(1 << CLASS_SHIFT) - 1}")),
        (N_SIZE, "%size"),
        (N_MASK, "%mask"),
        (N_HOST, "%host"),
    ):
        f.store("i64", value, f.at(entry, field), 8)
    f.cond(f.op("icmp eq i64 %mask, 0"), out, put)
    f.place(put)
    hosts = f.load(f.i64s, f.at("%st", L.HOST), L.ROW_ALIGN)
    f.store(f.i64s, hosts, f.at(entry, N_HOSTS), 8)
    f.br(out)
    f.place(out)
    f.ret()
    f.finish()


def emit_carry(module: Module) -> None:
    """`void asmevo_carry(state)`: what is outstanding happens in the new interval, too."""
    f = Fn(module, CARRY, "ptr %st", noinline=True)
    f.emit(f"call void @{COMMIT}(ptr %st, i64 {NO_WAIT}, i64 {NO_WAIT})")
    queue = f.load("ptr", f.at("%st", L.PENDING), 8)
    count = f.load("i64", f.at(queue, NOTED), 8)

    def enter(record: str, host: str, size: str, flags: str, done: str) -> None:
        area = f.call("ptr", AREA, f"ptr %st, ptr {record}, i64 {host}")
        known = f.label("known")
        f.cond(f.op(f"icmp eq ptr {area}, null"), done, known)
        f.place(known)
        f.emit(
            f"call void @{EXACT}(ptr %st, ptr {record}, ptr {area}, i64 {host}, i64 {size}, "
            f"i64 {flags})"
        )
        f.br(done)

    f.store("i64", count, f.at(queue, CARRIED_COUNT), 8)
    with CountedLoop(f, count, "note") as each:
        entry = f.at(f.at(queue, NOTES), f.op(f"mul i64 {each.i}, {NOTE_SIZE}"))
        record = f.load("ptr", f.at(entry, N_RECORD), 8)
        index = f.load("i32", f.at(record, L.R_INDEX))
        f.store("i32", index, f.at(f.at(queue, CARRIED_LIST), f.op(f"mul i64 {each.i}, 4")))
        mask, host, size, flags = (
            f.load("i64", f.at(entry, x), 8) for x in (N_MASK, N_HOST, N_SIZE, N_FLAGS)
        )
        flags = f.op(f"or i64 {flags}, {CARRIED}")
        run, lanes = f.label("run"), f.label("lanes")
        f.cond(f.op(f"icmp eq i64 {mask}, 0"), run, lanes)
        f.place(run)
        enter(record, host, size, flags, each.step)
        f.place(lanes)
        with CountedLoop(f, str(f.lanes), "lane") as lane:
            bit = f.op(f"and i64 {f.op(f'lshr i64 {mask}, {lane.i}')}, 1")
            active = f.label("active")
            f.cond(f.op(f"icmp ne i64 {bit}, 0"), active, lane.step)
            f.place(active)
            at = f.at(f.at(entry, N_HOSTS), f.op(f"mul i64 {lane.i}, 8"))
            enter(record, f.load("i64", at, 8), size, flags, lane.step)
            f.place(f.label("dead"))
    f.ret()
    f.finish()
