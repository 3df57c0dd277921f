"""Which addresses executed memory instructions touched: the format in which a recorder gives them.

A wave's entries stand one behind the other in a uint64 array, in the order of execution. Each has
a head word, EXEC (or the lanes in range), and the byte addresses of the lanes: all of them, or the
first one and the step to the next where they form a progression.

Head word: instruction index [0:32), bytes per lane [32:40), space [40:48), form [48:56).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

INDEX_BITS = 32
SIZE_SHIFT, SPACE_SHIFT, FORM_SHIFT = 32, 40, 48
MEMORY, LDS = 0, 1
"""Spaces."""
EACH, PROGRESSION = 0, 1
"""Forms: an address per lane, or first and step."""
HEAD_WORDS, PROGRESSION_WORDS = 2, 2


@dataclass(frozen=True, slots=True, eq=False)
class Touches:
    """The entries of one wave.

    Attributes:
        words: uint64 [n], whole entries.
        lanes: lanes of a wave: addresses of an entry of form `EACH`.
        complete: whether every recordable access of the wave is there; otherwise a prefix.
    """

    words: NDArray[np.uint64]
    lanes: int = 64
    complete: bool = True
