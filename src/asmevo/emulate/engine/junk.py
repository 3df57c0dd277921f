"""What nothing has defined when a wave starts: junk, every dword of it another one.

Copies keep a dword's value: moves, lane reads and writes, LDS, scratch, permutes. So a register
that holds the junk of another place got it from there by copies alone, which names the place that
was never written, however the value travelled. That another value equals one of the junk's by
chance is a matter of 2^-32 for each dword looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_SCALARS = 129  # the scalar file with SCC
_SALT = 0x5851F42D


def scalar_junk(poison: int) -> NDArray[np.uint8]:
    """Bytes of the scalar file at the start of every wave."""
    rng = np.random.Generator(np.random.PCG64(poison + _SALT))
    return rng.integers(0, 256, 4 * _SCALARS, dtype=np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Junk:
    """Undefined contents of one run.

    Attributes:
        scalars: uint32 [scalars].
        vgprs, agprs: uint32 [registers, lanes].
        lds: uint32 [dwords].
        defined: SGPR numbers and VGPR numbers that the launch defines.
    """

    scalars: NDArray[np.uint32]
    vgprs: NDArray[np.uint32]
    agprs: NDArray[np.uint32]
    lds: NDArray[np.uint32]
    defined: tuple[frozenset[int], frozenset[int]]

    def place_of(self, value: int) -> str:
        """Register or LDS place that holds this dword at the start, or an empty string."""
        wanted = np.uint32(value)
        for index in np.flatnonzero(self.scalars[:102] == wanted).tolist():
            if index not in self.defined[0]:
                return f"s{index}"
        for name, rows, known in (
            ("v", self.vgprs, self.defined[1]),
            ("a", self.agprs, frozenset[int]()),
        ):
            for index in np.flatnonzero((rows == wanted).any(axis=1)).tolist():
                if index not in known:
                    return f"{name}{index}"
        for index in np.flatnonzero(self.lds == wanted).tolist():
            return f"LDS byte {4 * index:#x}"
        return ""
