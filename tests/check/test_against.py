"""The gate question: what an edit made worse, on real compiled kernels and small cases."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from text_program import TextProgram, lines, verdict

from asmevo.check.against import renamed, skeleton, worse_findings
from asmevo.check.run import check_program
from asmevo.codeobject import CodeObject
from asmevo.program import Program, recover
from asmevo.program.edit import Edit, apply

LOAD, USE = "ds_read_b32 v1, v0", "v_add_f32_e32 v9, v1, v1"
MFMA = "v_mfma_f32_32x32x8_f16 v[16:31], v[0:1], v[2:3], v[16:31]"


def test_the_same_program_is_never_worse() -> None:
    text = lines(LOAD, USE, MFMA, "ds_write_b32 v90, v16", "s_barrier")
    assert verdict(text, text) == []


def test_a_new_uncovered_use() -> None:
    good = lines(LOAD, "s_waitcnt lgkmcnt(0)", USE)
    assert verdict(good, lines(LOAD, USE)) == ["wait.raw"]
    assert verdict(lines(LOAD, USE), good) == []


def test_an_existing_one_may_not_come_closer() -> None:
    far = lines(LOAD, "s_nop 0", "v_mov_b32_e32 v5, 0", USE)
    near = lines(LOAD, "s_nop 0", USE)
    assert verdict(far, near) == ["wait.raw"]


def test_nothing_moves_inside_an_uncovered_pair() -> None:
    before = lines(LOAD, "v_mov_b32_e32 v5, 0", "v_exp_f32_e32 v6, v7", USE)
    after = lines(LOAD, "v_exp_f32_e32 v6, v7", "v_mov_b32_e32 v5, 0", USE)
    assert verdict(before, after) == ["against.pinned-pair"]
    assert verdict(before, before) == []


def test_nothing_moves_inside_an_uncovered_overwrite() -> None:
    """Write after write is pinned as read after write is; out of the pair counts as into it."""
    kill, other = "v_mov_b32_e32 v1, 0", "v_exp_f32_e32 v6, v7"
    before = lines("v_nop", LOAD, "v_mov_b32_e32 v5, 0", other, kill)
    into = lines("v_nop", LOAD, other, "v_mov_b32_e32 v5, 0", kill)
    assert verdict(before, into) == ["against.pinned-pair"]
    out_of_it = lines(LOAD, "v_nop", "v_mov_b32_e32 v5, 0", kill, other)
    assert set(verdict(before, out_of_it)) & {"against.pinned-pair", "wait.waw"}
    assert verdict(before, before) == []


def test_a_renaming_is_one_for_one() -> None:
    def same(before: str, after: str) -> bool:
        return renamed(*(TextProgram.of(lines(x), "gfx942") for x in (before, after)))

    two = "v_mov_b32_e32 v1, 0\nv_mov_b32_e32 v2, 1\nv_add_f32_e32 v3, v1, v2"
    assert same(two, two.replace("v1", "v7"))
    assert same(two, two.replace("v1", "v#").replace("v2", "v1").replace("v#", "v2"))
    assert not same(two, two.replace("v2", "v1"))  # two registers merged
    assert not same(two.replace("v2", "v1"), two)  # one split
    # A register that did not change, elsewhere, may not become the name of another.
    assert not same(two + "\nv_mov_b32_e32 v8, v7", two.replace("v1", "v7") +
                    "\nv_mov_b32_e32 v8, v7")  # fmt: skip
    assert not same(two, two + "\nv_nop")


def test_a_wait_state_fewer_behind_an_mfma() -> None:
    def mid(n: int) -> str:
        return lines(MFMA, f"s_nop {n}", "v_add_f32_e32 v100, v16, v16")

    assert verdict(mid(10), mid(9)) == ["hazard.xdl-valu-read"]  # 11 needed: new
    assert verdict(mid(6), mid(5)) == ["hazard.xdl-valu-read"]  # V! in both: closer
    assert verdict(mid(5), mid(6)) == []


@pytest.mark.parametrize("offset", ["s12", "0"])
def test_case_store_sgpr_soffset_its_nops_stay(offset: str) -> None:
    """The case `store-sgpr-soffset`: no nop behind a wide store goes, whatever its offset is."""
    store = f"buffer_store_dwordx4 v[2:5], v8, s[8:11], {offset} offen"
    change = "v_pk_mul_f32 v[2:3], v[4:5], v[2:3]"
    need = 1 if offset == "s12" else 2
    good = lines(store, f"s_nop {need - 1}", change)
    assert verdict(good, lines(store, change)) == ["hazard.store-data-war"]
    assert verdict(good, lines(store, "v_mov_b32_e32 v9, 0", "s_nop 0", change)) == []
    assert verdict(lines(store, change), lines(store, change)) == []  # its own stays tolerated


def test_a_nop_that_only_one_source_asks_for_stays_too() -> None:
    """ISA table 38: forwarding to C needs equal passes; LLVM inserts nothing here."""
    first = "v_mfma_f32_16x16x16_f16 v[16:19], v[0:1], v[2:3], v[16:19]"
    second = "v_mfma_f32_4x4x4_16b_f16 v[16:19], v[4:5], v[6:7], v[16:19]"
    padded = lines(first, "s_nop 4", second)
    assert verdict(padded, lines(first, "s_nop 3", second)) == ["hazard.xdl-c-passes"]
    assert verdict(lines(first, second), lines(first, second)) == []


def test_renamed_registers_keep_their_findings() -> None:
    before = lines(LOAD, USE, MFMA, "ds_write_b32 v90, v16")
    after = lines(
        LOAD.replace("v1", "v7"), USE.replace("v1", "v7"),
        MFMA.replace("v[16:31]", "v[32:47]"), "ds_write_b32 v90, v32",
    )  # fmt: skip
    assert verdict(before, after) == []


def test_exchanging_two_readers_brings_one_closer() -> None:
    """Both read one MFMA result; the second moves in front of the first."""
    first, second = "v_max3_f32 v50, v16, v17, v50", "v_max3_f32 v50, v18, v19, v50"
    before = lines(MFMA, "s_nop 5", first, second)
    assert verdict(before, lines(MFMA, "s_nop 5", second, first)) == ["hazard.xdl-valu-read"]
    # Only the first reader lacks a wait state here, so the other's finding is a new one.
    before = lines(MFMA, "s_nop 9", first, second)
    assert verdict(before, lines(MFMA, "s_nop 9", second, first)) == ["hazard.xdl-valu-read"]


def test_swapped_registers_do_not_confuse_two_findings() -> None:
    """After the swap each pair has the other's texts, at another distance."""
    near = ("ds_read_b32 v1, v0", "v_mov_b32_e32 v5, 0", "v_add_f32_e32 v9, v1, v1")
    far = ("ds_read_b32 v2, v0", "v_mov_b32_e32 v5, 0", "v_mov_b32_e32 v6, 0",
           "v_add_f32_e32 v9, v2, v2")  # fmt: skip
    before = lines(*near, "s_waitcnt lgkmcnt(0)", *far)

    def swap(text: str) -> str:
        return text.replace("v1", "v#").replace("v2", "v1").replace("v#", "v2")

    after = lines(*map(swap, near), "s_waitcnt lgkmcnt(0)", *map(swap, far))
    assert verdict(before, after) == []
    closer = lines(*near[:1], *near[2:], "s_waitcnt lgkmcnt(0)", *far)
    assert verdict(before, closer) == ["wait.raw"]


