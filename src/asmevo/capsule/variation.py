"""Other sizes, blocks, grids and scalars for a launch description: what it leaves free.

A launch that is always 1000 elements in blocks of 256 cannot tell a block size that is read from
one that is written down. Each variation below changes one thing of a description; expressions carry
the change to whatever depends on it. Whether the result is legal is K0's to say, by running.

- each size: by one, 1, around the block (fewer columns than a block, one more), some blocks more;
  where they reach other code also larger ones; past 2^24 elements where that is affordable.
- all sizes together: a few more of each; one around one block or two, small others four times.
- block: half, double, and no multiple of a wave, on each axis that has more than one, where the
  kernel can know its block (a hidden argument, the dispatch packet) and its metadata allows it; the
  grid covers the same work-items.
- grid: one workgroup fewer and one more.
- scalars: numbers that the description writes down; counts of nothing; counts far beyond 2^30 on a
  grid that is one workgroup short, so that no guard is needed, also with other sizes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from asmevo.capsule.dtypes import dtype
from asmevo.capsule.expressions import evaluate
from asmevo.capsule.model import Capsule
from asmevo.capsule.spec import ArgSpec, Expression, LaunchSpec
from asmevo.capsule.synthesize import MOST_WORKITEMS, Recipe, synthesize
from asmevo.codeobject.object import Kernel
from asmevo.errors import AsmEvoError
from asmevo.isa.target import Target

MARK = "~"  # in labels, before what was varied
# Elements; float32 does not hold the last index, and a count without one of its low bits is less.
LARGE = (1 << 24) + (1 << 21) - 1
HUGE = (1 << 30) + 1
# The largest count that is one as a signed number, and one whose reciprocal is far from exact.
LARGEST, ODD = (1 << 31) - 1, 0x5555_AAA7
_WAVE = 64
_AXES = ("", ".y", ".z")  # in labels
_FEW = 16  # a size that is small enough to be four times as large
_MUCH = 8.0  # times the launch's memory: worth it for new code only
_FIRST = 1000  # ordinal of the first variation's random contents


@dataclass(frozen=True, slots=True)
class Variation:
    """One change of a launch description.

    Attributes:
        label: what was changed, e.g. `block=128`.
        spec: the description.
        sizes: overrides of its sizes.
        seed: of its contents.
        number: ordinal among the variations of a launch; each draws other contents.
        growth: bytes of its buffers over those of the launch.
        only_for_code: worth running only where it reaches code that nothing else does.
        idle: whether there may be nothing to do, and then nothing may be done.
        bare: whether a float of the launch is 0, as an epsilon that hides small values is not.
    """

    label: str
    spec: LaunchSpec
    sizes: Mapping[str, Expression]
    seed: int | None
    number: int
    growth: float
    only_for_code: bool = False
    idle: bool = False
    bare: bool = False

    def capsule(self, kernel: Kernel, target: Target) -> Capsule:
        """The dispatch.

        Raises:
            AsmEvoError: the description does not allow the change.
        """
        made = synthesize(
            self.spec, kernel, target, self.sizes, seed=self.seed, variant=_FIRST + self.number
        )
        return made.derived(f"{MARK}{self.label}", {"varied": self.label})


@dataclass(frozen=True, slots=True)
class _Change:
    label: str
    sizes: Mapping[str, Expression] = field(default_factory=dict[str, Expression])
    spec: LaunchSpec | None = None
    only_for_code: bool = False
    large: bool = False
    idle: bool = False
    bare: bool = False


def variations(recipe: Recipe, kernel: Kernel, target: Target) -> Iterator[Variation]:
    """Variations of the launch that `recipe` describes, the cheap and telling ones first.

    Args:
        recipe: how the launch was made.
        kernel: the kernel, whose metadata says what it can know of its dispatch.
        target: its target.
    """
    spec = recipe.spec
    names = spec.resolve_sizes(recipe.sizes)
    usual, elements = _bytes(spec, names, target), _elements(spec, names)
    if not usual:
        return
    seen: set[str] = set()
    number = 0
    for change in _changes(spec, names, kernel, elements):
        if change.label in seen:
            continue
        seen.add(change.label)
        changed = change.spec or spec
        sizes = {**recipe.sizes, **change.sizes}
        try:
            growth = _bytes(changed, changed.resolve_sizes(sizes), target) / usual
        except AsmEvoError:
            continue  # e.g. a size that another one makes negative
        yield Variation(
            change.label, changed, sizes, recipe.seed, number, growth,
            change.only_for_code or (growth > _MUCH and not change.large), change.idle,
            change.bare,
        )  # fmt: skip
        number += 1


def _changes(
    spec: LaunchSpec, names: Mapping[str, int], kernel: Kernel, elements: int
) -> Iterator[_Change]:
    grid = _triple(spec.grid, names)
    block = _triple(spec.block, names)
    yield from _blocks(spec, grid, block, kernel)
    for axis in range(3):
        # An axis of one is one that most kernels do not look at: more there repeats all work.
        for count in (grid[axis] - 1, grid[axis] + 1):
            if count > 0 and (axis == 0 or grid[axis] > 1):
                changed = _replaced(grid, axis, count)
                yield _Change(f"grid{_AXES[axis]}={count}", spec=_with(spec, grid=changed))
    yield from _scalars(spec, names, grid)
    across = block[0]
    for name, value in names.items():
        usual = [value - 1, value + 1, 1, across - 1, across + 1, 2 * across, 4 * across + 1]
        for v in usual:
            if 0 < v != value:
                yield _Change(f"{name}={v}", {name: v})
    yield from _jointly(names, across)
    for name, value in names.items():
        larger = [2 * value + 1, 4 * value, 8 * across + 3, 16 * across, 64 * across + 1]
        for v in larger:
            if v != value:
                yield _Change(f"{name}={v}", {name: v}, only_for_code=True)
    # As many elements in all, by one size: it costs.
    for name, value in names.items():
        if LARGE > value * LARGE // elements > value:
            few = value * LARGE // elements
            yield _Change(f"{name}={few}", {name: few}, large=True)
            break
    for name, value in names.items():
        if value < LARGE:
            yield _Change(f"{name}={LARGE}", {name: LARGE}, large=True)


def _jointly(names: Mapping[str, int], across: int) -> Iterator[_Change]:
    """Several sizes at once: quotients of one by another are small while the others are usual."""
    if len(names) < 2:
        return
    found = [
        {name: value + step + 2 * n for n, (name, value) in enumerate(names.items())}
        for step in (3, 9)
    ]
    # Reciprocals are exact for powers of two, and rounded for others. Of what is not divided little
    # is needed.
    for name in names:
        for wanted in (2 * across, across - 1):
            others = {n: 4 * v + 1 if v <= _FEW else 5 for n, v in names.items()}
            found.append({**others, name: wanted})
    for several in found:
        yield _Change(" ".join(f"{n}={v}" for n, v in several.items()), several)


def _blocks(
    spec: LaunchSpec, grid: tuple[int, ...], block: tuple[int, ...], kernel: Kernel
) -> Iterator[_Change]:
    """Blocks that the kernel can know of and that its metadata allows."""
    metadata = kernel.metadata
    told = any(a.value_kind.startswith("hidden_group_size") for a in metadata.args)
    if metadata.reqd_workgroup_size is not None or not (
        told or kernel.descriptor.enable_sgpr_dispatch_ptr
    ):
        return
    most = metadata.max_flat_workgroup_size or MOST_WORKITEMS
    for axis in range(3):
        now = block[axis]
        if axis and now == 1:
            continue
        for wanted in (now // 2, now * 2, now - now // 4 - now // 8, min(_WAVE, now // 4)):
            if 0 < wanted != now and math.prod(block) // now * wanted <= most:
                # As many work-items as before, so that whatever was in reach still is.
                groups = _replaced(grid, axis, -(-grid[axis] * now // wanted))
                changed = _with(spec, grid=groups, block=_replaced(block, axis, wanted))
                yield _Change(f"block{_AXES[axis]}={wanted}", spec=changed)


def _replaced(triple: tuple[int, ...], axis: int, value: int) -> tuple[int, ...]:
    return (*triple[:axis], value, *triple[axis + 1 :])


def _scalars(
    spec: LaunchSpec, names: Mapping[str, int], grid: tuple[int, ...]
) -> Iterator[_Change]:
    for number, arg in enumerate(spec.args):
        if arg.value is None or arg.dtype is None:
            continue
        kind = dtype(arg.dtype, "gfx942").kind
        if kind == "float" and isinstance(arg.value, int | float):
            for v in (0.0, -1.5 * arg.value - 0.25):
                yield _Change(f"{arg.name}={v:g}", spec=_with_arg(spec, number, v), bare=not v)
        elif kind == "int" and isinstance(arg.value, int):
            for v in (arg.value - 1, arg.value + 1, 0):
                if v >= 0:
                    yield _Change(f"{arg.name}={v}", spec=_with_arg(spec, number, v))
        elif isinstance(arg.value, str) and kind == "int":
            yield _Change(f"{arg.name}=0", spec=_with_arg(spec, number, 0), idle=True)
            more = {n: 4 * v + 1 if v <= _FEW else v + 7 for n, v in names.items()}
            for count, sizes in ((HUGE, {}), (HUGE, more), (LARGEST, more), (ODD, more)):
                groups = _triple(spec.grid, sizes)[0] if sizes else grid[0]
                if groups > 1:
                    short = _with(spec, grid=(groups - 1, *grid[1:]))
                    label = f"{arg.name}={count} grid={groups - 1}{' more' if sizes else ''}"
                    yield _Change(label, sizes, _with_arg(short, number, count), large=True)


def _with(spec: LaunchSpec, **changes: object) -> LaunchSpec:
    return spec.model_copy(update=changes)


def _with_arg(spec: LaunchSpec, number: int, value: float) -> LaunchSpec:
    args: list[ArgSpec] = list(spec.args)
    args[number] = args[number].model_copy(update={"value": value})
    return _with(spec, args=tuple(args))


def _triple(given: tuple[Expression, ...], names: Mapping[str, int]) -> tuple[int, int, int]:
    values = [evaluate(v, names, "dimension") for v in given]
    values += [1] * (3 - len(values))
    return values[0], values[1], values[2]


def _elements(spec: LaunchSpec, names: Mapping[str, int]) -> int:
    """Elements of the largest buffer, at least one."""
    shapes = [a.shape for a in spec.args if a.shape is not None]
    counts = [math.prod(evaluate(v, names, "shape") for v in shape) for shape in shapes]
    return max([1, *counts])


def _bytes(spec: LaunchSpec, names: Mapping[str, int], target: Target) -> int:
    """Bytes of all buffers."""
    total = 0
    for arg in spec.args:
        if arg.shape is None or arg.dtype is None:
            continue
        shape = [evaluate(v, names, f"shape of {arg.name}") for v in arg.shape]
        total += math.prod(shape) * dtype(arg.dtype, target.arch).size
    return total


__all__ = ["LARGE", "MARK", "Variation", "variations"]
