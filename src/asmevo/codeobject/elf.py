"""A bounds-checked reader of 64-bit little-endian ELF files, and its typed errors.

Only what code objects need: header, sections, segments, symbols, dynamic entries, RELA
relocations and notes. Every offset of a typed view is kept, so that a field can be patched in the
original bytes. Nothing is allocated from a size that the file only claims.

Source: System V gABI chapters 4 and 5; LLVM `AMDGPUUsage`, "Code Object".
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from asmevo.errors import InputError, UnsupportedError

EM_AMDGPU = 224
ELFOSABI_AMDGPU_HSA = 64
ET_REL, ET_DYN = 1, 3
SHT_NULL, SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB, SHT_RELA = 0, 1, 2, 3, 4
SHT_HASH, SHT_DYNAMIC, SHT_NOTE, SHT_NOBITS, SHT_REL, SHT_DYNSYM = 5, 6, 7, 8, 9, 11
SHF_WRITE, SHF_ALLOC, SHF_EXECINSTR = 1, 2, 4
PT_LOAD, PT_DYNAMIC, PT_NOTE, PT_PHDR = 1, 2, 4, 6
STT_NOTYPE, STT_OBJECT, STT_FUNC, STT_SECTION = 0, 1, 2, 3
STB_LOCAL, STB_GLOBAL, STB_WEAK = 0, 1, 2
SHN_LORESERVE, SHN_ABS, SHN_XINDEX = 0xFF00, 0xFFF1, 0xFFFF
_OVERLAP = 64 << 10

HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SECTION = struct.Struct("<IIQQQQIIQQ")
SEGMENT = struct.Struct("<IIQQQQQQ")
SYMBOL = struct.Struct("<IBBHQQ")
RELA = struct.Struct("<QQq")
DYNAMIC = struct.Struct("<qQ")
_SYMBOLS = np.dtype([("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"),
                     ("value", "<u8"), ("size", "<u8")])  # fmt: skip

# Tables of records: section type -> bytes of one.
_RECORDS = {SHT_SYMTAB: SYMBOL.size, SHT_DYNSYM: SYMBOL.size, SHT_RELA: RELA.size,
            SHT_DYNAMIC: DYNAMIC.size}  # fmt: skip
_ADDRESS_SPACE = 1 << 56  # beyond what an AMD GPU addresses, and room to move in 64 bits
_MACHINES = {3: "x86", 40: "Arm", 62: "x86-64", 183: "AArch64", 190: "CUDA", 243: "RISC-V"}


class FormatError(InputError):
    """The bytes are not the object that was asked for, or are damaged."""


class WrongObjectError(UnsupportedError):
    """A well-formed ELF that is no HSA code object of a supported version."""


@dataclass(frozen=True, slots=True)
class Section:
    """One section header; `header_offset` is the file offset of the header itself."""

    index: int
    name: str
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry_size: int
    header_offset: int

    @property
    def file_size(self) -> int:
        """Bytes that the section takes in the file."""
        return 0 if self.type in (SHT_NOBITS, SHT_NULL) else self.size


@dataclass(frozen=True, slots=True)
class Segment:
    """One program header; `header_offset` is the file offset of the header itself."""

    type: int
    flags: int
    offset: int
    vaddr: int
    paddr: int
    file_size: int
    mem_size: int
    align: int
    header_offset: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """One symbol; `record_offset` is the file offset of its 24-byte record."""

    name: str
    info: int
    other: int
    section: int
    value: int
    size: int
    record_offset: int

    @property
    def type(self) -> int:
        """STT_* type."""
        return self.info & 15

    @property
    def binding(self) -> int:
        """STB_* binding."""
        return self.info >> 4

    @property
    def visibility(self) -> int:
        """STV_* visibility (0 default, 1 internal, 2 hidden, 3 protected)."""
        return self.other & 3


@dataclass(frozen=True, slots=True)
class Relocation:
    """One RELA record; `record_offset` is its file offset."""

    offset: int
    type: int
    symbol: int
    addend: int
    record_offset: int


@dataclass(frozen=True, slots=True)
class Note:
    """One note record of a note section or segment; offsets are file offsets."""

    name: str
    type: int
    desc: bytes
    desc_offset: int


@dataclass(frozen=True, slots=True)
class Headers:
    """The ELF header's fields and both header tables; `*_at` are file offsets of the tables."""

    osabi: int
    abi_version: int
    type: int
    machine: int
    flags: int
    sections: tuple[Section, ...]
    segments: tuple[Segment, ...]
    sections_at: int
    segments_at: int


