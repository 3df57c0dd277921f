"""Wait-state rules against numbers read off LLVM 22's hazard recognizer (post-RA-hazard-rec).

Each row: architecture list, producer, consumer, wait states needed, rule. The engine must report
the pair at one state too few (and adjacent), and be silent at exactly the number needed.
"""

from __future__ import annotations

import pytest

from asmevo.check.findings import ERROR, NOTE
from asmevo.check.rules.hazards import check_hazards
from asmevo.isa.hazards.rows import EXEMPTIONS, RULES, Mark

CDNA = ("gfx90a", "gfx942", "gfx950")
CDNA3 = ("gfx942", "gfx950")
MFMA4 = "v_mfma_f32_16x16x16_f16 v[16:19], v[0:1], v[2:3], v[16:19]"
MFMA8 = "v_mfma_f32_32x32x8_f16 v[16:31], v[0:1], v[2:3], v[16:31]"
MFMA16 = "v_mfma_f32_32x32x4_2b_f16 v[32:63], v[0:1], v[2:3], v[32:63]"
MFMA2 = "v_mfma_f32_4x4x4_16b_f16 v[16:19], v[0:1], v[2:3], v[16:19]"
SGEMM8 = "v_mfma_f32_16x16x4_f32 v[16:19], v0, v2, v[16:19]"
SGEMM16 = "v_mfma_f32_32x32x2_f32 v[16:31], v0, v2, v[16:31]"
SGEMM2 = "v_mfma_f32_4x4x1_16b_f32 v[16:19], v0, v2, v[16:19]"
D4 = "v_mfma_f64_4x4x4_4b_f64 v[16:17], v[0:1], v[2:3], v[16:17]"
D16 = "v_mfma_f64_16x16x4_f64 v[16:23], v[0:1], v[2:3], v[16:23]"
A90 = {  # the same instructions as gfx90a spells them
    MFMA8: "v_mfma_f32_16x16x16f16 v[16:19], v[0:1], v[2:3], v[16:19]",
    MFMA16: "v_mfma_f32_32x32x8f16 v[32:47], v[0:1], v[2:3], v[32:47]",
    D4: "v_mfma_f64_4x4x4f64 v[16:17], v[0:1], v[2:3], v[16:17]",
    D16: "v_mfma_f64_16x16x4f64 v[16:23], v[0:1], v[2:3], v[16:23]",
}
VCMP = "v_cmp_gt_u32_e64 s[4:5], v1, v2"
VCC = "v_cmp_gt_u32_e32 vcc, v1, v2"
CMPX = "v_cmpx_gt_u32_e32 vcc, v1, v2"
READ16 = "v_add_f32_e32 v100, v16, v16"
READ32 = "v_add_f32_e32 v100, v32, v32"
LOAD16 = "global_load_dword v16, v90, s[0:1]"
STORE16 = "global_store_dword v90, v16, s[0:1]"
LDS16 = "ds_write_b32 v90, v16"

