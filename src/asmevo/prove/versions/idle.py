"""Code that does nothing for a wave none of whose lanes is active.

A branch round such code, and a loop that a wave leaves when its last lane is done, may go: what
follows then runs with EXEC zero and changes nothing that anybody looks at. Vector instructions
write enabled lanes only; compares write zeros for the others; scalar instructions run all the same,
so what they write must not be read where the branch would have gone (CDNA3 ISA 3.3 and 4.5).
"""

from __future__ import annotations

from collections.abc import Callable

from asmevo.isa.decoded import Decoded, OpClass
from asmevo.isa.flow import Condition, FlowKind
from asmevo.isa.operand import EXEC, SCC, VGPR0

_EXEC = frozenset((EXEC, EXEC + 1))
_VECTOR = frozenset({OpClass.VALU, OpClass.TRANS, OpClass.VMEM, OpClass.FLAT, OpClass.LDS})
_NOTHING = frozenset({OpClass.WAIT, OpClass.NOP})
_LONGEST = 4000


def idle_until(
    decoded: Callable[[int], Decoded | None],
    target: Callable[[int], int | None],
    first: int,
    branch: int,
    stop: int,
) -> frozenset[int] | None:
    """Scalar units that may differ at `stop` when a wave without lanes runs from `first` to there.

    Args:
        decoded: the record of an instruction of the function, None outside it.
        target: where a direct branch leads.
        first: where control goes when lanes are active.
        branch: the branch that is to go. Coming back to it is reaching `stop`.
        stop: where control goes when none is.

    Returns:
        The units, or None when something on the way acts, or control cannot be followed.
    """
    zero: set[int] = set(_EXEC)
    written: set[int] = set()
    skips: dict[int, set[int]] = {}  # join of a branch round code -> what is zero on the short way
    at = first
    for _ in range(_LONGEST):
        if at in skips:
            zero &= skips.pop(at)
        if at in (stop, branch):
            return frozenset(written) if zero >= _EXEC and not skips else None
        d = decoded(at)
        if d is None or not d.inst.editable:
            return None
        flow = d.flow
        if flow.kind is FlowKind.JUMP:
            goal = target(at)
            if goal is None:
                return None
            at = goal
            continue
        if flow.kind is FlowKind.CONDITIONAL:
            goal = target(at)
            if flow.condition is not Condition.EXEC or goal is None or not zero >= _EXEC:
                return None
            if flow.when:  # really taken: what lies between runs in other versions only
                skips[goal] = skips.get(goal, zero) & zero
        elif flow.changes or not _step(d, zero, written):
            return None
        at += 1
    return None


def _step(d: Decoded, zero: set[int], written: set[int]) -> bool:
    """Run one instruction; False if it acts."""
    t = d.traits
    if d.kind in _NOTHING:
        return True
    if d.kind is OpClass.SALU:
        if t.pinned or t.indirect or t.environment or t.sets_mode or t.reads_pc:
            return False
        cleared, kept = _cleared(d, zero), _kept(d, zero)
        zero -= d.defs - kept
        zero |= cleared
        written |= d.defs - _EXEC - kept
        return True
    if d.kind not in _VECTOR or t.ignores_exec or t.indirect or d.lds_dma or not zero >= _EXEC:
        return False
    scalars = {u for u in d.defs if u < VGPR0}
    if scalars & _EXEC and not t.compares:
        return False
    zero -= scalars
    if t.compares:
        zero |= scalars
    written |= scalars - _EXEC
    return True


def _cleared(d: Decoded, zero: set[int]) -> set[int]:
    """Units that a scalar instruction makes zero, given those that are."""
    operands, base = d.inst.operands, d.name
    regs = [o.reg for o in operands]
    if not regs or regs[0] is None:
        return set()
    first = set(regs[0].units)
    known = [
        getattr(o.value, "value", 1) == 0 if r is None else set(r.units) <= zero
        for r, o in zip(regs[1:], operands[1:], strict=True)
    ]
    idle = zero >= _EXEC
    if "saveexec" in base:
        made = first if idle else set[int]()
        narrows = base.startswith(("s_and_", "s_andn1_", "s_and_not0_"))
        stays = (idle if narrows else idle and known[0]) and not base.startswith(
            ("s_andn2", "s_orn", "s_nand", "s_nor", "s_xnor", "s_and_not1", "s_or_not")
        )  # gfx9 andn2: the source without EXEC
        return made | (set(_EXEC) if stays else set())
    if base.startswith(("s_mov_b", "s_or_b", "s_xor_b")) and all(known):
        return first - {SCC}
    if base.startswith("s_and_b") and any(known):
        return first
    if base.startswith(("s_andn2_b", "s_and_not1_b")) and known[0]:
        return first
    return set()


def _kept(d: Decoded, zero: set[int]) -> set[int]:
    """Units that a scalar instruction writes as they are: `x | 0`, `x & ~0`, `x ^ 0`."""
    regs = [o.reg for o in d.inst.operands]
    if len(regs) != 3 or regs[0] is None:
        return set()
    idle = [
        getattr(o.value, "value", 1) == 0 if o.reg is None else set(o.reg.units) <= zero
        for o in d.inst.operands[1:]
    ]
    second = regs[1] == regs[0] and idle[1]
    first = regs[2] == regs[0] and idle[0]
    either = d.name.startswith(("s_or_b", "s_xor_b")) and (first or second)
    masked = d.name.startswith(("s_andn2_b", "s_and_not1_b")) and second
    return set(regs[0].units) if either or masked else set()
