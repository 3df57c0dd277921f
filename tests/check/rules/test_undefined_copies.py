"""Undefined values behind every kind of copy (the kind of case `undefined-descriptor-base`).

The use is the finding, the copy a note. Judged by hand: s[8:9], s[20:21], v5, v[30:31] and a2 are
never written; s0..s7 and v0 are defined at entry.
"""

from __future__ import annotations

import pytest
from text_program import TextProgram

from asmevo.check.against import worse_findings
from asmevo.check.findings import NOTE, Finding, errors
from asmevo.check.rules.registers import Limits, check_registers
from asmevo.isa.operand import EXEC, MODE, VGPR0

LIMITS = Limits(vgprs=64, agprs=64, sgprs=96, unified=128)
ENTRY = 0xFF | 1 << VGPR0 | 3 << EXEC | 1 << MODE


def check(text: str, arch: str = "gfx942") -> tuple[TextProgram, list[Finding]]:
    program = TextProgram.of(text + "\ns_endpgm", arch)
    return program, check_registers(program.view(), LIMITS, {0: ENTRY})


def uses(text: str, arch: str = "gfx942") -> list[tuple[int, str]]:
    """(line, register) of every error; all are of undefined registers."""
    found = errors(check(text, arch)[1])
    assert all(f.rule == "register.undefined" for f in found)
    return [(f.index, f.what) for f in found]


V = "v_mov_b32_e32 v3, v5\n"  # a copy to begin with
LGKM = "\ns_waitcnt lgkmcnt(0)"
ROWS = " row_mask:0xf bank_mask:0xf"
# Into v1, which is then an address.
VECTOR = {
    "DPP of the register itself": "v_mov_b32_dpp v1, v5 quad_perm:[1,0,3,2]" + ROWS,
    "DPP of a copy": V + "v_mov_b32_dpp v1, v3 row_ror:4" + ROWS,
    "DPP with zeros from outside": V + "v_mov_b32_dpp v1, v3 row_shr:1" + ROWS + " bound_ctrl:0",
    "64-bit DPP": V + "v_mov_b32_e32 v2, v5\n"
    "v_mov_b64_dpp v[8:9], v[2:3] row_newbcast:1" + ROWS + "\nv_mov_b32_e32 v1, v9",
    "SDWA": "v_mov_b32_sdwa v1, v5 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD",
    "SDWA of a word": V
    + "v_mov_b32_sdwa v1, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1",
    "packed move": "v_pk_mov_b32 v[8:9], v[30:31], v[30:31] op_sel:[0,1]\nv_mov_b32_e32 v1, v9",
    "ds_bpermute": "ds_bpermute_b32 v1, v0, v5" + LGKM,
    "ds_bpermute of a copy": V + "ds_bpermute_b32 v1, v0, v3" + LGKM,
    "ds_permute": V + "ds_permute_b32 v1, v0, v3" + LGKM,
    "ds_swizzle": "ds_swizzle_b32 v1, v5 offset:swizzle(SWAP,1)" + LGKM,
    "readlane, back by a move": "v_readlane_b32 s10, v5, 3\nv_mov_b32_e32 v1, s10",
    "readlane by an SGPR": V + "v_readlane_b32 s10, v3, s4\nv_mov_b32_e32 v1, s10",
    "readfirstlane": V + "v_readfirstlane_b32 s10, v3\nv_mov_b32_e32 v1, s10",
    "accumulator and back": "v_accvgpr_write_b32 a1, v5\nv_accvgpr_mov_b32 a3, a1\n"
    "v_accvgpr_read_b32 v1, a3",
    "swap with the register itself": "v_mov_b32_e32 v1, 0\nv_swap_b32 v1, v5",
    "LDS pair": V + "ds_write2_b32 v0, v0, v3 offset0:2 offset1:3\n"
    "ds_read2_b32 v[8:9], v0 offset0:2 offset1:3" + LGKM + "\nv_mov_b32_e32 v1, v9",
    "LDS pair, read by one": V + "ds_write2st64_b32 v0, v3, v0 offset0:1\n"
    "ds_read_b32 v1, v0 offset:256" + LGKM,
    "LDS at a constant": V + "v_mov_b32_e32 v7, 0x40\nds_write_b32 v7, v3 offset:8\n"
    "v_mov_b32_e32 v7, 0\nds_read_b32 v1, v7 offset:72" + LGKM,
    "scratch at a constant": V + "s_mov_b32 s10, 16\nscratch_store_dword off, v3, s10\n"
    "s_mov_b32 s11, 0\nscratch_load_dword v1, off, s11 offset:16\ns_waitcnt vmcnt(0)",
    "an undefined condition selects": "s_mov_b64 vcc, s[8:9]\n"
    "v_cndmask_b32_e32 v1, v0, v0, vcc",
}  # fmt: skip