def test_a_fix_in_one_place_does_not_pay_for_a_fault_in_another() -> None:
    other = "ds_read_b64 v[2:3], v0\nv_add_f32_e32 v8, v2, v2"
    fixed = "ds_read_b64 v[2:3], v0\ns_waitcnt lgkmcnt(0)\nv_add_f32_e32 v8, v2, v2"
    good, bad = lines(LOAD, "s_waitcnt lgkmcnt(0)", USE, other), lines(LOAD, USE, fixed)
    assert verdict(good, bad) == ["wait.raw"]


def test_weaker_wait_before_a_barrier_is_worse() -> None:
    write = "ds_write_b32 v0, v5"
    before = lines(write, "s_waitcnt lgkmcnt(0)", "s_barrier", LOAD)
    after = lines(write, "s_waitcnt lgkmcnt(1)", "s_barrier", LOAD)
    assert verdict(before, after) == ["wait.lds-write-at-barrier"]


@pytest.mark.parametrize(
    "text",
    [
        "s_getreg_b32 s8, hwreg(HW_REG_XCC_ID)",
        "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0",
        "s_memtime s[8:9]",
        "s_sendmsg sendmsg(MSG_INTERRUPT)",
        "s_sethalt 1",
    ],
)
def test_the_machine_around_is_touched_as_in_the_original(text: str) -> None:
    plain, touched = lines("s_nop 0", USE), lines(text, "s_nop 0", USE)
    assert verdict(plain, touched) == ["against.environment"]
    assert verdict(touched, plain) == ["against.environment"]
    assert verdict(touched, touched) == []
    assert verdict(touched, touched.replace("s8", "s10").replace("s[8:9]", "s[10:11]")) == []


