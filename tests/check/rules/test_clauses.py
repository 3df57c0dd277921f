"""Memory clauses under XNACK replay."""

from __future__ import annotations

import pytest
from text_program import TextProgram

from asmevo.check.engine.view import build_view
from asmevo.check.rules.clauses import check_clauses, replays
from asmevo.isa.target import Feature, Target

ANY = Target("gfx942", xnack=Feature.ANY)


def found(text: str, target: Target = ANY) -> list[int]:
    program = TextProgram.of(text + "\ns_endpgm", target.arch)
    program = TextProgram(target, program.instructions, program.offsets)
    view = build_view(program, "k", 0, len(program.instructions), [0])
    return [f.index for f in check_clauses(view)]


LOAD = "global_load_dword {}, {}, s[0:1]"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([LOAD.format("v1", "v0"), LOAD.format("v2", "v0")], []),
        ([LOAD.format("v1", "v0"), LOAD.format("v0", "v3")], [1]),  # writes an address of the run
        ([LOAD.format("v1", "v0"), LOAD.format("v2", "v1")], [1]),
        ([LOAD.format("v1", "v0"), "s_nop 0", LOAD.format("v0", "v3")], []),
        ([LOAD.format("v1", "v0"), "global_store_dword v0, v5, s[0:1]"], [1]),
        (["global_store_dword v0, v5, s[0:1]"] * 2, []),
        (["s_load_dword s4, s[2:3], 0x0", "s_load_dwordx2 s[2:3], s[6:7], 0x0"], [1]),
        (["s_load_dword s4, s[2:3], 0x0", LOAD.format("v0", "v0")], []),  # one instruction each
    ],
)
def test_clauses(lines: list[str], expected: list[int]) -> None:
    assert found("\n".join(lines)) == expected


def test_only_where_replay_can_happen() -> None:
    text = LOAD.format("v1", "v0") + "\n" + LOAD.format("v0", "v3")
    assert found(text, Target("gfx942", xnack=Feature.OFF)) == []
    assert not replays(Target("gfx1100"))
    assert replays(Target("gfx90a", xnack=Feature.ON))
