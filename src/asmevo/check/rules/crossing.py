"""Between which fences do instructions execute? By control flow, not by address.

A fence is a barrier, write-back or invalidate, which memory operations may not cross, or an
instruction that the checker does not follow (`check.rules.untracked`), which nothing may cross. For
every such operation the fences that can be the last one before it and the first one after it are
followed along all paths; the place of the code in the file does not matter, because compilers
rotate loops and move blocks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from asmevo.check.engine.facts import NEXT, InstructionFacts, ProgramLike
from asmevo.check.engine.workbench import facts_of, workbench
from asmevo.isa.flow import FlowKind

Between = tuple[int, int]
"""Bit masks of fence ordinals: possible last fences before, possible first ones after. Bit 0 is
the edge of the program (entry, end, or a jump whose target is not known)."""

_EDGE = 1
_LEAVING = frozenset({FlowKind.COMPUTED, FlowKind.CALL, FlowKind.END})


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


def between_fences(program: ProgramLike) -> dict[str, Counter[Between]]:
    """Skeleton of memory operation -> where such operations stand, counted.

    Fences are numbered from 1 in the order of the code.
    """
    return workbench().known(program, "fences", _between_fences)


def _between_fences(program: ProgramLike) -> dict[str, Counter[Between]]:
    facts = facts_of(program)
    places = [i for i, f in enumerate(facts) if f.fence]
    return between(program, places, lambda f: f.memory and not f.fence)


def between(
    program: ProgramLike, places: Sequence[int], concerned: Callable[[InstructionFacts], bool]
) -> dict[str, Counter[Between]]:
    """Skeleton of each concerned instruction -> where such instructions stand, counted.

    Args:
        program: the program.
        places: indices of the fences, numbered from 1 in this order.
        concerned: whether an instruction may not cross them.
    """
    facts = facts_of(program)
    count = len(facts)
    fence = [0] * count
    for number, i in enumerate(places, 1):
        fence[i] = 1 << number
    # Straight runs between places where control flow meets or parts, or where a fence stands.
    leaders = {0}
    for i, f in enumerate(facts):
        if f.decoded.flow.changes or fence[i]:
            leaders.add(i + 1)
        if fence[i]:
            leaders.add(i)
        target = program.branch_target(i) if f.flow != NEXT else None
        if target is not None:
            leaders.add(target)
    starts = sorted(s for s in leaders if s < count)
    run_of = {start: n for n, start in enumerate(starts)}
    lasts = [*(s - 1 for s in starts[1:]), count - 1]
    forward: list[list[int]] = []
    leaves: list[bool] = []
    backward: list[list[int]] = [[] for _ in starts]
    for n, last in enumerate(lasts):
        successors, away = _successors(program, facts, last)
        forward.append([run_of[s] for s in successors])
        leaves.append(away)
        for s in forward[-1]:
            backward[s].append(n)
    own = [fence[start] for start in starts]
    entered = [_EDGE if not backward[n] or n == 0 else 0 for n in range(len(starts))]
    for n, away in enumerate(leaves):
        # Behind a call or a computed jump, anything may come back.
        if away and lasts[n] + 1 in run_of:
            entered[run_of[lasts[n] + 1]] |= _EDGE
    before = _flow(backward, forward, own, entered)
    after = _flow(forward, backward, own, [_EDGE if away else 0 for away in leaves])
    found: defaultdict[str, Counter[Between]] = defaultdict(Counter)
    for n, start in enumerate(starts):
        for f in facts[start : lasts[n] + 1]:
            if concerned(f):
                found[f.skeleton][(before[n], after[n])] += 1
    return dict(found)


def _flow(
    sources: Sequence[Sequence[int]],
    sinks: Sequence[Sequence[int]],
    own: Sequence[int],
    start: Sequence[int],
) -> list[int]:
    """Fences that reach each run from its `sources`; a fence's run passes on itself only."""
    reach = list(start)
    todo = list(range(len(own)))
    waiting = set(todo)
    while todo:
        n = todo.pop()
        waiting.discard(n)
        value = start[n]
        for s in sources[n]:
            value |= own[s] or reach[s]
        if value != reach[n]:
            reach[n] = value
            if own[n]:
                continue
            for s in sinks[n]:
                if s not in waiting:
                    waiting.add(s)
                    todo.append(s)
    return reach


def crossed(old: Counter[Between], new: Counter[Between]) -> bool:
    """Whether operations of one skeleton, equally many, crossed a fence.

    One that kept its place, or moved to where it executes more often between the same fences on
    one side (up in front of a branch, down behind a join), did not.
    """
    left = list((old - new).elements())
    for b_new, a_new in (new - old).elements():
        match = next(
            (
                (b, a)
                for b, a in left
                if (b == b_new and a & ~a_new == 0) or (a == a_new and b & ~b_new == 0)
            ),
            None,
        )
        if match is None:
            return True
        left.remove(match)
    return False
