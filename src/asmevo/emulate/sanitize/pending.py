"""Loads that have not arrived yet: junk in the destination until a sufficient wait.

With `waits` on, every load is followed by a `pend` record, which moves what was loaded into the
wave's queue and fills the destination with junk, and every s_waitcnt commits what it proves
complete. LDS-DMA loads keep their data in the queue instead of writing LDS. The proof rule is the
exact one of the wait table (`isa.counters`): an operation of an ordered class is complete when at
most N younger ones of its class may be outstanding; scalar loads only at 0; while a flat operation
is outstanding only 0 counts. Flat operations need lgkmcnt only when a lane went to LDS, as
compilers know. A full counter stalls the issue, so an operation with as many younger
ones as the counter holds is complete without any wait.
"""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.native.helper import Helper
from asmevo.emulate.native.ir import Fn, Module
from asmevo.emulate.native.loops import CountedLoop
from asmevo.emulate.native.variant import Variant, family

VMEM, LDS, SMEM, FLAT, FLAT_LDS = range(5)  # completion classes
_LIMIT = {VMEM: 63, LDS: 15}  # what the counters hold

# Queue: a u64 count, then entries of a header and up to four rows (or 16 scalars).
CAPACITY = 128
Q_HEAD = 64
Q_KIND, Q_ROWS, Q_OFFSET, Q_MASK, Q_SEQUENCE, Q_HALF, Q_INDEX = 0, 4, 8, 16, 24, 32, 36
Q_DATA = 64
Q_ENTRY = 64 + 4 * L.ROW
# Behind it, the accesses that shadow memory keeps until they are complete (see `carried`).
NOTED = 8  # their number, in the queue's head
NOTES = Q_HEAD + CAPACITY * Q_ENTRY
N_RECORD, N_SEQUENCE, N_KIND, N_FLAGS, N_SIZE, N_MASK, N_HOST = range(0, 56, 8)
N_HOSTS = 64
NOTE_SIZE = N_HOSTS + 8 * L.WIDEST
NOTES_CAPACITY = 256
# And the instructions (u32) of those that the wave took over the last barrier.
CARRIED_COUNT = 16  # their number, in the queue's head
CARRIED_LIST = NOTES + NOTES_CAPACITY * NOTE_SIZE
QUEUE_SIZE = CARRIED_LIST + 4 * NOTES_CAPACITY
_SCALAR_CROWD = 16  # from so many entries on, a scalar load replaces one to the same registers
TO_LDS = 0x100  # in Q_ROWS: Q_OFFSET is an LDS byte address, lanes lie side by side
# By lane: NaN, or huge of either sign, as f32 and mostly as f16 halves; no address, no index.
# One value alone would not do: maxima drop NaN, minima drop what is large.
JUNK = (0x7FF5_0BAD, 0x7F0B_7BAD, 0xFF0B_FBAD, 0x7BAD_FBAD)
SCALAR_JUNK = 0xFF0B_FBAD  # negative: a bound check that reads it lets no lane pass
NO_WAIT = 1 << 20
WHOLE, LOW, HIGH = 0xFFFFFFFF, 0xFFFF, 0xFFFF0000  # bits of the destination that a load writes

QUEUE, COMMIT, LANDED = "asmevo_queue", "asmevo_commit", "asmevo_landed"


def _issued(kind: int) -> int | None:
    """State field that numbers the operations of a class; scalar loads have no order."""
    return {VMEM: L.VM_ISSUED, FLAT: L.VM_ISSUED, LDS: L.LDS_ISSUED}.get(kind)


def _signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value


def _copy(f: Fn, to: str, source: str, size: str, move: bool = False) -> None:
    name = f"llvm.mem{'move' if move else 'cpy'}.p0.p0.i64"
    f.module.declare(f"declare void @{name}(ptr, ptr, i64, i1)")
    f.emit(f"call void @{name}(ptr {to}, ptr {source}, i64 {size}, i1 false)")


