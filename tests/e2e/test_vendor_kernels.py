"""Vendor assembly and Triton kernels, emulated, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from asmevo.codeobject.object import CodeObject
from asmevo.device.emulated import EmulatedDevice
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


# Wave instructions of whole launches, waits and nops included, as an interpreter that shares no
# code with this project counted them.
COUNTS = {
    "gfx942-pa_a16w16_b16-16": 2540,
    "gfx942-fmoe_stage1_bf16_pertokenInt8_g1u1_16x128_4tg_pf2-t1e1": 2128,
    "gfx942-fmoe_b16-t1-interleave:16": 13236,
}


@pytest.mark.parametrize("name", COUNTS)
def test_executed_instructions_are_counted(name: str, aiter_root: Path) -> None:
    case = next(c for c in CASES if f"{c.arch}-{c.id}" == name)
    data = (aiter_root / case.file).read_bytes()
    capsule = case.build().capsule(CodeObject.open(data).kernel(None).metadata.kernarg_segment_size)
    result = EmulatedDevice().run(data, capsule, RunOptions(profile=True))
    assert result.instructions == COUNTS[name]
    assert result.counts is not None
    assert int(result.counts.sum()) == COUNTS[name]


@pytest.mark.parametrize("schedule", ["interleave:1", "interleave:4", "interleave:64", "barrier"])
@pytest.mark.parametrize(
    "name", ["fmoe_b16-t4", "fmoe_stage1_bf16_pertokenFp8_g1u1_32x128_3tg_pf2"]
)
def test_race_in_the_vendor_binary(name: str, schedule: str, aiter_root: Path) -> None:
    # Waves read an LDS tile and write the next one to the same place without a barrier between:
    # right when they run abreast, wrong when each runs to the barrier.
    case = next(c for c in CASES if c.arch == "gfx942" and c.id.startswith(name))
    data = (aiter_root / case.file).read_bytes()
    launch = case.build()
    capsule = launch.capsule(CodeObject.open(data).kernel(None).metadata.kernarg_segment_size)
    result = EmulatedDevice().run(data, capsule, RunOptions(schedule=schedule, poison=1))
    assert result.ok
    if schedule == "barrier":
        with pytest.raises(AssertionError):
            launch.check(result.buffers, capsule)
    else:
        launch.check(result.buffers, capsule)
