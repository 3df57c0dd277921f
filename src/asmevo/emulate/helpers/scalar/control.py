"""Helpers for control flow and the pseudo records that count and yield."""

from __future__ import annotations

from collections.abc import Callable

from asmevo.emulate import layout as L
from asmevo.emulate.native.helper import Helper
from asmevo.emulate.native.ir import LANE_SET, Module
from asmevo.emulate.native.variant import Variant, family
from asmevo.emulate.sanitize import pauses, pending
from asmevo.isa.flow import Condition, flow_of

_PATH_FACTOR = 0x9E3779B97F4A7C15  # odd and without pattern: paths hash by their order


@family("branch")
def emit_branch(module: Module, variant: Variant) -> None:
    """s_branch and s_cbranch_*: the immediate is the target record's address."""
    h = Helper(module, variant)
    f = h.fn
    target = f.op(f"inttoptr i64 {h.imm()} to ptr")
    flow = flow_of(variant.name)
    if flow.condition is None:
        h.jump(target)
        h.finish()
        return
    if flow.condition is Condition.SCC:
        value, width, on_zero = f.load("i32", f.at("%st", L.SCC)), 32, not flow.when
    else:
        field = L.VCC if flow.condition is Condition.VCC else L.EXEC
        value, width, on_zero = h.mask_field(field), LANE_SET, flow.when
    taken = f.op(f"icmp {'eq' if on_zero else 'ne'} i{width} {value}, 0")
    following = f.at("%rec", L.RECORD_SIZE)
    h.jump(f.op(f"select i1 {taken}, ptr {target}, ptr {following}"))
    h.finish()


def count_entry(h: Helper, number: str, length: str) -> None:
    """Count one entry into block `number` of `length` instructions (both i64).

    Leaves the helper, with nothing counted, when the wave's budget does not cover the block.
    """
    f = h.fn
    left = f.op(f"sub i64 {h.field(L.BUDGET)}, {length}")
    out, go = f.label("spent"), f.label("go")
    f.cond(f.op(f"icmp slt i64 {left}, 0"), out, go, likely=False)
    f.place(out)
    h.leave(L.OUT_OF_BUDGET)
    f.place(go)
    h.set_field(L.BUDGET, left)
    h.set_field(L.EXECUTED, f.op(f"add i64 {h.field(L.EXECUTED)}, {length}"))
    slot = f.at(h.field(L.COUNTS, "ptr"), f.op(f"mul i64 {number}, 8"))
    f.store("i64", f.op(f"add i64 {f.load('i64', slot, 8)}, 1"), slot, 8)
    if h.variant.option("trace"):
        step = f.op(f"mul i64 {h.field(L.PATH)}, {_PATH_FACTOR}")
        h.set_field(L.PATH, f.op(f"add i64 {step}, {f.op(f'add i64 {number}, 1')}"))
        at = h.field(L.TRACE_LENGTH)
        room = f.op(f"icmp ult i64 {at}, {h.field(L.TRACE_CAPACITY)}")
        record, after = f.label("record"), f.label("after")
        f.cond(room, record, after, likely=True)
        f.place(record)
        narrow = f.op(f"trunc i64 {number} to i32")
        f.store("i32", narrow, f.at(h.field(L.TRACE, "ptr"), f.op(f"mul i64 {at}, 4")))
        f.br(after)
        f.place(after)
        # The length keeps counting past the capacity, so that truncation is visible.
        h.set_field(L.TRACE_LENGTH, f.op(f"add i64 {at}, 1"))


