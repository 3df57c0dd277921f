"""A bundle that has outgrown its section, back into its host program.

The loader of HIP finds a bundle through a wrapper of 24 bytes in `.hipFatBinSegment` (magic `HIPF`,
version, pointer). The grown bundle goes, page-aligned, behind the file into a new PT_LOAD together
with the moved program headers; the wrapper's pointer (a static value, a RELATIVE relocation or a
packed one) is set to it; a section header of the old name makes it known to tools. Nothing that
was in the file moves, so no other address changes.

Sources: System V gABI chapter 5, x86-64 psABI (R_X86_64_RELATIVE), AArch64 ELF, clang
`CGCUDANV.cpp` (the wrapper).
"""

from __future__ import annotations

import struct

from asmevo.codeobject.elf import (
    PT_LOAD,
    PT_PHDR,
    RELA,
    SECTION,
    SEGMENT,
    SHT_NOBITS,
    SHT_RELA,
    SHT_SYMTAB,
    SYMBOL,
    Headers,
    Section,
    read_headers,
)
from asmevo.codeobject.unpack import Buffer
from asmevo.errors import BuildError

_ET_REL = 1
_WRAPPER = struct.Struct("<IIQQ")
_WRAPPER_MAGIC = 0x48495046
_RELATIVE = {62: 8, 183: 1027}  # by machine: x86-64, AArch64
_PAGE = 4096
_MOST_PADDING = 256 << 20
_REMEDY = "keep the object's size, or extract it and load it from a file of its own"


def _refuse(why: str) -> BuildError:
    return BuildError(f"the changed bundle does not fit, and {why}", _REMEDY)


