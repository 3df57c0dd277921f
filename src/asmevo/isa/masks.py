"""Scalar arithmetic on lane masks: what is zero, or unchanged, when a source is zero.

Sources: CDNA3 ISA 12.1 (SOP1: S_*_SAVEEXEC), 12.2 (SOP2); RDNA3 ISA for the names from gfx10 on.
"""

from __future__ import annotations

from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import EXEC, SCC

_EXEC = frozenset((EXEC, EXEC + 1))


def cleared_units(inst: Instruction, zero: set[int]) -> set[int]:
    """Units that a scalar instruction makes zero, given those that are."""
    operands, base = inst.operands, inst.base
    regs = [o.reg for o in operands]
    if not regs or regs[0] is None:
        return set()
    first = set(regs[0].units)
    known = [
        getattr(o.value, "value", 1) == 0 if r is None else set(r.units) <= zero
        for r, o in zip(regs[1:], operands[1:], strict=True)
    ]
    idle = zero >= _EXEC
    if "saveexec" in base:
        made = first if idle else set[int]()
        narrows = base.startswith(("s_and_", "s_andn1_", "s_and_not0_"))
        stays = (idle if narrows else idle and known[0]) and not base.startswith(
            ("s_andn2", "s_orn", "s_nand", "s_nor", "s_xnor", "s_and_not1", "s_or_not")
        )  # gfx9 andn2: the source without EXEC
        return made | (set(_EXEC) if stays else set())
    if base.startswith(("s_mov_b", "s_or_b", "s_xor_b")) and all(known):
        return first - {SCC}
    if base.startswith("s_and_b") and any(known):
        return first
    if base.startswith(("s_andn2_b", "s_and_not1_b")) and known[0]:
        return first
    return set()


def kept_units(inst: Instruction, zero: set[int]) -> set[int]:
    """Units that a scalar instruction writes as they are: `x | 0`, `x & ~0`, `x ^ 0`."""
    regs = [o.reg for o in inst.operands]
    if len(regs) != 3 or regs[0] is None:
        return set()
    idle = [
        getattr(o.value, "value", 1) == 0 if o.reg is None else set(o.reg.units) <= zero
        for o in inst.operands[1:]
    ]
    second = regs[1] == regs[0] and idle[1]
    first = regs[2] == regs[0] and idle[0]
    either = inst.base.startswith(("s_or_b", "s_xor_b")) and (first or second)
    masked = inst.base.startswith(("s_andn2_b", "s_and_not1_b")) and second
    return set(regs[0].units) if either or masked else set()
