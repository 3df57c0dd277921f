"""The cycle estimate of a whole launch: what a search ranks candidates by. Always *modelled*.

One compute unit is simulated with as many workgroups as fit it, from traced waves; a launch takes
as many such rounds as its workgroups need. The figure comes with the held-out error band of the
kernel class it was validated on (`docs/results/timing.md`), or says that there is none. The memory
part (share of bandwidth, loaded latency) is far less certain than the core part, so both are
given apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from asmevo.errors import InputError
from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Target
from asmevo.timing.machine import MachineModel, machine_for
from asmevo.timing.occupancy import Occupancy
from asmevo.timing.simulate import Simulation, WaveLike, simulate
from asmevo.timing.static import Kind, StaticProgram, static_program

_F64 = NDArray[np.float64]

LABEL = "modelled"
NOT_VALIDATED = "not validated"
# Memory levels that hints may name, nearest first; rows `level_*` of the machine table.
LEVELS = ("l1", "l2", "mall", "dram")
# Mean absolute held-out errors; docs/results/timing.md, `make bench-timing`.
_CLASSES: dict[str, tuple[str, float]] = {
    "gfx942": ("gfx942 bf16 GEMM, held out by kernel", 0.12),
    "gfx950": ("gfx950 mixed kernels, held out by kernel family", 0.16),
}
# Where nothing was validated: the worst single held-out error seen on any capture.
UNVALIDATED_BAND = 0.5
_BF16_MFMA_PASSES = frozenset({4, 8})
# Captures were taken with the whole chip busy; a launch that leaves more than half of it idle sees
# another memory system, which no capture shows.
_LEAST_LOAD = 0.5


class FunctionLike(Protocol):
    """A range of instructions: `asmevo.program` functions."""

    @property
    def first(self) -> int:
        """First instruction index."""
        ...

    @property
    def last(self) -> int:
        """One past the last instruction index."""
        ...


class ProgramLike(Protocol):
    """What the model needs of a recovered program."""

    @property
    def instructions(self) -> Sequence[Instruction]:
        """Instructions in address order."""
        ...

    @property
    def offsets(self) -> Sequence[int]:
        """Byte offset of each instruction."""
        ...

    @property
    def target(self) -> Target:
        """Architecture."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class MemoryHints:
    """What a caller knows about memory, by instruction index of the program.

    Attributes:
        request_bytes: bytes that one execution asks of the cache (whole lines; a broadcast load
            asks for few, a strided one for many), float64 [instructions], -1 unknown.
        level: index into `LEVELS` that serves the instruction's loads, int8 [instructions], -1
            unknown (the calibrated loaded latency is used).
        dram_bytes: bytes of the whole launch that reach device memory; None unknown.
        cold: whether kernel arguments, instructions and data are first touched.
    """

    request_bytes: _F64 | None = None
    level: NDArray[np.int8] | None = None
    dram_bytes: float | None = None
    cold: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """A modelled kernel time.

    Attributes:
        cycles: shader clocks of the launch, from dispatch to the last wave's end.
        core_cycles: the same with every load served by the L1 cache at full rate.
        memory_cycles: least clocks that the launch's memory traffic takes at the calibrated
            share of bandwidth per compute unit (and at the device's, if `dram_bytes` is known).
        per_instruction_stall: clocks that simulated waves spent at each instruction of the
            program, issue included, float64 [instructions].
        per_instruction_count: executions in the simulation, int64 [instructions].
        band: relative error band of `validation_class`.
        validation_class: class of kernels whose held-out error `band` is, or `not validated`.
        rounds: how often compute units are filled.
        workgroups: workgroups simulated at once.
        executed: wave instructions simulated.
        sampled: whether the waves were cut and the result scaled.
        label: always `modelled`.
    """

    cycles: float
    core_cycles: float
    memory_cycles: float
    per_instruction_stall: _F64 = field(repr=False)
    per_instruction_count: NDArray[np.int64] = field(repr=False)
    band: float
    validation_class: str
    rounds: int
    workgroups: int
    executed: int
    sampled: bool
    label: str = LABEL


@dataclass(frozen=True, slots=True, eq=False)
class _Wave:
    workgroup: int
    wave: int
    indices: NDArray[np.int32]


