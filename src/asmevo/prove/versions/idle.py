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
from asmevo.isa.masks import cleared_units, kept_units
from asmevo.isa.operand import EXEC, VGPR0

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
        cleared, kept = cleared_units(d.inst, zero), kept_units(d.inst, zero)
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
