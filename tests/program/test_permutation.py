"""Orders that keep every dependence, and orders that break one: each kind of cell by itself.

Which instructions may not pass each other is from the CDNA3 ISA (what each reads and writes,
implicit operands included; chapter 4 on waits) and LLVM's memory model (scopes, atomics).
"""

from __future__ import annotations

import random

import pytest

from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Target
from asmevo.program.permutation import reordered
from program.frame import straight  # type: ignore[import-not-found]

TARGET = Target("gfx942")


def run(*lines: str) -> list[Instruction]:
    program = straight(*lines)
    return list(program.instructions[: len(lines)])


FREE = {
    "apart": ("v_add_f32 v0, v1, v2", "v_add_f32 v3, v4, v5"),
    "two readers": ("v_add_f32 v0, v1, v2", "v_mul_f32 v3, v1, v2"),
    "two loads": ("global_load_dword v0, v4, s[4:5]", "global_load_dword v1, v4, s[4:5]"),
    "load and LDS write": ("ds_read_b32 v0, v4", "buffer_store_dword v1, v5, s[8:11], 0 offen"),
    "alu and store": ("v_add_f32 v0, v1, v2", "global_store_dword v4, v5, s[4:5]"),
    "alu and barrier": ("v_add_f32 v0, v1, v2", "s_barrier"),
    "alu and an unrelated wait": ("v_add_f32 v0, v1, v2", "s_waitcnt vmcnt(0)"),
    "scalar loads": ("s_load_dword s8, s[0:1], 0x0", "s_load_dword s9, s[0:1], 0x4"),
}
BOUND = {
    "true dependence": ("v_add_f32 v0, v1, v2", "v_add_f32 v3, v0, v5"),
    "anti dependence": ("v_add_f32 v0, v1, v2", "v_mov_b32 v1, v5"),
    "output dependence": ("v_add_f32 v0, v1, v2", "v_mov_b32 v0, v5"),
    "scc": ("s_cmp_eq_u32 s8, s9", "s_add_u32 s10, s11, s12"),
    "scc read": ("s_cselect_b32 s8, s9, s10", "s_cmp_eq_u32 s8, s9"),
    "vcc": ("v_cmp_lt_f32 vcc, v1, v2", "v_cndmask_b32 v3, v4, v5, vcc"),
    "exec": ("s_mov_b64 exec, s[8:9]", "v_add_f32 v0, v1, v2"),
    "m0": ("s_mov_b32 m0, s8", "s_movrels_b32 s9, s10"),
    "mode": ("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 3", "v_add_f32 v0, v1, v2"),
    "store and load": ("global_store_dword v0, v4, s[4:5]", "global_load_dword v1, v4, s[6:7]"),
    "two stores": ("global_store_dword v0, v4, s[4:5]", "global_store_dword v1, v4, s[4:5]"),
    "flat and LDS": ("flat_store_dword v[0:1], v4", "ds_read_b32 v5, v6"),
    "flat and scratch": ("flat_store_dword v[0:1], v4", "scratch_load_dword v5, off, off"),
    "atomic and load": ("global_atomic_add v0, v4, s[4:5]", "global_load_dword v1, v5, s[6:7]"),
    "scope": ("global_load_dword v0, v4, s[4:5] sc1", "global_load_dword v1, v5, s[6:7]"),
    "barrier and load": ("s_barrier", "global_load_dword v1, v5, s[6:7]"),
    "barrier and LDS": ("ds_write_b32 v0, v1", "s_barrier"),
    "wait and store": ("s_waitcnt vmcnt(0)", "global_store_dword v1, v4, s[4:5]"),
    "wait and load": ("s_waitcnt vmcnt(0)", "ds_read_b32 v5, v6"),
    "cache": ("buffer_inv sc1", "v_add_f32 v0, v1, v2"),
    "message": ("s_sendmsg sendmsg(MSG_INTERRUPT)", "v_add_f32 v0, v1, v2"),
    "clock": ("s_memtime s[8:9]", "v_add_f32 v0, v1, v2"),
    "to LDS": ("s_nop 0", "s_nop 0", "global_load_lds_dword v0, s[4:5]", "ds_read_b32 v5, v6"),
}


