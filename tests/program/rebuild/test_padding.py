"""Padding in front of a function is no code of the one before it."""

from __future__ import annotations

import pytest

from asmevo.codeobject import CodeObject
from asmevo.program import recover
from asmevo.program.build import assemble_object
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild

_FUNCTION = """
\t.globl {name}
\t.p2align 8
\t.type {name},@function
{name}:
\t.fill {nops}, 4, 0xbf800000
\ts_setpc_b64 s[30:31]
.L{name}:
\t.size {name}, .L{name}-{name}
"""


@pytest.mark.parametrize("nops", [63, 62, 40, 127])
@pytest.mark.parametrize("added", [1, 2, 70])
def test_a_function_grows_by_what_was_inserted(nops: int, added: int) -> None:
    """63 and 127: the code ends where the next function starts, so all padding is new."""
    text = '\t.amdgcn_target "amdgcn-amd-amdhsa--gfx942"\n\t.text\n'
    text += _FUNCTION.format(name="first", nops=nops) + _FUNCTION.format(name="second", nops=5)
    program = recover(CodeObject.open(assemble_object(text)))
    edited = apply(program, [Edit(1, 1, ("s_nop 1",) * added)])
    first, second = edited.functions
    count = nops + 1 + added  # with the jump at the end
    assert (first.first, first.last) == (0, count)
    assert first.padding_last == second.first
    assert (second.last, second.padding_last) == (second.first + 6, second.first + 6)
    after = CodeObject.open(rebuild(edited))
    symbols = {s.name: s for s in after.text_symbols}
    start = symbols["second"].value - symbols["first"].value
    assert start % 256 == 0
    assert start == 4 * second.first >= 4 * count
    assert symbols["second"].size == 4 * 6
    if nops % 64 != 63:
        assert symbols["first"].size == 4 * count
