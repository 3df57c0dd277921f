"""A slow interpreter of whole VALU and SALU instructions over NumPy arrays.

    >>> registers = Registers(lanes=64)
    >>> run(instruction, registers, FloatMode().on_target("gfx942"))

It runs what the semantics table defines, one instruction at a time; memory, control flow, matrix
and cross-lane instructions have other homes. The engine is the fast instance of the same text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import EXEC, M0, VCC, FloatImm, Imm, Operand, Reg, RegKind, Special
from asmevo.isa.semantics import numpy_algebra, table
from asmevo.isa.semantics.instruction.constants import constant_bits
from asmevo.isa.semantics.instruction.decode import UnsupportedForm, options_of, printed_types
from asmevo.isa.semantics.instruction.execute import evaluate, execute
from asmevo.isa.semantics.instruction.form import Form, form_from
from asmevo.isa.semantics.instruction.mix import execute_mix, mix_options, mix_semantic, mix_types
from asmevo.isa.semantics.instruction.scalar import (
    ScalarState,
    execute_scalar,
    scalar_operands,
)
from asmevo.isa.semantics.instruction.state import Results, State
from asmevo.isa.semantics.table import DEFAULT_MODE, FloatMode
from asmevo.isa.semantics.values import Algebra, Value

_AGPR0 = 256
_MASK = 0xFFFFFFFF


class Registers:
    """Registers of one wave.

    Attributes:
        vector: (512, lanes) dwords: VGPRs, then AGPRs.
        scalar: 128 dwords by GFX9 operand code (VCC 106, M0 124, EXEC 126).
        scc: the scalar condition code.
    """

    def __init__(self, lanes: int = 64) -> None:
        self.vector: NDArray[np.uint32] = np.zeros((512, lanes), np.uint32)
        self.scalar: NDArray[np.uint32] = np.zeros(128, np.uint32)
        self.scc = False
        self.write_scalar(EXEC, (1 << lanes) - 1, 64)

    @property
    def lanes(self) -> int:
        """Lanes per wave."""
        return self.vector.shape[1]

    def read_scalar(self, code: int, width: int) -> int:
        """Bits of 1 to 2 dwords from a code on."""
        low = int(self.scalar[code])
        return low | int(self.scalar[code + 1]) << 32 if width == 64 else low

    def write_scalar(self, code: int, bits: int, width: int) -> None:
        """Write 1 to 2 dwords from a code on."""
        for part in range(max(1, width // 32)):
            self.scalar[code + part] = bits >> (32 * part) & _MASK


def _code(operand: Operand) -> int:
    assert isinstance(operand.value, Reg), operand
    return operand.value.index


def _bits(registers: Registers, operand: Operand, type_: str, packed: int) -> int:
    """Bits of a scalar or constant operand."""
    value, wide = operand.value, 64 if packed == 32 else max(table.width_of(type_), 32)
    if type_ == "m":
        wide = 64
    if isinstance(value, Reg):
        return sum(
            int(registers.scalar[value.index + part]) << (32 * part) for part in range(wide // 32)
        )
    if isinstance(value, Imm | FloatImm):
        return constant_bits(value, type_, packed) & ((1 << max(wide, 64)) - 1)
    if isinstance(value, Special):
        zero = {
            "src_vccz": lambda: not registers.read_scalar(VCC, 64),
            "src_execz": lambda: not registers.read_scalar(EXEC, 64),
            "scc": lambda: registers.scc,
            "src_scc": lambda: registers.scc,
        }.get(value.name)
        if zero is not None:
            return int(zero())
    raise UnsupportedForm(f"operand {value} is not supported")


class NumpyState:
    """One VALU instruction's operands in `Registers`."""

    def __init__(
        self, registers: Registers, operands: Sequence[Operand], types: Sequence[str], packed: int
    ) -> None:
        self.algebra: Algebra = numpy_algebra.ALGEBRA
        self.count = registers.lanes
        self._registers, self._operands = registers, operands
        self._types, self._packed = types, packed

    def vector(self) -> tuple[bool, ...]:
        """Per operand, whether it is a row of lanes."""
        return tuple(self._row(n) is not None for n in range(len(self._operands)))

    def _row(self, operand: int) -> int | None:
        value = self._operands[operand].value
        if isinstance(value, Reg) and value.kind is not RegKind.SGPR:
            return value.index + (_AGPR0 if value.kind is RegKind.AGPR else 0)
        return None

    def _v(self, bits: Any, width: int, kind: str = "u") -> Value:
        full = np.broadcast_to(np.asarray(bits), (self.count,)).copy()
        return numpy_algebra.value(full, width, kind)

    def _flags(self, bits: int) -> Value:
        return self._v([bool(bits >> lane & 1) for lane in range(self.count)], 1, "b")

    def dword(self, operand: int, part: int = 0) -> Value:
        """A row, or a scalar in every lane."""
        row = self._row(operand)
        if row is not None:
            return self._v(self._registers.vector[row + part], 32)
        bits = _bits(self._registers, self._operands[operand], self._types[operand], self._packed)
        return self._v(np.uint32(bits >> (32 * part) & _MASK), 32)

    def qword(self, operand: int) -> Value:
        """Two rows, or a scalar pair in every lane."""
        row = self._row(operand)
        if row is not None:
            low, high = (self._registers.vector[row + n].astype(np.uint64) for n in (0, 1))
            return self._v(low | high << np.uint64(32), 64)
        bits = _bits(self._registers, self._operands[operand], self._types[operand], self._packed)
        return self._v(np.uint64(bits & (2**64 - 1)), 64)

    def mask(self, operand: int) -> Value:
        """The lanes of a mask operand."""
        return self._flags(_bits(self._registers, self._operands[operand], "m", 0))

    def implicit(self, name: str) -> Value:
        """EXEC or VCC by lane, or the lane numbers."""
        if name == "lane":
            return self._v(np.arange(self.count, dtype=np.uint32), 32)
        return self._flags(self._registers.read_scalar(EXEC if name == "exec" else VCC, 64))

    def lanes(self, chosen: Sequence[bool]) -> Value:
        """A constant."""
        return self._v(list(chosen), 1, "b")

    def move(self, value: Value, sources: Sequence[int]) -> Value:
        """A gather."""
        return Value(value.alg, value.raw[np.asarray(sources)], value.width, value.kind)

    def evaluate(self, form: Form, arguments: list[list[Any]]) -> list[Results]:
        """Results of the full function."""
        return [evaluate(form, args) for args in arguments]

    def _mask_bits(self, value: Value) -> int:
        flags = np.broadcast_to(value.raw, (self.count,)).tolist()
        return sum(1 << lane for lane, flag in enumerate(flags) if flag)

    def write_mask(self, operand: int, value: Value) -> None:
        """Write an SGPR pair."""
        code = _code(self._operands[operand])
        self._registers.write_scalar(code, self._mask_bits(value), 64)

    def write_exec(self, value: Value) -> None:
        """Write EXEC."""
        self._registers.write_scalar(EXEC, self._mask_bits(value), 64)

    def commit(self, writes: list[tuple[int, int, Value]], where: Value | None) -> None:
        """Write rows."""
        lanes = (self.implicit("exec") if where is None else where).raw
        for operand, part, value in writes:
            row = self._row(operand)
            assert row is not None, self._operands[operand]
            target = self._registers.vector[row + part]
            target[:] = np.where(lanes, value.raw, target)


