"""Archives and streams with one member exchanged; every other member keeps its bytes.

Sources: PKWARE APPNOTE 6.3, POSIX.1-2008 pax, ar(5) of GNU and BSD, the binary distribution format
of wheels (RECORD).
"""

from __future__ import annotations

import base64
import bz2
import csv
import gzip
import hashlib
import io
import lzma
import struct
import zlib
from collections.abc import Mapping

from asmevo.codeobject.budget import Budget
from asmevo.codeobject.container.archives import (
    AR_TABLES,
    ArEntry,
    TarEntry,
    ZipEntry,
    ar_entries,
    tar_entries,
    zip_directory,
    zip_entries,
)
from asmevo.codeobject.elf import FormatError
from asmevo.codeobject.unpack import Buffer, unpack, zstandard
from asmevo.errors import BuildError, InputError, UnsupportedError

_TAR_RECORD = 10_240  # tar writes whole records of 20 blocks


def pack(kind: str, contents: bytes, original: Buffer) -> bytes:
    """A stream of some kind; a gzip keeps the time in the header of `original`."""
    if kind == "gzip":
        return gzip.compress(contents, 9, mtime=int.from_bytes(bytes(original[4:8]), "little"))
    if kind == "zstd":
        return zstandard().ZstdCompressor(level=19, write_checksum=True).compress(contents)
    if kind == "xz":
        return lzma.compress(contents)
    return bz2.compress(contents)


def zip_member(data: Buffer, index: int, budget: Budget) -> tuple[ZipEntry, Buffer]:
    """An entry of the central directory and its contents.

    Raises:
        InputError: there is none of that index.
    """
    for i, entry in enumerate(zip_entries(data, budget)):
        if i == index:
            raw = data[entry.data_at : entry.data_at + entry.packed]
            if entry.method == 0:
                return entry, raw
            return entry, unpack(_method(entry), raw, budget, "archive member")
    raise InputError(f"no member {index} in the archive")


def _method(entry: ZipEntry) -> str:
    names = {8: "deflate", 12: "bzip2", 93: "zstd"}
    if entry.method not in names:
        raise UnsupportedError(f"compression method {entry.method} of an archive", "unpack it")
    return names[entry.method]


def replace_zip_member(data: Buffer, index: int, new: bytes, budget: Budget) -> bytes:
    """The archive with one member exchanged; a wheel's RECORD follows.

    Raises:
        UnsupportedError: zip64, members that share bytes, or a signed wheel.
        FormatError: damaged.
    """
    entries = list(zip_entries(data, budget))
    changes = {index: new}
    for i, entry in enumerate(entries):
        folder, _, name = entry.name.rpartition("/")
        if not folder.endswith(".dist-info") or "/" in folder:
            continue
        if name in ("RECORD.jws", "RECORD.p7s"):
            raise UnsupportedError("the wheel is signed: a change would break its signature")
        if name == "RECORD":
            changes[i] = _record(bytes(zip_member(data, i, budget)[1]), entries[index].name, new)
    return _zip(data, entries, changes)


def _record(text: bytes, path: str, new: bytes) -> bytes:
    """A wheel's RECORD with hash and size of one path renewed, every other line kept.

    Raises:
        BuildError: the line has a hash that is not known.
    """
    out: list[str] = []
    for line in text.decode("utf8", "surrogateescape").splitlines(keepends=True):
        row = next(csv.reader([line]), list[str]())
        if row and row[0] == path and len(row) > 1 and row[1]:
            name = row[1].partition("=")[0]
            if name not in ("sha256", "sha384", "sha512"):
                raise BuildError(f"the wheel's RECORD has a hash of kind {name!r}")
            digest = base64.urlsafe_b64encode(hashlib.new(name, new).digest()).rstrip(b"=")
            cells = io.StringIO()
            row[1:3] = [f"{name}={digest.decode()}", str(len(new))]
            csv.writer(cells, lineterminator=line[len(line.rstrip("\r\n")) :]).writerow(row)
            line = cells.getvalue()
        out.append(line)
    return "".join(out).encode("utf8", "surrogateescape")


def _deflated(entry: ZipEntry, contents: bytes) -> bytes:
    if entry.method == 0:
        return contents
    kind = _method(entry)
    if kind == "deflate":
        packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
        return packer.compress(contents) + packer.flush()
    return pack(kind, contents, b"")


