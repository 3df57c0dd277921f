"""Waits and wait states along executed paths."""

from __future__ import annotations

from text_program import TextProgram

from asmevo.check.engine.trace import check_trace

PROGRAM = """
ds_read_b32 v1, v0
s_cbranch_scc0 skip
s_waitcnt lgkmcnt(0)
skip:
v_add_f32_e32 v9, v1, v1
v_exp_f32_e32 v2, v9
s_cbranch_scc1 skip
v_add_f32_e32 v3, v2, v2
s_endpgm
"""
WAITED = [0, 1, 2, 3, 4, 5, 6, 7]
SKIPPED = [0, 1, 3, 4, 5, 6, 7]


def found(*traces: list[int]) -> list[tuple[str, int, int | None, int]]:
    program = TextProgram.of(PROGRAM, "gfx942")
    return [
        (s.finding.rule, s.finding.index, s.finding.producer, s.times)
        for s in check_trace(program, "k", traces)
    ]


def test_only_what_the_path_did() -> None:
    assert found(WAITED) == []
    assert found(SKIPPED) == [("wait.raw", 3, 0, 1)]


def test_repeats_are_counted() -> None:
    assert found(SKIPPED, WAITED, SKIPPED) == [("wait.raw", 3, 0, 2)]


def test_a_loop_is_followed_across_its_back_edge() -> None:
    text = """
    loop:
    ds_write_b32 v90, v16
    s_nop 4
    v_mfma_f32_32x32x8_f16 v[16:31], v[0:1], v[2:3], v[16:31]
    s_cbranch_scc0 loop
    s_endpgm"""
    program = TextProgram.of(text, "gfx942")
    (seen,) = check_trace(program, "k", [[0, 1, 2, 3] * 3 + [4]])
    f = seen.finding
    assert (f.rule, f.index, f.producer, f.have, seen.times) == (
        "hazard.xdl-mem-read", 0, 2, 1, 2,
    )  # fmt: skip
    assert check_trace(program, "k", [[0, 1, 2, 3, 4]]) == []


def test_the_producer_of_a_chain_is_the_load_before() -> None:
    """The consumer loads into the register that it reads as its address."""
    text = "v_nop\nglobal_load_dword v1, v0, s[0:1]\nglobal_load_dword v1, v1, s[0:1]\ns_endpgm"
    program = TextProgram.of(text, "gfx942")
    (seen,) = check_trace(program, "k", [[0, 1, 2, 3]])
    f = seen.finding
    assert (f.rule, f.index, f.producer, f.distance) == ("wait.raw", 2, 1, 1)
    states = "v_mov_b32_e32 v1, v0\nv_mov_b32_e32 v2, v0\nv_readfirstlane_b32 s4, v2\ns_endpgm"
    (seen,) = check_trace(TextProgram.of(states, "gfx942"), "k", [[0, 1, 2, 3]])
    f = seen.finding
    assert (f.rule, f.index, f.producer) == ("hazard.vgpr-readlane", 2, 1)
