"""Webs: the definitions and uses that must share one vector register, found for renaming.

A vector write under a narrow EXEC keeps the other lanes, so it joins the web of what it partly
overwrites; it ends an older definition only where its mask surely contains the older one's.
"""

from __future__ import annotations

from dataclasses import dataclass

from asmevo.edits.exec_values import ENTRY, ExecValues, Value
from asmevo.isa.effects import effects
from asmevo.program.model import Function, Program

UNDEFINED = -1
"""Stands for the value at the function's entry."""


@dataclass(frozen=True, slots=True)
class Web:
    """Instructions that define and read one value of a register.

    Attributes:
        unit: the register unit.
        defs: instruction indices that write it (`UNDEFINED` when the entry value is part).
        uses: instruction indices that read it.
    """

    unit: int
    defs: frozenset[int]
    uses: frozenset[int]


def web_at(
    program: Program, function: Function, masks: ExecValues, unit: int, use: int
) -> Web | None:
    """The web of `unit` that instruction `use` reads; None when the code is not understood."""
    reaching = _reaching(program, function, masks, unit)
    readers: dict[int, frozenset[int]] = {}
    partial: dict[int, frozenset[int]] = {}
    for index, found in reaching.items():
        effect = effects(program.instructions[index], program.target)
        if unit in effect.uses:
            readers[index] = found
        if unit in effect.defs:
            mask = masks.before(index)
            kept = frozenset(d for d in found if not _covers(masks, mask, d))
            partial[index] = kept
    if use not in readers:
        return None
    defs: set[int] = set(readers[use])
    uses: set[int] = {use}
    grown = True
    while grown:
        grown = False
        for index, found in readers.items():
            if index not in uses and found & defs:
                uses.add(index)
                grown = True
            if index in uses and not found <= defs:
                defs |= found
                grown = True
        for index, kept in partial.items():
            # A partial write and what it keeps live in one register.
            if index in defs and not kept <= defs:
                defs |= kept
                grown = True
            if index not in defs and kept & defs and _reaches(readers, index, uses):
                defs.add(index)
                grown = True
        for index in list(uses):
            effect = effects(program.instructions[index], program.target)
            if unit in effect.defs and index not in defs:
                defs.add(index)  # read and written in place
                grown = True
    return Web(unit, frozenset(defs), frozenset(uses))


def _reaches(readers: dict[int, frozenset[int]], definition: int, uses: set[int]) -> bool:
    return any(definition in readers[u] for u in uses if u in readers)


def _covers(masks: ExecValues, outer: Value | None, definition: int) -> bool:
    """Whether a write under mask `outer` replaces all that `definition` wrote."""
    inner = ENTRY if definition == UNDEFINED else masks.before(definition)
    return outer is not None and inner is not None and masks.within(inner, outer)


def _reaching(
    program: Program, function: Function, masks: ExecValues, unit: int
) -> dict[int, frozenset[int]]:
    """For every reachable instruction, the definitions of `unit` that may reach it."""
    entries: dict[int, frozenset[int]] = {0: frozenset((UNDEFINED,))}
    result: dict[int, frozenset[int]] = {}
    todo = [0]
    while todo:
        block = masks.blocks[todo.pop(0)]
        live = entries[block.index]
        for i in range(block.first, block.last):
            result[i] = live
            if unit in effects(program.instructions[i], program.target).defs:
                mask = masks.before(i)
                live = frozenset(d for d in live if not _covers(masks, mask, d)) | {i}
        for successor in block.successors:
            old = entries.get(successor)
            new = live if old is None else old | live
            if new != old:
                entries[successor] = new
                if successor not in todo:
                    todo.append(successor)
    return result
