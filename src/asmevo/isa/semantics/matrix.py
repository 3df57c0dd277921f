"""Shapes, formats and register layouts of the matrix instructions.

One table for the engine, the reference and the tests. Sources: AMD matrix instruction calculator
(dense layouts), CDNA3 ISA chapter 7, CDNA4 ISA chapter 7 (f8f6f4, scales).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from asmevo.isa.matrix import matrix_shape

LANES = 64  # MFMA and SMFMAC exist for waves of 64 lanes alone


@dataclass(frozen=True, slots=True)
class Format:
    """An element format.

    Attributes:
        name: `f16`, `fp8`, ...
        bits: storage width.
        mantissa: explicit mantissa bits (0 for integers).
        exponent: exponent bits.
    """

    name: str
    bits: int
    mantissa: int = 0
    exponent: int = 0


FORMATS = {
    f.name: f
    for f in (
        Format("f64", 64, 52, 11),
        Format("f32", 32, 23, 8),
        Format("xf32", 32, 10, 8),
        Format("f16", 16, 10, 5),
        Format("bf16", 16, 7, 8),
        Format("i8", 8),
        Format("fp8", 8, 3, 4),
        Format("bf8", 8, 2, 5),
        Format("fp6", 6, 3, 2),
        Format("bf6", 6, 2, 3),
        Format("fp4", 4, 1, 2),
    )
}
# CBSZ and BLGP of the f8f6f4 forms name the formats of A and B.
F8F6F4 = ("fp8", "bf8", "fp6", "bf6", "fp4")


def names_formats(base: str) -> bool:
    """Whether CBSZ and BLGP of a matrix opcode name the formats of A and B."""
    return base.endswith("f8f6f4")


@dataclass(frozen=True, slots=True)
class MatrixOp:
    """D[m, n] = A[m, k] B[k, n] + C[m, n] for each of `blocks` blocks.

    Attributes:
        acc: accumulator format, "f32", "f64" or "i32".
        a, b: operand formats.
        sparse: A stores half of its k (SMFMAC, 4:2), chosen by index bits.
        scaled: A and B carry one E8M0 scale per 32 elements of k.
    """

    m: int
    n: int
    k: int
    blocks: int
    acc: str
    a: Format
    b: Format
    sparse: bool = False
    scaled: bool = False

    @property
    def a_k(self) -> int:
        """Stored depth of A."""
        return self.k // 2 if self.sparse else self.k

    @property
    def a_elements(self) -> int:
        """Elements of A that one lane holds."""
        return self.m * self.a_k * self.blocks // LANES

    @property
    def b_elements(self) -> int:
        """Elements of B that one lane holds."""
        return self.n * self.k * self.blocks // LANES

    @property
    def acc_bits(self) -> int:
        """Width of an accumulator element."""
        return 64 if self.acc == "f64" else 32

    @property
    def acc_elements(self) -> int:
        """Accumulator elements per lane."""
        return self.m * self.n * self.blocks // LANES

    @property
    def acc_registers(self) -> int:
        """32-bit registers per lane of C and D."""
        return self.acc_elements * self.acc_bits // 32

    def registers(self, side: Format, elements: int) -> int:
        """32-bit registers per lane of an operand."""
        return -(-elements * side.bits // 32)

    def a_place(self, i: int, k: int, block: int = 0) -> tuple[int, int]:
        """(lane, element slot) that holds A[i, k] of a block (stored k for sparse forms)."""
        return _place(i, k, block, self.m, self.blocks, self.a_elements, self.a)

    def b_place(self, j: int, k: int, block: int = 0) -> tuple[int, int]:
        """(lane, element slot) that holds B[k, j] of a block."""
        return _place(j, k, block, self.n, self.blocks, self.b_elements, self.b)

    def result_place(self, i: int, j: int, block: int) -> tuple[int, int]:
        """(lane, accumulator element) of D[i, j] of a block."""
        run = 1 if self.acc == "f64" else 4  # consecutive rows in one lane
        rows = LANES // self.n
        shared = -(-LANES * run // (self.m * self.n))  # blocks that share a register
        element = block * (self.m * self.n // LANES) + run * (i // (run * rows)) + i % run
        lane = j + self.n * (block % shared) + self.n * shared * ((i // run) % rows)
        return lane, element

    def groups(self) -> list[list[tuple[int, int]]]:
        """For each accumulator element, (row, block) of each group of n lanes."""
        table: list[list[tuple[int, int]]] = [
            [(-1, -1)] * (LANES // self.n) for _ in range(self.acc_elements)
        ]
        for block in range(self.blocks):
            for i in range(self.m):
                lane, element = self.result_place(i, 0, block)
                table[element][lane // self.n] = (i, block)
        return table

    def index_place(self, i: int, s: int, cbsz: int, abid: int) -> tuple[int, int]:
        """(lane, bit) of the two index bits of stored element `s` of row `i` (sparse forms).

        gfx942 picks one of several index sets by ABID when CBSZ is 0; the doubled forms of
        gfx950 have room for fewer sets.
        """
        per_lane = self.a_elements
        lane = i + self.m * (s // per_lane)
        width = 2 * per_lane  # index bits of one set in one lane
        sets = 32 // width
        base = width * (abid % sets) if cbsz == 0 and sets > 1 else 0
        return lane, base + 4 * ((s // 2) % (per_lane // 2)) + 2 * (s % 2)


def _place(
    i: int, k: int, block: int, side: int, blocks: int, per_lane: int, fmt: Format
) -> tuple[int, int]:
    if fmt.bits == 8 and per_lane > 16:
        # Chunks of 16 bytes interleave over the lane groups.
        groups = LANES // (side * blocks)
        lane = i + side * block + side * blocks * ((k // 16) % groups)
        return lane, 16 * (k // (16 * groups)) + k % 16
    return i + side * block + side * blocks * (k // per_lane), k % per_lane


@lru_cache(maxsize=1024)
def matrix_op(base: str, cbsz: int = 0, blgp: int = 0) -> MatrixOp | None:
    """The matrix operation of a mnemonic, or None.

    Args:
        cbsz, blgp: the modifiers; they are the formats of A and B in f8f6f4 forms.
    """
    shape = matrix_shape(base)
    if shape is None:
        return None
    if shape.in_type == "f8f6f4":
        if cbsz >= len(F8F6F4) or blgp >= len(F8F6F4):
            return None
        a, b = F8F6F4[cbsz], F8F6F4[blgp]
    else:
        sides = shape.in_type.removesuffix("_1k").split("_")
        a, b = sides[0], sides[-1]
    return MatrixOp(
        shape.m, shape.n, shape.k, shape.blocks, shape.out_type, FORMATS[a], FORMATS[b],
        shape.sparse, shape.scaled,
    )  # fmt: skip


def a_block(block: int, cbsz: int, abid: int) -> int:
    """Block of A that block `block` of B meets: CBSZ/ABID broadcast (dense multi-block forms)."""
    size = 1 << cbsz
    return size * (block // size) + abid


def b_lane(lane: int, blgp: int) -> int:
    """Lane from which `lane` reads B: the BLGP permutation."""
    if blgp == 0:
        return lane
    if blgp in (1, 2):
        return lane % 32 + (32 if blgp == 2 else 0)
    if blgp == 3:
        return (lane + 16) % LANES
    return lane % 16 + 16 * (blgp - 4)


SCALE_BLOCK = 32  # elements of k that share a scale


def scale_lane(side: int, i: int, block: int) -> int:
    """Lane whose scale word serves row (column) `i` and the 32-wide k block `block`."""
    return i + side * block
