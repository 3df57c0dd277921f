"""States on which two regions are tried, and what differs after them.

The first states are *ordinary*: random bits or floats, all lanes active; what differs there differs
nearly everywhere. Random bits alone rarely let addresses meet or floats be special, so the others
are of one of a few kinds: random bits, small numbers, floats, special floats, and a handful of
values that all registers share, whose sums stay near each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from asmevo.isa.decoded import decode
from asmevo.isa.operand import EXEC, MODE, SCC, VGPR0
from asmevo.isa.semantics.instruction.reference import Registers
from asmevo.prove.replay.state import (
    ANY,
    FINITE,
    ONES,
    Bytes,
    CannotRun,
    Executor,
    State,
    vector_index,
)
from asmevo.prove.verdict import Counterexample
from asmevo.prove.window import Window, instructions

_FORMS = {5: ONES, 6: FINITE}  # kinds that are words of a form, in registers and in memory
_FIRST = (0, 5, 6, 2)
ORDINARY = len(_FIRST)
_FULL = (1 << 64) - 1
_SPECIAL = np.array(
    [0, 1, 0x80000000, 0x3F800000, 0xBF800000, 0x40000000, 0x7F800000, 0xFF800000, 0x7FC00000,
     0x7F800001, 0x007FFFFF, 0x00800000, 0x7F7FFFFF, 0x3C00, 0xFFFFFFFF, 0x7FFFFFFF, 0x00FF00FF,
     0x3F000000, 0x4B000000, 0x3FF00000], np.uint32,
)  # fmt: skip


def inputs(window: Window) -> tuple[list[int], list[int]]:
    """Units (scalar, vector) that either side reads or writes."""
    units: set[int] = set()
    for side in (window.before, window.after):
        for inst in instructions(side):
            d = decode(inst, window.target)
            units |= d.uses | d.defs
    scalars = sorted(u for u in units if u < VGPR0 and u != MODE)
    return scalars, sorted(u for u in units if u >= VGPR0)


def descriptors(window: Window) -> set[int]:
    """Last units of buffer descriptors: bits that change how addresses are made stay clear."""
    found: set[int] = set()
    for side in (window.before, window.after):
        for inst in instructions(side):
            access = decode(inst, window.target).access
            if access is None:
                continue
            for n in access.address:
                reg = inst.operands[n].reg
                if reg is not None and reg.count == 4:
                    found.add(reg.units[3])
    return found


class States:
    """Makes states for one window, the same each time."""

    def __init__(self, window: Window, seed: int = 1) -> None:
        self._window = window
        self._scalars, self._vectors = inputs(window)
        self._last = descriptors(window)
        self._rng = np.random.default_rng(seed)

    def __iter__(self) -> Iterator[State]:
        number = 0
        while True:
            yield self.make(number)
            number += 1

    def _values(self, kind: int, count: int) -> NDArray[np.uint32]:
        rng = self._rng
        if kind == 0:
            return rng.integers(0, 1 << 32, count, np.uint32)
        if kind == 1:
            return (rng.integers(0, 16, count, np.uint32) * np.uint32(4)).astype(np.uint32)
        if kind == 2:
            return rng.standard_normal(count).astype(np.float32).view(np.uint32)
        if kind == 3:
            return _SPECIAL[rng.integers(0, len(_SPECIAL), count)]
        if kind in _FORMS:
            free, fixed = map(np.uint32, _FORMS[kind])
            return rng.integers(0, 1 << 32, count, np.uint32) & free | fixed
        few = rng.integers(0, 1 << 8, 3, np.uint32) * np.uint32(4)
        return few[rng.integers(0, 3, count)]

    def make(self, number: int) -> State:
        """State `number` of the sequence."""
        registers = Registers()
        rng, kind = self._rng, _FIRST[number] if number < ORDINARY else number % 7
        for unit in self._vectors:
            values = self._values(kind, 64)
            if unit in self._window.assumptions.uniform:
                values = np.full(64, values[0], np.uint32)
            registers.vector[vector_index(unit)] = values
        memory = Bytes(int(rng.integers(1, 1 << 30)), form=_FORMS.get(kind, ANY))
        state = State(registers, memory)
        for unit in self._scalars:
            value = int(self._values(kind, 1)[0])
            if unit in self._last:
                value &= ~(1 << 23)
            state.write(unit, value & 1 if unit == SCC else value)
        if SCC not in self._scalars:
            registers.scc = bool(rng.integers(0, 2))
        full = self._window.assumptions.exec_full or number < ORDINARY or number % 3 == 0
        lanes = _FULL if full else int(
            rng.integers(0, 1 << 64, dtype=np.uint64)
        )  # fmt: skip
        registers.write_scalar(EXEC, lanes, 64)
        return state


def try_state(window: Window, state: State, executor: Executor) -> Counterexample | None:
    """Run both sides on a state; a counterexample if they end differently.

    Raises:
        CannotRun: the executor cannot run a side on it.
    """
    assert window.mode is not None
    ends: list[State] = []
    for side in (window.before, window.after):
        end = state.copy()
        executor(side, end, window.target, window.mode)
        ends.append(end)
    return _difference(window, state, ends[0], ends[1])


def _difference(window: Window, start: State, x: State, y: State) -> Counterexample | None:
    scalars, vectors = inputs(window)
    for unit in sorted(window.live_out & {*scalars, *vectors}):
        a, b = x.read(unit), y.read(unit)
        if isinstance(a, int) or isinstance(b, int):
            if a != b:
                return _made(window, start, (x, y), unit_name(unit), None, int(a), int(b))
        elif not np.array_equal(a, b):
            lane = int(np.flatnonzero(a != b)[0])
            return _made(window, start, (x, y), unit_name(unit), lane, int(a[lane]), int(b[lane]))
    for address in sorted(x.memory.written.keys() | y.memory.written.keys()):
        first, second = x.memory.final(address), y.memory.final(address)
        if first != second:
            return _made(window, start, (x, y), "memory", None, first, second, address)
    return None


def _made(
    window: Window,
    start: State,
    ends: Sequence[State],
    output: str,
    lane: int | None,
    before: int,
    after: int,
    address: int | None = None,
) -> Counterexample:
    scalars, vectors = inputs(window)
    memory: dict[int, int] = {}
    for end in ends:
        memory |= end.memory.words
    return Counterexample(
        {u: int(np.asarray(start.read(u))) for u in {*scalars, SCC, EXEC, EXEC + 1}},
        {u: tuple(map(int, np.asarray(start.read(u)))) for u in vectors},
        memory, output, lane, before, after, address,
    )  # fmt: skip


def state_of(found: Counterexample) -> State:
    """The state that a counterexample names."""
    registers = Registers()
    state = State(registers, Bytes(0, dict(found.memory)))
    for unit, value in found.scalars.items():
        state.write(unit, value)
    for unit, row in found.vectors.items():
        registers.vector[vector_index(unit)] = np.array(row, np.uint32)
    return state


def unit_name(unit: int) -> str:
    """A register unit as a person writes it."""
    named = {SCC: "scc", MODE: "mode", EXEC: "exec_lo", EXEC + 1: "exec_hi", 106: "vcc_lo",
             107: "vcc_hi", 124: "m0"}  # fmt: skip
    if unit in named:
        return named[unit]
    if unit < VGPR0:
        return f"s{unit}"
    return f"v{unit - VGPR0}" if unit < 2 * VGPR0 else f"a{unit - 2 * VGPR0}"


def replays(window: Window, found: Counterexample, executor: Executor) -> bool:
    """Whether a counterexample, run by an executor, ends differently on either side.

    Raises:
        CannotRun: the executor cannot run it.
    """
    return try_state(window, state_of(found), executor) is not None


__all__ = ["CannotRun", "States", "replays", "state_of", "try_state", "unit_name"]
