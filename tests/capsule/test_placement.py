"""The same dispatch elsewhere: pointers move with what they point to, and nothing else changes."""

from __future__ import annotations

import struct
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asmevo.capsule import file
from asmevo.capsule.layout import place
from asmevo.capsule.model import BufferState, Capsule, PointerSlot
from asmevo.capsule.placement import PLACEMENTS, NotMovable, placed
from asmevo.errors import InputError

LINE = 1 << 32


def capsule(sizes=(1000, 4096), guard=256, extra=b"\x05\0\0\0\0\0\0\0", **changes) -> Capsule:
    kernarg_at, addresses = place(sizes, guard)
    buffers = tuple(
        BufferState(f"b{n}", at, bytes(size), "u8", (size,), "inout", guard)
        for n, (size, at) in enumerate(zip(sizes, addresses, strict=True))
    )
    fields = {
        "kernel": "k", "grid": (1, 1, 1), "block": (64, 1, 1), "lds_dynamic": 0,
        "kernarg": struct.pack(f"<{len(sizes)}Q", *addresses) + extra,
        "buffers": buffers, "kernarg_address": kernarg_at,
        "pointers": tuple(PointerSlot(8 * n, b.name) for n, b in enumerate(buffers)),
        "provenance": {"origin": "synthesized"},
    }  # fmt: skip
    return Capsule(**{**fields, **changes})


@given(st.lists(st.integers(1, 1 << 20), min_size=1, max_size=6), st.sampled_from(PLACEMENTS))
def test_everything_moves_and_only_the_addresses_change(sizes, where):
    before = capsule(tuple(sizes))
    after = placed(before, where, 7)
    assert after == placed(before, where, 7)
    assert after.kernarg_address != before.kernarg_address
    assert after.code_address is not None
    assert after.code_address % 4096 == 0
    assert after.kernarg_address % 64 == 0
    assert after.digest() != before.digest()
    for b in before.buffers:
        moved = after.buffer(b.name)
        assert moved.address != b.address
        assert moved.address % 256 == 0, "hipMalloc promises 256 bytes"
        assert moved.address % 512 == 256, "and no more"
        assert replace(moved, address=b.address) == b
        slot = next(s for s in after.pointers if s.buffer == b.name)
        assert after.kernarg[slot.offset : slot.offset + 8] == struct.pack("<Q", moved.address)
    assert after.kernarg[8 * len(sizes) :] == before.kernarg[8 * len(sizes) :]
    spans = sorted((b.address - b.guard, b.address + b.size + b.guard) for b in after.buffers)
    for (_, end), (start, _) in pairwise(spans):
        assert start - end >= LINE, "a 32-bit offset leads to no neighbour"


def test_both_halves_and_the_lines_in_them():
    before = capsule((1 << 20, 4096, 5000))
    low, high = placed(before, "low"), placed(before, "high")
    for b in low.buffers:
        assert b.address + b.size < 1 << 46
        assert b.address // LINE < (b.address + b.size - 1) // LINE, "across a 4 GiB line"
    for b in high.buffers:
        assert b.address >= 1 << 46
        assert b.address % LINE < 2048, "positive as a 32-bit number"
    assert all(b.address % LINE >= 1 << 31 for b in low.buffers), "negative"
    names = [[b.name for b in sorted(c.buffers, key=lambda b: b.address)] for c in (before, low)]
    assert names[0] == names[1][::-1]


def test_the_order_in_high_is_the_seeds():
    before = capsule((256,) * 6)
    orders = {
        tuple(sorted(range(6), key=lambda n, s=seed: placed(before, "high", s).buffers[n].address))
        for seed in range(8)
    }
    assert len(orders) > 4


def test_a_pointer_with_an_addend_keeps_it():
    first = capsule()
    data = bytearray(first.kernarg)
    data[8:16] = struct.pack("<Q", first.buffer("b1").address + 40)
    slots = (PointerSlot(0, "b0"), PointerSlot(8, "b1", 40))
    after = placed(replace(first, kernarg=bytes(data), pointers=slots), "low")
    assert struct.unpack_from("<Q", after.kernarg, 8)[0] == after.buffer("b1").address + 40


def with_pointer(declared: bool, origin: str) -> Capsule:
    """b1 is a table whose second entry points 16 bytes into b0."""
    first = capsule()
    table = bytearray(4096)
    table[8:16] = struct.pack("<Q", first.buffer("b0").address + 16)
    buffers = (first.buffer("b0"), replace(first.buffer("b1"), data=bytes(table)))
    slot = (PointerSlot(8, "b0", 16, "b1"),) if declared else ()
    return replace(
        first, buffers=buffers, pointers=(*first.pointers, *slot), provenance={"origin": origin}
    )


@pytest.mark.parametrize("where", PLACEMENTS)
def test_declared_pointers_inside_buffers_are_relocated(where):
    after = placed(with_pointer(True, "recorded"), where)
    held = struct.unpack_from("<Q", after.buffer("b1").data, 8)[0]
    assert held == after.buffer("b0").address + 16


def test_undeclared_ones_are_refused_in_recorded_dispatches():
    with pytest.raises(NotMovable, match="buffer b1 may hold an address of b0"):
        placed(with_pointer(False, "recorded"), "low")
    # Contents that were drawn hold numbers, also where they look like addresses.
    placed(with_pointer(False, "synthesized"), "low")


@pytest.mark.parametrize("at", [16, 20])
def test_an_undeclared_pointer_in_the_kernarg_segment_is_refused(at):
    first = capsule(extra=bytes(24))
    data = bytearray(first.kernarg)
    data[at : at + 8] = struct.pack("<Q", first.buffer("b1").address + 100)
    with pytest.raises(NotMovable, match=f"kernarg segment at offset {at}"):
        placed(replace(first, kernarg=bytes(data)), "high")


def test_unknown_placements_are_refused():
    with pytest.raises(InputError, match="unknown placement"):
        placed(capsule(), "sideways")  # type: ignore[arg-type]


def test_a_capsule_file_keeps_pointers_in_buffers_and_the_code_address(tmp_path):
    moved = placed(with_pointer(True, "recorded"), "low")
    file.save(moved, tmp_path / "c")
    assert file.load(tmp_path / "c") == moved


def test_a_pointer_slot_of_a_buffer_is_checked():
    bad = with_pointer(True, "recorded")
    with pytest.raises(InputError, match="b1 pointer at 16"):
        replace(bad, pointers=(*bad.pointers, PointerSlot(16, "b0", 16, "b1")))
    with pytest.raises(InputError, match="nowhere pointer"):
        replace(bad, pointers=(PointerSlot(0, "b0", 0, "nowhere"),))
