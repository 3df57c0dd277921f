"""The abstract registers of one wave, as a whole instruction sees them.

Operands are numbered as printed, destinations first. A vector operand has one value per lane; a
scalar or constant one reads the same in every lane. What a lane is, is the instance's business:
64 of an LLVM vector, the elements of a NumPy array, or one symbol.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from asmevo.isa.semantics.instruction.form import Form
from asmevo.isa.semantics.values import Algebra, Value

Results = tuple[Any, ...]  # one Value per destination, or a list of dwords for a wide one


class State(Protocol):
    """Registers that a VALU instruction reads and writes.

    Attributes:
        algebra: of the values per lane.
    """

    algebra: Algebra

    def dword(self, operand: int, part: int = 0) -> Value:
        """Dword `part` of an operand (u32)."""
        ...

    def qword(self, operand: int) -> Value:
        """A 64-bit operand (u64)."""
        ...

    def mask(self, operand: int) -> Value:
        """The lane's bit of a lane mask operand."""
        ...

    def implicit(self, name: str) -> Value:
        """ "exec" and "vccbit": the lane's bit; "lane": the lane's number (u32)."""
        ...

    def lanes(self, chosen: Sequence[bool]) -> Value:
        """A constant: whether each lane is chosen."""
        ...

    def move(self, value: Value, sources: Sequence[int]) -> Value:
        """In lane i the value of lane `sources[i]`."""
        ...

    @property
    def count(self) -> int:
        """Lanes per wave."""
        ...

    def evaluate(self, form: Form, arguments: list[list[Any]]) -> list[Results]:
        """Results of the opcode's function for each argument list (`compute.evaluate`)."""
        ...

    def write_mask(self, operand: int, value: Value) -> None:
        """Write a lane mask operand whole."""
        ...

    def write_exec(self, value: Value) -> None:
        """Write EXEC."""
        ...

    def commit(self, writes: list[tuple[int, int, Value]], where: Value | None) -> None:
        """Write (operand, part, u32) rows in the lanes that `where` holds (None: EXEC).

        The last thing that an instruction does.
        """
        ...
