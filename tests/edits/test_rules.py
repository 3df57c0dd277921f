"""Every rule on the project's kernels, judged by code that does not belong to the rules.

Block-local rules must keep the token semantics of their block, and everything they yield must
assemble and pass the static checker against the original.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice

import pytest
from edit_tokens import meaning

from asmevo.check.against import worse_findings
from asmevo.check.run import check_program
from asmevo.codeobject import CodeObject
from asmevo.edits import (
    HoistLoad,
    Move,
    RelaxWait,
    RemoveRedundant,
    Schedule,
    SinkStore,
    SkipBranch,
)
from asmevo.program.cfg import blocks
from asmevo.program.edit import Edit, apply
from asmevo.program.model import Program
from asmevo.program.recover import recover

KERNELS = ("saxpy", "softmax", "rmsnorm", "reduce", "matmul_f32", "matmul_f16")


@pytest.fixture(scope="module")
def programs(kernel_objects: Callable[..., bytes]) -> dict[str, Program]:
    return {k: recover(CodeObject.open(kernel_objects(k))) for k in KERNELS}


def whole(program: Program, kernel: str) -> tuple[int, int]:
    function = program.function(kernel)
    return function.first, function.last


def worse(program: Program, edits: Sequence[Edit], kernel: str) -> list[str]:
    edited = apply(program, edits)
    found = worse_findings(
        check_program(program, kernel), program, check_program(edited, kernel), edited
    )
    return [f.one_line() for f in found]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("rule", [Schedule(), RelaxWait(), Move(reach=3)], ids=lambda r: r.name)
def test_block_rules_keep_the_meaning_and_pass_the_checker(
    programs: dict[str, Program], kernel: str, rule: Schedule | RelaxWait | Move
) -> None:
    program = programs[kernel]
    found = blocks(program, program.function(kernel))
    for edit in islice(rule.proposals(program, kernel, whole(program, kernel)), 30):
        block = next(b for b in found if b.first <= edit.first < b.last)
        assert edit.last <= block.last
        edited = apply(program, [edit])
        growth = len(edited.instructions) - len(program.instructions)
        old = program.instructions[block.first : block.last]
        new = edited.instructions[block.first : block.last + growth]
        assert meaning(new) == meaning(old), edit
        assert worse(program, [edit], kernel) == [], edit


def test_proposals_repeat(programs: dict[str, Program]) -> None:
    program = programs["matmul_f32"]
    for make in (lambda: Schedule(3, seed=5), lambda: Move(seed=5), RelaxWait, RemoveRedundant):
        window = whole(program, "matmul_f32")
        one = list(islice(make().proposals(program, "matmul_f32", window), 40))
        two = list(islice(make().proposals(program, "matmul_f32", window), 40))
        assert one == two


def test_a_window_limits_the_blocks(programs: dict[str, Program]) -> None:
    program = programs["softmax"]
    block = blocks(program, program.function("softmax"))[3]
    for rule in (Schedule(), RelaxWait(), Move(), RemoveRedundant()):
        for edit in islice(rule.proposals(program, "softmax", (block.first, block.last)), 30):
            assert block.first <= edit.first
            assert edit.last <= block.last


def test_the_second_argument_load_of_saxpy_moves_to_the_first(
    programs: dict[str, Program],
) -> None:
    program = programs["saxpy"]
    found = list(HoistLoad().composites(program, "saxpy", whole(program, "saxpy")))
    assert found
    edited = apply(program, found[0])
    lines = [edited.line(i) for i in range(4)]
    assert [line.split()[0] for line in lines[:4]] == [
        "s_load_dword", "s_load_dwordx2", "s_load_dwordx4", "s_waitcnt",
    ]  # fmt: skip
    assert worse(program, found[0], "saxpy") == []


def test_the_two_tile_loads_of_the_matmul_overlap(programs: dict[str, Program]) -> None:
    program = programs["matmul_f32"]
    window = whole(program, "matmul_f32")
    found = list(SinkStore().composites(program, "matmul_f32", window))
    assert len(found) == 1
    edited = apply(program, found[0])
    text = [i.text or "" for i in edited.instructions]
    writes = [i for i, t in enumerate(text) if t.startswith("ds_write_b32")]
    # Both writes stand together now, behind one wait, with data in different registers.
    assert writes[1] == writes[0] + 1
    assert text[writes[0] - 1] == "s_waitcnt vmcnt(0)"
    data = [text[w].split()[2].rstrip(",") for w in writes]
    assert data[0] != data[1]
    assert sum("vmcnt(0)" in t for t in text) == sum(
        "vmcnt(0)" in (i.text or "") for i in program.instructions
    ) - 1  # fmt: skip


def test_masked_branches_of_the_reduction_go(programs: dict[str, Program]) -> None:
    program = programs["reduce"]
    found = list(SkipBranch().proposals(program, "reduce", whole(program, "reduce")))
    branches = [
        i for i, inst in enumerate(program.instructions) if inst.base == "s_cbranch_execz"
    ]  # fmt: skip
    assert [e.first for e in found] == branches
    assert all(worse(program, [e], "reduce") == [] for e in found)


def test_nops_that_only_llvm_asks_for_go(programs: dict[str, Program]) -> None:
    program = programs["softmax"]
    found = list(RemoveRedundant().proposals(program, "softmax", whole(program, "softmax")))
    assert [program.line(e.first) for e in found if not e.lines].count("s_nop 1") == 2
    assert all(worse(program, [e], "softmax") == [] for e in found)
