"""Launch estimates: scaling, labels, validation classes, sampling, hints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import pytest

from asmevo.errors import InputError, UnsupportedError
from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Target
from asmevo.timing.machine import machine_for
from asmevo.timing.model import (
    Estimate,
    estimate,
    hottest_window,
    under_load,
)
from asmevo.timing.occupancy import occupancy
from asmevo.timing.validation import NOT_VALIDATED, UNVALIDATED_BAND

from .conftest import Bench, Wave


@dataclass(frozen=True, eq=False)
class Program:
    instructions: Sequence[Instruction]
    offsets: Sequence[int]
    target: Target


@dataclass(frozen=True)
class Range:
    first: int
    last: int


KERNEL = (
    "s_load_dwordx2 s[4:5], s[0:1], 0x0",
    "s_waitcnt lgkmcnt(0)",
    "global_load_dwordx4 v[4:7], v[0:1], off",
    "s_waitcnt vmcnt(0)",
    "v_add_f32 v4, v4, v5",
    "global_store_dword v[0:1], v4, off",
    "s_endpgm",
)
GEMM = (
    "buffer_load_dwordx4 v[4:7], v1, s[4:7], 0 offen",
    "s_waitcnt vmcnt(0)",
    "ds_write_b64 v0, v[4:5]",
    "s_waitcnt lgkmcnt(0)",
    "s_barrier",
    "ds_read_b64 v[8:9], v0",
    "s_waitcnt lgkmcnt(0)",
    "v_mfma_f32_16x16x16_bf16 a[0:3], v[8:9], v[8:9], a[0:3]",
    "s_endpgm",
)


def program(lines: Sequence[str], arch: str = "gfx942", before: int = 0) -> Program:
    code = Bench(arch).code([*["v_nop"] * before, *lines])
    ends = list(accumulate(inst.size for inst in code))
    return Program(code, [0, *ends[:-1]], Target(arch))


def traces(count: int, waves: int = 4, groups: int = 1, first: int = 0) -> list[Wave]:
    indices = np.arange(first, first + count, dtype=np.int32)
    return [Wave(i // waves, i % waves, indices) for i in range(waves * groups)]


def run(lines: Sequence[str] = KERNEL, arch: str = "gfx942", **options: object) -> Estimate:
    made = program(lines, arch)
    fits = occupancy(made.target, 32, 0, 256)
    return estimate(made, None, traces(len(lines)), fits, **options)  # type: ignore[arg-type]


def test_an_estimate_is_labelled_and_repeats() -> None:
    first, second = run(), run()
    assert first.label == "modelled"
    assert first.cycles == second.cycles
    assert np.array_equal(first.per_instruction_stall, second.per_instruction_stall)
    assert first.cycles > first.core_cycles > 0
    assert first.executed == 4 * len(KERNEL)
    assert not first.sampled


def test_one_workgroup_is_a_launch() -> None:
    one = run(workgroups=1)
    assert (one.rounds, one.workgroups) == (1, 1)
    assert 500 < one.cycles < 5000
    assert one.validation_class.startswith(NOT_VALIDATED)
    assert one.band == UNVALIDATED_BAND


def test_rounds_follow_the_formula() -> None:
    machine = machine_for("gfx942")
    units, fits = machine.count("compute_units"), 8
    assert run(workgroups=units).workgroups == 1
    assert run(workgroups=units + 1).workgroups == 2
    full = run(workgroups=units * fits)
    assert (full.rounds, full.workgroups) == (1, fits)
    more = run(workgroups=units * fits + 1)
    assert (more.rounds, more.workgroups) == (2, fits)
    # The second round begins where places become free; only the first fills a unit one by one.
    overhead = machine["launch_first_issue"]
    assert 1.4 * (full.cycles - overhead) < more.cycles - overhead < 2 * (full.cycles - overhead)


def test_more_work_takes_longer() -> None:
    base = run(workgroups=304)
    more = ["v_add_f32 v4, v4, v5"] * 100
    longer = run([*KERNEL[:5], *more, *KERNEL[5:]], workgroups=304)
    assert longer.cycles >= base.cycles + 400


def test_stalls_point_at_the_wait() -> None:
    made = run(workgroups=304)
    assert int(np.argmax(made.per_instruction_stall)) in (1, 3)
    assert made.per_instruction_count.tolist() == [4] * len(KERNEL)
    assert hottest_window(made.per_instruction_stall, 3) <= 3


def test_a_function_range_gives_the_same_as_the_whole_program() -> None:
    made = program(KERNEL, before=16)
    fits = occupancy(made.target, 32, 0, 256)
    waves = traces(len(KERNEL), first=16)
    whole = estimate(made, None, waves, fits)
    ranged = estimate(made, Range(16, 16 + len(KERNEL)), waves, fits)
    assert ranged.cycles == pytest.approx(whole.cycles, rel=0.02)
    assert ranged.per_instruction_stall.shape == (16 + len(KERNEL),)
    assert not ranged.per_instruction_stall[:16].any()
    with pytest.raises(InputError, match="outside"):
        estimate(made, Range(0, 16), waves, fits)


def test_long_traces_are_cut_and_scaled() -> None:
    loop = ["v_add_f32 v4, v4, v5"] * 500
    made = program(loop)
    fits = occupancy(made.target, 32, 0, 256)
    waves = [Wave(0, i, np.tile(np.arange(500, dtype=np.int32), 20)) for i in range(4)]
    full = estimate(made, None, waves, fits, limit=None)
    cut = estimate(made, None, waves, fits, limit=4_000)
    assert cut.sampled
    assert not full.sampled
    assert cut.executed <= 2 * 4_000 < full.executed
    # One-time costs (first fetches) are scaled with the rest.
    assert cut.cycles == pytest.approx(full.cycles, rel=0.05)


def test_traced_workgroups_repeat_to_fill_a_unit() -> None:
    made = program(KERNEL)
    fits = occupancy(made.target, 32, 0, 256)
    full = estimate(made, None, traces(len(KERNEL), groups=2), fits, workgroups=304 * 8)
    assert full.workgroups == 8
    assert full.executed == 8 * 4 * len(KERNEL)


def test_what_was_touched_before_is_warm() -> None:
    assert run(workgroups=304, cold=False).cycles < run(workgroups=304).cycles


def test_an_idle_chip_answers_sooner() -> None:
    machine = machine_for("gfx942")
    assert under_load(machine, 1.0) is machine
    assert under_load(machine, 0.0)["vmem_latency"] == machine["level_mall"]
    assert run(workgroups=1).cycles < run(workgroups=304).cycles


def test_the_split_can_be_left_out() -> None:
    assert math.isnan(run(split=False).core_cycles)


def test_what_cannot_be_estimated_is_refused() -> None:
    made = program(KERNEL)
    fits = occupancy(made.target, 32, 0, 256)
    with pytest.raises(InputError, match="executed instructions"):
        estimate(made, None, [], fits, workgroups=1)
    with pytest.raises(InputError, match="0 workgroups"):
        estimate(made, None, traces(len(KERNEL)), fits, workgroups=0)
    other = Program(made.instructions, made.offsets, Target("gfx1100"))
    with pytest.raises(UnsupportedError, match="gfx1100"):
        estimate(other, None, traces(len(KERNEL)), fits)
    with pytest.raises(InputError, match="no window"):
        hottest_window(np.zeros(3), 0)
