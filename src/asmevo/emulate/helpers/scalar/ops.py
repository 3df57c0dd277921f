"""Helpers for SALU opcodes of the semantics table: the engine's instance of `ScalarState`."""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.native.helper import Helper
from asmevo.emulate.native.ir import Module
from asmevo.emulate.native.variant import Variant, family
from asmevo.isa.semantics import table
from asmevo.isa.semantics.instruction.scalar import execute_scalar
from asmevo.isa.semantics.values import Value


class ScalarFile:
    """The wave state's scalars behind a record's operands."""

    def __init__(self, h: Helper) -> None:
        self._h = h

    def read(self, operand: int, type_: str) -> Value:
        """Load an operand."""
        width = table.width_of(type_)
        raw = self._h.fn.load(f"i{width}", self._h.slot(operand))
        return self._h.s(raw, width, table.kind_of(type_))

    def implicit(self, name: str) -> Value:
        """SCC, EXEC or M0."""
        h = self._h
        if name == "scc":
            raw = h.fn.load("i32", h.fn.at("%st", L.SCC))
            return h.s(h.fn.op(f"icmp ne i32 {raw}, 0"), 1, "b")
        if name == "exec":
            # The pair of SGPRs, whatever the wave size: 32-bit forms are opcodes of their own.
            return h.s(h.field(L.EXEC), 64)
        return h.s(h.field(L.M0, "i32"), 32)

    def write(self, operand: int, value: Value) -> None:
        """Store a destination."""
        self._h.fn.store(f"i{value.width}", value.raw, self._h.slot(operand))

    def write_implicit(self, name: str, value: Value) -> None:
        """Store SCC or EXEC."""
        h = self._h
        if name == "scc":
            wide = h.fn.op(f"zext i1 {value.raw} to i32")
            h.fn.store("i32", wide, h.fn.at("%st", L.SCC))
        else:
            h.fn.store(f"i{value.width}", value.raw, h.fn.at("%st", L.EXEC), 8)


@family("scalar")
def emit_scalar(module: Module, variant: Variant) -> None:
    """A SALU opcode of the semantics table."""
    semantic = table.lookup(variant.name)
    assert semantic is not None, variant
    h = Helper(module, variant)
    execute_scalar(semantic, ScalarFile(h))
    h.next()
    h.finish()
