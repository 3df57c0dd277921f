"""Waves that communicate by memory are paused between their accesses; others run as ever.

The kernels count their waves in LDS or device memory: a sum of ones, whatever the order.
"""

from __future__ import annotations

import pytest

from asmevo.verify.oracle import VerifyConfig, verify
from reference.sanitizers import built, capsule, device

CONFIG = VerifyConfig(stress=(), schedules=())
START = "v_mov_b32_e32 v11, 0\nv_mov_b32_e32 v12, 1\nds_write_b32 v11, v11\n"
DONE, BARRIER = "s_waitcnt vmcnt(0) lgkmcnt(0)\n", "s_barrier\n"
END = DONE + BARRIER + "ds_read_b32 v10, v11\n" + DONE + "s_mov_b64 exec, -1\n"
END += "v_readfirstlane_b32 s20, v10\ns_nop 4\nv_mov_b32_e32 v10, s20\n"
END += "global_store_dword v1, v10, s[4:5]\n"
ALONE = DONE + BARRIER + "s_mov_b64 exec, 1\n"
ATOMIC = "ds_add_u32 v11, v12\n"
IN_STEPS = "ds_read_b32 v13, v11\n" + DONE + "v_add_u32_e32 v13, v13, v12\nds_write_b32 v11, v13\n"
TICKET = "ds_add_rtn_u32 v13, v11, v12\n"


def schedules(body: str, arch: str) -> set[str]:
    k0 = built(body, arch)
    report = verify(k0, k0, [capsule(waves=4)], device(), CONFIG)
    assert report.ok, report.reason
    assert report.notes == ()
    return {run.schedule for run in report.capsules[0].runs}


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950"])
def test_an_addition_in_steps_diverges(arch: str) -> None:
    """A03_lds_atomic_to_rmw: in the order of their numbers the waves add up all the same."""
    k0, k1 = (built(START + ALONE + how + END, arch) for how in (ATOMIC, IN_STEPS))
    report = verify(k0, k1, [capsule(waves=4)], device(), CONFIG)
    assert report.status == "divergent"
    assert "pause:" in report.reason
    blind = VerifyConfig(stress=(), schedules=("shuffle:1",), pauses=False)
    assert verify(k0, k1, [capsule(waves=4)], device(), blind).ok


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950"])
def test_only_waves_that_communicate_are_paused(arch: str) -> None:
    pauses = {"pause:0", "pause:1"}
    assert schedules(START + ALONE + ATOMIC + END, arch) == {"barrier"} | pauses
    assert schedules(START + ALONE + TICKET + END, arch) == {"barrier"} | pauses
    assert schedules(START + ALONE + "ds_write_b32 v11, v12\n" + END, arch) == {"barrier"}
