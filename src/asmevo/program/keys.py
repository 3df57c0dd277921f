"""What an instruction is, wherever it stands: bytes without the distances that move with code."""

from __future__ import annotations

from collections.abc import Hashable

from asmevo.codeobject.elf import SHF_ALLOC
from asmevo.program.model import Function, Program


def keys(program: Program, f: Function) -> list[Hashable]:
    """What each instruction is, distances left out."""
    found: list[Hashable] = [i.raw for i in program.instructions[f.first : f.last]]
    for i in program.targets.keys() & range(f.first, f.last):
        inst = program.instructions[i]
        found[i - f.first] = (inst.mnemonic, *(o.reg for o in inst.operands))
    for r in program.references:
        leads = _datum(program, r.address) if r.target is None else place(program, r.target)
        for i in r.literals:
            if f.first <= i < f.last:
                inst = program.instructions[i]
                found[i - f.first] = (inst.mnemonic, *(o.reg for o in inst.operands), leads)
    return found


def place(program: Program, index: int) -> tuple[str, int]:
    """The function that an instruction is in, and whether it is its first."""
    f = program.function_at(index) if index < len(program.instructions) else program.functions[-1]
    return f.name, min(index - f.first, 1)


def _datum(program: Program, address: int) -> tuple[str, int]:
    """The section of an address of data, and the distance in it."""
    for s in program.object.elf.sections:
        if s.flags & SHF_ALLOC and s.address <= address < s.address + max(s.size, 1):
            return s.name, address - s.address
    return "", address
