"""The native part that is no instruction: address search and wave set-up.

`asmevo_resolve` searches the region table for the lanes of one access; `asmevo_setup` makes a
wave's start. The scheduler is in `schedule`, the look for waves that make no progress in `spin`.
"""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.native.ir import Fn, Module
from asmevo.emulate.native.loops import CountedLoop
from asmevo.emulate.sanitize.pending import CARRIED_COUNT, NOTED
from asmevo.emulate.sanitize.shadow_layout import AREA_SIZE

# Fields of the launch context (all 8 bytes).
(
    C_STATES,  # ptr to resident * waves state pointers
    C_WAVES,  # waves per workgroup
    C_RESIDENT,  # workgroups resident at once
    C_GROUPS,  # ptr to (x, y, z, number) u32 quadruples, in launch order
    C_GROUP_COUNT,
    C_VGPRS,  # ptr to junk rows for VGPRs
    C_VGPR_BYTES,
    C_AGPRS,
    C_AGPR_BYTES,
    C_TAIL,  # ptr to the image of everything from SGPRS on
    C_TAIL_BYTES,
    C_IDS,  # ptr: per wave three rows of work-item ids
    C_ID_ROWS,  # 1 (packed) or 1..3 rows to copy
    C_EXEC,  # ptr to u64 initial EXEC per wave
    C_SGPR_X,  # state offset of the workgroup id, or -1
    C_SGPR_Y,
    C_SGPR_Z,
    C_LDS,  # ptr to resident LDS blocks
    C_LDS_STRIDE,
    C_LDS_IMAGE,  # ptr to junk
    C_LDS_BYTES,
    C_TICKS,  # quantum of interleaved schedules (large otherwise)
    C_SHUFFLE,  # xorshift state for shuffled wave order, or 0
    C_TRACE,  # ptr, u32 per block entry
    C_TRACE_CAPACITY,  # entries per wave
    C_TRACE_PLACES,  # ptr to i32 per workgroup: its place among the traced ones, or -1; or null
    C_TRACE_LENGTHS,  # ptr to u64 per traced wave
    C_TOUCHES,  # ptr, room for the touch entries of the traced waves
    C_TOUCH_CAPACITY,  # u64 words per wave
    C_TOUCH_LENGTHS,  # ptr to u64 per traced wave
    C_PATHS,  # out: ptr to (u64 instructions, u64 hash of the paths) per workgroup, or null
    C_EXECUTED,  # out: wave instructions
    C_FAULT_STATE,  # out: ptr of the state that stopped the run
    C_FAULT_GROUP,  # out: number of its workgroup
    C_PRIVATE,  # ptr to scratch of the resident waves
    C_PRIVATE_STRIDE,  # bytes per wave
    C_START,  # ptr to the first record
    C_SHADOW_LDS,  # ptr to the LDS areas of the resident workgroups, or null
    C_PENDING,  # ptr to the queues of the resident waves, or null
    C_PENDING_STRIDE,  # bytes per wave
    C_REPORTS,  # ptr to the report buffer, or null
    C_FAIR,  # whether waves take turns, so that one that waits for another is no fault
    C_SLICE,  # instructions between two looks at whether a wave makes progress; 0 for never
    C_STEP,  # instructions of the longest block: what one step of such a look may take
    C_BUDGET,  # most instructions of one wave
    C_SPIN_COPY,  # ptr to room for a wave's registers
    C_STUCK,  # looks since a wave last made progress
    C_HELD,  # ptr to the held stores of the resident waves, or null
    C_HELD_STRIDE,  # bytes per wave
) = range(0, 49 * 8, 8)
CONTEXT_SIZE = 49 * 8

DONE, STOPPED = range(2)


def memcpy(f: Fn, to: str, source: str, size: str) -> None:
    """Copy `size` (i64) bytes that do not overlap."""
    f.module.declare("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    f.emit(f"call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {source}, i64 {size}, i1 false)")


