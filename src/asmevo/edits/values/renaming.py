"""Renaming registers in instruction text."""

from __future__ import annotations

import re
from collections.abc import Mapping

from asmevo.isa.operand import SGPR0, VGPR0

_REGISTER = re.compile(r"\b([vs])(?:(\d+)|\[(\d+):(\d+)\])(?![\w:])")
_BASE = {"v": VGPR0, "s": SGPR0}


def renamed(text: str, units: Mapping[int, int]) -> str | None:
    """Instruction text with register units replaced.

    Args:
        text: LLVM's text of one instruction.
        units: old unit -> new unit of the same file (SGPRs and VGPRs).

    Returns:
        The new text, or None when a tuple would no longer be consecutive.
    """
    torn = False

    def swap(match: re.Match[str]) -> str:
        nonlocal torn
        kind, one, low, high = match.groups()
        base = _BASE[kind]
        if one is not None:
            return f"{kind}{units.get(base + int(one), base + int(one)) - base}"
        old = range(base + int(low), base + int(high) + 1)
        new = [units.get(u, u) for u in old]
        torn |= new != list(range(new[0], new[0] + len(new)))
        return f"{kind}[{new[0] - base}:{new[-1] - base}]"

    head, space, tail = text.partition(" ")
    result = head + space + _REGISTER.sub(swap, tail)
    return None if torn else result
