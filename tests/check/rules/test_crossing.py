"""Memory operations and fences, by control flow: worked examples with masks written out by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from asmevo.check.against import worse_findings
from asmevo.check.rules.crossing import between_fences
from asmevo.isa.codec.llvm import assembler, disassembler
from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Target

GFX942 = Target("gfx942")


@dataclass
class Code:
    """The least that the checks need of a program; `name:` lines are labels."""

    instructions: list[Instruction]
    targets: Mapping[int, int] = field(default_factory=dict)
    target: Target = GFX942

    def branch_target(self, index: int) -> int | None:
        return self.targets.get(index)


def code(*lines: str) -> Code:
    labels: dict[str, int] = {}
    plain: list[str] = []
    for line in lines:
        if line.endswith(":"):
            labels[line[:-1]] = len(plain)
        else:
            plain.append(line)
    targets = {
        i: labels[line.split()[1]]
        for i, line in enumerate(plain)
        if line.startswith(("s_branch", "s_cbranch"))
    }
    text = [line.split()[0] + " 0" if i in targets else line for i, line in enumerate(plain)]
    raw = assembler(GFX942).assemble("\n".join(text))
    decoded = disassembler(GFX942).decode(raw)
    found = [Instruction(raw[d.offset : d.offset + d.size], d.text) for d in decoded]
    return Code(found, targets)


WRITE, BARRIER, OTHER = "ds_write_b32 v0, v1", "s_barrier", "v_mov_b32_e32 v2, v3"
LOOP = ("s_cbranch_scc1 top", "s_endpgm")


def crosses(before: Sequence[str], after: Sequence[str]) -> bool:
    return bool(worse_findings([], code(*before), [], code(*after)))


def test_masks_of_a_loop_with_two_barriers() -> None:
    found = between_fences(
        code("top:", WRITE, BARRIER, "ds_read_b32 v4, v5", BARRIER, *LOOP)
    )  # fmt: skip
    edge, first, second = 1, 2, 4
    assert dict(found["ds_write_b32 v, v"]) == {(edge | second, first): 1}
    assert dict(found["ds_read_b32 v, v"]) == {(first, second): 1}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((WRITE, BARRIER, "s_endpgm"), (BARRIER, WRITE, "s_endpgm")),
        # Round the back edge of a loop.
        (("top:", WRITE, BARRIER, *LOOP), ("top:", BARRIER, WRITE, *LOOP)),
        (("top:", BARRIER, WRITE, *LOOP), ("top:", WRITE, BARRIER, *LOOP)),
        # From the loop to in front of it, past its barrier.
        (("s_nop 0", "top:", BARRIER, WRITE, *LOOP), (WRITE, "s_nop 0", "top:", BARRIER, *LOOP)),
        # Into one side only: behind the other side's barrier it runs no longer.
        (("s_cbranch_scc1 else", BARRIER, "s_branch join", "else:", BARRIER, "join:", WRITE,
          "s_endpgm"),
         ("s_cbranch_scc1 else", BARRIER, WRITE, "s_branch join", "else:", BARRIER, "join:",
          "s_endpgm")),
        (("buffer_wbl2 sc1", "global_store_dword v[0:1], v2, off", "s_endpgm"),
         ("global_store_dword v[0:1], v2, off", "buffer_wbl2 sc1", "s_endpgm")),
    ],
)  # fmt: skip
def test_moves_across_a_fence(before: Sequence[str], after: Sequence[str]) -> None:
    assert crosses(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((WRITE, OTHER, BARRIER, "s_endpgm"), (OTHER, WRITE, BARRIER, "s_endpgm")),
        # A rotated loop: the next block in time stands in front in the file.
        (("s_branch top", "low:", OTHER, BARRIER, "s_cbranch_scc1 out", "top:", WRITE,
          "s_branch low", "out:", "s_endpgm"),
         ("s_branch top", "low:", OTHER, WRITE, BARRIER, "s_cbranch_scc1 out", "top:",
          "s_branch low", "out:", "s_endpgm")),
        # Down behind a join, where it also runs behind the other side's barrier.
        (("s_cbranch_scc1 else", BARRIER, WRITE, "s_branch join", "else:", BARRIER, "join:",
          "s_endpgm"),
         ("s_cbranch_scc1 else", BARRIER, "s_branch join", "else:", BARRIER, "join:", WRITE,
          "s_endpgm")),
        # Up in front of a branch whose other side has another barrier.
        (("s_cbranch_scc1 else", WRITE, BARRIER, "s_endpgm", "else:", BARRIER, "s_endpgm"),
         (WRITE, "s_cbranch_scc1 else", BARRIER, "s_endpgm", "else:", BARRIER, "s_endpgm")),
    ],
)  # fmt: skip
def test_moves_between_the_same_fences(before: Sequence[str], after: Sequence[str]) -> None:
    assert not crosses(before, after)
