"""What holds for one size, block or scalar only shows on another (A21_block_size_hardcoded,
A25_wrong_edit_in_unexecuted_code, and their kin on other kernels and targets).

Each K1 is right on the launch itself, which the first assertion of each test says.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from asmevo.capsule.variation import HUGE, LARGE
from asmevo.device.emulated import EmulatedDevice
from asmevo.isa.target import Target
from asmevo.program.build import assemble_object
from asmevo.verify.oracle import DifferentialOracle, VerifyConfig, verify
from asmevo.verify.synthesize import capsules_for

KERNELS = Path(__file__).resolve().parents[2] / "kernels"
LAUNCHES = KERNELS / "launch"
ALONE = VerifyConfig(variation_limit=0)


@pytest.fixture(scope="module")
def emulator() -> EmulatedDevice:
    return EmulatedDevice()


def source(name, arch="gfx942", folder=".") -> str:
    if name == "saxpy" and arch == "gfx950":  # has all of its instructions
        return source(name).replace("gfx942", arch)
    return (KERNELS / folder / arch / f"{name}.s").read_text(encoding="utf-8")


def judged(emulator, text, changes, launch, arch="gfx942", config=None):
    """Reports on the launch alone, and with variations."""
    target = Target(arch)
    k0, changed = assemble_object(text, target), text
    for old, new in changes:
        assert old in changed
        changed = changed.replace(old, new, 1)
    k1 = assemble_object(changed, target)
    capsules = capsules_for(k0, launch)[:1]
    return (
        verify(k0, k1, capsules, emulator, ALONE),
        verify(k0, k1, capsules, emulator, config),
    )


LOAD_BLOCK = "\ts_load_dword s3, s[0:1], 0x24\n"


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_a_block_size_as_a_constant(emulator, arch):
    alone, report = judged(
        emulator, source("saxpy", arch), [(LOAD_BLOCK, "\ts_movk_i32 s3, 0x100\n")],
        LAUNCHES / "saxpy.yaml", arch,
    )  # fmt: skip
    assert alone.ok
    assert report.status == "divergent"
    assert "~block=" in report.reason


CONSTANTS = {
    # kernel, target, folder, what is replaced, by what, and a variation that shows it
    "a scalar": ("saxpy", "gfx942", ".", [("v_fmac_f32_e32 v5, s4, v4",
                 "v_fmac_f32_e32 v5, 0x40200000, v4")], "~a="),
    "a count": ("saxpy", "gfx950", ".", [("v_cmp_gt_i32_e32 vcc, s5, v0",
                "v_cmp_gt_i32_e32 vcc, 0x3e8, v0")], "~"),
    "a count of 16 bits": ("saxpy", "gfx942", ".", [("s_and_b32 s3, s3, 0xffff",
        "s_and_b32 s3, s3, 0xffff\n\ts_and_b32 s5, s5, 0xffffff")], f"~n={HUGE}"),
    "a count on gfx90a": ("l1_019_relu", "gfx90a", "kernelbench",
        [("s_load_dword s0, s[4:5], 0x10", "s_movk_i32 s0, 0xfa0")], "~"),
    "a count of layernorm": ("l1_040_layernorm", "gfx90a", "kernelbench",
        [("s_load_dword s16, s[4:5], 0x20", "s_movk_i32 s16, 0x500")], "~"),
    "as many partial sums": ("reduce", "gfx942", ".", [("\ts_load_dword s3, s[0:1], 0x10\n",
                             "\ts_movk_i32 s3, 0x6a4\n")], "~"),
}  # fmt: skip


@pytest.mark.parametrize("what", CONSTANTS)
def test_what_the_launch_gives_as_a_constant(emulator, what):
    name, arch, folder, changes, shown = CONSTANTS[what]
    launch = LAUNCHES / (f"{name}.yaml" if folder == "." else f"{folder}/{name}.yaml")
    alone, report = judged(emulator, source(name, arch, folder), changes, launch, arch)
    assert alone.ok, alone.reason
    assert report.status in ("divergent", "runtime_failure", "canary_corruption")
    assert shown in report.reason


def test_a_wrong_edit_in_code_for_more_columns(emulator):
    """The path for more than 768 columns, which 601 columns do not reach: found and stressed."""
    text = source("softmax")
    lines = text.splitlines()
    config = VerifyConfig()
    k0 = assemble_object(text, Target("gfx942"))
    capsules = capsules_for(k0, LAUNCHES / "softmax.yaml")[:1]
    alone = verify(k0, k0, capsules, emulator, ALONE)
    assert not alone.executed.all()
    whole = verify(k0, k0, capsules, emulator, config)
    function = emulator.program(k0).functions[0]
    assert whole.executed[function.first : function.last].all(), "all code is reached"
    reached = [c.label for c in whole.capsules if c.origin == "varied"]
    assert any("columns=1025" in label for label in reached)
    assert any("columns=1025" in c.label for c in whole.capsules if c.origin == "stressed")
    first = int((~alone.executed).argmax())
    # Minima instead of maxima, in the first part that the launch does not reach.
    program = emulator.program(k0)
    never = [program.instructions[i].text for i in range(first, function.last)
             if not alone.executed[i]]  # fmt: skip
    # Of different registers: the maximum of a value with itself only quiets a NaN.
    wrong = next(t for t in never if re.match(r"v_max_f32_e32 v\d+, v(\d+), v(?!\1\b)", t))
    at = next(n for n, line in enumerate(lines) if line.strip() == wrong)
    lines[at] = "\t" + wrong.replace("v_max_f32", "v_min_f32")
    k1 = assemble_object("\n".join(lines) + "\n", Target("gfx942"))
    assert verify(k0, k1, capsules, emulator, ALONE).ok
    assert "~columns=" in verify(k0, k1, capsules, emulator, config).reason


def test_what_k0_cannot_do_is_dropped_and_said(emulator, kernel_objects):
    """One workgroup more leaves softmax's rows; columns of 2^24 cost too much."""
    data = kernel_objects("softmax")
    report = verify(data, data, capsules_for(data, LAUNCHES / "softmax.yaml"), emulator)
    assert report.ok
    why = {d.label: d.reason for d in report.dropped}
    assert "faults" in why["grid=4"]
    assert "times the launch's memory" in why[f"rows={LARGE}"]
    assert report.to_json()["dropped"]


