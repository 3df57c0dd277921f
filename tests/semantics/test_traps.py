"""The traps of gfx9 arithmetic, each with values worked out by hand.

A row is: the trap's feature as `facts/semantics_traps.md` names it, the instruction, the
registers before and the registers after. These expectations come from the documents, not from an
evaluator, so they also guard the second opinion.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from asmevo.isa.instruction import Instruction
from asmevo.isa.llvm import assembler
from asmevo.isa.target import Target
from opinion import bench
from opinion.softfloat import Mode
from opinion.wave import Wave

FULL = (1 << 64) - 1
KEEP = Mode()
FLUSH = Mode(denorm_32=0)


class Row(NamedTuple):
    """One expectation."""

    trap: str
    text: str
    before: dict[str, int]
    after: dict[str, int]
    mode: Mode = KEEP
    arch: str = "gfx942"


SCALAR = [
    Row(
        "s_bfe_u32/i32/u64/i64",
        "s_bfe_u32 s0, s1, s2",
        {"s1": 0xF0, "s2": 0x40004, "scc": 0},
        {"s0": 0xF, "scc": 1},
    ),
    Row(
        "s_bfe_u32/i32/u64/i64",
        "s_bfe_u32 s0, s1, s2",
        {"s1": 0xF, "s2": 0x40004, "scc": 1},
        {"s0": 0, "scc": 0},
    ),
    Row(
        "s_bfe width",
        "s_bfe_u32 s0, s1, s2",
        {"s1": 0x12345678, "s2": 0x200000},
        {"s0": 0x12345678, "scc": 1},
    ),
    Row(
        "s_bfe width",
        "s_bfe_u32 s0, s1, s2",
        {"s1": 0x12345678, "s2": 0x7F0004},
        {"s0": 0x01234567},
    ),
    Row(
        "s_bfe width",
        "s_bfe_i32 s0, s1, s2",
        {"s1": 0x80, "s2": 0x80000},
        {"s0": 0xFFFFFF80, "scc": 1},
    ),
    Row("s_bfe width", "s_bfe_i32 s0, s1, s2", {"s1": 0xFFFFFFFF, "s2": 0}, {"s0": 0, "scc": 0}),
    Row(
        "s_bfe width",
        "s_bfe_u64 s[0:1], s[2:3], s4",
        {"s[2:3]": 1 << 63, "s4": 0x7F003F},
        {"s[0:1]": 1},
    ),
    Row("v_bfe_u32/i32 width", "v_bfe_u32 v0, v1, 0, v2", {"v1": 0xFFFFFFFF, "v2": 32}, {"v0": 0}),
    Row(
        "v_bfe_u32/i32 width", "v_bfe_i32 v0, v1, 4, v2", {"v1": 0x80, "v2": 4}, {"v0": 0xFFFFFFF8}
    ),
    Row(
        "s_bfm_b32/b64",
        "s_bfm_b32 s0, s1, s2",
        {"s1": 4, "s2": 8, "scc": 0},
        {"s0": 0xF00, "scc": 0},
    ),
    Row(
        "s_bfm_b32/b64", "s_bfm_b32 s0, s1, s2", {"s1": 32, "s2": 0, "scc": 1}, {"s0": 0, "scc": 1}
    ),
    Row("s_bfm_b32/b64", "s_bfm_b64 s[0:1], s2, s3", {"s2": 63, "s3": 65}, {"s[0:1]": FULL - 1}),
    Row(
        "s_bcnt0/1_i32_b64",
        "s_bcnt1_i32_b64 s0, s[2:3]",
        {"s[2:3]": FULL, "s1": 77},
        {"s0": 64, "s1": 77, "scc": 1},
    ),
    Row(
        "s_bcnt0/1_i32_b64",
        "s_bcnt0_i32_b64 s0, s[2:3]",
        {"s[2:3]": FULL, "s1": 77},
        {"s0": 0, "s1": 77, "scc": 0},
    ),
    Row(
        "s_ff1/ff0/flbit of zero",
        "s_ff1_i32_b64 s0, s[2:3]",
        {"s[2:3]": 0, "scc": 1},
        {"s0": 0xFFFFFFFF, "scc": 1},
    ),
    Row("s_ff1/ff0/flbit of zero", "s_ff0_i32_b32 s0, s1", {"s1": 0xFFFFFFFF}, {"s0": 0xFFFFFFFF}),
    Row("s_ff1/ff0/flbit of zero", "s_flbit_i32 s0, s1", {"s1": 0xFFFFFFFF}, {"s0": 0xFFFFFFFF}),
    Row("s_ff1/ff0/flbit of zero", "s_flbit_i32 s0, s1", {"s1": 0xFFFF0000}, {"s0": 16}),
    Row(
        "s_addc/s_subb/s_addk/s_cmovk order",
        "s_addc_u32 s0, s1, s2",
        {"s1": 0xFFFFFFFF, "s2": 0, "scc": 1},
        {"s0": 0, "scc": 1},
    ),
    Row(
        "s_addc/s_subb/s_addk/s_cmovk order",
        "s_subb_u32 s0, s1, s2",
        {"s1": 0, "s2": 0, "scc": 1},
        {"s0": 0xFFFFFFFF, "scc": 1},
    ),
    Row(
        "s_addc/s_subb/s_addk/s_cmovk order",
        "s_addk_i32 s0, 0x7fff",
        {"s0": 0x7FFFFFFF},
        {"s0": 0x80007FFE, "scc": 1},
    ),
    Row(
        "s_addc/s_subb/s_addk/s_cmovk order",
        "s_addk_i32 s0, 0xffff",
        {"s0": 0x80000000},
        {"s0": 0x7FFFFFFF, "scc": 1},
    ),
    Row(
        "s_sub_i32/s_add_i32",
        "s_sub_i32 s0, s1, s2",
        {"s1": 0, "s2": 1, "scc": 1},
        {"s0": 0xFFFFFFFF, "scc": 0},
    ),
    Row(
        "s_sub_i32/s_add_i32",
        "s_sub_u32 s0, s1, s2",
        {"s1": 0, "s2": 1, "scc": 0},
        {"s0": 0xFFFFFFFF, "scc": 1},
    ),
    Row(
        "s_sub_i32/s_add_i32",
        "s_add_i32 s0, s1, s2",
        {"s1": 0x7FFFFFFF, "s2": 1},
        {"s0": 0x80000000, "scc": 1},
    ),
    Row(
        "s_min/s_max SCC at equality",
        "s_min_i32 s0, s1, s2",
        {"s1": 5, "s2": 5, "scc": 1},
        {"s0": 5, "scc": 0},
    ),
    Row(
        "s_min/s_max SCC at equality",
        "s_max_u32 s0, s1, s2",
        {"s1": 5, "s2": 5, "scc": 0},
        {"s0": 5, "scc": 1},
    ),
    Row(
        "s_abs_i32, s_absdiff_i32",
        "s_abs_i32 s0, s1",
        {"s1": 0x80000000},
        {"s0": 0x80000000, "scc": 1},
    ),
    Row(
        "s_abs_i32, s_absdiff_i32",
        "s_absdiff_i32 s0, s1, s2",
        {"s1": 0x80000000, "s2": 1},
        {"s0": 0x7FFFFFFF, "scc": 1},
    ),
    Row(
        "s_mul_i32, s_mul_hi",
        "s_mul_i32 s0, s1, s2",
        {"s1": 0, "s2": 3, "scc": 1},
        {"s0": 0, "scc": 1},
    ),
    Row(
        "s_mul_i32, s_mul_hi",
        "s_pack_ll_b32_b16 s0, s1, s2",
        {"s1": 0x1111AAAA, "s2": 0x2222BBBB, "scc": 1},
        {"s0": 0xBBBBAAAA, "scc": 1},
    ),
    Row(
        "s_mul_i32, s_mul_hi",
        "s_lshl2_add_u32 s0, s1, s2",
        {"s1": 0x40000000, "s2": 0},
        {"s0": 0, "scc": 1},
    ),
    Row(
        "s_mul_i32, s_mul_hi", "s_not_b32 s0, s1", {"s1": 0xFFFFFFFF, "scc": 1}, {"s0": 0, "scc": 0}
    ),
    Row("s_bitset0/1 position", "s_bitset1_b32 s0, s1", {"s0": 0xF0, "s1": 33}, {"s0": 0xF2}),
    Row(
        "s_bitset0/1 position",
        "s_bitset0_b64 s[0:1], s2",
        {"s[0:1]": FULL, "s2": 127},
        {"s[0:1]": FULL >> 1},
    ),
    Row("s_cmpk_*_i32 vs _u32", "s_cmpk_eq_i32 s0, 0xffff", {"s0": 0xFFFFFFFF}, {"scc": 1}),
    Row("s_cmpk_*_i32 vs _u32", "s_cmpk_eq_u32 s0, 0xffff", {"s0": 0xFFFF}, {"scc": 1}),
    Row("s_cmpk_*_i32 vs _u32", "s_movk_i32 s0, 0x8000", {}, {"s0": 0xFFFF8000}),
    Row("s_cmpk_*_i32 vs _u32", "s_mulk_i32 s0, 0xfffe", {"s0": 3}, {"s0": 0xFFFFFFFA}),
    Row(
        "s_*_saveexec",
        "s_andn1_saveexec_b64 s[0:1], s[2:3]",
        {"s[2:3]": 0xF0, "exec": 0xFF},
        {"s[0:1]": 0xFF, "exec": 0x0F, "scc": 1},
    ),
    Row(
        "s_*_saveexec",
        "s_andn2_saveexec_b64 s[0:1], s[2:3]",
        {"s[2:3]": 0xF0, "exec": 0xFF},
        {"s[0:1]": 0xFF, "exec": 0, "scc": 0},
    ),
    Row(
        "s_*_saveexec",
        "s_andn2_wrexec_b64 s[0:1], s[2:3]",
        {"s[2:3]": 0xF0F, "exec": 0xFF},
        {"s[0:1]": 0xF00, "exec": 0xF00, "scc": 1},
    ),
    Row(
        "s_*_saveexec",
        "s_and_saveexec_b64 s[0:1], s[0:1]",
        {"s[0:1]": 0x3C, "exec": 0xFF},
        {"s[0:1]": 0xFF, "exec": 0x3C},
    ),
]

OPERANDS = [
    Row("251/252/253", "s_add_u32 s0, src_scc, s1", {"scc": 1, "s1": 4}, {"s0": 5}),
    Row("1/(2*pi) inline (248)", "v_mov_b32 v0, 0.15915494", {}, {"v0": 0x3E22F983}),
    Row("1/(2*pi) inline (248)", "v_add_f16 v0, 0.15915494, v1", {"v1": 0}, {"v0": 0x3118}),
    Row(
        "1/(2*pi) inline (248)",
        "v_add_f64 v[0:1], 0.15915494309189532, v[2:3]",
        {"v[2:3]": 0},
        {"v[0:1]": 0x3FC45F306DC9C882},
    ),
    Row(
        "Float inline constants, 64-bit op",
        "s_mov_b64 s[0:1], 1.0",
        {},
        {"s[0:1]": 0x3FF0000000000000},
    ),
    Row("Integer inline, 64-bit op", "s_mov_b64 s[0:1], -2", {}, {"s[0:1]": FULL - 1}),
    Row("32-bit literal, 64-bit op", "s_mov_b64 s[0:1], 0x80000001", {}, {"s[0:1]": 0x80000001}),
    Row("Literal for 16-bit op", "v_add_u16 v0, 0x1234, v1", {"v1": 1}, {"v0": 0x1235}),
    Row("Float inline, 16-bit op", "v_add_f16 v0, 1.0, v1", {"v1": 0x3C00}, {"v0": 0x4000}),
    Row("Float inline, 16-bit op", "v_lshlrev_b16 v0, 0, 1.0", {}, {"v0": 0x3C00}),
    Row(
        "Float inline, packed f16 op",
        "v_pk_add_f16 v0, v1, 1.0",
        {"v1": 0x3C003C00},
        {"v0": 0x3C004000},
    ),
    Row(
        "Float inline, packed f16 op",
        "v_pk_add_f16 v0, v1, 1.0 op_sel_hi:[1,0]",
        {"v1": 0x3C003C00},
        {"v0": 0x40004000},
    ),
    Row(
        "Float inline, packed f16 op",
        "v_pk_add_u16 v0, v1, -1",
        {"v1": 0x00020002},
        {"v0": 0x00010001},
    ),
]

VECTOR = [
    Row(
        "v_cmp (any form) inactive lanes",
        "v_cmp_eq_u32 vcc, v0, v1",
        {"v0": 3, "v1": 3, "exec": 0xF0, "vcc": FULL},
        {"vcc": 0xF0, "exec": 0xF0},
    ),
    Row(
        "Carry-out (v_add_co",
        "v_add_co_u32 v0, vcc, v1, v2",
        {"v1": 0xFFFFFFFF, "v2": 1, "exec": 0xF0, "vcc": 0xFFFF0F},
        {"vcc": 0xF0},
    ),
    Row(
        "addc source/dest overlap",
        "v_addc_co_u32 v1, vcc, v1, v2, vcc",
        {"v1": 0xFFFFFFFF, "v2": 0, "vcc": FULL},
        {"v1": 0, "vcc": FULL},
    ),
    Row(
        "v_cmpx",
        "v_cmpx_eq_u32 vcc, v0, v1",
        {"v0": 3, "v1": 3, "exec": 0xF0, "vcc": 0},
        {"vcc": 0xF0, "exec": 0xF0},
    ),
    Row(
        "v_cmp VOP3 clamp bit",
        "v_cmp_lt_f32 s[4:5], v0, v1 clamp",
        {"v0": 0, "v1": 0x3F800000},
        {"s[4:5]": FULL},
    ),
    Row("v_cmp n-forms", "v_cmp_nlt_f32 vcc, v0, v1", {"v0": 0x7FC00000, "v1": 0}, {"vcc": FULL}),
    Row("v_cmp n-forms", "v_cmp_lg_f32 vcc, v0, v1", {"v0": 0x7FC00000, "v1": 0}, {"vcc": 0}),
    Row("v_cmp n-forms", "v_cmp_neq_f32 vcc, v0, v1", {"v0": 0x7FC00000, "v1": 0}, {"vcc": FULL}),
    Row("v_cmp and denormals", "v_cmp_gt_f32 vcc, v0, v1", {"v0": 1, "v1": 0}, {"vcc": 0}, FLUSH),
    Row(
        "v_cmp and denormals",
        "v_cmp_class_f32 vcc, v0, v1",
        {"v0": 1, "v1": 1 << 7},
        {"vcc": FULL},
        FLUSH,
    ),
    Row("v_cmp_class", "v_cmp_class_f32 vcc, v0, v1", {"v0": 0x7F800001, "v1": 1}, {"vcc": FULL}),
    Row("v_cmp_class", "v_cmp_class_f32 vcc, v0, v1", {"v0": 0x7FC00000, "v1": 1}, {"vcc": 0}),
    Row(
        "v_cndmask",
        "v_cndmask_b32_e64 v0, -v1, |v2|, s[4:5]",
        {"v1": 1, "v2": 0x80000002, "s[4:5]": 1},
        {"v0": 2},
    ),
    Row("v_mbcnt_lo/hi", "v_mbcnt_lo_u32_b32 v0, s4, 5", {"s4": 0xFFFFFFFF, "exec": 1}, {"v0": 5}),
    Row("v_sad_u32", "v_sad_u32 v0, v1, v2, v3", {"v1": 0, "v2": 0xFFFFFFFF, "v3": 1}, {"v0": 0}),
    Row("v_bcnt_u32_b32", "v_bcnt_u32_b32 v0, v1, v2", {"v1": 0xFF, "v2": 100}, {"v0": 108}),
    Row(
        "v_alignbyte_b32",
        "v_alignbyte_b32 v0, v1, v2, v3",
        {"v1": 0x11223344, "v2": 0x55667788, "v3": 5},
        {"v0": 0x44556677},
    ),
    Row(
        "v_alignbyte_b32",
        "v_alignbit_b32 v0, v1, v2, v3",
        {"v1": 0x11223344, "v2": 0x55667788, "v3": 32},
        {"v0": 0x55667788},
    ),
    Row(
        "v_perm_b32",
        "v_perm_b32 v0, v1, v2, v3",
        {"v1": 0x44332211, "v2": 0x88776655, "v3": 0x03020100},
        {"v0": 0x88776655},
    ),
    Row(
        "v_perm_b32",
        "v_perm_b32 v0, v1, v2, v3",
        {"v1": 0x44332211, "v2": 0x88776655, "v3": 0x07060504},
        {"v0": 0x44332211},
    ),
    Row(
        "v_perm_b32",
        "v_perm_b32 v0, v1, v2, v3",
        {"v1": 0x80008000, "v2": 0, "v3": 0x0B0A0C0D},
        {"v0": 0xFFFF00FF},
    ),
    Row(
        "v_msad_u8, mqsad",
        "v_msad_u8 v0, v1, v2, v3",
        {"v1": 0x09090909, "v2": 0x00010001, "v3": 0},
        {"v0": 16},
    ),
    Row(
        "v_lerp_u8",
        "v_lerp_u8 v0, v1, v2, v3",
        {"v1": 0xFFFF01FF, "v2": 0xFFFF02FF, "v3": 0x01000001},
        {"v0": 0xFFFF01FF},
    ),
    Row(
        "v_mul_i24/u24, mad_*24",
        "v_mul_i32_i24 v0, v1, v2",
        {"v1": 0xFF800000, "v2": 2},
        {"v0": 0xFF000000},
    ),
    Row(
        "v_mul_i24/u24, mad_*24",
        "v_mul_hi_i32_i24 v0, v1, v2",
        {"v1": 0x800000, "v2": 1},
        {"v0": 0xFFFFFFFF},
    ),
    Row(
        "v_mul_i24/u24, mad_*24",
        "v_mul_u32_u24 v0, v1, v2",
        {"v1": 0xFFFFFFFF, "v2": 0xFF000002},
        {"v0": 0x01FFFFFE},
    ),
    Row("Shift counts", "v_lshlrev_b32 v0, v1, v2", {"v1": 32, "v2": 5}, {"v0": 5}),
    Row("Shift counts", "v_lshrrev_b64 v[0:1], v2, v[4:5]", {"v2": 64, "v[4:5]": 9}, {"v[0:1]": 9}),
    Row("Shift counts", "v_lshlrev_b16 v0, v1, v2", {"v1": 17, "v2": 3}, {"v0": 6}),
    Row(
        "Shift counts",
        "v_pk_lshlrev_b16 v0, v1, v2",
        {"v1": 0x00110002, "v2": 0x00030003},
        {"v0": 0x0006000C},
    ),
    Row(
        "v_mad_u64_u32 / i64_i32",
        "v_mad_u64_u32 v[0:1], s[4:5], v2, v3, v[6:7]",
        {"v2": 0xFFFFFFFF, "v3": 0xFFFFFFFF, "v[6:7]": FULL},
        {"v[0:1]": 0xFFFFFFFE00000000, "s[4:5]": FULL},
    ),
    Row(
        "v_mul_lo_u16, mad_u16 etc.",
        "v_mul_lo_u16 v0, v1, v2",
        {"v1": 0xFFFF, "v2": 0xFFFF},
        {"v0": 1},
    ),
    Row(
        "Integer CLAMP (VOP3)",
        "v_add_u32_e64 v0, v1, v2 clamp",
        {"v1": 0xFFFFFFFF, "v2": 1},
        {"v0": 0xFFFFFFFF},
    ),
    Row("Integer CLAMP (VOP3)", "v_sub_u32_e64 v0, v1, v2 clamp", {"v1": 0, "v2": 1}, {"v0": 0}),
    Row(
        "Integer CLAMP (VOP3)",
        "v_add_i16 v0, v1, v2 clamp",
        {"v1": 0x7FFF, "v2": 1},
        {"v0": 0x7FFF},
    ),
    Row(
        "v_cvt_pk_u16_u32 / i16_i32",
        "v_cvt_pk_u16_u32 v0, v1, v2",
        {"v1": 0x10000, "v2": 5},
        {"v0": 0x0005FFFF},
    ),
    Row(
        "v_cvt_pk_u16_u32 / i16_i32",
        "v_cvt_pk_i16_i32 v0, v1, v2",
        {"v1": 0x80000000, "v2": 0x7FFFFFFF},
        {"v0": 0x7FFF8000},
    ),
    Row(
        "v_sat_pk_u8_i16",
        "v_ashr_pk_i8_i32 v0, v1, v2, v3",
        {"v1": 0x7FFFFFFF, "v2": 0x80000000, "v3": 33, "v0": 0},
        {"v0": 0x807F},
        KEEP,
        "gfx950",
    ),
    Row(
        "v_bitop3",
        "v_bitop3_b32 v0, v1, v2, v3 bitop3:0xca",
        {"v1": 0xF0F0, "v2": 0xFF00, "v3": 0x00FF},
        {"v0": 0xF00F},
        KEEP,
        "gfx950",
    ),
    Row("v_prng_b32", "v_prng_b32 v0, v1", {"v1": 0x80000001}, {"v0": 0xC7}, KEEP, "gfx950"),
    Row(
        "v_dot2c/dot4c vdst",
        "v_dot4c_i32_i8 v0, v1, v2",
        {"v0": 10, "v1": 0x01010101, "v2": 0x02020202},
        {"v0": 18},
    ),
]

HALVES = [
    Row(
        "Unwritten half, GFX9 VALU",
        "v_add_f16 v0, v1, v2",
        {"v0": 0xAAAAAAAA, "v1": 0x3C00, "v2": 0x3C00},
        {"v0": 0x4000},
    ),
    Row(
        "Unwritten half, GFX9 VALU",
        "v_fma_f16 v0, v1, v2, v3",
        {"v0": 0xAAAAAAAA, "v1": 0x3C00, "v2": 0x3C00, "v3": 0},
        {"v0": 0xAAAA3C00},
    ),
    Row(
        "Unwritten half, GFX9 VALU",
        "v_cvt_f16_f32 v0, v1",
        {"v0": 0xAAAAAAAA, "v1": 0x3F800000},
        {"v0": 0x3C00},
    ),
    Row(
        "Legacy vs new opcode",
        "v_mad_legacy_u16 v0, v1, v2, v3",
        {"v0": 0xAAAAAAAA, "v1": 2, "v2": 3, "v3": 1},
        {"v0": 7},
    ),
    Row(
        "Legacy vs new opcode",
        "v_mad_u16 v0, v1, v2, v3",
        {"v0": 0xAAAAAAAA, "v1": 2, "v2": 3, "v3": 1},
        {"v0": 0xAAAA0007},
    ),
    Row(
        "op_sel[3] on VOP3 16-bit",
        "v_fma_f16 v0, v1, 1.0, v2 op_sel:[1,0,0,1]",
        {"v0": 0xAAAAAAAA, "v1": 0x40000000, "v2": 0x3C00},
        {"v0": 0x4200AAAA},
    ),
    Row(
        "v_mad_mixlo/mixhi_f16",
        "v_fma_mixhi_f16 v0, v1, v2, v3",
        {"v0": 0xAAAAAAAA, "v1": 0x3F800000, "v2": 0x3F800000, "v3": 0},
        {"v0": 0x3C00AAAA},
    ),
    Row(
        "v_cvt_pk_fp8/bf8_f32",
        "v_cvt_pk_fp8_f32 v0, v1, v2 op_sel:[0,0,1]",
        {"v0": 0xAAAAAAAA, "v1": 0x3F800000, "v2": 0x40000000},
        {"v0": 0x4840AAAA},
    ),
    Row(
        "packed (VOP3P) 16-bit results",
        "v_pk_add_u16 v0, v1, v2",
        {"v0": 0xAAAAAAAA, "v1": 1, "v2": 2},
        {"v0": 3},
    ),
]

FLOAT = [
    Row(
        "v_mad_f16, v_mad_mix",
        "v_fma_mix_f32 v0, v1, v2, v3",
        {"v1": 0x3F800001, "v2": 0x3F800001, "v3": 0xBF800002},
        {"v0": 0x28800000},
    ),
    Row(
        "mix operand modifiers",
        "v_fma_mix_f32 v0, v1, |v2|, v3 op_sel_hi:[0,1,0]",
        {"v1": 0x3F800000, "v2": 0xC000, "v3": 0},
        {"v0": 0x40000000},
    ),
    Row(
        "v_mul_legacy / fma_legacy",
        "v_mul_legacy_f32 v0, v1, v2",
        {"v1": 0x80000000, "v2": 0x7F800000},
        {"v0": 0},
    ),
    Row(
        "NaN results",
        "v_add_f32 v0, v1, v2",
        {"v1": 0x7F800001, "v2": 0x7FC00002},
        {"v0": 0x7FC00001},
    ),
    Row("NaN results", "v_mul_f32 v0, v1, v2", {"v1": 0x7F800000, "v2": 0}, {"v0": 0xFFC00000}),
    Row(
        "NaN results",
        "v_fma_f32 v0, v1, v2, v3",
        {"v1": 0x7F800000, "v2": 0, "v3": 0x7FC00123},
        {"v0": 0xFFC00000},
    ),
    Row(
        "fcanonicalize (v_max x,x)", "v_max_f32 v0, v1, v1", {"v1": 0xFF800005}, {"v0": 0xFFC00005}
    ),
    Row("Zero sign", "v_sub_f32 v0, v1, v1", {"v1": 0x3F800000}, {"v0": 0}),
    Row(
        "Zero sign",
        "v_add_f32 v0, v1, v2",
        {"v1": 0x80000000, "v2": 0x80000000},
        {"v0": 0x80000000},
    ),
    Row("FP_DENORM split", "v_add_f16 v0, v1, v2", {"v1": 1, "v2": 1}, {"v0": 2}, FLUSH),
    Row("FP_DENORM split", "v_add_f32 v0, v1, v2", {"v1": 1, "v2": 1}, {"v0": 0}, FLUSH),
    Row("FP_DENORM split", "v_cvt_f32_f16 v0, v1", {"v1": 1}, {"v0": 0x33800000}, FLUSH),
    Row("CLAMP float", "v_add_f32_e64 v0, v1, v2 clamp", {"v1": 0x7FC00000, "v2": 0}, {"v0": 0}),
    Row(
        "CLAMP float",
        "v_add_f32_e64 v0, v1, v2 clamp",
        {"v1": 0x7FC00000, "v2": 0},
        {"v0": 0x7FC00000},
        Mode(dx10_clamp=False),
    ),
    Row(
        "CLAMP float",
        "v_mul_f32_e64 v0, v1, v2 clamp",
        {"v1": 0x80000000, "v2": 0x3F800000},
        {"v0": 0},
    ),
    Row("OMOD", "v_add_f32_e64 v0, v1, v2 mul:2", {"v1": 0x3F800000, "v2": 0}, {"v0": 0x3F800000}),
    Row(
        "OMOD",
        "v_add_f32_e64 v0, v1, v2 mul:2",
        {"v1": 0x3F800000, "v2": 0},
        {"v0": 0x40000000},
        Mode(denorm_32=0, ieee=False),
    ),
    Row(
        "v_min/max_f32 zeros",
        "v_min_f32 v0, v1, v2",
        {"v1": 0, "v2": 0x80000000},
        {"v0": 0x80000000},
    ),
    Row("v_min/max_f32 zeros", "v_max_f32 v0, v1, v2", {"v1": 0x80000000, "v2": 0}, {"v0": 0}),
    Row(
        "v_min/max NaN, IEEE=1",
        "v_min_f32 v0, v1, v2",
        {"v1": 0x3F800000, "v2": 0x7F800001},
        {"v0": 0x7FC00001},
    ),
    Row(
        "v_min/max NaN, IEEE=1",
        "v_min_f32 v0, v1, v2",
        {"v1": 0x3F800000, "v2": 0x7FC00001},
        {"v0": 0x3F800000},
    ),
    Row(
        "v_min/max NaN, IEEE=1",
        "v_min_f32 v0, v1, v2",
        {"v1": 0x3F800000, "v2": 0x7F800001},
        {"v0": 0x3F800000},
        Mode(ieee=False),
    ),
    Row(
        "v_min/max both NaN",
        "v_max_f32 v0, v1, v2",
        {"v1": 0x7FC00001, "v2": 0x7FC00002},
        {"v0": 0x7FC00002},
    ),
    Row(
        "v_med3_f32 NaN",
        "v_med3_f32 v0, v1, v2, v3",
        {"v1": 0x7FC00000, "v2": 0x40000000, "v3": 0x3F800000},
        {"v0": 0x3F800000},
    ),
    Row(
        "v_med3 zeros",
        "v_med3_f32 v0, v1, v2, v3",
        {"v1": 0x80000000, "v2": 0, "v3": 0x80000000},
        {"v0": 0x80000000},
    ),
    Row(
        "v_pk_*_f32",
        "v_pk_add_f32 v[0:1], v[2:3], v[4:5] op_sel:[1,0] op_sel_hi:[0,1]",
        {"v[2:3]": 0x400000003F800000, "v[4:5]": 0},
        {"v[0:1]": 0x3F80000040000000},
    ),
]

CONVERSIONS = [
    Row("v_cvt_i32/u32_f32, _f64", "v_cvt_i32_f32 v0, v1", {"v1": 0x7FC00000}, {"v0": 0}),
    Row("v_cvt_i32/u32_f32, _f64", "v_cvt_i32_f32 v0, v1", {"v1": 0x7F800000}, {"v0": 0x7FFFFFFF}),
    Row("v_cvt_i32/u32_f32, _f64", "v_cvt_u32_f32 v0, v1", {"v1": 0xC0000000}, {"v0": 0}),
    Row(
        "v_cvt_i32/u32_f32, _f64",
        "v_cvt_u32_f64 v0, v[2:3]",
        {"v[2:3]": 0x41F0000000000000},
        {"v0": 0xFFFFFFFF},
    ),
    Row("v_cvt_i32/u32_f32, _f64", "v_cvt_i16_f16 v0, v1", {"v1": 0x7BFF}, {"v0": 0x7FFF}),
    Row("v_cvt_rpi/nearest_i32", "v_cvt_rpi_i32_f32 v0, v1", {"v1": 0x3EFFFFFF}, {"v0": 0}),
    Row("v_cvt_rpi/nearest_i32", "v_cvt_rpi_i32_f32 v0, v1", {"v1": 0xBF000000}, {"v0": 0}),
    Row("v_rndne_f32/f64", "v_rndne_f32 v0, v1", {"v1": 0xBE99999A}, {"v0": 0x80000000}),
    Row("v_rndne_f32/f64", "v_rndne_f32 v0, v1", {"v1": 0x4B000001}, {"v0": 0x4B000001}),
    Row("v_ceil/floor/trunc", "v_ceil_f32 v0, v1", {"v1": 1}, {"v0": 0x3F800000}),
    Row("v_ceil/floor/trunc", "v_ceil_f32 v0, v1", {"v1": 1}, {"v0": 0}, FLUSH),
    Row("v_ceil/floor/trunc", "v_trunc_f32 v0, v1", {"v1": 0xBF000000}, {"v0": 0x80000000}),
    Row("v_fract_f32/f64/f16", "v_fract_f32 v0, v1", {"v1": 0x80000001}, {"v0": 0x3F7FFFFF}),
    Row("v_frexp_exp", "v_frexp_exp_i32_f32 v0, v1", {"v1": 0}, {"v0": 0}),
    Row("v_frexp_exp", "v_frexp_exp_i32_f32 v0, v1", {"v1": 1}, {"v0": 0xFFFFFF6C}),
    Row("v_frexp_mant", "v_frexp_mant_f32 v0, v1", {"v1": 0xC0400000}, {"v0": 0xBF400000}),
    Row("v_ldexp_f32/f64/f16", "v_ldexp_f32 v0, v1, v2", {"v1": 1, "v2": 200}, {"v0": 0x59000000}),
    Row(
        "v_ldexp_f32/f64/f16",
        "v_ldexp_f32 v0, v1, v2",
        {"v1": 0x3FC00000, "v2": 0xFFFFFF6B},
        {"v0": 2},
    ),
    Row(
        "v_div_scale",
        "v_div_scale_f32 v0, vcc, v1, v2, v1",
        {"v1": 0x3F800000, "v2": 0x40000000, "vcc": FULL},
        {"v0": 0x3F800000, "vcc": 0},
    ),
    Row(
        "v_div_scale",
        "v_div_scale_f32 v0, vcc, v1, v1, v2",
        {"v1": 0, "v2": 0x3F800000},
        {"v0": 0xFFC00000, "vcc": 0},
    ),
    Row(
        "v_div_scale",
        "v_div_scale_f32 v0, vcc, v1, v1, v2",
        {"v1": 0x10000000, "v2": 0x7F000000},
        {"v0": 0x30000000, "vcc": FULL},
    ),
    Row(
        "v_div_fmas",
        "v_div_fmas_f32 v0, v1, v2, v3",
        {"v1": 0, "v2": 0, "v3": 0x40000000, "vcc": FULL},
        {"v0": 0x60000000},
    ),
    Row(
        "v_div_fmas",
        "v_div_fmas_f32 v0, v1, v2, v3",
        {"v1": 0, "v2": 0, "v3": 0x3F000000, "vcc": FULL},
        {"v0": 0x1F000000},
    ),
    Row(
        "v_div_fixup",
        "v_div_fixup_f32 v0, v1, v2, v3",
        {"v1": 0x7FC00000, "v2": 0x3F800000, "v3": 0xBF800000},
        {"v0": 0xFF800000},
    ),
    Row(
        "v_div_fixup",
        "v_div_fixup_f32 v0, v1, v2, v3",
        {"v1": 0x3F800000, "v2": 0, "v3": 0},
        {"v0": 0xFFC00000},
    ),
    Row("Special values", "v_rcp_f32 v0, v1", {"v1": 0x80000000}, {"v0": 0xFF800000}),
    Row("Special values", "v_rsq_f32 v0, v1", {"v1": 0x80000000}, {"v0": 0xFF800000}),
    Row("Special values", "v_sqrt_f32 v0, v1", {"v1": 0x80000000}, {"v0": 0x80000000}),
    Row("Special values", "v_log_f32 v0, v1", {"v1": 0}, {"v0": 0xFF800000}),
    Row("Special values", "v_exp_f32 v0, v1", {"v1": 0xFF800000}, {"v0": 0}),
    Row("v_sin/v_cos", "v_sin_f32 v0, v1", {"v1": 0x3E800000}, {"v0": 0x3F800000}),
    Row("v_sin/v_cos", "v_cos_f32 v0, v1", {"v1": 0x3F000000}, {"v0": 0xBF800000}),
    Row("v_rcp/rsq/sqrt/log/exp/sin/cos f32", "v_rcp_f32 v0, v1", {"v1": 1}, {"v0": 0x7F800000}),
    Row("v_cvt_f16_f32", "v_cvt_f16_f32 v0, v1", {"v1": 0x477FF000}, {"v0": 0x7C00}),
    Row(
        "v_cvt_f16_f32",
        "v_cvt_f16_f32 v0, v1",
        {"v1": 0x477FF000},
        {"v0": 0x7BFF},
        Mode(fp16_ovfl=True),
    ),
    Row(
        "v_cvt_f16_f32",
        "v_cvt_f16_f32 v0, v1",
        {"v1": 0x7F800000},
        {"v0": 0x7C00},
        Mode(fp16_ovfl=True),
    ),
    Row("v_cvt_f32_f16", "v_cvt_f32_f16 v0, v1", {"v1": 0x7C01}, {"v0": 0x7FC02000}),
    Row(
        "v_cvt_pkrtz_f16_f32",
        "v_cvt_pkrtz_f16_f32 v0, v1, v2",
        {"v1": 0x7F7FFFFF, "v2": 0x7F800000},
        {"v0": 0x7C007BFF},
    ),
    Row(
        "v_cvt_pk_bf16_f32, cvt_sr",
        "v_cvt_pk_bf16_f32 v0, v1, v2",
        {"v1": 0x7FFFFFFF, "v2": 0x3F808000},
        {"v0": 0x3F807FFF},
        KEEP,
        "gfx950",
    ),
    Row(
        "v_cvt_pknorm_i16/u16",
        "v_cvt_pknorm_i16_f32 v0, v1, v2",
        {"v1": 0xBF800000, "v2": 0x7FC00000},
        {"v0": 0x00008001},
    ),
    Row("v_cvt_off_f32_i4", "v_cvt_off_f32_i4 v0, v1", {"v1": 0xF8}, {"v0": 0xBF000000}),
    Row("v_cvt_f32_ubyteN", "v_cvt_f32_ubyte2 v0, v1", {"v1": 0x00FF0000}, {"v0": 0x437F0000}),
    Row(
        "fp8/bf8 format",
        "v_cvt_pk_fp8_f32 v0, v1, v2",
        {"v0": 0, "v1": 0x3F800000, "v2": 0x80000000},
        {"v0": 0x0040},
    ),
    Row(
        "fp8/bf8 format",
        "v_cvt_pk_fp8_f32 v0, v1, v2",
        {"v0": 0, "v1": 0x3F800000, "v2": 0x80000000},
        {"v0": 0x8038},
        KEEP,
        "gfx950",
    ),
    Row(
        "fp8/bf8 overflow",
        "v_cvt_pk_bf8_f32 v0, v1, v2",
        {"v0": 0, "v1": 0x7F000000, "v2": 0xFF000000},
        {"v0": 0xFC7C},
        KEEP,
        "gfx950",
    ),
    Row(
        "fp8/bf8 overflow",
        "v_cvt_pk_bf8_f32 v0, v1, v2",
        {"v0": 0, "v1": 0x7F000000, "v2": 0xFF000000},
        {"v0": 0xFB7B},
        Mode(fp16_ovfl=True),
        "gfx950",
    ),
    Row(
        "cvt_scalef32_*",
        "v_cvt_scalef32_pk_fp4_f32 v0, v1, v2, v3",
        {"v0": 0, "v1": 0x41000000, "v2": 0xC1000000, "v3": 0xC0000000},
        {"v0": 0xE6},
        KEEP,
        "gfx950",
    ),
]
ROWS = SCALAR + OPERANDS + VECTOR + HALVES + FLOAT + CONVERSIONS


@pytest.mark.parametrize("row", ROWS, ids=[f"{i}-{r.text.split()[0]}" for i, r in enumerate(ROWS)])
def test_trap(row: Row) -> None:
    wave = bench.run(row.text, row.before, row.arch, row.mode)
    exec_mask = row.before.get("exec", FULL)
    lane = (exec_mask & -exec_mask).bit_length() - 1
    got = {name: bench.read(wave, name, lane) for name in row.after}
    assert got == row.after, f"{row.trap}: {row.text}: { ({k: hex(v) for k, v in got.items()}) }"


def test_registers_above_a_scalar_result_stay() -> None:
    wave = bench.run("s_bcnt1_i32_b64 s0, s[2:3]", {"s[2:3]": 3, "s1": 0x1234})
    assert bench.read(wave, "s1") == 0x1234


def test_cmpx_writes_its_mask_and_exec() -> None:
    # Built by hand: AMD's LLVM of ROCm 7.2 decodes this encoding only with EXEC as destination.
    code = assembler(Target("gfx942")).assemble("v_cmpx_ne_u32_e64 s[4:5], v0, v1")
    wave = Wave()
    for name, value in {"v0": 3, "v1": 3, "exec": 0xF0, "vcc": 1}.items():
        bench.write(wave, name, value)
    wave.run([Instruction(code, "v_cmpx_ne_u32_e64 s[4:5], v0, v1")], "gfx942")
    assert [bench.read(wave, n) for n in ("s[4:5]", "exec", "vcc")] == [0, 0, 1]


@pytest.mark.shared
def test_traps_are_named_as_in_the_facts(shared_root: Path) -> None:
    text = (shared_root / "facts" / "semantics_traps.md").read_text(encoding="utf-8")
    features = [line.split("|")[0] for line in text.splitlines() if "|" in line]
    for row in ROWS:
        assert any(f.startswith(row.trap) for f in features), row.trap