Row = tuple[tuple[str, ...], str, str, int, str]
ROWS: list[Row] = [
    (CDNA, VCMP, "global_load_dword v9, v8, s[4:5]", 5, "sgpr-vmem"),
    (CDNA, VCMP, "buffer_load_dword v9, v8, s[0:3], s4 offen", 5, "sgpr-vmem"),
    (CDNA, CMPX, "global_load_dword v9, v[10:11], off", 5, "exec-vmem"),
    (CDNA, VCC, "v_div_fmas_f32 v9, v1, v2, v3", 4, "vcc-divfmas"),
    (CDNA, "v_readfirstlane_b32 s4, v1", "v_readlane_b32 s9, v2, s4", 4, "lane-select"),
    (CDNA, "v_readfirstlane_b32 s4, v1", "v_writelane_b32 v9, s4, s4", 4, "lane-select"),
    (CDNA3, "v_readfirstlane_b32 s4, v1", "v_add_u32_e32 v9, s4, v2", 2, "sgpr-valu-const"),
    (CDNA3, CMPX, "v_mov_b32_e32 v9, exec_lo", 2, "exec-valu-const"),
    (CDNA3, CMPX, "v_readfirstlane_b32 s9, v3", 4, "exec-lane"),
    (CDNA3, "v_mov_b32_e32 v1, v2", "v_readfirstlane_b32 s9, v1", 1, "vgpr-readlane"),
    (CDNA, "v_mov_b32_e32 v1, v2",
     "v_mov_b32_dpp v3, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf", 2, "vgpr-dpp"),
    (CDNA, CMPX,
     "v_mov_b32_dpp v3, v4 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf", 5, "exec-dpp"),
    (CDNA3, "v_exp_f32_e32 v1, v2", "v_add_f32_e32 v3, v1, v1", 1, "trans-valu"),
    (CDNA3, "v_rcp_f64_e32 v[2:3], v[4:5]", "v_mul_f64 v[6:7], v[2:3], v[2:3]", 1, "trans-valu"),
    (CDNA3, "v_add_f32_sdwa v1, v2, v3 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD "
     "src1_sel:DWORD", "v_add_f32_e32 v4, v1, v1", 1, "dstsel-valu-read"),
    (CDNA3, "v_fma_f16 v1, v2, v3, v4 op_sel:[0,0,0,1]", "v_add_f32_e32 v4, v1, v1", 1,
     "dstsel-valu-read"),
    (("gfx950",), "v_cvt_scalef32_pk_fp4_f32 v1, v2, v3, v4", "v_mov_b32_e32 v5, v1", 1,
     "dstsel-valu-read"),
    (("gfx90a",), "global_store_dwordx4 v90, v[4:7], s[0:1]", "v_mov_b32_e32 v5, 0", 1,
     "store-data-war"),
    (CDNA3, "global_store_dwordx4 v90, v[4:7], s[0:1]", "v_mov_b32_e32 v5, 0", 2,
     "store-data-war"),
    (CDNA3, "buffer_store_dwordx3 v[4:6], v90, s[0:3], 0 offen", "v_mov_b32_e32 v6, 0", 2,
     "store-data-war"),
    # Measured on gfx950 (LLVM pull request 197267): one state where the offset is an SGPR.
    (CDNA3, "buffer_store_dwordx4 v[4:7], v90, s[0:3], s4 offen", "v_mov_b32_e32 v5, 0", 1,
     "store-data-war"),
    (CDNA3, "buffer_store_dwordx3 v[4:6], off, s[0:3], s4", "v_pk_mul_f32 v[4:5], v[8:9], v[8:9]",
     1, "store-data-war"),
    (CDNA3, "buffer_store_dwordx4 v[4:7], v90, s[0:3], m0 offen", "v_mov_b32_e32 v7, 0", 1,
     "store-data-war"),
    (CDNA3, "buffer_atomic_cmpswap_x2 v[4:7], v90, s[0:3], s4 offen", "v_mov_b32_e32 v4, 0", 1,
     "store-data-war"),
    (CDNA3, "tbuffer_store_format_xyzw v[4:7], v90, s[0:3], s4 "
     "format:[BUF_DATA_FORMAT_32_32_32_32,BUF_NUM_FORMAT_FLOAT] offen", "v_mov_b32_e32 v4, 0", 1,
     "store-data-war"),
    (CDNA3, "buffer_store_dwordx4 a[4:7], v90, s[0:3], s4 offen", "v_accvgpr_write_b32 a5, v1", 1,
     "store-data-war"),
    (CDNA3, "global_store_dwordx4 v90, v[16:19], s[0:1]", MFMA4, 2, "store-data-war-matrix"),
    (CDNA, "global_store_dwordx4 v90, v[16:19], s[0:1]", LOAD16, 1, "store-data-war-nonvalu"),
    (CDNA3, "s_mov_b32 m0, s1", "global_load_lds_dword v[2:3], off", 1, "m0-ldsdma-flat"),
    (("gfx90a",), "s_mov_b32 m0, s1", "buffer_load_dword v1, s[0:3], 0 offen lds", 1,
     "m0-ldsdma-mubuf"),
    (CDNA, "s_mov_b32 m0, s1", "s_sendmsg sendmsg(MSG_INTERRUPT)", 1, "m0-msg"),
    (CDNA, "s_mov_b32 m0, s1", "ds_read_addtid_b32 v1", 1, "m0-addtid"),
    (CDNA, "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s1", "s_getreg_b32 s2, hwreg(HW_REG_MODE, 4, 4)",
     2, "setreg-getreg"),
    (CDNA, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 1",
     "s_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s2", 2, "setreg-setreg"),
    (("gfx950",), "v_mov_b32_e32 v1, v2", "v_permlane32_swap_b32_e32 v1, v3", 2, "permlane"),
    (("gfx950",), CMPX, "v_permlane32_swap_b32_e32 v1, v3", 4, "cmpx-permlane"),
    (CDNA, "v_dot2_f32_f16 v1, v2, v3, v4", "v_add_f32_e32 v5, v1, v1", 3, "dot-other"),
    (CDNA, "v_dot2_f32_f16 v1, v2, v3, v4", "ds_write_b32 v90, v1", 3, "dot-mem"),
    (CDNA, "v_dot2_f32_f16 v1, v2, v3, v4", "v_dot2_f32_f16 v5, v1, v3, v5", 3, "dot-same-ab"),
    (CDNA, "v_dot2_f32_f16 v1, v2, v3, v4", "v_mov_b32_e32 v1, 0", 3, "dot-waw"),
    (CDNA3, "v_dot2_f32_f16 v16, v2, v3, v4", "v_mfma_f32_16x16x16_f16 v[16:19], v[0:1], v[4:5], 0",
     3, "dot-waw-matrix"),
    (CDNA, "v_dot2_f32_f16 v16, v2, v3, v4", LOAD16, 3, "dot-waw-load"),
    # --- matrix ---------------------------------------------------------------------------
    (CDNA3, "v_mov_b32_e32 v0, v9", MFMA8, 2, "valu-mfma"),
    (CDNA3, "v_mov_b32_e32 v20, v9", MFMA8, 2, "valu-mfma"),
    (CDNA3, CMPX, MFMA8, 4, "exec-mfma"),
    (CDNA3, MFMA2, "v_mfma_f32_4x4x4_16b_f16 v[16:19], v[4:5], v[6:7], v[16:19]", 2, "xdl-c-same"),
    # ISA tables 37 and 38: a result is forwarded to C only where the passes are equal, and
    # between classes never. LLVM compares the tuples alone.
    (("gfx942",), MFMA4, "v_mfma_f32_4x4x4_16b_f16 v[16:19], v[4:5], v[6:7], v[16:19]", 5,
     "xdl-c-passes"),
    (("gfx950",), MFMA4, "v_mfma_f32_4x4x4_16b_f16 v[16:19], v[4:5], v[6:7], v[16:19]", 6,
     "xdl-c-passes"),
    (CDNA3, MFMA2, "v_mfma_f32_16x16x4_f32 v[16:19], v4, v6, v[16:19]", 3, "xdl-sd-c-same"),
    (("gfx950",), MFMA4, "v_mfma_f32_16x16x4_f32 v[16:19], v4, v6, v[16:19]", 6, "xdl-sd-c-same"),
    (CDNA3, SGEMM8, "v_mfma_f32_4x4x1_16b_f32 v[16:19], v4, v6, v[16:19]", 8, "sgemm-c-passes"),
    (("gfx942",), SGEMM2, "v_mfma_f32_4x4x4_16b_f16 v[16:19], v[4:5], v[6:7], v[16:19]", 2,
     "sgemm-xdl-c-same"),
    (("gfx942",), MFMA4, "v_mfma_f32_16x16x16_f16 v[18:21], v[4:5], v[6:7], v[18:21]", 5,
     "xdl-xdl-c"),
    (("gfx942",), MFMA8, "v_mfma_f32_16x16x16_f16 v[18:21], v[4:5], v[6:7], v[18:21]", 9,
     "xdl-xdl-c"),
    (("gfx950",), MFMA4, "v_mfma_f32_16x16x16_f16 v[18:21], v[4:5], v[6:7], v[18:21]", 6,
     "xdl-xdl-c"),
    (("gfx942",), MFMA8, "v_mfma_f32_16x16x4_f32 v[18:21], v4, v6, v[18:21]", 9, "xdl-sd-c"),
    (("gfx950",), MFMA2, "v_mfma_f32_16x16x4_f32 v[18:21], v4, v6, v[18:21]", 3, "xdl-sd-c"),
    (("gfx942",), MFMA4, "v_mfma_f32_16x16x16_f16 v[40:43], v[16:17], v[6:7], v[40:43]", 7,
     "xdl-ab"),
    (("gfx950",), MFMA8, "v_mfma_f32_16x16x16_f16 v[40:43], v[16:17], v[6:7], v[40:43]", 12,
     "xdl-ab"),
    (("gfx942",), MFMA2, READ16, 5, "xdl-valu-read"),
    (("gfx942",), MFMA4, READ16, 7, "xdl-valu-read"),
    (("gfx942",), MFMA8, READ16, 11, "xdl-valu-read"),
    (("gfx942",), MFMA16, READ32, 19, "xdl-valu-read"),
    (("gfx950",), MFMA4, READ16, 8, "xdl-valu-read"),
    (("gfx950",), MFMA8, READ16, 12, "xdl-valu-read"),
    (("gfx950",), MFMA16, READ32, 20, "xdl-valu-read"),
    (("gfx942",), MFMA8, STORE16, 11, "xdl-mem-read"),
    (("gfx942",), MFMA8, LDS16, 11, "xdl-mem-read"),
    (("gfx942",), MFMA8, LOAD16, 11, "xdl-waw"),
    (("gfx942",), MFMA8, "v_mov_b32_e32 v16, 0", 11, "xdl-waw"),
    (CDNA3, "v_mfma_f32_32x32x8_f16 v[40:55], v[0:1], v[2:3], v[16:31]",
     "v_mov_b32_e32 v16, 0", 7, "xdl-war-c"),
    (CDNA3, "v_mfma_f32_16x16x16_f16 v[40:43], v[0:1], v[2:3], v[16:19]", LOAD16, 3, "xdl-war-c"),
    (CDNA3, SGEMM2, "v_mfma_f32_4x4x1_16b_f32 v[16:19], v4, v6, v[16:19]", 2,
     "sgemm-sgemm-c-same"),
    (CDNA3, SGEMM8, "v_mfma_f32_16x16x4_f32 v[18:21], v4, v6, v[18:21]", 8, "sgemm-sd-c"),
    (CDNA3, SGEMM8, "v_mfma_f32_16x16x16_f16 v[40:43], v[16:17], v[6:7], v[40:43]", 10,
     "sgemm-ab"),
    (CDNA3, SGEMM8, READ16, 10, "sgemm-valu-read"),
    (CDNA3, SGEMM16, READ16, 18, "sgemm-valu-read"),
    (CDNA3, SGEMM8, LDS16, 10, "sgemm-mem-read"),
    (CDNA3, SGEMM8, LOAD16, 10, "sgemm-waw"),
    (CDNA, D4, "v_mfma_f64_4x4x4_4b_f64 v[16:17], v[4:5], v[6:7], v[16:17]", 4, "d4-c"),
    (CDNA3, D4, "v_mfma_f32_16x16x4_f32 v[16:19], v4, v6, v[16:19]", 4, "d4-sgemm-c"),
    (("gfx90a", "gfx942"), D16, "v_mfma_f64_16x16x4_f64 v[18:25], v[4:5], v[6:7], v[18:25]", 9,
     "d16-d-c"),
    (("gfx950",), D16, "v_mfma_f64_16x16x4_f64 v[18:25], v[4:5], v[6:7], v[18:25]", 17, "d16-d-c"),
    (CDNA, D4, "v_add_f64 v[100:101], v[16:17], v[16:17]", 6, "d4-ab-valu"),
    (CDNA, D4, "ds_write_b64 v90, v[16:17]", 9, "d4-mem"),
    (("gfx90a", "gfx942"), D16, "v_add_f64 v[100:101], v[16:17], v[16:17]", 11, "d16-ab-valu"),
    (("gfx950",), D16, "v_add_f64 v[100:101], v[16:17], v[16:17]", 19, "d16-ab-valu"),
    (CDNA, D16, "ds_write_b64 v90, v[16:17]", 18, "d16-mem"),
    (CDNA, D4, LOAD16, 6, "d4-waw"),
    (CDNA, D4, "v_fma_f64 v[100:101], v[102:103], v[104:105], v[106:107]", 2, "dgemm-fma64"),
    # --- gfx90a's own -----------------------------------------------------------------------
    (("gfx90a",), MFMA8, READ16, 11, "xdl-valu-read"),
    (("gfx90a",), MFMA16, READ32, 19, "xdl-valu-read"),
    (("gfx90a",), MFMA8, LOAD16, 11, "xdl-waw"),
    (("gfx90a",), MFMA8, "v_mfma_f32_16x16x16f16 v[18:21], v[4:5], v[6:7], v[18:21]", 8,
     "xdl-xdl-c"),
]  # fmt: skip
CASES = [(arch, *row[1:]) for row in ROWS for arch in row[0]]


