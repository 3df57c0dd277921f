"""Where everything is after instructions were replaced, inserted or removed.

One map from old to new instruction indices, for edits, padding and islands. It asks one thing of
whoever inserts: does what points at the insertion point go in front of the new lines or behind
them? An instruction itself always stays behind what is inserted at it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate

from asmevo.isa.instruction import Instruction
from asmevo.program.grammar import EditError
from asmevo.program.model import Function, Program


class Remap:
    """Old instruction indices -> new ones.

    `changes` are `(first, last, count)` in order and without overlap: the instructions
    `[first, last)` became `count` others; `first == last` inserts in front of `first`.
    """

    def __init__(self, changes: Sequence[tuple[int, int, int]]) -> None:
        self._changes = changes
        self._lasts = [last for _, last, _ in changes]
        self._deltas = [0, *accumulate(count - (last - first) for first, last, count in changes)]

    def kept(self, old: int) -> int | None:
        """New index of an old instruction itself, behind insertions; None when it was replaced."""
        n = bisect_right(self._lasts, old)
        if n < len(self._changes) and self._changes[n][0] <= old:
            return None
        return old + self._deltas[n]

    def boundary(self, old: int) -> int | None:
        """New index of the place in front of an old instruction; None inside a replaced range.

        Instructions inserted exactly there come behind the place.
        """
        n = bisect_right(self._lasts, old)
        while n and self._changes[n - 1][0] == self._changes[n - 1][1] == old:
            n -= 1
        if n < len(self._changes) and self._changes[n][0] < old:
            return None
        return old + self._deltas[n]

    def behind(self, old: int, what: str = "") -> int:
        """`kept`, where nothing that is pointed at may be gone.

        Raises:
            EditError: the instruction was replaced.
        """
        new = self.kept(old)
        if new is None:
            raise EditError(f"{what} instruction {old} is gone".strip())
        return new

    def program(
        self,
        program: Program,
        instructions: Sequence[Instruction],
        *,
        place: Callable[[int, str], int] | None = None,
        end: Callable[[int, str], int] | None = None,
        anchor: Callable[[int, int], int] | None = None,
    ) -> Program:
        """`program` with other instructions, and everything that names one moved.

        Without the callbacks all goes behind what is inserted at it. Branches that were replaced
        leave `targets`; labels whose instruction was replaced are dropped. Offsets are stale.

        Args:
            place: new index of what is pointed at, given the old one and what points there.
            end: the same for the ends of functions.
            anchor: the same for anchors, given their offset in the original code and the index.

        Raises:
            EditError: something points at a replaced instruction.
        """
        place = place or self.behind
        end = end or place
        targets: dict[int, int] = {}
        for i, target in program.targets.items():
            new = self.kept(i)
            if new is not None:
                targets[new] = place(target, "branch target")
        firsts = [place(f.first, "function") for f in program.functions]
        functions: list[Function] = []
        for n, f in enumerate(program.functions):
            last = end(f.last, "end of function")
            limit = firsts[n + 1] if n + 1 < len(firsts) else end(f.padding_last, "function")
            functions.append(replace(f, first=firsts[n], last=last, padding_last=limit))
        labels = {self.kept(i): name for i, name in program.labels.items()}
        return replace(
            program,
            instructions=tuple(instructions),
            targets=targets,
            labels={i: name for i, name in labels.items() if i is not None},
            functions=tuple(functions),
            references=tuple(
                replace(
                    r, pc_read=self.behind(r.pc_read, "address in"),
                    low=self.behind(r.low, "address in"), high=self.behind(r.high, "address in"),
                    target=None if r.target is None else place(r.target, "address of"),
                )
                for r in program.references
            ),
            anchors={
                at: anchor(at, i) if anchor else place(i, "symbol at")
                for at, i in program.anchors.items()
            },
        )  # fmt: skip