def _zip(data: Buffer, entries: list[ZipEntry], changes: Mapping[int, bytes]) -> bytes:
    """The archive with some members' contents changed; entries keep their order and headers."""
    place = zip_directory(data)
    order = sorted(range(len(entries)), key=lambda i: entries[i].local_at)
    starts = [entries[i].local_at for i in order]
    if place.zip64 or len(set(starts)) < len(starts):
        what = "a zip64 archive" if place.zip64 else "an archive whose members share bytes"
        raise UnsupportedError(f"replacing in {what}", "unpack it, replace, pack it again")
    out = bytearray(data[: starts[0]])
    at: dict[int, int] = {}
    fields: dict[int, tuple[int, int, int]] = {}
    for i, start, end in zip(order, starts, [*starts[1:], place.at], strict=True):
        entry = entries[i]
        at[i] = len(out)
        if i not in changes:
            out += data[start:end]
            continue
        body = _deflated(entry, changes[i])
        fields[i] = (zlib.crc32(changes[i]), len(body), len(changes[i]))
        head = bytearray(data[start : entry.data_at])
        struct.pack_into("<H", head, 6, entry.flags & ~8)  # sizes stand here, not behind the data
        struct.pack_into("<III", head, 14, *fields[i])
        out += head + body
    directory = len(out)
    for i, entry in enumerate(entries):
        head = bytearray(data[entry.at : entry.at + entry.head_size])
        if i in fields:
            struct.pack_into("<H", head, 8, entry.flags & ~8)
            struct.pack_into("<III", head, 16, *fields[i])
        struct.pack_into("<I", head, 42, at[i])
        out += head
    end = bytearray(data[place.end_at :])
    struct.pack_into("<II", end, 12, len(out) - directory, directory)
    if len(out) >= 0xFFFFFFFF:
        raise UnsupportedError("an archive of 4 GiB or more", "unpack it, replace, pack it again")
    return bytes(out + end)


def tar_member(data: Buffer, index: int, budget: Budget) -> TarEntry:
    """The member with that position.

    Raises:
        InputError: there is none.
    """
    for i, entry in enumerate(tar_entries(data, budget)):
        if i == index:
            return entry
    raise InputError(f"no member {index} in the archive")


def replace_tar_member(data: Buffer, entry: TarEntry, new: bytes) -> bytes:
    """The tar with one member exchanged: size and checksum of its header follow.

    Raises:
        UnsupportedError: its size is in a pax header, or needs more than eleven octal digits.
    """
    if entry.pax_size or len(new) >= 8 << 30:
        raise UnsupportedError("a tar member with its size in a pax header", "unpack it first")
    head = bytearray(data[entry.header_at : entry.header_at + 512])
    head[124:136] = b"%011o\0" % len(new)
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    behind = entry.data_at + -(-entry.size // 512) * 512
    parts = [data[: entry.header_at], head, new, bytes(-len(new) % 512), data[behind:]]
    out = b"".join(parts)
    whole = len(data) % _TAR_RECORD == 0
    return out + bytes(-len(out) % _TAR_RECORD) if whole else out


def ar_member(data: Buffer, index: int, budget: Budget) -> ArEntry:
    """The member with that position, symbol tables counted.

    Raises:
        InputError: there is none.
        UnsupportedError: the archive is a Debian package, whose checksums would not follow.
    """
    entries = list(ar_entries(data, budget))
    if any(e.name == "debian-binary" for e in entries):
        raise UnsupportedError(
            "replacing in a Debian package, whose control archive has checksums of its files",
            "unpack it: dpkg-deb -R, replace, dpkg-deb -b",
        )
    if not 0 <= index < len(entries):
        raise InputError(f"no member {index} in the archive")
    return entries[index]


def replace_ar_member(data: Buffer, entry: ArEntry, new: bytes, budget: Budget) -> bytes:
    """The archive with one member exchanged; the offsets of its symbol tables follow.

    Raises:
        FormatError: a symbol table is damaged.
    """
    entries = list(ar_entries(data, budget))
    name_size = entry.data_at - entry.header_at - 60  # a BSD name before the data
    head = bytearray(data[entry.header_at : entry.data_at])
    head[48:58] = b"%-10d" % (name_size + len(new))
    size = name_size + len(new)
    old_end = entry.data_at + entry.size + ((name_size + entry.size) & 1)
    pad = b"\n" * (size & 1)
    out = bytearray(b"".join((data[: entry.header_at], head, new, pad, data[old_end:])))
    shift = entry.header_at + 60 + size + len(pad) - old_end
    for table in entries:
        if table.name in AR_TABLES and table.name != "//":
            _move_symbols(out, table, entry.header_at, shift)
    return bytes(out)


def _move_symbols(out: bytearray, table: ArEntry, behind: int, shift: int) -> None:
    """Move the offsets of a symbol table that point behind a changed member."""
    at, size = table.data_at, table.size
    if table.name in ("/", "/SYM64/"):
        form, width = (">I", 4) if table.name == "/" else (">Q", 8)
        if size < width:
            return
        (count,) = struct.unpack_from(form, out, at)
        places = range(at + width, at + width + count * width, width)
    else:
        form, width = ("<Q", 8) if table.name.endswith("_64") else ("<I", 4)
        if size < width:
            return
        (length,) = struct.unpack_from(form, out, at)
        count = length // (2 * width)
        places = range(at + 2 * width, at + width + length, 2 * width)
    if count * width > size:
        raise FormatError("damaged static archive (its symbol table claims too many symbols)")
    for place in places:
        (offset,) = struct.unpack_from(form, out, place)
        if offset > behind:
            struct.pack_into(form, out, place, offset + shift)