def spell(text: str, arch: str) -> str:
    if arch != "gfx90a":
        return text
    if text in A90:
        return A90[text]
    return text.replace("4x4x4_4b_f64", "4x4x4f64").replace("16x16x4_f64", "16x16x4f64")


def nops(states: int) -> str:
    lines: list[str] = []
    while states > 0:
        lines.append(f"s_nop {min(states, 16) - 1}")
        states -= 16
    return "\n".join(lines)


@pytest.mark.parametrize(("arch", "producer", "consumer", "need", "rule"), CASES)
def test_needed_wait_states(
    arch: str, producer: str, consumer: str, need: int, rule: str, text_view
) -> None:
    producer, consumer = spell(producer, arch), spell(consumer, arch)
    for have in {0, need - 1, need}:
        text = f"{producer}\n{nops(have)}\n{consumer}\ns_endpgm"
        found = [
            (f.rule, f.need, f.have)
            for f in check_hazards(text_view(text, arch))
            if f.rule == f"hazard.{rule}"
        ]
        assert found == ([] if have == need else [(f"hazard.{rule}", need, have)]), have


# Pairs that need nothing, with the entry of `EXEMPTIONS` that says who says so.
CLEAN: list[tuple[str, str, str]] = [
    ("SALU writes an SGPR that anything reads", "s_mov_b32 s4, s9",
     "buffer_load_dword v9, v8, s[0:3], s4 offen"),
    ("VALU writes an SGPR that VALU reads as carry-in or select mask", VCC,
     "v_addc_co_u32_e32 v9, vcc, v1, v2, vcc"),
    ("select mask", VCMP, "v_cndmask_b32_e64 v9, v1, v2, s[4:5]"),
    ("SALU writes M0 before a buffer load to LDS", "s_mov_b32 m0, s1",
     "buffer_load_dword v1, s[0:3], 0 offen lds"),
    ("v_cmpx before a VALU that does not name EXEC", CMPX, "v_add_f32_e32 v9, v1, v2"),
    ("cmpx to lds", CMPX, "ds_read_b32 v9, v1"),
    ("a transcendental result is read by another one or by memory", "v_exp_f32_e32 v1, v2",
     "v_log_f32_e32 v3, v1"),
    ("trans to store", "v_exp_f32_e32 v1, v2", "global_store_dword v90, v1, s[0:1]"),
    ("data of a store up to 64 bits, or of an LDS store, is overwritten",
     "global_store_dwordx2 v90, v[4:5], s[0:1]", "v_mov_b32_e32 v4, 0"),
    ("narrow buffer store", "buffer_store_dwordx2 v[4:5], v90, s[0:3], s4 offen",
     "v_mov_b32_e32 v4, 0"),
    ("lds store data", "ds_write_b128 v90, v[4:7]", "v_mov_b32_e32 v4, 0"),
    ("a load overwrites the data of a buffer store with an SGPR offset",
     "buffer_store_dwordx4 v[4:7], v90, s[0:3], s4 offen", "global_load_dword v4, v90, s[8:9]"),
    ("SALU writes M0 before an ordinary LDS access", "s_mov_b32 m0, s1", "ds_read_b32 v1, v2"),
    ("setreg of another register", "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s1",
     "s_getreg_b32 s2, hwreg(HW_REG_TRAPSTS, 4, 4)"),
    ("xdl chain", MFMA8, "v_mfma_f32_32x32x8_f16 v[16:31], v[4:5], v[6:7], v[16:31]"),
    ("an SGEMM result overlaps C of an XDL", SGEMM8,
     "v_mfma_f32_16x16x16_f16 v[18:21], v[4:5], v[6:7], v[18:21]"),
    ("xdl a read before write", MFMA8, "v_mov_b32_e32 v0, 0"),
    ("an SGEMM or DGEMM reads C that is overwritten",
     "v_mfma_f32_16x16x4_f32 v[40:43], v0, v2, v[16:19]", "v_mov_b32_e32 v16, 0"),
    ("a DOT result is C of the same DOT", "v_dot2_f32_f16 v1, v2, v3, v4",
     "v_dot2_f32_f16 v5, v6, v3, v1"),
    ("an f64 result is C of an XDL", D4,
     "v_mfma_f32_16x16x16_f16 v[16:19], v[4:5], v[6:7], v[16:19]"),
    ("a 16x16x4 f64 result is C of the next one (same tuple)", D16, D16),
    ("independent", MFMA8, "v_add_f32_e32 v100, v101, v102"),
]  # fmt: skip


