"""Undefined values behind copies: an error at the use that they decide, and nowhere else.

The case `undefined-descriptor-base` of a public report (K through lanes, K2 through a 64-bit move),
and others of its kind. Judged by hand: s[8:9], v5 and a2 are never written.
"""

from __future__ import annotations

import pytest
from text_program import TextProgram

from asmevo.check.findings import errors
from asmevo.check.rules.registers import Limits, check_registers
from asmevo.isa.operand import EXEC, MODE, VGPR0

LIMITS = Limits(vgprs=64, agprs=64, sgprs=96, unified=128)
ENTRY = 0xFF | 1 << VGPR0 | 3 << EXEC | 1 << MODE  # s0..s7 and v0


def found(text: str, arch: str = "gfx942") -> list[tuple[str, int, str, int | None]]:
    view = TextProgram.of(text + "\ns_endpgm", arch).view()
    some = errors(check_registers(view, LIMITS, {0: ENTRY}))
    return [(f.rule, f.index, f.what, f.producer) for f in some]


def used(index: int, what: str, producer: int | None) -> list[tuple[str, int, str, int | None]]:
    return [("register.undefined", index, what, producer)]


LOAD = "buffer_load_dword v2, v0, s[12:15], 0 offen"
REST = "s_mov_b32 s14, 0x100\ns_mov_b32 s15, 0x00027000\n"


def test_case_undefined_descriptor_base_through_lanes() -> None:
    text = "v_writelane_b32 v20, s8, 0\nv_writelane_b32 v20, s9, 1\ns_nop 1\n"
    text += "v_readlane_b32 s12, v20, 0\nv_readlane_b32 s13, v20, 1\n" + REST + LOAD
    assert found(text) == used(7, "s[12:13]", 0)
    # One lane written with a value, the other read back: still undefined.
    half = text.replace("v_writelane_b32 v20, s9, 1", "v_writelane_b32 v20, s7, 1")
    assert found(half) == used(7, "s12", 0)
    whole = half.replace("v_writelane_b32 v20, s8, 0", "v_writelane_b32 v20, s6, 0")
    assert found(whole) == []


def test_case_undefined_descriptor_base_through_a_move() -> None:
    assert found(f"s_mov_b64 s[12:13], s[8:9]\n{REST}{LOAD}") == used(3, "s[12:13]", 0)
    assert found(f"s_mov_b64 s[12:13], s[6:7]\n{REST}{LOAD}") == []
    again = f"s_mov_b64 s[12:13], s[8:9]\n{REST}s_mov_b64 s[12:13], s[6:7]\n{LOAD}"
    assert found(again) == []


COPIES = [
    ("v_mov_b32_e32 v1, v5", "v1"),
    ("v_accvgpr_write_b32 a1, v5\nv_accvgpr_read_b32 v1, a1", "v1"),
    ("v_accvgpr_read_b32 v1, a2", "v1"),
    ("s_mov_b32 s10, s8\nv_mov_b32_e32 v1, s10", "v1"),
    ("v_mov_b32_e32 v3, v5\nv_mov_b32_e32 v6, v5\nv_cndmask_b32_e32 v1, v3, v6, vcc", "v1"),
    ("v_mov_b32_e32 v3, v5\nv_lshlrev_b32_e32 v1, 2, v3", "v1"),
    ("v_mov_b32_e32 v3, v5\nv_add_u32_e32 v1, s4, v3", "v1"),
    ("v_mov_b32_e32 v3, v5\nscratch_store_dword off, v3, off offset:8\n"
     "scratch_load_dword v1, off, off offset:8\ns_waitcnt vmcnt(0)", "v1"),
    ("v_mov_b32_e32 v3, v5\nds_write_b32 v0, v3 offset:4\nds_read_b32 v1, v0 offset:4\n"
     "s_waitcnt lgkmcnt(0)", "v1"),
    ("v_mov_b64_e32 v[8:9], v[4:5]\nv_mov_b32_e32 v1, v9", "v1"),
    ("v_mov_b32_e32 v3, v5\nv_mov_b32_e32 v1, 0\nv_swap_b32 v1, v3", "v1"),
]  # fmt: skip


@pytest.mark.parametrize(("copy", "name"), COPIES, ids=[c[0].split("\n")[-1] for c in COPIES])
def test_the_use_as_an_address_is_found_behind(copy: str, name: str) -> None:
    text = f"s_mov_b64 vcc, 0\n{copy}\nglobal_load_dword v2, v1, s[4:5]"
    (one,) = [f for f in found(text) if "global" in text.splitlines()[f[1]]]
    assert one[:3] == ("register.undefined", text.count("\n"), name)
    # With a value instead of the register that nothing wrote, nothing is left to say.
    good = (
        text.replace("v5", "v0")
        .replace("s8", "s7")
        .replace("a2", "a3")
        .replace("v[4:5]", "v[40:41]")
    )
    good = "v_accvgpr_write_b32 a3, v0\nv_mov_b32_e32 v40, 0\nv_mov_b32_e32 v41, 0\n" + good
    assert found(good) == []


