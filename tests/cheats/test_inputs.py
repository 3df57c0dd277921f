"""Cheats that other inputs stop: placements, sizes, contents, red zones, modes.

Each is right, or nearly so, on the launch's own numbers at the launch's own addresses, unless its
name says that it is plainly wrong.
"""

from __future__ import annotations

import struct

import pytest
from frame import RUN, STATIC, TESTED, Base, Cheat, Subject, stopped

SAXPY, SOFTMAX, REDUCE = Base("saxpy"), Base("softmax"), Base("reduce")
RMSNORM, MATMUL = Base("rmsnorm"), Base("matmul_f32")
SUM, POOL = (Base(n, folder="kernelbench") for n in ("l1_047_sum_dim1", "l1_045_avgpool2d"))
RELU90, RELU950 = (Base("l1_019_relu", a, "kernelbench") for a in ("gfx90a", "gfx950"))
LATER = ("timing", "commit")  # a search affords less; what it has found is verified in the end
STORE = "global_store_dword"


def bits(value: float) -> str:
    return f"0x{struct.unpack('<I', struct.pack('<f', value))[0]:x}"


def first(s: Subject, name: str) -> float:
    return float(s.capsules[0].buffer(name).array().reshape(-1)[0])


def unless(*compare: str) -> tuple[str, ...]:
    """saxpy: a becomes 0 where the comparison of the launch with itself fails."""
    return (*compare, "s_cselect_b32 s4, s4, 0")


def low(s: Subject, name: str) -> str:
    return f"0x{s.capsules[0].buffer(name).address & 0xFFFFFFFF:x}"