@pytest.mark.parametrize("case", CLEAN, ids=[c[0] for c in CLEAN])
def test_interlocked_pairs_are_not_flagged(case: tuple[str, str, str], text_view) -> None:
    _, producer, consumer = case
    assert check_hazards(text_view(f"{producer}\n{consumer}\ns_endpgm", "gfx942")) == []


def test_an_sgpr_offset_is_safe_before_gfx942_only(text_view) -> None:
    """LLVM pull request 197267 changes nothing for older parts."""
    text = "buffer_store_dwordx4 v[4:7], v90, s[0:3], s4 offen\nv_mov_b32_e32 v4, 0\ns_endpgm"
    assert check_hazards(text_view(text, "gfx90a")) == []


def test_every_row_and_every_exemption_has_a_source_and_a_test() -> None:
    """No number without somebody who says so, and none that no test above looks at."""
    tested = {row[4] for row in ROWS}
    for arch, rows in RULES.items():
        for rule in rows:
            assert len(rule.source) > 8, (arch, rule.name)
            assert (rule.mark is Mark.BOTH) == ("ISA" in rule.source and ";" in rule.source) or (
                rule.mark is not Mark.BOTH
            ), (arch, rule.name)
    names = {rule.name for rows in RULES.values() for rule in rows}
    elsewhere = {
        "dot-mfma-ab", "dot-mfma-c", "dstsel-kept", "dstsel-valu-write", "execz-data",
        "d16-sgemm-c", "d16-waw", "trapsts-rfe", "valu-dgemm-mem",
        "vccz-data", "vgpr-dpp-load", "vskip", "vskip-getreg",
    }  # fmt: skip
    assert names - tested == elsewhere  # tests of their own below, or in test_llvm_oracle
    in_order = {c[0] for c in CLEAN}
    without = {e.text for e in EXEMPTIONS if "gfx942" in e.archs} - in_order
    assert without == {"VCC written by name and read by number"}  # no such encoding
    assert all(e.source for e in EXEMPTIONS)


