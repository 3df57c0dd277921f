"""The text of a SALU instruction of the semantics table."""

from __future__ import annotations

import re
from typing import Protocol

from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import Imm, Operand
from asmevo.isa.semantics import table
from asmevo.isa.semantics.instruction.decode import UnsupportedForm, printed_types
from asmevo.isa.semantics.table import Semantic
from asmevo.isa.semantics.values import Value

_SIGNED_K = re.compile(r"s_(addk|mulk|movk|cmovk|cmpk_\w+)_i32$")


class ScalarState(Protocol):
    """Registers that a SALU instruction reads and writes; operands are numbered as printed."""

    def read(self, operand: int, type_: str) -> Value:
        """An operand as a value of a type."""
        ...

    def implicit(self, name: str) -> Value:
        """ "scc" (boolean), "exec" (u64) or "m0" (u32)."""
        ...

    def write(self, operand: int, value: Value) -> None:
        """Write a destination."""
        ...

    def write_implicit(self, name: str, value: Value) -> None:
        """Write "scc" or "exec"."""
        ...


def scalar_operands(inst: Instruction, semantic: Semantic) -> list[Operand]:
    """The operands of a SALU instruction, as many as its types.

    Raises:
        UnsupportedForm: another number of operands than the table has types.
    """
    operands = list(inst.operands)
    if inst.base in ("s_addk_i32", "s_mulk_i32"):
        operands = [operands[0], *operands]
    if _SIGNED_K.match(inst.base):
        # The 16-bit immediate is printed as its unsigned pattern; I32 forms sign-extend it.
        last = operands[-1].value
        assert isinstance(last, Imm)
        low = last.value & 0xFFFF
        operands[-1] = Operand(Imm(low - 0x10000 if low & 0x8000 else low))
    wanted = len(printed_types(semantic))
    if len(operands) != wanted:
        raise UnsupportedForm(f"{inst.text}: {len(operands)} operands, {wanted} expected")
    return operands


def execute_scalar(semantic: Semantic, state: ScalarState) -> None:
    """Run one SALU instruction of the semantics table on a state."""
    operand = len([d for d in semantic.dsts if d not in table.IMPLICIT])
    args: list[Value] = []
    for type_ in semantic.srcs:
        if type_ in table.IMPLICIT:
            args.append(state.implicit(type_))
        else:
            args.append(state.read(operand, type_))
            operand += 1
    if semantic.reads_dst:
        args.append(state.read(0, semantic.dsts[0]))
    results = table.apply(semantic, args)
    # Written in order, EXEC last: a saveexec destination may be its source.
    operand = 0
    for type_, value in zip(semantic.dsts, results, strict=True):
        if type_ in table.IMPLICIT:
            state.write_implicit(type_, value)
        else:
            state.write(operand, value)
            operand += 1
