"""Shapes, formats and register layouts of the dense matrix instructions.

One table for the engine, the reference and the checker. Source: AMD matrix instruction
calculator (layouts), CDNA3 ISA chapter 7.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Format:
    """An element format: name and width in bits."""

    name: str
    bits: int


FORMATS = {
    "f64": Format("f64", 64),
    "f32": Format("f32", 32),
    "xf32": Format("xf32", 32),
    "f16": Format("f16", 16),
    "bf16": Format("bf16", 16),
    "i8": Format("i8", 8),
    "fp8": Format("fp8", 8),
    "bf8": Format("bf8", 8),
}


@dataclass(frozen=True, slots=True)
class MatrixOp:
    """A dense MFMA: D[m, n] = A[m, k] B[k, n] + C[m, n] for each of `blocks` blocks.

    `acc` is the accumulator format ("f32", "f64" or "i32"); `a` and `b` the operand formats.
    """

    m: int
    n: int
    k: int
    blocks: int
    acc: str
    a: Format
    b: Format

    @property
    def elements(self) -> int:
        """Elements of A (and of B) that one lane holds."""
        return self.m * self.k * self.blocks // 64

    @property
    def acc_registers(self) -> int:
        """32-bit registers per lane of C and D."""
        return self.m * self.n * self.blocks // 64 * (2 if self.acc == "f64" else 1)

    def source_lane(self, i: int, k: int, block: int) -> tuple[int, int]:
        """(lane, element slot) that holds A[i, k] (or B[k, i]) of a block.

        For 8-bit elements with more than 16 per lane, 16-element chunks interleave over the
        lane groups (f8f6f4 forms); everything else is contiguous in k.
        """
        per_lane = self.elements
        m = self.m
        return i + m * block + m * self.blocks * (k // per_lane), k % per_lane

    def result_place(self, row: int, column: int, block: int) -> tuple[int, int]:
        """(lane, accumulator element) of D[row, column] of a block; elements count per lane."""
        n = self.n
        if self.acc == "f64":
            if self.m == 16:
                return column + 16 * (row % 4), row // 4
            return column + 4 * block + 16 * row, 0
        if self.m == 4:  # 4x4, 16 blocks: rows are the elements, lanes 4*block + column
            return column + 4 * block, row
        if self.m == 16:
            if self.blocks == 1:
                return column + 16 * (row // 4), row % 4
            # 16x16, 4 blocks: four elements per block, blocks consecutive.
            return column + 16 * (row // 4), row % 4 + 4 * block
        # 32x32: rows 8g + 4h + e -> element 4g + e in lane half h.
        element = 4 * (row // 8) + row % 4
        return column + n * ((row // 4) % 2), element + 16 * block


_NAME = re.compile(
    r"v_mfma_(f32|f64|i32)_(4|16|32)x(?:4|16|32)x(\d+)_?(?:(\d+)b_)?"
    r"(f32|f64|xf32|f16|bf16_1k|bf16|i8|fp8_fp8|fp8_bf8|bf8_fp8|bf8_bf8)$"
)
# gfx90a spells the multi-block forms without a block count.
_BLOCKS = {(4, 4): 16}


@lru_cache(maxsize=256)
def matrix_op(base: str) -> MatrixOp | None:
    """The dense matrix operation of a mnemonic, or None (SMFMAC and f8f6f4 are not here)."""
    m = _NAME.match(base)
    if m is None:
        return None
    acc, size, k, blocks, formats = m.groups()
    formats = formats.replace("_1k", "")
    a, b = (formats.split("_") + [formats])[:2] if "_" in formats else (formats, formats)
    side, depth = int(size), int(k)
    if blocks is None:
        count = _implied_blocks(side, depth, formats)
    else:
        count = int(blocks)
    return MatrixOp(side, side, depth, count, acc, FORMATS[a], FORMATS[b])


def _implied_blocks(side: int, depth: int, formats: str) -> int:
    """Block count of a gfx90a spelling: the forms with the smaller depth are multi-block."""
    if formats == "f64":
        return 4 if side == 4 else 1
    if side == 4:
        return 16
    dense = {
        "f32": {16: 4, 32: 2},
        "f16": {16: 16, 32: 8},
        "bf16": {16: 8, 32: 4},
        "i8": {16: 16, 32: 8},
    }.get(formats)
    if dense is None or depth >= dense[side]:
        return 1
    return 4 if side == 16 else 2
