"""What the checker does not follow: it is named in a note, and an edit must leave it where it is.

What: instructions that LLVM here cannot read or that no table knows; waits for counters whose use
is not followed (gfx1250 `xcnt`: sources of memory operations in flight; `vscnt` and `storecnt`: no
register depends on them, only what other waves see), for events, for ALU results
(`s_waitcnt_depctr`, `s_wait_alu`) and for a count from a register; nops on targets without a full
table of wait states; `s_set_vgpr_msb`, behind which printed register numbers lack bits. In a
program with unknown instructions or register banks, every wait and nop is of this kind, because
nobody can say what it is for.

Why: a wait that nobody tracks can be removed without any finding. So a comparison with the original
asks that each of these instructions is still there, at least as strong, in its order, and that
nothing moved across it. Idle time, priority and scheduling hints (`s_sleep`, `s_setprio`,
`s_delay_alu`) protect nothing and are free.

Source: LLVM `SIInsertWaitcnts.cpp` (xcnt, asynccnt, tensorcnt), `GCNHazardRecognizer.cpp` and
`AMDGPUWaitSGPRHazards.cpp` (depctr); LLVM pull requests 213394 and 219206 (gfx1250 xcnt).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING

from asmevo.check.findings import NOTE, Finding
from asmevo.isa.counters import (
    counters_of,
    decode_depctr,
    decode_wait,
    is_counter_wait,
    untracked_waits,
)
from asmevo.isa.effects import OpClass
from asmevo.isa.hazards.rows import RULES
from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Target

if TYPE_CHECKING:
    from asmevo.check.engine.view import View


class Untracked(IntEnum):
    """Why an instruction is not followed."""

    NO = 0  # it is followed
    IF_BLIND = 1  # a wait or nop: followed unless the program holds what cannot be followed
    ORDER = 2  # orders stores as other waves see them: memory operations may not cross it
    WAIT = 3  # waits for something that is not followed
    NOP = 4  # gives wait states on a target without a full table of them
    BANKS = 5  # changes which registers the numbers of other instructions mean
    UNKNOWN = 6  # cannot be read, or is in no table


def _counters(target: Target) -> dict[str, str]:
    """Counters that are not followed, or not in full: name -> why."""
    found = {c.name: c.untracked for c in counters_of(target).values() if c.untracked}
    for counter in counters_of(target).values():
        if counter.stores_only:
            found[counter.name] = "the order in which other waves see stores is not checked"
    return found


BLINDING = (Untracked.BANKS, Untracked.UNKNOWN)


def untracked(inst: Instruction, kind: OpClass, target: Target) -> Untracked:
    """Whether and why the checker does not follow an instruction."""
    if inst.text is None or kind is OpClass.OTHER:
        return Untracked.UNKNOWN
    if kind is not OpClass.WAIT:
        base = inst.base
        if base in ("s_nop", "v_nop"):
            return Untracked.IF_BLIND if target.arch in RULES else Untracked.NOP
        return Untracked.BANKS if base == "s_set_vgpr_msb" else Untracked.NO
    if inst.base == "s_wait_idle" or not is_counter_wait(inst, target):
        fields = inst.base in ("s_waitcnt_depctr", "s_wait_alu")
        return Untracked.NO if fields and not decode_depctr(inst, target) else Untracked.WAIT
    counts = decode_wait(inst, target)
    if not counts:
        # All fields at their maximum wait for nothing; a count from a register may wait.
        from_register = any(o.reg is not None and str(o.reg) != "null" for o in inst.operands)
        return Untracked.WAIT if from_register else Untracked.NO
    if untracked_waits(inst, target):
        return Untracked.WAIT
    known = counters_of(target)
    ordering = any(known[name].stores_only for name in counts)
    return Untracked.ORDER if ordering else Untracked.IF_BLIND


def at_least(new: Instruction, old: Instruction, target: Target) -> bool:
    """Whether an instruction does at least what another of this kind does."""
    if new.raw == old.raw:
        return True
    if new.base in ("s_nop", "v_nop") and new.base == old.base:
        return new.base == "v_nop" or _nops(new) >= _nops(old)
    for decode in (decode_wait, decode_depctr):
        wanted = decode(old, target)
        if wanted:
            given = decode(new, target)
            return all(given.get(name, count + 1) <= count for name, count in wanted.items())
    return False


def _nops(inst: Instruction) -> int:
    return int.from_bytes(inst.raw[:2], "little")


UNREACHED = "coverage.unreached"


def check_reach(view: View, kernel: bool, callees: Sequence[int]) -> list[Finding]:
    """A note where calls or computed jumps go to code that no known path reaches.

    A callee that is a function of its own is held to the calling convention; code inside another
    function is not, and neither is what a computed jump of a kernel, which no caller waits for,
    goes to. What is pending there, and which wait states are missing, nobody can say.

    Args:
        view: a function.
        kernel: whether it is a kernel: its computed jumps are then no returns.
        callees: targets of its direct calls that begin no function.
    """
    reached = set(view.order)
    away = [i for i in view.indirect if view.chunk_at(i).number in reached]
    called = [i for i in view.calls if view.chunk_at(i).number in reached]
    hidden = sum(
        f.kind not in (OpClass.NOP, OpClass.END)
        for c in view.chunks
        if c.number not in reached
        for f in c.content.facts
    )
    if not (callees or (kernel and away) or (hidden and (away or called))):
        return []
    message = (
        "calls or computed jumps lead where no path is followed; waits and wait states there "
        f"({hidden} instructions are reached in no other way) and before these are not checked"
    )
    return [Finding(UNREACHED, "-", NOTE, view.name, -1, "", message=message)]


def check_coverage(view: View) -> list[Finding]:
    """Notes on one function that name what is not followed there."""
    target = view.target
    notes = [
        Finding(
            "coverage.counters", "-", NOTE, view.name, -1, "",
            message=f"{counter} is not followed on {target.arch}: {why}",
        )
        for counter, why in _counters(target).items()
    ]  # fmt: skip
    some = [f for chunk in view.chunks for f in chunk.content.unfollowed]
    blind = any(f.untracked in BLINDING for f in some)
    least = Untracked.IF_BLIND if blind else Untracked.WAIT
    found = [f for f in some if f.untracked >= least]
    if found:
        names = Counter(f.base if f.inst.text else f"bytes {f.inst.raw.hex()}" for f in found)
        listed = ", ".join(f"{n} {text}" for text, n in sorted(names.items()))
        notes.append(
            Finding(
                "coverage.untracked", "-", NOTE, view.name, -1, "",
                message=f"not followed: {listed}"
                + ("; with them no wait or nop can be judged" if blind else ""),
            )
        )  # fmt: skip
    return notes
