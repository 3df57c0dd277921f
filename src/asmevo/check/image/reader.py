"""An object as the loader sees it: bytes at addresses, by program headers alone.

A reader of its own, so that a fault of `asmevo.codeobject` cannot hide a byte from the comparison.
Raw header tables are kept beside it, because every byte of them is compared.

Source: System V gABI chapter 5; ROCr `executable.cpp` (segments are copied, then relocated).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from asmevo.codeobject.elf import (
    DYNAMIC,
    HEADER,
    PT_DYNAMIC,
    PT_LOAD,
    RELA,
    SECTION,
    SEGMENT,
    SHF_ALLOC,
    SHF_EXECINSTR,
    SHT_NOBITS,
    SHT_NULL,
    SHT_RELA,
    SYMBOL,
)

_DT_RELA, _DT_RELASZ, _DT_JMPREL, _DT_PLTRELSZ, _DT_REL, _DT_RELSZ = 7, 8, 23, 2, 17, 18
PF_X = 1


@dataclass(frozen=True, slots=True)
class Header:
    """One section header, as it is in the file."""

    index: int
    name: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry: int

    @property
    def loaded(self) -> bool:
        """Whether it is part of the image."""
        return bool(self.flags & SHF_ALLOC) and self.type != SHT_NULL

    @property
    def file_end(self) -> int:
        """Where its bytes in the file end."""
        return self.offset + (0 if self.type in (SHT_NOBITS, SHT_NULL) else self.size)

    @property
    def end(self) -> int:
        """Address behind it."""
        return self.address + self.size


@dataclass(frozen=True, slots=True)
class Load:
    """One program header."""

    type: int
    flags: int
    offset: int
    address: int
    physical: int
    file_size: int
    size: int
    align: int


@dataclass(frozen=True, slots=True)
class Word:
    """One relocation: where, what kind, and the addend."""

    place: int
    info: int
    addend: int


class Image:
    """The loader's view of a file whose headers `CodeObject.open` accepted."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.header = HEADER.unpack_from(data)
        self.entry, self.phoff, self.shoff = self.header[4:7]
        phnum, shnum = self.header[10], self.header[12]
        self.segments = [
            Load(*SEGMENT.unpack_from(data, self.phoff + n * SEGMENT.size)) for n in range(phnum)
        ]
        if not shnum and self.shoff:  # the number is in the first section's header
            shnum = SECTION.unpack_from(data, self.shoff)[5]
        self.sections = [
            Header(n, *SECTION.unpack_from(data, self.shoff + n * SECTION.size))
            for n in range(shnum)
        ]

    def at(self, address: int, size: int) -> bytes | None:
        """Bytes that the loader puts at an address before it relocates; None where it puts none.

        Memory that no file byte fills holds zeros.
        """
        for p in self.segments:
            if p.type == PT_LOAD and p.address <= address and address + size <= p.address + p.size:
                start = p.offset + address - p.address
                found = self.data[start : min(start + size, p.offset + p.file_size)]
                return found + bytes(size - len(found))
        return None

    def backs(self, section: Header) -> bool:
        """Whether a segment loads exactly a section's bytes at the section's address."""
        if not section.size:
            return True
        for p in self.segments:
            if p.type == PT_LOAD and p.address <= section.address < p.address + p.size:
                if section.end > p.address + p.size:
                    return False
                if section.type == SHT_NOBITS:
                    return section.address >= p.address + p.file_size
                same = section.offset - p.offset == section.address - p.address
                return same and section.file_end <= p.offset + p.file_size
        return False

    @cached_property
    def code(self) -> list[tuple[int, int]]:
        """Address ranges that hold code: executable segments and sections."""
        ranges = [(p.address, p.address + p.size) for p in self.segments
                  if p.type == PT_LOAD and p.flags & PF_X]  # fmt: skip
        return ranges + [(s.address, s.end) for s in self.sections
                         if s.loaded and s.flags & SHF_EXECINSTR]  # fmt: skip

    @cached_property
    def dynamic(self) -> dict[int, int]:
        """Entries of the dynamic segment, by tag."""
        found: dict[int, int] = {}
        for p in self.segments:
            if p.type == PT_DYNAMIC:
                table = self.data[p.offset : p.offset + p.file_size // DYNAMIC.size * DYNAMIC.size]
                for tag, value in DYNAMIC.iter_unpack(table):
                    if tag == 0:
                        break
                    found.setdefault(tag, value)
        return found

    def words(self) -> Iterator[Word]:
        """Relocations that a loader may apply: of the dynamic segment and of RELA sections."""
        for tag, size in ((_DT_RELA, _DT_RELASZ), (_DT_JMPREL, _DT_PLTRELSZ)):
            length = min(self.dynamic.get(size, 0), len(self.data)) // RELA.size * RELA.size
            table = self.at(self.dynamic[tag], length) if tag in self.dynamic else None
            yield from (Word(*r) for r in RELA.iter_unpack(table or b""))
        for s in self.sections:
            if s.type == SHT_RELA:
                table = self.data[s.offset : s.offset + s.size // RELA.size * RELA.size]
                yield from (Word(*r) for r in RELA.iter_unpack(table))

    @property
    def implicit_addends(self) -> bool:
        """Whether there are relocations without addend, which this project does not follow."""
        return bool(self.dynamic.get(_DT_REL) or self.dynamic.get(_DT_RELSZ))

    def symbols(self, section: Header) -> Iterator[tuple[int, int, int, int, int, int]]:
        """(name, info, other, section, value, size) of a symbol table's records."""
        table = self.data[section.offset : section.file_end]
        return SYMBOL.iter_unpack(table[: len(table) // SYMBOL.size * SYMBOL.size])
