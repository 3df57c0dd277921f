"""LLVM offload packages (magic 0x10FF10AD, versions 1 to 3): what `.llvm.offloading` holds.

A package is a header, entries, a string map for each entry and the images. Version 1 has one
entry, version 2 counts them and gives strings a length, version 3 may compress all that follows
the header. Offsets count from the package's start. Source: llvm `OffloadBinary.h`, its comments,
and the manual page "Clang Offload Packager".
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

from asmevo.codeobject.budget import Budget
from asmevo.codeobject.elf import FormatError
from asmevo.codeobject.unpack import Buffer, Spool, chunks, zstandard
from asmevo.errors import UnsupportedError

MAGIC = b"\x10\xff\x10\xad"
MAX_ENTRIES = 4096
MAX_STRINGS = 64
_MAX_STRING = 4096
_HEADER = struct.Struct("<4sIQQQ")
_ENTRY = struct.Struct("<HHIQQQQ")
SMALLEST = _HEADER.size
_IMAGE_FIELDS = 24  # offset in an entry of the image's offset and size
_ZSTD = b"\x28\xb5\x2f\xfd"


@dataclass(frozen=True, slots=True)
class Image:
    """One image: `triple-arch` of its string map, its place in the package, its entry's place."""

    name: str
    offset: int
    size: int
    entry_at: int


@dataclass(frozen=True, slots=True)
class Package:
    """A package at `start` of some buffer.

    Attributes:
        size: bytes that it takes in the buffer.
        contents: what the images' offsets count in: the package, decompressed if it was compressed.
        compression: "zlib", "zstd" or empty.
    """

    start: int
    size: int
    version: int
    images: tuple[Image, ...]
    contents: memoryview
    compression: str = ""


def parse_package(data: Buffer, start: int = 0, budget: Budget | None = None) -> Package:
    """The package whose magic is at `start`.

    Raises:
        FormatError: damaged, or an image outside the package or over its header.
        UnsupportedError: a version after 3.
        BudgetError: compressed, and larger than the budget allows.
    """
    head = bytes(data[start : start + 40])
    if len(head) < _HEADER.size or head[:4] != MAGIC:
        raise FormatError(f"no offload package at offset {start}")
    _, version, size, entries_at, count = _HEADER.unpack_from(head)
    if version == 0:
        raise FormatError("offload package of version 0")
    if version > 3:
        raise UnsupportedError(f"offload package of version {version}", "known are 1 to 3")
    if size < _HEADER.size or start + size > len(data):
        raise FormatError(f"offload package claims {size} bytes, {len(data) - start} are there")
    contents, compression = memoryview(data)[start : start + size], ""
    inflated = int.from_bytes(head[32:40], "little") if version == 3 else 0
    if inflated:
        compression = "zstd" if bytes(contents[entries_at : entries_at + 4]) == _ZSTD else "zlib"
        contents = _inflate(contents, entries_at, inflated, compression, budget)
    if version == 1:
        count = 1  # version 1 keeps the size of the only entry there
    if count > MAX_ENTRIES:
        raise FormatError(f"offload package claims {count} entries; at most {MAX_ENTRIES}")
    end = entries_at + count * _ENTRY.size
    if entries_at < _HEADER.size or end > len(contents):
        raise FormatError("offload package: its entries lie outside it")
    images: list[Image] = []
    for i in range(count):
        at = entries_at + i * _ENTRY.size
        _, _, _, strings_at, strings, offset, image_size = _ENTRY.unpack_from(contents, at)
        if offset + image_size > len(contents) or (image_size and offset < end):
            raise FormatError(f"offload package: image {i} lies outside it or over its header")
        name = _name(contents, strings_at, strings, version)
        images.append(Image(name, offset, image_size, at))
    return Package(start, size, version, tuple(images), contents, compression)


def _inflate(
    package: memoryview, header: int, inflated: int, compression: str, budget: Budget | None
) -> memoryview:
    """The package with what follows its header decompressed, and its size field restored."""
    budget = budget or Budget.of(len(package))
    budget.require(inflated, "offload package")
    if not _HEADER.size <= header <= len(package):
        raise FormatError("offload package: its entries lie outside it")
    spool = Spool(budget, "offload package", len(package))
    for chunk in chunks(compression, package[header:]):
        spool.write(chunk)
        if header + spool.size > inflated:
            break
    out = bytearray(package[:header])
    out += spool.view()
    if len(out) != inflated:
        raise FormatError(f"offload package claims {inflated} bytes but holds {len(out)}")
    struct.pack_into("<Q", out, 8, inflated)
    return memoryview(out).toreadonly()


def _name(contents: memoryview, at: int, count: int, version: int) -> str:
    size = 16 if version == 1 else 24
    if count > MAX_STRINGS or at + count * size > len(contents):
        raise FormatError("offload package: a string map lies outside it")
    found: dict[str, str] = {}
    for i in range(count):
        key, value = struct.unpack_from("<QQ", contents, at + i * size)
        found[_string(contents, key)] = _string(contents, value)
    return "-".join(found[k] for k in ("triple", "arch") if found.get(k))


def _string(contents: memoryview, at: int) -> str:
    text = bytes(contents[at : at + _MAX_STRING]) if at < len(contents) else b""
    return text.partition(b"\0")[0].decode("utf8", "backslashreplace")


def replace_image(package: Package, number: int, new: bytes) -> bytes:
    """The package's bytes with one image replaced; what lies behind it moves by multiples of 8."""
    image = package.images[number]
    out = bytearray(package.contents)
    follows = [i for i in package.images if i.offset >= image.offset + image.size]
    tail = min((i.offset for i in follows), default=len(out))
    room = tail - image.offset
    needed = max(room, len(new) + (-len(new) % 8))
    shift = needed - room
    out[image.offset : tail] = new + bytes(needed - len(new))
    for i in package.images:
        offset = i.offset + shift if i.offset >= tail else i.offset
        size = len(new) if i is image else i.size
        struct.pack_into("<QQ", out, i.entry_at + _IMAGE_FIELDS, offset, size)
    struct.pack_into("<Q", out, 8, len(out))
    if not package.compression:
        return bytes(out)
    (header,) = struct.unpack_from("<Q", out, 16)
    body = bytes(out[header:])
    packed = (
        zstandard().ZstdCompressor(level=19).compress(body)
        if package.compression == "zstd"
        else zlib.compress(body, 9)
    )
    struct.pack_into("<Q", out, 8, header + len(packed))
    struct.pack_into("<Q", out, 32, len(out))
    return bytes(out[:header]) + packed
