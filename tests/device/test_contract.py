"""What every device promises (`device.protocol.Device`), asked of each that there is.

The HIP device runs here on the emulated runtime, with faults that its worker injects. With
ASMEVO_TEST_GPU set it runs on the machine's own runtime and GPU instead; what needs injected faults
is left out then.
"""

import os
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from asmevo.api import launches, run, verify
from asmevo.api.programs.executing import environment
from asmevo.codeobject import CodeObject
from asmevo.device.emulated import EmulatedDevice
from asmevo.device.hip.device import HipDevice
from asmevo.device.protocol import RunOptions
from asmevo.errors import AsmEvoError, EnvironmentFault, InputError, UnsupportedError
from asmevo.isa.target import Target
from asmevo.program.build import assemble_object

KERNELS = Path(__file__).resolve().parents[2] / "kernels"

GPU = "ASMEVO_TEST_GPU" in os.environ
injected = pytest.mark.skipif(GPU, reason="faults are injected into the emulated runtime only")


def hip(inject="", *, patience=60.0, number=0, devices=1, **more):
    made = {}
    if not GPU:
        made = environment("gfx942", devices=devices, base={})
        made["ASMEVO_HIP_LIBRARY"] = made["TRITON_LIBHIP_PATH"]
        made["ASMEVO_HIP_INJECT"] = inject
    return HipDevice(number, patience=patience, environment={**made, **more})


@pytest.fixture(scope="module", params=["emulated", "hip"])
def device(request):
    made = EmulatedDevice() if request.param == "emulated" else hip()
    yield made
    if isinstance(made, HipDevice):
        made.close()


@pytest.fixture(scope="module")
def saxpy(kernel_objects):
    data = kernel_objects("saxpy")
    return data, launches(data, KERNELS / "launch" / "saxpy.yaml")[0]


def expected(capsule):
    x, y = capsule.buffer("x").array(), capsule.buffer("y").array()
    return (np.float64(2.5) * x + y).astype(np.float32)


def test_runs_right_and_leaves_the_capsule_alone(device, saxpy):
    data, capsule = saxpy
    digest = capsule.digest()
    one, two = (device.run(data, capsule, RunOptions()) for _ in range(2))
    assert one.ok
    # One fused operation, rounded once; float64 holds the product exactly.
    got = np.frombuffer(one.buffers["y"], np.float32)
    assert (got == expected(capsule)).all()
    assert one.buffers == two.buffers
    assert one.buffers["x"] == capsule.buffer("x").data
    assert capsule.digest() == digest


def test_counts_on_request(device, saxpy):
    data, capsule = saxpy
    assert device.run(data, capsule, RunOptions()).counts is None
    counts = device.run(data, capsule, RunOptions(profile=True)).counts
    assert counts.sum() == 16 * 21  # four workgroups of four waves, 21 instructions each


def test_a_fault_is_a_result(device, saxpy):
    data, capsule = saxpy
    kernarg = bytearray(capsule.kernarg)
    kernarg[20:24] = (1010).to_bytes(4, "little")  # ten elements behind the end
    result = device.run(data, replace(capsule, kernarg=bytes(kernarg)), RunOptions())
    assert not result.ok
    assert result.fault.kind == "out_of_bounds"
    assert device.run(data, capsule, RunOptions()).ok


def test_object_for_another_target_is_unsupported(device, saxpy, kernel_objects):
    text = (KERNELS / "recovery" / "gfx1030" / "calls.s").read_text()
    other = assemble_object(text, Target("gfx1030"))
    capsule = replace(saxpy[1], kernel=CodeObject.open(other).kernels[0].name)
    with pytest.raises(UnsupportedError):
        device.run(other, capsule, RunOptions())


def test_recipe_makes_an_equal_device(device, saxpy):
    again = pickle.loads(pickle.dumps(device.recipe))()
    assert again.name == device.name
    assert again.run(*saxpy, RunOptions()).buffers == device.run(*saxpy, RunOptions()).buffers


def test_times_are_positive_and_say_what_they_are(device, saxpy):
    timing = device.time(*saxpy, 5)
    assert timing.label == device.label
    assert min(timing.samples) > 0
    assert timing.unit == ("cycles" if device.label == "modelled" else "s")
    assert device.label == "modelled" or len(timing.samples) == 5


