"""Why waves stall."""

from __future__ import annotations

from enum import IntEnum


class Reason(IntEnum):
    """What the clocks of a wave at an instruction go to. `kernel.parts` spells the numbers out.

    Attributes:
        ISSUE: the instruction's own issue.
        FETCH: its instruction line, or the way to a branch's target.
        DEPENDENCY: a result, or the distance that an earlier instruction asks for.
        PORT: its execution port is busy with others.
        QUEUE: the queue of the memory path or the LDS is full, or a counter is at its most.
        BANK_CONFLICT: LDS bank conflicts, of this access or of earlier ones.
        VMCNT, LGKMCNT: memory operations that the wait counts.
        BARRIER: other waves of the workgroup.
        NOP: `s_nop` and `s_sleep`.
    """

    ISSUE = 0
    FETCH = 1
    DEPENDENCY = 2
    PORT = 3
    QUEUE = 4
    BANK_CONFLICT = 5
    VMCNT = 6
    LGKMCNT = 7
    BARRIER = 8
    NOP = 9
