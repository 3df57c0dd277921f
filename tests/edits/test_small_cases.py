"""Rules on hand-written kernels, each with one thing to find or to leave alone."""

from __future__ import annotations

import pytest
from edit_kernels import LOADS, WINDOW, kernel, texts

from asmevo.drivers.pool import default_rules
from asmevo.edits import (
    HoistLoad,
    HoistWait,
    Move,
    RelaxWait,
    RemoveRedundant,
    Schedule,
    SinkStore,
    SkipBranch,
)
from asmevo.edits.values.renaming import renamed


def relaxed(*lines: str) -> list[list[str]]:
    program = kernel(*lines)
    return [texts(program, [e]) for e in RelaxWait().proposals(program, "k", WINDOW)]


def test_a_wait_is_relaxed_to_the_number_of_younger_loads() -> None:
    found = relaxed(*LOADS, "s_waitcnt vmcnt(0)", "v_add_f32_e32 v6, v4, v4",
                    "v_add_f32_e32 v7, v5, v5")  # fmt: skip
    assert found[0] == [
        *LOADS, "s_waitcnt vmcnt(1)", "v_add_f32_e32 v6, v4, v4",
        "s_waitcnt vmcnt(0)", "v_add_f32_e32 v7, v5, v5", "s_endpgm",
    ]  # fmt: skip


def test_stores_count_as_younger_operations_on_gfx9() -> None:
    found = relaxed(LOADS[0], "global_store_dword v[2:3], v6, off", "s_waitcnt vmcnt(0)",
                    "v_add_f32_e32 v7, v4, v4")  # fmt: skip
    assert "s_waitcnt vmcnt(1)" in found[0]


def test_scalar_loads_are_only_proved_by_zero() -> None:
    found = relaxed("s_load_dword s4, s[0:1], 0x0", "s_load_dword s5, s[0:1], 0x4",
                    "s_waitcnt lgkmcnt(0)", "s_mov_b32 s6, s4", "s_mov_b32 s7, s5")  # fmt: skip
    assert found == []


def test_a_wait_sinks_to_the_first_use() -> None:
    found = relaxed(LOADS[0], "s_waitcnt vmcnt(0)", "v_add_u32_e32 v8, v9, v9",
                    "v_add_f32_e32 v6, v4, v4")  # fmt: skip
    assert found[0][1:3] == ["v_add_u32_e32 v8, v9, v9", "s_waitcnt vmcnt(0)"]


def test_a_wait_for_nothing_goes() -> None:
    found = relaxed("v_mov_b32_e32 v1, v0", "s_waitcnt vmcnt(0) lgkmcnt(0)", "v_mov_b32_e32 v2, v1")
    assert found[0] == ["v_mov_b32_e32 v1, v0", "v_mov_b32_e32 v2, v1", "s_endpgm"]


def test_a_wait_that_publishes_lds_stays_in_front_of_the_barrier() -> None:
    assert relaxed("ds_write_b32 v0, v1", "s_waitcnt lgkmcnt(0)", "s_barrier") == []


def test_a_wait_that_publishes_memory_stays_in_front_of_the_flag() -> None:
    assert relaxed("global_store_dword v[0:1], v2, off", "s_waitcnt vmcnt(0)",
                   "global_atomic_add v[4:5], v6, off") == []  # fmt: skip


def test_overwriting_a_pending_result_needs_the_wait() -> None:
    assert relaxed(LOADS[0], "s_waitcnt vmcnt(0)", "v_mov_b32_e32 v4, v6") == []


def test_loops_are_followed_round() -> None:
    # The load of one iteration is used in the next: the wait at the top is needed.
    found = relaxed("v_mov_b32_e32 v4, 0", "top:", "s_waitcnt vmcnt(0)",
                    "v_add_f32_e32 v6, v6, v4", LOADS[0], "s_sub_u32 s4, s4, 1",
                    "s_cmp_lg_u32 s4, 0", "s_cbranch_scc1 top")  # fmt: skip
    assert found == []


