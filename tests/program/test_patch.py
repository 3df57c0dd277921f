"""Patches that keep every other byte."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from asmevo.codeobject import CodeObject
from asmevo.program import recover
from asmevo.program.edit import Edit, apply, fitted
from asmevo.program.grammar import EditError
from asmevo.program.patch import patch_in_place
from asmevo.program.rebuild import rebuild

Objects = Callable[..., bytes]


def test_in_place_and_by_edit_are_the_same(kernel_objects: Objects) -> None:
    co = CodeObject.open(kernel_objects("saxpy"))
    program = recover(co)
    lines = ("v_add_u32_e32 v0, s2, v0",)
    start, stop = program.offsets[5], program.offsets[8]
    patched = patch_in_place(co, start, stop, lines)
    assert patched == rebuild(apply(program, fitted(program, [Edit(5, 8, lines)])))
    differing = [i for i in range(len(patched)) if patched[i] != co.data[i]]
    begin = co.text_offset
    assert begin + start <= differing[0]
    assert differing[-1] < begin + stop
    again = recover(CodeObject.open(patched))
    assert [again.instructions[i].text for i in (6, 7)] == ["s_nop 0", "s_nop 0"]


def test_unsafe_patches_are_refused(kernel_objects: Objects) -> None:
    co = CodeObject.open(kernel_objects("softmax"))
    program = recover(co)
    target = min(t for t in program.targets.values() if t > 20)
    branch = min(program.targets)
    at = program.offsets
    cases = [
        (at[target] - 4, at[target] + 8, ("s_nop 0",), "goes into the range"),
        (at[branch], at[branch + 1], ("s_nop 0",), "holds a branch"),
        (2, 10, ("s_nop 0",), "between instructions"),
        (at[3], at[4], ("s_nop 0",) * 9, "36 bytes where"),
        (at[3], at[4], ("x:",), "neither labels nor branches"),
        (at[3], at[4], ("s_getpc_b64 s[0:1]",), "program counter"),
        (0, 10**9, (), "outside the code"),
    ]
    for start, stop, lines, reason in cases:
        with pytest.raises(EditError, match=reason):
            patch_in_place(co, start, stop, lines)
    with pytest.raises(EditError, match="36 bytes where 4"):
        fitted(program, [Edit(3, 4, ("s_nop 0",) * 9)])