def emit_resolve(module: Module) -> None:
    """`i32 asmevo_resolve(state, record, lanes, size, permission)`."""
    f = Fn(
        module,
        "asmevo_resolve",
        "ptr %st, ptr %rec, i64 %mask, i64 %size, i64 %permission",
        "i32",
        noinline=True,
    )
    regions = f.load("ptr", f.at("%st", L.REGIONS), 8)
    count = f.load("i64", f.at("%st", L.REGION_COUNT), 8)
    bad = f.op("alloca i64")
    f.store("i64", "0", bad, 8)
    with CountedLoop(f, str(f.lanes), "lane") as lane:
        bit = f.op(f"and i64 {f.op(f'lshr i64 %mask, {lane.i}')}, 1")
        work = f.label("work")
        f.cond(f.op(f"icmp ne i64 {bit}, 0"), work, lane.step)
        f.place(work)
        slot = f.at(f.at("%st", L.HOST), f.op(f"mul i64 {lane.i}, 8"))
        address = f.load("i64", slot, 8)
        with CountedLoop(f, count, "region") as region:
            entry = f.at(regions, f.op(f"mul i64 {region.i}, {L.REGION_SIZE}"))
            base = f.load("i64", f.at(entry, L.REGION_BASE), 8)
            size = f.load("i64", f.at(entry, L.REGION_BYTES), 8)
            flags = f.load("i64", f.at(entry, L.REGION_FLAGS), 8)
            offset = f.op(f"sub i64 {address}, {base}")
            inside = f.op(f"icmp ult i64 {offset}, {size}")
            enough = f.op(f"icmp uge i64 {f.op(f'sub i64 {size}, {offset}')}, %size")
            allowed = f.op(f"icmp ne i64 {f.op(f'and i64 {flags}, %permission')}, 0")
            ok = f.op(f"and i1 {f.op(f'and i1 {inside}, {enough}')}, {allowed}")
            hit = f.label("hit")
            f.cond(ok, hit, region.step)
            f.place(hit)
            delta = f.load("i64", f.at(entry, L.REGION_DELTA), 8)
            f.store("i64", f.op(f"add i64 {address}, {delta}"), slot, 8)
            f.store("ptr", entry, f.at("%rec", L.R_REGION), 8)
            f.br(lane.step)
            dead = f.label("dead")
            f.place(dead)
        so_far = f.load("i64", bad, 8)
        first = f.op(f"icmp eq i64 {so_far}, 0")
        note, more = f.label("note"), f.label("more")
        f.cond(first, note, more)
        f.place(note)
        f.store("i64", address, f.at("%st", L.FAULT_ADDRESS), 8)
        f.br(more)
        f.place(more)
        f.store("i64", f.op(f"or i64 {so_far}, {f.op(f'shl i64 1, {lane.i}')}"), bad, 8)
    lanes = f.load("i64", bad, 8)
    none, some = f.label("none"), f.label("some")
    f.cond(f.op(f"icmp eq i64 {lanes}, 0"), none, some)
    f.place(none)
    f.ret("i32 0")
    f.place(some)
    is_load = f.op(f"icmp eq i64 %permission, {L.READABLE}")
    kind = f.op(f"select i1 {is_load}, i32 {L.LOAD_FAULT}, i32 {L.STORE_FAULT}")
    f.store("i32", kind, f.at("%st", L.FAULT))
    f.store("i64", lanes, f.at("%st", L.FAULT_LANES), 8)
    f.ret("i32 1")
    f.finish()


def context(f: Fn, field: int, kind: str = "i64") -> str:
    """Load a field of the launch context."""
    return f.load(kind, f.at("%ctx", field), 8)


def trace_place(f: Fn, number: str) -> str:
    """Place of workgroup `number` (i64) among the traced ones, -1 for none (i64)."""
    places = context(f, C_TRACE_PLACES, "ptr")
    look, none, known = f.label("look"), f.label("untraced"), f.label("placed")
    f.cond(f.op(f"icmp eq ptr {places}, null"), none, look)
    f.place(look)
    place = f.load("i32", f.at(places, f.op(f"mul i64 {number}, 4")))
    wide = f.op(f"sext i32 {place} to i64")
    f.br(known)
    f.place(none)
    f.br(known)
    f.place(known)
    return f.phi("i64", [(wide, look), ("-1", none)])


