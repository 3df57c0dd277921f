"""Header tables, symbols, relocations and data of two objects whose code may have moved."""

from __future__ import annotations

from collections.abc import Iterator

from asmevo.check.image.places import Follower, Place, Span
from asmevo.check.image.reader import Header, Image, Load
from asmevo.codeobject.descriptor import SIZE as DESCRIPTOR_BYTES
from asmevo.codeobject.elf import (
    DYNAMIC,
    HEADER,
    PT_LOAD,
    PT_PHDR,
    RELA,
    SECTION,
    SEGMENT,
    SHF_WRITE,
    SHN_LORESERVE,
    SHT_DYNAMIC,
    SHT_DYNSYM,
    SHT_NOBITS,
    SHT_NOTE,
    SHT_NULL,
    SHT_RELA,
    SHT_SYMTAB,
)
from asmevo.codeobject.relocations import RelocationType

_PAGE = 4096
# Dynamic tags whose value is an address (gABI figure 5-10, and the GNU extensions).
_ADDRESSES = frozenset(
    {3, 4, 5, 6, 7, 12, 13, 17, 23, 25, 26, 32, 0x6FFFFEF5, 0x6FFFFFF0, 0x6FFFFFFC, 0x6FFFFFFE}
)
# Fields of the ELF header that say where the tables are; they are judged by what is there.
_MOVES = (4, 5, 6)
_Difference = tuple[str, str]


