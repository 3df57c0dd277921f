"""Which computed values reach something that executed code shows.

A value matters where it is stored, sent, decides a branch, or makes such a value. Followed backward
through the code that was executed, from stores, barriers, messages and branches that went both
ways: an instruction that none of these needs may compute anything, and no run that was made would
tell. If code that was not executed, or a branch that went one way only, needs it, it is untested.

This is the analysis of faint variables (Nielson, Nielson and Hankin, `Principles of Program
Analysis`, exercise 2.4), on the executed part of the code. Vector registers are not killed by
writes under EXEC: their other lanes live on.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from asmevo.check.engine.facts import InstructionFacts
from asmevo.check.engine.workbench import facts_of
from asmevo.isa.decoded import MEMORY_CLASSES, ExecWrite, OpClass
from asmevo.isa.hazards.roles import VECTOR_MASK
from asmevo.program.cfg import Block, blocks
from asmevo.program.model import Function, Program

_SHOWS = frozenset({OpClass.BARRIER, OpClass.MESSAGE, OpClass.OTHER, OpClass.CACHE})


def unobserved(
    program: Program, changed: Collection[int], executed: Sequence[bool], half: Collection[int]
) -> list[int]:
    """Changed and executed instructions whose results matter only where nothing was executed.

    Args:
        program: the edited program.
        changed: indices to judge.
        executed: [instructions] whether a run executed it.
        half: conditional branches that went one way only.
    """
    found: list[int] = []
    for f in program.functions:
        inside = sorted(i for i in changed if f.first <= i < f.last)
        if not inside:
            continue
        shown = _needed(program, f, [bool(x) for x in executed], frozenset(half))
        anywhere = _needed(program, f, None, frozenset())
        found += [i for i in inside if i in anywhere and i not in shown]
    return found


def _shows(f: InstructionFacts) -> bool:
    d = f.decoded
    if f.kind in MEMORY_CLASSES:
        return d.stores or d.lds_dma or d.atomic
    return f.kind in _SHOWS or d.traits.sets_mode or d.traits.environment


def _needed(
    program: Program, f: Function, executed: list[bool] | None, half: frozenset[int]
) -> set[int]:
    """Instructions whose results something needs that shows, in executed code or in all."""
    facts = facts_of(program)
    found = blocks(program, f)
    run = [b for b in found if executed is None or executed[b.first]]
    alive = {b.index for b in run}
    # Writes by narrowed waves leave other lanes as they are.
    narrowed = any(x.decoded.exec_write is not ExecWrite.NONE for x in facts[f.first : f.last])
    keeps = VECTOR_MASK if narrowed else 0
    live: dict[int, int] = dict.fromkeys(alive, 0)
    needed: set[int] = set()
    work = list(run)
    waiting = set(alive)
    while work:
        block = work.pop()
        waiting.discard(block.index)
        at = _through(facts, block, _out(block, live, alive), half, keeps, needed)
        if at != live[block.index]:
            live[block.index] = at
            for p in block.predecessors:
                if p in alive and p not in waiting:
                    waiting.add(p)
                    work.append(found[p])
    return needed


def _out(block: Block, live: dict[int, int], alive: set[int]) -> int:
    if block.unknown_successors:
        return -1  # a caller or callee may need anything
    out = 0
    for s in block.successors:
        if s in alive:
            out |= live[s]
    return out


def _through(
    facts: Sequence[InstructionFacts], block: Block, live: int, half: frozenset[int], keeps: int,
    needed: set[int],
) -> int:  # fmt: skip
    for i in range(block.last - 1, block.first - 1, -1):
        x = facts[i]
        decides = x.decoded.flow.changes and i not in half
        if decides or _shows(x) or x.defs & live:
            needed.add(i)
            live = (live & ~(x.defs & ~x.partial & ~keeps)) | x.uses
        else:
            live &= ~(x.defs & ~x.partial & ~keeps)
    return live