def emit_setup(module: Module) -> None:
    """`void asmevo_setup(ctx, state, group quadruple, wave, resident slot)`: one wave's start."""
    f = Fn(
        module, "asmevo_setup", "ptr %ctx, ptr %st, ptr %group, i64 %wave, i64 %slot", noinline=True
    )
    memcpy(f, "%st", context(f, C_VGPRS, "ptr"), context(f, C_VGPR_BYTES))
    memcpy(f, f.at("%st", L.agpr(0)), context(f, C_AGPRS, "ptr"), context(f, C_AGPR_BYTES))
    memcpy(f, f.at("%st", L.SGPRS), context(f, C_TAIL, "ptr"), context(f, C_TAIL_BYTES))
    rows = f.at(context(f, C_IDS, "ptr"), f.op(f"mul i64 %wave, {3 * L.ROW}"))
    memcpy(f, "%st", rows, f.op(f"mul i64 {context(f, C_ID_ROWS)}, {L.ROW}"))
    mask = f.load("i64", f.at(context(f, C_EXEC, "ptr"), f.op("mul i64 %wave, 8")), 8)
    f.store("i64", mask, f.at("%st", L.EXEC))
    f.store("i32", f.op("trunc i64 %wave to i32"), f.at("%st", L.WAVE_NUMBER))
    for n, field in enumerate((C_SGPR_X, C_SGPR_Y, C_SGPR_Z)):
        offset = context(f, field)
        put, skip = f.label("put"), f.label("skip")
        f.cond(f.op(f"icmp sge i64 {offset}, 0"), put, skip)
        f.place(put)
        f.store("i32", f.load("i32", f.at("%group", 4 * n)), f.at("%st", offset))
        f.br(skip)
        f.place(skip)
    lds = f.at(context(f, C_LDS, "ptr"), f.op(f"mul i64 %slot, {context(f, C_LDS_STRIDE)}"))
    f.store("ptr", lds, f.at("%st", L.LDS_BASE), 8)
    waves = context(f, C_WAVES)
    in_all = f.op(f"add i64 {f.op(f'mul i64 %slot, {waves}')}, %wave")
    first = f.op(f"mul i64 {f.op(f'mul i64 %slot, {waves}')}, 8")
    f.store("ptr", f.at(context(f, C_STATES, "ptr"), first), f.at("%st", L.SIBLINGS), 8)
    private = f.at(
        context(f, C_PRIVATE, "ptr"), f.op(f"mul i64 {in_all}, {context(f, C_PRIVATE_STRIDE)}")
    )
    f.store("ptr", private, f.at("%st", L.PRIVATE), 8)
    shadow = f.at(context(f, C_SHADOW_LDS, "ptr"), f.op(f"mul i64 %slot, {AREA_SIZE}"))
    f.store("ptr", shadow, f.at("%st", L.SHADOW_LDS), 8)
    f.store("i32", "1", f.at("%st", L.EPOCH))
    f.store("i32", f.load("i32", f.at("%group", 12)), f.at("%st", L.GROUP))
    queues = context(f, C_PENDING, "ptr")
    queue = f.at(queues, f.op(f"mul i64 {in_all}, {context(f, C_PENDING_STRIDE)}"))
    f.store("ptr", queue, f.at("%st", L.PENDING), 8)
    clear, cleared = f.label("clear"), f.label("cleared")
    f.cond(f.op(f"icmp eq ptr {queues}, null"), cleared, clear)
    f.place(clear)
    f.store("i64", "0", queue, 8)
    for number in (NOTED, CARRIED_COUNT):
        f.store("i64", "0", f.at(queue, number), 8)
    f.br(cleared)
    f.place(cleared)
    held = context(f, C_HELD, "ptr")
    mine = f.at(held, f.op(f"mul i64 {in_all}, {context(f, C_HELD_STRIDE)}"))
    f.store("ptr", mine, f.at("%st", L.HELD), 8)
    empty, emptied = f.label("empty"), f.label("emptied")
    f.cond(f.op(f"icmp eq ptr {held}, null"), emptied, empty)
    f.place(empty)
    f.store("i64", "0", mine, 8)
    f.br(emptied)
    f.place(emptied)
    f.store("ptr", context(f, C_START, "ptr"), f.at("%st", L.RECORD), 8)
    f.store("i32", str(L.RUNNING), f.at("%st", L.STATUS))
    # Traced workgroups write their block numbers; the others have no room for any.
    number = f.op(f"zext i32 {f.load('i32', f.at('%group', 12))} to i64")
    place = trace_place(f, number)
    traced = f.op(f"icmp sge i64 {place}, 0")
    which = f.op(f"add i64 {f.op(f'mul i64 {place}, {waves}')}, %wave")
    for room, start, capacity, into, step in (
        (C_TRACE_CAPACITY, C_TRACE, L.TRACE_CAPACITY, L.TRACE, 4),
        (C_TOUCH_CAPACITY, C_TOUCHES, L.TOUCH_CAPACITY, L.TOUCHES, 8),
    ):
        entries = f.op(f"select i1 {traced}, i64 {context(f, room)}, i64 0")
        f.store("i64", entries, f.at("%st", capacity), 8)
        at = f.op(f"mul i64 {which}, {f.op(f'mul i64 {entries}, {step}')}")
        f.store("ptr", f.at(context(f, start, "ptr"), at), f.at("%st", into), 8)
    f.ret()
    f.finish()
