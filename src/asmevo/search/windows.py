"""Hot windows: where a kernel's time goes, as ranges of instructions worth editing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asmevo.errors import InputError
from asmevo.program.cfg import Block


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """Cost of every instruction of a program.

    Attributes:
        counts: int64 [instructions], wave executions.
        weights: float64 [instructions], cost in the device's unit where known (stall and issue),
            else equal to the counts.
        source: where the weights come from, e.g. `modelled stalls` or `execution counts`.
    """

    counts: NDArray[np.int64]
    weights: NDArray[np.float64]
    source: str

    def __post_init__(self) -> None:
        if self.counts.shape != self.weights.shape or self.counts.ndim != 1:
            raise InputError(
                f"profile: {self.counts.shape} counts but {self.weights.shape} weights"
            )


@dataclass(frozen=True, slots=True)
class HotWindow:
    """A range of instructions with its share of the cost.

    Attributes:
        first: first instruction index.
        last: last one, exclusive.
        block: index of the basic block that holds it.
        weight: summed weight.
        share: weight over the weight of all blocks, 0 to 1.
    """

    first: int
    last: int
    block: int
    weight: float
    share: float

    @property
    def window(self) -> tuple[int, int]:
        """As the edit rules take it."""
        return self.first, self.last


def hot_windows(
    blocks: Sequence[Block], profile: Profile, limit: int = 8, size: int = 400
) -> list[HotWindow]:
    """The costliest windows, hottest first.

    A window is a whole basic block; a block of more than `size` instructions gives the costliest
    stretch of `size` instructions in it. Blocks that were never executed give none.

    Args:
        blocks: basic blocks of the kernel.
        profile: cost per instruction of the same program.
        limit: most windows.
        size: most instructions of a window.
    """
    weights = profile.weights
    if blocks and max(b.last for b in blocks) > len(weights):
        raise InputError("profile and blocks are of different programs")
    total = float(sum(weights[b.first : b.last].sum() for b in blocks)) or 1.0
    found: list[HotWindow] = []
    for block in blocks:
        if not profile.counts[block.first : block.last].any():
            continue
        first, last = block.first, block.last
        if last - first > size:
            sums = np.concatenate(([0.0], np.cumsum(weights[first:last])))
            start = int(np.argmax(sums[size:] - sums[:-size]))
            first, last = first + start, first + start + size
        weight = float(weights[first:last].sum())
        found.append(HotWindow(first, last, block.index, weight, weight / total))
    found.sort(key=lambda w: (-w.weight, w.first))
    return found[:limit]
