"""Where the lanes of a result come from: instructions that move values and compute nothing.

`moved_operands` says which operands are moved, `moved_lanes` to which lanes of which destination.
Sets of lanes are integers with one bit per lane of a wave of 64; of an SGPR, all bits stand for
the value. Sources: CDNA3 ISA 6.6 and 11.4, CDNA4 ISA (V_PERMLANE16_SWAP_B32), RDNA3 ISA
(DPP8, V_PERMLANE*).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import Imm

LANES = 64
ALL = (1 << LANES) - 1

# First source operand alone; what follows it chooses lanes.
_FIRST = re.compile(r"v_(readlane|readfirstlane|writelane|permlane(16|x16|64|_)\w*)_b32|ds_swizzle")
_PULL_OR_PUSH = re.compile(r"ds_b?permute")
_SWAP = re.compile(r"v_(swap|permlane(16|32)_swap)_b32")
_SHUFFLES = re.compile(r"v_permlane(?!\d+_swap)|ds_swizzle|ds_b?permute")


def moved_operands(inst: Instruction, used: Sequence[int]) -> tuple[int, ...]:
    """Of the operands read by an instruction that moves values, those whose contents move.

    Args:
        inst: an instruction whose traits say that it copies, crosses lanes or swaps.
        used: indices of the printed operands that it reads.
    """
    base = inst.base
    if _FIRST.match(base):
        return (1,)
    if _PULL_OR_PUSH.match(base):
        return (2,)
    if _SWAP.match(base):
        return (0, 1)
    return tuple(used)


def moved_lanes(inst: Instruction, held: Sequence[int]) -> dict[int, int] | None:
    """Marked lanes after an instruction that moves a dword between lanes.

    Args:
        inst: the instruction.
        held: by printed operand, its marked lanes (of an SGPR: all or none).

    Returns:
        Marked lanes by destination operand, EXEC taken as full; None when the instruction is none
        of these. Where lanes are chosen at run time, those are marked that are so for any choice;
        a lane to which ds_permute sends nothing does not count.
    """
    base = inst.base
    if base == "v_readfirstlane_b32":
        return {0: ALL if held[1] & 1 else 0}
    if base == "v_readlane_b32":
        lane = _lane(inst)
        marked = held[1] == ALL if lane is None else held[1] >> lane & 1
        return {0: ALL if marked else 0}
    if base == "v_writelane_b32":
        lane = _lane(inst)
        if lane is None:
            return {0: held[0] if held[1] else 0}
        return {0: held[0] | 1 << lane if held[1] else held[0] & ~(1 << lane)}
    swap = _SWAP.match(base)
    if swap:
        step = int(swap.group(2) or 0)
        return dict(enumerate(_swapped(held[0], held[1], step)))
    selectors = inst.modifiers.get("dpp8")
    if isinstance(selectors, tuple) and base == "v_mov_b32":
        return {0: _eights(held[1], selectors)}
    if _SHUFFLES.match(base):
        source = 2 if _PULL_OR_PUSH.match(base) else 1
        return {0: ALL if held[source] == ALL else 0}
    return None


def _lane(inst: Instruction) -> int | None:
    value = inst.operands[2].value
    return value.value % LANES if isinstance(value, Imm) else None


def _swapped(a: int, b: int, step: int) -> tuple[int, int]:
    """Odd rows of `step` lanes of `a` for the even ones of `b`; everything for 0."""
    if not step:
        return b, a
    even = sum(1 << n for n in range(LANES) if not n // step & 1)
    return a & even | (b & even) << step, b & ~even | (a & ~even) >> step


def _eights(marked: int, selectors: tuple[int, ...]) -> int:
    """DPP8: each lane reads the lane of its eight that its selector names."""
    return sum((marked >> (n & ~7) + selectors[n & 7] & 1) << n for n in range(LANES))
