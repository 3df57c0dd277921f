"""Waves that wait for waves (case `wg-spin-forward`): an unfair order is no fault of a kernel.

Each kernel is right on hardware, where all its workgroups run at once; which order finishes it is
worked out in the comment above it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from asmevo.capsule.model import Capsule
from asmevo.check.findings import ERROR
from asmevo.device.protocol import RunOptions, RunResult
from asmevo.verify.dynamic import check_dynamic
from reference.sanitizers import built, capsule, device

OUT = "global_store_dword v1, v10, s[4:5]\n"
_ZERO = "v_mov_b32 v20, 0\n"
_POLL = """.Lwait{n}:
{pause}
global_load_dword v21, v20, s[4:5] offset:{at} sc1
s_waitcnt vmcnt(0)
v_readfirstlane_b32 s9, v21
s_cmp_eq_u32 s9, {value}
s_cbranch_scc0 .Lwait{n}
buffer_inv sc1
"""


def _poll(value: int, at: int = 0, n: int = 0, pause: str = "s_nop 0") -> str:
    return _POLL.format(value=value, at=at, n=n, pause=pause)


# Workgroup 0 waits for the flag of workgroup 1 (stream-K hand-over).
HAND_OVER = f"""{_ZERO}s_cmp_eq_u32 s2, 0
s_cbranch_scc1 .Lfirst
v_mov_b32 v22, 7
global_store_dword v20, v22, s[4:5] offset:4
s_waitcnt vmcnt(0)
buffer_wbl2 sc1
s_waitcnt vmcnt(0)
v_mov_b32 v22, 1
global_store_dword v20, v22, s[4:5] sc1
s_endpgm
.Lfirst:
{_poll(1)}
global_load_dword v10, v20, s[4:5] offset:4
s_waitcnt vmcnt(0)
global_store_dword v1, v10, s[4:5] offset:1024
"""
# The same with a pause in the loop.
SLEEPING = HAND_OVER.replace("s_nop 0", "s_sleep 2")
# Wave 0 waits for an LDS flag of wave 1 of its workgroup.
LDS_FLAG = (
    """v_mov_b32 v20, 0
