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

from asmevo.check.engine.facts import InstructionFacts, ProgramLike
from asmevo.check.engine.runs import Runs, runs_of
from asmevo.check.engine.workbench import facts_of, workbench

Between = tuple[int, int]
"""Bit masks of fence ordinals: possible last fences before, possible first ones after. Bit 0 is
the edge of the program (entry, end, or a jump whose target is not known)."""

EDGE = 1


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
    found: defaultdict[str, Counter[Between]] = defaultdict(Counter)
    runs = runs_of(program, places)
    before, after = masks(runs, places)
    at = [(before[n], after[n]) for n in range(len(runs))]
    for i in [i for i, f in enumerate(runs.facts) if concerned(f)]:
        found[runs.facts[i].skeleton][at[runs.at(i)]] += 1
    return dict(found)


def masks(runs: Runs, places: Sequence[int]) -> tuple[list[int], list[int]]:
    """For each run the possible last fences before it and first ones after it, as bit masks.

    Args:
        runs: the program's runs, in which every fence is one of its own.
        places: indices of the fences, numbered from 1 in this order.
    """
    number = {place: n for n, place in enumerate(places, 1)}
    own = [1 << number[start] if start in number else 0 for start in runs.starts]
    entered = [EDGE if e else 0 for e in runs.entered]
    before = _flow(runs.backward, runs.forward, own, entered)
    after = _flow(runs.forward, runs.backward, own, [EDGE if a else 0 for a in runs.leaves])
    return before, after


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
