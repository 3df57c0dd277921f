"""Capsules of real programs: memory before and after, and K0 replays each to the recorded end.

The recorded end is what the program itself saw: it ran in place in the program's memory, while a
replay builds its memory from the capsule.
"""

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from asmevo.api import capture, optimize, run
from asmevo.capsule.recorded import Contents, open_capsule
from asmevo.capsule.recorded.convert import launches
from asmevo.codeobject import CodeObject
from asmevo.device.emulated import EmulatedDevice
from asmevo.device.protocol import RunOptions
from asmevo.errors import InputError
from hip.conftest import CLIENTS


def replayed(path: Path) -> int:
    """Run the capsule's dispatches; the number of bytes that changed, all as recorded."""
    device, changed = EmulatedDevice(), 0
    with open_capsule(path) as recording:
        for dispatch in recording.dispatches:
            data = Contents.of(recording.objects[dispatch.object]).read()
            alone = launches(recording, CodeObject.open(data), path.name, dispatch.kernel)
            assert len(alone) == 1
            result = device.run(data, alone[0], RunOptions())
            assert result.ok, result.fault
            for a in dispatch.allocations:
                after = Contents.of(a.after).read()
                assert result.buffers[a.name] == after, (path.name, a.name)
                before = Contents.of(a.before).read()
                changed += int((np.frombuffer(before, "u1") != np.frombuffer(after, "u1")).sum())
    return changed


@pytest.fixture
def record(tmp_path):
    def call(*command, **options):
        with (tmp_path / "stdout").open("w") as stream:
            words = [str(c) for c in command]
            result = capture(words, tmp_path / "capsules", stdout=stream.fileno(), **options)
        return result, sorted((tmp_path / "capsules").glob("*.capsule"))

    return call


def test_state_before_each_launch_with_pointers_in_variables(record, registered, affine):
    result, paths = record(registered, affine, launch="2")
    assert result.ok, result.reason
    (path,) = paths
    with open_capsule(path) as recording:
        (dispatch,) = recording.dispatches
        memory = {a.address: a for a in dispatch.allocations}
        variables = {v.name: Contents.of(v.before).read() for v in dispatch.variables}
        assert Contents.of(recording.objects[dispatch.object]).read() == affine.read_bytes()
        # The second launch: hipMemcpyToSymbol has set the factor, one launch has been counted.
        assert variables["factor"] == np.float32(2.0).tobytes()
        assert variables["launches"] == np.int32(1).tobytes()
        # Memory that only a variable points to is there: the managed variable `shift`.
        shift = memory[int.from_bytes(variables["shift"], "little")]
        assert (shift.kind, Contents.of(shift.before).read()) == (
            "managed", np.float32(0.5).tobytes(),
        )  # fmt: skip
        x, y = (memory[int.from_bytes(dispatch.kernarg[n : n + 8], "little")] for n in (0, 8))
        values = np.frombuffer(Contents.of(x.before).read(), np.float32)
        assert (values == np.arange(1000)).all()
        # What the first launch left is what the second one found.
        assert (np.frombuffer(Contents.of(y.before).read(), np.float32) == values + 0.25).all()
        assert (np.frombuffer(Contents.of(y.after).read(), np.float32) == 2 * values + 0.5).all()
        (count,) = (v for v in dispatch.variables if v.name == "launches")
        assert Contents.of(count.after).read() == np.int32(2).tobytes()
    assert replayed(path) > 1000


def test_capsule_of_a_ctypes_program_runs_as_a_launch(record, modules, saxpy):
    result, (path,) = record(*modules, saxpy, kernel="sax")
    assert result.data["capsules"][0]["kernel"] == "saxpy"
    assert replayed(path) > 0
    assert run(saxpy, path).ok


@pytest.mark.skipif("ASMEVO_CORPUS_TEST" not in os.environ, reason="long: make corpus-test")
def test_capsule_of_a_ctypes_program_optimizes_as_it_is(record, modules, saxpy):
    _, (path,) = record(*modules, saxpy, kernel="sax")
    found = optimize(saxpy, path, budget=1)
    assert found.status in ("ok", "accepted", "insufficient_speedup"), found.reason


def test_choices(record, registered, affine):
    result, paths = record(registered, affine, launch="first", most=1)
    assert len(paths) == 1
    result, paths = record(registered, affine, kernel="^nothing")
    assert not result.ok
    assert "nothing was recorded" in result.reason
    for wrong in ({"launch": "0"}, {"launch": "all"}, {"kernel": "("}):
        with pytest.raises(InputError):
            record(registered, affine, **wrong)


def test_a_faulting_launch_is_recorded_without_an_end(record, modules, saxpy):
    result, (path,) = record(*modules, saxpy, "behind", launch="1")
    assert "out_of_bounds" in result.data["capsules"][0]["fault"]
    with open_capsule(path) as recording:
        assert all(a.after is None for a in recording.dispatches[0].allocations)


def test_redacted(record, modules, saxpy):
    _, (path,) = record(*modules, saxpy, redact=True)
    with open_capsule(path) as recording:
        assert recording.redacted
        dispatch = recording.dispatches[0]
        x = min(
            dispatch.allocations,
            key=lambda a: dispatch.kernarg.find(a.address.to_bytes(8, "little")),
        )
        values = np.frombuffer(Contents.of(x.before).read(), np.float32)
    assert values[0] == 0  # zeros stay, others do not: x was 0.5 * i
    assert (values[1:] != 0.5 * np.arange(1, 1000)).mean() > 0.9
    assert json.dumps(dict(recording.provenance)).find("modules.py") < 0


@pytest.mark.skipif("ASMEVO_CORPUS_TEST" not in os.environ, reason="long: make corpus-test")
def test_capsules_of_vendor_libraries_replay(record, vendor_library):
    for name, package, client, rest in (
        ("librocrand.so.1", "librocrand1", "rocrand.py", (1000, "philox,sobol32,mtgp32")),
        ("librocsparse.so.0", "librocsparse0", "rocsparse.py", ()),
    ):
        library = vendor_library(name, package)
        result, _ = record(sys.executable, CLIENTS / client, library, *rest, arch="gfx90a")
        assert result.ok, result.reason
        for row in result.data["capsules"]:
            replayed(Path(row["path"]))


@pytest.mark.skipif("ASMEVO_CORPUS_TEST" not in os.environ, reason="long: make corpus-test")
def test_capsules_of_triton_kernels_replay(record, python_with):
    result, _ = record(python_with("triton"), CLIENTS / "triton_plain.py")
    assert {row["kernel"] for row in result.data["capsules"]} == {
        "add", "softmax", "matmul", "histogram",
    }  # fmt: skip
    for row in result.data["capsules"]:
        assert replayed(Path(row["path"])) > 0
