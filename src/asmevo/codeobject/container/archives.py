"""Members of archives: zip and wheel, tar, and ar (static libraries, Debian packages).

The readers are the project's own: they go through a mapped file without copying it, take every
member from the budget, and give the places that putting a member back needs.

Sources: PKWARE APPNOTE 6.3, POSIX.1-2008 pax, the GNU and BSD forms of ar(5).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from asmevo.codeobject.budget import Budget, BudgetError
from asmevo.codeobject.container.steps import Member, Step
from asmevo.codeobject.elf import FormatError
from asmevo.codeobject.kinds import HEAD, kind_of, unopened
from asmevo.codeobject.unpack import Buffer, Spool, chunks
from asmevo.errors import AsmEvoError, UnsupportedError

_CENTRAL = struct.Struct("<4sHHHHHHIIIHHHHHII")
_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_END = struct.Struct("<4sHHHHIIH")
_METHODS = {8: "deflate", 12: "bzip2", 93: "zstd", 95: "xz"}


@dataclass(frozen=True, slots=True)
class ZipEntry:
    """One entry of a zip's central directory.

    Attributes:
        at: file offset of its central header; `head_size` bytes with name, extra and comment.
        data_at: file offset of its (compressed) data; local_at: of its local header.
    """

    name: str
    at: int
    head_size: int
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    local_at: int
    data_at: int
    unix_mode: int


@dataclass(frozen=True, slots=True)
class ZipDirectory:
    """Place of a zip's central directory and of its end records."""

    at: int
    size: int
    count: int
    end_at: int
    zip64: bool


def zip_directory(data: Buffer) -> ZipDirectory:
    """Find the central directory.

    Raises:
        FormatError: there is none.
    """
    tail_at = max(0, len(data) - 22 - 65535)
    tail = bytes(data[tail_at:])
    place = tail.rfind(b"PK\x05\x06")
    if place < 0 or place + 22 > len(tail):
        raise FormatError("damaged archive (no end of central directory)")
    end_at = tail_at + place
    _, _, _, _, count, size, at, _ = _END.unpack_from(tail, place)
    zip64 = count == 0xFFFF or 0xFFFFFFFF in (size, at)
    if zip64:
        if end_at < 20 or bytes(data[end_at - 20 : end_at - 16]) != b"PK\x06\x07":
            raise FormatError("damaged archive (no zip64 locator)")
        (record,) = struct.unpack_from("<Q", data, end_at - 12)
        if record + 56 > len(data) or bytes(data[record : record + 4]) != b"PK\x06\x06":
            raise FormatError("damaged archive (no zip64 end of central directory)")
        count, size, at = struct.unpack_from("<QQQ", data, record + 32)
    if at + size > end_at:
        raise FormatError("damaged archive (its central directory lies outside it)")
    return ZipDirectory(at, size, count, end_at, zip64)


def zip_entries(data: Buffer, budget: Budget) -> Iterator[ZipEntry]:
    """Entries in the order of the central directory.

    Raises:
        FormatError: damaged.
    """
    place = zip_directory(data)
    at, end = place.at, place.at + place.size
    for _ in range(place.count):
        budget.visit()
        if at + _CENTRAL.size > end or bytes(data[at : at + 4]) != b"PK\x01\x02":
            raise FormatError(f"damaged archive (no entry at offset {at})")
        (_, _, _, flags, method, _, _, crc, packed, size, name_size, extra_size, comment,
         _, _, mode, local) = _CENTRAL.unpack_from(data, at)  # fmt: skip
        name_at = at + _CENTRAL.size
        name = bytes(data[name_at : name_at + name_size])
        extra = bytes(data[name_at + name_size : name_at + name_size + extra_size])
        size, packed, local = _zip64(extra, size, packed, local)
        if local + _LOCAL.size > len(data) or bytes(data[local : local + 4]) != b"PK\x03\x04":
            raise FormatError(f"damaged archive (no member at offset {local})")
        fields = _LOCAL.unpack_from(data, local)
        data_at = local + _LOCAL.size + fields[9] + fields[10]
        if data_at + packed > len(data):
            raise FormatError("damaged archive (a member reaches past its end)")
        head_size = _CENTRAL.size + name_size + extra_size + comment
        text = name.decode("utf8" if flags & 0x800 else "cp437", "backslashreplace")
        yield ZipEntry(text, at, head_size, flags, method, crc, packed, size, local, data_at,
                       mode >> 16)  # fmt: skip
        at += head_size


