"""Clang offload bundles, raw (`__CLANG_OFFLOAD_BUNDLE__`) and compressed (`CCOB` v1 to v3).

A bundle is bounded by its own header, never by a search for the next magic. Sizes that a header
claims are checked before anything is allocated. Source: clang `OffloadBundler.cpp`,
`CompressedOffloadBundle`, and the manual page "Clang Offload Bundler".
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from asmevo.codeobject.budget import Budget
from asmevo.codeobject.elf import FormatError
from asmevo.codeobject.unpack import Buffer, Spool, zstandard, zstd_frame
from asmevo.errors import UnsupportedError

MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
COMPRESSED_MAGIC = b"CCOB"
MAX_ENTRIES = 4096
MAX_ID = 4096
ZLIB, ZSTD = 0, 1
_PIECE = 4096
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Entry:
    """One member: bundle id (`hipv4-amdgcn-amd-amdhsa--gfx942`), offset in the bundle, size."""

    id: str
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class Bundle:
    """A raw bundle at `start` of some buffer: its entries and its total size in bytes."""

    start: int
    size: int
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Compressed:
    """A compressed bundle at `start`: header fields, size with header, uncompressed contents."""

    start: int
    size: int
    version: int
    method: int
    header_size: int
    contents: memoryview


def parse_bundle(data: Buffer, start: int = 0) -> Bundle:
    """The raw bundle whose magic is at `start`.

    Raises:
        FormatError: bad magic, or an entry outside the data or over the bundle's own header.
    """
    if bytes(data[start : start + len(MAGIC)]) != MAGIC:
        raise FormatError(f"no offload bundle at offset {start}")
    at, limit = start + len(MAGIC), len(data)
    if at + 8 > limit:
        raise FormatError("truncated offload bundle: no entry count")
    (count,) = struct.unpack_from("<Q", data, at)
    at += 8
    if count > MAX_ENTRIES:
        raise FormatError(f"offload bundle claims {count} entries; at most {MAX_ENTRIES}")
    entries: list[Entry] = []
    end = at - start
    for n in range(count):
        if at + 24 > limit:
            raise FormatError(f"truncated offload bundle: entry {n} has no header")
        offset, size, id_size = struct.unpack_from("<QQQ", data, at)
        at += 24
        if id_size > MAX_ID or at + id_size > limit:
            raise FormatError(f"offload bundle entry {n} claims an id of {id_size} bytes")
        name = bytes(data[at : at + id_size]).decode("utf8", "backslashreplace")
        at += id_size
        if offset + size > limit - start:
            raise FormatError(
                f"offload bundle entry {name[:80]!r} needs bytes {offset}..{offset + size}, "
                f"the bundle has {limit - start}"
            )
        entries.append(Entry(name, offset, size))
        end = max(end, at - start, offset + size)
    for e in entries:
        if e.size and e.offset < at - start:  # a bundle that holds itself would never end
            raise FormatError(
                f"offload bundle entry {e.id[:80]!r} lies over the bundle's header "
                f"(offset {e.offset}, the header has {at - start} bytes)"
            )
    return Bundle(start, end, tuple(entries))


def replace_entries(data: Buffer, bundle: Bundle, contents: dict[int, bytes]) -> bytes:
    """The bundle's bytes with some entries (by index) replaced.

    Entries keep their order; when sizes change, later entries move by whole multiples of the
    alignment they have.
    """
    raw = bytes(data[bundle.start : bundle.start + bundle.size])
    order = sorted(range(len(bundle.entries)), key=lambda i: bundle.entries[i].offset)
    header_end = min((e.offset for e in bundle.entries), default=bundle.size)
    out = bytearray(raw[:header_end])
    places: dict[int, tuple[int, int]] = {}
    for i in order:
        e = bundle.entries[i]
        alignment = min(e.offset & -e.offset or 4096, 4096)
        offset = e.offset if len(out) <= e.offset else -(-len(out) // alignment) * alignment
        body = contents.get(i, raw[e.offset : e.offset + e.size])
        # Bytes between entries are padding; a shrunk entry leaves zeros behind it.
        gap = raw[len(out) : offset] if not places else bytes(max(0, offset - len(out)))
        out += gap + bytes(offset - len(out) - len(gap))
        out += body
        places[i] = (offset, len(body))
    at = len(MAGIC) + 8
    for i, e in enumerate(bundle.entries):
        struct.pack_into("<QQ", out, at, *places.get(i, (e.offset, e.size)))
        at += 24 + len(e.id.encode("utf8", "backslashreplace"))
    return bytes(out)


def build_bundle(members: Sequence[tuple[str, bytes]], alignment: int = 4096) -> bytes:
    """A raw bundle of (id, contents) members, each on a multiple of `alignment` bytes."""
    size = len(MAGIC) + 8 + sum(24 + len(i.encode()) for i, _ in members)
    header = bytearray(MAGIC + struct.pack("<Q", len(members)))
    body = bytearray()
    for name, contents in members:
        at = -(-(size + len(body)) // alignment) * alignment if contents else size + len(body)
        body += bytes(at - size - len(body)) + contents
        header += struct.pack("<QQQ", at, len(contents), len(name.encode())) + name.encode()
    return bytes(header + body)


def _zlib_pieces(data: Buffer, start: int) -> Iterator[tuple[bytes, int]]:
    """(piece of the contents, end of the input used) of one zlib stream."""
    stream, at = zlib.decompressobj(), start
    while not stream.eof:
        piece = bytes(data[at : at + _PIECE])
        if not piece:
            raise FormatError("compressed bundle is damaged (it ends before its end mark)")
        try:
            out = stream.decompress(piece, _CHUNK)
        except zlib.error as err:
            raise FormatError(f"compressed bundle is damaged ({err})") from err
        at += len(piece) - len(stream.unconsumed_tail) - len(stream.unused_data)
        yield out, at


def parse_compressed(data: Buffer, start: int = 0, budget: Budget | None = None) -> Compressed:
    """The compressed bundle whose magic is at `start`, decompressed and checked.

    Args:
        budget: what its contents are taken from; None is the budget of a file of that size.

    Raises:
        FormatError: damaged.
        BudgetError: larger than the budget allows.
        UnsupportedError: unknown header version or method.
        EnvironmentFault: zstd is needed and not installed.
    """
    budget = budget or Budget.of(len(data))
    head = bytes(data[start : start + 32])
    if len(head) < 8 or head[:4] != COMPRESSED_MAGIC:
        raise FormatError(f"no compressed offload bundle at offset {start}")
    version, method = struct.unpack_from("<HH", head, 4)
    layout = {1: "<I", 2: "<II", 3: "<QQ"}.get(version)
    if layout is None:
        raise UnsupportedError(f"compressed bundle header version {version}", "known are 1 to 3")
    header_size = 8 + struct.calcsize(layout) + 8
    if start + header_size > len(data):
        raise FormatError("truncated compressed bundle header")
    sizes = struct.unpack_from(layout, head, 8)
    total = sizes[0] if version > 1 else len(data) - start
    size = sizes[-1]
    if total < header_size or start + total > len(data):
        raise FormatError(f"compressed bundle claims {total} bytes, {len(data) - start} are there")
    budget.require(size, "compressed bundle")
    if method not in (ZLIB, ZSTD):
        raise UnsupportedError(f"compression method {method}", "known are 0 (zlib) and 1 (zstd)")
    body = memoryview(data)[: start + total]
    pieces = (zstd_frame if method == ZSTD else _zlib_pieces)(body, start + header_size)
    spool, digest = Spool(budget, "compressed bundle", total), hashlib.md5(usedforsecurity=False)
    end = start
    for piece, used in pieces:
        end = used
        if spool.size + len(piece) > size:
            raise FormatError(f"compressed bundle holds more than the {size} bytes it claims")
        spool.write(piece)
        digest.update(piece)
    if spool.size != size:
        raise FormatError(f"compressed bundle claims {size} bytes but holds {spool.size}")
    if version == 1:  # no size in the header: the compressed stream says where it ends
        total = end - start
    if digest.digest()[:8] != head[header_size - 8 : header_size]:
        raise FormatError("compressed bundle: the checksum of its contents does not match")
    return Compressed(start, total, version, method, header_size, spool.view())


def compress(contents: bytes, version: int, method: int) -> bytes:
    """A compressed bundle with that header version and method (highest usual level)."""
    if method == ZLIB:
        body = zlib.compress(contents, 9)
    else:
        body = zstandard().ZstdCompressor(level=19).compress(contents)
    digest = hashlib.md5(contents, usedforsecurity=False).digest()[:8]
    header = COMPRESSED_MAGIC + struct.pack("<HH", version, method)
    size = len(contents)
    if version == 1:
        header += struct.pack("<I", size)
    elif version == 2:
        header += struct.pack("<II", 24 + len(body), size)
    else:
        header += struct.pack("<QQ", 32 + len(body), size)
    return header + digest + body
