"""The oracle on the emulator, with real code: each edit breaks the kernel in one known way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from asmevo.codeobject import CodeObject
from asmevo.device.emulated import EmulatedDevice
from asmevo.program import recover
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild
from asmevo.verify.oracle import VerifyConfig, verify
from asmevo.verify.synthesize import capsules_for

LAUNCHES = Path(__file__).resolve().parents[2] / "kernels" / "launch"
KERNELS = ("saxpy", "reduce", "softmax", "rmsnorm", "matmul_f32", "matmul_f16")


@pytest.fixture(scope="module")
def emulator() -> EmulatedDevice:
    return EmulatedDevice()


def edited(data: bytes, old: str, new: tuple[str, ...], which: int = 0) -> bytes:
    """The object with the n-th instruction that starts with `old` replaced."""
    program = recover(CodeObject.open(data))
    found = [i for i, inst in enumerate(program.instructions) if inst.text.startswith(old)]
    return rebuild(apply(program, [Edit(found[which], found[which] + 1, new)]))


@pytest.mark.parametrize("name", KERNELS)
def test_own_kernels_are_oracles_and_equal_themselves(kernel_objects, emulator, name):
    data = kernel_objects(name)
    capsules = capsules_for(data, LAUNCHES / f"{name}.yaml")
    config = VerifyConfig(schedules=("interleave:7", "shuffle:1"))
    report = verify(data, data, capsules, emulator, config)
    assert (report.status, report.evidence_class) == ("accepted", "tested-exact"), report.reason
    # Runs of -inf stay -inf in saxpy's inout buffer: such an input shows nothing, and is named.
    assert all("+runs] left out" in note and "no output" in note for note in report.notes)
    executed = report.executed
    assert executed is not None
    assert executed.sum() > 10


@pytest.mark.parametrize("mapped", [False, True])
def test_a_lost_bounds_check_stores_past_the_end(kernel_objects, emulator, mapped):
    data = kernel_objects("saxpy")
    k1 = edited(data, "s_and_saveexec_b64", ("s_nop 0",))
    # Red zones of a page hold the 24 excess elements of the last workgroup.
    report = verify(
        data, k1, capsules_for(data, LAUNCHES / "saxpy.yaml"), emulator,
        VerifyConfig(guards_mapped=mapped),
    )  # fmt: skip
    if mapped:
        assert report.status == "canary_corruption"
        assert "outside buffer y" in report.reason
    else:
        assert report.status == "runtime_failure"
        assert "out_of_bounds" in report.reason
        assert "global_load" in report.reason


def test_another_operation_diverges(kernel_objects, emulator):
    data = kernel_objects("saxpy")
    program = recover(CodeObject.open(data))
    fma = next(i.text for i in program.instructions if i.text.startswith("v_fmac_f32"))
    k1 = edited(data, fma, (fma.replace("v_fmac_f32_e32", "v_mul_f32_e32"),))
    report = verify(data, k1, capsules_for(data, LAUNCHES / "saxpy.yaml"), emulator)
    assert report.status == "divergent"
    assert "y[" in report.reason


def test_a_lost_store_leaves_the_output_unwritten(kernel_objects, emulator):
    data = kernel_objects("softmax")
    program = recover(CodeObject.open(data))
    store = next(i.text for i in program.instructions if i.text.startswith("global_store"))
    k1 = edited(data, store, ("s_nop 0", "s_nop 0"))
    report = verify(data, k1, capsules_for(data, LAUNCHES / "softmax.yaml"), emulator)
    assert report.status == "divergent"
    assert "left unwritten" in report.reason


def test_a_lost_epsilon_needs_stressed_inputs(kernel_objects, emulator):
    data = kernel_objects("rmsnorm")
    capsules = capsules_for(data, LAUNCHES / "rmsnorm.yaml")
    program = recover(CodeObject.open(data))
    epsilon = next(i.text for i in program.instructions if i.text.startswith("v_add_f32_e32 v1, s"))
    k1 = edited(data, epsilon, ("s_nop 0",))
    alone = VerifyConfig(stress=(), variation_limit=0)
    assert verify(data, k1, capsules, emulator, alone).ok
    report = verify(data, k1, capsules, emulator)
    assert report.status == "divergent"
    assert "+tiny" in report.reason


def test_an_endless_loop_ends_by_budget(kernel_objects, emulator):
    data = kernel_objects("rmsnorm")
    k1 = edited(data, "s_andn2_b64 exec", ("s_nop 0",))
    report = verify(
        data, k1, capsules_for(data, LAUNCHES / "rmsnorm.yaml"), emulator,
        VerifyConfig(budget_floor=100_000, guards_mapped=True),
    )  # fmt: skip
    assert report.status == "runtime_failure"


def test_an_edit_of_code_that_no_launch_executes_is_untested(kernel_objects, emulator):
    """The softmax unrolls by two from 769 columns on; its launch has 601."""
    data = kernel_objects("softmax")
    program = recover(CodeObject.open(data))
    path = LAUNCHES / "softmax.yaml"
    alone = VerifyConfig(variation_limit=0)
    short = verify(data, data, capsules_for(data, path, {"columns": 601}), emulator, alone)
    function = program.function("softmax")
    never = short.untested(function.first, function.last)
    assert len(never) > 30
    k1 = rebuild(apply(program, [Edit(never[0], never[0] + 1, ("s_nop 0",))]))
    accepted = verify(data, k1, capsules_for(data, path, {"columns": 601}), emulator, alone)
    assert accepted.ok
    assert never[0] in accepted.untested(never[0], never[0] + 1)
    long = verify(data, data, capsules_for(data, path, {"columns": 2000}), emulator)
    assert len(long.untested(function.first, function.last)) < len(never)


def test_results_are_the_mathematics(kernel_objects, emulator):
    """The oracle's reference is what the kernel must compute, not only what it repeats."""
    from asmevo.device.protocol import RunOptions

    data = kernel_objects("saxpy")
    (capsule, *_) = capsules_for(data, LAUNCHES / "saxpy.yaml")
    after = emulator.run(data, capsule, RunOptions(poison=3)).buffers
    x, y = (capsule.buffer(n).array().astype(np.float64) for n in "xy")
    result = capsule.buffer("y").view(after["y"])
    assert np.allclose(result, 2.5 * x + y, rtol=1e-6, atol=1e-6)
