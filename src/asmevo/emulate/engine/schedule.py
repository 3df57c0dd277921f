"""The wave scheduler `asmevo_run`.

It takes a list of workgroups, keeps a batch of them resident, and runs their waves round robin:
each until it yields (interleaved schedules), reaches a barrier, ends, faults or makes no progress.
"""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.engine import runtime as R
from asmevo.emulate.engine.runtime import context, memcpy
from asmevo.emulate.engine.spin import SLICE, emit_slice
from asmevo.emulate.native.ir import Fn, Module
from asmevo.emulate.native.loops import CountedLoop
from asmevo.emulate.sanitize.carried import CARRY, emit_carry, emit_hold
from asmevo.emulate.sanitize.early import emit_early, emit_landed
from asmevo.emulate.sanitize.held import FLUSH, emit_held
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
from asmevo.emulate.sanitize.touched import emit_touch

_GROUP_ENTRY = 16  # bytes of a workgroup in the list: x, y, z, number


def _clear_shadow(f: Fn, slot: str) -> None:
    """Nobody has written or read the LDS of a workgroup that starts."""
    areas = context(f, R.C_SHADOW_LDS, "ptr")
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
    areas = context(f, R.C_SHADOW_LDS, "ptr")
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
    reports = context(f, R.C_REPORTS, "ptr")
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


