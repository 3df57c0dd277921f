"""Straight runs of a program's instructions, and where control goes between them.

The graph of the whole program, all functions of it, for questions about the order of instructions.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from asmevo.check.engine.facts import NEXT, InstructionFacts, ProgramLike
from asmevo.check.engine.workbench import facts_of, workbench
from asmevo.isa.flow import FlowKind
from asmevo.isa.ordering import MemoryEffect, memory_effect

_LEAVING = frozenset({FlowKind.COMPUTED, FlowKind.CALL, FlowKind.END})


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs in the order of the code.

    Attributes:
        facts: of every instruction of the program.
        starts: first instruction of each run.
        lasts: last instruction of each run.
        forward: runs that may follow each run.
        backward: runs that may come before each run.
        leaves: whether control may go elsewhere behind a run: the end, a call, a computed jump.
        entered: whether control may come from elsewhere: the entry of a function, behind a call.
    """

    facts: Sequence[InstructionFacts]
    starts: list[int]
    lasts: list[int]
    forward: list[list[int]]
    backward: list[list[int]]
    leaves: list[bool]
    entered: list[bool]

    def __len__(self) -> int:
        return len(self.starts)

    def at(self, index: int) -> int:
        """The run that holds an instruction."""
        return bisect_right(self.starts, index) - 1


def _successors(
    program: ProgramLike, facts: Sequence[InstructionFacts], index: int
) -> tuple[list[int], bool]:
    """Instructions that may follow `index`, and whether anything else may."""
    flow = facts[index].decoded.flow
    found: list[int] = []
    if flow.falls:
        found.append(index + 1)
    target = program.branch_target(index)
    if target is not None:
        found.append(target)
    inside = [s for s in found if s < len(facts)]
    leaves = len(inside) != len(found) or flow.kind in _LEAVING
    return inside, leaves


def runs_of(program: ProgramLike, alone: Sequence[int] = ()) -> Runs:
    """The runs of a program; worked out once.

    Args:
        program: the program.
        alone: indices of instructions that shall be runs of their own, ascending.
    """
    name = f"runs {hash(tuple(alone))}" if alone else "runs"
    return workbench().known(program, name, lambda p: _runs(p, alone))


def _runs(program: ProgramLike, alone: Sequence[int]) -> Runs:
    facts = facts_of(program)
    count = len(facts)
    leaders = {0}
    for i in alone:
        leaders |= {i, i + 1}
    for i in [i for i, f in enumerate(facts) if f.flow != NEXT]:
        leaders.add(i + 1)
        target = program.branch_target(i)
        if target is not None:
            leaders.add(target)
    starts = sorted(s for s in leaders if s < count)
    run_at = {start: n for n, start in enumerate(starts)}
    lasts = [*(s - 1 for s in starts[1:]), count - 1]
    forward: list[list[int]] = []
    leaves: list[bool] = []
    backward: list[list[int]] = [[] for _ in starts]
    for n, last in enumerate(lasts):
        successors, away = _successors(program, facts, last)
        forward.append([run_at[s] for s in successors])
        leaves.append(away)
        for s in forward[-1]:
            backward[s].append(n)
    entered = [not backward[n] or n == 0 for n in range(len(starts))]
    for n, away in enumerate(leaves):
        # Behind a call or a computed jump, anything may come back.
        if away and lasts[n] + 1 in run_at:
            entered[run_at[lasts[n] + 1]] = True
    return Runs(facts, starts, lasts, forward, backward, leaves, entered)


Access = tuple[int, InstructionFacts, MemoryEffect]
"""Index, facts and effect of an instruction that touches memory which other waves see."""


def accesses(program: ProgramLike) -> list[Access]:
    """Vector and LDS accesses of a program in code order; worked out once."""
    return workbench().known(program, "accesses", _accesses)


def _accesses(program: ProgramLike) -> list[Access]:
    return [
        (i, f, effect)
        for i, f in enumerate(facts_of(program))
        if f.memory
        and not f.fence
        and (effect := memory_effect(f.decoded)) is not None
        and effect.groups
    ]
