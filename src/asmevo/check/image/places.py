"""Addresses of two versions of an object, made comparable.

An address of data is a section and a distance. An address of code is a function and a place in it;
in a function that was edited it is followed by the alignment of both versions, and may lie
anywhere between what is kept before it and what is kept from it on.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from asmevo.check.image.reader import Image
from asmevo.program.alignment import align
from asmevo.program.model import Function, Program

Place = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class CodePlace:
    """A place in the code: the function's ordinal and the byte offset in `.text`."""

    function: int
    offset: int


@dataclass(frozen=True, slots=True)
class Span:
    """Addresses and file offset of the code: of `.text`, or of all executable sections."""

    address: int
    end: int
    offset: int

    @property
    def size(self) -> int:
        """Number of bytes."""
        return self.end - self.address

    @property
    def file_end(self) -> int:
        """File offset behind it."""
        return self.offset + self.size


class Places:
    """Where the addresses of one object lie."""

    def __init__(self, image: Image, program: Program) -> None:
        self.image, self.program = image, program
        text = program.object.text_section
        self.text = Span(text.address, text.address + text.size, text.offset)
        self.code = frozenset(s.index for s in program.object.code_sections)
        self._starts = [program.offsets[f.first] if f.first < len(program.offsets) else
                        self.text.size for f in program.functions]  # fmt: skip
        # (first, end, section) of what lies in memory and in the file, in order.
        self._loaded = sorted((s.address, s.end, s.index) for s in image.sections if s.loaded)
        self._filed = sorted((s.offset, s.file_end, s.index) for s in image.sections
                             if s.file_end > s.offset)  # fmt: skip

    def of_address(self, address: int, ends: bool = False) -> Place | CodePlace:
        """The place of an address; with `ends` of an end, which belongs to what lies before it."""
        low, high = self.text.address, self.text.end
        if low <= address <= high and not (ends and address in (low, high)):
            return self.of_code(address - low)
        return _place(self._loaded, address, ends)

    def of_code(self, offset: int) -> CodePlace:
        """The place of a byte offset in `.text`."""
        return CodePlace(bisect_right(self._starts, offset) - 1, offset)

    def of_file(self, offset: int, ends: bool = False) -> Place:
        """The section and distance of a file offset."""
        return _place(self._filed, offset, ends)

    def index_at(self, offset: int) -> int | None:
        """Instruction at a byte offset in `.text`, or None; the end is one behind the last."""
        offsets = self.program.offsets
        if offset == self.text.size:
            return len(offsets)
        n = bisect_left(offsets, offset)
        return n if n < len(offsets) and offsets[n] == offset else None


def _place(spans: list[tuple[int, int, int]], at: int, ends: bool) -> Place:
    before = bisect_left(spans, (at,) if ends else (at + 1,))
    # Empty sections may begin where another one does; what holds the place is looked for first.
    for low, high, index in reversed(spans[:before]):
        if low < at <= high if ends else low <= at < high:
            return (index, at - high if ends else at - low)
        if high > low:
            return (index, "behind", at - high)
    return ("head", at)


class Follower:
    """Says whether a place of K1's code is the one that a place of K0's code became.

    Args:
        k0, k1: both objects.
        kept: per function (by ordinal), whether it is the same in both.
    """

    def __init__(self, k0: Places, k1: Places, kept: list[bool]) -> None:
        self.k0, self.k1, self._kept = k0, k1, kept
        self._aligned: dict[int, tuple[list[int], list[int]]] = {}

    def same(self, old: Place | CodePlace, new: Place | CodePlace) -> bool:
        """Whether `new` is what became of `old`."""
        if not isinstance(old, CodePlace) or not isinstance(new, CodePlace):
            return old == new
        if old.function != new.function:
            return self._ends(old, new)
        if old.function < 0 or self._kept[old.function]:
            a, b = (p.program.offsets[p.program.functions[old.function].first]
                    for p in (self.k0, self.k1))  # fmt: skip
            return old.offset - a == new.offset - b or self._ends(old, new)
        return self._within(old, new)

    def _ends(self, old: CodePlace, new: CodePlace) -> bool:
        return old.offset == self.k0.text.size and new.offset == self.k1.text.size

    def _within(self, old: CodePlace, new: CodePlace) -> bool:
        i, j = self.k0.index_at(old.offset), self.k1.index_at(new.offset)
        if i is None or j is None:
            return False
        f, g = (p.program.functions[old.function] for p in (self.k0, self.k1))
        if i == f.first or j == g.first:
            return i == f.first and j == g.first
        before, after = self._alignment(old.function, f, g)
        n = bisect_left(before, i)
        low = after[n - 1] + 1 if n else g.first
        high = after[n] if n < len(after) else g.padding_last
        return low <= j <= high

    def _alignment(self, number: int, f: Function, g: Function) -> tuple[list[int], list[int]]:
        found = self._aligned.get(number)
        if found is None:
            a = self.k0.program.instructions[f.first : f.padding_last]
            b = self.k1.program.instructions[g.first : g.padding_last]
            pairs = align(a, b)
            found = [f.first + x for x, _ in pairs], [g.first + y for _, y in pairs]
            self._aligned[number] = found
        return found
