"""Loads that have not arrived yet: junk in the destination until a sufficient wait.

With `waits` on, every load is followed by a `pend` record, which moves what was loaded into the
wave's queue and fills the destination with junk, and every s_waitcnt commits what it proves
complete. The proof rule is the exact one of the wait table (`isa.counters`): an operation of an
ordered class is complete when at most N younger ones of its class may be outstanding; scalar
loads only at 0; while a flat operation is outstanding only 0 counts.
"""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.emit import I32X64, Helper, Variant, family
from asmevo.emulate.ir import Module
from asmevo.emulate.loops import CountedLoop

VMEM, LDS, SMEM, FLAT = range(4)  # completion classes
_DONE = 7
_LIMIT = {VMEM: 63, LDS: 15}  # a full counter stalls, so older operations are complete

# Queue: a u64 count, then entries of a header and up to four rows (or 16 scalars).
CAPACITY = 128
Q_HEAD = 64
Q_KIND, Q_ROWS, Q_OFFSET, Q_MASK, Q_SEQUENCE = 0, 4, 8, 16, 24
Q_DATA = 64
Q_ENTRY = 64 + 4 * L.ROW
QUEUE_SIZE = Q_HEAD + CAPACITY * Q_ENTRY
JUNK = 0x7FF5_0BAD  # a signalling NaN as f32, an unlikely address and index
NO_WAIT = 1 << 20


def _issued(kind: int) -> int | None:
    """State field that numbers the operations of a class; scalar loads have no order."""
    return {VMEM: L.VM_ISSUED, FLAT: L.VM_ISSUED, LDS: L.LDS_ISSUED}.get(kind)


def _memcpy(h: Helper, to: str, source: str, size: int) -> None:
    h.module.declare("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    h.fn.emit(f"call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {source}, i64 {size}, i1 false)")


def _bump(h: Helper, offset: int) -> str:
    new = h.fn.op(f"add i64 {h.field(offset)}, 1")
    h.set_field(offset, new)
    return new


@family("pend")
def emit_pend(module: Module, variant: Variant) -> None:
    """Count one memory operation; with `rows` or `scalars`, hold back its destination (slot 0)."""
    h = Helper(module, variant)
    f = h.fn
    kind: int = variant.option("kind")
    rows: int = variant.option("rows", 0)
    scalars: int = variant.option("scalars", 0)
    counter = _issued(kind)
    sequence = "0" if counter is None else _bump(h, counter)
    if kind == FLAT:
        _bump(h, L.LDS_ISSUED)
        h.set_field(L.FLAT_PENDING, "1")
    if rows or scalars:
        queue = h.field(L.PENDING, "ptr")
        count = f.load("i64", queue, 8)
        room, full = f.label("room"), f.label("full")
        f.cond(f.op(f"icmp ult i64 {count}, {CAPACITY}"), room, full, likely=True)
        f.place(full)
        h.fault(L.PENDING_FAULT)
        f.place(room)
        entry = f.at(f.at(queue, Q_HEAD), f.op(f"mul i64 {count}, {Q_ENTRY}"))
        f.store("i32", str(kind), f.at(entry, Q_KIND))
        f.store("i32", str(rows or -scalars), f.at(entry, Q_ROWS))
        offset = f.load("i32", f.at("%rec", L.R_OPS))
        f.store("i64", f.op(f"zext i32 {offset} to i64"), f.at(entry, Q_OFFSET), 8)
        f.store("i64", h.exec_bits(), f.at(entry, Q_MASK), 8)
        f.store("i64", sequence, f.at(entry, Q_SEQUENCE), 8)
        pointer = h.slot(0)
        if rows:
            _memcpy(h, f.at(entry, Q_DATA), pointer, rows * L.ROW)
            mask = h.mask(h.exec_bits())
            for row in range(rows):
                h.store_masked(f"splat (i32 {JUNK})", f.at(pointer, row * L.ROW), mask)
        else:
            _memcpy(h, f.at(entry, Q_DATA), pointer, 4 * scalars)
            for n in range(scalars):
                f.store("i32", str(JUNK), f.at(pointer, 4 * n))
        f.store("i64", f.op(f"add i64 {count}, 1"), queue, 8)
    h.next()
    h.finish()


