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
LDS, SCRATCH = 1 << 64, 1 << 65


class CannotRun(Exception):
    """An executor cannot run an instruction, or the state leads it outside of memory."""


class Bytes:
    """Memory without holes: what was not written holds bytes that a seed makes of addresses."""

    def __init__(self, seed: int, known: dict[int, int] | None = None) -> None:
        self.seed = np.uint64(seed * 2 + 1)
        self.written: dict[int, int] = {}
        self.known = dict(known or {})
        self.read: dict[int, int] = {}

    def _made(self, address: int) -> int:
        known = self.known.get(address)
        if known is None:
            mixed = (address * 0x9E3779B97F4A7C15 + int(self.seed) * 0xBF58476D1CE4E5B9) >> 29
            known = (mixed ^ mixed >> 17) & 0xFF
        self.read[address] = known
        return known

    def load(self, address: int, size: int) -> int:
        """`size` bytes, little endian."""
        value = 0
        for n in range(size):
            byte = self.written.get(address + n)
            value |= (self._made(address + n) if byte is None else byte) << 8 * n
        return value

    def store(self, address: int, size: int, value: int) -> None:
        """Write `size` bytes."""
        for n in range(size):
            self.written[address + n] = value >> 8 * n & 0xFF

    def copy(self) -> Bytes:
        """A copy that may be written."""
        other = Bytes(0, self.known)
        other.seed, other.written, other.read = self.seed, dict(self.written), dict(self.read)
        return other

    def final(self, address: int) -> int:
        """What a byte holds now."""
        byte = self.written.get(address)
        return self._made(address) if byte is None else byte


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
