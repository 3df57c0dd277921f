"""A concrete state of one wave, and who runs a region on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import AGPR0, SCC, VGPR0
from asmevo.isa.semantics.instruction.reference import Registers
from asmevo.isa.semantics.table import FloatMode
from asmevo.isa.target import Target
from asmevo.prove.window import Region

# Where the other spaces begin in a counterexample's addresses; scratch has 2**32 bytes per lane.
Form = tuple[int, int]
LDS, SCRATCH = 1 << 64, 1 << 65
# Free bits and set bits of words: any; near 1 or -1 as f32, f16 pairs and bf16 pairs; finite and
# below 2, at all exponents, as those and as 8-bit floats.
ANY, ONES, FINITE = (0xFFFFFFFF, 0), (0x807F807F, 0x3F003F00), (0xBFBFBFBF, 0)


class CannotRun(Exception):
    """An executor cannot run an instruction, or the state leads it outside of memory."""


class Bytes:
    """Memory without holes: what was not written holds words that a seed makes of addresses.

    Args:
        seed: of the words.
        known: words by address / 4.
        form: free bits and set bits of the words that the seed makes.

    Attributes:
        written: bytes stored, by address.
        words: words (by address / 4) that were looked at, as they were at the beginning.
    """

    def __init__(self, seed: int, known: dict[int, int] | None = None, form: Form = ANY) -> None:
        self.seed, self.form = seed * 2 + 1, form
        self.written: dict[int, int] = {}
        self.words: dict[int, int] = dict(known or {})
        self._dirty: set[int] = set()

    def _word(self, number: int) -> int:
        word = self.words.get(number)
        if word is None:
            mixed = (number * 0x9E3779B97F4A7C15 + self.seed * 0xBF58476D1CE4E5B9) >> 29
            word = (mixed ^ mixed >> 17) & 0xFFFFFFFF
            word = self.words[number] = word & self.form[0] | self.form[1]
        return word

    def load(self, address: int, size: int) -> int:
        """`size` bytes, at most 4, little endian."""
        number, at = address >> 2, address & 3
        if at + size <= 4 and number not in self._dirty:
            return self._word(number) >> 8 * at & (1 << 8 * size) - 1
        return sum(self.final(address + n) << 8 * n for n in range(size))

    def store(self, address: int, size: int, value: int) -> None:
        """Write `size` bytes."""
        for n in range(size):
            self.written[address + n] = value >> 8 * n & 0xFF
        self._dirty.update((address >> 2, address + size - 1 >> 2))

    def copy(self) -> Bytes:
        """A copy that may be written."""
        other = Bytes(0, self.words)
        other.seed, other.form, other.written = self.seed, self.form, dict(self.written)
        other._dirty = set(self._dirty)
        return other

    def final(self, address: int) -> int:
        """What a byte holds now."""
        byte = self.written.get(address)
        return self._word(address >> 2) >> 8 * (address & 3) & 0xFF if byte is None else byte


def _copied(registers: Registers) -> Registers:
    other = Registers(registers.lanes)
    other.vector[:], other.scalar[:] = registers.vector, registers.scalar
    other.scc = registers.scc
    return other


@dataclass(slots=True)
class State:
    """Registers and memory of one wave.

    Attributes:
        registers: by unit of the slow reference.
        memory: all spaces, see `LDS` and `SCRATCH`.
    """

    registers: Registers
    memory: Bytes = field(default_factory=lambda: Bytes(0))

    def copy(self) -> State:
        """A copy that may be written."""
        return State(_copied(self.registers), self.memory.copy())

    def read(self, unit: int) -> int | NDArray[np.uint32]:
        """A register: a number, or a row of lanes."""
        if unit >= VGPR0:
            return self.registers.vector[vector_index(unit)]
        return int(self.registers.scc) if unit == SCC else int(self.registers.scalar[unit])

    def write(self, unit: int, value: int) -> None:
        """Write a scalar unit."""
        if unit == SCC:
            self.registers.scc = bool(value)
        else:
            self.registers.scalar[unit] = value


def vector_index(unit: int) -> int:
    """Row of a VGPR's or AGPR's unit in `Registers.vector`."""
    return unit - VGPR0 if unit < AGPR0 else unit - AGPR0 + 256


class Step(Protocol):
    """Executes one instruction on a state."""

    def __call__(self, inst: Instruction, state: State, target: Target, mode: FloatMode) -> None:
        """Execute `inst`.

        Raises:
            CannotRun: it cannot.
        """
        ...


class Executor(Protocol):
    """Runs a region on a state.

    The prover's own is the slow reference (`reference.run_region`); a device below another floor
    may be given instead.
    """

    def __call__(self, region: Region, state: State, target: Target, mode: FloatMode) -> None:
        """Run `region`; the state becomes the one at its end.

        Raises:
            CannotRun: an instruction it does not have, or an address it cannot reach.
        """
        ...
