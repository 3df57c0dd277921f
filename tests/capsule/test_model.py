"""Capsule invariants, regions and guards."""

from __future__ import annotations

import dataclasses
import struct

import numpy as np
import pytest

from asmevo.capsule.dispatch import aql_packet
from asmevo.capsule.dtypes import DTYPES, dtype
from asmevo.capsule.model import BufferState, Capsule, PointerSlot, Tolerance
from asmevo.capsule.schedule import Schedule
from asmevo.errors import InputError

X, Y, KERNARG = 0x10000, 0x30000, 0x5000


def make(**changes) -> Capsule:
    x = BufferState("x", X, bytes(range(16)), "f32", (4,), "in", guard=64)
    y = BufferState("y", Y, bytes(8), "i16", (2, 2), "out", guard=64, undefined=True)
    values = {
        "kernel": "k",
        "grid": (2, 1, 1),
        "block": (64, 2, 1),
        "lds_dynamic": 0,
        "kernarg": struct.pack("<QQi4x", X, Y + 4, 7),
        "buffers": (x, y),
        "kernarg_address": KERNARG,
        "pointers": (PointerSlot(0, "x"), PointerSlot(8, "y", 4)),
    }
    return Capsule(**{**values, **changes})


def test_regions_without_guards_are_exactly_the_buffers():
    regions = make().regions()
    assert [(r.name, r.address, r.end, r.permission) for r in regions] == [
        ("kernarg", KERNARG, KERNARG + 24, "r"),
        ("x", X, X + 16, "r"),
        ("y", Y, Y + 8, "rw"),
    ]
    assert {r.name: r.permission for r in make().regions(inputs_writable=True)}["x"] == "rw"


def test_regions_with_guards_show_damage_on_either_side():
    capsule = make()
    regions = {r.name: r for r in capsule.regions(guards_mapped=True) if r.kind == "buffer"}
    assert regions["x"].address == X - 64
    assert regions["x"].guard == 64
    assert regions["x"].data[64:80] == bytes(range(16))
    memory = {n: r.data for n, r in regions.items()}
    assert capsule.guard_damage(memory) == ()
    inside = bytearray(memory["y"])
    inside[64:72] = b"\xff" * 8
    assert capsule.guard_damage({**memory, "y": bytes(inside)}) == ()
    for position in (0, 63, 72, 135):
        stray = bytearray(memory["y"])
        stray[position] ^= 1
        assert capsule.guard_damage({**memory, "y": bytes(stray)}) == ("y",)


def test_guard_patterns_differ_between_buffers_and_sides():
    regions = [r.data for r in make().regions(guards_mapped=True) if r.kind == "buffer"]
    patterns = {d[:64] for d in regions} | {d[-64:] for d in regions}
    assert len(patterns) == 4
    assert all(len(set(p)) > 16 for p in patterns)


def test_buffer_at_tells_guard_from_buffer():
    capsule = make()
    assert capsule.buffer_at(X)[1] is False
    assert capsule.buffer_at(X + 15)[0].name == "x"
    assert capsule.buffer_at(X + 16) == (capsule.buffer("x"), True)
    assert capsule.buffer_at(X - 64)[1] is True
    assert capsule.buffer_at(X - 65) is None
    assert capsule.buffer_at(KERNARG) is None