def test_idle_time_and_priority_are_free() -> None:
    assert verdict(lines(USE), lines("s_setprio 1", "s_sleep 1", USE)) == []


def test_fences_stay_and_memory_does_not_cross_them() -> None:
    write = "ds_write_b32 v0, v5\ns_waitcnt lgkmcnt(0)"
    before = lines(write, "s_barrier", LOAD)
    assert verdict(before, lines(write, LOAD)) == ["against.fence"]
    assert "against.crossed-fence" in verdict(before, lines(write, LOAD, "s_barrier"))
    flush = lines("buffer_wbl2 sc1", "s_waitcnt vmcnt(0)")
    assert verdict(flush, lines("s_waitcnt vmcnt(0)")) == ["against.fence"]


def test_fences_keep_their_order_and_kind() -> None:
    def fences(*texts: str) -> str:
        return lines("v_nop", *texts, "v_nop")

    good = fences("buffer_wbl2 sc1", "s_waitcnt vmcnt(0)", "s_barrier", "buffer_inv sc1")
    for other in (
        fences("s_barrier", "buffer_wbl2 sc1", "s_waitcnt vmcnt(0)", "buffer_inv sc1"),
        fences("buffer_wbl2 sc1", "s_waitcnt vmcnt(0)", "s_barrier", "buffer_wbl2 sc1"),
        fences("buffer_wbl2 sc1", "s_waitcnt vmcnt(0)", "s_barrier", "buffer_inv sc0"),
    ):
        assert "against.fence" in verdict(good, other)


def test_lds_dma_needs_no_weaker_wait_before_its_reader() -> None:
    dma = "buffer_load_dword v2, s[0:3], 0 offen lds\nbuffer_load_dword v3, s[0:3], 0 offen lds"
    before = lines(dma, "s_waitcnt vmcnt(1)", LOAD)
    assert verdict(before, lines(dma, "s_waitcnt vmcnt(2)", LOAD)) == ["wait.lds-dma-at-lds"]


def test_skeleton_leaves_registers_out() -> None:
    assert skeleton("v_add_f32_e32 v1, s4, v[2:3]") == "v_add_f32_e32 v, s, v"
    assert skeleton("s_cbranch_scc0 65530") == "s_cbranch_scc0"
    assert skeleton("ds_read_b32 v1, v2 offset:16") == "ds_read_b32 v, v offset:16"


@pytest.fixture
def softmax(kernel_objects: Callable[..., bytes]) -> Program:
    return recover(CodeObject.open(kernel_objects("softmax")))


def test_every_deleted_barrier_of_a_real_kernel_is_refused(softmax: Program) -> None:
    before = check_program(softmax)
    places = [i for i, x in enumerate(softmax.instructions) if x.base == "s_barrier"]
    assert places
    for i in places:
        edited = apply(softmax, [Edit(i, i + 1, ())])
        worse = worse_findings(before, softmax, check_program(edited), edited)
        assert "against.fence" in [f.rule for f in worse]


def test_an_edit_elsewhere_leaves_a_real_kernel_as_good(softmax: Program) -> None:
    before = check_program(softmax)
    edited = apply(softmax, [Edit(5, 5, ("s_nop 0",))])
    assert worse_findings(before, softmax, check_program(edited), edited) == []
