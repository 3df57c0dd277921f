"""Faults of single instructions: tuples that the hardware cannot encode, overlapping operands.

Why: an odd register pair of a unified file, or a result over a source that a matrix instruction
still reads, assembles or comes out of an edit of bytes, and computes something else.

Source: CDNA3 ISA section 3.6 (alignment of VGPR and SGPR tuples), LLVM `VOP3PInstructions.td`
(`NoDstOverlap` of MFMA destinations wider than 128 bits).
"""

from __future__ import annotations

from asmevo.check.findings import ERROR, NOTE
from asmevo.isa.decoded import OpClass, decode
from asmevo.isa.hazards.roles import matrix_sources, reg_mask
from asmevo.isa.instruction import Instruction
from asmevo.isa.matrix import matrix_op
from asmevo.isa.operand import FLAT_SCRATCH, M0, TTMP0, RegKind
from asmevo.isa.target import Target

OperandFault = tuple[str, str, str, str]  # rule, mark, severity, message


# Destinations of up to 128 bits may overlap sources (LLVM `MFMATable`, NoDstOverlap).
_EARLY_CLOBBER = 4


def _tuple_fault(inst: Instruction, target: Target) -> str:
    """Why a register tuple of the instruction is not encodable in hardware, or ''."""
    for operand in inst.operands:
        reg = operand.reg
        if reg is None or reg.count == 1:
            continue
        if reg.kind is RegKind.SGPR:
            step = 2 if reg.count == 2 else 4
            start = reg.index - TTMP0 if reg.index >= TTMP0 else reg.index
            numbered = reg.index < FLAT_SCRATCH or TTMP0 <= reg.index < M0
            if numbered and start % step:
                return f"{reg} must start at a multiple of {step}"
        elif target.unified_vgprs and reg.index % 2:
            return f"{reg} must start at an even register on {target.arch}"
    return ""


def _matrix_fault(inst: Instruction, target: Target) -> tuple[str, bool]:
    """(why a matrix instruction's destination overlaps its sources wrongly, whether it is C)."""
    op = matrix_op(inst, target)
    d = inst.operands[0].reg
    if op is None or d is None or d.count <= _EARLY_CLOBBER or op.sparse:
        return "", False
    ab, c = matrix_sources(inst, op)
    dmask = reg_mask(d)
    if c is not None and c != d and reg_mask(c) & dmask:
        return f"{d} partly overlaps the C operand {c}", True
    if ab & dmask:
        return f"{d} overlaps A or B", False
    return "", False


def operand_faults(inst: Instruction, target: Target) -> tuple[OperandFault, ...]:
    """Faults that one instruction has by itself, whatever stands around it."""
    found: list[OperandFault] = []
    fault = _tuple_fault(inst, target)
    if fault:
        found.append(("register.alignment", "R", ERROR, fault))
    if decode(inst, target).kind is OpClass.MFMA:
        fault, of_c = _matrix_fault(inst, target)
        if fault:
            # LLVM's register allocator keeps A and B apart too; the assembler only checks C.
            mark, severity = ("R", ERROR) if of_c else ("L", NOTE)
            found.append(("register.mfma-overlap", mark, severity, fault))
    return tuple(found)