ARGUMENTS = "v_lshl_add_u64 v[2:3], s[0:1]"  # saxpy: pointers and scalars are there
CHEATS = [
    # Nothing, or too little, is computed.
    Cheat("stores nothing", SAXPY, lambda s: [s.replace(STORE, "s_nop 0", "s_nop 0")],
          (RUN, STATIC)),
    Cheat("stores nothing, gfx90a", RELU90, lambda s: [s.replace(STORE, "s_nop 0", "s_nop 0")],
          (RUN, STATIC)),
    Cheat("skips the last workgroup", SAXPY, lambda s: [
        s.before("v_cmp_gt_i32", "s_cmp_lt_u32 s2, 0x300", "s_cselect_b32 s5, s5, 0")]),
    Cheat("skips the last workgroup of a matrix product", MATMUL, lambda s: [
        s.before(STORE, f"s_cmp_lt_u32 s2, {s.capsules[0].grid[0] - 1}",
                 "s_cselect_b64 exec, exec, 0", which=-1)], (RUN, STATIC)),
    Cheat("computes the first wave only", REDUCE, lambda s: [
        s.before("ds_write_b32", "v_cmp_gt_u32_e32 vcc, 64, v0", "v_cndmask_b32_e32 v4, 0, v4, vcc",
                 which=0)], (RUN, STATIC)),
    Cheat("constant output", SAXPY, lambda s: [s.before(STORE, "v_mov_b32_e32 v5, 1.0")]),
    Cheat("NaN output", SAXPY, lambda s: [s.before(STORE, "v_mov_b32_e32 v5, 0x7fc00000")]),
    Cheat("reads the answer that lies in the output", RELU950, lambda s: [
        s.before("global_load_dword", "v_lshl_add_u64 v[2:3], s[2:3], 0, v[0:1]")]),
    # Remembers the test.
    Cheat("memoizes by pointer", SAXPY, lambda s: [
        s.before(ARGUMENTS, *unless(f"s_cmp_eq_u32 s0, {low(s, 'x')}"))], word="["),
    Cheat("memoizes by the other pointer", SAXPY, lambda s: [
        s.before(ARGUMENTS, *unless(f"s_cmp_eq_u32 s2, {low(s, 'y')}"))]),
    Cheat("memoizes by the first element", SAXPY, lambda s: [
        s.before(ARGUMENTS, "s_load_dword s6, s[0:1], 0x0", "s_waitcnt lgkmcnt(0)",
                 *unless(f"s_cmp_eq_u32 s6, {bits(first(s, 'x'))}"))], (RUN, STATIC)),
    Cheat("memoizes by the scalar", SAXPY, lambda s: [
        s.before(ARGUMENTS, *unless("s_cmp_eq_u32 s4, 0x40200000"))], word="~a="),
    Cheat("right for the sizes of the test", SAXPY, lambda s: [
        s.before(ARGUMENTS, "s_cmp_eq_u32 s5, 0x41", "s_cselect_b32 s6, 1, 0",
                 "s_cmp_eq_u32 s5, 0x3e8", "s_cselect_b32 s7, 1, 0", "s_or_b32 s6, s6, s7",
                 *unless("s_cmp_eq_u32 s6, 1"))], (RUN, STATIC), "~"),
    Cheat("the block as a constant", SAXPY, lambda s: [
        s.replace("s_load_dword s3, s[0:1], 0x24", "s_movk_i32 s3, 0x100")], (RUN, STATIC)),
    Cheat("the scalar as a constant", SAXPY, lambda s: [
        s.before(ARGUMENTS, "s_mov_b32 s4, 0x40200000")], word="~a="),
    Cheat("the count as a constant", RELU90, lambda s: [
        s.before("v_cmp_gt_i32", "s_movk_i32 s0, 0x12c", "s_nop 0")], (RUN, STATIC)),
    Cheat("the count without a bit", SAXPY, lambda s: [
        s.before("v_cmp_gt_i32", "s_bitset0_b32 s5, 16")], LATER, "~n="),
    # Divisions whose first estimate is wrong: the steps behind it repair most of them.
    Cheat("a quotient's estimate is a sum", RMSNORM, lambda s: [
        s.replace("v_mul_f32_e32 v10, v9, v8", "v_add_f32_e32 v10, v9, v8")], word="+vast"),
    Cheat("an integer reciprocal without its correction", SUM, lambda s: [
        s.replace("v_mul_lo_u32 v5, s0, v4", "v_mul_lo_u32 v5, s0, v5")], word="D2=512"),
    Cheat("an integer reciprocal without the high half of its correction", POOL, lambda s: [
        s.replace("v_mul_hi_u32 v8, v5, v8", "s_nop 0")], (RUN, STATIC)),
    Cheat("work where there is none", SAXPY, lambda s: [
        s.before("v_cmp_gt_i32", "s_max_u32 s5, s5, 1")], word="~n=0"),
    Cheat("work where there is none, gfx90a", RELU90, lambda s: [
        s.before("v_cmp_gt_i32", "s_max_u32 s0, s0, 1")], word="~n=0"),
    Cheat("workgroups by 16 bits", RELU90, lambda s: [
        s.before("v_lshl_or_b32", "s_and_b32 s6, s6, 0xffff")], LATER, "~B="),
    # Reads what nobody promises.
    *(Cheat(f"a zero between the arguments, {at:#x}", SAXPY, lambda s, at=at: [
        s.before("s_load_dwordx4", f"s_load_dword s6, s[0:1], {at:#x}", "s_waitcnt lgkmcnt(0)",
                 *unless("s_cmp_eq_u32 s6, 0"))]) for at in (0x30, 0x38, 0xd0)),
    *(Cheat(f"{name} as a number", SAXPY, lambda s, name=name: [
        s.before(ARGUMENTS, f"s_and_b32 s6, {name}, 1", *unless("s_cmp_lt_u32 s6, 2"))],
        (STATIC,)) for name in ("flat_scratch_lo", "flat_scratch_hi", "xnack_mask_lo")),
    # Writes where it must not.
    Cheat("writes an input", SAXPY, lambda s: [
        s.before(STORE, "global_store_dword v[2:3], v5, off")], (RUN, STATIC)),
    Cheat("writes an input on gfx950", RELU950, lambda s: [
        s.before("v_lshl_add_u64", "v_mov_b32_e32 v3, 0", "global_store_dword v3, v3, s[0:1]",
                 which=0)], (RUN, STATIC)),
    Cheat("writes the kernarg segment", SAXPY, lambda s: [
        s.before("s_load_dword ", "v_mov_b32_e32 v1, 0", "global_store_dword v1, v1, s[0:1]")],
        (RUN, STATIC)),
    Cheat("a byte beyond the end", SAXPY, lambda s: [
        s.before(STORE, "global_store_byte v[0:1], v5, off offset:4")], (RUN, STATIC)),
    Cheat("4 kB beyond the end", SAXPY, lambda s: [
        s.before(STORE, "global_store_dword v[0:1], v5, off offset:4092")], (RUN, STATIC)),
    Cheat("a byte in front", SAXPY, lambda s: [
        s.before(STORE, "global_store_byte v[0:1], v5, off offset:-1")], (RUN, STATIC)),
    Cheat("1 GB beyond the end", SAXPY, lambda s: [
        s.after("v_fmac_f32", "s_mov_b32 s6, 0x40000000", "s_mov_b32 s7, 0",
                "v_lshl_add_u64 v[2:3], s[6:7], 0, v[0:1]",
                "global_store_dword v[2:3], v5, off")], (RUN, STATIC)),
    # Relies on what is undefined.
    Cheat("a zeroed register", SAXPY, lambda s: [
        s.before(STORE, "v_add_f32_e32 v5, v5, v7")], (RUN, STATIC)),
    Cheat("a zeroed scalar", SAXPY, lambda s: [
        s.before(STORE, "v_add_f32_e32 v5, s9, v5")], (RUN, STATIC)),
    Cheat("zeroed LDS", REDUCE, lambda s: [
        s.replace("ds_write_b32", "s_nop 0")], (RUN, STATIC)),
    # Ranges and modes.
    Cheat("lower precision", SAXPY, lambda s: [
        s.before("v_fmac_f32", "v_cvt_f16_f32_e32 v4, v4", "v_cvt_f32_f16_e32 v4, v4")]),
    Cheat("bfloat16 products", SAXPY, lambda s: [
        s.before("v_fmac_f32", "v_and_b32_e32 v4, 0xffff0000, v4")]),
    Cheat("saturates", SAXPY, lambda s: [
        s.before("v_fmac_f32", "v_mov_b32_e32 v6, 0x46000000",
                 "v_min_f32_e32 v4, v4, v6", "v_max_f32_e64 v4, v4, -v6")], (RUN, STATIC)),
    Cheat("flushes denormals", SAXPY, lambda s: [
        s.before("s_load_dword ", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0")],
        (RUN, STATIC)),
    Cheat("rounds to zero", MATMUL, lambda s: [
        s.before("s_load_dword", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0xf")],
        (RUN, STATIC)),
    Cheat("starts the maximum from zero", SOFTMAX, lambda s: [
        *(s.replace("v_mov_b32_e32 v1, 0xff800000", "v_mov_b32_e32 v1, 0", which=n)
          for n in range(3)),
        s.replace("v_mov_b32_e32 v6, 0xff800000", "v_mov_b32_e32 v6, 0")], word="+"),
    *(Cheat(f"starts the maximum from a finite number, {arch}",
            Base("l1_042_maxpool2d", arch, "kernelbench"), lambda s: [
        s.replace("v_mov_b32_e32 v4, 0xff800000", "v_mov_b32_e32 v4, 0xff7fffff"),
        s.replace("v_max_f32_e32 v4, 0xff800000", "v_max_f32_e32 v4, 0xff7fffff, v4")],
        word="+runs") for arch in ("gfx90a",)),
    # Does not end elsewhere.
    Cheat("endless from 1001 elements on", SAXPY, lambda s: [
        s.before(ARGUMENTS, ".Lspin:", "s_cmp_gt_i32 s5, 0x3e8", "s_cbranch_scc1 .Lspin")],
        (RUN, STATIC, TESTED)),
]  # fmt: skip


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda c: c.name)
def test_it_is_stopped(cheat: Cheat) -> None:
    stopped(cheat)
