"""Liveness of register units in one function, aware of partial writes under EXEC.

A vector write changes only the lanes that EXEC enables. A value is therefore overwritten for good
only when every later reader runs under the same or a smaller EXEC. The analysis, going
backward, keeps the units that a reader under the present EXEC wants apart from those wanted under
another EXEC. Writes end the life of the first; only writes with all lanes on (a known full EXEC, or
matrix instructions, which ignore EXEC) end the life of the second. Between the restore of EXEC
from a scalar pair and the instruction that saved it there, what is wanted after the restore waits
under the pair's name, and is wanted under the present EXEC again before the save.

Where control may go somewhere unknown (a return, a call, a computed jump), every unit is live.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from asmevo.isa.decoded import ExecWrite, OpClass, decode
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import VGPR0
from asmevo.isa.target import Target
from asmevo.program.cfg import Block, blocks
from asmevo.program.model import Function, Program

_SCALARS = (1 << 130) - 1  # SGPRs, named scalars, SCC and MODE
_VECTORS = ((1 << 1024) - 1) << VGPR0 | ((1 << 512) - 1) << 2048
ALL_UNITS = _SCALARS | _VECTORS


def mask(units: frozenset[int] | range | set[int]) -> int:
    """Bit set of register units."""
    out = 0
    for unit in units:
        out |= 1 << unit
    return out


def units(bits: int) -> frozenset[int]:
    """Register units of a bit set."""
    out: set[int] = set()
    while bits:
        low = bits & -bits
        out.add(low.bit_length() - 1)
        bits ^= low
    return frozenset(out)


@dataclass(frozen=True, slots=True)
class Transfer:
    """One instruction's part in the analysis, as bit sets."""

    defs: int
    uses_here: int  # read in active lanes only
    uses_anywhere: int  # read in any lane
    exec_write: ExecWrite
    all_lanes: bool  # writes every lane whatever EXEC is
    restores: int  # first SGPR of the pair that EXEC is restored from, or -1
    saves: int  # first SGPR of the pair that receives the EXEC of before, or -1


@lru_cache(maxsize=400_000)
def _transfer(inst: Instruction, arch: str) -> Transfer:
    d = decode(inst, Target(arch))
    defs, uses = mask(d.defs), mask(d.uses)
    anywhere = uses & _SCALARS
    if d.kind is OpClass.MFMA or "dpp" in inst.form or d.traits.crosses_lanes:
        anywhere = uses
    restores, saves = d.exec_copies
    return Transfer(
        defs, uses & ~anywhere, anywhere, d.exec_write, d.kind is OpClass.MFMA, restores, saves
    )


def transfer(inst: Instruction, target: Target) -> Transfer:
    """Bit sets of one instruction (cached)."""
    return _transfer(inst, target.arch)


# Units wanted under the present EXEC; under any other EXEC; under the EXEC saved in a pair (in
# the order in which the restores were met, innermost last).
_State = tuple[int, int, tuple[tuple[int, int], ...]]
_NOTHING: _State = (0, 0, ())
_PATIENCE = 30  # visits of a block after which EXEC pairs are no longer followed there


def _step(t: Transfer, state: _State, full: bool) -> _State:
    here, elsewhere, waiting = state
    if t.restores >= 0 and not any(pair == t.restores for pair, _ in waiting):
        waiting = (*waiting, (t.restores, here))
        here = 0
    elif t.restores >= 0 or t.exec_write in (ExecWrite.FULL, ExecWrite.OTHER):
        # Also a second restore from one pair without a save between them.
        for _, wanted in waiting:
            elsewhere |= wanted
        elsewhere |= here
        here, waiting = 0, ()
    elif waiting and t.defs & _SCALARS:
        here, elsewhere, waiting = _settle(t, here, elsewhere, waiting)
    here &= ~t.defs
    kills = t.defs if full or t.all_lanes else t.defs & _SCALARS
    if full or t.all_lanes:
        waiting = tuple((pair, wanted & ~kills) for pair, wanted in waiting)
    return here | t.uses_here, (elsewhere & ~kills) | t.uses_anywhere, waiting


def _settle(t: Transfer, here: int, elsewhere: int, waiting: tuple[tuple[int, int], ...]) -> _State:
    """Meet the definition of a scalar pair that a restore further down reads."""
    if waiting[-1][0] == t.saves:
        return here | waiting[-1][1], elsewhere, waiting[:-1]
    if any(t.defs >> pair & 3 for pair, _ in waiting):
        # Not a save, or not properly nested: these lanes are no longer known.
        for _, wanted in waiting:
            elsewhere |= wanted
        waiting = ()
    return here, elsewhere, waiting