@pytest.mark.parametrize("name", VECTOR)
def test_vector_copies_are_followed_to_an_address(name: str) -> None:
    text = VECTOR[name] + "\nglobal_load_dword v2, v1, s[4:5]"
    assert uses(text) == [(text.count("\n"), "v1")]
    # The copy itself is a note.
    notes = [f for f in check(text)[1] if f.rule == "register.undefined-copy"]
    assert notes
    assert all(f.severity == NOTE for f in notes)
    # A defined register in place of the one that is not: nothing to say.
    good = text.replace("v5", "v0").replace("v[30:31]", "v[40:41]").replace("s[8:9]", "s[6:7]")
    good = good.replace("v_mov_b32_e32 v2, v0\n", "v_mov_b32_e32 v2, 0\n")
    assert uses("v_mov_b32_e32 v40, 0\nv_mov_b32_e32 v41, 0\n" + good) == []


@pytest.mark.parametrize(
    ("arch", "copy"),
    [
        ("gfx950", V + "v_mov_b32_e32 v1, v5\nv_permlane32_swap_b32 v1, v3"),
        ("gfx950", "v_mov_b32_e32 v1, 0\nv_permlane32_swap_b32 v1, v5"),  # lanes 32..63
        ("gfx950", "v_mov_b32_e32 v1, 0\nv_permlane16_swap_b32 v1, v5"),  # odd rows
        ("gfx1100", V + "v_permlane16_b32 v1, v3, s4, s5"),
        ("gfx1100", V + "v_permlanex16_b32 v1, v3, s4, s5"),
        ("gfx1100", "v_permlane64_b32 v1, v5"),
        ("gfx1100", "v_mov_b32_dpp v1, v5 dpp8:[7,6,5,4,3,2,1,0]"),
        ("gfx1100", "v_mov_b32_dpp v1, v5 row_share:3" + ROWS),
        ("gfx1100", "v_dual_mov_b32 v1, v5 :: v_dual_mov_b32 v2, 0"),
        ("gfx1100", V + "v_swap_b32 v1, v3"),
    ],
)
def test_movements_of_other_targets(arch: str, copy: str) -> None:
    load = (
        "global_load_b32 v2, v1, s[4:5]"
        if arch == "gfx1100"
        else "global_load_dword v2, v1, s[4:5]"
    )
    if copy.endswith("v_swap_b32 v1, v3"):
        copy = "v_mov_b32_e32 v1, 0\n" + copy
    text = f"{copy}\n{load}"
    assert uses(text, arch) == [(text.count("\n"), "v1")]
    assert uses(text.replace("v5", "v0"), arch) == []