def validation_class(
    program: StaticProgram, executed: NDArray[np.int64], load: float = 1.0
) -> tuple[str, float]:
    """(class, error band) of a kernel, from what it executed and the share of busy units.

    gfx942 was validated on bf16 GEMMs only: matrix instructions fed through LDS with barriers.
    """
    found = _CLASSES.get(program.target.arch)
    if found is None or load < _LEAST_LOAD:
        return NOT_VALIDATED, UNVALIDATED_BAND
    if program.target.arch == "gfx942":
        ran = executed > 0
        kinds = set(program.kind[ran].tolist())
        matrix = program.kind == Kind.MFMA
        passes = set(program.passes[ran & matrix].tolist())
        gemm = {int(Kind.MFMA), int(Kind.LDS), int(Kind.BARRIER)} <= kinds
        if not gemm or not passes <= _BF16_MFMA_PASSES:
            return NOT_VALIDATED, UNVALIDATED_BAND
    return found


def resident_waves(
    traces: Sequence[WaveLike], workgroups: int, limit: int | None
) -> tuple[list[_Wave], float]:
    """Waves of `workgroups` workgroups, repeating the traced ones in turn, and the kept fraction.

    `limit` caps the wave instructions in all: every wave is then cut at the same fraction.

    Raises:
        InputError: nothing was traced.
    """
    by_group: dict[int, list[WaveLike]] = {}
    for trace in traces:
        if trace.indices.shape[0]:
            by_group.setdefault(int(trace.workgroup), []).append(trace)
    if not by_group:
        raise InputError(
            "the estimate needs executed instructions of at least one wave",
            "run with trace_workgroups of 1 or more",
        )
    groups = [by_group[key] for key in sorted(by_group)]
    chosen = [groups[i % len(groups)] for i in range(workgroups)]
    total = sum(int(w.indices.shape[0]) for group in chosen for w in group)
    share = 1.0 if limit is None or total <= limit else limit / total
    waves: list[_Wave] = []
    kept = 0
    for number, group in enumerate(chosen):
        for trace in sorted(group, key=lambda w: int(w.wave)):
            length = int(trace.indices.shape[0])
            keep = length if share >= 1.0 else max(1, int(length * share))
            kept += keep
            waves.append(_Wave(number, int(trace.wave), trace.indices[:keep]))
    return waves, kept / total


def _applied(
    program: StaticProgram, hints: MemoryHints, machine: MachineModel, first: int, last: int
) -> tuple[StaticProgram, _F64]:
    latency = np.full(len(program), -1.0)
    if hints.level is not None:
        level = hints.level[first:last]
        for number, name in enumerate(LEVELS):
            latency[level == number] = machine[f"level_{name}"]
    if hints.request_bytes is not None:
        asked = hints.request_bytes[first:last]
        known = (asked >= 0) & (program.kind == Kind.VMEM)
        lane_bytes = np.where(known, asked / 64.0, program.lane_bytes)
        program = replace(program, lane_bytes=lane_bytes)
    return program, latency


def under_load(machine: MachineModel, load: float) -> MachineModel:
    """The machine's memory system when a share `load` (0..1) of the compute units is busy.

    Linear between the unloaded last-level cache latency and the calibrated loaded one, and up to
    the cache's own rate; assumed, not validated. Load 1 changes nothing.
    """
    if load >= 1.0:
        return machine
    floor = min(machine["level_mall"], machine["vmem_latency"])
    latency = floor + (machine["vmem_latency"] - floor) * load
    rate = min(machine["ta_bytes_per_clk"], machine["vmem_bytes_per_clk"] / max(load, 1e-3))
    return machine.with_values(vmem_latency=latency, vmem_bytes_per_clk=rate)


def _ideal(machine: MachineModel) -> MachineModel:
    unlimited = 1.0e12
    return machine.with_values(
        vmem_latency=machine["level_l1"],
        store_latency=machine["level_l1"],
        vmem_bytes_per_clk=machine["ta_bytes_per_clk"],
        vmem_inflight=unlimited,
        vmem_cold=0.0,
        smem_cold=machine["smem_latency"],
        smem_miss=machine["smem_latency"],
        smem_line=machine["smem_latency"],
        fetch_cold_line=0.0,
    )


