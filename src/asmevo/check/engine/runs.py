"""Straight runs of a program's instructions, and where control goes between them.

The graph of the whole program, all functions of it, for questions about the order of instructions.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from asmevo.check.engine.facts import NEXT, InstructionFacts, ProgramLike
from asmevo.check.engine.workbench import facts_of
from asmevo.isa.flow import FlowKind

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


def runs_of(program: ProgramLike, alone: Collection[int] = ()) -> Runs:
    """The runs of a program.

    Args:
        program: the program.
        alone: indices of instructions that shall be runs of their own.
    """
    facts = facts_of(program)
    count = len(facts)
    leaders = {0}
    for i in alone:
        leaders |= {i, i + 1}
    for i, f in enumerate(facts):
        if f.decoded.flow.changes:
            leaders.add(i + 1)
        target = program.branch_target(i) if f.flow != NEXT else None
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
