"""Asking a kernel questions by running it: workgroup shape, and what decides the grid.

Every word of the kernarg segment that is no pointer may be a size, a stride, a flag or a scale.
Which of them it is shows in what a change of it does: more workgroups that find work to do, or
further places that are touched.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from asmevo.capsule.infer.grid import Axis, Part
from asmevo.device.probe.run import Prober, Seen, Setup

Triple = tuple[int, int, int]
Names = Mapping[str, int]
FREE = ("grid_x", "grid_y", "grid_z")
# Values that tell names apart: primes for kernels that take any size, small multiples of the unit
# for those that take whole tiles only.
_PRIMES = (11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89)
_SMALL = (5, 3, 7, 4, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22)
_UNITS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22)
_LARGE = tuple(p + 120 for p in _PRIMES)  # at least two tiles of most kernels
_CAP = 200  # workgroups along an axis after which it counts as unguarded
_FAR = 1 << 14
FEW = 3
_CONTENTS = (1, 16, 64)
_RAMP = 1 << 14  # bytes of contents that rise
_MORE = 2100  # added to a size to see whether more workgroups find work
_BLOCKS_1D = (256, 64, 128, 512, 1024, 32)
_BLOCKS_2D = ((16, 16), (32, 8), (64, 4), (32, 32), (8, 32), (4, 64), (128, 2), (8, 8), (16, 8))
_BLOCKS_3D = ((8, 8, 4), (4, 4, 4), (8, 4, 4), (16, 4, 4), (64, 2, 2))


@dataclass(frozen=True, slots=True)
class Word:
    """An argument that is no pointer: name, kernarg offset, size in bytes."""

    name: str
    offset: int
    size: int

    def bytes(self, value: int) -> bytes:
        """The value as the kernel reads it."""
        return (value & ((1 << 8 * self.size) - 1)).to_bytes(self.size, "little")


@dataclass(frozen=True, slots=True)
class Derived:
    """A word that is a whole number of other sizes: `count = times * (name - offset) * ...`."""

    word: str
    times: str
    factors: tuple[tuple[str, int], ...]

    def value(self, names: Names) -> int:
        """Its value."""
        return names[self.times] * math.prod(names[n] - k for n, k in self.factors)

    def text(self) -> str:
        """As an expression."""
        parts = [n if not k else f"({n} - {k})" for n, k in self.factors]
        return "*".join([self.times, *parts])


@dataclass(slots=True)
class Explorer:
    """Runs one kernel at sizes of its choice and remembers what it saw.

    Args:
        prober: runs the kernel.
        words: its integer arguments.
        fixed: bytes of its other arguments, by kernarg offset.
        lds: dynamic LDS bytes.
        block: workgroup shape if it is known.
        known: values of words that must not vary.
        unit: what every size is a multiple of.
        derived: a word that the others decide.
        groups: workgroups along an axis that the launch is free to choose.
        fill: 32-bit word that fills the memory behind a pointer.
        contents: bytes behind a pointer.
        step: between the numbers that these are, 0 where there are none.
    """

    prober: Prober
    words: Sequence[Word]
    fixed: Mapping[int, bytes]
    lds: int = 0
    block: Triple | None = None
    known: Names = field(default_factory=dict[str, int])
    unit: int = 1
    derived: Derived | None = None
    groups: int = FEW
    fill: Mapping[int, int] = field(default_factory=dict[int, int])
    contents: Mapping[int, bytes] = field(default_factory=dict[int, bytes])
    step: int = 0
    axes: tuple[Axis, Axis, Axis] = (Axis(), Axis(), Axis())
    faults: dict[str, int] = field(default_factory=dict[str, int])
    _seen: dict[object, Seen] = field(default_factory=dict[object, Seen])

    # --- running ----------------------------------------------------------------------------
    @property
    def names(self) -> list[str]:
        """Sizes that may vary, those of the grid aside."""
        found = [w.name for w in self.words if w.name not in self.known]
        if self.derived is not None:
            found = [n for n in found if n != self.derived.word] + [self.derived.times]
        return found

    def at(self, table: Sequence[int]) -> dict[str, int]:
        """A value of every size: from `table` in turn, times the unit, unless it is known."""
        found = {n: table[i % len(table)] * self.unit for i, n in enumerate(self.names)}
        if self.derived is not None:
            found[self.derived.times] = 3
        return {**self.known, **found}

    @property
    def table(self) -> Sequence[int]:
        """Values that sizes have at the points around which is measured."""
        return _PRIMES if self.unit == 1 and self.derived is None else _UNITS

    def run(self, names: Names, grid: Triple, groups: tuple[Triple, ...] | None = None) -> Seen:
        """What the kernel touches at these sizes, remembered."""
        values = dict(names)
        if self.derived is not None:
            values[self.derived.word] = self.derived.value(names)
        key = (tuple(values[w.name] for w in self.words), grid, groups, self.block)
        if key not in self._seen:
            data = {w.offset: w.bytes(values[w.name]) for w in self.words}
            block = self.block or (256, 1, 1)
            setup = Setup(
                grid, block, self.lds, {**self.fixed, **data}, groups, self.fill, self.contents
            )
            found = self._seen[key] = self.prober.run(setup)
            if found.fault:
                self.faults[found.fault] = self.faults.get(found.fault, 0) + 1
        return self._seen[key]

    def forget(self) -> None:
        """Forget what was seen, because contents of memory changed."""
        self._seen = {}

    def grid(self, names: Names) -> Triple:
        """Workgroups at given sizes."""
        x, y, z = (axis.count(names) for axis in self.axes)
        return x, y, z

    @property
    def free(self) -> list[str]:
        """Names of sizes that only the grid has."""
        return [a.free for a in self.axes if a.free]

    @property
    def used_axes(self) -> tuple[bool, bool, bool]:
        """Which workgroup ids the kernel asks for."""
        d = self.prober.kernel.descriptor
        return (
            bool(d.enable_sgpr_workgroup_id_x),
            bool(d.enable_sgpr_workgroup_id_y),
            bool(d.enable_sgpr_workgroup_id_z),
        )

    def wake(self, pointers: Sequence[int]) -> None:
        """Find contents of the given buffers with which the kernel writes something.

        A kernel may leave at once where a length, a count or a page number in memory is 0.
        """
        names = {**self.at(self.table)}
        one: Triple = (1, 1, 1)
        for word in (0, *_CONTENTS):
            self.fill = dict.fromkeys(pointers, word)
            self.forget()
            if self.run(names, one).wrote:
                return
        self.fill = {}
        self.forget()

    def lead(self, widths: Mapping[int, int]) -> None:
        """Find contents of integer buffers with which the kernel touches most of its pointers.

        Lengths must not be 0, and begins of rows have to rise: one number everywhere, and numbers
        that rise by the same step, are tried.

        Args:
            widths: bytes of the elements of each integer buffer, by kernarg offset.
        """
        names = {**self.at(self.table)}
        best: tuple[bool, int, bool] | None = None
        chosen: tuple[int, int] = (0, 0)
        for word, step in (*((w, 0) for w in (0, *_CONTENTS)), (0, 1), (0, _CONTENTS[1])):
            self._contain(widths, word, step)
            seen = self.run(names, (1, 1, 1))
            touched = sum(1 for t in seen.pointers.values() if t.end)
            score = (seen.wrote, touched, not seen.fault)
            if best is None or score > best:
                best, chosen = score, (word, step)
        self._contain(widths, *chosen)

    def _contain(self, widths: Mapping[int, int], word: int, step: int) -> None:
        """Fill integer buffers with one number, or with multiples of `step`."""
        self.fill = {} if step else dict.fromkeys(widths, word)
        self.step = step
        self.contents = {o: ramp(width, step) for o, width in widths.items()} if step else {}
        self.forget()

    # --- the workgroup ----------------------------------------------------------------------
    def find_block(self) -> str:
        """Choose the workgroup shape whose workgroups leave no holes and no overlap; why."""
        most = self.prober.kernel.metadata.max_flat_workgroup_size or 1024
        dimensions = self.prober.kernel.descriptor.enable_vgpr_workitem_id
        grid = tuple(2 if used else 1 for used in self.used_axes)
        best: tuple[object, ...] | None = None
        chosen: Triple = (min(most, 256), 1, 1)
        for order, shape in enumerate(_shapes(dimensions, most)):
            self.block = shape
            if dimensions == 0 and most < 1024:
                return "the object allows no more workitems"
            seen = self.run(self.at(_LARGE), (grid[0], grid[1], grid[2]))
            out = [t for t in seen.pointers.values() if t.written]
            holes = sum(t.written != t.written_bytes for t in out)
            score = (not out, seen.overlap, bool(seen.fault), holes, order)
            if best is None or score < best:  # type: ignore[operator]
                best, chosen = score, shape
        self.block = chosen
        bound = f"the object allows {most} workitems"
        return f"{bound}; with this shape workgroups write side by side and do not overlap"

    # --- the grid ---------------------------------------------------------------------------
    def alone(self, names: Names, axis: int, index: int) -> Seen:
        """The workgroup `index` along an axis, 0 along the others, by itself."""
        place, grid = [0, 0, 0], [1, 1, 1]
        place[axis], grid[axis] = index, index + 1
        return self.run(names, (grid[0], grid[1], grid[2]), ((place[0], place[1], place[2]),))

    def find_axes(self) -> None:
        """What decides the workgroups along each axis."""
        found = [
            self._axis(n) if used else Axis(reason="the kernel does not ask for this id")
            for n, used in enumerate(self.used_axes)
        ]
        self.axes = (found[0], found[1], found[2])

    def _axis(self, axis: int) -> Axis:
        for table in (self.table, _SMALL):
            base = self.at(table)
            asked = [_Asked(self, axis, None)]
            first, last = self.alone(base, axis, 0), self.alone(base, axis, _CAP)
            asked += [
                _Asked(self, axis, o)
                for o, t in first.pointers.items()
                if t.read and not last.pointers[o].read and not last.fault
            ]
            for question in asked:
                count = question.limit(base)
                if count == 0:
                    return Axis(certain=False, reason="nothing is written at the sizes tried")
                if count is not None:
                    return question.guard(base, count)
        return Axis(FREE[axis], reason="every workgroup finds work, however many there are")


@dataclass(frozen=True, slots=True)
class _Asked:
    """Whether a workgroup along one axis does anything: writes, or reads what `pointer` gives."""

    explorer: Explorer
    axis: int
    pointer: int | None

    def active(self, names: Names, index: int) -> bool:
        """Whether the workgroup does it. A fault is work, too."""
        seen = self.explorer.alone(names, self.axis, index)
        did = seen.wrote if self.pointer is None else bool(seen.pointers[self.pointer].read)
        return did or bool(seen.fault)

    def limit(self, names: Names) -> int | None:
        """How many workgroups find work; None where there seems to be no end."""
        if self.active(names, _CAP):
            return None
        return least(lambda n: not self.active(names, n), 0, _CAP)

    def guard(self, base: Names, count: int) -> Axis:
        """What decides that workgroup `count` is the first one without work at `base`."""
        deciding = [
            n for n in self.explorer.names if self.active({**base, n: base[n] + _MORE}, count)
        ]
        if not deciding:
            return Axis(reason="only the first workgroup finds work, at every size tried")
        unknown = Axis(certain=False, reason=f"{', '.join(deciding)} decide it in a way not found")
        offsets: dict[str, int] = {}
        for name in deciding:
            first = least(lambda v, n=name: self.active({**base, n: v}, 0), 0, base[name])
            offsets[name] = max(first - 1, 0)
        one = {**base, **{n: k + 1 for n, k in offsets.items()}}
        parts: list[Part] = []
        for name in deciding:
            if not self.active({**one, name: _FAR}, 1):
                return unknown
            first = least(lambda v, n=name: self.active({**one, n: v}, 1), 1, _FAR)
            parts.append(Part(name, offsets[name], first - 1 - offsets[name]))
        forms = _forms(tuple(parts), self.pointer)
        return next((f for f in forms if self._holds(base, f)), unknown)

    def _holds(self, base: Names, axis: Axis) -> bool:
        names = [p.name for p in axis.parts]
        biggest = max([axis.tile, *(p.tile for p in axis.parts)])
        points = [base, {**base, **{n: base[n] + biggest + 5 for n in names}}]
        points += [{**base, n: base[n] + 2 * biggest + 1} for n in names]
        for point in points:
            count = axis.count(point)
            if self.active(point, count) or not self.active(point, count - 1):
                return False
        return True


def ramp(width: int, step: int, start: int = 0) -> bytes:
    """Integers of `width` bytes that rise by `step`."""
    count = _RAMP // width
    return (start + step * np.arange(count)).astype(f"<u{width}").tobytes()


def _shapes(dimensions: int, most: int) -> list[Triple]:
    """Workgroup shapes to try, the likeliest first."""
    if dimensions == 0:
        sizes = [most, *_BLOCKS_1D] if most < 1024 else [*_BLOCKS_1D]
        return [(n, 1, 1) for n in dict.fromkeys(sizes) if n <= most]
    flat = [(x, y, 1) for x, y in _BLOCKS_2D] if dimensions == 1 else [*_BLOCKS_3D]
    fitting = [s for s in flat if math.prod(s) <= most]
    full = [s for s in fitting if most < 1024 and math.prod(s) == most]
    return [*full, *(s for s in fitting if s not in full)]


def _forms(parts: tuple[Part, ...], pointer: int | None) -> list[Axis]:
    """Ways in which the parts may make an axis: tiled one by one, or their product."""
    does = "writes" if pointer is None else f"reads the buffer at kernarg offset {pointer}"
    reason = f"no workgroup beyond it {does}"
    each = Axis("", parts, 0, True, reason)
    plain = tuple(Part(p.name, p.offset) for p in parts)
    joint = [Axis("", plain, t, True, reason) for t in sorted({p.tile for p in parts})]
    return [each] if len(parts) == 1 else [*joint, each]


def least(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The least n in [low, high] from which on `holds` (which must be monotone) is true."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low