def test_calls_make_the_rules_silent() -> None:
    assert relaxed("s_swappc_b64 s[4:5], s[6:7]", "v_mov_b32_e32 v1, v0",
                   "s_waitcnt vmcnt(0)", "v_mov_b32_e32 v2, v1") == []  # fmt: skip


@pytest.mark.parametrize(
    "leaves",
    ["s_swappc_b64 s[4:5], s[6:7]", "s_call_b64 s[4:5], k", "s_setpc_b64 s[6:7]",
     "s_cbranch_i_fork s[4:5], k"],
)  # fmt: skip
def test_no_rule_touches_what_gives_wait_states_to_code_elsewhere(leaves: str) -> None:
    program = kernel(LOADS[0], "s_waitcnt vmcnt(0)", "v_add_f32_e32 v6, v4, v4", "s_nop 4", leaves,
                     "s_nop 4", "v_mov_b32_e32 v1, v0")  # fmt: skip
    for rule in default_rules(0):
        for edit in rule.proposals(program, "k", WINDOW):
            assert texts(program, [edit]).count("s_nop 4") == 2


def test_schedule_issues_loads_before_unrelated_work() -> None:
    program = kernel(
        "v_add_f32_e32 v8, v9, v9", "v_add_f32_e32 v10, v8, v8", LOADS[0], "s_waitcnt vmcnt(0)",
        "v_add_f32_e32 v6, v4, v10",
    )  # fmt: skip
    first = next(iter(Schedule().proposals(program, "k", WINDOW)))
    assert texts(program, [first])[:5] == [
        LOADS[0], "v_add_f32_e32 v8, v9, v9", "v_add_f32_e32 v10, v8, v8", "s_waitcnt vmcnt(0)",
        "v_add_f32_e32 v6, v4, v10",
    ]  # fmt: skip


def test_schedule_counts_the_loads_of_the_new_order() -> None:
    program = kernel(
        LOADS[0], "s_waitcnt vmcnt(0)", "v_add_f32_e32 v6, v4, v4", LOADS[1],
        "s_waitcnt vmcnt(0)", "v_add_f32_e32 v7, v5, v5",
    )  # fmt: skip
    first = next(iter(Schedule().proposals(program, "k", WINDOW)))
    assert texts(program, [first]) == [
        *LOADS, "s_waitcnt vmcnt(1)", "v_add_f32_e32 v6, v4, v4", "s_waitcnt vmcnt(0)",
        "v_add_f32_e32 v7, v5, v5", "s_endpgm",
    ]  # fmt: skip


def test_work_that_waits_for_nothing_goes_in_front_of_a_barrier() -> None:
    program = kernel(
        "ds_write_b32 v0, v1", "s_waitcnt lgkmcnt(0)", "s_barrier", "v_add_f32_e32 v6, v4, v4",
        "v_add_f32_e32 v7, v6, v4", "ds_read_b32 v2, v0", "s_waitcnt lgkmcnt(0)",
        "v_add_f32_e32 v8, v2, v7",
    )  # fmt: skip
    found = [texts(program, [e]) for e in Schedule().proposals(program, "k", WINDOW)]
    assert [
        "ds_write_b32 v0, v1", "v_add_f32_e32 v6, v4, v4", "v_add_f32_e32 v7, v6, v4",
        "s_waitcnt lgkmcnt(0)", "s_barrier", "ds_read_b32 v2, v0", "s_waitcnt lgkmcnt(0)",
        "v_add_f32_e32 v8, v2, v7", "s_endpgm",
    ] in found  # fmt: skip


def removed(*lines: str) -> list[str]:
    program = kernel(*lines)
    return [
        program.line(e.first)
        for e in RemoveRedundant().proposals(program, "k", WINDOW)
        if not e.lines
    ]