def _zip64(extra: bytes, size: int, packed: int, local: int) -> tuple[int, int, int]:
    """Sizes and offset with those that the zip64 extra field holds."""
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, at)
        if kind == 1:
            values = [
                int.from_bytes(extra[at + 4 + i : at + 12 + i], "little")
                for i in range(0, length, 8)
            ]
            out = [size, packed, local]
            for i, v in enumerate(out):
                if v == 0xFFFFFFFF and values:
                    out[i] = values.pop(0)
            return out[0], out[1], out[2]
        at += 4 + length
    return size, packed, local


def zip_members(data: Buffer, budget: Budget) -> Iterator[Member]:
    """What may hold objects in a zip, by name; a member that cannot be read gives its error."""
    entries = list(enumerate(zip_entries(data, budget)))
    for index, entry in sorted(entries, key=lambda e: e[1].name):
        step = (Step("zip", entry.name, index),)
        if entry.name.endswith("/") or (entry.unix_mode & 0o170000) == 0o120000:
            continue  # a folder, or a link: its text is no object
        try:
            body = zip_body(data, entry, budget)
        except BudgetError:
            raise
        except AsmEvoError as err:
            yield Member(step, error=err)
            continue
        if body is not None:
            yield Member(step, body)


def zip_body(data: Buffer, entry: ZipEntry, budget: Budget) -> Buffer | None:
    """A member's bytes, or None when its first ones show that it cannot hold an object.

    Raises:
        FormatError: damaged, or its checksum does not match.
        UnsupportedError: encrypted, or a method that is not known.
        BudgetError: larger than the budget allows.
    """
    if entry.flags & 1:
        raise UnsupportedError("archive member is encrypted", "unpack it first")
    raw = data[entry.data_at : entry.data_at + entry.packed]
    if entry.method == 0:
        if not relevant(raw):
            return None
        if zlib.crc32(raw) != entry.crc:
            raise FormatError("archive member: its checksum does not match")
        return raw
    kind = _METHODS.get(entry.method)
    if kind is None:
        raise UnsupportedError(f"compression method {entry.method} of an archive", "unpack it")
    what = "archive member"
    stream = chunks(kind, raw)
    first = next(stream, b"")
    while len(first) < HEAD:
        more = next(stream, None)
        if more is None:
            break
        first += more
    if not relevant(first):
        return None
    budget.require(entry.size, what)
    spool, crc = Spool(budget, what, entry.packed), 0
    for chunk in _joined(first, stream):
        spool.write(chunk)
        crc = zlib.crc32(chunk, crc)
    if spool.size != entry.size or crc != entry.crc:
        raise FormatError("archive member: its size or checksum does not match")
    return spool.view()


