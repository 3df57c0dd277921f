"""How far a kernel reaches behind each pointer, as a function of its sizes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

from asmevo.capsule.infer.grid import Axis, Part
from asmevo.capsule.infer.polynomial import Polynomial, depends_on, fit
from asmevo.device.probe.explore import FEW, Derived, Explorer, Names
from asmevo.device.probe.run import Seen

_STEP = 6
_MOST_GROUPS = 2048  # of a run of the whole grid
_UNITS = (16, 64, 128, 256)
_SECONDS = 20.0  # of looking for a way to see all buffers
TIMES = "batch"
_LONG = 40
_MANY = 16  # steps to a point where whole tiles show

Measure = Callable[[Names], int | None]


@dataclass(frozen=True, slots=True)
class Extent:
    """How far a buffer reaches.

    Attributes:
        bytes: as a polynomial of sizes, where one was found.
        axis: multiplied by the workgroups along the axis of this number; -1 for none.
        seen: bytes at the sizes around which was measured.
        problem: why there is no polynomial.
    """

    bytes: Polynomial | None
    axis: int
    seen: int
    problem: str = ""

    def value(self, names: Names, axes: tuple[Axis, ...]) -> int | None:
        """Bytes at given sizes."""
        if self.bytes is None:
            return None
        return self.bytes.value(names) * (axes[self.axis].count(names) if self.axis >= 0 else 1)


@dataclass(frozen=True, slots=True)
class Shape:
    """What the probing came to.

    Attributes:
        axes: what decides the workgroups along each axis.
        extents: by kernarg offset of the pointer.
        unit: every size is a multiple of it.
        derived: a word that the others decide.
        run: the whole grid at `base`, or None when that faults.
        base: the sizes of that run.
    """

    axes: tuple[Axis, Axis, Axis]
    extents: Mapping[int, Extent]
    unit: int
    derived: Derived | None
    run: Seen | None
    base: Names

    @property
    def known(self) -> int:
        """How much is known: buffers with a size, axes with a rule."""
        some = self.run is not None and self.run.wrote
        return (sum(e.bytes is not None for e in self.extents.values()) if some else 0) + sum(
            a.certain for a in self.axes
        )

    @property
    def products(self) -> bool:
        """Whether every size found is a product: no rows with gaps, no parts of tiles."""
        return all(e.bytes is None or e.bytes.is_product for e in self.extents.values())

    @property
    def complete(self) -> bool:
        """Whether every buffer and axis is understood and something is written."""
        everything = self.known == len(self.extents) + 3
        return everything and (self.derived is None or self.products)

    @property
    def plain(self) -> bool:
        """Whether nothing better can come."""
        return self.complete and self.products

    @property
    def rank(self) -> tuple[bool, bool, int, int]:
        """The higher, the more is understood."""
        whole = sum(
            e.bytes is not None and bool(e.bytes.terms) and e.bytes.is_product
            for e in self.extents.values()
        )
        return self.plain, self.complete, whole, self.known


def explore(explorer: Explorer) -> Shape:
    """Try ways to choose the sizes until every buffer's reach is understood; the best of them."""
    best: Shape | None = None
    end = time.process_time() + _SECONDS
    for unit, derived in _ways(explorer):
        if best is not None and (best.plain or time.process_time() > end):
            break
        if best is not None and best.complete and (derived is not None or unit > 64):
            break
        explorer.unit, explorer.derived, explorer.groups = unit, derived, FEW
        explorer.find_axes()
        found = _shape(explorer)
        if best is None or found.rank > best.rank:
            best = found
    assert best is not None
    explorer.unit, explorer.derived, explorer.axes = best.unit, best.derived, best.axes
    return best


def _ways(explorer: Explorer) -> Iterator[tuple[int, Derived | None]]:
    """(unit, derived word) to try, the plain one first."""
    first = explorer.unit
    yield first, None
    if first == 1:
        yield 16, None
        yield 64, None
    words = [w.name for w in explorer.words if w.name not in explorer.known]
    if first == 1 and 2 <= len(words) <= 6:
        for word in reversed(words):
            for other in words:
                if other != word:
                    yield 1, Derived(word, TIMES, ((other, 0),))
        for offset in (0, 1, 2):
            for word in words:
                for pair in combinations([w for w in words if w != word], 2):
                    yield 1, Derived(word, TIMES, tuple((n, offset) for n in pair))
    for unit in _UNITS:
        if unit > first and (first > 1 or unit > 64):
            yield unit, None


def _shape(explorer: Explorer) -> Shape:
    extents = _extents(explorer)
    dense = _dense(explorer, extents)
    if dense is not None:
        free = explorer.axes
        explorer.axes = dense
        filled = _extents(explorer)
        if _found(filled) < _found(extents):
            explorer.axes = free
        else:
            extents = filled
    partly = 0 < _found(extents) < len(extents)
    if len(explorer.free) == 1 and (partly or not _goes_on(explorer, extents)):
        explorer.groups = _LONG
        longer = _extents(explorer)
        if _found(longer) < _found(extents):
            explorer.groups = FEW
        else:
            extents = longer
    base = _base(explorer)
    return Shape(
        explorer.axes, extents, explorer.unit, explorer.derived, _whole(explorer, base), base
    )


def _found(extents: Mapping[int, Extent]) -> int:
    return sum(e.bytes is not None for e in extents.values())


