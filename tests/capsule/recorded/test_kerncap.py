"""Capture folders of kerncap: their layout as its replay program and tests read it."""

from __future__ import annotations

import hashlib
import json
import struct
from pathlib import Path

import numpy as np
import pytest

from asmevo.capsule.recorded import CapsuleError
from asmevo.capsule.recorded.kerncap import read_kerncap
from asmevo.isa.target import Target
from asmevo.program.build import assemble_object

X, Y, STRAY = 0x7F00_0000_0000, 0x7F00_0020_0000, 0x7E00_0000_0000
DATA = np.arange(300, dtype=np.float32)
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def saxpy() -> bytes:
    return assemble_object((ROOT / "kernels/gfx942/saxpy.s").read_text(), Target("gfx942"))


def capture(folder: Path, code: bytes, **changes: object) -> Path:
    (folder / "memory").mkdir(parents=True)
    launch = {
        "mangled_name": "saxpy.kd", "demangled_name": "saxpy(float*, float*)",
        "isa_name": "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-", "wavefront_size": 64,
        "grid": [512, 1, 1], "block": [256, 1, 1], "group_segment_size": 128,
        "private_segment_size": 0, "kernarg_size": 280, "dispatch_index": 7,
    }  # fmt: skip
    (folder / "dispatch.json").write_text(json.dumps({**launch, **changes}))
    kernarg = struct.pack("<QQfi", X, Y + 16, 2.0, 296) + bytes(256)
    (folder / "kernarg.bin").write_bytes(kernarg)
    (folder / "kernel.hsaco").write_bytes(code)
    regions = [
        {"base": base, "size": size, "is_pool": True, "is_vmem": False, "contains_kernarg": False}
        for base, size in ((X, 1200), (Y, 1200), (STRAY, 64), (0x7D00_0000_0000, 1 << 40))
    ]
    (folder / "memory_regions.json").write_text(json.dumps({"regions": regions}))
    for base, data in ((X, DATA.tobytes()), (Y, DATA.tobytes()), (STRAY, bytes(64))):
        (folder / "memory" / f"region_{base:x}.bin").write_bytes(data)
    (folder / "capture_complete").touch()
    return folder


def test_a_capture_is_read_as_a_weak_oracle(saxpy: bytes, tmp_path: Path) -> None:
    found = read_kerncap(capture(tmp_path / "c", saxpy))
    assert found.weak.startswith("kerncap copied memory after the dispatch")
    assert found.target == "gfx942:sramecc+:xnack-"
    (one,) = found.dispatches
    assert (one.kernel, one.grid, one.block) == ("saxpy", (2, 1, 1), (256, 1, 1))
    assert one.remainder == (0, 0, 0)
    assert one.lds_dynamic == 128
    # Reached are X and the middle of Y; not the other one, nor what could not be copied.
    assert [(a.address, a.size) for a in one.allocations] == [(X, 1200), (Y, 1200)]
    assert one.allocations[0].before.read() == DATA.tobytes()


def test_a_partial_last_workgroup_is_kept(saxpy: bytes, tmp_path: Path) -> None:
    (one,) = read_kerncap(capture(tmp_path / "c", saxpy, grid=[300, 1, 1])).dispatches
    assert (one.grid, one.remainder) == ((2, 1, 1), (44, 0, 0))


def test_pointers_in_memory_reach_further(saxpy: bytes, tmp_path: Path) -> None:
    folder = capture(tmp_path / "c", saxpy)
    table = struct.pack("<150Q", *([0] * 149), STRAY)
    (folder / "memory" / f"region_{Y:x}.bin").write_bytes(table)
    (one,) = read_kerncap(folder).dispatches
    assert [a.address for a in one.allocations] == [X, Y, STRAY]


def test_module_variables_of_the_object_are_taken(saxpy: bytes, tmp_path: Path) -> None:
    folder = capture(tmp_path / "c", saxpy)
    (folder / "module_variables").mkdir()
    sha = hashlib.sha256(saxpy).hexdigest()
    entries = [
        {"executable_sha256": s, "name": n, "size": 4, "blob": f"module_variables/{n}.bin"}
        for s, n in ((sha, "mine"), ("0" * 64, "other"))
    ]
    (folder / "module_variables.json").write_text(json.dumps({"variables": entries}))
    for n in ("mine", "other"):
        (folder / "module_variables" / f"{n}.bin").write_bytes(b"abcd")
    (one,) = read_kerncap(folder).dispatches
    assert [(v.name, v.before.read()) for v in one.variables] == [("mine", b"abcd")]


def _unfinished(folder: Path) -> None:
    (folder / "capture_complete").unlink()


def _truncated(folder: Path) -> None:
    (folder / "memory" / f"region_{X:x}.bin").write_bytes(bytes(8))


def _link(folder: Path) -> None:
    path = folder / "memory" / f"region_{X:x}.bin"
    path.rename(folder.parent / "outside")
    path.symlink_to(folder.parent / "outside")


def _no_json(folder: Path) -> None:
    (folder / "memory_regions.json").write_text("[" * 100_000)


def _overlap(folder: Path) -> None:
    regions = [{"base": X, "size": 1200}, {"base": X + 8, "size": 1200}]
    (folder / "memory_regions.json").write_text(json.dumps({"regions": regions}))
    (folder / "memory" / f"region_{X + 8:x}.bin").write_bytes(bytes(1200))


def _outside(folder: Path) -> None:
    entry = {"executable_sha256": "", "name": "v", "size": 4, "blob": "module_variables/../x"}
    (folder / "module_variables.json").write_text(json.dumps({"variables": [entry]}))


@pytest.mark.parametrize(
    "damage",
    [_unfinished, _truncated, _link, _no_json, _overlap, _outside],
    ids=lambda f: f.__name__,
)
def test_what_is_not_as_kerncap_leaves_it_is_refused(saxpy: bytes, tmp_path: Path, damage) -> None:
    folder = capture(tmp_path / "c", saxpy)
    damage(folder)
    with pytest.raises(CapsuleError):
        read_kerncap(folder)


def test_a_folder_without_a_dispatch(tmp_path: Path) -> None:
    with pytest.raises(CapsuleError, match="no capture folder"):
        read_kerncap(tmp_path)
