"""Waits and nops that LLVM's passes inserted suffice, and a weaker wait is reported.

The committed assembly of the project's kernels is clang's output, so every `s_waitcnt` and
`s_nop` in it was put there by SIInsertWaitcnts and GCNHazardRecognizer.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from asmevo.check.against import worse_findings
from asmevo.check.findings import errors
from asmevo.check.run import check_program
from asmevo.codeobject import CodeObject
from asmevo.isa.counters import counter_max, decode_wait, encode_wait
from asmevo.program import Program, recover
from asmevo.program.edit import Edit, apply

_ROOT = Path(__file__).resolve().parents[2] / "kernels"


def _compiled() -> list[tuple[str, str, str]]:
    """(architecture, folder, name) of the committed compiler output, thinned for speed."""
    found = [("gfx942", ".", p.stem) for p in sorted((_ROOT / "gfx942").glob("*.s"))]
    for n, arch in enumerate(("gfx90a", "gfx942", "gfx950")):
        files = sorted((_ROOT / "kernelbench" / arch).glob("*.s"))
        found += [(arch, "kernelbench", p.stem) for p in files[n::3]]
    return found


KERNELS = _compiled()


@pytest.mark.parametrize(("arch", "folder", "name"), KERNELS, ids=["-".join(k) for k in KERNELS])
def test_compiled_code_is_clean(
    arch: str, folder: str, name: str, kernel_objects: Callable[..., bytes]
) -> None:
    program = recover(CodeObject.open(kernel_objects(name, arch, folder)))
    assert [f.one_line() for f in errors(check_program(program))] == []


def _lowered(program: Program) -> list[tuple[Edit, dict[str, int]]]:
    """Every wait of the program with one of its counts raised by one."""
    maxima = counter_max(program.target)
    found: list[tuple[Edit, dict[str, int]]] = []
    for i, inst in enumerate(program.instructions):
        wait = dict(decode_wait(inst, program.target))
        for counter, count in wait.items():
            weaker = {**wait, counter: count + 1}
            if weaker[counter] < maxima[counter]:
                found.append((Edit(i, i + 1, (encode_wait(weaker, program.target),)), weaker))
    return found


def test_weaker_waits_are_reported_where_llvm_found_them_minimal(
    kernel_objects: Callable[..., bytes],
) -> None:
    """LLVM's rule: the count is the number of younger operations, so one more is too many.

    It is not minimal where LLVM forces 0 although the exact rule allows more (mixed kinds), where
    it guards memory rather than registers, and where a second wait covers the same result.
    """
    weakened = reported = 0
    for arch, folder, name in KERNELS:
        if arch != "gfx942":
            continue
        program = recover(CodeObject.open(kernel_objects(name, arch, folder)))
        before = check_program(program)
        for edit, _ in _lowered(program):
            edited = apply(program, [edit])
            weakened += 1
            reported += bool(worse_findings(before, program, check_program(edited), edited))
        if weakened > 420:
            break
    assert weakened >= 250
    assert reported >= 200
    assert reported / weakened > 0.9