def _bump(h: Helper, offset: int) -> str:
    new = h.fn.op(f"add i64 {h.field(offset)}, 1")
    h.set_field(offset, new)
    return new


def hold(h: Helper, kind: str, rows: int, offset: str, sequence: str, half: int = WHOLE) -> str:
    """Emit the start of a queue entry and return the pointer to its data.

    Leaves the helper with a fault when more loads are outstanding than the queue holds.
    """
    f = h.fn
    f.module.declare(f"declare ptr @{QUEUE}(ptr, i32, i32, i64, i64, i64, i32)")
    entry = f.op(
        f"call ptr @{QUEUE}(ptr %st, i32 {kind}, i32 {rows}, i64 {offset}, i64 {h.exec_bits()}, "
        f"i64 {sequence}, i32 {_signed(half)})"
    )
    full, room = f.label("full"), f.label("room")
    f.cond(f.op(f"icmp eq ptr {entry}, null"), full, room, likely=False)
    f.place(full)
    h.fault(L.PENDING_FAULT)
    f.place(room)
    return f.at(entry, Q_DATA)


@family("pend")
def emit_pend(module: Module, variant: Variant) -> None:
    """Count one memory operation; with `rows` or `scalars`, hold back its destination (slot 0)."""
    h = Helper(module, variant)
    f = h.fn
    kind: int = variant.option("kind")
    rows: int = variant.option("rows", 0)
    scalars: int = variant.option("scalars", 0)
    half: int = variant.option("half", WHOLE)
    counter = _issued(kind)
    sequence = "0" if counter is None else _bump(h, counter)
    if kind == FLAT:
        _bump(h, L.LDS_ISSUED)
        h.set_field(L.FLAT_PENDING, "3")
    _settle(h, kind, sequence)
    if rows or scalars:
        offset = f.op(f"zext i32 {f.load('i32', f.at('%rec', L.R_OPS))} to i64")
        which = str(kind)
        if kind == FLAT:
            in_lds = f.op(f"icmp ne i64 {h.field(L.FLAT_IN_LDS)}, 0")
            which = f.op(f"select i1 {in_lds}, i32 {FLAT_LDS}, i32 {FLAT}")
        data = hold(h, which, rows or -scalars, offset, sequence, half)
        pointer = h.slot(0)
        if rows:
            _hold_rows(h, data, pointer, rows, half)
        else:
            _copy(f, data, pointer, str(4 * scalars))
            for n in range(scalars):
                f.store("i32", str(_signed(SCALAR_JUNK)), f.at(pointer, 4 * n))
    h.next()
    h.finish()


def _settle(h: Helper, kind: int, sequence: str) -> None:
    """Commit the oldest operations when the counter is full."""
    f = h.fn
    fields = {VMEM: (L.VM_OLDEST,), LDS: (L.LDS_OLDEST,), FLAT: (L.VM_OLDEST, L.LDS_OLDEST)}
    for field in fields.get(kind, ()):
        limit = _LIMIT[VMEM if field == L.VM_OLDEST else LDS]
        newest = sequence if kind != FLAT or field == L.VM_OLDEST else h.field(L.LDS_ISSUED)
        oldest = h.field(field)
        age = f.op(f"sub i64 {newest}, {oldest}")
        full = f.op(f"icmp uge i64 {age}, {limit}")
        full = f.op(f"and i1 {full}, {f.op(f'icmp ne i64 {oldest}, 0')}")
        settle, after = f.label("settle"), f.label("after")
        f.cond(full, settle, after, likely=False)
        f.place(settle)
        _call_commit(f, str(NO_WAIT), str(NO_WAIT))
        f.br(after)
        f.place(after)


def _junk_row(lanes: int, bits: int) -> str:
    """A row of junk in these bits."""
    return "<" + ", ".join(f"i32 {_signed(JUNK[n % 4] & bits)}" for n in range(lanes)) + ">"


