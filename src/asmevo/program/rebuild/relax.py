"""Branches that became too long: islands on the way to their targets.

A direct branch reaches 32767 words forward and 32768 back. A farther one goes to an island, an
`s_branch` to the target (or to the next island). Islands stand where control never falls in, right
behind an unconditional branch or the end of the program; where there is none in reach, behind a
conditional branch with a jump around them. All branches of a target share its islands.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate

from asmevo.isa.flow import FlowKind, flow_of
from asmevo.program.encoding import EncodingTable
from asmevo.program.grammar import EditError
from asmevo.program.model import Program
from asmevo.program.rebuild.remap import Remap

_FORWARD, _BACKWARD = 4 + 4 * 32767, 4 - 4 * 32768
_MARGIN = 2048  # bytes that later islands and padding may add
_MAX_ISLANDS = 256


def relax(draft: Program, encodings: EncodingTable) -> Program:
    """`draft` with islands for every branch that does not reach its target.

    Raises:
        EditError: no place for an island within reach.
    """
    islands: dict[int, list[int]] = {}  # target -> indices of its islands
    for _ in range(_MAX_ISLANDS):
        offsets = [0, *accumulate([len(i.raw) for i in draft.instructions])]
        far = next(
            (
                (i, t) for i, t in draft.targets.items()
                if not _BACKWARD <= offsets[t] - offsets[i] <= _FORWARD
            ),
            None,
        )  # fmt: skip
        if far is None:
            return draft
        draft, islands = _reach(draft, encodings, offsets, islands, *far)
    raise EditError("too many branches are out of reach", "make the code between them shorter")


def _reach(
    draft: Program,
    encodings: EncodingTable,
    offsets: list[int],
    islands: dict[int, list[int]],
    branch: int,
    target: int,
) -> tuple[Program, dict[int, list[int]]]:
    """One branch sent to an island (old or new) nearer to its target."""
    ahead = offsets[target] > offsets[branch]
    start = offsets[branch]
    if ahead:  # an island must also bring the branch nearer by more than it costs
        low, high = start + _MARGIN, start + _FORWARD - _MARGIN
    else:
        low, high = start + _BACKWARD + _MARGIN, start - _MARGIN

    def in_reach(index: int) -> bool:
        return low < offsets[index] < high

    usable = [i for i in islands.get(target, []) if i != branch and in_reach(i)]
    if usable:
        best = max(usable) if ahead else min(usable)
        return replace(draft, targets={**draft.targets, branch: best}), islands
    function = draft.function_at(branch)
    quiet: list[int] = []
    conditional: list[int] = []
    for i in range(function.first, function.last):
        if in_reach(i + 1):
            flow = flow_of(draft.instructions[i].base)
            if not flow.falls:
                quiet.append(i + 1)
            elif i in draft.targets and flow.kind is FlowKind.CONDITIONAL and i + 1 < function.last:
                conditional.append(i + 1)
    places = quiet or conditional
    if not places:
        raise EditError(
            f"{draft.line(branch)}: no place for an island within reach",
            "make the code between the branch and its target shorter",
        )
    at = max(places) if ahead else min(places)
    (jump,) = encodings.assemble(["s_branch 0"])
    count = 1 if quiet else 2
    island = at + count - 1

    remap = Remap([(at, at, count)])  # what points at the place goes behind the island
    moved = remap.behind
    instructions = (*draft.instructions[:at], *[jump] * count, *draft.instructions[at:])
    out = remap.program(draft, instructions)
    targets = dict(out.targets)
    targets[island] = moved(target)
    targets[moved(branch)] = island
    if count == 2:
        targets[at] = at + 2
    labels = dict(out.labels)
    for place in (island, at + 2 if count == 2 else island):
        labels.setdefault(place, f".Lisland{len(draft.instructions)}_{place}")
    new_islands = {moved(t): [moved(i) for i in found] for t, found in islands.items()}
    new_islands.setdefault(moved(target), []).append(island)
    return replace(out, targets=targets, labels=labels), new_islands
