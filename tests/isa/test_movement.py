"""Where the lanes of a result come from, by hand from the ISA's descriptions."""

from __future__ import annotations

import pytest

from asmevo.isa.movement import ALL, moved_lanes, moved_operands
from opinion.wave import assemble

LOW, HIGH = (1 << 32) - 1, ALL ^ ((1 << 32) - 1)
EVEN_ROWS = 0x0000FFFF0000FFFF


@pytest.mark.parametrize(
    ("arch", "text", "held", "want"),
    [
        ("gfx942", "v_readlane_b32 s0, v1, 5", (0, 1 << 5, 0), {0: ALL}),
        ("gfx942", "v_readlane_b32 s0, v1, 5", (0, ALL ^ 1 << 5, 0), {0: 0}),
        ("gfx942", "v_readlane_b32 s0, v1, s2", (0, ALL ^ 1, 0), {0: 0}),  # any lane
        ("gfx942", "v_readlane_b32 s0, v1, s2", (0, ALL, 0), {0: ALL}),
        ("gfx942", "v_readfirstlane_b32 s0, v1", (0, ALL, 0), {0: ALL}),
        ("gfx942", "v_readfirstlane_b32 s0, v1", (0, 1, 0), {0: ALL}),
        ("gfx942", "v_readfirstlane_b32 s0, v1", (0, ALL ^ 1, 0), {0: 0}),
        ("gfx942", "v_writelane_b32 v1, s0, 63", (1, ALL, 0), {0: 1 | 1 << 63}),
        ("gfx942", "v_writelane_b32 v1, s0, 0", (3, 0, 0), {0: 2}),
        ("gfx942", "v_swap_b32 v1, v2", (LOW, 5), {0: 5, 1: LOW}),
        # CDNA4: the upper half of vdst and the lower half of src0 change places.
        ("gfx950", "v_permlane32_swap_b32 v1, v2", (0, ALL), {0: HIGH, 1: HIGH}),
        ("gfx950", "v_permlane32_swap_b32 v1, v2", (HIGH, LOW), {0: HIGH, 1: LOW}),
        ("gfx950", "v_permlane16_swap_b32 v1, v2", (0, EVEN_ROWS), {0: EVEN_ROWS << 16, 1: 0}),
        ("gfx1100", "v_mov_b32_dpp v1, v2 dpp8:[7,6,5,4,3,2,1,0]", (0, 1), {0: 1 << 7}),
        ("gfx1100", "v_mov_b32_dpp v1, v2 dpp8:[0,0,0,0,0,0,0,0]", (0, 1 << 8), {0: 0xFF00}),
        ("gfx942", "ds_bpermute_b32 v1, v2, v3", (0, 0, ALL), {0: ALL}),
        ("gfx942", "ds_bpermute_b32 v1, v2, v3", (0, ALL, LOW), {0: 0}),
        ("gfx1100", "v_permlane16_b32 v1, v2, s0, s1", (0, ALL, 0, 0), {0: ALL}),
    ],
)  # fmt: skip
def test_lanes(arch: str, text: str, held: tuple[int, ...], want: dict[int, int]) -> None:
    assert moved_lanes(assemble(text, arch)[0], held) == want


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("v_readlane_b32 s0, v1, s2", (1,)),
        ("v_writelane_b32 v1, s0, 3", (1,)),
        ("ds_bpermute_b32 v1, v2, v3", (2,)),
        ("ds_swizzle_b32 v1, v2 offset:swizzle(SWAP,1)", (1,)),
        ("v_swap_b32 v1, v2", (0, 1)),
        ("v_pk_mov_b32 v[0:1], v[2:3], v[4:5]", (1, 2)),
    ],
)
def test_operands_whose_contents_move(text: str, want: tuple[int, ...]) -> None:
    assert moved_operands(assemble(text, "gfx942")[0], (1, 2)) == want


def test_computations_are_no_movement() -> None:
    assert moved_lanes(assemble("v_add_u32_e32 v1, v2, v3", "gfx942")[0], (0, ALL, 0)) is None
    assert moved_lanes(assemble("v_mov_b32_e32 v1, v2", "gfx942")[0], (0, ALL)) is None
