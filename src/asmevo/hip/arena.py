"""Device memory as the worker sees it: the arena that the program's library made, and its table.

The layout is that of `native/runtime.h`: the arena lies at one address in both processes, so that a
device address is a host address in either.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from asmevo.errors import EnvironmentFault

BASE = 0x2000_0000_0000
TABLE = 64 << 20
_MAGIC = b"asmevo1\0"
_HEAD = 64  # bytes before the first entry
_ENTRY = np.dtype(
    [("base", "<u8"), ("size", "<u8"), ("host", "<u8"), ("kind", "<u4"), ("flags", "<u4")]
)
_MAP_FIXED_NOREPLACE, _MAP_NORESERVE = 0x100000, 0x4000

Kind = Literal["free", "device", "host", "managed", "image", "staging", "registered"]
KINDS: tuple[Kind, ...] = (
    "free", "device", "host", "managed", "image", "staging", "registered",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Allocation:
    """One allocation: address, bytes, what it is."""

    base: int
    size: int
    kind: Kind

    @property
    def end(self) -> int:
        """First address behind it."""
        return self.base + self.size


class Arena:
    """The mapping, and what is allocated in it.

    Args:
        fd: the arena's file.

    Raises:
        EnvironmentFault: it cannot be mapped at its address, or is no arena.
    """

    def __init__(self, fd: int) -> None:
        self.size = os.fstat(fd).st_size
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mmap.restype = ctypes.c_void_p
        libc.mmap.argtypes = [
            ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int,
            ctypes.c_long,
        ]  # fmt: skip
        flags = mmap.MAP_SHARED | _MAP_NORESERVE | _MAP_FIXED_NOREPLACE
        protection = mmap.PROT_READ | mmap.PROT_WRITE
        at = libc.mmap(BASE, self.size, protection, flags, fd, 0)
        if at != BASE:
            raise EnvironmentFault(f"the arena cannot be mapped: {os.strerror(ctypes.get_errno())}")
        self._head = self.view(BASE, 40)
        if self._head[:8].tobytes() != _MAGIC:
            raise EnvironmentFault("the shared memory is no arena of this version")
        self._numbers = self._head[8:40].view(np.uint64)
        self._generation = -1
        self._allocations: tuple[Allocation, ...] = ()

    def view(self, address: int, size: int) -> NDArray[np.uint8]:
        """The bytes at an address, as they are: writes go to the program's memory."""
        return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))

    def bytes_at(self, address: int, size: int) -> bytes:
        """A copy of them."""
        return ctypes.string_at(address, size)

    @property
    def generation(self) -> int:
        """Changes with every allocation and release."""
        return int(self._numbers[0])

    def allocations(self) -> tuple[Allocation, ...]:
        """What is allocated now, by address."""
        if self.generation != self._generation:
            count = int(self._numbers[1])
            raw = self.bytes_at(BASE + _HEAD, count * _ENTRY.itemsize)
            rows: list[tuple[int, int, int, int, int]] = np.frombuffer(raw, _ENTRY).tolist()
            self._allocations = tuple(
                Allocation(base, size, KINDS[kind]) for base, size, _, kind, _ in rows
            )
            self._generation = self.generation
        return self._allocations
