"""No wrong object is proved to be the original, whichever gate stops it in the end."""

from __future__ import annotations

import pytest
from frame import Cheat, subject
from test_inputs import CHEATS

from asmevo.codeobject import CodeObject
from asmevo.program import recover
from asmevo.program.edit import apply
from asmevo.program.rebuild import rebuild
from asmevo.prove.versions.programs import compare_programs

SMALL = [c for c in CHEATS if c.base.folder == "."]


@pytest.mark.parametrize("cheat", SMALL, ids=lambda c: c.name)
def test_it_is_not_proved(cheat: Cheat) -> None:
    program = subject(cheat.base).program
    wrong = recover(CodeObject.open(rebuild(apply(program, list(cheat.edit(subject(cheat.base)))))))
    assert not compare_programs(program, wrong, seconds=0.2).holds