def test_case_store_sgpr_soffset(text_view) -> None:
    """The kernel of the report `store-sgpr-soffset`: 0 of 1 wait states at #11."""
    text = """
    s_load_dwordx2 s[8:9], s[0:1], 0x0
    v_lshlrev_b32_e32 v8, 4, v0
    v_mov_b32_e32 v2, 1.0
    v_mov_b32_e32 v3, 2.0
    v_mov_b32_e32 v4, 4.0
    v_mov_b32_e32 v5, 0.5
    s_mov_b32 s10, 0x10000
    s_mov_b32 s11, 0x00027000
    s_mov_b32 s12, 0
    s_waitcnt lgkmcnt(0)
    buffer_store_dwordx4 v[2:5], v8, s[8:11], {offset} offen
    v_pk_mul_f32 v[2:3], v[4:5], v[4:5]
    v_add_u32_e32 v8, 0x4000, v8
    s_endpgm"""
    for arch in CDNA3:
        for offset, need in (("s12", 1), ("0", 2)):
            (f,) = check_hazards(text_view(text.format(offset=offset), arch))
            assert (f.rule, f.index, f.have, f.need) == ("hazard.store-data-war", 11, 0, need)
            assert (f.mark, f.severity) == ("H" if offset == "s12" else "R", ERROR)


