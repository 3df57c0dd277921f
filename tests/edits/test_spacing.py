"""Padding of proposals: wait states from the CDNA3 and CDNA4 ISA tables, written here by hand."""

from __future__ import annotations

import pytest

from asmevo.edits.waits.spacing import issued, padding, padding_before
from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Target

_MFMA = "v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], v[0:15]"


@pytest.mark.parametrize(
    ("arch", "producer", "consumer", "need"),
    [
        ("gfx942", _MFMA, "v_add_f32_e32 v20, v0, v21", 11),
        ("gfx950", _MFMA, "v_add_f32_e32 v20, v0, v21", 12),
        ("gfx942", _MFMA, "v_add_f32_e32 v20, v22, v21", 0),
        ("gfx942", _MFMA, _MFMA, 0),  # accumulates into the same tuple
        ("gfx942", "v_readfirstlane_b32 s4, v0", "buffer_load_dword v1, off, s[4:7], 0", 5),
        ("gfx942", "v_cmp_eq_u32_e32 vcc, v0, v1", "v_div_fmas_f32 v2, v3, v4, v5", 4),
        ("gfx942", "v_rcp_f32_e32 v0, v1", "v_add_f32_e32 v2, v0, v0", 1),
        ("gfx942", "v_mov_b32_e32 v0, v1", "v_readfirstlane_b32 s0, v0", 1),
        ("gfx90a", "v_mov_b32_e32 v0, v1", "v_readfirstlane_b32 s0, v0", 0),
        ("gfx1030", "v_rcp_f32_e32 v0, v1", "v_add_f32_e32 v2, v0, v0", 0),  # no such hazards
    ],
)
def test_wait_states(arch: str, producer: str, consumer: str, need: int) -> None:
    target = Target(arch)
    before, after = (issued(Instruction(bytes(4), t), target) for t in (producer, consumer))
    assert padding_before([before], after) == need
    assert padding_before([before, padding(1, target)], after) == max(0, need - 1)


def test_the_nearest_producer_counts() -> None:
    target = Target("gfx942")
    matrix, write, read = (
        issued(Instruction(bytes(4), text), target)
        for text in (_MFMA, "v_mov_b32_e32 v0, v30", "v_add_f32_e32 v20, v0, v21")
    )
    assert padding_before([matrix, write], read) == 0
