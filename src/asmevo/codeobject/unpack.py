"""Decompression under a budget: gzip, zlib, zstd, xz and bzip2, in memory or in a temporary file.

What is unpacked goes to memory while it is small and to an unnamed temporary file, mapped, when it
is not, so that a library of gigabytes in a wheel costs no memory.
"""

from __future__ import annotations

import bz2
import importlib
import lzma
import mmap
import tempfile
import zlib
from collections.abc import Iterator
from typing import IO, Any

from asmevo.codeobject.budget import Budget, BudgetError
from asmevo.codeobject.elf import FormatError
from asmevo.errors import EnvironmentFault

Buffer = bytes | memoryview
_IN_MEMORY = 32 << 20
# The 717 bundles of hipBLASLt compress 4 to 67 times, zeros 1,000 times and more.
MOST_RATIO = 100
_FREE = 4 << 20  # contents this small may be anything
_CHUNK = 1 << 20
_INPUT = 64 << 10
# The largest window of clang's bundles (long-distance matching) and of `zstd --ultra -22`.
LARGEST_WINDOW = 128 << 20


class Spool:
    """Takes bytes and gives a view of them all: of memory, or of a mapped temporary file."""

    def __init__(self, budget: Budget, what: str, packed: int) -> None:
        """Args:
        packed: bytes that the contents have compressed.
        """
        self._budget, self._what = budget, what
        self._most = max(_FREE, MOST_RATIO * packed)
        self._memory = bytearray()
        self._file: IO[bytes] | None = None
        self.size = 0

    def write(self, chunk: Buffer) -> None:
        """Append.

        Raises:
            BudgetError: more than the budget has left, or far more than code compresses to.
        """
        if self.size + len(chunk) > self._most:
            raise BudgetError(
                f"{self._what} unpacks to more than {MOST_RATIO} times its size",
                "unpack it by hand and search the parts",
            )
        self._budget.unpack(len(chunk), self._what)
        self.size += len(chunk)
        if self._file is None and self.size > _IN_MEMORY:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 (closed in `view`)
            self._file.write(self._memory)
            self._memory = bytearray()
        try:
            if self._file is None:
                self._memory += chunk
            else:
                self._file.write(chunk)
        except OSError as err:
            raise EnvironmentFault(
                f"{self._what} does not fit into the temporary folder ({err.strerror})",
                "set TMPDIR to a folder with more room",
            ) from err

    def view(self) -> memoryview:
        """Everything written so far; nothing can be written after it."""
        if self._file is None:
            return memoryview(self._memory).toreadonly()
        self._file.flush()
        mapped = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        self._file.close()
        self._budget.add_map(mapped)
        return memoryview(mapped)


def zstandard() -> Any:
    """The module.

    Raises:
        EnvironmentFault: it is not installed.
    """
    try:
        return importlib.import_module("zstandard")
    except ImportError as err:
        raise EnvironmentFault(
            "zstd is needed, and the module zstandard is not installed",
            "pip install zstandard",
        ) from err


def check_window(data: Buffer) -> None:
    """Refuse a zstd frame that needs more memory than any compiler's.

    Raises:
        BudgetError: the window is larger than `LARGEST_WINDOW`.
        FormatError: no zstd frame.
    """
    module = zstandard()
    try:
        window = module.get_frame_parameters(bytes(data[:18])).window_size
    except module.ZstdError as err:
        raise FormatError(f"damaged zstd frame ({err})") from err
    if window > LARGEST_WINDOW:
        raise BudgetError(
            f"zstd frame needs a window of {window} bytes; at most {LARGEST_WINDOW}",
            "unpack it by hand: zstd -d --long=31",
        )


