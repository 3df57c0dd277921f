"""What is kept, by what, and that it decides nothing."""

from __future__ import annotations

from collections.abc import Callable

from text_program import TextProgram

from asmevo.check.engine.workbench import Workbench, facts_of, library_of, using, workbench
from asmevo.check.run import check_program
from asmevo.codeobject import CodeObject
from asmevo.isa.target import Target
from asmevo.program import recover

TEXT = "s_cbranch_scc0 far\nv_nop\nfar:\ns_endpgm"


def test_programs_of_equal_content_are_worked_out_once() -> None:
    calls: list[object] = []
    bench = Workbench()
    first, second = (TextProgram.of(TEXT, "gfx942") for _ in range(2))
    other = TextProgram.of(TEXT.replace("v_nop", "s_nop 0"), "gfx942")
    for program in (first, second, first, other):
        assert bench.known(program, "size", lambda p: calls.append(p) or len(calls)) == (
            2 if program is other else 1
        )
    assert calls == [first, other]
    assert bench.facts(first) == bench.facts(second)  # shared, instruction by instruction


def test_branches_and_target_are_part_of_the_content() -> None:
    bench = Workbench()
    near = TextProgram.of(TEXT, "gfx942")
    assert bench.content(near) != bench.content(TextProgram.of(TEXT, "gfx950"))
    far = TextProgram(near.target, near.instructions, tuple(n * 3 for n in near.offsets))
    assert far.branch_target(0) != near.branch_target(0)
    assert bench.content(near) != bench.content(far)


def test_only_the_last_programs_are_kept() -> None:
    bench = Workbench(programs=2)
    calls: list[int] = []
    programs = [TextProgram.of(f"s_nop {n}\ns_endpgm", "gfx942") for n in range(3)]
    for program in (*programs, programs[0]):
        bench.known(program, "x", lambda _p: calls.append(1))
    assert len(calls) == 4  # the first had gone when it was asked for again


def test_a_new_workbench_gives_the_same_findings(kernel_objects: Callable[..., bytes]) -> None:
    program = recover(CodeObject.open(kernel_objects("softmax")))
    usual = check_program(program)
    before = workbench()
    with using(Workbench()) as bench:
        assert workbench() is bench
        assert library_of(Target("gfx942")) is bench.library(Target("gfx942"))
        assert check_program(program) == usual
        assert facts_of(program) is bench.facts(program)
    assert workbench() is before