STORE = "global_store_dword v[0:1], v2, off"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("v_mov_b32_e32 v2, 0", "v_mov_b32_e32 v2, 0", STORE), ["v_mov_b32_e32 v2, 0"]),
        (("v_mov_b32_e32 v2, v2", STORE), ["v_mov_b32_e32 v2, v2"]),
        (("v_mov_b32_e32 v2, s4", STORE, "s_mov_b32 s4, 0", "v_mov_b32_e32 v2, s4", STORE), []),
        # A wider EXEC makes the second move do something.
        (("v_mov_b32_e32 v2, 0", STORE, "s_mov_b64 exec, -1", "v_mov_b32_e32 v2, 0", STORE), []),
        (("v_mov_b32_e32 v2, 0", "v_add_u32_e32 v2, v3, v2", "v_mov_b32_e32 v2, 0", STORE),
         ["v_add_u32_e32 v2, v3, v2"]),
        (("v_add_f32_e32 v9, v8, v8", STORE), ["v_add_f32_e32 v9, v8, v8"]),
        (("s_add_u32 s9, s8, s8", "s_addc_u32 s11, s10, 0", "v_mov_b32_e32 v2, s11", STORE), []),
        (("s_nop 0", "v_mov_b32_e32 v2, v3", STORE), ["s_nop 0"]),
        (("v_mov_b32_e32 v2, v3", "s_nop 0", "v_readfirstlane_b32 s4, v2",
          "v_mov_b32_e32 v2, s4", STORE), []),
        (("s_branch next", "next:", STORE), ["s_branch next"]),
    ],
)  # fmt: skip
def test_removals(lines: tuple[str, ...], expected: list[str]) -> None:
    found = removed(*lines)
    names = [line.replace(".L0", "next") for line in found]
    for line in expected:
        assert line in names
    if not expected:
        assert names == []


def test_a_longer_nop_is_shortened() -> None:
    program = kernel("v_mov_b32_e32 v2, v3", "s_nop 7", "v_readfirstlane_b32 s4, v2",
                     "v_mov_b32_e32 v2, s4", STORE)  # fmt: skip
    found = list(RemoveRedundant().proposals(program, "k", WINDOW))
    assert [e.lines for e in found if program.line(e.first) == "s_nop 7"] in (
        [("s_nop 0",)], [("s_nop 1",)],
    )  # fmt: skip


WIDE = "buffer_store_dwordx4 v[2:5], v8, s[8:11], {} offen"
USE = "v_pk_mul_f32 v[2:3], v[4:5], v[4:5]"


@pytest.mark.parametrize(
    ("lines", "left"),
    [
        # store-sgpr-soffset: measured on gfx950 (llvm-project#197267): one wait state with an SGPR
        # offset, two without (CDNA3 ISA 4.5).
        ((WIDE.format("s12"), "s_nop 1", USE, STORE), 1),
        ((WIDE.format("s12"), "s_nop 0", USE, STORE), 1),
        ((WIDE.format("0"), "s_nop 1", USE, STORE), 2),
        (("global_store_dwordx4 v[0:1], v[2:5], off", "s_nop 1", USE, STORE), 2),
        ((WIDE.format("s12"), "s_nop 0", "s_branch next", "next:", USE, STORE), 0),
        # The data is overwritten at the top of the loop that the nop ends.
        (("s_nop 4", "top:", USE, STORE, WIDE.format("0"), "s_nop 0", "s_cbranch_scc1 top",
          "v_mov_b32_e32 v9, v2", STORE), 1),
        # The store is the last thing of a loop, and the nop the first.
        (("top:", "s_nop 1", USE, STORE, WIDE.format("0"), "s_cbranch_scc1 top"), 1),
        # Nothing of this kind needs a nop: a narrow store, and other registers.
        (("buffer_store_dword v2, v8, s[8:11], s12 offen", "s_nop 1", USE, STORE), 0),
        ((WIDE.format("s12"), "s_nop 1", "v_mov_b32_e32 v9, v10", STORE), 0),
    ],
)  # fmt: skip
def test_nops_behind_wide_stores_stay_as_long_as_needed(lines: tuple[str, ...], left: int) -> None:
    program = kernel(*lines)
    nops = [line for line in lines if line.startswith("s_nop") and line != "s_nop 4"]
    kept = int(nops[0].split()[1]) + 1
    for edit in RemoveRedundant().proposals(program, "k", WINDOW):
        if program.line(edit.first) == nops[0]:
            assert edit.last == edit.first + 1
            kept = int(edit.lines[0].split()[1]) + 1 if edit.lines else 0
    assert kept == left


