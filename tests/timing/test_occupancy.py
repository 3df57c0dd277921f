"""Occupancy against the steps that llc prints (LLVM 22), both sides of each."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asmevo.errors import InputError, UnsupportedError
from asmevo.isa.target import Target
from asmevo.timing.machine import machine_for
from asmevo.timing.occupancy import occupancy, waves_by_vgprs

PARTS = ("gfx90a", "gfx942", "gfx950")
# First VGPR count of each step and the waves per SIMD from there on.
STEPS = ((1, 8), (65, 7), (73, 6), (81, 5), (97, 4), (129, 3), (169, 2), (257, 1))


@pytest.mark.parametrize("arch", PARTS)
@pytest.mark.parametrize(("vgprs", "waves"), STEPS)
def test_first_register_count_of_each_step(arch: str, vgprs: int, waves: int) -> None:
    assert occupancy(Target(arch), vgprs, 0, 64).waves_per_simd == waves


@pytest.mark.parametrize("arch", PARTS)
@pytest.mark.parametrize(("vgprs", "waves"), [(b[0] - 1, a[1]) for a, b in pairwise(STEPS)])
def test_last_register_count_before_each_step(arch: str, vgprs: int, waves: int) -> None:
    assert occupancy(Target(arch), vgprs, 0, 64).waves_per_simd == waves


@pytest.mark.parametrize("arch", PARTS)
def test_accumulation_registers_share_the_file(arch: str) -> None:
    assert occupancy(Target(arch), 128, 0, 64, agprs=128).waves_per_simd == 2
    # 97 is rounded up to 100 before the AGPRs start, which makes 132: past the step at 129.
    assert occupancy(Target(arch), 97, 0, 64, agprs=32).waves_per_simd == 3
    assert occupancy(Target(arch), 96, 0, 64, agprs=32).waves_per_simd == 4


@pytest.mark.parametrize(
    ("arch", "lds", "workgroups"),
    [
        ("gfx942", 8192, 8),
        ("gfx942", 8193, 7),
        ("gfx942", 16384, 4),
        ("gfx942", 16385, 3),
        ("gfx942", 32768, 2),
        ("gfx942", 32769, 1),
        ("gfx942", 65536, 1),
        ("gfx90a", 16384, 4),
        ("gfx950", 16384, 8),
        # 1280 bytes at once: 26 granules are 33280 bytes. llc counts bytes, not granules.
        ("gfx950", 32000, 5),
        ("gfx950", 32768, 4),
        ("gfx950", 32769, 4),
        ("gfx950", 65536, 2),
        ("gfx950", 163840, 1),
    ],
)
def test_lds_limits_workgroups_of_256(arch: str, lds: int, workgroups: int) -> None:
    found = occupancy(Target(arch), 32, lds, 256)
    assert found.workgroups_per_cu == workgroups
    assert found.waves_per_workgroup == 4
    assert found.limiter == ("lds" if workgroups < 8 else found.limiter)


def test_limiters_are_named() -> None:
    target = Target("gfx942")
    assert occupancy(target, 129, 0, 256).limiter == "vgprs"
    assert occupancy(target, 32, 40000, 256).limiter == "lds"
    assert occupancy(target, 32, 0, 64).limiter == "waves"
    assert occupancy(target, 32, 0, (16, 16, 2)).waves_per_workgroup == 8


def test_what_does_not_fit_is_refused() -> None:
    target = Target("gfx942")
    with pytest.raises(InputError, match="65537"):
        occupancy(target, 32, 65537, 256)
    with pytest.raises(InputError, match="513"):
        occupancy(target, 513, 0, 64)
    with pytest.raises(InputError, match="does not fit"):
        occupancy(target, 256, 0, 1024 + 64)
    with pytest.raises(InputError, match="0 workitems"):
        occupancy(target, 32, 0, 0)
    with pytest.raises(UnsupportedError, match="gfx1100"):
        occupancy(Target("gfx1100"), 32, 0, 64)


@given(st.integers(1, 511))
def test_more_registers_never_fit_more_waves(vgprs: int) -> None:
    machine = machine_for("gfx942")
    assert waves_by_vgprs(machine, vgprs + 1) <= waves_by_vgprs(machine, vgprs)


@given(st.integers(1, 128), st.integers(0, 32768), st.integers(1, 1024))
def test_what_fits_stays_within_every_limit(vgprs: int, lds: int, block: int) -> None:
    found = occupancy(Target("gfx942"), vgprs, lds, block)
    waves = found.workgroups_per_cu * found.waves_per_workgroup
    assert waves <= 32
    assert found.workgroups_per_cu * lds <= 65536
    assert waves * -(-vgprs // 8) * 8 <= 4 * 512
    assert found.waves_per_simd == -(-waves // 4)
