"""How many bytes a run asked memory for, from execution counts and the opcodes' sizes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from asmevo.isa.instruction import Instruction
from asmevo.isa.semantics.memory import memory_op, scalar_memory_op


def requested_bytes(
    instructions: Sequence[Instruction], counts: Sequence[int], wave_size: int
) -> dict[str, int]:
    """Bytes by space and action, e.g. `global load`, most first.

    Every lane of a wave counts, whether EXEC has it or not, and caches do not exist: an upper bound
    of what the kernel moves, and no measure of what the memory does.

    Args:
        instructions: those of the program.
        counts: wave executions of each.
        wave_size: lanes of a wave.
    """
    total: Counter[str] = Counter()
    for inst, executed in zip(instructions, counts, strict=True):
        if not executed:
            continue
        scalar = scalar_memory_op(inst.base)
        if scalar is not None:
            total[f"scalar {scalar.action}"] += executed * 4 * scalar.dwords
            continue
        op = memory_op(inst.base)
        if op is not None:
            accesses = 2 if op.pair else 1
            total[f"{op.space} {op.action}"] += executed * wave_size * op.size * accesses
    return dict(total.most_common())