class _Scheduler:
    """`asmevo_run` under construction: the values that its parts share."""

    def __init__(self, module: Module) -> None:
        self.f = f = Fn(module, "asmevo_run", "ptr %ctx", "i32")
        self.waves, self.resident = context(f, R.C_WAVES), context(f, R.C_RESIDENT)
        self.groups, self.total = context(f, R.C_GROUPS, "ptr"), context(f, R.C_GROUP_COUNT)
        self.states = context(f, R.C_STATES, "ptr")
        cells = ("position", "ran", "order", "waiting", "running", "held")
        self.cells = {name: f.op("alloca i64") for name in cells}
        self.barrier = f.op("alloca i32")

    def get(self, name: str) -> str:
        return self.f.load("i64", self.cells[name], 8)

    def put(self, name: str, value: str) -> None:
        self.f.store("i64", value, self.cells[name], 8)

    def add(self, name: str, value: str) -> None:
        self.put(name, self.f.op(f"add i64 {self.get(name)}, {value}"))

    def state(self, index: str) -> str:
        """State of wave `index` of the resident ones."""
        f = self.f
        return f.load("ptr", f.at(self.states, f.op(f"mul i64 {index}, 8")), 8)

    def group_number(self, first: str, slot: str) -> str:
        """Linear id of the workgroup in a resident slot, `first` being that of slot 0."""
        f = self.f
        which = f.op(f"mul i64 {f.op(f'add i64 {first}, {slot}')}, {_GROUP_ENTRY}")
        return f.op(f"zext i32 {f.load('i32', f.at(f.at(self.groups, which), 12))} to i64")

    def emit(self) -> None:
        f = self.f
        self.put("position", "0")
        self.put("order", context(f, R.C_SHUFFLE))
        batch, start, passes, finished = (
            f.label(x) for x in ("batch", "start", "pass", "finished")
        )
        f.br(batch)
        f.place(batch)
        at = self.get("position")
        f.cond(f.op(f"icmp ult i64 {at}, {self.total}"), start, finished)
        f.place(finished)
        f.ret(f"i32 {R.DONE}")
        f.place(start)
        here = self._start(at)
        everyone = f.op(f"mul i64 {here}, {self.waves}")
        f.br(passes)
        f.place(passes)
        self._pass(at, everyone)
        self._barriers(here)
        self._stop_if_stuck(at)
        more = f.op(f"icmp ne i64 {self.get('waiting')}, 0")
        f.cond(more, passes, batch)
        f.finish()

    def _start(self, at: str) -> str:
        """Set up the next batch of workgroups; returns how many they are."""
        f = self.f
        left = f.op(f"sub i64 {self.total}, {at}")
        fewer = f.op(f"icmp ult i64 {left}, {self.resident}")
        here = f.op(f"select i1 {fewer}, i64 {left}, i64 {self.resident}")
        self.put("position", f.op(f"add i64 {at}, {here}"))
        f.store("i64", "0", f.at("%ctx", R.C_STUCK), 8)
        with CountedLoop(f, here, "slot") as slot:
            lds = f.at(
                context(f, R.C_LDS, "ptr"),
                f.op(f"mul i64 {slot.i}, {context(f, R.C_LDS_STRIDE)}"),
            )
            memcpy(f, lds, context(f, R.C_LDS_IMAGE, "ptr"), context(f, R.C_LDS_BYTES))
            _clear_shadow(f, slot.i)
            which = f.op(f"add i64 {at}, {slot.i}")
            group = f.at(self.groups, f.op(f"mul i64 {which}, {_GROUP_ENTRY}"))
            with CountedLoop(f, self.waves, "wave") as wave:
                index = f.op(f"add i64 {f.op(f'mul i64 {slot.i}, {self.waves}')}, {wave.i}")
                f.emit(
                    f"call void @asmevo_setup(ptr %ctx, ptr {self.state(index)}, ptr {group}, "
                    f"i64 {wave.i}, i64 {slot.i})"
                )
        return here

    def _pass(self, at: str, everyone: str) -> None:
        """Every running wave once, in an order that the shuffle state turns and mirrors."""
        f = self.f
        self.put("ran", "0")
        seed = self.get("order")
        x = f.op(f"xor i64 {seed}, {f.op(f'shl i64 {seed}, 13')}")
        x = f.op(f"xor i64 {x}, {f.op(f'lshr i64 {x}, 7')}")
        x = f.op(f"xor i64 {x}, {f.op(f'shl i64 {x}, 17')}")
        self.put("order", x)
        shift = f.op(f"urem i64 {f.op(f'lshr i64 {x}, 8')}, {everyone}")
        backwards = f.op(f"icmp ne i64 {f.op(f'and i64 {x}, 1')}, 0")
        with CountedLoop(f, everyone, "turn") as turn:
            forward = f.op(f"urem i64 {f.op(f'add i64 {turn.i}, {shift}')}, {everyone}")
            reverse = f.op(f"sub i64 {f.op(f'sub i64 {everyone}, 1')}, {forward}")
            index = f.op(f"select i1 {backwards}, i64 {reverse}, i64 {forward}")
            index = self._apart(index, everyone)
            state = self.state(index)
            status = f.load("i32", f.at(state, L.STATUS))
            run = f.label("run")
            f.cond(f.op(f"icmp eq i32 {status}, {L.RUNNING}"), run, turn.step)
            f.place(run)
            self._show_siblings(index)
            self.add("ran", "1")
            f.store("i64", context(f, R.C_TICKS), f.at(state, L.TICKS), 8)
            f.emit(f"call void @{SLICE}(ptr %ctx, ptr {state})")
            self._after_turn(state, index, at, turn.step)

    def _apart(self, index: str, everyone: str) -> str:
        """Where stores are held, the same wave of all workgroups first: siblings see them."""
        f = self.f
        here = f.op(f"udiv i64 {everyone}, {self.waves}")
        slot, wave = f.op(f"urem i64 {index}, {here}"), f.op(f"udiv i64 {index}, {here}")
        apart = f.op(f"add i64 {f.op(f'mul i64 {slot}, {self.waves}')}, {wave}")
        holds = f.op(f"icmp ne ptr {context(f, R.C_HELD, 'ptr')}, null")
        return f.op(f"select i1 {holds}, i64 {apart}, i64 {index}")

    def _show_siblings(self, index: str) -> None:
        """Before a wave runs: it sees, in their order, the stores of its workgroup's others."""
        f = self.f
        holds = f.op(f"icmp ne ptr {context(f, R.C_HELD, 'ptr')}, null")
        show, shown = f.label("show"), f.label("shown")
        f.cond(holds, show, shown, likely=False)
        f.place(show)
        slot = f.op(f"udiv i64 {index}, {self.waves}")
        first = f.op(f"mul i64 {slot}, {self.waves}")
        with CountedLoop(f, self.waves, "sibling") as one:
            other = f.op(f"add i64 {first}, {one.i}")
            state = self.state(other)
            queue = f.load("ptr", f.at(state, L.HELD), 8)
            some = f.op(f"icmp ne i64 {f.load('i64', queue, 8)}, 0")
            some = f.op(f"and i1 {some}, {f.op(f'icmp ne i64 {other}, {index}')}")
            flush = f.label("flush")
            f.cond(some, flush, one.step, likely=False)
            f.place(flush)
            f.emit(f"call void @{FLUSH}(ptr {state})")
        f.br(shown)
        f.place(shown)

    def _after_turn(self, state: str, index: str, at: str, following: str) -> None:
        """Act on the status that a wave left with; continue at `following`."""
        f = self.f
        after = f.load("i32", f.at(state, L.STATUS))
        ended, stop, again, stuck = (f.label(x) for x in ("ended", "stop", "again", "stuck"))
        f.emit(
            f"switch i32 {after}, label %{following} [ i32 {L.ENDED}, label %{ended} "
            f"i32 {L.FAULTED}, label %{stop} i32 {L.OUT_OF_BUDGET}, label %{stop} "
            f"i32 {L.STUCK}, label %{stuck} i32 {L.YIELDED}, label %{again} ]"
        )
        f.place(again)
        f.store("i32", str(L.RUNNING), f.at(state, L.STATUS))
        f.br(following)
        f.place(stop)
        slot = f.op(f"udiv i64 {index}, {self.waves}")
        self._stopped(state, self.group_number(at, slot))
        f.place(stuck)
        # Where waves take turns, another one may free it.
        fair = f.op(f"icmp ne i64 {context(f, R.C_FAIR)}, 0")
        looks = f.op(f"add i64 {context(f, R.C_STUCK)}, 1")
        f.store("i64", looks, f.at("%ctx", R.C_STUCK), 8)
        f.store("ptr", state, f.at("%ctx", R.C_FAULT_STATE), 8)
        f.cond(fair, again, stop)
        f.place(ended)
        self._ended(state, index, at, following)
        f.place(f.label("unreached"))

    def _stopped(self, state: str, number: str) -> None:
        f = self.f
        f.store("ptr", state, f.at("%ctx", R.C_FAULT_STATE), 8)
        f.store("i64", number, f.at("%ctx", R.C_FAULT_GROUP), 8)
        f.ret(f"i32 {R.STOPPED}")

    def _ended(self, state: str, index: str, at: str, following: str) -> None:
        """Add up what a wave executed, and keep the lengths of its streams."""
        f = self.f
        mine = f.load("i64", f.at(state, L.EXECUTED), 8)
        total = f.op(f"add i64 {context(f, R.C_EXECUTED)}, {mine}")
        f.store("i64", total, f.at("%ctx", R.C_EXECUTED), 8)
        f.store("i64", "0", f.at("%ctx", R.C_STUCK), 8)
        wave = f.op(f"urem i64 {index}, {self.waves}")
        number = self.group_number(at, f.op(f"udiv i64 {index}, {self.waves}"))
        self._note_path(state, number, wave, mine)
        keep = f.label("keep")
        place = R.trace_place(f, number)
        f.cond(f.op(f"icmp sge i64 {place}, 0"), keep, following)
        f.place(keep)
        entry = f.op(f"add i64 {f.op(f'mul i64 {place}, {self.waves}')}, {wave}")
        for lengths, length in (
            (R.C_TRACE_LENGTHS, L.TRACE_LENGTH),
            (R.C_TOUCH_LENGTHS, L.TOUCH_LENGTH),
        ):
            into = f.at(context(f, lengths, "ptr"), f.op(f"mul i64 {entry}, 8"))
            f.store("i64", f.load("i64", f.at(state, length), 8), into, 8)
        f.br(following)

    def _note_path(self, state: str, number: str, wave: str, executed: str) -> None:
        """Add a wave's instructions and path to those of its workgroup."""
        f = self.f
        paths = context(f, R.C_PATHS, "ptr")
        note, noted = f.label("path"), f.label("noted")
        f.cond(f.op(f"icmp eq ptr {paths}, null"), noted, note)
        f.place(note)
        mine = f.at(paths, f.op(f"mul i64 {number}, 16"))
        f.store("i64", f.op(f"add i64 {f.load('i64', mine, 8)}, {executed}"), mine, 8)
        # An odd factor per wave: waves that trade their paths are another workgroup.
        odd = f.op(f"or i64 {f.op(f'shl i64 {wave}, 1')}, 1")
        path = f.op(f"mul i64 {f.load('i64', f.at(state, L.PATH), 8)}, {odd}")
        into = f.at(mine, 8)
        f.store("i64", f.op(f"add i64 {f.load('i64', into, 8)}, {path}"), into, 8)
        f.br(noted)
        f.place(noted)

    def _barriers(self, here: str) -> None:
        """Release barriers of workgroups in which every wave has arrived or ended."""
        f = self.f
        self.put("waiting", "0")
        with CountedLoop(f, here, "check") as check:
            first = f.op(f"mul i64 {check.i}, {self.waves}")
            self.put("running", "0")
            self.put("held", "0")
            with CountedLoop(f, self.waves, "look") as look:
                state = self.state(f.op(f"add i64 {first}, {look.i}"))
                status = f.load("i32", f.at(state, L.STATUS))
                for value, name in ((L.RUNNING, "running"), (L.AT_BARRIER, "held")):
                    same = f.op(f"zext i1 {f.op(f'icmp eq i32 {status}, {value}')} to i64")
                    self.add(name, same)
            any_running = f.op(f"icmp ne i64 {self.get('running')}, 0")
            any_held = f.op(f"icmp ne i64 {self.get('held')}, 0")
            release = f.op(f"and i1 {any_held}, {f.op(f'xor i1 {any_running}, true')}")
            active = f.op(f"zext i1 {f.op(f'or i1 {any_running}, {any_held}')} to i64")
            self.put("waiting", f.op(f"or i64 {self.get('waiting')}, {active}"))
            free = f.label("free")
            f.cond(release, free, check.step)
            f.place(free)
            self._release(first)

    def _release(self, first: str) -> None:
        """Let the waves of one workgroup go on in a new barrier interval."""
        f = self.f
        f.store("i64", "0", f.at("%ctx", R.C_STUCK), 8)
        f.store("i32", "-1", self.barrier)
        with CountedLoop(f, self.waves, "free") as one:
            state = self.state(f.op(f"add i64 {first}, {one.i}"))
            status = f.load("i32", f.at(state, L.STATUS))
            held = f.op(f"icmp eq i32 {status}, {L.AT_BARRIER}")
            _note_barriers(f, state, self.barrier, held)
            new = f.op(f"select i1 {held}, i32 {L.RUNNING}, i32 {status}")
            f.store("i32", new, f.at(state, L.STATUS))
            epoch = f.at(state, L.EPOCH)
            number = f.op(f"add i32 {f.load('i32', epoch)}, 1")
            f.store("i32", number, epoch)
            # Once per wave of the workgroup, which is as good as once.
            _age_shadow(f, state, number)
        self._carry(first)

    def _carry(self, first: str) -> None:
        """Enter what is outstanding in the new interval, once all waves are in it."""
        f = self.f
        queues, reports = (context(f, x, "ptr") for x in (R.C_PENDING, R.C_REPORTS))
        kept = [f.op(f"icmp ne ptr {x}, null") for x in (queues, reports)]
        carry, carried = f.label("carry"), f.label("carried")
        f.cond(f.op(f"and i1 {kept[0]}, {kept[1]}"), carry, carried, likely=False)
        f.place(carry)
        with CountedLoop(f, self.waves, "wave") as one:
            state = self.state(f.op(f"add i64 {first}, {one.i}"))
            released = f.op(f"icmp eq i32 {f.load('i32', f.at(state, L.STATUS))}, {L.RUNNING}")
            enter = f.label("enter")
            f.cond(released, enter, one.step)
            f.place(enter)
            f.emit(f"call void @{CARRY}(ptr {state})")
        f.br(carried)
        f.place(carried)

    def _stop_if_stuck(self, at: str) -> None:
        """Stop when every running wave was found stuck, with no progress of any in between."""
        f = self.f
        ran = self.get("ran")
        looks = context(f, R.C_STUCK)
        over = f.op(f"icmp uge i64 {looks}, {f.op(f'shl i64 {ran}, 1')}")
        over = f.op(f"and i1 {over}, {f.op(f'icmp ne i64 {looks}, 0')}")
        stop, on = f.label("allstuck"), f.label("on")
        f.cond(over, stop, on, likely=False)
        f.place(stop)
        state = context(f, R.C_FAULT_STATE, "ptr")
        f.store("i32", str(L.STUCK), f.at(state, L.STATUS))
        number = f.op(f"zext i32 {f.load('i32', f.at(state, L.GROUP))} to i64")
        self._stopped(state, number)
        f.place(on)


def emit_run(module: Module) -> None:
    """`i32 asmevo_run(ctx)`: all workgroups of the list; DONE or STOPPED."""
    _Scheduler(module).emit()


def runtime_module() -> Module:
    """The module that holds the runtime functions."""
    module = Module()
    R.emit_resolve(module)
    emit_shadow(module)
    emit_held(module)
    emit_queue(module)
    emit_commit_function(module)
    emit_early(module)
    emit_landed(module)
    emit_hold(module)
    emit_carry(module)
    emit_touch(module)
    R.emit_setup(module)
    emit_slice(module)
    emit_run(module)
    return module
