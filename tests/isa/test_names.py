"""Aliases: where LLVM still takes the old spelling, both give the same bytes."""

from __future__ import annotations

import pytest

from asmevo.isa.codec.llvm import assembler
from asmevo.isa.names import ALIASES, canonical
from asmevo.isa.target import Target

# architecture, newer text, GFX9 mnemonic
PAIRS = [
    ("gfx1100", "ds_load_b32 v1, v2", "ds_read_b32"),
    ("gfx1100", "ds_load_2addr_b32 v[0:1], v2 offset1:1", "ds_read2_b32"),
    ("gfx1100", "ds_load_2addr_stride64_b64 v[0:3], v4", "ds_read2st64_b64"),
    ("gfx1100", "ds_store_b16 v1, v2", "ds_write_b16"),
    ("gfx1100", "ds_storexchg_rtn_b32 v1, v2, v3", "ds_wrxchg_rtn_b32"),
    ("gfx1100", "global_load_b64 v[0:1], v[2:3], off", "global_load_dwordx2"),
    ("gfx1100", "global_load_u8 v1, v[2:3], off", "global_load_ubyte"),
    ("gfx1100", "global_load_d16_hi_b16 v1, v[2:3], off", "global_load_short_d16_hi"),
    ("gfx1100", "buffer_store_b8 v1, off, s[4:7], 0", "buffer_store_byte"),
    ("gfx1100", "s_load_b256 s[8:15], s[2:3], 0x0", "s_load_dwordx8"),
    ("gfx1100", "s_buffer_load_b32 s0, s[4:7], 0x0", "s_buffer_load_dword"),
    ("gfx1100", "global_atomic_add_u32 v[2:3], v1, off", "global_atomic_add"),
    ("gfx1100", "global_atomic_min_i64 v[2:3], v[4:5], off", "global_atomic_smin_x2"),
    ("gfx1100", "s_and_not1_b64 s[0:1], s[2:3], s[4:5]", "s_andn2_b64"),
    ("gfx1100", "s_and_not1_saveexec_b32 s0, s1", "s_andn2_saveexec_b32"),
    ("gfx1100", "s_and_not0_saveexec_b64 s[0:1], s[2:3]", "s_andn1_saveexec_b64"),
    ("gfx1100", "s_ctz_i32_b32 s0, s1", "s_ff1_i32_b32"),
    ("gfx1100", "s_clz_i32_u32 s0, s1", "s_flbit_i32_b32"),
    ("gfx1200", "s_add_co_u32 s0, s1, s2", "s_add_u32"),
    ("gfx1200", "s_add_co_ci_u32 s0, s1, s2", "s_addc_u32"),
    ("gfx1100", "v_clz_i32_u32_e32 v0, v1", "v_ffbh_u32_e32"),
    ("gfx1100", "v_cvt_floor_i32_f32_e32 v0, v1", "v_cvt_flr_i32_f32_e32"),
    ("gfx1250", "s_set_pc_i64 s[0:1]", "s_setpc_b64"),
    ("gfx1250", "s_swap_pc_i64 s[0:1], s[2:3]", "s_swappc_b64"),
]


@pytest.mark.parametrize(("arch", "text", "old"), PAIRS, ids=[p[2] for p in PAIRS])
def test_llvm_takes_both_spellings_for_one_encoding(arch: str, text: str, old: str) -> None:
    mnemonic, _, rest = text.partition(" ")
    suffix = "_e32" if mnemonic.endswith("_e32") else ""
    assert canonical(mnemonic.removesuffix(suffix)) == old.removesuffix(suffix)
    code = assembler(Target(arch))
    assert code.assemble(f"{old} {rest}") == code.assemble(text)


def test_a_canonical_name_stays() -> None:
    for new, old in ALIASES.items():
        assert canonical(new) == old
        assert canonical(old) == old
    for name in ("global_load_dwordx4", "ds_read2_b32", "v_mov_b32", "ds_cmpst_b32", "s_load_u8"):
        assert canonical(canonical(name)) == canonical(name)


def test_swapped_operands_are_no_alias() -> None:
    assert canonical("ds_cmpstore_rtn_b32") == "ds_cmpstore_rtn_b32"
