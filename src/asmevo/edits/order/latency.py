"""Latencies that the list scheduler weighs dependences with.

Clocks between the issue of a producer and the earliest useful issue of a consumer on CDNA, from
the trace statistics in the project's timing notes (modes over MI325X and MI350X captures). They
only order proposals: the cycle model decides what is faster.
"""

from __future__ import annotations

from dataclasses import dataclass

from asmevo.isa.decoded import MEMORY_CLASSES, VECTOR_CLASSES, Decoded, OpClass
from asmevo.isa.instruction import Instruction
from asmevo.isa.matrix import matrix_op
from asmevo.isa.target import Target


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

    def issue(self, inst: Instruction, effect: Decoded, target: Target) -> int:
        """Clocks that `inst` occupies the issue of its wave."""
        if effect.kind is OpClass.TRANS:
            return self.transcendental
        if effect.kind is OpClass.LDS:
            return 12 if effect.access is not None and effect.access.size >= 16 else 8
        if effect.kind is OpClass.MFMA:
            return matrix_cycles(inst, target)[0]
        return self.alu

    def result(self, inst: Instruction, effect: Decoded, consumer: Decoded, target: Target) -> int:
        """Clocks from the issue of `inst` until `consumer` can use its result."""
        kind = effect.kind
        if kind is OpClass.SMEM:
            return self.scalar_memory
        if kind in (OpClass.VMEM, OpClass.FLAT):
            return self.vector_memory
        if kind is OpClass.LDS:
            return self.lds
        if kind is OpClass.MFMA:
            return matrix_cycles(inst, target)[1]
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


def matrix_cycles(inst: Instruction, target: Target) -> tuple[int, int]:
    """(issue, result) clocks of a matrix instruction: four per pass, the result two passes later.

    Raises:
        UnsupportedError: an MFMA spelling that the table does not know.
    """
    op = matrix_op(inst, target)
    clocks = 4 * op.passes if op else 4
    return clocks, clocks + 8
