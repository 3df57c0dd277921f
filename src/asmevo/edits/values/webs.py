"""Webs: the definitions and uses that must share one vector register, found for renaming.

A vector write under a narrow EXEC keeps the other lanes. So what reaches a use is asked for the
lanes of that use: a write ends older ones where its mask contains theirs, or the use's.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from asmevo.edits.values.exec_values import ENTRY, ExecValues, Value
from asmevo.isa.decoded import decode
from asmevo.program.model import Program

UNDEFINED = -1
"""Stands for the value at the function's entry."""
CLOBBERED = -2
"""Stands for whatever a region leaves in a register."""


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


def web_at(program: Program, masks: ExecValues, unit: int, use: int) -> Web | None:
    """The web of `unit` that instruction `use` reads; None when it does not read it."""
    readers = _readers(program, masks, unit)
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
            if index not in uses:
                continue
            if not found <= defs:
                defs |= found
                grown = True
            if index not in defs and unit in decode(program.instructions[index],
                                                      program.target).defs:  # fmt: skip
                defs.add(index)  # read and written in place
                grown = True
    return Web(unit, frozenset(defs), frozenset(uses))


def _readers(program: Program, masks: ExecValues, unit: int) -> dict[int, frozenset[int]]:
    """For every reader of `unit`, the definitions that may reach it in the lanes it reads."""
    lanes: dict[Value, list[int]] = {}
    for block in masks.blocks:
        for i in range(block.first, block.last):
            mask = masks.before(i)
            if mask is not None and unit in decode(program.instructions[i], program.target).uses:
                lanes.setdefault(mask, []).append(i)
    found: dict[int, frozenset[int]] = {}
    for mask, indices in lanes.items():
        reaching = _reaching(program, masks, unit, mask)
        found.update({i: reaching[i] for i in indices if i in reaching})
    return found


def _covers(masks: ExecValues, outer: Value | None, inner: Value | None) -> bool:
    return outer is not None and inner is not None and masks.within(inner, outer)


def may_clobber(program: Program, masks: ExecValues, unit: int, region: Collection[int]) -> bool:
    """Whether `region`, which leaves the unit alone, may overwrite it unnoticed by all readers.

    Finer than liveness: a write under a mask that contains a reader's lanes protects that reader.
    """
    lanes: dict[Value, list[int]] = {}
    for block in masks.blocks:
        for i in range(block.first, block.last):
            effect = decode(program.instructions[i], program.target)
            if i in region and unit in effect.uses | effect.defs:
                return False
            mask = masks.before(i)
            if mask is not None and unit in effect.uses:
                lanes.setdefault(mask, []).append(i)
    for mask, indices in lanes.items():
        reaching = _reaching(program, masks, unit, mask, region)
        if any(CLOBBERED in reaching.get(i, ()) for i in indices):
            return False
    return True


def _reaching(
    program: Program,
    masks: ExecValues,
    unit: int,
    lanes: Value,
    clobbered: Collection[int] = (),
) -> dict[int, frozenset[int]]:
    """For every reachable instruction, the definitions of `unit` that may be seen in `lanes`.

    Instructions in `clobbered` are taken to write the unit as well (`CLOBBERED`).
    """
    entries: dict[int, frozenset[int]] = {0: frozenset((UNDEFINED,))}
    result: dict[int, frozenset[int]] = {}
    todo = [0]
    while todo:
        block = masks.blocks[todo.pop(0)]
        live = entries[block.index]
        for i in range(block.first, block.last):
            if i in clobbered:
                live |= {CLOBBERED}
            result[i] = live
            if unit in decode(program.instructions[i], program.target).defs:
                mask = masks.before(i)
                if _covers(masks, mask, lanes):
                    live = frozenset((i,))
                    continue
                kept = (
                    d for d in live if not _covers(masks, mask, ENTRY if d < 0 else masks.before(d))
                )
                live = frozenset((*kept, i))
        for successor in block.successors:
            old = entries.get(successor)
            new = live if old is None else old | live
            if new != old:
                entries[successor] = new
                if successor not in todo:
                    todo.append(successor)
    return result
