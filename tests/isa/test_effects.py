"""Operand roles against the ISA's operand tables and LLVM's `Uses`, `Defs` and tied operands.

EXEC and MODE are left out of the expectations of vector instructions: all of them read both.
"""

from __future__ import annotations

import pytest

from asmevo.isa.operand import EXEC, MODE
from asmevo.isa.target import Target
from isa.records import record, units

_EVERY = {EXEC, EXEC + 1, MODE}

# architecture, text, units written, units read, units of them that are kept in part
ROLES: list[tuple[str, str, str, str, str]] = [
    # --- halves of registers (RDNA3 ISA, "VGPR 16-bit operands") -----------------------------
    ("gfx1100", "v_mov_b16_e32 v1.l, v2.h", "v1", "v1 v2", "v1"),
    ("gfx1100", "v_add_f16_e32 v1.h, v2.l, v3.h", "v1", "v1 v2 v3", "v1"),
    ("gfx1100", "v_fma_f16 v1.h, v2.l, v3.h, |v4.l|", "v1", "v1 v2 v3 v4", "v1"),
    ("gfx1100", "v_cvt_f32_f16_e32 v1, v2.h", "v1", "v2", ""),
    ("gfx1100", "v_cmp_lt_f16_e32 vcc_lo, v1.l, v2.h", "vcc_lo", "v1 v2", ""),
    ("gfx1100", "v_fmac_f16_e32 v1.l, v2.l, v3.l", "v1", "v1 v2 v3", ""),
    ("gfx1250", "v_mov_b16_e32 v1.l, v2.h", "v1", "v1 v2", "v1"),
    ("gfx1250", "v_cvt_f16_f32_e32 v1.h, v2", "v1", "v1 v2", "v1"),
    ("gfx942", "v_fma_f16 v1, v2, v3, v4 op_sel:[0,0,0,1]", "v1", "v1-4", "v1"),
    # --- loads into half a register: LLVM ties the result to `vdst_in` ------------------------
    ("gfx942", "global_load_short_d16 v1, v2, s[4:5]", "v1", "v1 v2 s4-5", "v1"),
    ("gfx942", "ds_read_u16_d16_hi v1, v2", "v1", "v1 v2", "v1"),
    ("gfx1100", "global_load_d16_b16 v1, v[2:3], off", "v1", "v1-3", "v1"),
    ("gfx1100", "global_load_d16_hi_u8 v1, v[2:3], off", "v1", "v1-3", "v1"),
    ("gfx1200", "ds_load_u8_d16 v1, v2", "v1", "v1 v2", "v1"),
    ("gfx1100", "global_load_u16 v1, v[2:3], off", "v1", "v2-3", ""),
    # --- dual issue (RDNA3 ISA 7.6): both results; an implicit VCC_LO ------------------------
    ("gfx1100", "v_dual_mul_f32 v1, v2, v4 :: v_dual_mov_b32 v6, v5", "v1 v6", "v2 v4 v5", ""),
    ("gfx1100", "v_dual_fmac_f32 v1, v2, v4 :: v_dual_add_f32 v6, v5, v7", "v1 v6",
     "v1 v2 v4 v5 v7", ""),
    ("gfx1100", "v_dual_cndmask_b32 v1, v2, v3 :: v_dual_mov_b32 v4, v5", "v1 v4",
     "v2 v3 v5 vcc_lo", ""),
    ("gfx1200", "v_dual_mov_b32 v1, v4 :: v_dual_mov_b32 v4, v1", "v1 v4", "v1 v4", ""),
    # --- program counter under both spellings (LLVM SOPInstructions.td) -----------------------
    ("gfx942", "s_setpc_b64 s[0:1]", "", "s0-1", ""),
    ("gfx1250", "s_set_pc_i64 s[0:1]", "", "s0-1", ""),
    ("gfx942", "s_swappc_b64 s[0:1], s[2:3]", "s0-1", "s2-3", ""),
    ("gfx1250", "s_swap_pc_i64 s[0:1], s[2:3]", "s0-1", "s2-3", ""),
    ("gfx1250", "s_get_pc_i64 s[0:1]", "s0-1", "", ""),
    ("gfx1250", "s_add_pc_i64 s[0:1]", "", "s0-1", ""),
    ("gfx1250", "s_rfe_i64 s[0:1]", "", "s0-1", ""),
    ("gfx1250", "s_add_nc_u64 s[0:1], s[2:3], s[4:5]", "s0-1", "s2-5", ""),
    # --- M0 (LLVM `Uses`): cases gfx1250-async-m0 and its siblings -----------------------------
    ("gfx1250", "global_load_async_to_lds_b32 v1, v2, s[8:9]", "", "v1 v2 s8-9", ""),
    ("gfx1250", "global_load_async_to_lds_b128 v1, v[2:3], off", "", "v1-3", ""),
    ("gfx1250", "global_store_async_from_lds_b32 v1, v2, s[8:9]", "", "v1 v2 s8-9", ""),
    ("gfx1250", "cluster_load_async_to_lds_b32 v1, v2, s[8:9]", "", "v1 v2 s8-9 m0", ""),
    ("gfx942", "global_load_lds_dword v[2:3], off", "", "v2-3 m0", ""),
    ("gfx942", "buffer_load_dword v1, s[4:7], 0 offen lds", "", "v1 s4-7 m0", ""),
    ("gfx942", "ds_append v1", "v1", "m0", ""),
    ("gfx942", "ds_read_b32 v1, v2", "v1", "v2", ""),
    ("gfx942", "ds_read_addtid_b32 v1", "v1", "m0", ""),
    ("gfx942", "s_sendmsg sendmsg(MSG_INTERRUPT)", "", "m0 exec", ""),
    ("gfx1100", "s_sendmsg_rtn_b32 s0, sendmsg(MSG_RTN_GET_DOORBELL)", "s0", "", ""),
    ("gfx1100", "lds_param_load v1, attr0.x wait_vdst:0", "v1", "m0", ""),
    ("gfx1100", "v_interp_p10_f32 v0, v1, v2, v3 wait_exp:0", "v0", "v1-3", ""),
    ("gfx1200", "s_barrier_signal m0", "", "m0", ""),
    ("gfx1200", "s_barrier_signal_isfirst -1", "scc", "", ""),
    ("gfx1200", "s_get_barrier_state s0, -1", "s0", "", ""),
    ("gfx1250", "s_alloc_vgpr s4", "scc", "s4", ""),
    # --- FLAT_SCRATCH where it is a pair of SGPRs -----------------------------------------------
    ("gfx90a", "scratch_load_dword v1, v2, off", "v1", "v2 fs", ""),
    ("gfx90a", "flat_load_dword v1, v[2:3]", "v1", "v2-3 fs", ""),
    ("gfx942", "scratch_load_dword v1, v2, off", "v1", "v2", ""),
    ("gfx942", "flat_load_dword v1, v[2:3]", "v1", "v2-3", ""),
    # --- SCC, VCC and MODE -----------------------------------------------------------------------
    ("gfx942", "s_addc_u32 s0, s1, s2", "s0 scc", "s1 s2 scc", ""),
    ("gfx1200", "s_maximum_f32 s0, s1, s2", "s0", "s1 s2 mode", ""),
    ("gfx1150", "s_add_f32 s0, s1, s2", "s0", "s1 s2 mode", ""),
    ("gfx1150", "s_fmac_f32 s0, s1, s2", "s0", "s0-2 mode", ""),
    ("gfx1150", "s_fmamk_f32 s0, s1, 0x41200000, s2", "s0", "s1 s2 mode", ""),
    ("gfx942", "s_mul_i32 s0, s1, s2", "s0", "s1 s2", ""),
    ("gfx942", "s_andn2_saveexec_b64 s[0:1], s[2:3]", "s0-1 exec scc", "s2-3 exec", ""),
    ("gfx942", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 3", "mode", "mode", "mode"),
    ("gfx942", "s_set_gpr_idx_on s4, gpr_idx(SRC0)", "m0 mode", "s4 m0 mode", "m0 mode"),
    ("gfx942", "s_set_gpr_idx_off", "mode", "mode", "mode"),
    ("gfx942", "v_div_fmas_f32 v1, v2, v3, v4", "v1", "v2-4 vcc", ""),
    ("gfx942", "v_addc_co_u32_e32 v1, vcc, v2, v3, vcc", "v1 vcc", "v2 v3 vcc", ""),
    ("gfx942", "v_cmpx_lt_f32_e64 s[4:5], v1, v2", "s4-5 exec", "v1 v2", ""),
    ("gfx1100", "v_cmpx_lt_f32_e32 v1, v2", "exec", "v1 v2", ""),
    # --- LDS with results under gfx11's names ------------------------------------------------
    ("gfx1100", "ds_storexchg_rtn_b32 v1, v2, v3", "v1", "v2 v3", ""),
    ("gfx942", "ds_wrxchg_rtn_b32 v1, v2, v3", "v1", "v2 v3", ""),
    ("gfx1100", "ds_bvh_stack_rtn_b32 v1, v2, v3, v[4:7]", "v1 v2", "v2-7", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("arch", "text", "defs", "uses", "partial"), ROLES, ids=[f"{r[0]}-{r[1]}" for r in ROLES]
)
def test_roles(arch: str, text: str, defs: str, uses: str, partial: str) -> None:
    found = record(text, arch)
    vector = not text.startswith("s_")
    hidden = _EVERY if vector else set()
    assert found.defs - hidden == units(defs) - hidden
    assert found.uses - hidden == units(uses) - hidden
    assert found.partial == units(partial)
    if vector and "exec" in defs:
        assert found.defs >= units("exec")


def test_every_operand_of_a_pair_has_its_place() -> None:
    found = record("v_dual_fmac_f32 v1, v2, v4 :: v_dual_add_f32 v6, v5, v7", "gfx1100")
    operands = found.inst.operands
    assert [str(operands[i].reg) for i in found.def_operands] == ["v1", "v6"]
    assert [str(operands[i].reg) for i in found.use_operands] == ["v1", "v2", "v4", "v5", "v7"]
    assert [h.inst.base for h in found.halves] == ["v_dual_fmac_f32", "v_dual_add_f32"]
    assert [h.defs for h in found.halves] == [units("v1"), units("v6")]


def test_what_arrives_late() -> None:
    assert record("ds_read_b64 v[2:3], v1", "gfx942").late_defs == units("v2-3")
    assert record("s_sendmsg_rtn_b64 s[2:3], sendmsg(MSG_RTN_GET_REALTIME)",
                  "gfx1100").late_defs == units("s2-3")  # fmt: skip
    assert record("s_barrier_signal_isfirst -1", "gfx1200").late_defs == units("scc")
    assert not record("global_store_dword v1, v2, s[4:5]", "gfx942").late_defs
    assert not record("v_mov_b32_e32 v1, v2", "gfx942").late_defs


def test_undecoded_bytes_have_no_roles() -> None:
    from asmevo.isa.decoded import decode
    from asmevo.isa.instruction import Instruction

    found = decode(Instruction(bytes(4), None), Target("gfx942"))
    assert (found.defs, found.uses, found.flow.changes) == (frozenset(), frozenset(), False)
