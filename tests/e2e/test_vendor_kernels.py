"""Vendor assembly and Triton kernels, emulated, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from asmevo.device.emulated import EmulatedDevice

from asmevo.codeobject.object import CodeObject
from asmevo.device.protocol import RunOptions
from reference import triton_cases
from reference.launch import Launch
from reference.vendor_cases import CASES, Case

pytestmark = pytest.mark.corpus


def run(data: bytes, launch: Launch) -> None:
    co = CodeObject.open(data)
    size = co.kernel(None).metadata.kernarg_segment_size
    capsule = launch.capsule(size, co.target.target_id)
    result = EmulatedDevice().run(data, capsule, RunOptions(poison=1))
    assert result.fault is None, result.fault.one_line()
    assert result.ok
    launch.check(result.buffers, capsule)


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.arch}-{c.id}")
def test_vendor_kernel(case: Case, aiter_root: Path) -> None:
    run((aiter_root / case.file).read_bytes(), case.build())


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
@pytest.mark.parametrize("name", sorted(triton_cases.entries()))
def test_triton_kernel(name: str, arch: str, triton_object: Callable[[str, str], bytes]) -> None:
    file = triton_cases.object_name(triton_cases.entries()[name], arch, "small")
    run(triton_object(arch, file), triton_cases.build(name, arch))