OTHERS: list[tuple[str, str, str, int, str]] = [
    ("gfx942", "v_dot2_f32_f16 v0, v2, v3, v4", MFMA4, 3, "dot-mfma-ab"),
    ("gfx942", "v_dot2_f32_f16 v17, v2, v3, v4", MFMA4, 3, "dot-mfma-c"),
    ("gfx942", VCC, "v_mov_b32_e32 v9, src_vccz", 5, "vccz-data"),
    ("gfx942", CMPX, "v_mov_b32_e32 v9, src_execz", 5, "execz-data"),
    ("gfx942", "s_setreg_b32 hwreg(HW_REG_TRAPSTS), s1", "s_rfe_b64 s[4:5]", 1, "trapsts-rfe"),
    ("gfx942", "s_setvskip s1, 0", "v_mov_b32_e32 v9, 0", 2, "vskip"),
    ("gfx942", "s_setvskip s1, 0", "s_getreg_b32 s4, hwreg(HW_REG_MODE)", 2, "vskip-getreg"),
    ("gfx942", "ds_read_b32 v1, v2",
     "v_mov_b32_dpp v3, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf", 2, "vgpr-dpp-load"),
    ("gfx942", D16, "v_mfma_f32_16x16x4_f32 v[18:21], v4, v6, v[18:21]", 9, "d16-sgemm-c"),
    ("gfx942", D16, "v_mov_b32_e32 v16, 0", 11, "d16-waw"),
    ("gfx950", D16, "v_mov_b32_e32 v16, 0", 19, "d16-waw"),
    ("gfx942", SGEMM2, "v_mfma_f64_4x4x4_4b_f64 v[16:17], v[4:5], v[6:7], v[16:17]", 2,
     "sgemm-sd-c"),
    ("gfx942", "v_add_f32_sdwa v1, v2, v3 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD "
     "src1_sel:DWORD", "v_mov_b32_e32 v1, 0", 1, "dstsel-valu-write"),
]  # fmt: skip


