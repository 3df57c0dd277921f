"""The capsule file: round trip, damage anywhere, hostile headers."""

from __future__ import annotations

import hashlib
import json
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asmevo.capsule.file import CapsuleFileError, is_capsule, load, save
from asmevo.capsule.model import BufferState, Capsule, PointerSlot, Tolerance
from asmevo.errors import EnvironmentFault, InputError


def make(contents=(b"abcdefgh", b"\x01\x02"), label="n=8") -> Capsule:
    buffers = tuple(
        BufferState(
            f"b{i}", 0x10000 * (i + 1), data, "u8", (len(data),),
            "out" if i % 2 else "in", guard=128, undefined=bool(i % 2),
            tolerance=Tolerance(0.5, 0.25) if i % 2 else None,
        )
        for i, data in enumerate(contents)
    )  # fmt: skip
    kernarg = struct.pack(f"<{len(buffers)}Q", *(b.address for b in buffers))
    return Capsule(
        kernel="k",
        grid=(3, 2, 1),
        block=(64, 1, 1),
        lds_dynamic=96,
        kernarg=kernarg,
        buffers=buffers,
        kernarg_address=0x4000,
        pointers=tuple(PointerSlot(8 * i, b.name) for i, b in enumerate(buffers)),
        schedule="interleave:4",
        tolerance=Tolerance(0.9, 1e-5),
        label=label,
        target="gfx942:xnack-",
        provenance={"origin": "test", "sizes": {"n": 8}, "f": 0.1},
    )


@given(st.lists(st.binary(max_size=300), max_size=6), st.text(max_size=20))
@settings(max_examples=40)
def test_round_trip(tmp_path_factory, contents, label):
    path = tmp_path_factory.mktemp("c") / "x.capsule"
    capsule = make(contents, label)
    save(capsule, path)
    found = load(path)
    assert found == capsule
    assert found.digest() == capsule.digest()
    assert is_capsule(path)


@pytest.fixture
def stored(tmp_path):
    path = tmp_path / "x.capsule"
    make().save(path)
    return path


def test_every_flipped_bit_is_noticed(stored):
    data = stored.read_bytes()
    for position in range(len(data)):
        broken = bytearray(data)
        broken[position] ^= 1 << (position % 8)
        stored.write_bytes(bytes(broken))
        with pytest.raises(CapsuleFileError):
            load(stored)


def test_every_truncation_and_any_tail_is_noticed(stored):
    data = stored.read_bytes()
    for length in range(len(data)):
        stored.write_bytes(data[:length])
        with pytest.raises(CapsuleFileError):
            load(stored)
    stored.write_bytes(data + b"\x00")
    with pytest.raises(CapsuleFileError):
        load(stored)


def forged(header: bytes, data: bytes = b"", version=1, lengths=None) -> bytes:
    """A file with a right checksum round any header."""
    digest = hashlib.sha256(header + data).digest()
    n, m = lengths or (len(header), len(data))
    return struct.pack("<8sIIQ32s", b"ASMEVO\x00C", version, n, m, digest) + header + data


def header(**changes) -> bytes:
    document = {
        "kernel": "k", "grid": [1, 1, 1], "block": [64, 1, 1], "lds_dynamic": 0,
        "kernarg_size": 0, "kernarg_address": 4096, "buffers": [], "pointers": [],
        "schedule": "barrier", "tolerance": {"theta": 1.0, "tau": 0.0}, "label": "",
        "target": "", "provenance": {},
    }  # fmt: skip
    return json.dumps({**document, **changes}).encode()


BUFFER = {
    "name": "x", "address": 65536, "size": 4, "dtype": "f32", "shape": [1], "role": "in",
    "guard": 0, "tolerance": None, "undefined": False,
}  # fmt: skip


def test_the_forged_header_itself_is_good(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(forged(header(buffers=[BUFFER]), bytes(4)))
    assert load(path).buffer("x").data == bytes(4)


@pytest.mark.parametrize(
    "data",
    [
        forged(b"not json"),
        forged(b"[]"),
        forged(b"[" * 100000),
        forged(header(), version=2),
        forged(header(), lengths=(1 << 31, 0)),
        forged(header(), lengths=(10, 1 << 62)),
        forged(header(extra=1)),
        forged(header(grid=[1, 1])),
        forged(header(grid=["1", 1, 1])),
        forged(header(grid=[0, 1, 1])),
        forged(header(kernarg_size=-1)),
        forged(header(kernarg_size=1 << 40)),
        forged(header(buffers=[{**BUFFER, "size": 1 << 40}])),
        forged(header(buffers=[{**BUFFER, "size": -4}]), bytes(4)),
        forged(header(buffers=[{**BUFFER, "shape": [1 << 62, 1 << 62]}]), bytes(4)),
        forged(header(buffers=[{**BUFFER, "address": -1}]), bytes(4)),
        forged(header(buffers=[{**BUFFER, "address": 1 << 80}]), bytes(4)),
        forged(header(buffers=[{**BUFFER, "guard": 1 << 60}]), bytes(4)),
        forged(header(buffers=[{**BUFFER, "guard": 1 << 30, "address": 1 << 40}]), bytes(4)),
        forged(header(buffers=[{**BUFFER, "dtype": "object"}]), bytes(4)),
        forged(header(buffers=[{**BUFFER, "address": 4096}], kernarg_size=4), bytes(8)),
        forged(header(pointers=[{"offset": 0, "buffer": "y", "addend": 0}])),
        forged(header(schedule="x")),
        forged(header(tolerance={"theta": 9.0, "tau": 0.0})),
    ],
)
def test_hostile_files_are_typed_errors(tmp_path, data):
    path = tmp_path / "hostile"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        load(path)
    assert "hostile" in caught.value.one_line()


def test_other_files(tmp_path):
    for data in (b"", b"\x7fELF", b"ASMEVO", b"schema: asmevo/launch/1\n"):
        path = tmp_path / "other"
        path.write_bytes(data)
        assert not is_capsule(path)
        with pytest.raises(CapsuleFileError, match="not a capsule"):
            load(path)
    with pytest.raises(InputError, match="cannot read"):
        load(tmp_path / "none")
    assert not is_capsule(tmp_path / "none")


def test_a_failed_write_leaves_nothing(tmp_path):
    with pytest.raises(EnvironmentFault, match="cannot write"):
        save(make(), tmp_path / "missing" / "x.capsule")
    (tmp_path / "x.capsule").mkdir()
    with pytest.raises(EnvironmentFault):
        save(make(), tmp_path / "x.capsule")
    assert [p.name for p in tmp_path.iterdir()] == ["x.capsule"]
