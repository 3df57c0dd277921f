"""The cycle estimate of a whole launch: what a search ranks candidates by. Always *modelled*.

One compute unit is simulated with as many workgroups as fit it, from traced waves; a launch takes
as many such rounds as its workgroups need. The figure comes with the held-out error band of the
measured kernels that are like this one (`validation`), or says that there are none. The memory
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
from asmevo.timing import unit
from asmevo.timing.cases import CASES, NOMINAL, STAGGERED, Case
from asmevo.timing.detail import LaunchDetail, operations
from asmevo.timing.launch import in_turn, makespan, weights
from asmevo.timing.machine import MachineModel, machine_for
from asmevo.timing.occupancy import Occupancy
from asmevo.timing.simulate import WaveLike
from asmevo.timing.static import StaticProgram, static_program
from asmevo.timing.traffic import Traffic
from asmevo.timing.validation import Validation, features, validate

_F64 = NDArray[np.float64]

LABEL = "modelled"


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
        validation: what is known of its error: class, band, band of differences.
        point: its `validation.features`, float64 [features].
        rounds: how often compute units are filled.
        workgroups: workgroups simulated at once.
        executed: wave instructions simulated.
        sampled: whether the waves were cut and the result scaled.
        cases: (name, cycles) in each machine case, when asked for.
        staggered: cycles with other starts of the workgroups of a unit, when asked for.
        detail: what a profile shows, when asked for.
        label: always `modelled`.
    """

    cycles: float
    core_cycles: float
    memory_cycles: float
    per_instruction_stall: _F64 = field(repr=False)
    per_instruction_count: NDArray[np.int64] = field(repr=False)
    validation: Validation
    point: _F64 = field(repr=False)
    rounds: int
    workgroups: int
    executed: int
    sampled: bool
    cases: tuple[tuple[str, float], ...] = ()
    staggered: tuple[float, ...] = ()
    detail: LaunchDetail | None = None
    label: str = LABEL

    @property
    def band(self) -> float:
        """Relative error band of `validation_class`."""
        return self.validation.band

    @property
    def validation_class(self) -> str:
        """Class of measured kernels whose error `band` is, or `not validated` and why."""
        return self.validation.name


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
    written = min(machine["ta_bytes_per_clk"], machine["store_bytes_per_clk"] / max(load, 1e-3))
    return machine.with_values(
        vmem_latency=latency, vmem_bytes_per_clk=rate, store_bytes_per_clk=written
    )


def _ideal(machine: MachineModel) -> MachineModel:
    unlimited = 1.0e12
    return machine.with_values(
        vmem_latency=machine["level_l1"],
        store_latency=machine["level_l1"],
        level_l2=machine["level_l1"],
        fresh_latency=machine["level_l1"],
        fresh_bytes_per_clk=unlimited,
        vmem_bytes_per_clk=machine["ta_bytes_per_clk"],
        store_bytes_per_clk=machine["ta_bytes_per_clk"],
        vmem_inflight=unlimited,
        vmem_cold=0.0,
        smem_cold=machine["smem_latency"],
        smem_miss=machine["smem_latency"],
        smem_line=machine["smem_latency"],
        fetch_cold_line=0.0,
    )


