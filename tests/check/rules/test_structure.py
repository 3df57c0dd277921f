"""Every path ends, branches hit instructions, loops have exits."""

from __future__ import annotations

from asmevo.check.rules.structure import check_structure


def rules(text_view, text: str, arch: str = "gfx942") -> list[tuple[str, int]]:
    return [(f.rule, f.index) for f in check_structure(text_view(text, arch))]


def test_straight_code_that_ends(text_view) -> None:
    assert rules(text_view, "s_nop 0\ns_endpgm") == []


def test_falling_off_the_end(text_view) -> None:
    assert rules(text_view, "s_cmp_eq_u32 s0, 0\ns_cbranch_scc0 end\ns_endpgm\nend:\ns_nop 0") == [
        ("structure.falls-through", 3)
    ]


def test_branch_into_the_middle_of_an_instruction(text_view) -> None:
    # +1 dword: between the two words of the 8-byte s_mov with literal.
    found = rules(text_view, "s_branch 1\ns_mov_b32 s0, 0x12345678\ns_endpgm")
    assert found == [("structure.branch-target", 0)]


def test_unreachable_strays_do_not_matter(text_view) -> None:
    assert rules(text_view, "s_endpgm\ns_branch 100\ns_nop 0") == []


def test_a_loop_without_exit(text_view) -> None:
    assert ("structure.endless", 0) in rules(text_view, "loop:\ns_nop 0\ns_branch loop")
    assert rules(text_view, "loop:\ns_nop 0\ns_cbranch_scc0 loop\ns_endpgm") == []


def test_indirect_jump_is_said(text_view) -> None:
    assert rules(text_view, "s_setpc_b64 s[0:1]") == [("structure.unknown-jump", 0)]


def test_half_written_vcc(text_view) -> None:
    text = "s_mov_b32 vcc_lo, 0\ns_cbranch_vccz end\nend:\ns_endpgm"
    assert rules(text_view, text) == [("structure.vccz-partial", 1)]
    text = "s_mov_b32 vcc_lo, 0\ns_mov_b64 vcc, vcc\ns_cbranch_vccz end\nend:\ns_endpgm"
    assert rules(text_view, text) == []


def test_a_barrier_that_inactive_waves_jump_over(text_view) -> None:
    text = "s_and_saveexec_b64 s[4:5], vcc\ns_cbranch_execz end\ns_barrier\nend:\ns_endpgm"
    assert rules(text_view, text) == [("structure.barrier-skipped", 2)]
