"""Which words of a dispatch are pointers, and which allocations they lead to.

A pointer is a word at a multiple of its own size whose value lies in an allocation, or at its end.
From the kernarg segment pointers are followed two levels deep, as pointer tables (block tables,
lists of matrices) need it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

WORD = 8
DEPTH = 2  # levels of buffers behind the kernarg segment


@dataclass(frozen=True, slots=True)
class Extent:
    """Where an allocation lies: `size` bytes from `address` on."""

    name: str
    address: int
    size: int


@dataclass(frozen=True, slots=True)
class Found:
    """A pointer: at byte `offset` of its holder, `addend` bytes into allocation `name`."""

    offset: int
    name: str
    addend: int


class Map:
    """The allocations of a process, for looking addresses up.

    Args:
        extents: they do not overlap.
    """

    def __init__(self, extents: Iterable[Extent]) -> None:
        self._extents = sorted((e for e in extents if e.size), key=lambda e: e.address)
        self._starts = np.array([e.address for e in self._extents], np.uint64)
        self._ends = np.array([e.address + e.size for e in self._extents], np.uint64)

    def at(self, address: int) -> Extent | None:
        """The allocation that holds the address, or else ends there."""
        found = self._look(np.array([address], np.uint64))
        return self._extents[int(found[0])] if found[0] >= 0 else None

    def _look(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Index of the allocation of each word, -1 for none."""
        if not self._extents:
            return np.full(len(words), -1)
        index = np.searchsorted(self._starts, words, "right").astype(np.int64) - 1
        inside = (index >= 0) & (words <= self._ends[np.maximum(index, 0)])
        return np.where(inside, index, -1)

    def pointers(self, data: bytes | memoryview, most: int | None = None) -> list[Found] | None:
        """The pointers in some memory that begins at a multiple of 8, by rising offset.

        Args:
            data: the memory.
            most: None is returned where there are more.
        """
        words = np.frombuffer(data, "<u8", len(data) // WORD)
        if not self._extents or not len(words):
            return []
        near = np.flatnonzero((words >= self._starts[0]) & (words <= self._ends[-1]))
        index = self._look(words[near])
        hits = np.flatnonzero(index >= 0)
        if most is not None and len(hits) > most:
            return None
        out: list[Found] = []
        places: list[int] = near[hits].tolist()
        numbers: list[int] = index[hits].tolist()
        for at, n in zip(places, numbers, strict=True):
            extent = self._extents[n]
            out.append(Found(WORD * at, extent.name, int(words[at]) - extent.address))
        return out


def reachable(
    kernarg: bytes,
    extents: Sequence[Extent],
    read: Callable[[str], bytes | memoryview],
    depth: int = DEPTH,
) -> tuple[str, ...]:
    """Names of the allocations that a dispatch can reach, in the order in which they are found.

    Args:
        kernarg: the kernarg segment.
        extents: all live allocations of the process.
        read: gives the contents of one; called for those that are looked into.
        depth: levels of buffers to look into, 1 for those that the segment itself points to.
    """
    whole = Map(extents)
    found: dict[str, None] = {}
    level = dict.fromkeys(p.name for p in whole.pointers(kernarg) or ())
    for step in range(depth):
        found |= level
        if step == depth - 1:
            break
        following: dict[str, None] = {}
        for name in level:
            following |= dict.fromkeys(p.name for p in whole.pointers(read(name)) or ())
        level = {n: None for n in following if n not in found}
    return tuple(found)