def estimate(
    program: ProgramLike,
    kernel_function: FunctionLike | None,
    traces: Sequence[WaveLike],
    occupancy: Occupancy,
    machine: MachineModel | None = None,
    *,
    workgroups: int | None = None,
    members: NDArray[np.int32] | None = None,
    scale: _F64 | None = None,
    footprint: float | None = None,
    cold: bool = True,
    limit: int | None = 2_000_000,
    split: bool = True,
    cases: bool = False,
    below: float | None = None,
    detail: bool = False,
    latency: _F64 | None = None,
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
        members: for each workgroup of the launch, in dispatch order, the place among the traced
            workgroups (by ascending id) of the one that stands for it, int32 [workgroups];
            default: each in its turn.
        scale: work of each workgroup over that of the one that stands for it, float64
            [workgroups]; default: equal.
        footprint: bytes of memory that the launch can reach; None unknown.
        cold: whether kernel arguments, instructions and data are first touched.
        limit: most wave instructions to simulate at once; longer executions are sampled.
        split: whether to run the second simulation that `core_cycles` takes (else it is nan).
        cases: whether to time it in all machine cases too (`timing.cases`).
        detail: whether to give `Estimate.detail`.
        latency: measured clocks of each load of the program (`trace.Trace.latency`).
        below: time the cases if the nominal time is below this; otherwise they do not matter.

    Raises:
        InputError: nothing traced, a bad index, a non-positive workgroup count, or a deadlock.
        UnsupportedError: no machine table for the target.
    """
    used = machine_for(program.target) if machine is None else machine
    size = len(program.instructions)
    first, last = (
        (0, size) if kernel_function is None else (kernel_function.first, kernel_function.last)
    )
    flat = static_program(
        program.instructions[first:last], program.target, program.offsets[first:last]
    )
    groups = unit.grouped(traces, first, last)
    total = len(groups) if workgroups is None else workgroups
    if total < 1:
        raise InputError(f"a launch of {total} workgroups has no time", "check the grid")
    place = in_turn(groups, total) if members is None else members
    launch = _Launch.of(flat, groups, place, scale, occupancy, used, footprint, limit, cold)
    if latency is not None:
        launch = replace(launch, shared=replace(launch.shared, latency=latency[first:last]))
    run = launch.timed(used, detail=detail)
    stall = np.zeros(size)
    count = np.zeros(size, dtype=np.int64)
    stall[first:last] = run.ran.cost
    count[first:last] = run.ran.count
    held = occupancy.waves_per_workgroup * launch.shared.residents
    slots = used["simds_per_cu"] * used["wave_slots_per_simd"]
    point = features(flat, launch.executions(), held / slots)
    traffic, unit_machine = launch.traffic, run.machine
    result = Estimate(
        cycles=run.cycles,
        core_cycles=launch.timed(used, ideal=True).cycles if split else float("nan"),
        memory_cycles=max(traffic.of_units(unit_machine, launch.busy), traffic.least(unit_machine)),
        per_instruction_stall=stall,
        per_instruction_count=count,
        validation=validate(used, point, launch.load),
        point=point,
        rounds=-(-total // (launch.units * launch.shared.residents)),
        workgroups=launch.shared.residents,
        executed=run.ran.executed,
        sampled=run.ran.sampled,
        detail=_detail(launch, run, program, first) if detail else None,
    )
    if below is not None and result.cycles >= below:
        return result
    if below is None and not cases:
        return result
    return replace(
        result,
        cases=tuple((c.name, launch.timed(used, c).cycles) for c in CASES),
        staggered=tuple(launch.timed(used, c).cycles for c in STAGGERED),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Timed:
    cycles: float
    ran: unit.Ran
    machine: MachineModel


@dataclass(frozen=True, slots=True, eq=False)
class _Launch:
    """A launch whose streams are read: what is left is to time it on a machine.

    Attributes:
        shared: a compute unit with its residents.
        traffic: bytes of the whole launch.
        place: representative of each workgroup.
        scale: its work over that of its representative.
        units: compute units of the machine.
        load: share of them that is busy.
    """

    shared: unit.Shared
    traffic: Traffic
    place: NDArray[np.int32]
    scale: _F64
    units: int
    load: float

    @staticmethod
    def of(
        flat: StaticProgram,
        groups: Sequence[list[unit.TracedWave]],
        place: NDArray[np.int32],
        scale: _F64 | None,
        occupancy: Occupancy,
        machine: MachineModel,
        footprint: float | None,
        limit: int | None,
        cold: bool,
    ) -> _Launch:
        """See `estimate`."""
        units, total = machine.count("compute_units"), int(place.shape[0])
        resident = min(occupancy.workgroups_per_cu, -(-total // units))
        loads = [unit.Load.of(flat, group, machine, resident) for group in groups]
        population = weights(place, len(groups))
        shared = unit.Shared(flat, loads, population, resident, limit, cold)
        traffic = Traffic.of(loads, population, footprint)
        work = np.ones(total) if scale is None else scale
        return _Launch(shared, traffic, place, work, units, min(1.0, total / units))

    def executions(self) -> _F64:
        """How often the launch executes each instruction, float64 [instructions]."""
        total = np.zeros(len(self.shared.program))
        for load, times in zip(self.shared.loads, self.shared.population.tolist(), strict=True):
            total += load.executions(len(total)) * times
        return total

    @property
    def busy(self) -> int:
        """Compute units that have something to do."""
        return min(int(self.place.shape[0]), self.units)

    def timed(
        self,
        stock: MachineModel,
        case: Case = NOMINAL,
        ideal: bool = False,
        detail: bool = False,
    ) -> _Timed:
        """Its time in a machine case; `ideal` with a memory path that never delays."""
        full = case.data == "memory"  # all units ask, whether the launch fills them or not
        used = under_load(case.of(stock), 1.0 if full else self.load)
        used = self.traffic.on(used, self.units if full else self.busy, case.data)
        shared = self.shared
        if ideal:
            used, shared = _ideal(used), replace(shared, latency=None)
        ran = shared.run(used, case.seed, detail)
        slots = min(int(self.place.shape[0]), self.units * self.shared.residents)
        cycles = makespan(ran.durations[self.place] * self.scale, slots) + ran.ramp
        if not ideal:
            cycles = max(cycles, self.traffic.least(used, case.data))
        return _Timed(cycles + used["launch_first_issue"], ran, used)


def _detail(launch: _Launch, run: _Timed, program: ProgramLike, first: int) -> LaunchDetail:
    """What the simulations of a launch say of all of it."""
    found, shared, flat = run.ran.detail, launch.shared, launch.shared.program
    assert found is not None
    executions, lds, l1 = launch.executions(), 0.0, 0.0
    for load, times in zip(shared.loads, shared.population.tolist(), strict=True):
        asked = load.asked(flat)
        lds, l1 = lds + asked[0] * times, l1 + asked[1] * times
    instructions = program.instructions[first : first + len(flat)]
    vector, matrix = operations(instructions, program.target)
    size = len(program.instructions)
    whole = np.zeros(size)
    whole[first : first + len(flat)] = executions
    stalls = np.zeros((size, found.stalls.shape[1]))
    each = executions / np.maximum(run.ran.count, 1)
    stalls[first : first + len(flat)] = found.stalls * each[:, None]
    served = launch.traffic.served(run.machine) if launch.traffic.known else {}
    return LaunchDetail(
        executions=whole,
        stalls=stalls,
        busy=found.shares(run.machine),
        bytes={"lds": lds, "l1": l1, **served},
        vector_operations=float((vector * executions).sum()),
        matrix_operations=float((matrix * executions).sum()),
        waves=[replace(w, indices=w.indices + np.int32(first)) for w in found.waves],
        machine=run.machine,
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