class NumpyScalars:
    """One SALU instruction's operands in `Registers`."""

    def __init__(self, registers: Registers, operands: Sequence[Operand]) -> None:
        self._registers, self._operands = registers, operands

    def read(self, operand: int, type_: str) -> Value:
        """An operand as an array of no dimensions."""
        width = table.width_of(type_)
        bits = _bits(self._registers, self._operands[operand], type_, 0) & ((1 << width) - 1)
        return numpy_algebra.value(bits, width, table.kind_of(type_))

    def implicit(self, name: str) -> Value:
        """SCC, EXEC or M0."""
        if name == "scc":
            return numpy_algebra.value(self._registers.scc, 1, "b")
        width = 64 if name == "exec" else 32
        code = {"exec": EXEC, "m0": M0}[name]
        return numpy_algebra.value(self._registers.read_scalar(code, width), width)

    def write(self, operand: int, value: Value) -> None:
        """Write SGPRs."""
        code = _code(self._operands[operand])
        self._registers.write_scalar(code, int(value.raw), value.width)

    def write_implicit(self, name: str, value: Value) -> None:
        """Write SCC or EXEC."""
        if name == "scc":
            self._registers.scc = bool(value.raw)
        else:
            self._registers.write_scalar(EXEC, int(value.raw), 64)


class VectorState(State, Protocol):
    """A state that knows which of its operands are rows of lanes."""

    def vector(self) -> tuple[bool, ...]:
        """Per operand, whether it is a row of lanes."""
        ...


def run(inst: Instruction, registers: Registers, mode: FloatMode = DEFAULT_MODE) -> None:
    """Execute one instruction.

    Args:
        inst: a VALU or SALU instruction of the semantics table, or a mixed-precision fma.
        registers: read and written in place.
        mode: MODE and target (`FloatMode.on_target`).

    Raises:
        UnsupportedForm: opcode, operand or modifier that the table does not define.
    """
    run_on(
        inst,
        mode,
        lambda operands, types, packed: NumpyState(registers, operands, types, packed),
        lambda operands: NumpyScalars(registers, operands),
    )


def run_on(
    inst: Instruction,
    mode: FloatMode,
    vector: Callable[[Sequence[Operand], Sequence[str], int], VectorState],
    scalar: Callable[[Sequence[Operand]], ScalarState],
) -> None:
    """Execute one instruction on states made from its operands.

    Args:
        inst, mode: as `run` takes them.
        vector: state of a VALU instruction from (operands, their types, packed width).
        scalar: state of a SALU instruction from its operands.

    Raises:
        UnsupportedForm: opcode, operand or modifier that the table does not define.
    """
    mix = mix_semantic(inst.base)
    semantic = mix or table.lookup(inst.base)
    if semantic is None:
        raise UnsupportedForm(f"{inst.base} is not in the semantics table")
    if semantic.scope == "scalar":
        execute_scalar(semantic, scalar(scalar_operands(inst, semantic)))
        return
    operands = list(inst.operands) * (2 if inst.base == "v_swap_b32" else 1)
    types = printed_types(semantic)
    if len(operands) != len(types):
        raise UnsupportedForm(f"{inst.text}: {len(operands)} operands, {len(types)} expected")
    if mix is not None:
        options = mix_options(inst, mode)
        types = [types[0], *mix_types(options)]
    else:
        options = options_of(inst, semantic, mode)
    state = vector(operands, types, semantic.packed)
    form = form_from(semantic, state.vector(), options.items())
    (execute_mix if mix is not None else execute)(form, state)
