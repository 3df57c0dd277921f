"""Which places of two versions of a function correspond.

Candidates come from the alignment of their instructions, and from walking both control-flow graphs
from the entries. They are only candidates: `comparing` gives up those at which the two versions
turn out to hold different values, so a wrong one costs time and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

from asmevo.isa.flow import flow_of
from asmevo.program.alignment import align
from asmevo.program.cfg import Block
from asmevo.prove.versions.regions import Mismatch
from asmevo.prove.versions.sides import Side

ENTRY, BOTH, ALIGNED, WALKED, INSIDE = 4, 3, 2, 1, 0


@dataclass(frozen=True, slots=True)
class Matching:
    """Corresponding places of two versions.

    Attributes:
        kept: aligned instructions, original -> other version.
        cuts: places to hold the versions against each other, original -> other version.
        rank: of each of `cuts`: how much speaks for it, `INSIDE` (least) to `ENTRY` (certain).
        entries: those of `cuts` that control enters from elsewhere.
    """

    kept: dict[int, int]
    cuts: dict[int, int]
    rank: dict[int, int]
    entries: tuple[tuple[int, int], ...]


def match(k0: Side, k1: Side) -> Matching:
    """Places of `k0` and `k1` that may correspond.

    Raises:
        Mismatch: the functions are entered at different numbers of places.
    """
    if len(k0.entries) != len(k1.entries):
        raise Mismatch(
            f"control enters the original at {len(k0.entries)} places, the other version at "
            f"{len(k1.entries)}"
        )
    pairs = align([k0.keys[i] for i in sorted(k0.keys)], [k1.keys[i] for i in sorted(k1.keys)])
    kept = {k0.function.first + a: k1.function.first + b for a, b in pairs}
    back = {b: a for a, b in kept.items()}
    cuts: dict[int, int] = {}
    rank: dict[int, int] = {}
    taken: set[int] = set()

    def add(a: int, b: int, worth: int) -> bool:
        if cuts.get(a) == b and worth == WALKED and rank[a] == ALIGNED:
            rank[a] = BOTH
        if a in cuts or b in taken:
            return False
        cuts[a], rank[a] = b, worth
        taken.add(b)
        return True

    for a, b in zip(k0.entries, k1.entries, strict=True):
        add(a, b, ENTRY)
    for a in sorted(k0.starts):
        if kept.get(a) in k1.starts:
            add(a, kept[a], ALIGNED)
    _walk(k0, k1, add, list(cuts.items()))
    for a in sorted(k0.starts):
        if a in kept:
            add(a, kept[a], INSIDE)
    for b in sorted(k1.loops):
        if b in back:
            add(back[b], b, INSIDE)
    return Matching(kept, cuts, rank, tuple(zip(k0.entries, k1.entries, strict=True)))


def _walk(k0: Side, k1: Side, add: object, start: list[tuple[int, int]]) -> None:
    """Pair what equal branches of paired blocks lead to."""
    assert callable(add)
    work, seen = start, set(start)
    while work:
        a, b = work.pop()
        x, y = k0.starts.get(a), k1.starts.get(b)
        if x is None or y is None:
            continue
        for pair in _successors(k0, k1, x, y):
            if pair in seen:
                continue
            seen.add(pair)
            if add(*pair, WALKED):
                work.append(pair)


def _successors(k0: Side, k1: Side, x: Block, y: Block) -> list[tuple[int, int]]:
    """Corresponding successors of two blocks, where they end alike."""
    one, two = flow_of(k0.inst(x.last - 1).base), flow_of(k1.inst(y.last - 1).base)
    ends = [[k.blocks[n].first for n in b.successors] for k, b in ((k0, x), (k1, y))]
    if len(ends[0]) == 1 and len(ends[1]) == 1:
        return [(ends[0][0], ends[1][0])]
    both = x.last - 1 in k0.program.targets and y.last - 1 in k1.program.targets
    if one.condition is None or one.condition is not two.condition or not both:
        return []
    return list(zip(k0.ways(x.last - 1), k1.ways(y.last - 1), strict=True))


def graphs_differ(k0: Side, k1: Side) -> str:
    """How the control-flow graphs of two versions differ; empty if they are the same."""
    if len(k0.blocks) != len(k1.blocks):
        return f"{len(k0.blocks)} blocks before, {len(k1.blocks)} after"
    for x, y in zip(k0.blocks, k1.blocks, strict=True):
        if x.successors != y.successors:
            return f"block {x.index} led to {_named(x)} before and leads to {_named(y)} after"
        one, two = k0.inst(x.last - 1), k1.inst(y.last - 1)
        if len(x.successors) > 1 and one.base != two.base:
            return f"block {x.index} ended in {one.base} before and ends in {two.base} after"
    return ""


def _named(block: Block) -> str:
    return ", ".join(map(str, block.successors)) or "none"