@family("commit")
def emit_commit(module: Module, variant: Variant) -> None:
    """s_waitcnt: imm is vmcnt, imm2 lgkmcnt (`NO_WAIT` where the wait does not name one)."""
    h = Helper(module, variant)
    f = h.fn
    vm, lgkm = h.imm(), h.imm2()
    vm_zero, lgkm_zero = f.op(f"icmp eq i64 {vm}, 0"), f.op(f"icmp eq i64 {lgkm}, 0")
    flat = f.op(f"icmp ne i64 {h.field(L.FLAT_PENDING)}, 0")
    none = str(NO_WAIT)
    # While a flat operation is outstanding only a wait for zero proves anything.
    lost = f.op(f"and i1 {flat}, {f.op(f'xor i1 {vm_zero}, true')}")
    vm = f.op(f"select i1 {lost}, i64 {none}, i64 {vm}")
    lost = f.op(f"and i1 {flat}, {f.op(f'xor i1 {lgkm_zero}, true')}")
    lgkm = f.op(f"select i1 {lost}, i64 {none}, i64 {lgkm}")
    queue = h.field(L.PENDING, "ptr")
    count = f.load("i64", queue, 8)
    live = f.op("alloca i64")
    f.store("i64", "0", live, 8)
    with CountedLoop(f, count, "entry") as each:
        entry = f.at(f.at(queue, Q_HEAD), f.op(f"mul i64 {each.i}, {Q_ENTRY}"))
        kind = f.load("i32", f.at(entry, Q_KIND))
        sequence = f.load("i64", f.at(entry, Q_SEQUENCE), 8)
        is_lds = f.op(f"icmp eq i32 {kind}, {LDS}")
        issued = f.op(
            f"select i1 {is_lds}, i64 {h.field(L.LDS_ISSUED)}, i64 {h.field(L.VM_ISSUED)}"
        )
        younger = f.op(f"sub i64 {issued}, {sequence}")
        allowed = f.op(f"select i1 {is_lds}, i64 {lgkm}, i64 {vm}")
        ordered = f.op(f"icmp uge i64 {younger}, {allowed}")
        limit = f.op(f"select i1 {is_lds}, i64 {_LIMIT[LDS]}, i64 {_LIMIT[VMEM]}")
        old = f.op(f"icmp uge i64 {younger}, {limit}")
        ordered = f.op(f"or i1 {ordered}, {old}")
        both = f.op(f"and i1 {vm_zero}, {lgkm_zero}")
        is_smem = f.op(f"icmp eq i32 {kind}, {SMEM}")
        is_flat = f.op(f"icmp eq i32 {kind}, {FLAT}")
        complete = f.op(f"select i1 {is_smem}, i1 {lgkm_zero}, i1 {ordered}")
        complete = f.op(f"select i1 {is_flat}, i1 {both}, i1 {complete}")
        gone = f.op(f"icmp eq i32 {kind}, {_DONE}")
        pending = f.op(f"xor i1 {gone}, true")
        commit, keep = f.label("commit"), f.label("keep")
        f.cond(f.op(f"and i1 {complete}, {pending}"), commit, keep)
        f.place(keep)
        add = f.op(f"zext i1 {pending} to i64")
        f.store("i64", f.op(f"add i64 {f.load('i64', live, 8)}, {add}"), live, 8)
        f.br(each.step)
        f.place(commit)
        f.store("i32", str(_DONE), f.at(entry, Q_KIND))
        target = f.at("%st", f.load("i64", f.at(entry, Q_OFFSET), 8))
        rows = f.load("i32", f.at(entry, Q_ROWS))
        vector, scalar = f.label("vector"), f.label("scalar")
        f.cond(f.op(f"icmp sgt i32 {rows}, 0"), vector, scalar)
        f.place(vector)
        mask = h.mask(f.load("i64", f.at(entry, Q_MASK), 8))
        with CountedLoop(f, f.op(f"zext i32 {rows} to i64"), "row") as row:
            at = f.op(f"mul i64 {row.i}, {L.ROW}")
            value = f.load(I32X64, f.at(f.at(entry, Q_DATA), at), 64)
            h.store_masked(value, f.at(target, at), mask)
        f.br(each.step)
        f.place(scalar)
        number = f.op(f"zext i32 {f.op(f'sub i32 0, {rows}')} to i64")
        with CountedLoop(f, number, "scalar") as word:
            at = f.op(f"mul i64 {word.i}, 4")
            f.store("i32", f.load("i32", f.at(f.at(entry, Q_DATA), at)), f.at(target, at))
    remaining = f.load("i64", live, 8)
    compact, done = f.label("compact"), f.label("done")
    # Entries that are done go when half of the queue is used, or all of them are done.
    crowded = f.op(f"icmp ugt i64 {count}, {CAPACITY // 2}")
    crowded = f.op(f"or i1 {crowded}, {f.op(f'icmp eq i64 {remaining}, 0')}")
    f.cond(crowded, compact, done)
    f.place(compact)
    kept = f.op("alloca i64")
    f.store("i64", "0", kept, 8)
    with CountedLoop(f, count, "old") as old:
        entry = f.at(f.at(queue, Q_HEAD), f.op(f"mul i64 {old.i}, {Q_ENTRY}"))
        alive = f.op(f"icmp ne i32 {f.load('i32', f.at(entry, Q_KIND))}, {_DONE}")
        move = f.label("move")
        f.cond(alive, move, old.step)
        f.place(move)
        position = f.load("i64", kept, 8)
        place = f.at(f.at(queue, Q_HEAD), f.op(f"mul i64 {position}, {Q_ENTRY}"))
        f.module.declare("declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)")
        f.emit(
            f"call void @llvm.memmove.p0.p0.i64(ptr {place}, ptr {entry}, i64 {Q_ENTRY}, i1 false)"
        )
        f.store("i64", f.op(f"add i64 {position}, 1"), kept, 8)
    f.store("i64", f.load("i64", kept, 8), queue, 8)
    f.br(done)
    f.place(done)
    cleared = f.op(f"and i1 {vm_zero}, {lgkm_zero}")
    still = f.op(f"select i1 {cleared}, i64 0, i64 {h.field(L.FLAT_PENDING)}")
    h.set_field(L.FLAT_PENDING, still)
    h.next()
    h.finish()