def _hold_rows(h: Helper, data: str, pointer: str, rows: int, half: int) -> None:
    f = h.fn
    bits = h.exec_bits()
    whole, partial, done = f.label("whole"), f.label("partial"), f.label("held")
    values = [f.load(f.i32s, f.at(pointer, n * L.ROW), L.ROW_ALIGN) for n in range(rows)]
    for n, value in enumerate(values):
        f.store(f.i32s, value, f.at(data, n * L.ROW), L.ROW_ALIGN)
    junk = [_junk_row(f.lanes, WHOLE)] * rows
    if half != WHOLE:
        kept = f.op(f"and {f.i32s} {values[0]}, splat (i32 {_signed(~half & WHOLE)})")
        junk = [f.op(f"or {f.i32s} {kept}, {_junk_row(f.lanes, half)}")]
    f.cond(h.is_full(bits), whole, partial, likely=True)
    f.place(whole)
    for n, value in enumerate(junk):
        f.store(f.i32s, value, f.at(pointer, n * L.ROW), L.ROW_ALIGN)
    f.br(done)
    f.place(partial)
    mask = h.mask(bits)
    for n, value in enumerate(junk):
        h.store_masked(value, f.at(pointer, n * L.ROW), mask)
    f.br(done)
    f.place(done)


def hold_lds(h: Helper, rows: list[str], start: str) -> None:
    """Hold back what an LDS-DMA load writes from LDS byte `start` (i64) on."""
    f = h.fn
    # The record behind this one counts the operation.
    sequence = f.op(f"add i64 {h.field(L.VM_ISSUED)}, 1")
    data = hold(h, str(VMEM), len(rows) | TO_LDS, start, sequence)
    index = f.load("i32", f.at("%rec", L.R_INDEX))
    f.store("i32", index, f.at(data, Q_INDEX - Q_DATA))
    for n, row in enumerate(rows):
        f.store(f.i32s, row, f.at(data, n * L.ROW), L.ROW_ALIGN)
    _bump(h, L.DMA_PENDING)


@family("commit")
def emit_commit(module: Module, variant: Variant) -> None:
    """s_waitcnt: imm is vmcnt, imm2 lgkmcnt (`NO_WAIT` where the wait does not name one)."""
    h = Helper(module, variant)
    f = h.fn
    busy, idle = f.label("busy"), f.label("idle")
    queue = h.field(L.PENDING, "ptr")
    waiting = f.load("i64", queue, 8)
    waiting = f.op(f"or i64 {waiting}, {f.load('i64', f.at(queue, NOTED), 8)}")
    waiting = f.op(f"or i64 {waiting}, {h.field(L.FLAT_PENDING)}")
    f.cond(f.op(f"icmp eq i64 {waiting}, 0"), idle, busy)
    f.place(busy)
    _call_commit(f, h.imm(), h.imm2())
    f.br(idle)
    f.place(idle)
    h.next()
    h.finish()


def commit_all(h: Helper) -> None:
    """Emit a wait for everything."""
    _call_commit(h.fn, "0", "0")


def _call_commit(f: Fn, vm: str, lgkm: str) -> None:
    f.module.declare(f"declare void @{COMMIT}(ptr, i64, i64)")
    f.emit(f"call void @{COMMIT}(ptr %st, i64 {vm}, i64 {lgkm})")