class Tables:
    """Compares everything but the code.

    Args:
        follow: places of both objects.
        declared: whether the edit declares other resources, which the notes restate.
    """

    def __init__(self, follow: Follower, declared: bool) -> None:
        self.follow = follow
        self.k0, self.k1 = follow.k0, follow.k1
        self.old, self.new = follow.k0.image, follow.k1.image
        self.declared = declared
        self.resized = self.k0.text.size != self.k1.text.size

    def differences(self) -> Iterator[_Difference]:
        """(rule, what differs) of everything that does not follow from the code."""
        yield from self._header()
        yield from self._segments()
        yield from self._section_headers()
        for a, b in zip(self.old.sections, self.new.sections, strict=True):
            if a.index not in self.k0.code:
                yield from self._contents(a, b)
        yield from self._entries()
        yield from self._padding()

    # --- header tables ------------------------------------------------------------------------
    def _header(self) -> Iterator[_Difference]:
        for n, (a, b) in enumerate(zip(self.old.header, self.new.header, strict=True)):
            if n not in _MOVES and a != b:
                yield "header", f"field {n} of the ELF header was {a!r}, is {b!r}"
        a, b = self.old.entry, self.new.entry
        if (a == 0) != (b == 0) or (a and not self._same(a, b)):
            yield "header", "the ELF header's entry address differs"
        if self.k0.of_file(self.old.phoff) != self.k1.of_file(self.new.phoff):
            yield "header", "the program headers are elsewhere"

    def _segments(self) -> Iterator[_Difference]:
        for n, (a, b) in enumerate(zip(self.old.segments, self.new.segments, strict=False)):
            fixed = (a.type, a.flags, a.align) == (b.type, b.flags, b.align)
            physical = a.physical - a.address == b.physical - b.address or a.physical == b.physical
            if not fixed or not physical or not self._same_span(a, b):
                yield "segment", f"program header {n} does not follow from the code"

    def _same_span(self, a: Load, b: Load) -> bool:
        if a.type == PT_PHDR and (b.offset != self.new.phoff or b.address != b.offset):
            return (a.offset, a.address) == (b.offset, b.address)
        if not a.size and not a.file_size:  # GNU_STACK has flags only
            return a == b
        files = [
            (p.of_file(s.offset), p.of_file(s.offset + s.file_size, True) if s.file_size else 0)
            for p, s in ((self.k0, a), (self.k1, b))
        ]
        return (
            files[0] == files[1]
            and self._same(a.address, b.address)
            and self._same_end(a.address + a.size, b.address + b.size)
            and (a.size == a.file_size) == (b.size == b.file_size)
            and (a.type == PT_LOAD or a.size - a.file_size == b.size - b.file_size)
        )

    def _section_headers(self) -> Iterator[_Difference]:
        for a, b in zip(self.old.sections, self.new.sections, strict=True):
            fixed = [(s.name, s.type, s.flags, s.link, s.info, s.align, s.entry) for s in (a, b)]
            loaded = a.loaded and b.loaded
            moved = a.address != b.address and not loaded
            fixed_size = a.size == b.size and a.index not in self.k0.code
            size = fixed_size or self._may_resize(a, b)
            crooked = loaded and b.align > 1 and b.address % b.align and not a.address % a.align
            if fixed[0] != fixed[1] or moved or not size or crooked or (not a.type and a != b):
                yield "section", f"section header {a.index} does not follow from the code"
            elif b.file_end == b.offset and a.type and not self._same_gap(a, b):
                yield "section", f"section {a.index} without bytes is elsewhere in the file"

    def _may_resize(self, a: Header, b: Header) -> bool:
        if a.index in self.k0.code:
            same = self._same(a.address, b.address) and self._same_end(a.end, b.end)
            return same or len(self.k0.code) == 1
        if not a.loaded:
            # Line tables name addresses of the old code; a rebuild drops them.
            return self.resized and b.size == 0 and self._named(a).startswith(".debug_")
        # The linker fills up the page behind what is made read-only.
        fills = self._named(a) == ".relro_padding" and a.type == SHT_NOBITS
        return fills and not a.end % _PAGE and not b.end % _PAGE and b.size < 2 * _PAGE

    def _named(self, section: Header) -> str:
        return self.k0.program.object.elf.sections[section.index].name

    def _same_gap(self, a: Header, b: Header) -> bool:
        """Whether a section without bytes in the file lies behind the same one as it did."""
        if self.resized and b.size == 0 != a.size:
            return True
        before, after = self.k0.of_file(a.offset, True), self.k1.of_file(b.offset, True)
        # Memory that only the loader fills with zeros: its offset is at most rounded up.
        room = a.align if a.loaded and a.type == SHT_NOBITS else 0
        near = before[0] == after[0] and 0 <= _behind(after) < room
        return before == after or near

    # --- contents -----------------------------------------------------------------------------
    def _contents(self, a: Header, b: Header) -> Iterator[_Difference]:
        if a.type in (SHT_NULL, SHT_NOBITS):
            return
        name = f"{self._named(a) or 'section'} ({a.index})"
        old, new = self.old.data[a.offset : a.file_end], self.new.data[b.offset : b.file_end]
        if a.type in (SHT_SYMTAB, SHT_DYNSYM):
            yield from self._symbols(a, b, name)
        elif a.type == SHT_DYNAMIC:
            yield from self._dynamic(old, new)
        elif a.type == SHT_RELA:
            yield from self._relocations(old, new)
        elif a.type == SHT_NOTE and self.declared:
            return
        elif a.loaded and a.type != SHT_NOTE:
            yield from self._data(a, b, name)
        elif new != old and not (self.resized and not b.size):
            yield "contents", f"{name} differs"

    def _symbols(self, a: Header, b: Header, name: str) -> Iterator[_Difference]:
        for n, (x, y) in enumerate(zip(self.old.symbols(a), self.new.symbols(b), strict=False)):
            if x[:4] == y[:4] and (x[3] == 0 or x[3] >= SHN_LORESERVE):
                same = x == y
            else:
                same = x[:4] == y[:4] and self._same_symbol(x[3], x[4:], y[4:])
            if not same:
                yield "symbol", f"symbol {n} of {name} differs"

    def _same_symbol(self, section: int, x: tuple[int, ...], y: tuple[int, ...]) -> bool:
        if section >= len(self.old.sections):
            return x == y
        if section not in self.k0.code:
            a, b = (i.sections[section].address for i in (self.old, self.new))
            return x[0] - a == y[0] - b and x[1] == y[1]
        if not self._same(x[0], y[0]):
            return False
        if not x[1] or not y[1]:
            return x[1] == y[1]
        return self._same_end(x[0] + x[1], y[0] + y[1]) or self._same(x[0] + x[1], y[0] + y[1])

    def _dynamic(self, old: bytes, new: bytes) -> Iterator[_Difference]:
        for x, y in zip(DYNAMIC.iter_unpack(old), DYNAMIC.iter_unpack(new), strict=False):
            same = self._same(x[1], y[1]) if x[0] in _ADDRESSES else x[1] == y[1]
            if x[0] != y[0] or not same:
                yield "dynamic", f"dynamic entry with tag {x[0]} differs"

    def _relocations(self, old: bytes, new: bytes) -> Iterator[_Difference]:
        for n, (x, y) in enumerate(zip(RELA.iter_unpack(old), RELA.iter_unpack(new), strict=False)):
            relative = x[1] == RelocationType.RELATIVE64
            addend = self._same(x[2], y[2]) if relative and x[2] >= 0 else x[2] == y[2]
            if x[1] != y[1] or not addend or not self._same(x[0], y[0]):
                yield "relocation", f"relocation {n} differs"

    def _data(self, a: Header, b: Header, name: str) -> Iterator[_Difference]:
        """Data byte by byte; descriptors' entries and relocated words by where they lead."""
        old = bytearray(self.old.data[a.offset : a.file_end])
        new = bytearray(self.new.data[b.offset : b.file_end])
        for at in self._entry_fields(a):
            old[at : at + 8] = new[at : at + 8] = bytes(8)
        for kernel in self.k0.program.object.kernels:  # compared field by field with the ABI
            at = kernel.descriptor_offset - a.offset
            if 0 <= at < len(old):
                old[at : at + DESCRIPTOR_BYTES] = new[at : at + DESCRIPTOR_BYTES]
        addends = {w.place: w.addend for w in self.new.words()}
        for word in self.old.words():
            at = word.place - a.address
            if a.flags & SHF_WRITE and 0 <= at <= len(old) - 8 and old != new:
                # Some linkers store the addend in place as well.
                placed = int.from_bytes(new[at : at + 8], "little", signed=True)
                if placed == addends.get(b.address + at):
                    old[at : at + 8] = new[at : at + 8]
        if old != new:
            at = next((i for i, (x, y) in enumerate(zip(old, new, strict=False)) if x != y), 0)
            yield "data", f"{name} differs from byte {at} on"

    def _entry_fields(self, section: Header) -> set[int]:
        """Offsets in a section of the entry fields of kernel descriptors."""
        symbols = self.k0.program.object.elf.all_symbols()
        found = {s.value - section.address + 16 for s in symbols
                 if s.section == section.index and s.name.endswith(".kd")
                 and s.size == DESCRIPTOR_BYTES}  # fmt: skip
        return {at for at in found if 0 <= at <= section.size - 8}

    def _entries(self) -> Iterator[_Difference]:
        """Descriptors lead to the same code, and their prefetch does not reach past it."""
        for a, b in zip(self.old.sections, self.new.sections, strict=True):
            if not a.loaded or a.type == SHT_NOBITS:
                continue
            for at in self._entry_fields(a):
                entries = [_entry(i, s, at) for i, s in ((self.old, a), (self.new, b))]
                if not self._same(*entries):
                    yield "entry", "a kernel descriptor leads to other code"
        kernels = (self.k0.program.object.kernels, self.k1.program.object.kernels)
        for k, other in zip(*kernels, strict=False):
            if other.descriptor.inst_pref_size > k.descriptor.inst_pref_size:
                yield "entry", f"{k.name} prefetches more code than it did"

    # --- bytes that nothing names --------------------------------------------------------------
    def _padding(self) -> Iterator[_Difference]:
        """Bytes between the parts of the file: zero, or as they were behind the same part."""
        starts = {s.index: s for s in self.old.sections}
        for low, high, part in _gaps(self.new, self.k1.text):
            gap = self.new.data[low:high]
            if not any(gap):
                continue
            if part == "code":
                at = self.k0.text.file_end + low - self.k1.text.file_end
            elif isinstance(part, int):
                at = starts[part].offset + low - self.new.sections[part].offset
            else:
                at = low - {"header": 0, "segments": self.new.phoff - self.old.phoff,
                            "sections": self.new.shoff - self.old.shoff}[part]  # fmt: skip
            if self.old.data[at : at + len(gap)] != gap:
                yield "padding", f"bytes {low} to {high} of the file, which nothing names, differ"

    def _same(self, a: int, b: int) -> bool:
        return self.follow.same(self.k0.of_address(a), self.k1.of_address(b))

    def _same_end(self, a: int, b: int) -> bool:
        return self.follow.same(self.k0.of_address(a, True), self.k1.of_address(b, True))