@pytest.mark.parametrize("name", FREE)
def test_what_is_apart_may_change_places(name: str) -> None:
    a, b = run(*FREE[name])
    assert reordered([a, b], [b, a], TARGET) == ""


@pytest.mark.parametrize("name", BOUND)
def test_what_depends_may_not(name: str) -> None:
    *head, a, b = run(*BOUND[name])
    assert reordered([*head, a, b], [*head, b, a], TARGET) != ""
    assert reordered([*head, a, b], [*head, a, b], TARGET) == ""


def test_a_wait_covers_the_same_operations_and_holds_back_their_users() -> None:
    load, wait, use, other = run(
        "global_load_dword v0, v4, s[4:5]", "s_waitcnt vmcnt(0)", "v_add_f32 v1, v0, v2",
        "v_mul_f32 v3, v6, v7",
    )  # fmt: skip
    before = [load, wait, use, other]
    assert reordered(before, [load, other, wait, use], TARGET) == ""
    assert reordered(before, [other, load, wait, use], TARGET) == ""
    for wrong in ([load, use, wait, other], [wait, load, use, other]):
        assert reordered(before, wrong, TARGET) != ""
    first, second, third = run(
        "global_load_dword v0, v4, s[4:5]", "global_load_dword v1, v4, s[6:7]",
        "s_waitcnt vmcnt(1)",
    )  # fmt: skip
    # vmcnt(1) completes the older of both.
    assert reordered([first, second, third], [second, first, third], TARGET) != ""


def test_other_instructions_are_no_other_order() -> None:
    a, b = run("v_add_f32 v0, v1, v2", "v_add_f32 v3, v4, v5")
    assert reordered([a, b], [a], TARGET) != ""
    assert reordered([a, b], [a, a], TARGET) != ""


def test_equal_instructions_are_told_apart_by_their_order() -> None:
    """x += 1 twice, with a copy between: which of the two the copy follows is the same."""
    add, copy, again = run("v_add_u32 v0, 1, v0", "v_mov_b32 v1, v0", "v_add_u32 v0, 1, v0")
    assert reordered([add, copy, again], [again, copy, add], TARGET) == ""
    assert reordered([add, copy, again], [add, again, copy], TARGET) != ""


def test_random_orders_agree_with_a_pairwise_check() -> None:
    """Second opinion: an order is right iff no pair that may not swap is swapped."""
    rng = random.Random(5)
    names = [f"v{n}" for n in range(5)]
    for _ in range(200):
        lines = [f"v_add_u32 {rng.choice(names)}, {rng.choice(names)}, {rng.choice(names)}"
                 for _ in range(6)]  # fmt: skip
        before = run(*lines)
        if len({i.raw for i in before}) < 6:
            continue
        order = list(range(6))
        rng.shuffle(order)
        words = [x.replace(",", "").split()[1:] for x in lines]
        bound = [(i, j) for i in range(6) for j in range(i + 1, 6)
                 if words[i][0] in words[j] or words[j][0] in words[i]]  # fmt: skip
        right = all(order.index(i) < order.index(j) for i, j in bound)
        found = reordered(before, [before[i] for i in order], TARGET)
        assert (found == "") == right, (lines, order, found)


def test_time_is_linear() -> None:
    import time

    lines = [f"v_add_u32 v{n % 7}, {n % 60}, v{n % 5}" for n in range(200)]
    body = run(*lines)
    long = body * 50
    start = time.process_time()
    assert reordered(long, [*long], TARGET) == ""
    assert reordered(long, long[1:] + long[:1], TARGET) != ""
    assert time.process_time() - start < 2.0
