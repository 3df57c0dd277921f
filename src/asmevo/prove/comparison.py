"""Both sides of a window as terms, and what of their ends is not the same term."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from asmevo.isa.operand import EXEC, MODE
from asmevo.isa.semantics.table import FloatMode
from asmevo.prove.replay.states import unit_name
from asmevo.prove.solver import Solver
from asmevo.prove.symbolic.memory import SPACES, Touch
from asmevo.prove.symbolic.step import run_region
from asmevo.prove.symbolic.wave import Wave
from asmevo.prove.terms.node import MEMORY, Node, Table, cone
from asmevo.prove.terms.sample import Sample
from asmevo.prove.window import Region, Window

_TRIES = 16
_MERGED = frozenset({"wave", "result", "store", "stored", "event", "after"})


@dataclass(slots=True)
class Open:
    """What could not be settled, in words, and the terms it is about.

    Attributes:
        outputs: name -> the two terms, where an end is not known to be the same.
        memory: spaces whose contents are not known to be the same.
        accesses: accesses of the second side that the first may not make.
    """

    outputs: dict[str, tuple[Node, Node]] = field(default_factory=dict[str, tuple[Node, Node]])
    memory: list[str] = field(default_factory=list[str])
    accesses: list[Touch] = field(default_factory=list[Touch])

    @property
    def settled(self) -> bool:
        """Whether nothing is open."""
        return not (self.outputs or self.memory or self.accesses)

    def in_words(self) -> str:
        """What is open."""
        names = [*list(self.outputs)[:4], *(f"{space} contents" for space in self.memory)]
        if self.accesses:
            names.append(f"{len(self.accesses)} accesses that the original may not make")
        return ", ".join(names)


class Comparison:
    """A window's two sides over one table of terms.

    Args:
        window: what is compared; its MODE is known.
        opaque: float opcodes are functions of which only the name is known.

    Raises:
        Unmodelled: an instruction that is not modelled.
    """

    def __init__(self, window: Window, opaque: bool) -> None:
        self.window = window
        self.table = Table()
        self._samples = [(Sample(seed), 5 * seed + 1) for seed in range(3)]
        self.before = self._run(window.before, opaque)
        self.after = self._run(window.after, opaque)

    def _run(self, region: Region, opaque: bool) -> Wave:
        mode = self.window.mode
        assert isinstance(mode, FloatMode)
        wave = Wave(self.table, mode, self.window.assumptions, opaque)
        run_region(wave, region, self.window.target)
        return wave

    def open(self) -> Open:
        """What is not the same term at the end."""
        found = Open()
        if self.before.mode != self.after.mode:
            one = self.table.true
            found.outputs["mode"] = (one, self.table.false)
        live = self.window.live_out
        for unit in sorted(live - {MODE}):
            a, b = self.before.unit(unit), self.after.unit(unit)
            if a is not b:
                name, pair = self._pair(unit, a, b)
                found.outputs[name] = pair
        found.memory = [
            s for s in SPACES
            if self.before.memory.versions[s] is not self.after.memory.versions[s]
        ]  # fmt: skip
        known = self.before.memory.touched
        found.accesses = [
            t for t in self.after.memory.touched if t not in known and not self._readable(t)
        ]
        return found

    def _readable(self, touch: Touch) -> bool:
        """Whether an access is a read of memory that is known to be there."""
        assumptions, mode = self.window.assumptions, self.window.mode
        if (
            touch.kind not in ("scalar", "global")
            or len(touch.parts) != 1
            or not isinstance(mode, FloatMode)
        ):
            return False
        start = Wave(self.table, mode, assumptions, True)
        for pair, size in assumptions.readable:
            whole = start.wide(pair)  # a scalar load leaves out the two lowest bits of it
            dword = self.table.and_(self.table.const(64, ~3), whole)
            for at in range(0, size - touch.size + 1, 4):
                step = self.table.const(64, at)
                if touch.parts[0] in (self.table.add(whole, step), self.table.add(dword, step)):
                    return True
        return False

    def _pair(self, unit: int, a: Node, b: Node) -> tuple[str, tuple[Node, Node]]:
        """A scalar that is half of a lane mask: its lanes instead, which is as much as all."""
        if unit < EXEC + 2:
            for first in (unit, unit - 1):
                if first < 0:
                    continue
                wide = self.before.wide(first), self.after.wide(first)
                if any(w.op == "mask" for w in wide) and all(
                    w.op in ("mask", "const", "and", "or", "xor", "not", "ite", "concat")
                    for w in wide
                ):
                    low = self.table.bit(wide[0]), self.table.bit(wide[1])
                    return f"{unit_name(first)} as a mask", low
        return unit_name(unit), (a, b)

    def differ(self, pairs: Sequence[tuple[Node, Node]], given: Node | None = None) -> bool:
        """Whether terms differ for some meaning of what is not known; "no" is no proof."""
        return any(sample.differ(pairs, given, lane) for sample, lane in self._samples)

    # --- with a solver --------------------------------------------------------------------
    def settle(self, found: Open, solver: Solver) -> Open:
        """What is still open after merging equal memory and wave-wide results.

        Raises:
            OutOfTime: the solver's limit was reached.
        """
        self._merge(found, solver)
        left = Open()
        for space in found.memory:
            a, b = self.before.memory.versions[space], self.after.memory.versions[space]
            if solver.representative(a) != solver.representative(b):
                left.memory.append(space)
        left.accesses = [t for t in found.accesses if not self._made(t, solver)]
        left.outputs = found.outputs
        return left

    def _merge(self, found: Open, solver: Solver) -> None:
        """Note which opaque nodes of the second side equal ones of the first."""
        first, second = (
            [
                *(w.memory.versions[s] for s in found.memory),
                *(pair[n] for pair in found.outputs.values()),
            ]
            for n, w in ((0, self.before), (1, self.after))
        )
        ours = [n for n in cone(first) if _opaque(n)]
        known = {n.number for n in ours}
        theirs = [n for n in cone(second) if _opaque(n) and n.number not in known]
        used: set[int] = set()
        for node in theirs:
            tried = 0
            for other in ours:
                if other.number in used or not _alike(other, node):
                    continue
                tried += 1
                if self._equal_arguments(other, node, solver):
                    solver.alike(other, node)
                    for sample, _ in self._samples:
                        sample.alike(other, node)
                    used.add(other.number)
                    break
                if tried >= _TRIES:
                    break

    def _equal_arguments(self, a: Node, b: Node, solver: Solver) -> bool:
        pairs: list[tuple[Node, Node]] = []
        for x, y in zip(a.args, b.args, strict=True):
            if x is y:
                continue
            if x.width == MEMORY:
                if solver.representative(x) != solver.representative(y):
                    return False
            elif x.width != y.width:
                return False
            else:
                pairs.append((x, y))
        if not pairs:
            return True
        # What lanes that take no part would store does not matter.
        given = a.args[1] if a.op == "store" and pairs[0][0] is not a.args[1] else None
        return not self.differ(pairs, given) and solver.equal(pairs, given)

    def _made(self, touch: Touch, solver: Solver) -> bool:
        """Whether the first side makes an access wherever the second does."""
        tried = 0
        for other in self.before.memory.touched:
            same = (touch.kind, touch.offset, touch.size, len(touch.parts)) == (
                other.kind, other.offset, other.size, len(other.parts)
            )  # fmt: skip
            if not same:
                continue
            tried += 1
            if tried > _TRIES:
                return False
            pairs = [(x, y) for x, y in zip(other.parts, touch.parts, strict=True) if x is not y]
            if touch.active is not other.active:
                covered = self.table.and_(touch.active, other.active)
                pairs.append((covered, touch.active))
            if not pairs:
                return True
            if not self.differ(pairs, touch.active) and solver.equal(pairs, touch.active):
                return True
        return False


def _opaque(node: Node) -> bool:
    return node.op in _MERGED or (node.op == "ite" and node.width == MEMORY)


def _alike(a: Node, b: Node) -> bool:
    return (a.op, a.width, a.data, len(a.args)) == (b.op, b.width, b.data, len(b.args))
