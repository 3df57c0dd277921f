"""The project's own HIP kernels, emulated, against NumPy at every size and target."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from asmevo.capsule.model import Capsule
from asmevo.capsule.spec import LaunchSpec
from asmevo.device.emulated import EmulatedDevice
from asmevo.device.protocol import RunOptions
from reference import kernelbench, kernels
from reference.inputs import capsule_and_inputs, launch_paths, object_of
from reference.launch import Expected

Objects = Callable[..., bytes]
SIX = [p for p in launch_paths() if object_of(p)[1] == "."]
RECOVERY = [p for p in launch_paths() if object_of(p)[1] == "recovery"]
KERNELBENCH = [p for p in launch_paths() if object_of(p)[1] == "kernelbench"]


def run(data: bytes, capsule: Capsule, expected: dict[str, Expected], schedule: str) -> None:
    result = EmulatedDevice().run(data, capsule, RunOptions(schedule=schedule, poison=1))
    assert result.fault is None, result.fault.one_line()
    assert result.ok
    for name, e in expected.items():
        e.check(capsule.buffer(name).view(result.buffers[name]), name)
    for b in capsule.buffers:
        if b.role == "in":
            assert result.buffers[b.name] == b.data, f"input {b.name} was modified"


@pytest.mark.parametrize("schedule", ["barrier", "interleave:1", "shuffle:7"])
@pytest.mark.parametrize("path", SIX, ids=lambda p: p.stem)
def test_six_kernels(path: Path, schedule: str, kernel_objects: Objects) -> None:
    name, _ = object_of(path)
    data = kernel_objects(name)
    for sizes in kernels.SIZES[name]:
        capsule, inputs = capsule_and_inputs(data, path, dict(sizes))
        arrays = kernels.REFERENCES[name](inputs)
        expected = {n: Expected(a, rtol=kernels.TOLERANCES[name]) for n, a in arrays.items()}
        run(data, capsule, expected, schedule)


def expect(kernel: str, arrays: dict[str, np.ndarray]) -> dict[str, Expected]:
    if kernel in kernelbench.EXACT:
        return {n: Expected(a, "exact") for n, a in arrays.items()}
    if kernel in kernelbench.ABSOLUTE:
        bound = kernelbench.ABSOLUTE[kernel]
        return {n: Expected(a, atol=bound) for n, a in arrays.items()}
    bf16 = kernel == "gemm_add_relu_mfma"
    bound = kernelbench.RELATIVE_BF16 if bf16 else kernelbench.RELATIVE
    return {n: Expected(a, rtol=bound) for n, a in arrays.items()}


@pytest.mark.parametrize("arch", ["gfx942", "gfx90a", "gfx950"])
@pytest.mark.parametrize("path", KERNELBENCH, ids=lambda p: p.stem)
def test_kernelbench(path: Path, arch: str, kernel_objects: Objects) -> None:
    name, folder = object_of(path)
    data = kernel_objects(name, arch, folder)
    spec = LaunchSpec.load(path)
    assert spec.kernel is not None
    for sizes in ({}, *spec.variants):
        capsule, inputs = capsule_and_inputs(data, path, dict(sizes))
        expected = expect(spec.kernel, kernelbench.REFERENCES[spec.kernel](inputs))
        run(data, capsule, expected, "barrier")


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950"])
@pytest.mark.parametrize("path", RECOVERY, ids=lambda p: p.stem)
def test_calls_data_and_scratch(path: Path, arch: str, kernel_objects: Objects) -> None:
    data = kernel_objects("calls", arch, "recovery")
    spec = LaunchSpec.load(path)
    assert spec.kernel is not None
    for sizes in ({}, *spec.variants):
        capsule, inputs = capsule_and_inputs(data, path, dict(sizes))
        arrays = kernels.RECOVERY[spec.kernel](inputs)
        run(data, capsule, {n: Expected(a, "exact") for n, a in arrays.items()}, "barrier")
