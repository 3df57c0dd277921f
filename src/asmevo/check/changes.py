"""What an edit changed: instructions of both versions that are not the other's.

Functions are aligned by their instructions, in linear time and at any size; branches by what they
do and where they lead, not by their distance. A block whose instructions are those of the original
in an order that provably does the same (`program.permutation`) counts as reordered, not as changed.
So does a branch round code that does nothing when no lane is on, if that code follows in its place.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from asmevo.isa.decoded import OpClass, decode
from asmevo.isa.flow import flow_of
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import VGPR0
from asmevo.program.alignment import align
from asmevo.program.cfg import Block, blocks
from asmevo.program.keys import keys, place
from asmevo.program.model import Function, Program
from asmevo.program.permutation import reordered


@dataclass(frozen=True, slots=True)
class Changes:
    """Indices of instructions, ascending; padding left out.

    Attributes:
        removed: of the original, that the edited program does not have there.
        added: of the edited program, that the original does not have there.
        reordered: of the edited program, in blocks that were only put in another order.
    """

    removed: tuple[int, ...] = ()
    added: tuple[int, ...] = ()
    reordered: tuple[int, ...] = ()


def changes(k0: Program, k1: Program) -> Changes:
    """What is different in `k1`; all of it where the functions are others."""
    if [f.name for f in k0.functions] != [f.name for f in k1.functions]:
        return Changes(tuple(range(len(k0.instructions))), tuple(range(len(k1.instructions))))
    removed: list[int] = []
    added: list[int] = []
    moved: list[int] = []
    for f, g in zip(k0.functions, k1.functions, strict=True):
        found = _Pair(k0, k1, f, g).changes()
        removed += found.removed
        added += found.added
        moved += found.reordered
    return Changes(tuple(removed), tuple(added), tuple(moved))


class _Pair:
    """One function in both versions."""

    def __init__(self, k0: Program, k1: Program, f: Function, g: Function) -> None:
        self.k0, self.k1, self.f, self.g = k0, k1, f, g
        self.old, self.new = keys(k0, f), keys(k1, g)
        pairs = align(self.old, self.new)
        self.before = [f.first + a for a, _ in pairs]
        self.after = [g.first + b for _, b in pairs]

    def changes(self) -> Changes:
        """See `changes`."""
        kept = {(i, j) for i, j in zip(self.before, self.after, strict=True) if self._leads(i, j)}
        f, g = self.f, self.g
        removed = set(range(f.first, f.last)) - {i for i, _ in kept}
        added = set(range(g.first, g.last)) - {j for _, j in kept}
        moved: list[int] = []
        removed -= {i for i in removed if self._idle_without(i)}
        if removed or added:
            for a, b in self._same_blocks():
                gone, come = range(a.first, a.last), range(b.first, b.last)
                if removed.isdisjoint(gone) and added.isdisjoint(come):
                    continue
                if self._same_end(a, b) and not self._broken(a, b):
                    moved += sorted(added & set(come))
                    removed -= set(gone)
                    added -= set(come)
        return Changes(tuple(sorted(removed)), tuple(sorted(added)), tuple(sorted(moved)))

    def _leads(self, i: int, j: int) -> bool:
        """Whether two instructions with equal keys go to the same place, if they go anywhere."""
        old, new = self.k0.targets.get(i), self.k1.targets.get(j)
        if old is None or new is None:
            return old == new
        inside = self.f.first <= old < self.f.padding_last
        if inside != (self.g.first <= new < self.g.padding_last):
            return False
        if not inside:
            return place(self.k0, old) == place(self.k1, new)
        # What stands in front of the old target, and from it on, stands so to the new one.
        n = bisect_left(self.before, old)
        low = self.after[n - 1] + 1 if n else self.g.first
        return low <= new <= (self.after[n] if n < len(self.after) else self.g.padding_last)

    def _idle_without(self, i: int) -> bool:
        """Whether a branch round code for waves without lanes may go: that code is idle then."""
        target = self.k0.targets.get(i)
        if target is None or not flow_of(self.k0.instructions[i].base).skips_without_lanes:
            return False
        n, m = bisect_left(self.before, i), bisect_left(self.before, target)
        first = self.after[n - 1] + 1 if n else self.g.first
        last = self.after[m] if m < len(self.after) else self.g.last
        return i < target and all(_idle(self.k1, j) for j in range(first, last))

    def _same_blocks(self) -> Iterator[tuple[Block, Block]]:
        """Blocks of the same instructions, whatever their order."""
        a, b = blocks(self.k0, self.f), blocks(self.k1, self.g)
        bags = [
            [frozenset(Counter(keys[x.first - first : x.last - first]).items()) for x in found]
            for keys, found, first in ((self.old, a, self.f.first), (self.new, b, self.g.first))
        ]
        return ((a[x], b[y]) for x, y in align(*bags))

    def _same_end(self, a: Block, b: Block) -> bool:
        last = (self.k0.instructions[a.last - 1], self.k1.instructions[b.last - 1])
        jumps = [k.targets.get(x.last - 1) for k, x in ((self.k0, a), (self.k1, b))]
        if jumps == [None, None]:
            return True
        return last[0].base == last[1].base and self._leads(a.last - 1, b.last - 1)

    def _broken(self, a: Block, b: Block) -> str:
        runs: list[tuple[Instruction, ...]] = []
        for k, x in ((self.k0, a), (self.k1, b)):
            jumps = x.last - 1 in k.targets  # nothing passes it, and its bytes are a distance
            runs.append(k.instructions[x.first : x.last - jumps])
        return reordered(runs[0], runs[1], self.k0.target)


_IDLE = frozenset({OpClass.VALU, OpClass.TRANS, OpClass.VMEM, OpClass.FLAT, OpClass.LDS})
_NOTHING = frozenset({OpClass.WAIT, OpClass.NOP})


def _idle(program: Program, index: int) -> bool:
    """Whether an instruction does nothing when EXEC is zero, but takes time.

    Vector instructions write enabled lanes only; but one that writes a scalar writes it all the
    same (CDNA3 ISA section 3.3), and matrix instructions ignore EXEC.
    """
    d = decode(program.instructions[index], program.target)
    if d.kind in _NOTHING:
        return True
    vector = all(unit >= VGPR0 for unit in d.defs)
    return d.kind in _IDLE and vector and not d.traits.ignores_exec and not d.lds_dma
