"""Registers of one wave as terms, and the states that instructions of the table see.

A vector register is one formula for all lanes; a lane mask in an SGPR pair is the formula of its
bits where it came from a comparison (`Table.mask`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from asmevo.isa.operand import (
    AGPR0,
    EXEC,
    M0,
    SCC,
    VCC,
    VGPR0,
    FloatImm,
    Imm,
    Operand,
    Reg,
    RegKind,
    Special,
)
from asmevo.isa.semantics import table as semantics
from asmevo.isa.semantics.instruction.constants import constant_bits
from asmevo.isa.semantics.instruction.decode import UnsupportedForm
from asmevo.isa.semantics.instruction.execute import evaluate
from asmevo.isa.semantics.instruction.form import Form
from asmevo.isa.semantics.instruction.state import Results
from asmevo.isa.semantics.table import FloatMode
from asmevo.isa.semantics.values import Algebra, Value
from asmevo.prove.symbolic.memory import Memory
from asmevo.prove.terms.algebra import TermAlgebra
from asmevo.prove.terms.node import LANES, Node, Table
from asmevo.prove.window import Assumptions


class Wave:
    """A wave's registers and memory.

    Attributes:
        table: of the terms.
        algebra: over the table.
        mode: MODE, as far as results depend on it.
        memory: versions of memory.
        opaque: float opcodes are functions of their operands of which only the name is known.
    """

    def __init__(
        self, table: Table, mode: FloatMode, assumptions: Assumptions, opaque: bool
    ) -> None:
        self.table, self.mode, self.opaque = table, mode, opaque
        self.algebra: Algebra = TermAlgebra(table)
        self.memory = Memory(table, assumptions)
        self._registers: dict[int, Node] = {}
        self._assumptions = assumptions
        if assumptions.exec_full:
            self.write(EXEC, table.const(64, -1))

    def copy(self) -> Wave:
        """The same state, to go on from separately."""
        other = Wave(self.table, self.mode, self._assumptions, self.opaque)
        other._registers = dict(self._registers)
        other.memory = self.memory.copy()
        return other

    def meet(self, condition: Node, taken: Wave) -> None:
        """Become `taken` where a scalar condition holds.

        Raises:
            UnsupportedForm: MODE differs.
        """
        if taken.mode != self.mode:
            raise UnsupportedForm("MODE depends on a branch")
        for unit in self._registers.keys() | taken._registers.keys():
            self._registers[unit] = self.table.ite(condition, taken.unit(unit), self.unit(unit))
        self.memory.meet(condition, taken.memory)

    # --- registers ------------------------------------------------------------------------
    def unit(self, unit: int) -> Node:
        """Contents of a register unit: 32 bits, of SCC one."""
        node = self._registers.get(unit)
        if node is None:
            lanes = unit >= VGPR0 and unit not in self._assumptions.uniform
            node = self.table.make("vector" if lanes else "scalar", 1 if unit == SCC else 32,
                                   (), unit)  # fmt: skip
            self._registers[unit] = node
        return node

    def wide(self, unit: int, count: int = 2) -> Node:
        """`count` units as one value, the first lowest."""
        node = self.unit(unit)
        for n in range(1, count):
            node = self.table.concat(self.unit(unit + n), node)
        return node

    def write(self, unit: int, value: Node) -> None:
        """Replace units from `unit` on."""
        if unit == SCC:
            self._registers[unit] = value
            return
        for n in range(value.width // 32):
            self._registers[unit + n] = self.table.extract(value, 32 * n, 32)

    def read_lane(self, unit: int) -> Node:
        """A vector register as an active lane sees it.

        Only for what matters in active lanes: a value that was written under the same EXEC is
        taken without the old contents.
        """
        node = self.unit(unit)
        if node.op == "ite" and node.args[0] is self.active:
            return node.args[1]
        return node

    def write_lanes(self, unit: int, value: Node, where: Node | None = None) -> None:
        """Write a vector register in the lanes that `where` holds (None: EXEC)."""
        lanes = self.active if where is None else where
        self._registers[unit] = self.table.ite(lanes, value, self.unit(unit))

    @property
    def exec(self) -> Node:
        """EXEC as a scalar."""
        return self.wide(EXEC)

    @property
    def active(self) -> Node:
        """The lane's bit of EXEC."""
        return self.table.bit(self.exec)

    def first_lane(self) -> Node:
        """The lowest active lane, 0 without any (v_readfirstlane)."""
        count = self.algebra.cttz(64, self.exec)
        return self.table.and_(self.table.extract(count, 0, 32), self.table.const(32, LANES - 1))

    # --- operands -------------------------------------------------------------------------
    def constant(self, operand: Operand, type_: str, packed: int = 0) -> Node | None:
        """A scalar or constant operand, 64 bits or more where its type has them; None for rows.

        Raises:
            UnsupportedForm: an operand that the semantics do not define.
        """
        value = operand.value
        wide = 64 if packed == 32 or type_ == "m" else max(semantics.width_of(type_), 32)
        if isinstance(value, Reg):
            if value.kind is not RegKind.SGPR:
                return None
            return self.wide(value.index, wide // 32)
        if isinstance(value, Imm | FloatImm):
            return self.table.const(max(wide, 64), constant_bits(value, type_, packed))
        if isinstance(value, Special):
            if value.name in ("scc", "src_scc"):
                return self.table.zext(self.unit(SCC), max(wide, 64))
            if value.name in ("src_vccz", "src_execz"):
                pair = self.wide(VCC if value.name == "src_vccz" else EXEC)
                return self.table.zext(self.table.eq(pair, self.table.const(64, 0)), max(wide, 64))
        raise UnsupportedForm(f"operand {value} is not supported")

    def change_mode(self, mask: int, bits: int) -> None:
        """Write bits of MODE."""
        facts = self.mode
        new = FloatMode.from_bits(facts.bits() & ~mask | bits & mask)
        self.mode = replace(new, fnuz=facts.fnuz, dot2_flush=facts.dot2_flush)


def row_of(operand: Operand) -> int | None:
    """The unit of a vector operand, None for scalars and constants."""
    value = operand.value
    if isinstance(value, Reg) and value.kind is not RegKind.SGPR:
        return value.index + (AGPR0 if value.kind is RegKind.AGPR else VGPR0)
    return None


class LaneState:
    """One VALU instruction's operands in a `Wave` (`instruction.state.State`)."""

    def __init__(
        self, wave: Wave, operands: Sequence[Operand], types: Sequence[str], packed: int
    ) -> None:
        self.algebra: Algebra = wave.algebra
        self.count = LANES
        self._wave, self._operands = wave, operands
        self._types, self._packed = types, packed

    def vector(self) -> tuple[bool, ...]:
        """Per operand, whether it is a row of lanes."""
        return tuple(row_of(o) is not None for o in self._operands)

    def _value(self, raw: Node, kind: str = "u") -> Value:
        return Value(self.algebra, raw, raw.width, kind)

    def _scalar(self, operand: int, low: int, width: int) -> Value:
        node = self._wave.constant(self._operands[operand], self._types[operand], self._packed)
        assert node is not None
        table = self._wave.table
        if node.width < low + width:
            node = table.zext(node, low + width)
        return self._value(table.extract(node, low, width))

    def dword(self, operand: int, part: int = 0) -> Value:
        """A row, or a scalar in every lane."""
        row = row_of(self._operands[operand])
        if row is not None:
            return self._value(self._wave.read_lane(row + part))
        return self._scalar(operand, 32 * part, 32)

    def qword(self, operand: int) -> Value:
        """Two rows, or a scalar pair in every lane."""
        row = row_of(self._operands[operand])
        if row is not None:
            low, high = (self._wave.read_lane(row + n) for n in (0, 1))
            return self._value(self._wave.table.concat(high, low))
        return self._scalar(operand, 0, 64)

    def mask(self, operand: int) -> Value:
        """The lane's bit of a lane mask operand."""
        node = self._wave.constant(self._operands[operand], "m")
        assert node is not None
        return self._value(self._wave.table.bit(self._wave.table.extract(node, 0, 64)), "b")

    def implicit(self, name: str) -> Value:
        """The lane's bit of EXEC or VCC, or the lane's number."""
        if name == "lane":
            return self._value(self._wave.table.make("lane", 32))
        if name == "exec":
            return self._value(self._wave.active, "b")
        if name in ("vcc", "vccbit"):
            return self._value(self._wave.table.bit(self._wave.wide(VCC)), "b")
        raise UnsupportedForm(f"an implicit {name} is not supported")

    def lanes(self, chosen: Sequence[bool]) -> Value:
        """A constant."""
        bits = sum(1 << n for n, is_chosen in enumerate(chosen) if is_chosen)
        table = self._wave.table
        return self._value(table.bit(table.const(LANES, bits)), "b")

    def move(self, value: Value, sources: Sequence[int]) -> Value:
        """A fixed permutation."""
        raw = self._wave.table.move(value.raw, tuple(sources))
        return Value(value.alg, raw, value.width, value.kind)

    def evaluate(self, form: Form, arguments: list[list[Any]]) -> list[Results]:
        """Results of the full function, or of an unknown one of the same name."""
        if not self._wave.opaque or not is_float(form):
            return [evaluate(form, args) for args in arguments]
        return [self._named(form, args) for args in arguments]

    def _named(self, form: Form, args: list[Any]) -> Results:
        semantic = form.semantic
        mode = form.mode if semantic.uses else None
        widths = {semantics.width_of(d) for d in semantic.dsts if d[0] == "f"}
        rounding = tuple((w, m) for w, m in form.rounding if w in widths and m)
        values: list[Value] = []
        for a in args:
            values += a if isinstance(a, list) else [a]
        flat, kinds = tuple(v.raw for v in values), "".join(v.kind for v in values)
        # Opcodes that share their function share their name here.
        name = (semantic.fn, mode, rounding, form.immediates, semantic.dsts, kinds)
        out: list[Any] = []
        for n, type_ in enumerate(semantic.dsts):
            width, kind = semantics.width_of(type_), semantics.kind_of(type_)
            if width > 64:
                out.append([
                    self._value(self._wave.table.make("named", 32, flat, (name, n, part)))
                    for part in range(width // 32)
                ])  # fmt: skip
            else:
                out.append(
                    self._value(self._wave.table.make("named", width, flat, (name, n)), kind)
                )
        return tuple(out)

    def write_mask(self, operand: int, value: Value) -> None:
        """Write a lane mask."""
        reg = self._operands[operand].reg
        assert reg is not None
        self._wave.write(reg.index, self._wave.table.mask(value.raw))

    def write_exec(self, value: Value) -> None:
        """Write EXEC."""
        self._wave.write(EXEC, self._wave.table.mask(value.raw))

    def commit(self, writes: list[tuple[int, int, Value]], where: Value | None) -> None:
        """Write rows."""
        lanes = None if where is None else where.raw
        done = [(row_of(self._operands[o]), part, v.raw) for o, part, v in writes]
        for row, part, raw in done:
            assert row is not None
            self._wave.write_lanes(row + part, raw, lanes)


def is_float(form: Form) -> bool:
    """Whether an opcode computes with floats."""
    return any(t[0] == "f" for t in (*form.semantic.dsts, *form.semantic.srcs))


class ScalarOperands:
    """One SALU instruction's operands in a `Wave` (`instruction.scalar.ScalarState`)."""

    def __init__(self, wave: Wave, operands: Sequence[Operand]) -> None:
        self._wave, self._operands = wave, operands

    def read(self, operand: int, type_: str) -> Value:
        """An operand as a value of a type."""
        width, kind = semantics.width_of(type_), semantics.kind_of(type_)
        node = self._wave.constant(self._operands[operand], type_)
        if node is None:
            raise UnsupportedForm("a vector operand of a scalar instruction")
        return Value(self._wave.algebra, self._wave.table.extract(node, 0, width), width, kind)

    def implicit(self, name: str) -> Value:
        """SCC, EXEC or M0."""
        node = {
            "scc": lambda: self._wave.unit(SCC),
            "exec": lambda: self._wave.exec,
            "m0": lambda: self._wave.unit(M0),
        }[name]()
        return Value(self._wave.algebra, node, node.width, "b" if name == "scc" else "u")

    def write(self, operand: int, value: Value) -> None:
        """Write SGPRs."""
        reg = self._operands[operand].reg
        assert reg is not None
        self._wave.write(reg.index, value.raw)

    def write_implicit(self, name: str, value: Value) -> None:
        """Write SCC or EXEC."""
        self._wave.write(SCC if name == "scc" else EXEC, value.raw)
