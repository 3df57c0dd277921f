"""Room inside a file: whole pages put in at one place, and everything behind it moved.

For what may not move and must grow, as a metadata note at the head of an object. Headers, segments,
symbols, `.dynamic` and relocations follow; code and descriptors hold distances only, and move as a
whole. Alignments and page offsets hold, because the pages are whole.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from asmevo.codeobject.elf import (
    DYNAMIC,
    PT_LOAD,
    RELA,
    SHF_ALLOC,
    SHF_EXECINSTR,
    SHT_DYNAMIC,
    SHT_DYNSYM,
    SHT_NULL,
    SHT_RELA,
    SHT_SYMTAB,
    Elf,
    Section,
)
from asmevo.codeobject.relocations import PACKED, RelocationType
from asmevo.errors import BuildError

PAGE = 4096
SHN_ABS = 0xFFF1
# Dynamic tags whose value is an address: PLTGOT, HASH, STRTAB, SYMTAB, RELA, INIT, FINI, REL,
# JMPREL, INIT_ARRAY, FINI_ARRAY, GNU_HASH, VERSYM, VERDEF, VERNEED.
ADDRESS_TAGS = frozenset(
    {3, 4, 5, 6, 7, 12, 13, 17, 23, 25, 26, 0x6FFFFEF5, 0x6FFFFFF0, 0x6FFFFFFC, 0x6FFFFFFE}
)


def make_room(data: bytes, behind: Section, need: int) -> bytes:
    """`data` with at least `need` free bytes behind a loaded section, in its segment.

    Raises:
        BuildError: the section is not loaded, code or descriptors stand in front of it, or
            relocations are packed.
    """
    elf = Elf.parse(data)
    end, end_address = behind.offset + behind.size, behind.address + behind.size
    shift = -(-need // PAGE) * PAGE
    inside = [
        p for p in elf.segments
        if p.type == PT_LOAD and p.offset < end <= p.offset + p.file_size
    ]  # fmt: skip
    if not behind.flags & SHF_ALLOC or not inside:
        raise BuildError(f"{behind.name} is not loaded, so nothing can be put behind it")
    for s in elf.sections:
        if s.type in PACKED and s.flags & SHF_ALLOC and s.size:
            raise BuildError(f"{PACKED[s.type]} relocations ({s.name}) are not followed")
        code = s.flags & SHF_EXECINSTR or s.name == ".rodata"
        if code and s.flags & SHF_ALLOC and s.address < end_address:
            raise BuildError(f"{s.name} stands in front of {behind.name} and would not move")
    out = bytearray(data[:end] + bytes(shift) + data[end:])

    def at(offset: int) -> int:
        return offset + shift if offset >= end else offset

    def address(old: int) -> int:
        return old + shift if old >= end_address else old

    def put(offset: int, value: int) -> None:
        struct.pack_into("<Q", out, at(offset), value)

    if elf.sections:
        put(0x28, at(elf.sections[0].header_offset))
    if elf.segments:
        put(0x20, at(elf.segments[0].header_offset))
    for s in elf.sections:
        if s.type == SHT_NULL:
            continue
        if s.flags & SHF_ALLOC:
            put(s.header_offset + 16, address(s.address))
        put(s.header_offset + 24, at(s.offset))
    for p in elf.segments:
        if p.type == PT_LOAD and p in inside:
            put(p.header_offset + 32, p.file_size + shift)
            put(p.header_offset + 40, p.mem_size + shift)
        elif p.offset >= end or p.vaddr >= end_address:
            put(p.header_offset + 8, p.offset + shift)
            if p.vaddr >= end_address:
                put(p.header_offset + 16, p.vaddr + shift)
                put(p.header_offset + 24, p.paddr + shift)
    _move_tables(elf, out, at, address)
    return bytes(out)


def _move_tables(
    elf: Elf, out: bytearray, at: Callable[[int], int], address: Callable[[int], int]
) -> None:
    """Symbols, dynamic entries and relocations, each to its new address."""
    for s in elf.sections:
        if s.type in (SHT_SYMTAB, SHT_DYNSYM):
            for symbol in elf.symbols(s):
                if symbol.section not in (0, SHN_ABS):
                    where = at(symbol.record_offset + 8)
                    struct.pack_into("<Q", out, where, address(symbol.value))
        elif s.type == SHT_DYNAMIC:
            for offset in range(s.offset, s.offset + s.size - s.size % DYNAMIC.size, DYNAMIC.size):
                tag, value = DYNAMIC.unpack_from(elf.data, offset)
                if tag in ADDRESS_TAGS:
                    struct.pack_into("<Q", out, at(offset) + 8, address(value))
        elif s.type == SHT_RELA:
            for r in elf.relocations(s):
                relative = r.type == RelocationType.RELATIVE64
                addend = address(r.addend) if relative else r.addend
                record = RELA.pack(address(r.offset), r.symbol << 32 | r.type, addend)
                out[at(r.record_offset) : at(r.record_offset) + RELA.size] = record
                place = elf.file_offset(r.offset)
                if relative and place is not None and place + 8 <= len(elf.data):
                    stored = int.from_bytes(elf.data[place : place + 8], "little")
                    if stored == r.addend:  # some linkers also store it at the place
                        struct.pack_into("<Q", out, at(place), addend)
