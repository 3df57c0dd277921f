"""Objects without section headers: the parts that program headers and dynamic entries tell.

A loader needs no section headers, and `llvm-strip --strip-sections` takes them away. What is left
says where the code is (executable segments), the notes, the dynamic symbols with their names, and
the relocations; so these become sections that have no header in the file.

Source: System V gABI chapter 5, "Dynamic Section" and "Hash Table"; GNU hash sections as lld
writes them.
"""

from __future__ import annotations

import struct
from dataclasses import replace

from asmevo.codeobject.elf import (
    DYNAMIC,
    PT_DYNAMIC,
    PT_LOAD,
    PT_NOTE,
    RELA,
    SHF_ALLOC,
    SHF_EXECINSTR,
    SHF_WRITE,
    SHT_DYNAMIC,
    SHT_DYNSYM,
    SHT_NOTE,
    SHT_NULL,
    SHT_PROGBITS,
    SHT_RELA,
    SHT_STRTAB,
    SYMBOL,
    Elf,
    FormatError,
    Section,
    Segment,
)

_PF_X, _PF_W = 1, 2
_DT_HASH, _DT_STRTAB, _DT_SYMTAB, _DT_RELA, _DT_RELASZ, _DT_STRSZ = 4, 5, 6, 7, 8, 10
_DT_RELR, _DT_GNU_HASH = 36, 0x6FFFFEF5
_SHT_RELR = 19


def with_sections(elf: Elf) -> Elf:
    """An ELF without section headers, with the sections that its segments tell.

    Raises:
        FormatError: the dynamic entries lead outside the file, or tell no number of symbols.
    """
    dynamic = _dynamic(elf)
    found = [Section(0, "", SHT_NULL, 0, 0, 0, 0, 0, 0, 0, 0, -1)]

    def add(name: str, kind: int, flags: int, address: int, size: int, entry: int = 0) -> None:
        offset = elf.file_offset(address)
        if offset is None or offset + size > len(elf.data):
            raise FormatError(f"{name} at 0x{address:x} with {size} bytes is not in the file")
        tables = {s.type: s.index for s in found}
        link = tables.get(SHT_DYNSYM if kind == SHT_RELA else SHT_STRTAB, 0)
        number = len(found)
        found.append(
            Section(number, name, kind, flags, address, offset, size, link, 0, 1, entry, -1)
        )

    if _DT_STRTAB in dynamic:
        add(".dynstr", SHT_STRTAB, SHF_ALLOC, dynamic[_DT_STRTAB], dynamic.get(_DT_STRSZ, 0))
    if _DT_SYMTAB in dynamic:
        size = SYMBOL.size * _symbol_count(elf, dynamic)
        add(".dynsym", SHT_DYNSYM, SHF_ALLOC, dynamic[_DT_SYMTAB], size, SYMBOL.size)
    if _DT_RELA in dynamic:
        size = dynamic.get(_DT_RELASZ, 0) // RELA.size * RELA.size
        add(".rela.dyn", SHT_RELA, SHF_ALLOC, dynamic[_DT_RELA], size, RELA.size)
    if _DT_RELR in dynamic:  # only that there are some is of interest
        add(".relr.dyn", _SHT_RELR, SHF_ALLOC, dynamic[_DT_RELR], 8)
    for p in elf.segments:
        if p.type == PT_NOTE and p.file_size:
            add(".note", SHT_NOTE, SHF_ALLOC, p.vaddr, p.file_size)
        elif p.type == PT_DYNAMIC and p.file_size:
            flags = SHF_ALLOC | SHF_WRITE
            add(".dynamic", SHT_DYNAMIC, flags, p.vaddr, p.file_size, DYNAMIC.size)
    code = [p for p in elf.segments if p.type == PT_LOAD and p.flags & _PF_X and p.file_size]
    for n, p in enumerate(code):
        flags = SHF_ALLOC | SHF_EXECINSTR
        add(f".text.{n}" if n else ".text", SHT_PROGBITS, flags, p.vaddr, p.file_size)
    for n, p in enumerate(_data_segments(elf)):
        flags = SHF_ALLOC | (SHF_WRITE if p.flags & _PF_W else 0)
        add(f".segment.{n}", SHT_PROGBITS, flags, p.vaddr, p.file_size)
    return replace(elf, sections=tuple(found), stripped=True)


def _data_segments(elf: Elf) -> list[Segment]:
    return [
        p for p in elf.segments if p.type == PT_LOAD and not p.flags & _PF_X and p.file_size
    ]  # fmt: skip


def _dynamic(elf: Elf) -> dict[int, int]:
    """Dynamic entries by tag, the first of each."""
    found: dict[int, int] = {}
    for p in elf.segments:
        if p.type == PT_DYNAMIC:
            size = p.file_size // DYNAMIC.size * DYNAMIC.size
            for tag, value in DYNAMIC.iter_unpack(elf.data[p.offset : p.offset + size]):
                if tag == 0:
                    break
                found.setdefault(tag, value)
    return found


def _symbol_count(elf: Elf, dynamic: dict[int, int]) -> int:
    """Number of dynamic symbols: only the hash tables say it."""
    if _DT_HASH in dynamic:
        (count,) = _words(elf, dynamic[_DT_HASH] + 4, 1)
        return count
    if _DT_GNU_HASH not in dynamic:
        raise FormatError("no section headers and no hash table: the symbols cannot be counted")
    at = dynamic[_DT_GNU_HASH]
    buckets, first, bloom, _ = _words(elf, at, 4)
    at += 16 + 8 * bloom
    last = max(_words(elf, at, buckets), default=0)
    if last < first:
        return first
    at += 4 * (buckets + last - first)
    while not _words(elf, at, 1)[0] & 1:  # the end of a chain
        at, last = at + 4, last + 1
    return last + 1


def _words(elf: Elf, address: int, count: int) -> tuple[int, ...]:
    """Some 32-bit words at an address."""
    at = elf.file_offset(address)
    if at is None or at + 4 * count > len(elf.data):
        raise FormatError(f"a hash table at 0x{address:x} is not in the file")
    return struct.unpack_from(f"<{count}I", elf.data, at)
