"""Two versions of a kernel: what is proved, what is refuted, and how far windows grow.

What each answer should be follows from the ISA by hand and is said at the edit; none comes from the
prover.
"""

from __future__ import annotations

import pytest

from asmevo.edits import BatchLoop
from asmevo.errors import UnsupportedError
from asmevo.isa.operand import EXEC, VGPR0
from asmevo.isa.semantics.table import FloatMode
from asmevo.isa.target import Target
from asmevo.program import Program
from asmevo.program.edit import Edit
from asmevo.program.encoding import table
from asmevo.prove.versions.programs import compare_programs
from asmevo.prove.window import Window
from asmevo.verify.proofs import prove

from .pairs import against, at, edited, original, swap


def batched(program: Program, kernel: str, which: int = 0) -> tuple[Edit, ...]:
    """A proposal of the rule that runs several iterations' loads before their uses."""
    end = len(program.instructions)
    found = BatchLoop().composites(program, kernel, (0, end))
    return [edits for n, edits in zip(range(which + 1), found, strict=False)][which]


def test_a_program_is_its_own_equal() -> None:
    for name in ("saxpy", "softmax", "matmul_f16"):
        program = original(name)
        assert compare_programs(program, edited(program, [])).status == "identical"


def test_branches_round_idle_code_may_go() -> None:
    # matmul_f32: an address in vector registers, and the store. reduce: a loop that lanes leave.
    program = original("matmul_f32")
    branch = at(program, "s_cbranch_execz", -1)
    assert against(program, Edit(branch, branch + 1, ())).status == "identical"
    program = original("reduce")
    branch = at(program, "s_cbranch_execz")
    assert against(program, Edit(branch, branch + 1, ())).status == "identical"


def test_a_branch_round_code_that_acts_stays() -> None:
    # matmul_f32: the loop must not run where the common dimension is 0, and it has a barrier.
    program = original("matmul_f32")
    branch = at(program, "s_cbranch_scc1")
    assert not against(program, Edit(branch, branch + 1, ())).holds
    # saxpy: a scalar load is made whatever EXEC is, and may fault.
    program = original("saxpy")
    branch = at(program, "s_cbranch_execz")
    assert not against(program, Edit(branch, branch + 1, ())).holds


@pytest.mark.parametrize(
    ("name", "folder", "loop"),
    [("rmsnorm", ".", 0), ("softmax", ".", 0), ("l1_004_matvec", "kernelbench", 0),
     ("l1_047_sum_dim1", "kernelbench", 0), ("l2_012_gemm_mul_leaky", "kernelbench", 0)],
)  # fmt: skip
def test_batched_loops_are_proved(name: str, folder: str, loop: int) -> None:
    """Several iterations of the original against one: lanes leave one by one, or all at once."""
    program = original(name, folder=folder)
    kernel = next(f.name for f in program.functions if f.is_kernel)
    result = against(program, *batched(program, kernel, loop))
    assert result.status == "proved", result.reason


def test_what_may_be_dead_refutes_nothing() -> None:
    """matmul_f16: temporaries that liveness keeps for lanes which other writes leave out."""
    program = original("matmul_f16")
    result = against(program, *batched(program, "matmul_f16"))
    assert result.status == "unknown"
    assert "may be dead" in result.reason


def test_no_batched_loop_without_one_of_its_instructions_is_proved() -> None:
    """Every instruction of the batched loop that is no wait matters: each left out is noticed."""
    program = original("rmsnorm")
    edits = batched(program, "rmsnorm")
    main = max(edits, key=lambda e: len(e.lines))
    last = {line.split(" ")[0]: n for n, line in enumerate(main.lines)}  # of each kind one
    proved: list[str] = []
    for opcode, n in last.items():
        if opcode.startswith(("s_waitcnt", "s_nop", "s_cbranch", "s_branch", ".")):
            continue
        cut = Edit(main.first, main.last, (*main.lines[:n], *main.lines[n + 1 :]))
        wrong = edited(program, [cut if e is main else e for e in edits])
        if compare_programs(program, wrong, seconds=0.5).holds:
            proved.append(main.lines[n])
    assert len(last) > 8
    assert not proved


def test_a_batched_loop_that_uses_another_iterations_value_is_refuted() -> None:
    program = original("rmsnorm")
    edits = batched(program, "rmsnorm")
    main = max(edits, key=lambda e: len(e.lines))
    uses = [n for n, line in enumerate(main.lines) if line.startswith("v_fmac_f32")]
    lines = list(main.lines)
    lines[uses[0]], lines[uses[1]] = lines[uses[1]], lines[uses[0]]
    wrong = Edit(main.first, main.last, tuple(lines))
    assert not against(program, *(wrong if e is main else e for e in edits)).holds


def test_a_load_of_arguments_may_move_over_a_branch() -> None:
    program = original("saxpy")
    load = at(program, "s_load_dwordx4")
    early = at(program, "s_load_dwordx2")
    moved = program.line(load).replace("s[0:3]", "s[8:11]")
    edits = [Edit(early, early + 1, (program.line(early), moved)), Edit(load, load + 1, ())]
    for n, old, new in ((0, "s[0:1]", "s[8:9]"), (1, "s[2:3]", "s[10:11]")):
        use = at(program, "v_lshl_add_u64", n)
        edits.append(Edit(use, use + 1, (program.line(use).replace(old, new),)))
    result = against(program, *edits)
    assert result.status == "proved", result.reason