def read_headers(data: bytes | memoryview) -> Headers:
    """Headers of an ELF; of a mapped library only the pages of its headers are read.

    Raises:
        FormatError: not an ELF, not 64-bit little-endian, truncated, or sections that overlap.
    """
    if data[:4] != b"\x7fELF":
        found = f"first bytes {bytes(data[:4]).hex(' ')}" if len(data) else "an empty file"
        raise FormatError(
            f"not an ELF file ({found})",
            "give a .co or .hsaco code object; `asmevo extract` opens bundles and archives",
        )
    header = HEADER.unpack(_cut(data, 0, HEADER.size, "the ELF header"))
    ident: bytes = header[0]
    if ident[4] != 2 or ident[5] != 1:
        raise FormatError("ELF is not 64-bit little-endian", "give an AMDGPU code object")
    _, e_type, machine, _, _, phoff, shoff, flags, _, phes, phnum, shes, shnum, shstr = header
    segments: list[Segment] = []
    if phnum:
        if phes != SEGMENT.size:
            raise FormatError(f"program header size is {phes}, not {SEGMENT.size}")
        table = _cut(data, phoff, phnum * phes, "the program headers")
        for i in range(phnum):
            p = SEGMENT.unpack_from(table, i * phes)
            segments.append(
                Segment(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], phoff + i * phes)
            )
    if not shnum and shoff and shes == SECTION.size:
        # More sections than the field holds: their number is in the first section's header.
        first = SECTION.unpack(_cut(data, shoff, SECTION.size, "the section headers"))
        if first[1] == SHT_NULL and first[5] >= SHN_LORESERVE:
            shnum, shstr = first[5], first[6] if shstr == SHN_XINDEX else shstr
    raw: list[tuple[int, ...]] = []
    if shnum:
        if shes != SECTION.size:
            raise FormatError(f"section header size is {shes}, not {SECTION.size}")
        table = _cut(data, shoff, shnum * shes, "the section headers")
        raw = [SECTION.unpack_from(table, i * shes) for i in range(shnum)]
        total, view = 0, memoryview(data)  # checked without a copy
        for i, s in enumerate(raw):
            if s[1] not in (SHT_NOBITS, SHT_NULL):
                _cut(view, s[4], s[5], f"section {i}")
                total += s[5]
        # Sections lie side by side. Thousands of headers over the same bytes make a small file
        # cost as much as a large one.
        if total > 2 * len(data) + _OVERLAP:
            raise FormatError(
                f"ELF sections overlap: they add up to {total} bytes, the file has {len(data)}"
            )
    if shstr >= max(len(raw), 1):
        raise FormatError(f"section {shstr} for the sections' names: there are {len(raw)}")
    strings = bytes(data[raw[shstr][4] : raw[shstr][4] + raw[shstr][5]]) if shstr else b""
    names = StringTable(strings, len(raw), "section names")
    sections = tuple(
        Section(i, names.at(s[0]) if shstr else "", s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8],
                s[9], shoff + i * shes)
        for i, s in enumerate(raw)
    )  # fmt: skip
    return Headers(
        ident[7], ident[8], e_type, machine, flags, sections, tuple(segments), shoff, phoff
    )


def _cut(data: bytes | memoryview, offset: int, size: int, what: str) -> bytes | memoryview:
    if offset < 0 or size < 0 or offset + size > len(data):
        raise FormatError(
            f"truncated ELF: {what} needs bytes {offset}..{offset + size}, "
            f"the file has {len(data)}",
            "give the complete file",
        )
    return data[offset : offset + size]


def names_limit(table: int, count: int) -> int:
    """Bytes that the names of `count` records out of a table of that size may add up to."""
    return 4 * table + 256 * count


class StringTable:
    """Zero-terminated names by offset, for `count` records.

    Names may share their ends, but together they are no multiple of the table: a table of one long
    name would else give every symbol megabytes.
    """

    def __init__(self, table: bytes, count: int, what: str) -> None:
        self._table, self._what = table, what
        self._left = names_limit(len(table), count)

    def at(self, offset: int) -> str:
        """The name at an offset; an empty table has only the empty name at 0.

        Raises:
            FormatError: outside the table, without its terminator, or too much shared.
        """
        if offset == 0 and not self._table:
            return ""
        if offset >= len(self._table):
            raise FormatError(
                f"{self._what}: a name starts at {offset} of {len(self._table)} bytes"
            )
        end = self._table.find(b"\0", offset)
        if end < 0:
            raise FormatError(f"{self._what}: the name at {offset} does not end")
        self._left -= end - offset
        if self._left < 0:
            raise FormatError("ELF names add up to several times their string table")
        return self._table[offset:end].decode("utf8", "backslashreplace")


