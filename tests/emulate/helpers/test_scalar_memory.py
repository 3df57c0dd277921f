"""Scalar loads: offsets of every kind, alignment, bounds, overlap with the base."""

from __future__ import annotations

import numpy as np
import pytest

from asmevo.emulate import layout as L
from emulate.harness import lanes, run_body

WORDS = np.arange(64, dtype=np.uint32) * 0x01010101 + 7


def _loaded(body: str, register: str = "s10") -> int:
    got = lanes(f"{body}\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v1, {register}", WORDS)
    assert (got == got[0]).all()
    return int(got[0])


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ("s_load_dword s10, s[2:3], 0x10", 4),
        ("s_add_u32 s4, s2, 0x40\ns_addc_u32 s5, s3, 0\ns_load_dword s10, s[4:5], -0x10", 12),
        ("s_mov_b32 s6, 0x20\ns_load_dword s10, s[2:3], s6", 8),
        ("s_mov_b32 s6, 0x20\ns_load_dword s10, s[2:3], s6 offset:0x8", 10),
        ("s_load_dword s10, s[2:3], 0x13", 4),  # the low two bits are ignored
        (
            "s_mov_b32 s4, s2\ns_mov_b32 s5, s3\ns_load_dword s4, s[4:5], 0x4\ns_waitcnt lgkmcnt(0)"
            "\ns_mov_b32 s10, s4",
            1,
        ),
    ],
)
def test_offsets(body: str, word: int) -> None:
    assert _loaded(body) == int(WORDS[word])


@pytest.mark.parametrize(("width", "last"), [(2, 5), (4, 7), (8, 11), (16, 19)])
def test_wide_loads(width: int, last: int) -> None:
    body = f"s_load_dwordx{width} s[16:{15 + width}], s[2:3], 0x10"
    assert _loaded(body, f"s{15 + width}") == int(WORDS[last])


@pytest.mark.parametrize(
    ("stride", "records", "offset", "inside"),
    [
        (0, 64, 60, True),
        (0, 64, 64, False),
        (0, 63, 60, False),
        (16, 4, 60, True),
        (16, 4, 64, False),
    ],
)
def test_buffer_bounds(stride: int, records: int, offset: int, inside: bool) -> None:
    body = f"""
        s_mov_b32 s8, s2
        s_or_b32 s9, s3, {stride << 16:#x}
        s_mov_b32 s10, {records}
        s_mov_b32 s11, 0
        s_buffer_load_dword s16, s[8:11], {offset:#x}
    """
    assert _loaded(body, "s16") == (int(WORDS[offset // 4]) if inside else 0)


def test_dwords_outside_a_buffer_read_zero_one_by_one() -> None:
    body = """
        s_mov_b32 s8, s2
        s_mov_b32 s9, s3
        s_mov_b32 s10, 12
        s_mov_b32 s11, 0
        s_buffer_load_dwordx4 s[16:19], s[8:11], 0x4
    """
    assert _loaded(body, "s17") == int(WORDS[2])
    assert _loaded(body, "s18") == 0


def test_load_outside_every_buffer_faults() -> None:
    _, outcome = run_body("s_load_dword s10, s[2:3], 0x1000", WORDS, expect_fault=True)
    assert outcome.fault == L.LOAD_FAULT
