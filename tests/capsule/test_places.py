"""Addresses in words. Buffers: x = 4 f32 at 0x10000, y = 4 i16 at 0x30000, kernarg at 0x5000."""

from __future__ import annotations

import pytest

from asmevo.capsule.places import describe, nearest

from .test_model import KERNARG, X, Y, make


@pytest.mark.parametrize(
    ("address", "buffer", "side", "element", "distance"),
    [
        (X, "x", "inside", 0, 0),
        (X + 15, "x", "inside", 3, 0),
        (X + 16, "x", "past", 4, 0),
        (X + 20, "x", "past", 5, 4),
        (X - 1, "x", "before", -1, 1),
        (X - 8, "x", "before", -2, 8),
        (Y - 100, "y", "before", -50, 100),
        (Y + 8 + 6, "y", "past", 7, 6),
        ((X + 16 + Y) // 2 - 9, "x", "past", 16383, 0xFFEF),  # the middle, nearer to x's end
    ],
)
def test_nearest_buffer_and_its_end(address, buffer, side, element, distance):
    place = nearest(make(), address)
    assert place is not None
    assert (place.buffer.name, place.side, place.element, place.distance) == (
        buffer, side, element, distance,
    )  # fmt: skip


def test_words():
    capsule = make()
    assert describe(capsule, X + 24) == (
        "element 6 (byte 24) of x, 8 bytes past the end of its 4 f32"
    )
    assert describe(capsule, Y - 4) == (
        "element -2 (byte -4) of y, 4 bytes before the start of its 4 i16"
    )
    assert describe(capsule, X + 6) == "element 1 (byte 6) of x, which has 4 f32"
    assert "null" in describe(capsule, 0)
    assert "null" in describe(capsule, 0x1008)
    assert describe(capsule, KERNARG + 30) == "byte 30 of the kernarg segment, which has 24"
    assert "far above every buffer" in describe(capsule, 1 << 46)
    assert describe(make(buffers=(), pointers=()), 1 << 46) == "the launch has no buffers"
