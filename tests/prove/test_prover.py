"""Verdicts on windows whose answer the ISA decides."""

from __future__ import annotations

import pytest

from asmevo.isa.semantics.table import FloatMode
from asmevo.prove.prover import prove_window
from prove.frame import window  # type: ignore[import-not-found]


def status(*args: object, **kwargs: object) -> str:
    return prove_window(window(*args, **kwargs), limit_seconds=20).status


def test_a_legal_order_is_reordered() -> None:
    first = "ds_read_b32 v0, v1 offset:16; global_load_dwordx2 v[2:3], v[4:5], off"
    second = "global_load_dwordx2 v[2:3], v[4:5], off; ds_read_b32 v0, v1 offset:16"
    assert status(first, second) == "reordered"


def test_renamed_registers_are_proved_where_they_are_dead() -> None:
    first = "v_mul_f32 v3, v1, v2; v_add_f32 v0, v3, v1"
    second = "v_mul_f32 v5, v1, v2; v_add_f32 v0, v5, v1"
    assert status(first, second, "v0") == "proved"
    assert status(first, second, "v0 v3") == "refuted"


def test_a_store_and_a_load_that_may_meet_do_not_swap() -> None:
    first = "ds_write_b32 v9, v2; ds_read_b32 v3, v8"
    second = "ds_read_b32 v3, v8; ds_write_b32 v9, v2"
    assert status(first, second) == "refuted"


def test_what_is_not_modelled_is_named() -> None:
    verdict = prove_window(window("s_getpc_b64 s[0:1]; s_mov_b32 s2, 1", "s_getpc_b64 s[0:1]"))
    assert verdict.status == "unknown"
    assert "s_getpc_b64" in verdict.reason
    with_mode = "s_setreg_b32 hwreg(HW_REG_MODE), s2; v_mov_b32 v0, 1"
    assert prove_window(window(with_mode, "v_mov_b32 v0, 1")).status == "unknown"


def test_targets_that_are_not_modelled_are_unknown() -> None:
    verdict = prove_window(window("v_mov_b32 v0, 1", "v_mov_b32 v0, 2", arch="gfx1100"))
    assert verdict.status == "unknown"
    assert "gfx1100" in verdict.reason


@pytest.mark.parametrize("denorm", [0, 3])
def test_mode_decides_what_a_sum_flushes(denorm: int) -> None:
    # x + -0.0 is x, but for subnormals where MODE flushes them, and for NaNs, which become quiet.
    mode = FloatMode(denorm_32=denorm)
    assert status("v_add_f32 v0, 0x80000000, v1", "v_mov_b32 v0, v1", mode=mode) == "refuted"
    assert status("v_add_f32 v0, 0x80000000, v1", "v_max_f32 v0, v1, v1", mode=mode) == "proved"


def test_the_memory_of_the_rest_of_the_process_is_not_the_solvers() -> None:
    """bitwuzla holds its limit against the whole process, which in a search has gigabytes."""
    before, after = "v_and_b32 v3, 15, v1; v_or_b32 v0, v3, v2", "v_and_or_b32 v0, v1, 15, v2"
    mask = window("v_and_b32 v3, 0xffff, v1; v_or_b32 v0, v3, v2",
                  "v_or_b32_sdwa v0, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD "
                  "src0_sel:WORD_0 src1_sel:DWORD", "v0", arch="gfx90a")  # fmt: skip
    verdict = prove_window(mask, memory_mb=16)
    assert (verdict.status, verdict.solver.split()[0]) == ("proved", "bitwuzla"), verdict
    assert prove_window(window(before, after, "v0"), memory_mb=16).holds
