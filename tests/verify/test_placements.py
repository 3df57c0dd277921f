"""Whoever depends on an address shows (A01_hardcoded_addresses and its kin).

Real code on the emulator: each K1 is K0 with a few instructions more that hold, or rely on, where
something lay in the launch's own placement, where it therefore computes the same.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from asmevo.capsule.placement import PLACEMENTS, placed
from asmevo.device.emulated import EmulatedDevice
from asmevo.device.protocol import RunOptions
from asmevo.isa.target import Target
from asmevo.program.build import assemble_object
from asmevo.verify.oracle import DifferentialOracle, VerifyConfig, verify
from asmevo.verify.synthesize import capsules_for

KERNELS = Path(__file__).resolve().parents[2] / "kernels"
CALLS = KERNELS / "launch" / "recovery" / "table_walk.yaml"
WAIT = "s_waitcnt lgkmcnt(0)\n"
ALONE = VerifyConfig(stress=(), late_loads=False, variation_limit=0)
AT_HOME = VerifyConfig(stress=(), late_loads=False, variation_limit=0, placements=())


@pytest.fixture(scope="module")
def emulator() -> EmulatedDevice:
    return EmulatedDevice()


def source(name="saxpy", arch="gfx942", folder=".") -> str:
    return (KERNELS / folder / arch / f"{name}.s").read_text(encoding="utf-8")


def after_wait(text: str, added: str, which: int) -> str:
    """The assembly with lines after its n-th wait for the kernarg segment."""
    parts = text.split(WAIT)
    return WAIT.join(parts[: which + 1]) + WAIT + added + WAIT.join(parts[which + 1 :])


def words(address: int) -> tuple[str, str]:
    return f"0x{address & 0xFFFFFFFF:x}", f"0x{address >> 32:x}"


def home():
    data = assemble_object(source(), Target("gfx942"))
    # One launch only: what is hard-coded holds for its addresses.
    return data, capsules_for(data, KERNELS / "launch" / "saxpy.yaml")[:1]


def hard_coded(capsule, *names):
    lines = ""
    for n, name in enumerate(names):
        low, high = words(capsule.buffer(name).address)
        lines += f"s_mov_b32 s{2 * n}, {low}\ns_mov_b32 s{2 * n + 1}, {high}\n"
    return lines


def distance(capsule):
    x, y = (capsule.buffer(n).address for n in "xy")
    low, high = words(y - x)
    return f"s_add_u32 s2, s0, {low}\ns_addc_u32 s3, s1, {high}\n"


CHEATS = {
    "both buffers": lambda c: after_wait(source(), hard_coded(c, "x", "y"), 1),
    "one buffer": lambda c: after_wait(source(), hard_coded(c, "x"), 1),
    "the distance between them": lambda c: after_wait(source(), distance(c), 1),
    "the upper half of the address space": lambda c: after_wait(
        source(), "s_or_b32 s1, s1, 0x7c00\n", 1
    ),
    "y above x": lambda c: after_wait(
        source(), "s_cmp_gt_u32 s1, s3\ns_cselect_b32 s4, 0, s4\n", 1
    ),
    "a short offset between them": lambda c: after_wait(source(), "s_and_b32 s1, s1, 0x7fff\n"
        "s_cmp_gt_u32 s1, 0x7d00\ns_cselect_b32 s4, 0, s4\n", 1),
    "the kernarg segment": lambda c: source().replace(
        "saxpy:\n", "saxpy:\ns_mov_b32 s0, {}\ns_mov_b32 s1, {}\n".format(*words(c.kernarg_address))
    ),
    "the code": lambda c: after_wait(
        source(), "s_getpc_b64 s[6:7]\ns_cmp_eq_u32 s7, 0x7e00\ns_cselect_b32 s4, s4, 0\n", 1
    ).replace("next_free_sgpr 6", "next_free_sgpr 8"),
    "a sign": lambda c: after_wait(
        source(), "s_cmp_lt_i32 s0, 0\ns_cselect_b32 s4, s4, 0\n", 1
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", CHEATS)
def test_what_is_hard_coded_shows(emulator, what):
    k0, capsules = home()
    k1 = assemble_object(CHEATS[what](capsules[0]), Target("gfx942"))
    blind = verify(k0, k1, capsules, emulator, AT_HOME)
    assert blind.ok, f"right where the launch puts it: {blind.reason}"
    report = verify(k0, k1, capsules, emulator, ALONE)
    assert report.status in ("divergent", "runtime_failure", "canary_corruption")
    assert "placement" in report.reason


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950"])
@pytest.mark.parametrize("name", ["l1_019_relu", "l1_047_sum_dim1"])
def test_a_pointer_taken_from_the_launch_on_other_kernels(emulator, kernel_objects, arch, name):
    """The kernarg segment's own address as a constant: on every target, whatever it computes."""
    text = source(name, arch, "kernelbench")
    k0 = kernel_objects(name, arch, "kernelbench")
    launch = KERNELS / "launch" / "kernelbench" / f"{name}.yaml"
    capsules = capsules_for(k0, launch)[:1]
    assert verify(k0, k0, capsules, emulator, ALONE).ok
    label = f"\n{capsules[0].kernel}:\n"
    found = re.search(r"s_load_dword\w* [^,]+, s\[(\d+):\d+\]", text)
    assert found is not None
    register = int(found[1])
    low, high = words(capsules[0].kernarg_address)
    added = f"s_mov_b32 s{register}, {low}\ns_mov_b32 s{register + 1}, {high}\n"
    k1 = assemble_object(text.replace(label, label + added), Target(arch))
    assert verify(k0, k1, capsules, emulator, AT_HOME).ok
    assert "placement" in verify(k0, k1, capsules, emulator, ALONE).reason


