"""Defined on every path, inside the counts, aligned: small cases judged by hand."""

from __future__ import annotations

from asmevo.check.rules.registers import (
    Limits,
    check_registers,
    declared,
    entry_mask,
    used_registers,
)
from asmevo.codeobject import KernelDescriptor
from asmevo.isa.hazards.roles import units_of
from asmevo.isa.operand import EXEC, MODE, VGPR0
from asmevo.isa.target import Target

LIMITS = Limits(vgprs=64, agprs=64, sgprs=96, unified=128)
ENTRY = 0b1111 | 1 << VGPR0 | 3 << EXEC | 1 << MODE  # s0..s3 and v0


def found(text_view, text: str, arch: str = "gfx942", limits: Limits = LIMITS):
    view = text_view(text + "\ns_endpgm", arch)
    return [(f.rule, f.index, f.what) for f in check_registers(view, limits, {0: ENTRY})]


def test_reading_what_was_never_defined(text_view) -> None:
    assert found(text_view, "v_add_f32_e32 v1, v0, v2") == [("register.undefined", 0, "v2")]
    assert found(text_view, "s_add_u32 s4, s3, s5") == [("register.undefined", 0, "s5")]
    assert found(text_view, "v_mov_b32_e32 v2, 0\nv_add_f32_e32 v1, v0, v2") == []
    assert found(text_view, "s_cselect_b32 s4, s0, s1") == [("register.undefined", 0, "scc")]


def test_a_register_is_reported_once(text_view) -> None:
    text = "v_add_f32_e32 v1, v0, v2\nv_add_f32_e32 v1, v0, v2"
    assert found(text_view, text) == [("register.undefined", 0, "v2")]


def test_a_register_is_reported_once_in_a_block_of_any_length(text_view) -> None:
    use = "v_add_f32_e32 v1, v0, v2\n"
    for between in (1, 158, 159, 160, 161, 400):  # blocks are cut into pieces of some 160
        text = use + "s_nop 0\n" * between + use
        assert found(text_view, text) == [("register.undefined", 0, "v2")]
    # The next block tells it again.
    again = [("register.undefined", 0, "v2"), ("register.undefined", 2, "v2")]
    assert found(text_view, use + "s_branch next\nnext:\n" + use) == again


def test_one_path_without_definition_is_a_note(text_view) -> None:
    text = "s_cmp_eq_u32 s0, 0\ns_cbranch_scc0 skip\nv_mov_b32_e32 v2, 0\nskip:\n"
    text += "v_add_f32_e32 v1, v0, v2"
    assert found(text_view, text) == [("register.maybe-undefined", 3, "v2")]


def test_a_region_skipped_with_exec_zero_defines_its_registers(text_view) -> None:
    text = "s_and_saveexec_b64 s[4:5], s[0:1]\ns_cbranch_execz skip\nv_mov_b32_e32 v2, 0\nskip:\n"
    text += "v_add_f32_e32 v1, v0, v2"
    assert found(text_view, text) == []
    # Scalars have no lanes: the same skip does not define them.
    text = text.replace("v_mov_b32_e32 v2, 0", "s_mov_b32 s6, 0")
    text = text.replace("v0, v2", "v0, v0").replace(
        "v_add_f32_e32 v1", "v_mul_f32_e32 v1, s6, v0 ;"
    )
    assert found(text_view, text) == [("register.maybe-undefined", 3, "s6")]


def test_kept_halves_and_self_clearing_are_no_reads(text_view) -> None:
    assert found(text_view, "v_writelane_b32 v5, s0, 1") == []
    assert found(text_view, "v_xor_b32_e32 v5, v5, v5") == []
    assert found(text_view, "v_fmac_f32_e32 v5, v0, v0") == [("register.undefined", 0, "v5")]


def test_beyond_the_declared_counts(text_view) -> None:
    assert found(text_view, "v_mov_b32_e32 v63, 0") == []
    assert found(text_view, "v_mov_b32_e32 v128, 0") == [("register.beyond-count", 0, "v128")]
    assert found(text_view, "v_accvgpr_write_b32 a64, v0") == [("register.beyond-count", 0, "a64")]
    assert found(text_view, "s_mov_b32 s96, 0") == [("register.beyond-count", 0, "s96")]
    wide = found(text_view, "v_mov_b64_e32 v[62:63], 0", limits=Limits(63, 0, 96))
    assert wide == [("register.beyond-count", 0, "v63")]


