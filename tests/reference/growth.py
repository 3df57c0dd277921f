"""Two objects compared after one was grown, without the code that grew it.

Its own reader of ELF and LLVM's plain disassembly. The grown object must have the same instructions
in the same order, but for inserted markers (`s_nop 13`), padding and islands (`s_branch`); every
branch, PC-relative address, symbol, relocation, dynamic entry and descriptor must lead to the
instruction or the byte that it led to; no other byte that is loaded may differ.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from asmevo.isa.codec.llvm import disassembler
from asmevo.isa.target import Target

MARKER_TEXT = "s_nop 13"
MARKER = bytes.fromhex("0d0080bf")
_PADDING = (bytes(4), bytes.fromhex("000080bf"), bytes.fromhex("00009fbf"))  # nothing, nop, end
_ISLAND = b"\x82\xbf"  # upper half of s_branch up to gfx10
_ISLAND_11 = b"\xa0\xbf"  # and from gfx11 on
_RELATIVE64 = 13
_ALLOC, _NOBITS, _RELA, _RELR = 2, 8, 4, 19
_MOST_FAULTS = 8


@dataclass(frozen=True)
class Section:
    """One section header."""

    name: str
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int


@dataclass(frozen=True)
class Symbol:
    """One entry of a symbol table."""

    table: int
    name: str
    info: int
    other: int
    section: int
    value: int
    size: int


class Object:
    """The parts of an ELF file that a growth moves."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        program_at, section_at = struct.unpack_from("<QQ", data, 32)
        (self.flags,) = struct.unpack_from("<I", data, 48)
        entry, count, section_entry, sections, names = struct.unpack_from("<5H", data, 54)
        self.segments = [
            struct.unpack_from("<2I6Q", data, program_at + i * entry) for i in range(count)
        ]
        raw = [
            struct.unpack_from("<2I4Q2I2Q", data, section_at + i * section_entry)
            for i in range(sections)
        ]
        self.sections = [
            Section(self._string(raw[names][4] + r[0]), r[1], r[2], r[3], r[4], r[5], r[6])
            for r in raw
        ]
        self.text = next(s for s in self.sections if s.name == ".text")

    def _string(self, at: int) -> str:
        return self.data[at : self.data.index(b"\0", at)].decode("utf-8", "replace")

    @property
    def code(self) -> bytes:
        return self.data[self.text.offset : self.text.offset + self.text.size]

    def place(self, address: int) -> tuple[str, int] | None:
        """(section, offset in it) of an address that is loaded."""
        for s in self.sections:
            if s.flags & _ALLOC and s.address <= address < s.address + max(s.size, 1):
                return s.name, address - s.address
        return None

    def bytes_at(self, address: int, size: int) -> bytes:
        for s in self.sections:
            if s.flags & _ALLOC and s.type != _NOBITS and s.address <= address < s.address + s.size:
                at = s.offset + address - s.address
                return self.data[at : at + size]
        return b""

    @cached_property
    def symbols(self) -> list[Symbol]:
        out: list[Symbol] = []
        for s in self.sections:
            if s.type in (2, 11):
                strings = self.sections[s.link].offset
                for i in range(s.size // 24):
                    n, *rest = struct.unpack_from("<I2BH2Q", self.data, s.offset + 24 * i)
                    out.append(Symbol(s.type, self._string(strings + n), *rest))
        return out

    def relocations(self) -> list[tuple[int, int, int]]:
        return [
            struct.unpack_from("<QQq", self.data, s.offset + 24 * i)
            for s in self.sections if s.type == _RELA for i in range(s.size // 24)
        ]  # fmt: skip

    def dynamic(self) -> list[tuple[int, int]]:
        return [
            struct.unpack_from("<qQ", self.data, s.offset + 16 * i)
            for s in self.sections if s.type == 6 for i in range(s.size // 16)
        ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    """One decoded instruction."""

    at: int
    raw: bytes
    text: str


def lines_of(code: bytes, target: Target) -> list[Line]:
    """LLVM's disassembly; a word it cannot read is a line of its own."""
    out: list[Line] = []
    for d in disassembler(target).decode(code):
        raw = code[d.offset : d.offset + d.size]
        if d.text is None:
            out += [Line(d.offset + i, raw[i : i + 4], "") for i in range(0, len(raw), 4)]
        else:
            out.append(Line(d.offset, raw, d.text.strip().replace("\t", " ")))
    return out


def _branches(line: Line) -> bool:
    """Whether the low half of the word is a distance in words."""
    name = line.text.partition(" ")[0]
    return name in ("s_branch", "s_call_b64", "s_call_i64", "s_cbranch_i_fork") or name.startswith(
        ("s_cbranch_scc", "s_cbranch_vcc", "s_cbranch_exec", "s_cbranch_cdbg", "s_subvector_loop")
    )


class Comparison:
    """The faults of a grown object; empty when it is right."""

    def __init__(self, before: bytes, after: bytes, target: Target) -> None:
        self.a, self.b = Object(before), Object(after)
        self.faults: list[str] = []
        self.checked = {"instructions": 0, "branches": 0, "addresses": 0, "relocations": 0}
        self._old, self._new = lines_of(self.a.code, target), lines_of(self.b.code, target)
        self._at_new = {line.at: n for n, line in enumerate(self._new)}
        self._at_old = {line.at: n for n, line in enumerate(self._old)}
        self._islands: set[int] = set()
        self._map: dict[int, int] = {}
        self._island = _ISLAND_11 if target.major >= 11 else _ISLAND
        if self._align():
            self._branch_targets()
            self._addresses()
            self._tables()
        self._data()

    def _fault(self, text: str) -> None:
        if len(self.faults) < _MOST_FAULTS:
            self.faults.append(text)

    def _padding(self, line: Line) -> bool:
        return line.raw in _PADDING

    def _align(self) -> bool:
        """Pair the instructions of both, in order."""
        old = [line for line in self._old if not self._padding(line)]
        new = [x for x in self._new if not self._padding(x) and x.raw != MARKER]
        j = 0
        for line in old:
            while j < len(new) and not self._same(line, new[j]) and self._is_island(new[j]):
                self._islands.add(new[j].at)
                j += 1
            if j == len(new) or not self._same(line, new[j]):
                there = new[j].text if j < len(new) else "the end"
                self._fault(f"0x{line.at:x} {line.text}: there is {there}")
                return False
            self._map[line.at] = new[j].at
            j += 1
        for line in new[j:]:
            if not self._is_island(line):
                self._fault(f"0x{line.at:x} {line.text} is too much")
            self._islands.add(line.at)
        self.checked["instructions"] = len(old)
        return True

    def _is_island(self, line: Line) -> bool:
        return line.raw[2:] == self._island

    def _same(self, x: Line, y: Line) -> bool:
        if x.raw == y.raw:
            return True
        if _branches(x):
            return x.raw[2:] == y.raw[2:]
        # The literal of an address may differ; what it leads to is looked at in `_addresses`.
        scalar = x.text.startswith("s_add") and len(x.raw) > 4
        return scalar and x.raw[:4] == y.raw[:4] and len(x.raw) == len(y.raw)

    def _arrives(self, at: int) -> int:
        """The first real instruction that control at a new offset comes to."""
        for _ in range(100_000):
            n = self._at_new.get(at)
            if n is None:
                return at
            line = self._new[n]
            if at in self._islands:
                at += 4 + 4 * int.from_bytes(line.raw[:2], "little", signed=True)
            elif line.raw == MARKER:
                at += 4
            else:
                return at
        return at

    def _leads(self, old: int, new: int, what: str) -> None:
        """Text offset `old` before must be text offset `new` now."""
        if old in self._map:
            if self._arrives(new) != self._map[old]:
                self._fault(f"{what}: 0x{old:x} became 0x{new:x}, not 0x{self._map[old]:x}")
        elif not self._same_padding(old, new):
            self._fault(f"{what}: 0x{old:x} is no instruction; it became 0x{new:x}")

    def _same_padding(self, old: int, new: int) -> bool:
        """Padding may be named (as an end, say): the next instruction must be the same."""
        n, m = self._at_old.get(old), self._at_new.get(new)
        if old == len(self.a.code):
            return new <= len(self.b.code)
        if n is None or m is None:
            return False
        later = [x.at for x in self._old[n:] if x.at in self._map][:1]
        then = [x.at for x in self._new[m:] if not self._padding(x) and x.raw != MARKER][:1]
        return not later or [self._map[later[0]]] == then

    def _goes(self, old_address: int, new_address: int, what: str) -> None:
        """An address before must be the same place now."""
        t, u = self.a.text, self.b.text
        if t.address <= old_address < t.address + t.size:
            self._leads(old_address - t.address, new_address - u.address, what)
        elif self.a.place(old_address) != self.b.place(new_address):
            self._fault(f"{what}: 0x{old_address:x} became 0x{new_address:x}")

    def _branch_targets(self) -> None:
        for line in self._old:
            if _branches(line) and line.at in self._map:
                new = self._new[self._at_new[self._map[line.at]]]
                distances = [
                    x.at + 4 + 4 * int.from_bytes(x.raw[:2], "little", signed=True)
                    for x in (line, new)
                ]
                self._leads(*distances, f"{line.text} at 0x{line.at:x}")
                self.checked["branches"] += 1

    def _addresses(self) -> None:
        for line in self._old:
            if line.text.startswith(("s_getpc_b64", "s_get_pc_i64")) and line.at in self._map:
                was = formed(self._old, self._at_old[line.at])
                now = formed(self._new, self._at_new[self._map[line.at]])
                if was is None or now is None:
                    if was is not now:
                        self._fault(f"{line.text} at 0x{line.at:x} has lost its additions")
                    continue
                old, new = self.a.text.address + was, self.b.text.address + now
                self._goes(old, new, f"{line.text} at 0x{line.at:x}")
                self.checked["addresses"] += 1

    def _tables(self) -> None:
        a, b = self.a, self.b
        if len(a.relocations()) != len(b.relocations()):
            self._fault("another number of relocations")
        for x, y in zip(a.relocations(), b.relocations(), strict=False):
            self._goes(x[0], y[0], "place of a relocation")
            if x[1] != y[1]:
                self._fault("another kind of relocation")
            if x[1] & 0xFFFFFFFF == _RELATIVE64:
                self._goes(x[2], y[2], "target of a relocation")
            elif x[2] != y[2]:
                self._fault("another addend")
            self.checked["relocations"] += 1
        if any(s.type == _RELR and s.size for s in a.sections):
            self._fault("packed relocations are not looked at here")
        names = [[(s.table, s.name, s.info, s.other, s.section) for s in o.symbols] for o in (a, b)]
        if names[0] != names[1]:
            self._fault("other symbols")
        for x, y in zip(a.symbols, b.symbols, strict=False):
            self._symbol(x, y)
        for (tag, value), (tag_now, now) in zip(a.dynamic(), b.dynamic(), strict=True):
            if tag != tag_now:
                self._fault("other dynamic entries")
            elif tag in (3, 4, 5, 6, 7, 12, 13, 23, 25, 26, 0x6FFFFEF5):
                self._goes(value, now, f"dynamic tag {tag}")
            elif value != now:
                self._fault(f"dynamic tag {tag} changed")

    def _symbol(self, x: Symbol, y: Symbol) -> None:
        if x.section == 0 or x.section >= len(self.a.sections):
            if x.value != y.value:
                self._fault(f"value of {x.name} changed")
            return
        self._goes(x.value, y.value, f"symbol {x.name}")
        if self.a.sections[x.section].name == ".text" and x.size:
            end = x.value + x.size - self.a.text.address
            if end in self._map:
                self._leads(end, y.value + y.size - self.b.text.address, f"end of {x.name}")
        elif x.size != y.size and x.section != self.a.sections.index(self.a.text):
            self._fault(f"size of {x.name} changed")
        if x.name.endswith(".kd") and x.table == 11:
            was, now = self.a.bytes_at(x.value, 64), self.b.bytes_at(y.value, 64)
            entries = [struct.unpack_from("<q", d, 16)[0] for d in (was, now)]
            self._goes(x.value + entries[0], y.value + entries[1], f"entry of {x.name}")
            if (y.value + entries[1]) % 256:
                self._fault(f"entry of {x.name} is not aligned")
            if was[:16] + was[24:] != now[:16] + now[24:]:
                self._fault(f"descriptor {x.name} changed")

    def _data(self) -> None:
        """Every other loaded byte, and segments that a loader accepts."""
        a, b = self.a, self.b
        if [s.name for s in a.sections] != [s.name for s in b.sections]:
            self._fault("other sections")
            return
        places = {r[0] for r in a.relocations()}
        kernels = {s.value for s in a.symbols if s.name.endswith(".kd")}
        written = (".text", ".dynamic", ".dynsym", ".rela.dyn", ".relr.dyn")
        for s, t in zip(a.sections, b.sections, strict=True):
            if not s.flags & _ALLOC or s.name in written or s.type == _NOBITS:
                continue
            was, now = (o.data[x.offset : x.offset + x.size] for o, x in ((a, s), (b, t)))
            if len(was) != len(now):
                self._fault(f"size of {s.name} changed")
                continue
            for i in range(0, len(was), 8):
                at = s.address + i
                moved = at in places or at - 16 in kernels
                if was[i : i + 8] != now[i : i + 8] and not moved:
                    self._fault(f"{s.name}+0x{i:x} changed")
                    break
        loads = [p for p in b.segments if p[0] == 1]
        for p in loads:
            if (p[7] and (p[2] - p[3]) % p[7]) or p[2] + p[5] > len(b.data):
                self._fault("a segment is misplaced")
        ordered = sorted((p[3], p[3] + p[6]) for p in loads)
        if any(end > start for (_, end), (start, _) in pairwise(ordered)):
            self._fault("segments overlap")
        for s in b.sections:
            if s.flags & _ALLOC and s.type != _NOBITS and s.size and not any(
                p[3] <= s.address and s.address + s.size <= p[3] + p[5]
                and p[2] + s.address - p[3] == s.offset for p in loads
            ):  # fmt: skip
                self._fault(f"{s.name} is not loaded from where it is")


def formed(lines: Sequence[Line], at: int) -> int | None:
    """Text offset that the `s_getpc` at an index and the additions behind it form, or None."""
    pair = lines[at].text.partition("s[")[2].partition("]")[0]
    first, _, last = pair.partition(":")
    base, low = lines[at].at + len(lines[at].raw), None
    for line in lines[at + 1 : at + 160]:
        name, _, operands = line.text.partition(" ")
        name = name.replace("_co_ci_", "c_").replace("_co_", "_")
        parts = operands.split(", ")
        literal = line.raw[4:]
        if name == "s_add_nc_u64" and parts[:2] == [f"s[{pair}]"] * 2:
            return base + int.from_bytes(literal, "little", signed=True)
        if name == "s_add_u32" and parts[:2] == [f"s{first}"] * 2 and len(literal) == 4:
            low = literal
        elif name == "s_addc_u32" and parts[:2] == [f"s{last}"] * 2 and low and len(literal) == 4:
            return base + int.from_bytes(low + literal, "little", signed=True)
        elif name == "s_add_i32" and len(literal) == 4 and parts[-1].isdigit():
            return base + int.from_bytes(literal, "little", signed=True) + int(parts[-1])
    return None


def compare(before: bytes, after: bytes, target: Target) -> list[str]:
    """The faults of `after`, which is `before` with markers in its code; empty when right."""
    return Comparison(before, after, target).faults
