"""Stores that other workgroups do not see yet.

Where waves pause in front of memory instructions, what they store to device memory is held back,
as caches and queues of the hardware may. An entry is let go

* when a wait proves the store complete, the youngest entries first, with the other waves running
  in between: a younger store may be seen before an older one that nothing waited for;
* in the same way at the end of the wave;
* all at once, in order, before the wave itself loads or touches the same bytes, and before another
  wave of its workgroup runs: they share the path to memory, which keeps their order.

A store that overlaps a held one lets all go first, so entries never overlap and every order of
letting them go is one that the hardware may show. Atomics are done at once.
Sources: AMDGPUUsage, memory models GFX90A and GFX942 (vector memory operations of one wave complete
in order at the L1 of its CU, in any order elsewhere); CDNA3 ISA section 4.4.
"""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.native.helper import Helper
from asmevo.emulate.native.ir import Fn, Module
from asmevo.emulate.native.loops import CountedLoop

# Queue of a wave: a u64 count, then entries, the oldest first.
CAPACITY = 32
HEAD = 64
E_SEQUENCE, E_MASK, E_LOW, E_HIGH, E_ROWS, E_SIZE, E_SHIFT = 0, 8, 16, 24, 32, 36, 40
E_HOSTS = 64
E_DATA = E_HOSTS + 8 * L.WIDEST
ENTRY = E_DATA + 4 * L.ROW
QUEUE_SIZE = HEAD + CAPACITY * ENTRY

HOLD, FLUSH, YOUNGEST, SETTLE = (
    "asmevo_hold_store", "asmevo_flush", "asmevo_youngest", "asmevo_settle",
)  # fmt: skip


def _copy(f: Fn, to: str, source: str, size: str) -> None:
    f.module.declare("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    f.emit(f"call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {source}, i64 {size}, i1 false)")


# --- in helpers ------------------------------------------------------------------------------
def hold(h: Helper, hosts: str, mask: str, rows: str, count: int, size: int, high: bool) -> None:
    """Hold back a store of `size` bytes per lane of `mask` (bits) from `count` rows at `rows`."""
    f = h.fn
    f.store(f.i64s, hosts, f.at("%st", L.HOST), L.ROW_ALIGN)
    f.module.declare(f"declare void @{HOLD}(ptr, ptr, i64, i32, i32, i32)")
    f.emit(
        f"call void @{HOLD}(ptr %st, ptr {rows}, i64 {mask}, i32 {count}, i32 {size}, "
        f"i32 {16 if high else 0})"
    )


def settle(h: Helper, mask: str, size: int) -> None:
    """Before an access to the hosts kept in the state: let go if it overlaps what is held."""
    h.fn.module.declare(f"declare void @{SETTLE}(ptr, i64, i64)")
    h.fn.emit(f"call void @{SETTLE}(ptr %st, i64 {mask}, i64 {size})")


def flush(h: Helper) -> None:
    """Let all go, in order."""
    h.fn.module.declare(f"declare void @{FLUSH}(ptr)")
    h.fn.emit(f"call void @{FLUSH}(ptr %st)")


def outstanding(h: Helper, counter: str) -> str:
    """i1: a wait for `counter` (i64) must let the oldest store go."""
    f = h.fn
    queue = h.field(L.HELD, "ptr")
    some = f.op(f"icmp ne i64 {f.load('i64', queue, 8)}, 0")
    oldest = f.load("i64", f.at(queue, HEAD + E_SEQUENCE), 8)
    younger = f.op(f"sub i64 {h.field(L.VM_ISSUED)}, {oldest}")
    return f.op(f"and i1 {some}, {f.op(f'icmp sge i64 {younger}, {counter}')}")


def youngest(h: Helper) -> None:
    """Let the youngest go."""
    h.fn.module.declare(f"declare void @{YOUNGEST}(ptr)")
    h.fn.emit(f"call void @{YOUNGEST}(ptr %st)")