def grow(data: Buffer, section: Section, start: int, room: int, new: bytes) -> bytes:
    """The host file with the bundle at `start` of a section replaced by a larger one.

    Args:
        room: bytes of the old bundle with the padding behind it; they become zeros.

    Raises:
        BuildError: the file gives no way to point to the new place; it says why.
    """
    headers = read_headers(data)
    if headers.type == _ET_REL:
        return _grow_relocatable(data, headers, section, start, room, new)
    if not section.address or not headers.segments:
        raise _refuse(f"section {section.name} is not loaded")
    old = section.address + start
    out = bytearray(data)
    place, address = _new_place(headers, len(data))
    table = (len(headers.segments) + 1) * SEGMENT.size
    bundle_at = -(-(place + table) // _PAGE) * _PAGE
    bundle_address = address + bundle_at - place
    _point(out, headers, old, room, bundle_address)
    end = bundle_at + len(new)
    out[section.offset + start : section.offset + start + room] = bytes(room)
    out += bytes(bundle_at - len(out))
    load = SEGMENT.pack(PT_LOAD, 4, place, address, address, end - place, end - place, _PAGE)
    out[place : place + table] = _segments(out, headers, load, place, address, table)
    out += new
    _sections(out, headers, section, bundle_at, bundle_address, len(new), old)
    struct.pack_into("<Q", out, 32, place)
    struct.pack_into("<H", out, 56, len(headers.segments) + 1)
    return bytes(out)


def _new_place(headers: Headers, size: int) -> tuple[int, int]:
    """(file offset, address) of the new segment.

    Address and offset differ as in the first segment, because kernels before 5.18 work out the
    address of a program's headers from it.
    """
    loads = [s for s in headers.segments if s.type == PT_LOAD]
    if not loads:
        raise _refuse("the file has no loaded segment")
    delta = loads[0].vaddr - loads[0].offset
    align = max(_PAGE, *(s.align for s in loads))
    top = max(s.vaddr + s.mem_size for s in loads)
    place = -(-max(size, top - delta) // align) * align
    if place - size > _MOST_PADDING + align:
        raise _refuse("its memory image is far larger than the file")
    return place, place + delta


def _segments(
    out: bytearray, headers: Headers, load: bytes, place: int, address: int, size: int
) -> bytes:
    """The program headers with one more PT_LOAD behind the last; PT_PHDR follows the move."""
    rows = [bytes(out[s.header_offset : s.header_offset + SEGMENT.size]) for s in headers.segments]
    last = max(i for i, s in enumerate(headers.segments) if s.type == PT_LOAD)
    for i, s in enumerate(headers.segments):
        if s.type == PT_PHDR:
            rows[i] = SEGMENT.pack(PT_PHDR, s.flags, place, address, address, size, size, s.align)
    rows.insert(last + 1, load)
    return b"".join(rows)


def _point(out: bytearray, headers: Headers, old: int, room: int, new: int) -> None:
    """Set every pointer to the old bundle.

    Raises:
        BuildError: there is no wrapper that points to it, or something else does.
    """
    pointers = [
        (s.offset + at + 8, s.address + at + 8)
        for s in headers.sections
        if s.name.startswith(".hipFatBinSegment") and s.type != SHT_NOBITS
        for at in range(0, s.size - _WRAPPER.size + 1, _WRAPPER.size)
        if struct.unpack_from("<I", out, s.offset + at)[0] == _WRAPPER_MAGIC
    ]
    by_address = {address: offset for offset, address in pointers}
    pointed: set[int] = set()
    for offset, address in pointers:
        if struct.unpack_from("<Q", out, offset)[0] == old:  # static, or packed relocations
            struct.pack_into("<Q", out, offset, new)
            pointed.add(address)
    relative = _RELATIVE.get(headers.machine)
    for section in headers.sections:
        if section.type != SHT_RELA or not section.flags & 2:
            continue
        for at in range(section.offset, section.offset + section.size - RELA.size + 1, RELA.size):
            where, info, addend = RELA.unpack_from(out, at)
            if where in by_address and info != relative:
                raise _refuse("its wrapper has a relocation of an unknown kind")
            if info == relative and old <= addend < old + room:
                if where not in by_address or addend != old:
                    raise _refuse("something besides its wrapper points to the old one")
                struct.pack_into("<q", out, at + 16, new)
                pointed.add(where)
    if not pointed:
        raise _refuse("no wrapper in .hipFatBinSegment points to the old one")


def _sections(
    out: bytearray, headers: Headers, section: Section, at: int, address: int, size: int, old: int
) -> None:
    """The section headers moved behind the file with one more of the old name; symbols follow."""
    if not headers.sections:
        return
    index = len(headers.sections)
    for table in headers.sections:
        if table.type != SHT_SYMTAB:
            continue
        for record in range(table.offset, table.offset + table.size - SYMBOL.size + 1, SYMBOL.size):
            name, info, other, home, value, extent = SYMBOL.unpack_from(out, record)
            if home == section.index and value == old and info & 15 != 3:
                SYMBOL.pack_into(out, record, name, info, other, index, address, extent)
    rows = b"".join(
        bytes(out[s.header_offset : s.header_offset + SECTION.size]) for s in headers.sections
    )
    (name,) = struct.unpack_from("<I", out, section.header_offset)
    row = SECTION.pack(name, section.type, section.flags, address, at, size, 0, 0, _PAGE, 0)
    if index + 1 >= 0xFF00:
        raise _refuse("the file has too many sections for one more")
    # The old table is left as it is: other tools may have put things beside it.
    out += bytes(-len(out) % 8)
    struct.pack_into("<Q", out, 40, len(out))
    struct.pack_into("<H", out, 60, index + 1)
    out += rows + row


def _grow_relocatable(
    data: Buffer, headers: Headers, section: Section, start: int, room: int, new: bytes
) -> bytes:
    """An object file before linking: the section's contents move to the end of the file."""
    if start or room != section.size:
        for other in headers.sections:
            if other.type == SHT_RELA and other.size:
                raise _refuse("others lie beside it in an object file with relocations")
    body = data[section.offset : section.offset + section.size]
    contents = b"".join((body[:start], new, body[start + room :]))
    align = max(section.align, 1)
    out = bytearray(data) + bytes(-len(data) % align)
    at = len(out)
    out += contents
    struct.pack_into("<QQ", out, section.header_offset + 24, at, len(contents))
    return bytes(out)