# --- runtime functions -----------------------------------------------------------------------
def emit_queue(module: Module) -> None:
    """`ptr asmevo_queue(state, kind, rows, offset, mask, sequence, half)`: a new entry, or null."""
    f = Fn(
        module,
        QUEUE,
        "ptr %st, i32 %kind, i32 %rows, i64 %offset, i64 %mask, i64 %sequence, i32 %half",
        "ptr",
        noinline=True,
    )
    queue = f.load("ptr", f.at("%st", L.PENDING), 8)
    room, full, none = f.label("room"), f.label("full"), f.label("none")
    before = f.load("i64", queue, 8)
    scalars, other = f.label("scalars"), f.label("other")
    crowd = f.op(f"icmp uge i64 {before}, {_SCALAR_CROWD}")
    f.cond(f.op(f"and i1 {crowd}, {f.op(f'icmp eq i32 %kind, {SMEM}')}"), scalars, other)
    f.place(scalars)
    _same_scalars(f, queue, before, other)
    f.place(other)
    f.cond(f.op(f"icmp ult i64 {before}, {CAPACITY}"), room, full, likely=True)
    f.place(full)
    f.emit(f"call void @{COMMIT}(ptr %st, i64 {NO_WAIT}, i64 {NO_WAIT})")
    less = f.load("i64", queue, 8)
    f.cond(f.op(f"icmp ult i64 {less}, {CAPACITY}"), room, none)
    f.place(none)
    f.ret("ptr null")
    f.place(room)
    count = f.load("i64", queue, 8)
    entry = f.at(f.at(queue, Q_HEAD), f.op(f"mul i64 {count}, {Q_ENTRY}"))
    for field, kind, value in (
        (Q_KIND, "i32", "%kind"),
        (Q_ROWS, "i32", "%rows"),
        (Q_OFFSET, "i64", "%offset"),
        (Q_MASK, "i64", "%mask"),
        (Q_SEQUENCE, "i64", "%sequence"),
        (Q_HALF, "i32", "%half"),
    ):
        f.store(kind, value, f.at(entry, field), 4 if kind == "i32" else 8)
    f.store("i64", f.op(f"add i64 {count}, 1"), queue, 8)
    for kind, field in ((VMEM, L.VM_OLDEST), (LDS, L.LDS_OLDEST)):
        at = f.at("%st", field)
        first = f.op(f"icmp eq i64 {f.load('i64', at, 8)}, 0")
        first = f.op(f"and i1 {first}, {f.op(f'icmp eq i32 %kind, {kind}')}")
        mark, after = f.label("mark"), f.label("after")
        f.cond(first, mark, after)
        f.place(mark)
        f.store("i64", "%sequence", at, 8)
        f.br(after)
        f.place(after)
    f.ret(f"ptr {entry}")
    f.finish()


def _same_scalars(f: Fn, queue: str, count: str, none: str) -> None:
    """Return the entry of a scalar load that this one overwrites, or go to `none`.

    Scalar loads are unordered, so nothing but a wait for zero takes them from the queue.
    """
    with CountedLoop(f, count, "held") as each:
        entry = f.at(f.at(queue, Q_HEAD), f.op(f"mul i64 {each.i}, {Q_ENTRY}"))
        same = f.op(f"icmp eq i32 {f.load('i32', f.at(entry, Q_KIND))}, {SMEM}")
        for field, kind, value in ((Q_ROWS, "i32", "%rows"), (Q_OFFSET, "i64", "%offset")):
            there = f.load(kind, f.at(entry, field), 8 if kind == "i64" else 4)
            same = f.op(f"and i1 {same}, {f.op(f'icmp eq {kind} {there}, {value}')}")
        found = f.label("found")
        f.cond(same, found, each.step)
        f.place(found)
        f.ret(f"ptr {entry}")
        f.place(f.label("dead"))
    f.br(none)