# --- runtime functions -----------------------------------------------------------------------
def emit_held(module: Module) -> None:
    """The functions that helpers and the scheduler call."""
    _emit_release(module)
    _emit_flush(module)
    _emit_youngest(module)
    _emit_settle(module)
    _emit_hold(module)


def _queue(f: Fn) -> tuple[str, str]:
    queue = f.load("ptr", f.at("%st", L.HELD), 8)
    return queue, f.load("i64", queue, 8)


def _entry(f: Fn, queue: str, number: str) -> str:
    return f.at(f.at(queue, HEAD), f.op(f"mul i64 {number}, {ENTRY}"))


def _emit_release(module: Module) -> None:
    """`void asmevo_release(entry)`: write an entry to memory."""
    f = Fn(module, "asmevo_release", "ptr %held", noinline=True)
    mask = f.load("i64", f.at("%held", E_MASK), 8)
    rows, size, shift = (f.load("i32", f.at("%held", at)) for at in (E_ROWS, E_SIZE, E_SHIFT))
    count = f.op(f"zext i32 {rows} to i64")
    with CountedLoop(f, str(L.WIDEST), "lane") as lane:
        bit = f.op(f"and i64 {f.op(f'lshr i64 {mask}, {lane.i}')}, 1")
        active = f.label("active")
        f.cond(f.op(f"icmp eq i64 {bit}, 0"), lane.step, active)
        f.place(active)
        host = f.load("ptr", f.at(f.at("%held", E_HOSTS), f.op(f"mul i64 {lane.i}, 8")), 8)
        data = f.at(f.at("%held", E_DATA), f.op(f"mul i64 {lane.i}, 4"))
        byte, half, whole = f.label("byte"), f.label("half"), f.label("whole")
        f.emit(f"switch i32 {size}, label %{whole} [ i32 1, label %{byte} i32 2, label %{half} ]")
        for label, kind in ((byte, "i8"), (half, "i16")):
            f.place(label)
            value = f.op(f"lshr i32 {f.load('i32', data)}, {shift}")
            f.store(kind, f.op(f"trunc i32 {value} to {kind}"), host, 1)
            f.br(lane.step)
        f.place(whole)
        with CountedLoop(f, count, "row") as row:
            value = f.load("i32", f.at(data, f.op(f"mul i64 {row.i}, {L.ROW}")))
            f.store("i32", value, f.at(host, f.op(f"mul i64 {row.i}, 4")), 1)
    f.ret()
    f.finish()


def _release(f: Fn, entry: str) -> None:
    f.emit(f"call void @asmevo_release(ptr {entry})")


def _emit_flush(module: Module) -> None:
    """`void asmevo_flush(state)`: let all go, the oldest first."""
    f = Fn(module, FLUSH, "ptr %st", noinline=True)
    queue, count = _queue(f)
    with CountedLoop(f, count, "held") as each:
        _release(f, _entry(f, queue, each.i))
    f.store("i64", "0", queue, 8)
    f.ret()
    f.finish()


def _emit_youngest(module: Module) -> None:
    """`void asmevo_youngest(state)`: let the youngest go; there must be one."""
    f = Fn(module, YOUNGEST, "ptr %st", noinline=True)
    queue, count = _queue(f)
    last = f.op(f"sub i64 {count}, 1")
    _release(f, _entry(f, queue, last))
    f.store("i64", last, queue, 8)
    f.ret()
    f.finish()