def _traffic(program: StaticProgram, simulation: Simulation) -> float:
    vector = program.kind == Kind.VMEM
    return float((64.0 * program.lane_bytes * simulation.count)[vector].sum())


def estimate(
    program: ProgramLike,
    kernel_function: FunctionLike | None,
    traces: Sequence[WaveLike],
    occupancy: Occupancy,
    machine: MachineModel | None = None,
    *,
    workgroups: int | None = None,
    memory: MemoryHints | None = None,
    limit: int | None = 2_000_000,
    split: bool = True,
) -> Estimate:
    """Modelled time of a launch.

    Args:
        program: recovered program; trace indices refer to its instructions.
        kernel_function: range to flatten, which saves work in objects with many kernels; waves
            that leave it (calls) need None, the whole program.
        traces: executed instruction streams of all waves of one or more workgroups.
        occupancy: what fits a compute unit.
        machine: constants; default: the target's table.
        workgroups: workgroups of the launch; default: those traced.
        memory: what is known about memory.
        limit: most wave instructions to simulate; longer waves are cut and the result scaled.
        split: whether to run the second simulation that `core_cycles` takes (else it is nan).

    Raises:
        InputError: nothing traced, a bad index, a non-positive workgroup count, or a deadlock.
        UnsupportedError: no machine table for the target.
    """
    used = machine_for(program.target) if machine is None else machine
    hints = MemoryHints() if memory is None else memory
    size = len(program.instructions)
    first, last = (
        (0, size)
        if kernel_function is None
        else (
            kernel_function.first,
            kernel_function.last,
        )
    )
    total = len({int(t.workgroup) for t in traces}) if workgroups is None else workgroups
    if total < 1:
        raise InputError(f"a launch of {total} workgroups has no time", "check the grid")
    units = used.count("compute_units")
    resident = min(occupancy.workgroups_per_cu, -(-total // units))
    rounds = -(-total // (units * resident))
    load = min(1.0, total / units)
    used = under_load(used, load)
    waves, kept = resident_waves(traces, resident, limit)
    if first:
        waves = [_Wave(w.workgroup, w.wave, w.indices - np.int32(first)) for w in waves]
    flat = static_program(
        program.instructions[first:last], program.target, program.offsets[first:last]
    )
    flat, latency = _applied(flat, hints, used, first, last)
    run = simulate(flat, waves, used, cold=hints.cold, memory_latency=latency)
    overhead = used["launch_first_issue"]
    core = float("nan")
    if split:
        ideal = simulate(flat, waves, _ideal(used), cold=False)
        core = rounds * ideal.clocks / kept + overhead
    per_unit = _traffic(flat, run) / kept / used["vmem_bytes_per_clk"]
    traffic = rounds * per_unit
    if hints.dram_bytes is not None:
        traffic = max(traffic, hints.dram_bytes / used["dram_bytes_per_clk"])
    stall = np.zeros(size)
    count = np.zeros(size, dtype=np.int64)
    stall[first:last] = run.cost
    count[first:last] = run.count
    name, band = validation_class(flat, run.count, load)
    cycles = rounds * run.clocks / kept + overhead
    if hints.dram_bytes is not None:
        cycles = max(cycles, traffic)
    return Estimate(
        cycles=cycles,
        core_cycles=core,
        memory_cycles=traffic,
        per_instruction_stall=stall,
        per_instruction_count=count,
        band=band,
        validation_class=name,
        rounds=rounds,
        workgroups=resident,
        executed=run.executed,
        sampled=kept < 1.0,
    )


def hottest_window(stall: _F64, width: int, first: int = 0, last: int | None = None) -> int:
    """First index of the `width` consecutive instructions that cost most in `[first, last)`.

    Raises:
        InputError: the range holds no window.
    """
    stop = int(stall.shape[0]) if last is None else last
    if width < 1 or stop - first < 1:
        raise InputError(f"no window of {width} instructions in [{first}, {stop})")
    width = min(width, stop - first)
    total = np.concatenate(([0.0], np.cumsum(stall[first:stop])))
    return first + int(np.argmax(total[width:] - total[:-width]))