def emit_commit_function(module: Module) -> None:
    """`void asmevo_commit(state, vmcnt, lgkmcnt)`: let arrive what these counts prove complete."""
    f = Fn(module, COMMIT, "ptr %st, i64 %vm, i64 %lgkm", noinline=True)

    def field(offset: int) -> str:
        return f.load("i64", f.at("%st", offset), 8)

    vm_zero, lgkm_zero = f.op("icmp eq i64 %vm, 0"), f.op("icmp eq i64 %lgkm, 0")
    both = f.op(f"and i1 {vm_zero}, {lgkm_zero}")
    flat = field(L.FLAT_PENDING)
    # While a flat operation is outstanding only a wait for zero proves anything.
    counts: list[str] = []
    for bit, zero, given in ((1, vm_zero, "%vm"), (2, lgkm_zero, "%lgkm")):
        open_ = f.op(f"icmp ne i64 {f.op(f'and i64 {flat}, {bit}')}, 0")
        lost = f.op(f"and i1 {open_}, {f.op(f'xor i1 {zero}, true')}")
        counts.append(f.op(f"select i1 {lost}, i64 {NO_WAIT}, i64 {given}"))
    rule = _Completion(f, counts[0], counts[1], vm_zero, lgkm_zero, both)
    queue = f.load("ptr", f.at("%st", L.PENDING), 8)
    count = f.load("i64", queue, 8)
    kept, vm_oldest, lds_oldest = (f.op("alloca i64") for _ in range(3))
    for cell in (kept, vm_oldest, lds_oldest):
        f.store("i64", "0", cell, 8)
    with CountedLoop(f, count, "entry") as each:
        entry = f.at(f.at(queue, Q_HEAD), f.op(f"mul i64 {each.i}, {Q_ENTRY}"))
        kind = f.load("i32", f.at(entry, Q_KIND))
        complete = rule.of(kind, f.load("i64", f.at(entry, Q_SEQUENCE), 8))
        arrive, keep = f.label("arrive"), f.label("keep")
        f.cond(complete, arrive, keep)
        f.place(keep)
        _keep(f, queue, entry, each.i, kept, {VMEM: vm_oldest, LDS: lds_oldest})
        f.br(each.step)
        f.place(arrive)
        _arrive(f, entry, each.step)
        f.place(f.label("dead"))
    f.store("i64", f.load("i64", kept, 8), queue, 8)
    for cell, offset in ((vm_oldest, L.VM_OLDEST), (lds_oldest, L.LDS_OLDEST)):
        f.store("i64", f.load("i64", cell, 8), f.at("%st", offset), 8)
    _forget(f, queue, rule)
    still = flat
    for bit, zero in ((1, vm_zero), (2, lgkm_zero)):
        without = f.op(f"and i64 {still}, {~bit}")
        still = f.op(f"select i1 {zero}, i64 {without}, i64 {still}")
    f.store("i64", still, f.at("%st", L.FLAT_PENDING), 8)
    f.ret()
    f.finish()


class _Completion:
    """What a wait proves complete (see `isa.counters`): `of` gives it for one operation."""

    def __init__(self, f: Fn, vm: str, lgkm: str, vm_zero: str, lgkm_zero: str, both: str) -> None:
        self.f, self.vm, self.lgkm = f, vm, lgkm
        self.vm_zero, self.lgkm_zero, self.both = vm_zero, lgkm_zero, both
        self.issued = [f.load("i64", f.at("%st", x), 8) for x in (L.LDS_ISSUED, L.VM_ISSUED)]

    def of(self, kind: str, sequence: str) -> str:
        """i1: an operation of this class (i32) and number (i64) is complete."""
        f = self.f
        is_lds = f.op(f"icmp eq i32 {kind}, {LDS}")
        issued = f.op(f"select i1 {is_lds}, i64 {self.issued[0]}, i64 {self.issued[1]}")
        younger = f.op(f"sub i64 {issued}, {sequence}")
        allowed = f.op(f"select i1 {is_lds}, i64 {self.lgkm}, i64 {self.vm}")
        limit = f.op(f"select i1 {is_lds}, i64 {_LIMIT[LDS]}, i64 {_LIMIT[VMEM]}")
        # Signed: what waits for its own number is younger than all.
        ordered = f.op(f"icmp sge i64 {younger}, {allowed}")
        ordered = f.op(f"or i1 {ordered}, {f.op(f'icmp sge i64 {younger}, {limit}')}")
        complete = ordered
        for which, rule in ((SMEM, self.lgkm_zero), (FLAT, self.vm_zero), (FLAT_LDS, self.both)):
            same = f.op(f"icmp eq i32 {kind}, {which}")
            complete = f.op(f"select i1 {same}, i1 {rule}, i1 {complete}")
        return complete


