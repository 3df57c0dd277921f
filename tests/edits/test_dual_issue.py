"""Dual-issue instructions (gfx11 VOPD): both halves write, in liveness, edits, waits and renaming.

What each half reads and writes is printed; RDNA3 ISA 7.6: the halves read before either writes.
"""

from __future__ import annotations

import pytest
from edit_kernels import WINDOW, kernel, texts

from asmevo.drivers.pool import default_rules
from asmevo.edits import Move, RelaxWait, RemoveRedundant, Schedule
from asmevo.edits.base import kernel_function
from asmevo.edits.order.dependence import Dependence
from asmevo.edits.values.exec_values import ExecValues
from asmevo.edits.values.renaming import renamed
from asmevo.edits.values.webs import web_at
from asmevo.isa.operand import VGPR0
from asmevo.program.dataflow import liveness
from asmevo.program.model import Program

MOVES = "v_dual_mov_b32 v4, v2 :: v_dual_mov_b32 v5, v3"
STORE = "global_store_b32 v[0:1], {0}, off"


def gfx11(*lines: str) -> Program:
    return kernel(*lines, arch="gfx1100")


def removed(program: Program) -> list[str]:
    """Texts of what the rule takes away as dead or redundant."""
    return [
        program.line(e.first)
        for e in RemoveRedundant().proposals(program, "k", WINDOW)
        if not e.lines
    ]


@pytest.mark.parametrize("kept", ["v4", "v5"])
def test_a_pair_lives_while_either_result_is_read(kept: str) -> None:
    program = gfx11(MOVES, STORE.format(kept))
    live = liveness(program, kernel_function(program, "k"))
    first = kernel_function(program, "k").first
    assert {u - VGPR0 for u in live.live_after(first) if u >= VGPR0} >= {int(kept[1])}
    assert live.live_after(first) & {VGPR0 + 4, VGPR0 + 5} == {VGPR0 + int(kept[1])}
    assert removed(program) == []


def test_a_pair_of_which_nobody_reads_anything_is_dead() -> None:
    assert removed(gfx11(MOVES, STORE.format("v2"))) == [MOVES]


def test_a_pair_reads_before_it_writes() -> None:
    """A swap: both old values live in front of it, and it depends on both their writers."""
    program = gfx11("v_mov_b32_e32 v4, 1.0", "v_mov_b32_e32 v5, 2.0",
                    "v_dual_mov_b32 v4, v5 :: v_dual_mov_b32 v5, v4", STORE.format("v4"),
                    STORE.format("v5"))  # fmt: skip
    assert removed(program) == []
    graph = Dependence(program.instructions[:5], program.target)
    assert set(graph.predecessors[2]) == {0, 1}
    assert 2 in graph.predecessors[3]
    assert 2 in graph.predecessors[4]


@pytest.mark.parametrize("later", ["v_mov_b32_e32 v6, v5", "v_mov_b32_e32 v5, v6",
                                   "v_mov_b32_e32 v3, v6", "v_dual_mov_b32 v7, v6 :: "
                                   "v_dual_mov_b32 v8, v5"])  # fmt: skip
def test_nothing_passes_the_second_half(later: str) -> None:
    """It reads, overwrites or is overwritten by the second half alone."""
    program = gfx11(MOVES, "v_mov_b32_e32 v9, v10", later, STORE.format("v5"), STORE.format("v6"))
    graph = Dependence(program.instructions[:5], program.target)
    assert 0 in graph.predecessors[2]
    for rule in (Schedule(), Move()):
        for edit in rule.proposals(program, "k", WINDOW):
            found = texts(program, [edit])
            assert found.index(MOVES) < found.index(program.line(2))


@pytest.mark.parametrize("unit", [4, 5])
def test_the_web_of_either_result(unit: int) -> None:
    program = gfx11(MOVES, "v_mov_b32_e32 v6, v7", STORE.format(f"v{unit}"))
    function = kernel_function(program, "k")
    web = web_at(program, ExecValues(program, function), VGPR0 + unit, 2)
    assert web is not None
    assert (web.defs, web.uses) == ({0}, {2})


def test_both_halves_are_renamed() -> None:
    moved = {VGPR0 + 4: VGPR0 + 10, VGPR0 + 3: VGPR0 + 13, VGPR0 + 5: VGPR0 + 15}
    assert renamed(MOVES, moved) == "v_dual_mov_b32 v10, v2 :: v_dual_mov_b32 v15, v13"


@pytest.mark.parametrize(
    "use",
    [
        "v_dual_mov_b32 v6, v2 :: v_dual_mov_b32 v7, v8",  # read by the first half
        "v_dual_mov_b32 v6, v3 :: v_dual_mov_b32 v7, v8",
        "v_dual_mov_b32 v6, v9 :: v_dual_mov_b32 v7, v2",  # and by the second
        "v_dual_mov_b32 v6, v10 :: v_dual_mov_b32 v3, v8",  # overwritten by the second
        "v_dual_mov_b32 v2, v10 :: v_dual_mov_b32 v7, v8",
    ],
)
def test_a_pair_waits_for_what_its_halves_touch(use: str) -> None:
    load = "global_load_b64 v[2:3], v[0:1], off"
    program = gfx11(load, "s_waitcnt vmcnt(0)", "v_mov_b32_e32 v11, v12", use,
                    STORE.format("v6"), STORE.format("v2"))  # fmt: skip
    for rule in (RelaxWait(), RemoveRedundant(), *default_rules(0)):
        for edit in rule.proposals(program, "k", WINDOW):
            found = texts(program, [edit])
            wait = found.index("s_waitcnt vmcnt(0)")
            assert found.index(load) < wait < found.index(use)