S = "s_mov_b32 s10, s8\n"
DECIDES = {
    "SCC of a comparison": (S + "s_cmp_eq_u32 s10, 0\ns_cbranch_scc1 0", "scc"),
    "SCC against a register": (S + "s_cmp_lt_i32 s4, s10\ns_cbranch_scc0 0", "scc"),
    "SCC with an immediate": (S + "s_cmpk_gt_u32 s10, 0x10\ns_cbranch_scc0 0", "scc"),
    "SCC of a bit": (S + "s_bitcmp1_b32 s10, 3\ns_cbranch_scc1 0", "scc"),
    "SCC of a masked bit": (
        S + "s_and_b32 s10, s10, 1\ns_cmp_eq_u32 s10, 0\ns_cbranch_scc1 0", "scc"
    ),
    "SCC of a mask itself": (S + "s_and_b32 s11, s10, 0xff\ns_cbranch_scc1 0", "scc"),
    "SCC of a bit field": (
        S + "s_bfe_u32 s10, s10, 0x50003\ns_cmp_lg_u32 s10, 4\ns_cbranch_scc1 0", "scc"
    ),
    "EXEC of a masked bit": (
        V + "v_and_b32_e32 v1, 1, v3\nv_cmp_eq_u32_e32 vcc, 1, v1\n"
        "s_and_saveexec_b64 s[10:11], vcc", "vcc",
    ),
    "VCC of a shifted byte": (
        V + "v_bfe_u32 v1, v3, 8, 8\nv_lshlrev_b32_e32 v1, 2, v1\nv_cmp_lt_u32_e32 vcc, s4, v1\n"
        "s_and_b64 vcc, exec, vcc\ns_cbranch_vccz 0", "vcc",
    ),
    "SCC behind two copies": (
        "v_mov_b32_e32 v3, s8\nv_readfirstlane_b32 s10, v3\ns_cmp_lg_u32 s10, s4\ns_cbranch_scc1 0",
        "scc",
    ),
    "SCC selects an address": (
        S + "s_cmp_eq_u32 s10, 0\ns_cselect_b64 s[12:13], s[4:5], s[6:7]\n"
        "s_load_dword s14, s[12:13], 0x0",
        "s[12:13]",
    ),
    "a conditional move": (
        "s_mov_b64 s[10:11], s[8:9]\ns_mov_b64 s[12:13], s[4:5]\ns_cmp_eq_u32 s10, 0\n"
        "s_cmov_b64 s[12:13], s[6:7]\ns_load_dword s14, s[12:13], 0x0",
        "s[12:13]",
    ),
    "VCC of a comparison": (V + "v_cmp_gt_u32_e32 vcc, s4, v3\ns_cbranch_vccnz 0", "vcc"),
    "EXEC of a comparison": (
        V + "v_cmp_eq_u32_e64 s[10:11], v3, v0\ns_and_saveexec_b64 s[12:13], s[10:11]", "s[10:11]"
    ),
    "EXEC of a comparison of floats": (
        V + "v_cmp_lt_f32_e32 vcc, 1.0, v3\ns_and_b64 exec, exec, vcc", "vcc"
    ),
    "v_cmpx": (V + "v_cmpx_eq_u32_e32 vcc, v3, v0", "v3"),
    "a descriptor's half": (
        "v_readlane_b32 s12, v5, 0\nv_readlane_b32 s13, v5, 1\ns_mov_b64 s[14:15], s[4:5]\n"
        "buffer_load_dword v2, v0, s[12:15], 0 offen",
        "s[12:13]",
    ),
    "a jump": ("v_writelane_b32 v20, s8, 2\nv_writelane_b32 v20, s9, 3\ns_nop 3\n"
               "v_readlane_b32 s12, v20, 2\nv_readlane_b32 s13, v20, 3\ns_setpc_b64 s[12:13]",
               "s[12:13]"),
    "M0": ("v_readfirstlane_b32 s10, v5\ns_mov_b32 m0, s10\n"
           "buffer_load_dword v0, s[0:3], 0 offen lds", "m0"),
}  # fmt: skip


@pytest.mark.parametrize("name", DECIDES)
def test_what_a_copy_decides(name: str) -> None:
    text, what = DECIDES[name]
    assert uses(text) == [(text.count("\n"), what)]
    good = text.replace("v5", "v0").replace("s[8:9]", "s[6:7]").replace("s8", "s7")
    assert uses(good.replace("s9", "s6")) == []


QUIET = {
    "a product may be with zero": S + "s_mul_i32 s12, s10, s4\ns_mov_b32 s13, s5\n"
    "s_load_dword s14, s[12:13], 0x0",
    "a bit field": V + "v_bfe_u32 v1, v3, 4, 8\nglobal_load_dword v2, v1, s[4:5]",
    "a bit that is masked out": S + "s_and_b32 s10, s10, 0xff\ns_bitcmp1_b32 s10, 9\n"
    "s_cbranch_scc1 0",
    "more than a masked byte can be": S + "s_and_b32 s10, s10, 0xff\ns_cmp_eq_u32 s10, 0x100\n"
    "s_cbranch_scc1 0",
    "a word beside a defined one": V + "v_mov_b32_e32 v1, 0\n"
    "v_mov_b32_sdwa v1, v3 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0\n"
    "global_store_dword v0, v1, s[4:5]",
    "a lane that was written": "v_mov_b32_e32 v20, v5\nv_writelane_b32 v20, s4, 7\ns_nop 3\n"
    "v_readlane_b32 s12, v20, 7\ns_mov_b32 s13, s5\ns_load_dword s14, s[12:13], 0x0",
    "DPP that keeps most lanes": "v_mov_b32_e32 v1, 0\n" + V
    + "v_mov_b32_dpp v1, v3 row_shr:15" + ROWS + "\nglobal_load_dword v2, v1, s[4:5]",
    "rows that were not exchanged": V + "v_mov_b32_e32 v1, 0\nv_swap_b32 v1, v3\n"
    "v_swap_b32 v1, v3\nglobal_load_dword v2, v1, s[4:5]",
    "the other of a pair": V + "ds_write2_b32 v0, v0, v3 offset0:2 offset1:3\n"
    "ds_read2_b32 v[8:9], v0 offset0:2 offset1:3" + LGKM
    + "\nglobal_load_dword v2, v8, s[4:5]",
    "a pair overwritten in one half": V + "ds_write2_b32 v0, v3, v3 offset1:1\n"
    "ds_write_b32 v0, v0 offset:4\nds_read_b32 v1, v0 offset:4" + LGKM
    + "\nglobal_load_dword v2, v1, s[4:5]",
    "another constant": V + "v_mov_b32_e32 v7, 0x40\nds_write_b32 v7, v3 offset:8\n"
    "v_mov_b32_e32 v7, 4\nds_read_b32 v1, v7 offset:72" + LGKM
    + "\nglobal_load_dword v2, v1, s[4:5]",
    "overwritten at the same constant": V + "v_mov_b32_e32 v7, 0\nds_write_b32 v7, v3 offset:8\n"
    "v_mov_b32_e32 v8, 8\nds_write_b32 v8, v0\nds_read_b32 v1, v8" + LGKM
    + "\nglobal_load_dword v2, v1, s[4:5]",
    "a copy that is not used": "ds_bpermute_b32 v1, v0, v5" + LGKM,
}  # fmt: skip


