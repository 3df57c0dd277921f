"""Where code is cut into chunks decides what is remembered, never what is found."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from asmevo.check.engine import facts, view
from asmevo.check.engine.workbench import Workbench, using
from asmevo.check.run import check_program
from asmevo.codeobject import CodeObject
from asmevo.program import Program, recover
from asmevo.program.edit import Edit, apply


def broken(program: Program) -> Program:
    """The program without half of its waits and nops, so that there is something to find."""
    places = [
        i
        for i, inst in enumerate(program.instructions)
        if inst.base in ("s_waitcnt", "s_nop") and i < program.functions[0].last
    ]
    return apply(program, [Edit(i, i + 1, ()) for i in places[::2]])


@pytest.mark.parametrize("name", ["softmax", "matmul_f16", "rmsnorm"])
def test_findings_do_not_depend_on_the_cuts(
    name: str, kernel_objects: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = broken(recover(CodeObject.open(kernel_objects(name))))
    found: list[object] = []
    for mask, length in ((31, 160), (0, 160), (7, 3), (0xFFFFFFFF, 10**9)):
        monkeypatch.setattr(facts, "_CUT_MASK", mask)
        monkeypatch.setattr(view, "_CUT_LENGTH", length)
        # The path names chunks only where a basic block begins, but not before the producer's.
        with using(Workbench()):
            found.append([(f.rule, f.index, f.producer, f.need, f.have, f.what, f.distance)
                          for f in check_program(program)])  # fmt: skip
    assert len(found[0]) > 10
    assert all(f == found[0] for f in found[1:])