@pytest.mark.parametrize("case", OTHERS, ids=[c[4] for c in OTHERS])
def test_rows_that_only_one_source_has(case: tuple[str, str, str, int, str], text_view) -> None:
    """Numbers of ISA tables 11, 37 and 38, or of LLVM's recognizer, as the row's source says."""
    arch, producer, consumer, need, rule = case
    for have in {0, need - 1, need}:
        text = f"{producer}\n{nops(have)}\n{consumer}\ns_endpgm"
        found = [
            (f.need, f.have)
            for f in check_hazards(text_view(text, arch))
            if f.rule == f"hazard.{rule}"
        ]
        assert found == ([] if have == need else [(need, have)]), have


def test_marks_and_severities(text_view) -> None:
    def one(text: str, arch: str):
        (f,) = check_hazards(text_view(text, arch))
        return f

    trans = one("v_exp_f32_e32 v1, v2\nv_add_f32_e32 v3, v1, v1\ns_endpgm", "gfx942")
    assert (trans.mark, trans.severity) == ("R", ERROR)
    broken = one(f"{MFMA4}\n{READ16}\ns_endpgm", "gfx942")
    assert (broken.mark, broken.severity) == ("V!", NOTE)
    llvm = one(f"{CMPX}\nglobal_load_dword v9, v[10:11], off\ns_endpgm", "gfx942")
    assert (llvm.mark, llvm.severity) == ("L", NOTE)
    # gfx950: LLVM's search ends at 19 of 20 wait states, so compiled code has exactly 19.
    bound = one(f"{MFMA16}\n{nops(19)}\nds_write_b32 v90, v32\ns_endpgm", "gfx950")
    assert (bound.mark, bound.severity, bound.need, bound.have) == ("I", NOTE, 20, 19)
    below = one(f"{MFMA16}\n{nops(18)}\nds_write_b32 v90, v32\ns_endpgm", "gfx950")
    assert (below.mark, below.severity) == ("R", ERROR)


