"""Which EXEC masks are surely the same, and which contain which, in structured control flow.

Compilers save EXEC, narrow it and restore it (`s_and_saveexec`, ..., `s_or exec, exec, saved`).
Following that symbolically gives every instruction a *mask value*; equal values mean equal masks
within one pass through the code between them (a loop gives its values a new meaning on every
iteration). Every value knows the wider one that it was narrowed from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from asmevo.isa.decoded import ExecWrite, decode
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import EXEC, Imm, Reg, RegKind
from asmevo.isa.traits import exec_write
from asmevo.program.cfg import Block, blocks
from asmevo.program.model import Function, Program

_EXEC = Reg(RegKind.SGPR, EXEC, 2)
_EXEC_UNITS = frozenset((EXEC, EXEC + 1))
Value = tuple[str, int]
ENTRY: Value = ("entry", 0)
_ROUNDS = 32


@dataclass(slots=True)
class _State:
    mask: Value
    saved: dict[tuple[int, int], Value] = field(default_factory=dict[tuple[int, int], Value])

    def copy(self) -> _State:
        return _State(self.mask, dict(self.saved))


class ExecValues:
    """Mask values of one function.

    Args:
        program: the program.
        function: the function.
    """

    def __init__(self, program: Program, function: Function) -> None:
        self._program = program
        self.blocks: tuple[Block, ...] = blocks(program, function)
        self._parents: dict[Value, Value | None] = {ENTRY: None}
        self._before: dict[int, Value] = {}
        self._solve()

    def before(self, index: int) -> Value | None:
        """Mask value under which instruction `index` executes; None where nothing leads."""
        return self._before.get(index)

    def within(self, inner: Value, outer: Value) -> bool:
        """Whether mask `inner` is `outer` or was narrowed from it."""
        return outer in self._chain(inner)

    def _solve(self) -> None:
        ends: dict[int, _State] = {}
        for _ in range(_ROUNDS):
            changed = False
            for block in self.blocks:
                states = [ends[p] for p in block.predecessors if p in ends]
                if block.index == 0:
                    states.append(_State(ENTRY))
                if not states:
                    continue
                state = self._join(states, block.index)
                for i in range(block.first, block.last):
                    self._before[i] = state.mask
                    self._step(state, i)
                if ends.get(block.index) != state:
                    ends[block.index] = state
                    changed = True
            if not changed:
                return
        # Not settled: claim nothing.
        self._before.clear()

    def _join(self, states: list[_State], block: int) -> _State:
        masks = {s.mask for s in states}
        mask = states[0].mask
        if len(masks) > 1:
            mask = ("join", block)
            # What was narrowed from the joined mask itself (round a loop) is within it anyway.
            outer = [s.mask for s in states if mask not in self._chain(s.mask)]
            parent: Value | None = outer[0] if outer else None
            for other in outer[1:]:
                parent = self._common(parent, other) if parent is not None else None
            self._parents[mask] = parent
        saved = {
            k: v for k, v in states[0].saved.items() if all(s.saved.get(k) == v for s in states)
        }
        return _State(mask, saved)

    def _chain(self, value: Value) -> list[Value]:
        """`value` and what it was narrowed from, innermost first."""
        chain: list[Value] = []
        step: Value | None = value
        while step is not None and step not in chain:
            chain.append(step)
            step = self._parents.get(step)
        return chain

    def _common(self, first: Value, second: Value) -> Value | None:
        wider = self._chain(first)
        return next((v for v in self._chain(second) if v in wider), None)

    def _narrow(self, state: _State, index: int) -> None:
        value: Value = ("at", index)
        if value != state.mask:
            self._parents[value] = state.mask
        state.mask = value

    def _step(self, state: _State, index: int) -> None:
        inst = self._program.instructions[index]
        effect = decode(inst, self._program.target)
        before = state.mask
        operands = [o.value for o in inst.operands]
        if effect.defs & _EXEC_UNITS:
            self._write(state, index, inst, operands)
        for key in [k for k in state.saved if any(k[0] <= u < k[0] + k[1] for u in effect.defs)]:
            del state.saved[key]
        saves = inst.base == "s_and_saveexec_b64" or (
            inst.base == "s_mov_b64" and len(operands) == 2 and operands[1] == _EXEC
        )
        if saves and isinstance(operands[0], Reg) and operands[0] != _EXEC:
            state.saved[(operands[0].index, operands[0].count)] = before

    def _write(
        self, state: _State, index: int, inst: Instruction, operands: Sequence[object]
    ) -> None:
        base = inst.base
        if exec_write(inst) is ExecWrite.NARROW:
            self._narrow(state, index)
            return
        source: object = None
        if base == "s_or_b64" and _EXEC in operands[1:]:
            source = operands[2] if operands[1] == _EXEC else operands[1]
        elif base == "s_mov_b64":
            source = operands[1]
            if source == Imm(-1):
                state.mask = ("at", index)
                self._parents.setdefault(state.mask, None)
                return
        if isinstance(source, Reg):
            saved = state.saved.get((source.index, source.count))
            if saved is not None and (base == "s_mov_b64" or self.within(state.mask, saved)):
                state.mask = saved
                return
        state.mask = ("at", index)
        self._parents.setdefault(state.mask, None)
