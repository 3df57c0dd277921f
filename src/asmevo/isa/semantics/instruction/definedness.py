"""Which register bits an instruction leaves undefined: the instruction text over known bits.

The slow reference of everything that follows undefined contents. It runs beside the values, since
what is selected, masked or shifted out depends on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import EXEC, Operand, Reg
from asmevo.isa.semantics.instruction.execute import evaluate
from asmevo.isa.semantics.instruction.form import Form
from asmevo.isa.semantics.instruction.reference import NumpyScalars, NumpyState, Registers, run_on
from asmevo.isa.semantics.instruction.state import Results
from asmevo.isa.semantics.table import DEFAULT_MODE, FloatMode
from asmevo.isa.semantics.undefined_algebra import Pair, algebra
from asmevo.isa.semantics.values import Algebra, Value

_ALGEBRA = algebra()


def _joined(value: Value, undefined: Value) -> Value:
    return Value(_ALGEBRA, Pair(value.raw, undefined.raw), value.width, value.kind)


def _part(value: Value, index: int) -> Value:
    return Value(_ALGEBRA, value.raw[index], value.width, value.kind)


def _constants(operands: Sequence[Operand]) -> list[bool]:
    return [not isinstance(o.value, Reg) for o in operands]


class UndefinedState:
    """One VALU instruction's operands, as values and undefined bits side by side."""

    def __init__(
        self, values: NumpyState, shadows: NumpyState, operands: Sequence[Operand]
    ) -> None:
        self.algebra: Algebra = _ALGEBRA
        self.count = values.count
        self._values, self._shadows = values, shadows
        self._constant = _constants(operands)

    def vector(self) -> tuple[bool, ...]:
        """Per operand, whether it is a row of lanes."""
        return self._values.vector()

    def _known(self, value: Value) -> Value:
        return _joined(value, Value(value.alg, np.zeros_like(value.raw), value.width, value.kind))

    def dword(self, operand: int, part: int = 0) -> Value:
        """A row, or a scalar in every lane."""
        value = self._values.dword(operand, part)
        if self._constant[operand]:
            return self._known(value)
        return _joined(value, self._shadows.dword(operand, part))

    def qword(self, operand: int) -> Value:
        """Two rows, or a scalar pair in every lane."""
        value = self._values.qword(operand)
        if self._constant[operand]:
            return self._known(value)
        return _joined(value, self._shadows.qword(operand))

    def mask(self, operand: int) -> Value:
        """The lanes of a mask operand."""
        return _joined(self._values.mask(operand), self._shadows.mask(operand))

    def implicit(self, name: str) -> Value:
        """EXEC or VCC by lane, or the lane numbers."""
        value = self._values.implicit(name)
        if name == "lane":
            return self._known(value)
        return _joined(value, self._shadows.implicit(name))

    def lanes(self, chosen: Sequence[bool]) -> Value:
        """A constant."""
        return self._known(self._values.lanes(chosen))

    def move(self, value: Value, sources: Sequence[int]) -> Value:
        """A gather."""
        at = np.asarray(sources)
        return Value(value.alg, Pair(*(x[at] for x in value.raw)), value.width, value.kind)

    def evaluate(self, form: Form, arguments: list[list[Any]]) -> list[Results]:
        """Results of the full function."""
        return [evaluate(form, args) for args in arguments]

    def write_mask(self, operand: int, value: Value) -> None:
        """Write an SGPR pair."""
        for index, state in enumerate((self._values, self._shadows)):
            state.write_mask(operand, _part(value, index))

    def write_exec(self, value: Value) -> None:
        """Write EXEC."""
        for index, state in enumerate((self._values, self._shadows)):
            state.write_exec(_part(value, index))

    def commit(self, writes: list[tuple[int, int, Value]], where: Value | None) -> None:
        """Write rows; a lane that may or may not be written is undefined where it matters."""
        lanes = self.implicit("exec") if where is None else where
        merged: list[tuple[int, int, Pair]] = []
        for operand, part, value in writes:
            old = self.dword(operand, part)
            raw = self.algebra.select(32, lanes.raw, value.raw, old.raw)
            merged.append((operand, part, raw))
        everywhere = self._values.lanes([True] * self.count)
        for index, state in enumerate((self._values, self._shadows)):
            rows = [(o, p, Value(_ALGEBRA, raw[index], 32)) for o, p, raw in merged]
            state.commit(rows, everywhere)


class UndefinedScalars:
    """One SALU instruction's operands, as values and undefined bits side by side."""

    def __init__(
        self, values: NumpyScalars, shadows: NumpyScalars, operands: Sequence[Operand]
    ) -> None:
        self._values, self._shadows = values, shadows
        self._constant = _constants(operands)

    def read(self, operand: int, type_: str) -> Value:
        """An operand."""
        value = self._values.read(operand, type_)
        if self._constant[operand]:
            return _joined(value, Value(value.alg, np.zeros_like(value.raw), value.width))
        return _joined(value, self._shadows.read(operand, type_))

    def implicit(self, name: str) -> Value:
        """SCC, EXEC or M0."""
        return _joined(self._values.implicit(name), self._shadows.implicit(name))

    def write(self, operand: int, value: Value) -> None:
        """Write SGPRs."""
        self._values.write(operand, _part(value, 0))
        self._shadows.write(operand, _part(value, 1))

    def write_implicit(self, name: str, value: Value) -> None:
        """Write SCC or EXEC."""
        self._values.write_implicit(name, _part(value, 0))
        self._shadows.write_implicit(name, _part(value, 1))


def nothing_undefined(lanes: int = 64) -> Registers:
    """Undefined bits of a wave in which all contents are known."""
    registers = Registers(lanes)
    registers.write_scalar(EXEC, 0, 64)
    return registers


def run_defined(
    inst: Instruction, registers: Registers, undefined: Registers, mode: FloatMode = DEFAULT_MODE
) -> None:
    """Execute one instruction on values and on their undefined bits.

    Args:
        inst: as `reference.run` takes it.
        registers: values; read and written in place.
        undefined: ones where the value's bit may be anything; read and written in place.
        mode: MODE and target.

    Raises:
        UnsupportedForm: opcode, operand or modifier that the table does not define.
    """

    def vector(operands: Sequence[Operand], types: Sequence[str], packed: int) -> UndefinedState:
        values, shadows = (NumpyState(r, operands, types, packed) for r in (registers, undefined))
        return UndefinedState(values, shadows, operands)

    def scalar(operands: Sequence[Operand]) -> UndefinedScalars:
        values, shadows = (NumpyScalars(r, operands) for r in (registers, undefined))
        return UndefinedScalars(values, shadows, operands)

    run_on(inst, mode, vector, scalar)