def test_other_instructions_count_one_and_nop_counts_its_states(text_view) -> None:
    filler = "\n".join(f"v_add_f32_e32 v{100 + i}, v1, v2" for i in range(4))
    text = f"{MFMA8}\n{filler}\ns_nop 4\ns_waitcnt vmcnt(0)\n{LDS16}\ns_endpgm"
    (f,) = check_hazards(text_view(text))
    assert (f.need, f.have, f.distance) == (11, 10, 7)


def test_the_shortest_path_counts(text_view) -> None:
    text = f"""
    {MFMA8}
    s_cbranch_scc0 near
    s_nop 15
    near:
    s_nop 3
    {LDS16}
    s_endpgm"""
    (f,) = check_hazards(text_view(text))
    assert (f.rule, f.have, f.producer, f.index) == ("hazard.xdl-mem-read", 5, 0, 4)
    assert f.path == (0, 3)


@pytest.mark.parametrize(("near", "far"), [("s_nop 1", "s_nop 3"), ("s_nop 3", "s_nop 1")])
def test_the_shortest_of_two_live_paths_counts(near: str, far: str, text_view) -> None:
    """Both paths end inside the reach of 11: the smaller count is what the pair has."""
    text = f"""
    {MFMA8}
    s_cbranch_scc0 other
    {near}
    s_branch both
    other:
    {far}
    s_nop 0
    both:
    {LDS16}
    s_endpgm"""
    (f,) = check_hazards(text_view(text))
    # branch 1 + (near + s_branch 1), or branch 1 + far + nop 1
    ways = {1 + int(near[-1]) + 1 + 1, 1 + int(far[-1]) + 1 + 1}
    assert (f.rule, f.have) == ("hazard.xdl-mem-read", min(ways))


def test_loop_carried_pair(text_view) -> None:
    text = f"""
    loop:
    {LDS16}
    s_nop 4
    {MFMA8}
    s_cbranch_scc0 loop
    s_endpgm"""
    (f,) = check_hazards(text_view(text))
    assert (f.index, f.producer, f.have) == (0, 2, 1)


def test_the_nearest_producer_counts(text_view) -> None:
    text = f"{MFMA8}\n{nops(11)}\nv_mov_b32_e32 v16, 0\n{LDS16}\ns_endpgm"
    assert check_hazards(text_view(text)) == []


def test_a_dgemm_between_valu_and_memory_on_gfx90a(text_view) -> None:
    dgemm = A90[D4]
    text = f"v_mov_b32_e32 v90, v91\n{dgemm}\nds_write_b32 v90, v92\ns_endpgm"
    assert [f.rule for f in check_hazards(text_view(text, "gfx90a"))] == ["hazard.valu-dgemm-mem"]
    text = f"v_mov_b32_e32 v90, v91\nds_write_b32 v90, v92\n{dgemm}\ns_endpgm"
    assert check_hazards(text_view(text, "gfx90a")) == []


def test_no_table_means_no_findings_and_gfx103_needs_none(text_view) -> None:
    text = "v_exp_f32_e32 v1, v2\nv_add_f32_e32 v3, v1, v1\ns_endpgm"
    assert check_hazards(text_view(text, "gfx1030")) == []