IF = ("v_cmp_gt_u32_e32 vcc, 32, v3", "s_and_saveexec_b64 s[4:5], vcc", "s_cbranch_execz after")
AFTER = ("after:", "s_or_b64 exec, exec, s[4:5]", STORE)


@pytest.mark.parametrize(
    ("body", "harmless"),
    [
        (("v_add_f32_e32 v2, v3, v3", "ds_write_b32 v0, v2"), True),
        (("s_add_u32 s8, s9, s9", "v_mov_b32_e32 v2, s8"), True),  # s8 and SCC are dead behind
        (("s_load_dword s8, s[0:1], 0x0",), False),
        (("v_writelane_b32 v2, s8, 3",), False),
        (("v_mfma_f32_4x4x1_16b_f32 v[4:7], v8, v9, v[4:7]",), False),
        (("s_mov_b64 exec, -1", "v_mov_b32_e32 v2, v3"), False),
        (("s_barrier",), False),
    ],
)
def test_which_branches_may_go(body: tuple[str, ...], harmless: bool) -> None:
    program = kernel(*IF, *body, *AFTER)
    found = list(SkipBranch().proposals(program, "k", WINDOW))
    assert [e.first for e in found] == ([2] if harmless else [])


def test_a_scalar_result_that_is_needed_keeps_the_branch() -> None:
    program = kernel(*IF, "s_mov_b32 s8, 1", *AFTER[:2], "v_mov_b32_e32 v2, s8", STORE)
    assert list(SkipBranch().proposals(program, "k", WINDOW)) == []


def hoisted(*lines: str) -> list[list[str]]:
    program = kernel(*lines)
    return [texts(program, es) for es in HoistLoad().composites(program, "k", WINDOW)]


def test_a_load_keeps_its_registers_where_they_are_free() -> None:
    found = hoisted("v_mov_b32_e32 v2, v3", *IF, "s_load_dword s8, s[0:1], 0x8",
                    "s_waitcnt lgkmcnt(0)", "v_mov_b32_e32 v2, s8", *AFTER)  # fmt: skip
    assert found[0][0] == "s_load_dword s8, s[0:1], 0x8"


def test_a_load_whose_registers_are_busy_gets_others() -> None:
    found = hoisted("s_mov_b32 s8, 7", *IF, "v_mov_b32_e32 v7, s8",
                    "s_load_dword s8, s[0:1], 0x8", "s_waitcnt lgkmcnt(0)",
                    "v_add_u32_e32 v2, s8, v7", *AFTER)  # fmt: skip
    load = found[0][0].split()[1].rstrip(",")
    assert load != "s8"
    assert f"v_add_u32_e32 v2, {load}, v7" in found[0]
    assert "v_mov_b32_e32 v7, s8" in found[0]


def test_only_kernel_arguments_are_loaded_before_a_branch() -> None:
    # Another pointer may be valid only behind the branch.
    body = ("s_waitcnt lgkmcnt(0)", "v_mov_b32_e32 v2, s8", *AFTER)
    assert hoisted("v_mov_b32_e32 v2, v3", *IF, "s_load_dword s8, s[6:7], 0x8", *body) == []
    assert hoisted("v_mov_b32_e32 v2, v3", *IF, "s_load_dword s8, s[0:1], 0x10", *body) == []
    moved = ("s_add_u32 s0, s0, 8", "s_addc_u32 s1, s1, 0")
    assert hoisted(*moved, *IF, "s_load_dword s8, s[0:1], 0x8", *body) == []
    assert hoisted("v_mov_b32_e32 v2, v3", *IF, "s_load_dword s8, s[0:1], 0x8", *body) != []


