"""Directives of a user's own assembly file: what compilers write passes, what reaches out not."""

from __future__ import annotations

from pathlib import Path

import pytest

from asmevo.errors import InputError
from asmevo.program.directive_limits import vet

KERNELS = Path(__file__).resolve().parents[2] / "kernels"


@pytest.mark.parametrize("path", sorted(KERNELS.rglob("*.s")), ids=lambda p: p.parent.name + p.stem)
def test_compiler_output_passes(path: Path) -> None:
    vet(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "line",
    [
        '.incbin "/dev/zero"',
        '  .INCLUDE "x.s"',
        'L: .include "x"',
        ".rept 1000000000\n.endr",
        ".irp x, 1, 2",
        ".macro m\n.endm",
        ".fill 100000000000, 8, 1",
        ".fill 1<<40",
        ".zero 0xffffffffff",
        ".space 16777217",
        ".skip (1+1)",
        ".org 0x10000000",
        ".p2align 60",
        ".p2align 17",
        ".balign 131072",
        "L: .zero 0xffffffffff",
    ],
)
def test_directives_that_reach_out_are_refused(line: str) -> None:
    with pytest.raises(InputError, match=r"line \d"):
        vet(f"\t.text\n{line}\n")


@pytest.mark.parametrize("line", [".fill 256, 4, 3212836864", ".zero 256", ".p2align 8 ; words"])
def test_modest_directives_pass(line: str) -> None:
    vet(f"\t.text\n\t{line}\n")
