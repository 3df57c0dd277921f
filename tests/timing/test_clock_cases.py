"""Objects that are slower on hardware, or as fast, and that a clock without addresses preferred.

The kernels state only what the case is about; where a folder of the shared cases has the same, it
is named. What is right follows from the hardware facts quoted in `timing.addresses` and
`timing.machine`, not from the model.
"""

from __future__ import annotations

import numpy as np
import pytest

from asmevo.capsule.model import Capsule
from asmevo.device.emulated import EmulatedDevice
from tests.timing.launches import Launched, launched

_ID = "v_lshlrev_b32_e32 v1, 2, v0\n"
_LOAD = "s_load_dwordx4 s[4:7], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"


def clocks(case: Launched) -> float:
    return EmulatedDevice().time(case.object, case.capsule, 1).centre


def _half_idle(second: int, first: int) -> str:
    """Workgroup 0 runs a chain of `first` instructions, the others one of `second`."""
    return (
        "s_cmp_eq_u32 s2, 0\ns_cbranch_scc1 .Lzero\n"
        + "v_add_f32_e32 v2, v2, v2\n" * second
        + "s_endpgm\n.Lzero:\n"
        + "v_add_f32_e32 v2, v2, v2\n" * first
    )


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950"])
@pytest.mark.parametrize("groups", [2, 4, 2000])
def test_the_workgroup_that_works_longest_decides(arch: str, groups: int) -> None:
    """`B01_workgroup0_idle`: an idle workgroup 0 is no gain where another one does its work."""
    even = clocks(launched(_half_idle(600, 600), arch, groups=groups))
    idle = clocks(launched(_half_idle(1200, 0), arch, groups=groups))
    assert idle > 1.2 * even


def test_a_late_or_rare_workgroup_is_looked_at() -> None:
    """One of 500 workgroups that works ten times as long, wherever it stands, is the time."""
    body = "s_cmp_eq_u32 s2, {}\ns_cbranch_scc0 .Lshort\n" + "v_exp_f32_e32 v2, v2\n" * 900
    body += ".Lshort:\n" + "v_exp_f32_e32 v2, v2\n" * 100
    none = clocks(launched(body.format(9999), groups=300))
    for place in (0, 150, 299):
        assert clocks(launched(body.format(place), groups=300)) > none + 10_000


def _loop(turns: int, body: str) -> str:
    return (
        f"s_mov_b32 s8, {turns}\n.Ltop{turns}:\n{body}s_sub_u32 s8, s8, 1\ns_cmp_lg_u32 s8, 0\n"
        f"s_cbranch_scc1 .Ltop{turns}\n"
    )


@pytest.mark.parametrize("splits", [1, 3])
def test_cutting_a_loop_into_blocks_gains_nothing(splits: int) -> None:
    """`B02_trace_truncated`: more block entries are more work, never less of it seen."""
    work = "v_add_f32_e32 v2, v2, v2\n"
    cut = "".join(f"s_branch .Lcut{n}\n.Lcut{n}:\n" for n in range(splits))
    whole = clocks(launched(_loop(250_000, work * 2)))
    assert clocks(launched(_loop(250_000, work + cut + work))) > 1.02 * whole


@pytest.mark.parametrize(
    ("slow", "fast"),
    [("v_exp_f32_e32 v2, v2\n" * 8, "v_add_f32_e32 v3, v3, v3\n" * 2)],
)
@pytest.mark.parametrize(("first", "second"), [(20_000, 200_001), (150_000, 15_001)])
def test_the_order_of_independent_phases_is_no_gain(
    slow: str, fast: str, first: int, second: int
) -> None:
    """`B03_prefix_sampled`: a sample of a long execution holds all its phases."""
    one = clocks(launched(_loop(first, slow) + _loop(second, fast), waves=4))
    other = clocks(launched(_loop(second, fast) + _loop(first, slow), waves=4))
    assert one == pytest.approx(other, rel=0.01)


_STORE = "v_add_u32_e32 v2, s4, v1\nglobal_store_dword v1, v0, s[4:5]\n"


def _stores(stride: int) -> str:
    """Each lane stores a dword `stride` bytes from its neighbour's, sixteen times over."""
    lines = [_LOAD, f"v_mul_u32_u24_e32 v1, {stride}, v0\n"]
    lines += [f"global_store_dword v1, v0, s[4:5] offset:{4 * n}\n" for n in range(16)]
    return "".join(lines)


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950"])
def test_scattered_stores_cost_their_sectors(arch: str) -> None:
    """`B04_uncoalesced_stores`: lanes that lie apart write a sector each."""
    near = clocks(launched(_stores(4), arch, groups=1000, size=1 << 16))
    far = clocks(launched(_stores(64), arch, groups=1000, size=1 << 16))
    assert far > 2 * near


def _loads(stride: int) -> str:
    lines = [_LOAD, f"v_mul_u32_u24_e32 v1, {stride}, v0\n"]
    lines += [f"global_load_dword v{4 + n}, v1, s[4:5] offset:{4 * n}\n" for n in range(8)]
    return "".join([*lines, "s_waitcnt vmcnt(0)\n"])


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950"])
def test_scattered_loads_cost_their_lines(arch: str) -> None:
    near = clocks(launched(_loads(4), arch, groups=1000, size=1 << 16))
    far = clocks(launched(_loads(256), arch, groups=1000, size=1 << 16))
    assert far > 1.5 * near


def test_lanes_switched_off_ask_for_nothing() -> None:
    """A load under EXEC = 1 moves one line, not 64 lanes' bytes."""
    all_lanes = _loads(256)
    one_lane = all_lanes.replace("global", "s_mov_b64 exec, 1\nglobal", 1)
    assert clocks(launched(one_lane, groups=1000)) < clocks(launched(all_lanes, groups=1000))