def test_variations_are_made_of_the_launch_and_not_of_its_variants(emulator, kernel_objects):
    data = kernel_objects("saxpy")
    oracle = DifferentialOracle(data, emulator)
    capsules = capsules_for(data, LAUNCHES / "saxpy.yaml")
    report = oracle.verify(data, capsules)
    varied = [c for c in report.capsules if c.origin == "varied"]
    assert len(varied) > 8
    assert all(c.exact and len(c.runs) == 1 for c in varied)
    assert len({r.placement for c in varied for r in c.runs}) == 3, "by turns in every placement"
    assert not any(c.label.startswith("n=65 ~") for c in report.capsules)
    again = oracle.verify(data, capsules)
    assert [c.label for c in again.capsules] == [c.label for c in report.capsules]


def test_past_2_to_the_24th_element_where_it_is_affordable(emulator):
    """Indices through float32 are exact below 2^24 only."""
    text = source("saxpy")
    rounded = ("v_ashrrev_i32_e32 v1, 31, v0",
               "v_cvt_f32_i32_e32 v1, v0\n\tv_cvt_i32_f32_e32 v0, v1\n"
               "\tv_ashrrev_i32_e32 v1, 31, v0")  # fmt: skip
    config = VerifyConfig(stress=(), variation_limit=1 << 23)
    alone, report = judged(emulator, text, [rounded], LAUNCHES / "saxpy.yaml", config=config)
    assert alone.ok
    assert f"~n={LARGE}" in report.reason
