"""Latencies that the list scheduler weighs dependences with.

Clocks between the issue of a producer and the earliest useful issue of a consumer on CDNA, from
the trace statistics in the project's timing notes (modes over MI325X and MI350X captures). They
only order proposals: the cycle model decides what is faster.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from asmevo.isa.effects import MEMORY_CLASSES, VECTOR_CLASSES, Effects, OpClass
from asmevo.isa.instruction import Instruction

_TILE = re.compile(r"_(\d+)x(\d+)x(\d+)")


@dataclass(frozen=True, slots=True)
class Latencies:
    """Clocks by kind of producer and consumer. Memory values are those of an unloaded system."""

    alu: int = 4
    transcendental: int = 8
    vector_to_memory: int = 12
    vector_to_scalar: int = 20
    scalar_to_memory: int = 8
    scalar_to_branch: int = 8
    lds: int = 64
    scalar_memory: int = 200
    vector_memory: int = 600

    def issue(self, inst: Instruction, effect: Effects) -> int:
        """Clocks that `inst` occupies the issue of its wave."""
        if effect.kind is OpClass.TRANS:
            return self.transcendental
        if effect.kind is OpClass.LDS:
            return 12 if "_b128" in inst.base else 8
        if effect.kind is OpClass.MFMA:
            return matrix_cycles(inst)[0]
        return self.alu

    def result(self, inst: Instruction, effect: Effects, consumer: Effects) -> int:
        """Clocks from the issue of `inst` until `consumer` can use its result."""
        kind = effect.kind
        if kind is OpClass.SMEM:
            return self.scalar_memory
        if kind in (OpClass.VMEM, OpClass.FLAT):
            return self.vector_memory
        if kind is OpClass.LDS:
            return self.lds
        if kind is OpClass.MFMA:
            return matrix_cycles(inst)[1]
        if kind in VECTOR_CLASSES:
            base = self.transcendental if kind is OpClass.TRANS else self.alu
            if consumer.kind in MEMORY_CLASSES:
                return self.vector_to_memory
            if consumer.kind in (OpClass.SALU, OpClass.BRANCH):
                return self.vector_to_scalar
            return base
        if consumer.kind in MEMORY_CLASSES:
            return self.scalar_to_memory
        if consumer.kind is OpClass.BRANCH:
            return self.scalar_to_branch
        return self.alu


def matrix_cycles(inst: Instruction) -> tuple[int, int]:
    """(issue, result) clocks of a matrix instruction, from its tile shape.

    A 32x32 tile takes 8 passes of 4 clocks or 16 for f32 and multi-block shapes, a 16x16 tile
    half of it; the result is there about two passes after the last one.
    """
    m = _TILE.search(inst.base)
    side = int(m.group(1)) if m else 16
    wide = "b_" in inst.base.partition("x")[2] or inst.base.endswith("f32_32x32x2_f32")
    passes = {4: 2, 16: 4, 32: 8}.get(side, 8) * (2 if wide else 1)
    return passes * 4, passes * 4 + 8
