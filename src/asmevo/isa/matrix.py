"""Matrix instructions: shape, hazard class and number of passes per target.

A pass is four clocks; wait states after an MFMA and its issue cost both follow from it. Sources:
LLVM `SISchedule.td` (latencies of the MFMA write classes), CDNA3 ISA chapter 7 and CDNA4 ISA
table of matrix instruction cycles; every value was reproduced with LLVM 22's hazard recognizer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from asmevo.errors import UnsupportedError
from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Target


class MatrixClass(StrEnum):
    """Hazard classes. gfx90a knows only DGEMM and the rest (here XDL)."""

    XDL = "xdl"  # f16, bf16, i8, fp8/bf8, xf32, f8f6f4, sparse
    SGEMM = "sgemm"  # plain f32 inputs on gfx940 and later
    DGEMM = "dgemm"  # f64


@dataclass(frozen=True, slots=True)
class MatrixOp:
    """A matrix instruction: D[m x n] (+)= A[m x k] * B[k x n], `blocks` times.

    Attributes:
        cls: hazard class.
        passes: four-clock passes the matrix core is busy.
        m, n, k, blocks: shape.
        out_type: element type of C and D (`f32`, `f64`, `i32`).
        in_type: element types of A and B as the mnemonic spells them (`f16`, `bf8_fp8`).
        sparse: an SMFMAC (C is the destination; the third source is the index register).
        scaled: has two scale operands after C.
    """

    cls: MatrixClass
    passes: int
    m: int
    n: int
    k: int
    blocks: int
    out_type: str
    in_type: str
    sparse: bool
    scaled: bool


@dataclass(frozen=True, slots=True)
class MatrixShape:
    """What the spelling of a matrix instruction says; attributes as in `MatrixOp`."""

    m: int
    n: int
    k: int
    blocks: int
    out_type: str
    in_type: str
    sparse: bool
    scaled: bool


_INPUTS = "f64|f32|xf32|f16|bf16_1k|bf16|i8|fp8_fp8|fp8_bf8|bf8_fp8|bf8_bf8|f8f6f4"
_NAME = re.compile(
    r"v_(?P<op>mfma|smfmac)_(?P<scale>scale_)?(?P<out>f32|f64|i32)_"
    r"(?P<m>4|16|32)x(?P<n>4|16|32)x(?P<k>\d+)_?(?:(?P<blocks>\d+)b_)?"
    rf"(?P<inp>{_INPUTS})$"
)
# Blocks that the older spelling (gfx908, gfx90a) leaves out: (m, k, input) -> blocks. Where a
# later target spells the same name, its k is larger.
_OLD_BLOCKS = {
    (4, 1, "f32"): 16, (4, 4, "f16"): 16, (4, 2, "bf16"): 16, (4, 4, "bf16_1k"): 16,
    (4, 4, "i8"): 16, (4, 4, "f64"): 4,
    (16, 1, "f32"): 4, (16, 4, "f16"): 4, (16, 2, "bf16"): 4, (16, 4, "bf16_1k"): 4,
    (16, 4, "i8"): 4,
    (32, 1, "f32"): 2, (32, 4, "f16"): 2, (32, 2, "bf16"): 2, (32, 4, "bf16_1k"): 2,
    (32, 4, "i8"): 2,
}  # fmt: skip


@lru_cache(maxsize=1024)
def matrix_shape(base: str) -> MatrixShape | None:
    """Shape and element types of an MFMA or SMFMAC mnemonic; None when it is not spelled so."""
    found = _NAME.match(base)
    if found is None:
        return None
    m, n, k = (int(found[name]) for name in "mnk")
    sparse = found["op"] == "smfmac"
    blocks = 1
    if found["blocks"]:
        blocks = int(found["blocks"])
    elif not sparse:
        blocks = _OLD_BLOCKS.get((m, k, found["inp"]), 1)
    return MatrixShape(m, n, k, blocks, found["out"], found["inp"], sparse, bool(found["scale"]))


def _wide_side(inst: Instruction) -> bool:
    """Whether an f8f6f4 form has an 8-bit side: format code 0 (fp8) or 1 (bf8)."""
    codes = (inst.modifiers.get("cbsz", 0), inst.modifiers.get("blgp", 0))
    return any(isinstance(code, int) and code <= 1 for code in codes)


def _passes(target: Target, cls: MatrixClass, op: MatrixShape, inst: Instruction) -> int:
    if cls is MatrixClass.DGEMM:
        if op.m == 4:
            return 4
        return 16 if target.arch == "gfx950" else 8
    if op.m == 4:
        return 2
    if not target.is_gfx940 or cls is MatrixClass.SGEMM:
        return 8 if op.m == 16 else 16
    passes = 4 if op.m == 16 else 8
    multi_block = op.blocks > 1 and not op.sparse
    if multi_block or (op.in_type == "f8f6f4" and _wide_side(inst)):
        passes *= 2
    return passes


@lru_cache(maxsize=65536)
def _matrix_op(inst: Instruction, arch: str) -> MatrixOp | None:
    if not inst.base.startswith(("v_mfma_", "v_smfmac_")):
        return None
    target = Target(arch)
    shape = matrix_shape(inst.base)
    if shape is None or not target.has_mfma:
        raise UnsupportedError(
            f"matrix instruction {inst.base} is not known on {arch}",
            "add its shape to asmevo/isa/matrix.py",
        )
    if shape.out_type == "f64":
        cls = MatrixClass.DGEMM
    elif target.is_gfx940 and shape.in_type == "f32":
        cls = MatrixClass.SGEMM
    else:
        cls = MatrixClass.XDL
    return MatrixOp(
        cls, _passes(target, cls, shape, inst), shape.m, shape.n, shape.k, shape.blocks,
        shape.out_type, shape.in_type, shape.sparse, shape.scaled,
    )  # fmt: skip


def matrix_op(inst: Instruction, target: Target) -> MatrixOp | None:
    """Shape, class and passes of an MFMA or SMFMAC; None for every other instruction.

    Raises:
        UnsupportedError: an MFMA spelling that the table does not know (never guessed).
    """
    return _matrix_op(inst, target.arch)
