"""Helpers for control flow and the pseudo records that count and yield."""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.helpers.emit import Helper, Variant, family
from asmevo.emulate.native.ir import Module


@family("branch")
def emit_branch(module: Module, variant: Variant) -> None:
    """s_branch and s_cbranch_*: the immediate is the target record's address."""
    h = Helper(module, variant)
    f = h.fn
    target = f.op(f"inttoptr i64 {h.imm()} to ptr")
    name = variant.name
    if name == "s_branch":
        h.jump(target)
        h.finish()
        return
    if name.startswith("s_cbranch_scc"):
        value, width = f.load("i32", f.at("%st", L.SCC)), 32
    else:
        value, width = h.field(L.VCC if "vcc" in name else L.EXEC), 64
    wanted = name.endswith(("scc1", "nz"))
    taken = f.op(f"icmp {'ne' if wanted else 'eq'} i{width} {value}, 0")
    following = f.at("%rec", L.RECORD_SIZE)
    h.jump(f.op(f"select i1 {taken}, ptr {target}, ptr {following}"))
    h.finish()


def _jump_to_address(h: Helper, address: str) -> None:
    """Continue at a device code address, or fault when it is no instruction start."""
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
        target = f.load("i64", h.slot(1))
        f.store("i64", h.imm(), h.slot(0))
        _jump_to_address(h, target)
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
    number = h.imm()
    length = f.op(f"zext i32 {f.load('i32', f.at('%rec', L.R_MISC))} to i64")
    slot = f.at(h.field(L.COUNTS, "ptr"), f.op(f"mul i64 {number}, 8"))
    f.store("i64", f.op(f"add i64 {f.load('i64', slot, 8)}, 1"), slot, 8)
    done = f.op(f"add i64 {h.field(L.EXECUTED)}, {length}")
    h.set_field(L.EXECUTED, done)
    left = f.op(f"sub i64 {h.field(L.BUDGET)}, {length}")
    h.set_field(L.BUDGET, left)
    if variant.option("trace"):
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
    out, go = f.label("spent"), f.label("go")
    f.cond(f.op(f"icmp slt i64 {left}, 0"), out, go, likely=False)
    f.place(out)
    h.leave(L.OUT_OF_BUDGET)
    f.place(go)
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