USES = [
    ("s_mov_b64 s[10:11], s[8:9]\ns_load_dword s20, s[10:11], 0x0", "s[10:11]"),
    ("s_mov_b64 s[10:11], s[8:9]\ns_and_saveexec_b64 s[20:21], s[10:11]", "s[10:11]"),
    ("s_mov_b64 s[10:11], s[8:9]\ns_mov_b64 exec, s[10:11]", "s[10:11]"),
    ("s_mov_b64 exec, s[8:9]", "s[8:9]"),
    ("s_mov_b64 vcc, s[8:9]\ns_cbranch_vccz 0", "vcc"),
    ("s_mov_b64 s[10:11], s[8:9]\ns_setpc_b64 s[10:11]", "s[10:11]"),
    ("s_mov_b32 m0, s8\nbuffer_load_dword v0, s[0:3], 0 offen lds", "m0"),
    ("s_mov_b32 s10, s8\nbuffer_load_dword v2, v0, s[0:3], s10 offen", "s10"),
    ("v_mov_b32_e32 v1, v5\nds_read_b32 v2, v1", "v1"),
    ("v_mov_b32_e32 v1, v5\nglobal_store_dword v0, v1, s[4:5]", "v1"),
    ("v_mov_b32_e32 v1, v5\nglobal_atomic_add v0, v1, s[4:5]", "v1"),
    ("v_mov_b32_e32 v1, v5\nscratch_store_dword v1, v0, off", "v1"),
    ("scratch_store_dword v5, v0, off", "v5"),
]


@pytest.mark.parametrize(("text", "name"), USES, ids=[u[0].split("\n")[-1] for u in USES])
def test_what_decides_something_is_a_use(text: str, name: str) -> None:
    (one,) = found(text)
    assert one[0] == "register.undefined"
    assert one[1] == text.count("\n")
    assert one[2].replace("s[106:107]", "vcc").replace("s124", "m0") == name


QUIET = {
    "a part of a stored tuple": "v_mov_b32_e32 v8, 0\nv_mov_b32_e32 v9, v5\n"
    "global_store_dwordx2 v0, v[8:9], s[4:5]",
    "an and with a mask": "v_mov_b32_e32 v3, v5\nv_and_b32_e32 v1, 0xff, v3\n"
    "global_load_dword v2, v1, s[4:5]",
    "a selection of a value": "s_mov_b64 vcc, 0\nv_mov_b32_e32 v3, v5\n"
    "v_cndmask_b32_e32 v1, v3, v0, vcc\nglobal_load_dword v2, v1, s[4:5]",
    "a copy that is never used": "v_mov_b32_e32 v3, v5\nglobal_load_dword v2, v0, s[4:5]",
    "another place of the spill": "v_mov_b32_e32 v3, v5\nscratch_store_dword off, v3, off\n"
    "scratch_store_dword off, v0, off offset:8\nscratch_load_dword v1, off, off offset:8\n"
    "s_waitcnt vmcnt(0)\nglobal_load_dword v2, v1, s[4:5]",
    "a spill behind a barrier": "v_mov_b32_e32 v3, v5\nds_write_b32 v0, v3\ns_barrier\n"
    "ds_read_b32 v1, v0\ns_waitcnt lgkmcnt(0)\nglobal_load_dword v2, v1, s[4:5]",
    "x ^ x": "v_mov_b32_e32 v3, v5\nv_xor_b32_e32 v1, v3, v3\nglobal_load_dword v2, v1, s[4:5]",
    "defined on the other path": "s_cmp_eq_u32 s4, 0\ns_cbranch_scc0 near\nv_mov_b32_e32 v1, v5\n"
    "s_branch far\nnear:\nv_mov_b32_e32 v1, 0\nfar:\nglobal_load_dword v2, v1, s[4:5]",
    "other lanes hold a value": "v_mov_b32_e32 v1, 0\ns_and_saveexec_b64 s[10:11], s[6:7]\n"
    "v_mov_b32_e32 v1, v5\ns_mov_b64 exec, s[10:11]\nglobal_load_dword v2, v1, s[4:5]",
    "a lane of a copy that was written": "v_mov_b32_e32 v20, v5\nv_writelane_b32 v20, s4, 0\n"
    "s_nop 3\nv_readlane_b32 s10, v20, 0\nbuffer_load_dword v2, v0, s[0:3], s10 offen",
    "behind a call": "s_mov_b32 s10, s8\ns_swappc_b64 s[30:31], s[4:5]\n"
    "buffer_load_dword v2, v0, s[0:3], s10 offen",
}


@pytest.mark.parametrize("name", QUIET)
def test_what_may_be_defined_is_no_error(name: str) -> None:
    assert found(QUIET[name]) == []


def test_on_every_path_and_around_a_loop() -> None:
    both = "s_cmp_eq_u32 s4, 0\ns_cbranch_scc0 near\nv_mov_b32_e32 v1, v5\ns_branch far\nnear:\n"
    both += "v_mov_b32_e32 v1, v6\nfar:\nglobal_load_dword v2, v1, s[4:5]"
    assert [f[1:3] for f in found(both)] == [(5, "v1")]
    loop = "v_mov_b32_e32 v3, v5\nagain:\nv_mov_b32_e32 v1, v3\nglobal_load_dword v2, v1, s[4:5]\n"
    loop += "s_cmp_eq_u32 s4, 0\ns_cbranch_scc0 again"
    assert [f[1:] for f in found(loop)] == [(2, "v1", 0)]
