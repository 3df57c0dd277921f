"""One instruction's record from its text, through LLVM."""

from __future__ import annotations

from asmevo.isa.codec.llvm import assembler, disassembler
from asmevo.isa.decoded import Decoded, decode
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import EXEC, M0, MODE, SCC, VCC, VGPR0
from asmevo.isa.target import Target


def record(text: str, arch: str) -> Decoded:
    """Record of `text` as LLVM encodes and prints it."""
    target = Target(arch)
    code = assembler(target).assemble(text)
    (found,) = disassembler(target).decode(code)
    return decode(Instruction(code, found.text), target)


def units(names: str) -> frozenset[int]:
    """Register units of `v1 s4 vcc exec m0 scc mode fs` words; `v4-7` is a range."""
    found: set[int] = set()
    named = {"vcc": (VCC, VCC + 1), "exec": (EXEC, EXEC + 1), "m0": (M0,), "scc": (SCC,),
             "mode": (MODE,), "fs": (102, 103), "vcc_lo": (VCC,)}  # fmt: skip
    for word in names.split():
        if word in named:
            found.update(named[word])
            continue
        first, _, last = word[1:].partition("-")
        base = {"v": VGPR0, "s": 0}[word[0]]
        found.update(range(base + int(first), base + int(last or first) + 1))
    return frozenset(found)