def _forget(f: Fn, queue: str, rule: _Completion) -> None:
    """Drop the complete ones of the accesses that shadow memory keeps."""
    count = f.load("i64", f.at(queue, NOTED), 8)
    kept = f.op("alloca i64")
    f.store("i64", "0", kept, 8)
    with CountedLoop(f, count, "note") as each:
        entry = f.at(f.at(queue, NOTES), f.op(f"mul i64 {each.i}, {NOTE_SIZE}"))
        kind = f.op(f"trunc i64 {f.load('i64', f.at(entry, N_KIND), 8)} to i32")
        complete = rule.of(kind, f.load("i64", f.at(entry, N_SEQUENCE), 8))
        keep, move, stay = f.label("keep"), f.label("move"), f.label("stay")
        f.cond(complete, each.step, keep)
        f.place(keep)
        at = f.load("i64", kept, 8)
        f.store("i64", f.op(f"add i64 {at}, 1"), kept, 8)
        f.cond(f.op(f"icmp eq i64 {at}, {each.i}"), stay, move)
        f.place(move)
        place = f.at(f.at(queue, NOTES), f.op(f"mul i64 {at}, {NOTE_SIZE}"))
        _copy(f, place, entry, str(NOTE_SIZE), move=True)
        f.br(stay)
        f.place(stay)
    f.store("i64", f.load("i64", kept, 8), f.at(queue, NOTED), 8)


def _keep(f: Fn, queue: str, entry: str, number: str, kept: str, oldest: dict[int, str]) -> None:
    """Move an entry that stays down to the next free place; note the oldest of each class."""
    position = f.load("i64", kept, 8)
    move, stay = f.label("move"), f.label("stay")
    f.cond(f.op(f"icmp eq i64 {position}, {number}"), stay, move)
    f.place(move)
    place = f.at(f.at(queue, Q_HEAD), f.op(f"mul i64 {position}, {Q_ENTRY}"))
    rows = f.load("i32", f.at(entry, Q_ROWS))
    count = f.op(f"and i32 {rows}, {TO_LDS - 1}")
    scalar = f.op(f"icmp slt i32 {rows}, 0")
    count = f.op(f"select i1 {scalar}, i32 1, i32 {count}")
    size = f.op(f"mul i64 {f.op(f'zext i32 {count} to i64')}, {L.ROW}")
    _copy(f, place, entry, f.op(f"add i64 {size}, {Q_DATA}"), move=True)
    f.br(stay)
    f.place(stay)
    now = f.at(f.at(queue, Q_HEAD), f.op(f"mul i64 {position}, {Q_ENTRY}"))
    kind = f.load("i32", f.at(now, Q_KIND))
    sequence = f.load("i64", f.at(now, Q_SEQUENCE), 8)
    for which, cell in oldest.items():
        known = f.load("i64", cell, 8)
        first = f.op(f"icmp eq i64 {known}, 0")
        first = f.op(f"and i1 {first}, {f.op(f'icmp eq i32 {kind}, {which}')}")
        f.store("i64", f.op(f"select i1 {first}, i64 {sequence}, i64 {known}"), cell, 8)
    f.store("i64", f.op(f"add i64 {position}, 1"), kept, 8)


