"""Which instructions write or read a register, and where in the code they stand.

Code of millions of instructions has some ten thousand different ones. Registers are looked up among
those, by the text first, and only what names a register is decoded. Places come from an array of
one number for each instruction.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from asmevo.isa.decoded import Decoded, decode
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import AGPR0, FLAT_SCRATCH, SGPR0, VGPR0
from asmevo.isa.target import Target

_REGISTERS = re.compile(r"(?<![\w.])[sva](?:\d+|\[\d+(?::\d+)?\])")
_FILES = {"s": SGPR0, "v": VGPR0, "a": AGPR0}
# What may write or read scalar registers that have a name and no number, SCC and EXEC among them.
_NAMED = re.compile(r"s_|v_cmpx|.*\b(vcc|exec|m0|ttmp|flat_scratch|xnack_mask)")
_SCALAR_FIRST_BYTES = frozenset({0xC0, 0xC1, 0xC2, 0xC3, 0xF4, *range(0x80, 0xC0)})


class Occurrences:
    """The different instructions of some code, their registers and their places.

    Args:
        target: what the code was compiled for.
        instructions: all of them, in order.
    """

    def __init__(self, target: Target, instructions: Sequence[Instruction]) -> None:
        self._target = target
        ids = np.fromiter(map(id, instructions), np.int64, len(instructions))
        _, first, kinds = np.unique(ids, return_index=True, return_inverse=True)
        self._kinds: NDArray[np.intp] = kinds
        firsts: list[int] = first.tolist()
        self.distinct: list[Instruction] = [instructions[i] for i in firsts]

    def places(self, chosen: Iterable[int]) -> list[int]:
        """Where some of the different instructions stand, by their numbers; ascending."""
        wanted = np.zeros(len(self.distinct), np.bool_)
        wanted[list(chosen)] = True
        found: list[int] = np.flatnonzero(wanted[self._kinds]).tolist() if wanted.any() else []
        return found

    def where(self, holds: Callable[[Instruction], object]) -> list[int]:
        """Where the instructions stand for which something holds; ascending."""
        return self.places(n for n, inst in enumerate(self.distinct) if holds(inst))

    def pairs(self, units: Callable[[Instruction], Iterable[int]]) -> list[tuple[int, int]]:
        """(place, unit) of all instructions, with the units that are given for them."""
        found = {n: list(units(inst)) for n, inst in enumerate(self.distinct)}
        at = self.places(n for n, some in found.items() if some)
        kinds = self._kinds
        return [(place, unit) for place in at for unit in found[int(kinds[place])]]

    def writers(self, unit: int) -> set[int]:
        """Numbers of the different instructions that write a register or may do so."""
        return self._opaque[unit >= VGPR0] | {
            n for n in self._naming(unit) if unit in self._record(n).defs
        }

    def users(self, units: Iterable[int]) -> list[tuple[int, int]]:
        """(place, unit) of every use of some registers."""
        used: dict[int, set[int]] = defaultdict(set)
        for unit in units:
            for n in self._naming(unit):
                if unit in self._record(n).uses:
                    used[n].add(unit)
        kinds = self._kinds
        return [(at, unit) for at in self.places(used) for unit in used[int(kinds[at])]]

    def _record(self, number: int) -> Decoded:
        return decode(self.distinct[number], self._target)

    def _naming(self, unit: int) -> set[int]:
        """Numbers of the different instructions whose text names a register or may imply it."""
        found = {n for some in self._texts.get(unit, ()) for n in some}
        return found.union(self._named) if FLAT_SCRATCH <= unit < VGPR0 else found

    @cached_property
    def _texts(self) -> dict[int, list[list[int]]]:
        """Unit -> for each way to write registers that it is among, the numbers that have it."""
        written: dict[str, list[int]] = defaultdict(list)
        for n, inst in enumerate(self.distinct):
            for name in _REGISTERS.findall(inst.text or ""):
                written[name].append(n)
        units: dict[int, list[list[int]]] = defaultdict(list)
        for name, numbers in written.items():
            first, _, last = name[1:].strip("[]").partition(":")
            base = _FILES[name[0]]
            for unit in range(base + int(first), base + int(last or first) + 1):
                units[unit].append(numbers)
        return units

    @cached_property
    def _named(self) -> list[int]:
        return [n for n, inst in enumerate(self.distinct) if _NAMED.match(inst.text or "")]

    @cached_property
    def _opaque(self) -> tuple[set[int], set[int]]:
        """Numbers of what has no text: (may write any SGPR, may write any VGPR)."""
        unread = [(n, inst.raw[3]) for n, inst in enumerate(self.distinct) if inst.text is None]
        scalar = {n for n, byte in unread if byte in _SCALAR_FIRST_BYTES}
        return scalar, {n for n, _ in unread} - scalar
