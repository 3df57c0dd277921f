"""Functions that an edit did not name must be what they were.

The same instructions, apart from how far they jump and how far away they find their data, which
follow from where they lie. Padding between functions is free: nothing reaches it.
"""

from __future__ import annotations

from collections.abc import Collection

from asmevo.check.image.places import Places
from asmevo.isa.instruction import Instruction
from asmevo.program.model import Function


def same_functions(k0: Places, k1: Places) -> list[bool]:
    """Per function, in order, whether its code is the same in both versions.

    Both programs have the same functions by name.
    """
    followed = [_Followed(p) for p in (k0, k1)]
    return [
        _same(f, g, followed[0], followed[1])
        for f, g in zip(k0.program.functions, k1.program.functions, strict=True)
    ]


class _Followed:
    """Where the branches and computed addresses of a program go: a function and a distance."""

    def __init__(self, places: Places) -> None:
        self.places, self.program = places, places.program
        self.literals = {i: r for r in self.program.references for i in r.literals}

    def _code(self, offset: int) -> tuple[object, ...]:
        place = self.places.of_code(offset)
        start = self.program.functions[place.function].first
        return ("code", place.function, offset - self.program.offsets[start])

    def goes(self, index: int) -> object:
        """Where a branch or the address that a literal belongs to leads; None for others."""
        target = self.program.targets.get(index)
        if target is not None:
            return self._code(self.program.offsets[target])
        reference = self.literals.get(index)
        if reference is None:
            return None
        low = self.places.text.address
        if low <= reference.address < self.places.text.end:
            return self._code(reference.address - low)
        return self.places.of_address(reference.address)


def _same(f: Function, g: Function, k0: _Followed, k1: _Followed) -> bool:
    if f.last - f.first != g.last - g.first:
        return False
    for i, j in zip(range(f.first, f.last), range(g.first, g.last), strict=True):
        a, b = k0.program.instructions[i], k1.program.instructions[j]
        away = k0.goes(i)
        if away is None:
            if a != b:
                return False
        elif away != k1.goes(j) or _fixed(a) != _fixed(b):
            return False
    return True


def _fixed(inst: Instruction) -> tuple[object, ...]:
    """What the distance in a branch or an addition does not change."""
    return (inst.mnemonic, len(inst.raw), *(o.reg for o in inst.operands))


def reachable(places: Places, names: Collection[str]) -> set[int]:
    """Ordinals of functions that kernels reach: by calls, branches and addresses, or by pointers.

    A function whose address lies in data is reached by every kernel, because any may load it.
    """
    program = places.program
    if not names:
        return set()
    owner = [0] * (len(program.instructions) + 1)
    for n, f in enumerate(program.functions):
        owner[f.first : f.padding_last] = [n] * (f.padding_last - f.first)
    leads: dict[int, set[int]] = {}
    for i, target in program.targets.items():
        leads.setdefault(owner[i], set()).add(owner[target])
    for r in program.references:
        if r.target is not None:
            leads.setdefault(owner[r.pc_read], set()).add(owner[r.target])
    low, high = places.text.address, places.text.end
    todo = [places.of_code(w.addend - low).function for w in places.image.words()
            if low <= w.addend < high]  # fmt: skip
    for kernel in program.object.kernels:
        if kernel.name in names:
            todo.append(program.functions.index(program.kernel_function(kernel)))
    found: set[int] = set()
    while todo:
        n = todo.pop()
        if n not in found:
            found.add(n)
            todo += leads.get(n, ())
    return found
