"""Derive the waits and nops of a run of instructions anew, as weak as the results allow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from asmevo.edits.base import text_of
from asmevo.edits.order.dependence import is_padding
from asmevo.edits.waits.pending import FunctionWaits, WaitState, is_sync
from asmevo.edits.waits.spacing import LOOK_BACK, Timed, breaks_clause, padding_before, paths
from asmevo.isa.counters import encode_waits, merge_waits
from asmevo.isa.decoded import decode
from asmevo.isa.flow import flow_of
from asmevo.isa.hazards.roles import wait_states_of
from asmevo.isa.instruction import Instruction
from asmevo.program.cfg import Block
from asmevo.program.model import Program


@dataclass(frozen=True, slots=True)
class Plan:
    """Lines of a rewritten block and what was put in."""

    lines: tuple[str, ...]
    waits: int
    nops: int


class BlockWaits:
    """The wait facts of one basic block in its present order.

    Args:
        waits: the analysis of the function.
        block: the block.
    """

    def __init__(self, waits: FunctionWaits, block: Block) -> None:
        self.program: Program = waits.program
        self._blocks = {b.index: b for b in waits.blocks}
        self._present_short: int | None = None
        self._all_blocks = waits.blocks
        self.block = block
        self.states: list[WaitState] = waits.states(block)
        self._tails: dict[int, list[Timed]] = {}
        self._by_itself: dict[int, list[int]] = {}

    @cached_property
    def _histories(self) -> list[Timed]:
        """What may have issued before the block, on every path into it."""
        found, _ = paths(
            self.program, self._all_blocks, self.block, self.block.first, forward=False
        )
        return found or [()]

    def _in_front(self, issued: list[tuple[Instruction, int]]) -> Iterator[Timed]:
        """What is issued in the block so far, behind each distinct history."""
        room = LOOK_BACK - len(issued)
        if room <= 0:
            yield tuple(issued[-LOOK_BACK:])
            return
        if room not in self._tails:
            self._tails[room] = list(dict.fromkeys(h[-room:] for h in self._histories))
        for history in self._tails[room]:
            yield (*history, *issued)

    def body(self) -> list[int]:
        """Instruction indices of the block without padding, in order."""
        target = self.program.target
        return [
            i
            for i in range(self.block.first, self.block.last)
            if not is_padding(self.program.instructions[i], target)
        ]

    def state(self, index: int) -> WaitState:
        """The present state before instruction `index`."""
        return self.states[index - self.block.first]

    def leaving(self) -> frozenset[int]:
        """Instruction indices whose results are still in flight at the end of the block."""
        program, end = self.program, self.states[-1]
        units = {key[2] for key in end.pending()}
        found: set[int] = set()
        for i in range(self.block.first, self.block.last):
            effect = decode(program.instructions[i], program.target)
            if effect.returns and effect.defs & units:
                found.add(i)
        return frozenset(found)

    def plan(
        self,
        order: Sequence[int],
        texts: Mapping[int, str] | None = None,
        keep_spacing: bool = True,
    ) -> Plan:
        """Lines for the block's instructions in `order` with the weakest sufficient waits.

        Every read or overwrite of a result in flight gets a wait just before it, unless the
        present order does without; synchronising instructions and the end of the block find no
        more in flight than they do now.

        Args:
            order: a permutation of `body()` (or of a part of the block's instructions).
            texts: replacement text of some instructions.
            keep_spacing: pad with `s_nop` where software wait states are missing.
        """
        program, target = self.program, self.program.target
        state = self.states[0].copy()
        issued: list[tuple[Instruction, int]] = []
        lines: list[str] = []
        waits = nops = 0

        def put_nops(missing: int) -> None:
            nonlocal nops
            while missing > 0:
                states = min(missing, target.nop_max)
                lines.append(f"s_nop {states - 1}")
                issued.append((_WAIT, states))
                nops += 1
                missing -= states

        def put_wait(fields: Mapping[str, int]) -> None:
            nonlocal waits
            if not fields:
                return
            for line in encode_waits(fields, target):
                lines.append(line)
                waits += 1
                issued.append((_WAIT, 1))
            state.wait(fields)

        for index in order:
            inst = program.instructions[index]
            exposed = state.exposed(inst)
            if exposed:
                base = self.state(index).exposed(inst)
                exposed = {k: d for k, d in exposed.items() if base.get(k, d + 1) > d}
            fields = state.need(exposed)
            if is_sync(inst, target):
                fields = merge_waits(fields, state.excess(self.state(index)))
            put_wait(fields)
            if keep_spacing:
                put_nops(max(padding_before(h, inst, target) for h in self._in_front(issued)))
                moved = not issued or issued[-1][0] is not program.instructions[index - 1]
                if moved and any(breaks_clause(h, inst, target) for h in self._in_front(issued)):
                    put_nops(1)
                if index == order[-1]:
                    put_nops(self._missing_behind(issued, inst))
            if index == order[-1] and is_terminator(inst):
                after = state.copy()
                after.issue(inst)
                put_wait(after.excess(self.states[-1]))
            lines.append((texts or {}).get(index) or text_of(program, index))
            state.issue(inst)
            issued.append((inst, wait_states_of(inst, target)))
        if not order or not is_terminator(program.instructions[order[-1]]):
            put_wait(state.excess(self.states[-1]))
        return Plan(tuple(lines), waits, nops)

    def _missing_behind(self, issued: list[tuple[Instruction, int]], last: Instruction) -> int:
        """Wait states that the following blocks miss in the new order, when they do not now."""
        target = self.program.target
        present = [
            (i, wait_states_of(i, target))
            for i in self.program.instructions[self.block.first : self.block.last]
        ]
        new = [*issued, (last, wait_states_of(last, target))]
        if new == present:
            return 0
        missing = self._worst_short(new)
        if missing and self._present_short is None:
            self._present_short = self._worst_short(present)
        return missing if missing > (self._present_short or 0) else 0

    def _worst_short(self, issued: list[tuple[Instruction, int]]) -> int:
        return max(self._short(h, self.block, 3) for h in self._in_front(issued))

    def _short(self, issued: Sequence[tuple[Instruction, int]], block: Block, depth: int) -> int:
        target, worst = self.program.target, 0
        for index in block.successors:
            following = self._blocks[index]
            recent = list(issued)[-LOOK_BACK:]
            own = self._missing_by_itself(following)
            for inst, alone in zip(
                self.program.instructions[following.first : following.first + len(own)],
                own,
                strict=True,
            ):
                missing = padding_before(recent, inst, target)
                # What the following block misses by itself is not this block's business.
                if missing > alone:
                    worst = max(worst, missing)
                recent.append((inst, wait_states_of(inst, target)))
            if depth and len(own) < LOOK_BACK:
                worst = max(worst, self._short(recent, following, depth - 1))
        return worst

    def _missing_by_itself(self, block: Block) -> list[int]:
        """Wait states missing before each of the first instructions of a block, alone."""
        if block.index not in self._by_itself:
            missing: list[int] = []
            own: list[tuple[Instruction, int]] = []
            target = self.program.target
            for inst in self.program.instructions[block.first : block.last][:LOOK_BACK]:
                missing.append(padding_before(own, inst, target))
                own.append((inst, wait_states_of(inst, target)))
            self._by_itself[block.index] = missing
        return self._by_itself[block.index]


_WAIT = Instruction(bytes(4), "s_nop 0")


def is_terminator(inst: Instruction) -> bool:
    """Whether `inst` ends a basic block by itself."""
    return flow_of(inst.base).ends_block
