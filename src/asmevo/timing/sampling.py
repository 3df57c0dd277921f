"""Parts of long executions that stand for the whole.

A simulation of everything that a long launch executes would take minutes. Instead parts are taken
evenly over the whole course, and the clocks that each instruction cost in them are weighted by how
often it was executed in all. So what counts is what was executed, and neither the order of
phases nor how many blocks an execution is cut into can move the result.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from asmevo.timing.static import Kind, StaticProgram

_I32 = NDArray[np.int32]
_I64 = NDArray[np.int64]
PARTS = 16
"""Parts that a sampled execution is looked at in."""
_MISSED_SHARE = 1e-3  # of all executions: instructions below it may be left out


_MOST_EXTRA = 16  # further parts for instructions that the even ones miss

Part = tuple[tuple[int, int], ...]
"""First and last position (not included) in the stream of each wave."""


class _Cutter:
    """Cuts the streams of one workgroup where all its waves can be cut at once.

    Waves of one workgroup pass the same barriers: where they have many, at the same ones,
    otherwise at the same share of each stream.
    """

    def __init__(self, program: StaticProgram, waves: Sequence[_I32], share: float) -> None:
        self.waves = waves
        barriers = [np.flatnonzero(program.kind[w] == int(Kind.BARRIER)) for w in waves]
        count = min(len(b) for b in barriers)
        self.edges: list[_I64] | None = None
        self.places = 1 << 20
        if count >= 4 * PARTS and all(len(b) == count for b in barriers):
            ends = zip(barriers, waves, strict=True)
            self.edges = [np.concatenate(([0], b + 1, [w.shape[0]])) for b, w in ends]
            self.places = count + 1
        self.length = max(1, int(self.places * share / PARTS))

    def at(self, place: int) -> Part:
        """The part that begins at a place, 0 to `places`."""
        first = max(0, min(place, self.places - self.length))
        last = first + self.length
        if self.edges is not None:
            return tuple((int(e[first]), int(e[last])) for e in self.edges)
        sizes = [w.shape[0] for w in self.waves]
        return tuple((first * n // self.places, last * n // self.places) for n in sizes)

    def holding(self, wave: int, position: int) -> Part:
        """The part round one executed instruction of a wave."""
        if self.edges is not None:
            place = int(np.searchsorted(self.edges[wave], position, "right")) - 1
        else:
            place = position * self.places // max(1, self.waves[wave].shape[0])
        return self.at(place - self.length // 2)


def parts(program: StaticProgram, waves: Sequence[_I32], limit: int) -> list[Part]:
    """Parts that hold about `limit` instructions in all, evenly over the whole execution.

    What is executed often and lies in none of them (a short loop between two of them) gets a part
    of its own.

    Args:
        program: flattened program.
        waves: streams of the waves of one workgroup.
        limit: wave instructions to keep in all.
    """
    cut = _Cutter(program, waves, min(1.0, limit / sum(int(w.shape[0]) for w in waves)))
    last = cut.places - cut.length
    found = [cut.at(last * k // (PARTS - 1)) for k in range(PARTS)]
    size = len(program)
    whole = sum((np.bincount(w, minlength=size) for w in waves), np.zeros(size, np.int64))
    often = whole > _MISSED_SHARE * whole.sum()
    for _ in range(_MOST_EXTRA):
        held = np.zeros(size, bool)
        for part in found:
            for (a, b), w in zip(part, waves, strict=True):
                held[w[a:b]] = True
        missing = np.flatnonzero(often & ~held)
        if not missing.size:
            break
        for number, w in enumerate(waves):
            places = np.flatnonzero(w == missing[0])
            if places.size:
                found.append(cut.holding(number, int(places[places.size // 2])))
                break
    return found
