"""Flat addresses: the register pair alone chooses the aperture, then the offset is added.

Case `flat-below-aperture`. Expected faults follow from that rule (llvm/llvm-project#165427,
AMDGPUUsage "Address Spaces": an aperture is 4 GiB, so its high dword names it).
"""

from __future__ import annotations

import numpy as np
import pytest

from asmevo.emulate import layout as L
from emulate.harness import Setup, run_body

ARCHES = ("gfx90a", "gfx942", "gfx950")
_START = """
v_mov_b32 v8, 0
v_mov_b32 v9, 42
ds_write_b32 v8, v9
{scratch}
s_mov_b64 s[6:7], src_{space}_base
s_add_u32 s8, s6, {low}
s_addc_u32 s9, s7, {high}
v_mov_b32 v2, s8
v_mov_b32 v3, s9
v_lshlrev_b32 v0, 2, v0
s_waitcnt vmcnt(0) lgkmcnt(0)
{access}
s_waitcnt vmcnt(0) lgkmcnt(0)
global_store_dword v0, v4, s[2:3]
"""
_LOAD = "flat_load_dword v4, v[2:3] offset:{offset}"


def _run(arch: str, space: str, base: int, access: str) -> tuple[int, int]:
    """(fault, first dword of the result) with the register pair at `base` past the aperture."""
    scratch = "scratch_store_dword off, v9, off" if arch != "gfx90a" else (
        "v_mov_b32 v10, 0\nscratch_store_dword v10, v9, off"
    )  # fmt: skip
    body = _START.format(
        space=space,
        low=base & 0xFFFFFFFF,
        high=base >> 32 & 0xFFFFFFFF,
        access=access,
        scratch=scratch,
    )
    setup = Setup(arch=arch, lds=256, private=64)
    data, outcome = run_body(body, np.zeros(64, np.uint32), setup, expect_fault=True)
    return outcome.fault, int(data[:4].view(np.uint32)[0])


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("space", ["shared", "private"])
@pytest.mark.parametrize(("base", "offset"), [(0, 0), (0, 4), (4, 0)])
def test_the_offset_counts_inside_an_aperture(
    arch: str, space: str, base: int, offset: int
) -> None:
    fault, value = _run(arch, space, base, _LOAD.format(offset=offset))
    assert fault == L.NO_FAULT
    assert (value == 42) == (base + offset == 0)


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("space", ["shared", "private"])
@pytest.mark.parametrize(
    ("access", "fault"),
    [
        ("flat_load_dword v4, v[2:3] offset:4", L.LOAD_FAULT),
        ("flat_load_dwordx4 v[4:7], v[2:3] offset:4", L.LOAD_FAULT),
        ("flat_load_ubyte v4, v[2:3] offset:4", L.LOAD_FAULT),
        ("flat_store_dword v[2:3], v9 offset:4", L.STORE_FAULT),
        ("flat_store_dwordx2 v[2:3], v[8:9] offset:4", L.STORE_FAULT),
        ("flat_atomic_add v[2:3], v9 offset:4", L.STORE_FAULT),
    ],
)
def test_an_offset_does_not_lead_into_an_aperture(
    arch: str, space: str, access: str, fault: int
) -> None:
    assert _run(arch, space, -4, access)[0] == fault


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize(
    ("space", "base", "fault"),
    [
        ("shared", 0xFFFFFFFC, L.LDS_FAULT),  # the offset leaves the aperture at its end
        ("private", 0xFFFFFFFC, L.SCRATCH_FAULT),
        ("shared", 1276, L.LDS_FAULT),  # and the allocation
        ("private", 60, L.SCRATCH_FAULT),
    ],
)
def test_an_offset_does_not_wrap(arch: str, space: str, base: int, fault: int) -> None:
    assert _run(arch, space, base, _LOAD.format(offset=4))[0] == fault


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("space", ["shared", "private"])
@pytest.mark.parametrize(
    "access",
    [
        "global_load_dword v4, v[2:3], off",
        "global_load_dword v4, v[2:3], off offset:-4",
        "global_load_dword v4, v8, s[8:9]",
    ],
)
def test_global_instructions_see_no_aperture(arch: str, space: str, access: str) -> None:
    assert _run(arch, space, 0, access)[0] == L.LOAD_FAULT


@pytest.mark.parametrize("arch", ARCHES)
def test_lanes_choose_their_own_aperture(arch: str) -> None:
    # Lane 0 just below LDS, the others at its start, all with the same offset: one lane faults.
    access = """
    v_mov_b32 v5, -4
    v_mov_b32 v6, s7
    v_sub_u32 v6, v6, 1
    v_cmp_eq_u32 vcc, 0, v0
    v_cndmask_b32 v2, v2, v5, vcc
    v_cndmask_b32 v3, v3, v6, vcc
    flat_load_dword v4, v[2:3] offset:4
    """
    body = _START.format(space="shared", low=0, high=0, access=access, scratch="s_nop 0")
    setup = Setup(arch=arch, lds=256)
    _, outcome = run_body(body, np.zeros(64, np.uint32), setup, expect_fault=True)
    assert outcome.fault == L.LOAD_FAULT
    assert outcome.fault_lanes == 1
    assert outcome.fault_address == L.SHARED_BASE << 32
