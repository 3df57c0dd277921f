"""Code lines of an assembly file held at their places, where the code must keep its size.

What nobody follows (a table of offsets, a constant) holds only while the instructions stay where
they are. So a label that the writer noted, and a line that still stands in its order with the
offset the writer put behind it, begin at their old offset again: shorter code in front of them is
filled up with `s_nop 0`, longer code is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from asmevo.isa.instruction import Instruction
from asmevo.program.grammar import EditError


def firm(marks: Mapping[int, int]) -> dict[int, int]:
    """Of index -> old offset, those that stand in their order: behind no later, before no earlier.

    A line that was moved has others' places around it and none of its own.
    """
    items = sorted(marks.items())
    later: list[int] = []
    lowest = 1 << 62
    for _, offset in reversed(items):
        later.append(lowest)
        lowest = min(lowest, offset)
    out: dict[int, int] = {}
    highest = -1
    for (index, offset), least in zip(items, reversed(later), strict=True):
        if highest < offset < least:
            out[index] = offset
        highest = max(highest, offset)
    return out


def missing(
    instructions: Sequence[Instruction], places: Mapping[int, int], size: int, why: str
) -> list[tuple[int, int]]:
    """(index, count) of the words to put in front of instructions, so that all are at their places.

    Args:
        instructions: the code.
        places: index -> byte offset; `len(instructions)` is the end.
        size: bytes that the code must have.
        why: reason to name in the error.

    Raises:
        EditError: the code in front of a place is too long.
    """
    out: list[tuple[int, int]] = []
    at = 0
    for index in range(len(instructions) + 1):
        place = places.get(index, size if index == len(instructions) else None)
        if place is not None and place != at:
            if place < at:
                raise EditError(
                    f"the code in front of offset 0x{place:x} takes {at - place} bytes more; "
                    f"the code must keep its size: {why}",
                    "keep the edit's size",
                )
            out.append((index, (place - at) // 4))
            at = place
        if index < len(instructions):
            at += instructions[index].size
    return out