@pytest.mark.parametrize("where", PLACEMENTS)
@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950"])
def test_code_that_finds_itself_may_lie_anywhere(emulator, kernel_objects, arch, where):
    """Calls, recursion, relocated function pointers, globals and scratch give one result."""
    data = kernel_objects("calls", arch, "recovery")
    for capsule in capsules_for(data, CALLS):
        usual = emulator.run(data, capsule, RunOptions())
        moved = emulator.run(data, placed(capsule, where), RunOptions())
        assert usual.ok
        assert moved.ok
        assert moved.buffers == usual.buffers
        again = emulator.run(data, capsule, RunOptions())
        assert again.buffers == usual.buffers, "moving back works, too"


def test_k0_that_stores_addresses_is_compared_place_by_place(device, make_capsule):
    """K0 writes its own pointer: learned, named, and K1 has to do the same in every place."""

    def store(m):
        values = m.read("x").astype(np.float64)
        values[:8] = float(m.capsule.buffer("y").address)
        m.write("y", values)

    def constant(m):
        values = m.read("x").astype(np.float64)
        values[:8] = float(home_address)
        m.write("y", values)

    capsule = make_capsule("f64")
    home_address = capsule.buffer("y").address
    k0 = device.object("k0", store)
    good = verify(k0, device.object("k1", store), [capsule], device)
    assert good.ok
    assert any("depends on where memory lies" in n for c in good.capsules for n in c.notes)
    bad = verify(k0, device.object("k2", constant), [capsule], device)
    assert bad.status == "divergent"
    assert "placement low" in bad.reason


def test_k0_that_cannot_run_elsewhere_is_left_out_and_said(device, make_capsule):
    capsule = make_capsule()

    def kernel(m):
        if m.capsule.buffer("y").address != capsule.buffer("y").address:
            m.load(0, 4)
        m.write("y", m.read("x"))

    k0 = device.object("k0", kernel)
    report = DifferentialOracle(k0, device, VerifyConfig(stress=())).verify(k0, [capsule])
    assert report.ok
    notes = report.capsules[0].notes
    assert sum("placement" in n and "left out" in n for n in notes) == len(PLACEMENTS)
