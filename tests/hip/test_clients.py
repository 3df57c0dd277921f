"""Unmodified programs on the emulated runtime: what they compute, and the errors that they get.

Expected results are arithmetic of the clients themselves; expected codes are those of HIP's public
enumeration (hip_runtime_api.h) for the fault that each client provokes.
"""

import json
import re
from pathlib import Path

from asmevo.isa.target import Target
from asmevo.program.build import assemble_object
from hip.conftest import CLIENTS, facts

KERNELS = Path(__file__).resolve().parents[2] / "kernels"


def test_registered_program_with_streams_events_symbols_pinned_and_managed_memory(
    run, registered, affine
):
    result, text = run(registered, affine)
    assert result.ok, result.reason
    seen = facts(text)
    right = ("initial", "constant", "events", "pinned", "registered", "kept")
    assert {k: seen[k] for k in right} == dict.fromkeys(right, "1")
    assert seen["launches"] == "4"  # counted by the kernel itself, in a __device__ variable
    assert seen["no block"] == "9"  # hipErrorInvalidConfiguration
    assert seen["unknown host"] == "98"  # hipErrorInvalidDeviceFunction
    assert seen["free twice"] == "1"  # hipErrorInvalidValue
    assert result.data["kernels"]["affine"]["launches"] == 4


def test_each_version_of_the_library_runs_the_same_program(run, registered, affine, runtime):
    # It was linked against the plain name of HIP 6; its NEEDED entry says libamdhip64.so.6.
    for number in (5, 7):
        settings = {"LD_PRELOAD": str(runtime / f"libamdhip64.so.{number}")}
        result, text = run(registered, affine, "fork", settings=settings)
        assert result.ok
        assert facts(text) == {"child": "3", "parent": "0"}  # hipErrorNotInitialized in a child


def test_a_kernel_that_never_ends_is_a_timeout_that_names_its_instruction(run, registered, affine):
    result, text = run(registered, affine, "hang", timeout=3.0)
    assert facts(text) == {"launch": "0", "synchronize": "702", "again": "702", "reset": "0"}
    (fault,) = result.data["faults"]
    assert fault["kernel"] == "forever"
    assert re.match(r"v_add_u32_e32|s_branch", fault["text"])
    assert not result.ok


def test_a_killed_worker_is_a_launch_failure_and_the_next_one_goes_on(run, registered, affine):
    _, text = run(registered, affine, "lose")
    assert facts(text) == {
        "launch": "0", "synchronize": "719", "again": "0", "synchronize again": "0",
    }  # fmt: skip


def test_threads_of_a_program_share_the_device(run, registered, affine):
    result, text = run(registered, affine, "threads")
    assert facts(text) == {"bad threads": "0"}
    assert result.data["kernels"]["affine"]["launches"] == 20


def test_ctypes_program_gives_arguments_in_both_ways(run, modules, saxpy):
    result, text = run(*modules, saxpy)
    assert result.ok, result.reason
    seen = json.loads(text)
    assert seen["arch"] == "gfx942:sramecc+:xnack-"
    assert seen["cus"] == 304
    assert (seen["params"], seen["extra"], seen["right"]) == (0, 0, True)
    assert seen["unknown function"] == 500  # hipErrorNotFound
    assert seen["block too large"] == seen["last"] == 9
    assert seen["then"] == 0  # hipGetLastError clears
    assert seen["graph"] == 801  # hipErrorNotSupported
    assert seen["copy behind the end"] == 1


def test_access_out_of_bounds_shows_at_the_next_synchronization_and_stays(run, modules, saxpy):
    result, text = run(*modules, saxpy, "behind")
    seen = json.loads(text)
    assert (seen["launch"], seen["right after"]) == (0, 0)
    assert (seen["synchronize"], seen["malloc"]) == (700, 700)
    assert seen["name"] == "hipErrorIllegalAddress"
    assert (seen["after reset"], seen["synchronize again"]) == (0, 0)
    (fault,) = result.data["faults"]
    assert fault["text"].startswith("global_load_dword")
    # Element 1000 is lane 40 of the fourth wave of the fourth workgroup: 1000 = 768 + 3*64 + 40.
    assert fault["lanes"] == (1 << 64) - (1 << 40)
    assert "0 bytes behind the end of the 4000 bytes" in fault["message"]


def test_memory_that_the_device_does_not_have_is_an_illegal_address(run, modules, saxpy):
    for mode in ("host", "freed"):
        result, text = run(*modules, saxpy, mode)
        assert json.loads(text)["synchronize"] == 700, mode
        assert not result.ok


def test_object_of_another_architecture_is_one_clear_line(run, modules, saxpy, capfd):
    result, text = run(*modules, saxpy, arch="gfx90a")
    assert json.loads(text)["load"] == 209  # hipErrorNoBinaryForGpu
    (refusal,) = result.data["refused"]
    assert "gfx942" in refusal["message"]
    assert "gfx90a" in refusal["message"]
    assert capfd.readouterr().err.count("\n") == 1


def test_every_call_is_logged(run, modules, saxpy, tmp_path):
    log = tmp_path / "calls"
    run(*modules, saxpy, log=log)
    lines = log.read_text().splitlines()
    names = [re.sub(r"^\d+ (\w+)\(.*", r"\1", line) for line in lines]
    assert names[:4] == ["hipInit", "hipGetDeviceCount", "hipGetDevicePropertiesR0600",
                         "hipModuleLoadData"]  # fmt: skip
    assert names.count("hipModuleLaunchKernel") == 3
    assert next(line for line in lines if "hipGraphCreate" in line).endswith("-> 801")


def test_check_finds_a_race_and_nothing_where_there_is_none(run, modules, saxpy, tmp_path):
    racy = tmp_path / "racy.hsaco"
    racy.write_bytes(assemble_object((CLIENTS / "racy.s").read_text(), Target("gfx942")))
    result, text = run(*modules, racy, check=True)
    assert not result.ok
    assert json.loads(text)["params"] == 0  # a race is no error of a launch
    (finding,) = result.data["findings"]
    assert finding["kind"] == "race-write-after-write"
    assert "ds_write_b32" in finding["message"]
    result, _ = run(*modules, saxpy, check=True)
    assert result.ok
    assert result.data["findings"] == []


def test_profile_gives_modelled_time(run, registered, affine):
    result, _ = run(registered, affine, profile=True)
    row = result.data["kernels"]["affine"]
    assert result.data["refused"] == []
    # Microseconds: a launch of four small workgroups takes more than 100 ns and less than 100 us.
    assert 0.1 < row["modelled_us"] / row["launches"] < 100


def test_check_finds_a_load_that_is_used_early(run, modules, tmp_path):
    text = (KERNELS / "gfx942" / "saxpy.s").read_text()
    assert "\ts_waitcnt vmcnt(0)\n" in text
    early = tmp_path / "early.hsaco"
    broken = text.replace("\ts_waitcnt vmcnt(0)\n", "\ts_waitcnt vmcnt(1)\n")
    early.write_bytes(assemble_object(broken, Target("gfx942")))
    result, _ = run(*modules, early, check=True)
    (finding,) = result.data["findings"]
    assert finding["kind"] == "early-load"
    assert "device memory" in finding["message"]
