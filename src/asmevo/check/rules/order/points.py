"""Where waves tell other waves something and learn from them, and what stands behind it.

A *release point* writes what somebody may wait for: a store to memory that is consumed in the
program (`communication`), an atomic, a store that is coherent beyond the wave, and, where stores
have no scope, any store before which all earlier ones have completed. An *acquire point* decides by
what was found. For every point and every kind of access: how many bytes stand behind it, that is,
execute only after it did? And which earlier accesses may still be outstanding at it?
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from asmevo.check.engine.analysis import ChunkResult, engine_of
from asmevo.check.engine.facts import (
    ATOMIC_BIT,
    CALL,
    MEMORY_BITS,
    MEMORY_STORE_BIT,
    WRITE_BACK_BIT,
    ChunkContent,
    InstructionFacts,
    Library,
    ProgramLike,
)
from asmevo.check.engine.pending import BIT_NAMES, Pending, Raw
from asmevo.check.engine.runs import Access, Runs, accesses, runs_of
from asmevo.check.engine.workbench import library_of, workbench
from asmevo.check.rules.order.communication import Communication, communication
from asmevo.check.rules.order.origins import Names
from asmevo.isa.ordering import Group, MemoryEffect, Scope, scope_bits_on_stores

STORES = frozenset(BIT_NAMES[bit][0] for bit in (MEMORY_STORE_BIT, ATOMIC_BIT, WRITE_BACK_BIT))
Kind = tuple[str, ...]
"""A kind of access: (which one, or empty for all, memory, direction, scope)."""


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """One release or acquire point.

    Attributes:
        index: of the instruction.
        name: what it is, the same in an edited program.
        near: whether waves of the same workgroup wait for it, so that the order of issue counts.
        tells: whether it says of itself that others look at what it writes.
        pending: (outstanding kind, counter) -> how many may be outstanding at it.
    """

    index: int
    name: tuple[str, ...]
    near: bool = True
    tells: bool = True
    pending: Mapping[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])

    @property
    def done(self) -> bool:
        """Whether every store before it has completed."""
        return not any(kind in STORES for kind, _ in self.pending)


BytesBehind = dict[frozenset[int], dict[Kind, int]]
"""Instructions among the points that always execute before -> bytes of each kind of access."""
Sides = tuple[dict[Kind, int], dict[Kind, int]]
"""Bytes of each kind of access that do not stand behind a point, and that do."""


def around(point: Point, counted: BytesBehind) -> Sides:
    """The bytes on the two sides of a point."""
    sides: Sides = ({}, {})
    for passed, kinds in counted.items():
        side = sides[point.index in passed]
        for kind, size in kinds.items():
            side[kind] = side.get(kind, 0) + size
    return sides


@dataclass(frozen=True, slots=True)
class Points:
    """All points of a program, in code order.

    Attributes:
        releases, acquires: the points.
        accesses: instructions that touch memory which other waves see.
        passed: for each access, the instructions among the points that always execute before it.
        runs: the program's runs.
    """

    releases: tuple[Point, ...] = ()
    acquires: tuple[Point, ...] = ()
    accesses: tuple[Access, ...] = ()
    passed: tuple[frozenset[int], ...] = ()
    runs: Runs | None = None

    def bytes_behind(self, names: Names) -> BytesBehind:
        """What stands behind which points, with these names of stores."""
        found: BytesBehind = {}
        for access, passed in zip(self.accesses, self.passed, strict=True):
            counted = found.get(passed)
            if counted is None:
                counted = found[passed] = {}
            for kind, size in _kinds(access, names):
                counted[kind] = counted.get(kind, 0) + size
        return found

    def issued(self, point: Point, kind: str) -> tuple[int, int]:
        """How many accesses of an outstanding kind may come before a point, and are there at all.

        Args:
            point: the point.
            kind: a name of `check.engine.pending.BIT_NAMES`.
        """
        runs = self.runs
        if runs is None:
            return 0, 0
        bit = next(b for b, (name, _) in BIT_NAMES.items() if name == kind)
        home = next(n for n, last in enumerate(runs.lasts) if last >= point.index)
        before, todo = set[int](), [home]
        while todo:
            for p in runs.backward[todo.pop()]:
                if p not in before:
                    before.add(p)
                    todo.append(p)
        earlier = every = 0
        for n, (first, last) in enumerate(zip(runs.starts, runs.lasts, strict=True)):
            for i in range(first, last + 1):
                if any(mask & bit for _, mask in runs.facts[i].pushes):
                    every += 1
                    earlier += n in before or (n == home and i < point.index)
        return earlier, every


def points(program: ProgramLike) -> Points:
    """The points of a program; worked out once."""
    return workbench().known(program, "points", lambda p: _points(p, communication(p)))


def _points(program: ProgramLike, known: Communication) -> Points:
    runs = runs_of(program)
    seen = accesses(program)
    releases = {i: effect for i, f, effect in seen if _releases(f, effect, known)}
    if not releases and not known.acquires:
        return Points()
    pending = _outstanding(program, runs, releases) if releases else {}
    told = tuple(
        Point(
            i, _name(effect), not effect.groups.isdisjoint(known.consumed),
            _tells(runs.facts[i], effect), pending.get(i, {}),
        )
        for i, effect in sorted(releases.items())
    )  # fmt: skip
    learned = tuple(Point(i, ("acquire",)) for i in known.acquires)
    return Points(
        told, learned, tuple(seen), _passed(runs, seen, {*releases, *known.acquires}), runs
    )


def _releases(f: InstructionFacts, effect: MemoryEffect, known: Communication) -> bool:
    if not effect.stores:
        return False
    if not effect.groups.isdisjoint(known.consumed):
        return True
    return Group.MEMORY in effect.groups and (
        _tells(f, effect)
        or (f.decoded.target.is_gcn and not scope_bits_on_stores(f.decoded.target))
    )


def _tells(f: InstructionFacts, effect: MemoryEffect) -> bool:
    """Whether an instruction says of itself that others look at what it writes."""
    if Group.MEMORY not in effect.groups:
        return False
    return bool(effect.atomic) or (
        scope_bits_on_stores(f.decoded.target) and effect.scope > Scope.WAVE
    )


def _name(effect: MemoryEffect) -> tuple[str, ...]:
    return ("release", "+".join(sorted(effect.groups)), effect.atomic or "store", str(effect.size))


# --- what is outstanding ------------------------------------------------------------------------
class _Seen:
    """An instruction as the wait engine sees it when only points look, and only at memory."""

    __slots__ = ("decoded", "defs", "flow", "kind", "partial", "pushes", "touch", "uses", "waits")

    def __init__(self, f: InstructionFacts, looks: bool) -> None:
        self.decoded, self.kind, self.flow, self.waits = f.decoded, f.kind, f.flow, f.waits
        self.pushes = tuple((q, mask & MEMORY_BITS) for q, mask in f.pushes)
        self.defs = self.uses = self.partial = 0
        self.touch = MEMORY_BITS if looks else 0


class _Content:
    """A run as the engine walks it; equal ones share one object, so that results are kept."""

    __slots__ = ("facts",)

    def __init__(self, facts: tuple[_Seen, ...]) -> None:
        self.facts = facts


class Looking(Pending):
    """The wait engine of one target with points as its only consumers."""

    def __init__(self, library: Library) -> None:
        super().__init__(library)
        self._seen: dict[tuple[InstructionFacts, bool], _Seen] = {}
        self._contents: dict[tuple[_Seen, ...], _Content] = {}

    def content(self, facts: Iterable[tuple[InstructionFacts, bool]]) -> ChunkContent:
        """The instructions of one run, each with whether it looks."""
        known = self._seen
        seen: list[_Seen] = []
        for key in facts:
            found = known.get(key)
            if found is None:
                found = known[key] = _Seen(*key)
            seen.append(found)
        content = _Content(tuple(seen))
        # The walk reads nothing of a chunk but its instructions, and of these what `_Seen` has.
        return cast("ChunkContent", self._contents.setdefault(content.facts, content))


def _outstanding(
    program: ProgramLike, runs: Runs, looking: Mapping[int, MemoryEffect]
) -> dict[int, dict[tuple[str, str], int]]:
    """For each looking instruction what may be outstanding there, along all paths."""
    engine = engine_of(library_of(program.target), Looking)
    analysis = cast("Looking", engine.analysis)
    # Only what raises, waits, looks or clears says anything here.
    told: list[list[int]] = [[] for _ in runs.starts]
    for i, f in enumerate(runs.facts):
        if f.pushes or f.waits or i in looking or f.flow == CALL:
            told[runs.at(i)].append(i)
    contents = [analysis.content((runs.facts[i], i in looking) for i in of_run) for of_run in told]
    states = {n: 0 for n, entered in enumerate(runs.entered) if entered}
    results: dict[int, ChunkResult[Raw]] = {}
    todo = sorted(states, reverse=True)
    while todo:
        n = todo.pop()
        result = results[n] = engine.run(contents[n], states[n])
        for s in runs.forward[n]:
            old = states.get(s)
            new = result.exit if old is None else engine.states.join(old, result.exit)
            if new != old:
                states[s] = new
                todo.append(s)
    found: dict[int, dict[tuple[str, str], int]] = {}
    queues = analysis.table.queues
    for n, result in results.items():
        for raw in result.raws:
            here = found.setdefault(told[n][raw.at], {})
            key = (BIT_NAMES[raw.mask][0], queues[raw.queue].counter)
            here[key] = max(here.get(key, 0), raw.pending)
    return found


# --- what stands behind -------------------------------------------------------------------------
def _passed(
    runs: Runs, seen: Sequence[Access], places: Collection[int]
) -> tuple[frozenset[int], ...]:
    """For each access the places that always execute before it."""
    of_run: list[list[int]] = [[] for _ in runs.starts]
    for i in sorted(places):
        of_run[runs.at(i)].append(i)
    everything = frozenset(places)
    passed = [frozenset[int]() if entered else everything for entered in runs.entered]
    todo = list(range(len(runs)))
    while todo:
        n = todo.pop()
        out = passed[n].union(of_run[n])
        for s in runs.forward[n]:
            if not passed[s] <= out:
                passed[s] &= out
                todo.append(s)
    found: list[frozenset[int]] = []
    for i, _, _ in seen:
        n = runs.at(i)
        earlier = [p for p in of_run[n] if p < i]
        found.append(passed[n].union(earlier) if earlier else passed[n])
    return tuple(found)


def _kinds(access: Access, names: Names) -> Iterator[tuple[Kind, int]]:
    index, f, effect = access
    size, scope = effect.size or 1, effect.scope.name.lower()
    for group in effect.groups:
        for does, direction in ((effect.loads, "load"), (effect.stores, "store")):
            if does:
                yield ("", group, direction, scope), size
                yield (f.skeleton, group, direction, scope), size
                if index in names:
                    yield (names[index], group, direction, scope), size
