"""Values that depend on places, and indexed registers, may not newly enter.

Cases `A01_hardcoded_addresses` and `A22_registers_beyond_allocation`, and their kin. What each
instruction reads is from the CDNA3 ISA (program counter, apertures, GPR indexing).
"""

from __future__ import annotations

import pytest

from asmevo.check.comparison import compare_objects, examine
from asmevo.codeobject import CodeObject
from reference.assembly import HEAD, built

PLAIN = (
    HEAD
    + """v_mov_b32_e32 v9, 0
s_movk_i32 s20, 0x40
v_mov_b32_e32 v4, s6
v_mov_b32_e32 v5, s7
v_add_co_u32_e32 v4, vcc, v4, v1
v_addc_co_u32_e32 v5, vcc, v5, v9, vcc
global_load_dword v2, v1, s[4:5]
s_waitcnt vmcnt(0)
v_add_u32_e32 v3, 1, v2
global_store_dword v[4:5], v3, off
s_endpgm
"""
)


def refused(old: str, new: str, arch: str = "gfx942") -> set[str]:
    """What kinds of sources the edit is refused for."""
    assert PLAIN.count(old) == 1, old
    k0 = examine(CodeObject.open(built({"k": PLAIN}, arch)))
    k1 = CodeObject.open(built({"k": PLAIN.replace(old, new)}, arch))
    return {f.what for f in compare_objects(k0, k1).findings if f.rule == "against.source"}


ADD = "v_add_u32_e32 v3, 1, v2\n"
LOAD = "global_load_dword v2, v1, s[4:5]\n"
WRONG = {
    "literal base": (LOAD, "s_mov_b32 s22, 0x7c020000\ns_mov_b32 s23, 0x7c02\n"
                     "global_load_dword v2, v1, s[22:23]\n", "a constant address"),
    "literal made of parts": (LOAD, "s_movk_i32 s23, 0x7c0\ns_lshl_b32 s23, s23, 4\n"
                              "s_mov_b32 s22, 64\nglobal_load_dword v2, v1, s[22:23]\n",
                              "a constant address"),
    "literal added": ("v_mov_b32_e32 v5, s7\n", "v_mov_b32_e32 v5, 0x7c04\n",
                      "a constant address"),
    "literal chosen": (LOAD, "s_mov_b32 s22, 64\ns_mov_b32 s23, 0x7c02\ns_cmp_eq_u32 s8, 1\n"
                       "s_cmov_b32 s23, 0x7c03\nglobal_load_dword v2, v1, s[22:23]\n",
                       "a constant address"),
    "scalar load": (LOAD, LOAD + "s_mov_b32 s22, 64\ns_mov_b32 s23, 0x7c02\n"
                    "s_load_dword s24, s[22:23], 0x0\n", "a constant address"),
    "program counter": (ADD, "s_getpc_b64 s[22:23]\nv_add_u32_e32 v3, s22, v2\n",
                        "the program counter"),
    "shared aperture": (ADD, "s_mov_b64 s[22:23], src_shared_base\nv_add_u32_e32 v3, s23, v2\n",
                        "an aperture"),
    "private limit": (ADD, "s_mov_b64 s[22:23], src_private_limit\nv_add_u32_e32 v3, s23, v2\n",
                      "an aperture"),
    "trap register": (ADD, "s_mov_b32 s22, ttmp7\nv_add_u32_e32 v3, s22, v2\n", "trap registers"),
    "kernarg address": (ADD, "v_add_u32_e32 v3, s0, v2\n", "a pointer of the runtime"),
    "kernarg address compared": (ADD, ADD + "s_cmp_eq_u32 s0, 64\n", "a pointer of the runtime"),
    "destination by index": (ADD, ADD + "s_set_gpr_idx_on s20, gpr_idx(DST)\n"
                             "v_mov_b32_e32 v6, v3\ns_set_gpr_idx_off\n", "indexed registers"),
    "source by index": (ADD, ADD + "s_mov_b32 m0, s20\ns_movrels_b32 s22, s20\n",
                        "indexed registers"),
    "scalar destination": (ADD, ADD + "s_mov_b32 m0, s20\ns_movreld_b32 s22, s20\n",
                           "indexed registers"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("arch", ["gfx942", "gfx90a"])
def test_a_new_source_is_refused_by_name(name: str, arch: str) -> None:
    old, new, kind = WRONG[name]
    assert kind in refused(old, new, arch)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (ADD, "v_add_u32_e32 v3, 0x7c02, v2\n"),  # a constant in data is no address
        (ADD, ADD + "s_mov_b64 s[22:23], 0\n"),
        ("s_movk_i32 s20, 0x40\n", ""),
        # A wide constant is a stride: its upper half is the sign.
        (ADD, ADD + "s_mov_b64 s[22:23], 0x400\nv_lshl_add_u64 v[6:7], v[4:5], 0, s[22:23]\n"),
        (LOAD, "s_mov_b32 s22, s4\ns_mov_b32 s23, s5\nglobal_load_dword v2, v1, s[22:23]\n"),
        ("v_addc_co_u32_e32 v5, vcc, v5, v9, vcc\n", "v_addc_co_u32_e64 v5, vcc, v5, 0, vcc\n"),
        ("v_mov_b32_e32 v9, 0\n", "s_nop 0\nv_mov_b32_e32 v9, 0\n"),
    ],
)
def test_honest_edits_use_no_new_source(old: str, new: str) -> None:
    assert refused(old, new) == set()


def test_what_the_original_uses_may_stay_and_move() -> None:
    """A PC-relative address of the original, one instruction further down."""
    pc = "s_getpc_b64 s[22:23]\n"
    old = PLAIN.replace(ADD, pc + ADD)
    k0 = examine(CodeObject.open(built({"k": old})))
    moved = CodeObject.open(built({"k": PLAIN.replace(ADD, "s_nop 0\n" + pc + ADD)}))
    assert [f for f in compare_objects(k0, moved).findings if f.rule == "against.source"] == []


def test_an_address_from_the_program_counter_is_no_constant() -> None:
    """One more store through a PC-relative address of the original."""
    pc = "s_getpc_b64 s[22:23]\ns_add_u32 s22, s22, 64\ns_addc_u32 s23, s23, 0\n"
    store = "global_store_dword v1, v3, s[22:23]\n"
    old, new = (PLAIN.replace(ADD, ADD + pc + store * n) for n in (1, 2))
    k0 = examine(CodeObject.open(built({"k": old})))
    found = compare_objects(k0, CodeObject.open(built({"k": new}))).findings
    assert [f for f in found if f.rule == "against.source"] == []