def _reads(stride: int, op: str = "ds_read_b32 v3, v2") -> str:
    lines = [f"v_mul_u32_u24_e32 v2, {stride}, v0\n", "s_mov_b32 m0, -1\n"]
    return "".join([*lines, *[f"{op} offset:{8 * (n % 4)}\n" for n in range(64)]]) + (
        "s_waitcnt lgkmcnt(0)\n"
    )


def _per_read(stride: int, arch: str = "gfx942", op: str = "ds_read_b32 v3, v2") -> float:
    return (clocks(launched(_reads(stride, op), arch)) - clocks(launched(_ID, arch))) / 64


def test_bank_conflicts_cost_what_hardware_measured() -> None:
    """`lds_conflict`: 4 clocks without, 16 with four lanes per bank, 64 with all on one bank."""
    assert _per_read(4) == pytest.approx(4, rel=0.6)
    assert _per_read(32) == pytest.approx(16, rel=0.2)
    assert _per_read(128) == pytest.approx(64, rel=0.1)


def test_broadcast_is_no_conflict() -> None:
    assert _per_read(0) == pytest.approx(_per_read(4), rel=0.05)


@pytest.mark.parametrize(
    "op", ["ds_write_b32 v2, v0", "ds_read_b64 v[4:5], v2", "ds_add_u32 v2, v0"]
)
def test_dropped_padding_is_slower(op: str) -> None:
    """`B05_lds_bank_conflicts`: rows of 32 dwords put a column in one bank, rows of 33 do not."""
    assert _per_read(128, op=op) > 2 * _per_read(136, op=op)


def _atomics(reduced: bool) -> str:
    one = "s_mov_b64 exec, 1\n" if reduced else ""
    wave = "".join(
        f"v_add_u32_dpp v1, v1, v1 row_shr:{n} row_mask:0xf bank_mask:0xf\n" for n in (1, 2, 4, 8)
    )
    return (
        _LOAD
        + "v_mov_b32_e32 v2, 0\nv_mov_b32_e32 v1, 1\n"
        + (wave * 2 if reduced else "")
        + (f"{one}global_atomic_add v2, v1, s[4:5]\n")
    )


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950"])
@pytest.mark.parametrize("groups", [12, 1000])
def test_lanes_on_one_address_wait_for_each_other(arch: str, groups: int) -> None:
    """`B07_atomic_contention`: a reduction in the wave first is worth its instructions."""
    assert clocks(launched(_atomics(False), arch, groups=groups)) > 2 * clocks(
        launched(_atomics(True), arch, groups=groups)
    )


def test_atomics_of_own_addresses_do_not_wait() -> None:
    own = _LOAD + _ID + "global_atomic_add v1, v1, s[4:5]\n"
    assert clocks(launched(own, groups=1000)) < clocks(launched(_atomics(False), groups=1000)) / 4


def test_the_kernel_ends_when_its_stores_are_done() -> None:
    """A dropped last wait saves the wave the wait, and the launch nothing."""
    body = _stores(64)
    without = clocks(launched(body, groups=8))
    waited = clocks(launched(body + "s_waitcnt vmcnt(0)\n", groups=8))
    assert waited == pytest.approx(without, rel=0.01)


def test_an_estimate_repeats() -> None:
    case = launched(_loads(256), groups=1000)
    assert len({clocks(case) for _ in range(3)}) == 1


def test_names_of_registers_do_not_matter() -> None:
    body = _loads(4)
    other = body.replace("v1,", "v30,").replace("v1 ", "v30 ")
    assert clocks(launched(other, groups=500)) == clocks(launched(body, groups=500))


@pytest.mark.parametrize("groups", [1, 7, 304, 1000])
def test_removing_work_is_never_slower(groups: int) -> None:
    rng = np.random.default_rng(groups)
    lines = ["v_add_f32_e32 v2, v2, v2\n"] * 40 + ["v_exp_f32_e32 v3, v3\n"] * 10
    rng.shuffle(lines)
    whole = clocks(launched("".join(lines), groups=groups))
    for n in (1, 10, 30):
        assert clocks(launched("".join(lines[n:]), groups=groups)) <= whole


def test_cases_bracket_the_nominal_time() -> None:
    """Where data lies and how fast memory is: later than from the L2, sooner than with less."""
    estimate = EmulatedDevice().estimate(*_args(launched(_loads(256), groups=1000)), cases=True)
    cases = dict(estimate.cases)
    assert len(cases) == 6
    assert cases["data in the L2"] <= estimate.cycles <= cases["data from memory"]
    assert cases["latencies -20 %"] < estimate.cycles < cases["latencies +20 %"]
    assert cases["bandwidths +20 %"] <= estimate.cycles <= cases["bandwidths -20 %"]


def test_starts_of_workgroups_scatter_only_where_some_share_a_unit() -> None:
    alone = EmulatedDevice().time(*_args(launched(_loads(256), groups=100)), 1)
    shared = EmulatedDevice().time(*_args(launched(_loads(256), groups=2000)), 1)
    assert alone.cv == 0.0
    assert 0.0 < shared.cv < 0.25


def _args(case: Launched) -> tuple[bytes, Capsule]:
    return case.object, case.capsule


def test_what_is_not_fast_enough_is_not_timed_in_cases() -> None:
    case = launched(_loads(4), groups=100)
    assert EmulatedDevice().time(case.object, case.capsule, 1, 1.0).cases == ()
    assert EmulatedDevice().time(case.object, case.capsule, 1, 1e9).cases