def _jump_to_address(h: Helper, address: str, before: Callable[[], None] | None = None) -> None:
    """Continue at a device code address, or fault when it is no instruction start.

    `before` emits what happens once the jump is certain.
    """
    f = h.fn
    offset = f.op(f"sub i64 {address}, {h.field(L.CODE_ADDRESS)}")
    inside = f.op(f"icmp ult i64 {offset}, {h.field(L.CODE_SIZE)}")
    look, bad, go = f.label("look"), f.label("badjump"), f.label("go")
    f.cond(inside, look, bad, likely=True)
    f.place(look)
    index = f.load("i32", f.at(h.field(L.PC_MAP, "ptr"), f.op(f"and i64 {offset}, -4")))
    f.cond(f.op(f"icmp slt i32 {index}, 0"), bad, go, likely=False)
    f.place(bad)
    h.fault(L.JUMP_FAULT, "0", address)
    f.place(go)
    # Into the middle of a counted block: its own counter is not passed, so count the rest here.
    rest = f.load("i32", f.at(h.field(L.REST_MAP, "ptr"), f.op(f"and i64 {offset}, -4")))
    inner, enter = f.label("inner"), f.label("enter")
    f.cond(f.op(f"icmp eq i32 {rest}, 0"), enter, inner, likely=True)
    f.place(inner)
    dword = f.op(f"lshr i64 {offset}, 2")
    number = f.op(f"add i64 {h.field(L.BLOCK_COUNT)}, {dword}")
    count_entry(h, number, f.op(f"zext i32 {rest} to i64"))
    f.br(enter)
    f.place(enter)
    if before is not None:
        before()
    scaled = f.op(f"mul i64 {f.op(f'zext i32 {index} to i64')}, {L.RECORD_SIZE}")
    h.jump(f.at(h.field(L.RECORDS, "ptr"), scaled))


@family("jump")
def emit_jump(module: Module, variant: Variant) -> None:
    """s_getpc, s_setpc, s_swappc, s_call: imm is the address after this instruction."""
    h = Helper(module, variant)
    f = h.fn
    if variant.name == "s_getpc_b64":
        f.store("i64", h.imm(), h.slot(0))
        h.next()
    elif variant.name == "s_setpc_b64":
        _jump_to_address(h, f.load("i64", h.slot(0)))
    elif variant.name == "s_swappc_b64":
        # The return address is written last: a wave that runs out of its budget jumps again.
        target = f.load("i64", h.slot(1))
        _jump_to_address(h, target, lambda: f.store("i64", h.imm(), h.slot(0)))
    else:  # s_call_b64: imm2 is the target record
        f.store("i64", h.imm(), h.slot(0))
        h.jump(f.op(f"inttoptr i64 {h.imm2()} to ptr"))
    h.finish()


@family("stop")
def emit_stop(module: Module, variant: Variant) -> None:
    """s_barrier, s_endpgm, s_trap and running off the end."""
    h = Helper(module, variant)
    if variant.name == "s_barrier":
        h.leave(L.AT_BARRIER, h.fn.at("%rec", L.RECORD_SIZE))
    elif variant.name == "s_endpgm":
        if variant.option("held"):
            pauses.let_go(h, "0")
        if variant.option("late"):  # the end of a wave waits for everything (CDNA ISA, S_ENDPGM)
            pending.commit_all(h)
        h.leave(L.ENDED)
    elif variant.name == "s_trap":
        h.fault(L.TRAP_FAULT)
    else:
        h.fault(L.JUMP_FAULT)
    h.finish()


@family("block")
def emit_block(module: Module, variant: Variant) -> None:
    """Entry of a basic block: imm numbers the block, misc is its instruction count."""
    h = Helper(module, variant)
    f = h.fn
    length = f.op(f"zext i32 {f.load('i32', f.at('%rec', L.R_MISC))} to i64")
    count_entry(h, h.imm(), length)
    h.next()
    h.finish()


@family("tick")
def emit_tick(module: Module, variant: Variant) -> None:
    """Between instructions of an interleaved run: yield when the wave's quantum is used up."""
    h = Helper(module, variant)
    f = h.fn
    left = f.op(f"sub i64 {h.field(L.TICKS)}, 1")
    h.set_field(L.TICKS, left)
    out, go = f.label("yield"), f.label("go")
    f.cond(f.op(f"icmp sle i64 {left}, 0"), out, go, likely=False)
    f.place(out)
    h.leave(L.YIELDED, f.at("%rec", L.RECORD_SIZE))
    f.place(go)
    h.next()
    h.finish()
