"""Rule `remove_redundant`: drop instructions whose removal changes nothing.

Moves that copy what is already there, results that nobody reads, waits already satisfied,
branches to the next instruction, and nops that no software wait state asks for.
"""

from __future__ import annotations

from collections.abc import Iterator

from asmevo.edits.base import Window, analysed, kernel_function
from asmevo.edits.waits.pending import FunctionWaits
from asmevo.edits.waits.spacing import Spacing, look_back
from asmevo.isa.counters import decode_wait
from asmevo.isa.decoded import VECTOR_CLASSES, ExecWrite, OpClass, decode
from asmevo.isa.flow import FlowKind, flow_of
from asmevo.isa.hazards.roles import wait_states_of
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import EXEC, MODE, Imm, Reg
from asmevo.program.cfg import Block
from asmevo.program.dataflow import Liveness, liveness
from asmevo.program.edit import Edit
from asmevo.program.model import Program

_MOVES = ("v_mov_b32", "v_mov_b64", "s_mov_b32", "s_mov_b64", "s_movk_i32", "v_accvgpr_mov_b32")
_EXEC_UNITS = frozenset((EXEC, EXEC + 1))
Fact = tuple[tuple[int, ...], str]  # units that hold it, what they hold


def move_fact(inst: Instruction) -> Fact | None:
    """What a plain move establishes: the destination's units and a key of the value.

    None for anything but an unmodified move of a register or constant. Register sources are keyed
    by their name; the fact ends when the source changes.
    """
    if inst.base not in _MOVES or inst.form in ("dpp", "sdwa", "e64_dpp") or inst.modifiers:
        return None
    if len(inst.operands) != 2:
        return None
    destination, source = inst.operands
    if destination.reg is None or source.neg or source.abs or source.sext:
        return None
    value = source.value
    if isinstance(value, Imm):
        key = f"{value.value & (1 << 64) - 1:#x}/{destination.reg.count}"
    else:
        key = f"{value}/{destination.reg.count}"
    return tuple(destination.reg.units), key


class RemoveRedundant:
    """Proposes removals one by one; drivers combine those that pass."""

    name = "remove_redundant"

    def proposals(self, program: Program, kernel: str, window: Window) -> Iterator[Edit]:
        """Edits that remove or shorten instructions of `window`."""
        function = kernel_function(program, kernel)
        waits = analysed(program, function, FunctionWaits)
        if not waits.known:
            return
        live = analysed(program, function, liveness)
        for block in waits.blocks:
            if block.first >= window[1] or block.last <= window[0]:
                continue
            yield from self._moves(program, block, window)
            yield from self._dead(program, block, window, live)
            yield from self._waits(waits, block, window)
            yield from self._nops(program, analysed(program, function, Spacing), block, window)
            yield from self._branches(program, block, window)

    @staticmethod
    def _moves(program: Program, block: Block, window: Window) -> Iterator[Edit]:
        """Moves of a value that the destination already holds in every enabled lane."""
        facts: dict[tuple[int, ...], tuple[str, frozenset[int]]] = {}
        for i in range(block.first, block.last):
            inst = program.instructions[i]
            effect = decode(inst, program.target)
            fact = move_fact(inst)
            if fact is not None:
                units, key = fact
                source = inst.operands[1].reg
                same = source is not None and tuple(source.units) == units
                known = facts.get(units)
                if same or (known is not None and known[0] == key):
                    if window[0] <= i < window[1]:
                        yield Edit(i, i + 1, (), "the destination holds this value already")
                    continue
            changed = effect.defs
            grows = effect.exec_write in (ExecWrite.FULL, ExecWrite.OTHER)
            facts = {
                u: f
                for u, f in facts.items()
                if not (changed & set(u)) and not (changed & f[1]) and not (grows and u[0] >= 1024)
            }
            if MODE in changed:
                facts.clear()
            if fact is not None:
                source = inst.operands[1].reg
                held = frozenset(source.units) if isinstance(source, Reg) else frozenset[int]()
                if not held & set(fact[0]):
                    facts[fact[0]] = (fact[1], held)

    @staticmethod
    def _dead(program: Program, block: Block, window: Window, live: Liveness) -> Iterator[Edit]:
        """Arithmetic whose results nobody reads."""
        for i in range(max(block.first, window[0]), min(block.last, window[1])):
            inst = program.instructions[i]
            effect = decode(inst, program.target)
            if effect.kind not in VECTOR_CLASSES and effect.kind is not OpClass.SALU:
                continue
            if not inst.editable or not effect.defs or effect.defs & (_EXEC_UNITS | {MODE}):
                continue
            traits = effect.traits
            if traits.sets_mode or traits.reads_pc or traits.indirect:
                continue
            if not effect.defs & live.live_after(i):
                yield Edit(i, i + 1, (), "nobody reads the result")

    @staticmethod
    def _waits(waits: FunctionWaits, block: Block, window: Window) -> Iterator[Edit]:
        """Waits for which nothing that matters can be in flight."""
        program = waits.program
        for i in range(max(block.first, window[0]), min(block.last, window[1])):
            if not decode_wait(program.instructions[i], program.target):
                continue
            if not waits.relaxed(i, {}).is_weaker(waits):
                yield Edit(i, i + 1, (), "nothing to wait for")

    @staticmethod
    def _nops(program: Program, spacing: Spacing, block: Block, window: Window) -> Iterator[Edit]:
        """Nops longer than the wait states that any instruction behind them needs."""
        for i in range(max(block.first, window[0]), min(block.last, window[1])):
            inst = program.instructions[i]
            if inst.base != "s_nop":
                continue
            have = wait_states_of(inst, program.target)
            need = _states_needed(spacing, block, i)
            if need == 0:
                yield Edit(i, i + 1, (), "no software wait state needs this nop")
            elif need is not None and need < have:
                yield Edit(i, i + 1, (f"s_nop {need - 1}",), f"{need} wait states are enough")

    @staticmethod
    def _branches(program: Program, block: Block, window: Window) -> Iterator[Edit]:
        """Branches to the instruction that follows anyway."""
        i = block.last - 1
        if not window[0] <= i < window[1]:
            return
        flow = flow_of(program.instructions[i].base)
        if flow.kind in (FlowKind.JUMP, FlowKind.CONDITIONAL) and program.branch_target(i) == i + 1:
            yield Edit(i, i + 1, (), "the branch goes to the next instruction")


def _states_needed(spacing: Spacing, block: Block, index: int) -> int | None:
    """Wait states that are missing without instruction `index`, on the worst path through it.

    None when there are too many paths to look at.
    """
    histories, all_in = spacing.paths(block, index, forward=False)
    tails, all_out = spacing.paths(block, index, forward=True)
    if not (all_in and all_out):
        return None
    need = 0
    for tail in tails:
        for n, after in enumerate(tail):
            limit = spacing.limit(after)
            look = look_back(after, tail[:n], limit)
            need = max(need, *(look_back(after, h, limit, look).missing for h in histories))
    return need
