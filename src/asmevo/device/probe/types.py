"""What lies in memory, told by what uses a loaded value and by what made a stored one.

A value is followed through moves, packing, LDS and the two ways in which a bf16 becomes an f32 and
back. All paths are looked at and the commonest answer counts: a hint for a person, not a proof.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from asmevo.codeobject import Kernel
from asmevo.isa.access import Space
from asmevo.isa.decoded import Decoded, decode
from asmevo.isa.elements import (
    INT,
    element_reads,
    element_writes,
    lowers_half,
    passes,
    raises_half,
)
from asmevo.isa.semantics.memory import memory_op
from asmevo.program import Program
from asmevo.program.cfg import Block, blocks

_DEPTH = 10  # moves that a value is followed through
_MOST_STEPS = 4000
# Of a load or store: which unit of its data, and whether the value of interest is an upper half.
_View = str  # "whole", "half" (raised from 16 bits), "cut" (16 bits of it count)


@dataclass(slots=True, eq=False)
class Elements:
    """Answers for one kernel. `loads(i)` and `stores(i)` count votes for element kinds."""

    program: Program
    kernel: Kernel
    _blocks: tuple[Block, ...] = field(init=False)
    _block_of: dict[int, Block] = field(init=False)
    _uses: dict[int, list[int]] = field(init=False)
    _defs: dict[int, list[int]] = field(init=False)
    _lds_reads: list[int] = field(init=False)
    _lds_writes: list[int] = field(init=False)
    _from_lds: Counter[str] | None = None

    def __post_init__(self) -> None:
        function = self.program.kernel_function(self.kernel)
        self._blocks = blocks(self.program, function)
        self._block_of, self._uses, self._defs = {}, {}, {}
        self._lds_reads, self._lds_writes = [], []
        for block in self._blocks:
            for index in range(block.first, block.last):
                self._block_of[index] = block
                d = self._decoded(index)
                if d is None:
                    continue
                for unit in d.uses:
                    self._uses.setdefault(unit, []).append(index)
                for unit in d.defs - d.partial:
                    self._defs.setdefault(unit, []).append(index)
                access = d.access
                if access is not None and access.space is Space.LDS and not access.permutes:
                    (self._lds_reads if d.loads else self._lds_writes).append(index)

    def _decoded(self, index: int) -> Decoded | None:
        inst = self.program.instructions[index]
        return None if inst.text is None else decode(inst, self.program.target)

    def loads(self, index: int) -> Counter[str]:
        """Votes for the kind of elements that a load brings."""
        votes: Counter[str] = Counter()
        d = self._decoded(index)
        if d is None or d.access is None:
            return votes
        if d.lds_dma:
            return self._lds()
        view = "small" if 0 < d.access.size < 4 else "whole"
        for n in d.def_operands:
            reg = d.inst.operands[n].reg
            for unit in reg.units if reg is not None else ():
                self._forward(index, unit, view, votes, 0, set())
        return votes

    def stores(self, index: int) -> Counter[str]:
        """Votes for the kind of elements that a store sends; `load:N` is what load N brought."""
        votes: Counter[str] = Counter()
        d = self._decoded(index)
        if d is None or d.access is None:
            return votes
        atomic = d.access.atomic
        if atomic:
            kind = {"pk_add_f16": "f16", "pk_add_bf16": "bf16", "add_f32": "f32"}.get(atomic)
            votes[kind or ("f32" if atomic.endswith("_f") else INT)] += 1
            if kind:
                return votes
        small = 0 < d.access.size < 4
        for n in d.access.data:
            reg = d.inst.operands[n].reg
            for unit in reg.units if reg is not None else ():
                view = "small" if small else "whole"
                op = memory_op(d.name)
                if op is not None and op.extend == "hi":
                    view = "cut"
                self._backward(index, unit, view, votes, 0, set())
        return votes

    def width(self, index: int) -> int:
        """Bytes that one lane moves there, at most 8; 4 where the opcode does not say."""
        d = self._decoded(index)
        if d is None or d.access is None or not d.access.size:
            return 4
        size = d.access.size
        return size if size in (1, 2, 8) else 4

    def witness(self, indices: Iterable[int], kind: str) -> str:
        """One access whose value is used or made as elements of this kind, in words."""
        for index in sorted(indices):
            if kind in self.loads(index) or kind in self.stores(index) or kind[0] in "iu":
                text = self.program.instructions[index].text
                return f"{kind} by the use of instruction {index} `{text}`"
        return f"{kind} by use"

    # --- forward ----------------------------------------------------------------------------
    def _forward(
        self, start: int, unit: int, view: _View, votes: Counter[str], depth: int, seen: set[object]
    ) -> None:
        if depth > _DEPTH or (start, unit, view) in seen:
            return
        seen.add((start, unit, view))
        for index in self._users(start, unit):
            d = self._decoded(index)
            if d is None:
                continue
            self._use(index, d, unit, view, votes, depth, seen)

    def _use(
        self,
        index: int,
        d: Decoded,
        unit: int,
        view: _View,
        votes: Counter[str],
        depth: int,
        seen: set[object],
    ) -> None:
        access = d.access
        if access is not None and not access.permutes:
            sent = {u for n in access.data for u in _units(d, n)}
            if unit in sent and access.space is Space.LDS:
                votes.update(self._lds())
            elif unit in sent:
                votes["copy"] += 1
            else:
                votes[INT] += 1  # an address
            return
        if passes(d) or (access is not None and access.permutes):
            following = "half" if raises_half(d) and view != "half" else view
            for target in d.defs:
                self._forward(index, target, following, votes, depth + 1, seen)
            return
        reads = element_reads(d)
        for n in d.use_operands:
            if unit not in _units(d, n):
                continue
            kind = reads.get(n, "")
            if kind == "f32":
                if view == "half":
                    kind = "bf16"
                elif view == "small":
                    kind = ""
            if kind:
                votes[kind] += 1

    def _lds(self) -> Counter[str]:
        """Votes of everything that is read back from LDS."""
        if self._from_lds is None:
            self._from_lds = Counter()  # LDS to LDS adds nothing
            found: Counter[str] = Counter()
            for index in self._lds_reads:
                found.update(self.loads(index))
            self._from_lds = Counter({k: 1 for k in found if k not in ("copy",)})
            best = [k for k in found if k not in (INT, "copy")]
            if best:
                self._from_lds = Counter({k: found[k] for k in best})
        return self._from_lds

    # --- backward ---------------------------------------------------------------------------
    def _backward(
        self, start: int, unit: int, view: _View, votes: Counter[str], depth: int, seen: set[object]
    ) -> None:
        if depth > _DEPTH or (start, unit, view) in seen:
            return
        seen.add((start, unit, view))
        for index in self._makers(start, unit):
            d = self._decoded(index)
            if d is None:
                continue
            access = d.access
            if access is not None and not access.permutes:
                if access.space is Space.LDS:
                    self._behind_lds(view, votes, depth, seen)
                else:
                    votes[f"load:{index}"] += 1
                continue
            if passes(d):
                following = "cut" if lowers_half(d) else view
                for n in d.use_operands:
                    for source in _units(d, n):
                        self._backward(index, source, following, votes, depth + 1, seen)
                continue
            kind = element_writes(d)
            if kind == "f32" and view == "cut":
                kind = "bf16"
            elif kind == "f32" and view == "small":
                kind = ""
            if kind:
                votes[kind] += 1

    def _behind_lds(self, view: _View, votes: Counter[str], depth: int, seen: set[object]) -> None:
        for index in self._lds_writes:
            d = self._decoded(index)
            if d is None or d.access is None or d.access.atomic:
                continue
            for n in d.access.data:
                for unit in _units(d, n):
                    self._backward(index, unit, view, votes, depth + 3, seen)

    # --- where a register's value goes to and comes from ------------------------------------
    def _users(self, start: int, unit: int) -> Iterable[int]:
        """Instructions that may read what `start` left in a register."""
        uses, defs = self._uses.get(unit, []), self._defs.get(unit, [])
        found: set[int] = set()
        work: list[tuple[Block, int]] = [(self._block_of[start], start + 1)]
        entered: set[int] = set()
        while work:
            block, first = work.pop()
            n = bisect_left(defs, first)
            end = defs[n] if n < len(defs) and defs[n] < block.last else block.last
            # The instruction that overwrites it may read it.
            found.update(
                uses[bisect_left(uses, first) : bisect_right(uses, min(end, block.last - 1))]
            )
            if end < block.last:
                continue
            for s in block.successors:
                if s not in entered:
                    entered.add(s)
                    work.append((self._blocks[s], self._blocks[s].first))
        return sorted(found)[:_MOST_STEPS]

    def _makers(self, start: int, unit: int) -> Iterable[int]:
        """Instructions that may have made what `start` reads from a register."""
        defs = self._defs.get(unit, [])
        found: set[int] = set()
        work: list[tuple[Block, int]] = [(self._block_of[start], start)]
        entered: set[int] = set()
        while work:
            block, last = work.pop()
            n = bisect_left(defs, last) - 1
            if n >= 0 and defs[n] >= block.first:
                found.add(defs[n])
                continue
            for p in block.predecessors:
                if p not in entered:
                    entered.add(p)
                    work.append((self._blocks[p], self._blocks[p].last))
        return sorted(found)


def _units(d: Decoded, operand: int) -> range:
    reg = d.inst.operands[operand].reg
    return range(0) if reg is None else reg.units


def choose(votes: Counter[str], width: int) -> str | None:
    """The kind that the votes are for; None when there are none.

    Args:
        votes: of one buffer's accesses.
        width: bytes of its narrowest access.
    """
    kinds = Counter({k: c for k, c in votes.items() if k != "copy" and not k.startswith("load:")})
    floats = Counter({k: c for k, c in kinds.items() if k != INT})
    if floats:
        for small in ("fp8", "bf8", "bf16", "f16"):
            if floats[small] and floats[small] * 2 >= floats["f32"]:
                return small
        return floats.most_common(1)[0][0]
    if kinds[INT]:
        return {1: "i8", 2: "i16", 8: "i64"}.get(width, "i32")
    return None