# --- the HIP device alone -----------------------------------------------------------------------
@injected
def test_load_refused(saxpy):
    device = hip("load@1=200")
    result = device.run(*saxpy, RunOptions())
    assert (result.ok, result.fault.kind) == (False, "launch")
    assert "hipModuleLoadData" in result.fault.message


@injected
@pytest.mark.parametrize("what", ["719", "exit"])
def test_launch_error_and_lost_gpu_are_faults_of_the_kernel(saxpy, what):
    # In the third launch of each process; the health check of the next one makes two.
    device = hip(f"launch@3={what}")
    runs = [device.run(*saxpy, RunOptions()) for _ in range(3)]
    assert [r.ok for r in runs] == [True, True, False]
    assert runs[2].fault.kind == "crash"
    device.close()


@injected
def test_a_process_that_died_idle_is_replaced(saxpy):
    device = hip()
    device._process.kill()
    device._process.wait()
    assert device.run(*saxpy, RunOptions()).ok
    device.close()


@injected
def test_a_device_that_stays_broken_is_an_environment_fault(saxpy):
    device = hip("launch@2=719")  # so the health check fails as well
    assert device.run(*saxpy, RunOptions()).ok
    with pytest.raises(EnvironmentFault, match="does not work any more"):
        device.run(*saxpy, RunOptions())
    device.close()


@injected
def test_a_candidate_that_hung_is_not_run_again(saxpy, kernel_objects):
    data, capsule = saxpy
    device = hip("launch@3=hang", patience=10.0)
    assert all(device.run(data, capsule, RunOptions()).ok for _ in range(2))
    other = bytearray(data)
    other[9] ^= 1  # padding of the ELF identification: another object with the same code
    assert device.run(bytes(other), capsule, RunOptions()).fault.kind == "timeout"
    again = device.run(bytes(other), capsule, RunOptions())
    assert again.fault.kind == "timeout"
    assert "not run again" in again.fault.message
    device.close()


@injected
def test_out_of_memory_is_no_fault_of_the_kernel(saxpy):
    made = environment("gfx942", base={})["ASMEVO_HIP_DEVICE"]
    small = made.rsplit("memory=", 1)[0] + "memory=150000"  # the object fits, the buffers do not
    device = hip(ASMEVO_HIP_DEVICE=small)
    large = launches(saxpy[0], KERNELS / "launch" / "saxpy.yaml", sizes={"n": 20000})[0]
    with pytest.raises(EnvironmentFault, match="out of memory"):
        device.run(saxpy[0], large, RunOptions())
    assert device.run(*saxpy, RunOptions()).ok
    device.close()


@injected
def test_two_devices(saxpy):
    one, two = (hip(number=n, devices=2) for n in (0, 1))
    assert one.name != two.name
    assert one.run(*saxpy, RunOptions()).buffers == two.run(*saxpy, RunOptions()).buffers
    with pytest.raises(EnvironmentFault, match="no HIP device 2"):
        hip(number=2, devices=2)


def test_no_runtime():
    with pytest.raises(AsmEvoError, match="no HIP runtime"):
        HipDevice(environment={"ASMEVO_HIP_LIBRARY": "/nonexistent/libamdhip64.so"})


@injected
def test_times_of_several_objects_in_turns(saxpy):
    data, capsule = saxpy
    device = hip()
    one, two = device.compare([data, data], capsule, 3)
    assert len(one.samples) == len(two.samples) == 3
    device.close()


@injected
def test_run_and_verify_take_the_device(saxpy, monkeypatch):
    made = environment("gfx942", base={})
    for key, value in made.items():
        monkeypatch.setenv(key, value)
    monkeypatch.setenv("ASMEVO_HIP_LIBRARY", made["TRITON_LIBHIP_PATH"])
    data, capsule = saxpy
    found = run(data, capsule, device="hip:0")
    assert found.ok, found.reason
    got = np.frombuffer(found.results[0].buffers["y"], np.float32)
    assert (got == expected(capsule)).all()
    with pytest.raises(InputError, match="unknown device"):
        run(data, capsule, device="gpu")


@pytest.mark.skipif("ASMEVO_CORPUS_TEST" not in os.environ, reason="long: make corpus-test")
@injected
def test_verify_on_the_device(saxpy, monkeypatch):
    made = environment("gfx942", base={})
    for key, value in made.items():
        monkeypatch.setenv(key, value)
    monkeypatch.setenv("ASMEVO_HIP_LIBRARY", made["TRITON_LIBHIP_PATH"])
    assert verify(saxpy[0], saxpy[0], saxpy[1], device="hip").ok
