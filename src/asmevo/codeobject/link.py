"""A small static linker: one relocatable AMDGPU object to one loadable code object (ET_DYN).

It does for a single compiler output what `ld.lld -shared` does: lays out segments, resolves
relocations, writes `.dynsym`, `.hash`, `.dynamic`, `.rela.dyn` and `.symtab`. Undefined symbols and
relocation kinds that need more are refused by name. Source: LLVM `AMDGPUUsage`, "Relocation
Records"; gABI chapter 5.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass, field

from asmevo.codeobject.elf import (
    DYNAMIC,
    HEADER,
    PT_DYNAMIC,
    PT_LOAD,
    PT_NOTE,
    PT_PHDR,
    RELA,
    SECTION,
    SEGMENT,
    SHF_ALLOC,
    SHF_EXECINSTR,
    SHF_WRITE,
    SHT_DYNAMIC,
    SHT_DYNSYM,
    SHT_HASH,
    SHT_NOBITS,
    SHT_NOTE,
    SHT_PROGBITS,
    SHT_RELA,
    SHT_STRTAB,
    SHT_SYMTAB,
    STB_LOCAL,
    STT_SECTION,
    SYMBOL,
    Elf,
    Section,
    Symbol,
)
from asmevo.codeobject.emit import emit_object
from asmevo.codeobject.metadata import NT_AMDGPU_METADATA
from asmevo.codeobject.relocations import RelocationType as R
from asmevo.errors import BuildError, UnsupportedError

PAGE = 4096
_PT_GNU_STACK, _PT_GNU_RELRO = 0x6474E551, 0x6474E552
_SHN_ABS = 0xFFF1
_R, _RX, _RELRO, _RW = range(4)


@dataclass
class _Output:
    """One output section being laid out."""

    name: str
    type: int
    flags: int
    align: int
    group: int = _R
    data: bytearray = field(default_factory=bytearray)
    size: int = 0  # of NOBITS; otherwise len(data)
    link: str = ""
    info: int = 0
    entry: int = 0
    address: int = 0
    offset: int = 0

    @property
    def length(self) -> int:
        return self.size if self.type == SHT_NOBITS else len(self.data)


def _align(value: int, to: int) -> int:
    return -(-value // to) * to


class _Strings:
    def __init__(self) -> None:
        self.data = bytearray(1)

    def add(self, text: str) -> int:
        if not text:
            return 0
        at = len(self.data)
        self.data += text.encode() + b"\0"
        return at


def build(text: str) -> bytes:
    """Assemble and link a complete assembly file of the project (trusted text).

    Raises:
        InputError: no usable `.amdgcn_target`.
        BuildError: an assembly error, or an undefined symbol.
        UnsupportedError: a relocation or section kind that this linker does not do.
    """
    return link(emit_object(text))


def link(relocatable: bytes) -> bytes:
    """The code object of one relocatable object that `emit_object` made."""
    return _Linker(Elf.parse(relocatable)).run()


class _Linker:
    def __init__(self, elf: Elf) -> None:
        self.elf = elf
        table = next((s for s in elf.sections if s.type == SHT_SYMTAB), None)
        self.symbols: list[Symbol] = elf.symbols(table) if table else []
        self.place: dict[int, tuple[_Output, int]] = {}  # input section -> (output, offset)
        self.outputs: list[_Output] = []
        self.got: dict[int, int] = {}  # symbol index -> offset in .got
        self.dynamic_relocations: list[tuple[int, int, int, int]] = []
        self.dynsym_index: dict[int, int] = {}

    def run(self) -> bytes:
        note = self._note()
        exported = [
            i for i, s in enumerate(self.symbols)
            if s.binding != STB_LOCAL and s.section not in (0, _SHN_ABS) and s.visibility in (0, 3)
        ]  # fmt: skip
        self.dynsym_index = {i: n + 1 for n, i in enumerate(exported)}
        strings = _Strings()
        names = [strings.add(self.symbols[i].name) for i in exported]
        relocations = list(self._relocations())
        self._reserve_got(relocations)
        count = sum(r[3] == R.ABS64 for r in relocations) + len(self.got)

        sections = [
            _Output(".note", SHT_NOTE, SHF_ALLOC, 4, data=bytearray(note)),
            _Output(".dynsym", SHT_DYNSYM, SHF_ALLOC, 8, link=".dynstr", info=1, entry=24,
                    data=bytearray(24 * (len(exported) + 1))),
            _Output(".hash", SHT_HASH, SHF_ALLOC, 4, link=".dynsym", entry=4,
                    data=_hash([self.symbols[i].name for i in exported])),
            _Output(".dynstr", SHT_STRTAB, SHF_ALLOC, 1, data=strings.data),
        ]  # fmt: skip
        if count:
            sections.append(
                _Output(".rela.dyn", SHT_RELA, SHF_ALLOC, 8, link=".dynsym", entry=24,
                        data=bytearray(24 * count))
            )  # fmt: skip
        sections += self._merge_inputs()
        if self.got:
            sections.append(
                _Output(".got", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 8, _RELRO,
                        bytearray(8 * len(self.got)))
            )  # fmt: skip
        tags = 7 + (3 if count else 0)
        sections.append(
            _Output(".dynamic", SHT_DYNAMIC, SHF_ALLOC | SHF_WRITE, 8, _RELRO,
                    bytearray(DYNAMIC.size * tags), link=".dynstr", entry=16)
        )  # fmt: skip
        sections.sort(key=lambda o: (o.group, o.type == SHT_NOBITS))
        self.outputs = sections
        header_size = HEADER.size + SEGMENT.size * self._segment_count()
        end = self._lay_out(header_size)
        self._relocate(relocations)
        for n, i in enumerate(exported):
            self._output(".dynsym").data[24 * (n + 1) : 24 * (n + 2)] = self._symbol(i, names[n])
        self._fill_dynamic(count)
        return self._write(end)

    def _note(self) -> bytes:
        """The metadata note record that describes kernels (LLVM adds an empty one)."""
        best = b""
        for note in self.elf.notes():
            if note.name == "AMDGPU" and note.type == NT_AMDGPU_METADATA:
                best = max(best, note.desc, key=len)
        if not best:
            raise BuildError("the assembly has no .amdgpu_metadata", "add the metadata block")
        body = struct.pack("<III", 7, len(best), NT_AMDGPU_METADATA) + b"AMDGPU\0\0" + best
        return body + bytes(-len(body) % 4)

    def _output(self, name: str) -> _Output:
        return next(o for o in self.outputs if o.name == name)

    def _merge_inputs(self) -> list[_Output]:
        merged: dict[str, _Output] = {}
        for s in self.elf.sections:
            if not s.flags & SHF_ALLOC or s.type == SHT_NOTE or not s.size:
                continue
            if s.type not in (SHT_PROGBITS, SHT_NOBITS):
                raise UnsupportedError(f"section {s.name} of type {s.type} in the assembly")
            name, group = _destination(s)
            if name == ".text" and s.name == ".text":
                continue  # LLVM's own padding; the file's code has another section name
            out = merged.get(name)
            if out is None:
                flags = s.flags & (SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR)
                out = merged[name] = _Output(name, s.type, flags, s.align or 1, group)
            out.align = max(out.align, s.align)
            at = _align(out.length, s.align or 1)
            if s.type == SHT_NOBITS:
                out.size = at + s.size
            else:
                filler = b"\0"
                out.data += filler * (at - len(out.data)) + self.elf.contents(s)
            self.place[s.index] = (out, at)
        if ".text" not in merged:
            raise BuildError("the assembly has no code", "put instructions in .text")
        return list(merged.values())

    def _relocations(self) -> Iterable[tuple[int, int, int, int, int]]:
        """(input section, offset, symbol, type, addend) of allocated sections."""
        for s in self.elf.sections:
            if s.type == SHT_RELA and s.info < len(self.elf.sections):
                target = self.elf.sections[s.info]
                if target.flags & SHF_ALLOC:
                    for r in self.elf.relocations(s):
                        yield target.index, r.offset, r.symbol, r.type, r.addend

    def _reserve_got(self, relocations: list[tuple[int, int, int, int, int]]) -> None:
        for _, _, symbol, kind, _ in relocations:
            if kind in (R.GOTPCREL, R.GOTPCREL32_LO, R.GOTPCREL32_HI):
                self.got.setdefault(symbol, 8 * len(self.got))

    def _segment_count(self) -> int:
        return 5 + len({o.group for o in self.outputs})

    def _lay_out(self, offset: int) -> int:
        """Give every section its offset and address; returns the end of the loaded part."""
        address, group = offset, _R
        for o in self.outputs:
            if o.group != group:
                group = o.group
                start = _align(offset, o.align)
                address = _align(address, PAGE) + start % PAGE
                offset = start
            # File offset and address stay congruent modulo the page.
            step = _align(address, o.align) - address
            address, offset = address + step, offset + step
            o.address, o.offset = address, offset
            address += o.length
            if o.type != SHT_NOBITS:
                offset += o.length
        return offset

    def _value(self, index: int) -> int:
        """Final address of a symbol."""
        s = self.symbols[index]
        if s.section == _SHN_ABS:
            return s.value
        placed = self.place.get(s.section)
        if placed is None:
            raise BuildError(
                f"undefined symbol {s.name or index}", "define it in the file; nothing is linked in"
            )
        return placed[0].address + placed[1] + s.value

    def _preemptible(self, index: int) -> bool:
        s = self.symbols[index]
        return s.binding != STB_LOCAL and s.visibility == 0

    def _dynamic(self, place: int, symbol: int, addend: int) -> None:
        if self._preemptible(symbol):
            self.dynamic_relocations.append((place, R.ABS64, self.dynsym_index[symbol], addend))
        else:
            value = self._value(symbol) + addend
            self.dynamic_relocations.append((place, R.RELATIVE64, 0, value))

    def _relocate(self, relocations: list[tuple[int, int, int, int, int]]) -> None:
        got = self._output(".got").address if self.got else 0
        for section, at, symbol, kind, addend in relocations:
            out, base = self.place[section]
            place, where = out.address + base + at, base + at
            value = self._value(symbol)
            if kind == R.ABS64:
                if not out.flags & SHF_WRITE:
                    raise UnsupportedError(
                        f"absolute address of {self.symbols[symbol].name} in {out.name}"
                    )
                self._dynamic(place, symbol, addend)
                continue
            if kind in (R.GOTPCREL, R.GOTPCREL32_LO, R.GOTPCREL32_HI):
                value = got + self.got[symbol]
            distance = value + addend - place
            if kind in (R.REL32, R.GOTPCREL) and not -(1 << 31) <= distance < 1 << 31:
                raise BuildError(f"{self.symbols[symbol].name} is out of 32-bit reach")
            if kind in (R.REL32_LO, R.GOTPCREL32_LO, R.REL32, R.GOTPCREL):
                struct.pack_into("<I", out.data, where, distance & 0xFFFFFFFF)
            elif kind in (R.REL32_HI, R.GOTPCREL32_HI):
                struct.pack_into("<I", out.data, where, distance >> 32 & 0xFFFFFFFF)
            elif kind == R.REL64:
                struct.pack_into("<Q", out.data, where, distance & (1 << 64) - 1)
            elif kind == R.REL16:
                words = (distance - 4) // 4
                if not -32768 <= words <= 32767:
                    raise BuildError(f"branch to {self.symbols[symbol].name} is out of reach")
                struct.pack_into("<H", out.data, where, words & 0xFFFF)
            else:
                raise UnsupportedError(
                    f"relocation type {kind} against {self.symbols[symbol].name or 'a section'}"
                )
        for symbol, at in self.got.items():
            self._dynamic(got + at, symbol, 0)
        if self.dynamic_relocations:
            table = self._output(".rela.dyn").data
            for n, (place, kind, index, addend) in enumerate(sorted(self.dynamic_relocations)):
                RELA.pack_into(table, 24 * n, place, index << 32 | kind, addend)

    def _symbol(self, index: int, name: int) -> bytes:
        s = self.symbols[index]
        if s.section == _SHN_ABS:
            return SYMBOL.pack(name, s.info, s.other, s.section, s.value, s.size)
        section = 1 + self.outputs.index(self.place[s.section][0])
        return SYMBOL.pack(name, s.info, s.other, section, self._value(index), s.size)

    def _fill_dynamic(self, relocations: int) -> None:
        entries = [
            (6, self._output(".dynsym").address),
            (11, SYMBOL.size),
            (5, self._output(".dynstr").address),
            (10, len(self._output(".dynstr").data)),
            (4, self._output(".hash").address),
        ]
        if relocations:
            entries += [(7, self._output(".rela.dyn").address), (8, 24 * relocations), (9, 24)]
        table = self._output(".dynamic").data
        for n, entry in enumerate(entries):
            DYNAMIC.pack_into(table, n * DYNAMIC.size, *entry)

    def _local_symbols(self, strings: _Strings) -> tuple[bytes, int]:
        """`.symtab` contents and the index of its first global symbol."""
        kept = [
            i for i, s in enumerate(self.symbols)
            if s.name and s.type != STT_SECTION and s.section
            and (s.section == _SHN_ABS or s.section in self.place)
        ]  # fmt: skip
        kept.sort(key=lambda i: self.symbols[i].binding != STB_LOCAL)
        table = bytes(24) + b"".join(
            self._symbol(i, strings.add(self.symbols[i].name)) for i in kept
        )
        return table, 1 + sum(self.symbols[i].binding == STB_LOCAL for i in kept)

    def _segments(self, header_size: int) -> bytes:
        def pack(kind: int, flags: int, items: list[_Output], align: int) -> bytes:
            first, filled = items[0], [o for o in items if o.type != SHT_NOBITS]
            end = max(o.address + o.length for o in items)
            size = filled[-1].offset + len(filled[-1].data) - first.offset if filled else 0
            start = first.address
            return SEGMENT.pack(kind, flags, first.offset, start, start, size, end - start, align)

        groups = {g: [o for o in self.outputs if o.group == g] for g in (_R, _RX, _RELRO, _RW)}
        last = groups[_R][-1]
        end = last.offset + last.length
        table_size = header_size - HEADER.size
        out = SEGMENT.pack(PT_PHDR, 4, 64, 64, 64, table_size, table_size, 8)
        out += SEGMENT.pack(PT_LOAD, 4, 0, 0, 0, end, end, PAGE)
        for group, flags in ((_RX, 5), (_RELRO, 6), (_RW, 6)):
            if groups[group]:
                out += pack(PT_LOAD, flags, groups[group], PAGE)
        out += pack(PT_DYNAMIC, 6, [self._output(".dynamic")], 8)
        out += pack(_PT_GNU_RELRO, 4, groups[_RELRO], 1)
        out += SEGMENT.pack(_PT_GNU_STACK, 6, 0, 0, 0, 0, 0, 0)
        return out + pack(PT_NOTE, 4, [self._output(".note")], 4)

    def _write(self, end: int) -> bytes:
        strings, names = _Strings(), _Strings()
        symtab, first_global = self._local_symbols(strings)
        tail = [
            _Output(".symtab", SHT_SYMTAB, 0, 8, data=bytearray(symtab), link=".strtab",
                    info=first_global, entry=24),
            _Output(".shstrtab", SHT_STRTAB, 0, 1),
            _Output(".strtab", SHT_STRTAB, 0, 1, data=strings.data),
        ]  # fmt: skip
        everything = self.outputs + tail
        name_at = {o.name: names.add(o.name) for o in everything}
        tail[1].data = names.data
        data = bytearray(end)
        for o in tail:
            o.offset = _align(len(data), o.align)
            data += bytes(o.offset - len(data)) + o.data
        for o in self.outputs:
            if o.type != SHT_NOBITS:
                data[o.offset : o.offset + len(o.data)] = o.data
        table = _align(len(data), 8)
        data += bytes(table - len(data)) + bytes(SECTION.size)
        index = {o.name: n + 1 for n, o in enumerate(everything)}
        for o in everything:
            data += SECTION.pack(
                name_at[o.name], o.type, o.flags, o.address, o.offset, o.length,
                index.get(o.link, 0), o.info, o.align, o.entry,
            )  # fmt: skip
        source, segments = self.elf, self._segment_count()
        header_size = HEADER.size + SEGMENT.size * segments
        ident = source.data[:16]
        HEADER.pack_into(
            data, 0, ident, 3, source.machine, 1, 0, HEADER.size, table, source.flags,
            HEADER.size, SEGMENT.size, segments, SECTION.size, len(everything) + 1,
            index[".shstrtab"],
        )  # fmt: skip
        data[HEADER.size : header_size] = self._segments(header_size)
        return bytes(data)


def _destination(section: Section) -> tuple[str, int]:
    """Output section name and segment group of an input section."""
    if section.flags & SHF_EXECINSTR:
        return ".text", _RX
    if not section.flags & SHF_WRITE:
        return ".rodata", _R
    if section.name.startswith(".data.rel.ro"):
        return ".data.rel.ro", _RELRO
    return (".bss" if section.type == SHT_NOBITS else ".data"), _RW


def _hash(names: list[str]) -> bytearray:
    """SysV hash table (gABI, "Hash Table") for symbols 1..len(names)."""
    buckets = [0] * max(1, len(names))
    chains = [0] * (len(names) + 1)
    for index, name in enumerate(names, 1):
        h = 0
        for byte in name.encode():
            h = (h << 4) + byte
            h = (h ^ (h & 0xF0000000) >> 24) & 0x0FFFFFFF
        slot = h % len(buckets)
        chains[index] = buckets[slot]
        buckets[slot] = index
    words = [len(buckets), len(chains), *buckets, *chains]
    return bytearray(struct.pack(f"<{len(words)}I", *words))
