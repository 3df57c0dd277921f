"""Islands behind conditional branches: who falls through them must miss nothing."""

from __future__ import annotations

from asmevo.codeobject import CodeObject
from asmevo.program import recover
from asmevo.program.build import assemble_object
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild
from program.frame import source


def test_falling_through_past_an_island_runs_everything_in_order() -> None:
    """No unconditional branch is in reach: the island stands behind a conditional one.

    The expected sequence is the source's: what runs when no conditional branch is taken, and what
    the far branch comes to when it is.
    """
    half = "\n".join(["s_nop 1"] * 16300)
    marks = "s_cbranch_scc1 Lx\ns_mov_b32 s1, 1\ns_mov_b32 s2, 2\nLx: s_mov_b32 s3, 3"
    body = f"s_cbranch_scc0 Lfar\n{half}\n{marks}\n{half}\nLfar: s_mov_b32 s4, 4"
    program = recover(CodeObject.open(assemble_object(source(body))))
    grown = apply(program, [Edit(1, 1, ("s_nop 2",) * 400)])
    again = recover(CodeObject.open(rebuild(grown)))
    jumps = [i for i in again.instructions if (i.text or "").startswith("s_branch")]
    assert len(jumps) == 2  # the island and the jump around it
    ran, at = [], 0
    while not (again.instructions[at].text or "").startswith("s_endpgm"):
        text = again.instructions[at].text or ""
        if text.startswith("s_branch"):
            at = again.targets[at]
            continue
        if text.startswith("s_mov"):
            ran.append(text)
        at += 1
    assert ran == [f"s_mov_b32 s{n}, {n}" for n in (1, 2, 3, 4)]
    at = again.targets[0]
    while (again.instructions[at].text or "").startswith("s_branch"):
        at = again.targets[at]
    assert again.instructions[at].text == "s_mov_b32 s4, 4"