def _merge(a: _State, b: _State) -> _State:
    here, elsewhere = a[0] | b[0], a[1] | b[1]
    long, short = (a[2], b[2]) if len(a[2]) >= len(b[2]) else (b[2], a[2])
    if [p for p, _ in long[: len(short)]] == [p for p, _ in short]:
        joined = tuple(
            (pair, wanted | (short[n][1] if n < len(short) else 0))
            for n, (pair, wanted) in enumerate(long)
        )
        return here, elsewhere, joined
    for _, wanted in long + short:
        elsewhere |= wanted
    return here, elsewhere, ()


def _all(state: _State) -> int:
    out = state[0] | state[1]
    for _, wanted in state[2]:
        out |= wanted
    return out


class Liveness:
    """Live register units of a function.

    Blocks are named by their index in `blocks`. `live_before(i)` is the set right before
    instruction `i` runs, `live_after(i)` right after it.
    """

    def __init__(self, program: Program, function: Function) -> None:
        self.program, self.function = program, function
        self.blocks = blocks(program, function)
        self._transfers = {
            i: transfer(program.instructions[i], program.target)
            for i in range(function.first, function.last)
        }
        self._full = self._full_exec()
        self._out: list[_State] = [_NOTHING] * len(self.blocks)
        self._in: list[_State] = [_NOTHING] * len(self.blocks)
        self._before: dict[int, _State] = {}
        self._solve()

    def _full_exec(self) -> dict[int, bool]:
        """Whether all lanes are on before each instruction, on every path."""
        entry: dict[int, bool] = {}
        known = {0: False}
        work = [0] if self.blocks else []
        while work:
            n = work.pop()
            full = known[n]
            for i in range(self.blocks[n].first, self.blocks[n].last):
                entry[i] = full
                write = self._transfers[i].exec_write
                if write is not ExecWrite.NONE:
                    full = write is ExecWrite.FULL
            for s in self.blocks[n].successors:
                merged = full and not self.blocks[n].call and known.get(s, True)
                if known.get(s) != merged:
                    known[s] = merged
                    work.append(s)
        return entry

    def _solve(self) -> None:
        work = list(range(len(self.blocks)))
        queued = set(work)
        visits = [0] * len(self.blocks)
        while work:
            n = work.pop()
            queued.discard(n)
            visits[n] += 1
            b = self.blocks[n]
            state: _State = (0, ALL_UNITS if b.unknown_successors else 0, ())
            for s in b.successors:
                state = _merge(state, self._in[s]) if state != _NOTHING else self._in[s]
            self._out[n] = state
            for i in range(b.last - 1, b.first - 1, -1):
                state = _step(self._transfers[i], state, self._full.get(i, False))
            if visits[n] > _PATIENCE:
                # A loop that restores EXEC without saving it would wait for ever more.
                before = _all(self._in[n])
                state = (state[0] | before, _all((0, state[1], state[2])) | before, ())
            if state != self._in[n]:
                self._in[n] = state
                for p in b.predecessors:
                    if p not in queued:
                        queued.add(p)
                        work.append(p)

    def _state_before(self, index: int) -> _State:
        found = self._before.get(index)
        if found is None:
            b = self.block_of(index)
            state = self._out[b.index]
            for i in range(b.last - 1, b.first - 1, -1):
                state = _step(self._transfers[i], state, self._full.get(i, False))
                self._before[i] = state
            found = self._before[index]
        return found

    def block_of(self, index: int) -> Block:
        """The block that holds an instruction.

        Raises:
            ValueError: the instruction is not in the function's code.
        """
        for b in self.blocks:
            if b.first <= index < b.last:
                return b
        raise ValueError(f"instruction {index} is not in {self.function.name}")

    def live_in(self, block: Block | int) -> frozenset[int]:
        """Units live at the start of a block."""
        n = block if isinstance(block, int) else block.index
        return units(_all(self._in[n]))

    def live_out(self, block: Block | int) -> frozenset[int]:
        """Units live at the end of a block."""
        n = block if isinstance(block, int) else block.index
        return units(_all(self._out[n]))

    def live_before(self, index: int) -> frozenset[int]:
        """Units live right before an instruction."""
        return units(self.mask_before(index))

    def live_after(self, index: int) -> frozenset[int]:
        """Units live right after an instruction."""
        return units(self.mask_after(index))

    def mask_before(self, index: int) -> int:
        """`live_before` as a bit set."""
        return _all(self._state_before(index))

    def mask_after(self, index: int) -> int:
        """`live_after` as a bit set."""
        b = self.block_of(index)
        if index + 1 < b.last:
            return self.mask_before(index + 1)
        return _all(self._out[b.index])


def liveness(program: Program, function: Function) -> Liveness:
    """Liveness of a function; see `Liveness`."""
    return Liveness(program, function)
