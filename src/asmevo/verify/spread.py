"""What varies between K0's own runs, element by element, and how far.

A kernel that takes a place in a list by an atomic, or that adds floats in the order of arrival,
gives other results in other wave orders. Where K0's own runs differ, a candidate may differ from
one of them, too: but only there, and only within what K0 gave. Elsewhere it is held to K0's result
as ever. Where too much varies there is nothing to hold a candidate to, and K0's order counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asmevo.capsule.model import BufferState

MOST = 0.25  # share of a buffer's elements that may vary


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """K0's results where they differ, of one buffer.

    Attributes:
        elements: flat indices, rising.
        values: uint8 [runs, elements, bytes of an element], what each run left there.
        total: elements of the buffer.
    """

    elements: NDArray[np.intp]
    values: NDArray[np.uint8]
    total: int

    def settle(self, buffer: BufferState, expected: bytes, candidate: bytes) -> bytes:
        """The candidate's contents with K0's in place of what lies within the spread.

        Floats: between the least and the largest that K0 gave, and as far beyond as these are
        apart (a few runs do not show the whole range). Others: one of the values that K0 gave.
        """
        size = buffer.element.size
        rows = np.frombuffer(candidate, np.uint8).reshape(-1, size).copy()
        mine = rows[self.elements]
        fine: NDArray[np.bool_] = (mine[None] == self.values).all(axis=2).any(axis=0)
        if buffer.element.kind == "float":
            fine |= _between(buffer, mine, self.values)
        at = self.elements[fine]
        rows[at] = np.frombuffer(expected, np.uint8).reshape(-1, size)[at]
        return rows.tobytes()


def learn(buffer: BufferState, results: Sequence[bytes]) -> Spread | None:
    """The spread of a buffer over K0's runs; None where they agree, or differ in too much."""
    size = buffer.element.size
    runs = [np.frombuffer(r, np.uint8).reshape(-1, size) for r in results]
    varies = np.zeros(len(runs[0]), np.bool_)
    for other in runs[1:]:
        varies |= (other != runs[0]).any(axis=1)
    elements = np.flatnonzero(varies)
    if not 0 < len(elements) <= MOST * len(varies):
        return None
    return Spread(elements, np.stack([r[elements] for r in runs]), len(varies))


def _between(
    buffer: BufferState, mine: NDArray[np.uint8], values: NDArray[np.uint8]
) -> NDArray[np.bool_]:
    kind = buffer.element.numpy
    with np.errstate(invalid="ignore", over="ignore"):
        got = np.ascontiguousarray(mine).view(kind)[:, 0].astype(np.float64)
        given = np.ascontiguousarray(values).view(kind)[:, :, 0].astype(np.float64)
        low, high = given.min(axis=0), given.max(axis=0)
        width = high - low
        return np.isfinite(width) & (got >= low - width) & (got <= high + width)
