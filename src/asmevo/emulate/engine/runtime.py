"""The native part that is no instruction: address search, wave set-up and the wave scheduler.

`asmevo_resolve` searches the region table for the lanes of one access. `asmevo_run` takes a list
of workgroups, keeps a batch of them resident, and runs their waves round robin: each until it
yields (interleaved schedules), reaches a barrier, ends or faults.
"""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.native.ir import Fn, Module
from asmevo.emulate.native.loops import CountedLoop
from asmevo.emulate.sanitize.early import emit_early, emit_landed
from asmevo.emulate.sanitize.pending import emit_commit_function, emit_queue
from asmevo.emulate.sanitize.shadow import AGE, emit_shadow
from asmevo.emulate.sanitize.shadow_exact import NOTE
from asmevo.emulate.sanitize.shadow_layout import (
    A_BYTES,
    A_READS,
    A_SHIFT,
    A_WRITES,
    AREA_SIZE,
    BARRIER,
    LDS_INTERVALS,
)

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
    C_TRACE_GROUPS,  # number of workgroups traced
    C_TRACE_LENGTHS,  # ptr to u64 per traced wave
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
) = range(0, 37 * 8, 8)
CONTEXT_SIZE = 37 * 8

DONE, STOPPED, DEADLOCK = range(3)


def _memcpy(f: Fn, to: str, source: str, size: str) -> None:
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
    with CountedLoop(f, "64", "lane") as lane:
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


def _context(f: Fn, field: int, kind: str = "i64") -> str:
    return f.load(kind, f.at("%ctx", field), 8)


def emit_setup(module: Module) -> None:
    """`void asmevo_setup(ctx, state, group quadruple, wave, resident slot)`: one wave's start."""
    f = Fn(
        module, "asmevo_setup", "ptr %ctx, ptr %st, ptr %group, i64 %wave, i64 %slot", noinline=True
    )
    _memcpy(f, "%st", _context(f, C_VGPRS, "ptr"), _context(f, C_VGPR_BYTES))
    _memcpy(f, f.at("%st", L.agpr(0)), _context(f, C_AGPRS, "ptr"), _context(f, C_AGPR_BYTES))
    _memcpy(f, f.at("%st", L.SGPRS), _context(f, C_TAIL, "ptr"), _context(f, C_TAIL_BYTES))
    rows = f.at(_context(f, C_IDS, "ptr"), f.op(f"mul i64 %wave, {3 * L.ROW}"))
    _memcpy(f, "%st", rows, f.op(f"mul i64 {_context(f, C_ID_ROWS)}, {L.ROW}"))
    mask = f.load("i64", f.at(_context(f, C_EXEC, "ptr"), f.op("mul i64 %wave, 8")), 8)
    f.store("i64", mask, f.at("%st", L.EXEC))
    f.store("i32", f.op("trunc i64 %wave to i32"), f.at("%st", L.WAVE_NUMBER))
    for n, field in enumerate((C_SGPR_X, C_SGPR_Y, C_SGPR_Z)):
        offset = _context(f, field)
        put, skip = f.label("put"), f.label("skip")
        f.cond(f.op(f"icmp sge i64 {offset}, 0"), put, skip)
        f.place(put)
        f.store("i32", f.load("i32", f.at("%group", 4 * n)), f.at("%st", offset))
        f.br(skip)
        f.place(skip)
    lds = f.at(_context(f, C_LDS, "ptr"), f.op(f"mul i64 %slot, {_context(f, C_LDS_STRIDE)}"))
    f.store("ptr", lds, f.at("%st", L.LDS_BASE), 8)
    waves = _context(f, C_WAVES)
    in_all = f.op(f"add i64 {f.op(f'mul i64 %slot, {waves}')}, %wave")
    private = f.at(
        _context(f, C_PRIVATE, "ptr"), f.op(f"mul i64 {in_all}, {_context(f, C_PRIVATE_STRIDE)}")
    )
    f.store("ptr", private, f.at("%st", L.PRIVATE), 8)
    shadow = f.at(_context(f, C_SHADOW_LDS, "ptr"), f.op(f"mul i64 %slot, {AREA_SIZE}"))
    f.store("ptr", shadow, f.at("%st", L.SHADOW_LDS), 8)
    f.store("i32", "1", f.at("%st", L.EPOCH))
    f.store("i32", f.load("i32", f.at("%group", 12)), f.at("%st", L.GROUP))
    queues = _context(f, C_PENDING, "ptr")
    queue = f.at(queues, f.op(f"mul i64 {in_all}, {_context(f, C_PENDING_STRIDE)}"))
    f.store("ptr", queue, f.at("%st", L.PENDING), 8)
    clear, cleared = f.label("clear"), f.label("cleared")
    f.cond(f.op(f"icmp eq ptr {queues}, null"), cleared, clear)
    f.place(clear)
    f.store("i64", "0", queue, 8)
    f.br(cleared)
    f.place(cleared)
    f.store("ptr", _context(f, C_START, "ptr"), f.at("%st", L.RECORD), 8)
    f.store("i32", str(L.RUNNING), f.at("%st", L.STATUS))
    # Traced workgroups write their block numbers; the others have no room for any.
    number = f.op(f"zext i32 {f.load('i32', f.at('%group', 12))} to i64")
    traced = f.op(f"icmp ult i64 {number}, {_context(f, C_TRACE_GROUPS)}")
    capacity = f.op(f"select i1 {traced}, i64 {_context(f, C_TRACE_CAPACITY)}, i64 0")
    f.store("i64", capacity, f.at("%st", L.TRACE_CAPACITY), 8)
    which = f.op(f"add i64 {f.op(f'mul i64 {number}, {waves}')}, %wave")
    start = f.op(f"mul i64 {which}, {f.op(f'mul i64 {capacity}, 4')}")
    f.store("ptr", f.at(_context(f, C_TRACE, "ptr"), start), f.at("%st", L.TRACE), 8)
    f.ret()
    f.finish()