def _bounds(f: Fn, mask: str, size: str) -> tuple[str, str]:
    """Lowest byte and end of the lanes of `mask` whose hosts the state keeps."""
    low, high = f.op("alloca i64"), f.op("alloca i64")
    f.store("i64", "-1", low, 8)
    f.store("i64", "0", high, 8)
    with CountedLoop(f, str(L.WIDEST), "bound") as lane:
        bit = f.op(f"and i64 {f.op(f'lshr i64 {mask}, {lane.i}')}, 1")
        active = f.label("used")
        f.cond(f.op(f"icmp eq i64 {bit}, 0"), lane.step, active)
        f.place(active)
        host = f.load("i64", f.at(f.at("%st", L.HOST), f.op(f"mul i64 {lane.i}, 8")), 8)
        end = f.op(f"add i64 {host}, {size}")
        for cell, value, order in ((low, host, "ult"), (high, end, "ugt")):
            known = f.load("i64", cell, 8)
            better = f.op(f"icmp {order} i64 {value}, {known}")
            f.store("i64", f.op(f"select i1 {better}, i64 {value}, i64 {known}"), cell, 8)
    return f.load("i64", low, 8), f.load("i64", high, 8)


def _flush_overlapped(f: Fn, low: str, high: str) -> None:
    queue, count = _queue(f)
    done = f.label("apart")
    with CountedLoop(f, count, "held") as each:
        entry = _entry(f, queue, each.i)
        before = f.op(f"icmp ult i64 {low}, {f.load('i64', f.at(entry, E_HIGH), 8)}")
        after = f.op(f"icmp ult i64 {f.load('i64', f.at(entry, E_LOW), 8)}, {high}")
        meets = f.label("meets")
        f.cond(f.op(f"and i1 {before}, {after}"), meets, each.step, likely=False)
        f.place(meets)
        f.emit(f"call void @{FLUSH}(ptr %st)")
        f.br(done)
        f.place(f.label("dead"))
    f.br(done)
    f.place(done)


def _emit_settle(module: Module) -> None:
    """`void asmevo_settle(state, lanes, size)`: let all go if these accesses overlap any."""
    f = Fn(module, SETTLE, "ptr %st, i64 %mask, i64 %size", noinline=True)
    _, count = _queue(f)
    some, none = f.label("some"), f.label("none")
    f.cond(f.op(f"icmp eq i64 {count}, 0"), none, some)
    f.place(none)
    f.ret()
    f.place(some)
    low, high = _bounds(f, "%mask", "%size")
    _flush_overlapped(f, low, high)
    f.ret()
    f.finish()


def _emit_hold(module: Module) -> None:
    """`void asmevo_hold_store(state, rows, lanes, count, size, shift)`: a new entry."""
    f = Fn(
        module, HOLD, "ptr %st, ptr %rows, i64 %mask, i32 %count, i32 %size, i32 %shift",
        noinline=True,
    )  # fmt: skip
    any_lane, out = f.label("lanes"), f.label("out")
    f.cond(f.op("icmp eq i64 %mask, 0"), out, any_lane)
    f.place(out)
    f.ret()
    f.place(any_lane)
    low, high = _bounds(f, "%mask", f.op("zext i32 %size to i64"))
    _flush_overlapped(f, low, high)
    _, before = _queue(f)
    full, room = f.label("full"), f.label("room")
    f.cond(f.op(f"icmp uge i64 {before}, {CAPACITY}"), full, room, likely=False)
    f.place(full)
    f.emit(f"call void @{FLUSH}(ptr %st)")
    f.br(room)
    f.place(room)
    queue, count = _queue(f)
    entry = _entry(f, queue, count)
    # The record in front of the store counted it.
    sequence = f.load("i64", f.at("%st", L.VM_ISSUED), 8)
    for at, value in ((E_SEQUENCE, sequence), (E_MASK, "%mask"), (E_LOW, low), (E_HIGH, high)):
        f.store("i64", value, f.at(entry, at), 8)
    for at, value in ((E_ROWS, "%count"), (E_SIZE, "%size"), (E_SHIFT, "%shift")):
        f.store("i32", value, f.at(entry, at))
    _copy(f, f.at(entry, E_HOSTS), f.at("%st", L.HOST), str(8 * L.WIDEST))
    size = f.op(f"mul i64 {f.op('zext i32 %count to i64')}, {L.ROW}")
    _copy(f, f.at(entry, E_DATA), "%rows", size)
    f.store("i64", f.op(f"add i64 {count}, 1"), queue, 8)
    f.ret()
    f.finish()
