"""What is no improvement never scores as one, and less work never takes longer.

Beyond the noise that the commit rule allows: 0.2 %, or 0.85 of the scatter over launch staggers.
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

from asmevo.device.emulated import EmulatedDevice
from asmevo.device.protocol import Timing
from asmevo.search.commit import CommitRule
from asmevo.timing.addresses import Accesses
from asmevo.timing.launch import kinds_of, representatives
from asmevo.timing.machine import MachineModel, machine_for
from asmevo.timing.static import static_program
from asmevo.timing.touches import Touches
from asmevo.timing.unit import Load, TracedWave
from tests.timing.conftest import Bench
from tests.timing.launches import launched

RULE = CommitRule()
_HEAD = "v_lshlrev_b32_e32 v1, 2, v0\ns_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"


def _loop(turns: int, body: str) -> str:
    return (
        f"s_mov_b32 s8, {turns}\n.Ltop:\n{body}s_sub_u32 s8, s8, 1\ns_cmp_lg_u32 s8, 0\n"
        "s_cbranch_scc1 .Ltop\n"
    )


ALU = _loop(40, "v_fma_f32 v2, v2, v3, v4\nv_exp_f32_e32 v5, v2\nv_add_f32_e32 v3, v3, v5\n" * 3)
MEMORY = _HEAD + _loop(
    20,
    "global_load_dword v2, v1, s[4:5]\nv_add_f32_e32 v3, v3, v3\ns_waitcnt vmcnt(0)\n"
    "v_add_f32_e32 v3, v3, v2\nglobal_store_dword v1, v3, s[4:5]\n",
)
SHARED = (
    "v_lshlrev_b32_e32 v1, 2, v0\n"
    + _loop(
        20,
        "ds_write_b32 v1, v3\ns_waitcnt lgkmcnt(0)\ns_barrier\nds_read_b32 v2, v1 offset:16\n"
        "v_add_f32_e32 v4, v4, v3\ns_waitcnt lgkmcnt(0)\nv_add_f32_e32 v3, v3, v2\ns_barrier\n",
    )
    + _HEAD
    + "global_store_dword v1, v3, s[4:5]\n"
)
BODIES = {"alu": ALU, "memory": MEMORY, "shared": SHARED}
ARCHS = ("gfx942", "gfx950")


@cache
def timed(body: str, arch: str = "gfx942", groups: int = 40, **machine: float) -> Timing:
    model: MachineModel | None = machine_for(arch).with_values(**machine) if machine else None
    case = launched(body, arch, groups=groups)
    return EmulatedDevice(machine=model).time(case.object, case.capsule, 1)


def noise(*times: Timing) -> float:
    return max(RULE.eps, RULE.k * max(t.cv for t in times))


def same(first: Timing, second: Timing) -> None:
    assert abs(first.centre / second.centre - 1) <= noise(first, second)


def not_longer(less: Timing, more: Timing) -> None:
    assert less.centre / more.centre - 1 <= noise(less, more)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("name", BODIES)
def test_renaming_registers_is_nothing(name: str, arch: str) -> None:
    body = BODIES[name]
    renamed = re.sub(r"\bv([2-5])\b", lambda m: f"v{int(m.group(1)) + 20}", body)
    renamed = re.sub(r"\bs8\b", "s20", renamed)
    assert renamed != body
    same(timed(body, arch), timed(renamed, arch))


_COLD = [f".Lcold{n}:\n" + "v_mul_f32_e32 v9, v9, v9\n" * (3 * n) + "s_endpgm\n" for n in range(4)]
_BRANCHES = "".join(f"s_cmp_eq_u32 s2, {9000 + n}\ns_cbranch_scc1 .Lcold{n}\n" for n in range(4))


@pytest.mark.parametrize("name", BODIES)
def test_the_order_of_cold_code_is_nothing(name: str) -> None:
    body = _BRANCHES + BODIES[name] + "s_endpgm\n"
    same(timed(body + "".join(_COLD)), timed(body + "".join(reversed(_COLD))))


@pytest.mark.parametrize("padding", [1, 16, 700])
@pytest.mark.parametrize("name", BODIES)
def test_padding_that_is_never_reached_is_nothing(name: str, padding: int) -> None:
    body = BODIES[name] + "s_endpgm\n"
    same(timed(body), timed(body + "s_nop 0\n" * padding))


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize(
    ("name", "gone"),
    [
        ("alu", "v_exp_f32_e32 v5, v2\n"),
        ("alu", "v_fma_f32 v2, v2, v3, v4\n"),
        ("memory", "v_add_f32_e32 v3, v3, v3\n"),
        ("memory", "global_store_dword v1, v3, s[4:5]\n"),
        ("shared", "ds_write_b32 v1, v3\n"),
        ("shared", "v_add_f32_e32 v4, v4, v3\n"),
    ],
)
def test_less_work_never_takes_longer(name: str, gone: str, arch: str) -> None:
    body = BODIES[name]
    assert gone in body
    not_longer(timed(body.replace(gone, ""), arch), timed(body, arch))


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("groups", [3, 700])
def test_a_relaxed_wait_never_takes_longer(arch: str, groups: int) -> None:
    strict = MEMORY.replace("s_waitcnt vmcnt(0)", "s_waitcnt vmcnt(0) lgkmcnt(0)")
    relaxed = MEMORY.replace("s_waitcnt vmcnt(0)", "s_waitcnt vmcnt(1)")
    none = MEMORY.replace("s_waitcnt vmcnt(0)\n", "")
    not_longer(timed(relaxed, arch, groups), timed(strict, arch, groups))
    not_longer(timed(none, arch, groups), timed(relaxed, arch, groups))


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize(
    "better",
    [
        {"compute_units": 305.0}, {"compute_units": 400.0}, {"dram_bytes_per_clk": 5000.0},
        {"mall_bytes_per_clk": 16000.0}, {"vmem_bytes_per_clk": 64.0},
        {"store_bytes_per_clk": 20.0}, {"level_l1": 90.0}, {"lds_latency": 40.0},
    ],
)  # fmt: skip
def test_a_better_machine_never_takes_longer(name: str, better: dict[str, float]) -> None:
    not_longer(timed(BODIES[name], groups=700, **better), timed(BODIES[name], groups=700))


# --- workgroups that differ, and recordings that end early ---------------------------------------
def _split(condition: str) -> str:
    """512 different paths of equal length; where the condition holds, 800 slow instructions."""
    paths = "".join(
        f"s_bitcmp1_b32 s2, {b}\ns_cbranch_scc1 .La{b}\ns_nop 0\ns_branch .Lb{b}\n.La{b}:\n"
        f"s_nop 0\ns_branch .Lb{b}\n.Lb{b}:\n"
        for b in range(9)
    )
    fast, slow = "v_add_f32_e32 v2, v2, v2\n" * 800, "v_exp_f32_e32 v2, v2\n" * 800
    return f"{paths}{condition}s_cbranch_scc1 .Lslow\n{fast}s_endpgm\n.Lslow:\n{slow}"


@pytest.mark.parametrize("place", [0, 77, 299])
def test_one_slow_workgroup_among_many_different_ones_decides(place: int) -> None:
    """It executes as many instructions as the others: only their clocks tell it from them."""
    every = timed(_split("s_cmp_lt_u32 s2, 9999\n"), groups=300)
    one = timed(_split(f"s_cmp_eq_u32 s2, {place}\n"), groups=300)
    none = timed(_split("s_cmp_eq_u32 s2, 9999\n"), groups=300)
    assert none.centre < 0.5 * every.centre
    not_longer(one, every)
    assert one.centre > 0.9 * every.centre


def test_who_stands_for_others_does_at_least_as_much() -> None:
    rng = np.random.default_rng(1)
    paths = np.stack([rng.integers(100, 5000, 400), rng.integers(0, 1 << 60, 400)], 1)
    paths[123, 0] = 90_000
    paths = paths.astype(np.uint64)
    chosen, place = representatives(paths, kinds_of(paths, 8), 8)
    assert 123 in chosen
    assert len(set(chosen)) == len(chosen) <= 8
    assert (paths[np.array(chosen)[place], 0] >= paths[:, 0]).all()


@pytest.mark.parametrize("recorded", [1, 2, 8])
def test_a_recording_that_ends_early_is_extrapolated(recorded: int) -> None:
    """Eight atomics of all 64 lanes on one dword, of which some were recorded."""
    lines = ["global_atomic_add v1, v2, s[0:1]"] * 1
    bench = Bench("gfx942")
    program = static_program(bench.code(lines), bench.target)
    entry = [0 | 4 << 32 | 0 << 40 | 1 << 48, (1 << 64) - 1, 0x1000, 0]  # the same address
    words = np.array(entry * recorded, np.uint64)
    touches = Touches(words, 64, recorded == 8)
    wave = TracedWave(0, 0, np.zeros(8, np.int32), touches, 2.0)
    load = Load.of(program, [wave], bench.machine, 1)
    assert isinstance(load.accesses, Accesses)
    # Twice as much was executed as is in the stream.
    assert load.hot == {0x1000 >> 2: 64 * 8 * 2}
    assert load.moved == 64 * 8 * 2
    assert (load.rows[0] >= 0).all()
    assert load.known
