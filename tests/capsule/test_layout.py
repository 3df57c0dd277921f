"""Placement: no overlap, alignment, and the properties that make placement a test."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from asmevo.capsule.layout import place
from asmevo.errors import InputError

sizes = st.lists(
    st.one_of(st.integers(0, 1 << 20), st.integers(0, 9 << 30)), min_size=0, max_size=40
)


@given(sizes, st.integers(0, 1 << 20), st.sampled_from(["straddle", "plain"]))
@example([(8 << 30) - (1 << 16)] * 2, 4096, "straddle")
@example([(8 << 30) - (1 << 16)] * 2, 4096, "plain")
def test_windows_are_disjoint_aligned_and_far_apart(sizes, guard, layout):
    kernarg, addresses = place(sizes, guard, layout)
    assert len(addresses) == len(sizes)
    assert kernarg % 4096 == 0
    spans = sorted((a - guard, a + s + guard) for a, s in zip(addresses, sizes, strict=True))
    assert [(a - guard, a + s + guard) for a, s in zip(addresses, sizes, strict=True)] == spans
    for address in addresses:
        assert address % 256 == 0
        assert address < 1 << 47
    previous = kernarg + (1 << 20)
    for start, end in spans:
        # Even an unsigned 32-bit offset from anywhere in the buffer before stays outside.
        assert start - previous >= (1 << 32) - 2 * 4096 - 2 * guard
        previous = end


@given(st.integers(512, 1 << 34), st.integers(0, 5))
def test_a_4_gib_boundary_runs_through_the_middle(size, before):
    _, addresses = place([4096] * before + [size], 4096, "straddle")
    start, end = addresses[-1], addresses[-1] + size
    # The middle of the buffer to within the alignment is a multiple of 2^32.
    middle = round((start + end) / 2 / (1 << 32)) * (1 << 32) if size < 1 << 31 else None
    if middle is None:
        assert start >> 32 != (end - 1) >> 32
    else:
        assert start < middle < end
        assert abs(middle - (start + end) // 2) <= 256


def test_placement_is_deterministic():
    assert place([1, 2, 3], 64) == place([1, 2, 3], 64)


def test_too_many_buffers_are_refused():
    with pytest.raises(InputError, match="address space"):
        place([1] * 5000, 4096)