def test_vgprs_above_accum_offset_are_noted_unless_agprs_are_used(text_view) -> None:
    assert found(text_view, "v_mov_b32_e32 v64, 0") == [("register.beyond-offset", 0, "v64")]
    mixed = "v_mov_b32_e32 v64, 0\nv_accvgpr_write_b32 a0, v0"
    assert found(text_view, mixed) == [("register.beyond-count", 0, "v64")]


def test_entry_state_follows_the_descriptor() -> None:
    target = Target("gfx942")
    d = KernelDescriptor.decode(bytes(64), target).replace(
        vgprs=128, accum_offset=64, sgprs=32, user_sgpr_count=6, enable_sgpr_workgroup_id_x=1,
        enable_sgpr_workgroup_id_y=1, kernarg_preload_length=4, enable_vgpr_workitem_id=2,
    )  # fmt: skip
    units = units_of(entry_mask(d))
    assert [u for u in units if u < 100] == list(range(8))
    assert [u for u in units if u >= VGPR0] == [VGPR0]  # packed work-item ids
    assert [u for u in units_of(entry_mask(d, preloaded=False)) if u < 100] == list(range(4))
    assert declared(d) == Limits(64, 64, 32, 128)
    old = KernelDescriptor.decode(bytes(64), Target("gfx908")).replace(enable_vgpr_workitem_id=2)
    assert [u for u in units_of(entry_mask(old)) if u >= VGPR0] == [VGPR0, VGPR0 + 1, VGPR0 + 2]


def test_used_registers_counts_only_reachable_code(text_view) -> None:
    view = text_view("v_mov_b32_e32 v7, s9\ns_endpgm\nv_mov_b32_e32 v100, 0\ns_endpgm")
    used = used_registers(view)
    assert (used.vgprs, used.agprs, used.sgprs) == (8, 0, 10)


def test_half_registers_are_seen_and_no_false_alarm(text_view) -> None:
    """A half that was written counts; one that never was does not."""
    for arch in ("gfx1100", "gfx1250"):
        text = "v_mov_b16_e32 v2.l, v0.l\nv_mov_b16_e32 v2.h, v0.h\nv_add_f32_e32 v1, v0, v2"
        assert found(text_view, text, arch) == []
        text = "v_mov_b16_e32 v2.l, v0.l\nv_add_f16_e32 v1.l, v0.l, v2.l"
        assert found(text_view, text, arch) == []
        undefined = [("register.undefined", 0, "v2")]
        assert found(text_view, "v_add_f16_e32 v1.l, v0.l, v2.h", arch) == undefined


def test_both_results_of_a_pair_are_defined(text_view) -> None:
    pair = "v_dual_mov_b32 v1, 0 :: v_dual_mov_b32 v4, v0\n"
    assert found(text_view, pair + "v_add_f32_e32 v5, v1, v4", "gfx1100") == []
    pair = "v_dual_mov_b32 v1, v0 :: v_dual_mov_b32 v4, v3\n"
    assert found(text_view, pair, "gfx1100") == [("register.undefined-copy", 0, "v3")]


def test_asynchronous_loads_to_lds_do_not_read_m0(text_view) -> None:
    """Case gfx1250-async-m0; the multicast form and gfx9's LDS-DMA do read it."""
    plain = "global_load_async_to_lds_b32 v0, v0, s[0:1]"
    assert found(text_view, plain, "gfx1250") == []
    assert found(text_view, plain.replace("b32 v0, v0", "b8 v0, v0"), "gfx1250") == []
    assert found(text_view, "global_store_async_from_lds_b32 v0, v0, s[0:1]", "gfx1250") == []
    m0 = [("register.undefined", 0, "m0")]
    assert found(text_view, plain.replace("global", "cluster"), "gfx1250") == m0
    assert found(text_view, "global_load_lds_dword v0, s[0:1]") == m0
    assert found(text_view, "buffer_load_dword v0, s[0:3], 0 offen lds") == m0