def test_a_load_stays_behind_the_write_of_its_address() -> None:
    # The second block always follows the first, so this is no guess.
    found = hoisted("v_mov_b32_e32 v2, v3", "s_add_u32 s0, s0, 8", "s_addc_u32 s1, s1, 0",
                    "v_mov_b32_e32 v6, v5", "s_branch next", "next:",
                    "s_load_dword s8, s[0:1], 0x8", "s_waitcnt lgkmcnt(0)",
                    "v_mov_b32_e32 v2, s8", STORE)  # fmt: skip
    assert found[0].index("s_load_dword s8, s[0:1], 0x8") == 3


def test_a_load_that_leaves_its_block_is_not_renamed() -> None:
    load = "s_load_dword s8, s[0:1], 0x8"
    tail = ("s_waitcnt lgkmcnt(0)", "v_mov_b32_e32 v2, s8", STORE)
    assert hoisted("s_mov_b32 s8, 7", *IF, "v_mov_b32_e32 v7, s8", load, *AFTER[:2], *tail) == []


def sunk(*lines: str) -> int:
    return len(list(SinkStore().composites(kernel(*lines), "k", WINDOW)))


TILE = ("global_load_dword v4, v[0:1], off", "s_waitcnt vmcnt(0)", "ds_write_b32 v10, v4")


def test_what_keeps_a_store_in_place() -> None:
    tail = ("after:", "s_or_b64 exec, exec, s[4:5]", "s_waitcnt vmcnt(0)",
            "ds_write_b32 v11, v5", "s_waitcnt lgkmcnt(0)", "s_barrier")  # fmt: skip
    assert sunk(*TILE, *IF, LOADS[1], *tail) == 1
    # The same memory is used in between, there is a barrier, or the address changes.
    assert sunk(*TILE, *IF, "ds_read_b32 v5, v12", *tail) == 0
    assert sunk(*TILE, "s_barrier", *IF, LOADS[1], *tail) == 0
    # EXEC is not the same again.
    other = (tail[0], "s_mov_b64 exec, s[6:7]", *tail[2:])
    assert sunk(*TILE, *IF, LOADS[1], *other) == 0


@pytest.mark.parametrize(
    ("text", "units", "expected"),
    [
        ("v_add_f32_e32 v1, v2, v12", {1024 + 2: 1024 + 7}, "v_add_f32_e32 v1, v7, v12"),
        ("ds_read_b64 v[2:3], v2", {1026: 1034, 1027: 1035}, "ds_read_b64 v[10:11], v10"),
        ("ds_read_b64 v[2:3], v2", {1027: 1040}, None),
        # Torn is torn, also when a later tuple of the same text is whole.
        ("v_lshl_add_u64 v[2:3], v[4:5], 0, v[6:7]", {1027: 1040}, None),
        ("v_lshl_add_u64 v[2:3], v[4:5], 0, v[6:7]", {1029: 1040}, None),
        ("v_lshl_add_u64 v[2:3], v[4:5], 0, s[6:7]", {1026: 1027, 1027: 1026}, None),
        ("s_mov_b64 s[2:3], s[12:13]", {2: 8, 3: 9}, "s_mov_b64 s[8:9], s[12:13]"),
        ("v_mov_b32_e32 v2, s2", {2: 8}, "v_mov_b32_e32 v2, s8"),
        ("buffer_load_dword v2, v2, s[4:7], 0 offen offset:2", {1026: 1029},
         "buffer_load_dword v5, v5, s[4:7], 0 offen offset:2"),
    ],
)  # fmt: skip
def test_renaming_touches_registers_only(
    text: str, units: dict[int, int], expected: str | None
) -> None:
    assert renamed(text, units) == expected


