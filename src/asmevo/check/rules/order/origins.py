"""Which store is which, whatever its registers are called.

A store is known by its text; where registers were renamed, by what its address is made of: kernel
arguments (their offsets in the kernarg segment), registers that the kernel starts with, values
loaded from memory, and its own offset. Both are the same in an edited program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from asmevo.check.engine.facts import InstructionFacts, ProgramLike
from asmevo.check.engine.runs import Access, Runs, accesses, runs_of
from asmevo.check.engine.workbench import workbench
from asmevo.isa.effects import OpClass
from asmevo.isa.operand import EXEC, SCC
from asmevo.isa.ordering import memory_effect

_CONTROL = 0b11 << EXEC | 1 << SCC
Names = Mapping[int, str]


def names(k0: ProgramLike, k1: ProgramLike) -> tuple[Names, Names]:
    """What the stores of two programs are called, by instruction index: equal ones alike."""
    old, new = _by_text(k0), _by_text(k1)
    if Counter(old.values()) == Counter(new.values()):
        return old, new
    return _by_origin(k0), _by_origin(k1)


def _stores(program: ProgramLike) -> list[Access]:
    return [access for access in accesses(program) if access[2].stores]


def _by_text(program: ProgramLike) -> Names:
    return workbench().known(
        program, "store texts", lambda p: {i: f.inst.text or "" for i, f, _ in _stores(p)}
    )


def _by_origin(program: ProgramLike) -> Names:
    return workbench().known(program, "store origins", _origins)


def _origins(program: ProgramLike) -> dict[int, str]:
    runs = runs_of(program)
    found: dict[int, str] = {}
    for i, f, effect in _stores(program):
        access = f.decoded.access
        if access is None:
            continue
        parts = _parts(runs, i, _address(f))
        group = "+".join(sorted(effect.groups))
        found[i] = f"{group} {access.offsets} from {', '.join(sorted(parts))}"
    return found


def _address(f: InstructionFacts) -> int:
    access, mask = f.decoded.access, 0
    for n in access.address if access is not None else ():
        reg = f.inst.operands[n].reg
        for unit in reg.units if reg is not None else ():
            mask |= 1 << unit
    return mask


def _parts(runs: Runs, index: int, wanted: int) -> set[str]:
    """What values in the `wanted` registers in front of an instruction are made of."""
    parts: set[str] = set()
    home = runs.at(index)
    seen: dict[int, int] = {}
    todo = [(home, index - 1, wanted)]
    while todo:
        n, last, mask = todo.pop()
        for i in range(last, runs.starts[n] - 1, -1):
            f = runs.facts[i]
            if not f.defs & mask:
                continue
            mask &= ~f.defs | f.partial
            if f.kind is OpClass.SMEM:
                parts.add(f"argument {f.decoded.access.offsets if f.decoded.access else ()}")
            elif memory_effect(f.decoded) is not None:
                parts.add("memory")
                continue
            mask |= f.uses & ~_CONTROL
        if runs.entered[n]:
            parts.update(f"start {u}" for u in _units(mask))
        for p in runs.backward[n]:
            new = mask & ~seen.get(p, 0)
            if new:
                seen[p] = seen.get(p, 0) | new
                todo.append((p, runs.lasts[p], new))
    return parts


def _units(mask: int) -> list[int]:
    found: list[int] = []
    while mask:
        low = mask & -mask
        mask ^= low
        found.append(low.bit_length() - 1)
    return found