def _goes_on(explorer: Explorer, extents: Mapping[int, Extent]) -> bool:
    """Whether the sizes found hold for many workgroups, and the kernel does not begin anew."""
    names = {**_base(explorer), explorer.free[0]: _LONG}
    seen = _whole(explorer, names)
    return seen is None or all(
        e.bytes is None or e.value(names, explorer.axes) == seen.pointers[o].end
        for o, e in extents.items()
    )


def _base(explorer: Explorer) -> dict[str, int]:
    """Sizes around which buffers are measured, those of the grid included."""
    return {**explorer.at(explorer.table), **{n: explorer.groups for n in explorer.free}}


def _whole(explorer: Explorer, names: Names) -> Seen | None:
    """The run of the whole grid; None where it is too large or the kernel faults."""
    grid = explorer.grid(names)
    if math.prod(grid) > _MOST_GROUPS:
        return None
    seen = explorer.run(names, grid)
    return None if seen.fault else seen


def _extents(explorer: Explorer) -> dict[int, Extent]:
    base = _base(explorer)
    unit = explorer.unit
    step = unit if unit > 1 else 1 if explorer.derived is not None else _STEP
    steps = {n: step for n in explorer.names} | {n: 1 for n in explorer.free}
    if explorer.derived is not None:
        steps[explorer.derived.times] = 1
    seen = _whole(explorer, base)
    if seen is None:
        problem = "the kernel does not run to its end at the sizes tried"
        return {o: Extent(None, -1, 0, problem) for o in explorer.prober.pointers}
    return {o: _extent(explorer, o, base, steps, t.end) for o, t in seen.pointers.items()}


def _extent(explorer: Explorer, offset: int, base: Names, steps: Names, seen: int) -> Extent:
    if not seen:
        return Extent(Polynomial({}), -1, 0)

    def measure(names: Names) -> int | None:
        run = _whole(explorer, names)
        return None if run is None else run.pointers[offset].end

    many = _MANY if explorer.unit > 1 else 1
    needed = depends_on(measure, base, steps, many)
    if needed is None:
        return Extent(None, -1, seen, "it does not run to its end at other sizes")
    poly = fit(measure, base, {n: steps[n] for n in needed}, many)
    if poly is not None and poly.names:
        return Extent(poly, -1, seen)
    for axis, known in enumerate(explorer.axes):
        if known.parts:
            found = _per_group(measure, base, steps, known)
            if found is not None:
                return Extent(found, axis, seen)
    if poly is not None:
        return Extent(poly, -1, seen)
    return Extent(None, -1, seen, f"it depends on {', '.join(needed)} in a way not found")


def _per_group(measure: Measure, base: Names, steps: Names, axis: Axis) -> Polynomial | None:
    """What is left of an extent after dividing by the workgroups along an axis."""
    tile = axis.tile or max(p.tile for p in axis.parts)

    def share(names: Names) -> int | None:
        total, count = measure(names), axis.count(names)
        return None if total is None or total % count else total // count

    guarding = {p.name for p in axis.parts}
    wide = {n: s + (tile if n in guarding else 0) for n, s in steps.items()}
    needed = depends_on(share, base, wide)
    if needed is None:
        return None
    found = fit(share, base, {n: wide[n] for n in needed})
    # A constant share tells only with several workgroups.
    many = {**base, **{n: base[n] + 3 * tile for n in guarding}}
    return found if found is not None and share(many) == found.value(many) else None


def _dense(explorer: Explorer, extents: Mapping[int, Extent]) -> tuple[Axis, Axis, Axis] | None:
    """The axes, where a row stride tells how many workgroups make a row.

    An output that reaches `(tile_y * grid_y - 1) * stride + tile_x * grid_x` elements has no gap
    between its rows only when `grid_x` is `stride / tile_x`.
    """
    axes = list(explorer.axes)
    changed = False
    base = _base(explorer)
    seen = _whole(explorer, base)
    if seen is None:
        return None
    # Results say more than inputs, which may be cut out of something larger.
    for offset in sorted(extents, key=lambda o: not seen.pointers[o].written):
        extent = extents[offset]
        if extent.bytes is None:
            continue
        for number, axis in enumerate(axes):
            if not axis.free:
                continue
            found = _row(extent.bytes, axis.free)
            if found is None or found[0] not in explorer.names:
                continue
            stride, tile = found
            if tile > 1 and base[stride] < 2 * tile:
                continue  # several tiles have to be seen
            reason = f"rows of {stride} elements have no gap then"
            axes[number] = replace(
                axis, free="", parts=(Part(stride, 0, tile),), tile=0, reason=reason
            )
            changed = True
    return (axes[0], axes[1], axes[2]) if changed else None


def _row(poly: Polynomial, free: str) -> tuple[str, int] | None:
    """(stride, tile) of a polynomial with terms `c*tile*free*R` and `-c*stride*R`."""
    for term, coefficient in poly.terms.items() if poly.over == 1 else ():
        if free not in term or coefficient <= 0:
            continue
        rest = tuple(n for n in term if n != free)
        for other, minus in poly.terms.items():
            if minus >= 0 or coefficient % -minus or not set(rest) <= set(other):
                continue
            more = [n for n in other if n not in rest]
            if len(more) == 1:
                return more[0], coefficient // -minus
    return None
