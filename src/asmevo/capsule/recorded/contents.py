"""Bytes of a recorded allocation: in memory, or in a file and read when they are asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

CHUNK = 4 << 20  # bytes; what is stored, compressed and checked as one
BytesLike = bytes | bytearray | memoryview | NDArray[Any]


class Contents(ABC):
    """Bytes that may lie elsewhere. `size` is known, the rest is read on demand."""

    size: int

    @property
    def identity(self) -> object:
        """Equal for equal stored contents; None where only the bytes can tell."""
        return None

    @abstractmethod
    def chunks(self) -> Iterator[memoryview]:
        """The bytes in order, in pieces of `CHUNK` bytes and a rest.

        Raises:
            CapsuleError: a stored piece is missing, or is not what was stored.
        """

    def into(self, out: NDArray[np.uint8]) -> None:
        """Copy the bytes to the start of `out`, uint8 [at least size]; raises as `chunks`."""
        at = 0
        for piece in self.chunks():
            out[at : at + len(piece)] = np.frombuffer(piece, np.uint8)
            at += len(piece)

    def read(self) -> bytes:
        """All bytes; raises as `chunks`."""
        return b"".join(self.chunks())

    @staticmethod
    def of(value: BytesLike | Contents) -> Contents:
        """`value` itself if it is contents already, or contents in memory (not copied)."""
        return value if isinstance(value, Contents) else _InMemory(value)


class _InMemory(Contents):
    def __init__(self, value: BytesLike) -> None:
        raw = (
            value.tobytes()
            if isinstance(value, np.ndarray) and not value.flags.c_contiguous
            else value
        )
        view = memoryview(cast("bytes", raw))  # an array is a buffer, too
        self._view = view.cast("B") if view.nbytes else memoryview(b"")
        self.size = len(self._view)

    def chunks(self) -> Iterator[memoryview]:
        for at in range(0, self.size, CHUNK):
            yield self._view[at : at + CHUNK]