def _behind(place: Place) -> int:
    """How far a place lies behind the end of what its first part names."""
    last = place[-1]
    return last if isinstance(last, int) and place[0] != "head" else -1


def _entry(image: Image, section: Header, at: int) -> int:
    """Address of the code that a descriptor's entry field leads to."""
    field = image.data[section.offset + at : section.offset + at + 8]
    return section.address + at - 16 + int.from_bytes(field, "little", signed=True)


def _gaps(image: Image, code: Span) -> Iterator[tuple[int, int, int | str]]:
    """(first, end, what lies before) of the bytes of a file that no table, section or code has."""
    parts: list[tuple[int, int, int | str]] = [
        (0, HEADER.size, "header"),
        (image.phoff, image.phoff + len(image.segments) * SEGMENT.size, "segments"),
        (image.shoff, image.shoff + len(image.sections) * SECTION.size, "sections"),
        (code.offset, code.file_end, "code"),
    ]
    parts += [(s.offset, s.file_end, s.index) for s in image.sections if s.file_end > s.offset]
    reached, before = 0, parts[0][2]
    for low, high, part in sorted(parts, key=lambda p: (p[0], p[1])):
        if low > reached:
            yield reached, low, before
        if high >= reached:
            reached, before = high, part
    if reached < len(image.data):
        yield reached, len(image.data), before
