"""Windows of a pair of paths: the smallest pieces that cover what is different.

Equal instructions at both ends, and longer runs of them in between, stay outside. They run from
states that agree in all that is live in the original, so they keep them in agreement.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from asmevo.isa.decoded import decode
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import VGPR0
from asmevo.program.alignment import align
from asmevo.prove.versions.modes import float_mode
from asmevo.prove.versions.regions import ALWAYS, Cut, PathPair
from asmevo.prove.versions.sides import Side
from asmevo.prove.window import Assumptions, Window

_APART = 4  # equal instructions between two edits that make two windows of them


@dataclass(frozen=True, slots=True)
class Piece:
    """A window and where it comes from.

    Attributes:
        window: what is to be proved.
        before, after: indices of its instructions in the two programs, in the order of execution;
            one that runs several times is there as often.
        start: the cut that its path begins at.
        ends: the cuts that its path may end at.
        notes: instructions of the window that are in neither program: they write down which way a
            branch went.
        doubtful: units of `window.live_out` that are live in lanes that other writes left out, at
            most; what differs in them alone may change nothing.
    """

    window: Window
    before: tuple[int, ...]
    after: tuple[int, ...]
    start: Cut
    ends: tuple[Cut, ...]
    notes: frozenset[Instruction]
    doubtful: frozenset[int]


class Cutter:
    """Makes windows of the paths of two versions of a function."""

    def __init__(self, k0: Side, k1: Side) -> None:
        self.k0, self.k1 = k0, k1
        self.mode = float_mode(k0.program, k0.function)

    def pieces(self, pair: PathPair, ends: tuple[Cut, ...], apart: int = _APART) -> list[Piece]:
        """Windows of a pair of paths; none where both run the same.

        Args:
            pair: the paths.
            ends: for the record.
            apart: equal instructions in a row that divide two windows; 0 for one window in all.
        """
        old, new = self._keys(pair.before, self.k0), self._keys(pair.after, self.k1)
        if old == new:
            return []
        same = align(old, new)
        found: list[Piece] = []
        for a0, a1, b0, b1 in _gaps(same, len(old), len(new), apart or len(old) + 1):
            inside = [(a, b) for a, b in same if a0 <= a < a1]
            found.append(self._piece(pair, (a0, a1), (b0, b1), inside, ends))
        return found

    def _keys(self, items: Sequence[int], side: Side) -> list[Hashable]:
        return [("note", n) if n < 0 else side.keys[n] for n in items]

    def _piece(
        self, pair: PathPair, old: tuple[int, int], new: tuple[int, int],
        same: Sequence[tuple[int, int]], ends: tuple[Cut, ...],
    ) -> Piece:  # fmt: skip
        first, second = pair.before[slice(*old)], pair.after[slice(*new)]
        before = [self._inst(pair, n, self.k0) for n in first]
        after = [self._inst(pair, n, self.k1) for n in second]
        for a, b in same:  # distances that only moved with the code are those of the original
            after[b - new[0]] = before[a - old[0]]
        live = self._live(pair, old[1])
        touched = [decode(i, self.k0.program.target) for i in (*before, *after)]
        if not any(d.traits.indirect for d in touched):
            live &= frozenset[int]().union(*(d.defs for d in touched))
        real = tuple(n for n in first if n >= 0)
        where = f"{real[0]}..{real[-1]}" if real else f"before {self._behind(pair, old[0])}"
        return Piece(
            Window(
                self.k0.program.target, tuple(before), tuple(after), live, self.mode,
                self._assumptions(pair, old[0], new[0]),
                name=f"{self.k0.function.name}: {where}",
            ),
            real, tuple(n for n in second if n >= 0), pair.start, ends,
            frozenset(pair.notes[-n - 1][0] for n in (*first, *second) if n < 0),
            self._doubtful(pair, old[1], live),
        )  # fmt: skip

    def _doubtful(self, pair: PathPair, at: int, live: frozenset[int]) -> frozenset[int]:
        behind = self._behind(pair, at)
        if self.k0.decoded(behind) is None:
            return frozenset()
        wanted = self.k0.surely_wanted(behind)
        return frozenset(u for u in live if u >= VGPR0 and not wanted >> u & 1)

    def _assumptions(self, pair: PathPair, a: int, b: int) -> Assumptions:
        """What is known where a window begins: where the kernel's arguments can be read."""
        places = self.k0.kernarg, self.k1.kernarg
        at = self._behind(pair, a), next(
            (n for n in pair.after[b:] if n >= 0), pair.end[1] if pair.end else -1
        )  # fmt: skip
        if places[0] is None or places[0] != places[1]:
            return Assumptions()
        units = frozenset((places[0][0], places[0][0] + 1))
        if all(k.untouched(n, units) for k, n in zip((self.k0, self.k1), at, strict=True)):
            return Assumptions(readable=(places[0],))
        return Assumptions()

    def _behind(self, pair: PathPair, at: int) -> int:
        following = (n for n in pair.before[at:] if n >= 0)
        return next(following, pair.end[0] if pair.end else self.k0.function.last)

    def _inst(self, pair: PathPair, n: int, side: Side) -> Instruction:
        return pair.notes[-n - 1][0] if n < 0 else side.inst(n)

    def _live(self, pair: PathPair, at: int) -> frozenset[int]:
        """Units of the original that somebody looks at in front of its item `at`."""
        written = [units for n, (_, units) in enumerate(pair.notes) if -n - 1 in pair.before[:at]]
        read: set[int] = set()
        while at < len(pair.before) and pair.before[at] < 0:
            note = pair.notes[-pair.before[at] - 1][0]
            read |= decode(note, self.k0.program.target).uses
            at += 1
        if at == len(pair.before):
            own = pair.live
        else:
            own = self.k0.live.live_before(pair.before[at]) | ALWAYS
        return own.union(read, *written)


def _gaps(
    same: Sequence[tuple[int, int]], n: int, m: int, apart: int
) -> list[tuple[int, int, int, int]]:
    """Ranges of both sides that are different, with short equal runs between them included."""
    runs: list[tuple[int, int, int]] = []  # first before, first after, length
    for a, b in same:
        if runs and (a, b) == (runs[-1][0] + runs[-1][2], runs[-1][1] + runs[-1][2]):
            runs[-1] = (runs[-1][0], runs[-1][1], runs[-1][2] + 1)
        else:
            runs.append((a, b, 1))
    kept = [
        (a, b, size) for a, b, size in runs
        if size >= apart or (a, b) == (0, 0) or (a + size, b + size) == (n, m)
    ]  # fmt: skip
    gaps: list[tuple[int, int, int, int]] = []
    a = b = 0
    for x, y, length in (*kept, (n, m, 0)):
        if x > a or y > b:
            gaps.append((a, x, b, y))
        a, b = x + length, y + length
    return gaps