def _zlib_chunks(data: Buffer, bits: int) -> Iterator[bytes]:
    """Contents of a zlib stream (`bits` as in zlib), or of all members of a gzip file."""
    at = 0
    while at < len(data):
        stream = zlib.decompressobj(bits)
        while not stream.eof:
            piece = bytes(data[at : at + _INPUT])
            if not piece:
                raise EOFError("it ends before its end mark")
            yield stream.decompress(piece, _CHUNK)
            at += len(piece) - len(stream.unconsumed_tail) - len(stream.unused_data)
        if bits <= zlib.MAX_WBITS or bytes(data[at : at + 2]) != b"\x1f\x8b":
            return


def _lzma_chunks(data: Buffer, bzip2: bool) -> Iterator[bytes]:
    """Contents of all streams of an xz or bzip2 file."""
    at, magic = 0, b"BZh" if bzip2 else b"\xfd7zXZ\0"
    while bytes(data[at : at + len(magic)]) == magic:
        stream: Any = (
            bz2.BZ2Decompressor()
            if bzip2
            else lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=LARGEST_WINDOW)
        )
        while not stream.eof:
            piece = b""
            if stream.needs_input:
                piece = bytes(data[at : at + _INPUT])
                at += len(piece)
                if not piece:
                    raise EOFError("it ends before its end mark")
            yield stream.decompress(piece, _CHUNK)
        at -= len(stream.unused_data)


def zstd_frame(data: Buffer, start: int = 0) -> Iterator[tuple[bytes, int]]:
    """(piece of the contents, end of the input used) of one zstd frame.

    Input is fed in pieces of 4 kB: a byte of zstd can stand for 32 kB.

    Raises:
        FormatError: damaged or truncated.
        BudgetError: the window is too large.
    """
    check_window(data[start : start + 18])
    module = zstandard()
    stream = module.ZstdDecompressor(max_window_size=LARGEST_WINDOW).decompressobj()
    at = start
    while not stream.eof:
        piece = bytes(data[at : at + 4096])
        if not piece:
            raise FormatError("damaged zstd (it ends before its end mark)")
        try:
            out = stream.decompress(piece)
        except module.ZstdError as err:
            raise FormatError(f"damaged zstd ({err})") from err
        at += len(piece)
        yield out, at - len(stream.unused_data)


def _zstd_chunks(data: Buffer) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        magic = int.from_bytes(bytes(data[at : at + 4]), "little")
        if magic & ~0xF == 0x184D2A50:  # a skippable frame
            at += 8 + int.from_bytes(bytes(data[at + 4 : at + 8]), "little")
            continue
        if magic != 0xFD2FB528:
            return
        for out, end in zstd_frame(data, at):
            at = end
            yield out


def chunks(kind: str, data: Buffer) -> Iterator[bytes]:
    """Decompressed pieces of at most 1 MiB of a "gzip", "zlib", "deflate", "zstd", "xz" or "bzip2".

    Raises:
        FormatError: damaged or truncated.
        BudgetError: the decoder would need too much memory.
        EnvironmentFault: zstd is needed and not installed.
    """
    bits = {"gzip": 16 + zlib.MAX_WBITS, "zlib": zlib.MAX_WBITS, "deflate": -zlib.MAX_WBITS}
    try:
        if kind in bits:
            yield from _zlib_chunks(data, bits[kind])
        elif kind == "zstd":
            yield from _zstd_chunks(data)
        else:
            yield from _lzma_chunks(data, kind == "bzip2")
    except (zlib.error, lzma.LZMAError, EOFError, OSError) as err:
        if "limit" in str(err).lower():  # liblzma: the dictionary is larger than the limit
            raise BudgetError(
                f"{kind} needs more than {LARGEST_WINDOW} bytes of memory", "unpack it by hand"
            ) from err
        raise FormatError(f"damaged {kind} ({err})") from err


def unpack(kind: str, data: Buffer, budget: Budget, what: str) -> memoryview:
    """All decompressed bytes.

    Raises:
        FormatError, BudgetError, EnvironmentFault: as `chunks`; more than the budget has left.
    """
    spool = Spool(budget, what, len(data))
    for chunk in chunks(kind, data):
        spool.write(chunk)
    return spool.view()