def test_views_have_dtype_and_shape():
    y = make().buffer("y")
    assert y.view(struct.pack("<4h", 1, 2, 3, -4)).tolist() == [[1, 2], [3, -4]]
    assert y.array().dtype == np.int16


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"grid": (0, 1, 1)}, "grid"),
        ({"block": (64, -1, 1)}, "block"),
        ({"lds_dynamic": -1}, "LDS"),
        ({"kernarg_address": X + 8}, "overlap"),
        ({"kernarg": struct.pack("<QQi4x", X + 1, Y + 4, 7)}, "not buffer 'x'"),
        ({"pointers": (PointerSlot(0, "z"),)}, "names no buffer"),
        ({"pointers": (PointerSlot(20, "x"),)}, "names no buffer"),
        ({"schedule": "sometimes"}, "schedule"),
    ],
)
def test_impossible_capsules_are_refused(changes, word):
    with pytest.raises(InputError, match=word):
        make(**changes)


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"shape": (5,)}, "do not fill"),
        ({"shape": (-4,)}, "negative"),
        ({"role": "maybe"}, "role"),
        ({"dtype": "f33"}, "f33"),
        ({"address": 10}, "range"),
        ({"address": 1 << 47}, "range"),
        ({"undefined": True}, "defined contents"),
    ],
)
def test_impossible_buffers_are_refused(changes, word):
    with pytest.raises(InputError, match=word):
        dataclasses.replace(make().buffer("x"), **changes)


def test_guards_of_neighbours_may_not_overlap():
    x = make().buffer("x")
    near = dataclasses.replace(x, name="near", address=X + 16 + 100)
    with pytest.raises(InputError, match="overlap"):
        make(buffers=(x, near), pointers=(), kernarg=b"")
    with pytest.raises(InputError, match="one name"):
        make(buffers=(x, dataclasses.replace(x, address=Y)), pointers=(), kernarg=b"")


def test_digest_sees_every_part():
    base = make()
    seen = {base.digest()}
    x, y = base.buffers
    for changed in (
        make(schedule="interleave:4"),
        make(tolerance=Tolerance(0.5, 1.0)),
        make(grid=(3, 1, 1)),
        make(target="gfx942"),
        make(buffers=(dataclasses.replace(x, data=bytes(16)), y)),
        make(buffers=(dataclasses.replace(x, dtype="i32"), y)),
        make(buffers=(x, dataclasses.replace(y, tolerance=Tolerance(1, 0)))),
    ):
        seen.add(changed.digest())
    assert len(seen) == 8
    assert make(label="other").digest() == base.digest()


def test_dispatch_packet_fields():
    packet = aql_packet(
        make(grid=(5, 2, 1), block=(64, 2, 1)),
        kernel_object=0x1234,
        group_segment=512,
        private_segment=16,
    )
    assert len(packet) == 64
    # Offsets of the HSA specification, as kernels read them: sizes at 4, 6, 8; grid at 12, 16, 20.
    assert struct.unpack_from("<HHH", packet, 4) == (64, 2, 1)
    assert struct.unpack_from("<III", packet, 12) == (320, 4, 1)
    assert struct.unpack_from("<II", packet, 24) == (16, 512)
    assert struct.unpack_from("<QQ", packet, 32) == (0x1234, KERNARG)


def test_schedules_round_trip_and_refuse():
    for text in ("barrier", "interleave:1", "interleave:64", "shuffle:0", "shuffle:12345"):
        assert str(Schedule.parse(text)) == text
    for text in ("", "barrier:1", "interleave", "interleave:0", "shuffle:-1", "shuffle:٣", "x:1"):
        with pytest.raises(InputError, match="schedule"):
            Schedule.parse(text)


def test_dtypes_have_the_sizes_of_their_names():
    for name, kind in DTYPES.items():
        digits = "".join(c for c in name if c.isdigit())
        bits = int(digits) if name[0] in "fiu" else {"bf16": 16}.get(name, 8)
        assert kind.size * 8 == bits, name
    assert dtype("fp8", "gfx942").name == "e4m3fnuz"
    assert dtype("{fp8}", "gfx950").name == "e4m3fn"
    assert dtype("bf8", "gfx90a").name == "e5m2fnuz"
    assert dtype("FP32").name == "f32"
    # 0x80 tells the formats apart: NaN in FNUZ, minus zero in OCP.
    assert np.isnan(np.float32(np.array([0x80], np.uint8).view(dtype("fp8", "gfx942").numpy)[0]))
    assert np.float32(np.array([0x80], np.uint8).view(dtype("fp8", "gfx950").numpy)[0]) == 0
    with pytest.raises(InputError, match="depends on the target"):
        dtype("fp8")