@dataclass(frozen=True, slots=True)
class Elf:
    """A parsed ELF. `data` is never changed; of a view into a mapped file only what is asked for
    is read. `stripped` says that the sections have no headers (`asmevo.codeobject.stripped`).
    """

    data: bytes | memoryview
    osabi: int
    abi_version: int
    type: int
    machine: int
    flags: int
    sections: tuple[Section, ...]
    segments: tuple[Segment, ...]
    stripped: bool = False

    @classmethod
    def parse(cls, data: bytes | memoryview) -> Elf:
        """Parse the header and both header tables.

        What they claim is checked here once: ranges lie inside the file and the address space,
        sections and loaded segments do not share bytes, tables hold whole records.

        Raises:
            FormatError: not an ELF, not 64-bit little-endian, truncated, or one of these fails.
        """
        h = read_headers(data)
        _check_segments(data, h.segments)
        _check_sections(h.sections)
        return cls(data, h.osabi, h.abi_version, h.type, h.machine, h.flags, h.sections, h.segments)

    @property
    def machine_name(self) -> str:
        """Name of the machine for messages."""
        return _MACHINES.get(self.machine, f"machine {self.machine}")

    def section(self, name: str) -> Section | None:
        """First section with that name, or None."""
        return next((s for s in self.sections if s.name == name), None)

    def contents(self, section: Section) -> bytes:
        """The section's bytes in the file; empty for NOBITS."""
        return bytes(self.data[section.offset : section.offset + section.file_size])

    def symbols(self, section: Section) -> list[Symbol]:
        """Symbols of a SYMTAB or DYNSYM section, the null symbol included.

        Raises:
            FormatError: as `each_symbol`.
        """
        return list(self.each_symbol(section))

    def each_symbol(self, section: Section) -> Iterator[Symbol]:
        """Symbols of a SYMTAB or DYNSYM section one by one: a library may have a million.

        Raises:
            FormatError: no string table, a bad name, or a section that does not exist.
        """
        linked = self.sections[section.link] if section.link < len(self.sections) else None
        if linked is None or linked.type != SHT_STRTAB:
            raise FormatError(f"section {section.index} ({section.name}) has no string table")
        table = self.contents(section)
        names = StringTable(
            self.contents(linked), len(table) // SYMBOL.size, f"string table {linked.name}"
        )
        count, at = len(self.sections), section.offset
        for name, info, other, index, value, size in SYMBOL.iter_unpack(table):
            text = names.at(name)
            if self.stripped:
                index = self._holder(index, value)
            if count <= index < SHN_LORESERVE:
                raise FormatError(f"symbol {text} is in section {index}: there is none")
            yield Symbol(text, info, other, index, value, size, at)
            at += SYMBOL.size

    def _holder(self, index: int, value: int) -> int:
        """Section of a symbol whose own one (`index`) lost its header: the one at its address."""
        if index == 0 or index >= SHN_LORESERVE:
            return index
        holders = (s.index for s in self.sections if s.address <= value < s.address + s.size)
        return next(holders, SHN_ABS)

    def symbols_ending(self, suffix: str) -> Iterator[Symbol]:
        """Those of `all_symbols` whose names end so; of the others no record is made.

        Raises:
            FormatError: as `each_symbol`, for any symbol.
        """
        for kind in (SHT_DYNSYM, SHT_SYMTAB):
            for section in self.sections:
                if section.type == kind:
                    yield from self._ending(section, suffix.encode())

    def _ending(self, section: Section, suffix: bytes) -> Iterator[Symbol]:
        linked = self.sections[section.link] if section.link < len(self.sections) else None
        strings = self.contents(linked) if linked and linked.type == SHT_STRTAB else b""
        records = np.frombuffer(self.contents(section), _SYMBOLS)
        starts, index = records["name"].astype(np.int64), records["section"]
        ends = np.flatnonzero(np.frombuffer(strings, np.uint8) == 0)
        after = np.searchsorted(ends, starts)
        sound = (
            not self.stripped
            and bool(len(ends))
            and int(after.max(initial=0)) < len(ends)
            and int((ends[after] - starts).sum()) <= names_limit(len(strings), len(records))
            and not bool(((index >= len(self.sections)) & (index < SHN_LORESERVE)).any())
        )
        if not sound:  # the reader of all symbols says what is wrong
            wanted = suffix.decode()
            yield from (s for s in self.each_symbol(section) if s.name.endswith(wanted))
            return
        marked = [at for at in ends.tolist() if strings[max(at - len(suffix), 0) : at] == suffix]
        for i in np.flatnonzero(np.isin(ends[after], marked)).tolist():
            at = section.offset + i * SYMBOL.size
            start, info, other, place, value, size = SYMBOL.unpack_from(self.data, at)
            name = strings[start : int(ends[after[i]])].decode("utf8", "backslashreplace")
            if name.endswith(suffix.decode()):  # a name may start inside the suffix
                yield Symbol(name, info, other, place, value, size, at)

    def all_symbols(self) -> Iterator[Symbol]:
        """Symbols of `.dynsym`, then of `.symtab`, null symbols left out."""
        for kind in (SHT_DYNSYM, SHT_SYMTAB):
            for section in self.sections:
                if section.type == kind:
                    yield from islice(self.each_symbol(section), 1, None)

    def relocations(self, section: Section) -> list[Relocation]:
        """Records of a RELA section."""
        table = self.contents(section)
        return [
            Relocation(r[0], r[1] & 0xFFFFFFFF, r[1] >> 32, r[2], section.offset + i * RELA.size)
            for i, r in enumerate(RELA.iter_unpack(table))
        ]

    def file_offset(self, address: int) -> int | None:
        """File offset of a virtual address inside a loaded segment's file part, or None."""
        for s in self.segments:
            if s.type == PT_LOAD and s.vaddr <= address < s.vaddr + s.file_size:
                return s.offset + address - s.vaddr
        return None

    def notes(self) -> Iterator[Note]:
        """Notes of all note sections, or of the note segments when there is no section.

        Raises:
            FormatError: a record reaches past its section.
        """
        areas = [(s.offset, s.size) for s in self.sections if s.type == SHT_NOTE]
        if not areas:
            areas = [(p.offset, p.file_size) for p in self.segments if p.type == PT_NOTE]
        for offset, size in areas:
            _cut(self.data, offset, size, "a note")
            at, end = offset, offset + size
            while at + 12 <= end:
                name_size, desc_size, kind = struct.unpack_from("<III", self.data, at)
                name_at = at + 12
                desc_at = name_at + (name_size + 3 & ~3)
                if desc_at + desc_size > end:
                    raise FormatError(
                        f"note at file offset {at} claims {desc_size} bytes, past its section"
                    )
                name = bytes(self.data[name_at : name_at + name_size]).rstrip(b"\0")
                yield Note(
                    name.decode("ascii", "backslashreplace"), kind,
                    bytes(self.data[desc_at : desc_at + desc_size]), desc_at,
                )  # fmt: skip
                at = desc_at + (desc_size + 3 & ~3)


