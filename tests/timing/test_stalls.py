"""Why waves stall: each reason on a program of a few instructions, and that nothing is lost.

Distances are those of public microbenchmarks and traces, and the ISA wait states of `s_nop`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from asmevo.timing.att import Capture
from asmevo.timing.machine import machine_for
from asmevo.timing.simulate import Simulation, simulate
from asmevo.timing.stalls import Reason
from tests.timing.conftest import Bench


def clocks(run: Simulation, index: int) -> dict[str, float]:
    """Clocks of an instruction by reason, those that are none left out."""
    assert run.stalls is not None
    row = run.stalls[index]
    return {r.name: float(row[r]) for r in Reason if row[r]}


@pytest.mark.parametrize(
    ("lines", "index", "reason", "stalled"),
    [
        (["s_nop 7"], 0, "NOP", 28),
        (["s_nop 0"], 0, "NOP", 0),
        (["v_cmp_eq_u32_e64 s[4:5], v0, v1", "s_mov_b64 s[6:7], s[4:5]"], 1, "DEPENDENCY", 16),
        (["v_mov_b32_e32 v1, 0", "global_load_dword v2, v1, s[0:1]"], 1, "DEPENDENCY", 8),
        (["v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]"] * 2, 1, "PORT", 28),
        (["s_branch .Lx", ".Lx:", "s_nop 0"], 0, "FETCH", 0),
    ],
)
def test_one_reason(lines: Sequence[str], index: int, reason: str, stalled: float) -> None:
    run = Bench("gfx942").run(lines, reasons=True)
    assert clocks(run, index).get(reason, 0.0) == stalled
    assert clocks(run, index).get("ISSUE") == 4


@pytest.mark.parametrize(
    ("load", "wait", "reason", "least"),
    [
        ("global_load_dword v2, v1, s[0:1]", "s_waitcnt vmcnt(0)", "VMCNT", 400),
        ("s_load_dword s4, s[0:1], 0x0", "s_waitcnt lgkmcnt(0)", "LGKMCNT", 200),
        ("ds_read_b32 v2, v1", "s_waitcnt lgkmcnt(0)", "LGKMCNT", 40),
    ],
)
def test_a_wait_names_its_counter(load: str, wait: str, reason: str, least: float) -> None:
    run = Bench("gfx942").run([load, wait], reasons=True)
    assert set(clocks(run, 1)) == {"ISSUE", reason}
    assert clocks(run, 1)[reason] >= least


def test_a_taken_branch_is_a_fetch() -> None:
    run = Bench("gfx942").run(
        ["s_branch .Lx", "s_nop 0", ".Lx:", "s_endpgm"], streams=[[0, 2]], reasons=True
    )
    assert clocks(run, 0) == {"ISSUE": 4, "FETCH": 16}


def test_a_barrier_is_charged_to_who_waits() -> None:
    """Wave 0 runs 40 `v_exp` of 16 clocks that wave 1 skips: only wave 1 waits."""
    lines = ["v_exp_f32_e32 v0, v0"] * 40 + ["s_barrier", "s_endpgm"]
    run = Bench("gfx942").run(
        lines, waves=2, streams=[[*range(40), 40, 41], [40, 41]], reasons=True
    )
    assert run.stalls is not None
    assert 40 * 16 <= run.stalls[40, Reason.BARRIER] <= 40 * 16 + 40


def test_a_full_queue() -> None:
    """A third load of 16 bytes per lane follows two at once, then the address unit's pace."""
    lines = [f"global_load_dwordx4 v[{4 * n}:{4 * n + 3}], v60, s[0:1]" for n in range(8)]
    run = Bench("gfx942").run(lines, reasons=True)
    assert "QUEUE" not in clocks(run, 1)
    assert clocks(run, 6)["QUEUE"] == 12


def test_reasons_add_up_to_the_clocks_of_the_waves(
    captures: dict[str, tuple[Capture, ...]],
) -> None:
    """Of every instruction, and over all of them the waves' lives; recording changes nothing."""
    for arch in ("gfx942", "gfx950"):
        for capture in captures[arch][:4]:
            whole = [wave.first(3000) for wave in capture.units[0]]
            machine = machine_for(capture.target)
            plain = simulate(capture.program, whole, machine)
            split = simulate(capture.program, whole, machine, reasons=True)
            assert plain.stalls is None
            assert split.stalls is not None
            np.testing.assert_array_equal(plain.cost, split.cost)
            np.testing.assert_array_equal(split.stalls.sum(axis=1), split.cost)
            assert split.cost.sum() == (split.wave_end - split.wave_start).sum()
            assert split.stalls.min() >= 0