def _joined(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def relevant(head: Buffer) -> bool:
    """Whether something that begins so may hold objects, or must be named as not opened."""
    return bool(kind_of(head[:HEAD]) or unopened(head[:16]))


@dataclass(frozen=True, slots=True)
class TarEntry:
    """One member of a tar: `header_at` is its (last) 512-byte header, `pax_size_at` a pax size."""

    name: str
    header_at: int
    data_at: int
    size: int
    kind: bytes
    pax_size: bool


def _octal(field: bytes) -> int:
    if field[:1] == b"\x80":  # GNU: binary, for what octal cannot say
        return int.from_bytes(field[1:], "big")
    text = field.strip(b"\0 ")
    try:
        return int(text, 8) if text else 0
    except ValueError as err:
        raise FormatError("damaged tar (a size is no octal number)") from err


def tar_entries(data: Buffer, budget: Budget) -> Iterator[TarEntry]:
    """Members in order; names of GNU and pax long forms are followed.

    Raises:
        FormatError: damaged.
    """
    at, long_name, pax = 0, "", dict[str, str]()
    while at + 512 <= len(data):
        head = bytes(data[at : at + 512])
        if not any(head):
            return
        budget.visit()
        total = sum(head[:148]) + 8 * 32 + sum(head[156:])
        if total != _octal(head[148:156]):
            raise FormatError(f"damaged tar (checksum of the header at offset {at})")
        kind, size = head[156:157], _octal(head[124:136])
        pax_size = kind not in (b"x", b"g", b"L", b"K") and "size" in pax
        if pax_size:
            if not pax["size"].isascii() or not pax["size"].isdigit() or len(pax["size"]) > 20:
                raise FormatError("damaged tar (a pax size is no number)")
            size = int(pax["size"])
        data_at = at + 512
        if data_at + size > len(data):
            raise FormatError("damaged tar (a member reaches past its end)")
        if kind in (b"x", b"g", b"L", b"K"):
            if size > 1 << 20:
                raise FormatError(f"damaged tar (a name of {size} bytes)")
            text = bytes(data[data_at : data_at + size])
            if kind == b"L":
                long_name = text.rstrip(b"\0").decode("utf8", "backslashreplace")
            elif kind == b"x":
                pax = _pax(text)
        else:
            prefix = head[345:500].partition(b"\0")[0] if head[257:263] == b"ustar\0" else b""
            short = head[:100].partition(b"\0")[0]
            name = (prefix + b"/" + short if prefix else short).decode("utf8", "backslashreplace")
            name = pax.get("path") or long_name or name
            sparse = kind == b"S" or any(k.startswith("GNU.sparse") for k in pax)
            yield TarEntry(name, at, data_at, size, b"S" if sparse else kind, pax_size)
            long_name, pax = "", {}
        at = data_at + -(-size // 512) * 512


def _pax(text: bytes) -> dict[str, str]:
    """Records `length key=value` of a pax header."""
    out: dict[str, str] = {}
    at = 0
    while at < len(text):
        length = text[at : at + 8].partition(b" ")[0]
        left = len(text) - at
        if not length.isdigit() or len(length) > 7 or not len(length) < int(length) <= left:
            raise FormatError("damaged tar (a pax record has no length)")
        record = text[at + len(length) + 1 : at + int(length) - 1]
        key, _, value = record.partition(b"=")
        out[key.decode("utf8", "backslashreplace")] = value.decode("utf8", "backslashreplace")
        at += int(length)
    return out


def tar_members(data: Buffer, budget: Budget) -> Iterator[Member]:
    """What may hold objects in a tar."""
    for index, entry in enumerate(tar_entries(data, budget)):
        step = (Step("tar", entry.name, index),)
        if entry.kind == b"S":
            yield Member(step, error=UnsupportedError("sparse tar member", "unpack it first"))
        elif entry.kind in (b"0", b"\0", b"7"):
            body = data[entry.data_at : entry.data_at + entry.size]
            if relevant(body):
                yield Member(step, body)


@dataclass(frozen=True, slots=True)
class ArEntry:
    """One member of an ar archive: its header's place, and its data behind a BSD name."""

    name: str
    header_at: int
    data_at: int
    size: int


def ar_entries(data: Buffer, budget: Budget) -> Iterator[ArEntry]:
    """Members in order, symbol tables (`/`, `/SYM64/`, `__.SYMDEF`) and name table included.

    Raises:
        FormatError: damaged.
    """
    at, names = 8, b""
    while at + 60 <= len(data):
        budget.visit()
        head = bytes(data[at : at + 60])
        if head[58:] != b"`\n":
            raise FormatError(f"damaged static archive (no member at offset {at})")
        size_text = head[48:58].strip()
        if not size_text.isdigit():
            raise FormatError("damaged static archive (a size is no number)")
        size, data_at = int(size_text), at + 60
        if data_at + size > len(data):
            raise FormatError("damaged static archive (a member reaches past its end)")
        follows = data_at + size + (size & 1)
        raw = head[:16].rstrip(b" ")
        if raw == b"//":
            names = bytes(data[data_at : data_at + size])
        elif raw.startswith(b"#1/") and raw[3:].isdigit():
            length = int(raw[3:])
            if length > min(size, 1 << 16):
                raise FormatError("damaged static archive (a name reaches past its member)")
            raw = bytes(data[data_at : data_at + length]).rstrip(b"\0")
            data_at, size = data_at + length, size - length
        elif raw[:1] == b"/" and raw[1:].isdigit():
            place = int(raw[1:])
            raw = names[place : place + (1 << 12)].partition(b"\n")[0].removesuffix(b"/")
        elif raw not in (b"/", b"/SYM64/"):
            raw = raw.removesuffix(b"/")
        yield ArEntry(raw.decode("utf8", "backslashreplace"), at, data_at, size)
        at = follows


AR_TABLES = ("/", "//", "/SYM64/", "__.SYMDEF", "__.SYMDEF SORTED", "__.SYMDEF_64")


def ar_members(data: Buffer, budget: Budget) -> Iterator[Member]:
    """What may hold objects in a static archive; `index` tells members of equal names apart."""
    for index, entry in enumerate(ar_entries(data, budget)):
        body = data[entry.data_at : entry.data_at + entry.size]
        if entry.name not in AR_TABLES and relevant(body):
            yield Member((Step("ar", entry.name, index),), body)
