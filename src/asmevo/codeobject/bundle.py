"""Clang offload bundles, raw (`__CLANG_OFFLOAD_BUNDLE__`) and compressed (`CCOB` v1 to v3).

A bundle is bounded by its own header, never by a search for the next magic. Sizes that a header
claims are checked before anything is allocated. Source: clang `OffloadBundler.cpp`,
`CompressedOffloadBundle`, and the manual page "Clang Offload Bundler".
"""

from __future__ import annotations

import hashlib
import importlib
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from asmevo.codeobject.elf import FormatError
from asmevo.errors import EnvironmentFault, UnsupportedError

MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
COMPRESSED_MAGIC = b"CCOB"
MAX_ENTRIES = 4096
MAX_ID = 4096
MAX_UNCOMPRESSED = 256 << 20  # refuse more than this from one compressed bundle
ZLIB, ZSTD = 0, 1
# Input is fed in small pieces: one byte of zstd can stand for 32 kB, one of zlib for 1 kB.
_PIECE = 512
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
    contents: bytes


def parse_bundle(data: bytes, start: int = 0) -> Bundle:
    """The raw bundle whose magic is at `start`.

    Raises:
        FormatError: bad magic, or an entry outside the data.
    """
    if data[start : start + len(MAGIC)] != MAGIC:
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
        name = data[at : at + id_size].decode("utf8", "backslashreplace")
        at += id_size
        if offset + size > limit - start:
            raise FormatError(
                f"offload bundle entry {name[:80]!r} needs bytes {offset}..{offset + size}, "
                f"the bundle has {limit - start}"
            )
        entries.append(Entry(name, offset, size))
        end = max(end, at - start, offset + size)
    return Bundle(start, end, tuple(entries))


def replace_entries(data: bytes, bundle: Bundle, contents: dict[int, bytes]) -> bytes:
    """The bundle's bytes with some entries (by index) replaced.

    Entries keep their order; when sizes change, later entries move by whole multiples of the
    alignment they have.
    """
    raw = data[bundle.start : bundle.start + bundle.size]
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


def _zstandard() -> Any:
    try:
        return importlib.import_module("zstandard")
    except ImportError as err:
        raise EnvironmentFault(
            "the compressed bundle needs zstd, and the module zstandard is not installed",
            "pip install zstandard",
        ) from err


def _inflate(
    decompressor: Any, data: bytes, size: int, errors: tuple[type[Exception], ...]
) -> tuple[bytes, int]:
    """(contents, bytes of input used), fed in pieces; stops as soon as `size` is exceeded."""
    out, used = bytearray(), 0
    for at in range(0, len(data), _PIECE):
        piece = data[at : at + _PIECE]
        used += len(piece)
        try:
            if isinstance(decompressor, _ZLIB_TYPE):
                pending = piece
                while pending and not decompressor.eof and len(out) <= size:
                    out += decompressor.decompress(pending, _CHUNK)
                    pending = decompressor.unconsumed_tail
            else:
                out += decompressor.decompress(piece)
        except errors as err:
            raise FormatError(f"compressed bundle is damaged ({err})") from err
        if len(out) > size:
            raise FormatError(f"compressed bundle holds more than the {size} bytes it claims")
        if decompressor.eof:
            break
    if not decompressor.eof or len(out) != size:
        raise FormatError(f"compressed bundle claims {size} bytes but holds {len(out)}")
    return bytes(out), used - len(decompressor.unused_data)


_ZLIB_TYPE: type[Any] = type(zlib.decompressobj())


def parse_compressed(data: bytes, start: int = 0) -> Compressed:
    """The compressed bundle whose magic is at `start`, decompressed and checked.

    Raises:
        FormatError: damaged, or larger than `MAX_UNCOMPRESSED`.
        UnsupportedError: unknown header version or method.
        EnvironmentFault: zstd is needed and not installed.
    """
    head = data[start : start + 8]
    if len(head) < 8 or head[:4] != COMPRESSED_MAGIC:
        raise FormatError(f"no compressed offload bundle at offset {start}")
    version, method = struct.unpack_from("<HH", head, 4)
    layout = {1: "<I", 2: "<II", 3: "<QQ"}.get(version)
    if layout is None:
        raise UnsupportedError(f"compressed bundle header version {version}", "known are 1 to 3")
    header_size = 8 + struct.calcsize(layout) + 8
    if start + header_size > len(data):
        raise FormatError("truncated compressed bundle header")
    sizes = struct.unpack_from(layout, data, start + 8)
    total = sizes[0] if version > 1 else len(data) - start
    size = sizes[-1]
    if total < header_size or start + total > len(data):
        raise FormatError(f"compressed bundle claims {total} bytes, {len(data) - start} are there")
    if size > MAX_UNCOMPRESSED:
        raise FormatError(
            f"compressed bundle claims {size} bytes uncompressed; at most {MAX_UNCOMPRESSED}"
        )
    body = data[start + header_size : start + total]
    if method == ZLIB:
        decompressor: Any = zlib.decompressobj()
        contents, used = _inflate(decompressor, body, size, (zlib.error,))
    elif method == ZSTD:
        module = _zstandard()
        # A window beyond the contents is never needed; this bounds the decoder's memory.
        decompressor = module.ZstdDecompressor(max_window_size=MAX_UNCOMPRESSED).decompressobj()
        contents, used = _inflate(decompressor, body, size, (module.ZstdError,))
    else:
        raise UnsupportedError(f"compression method {method}", "known are 0 (zlib) and 1 (zstd)")
    if version == 1:  # no size in the header: the compressed stream says where it ends
        total = header_size + used
    digest = int.from_bytes(hashlib.md5(contents, usedforsecurity=False).digest()[:8], "little")
    (stored,) = struct.unpack_from("<Q", data, start + header_size - 8)
    if digest != stored:
        raise FormatError("compressed bundle: the checksum of its contents does not match")
    return Compressed(start, total, version, method, header_size, contents)


def compress(contents: bytes, version: int, method: int) -> bytes:
    """A compressed bundle with that header version and method (highest usual level)."""
    if method == ZLIB:
        body = zlib.compress(contents, 9)
    else:
        body = _zstandard().ZstdCompressor(level=19).compress(contents)
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
