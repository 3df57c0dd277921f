"""Hand-written text as a program: assembled by LLVM, branch targets from the encodings."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from asmevo.check.against import worse_findings
from asmevo.check.engine.view import View, build_view
from asmevo.check.rules.hazards import check_hazards
from asmevo.check.rules.valu_hazards import check_valu_hazards
from asmevo.check.rules.waits import check_waits
from asmevo.isa.codec.llvm import assembler, disassembler
from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Target


@dataclass(frozen=True)
class TextProgram:
    """A program straight from assembly text; branches are decoded from their immediates."""

    target: Target
    instructions: tuple[Instruction, ...]
    offsets: tuple[int, ...]

    @classmethod
    def of(cls, text: str, arch: str) -> TextProgram:
        target = Target(arch)
        code = assembler(target).assemble(text)
        found = [
            Instruction(code[d.offset : d.offset + d.size], d.text)
            for d in disassembler(target).decode(code)
        ]
        offsets = (0, *accumulate(len(i.raw) for i in found))[:-1]
        return cls(target, tuple(found), offsets)

    def branch_target(self, index: int) -> int | None:
        inst = self.instructions[index]
        if not inst.base.startswith(("s_branch", "s_cbranch")):
            return None
        distance = int.from_bytes(inst.raw[:2], "little", signed=True) * 4
        where = self.offsets[index] + 4 + distance
        return self.offsets.index(where) if where in self.offsets else None

    def view(self, name: str = "k") -> View:
        return build_view(self, name, 0, len(self.instructions), [0])


def lines(*parts: str) -> str:
    """A program's text: the parts, then the end."""
    return "\n".join((*parts, "s_endpgm"))


def verdict(before: str, after: str, arch: str = "gfx942") -> list[str]:
    """Rules by which the program `after` is worse than `before`."""
    k0, k1 = TextProgram.of(before, arch), TextProgram.of(after, arch)
    first, second = (
        check_waits(v) + check_hazards(v) + check_valu_hazards(v) for v in (k0.view(), k1.view())
    )
    return [f.rule for f in worse_findings(first, k0, second, k1)]