def _check_segments(data: bytes | memoryview, segments: tuple[Segment, ...]) -> None:
    for i, p in enumerate(segments):
        if p.file_size:
            _cut(data, p.offset, p.file_size, f"segment {i}")
        if p.type not in (PT_LOAD, PT_DYNAMIC):
            continue
        if p.file_size > p.mem_size:
            raise FormatError(
                f"segment {i} has {p.file_size} bytes in the file and {p.mem_size} in memory"
            )
        _check_addresses(f"segment {i}", p.vaddr, p.mem_size, p.align)
        if p.align > 1 and (p.vaddr - p.offset) % p.align:
            raise FormatError(f"segment {i}: its address and its place in the file do not match")
    _check_apart([(p.vaddr, p.mem_size) for p in segments if p.type == PT_LOAD], "loaded segments")


def _check_sections(sections: tuple[Section, ...]) -> None:
    for s in sections:
        if s.flags & SHF_ALLOC:
            _check_addresses(f"section {s.index}", s.address, s.size, s.align)
        record = _RECORDS.get(s.type)
        if record is not None and s.size and (s.entry_size != record or s.size % record):
            raise FormatError(
                f"section {s.index} has {s.size} bytes in entries of {s.entry_size}; "
                f"its records have {record}"
            )
    _check_apart([(s.offset, s.file_size) for s in sections], "sections")


def _check_addresses(what: str, address: int, size: int, align: int) -> None:
    if address + size > _ADDRESS_SPACE:
        raise FormatError(f"{what} is at address 0x{address:x} with {size} bytes: out of range")
    if align & (align - 1):
        raise FormatError(f"{what} has the alignment {align}, no power of two")


def _check_apart(ranges: list[tuple[int, int]], what: str) -> None:
    """Refuse ranges (start, size) that share bytes."""
    end = 0
    for start, size in sorted(r for r in ranges if r[1]):
        if start < end:
            raise FormatError(f"ELF {what} overlap at 0x{start:x}")
        end = start + size
