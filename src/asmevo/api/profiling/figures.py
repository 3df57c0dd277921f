"""Where a kernel's modelled time goes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from asmevo.api.naming import naming
from asmevo.api.objects import (
    LaunchLike,
    MachineLike,
    ObjectLike,
    Progress,
    Sizes,
    emulated,
    idle_notes,
    launch_notes,
    launches,
    open,
)
from asmevo.api.profiling.waves import perfetto
from asmevo.api.results import Result
from asmevo.api.running import capsule_summary
from asmevo.capsule.model import Capsule, timed_launches
from asmevo.program import Program
from asmevo.timing.machine import MachineModel
from asmevo.timing.stalls import Reason

if TYPE_CHECKING:  # the compilers behind these take longer to load than most use cases to run
    from asmevo.device.clock import TimedLaunch
    from asmevo.timing.detail import LaunchDetail
    from asmevo.timing.model import Estimate
    from asmevo.timing.trace import Trace

SCHEMA = "asmevo/profile/1"
REASONS = tuple(reason.name.lower() for reason in Reason)
_WINDOWS = 5  # shown of a launch
_WIDTH = 12  # instructions of one: a proposer's window has 5 to 15
_MIN_SHARE = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class Profile(Result):
    """Result of `profile`: `data["launches"]` has one entry per timed launch.

    Attributes:
        estimates: the cycle model's answers.
        program: the program that instruction indices refer to.
    """

    estimates: tuple[Estimate, ...]
    program: Program

    def perfetto(self, launch: int = 0) -> dict[str, Any]:
        """The waves of a compute unit as trace events (Trace Event Format), for Perfetto."""
        detail = self.estimates[launch].detail
        assert detail is not None
        return perfetto(detail, self.program, str(self.data["kernel"]))


def profile(
    object: ObjectLike,
    launch: LaunchLike,
    *,
    kernel: str | None = None,
    sizes: Sizes | None = None,
    input_seed: int | None = None,
    machine: MachineLike | None = None,
    trace: str | Path | None = None,
    progress: Progress | None = None,
) -> Profile:
    """Model a kernel's time and where it goes: instructions, reasons, units, bytes.

    Every figure is modelled, and comes with the class of kernels whose measured error its band is.

    Args:
        object, launch, kernel, sizes, input_seed: see `launches`; variants are for tests and are
            left out.
        machine: see `machine_of`.
        trace: folder of a rocprofv3 trace of this kernel (`timing.trace`): measured latencies of
            its loads take the place of modelled ones, measured clocks give hot windows.
        progress: told (launch, launches, label).

    Raises:
        InputError: the launch does not fit the object, the machine runs other code, or the trace
            is of other code or unreadable.
        UnsupportedError: an instruction or target without emulation or machine.
        RunFault: the kernel faulted, so there is nothing to time.
    """
    from asmevo.device.clock import plan

    opened = open(object)
    every = launches(opened, launch, kernel=kernel, sizes=sizes, input_seed=input_seed)
    capsules = timed_launches(every)
    device = emulated(progress, machine)
    entries: list[dict[str, Any]] = []
    estimates: list[Estimate] = []
    program = device.program(opened.data)
    chosen = opened.code.kernel(capsules[0].kernel)
    used = device.machine(opened.data, chosen.name)
    seen = None if trace is None else _read(Path(trace), program, chosen.name)
    latency = seen.latency if seen is not None and seen.instructions else None
    for n, capsule in enumerate(capsules):
        if progress is not None:
            progress(n, len(capsules), capsule.label)
        with naming(opened.path):
            result = device.estimate(opened.data, capsule, split=True, detail=True, latency=latency)
        estimates.append(result)
        fits = plan(opened.code.kernel(capsule.kernel), capsule, used)
        entries.append(_entry(capsule, result, fits, program))
    notes = [*launch_notes(opened, launch, kernel), *idle_notes(opened, capsules, used)]
    data = {
        "schema": SCHEMA,
        "kernel": chosen.name,
        "target": opened.target,
        "label": estimates[0].label,
        "machine": used.to_json(),
        "machine_title": used.title,
        "launches": entries,
        "measured": None if seen is None else _measured(seen, program),
        "untimed": len(every) - len(capsules),
        "notes": notes,
    }
    return Profile(True, "ok", "modelled, not measured", data, tuple(estimates), program)


def _entry(capsule: Capsule, e: Estimate, fits: TimedLaunch, program: Program) -> dict[str, Any]:
    detail, machine = e.detail, fits.machine
    assert detail is not None
    total = float(detail.stalls.sum())
    by_reason = detail.stalls.sum(axis=0) / max(total, 1.0)
    return {
        "launch": capsule_summary(capsule),
        "cycles": e.cycles,
        "microseconds": e.cycles / machine["clock_mhz"],
        "core_cycles": e.core_cycles,
        "memory_cycles": e.memory_cycles,
        "validation_class": e.validation_class,
        "band": e.band,
        "neighbours": list(e.validation.neighbours),
        "speedup_band": e.validation.difference,
        "speedup_class": e.validation.difference_name,
        "workgroups": fits.workgroups,
        "compute_units": machine.count("compute_units"),
        "rounds": e.rounds,
        "occupancy": {
            "waves_per_simd": fits.occupancy.waves_per_simd,
            "wave_slots_per_simd": machine.count("wave_slots_per_simd"),
            "workgroups_per_cu": fits.occupancy.workgroups_per_cu,
            "waves_per_workgroup": fits.occupancy.waves_per_workgroup,
            "limiter": fits.occupancy.limiter,
            "resident_workgroups": e.workgroups,
        },
        "busy": dict(detail.busy),
        "stalls": dict(zip(REASONS, by_reason.tolist(), strict=True)),
        "bytes": dict(detail.bytes),
        "roofline": roofline(e, detail, machine),
        "wave_clocks": total,
        "sampled": e.sampled,
        "simulated_instructions": e.executed,
        "windows": _windows(detail.stalls.sum(axis=1), program),
        "instructions": _instructions(detail, program),
    }


def roofline(e: Estimate, detail: LaunchDetail, machine: MachineModel) -> dict[str, Any]:
    """Operations per byte and per clock against what the machine could do with this mixture.

    The compute roof is what the busiest of the vector and matrix pipes would give if it never
    stood still; the memory roof is the rate of the farthest level that serves this launch.
    """
    done = detail.vector_operations + detail.matrix_operations
    busiest = max(detail.busy["vector"], detail.busy["matrix"])
    level, rate = "hbm", machine["dram_bytes_per_clk"]
    moved = detail.bytes.get("hbm", 0.0)
    if not moved and detail.bytes.get("last_level"):
        level, rate, moved = "last_level", machine["mall_bytes_per_clk"], detail.bytes["last_level"]
    attained = done / e.cycles
    compute = attained / busiest if busiest else None
    intensity = done / moved if moved else None
    memory = intensity * rate if intensity is not None else None
    roofs = [roof for roof in (compute, memory) if roof]
    bound = "latency"
    if e.memory_cycles >= 0.7 * e.cycles:
        bound = "memory"
    elif busiest >= 0.7:
        bound = "compute"
    return {
        "operations": done,
        "vector_operations": detail.vector_operations,
        "matrix_operations": detail.matrix_operations,
        "level": level if moved else None,
        "level_bytes": moved,
        "operations_per_byte": intensity,
        "operations_per_clk": attained,
        "compute_roof": compute,
        "memory_roof": memory,
        "share_of_roof": attained / min(roofs) if roofs else None,
        "bound": bound,
    }


def _windows(clocks: NDArray[np.float64], program: Program) -> list[dict[str, Any]]:
    """The costliest stretches, none overlapping, most first."""
    from asmevo.timing.model import hottest_window

    left, total = clocks.copy(), max(float(clocks.sum()), 1.0)
    found: list[dict[str, Any]] = []
    for _ in range(_WINDOWS):
        first = hottest_window(left, _WIDTH)
        last = min(first + _WIDTH, len(left))
        # Instructions at the edges that cost nothing are not part of it.
        hot = np.flatnonzero(left[first:last] > 0.0)
        if not hot.size:
            break
        first, last = first + int(hot[0]), first + int(hot[-1]) + 1
        share = float(left[first:last].sum()) / total
        if share < _MIN_SHARE:
            break
        found.append(
            {"first": first, "last": last, "share": share, "offset": program.offsets[first]}
        )
        left[first:last] = 0.0
    return found


def _read(place: Path, program: Program, kernel: str) -> Trace:
    from asmevo.timing.trace import read_trace

    return read_trace(place, program.instructions, program.offsets, program.target, kernel)


def _measured(seen: Trace, program: Program) -> dict[str, Any]:
    """What a trace says, apart from everything that is modelled."""
    times = sorted(seen.nanoseconds)
    total = max(float(seen.clocks.sum()), 1.0)
    return {
        "label": "measured",
        "sources": list(seen.sources),
        "waves": seen.waves,
        "dispatches": len(times),
        "median_microseconds": times[len(times) // 2] / 1e3 if times else None,
        "windows": _windows(seen.clocks, program) if seen.instructions else [],
        "instructions": [
            {
                "index": i,
                "text": program.line(i),
                "executions": int(seen.executions[i]),
                "clocks": float(seen.clocks[i]),
                "share": float(seen.clocks[i]) / total,
                "latency": float(seen.latency[i]) if seen.latency[i] >= 0 else None,
            }
            for i in np.flatnonzero(seen.executions).tolist()
        ],
    }


def _instructions(detail: LaunchDetail, program: Program) -> list[dict[str, Any]]:
    """Every instruction that was executed, in order."""
    total = max(float(detail.stalls.sum()), 1.0)
    rows: list[dict[str, Any]] = []
    for i in np.flatnonzero(detail.executions).tolist():
        mine = detail.stalls[i]
        clocks = float(mine.sum())
        rows.append(
            {
                "index": i,
                "offset": program.offsets[i],
                "label": program.labels.get(i),
                "text": program.line(i),
                "executions": int(detail.executions[i]),
                "clocks": clocks,
                "share": clocks / total,
                "stalls": {
                    name: float(v) for name, v in zip(REASONS, mine.tolist(), strict=True) if v
                },
            }
        )
    return rows