def test_a_load_that_may_fault_may_not() -> None:
    # The array is read for lanes beyond its end, which the original's EXEC keeps off.
    program = original("saxpy")
    load = at(program, "global_load_dword v4")
    branch = at(program, "s_and_saveexec_b64")
    early = ("s_load_dwordx2 s[8:9], s[0:1], 0x0", "s_waitcnt lgkmcnt(0)",
             "global_load_dword v4, v0, s[8:9]")  # fmt: skip
    result = against(program, Edit(branch, branch, early), Edit(load, load + 1, ()))
    assert not result.holds


def test_an_address_register_that_is_dead_may_be_another() -> None:
    program = original("saxpy")
    first = at(program, "v_lshl_add_u64 v[2:3]")
    use = at(program, "global_load_dword v4")
    result = against(
        program,
        Edit(first, first + 1, (program.line(first).replace("v[2:3]", "v[6:7]"),)),
        Edit(use, use + 1, (program.line(use).replace("v[2:3]", "v[6:7]"),)),
    )
    assert result.status == "proved", result.reason


def test_independent_neighbours_may_swap_and_dependent_ones_not() -> None:
    program = original("saxpy")
    load = at(program, "global_load_dword v4")
    assert against(program, swap(program, load)).status == "reordered"  # two loads
    shift = at(program, "v_ashrrev_i32")  # v1, and v_lshlrev_b64 reads v[0:1]
    result = against(program, swap(program, shift))
    assert result.status == "refuted"
    assert result.functions[0].compared.windows[0].verdict.counterexample is not None


def test_a_store_may_move_over_a_region_that_gives_its_lanes_back() -> None:
    target = Target("gfx942")
    region = (
        "s_and_saveexec_b64 s[2:3], vcc",
        "v_mov_b32_e32 v2, 0",
        "s_or_b64 exec, exec, s[2:3]",
    )
    taken = ("s_and_saveexec_b64 s[2:3], vcc", "v_mov_b32_e32 v2, 0", "s_mov_b64 s[2:3], exec")
    store = "ds_write_b32 v0, v1"
    live = frozenset((EXEC, EXEC + 1, 2, 3, VGPR0 + 2))
    for lines, holds in ((region, True), (taken, False)):
        before, after = (
            tuple(table(target).assemble(list(side))) for side in ((store, *lines), (*lines, store))
        )
        window = Window(target, before, after, live, FloatMode().on_target("gfx942"))
        assert prove(window).holds is holds


def test_code_moves_over_a_join_that_both_ways_lead_to() -> None:
    # The end of a block may run at the beginning of the next one, the only one that follows.
    program = original("matmul_f32")
    join = at(program, "s_or_b64 exec, exec, s[16:17]")
    assert program.line(join + 1).startswith("s_or_b64 exec, exec, s[14:15]")
    again = at(program, "s_add_i32 s18")
    later = Edit(again, again + 2, (program.line(again + 1), program.line(again)))
    assert against(program, later).holds


def test_a_store_that_is_lost_is_refuted() -> None:
    program = original("saxpy")
    store = at(program, "global_store_dword")
    result = against(program, Edit(store, store + 1, ("s_nop 0",)))
    assert result.status == "refuted"
    windows = result.functions[0].compared.windows
    example = windows[0].verdict.counterexample
    assert example is not None
    assert example.output == "memory"


def test_a_loop_that_runs_once_more_is_not_proved() -> None:
    program = original("matmul_f32")
    compare = at(program, "s_cmp_ge_i32")
    line = program.line(compare).replace("s_cmp_ge_i32", "s_cmp_gt_i32")
    wrong = edited(program, [Edit(compare, compare + 1, (line,))])
    assert compare_programs(program, wrong, seconds=0.5).status == "refuted"


def test_a_branch_the_other_way_is_not_proved() -> None:
    program = original("matmul_f32")
    branch = at(program, "s_cbranch_scc1")
    line = program.line(branch).replace("scc1", "scc0")
    assert not against(program, Edit(branch, branch + 1, (line,))).holds


def test_machine_state_that_the_original_leaves_is_no_input() -> None:
    # (flat_scratch_lo & 1) < 2 always holds; who would know what the register holds?
    program = original("saxpy")
    place = at(program, "v_fmac_f32")
    lines = ("s_and_b32 s6, flat_scratch_lo, 1", "s_cmp_lt_u32 s6, 2", "s_cselect_b32 s4, s4, 0")
    result = against(program, Edit(place, place, lines))
    assert result.status == "unknown"
    assert "flat_scratch_lo" in result.reason


def test_other_targets_and_kernels_are_not_compared() -> None:
    with pytest.raises(UnsupportedError, match="gfx90a"):
        compare_programs(
            original("l1_019_relu", folder="kernelbench"),
            original("l1_019_relu", "gfx90a", "kernelbench"),
        )
    with pytest.raises(UnsupportedError, match=r"saxpy|reduce"):
        compare_programs(original("saxpy"), original("reduce"))