@pytest.mark.parametrize("name", QUIET)
def test_what_may_be_defined(name: str) -> None:
    assert uses(QUIET[name]) == []


def test_a_lane_that_nothing_wrote_among_others_that_were() -> None:
    text = (
        "v_mov_b32_e32 v20, v5\nv_writelane_b32 v20, s4, 7\ns_nop 3\nv_readlane_b32 s12, v20, 6\n"
    )
    text += "s_mov_b32 s13, s5\ns_load_dword s14, s[12:13], 0x0"
    assert uses(text) == [(5, "s12")]


def test_the_first_lane_is_lane_0_unless_exec_changes() -> None:
    text = (
        "v_mov_b32_e32 v20, 0\nv_writelane_b32 v20, s8, 0\ns_nop 3\nv_readfirstlane_b32 s12, v20\n"
    )
    text += "s_mov_b32 s13, s5\ns_load_dword s14, s[12:13], 0x0"
    assert uses(text) == [(5, "s12")]
    assert uses("s_mov_b64 exec, s[6:7]\n" + text) == []


def test_lanes_go_through_a_spill() -> None:
    """SGPRs in lanes of a VGPR that is spilled, as compilers do it."""
    text = "v_mov_b32_e32 v20, 0\nv_writelane_b32 v20, s8, 0\nv_writelane_b32 v20, s5, 1\n"
    text += "scratch_store_dword off, v20, off offset:4\nv_mov_b32_e32 v20, 0\n"
    text += "scratch_load_dword v20, off, off offset:4\ns_waitcnt vmcnt(0)\n"
    text += "v_readlane_b32 s12, v20, 0\nv_readlane_b32 s13, v20, 1\n"
    text += "s_load_dword s14, s[12:13], 0x0"
    assert uses(text) == [(9, "s12")]


def test_lanes_that_were_off_may_hold_a_value() -> None:
    """EXEC is narrowed before the copy, and the address is used with all lanes."""
    text = "v_mov_b32_e32 v1, 0\n" + V + "s_and_saveexec_b64 s[10:11], s[6:7]\n"
    text += "v_mov_b32_dpp v1, v3 quad_perm:[1,0,3,2]" + ROWS
    text += "\ns_mov_b64 exec, s[10:11]\nglobal_load_dword v2, v1, s[4:5]"
    assert uses(text) == []


def test_an_edit_that_copies_an_undefined_register_is_worse_than_k0() -> None:
    """K0 moves defined registers through lanes, and an edit names others; K0 may do so itself."""
    k0 = "v_readlane_b32 s12, v0, 0\ns_mov_b32 s13, s5\ns_load_dword s14, s[12:13], 0x0"
    edited = k0.replace("v0, 0", "v5, 0")
    first, second = check(k0), check(edited)
    worse = errors(worse_findings(first[1], first[0], second[1], second[0]))
    assert ("register.undefined", 2) in [(f.rule, f.index) for f in worse]
    assert errors(worse_findings(second[1], second[0], second[1], second[0])) == []