def _arrive(f: Fn, entry: str, done: str) -> None:
    """Write the data of an entry to where it belongs and go to `done`."""
    offset = f.load("i64", f.at(entry, Q_OFFSET), 8)
    target = f.at("%st", offset)
    data = f.at(entry, Q_DATA)
    rows = f.load("i32", f.at(entry, Q_ROWS))
    bits = f.load("i64", f.at(entry, Q_MASK), 8)
    half = f.load("i32", f.at(entry, Q_HALF))
    scalar, vector, dma, lanes = (f.label(x) for x in ("scalar", "vector", "dma", "lanes"))
    full, partial = f.label("full"), f.label("partial")
    f.cond(f.op(f"icmp slt i32 {rows}, 0"), scalar, vector)
    f.place(scalar)
    number = f.op(f"zext i32 {f.op(f'sub i32 0, {rows}')} to i64")
    _copy(f, target, data, f.op(f"mul i64 {number}, 4"))
    f.br(done)
    f.place(vector)
    count = f.op(f"zext i32 {f.op(f'and i32 {rows}, {TO_LDS - 1}')} to i64")
    to_lds = f.op(f"icmp ne i32 {f.op(f'and i32 {rows}, {TO_LDS}')}, 0")
    f.cond(to_lds, dma, lanes)
    f.place(lanes)
    whole = f.op(f"icmp eq i32 {half}, -1")
    whole = f.op(f"and i1 {whole}, {f.op(f'icmp eq i64 {bits}, {f.all_lanes}')}")
    f.cond(whole, full, partial)
    f.place(full)
    with CountedLoop(f, count, "row") as row:
        at = f.op(f"mul i64 {row.i}, {L.ROW}")
        f.store(f.i32s, f.load(f.i32s, f.at(data, at), L.ROW_ALIGN), f.at(target, at), L.ROW_ALIGN)
    f.br(done)
    f.place(partial)
    mask = f.op(f"bitcast i64 {bits} to {f.i1s}")
    one = f.op(f"insertelement {f.i32s} poison, i32 {half}, i64 0")
    wide = f.op(f"shufflevector {f.i32s} {one}, {f.i32s} poison, {f.i32s} zeroinitializer")
    with CountedLoop(f, count, "row") as row:
        at = f.op(f"mul i64 {row.i}, {L.ROW}")
        new = f.load(f.i32s, f.at(data, at), L.ROW_ALIGN)
        old = f.load(f.i32s, f.at(target, at), L.ROW_ALIGN)
        differs = f.op(f"and {f.i32s} {f.op(f'xor {f.i32s} {new}, {old}')}, {wide}")
        merged = f.op(f"xor {f.i32s} {old}, {differs}")
        value = f.op(f"select {f.i1s} {mask}, {f.i32s} {merged}, {f.i32s} {old}")
        f.store(f.i32s, value, f.at(target, at), L.ROW_ALIGN)
    f.br(done)
    f.place(dma)
    left = f.op(f"sub i64 {f.load('i64', f.at('%st', L.DMA_PENDING), 8)}, 1")
    f.store("i64", left, f.at("%st", L.DMA_PENDING), 8)
    watched, land = f.label("watched"), f.label("land")
    reports = f.load("ptr", f.at("%st", L.REPORTS), 8)
    f.cond(f.op(f"icmp eq ptr {reports}, null"), land, watched)
    f.place(watched)
    f.emit(f"call void @{LANDED}(ptr %st, ptr {entry})")
    f.br(land)
    f.place(land)
    base = f.load("ptr", f.at("%st", L.LDS_BASE), 8)
    first = f.at(base, offset)
    step = f.op(f"mul i64 {count}, 4")
    numbers = "<" + ", ".join(f"i64 {n}" for n in range(f.lanes)) + ">"
    one = f.op(f"insertelement {f.i64s} poison, i64 {step}, i64 0")
    wide = f.op(f"shufflevector {f.i64s} {one}, {f.i64s} poison, {f.i32s} zeroinitializer")
    places = f.op(f"mul {f.i64s} {wide}, {numbers}")
    mask = f.op(f"bitcast i64 {bits} to {f.i1s}")
    pointers = f.pointers
    with CountedLoop(f, count, "row") as row:
        at = f.op(f"mul i64 {row.i}, {L.ROW}")
        value = f.load(f.i32s, f.at(data, at), L.ROW_ALIGN)
        start = f.at(first, f.op(f"mul i64 {row.i}, 4"))
        where = f.op(f"getelementptr i8, ptr {start}, {f.i64s} {places}")
        f.call(
            "void",
            f"llvm.masked.scatter.v{f.lanes}i32.v{f.lanes}p0",
            f"{f.i32s} {value}, {pointers} {where}, i32 1, {f.i1s} {mask}",
            declare=f"{f.i32s}, {pointers}, i32 immarg, {f.i1s}",
        )
    f.br(done)
