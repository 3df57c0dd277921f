"""Rules of gfx11 and later, counted in VALU instructions."""

from __future__ import annotations

import pytest

from asmevo.check.rules.valu_hazards import check_valu_hazards

TRANS, USE = "v_exp_f32_e32 v1, v2", "v_add_f32_e32 v3, v1, v1"
FILL = "v_add_f32_e32 v50, v51, v52"


def found(text_view, arch: str, *lines: str) -> list[tuple[str, int, int | None]]:
    view = text_view("\n".join((*lines, "s_endpgm")), arch)
    return [(f.rule, f.index, f.have) for f in check_valu_hazards(view)]


@pytest.mark.parametrize("arch", ["gfx1100", "gfx1103"])
def test_transcendental_use_on_gfx110x(arch: str, text_view) -> None:
    rule = "hazard.valu-trans-use"
    assert found(text_view, arch, TRANS, USE) == [(rule, 1, 0)]
    assert found(text_view, arch, TRANS, *[FILL] * 5, USE) == [(rule, 6, 5)]
    assert found(text_view, arch, TRANS, *[FILL] * 6, USE) == []
    assert found(text_view, arch, TRANS, "s_waitcnt_depctr 0xfff", USE) == []
    assert found(text_view, arch, TRANS, "ds_load_b32 v20, v21", USE) == []
    assert found(text_view, arch, TRANS, "s_nop 15", USE) == [(rule, 2, 0)]
    two = ["v_exp_f32_e32 v4, v5", "v_exp_f32_e32 v6, v7"]
    assert found(text_view, arch, TRANS, two[0], USE) == [(rule, 2, 1)]
    assert found(text_view, arch, TRANS, *two, USE) == []


def test_gfx1150_has_no_such_rule(text_view) -> None:
    assert found(text_view, "gfx1150", TRANS, USE) == []


def test_permlane_behind_vcmpx(text_view) -> None:
    cmpx, permlane = "v_cmpx_gt_u32_e32 v1, v2", "v_permlane16_b32 v3, v4, s1, s2"
    rule = "hazard.vcmpx-permlane"
    assert found(text_view, "gfx1100", cmpx, permlane) == [(rule, 1, 0)]
    assert found(text_view, "gfx1100", cmpx, "v_nop", permlane) == [(rule, 2, 0)]
    assert found(text_view, "gfx1100", cmpx, FILL, permlane) == []


def test_wmma_operands(text_view) -> None:
    first = "v_wmma_f32_16x16x16_f16 v[8:15], v[16:23], v[24:31], v[8:15]"
    same_a = "v_wmma_f32_16x16x16_f16 v[32:39], v[8:15], v[24:31], v[32:39]"
    same_c = "v_wmma_f32_16x16x16_f16 v[8:15], v[40:47], v[24:31], v[8:15]"
    assert found(text_view, "gfx1100", first, same_a) == [("hazard.wmma-ab", 1, 0)]
    assert found(text_view, "gfx1100", first, "v_nop", same_a) == []
    assert found(text_view, "gfx1100", first, same_c) == []


def test_gfx1250_coexecution(text_view) -> None:
    assert found(text_view, "gfx1250", TRANS, USE) == [("hazard.trans-coexec-read", 1, 0)]
    assert found(text_view, "gfx1250", TRANS, "v_mov_b32_e32 v2, v9") == [
        ("hazard.trans-coexec-write", 1, 0)
    ]
    assert found(text_view, "gfx1250", TRANS, FILL, USE) == []
    wmma = "v_wmma_f32_16x16x32_bf16 v[8:15], v[16:23], v[24:31], v[8:15]"
    read = "v_add_f32_e32 v60, v8, v8"
    rule = "hazard.wmma-coexec-dense8-valu"
    assert found(text_view, "gfx1250", wmma, *[FILL] * 3, read) == [(rule, 4, 3)]
    assert found(text_view, "gfx1250", wmma, *[FILL] * 4, read) == []


def test_the_nearest_path_counts(text_view) -> None:
    text = [TRANS, "s_cbranch_scc0 near", *[FILL] * 6, "near:", USE]
    assert found(text_view, "gfx1100", *text) == [("hazard.valu-trans-use", 8, 0)]


def test_earlier_parts_have_none(text_view) -> None:
    assert found(text_view, "gfx942", TRANS, USE) == []
