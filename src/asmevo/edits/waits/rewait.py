"""Derive the waits and nops of a run of instructions anew, as weak as the results allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from asmevo.edits.base import analysed, text_of
from asmevo.edits.order.dependence import is_padding
from asmevo.edits.waits.in_flight import WaitState, is_sync
from asmevo.edits.waits.pending import FunctionWaits
from asmevo.edits.waits.spacing import Issued, Spacing, padding
from asmevo.isa.counters import encode_waits, merge_waits
from asmevo.isa.decoded import decode
from asmevo.isa.flow import flow_of
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
        self.block = block
        self.states: Sequence[WaitState] = waits.states(block)
        self._spacing = analysed(waits.program, waits.function, Spacing)

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
        spacing, block = self._spacing, self.block
        state = self.states[0].copy()
        placed: list[Issued] = []
        lines: list[str] = []
        waits = nops = 0

        def put_nops(missing: int) -> None:
            nonlocal nops
            while missing > 0:
                states = min(missing, target.nop_max)
                lines.append(f"s_nop {states - 1}")
                placed.append(padding(states, target))
                nops += 1
                missing -= states

        def put_wait(fields: Mapping[str, int]) -> None:
            nonlocal waits
            if not fields:
                return
            for line in encode_waits(fields, target):
                lines.append(line)
                waits += 1
                placed.append(padding(1, target))
            state.wait(fields)

        for index in order:
            inst, step = program.instructions[index], spacing.step(index)
            exposed = state.exposed(inst)
            if exposed:
                base = self.state(index).exposed(inst)
                exposed = {k: d for k, d in exposed.items() if base.get(k, d + 1) > d}
            fields = state.need(exposed)
            if is_sync(inst, target):
                fields = merge_waits(fields, state.excess(self.state(index)))
            put_wait(fields)
            if keep_spacing:
                put_nops(spacing.missing(block, placed, step))
                moved = not placed or index == 0 or placed[-1] is not spacing.step(index - 1)
                if moved and spacing.breaks_clause(block, placed, step):
                    put_nops(1)
                if index == order[-1]:
                    put_nops(self._missing_behind([*placed, step]))
            if index == order[-1] and is_terminator(inst):
                after = state.copy()
                after.issue(inst)
                put_wait(after.excess(self.states[-1]))
            lines.append((texts or {}).get(index) or text_of(program, index))
            state.issue(inst)
            placed.append(step)
        if not order or not is_terminator(program.instructions[order[-1]]):
            put_wait(state.excess(self.states[-1]))
        return Plan(tuple(lines), waits, nops)

    def _missing_behind(self, placed: list[Issued]) -> int:
        """Wait states that the following blocks miss in the new order, when they do not now."""
        present = [self._spacing.step(i) for i in range(self.block.first, self.block.last)]
        if placed == present:
            return 0
        missing = self._spacing.missing_behind(self.block, placed)
        if missing and missing > self._spacing.missing_behind(self.block, present):
            return missing
        return 0


def is_terminator(inst: Instruction) -> bool:
    """Whether `inst` ends a basic block by itself."""
    return flow_of(inst.base).ends_block
