"""Latencies that the list scheduler weighs dependences with: the machine table's, per target.

Clocks between the issue of a producer and the earliest useful issue of a consumer. They only order
proposals: the cycle model decides what is faster. A target without a machine table borrows that of
gfx90a, the oldest part that has one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from asmevo.isa.decoded import MEMORY_CLASSES, VECTOR_CLASSES, Decoded, OpClass
from asmevo.isa.instruction import Instruction
from asmevo.isa.matrix import matrix_op
from asmevo.isa.target import Target
from asmevo.timing.machine import has_machine, machine_for

_NEAREST = "gfx90a"


@dataclass(frozen=True, slots=True)
class Latencies:
    """Clocks by kind of producer and consumer; every one is a constant of `asmevo.timing.machine`.

    Memory values are those of an unloaded system: a miss of the scalar cache, and DRAM.
    """

    alu: int
    transcendental: int
    vector_to_memory: int
    transcendental_to_memory: int
    vector_to_scalar: int
    scalar_to_memory: int
    scalar_to_branch: int
    lds_read_issue: int
    lds_write_issue: int
    lds_write_per_dword: int
    lds: int
    scalar_memory: int
    vector_memory: int
    matrix_result: int

    def issue(self, inst: Instruction, effect: Decoded, target: Target) -> int:
        """Clocks that `inst` occupies the issue of its wave."""
        if effect.kind is OpClass.TRANS:
            return self.transcendental
        if effect.kind is OpClass.LDS:
            if effect.returns or effect.access is None:
                return self.lds_read_issue
            return self.lds_write_issue + self.lds_write_per_dword * effect.access.size // 4
        if effect.kind is OpClass.MFMA:
            return _matrix_clocks(inst, target)
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
            return _matrix_clocks(inst, target) + self.matrix_result
        if kind in VECTOR_CLASSES:
            slow = kind is OpClass.TRANS
            if consumer.kind in MEMORY_CLASSES:
                return self.transcendental_to_memory if slow else self.vector_to_memory
            if consumer.kind in (OpClass.SALU, OpClass.BRANCH):
                return self.vector_to_scalar
            return self.transcendental if slow else self.alu
        if consumer.kind in MEMORY_CLASSES:
            return self.scalar_to_memory
        if consumer.kind is OpClass.BRANCH:
            return self.scalar_to_branch
        return self.alu


@lru_cache(maxsize=64)
def latencies_of(target: Target) -> Latencies:
    """The latencies of a target."""
    machine = machine_for(target if has_machine(target) else _NEAREST)
    return Latencies(
        alu=machine.count("slot"),
        transcendental=machine.count("trans_issue"),
        vector_to_memory=machine.count("valu_to_memory"),
        transcendental_to_memory=machine.count("trans_to_memory"),
        vector_to_scalar=machine.count("valu_to_salu"),
        scalar_to_memory=machine.count("salu_to_vmem"),
        scalar_to_branch=machine.count("salu_to_branch"),
        # Of a 64-bit read, the usual one.
        lds_read_issue=512 // machine.count("lds_read_bytes_per_clk"),
        lds_write_issue=machine.count("lds_write_issue"),
        lds_write_per_dword=machine.count("lds_write_per_dword"),
        lds=machine.count("lds_latency"),
        scalar_memory=machine.count("smem_miss"),
        vector_memory=machine.count("level_dram"),
        matrix_result=machine.count("mfma_result"),
    )


def _matrix_clocks(inst: Instruction, target: Target) -> int:
    """Clocks that the matrix core is busy: four per pass.

    Raises:
        UnsupportedError: an MFMA spelling that the table does not know.
    """
    op = matrix_op(inst, target)
    return 4 * op.passes if op else 4