ds_write_b32 v20, v20
s_waitcnt lgkmcnt(0)
s_barrier
s_cmp_eq_u32 s8, 1
s_cbranch_scc1 .Lsecond
.Lwait:
ds_read_b32 v21, v20
s_waitcnt lgkmcnt(0)
v_readfirstlane_b32 s9, v21
s_cmp_eq_u32 s9, 1
s_cbranch_scc0 .Lwait
s_branch .Ldone
.Lsecond:
v_mov_b32 v22, 1
ds_write_b32 v20, v22
.Ldone:
v_mov_b32 v10, 5
"""
    + OUT
)
# Tickets in descending order: workgroup g waits until the counter says that g + 1 .. n - 1 are by.
TICKETS = f"""{_ZERO}s_mov_b64 s[20:21], exec
s_sub_u32 s11, 5, s2
.Lwait:
global_load_dword v21, v20, s[4:5] sc1
s_waitcnt vmcnt(0)
v_readfirstlane_b32 s9, v21
s_cmp_eq_u32 s9, s11
s_cbranch_scc0 .Lwait
s_mov_b64 exec, 1
v_mov_b32 v22, 1
global_atomic_add v20, v22, s[4:5]
s_waitcnt vmcnt(0)
s_mov_b64 exec, s[20:21]
"""
# A barrier over all workgroups between two phases, by an atomic counter.
GRID = f"""{_ZERO}s_mov_b64 s[20:21], exec
s_lshl_b32 s11, s2, 2
v_mov_b32 v23, s11
v_mov_b32 v22, 1
global_store_dword v23, v22, s[4:5] offset:256
s_waitcnt vmcnt(0)
s_mov_b64 exec, 1
global_atomic_add v20, v22, s[4:5]
s_waitcnt vmcnt(0)
s_mov_b64 exec, s[20:21]
{_poll(6)}
global_load_dword v10, v20, s[4:5] offset:276
s_waitcnt vmcnt(0)
v_lshlrev_b32 v24, 2, v0
s_lshl_b32 s12, s2, 8
v_add_u32 v24, s12, v24
global_store_dword v24, v10, s[4:5] offset:512
"""
KERNELS: dict[str, tuple[str, int, int]] = {
    "hand-over": (HAND_OVER, 1, 2),
    "sleep": (SLEEPING, 1, 2),
    "lds-flag": (LDS_FLAG, 2, 1),
    "tickets": (TICKETS, 1, 6),
    "grid-barrier": (GRID, 1, 6),
}
FIRST = "wave 0 of workgroup 0"


def _launch(waves: int, groups: int) -> Capsule:
    """Buffer `a` all zero."""
    plain = capsule(waves=waves, groups=groups)
    a, b = plain.buffers
    return replace(plain, buffers=(replace(a, data=bytes(len(a.data))), b))


def _run(name: str, schedule: str | None) -> RunResult:
    body, waves, groups = KERNELS[name]
    return device().run(built(body), _launch(waves, groups), RunOptions(schedule=schedule))


@pytest.mark.parametrize("name", KERNELS)
def test_an_unfair_order_is_named_with_one_that_goes_on(name: str) -> None:
    result = _run(name, "barrier")
    assert result.fault is not None
    assert result.fault.kind == "budget"
    assert result.fault.fair == "interleave:64"
    assert FIRST in result.fault.message
    assert "--schedule interleave:64" in result.fault.message
    assert "endless" not in result.fault.message
    # Not the budget of two thousand million.
    assert result.instructions < 4_000_000


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("schedule", ["interleave:1", "interleave:64"])
def test_a_fair_order_completes(name: str, schedule: str) -> None:
    # Six workgroups of a grid barrier need more than the four that run side by side at first.
    assert _run(name, schedule).ok


@pytest.mark.parametrize("name", KERNELS)
def test_results_of_fair_orders_agree(name: str) -> None:
    results = [_run(name, s).buffers["a"] for s in ("interleave:1", "interleave:7")]
    assert results[0] == results[1]
    if name == "grid-barrier":
        out = np.frombuffer(results[0], np.uint32)[128 : 128 + 6 * 64]
        assert (out == 1).all()  # every workgroup saw the last one's first phase


@pytest.mark.parametrize("name", KERNELS)
def test_check_dynamic_has_no_error(name: str) -> None:
    body, waves, groups = KERNELS[name]
    for schedule in ("barrier", "interleave:1"):
        launch = replace(_launch(waves, groups), schedule=schedule)
        found = check_dynamic(built(body), [launch], device())
        assert not [f.one_line() for f in found if f.severity == ERROR]


def _endless(body: str, waves: int = 1, groups: int = 2) -> str:
    result = device().run(built(body), _launch(waves, groups), RunOptions())
    assert result.fault is not None
    assert result.fault.kind == "budget"
    assert not result.fault.fair
    assert result.instructions < 4_000_000
    return result.fault.message


@pytest.mark.parametrize(
    "body",
    [
        ".Lself:\ns_branch .Lself\n",
        _ZERO + _poll(123),  # a flag that nobody sets
        "s_mov_b32 s9, 0\n.Lself:\ns_xor_b32 s9, s9, 1\ns_sleep 1\ns_branch .Lself\n",
        # It stores, but always the same.
        _ZERO + ".Lself:\nglobal_store_dword v20, v20, s[4:5]\ns_branch .Lself\n",
    ],
)
@pytest.mark.parametrize(("waves", "groups"), [(1, 1), (2, 1), (1, 3)])
def test_a_true_endless_loop_is_called_so(body: str, waves: int, groups: int) -> None:
    message = _endless(body, waves, groups)
    assert "endless loop" in message
    assert FIRST in message


def test_a_loop_that_changes_memory_is_not_stuck() -> None:
    # Registers repeat, memory does not: two million turns, then it ends.
    body = (
        _ZERO
        + """v_mov_b32 v22, 1
s_mov_b64 exec, 1
.Lturn:
global_atomic_add v23, v20, v22, s[4:5] sc0
s_waitcnt vmcnt(0)
v_readfirstlane_b32 s9, v23
v_mov_b32 v23, 0
s_cmp_ge_u32 s9, 0x80000
s_mov_b32 s9, 0
s_cbranch_scc0 .Lturn
"""
    )
    result = device().run(built(body), _launch(1, 1), RunOptions())
    assert result.ok
    assert np.frombuffer(result.buffers["a"][:4], np.uint32)[0] == 0x80001


def test_a_long_loop_with_a_counter_is_not_stuck() -> None:
    body = "s_mov_b32 s9, 0\n.Lt:\ns_add_u32 s9, s9, 1\ns_cmp_lt_u32 s9, 0x200000\n"
    body += "s_cbranch_scc1 .Lt\nv_mov_b32 v10, s9\n" + OUT
    result = device().run(built(body), _launch(1, 1), RunOptions())
    assert result.ok
    assert np.frombuffer(result.buffers["a"][:4], np.uint32)[0] == 0x200000
    # A budget below what it takes ends it, exactly.
    for budget in (1 << 20, 3 << 20, (3 << 20) + 1):
        result = device().run(built(body), _launch(1, 1), RunOptions(instruction_budget=budget))
        assert result.fault is not None
        assert "budget used up" in result.fault.message
        assert budget - 8 <= result.instructions <= budget


@pytest.mark.parametrize("options", [{"watch_memory": True}, {"late_loads": True}])
def test_watched_runs_find_waves_that_wait_too(options: dict[str, bool]) -> None:
    body, waves, groups = KERNELS["hand-over"]
    chosen = RunOptions(**options)  # type: ignore[arg-type]
    result = device().run(built(body), _launch(waves, groups), chosen)
    assert result.fault is not None
    assert result.fault.fair
