"""One budget for everything that a file unpacks to: bytes, members, objects, nesting and time.

A file that is searched gets one budget, by its size; every layer below takes from the same one. A
container that contains itself, a thousand bombs in an archive, or one member listed a million times
therefore ends with a `BudgetError` that says what ran out, and never with a full memory.
"""

from __future__ import annotations

import mmap
import time
import weakref
from dataclasses import dataclass, field

from asmevo.errors import UnsupportedError

# What a byte of input may become. Code objects compress 4 to 20 times; zeros 1,000 times and more.
_UNPACKED_BASE, _UNPACKED_RATIO = 16 << 20, 64
# Objects lie one beside the other: together they are no more than what holds them. Some linkers
# let equal members share their bytes.
_OBJECT_BASE, _OBJECT_RATIO = 1 << 20, 4
# The smallest member of any container has a header of some 24 bytes; archives of small files have
# a member per few hundred bytes.
_MEMBER_BASE, _MEMBER_SHARE = 20_000, 128
# CPU seconds: far above what reading takes, and twice what xz takes to unpack a library.
_SECONDS_BASE, _SECONDS_PER_MIB = 3.0, 0.3
NESTING = 12  # a compressed bundle in a library in a wheel in a tar.gz takes 6
_RELEASE = 64 << 20  # mapped pages are given back after so many bytes


class BudgetError(UnsupportedError):
    """More than a file of that size may cost: too large, too many, too deep or too long."""


@dataclass
class Budget:
    """What is left for one file and all that is in it.

    Attributes:
        unpacked: bytes that may still be decompressed.
        members: members of containers that may still be visited.
        object_bytes: bytes of code objects that may still be reported.
        seconds: CPU seconds that may still be used; the clock runs between `resume` and `pause`.
        nesting: containers inside one another.
    """

    unpacked: int = _UNPACKED_BASE
    members: int = _MEMBER_BASE
    object_bytes: int = _OBJECT_BASE
    seconds: float = _SECONDS_BASE
    nesting: int = NESTING
    _started: float | None = None
    _looked: int = 0
    _maps: weakref.WeakSet[mmap.mmap] = field(default_factory=lambda: weakref.WeakSet[mmap.mmap]())

    @classmethod
    def of(cls, size: int) -> Budget:
        """The budget of a file of `size` bytes."""
        return cls(
            _UNPACKED_BASE + _UNPACKED_RATIO * size,
            _MEMBER_BASE + size // _MEMBER_SHARE,
            _OBJECT_BASE + _OBJECT_RATIO * size,
            _SECONDS_BASE + _SECONDS_PER_MIB * (size / (1 << 20)),
        )

    def resume(self) -> None:
        """Let the clock run."""
        self._started = time.thread_time()

    def pause(self) -> None:
        """Stop the clock: what the caller does with an object is not the file's cost."""
        if self._started is not None:
            self.seconds -= time.thread_time() - self._started
            self._started = None

    def check_time(self) -> None:
        """Raises:
        BudgetError: the time is used up.
        """
        if self._started is not None and time.thread_time() - self._started > self.seconds:
            raise BudgetError(
                "the search takes longer than a file of this size may cost",
                "unpack it by hand and search the parts",
            )

    def unpack(self, size: int, what: str) -> None:
        """Take `size` decompressed bytes.

        Raises:
            BudgetError: that is more than is left.
        """
        self.check_time()
        if size > self.unpacked:
            raise BudgetError(
                f"{what} unpacks to {size} more bytes; at most {max(self.unpacked, 0)} are left "
                "for a file of this size",
                "unpack it by hand and search the parts",
            )
        self.unpacked -= size
        self.object_bytes += size

    def require(self, size: int, what: str) -> None:
        """Refuse a claimed size before anything is taken.

        Raises:
            BudgetError: more than is left.
        """
        if size > self.unpacked:
            raise BudgetError(
                f"{what} claims {size} bytes; at most {max(self.unpacked, 0)} are left for a file "
                "of this size",
                "unpack it by hand and search the parts",
            )

    def visit(self, count: int = 1) -> None:
        """Take members.

        Raises:
            BudgetError: more members than a file of this size may have, or no time left.
        """
        self.members -= count
        if self.members < 0:
            raise BudgetError(
                "more members than a file of this size may have",
                "unpack it by hand and search the parts",
            )
        self.check_time()

    def report(self, size: int) -> None:
        """Take one object of `size` bytes.

        Raises:
            BudgetError: the objects add up to much more than the file and what it unpacks to.
        """
        self.object_bytes -= size
        if self.object_bytes < 0:
            raise BudgetError(
                "the objects in it add up to several times what it holds",
                "its members overlap; extract them by hand",
            )
        self.looked(size)

    def add_map(self, mapped: mmap.mmap) -> None:
        """Give back this mapping's pages from time to time."""
        self._maps.add(mapped)

    def looked(self, size: int) -> None:
        """Count bytes that were read; mapped pages are given back after every 64 MiB of them."""
        self._looked += size
        if self._looked >= _RELEASE:
            self._looked = 0
            for mapped in self._maps:
                mapped.madvise(mmap.MADV_DONTNEED)
            self.check_time()