def test_the_wait_for_a_loop_invariant_load_leaves_the_loop() -> None:
    # v4 is loaded once, in front of the loop; waiting for it inside drains the loop's own load.
    program = kernel(
        "s_movk_i32 s4, 8", LOADS[0], "top:", LOADS[1], "s_waitcnt vmcnt(1)",
        "v_add_f32_e32 v6, v4, v6", "s_waitcnt vmcnt(0)", "v_add_f32_e32 v7, v5, v7",
        "s_sub_u32 s4, s4, 1", "s_cmp_lg_u32 s4, 0", "s_cbranch_scc1 top",
    )  # fmt: skip
    found = list(HoistWait().composites(program, "k", WINDOW))
    assert len(found) == 1
    lines = texts(program, found[0])
    assert lines[:6] == [
        "s_movk_i32 s4, 0x8", LOADS[0], "s_waitcnt vmcnt(0)", LOADS[1], "v_add_f32_e32 v6, v4, v6",
        "s_waitcnt vmcnt(0)",
    ]  # fmt: skip


def test_a_loop_without_loads_from_outside_keeps_its_waits() -> None:
    program = kernel(
        "s_movk_i32 s4, 8", "top:", LOADS[1], "s_waitcnt vmcnt(0)", "v_add_f32_e32 v7, v5, v7",
        "s_sub_u32 s4, s4, 1", "s_cmp_lg_u32 s4, 0", "s_cbranch_scc1 top",
    )  # fmt: skip
    assert list(HoistWait().composites(program, "k", WINDOW)) == []


def test_a_wait_that_meets_a_weaker_one_keeps_the_smaller_count() -> None:
    found = relaxed(*LOADS, "s_waitcnt vmcnt(0)", "v_mov_b32_e32 v8, v9", "s_waitcnt vmcnt(1)",
                    "v_add_f32_e32 v7, v5, v5")  # fmt: skip
    moved = [
        *LOADS, "v_mov_b32_e32 v8, v9", "s_waitcnt vmcnt(0)", "v_add_f32_e32 v7, v5, v5",
        "s_endpgm",
    ]  # fmt: skip
    assert moved in found
    # No proposal lets the younger load arrive after its use.
    for lines in found:
        waits = lines[: lines.index("v_add_f32_e32 v7, v5, v5")]
        assert "s_waitcnt vmcnt(0)" in waits


def test_a_producer_in_front_of_a_branch_counts_as_one_in_the_layout_does() -> None:
    """layernorm_static_invalid: a nop at the top of a block, for a producer that branches there.

    A VGPR written by a VALU needs two wait states before DPP reads it (CDNA3 ISA 4.5): the branch
    is one, the nop the other. On the path that falls through nothing is needed.
    """
    dpp = "v_add_f32_dpp v3, v3, v3 row_shr:8 row_mask:0xf bank_mask:0xf bound_ctrl:1"
    program = kernel(
        "s_cbranch_scc1 other", "v_add_f32_e32 v3, v5, v8", "s_branch join", "other:",
        "v_mov_b32_e32 v3, 0", "v_mov_b32_e32 v4, 0", "v_mov_b32_e32 v1, 0", "join:", "s_nop 0",
        dpp, "v_add_u32_e32 v7, v8, v8", "v_add_u32_e32 v9, v7, v8", "s_nop 0", STORE,
        "global_store_dwordx4 v[0:1], v[6:9], off", "global_store_dword v[0:1], v3, off",
    )  # fmt: skip
    seen = 0
    for rule in (RemoveRedundant(), Schedule(variants=4), RelaxWait(), Move()):
        for edit in rule.proposals(program, "k", WINDOW):
            # Any instruction between the join and the DPP is the missing wait state.
            lines = texts(program, [edit])
            assert lines.index(dpp) - lines.index("v_mov_b32_e32 v1, 0") > 1, edit.note
            seen += 1
    assert seen > 3