def _clear_shadow(f: Fn, slot: str) -> None:
    """Nobody has written or read the LDS of a workgroup that starts."""
    areas = _context(f, C_SHADOW_LDS, "ptr")
    clear, after = f.label("clear"), f.label("after")
    f.cond(f.op(f"icmp eq ptr {areas}, null"), after, clear)
    f.place(clear)
    f.module.declare("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
    area = f.at(areas, f.op(f"mul i64 {slot}, {AREA_SIZE}"))
    shift = f.load("i64", f.at(area, A_SHIFT), 8)
    granules = f.op(f"lshr i64 {f.load('i64', f.at(area, A_BYTES), 8)}, {shift}")
    size = f.op(f"shl i64 {granules}, 2")
    for field in (A_WRITES, A_READS):
        entries = f.load("ptr", f.at(area, field), 8)
        f.emit(f"call void @llvm.memset.p0.i64(ptr {entries}, i8 0, i64 {size}, i1 false)")
    f.br(after)
    f.place(after)


def _age_shadow(f: Fn, state: str, epoch: str) -> None:
    """LDS entries forget their barrier interval before its number is used again."""
    areas = _context(f, C_SHADOW_LDS, "ptr")
    again = f.op(f"urem i32 {f.op(f'sub i32 {epoch}, 1')}, {LDS_INTERVALS}")
    again = f.op(f"icmp eq i32 {again}, 0")
    wanted = f.op(f"and i1 {again}, {f.op(f'icmp ne ptr {areas}, null')}")
    age, after = f.label("age"), f.label("after")
    f.cond(wanted, age, after, likely=False)
    f.place(age)
    f.emit(f"call void @{AGE}(ptr {f.load('ptr', f.at(state, L.SHADOW_LDS), 8)})")
    f.br(after)
    f.place(after)


def _note_barriers(f: Fn, state: str, first: str, held: str) -> None:
    """Report waves of one workgroup that wait at different s_barrier instructions."""
    record = f.load("ptr", f.at(state, L.RECORD), 8)
    # The record to resume at stands behind the barrier's.
    index = f.load("i32", f.at(record, L.R_INDEX - L.RECORD_SIZE))
    known = f.load("i32", first)
    none = f.op(f"icmp eq i32 {known}, -1")
    differs = f.op(f"icmp ne i32 {known}, {index}")
    wanted = f.op(f"and i1 {held}, {f.op(f'xor i1 {none}, true')}")
    wanted = f.op(f"and i1 {wanted}, {differs}")
    reports = _context(f, C_REPORTS, "ptr")
    on = f.op(f"icmp ne ptr {reports}, null")
    note, after = f.label("note"), f.label("after")
    f.cond(f.op(f"and i1 {wanted}, {on}"), note, after)
    f.place(note)
    f.emit(
        f"call void @{NOTE}(ptr {state}, i32 {BARRIER}, i32 {known}, i32 {index}, i32 0, i64 0, "
        f"i32 0, i32 {f.load('i32', f.at(state, L.GROUP))})"
    )
    f.br(after)
    f.place(after)
    keep = f.op(f"and i1 {held}, {none}")
    f.store("i32", f.op(f"select i1 {keep}, i32 {index}, i32 {known}"), first)


def emit_run(module: Module) -> None:
    """`i32 asmevo_run(ctx)`: all workgroups of the list; DONE, STOPPED or DEADLOCK."""
    f = Fn(module, "asmevo_run", "ptr %ctx", "i32")
    waves, resident = _context(f, C_WAVES), _context(f, C_RESIDENT)
    groups, total = _context(f, C_GROUPS, "ptr"), _context(f, C_GROUP_COUNT)
    states = _context(f, C_STATES, "ptr")
    position, ran = f.op("alloca i64"), f.op("alloca i64")
    order, waiting = f.op("alloca i64"), f.op("alloca i64")
    running, held = f.op("alloca i64"), f.op("alloca i64")
    barrier = f.op("alloca i32")
    f.store("i64", "0", position, 8)
    f.store("i64", _context(f, C_SHUFFLE), order, 8)
    batch, start, passes, finished = (f.label(x) for x in ("batch", "start", "pass", "finished"))
    f.br(batch)

    f.place(batch)
    at = f.load("i64", position, 8)
    f.cond(f.op(f"icmp ult i64 {at}, {total}"), start, finished)
    f.place(finished)
    f.ret(f"i32 {DONE}")
    f.place(start)
    left = f.op(f"sub i64 {total}, {at}")
    fewer = f.op(f"icmp ult i64 {left}, {resident}")
    here = f.op(f"select i1 {fewer}, i64 {left}, i64 {resident}")
    f.store("i64", f.op(f"add i64 {at}, {here}"), position, 8)
    with CountedLoop(f, here, "slot") as slot:
        lds = f.at(
            _context(f, C_LDS, "ptr"), f.op(f"mul i64 {slot.i}, {_context(f, C_LDS_STRIDE)}")
        )
        _memcpy(f, lds, _context(f, C_LDS_IMAGE, "ptr"), _context(f, C_LDS_BYTES))
        _clear_shadow(f, slot.i)
        which = f.op(f"add i64 {at}, {slot.i}")
        group = f.at(groups, f.op(f"mul i64 {which}, 16"))
        with CountedLoop(f, waves, "wave") as wave:
            index = f.op(f"add i64 {f.op(f'mul i64 {slot.i}, {waves}')}, {wave.i}")
            state = f.load("ptr", f.at(states, f.op(f"mul i64 {index}, 8")), 8)
            f.emit(
                f"call void @asmevo_setup(ptr %ctx, ptr {state}, ptr {group}, "
                f"i64 {wave.i}, i64 {slot.i})"
            )
    everyone = f.op(f"mul i64 {here}, {waves}")
    f.br(passes)

    # One pass: every running wave once.
    f.place(passes)
    f.store("i64", "0", ran, 8)
    seed = f.load("i64", order, 8)
    x = f.op(f"xor i64 {seed}, {f.op(f'shl i64 {seed}, 13')}")
    x = f.op(f"xor i64 {x}, {f.op(f'lshr i64 {x}, 7')}")
    x = f.op(f"xor i64 {x}, {f.op(f'shl i64 {x}, 17')}")
    f.store("i64", x, order, 8)
    shift = f.op(f"urem i64 {f.op(f'lshr i64 {x}, 8')}, {everyone}")
    backwards = f.op(f"icmp ne i64 {f.op(f'and i64 {x}, 1')}, 0")
    with CountedLoop(f, everyone, "turn") as turn:
        forward = f.op(f"urem i64 {f.op(f'add i64 {turn.i}, {shift}')}, {everyone}")
        reverse = f.op(f"sub i64 {f.op(f'sub i64 {everyone}, 1')}, {forward}")
        index = f.op(f"select i1 {backwards}, i64 {reverse}, i64 {forward}")
        state = f.load("ptr", f.at(states, f.op(f"mul i64 {index}, 8")), 8)
        status = f.load("i32", f.at(state, L.STATUS))
        run = f.label("run")
        f.cond(f.op(f"icmp eq i32 {status}, {L.RUNNING}"), run, turn.step)
        f.place(run)
        f.store("i64", "1", ran, 8)
        f.store("i64", _context(f, C_TICKS), f.at(state, L.TICKS), 8)
        record = f.load("ptr", f.at(state, L.RECORD), 8)
        helper = f.load("ptr", record, 8)
        f.emit(f"call void {helper}(ptr noundef {state}, ptr noundef {record})")
        after = f.load("i32", f.at(state, L.STATUS))
        ended, stop, again = f.label("ended"), f.label("stop"), f.label("again")
        f.emit(
            f"switch i32 {after}, label %{turn.step} [ i32 {L.ENDED}, label %{ended} "
            f"i32 {L.FAULTED}, label %{stop} i32 {L.OUT_OF_BUDGET}, label %{stop} "
            f"i32 {L.YIELDED}, label %{again} ]"
        )
        f.place(again)
        f.store("i32", str(L.RUNNING), f.at(state, L.STATUS))
        f.br(turn.step)
        f.place(stop)
        f.store("ptr", state, f.at("%ctx", C_FAULT_STATE), 8)
        slot_of = f.op(f"udiv i64 {index}, {waves}")
        group_at = f.at(groups, f.op(f"mul i64 {f.op(f'add i64 {at}, {slot_of}')}, 16"))
        number = f.op(f"zext i32 {f.load('i32', f.at(group_at, 12))} to i64")
        f.store("i64", number, f.at("%ctx", C_FAULT_GROUP), 8)
        f.ret(f"i32 {STOPPED}")
        f.place(ended)
        sofar = _context(f, C_EXECUTED)
        mine = f.load("i64", f.at(state, L.EXECUTED), 8)
        f.store("i64", f.op(f"add i64 {sofar}, {mine}"), f.at("%ctx", C_EXECUTED), 8)
        wave_of = f.op(f"urem i64 {index}, {waves}")
        slot2 = f.op(f"udiv i64 {index}, {waves}")
        group2 = f.at(groups, f.op(f"mul i64 {f.op(f'add i64 {at}, {slot2}')}, 16"))
        number2 = f.op(f"zext i32 {f.load('i32', f.at(group2, 12))} to i64")
        keep = f.label("keep")
        traced = f.op(f"icmp ult i64 {number2}, {_context(f, C_TRACE_GROUPS)}")
        f.cond(traced, keep, turn.step)
        f.place(keep)
        entry = f.op(f"add i64 {f.op(f'mul i64 {number2}, {waves}')}, {wave_of}")
        lengths = f.at(_context(f, C_TRACE_LENGTHS, "ptr"), f.op(f"mul i64 {entry}, 8"))
        f.store("i64", f.load("i64", f.at(state, L.TRACE_LENGTH), 8), lengths, 8)
        f.br(turn.step)
        f.place(f.label("unreached"))

    # Release barriers of workgroups in which every wave has arrived or ended.
    f.store("i64", "0", waiting, 8)
    with CountedLoop(f, here, "check") as check:
        first = f.op(f"mul i64 {check.i}, {waves}")
        f.store("i64", "0", running, 8)
        f.store("i64", "0", held, 8)
        with CountedLoop(f, waves, "look") as look:
            state = f.load(
                "ptr", f.at(states, f.op(f"mul i64 {f.op(f'add i64 {first}, {look.i}')}, 8")), 8
            )
            status = f.load("i32", f.at(state, L.STATUS))
            for value, cell in ((L.RUNNING, running), (L.AT_BARRIER, held)):
                same = f.op(f"zext i1 {f.op(f'icmp eq i32 {status}, {value}')} to i64")
                f.store("i64", f.op(f"add i64 {f.load('i64', cell, 8)}, {same}"), cell, 8)
        any_running = f.op(f"icmp ne i64 {f.load('i64', running, 8)}, 0")
        any_held = f.op(f"icmp ne i64 {f.load('i64', held, 8)}, 0")
        release = f.op(f"and i1 {any_held}, {f.op(f'xor i1 {any_running}, true')}")
        active = f.op(f"zext i1 {f.op(f'or i1 {any_running}, {any_held}')} to i64")
        f.store("i64", f.op(f"or i64 {f.load('i64', waiting, 8)}, {active}"), waiting, 8)
        free = f.label("free")
        f.cond(release, free, check.step)
        f.place(free)
        f.store("i32", "-1", barrier)
        with CountedLoop(f, waves, "free") as one:
            state = f.load(
                "ptr", f.at(states, f.op(f"mul i64 {f.op(f'add i64 {first}, {one.i}')}, 8")), 8
            )
            status = f.load("i32", f.at(state, L.STATUS))
            held_here = f.op(f"icmp eq i32 {status}, {L.AT_BARRIER}")
            _note_barriers(f, state, barrier, held_here)
            new = f.op(f"select i1 {held_here}, i32 {L.RUNNING}, i32 {status}")
            f.store("i32", new, f.at(state, L.STATUS))
            epoch = f.at(state, L.EPOCH)
            number = f.op(f"add i32 {f.load('i32', epoch)}, 1")
            f.store("i32", number, epoch)
            # Once per wave of the workgroup, which is as good as once.
            _age_shadow(f, state, number)
    more = f.op(f"icmp ne i64 {f.load('i64', waiting, 8)}, 0")
    f.cond(more, passes, batch)
    f.finish()


def runtime_module() -> Module:
    """The module that holds the runtime functions."""
    module = Module()
    emit_resolve(module)
    emit_shadow(module)
    emit_queue(module)
    emit_commit_function(module)
    emit_early(module)
    emit_landed(module)
    emit_setup(module)
    emit_run(module)
    return module
