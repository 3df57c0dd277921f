"""Run launches on the emulator and say what came out."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from asmevo.api.drafts.recordings import Witness
from asmevo.api.naming import naming
from asmevo.api.objects import (
    LaunchLike,
    ObjectLike,
    Progress,
    Sizes,
    device_of,
    launch_notes,
    launches,
    open,
)
from asmevo.api.results import Result
from asmevo.api.traffic import requested_bytes
from asmevo.capsule.model import Capsule
from asmevo.codeobject import Kernel
from asmevo.device.protocol import DEFAULT_INSTRUCTION_BUDGET, RunOptions, RunResult
from asmevo.emulate.decode import fidelity
from asmevo.program import Program
from asmevo.verify.coverage import coverage_of

_SHOWN = 12


@dataclass(frozen=True, slots=True, eq=False)
class Run(Result):
    """Result of `run`: `data["runs"]` has one entry per launch, `data["notes"]` lines for people.

    Attributes:
        launches: what was run.
        results: what the device gave for each, buffers afterwards included.
    """

    launches: tuple[Capsule, ...]
    results: tuple[RunResult, ...]


def run(
    object: ObjectLike,
    launch: LaunchLike,
    *,
    kernel: str | None = None,
    sizes: Sizes | None = None,
    input_seed: int | None = None,
    schedule: str | None = None,
    matrix: Literal["fast", "exact"] = "fast",
    budget: int = DEFAULT_INSTRUCTION_BUDGET,
    profile: bool = False,
    device: str = "emulated",
    progress: Progress | None = None,
) -> Run:
    """Execute a kernel, on the emulator or a GPU: buffers, memory faults, counts, fidelity.

    Args:
        object, launch, kernel, sizes, input_seed: see `launches`.
        schedule: wave order: `barrier`, `interleave:N` or `shuffle:SEED`.
        matrix: arithmetic of matrix instructions.
        budget: most wave instructions of a launch.
        profile: list the instructions that were executed most.
        device: see `device_of`; on a GPU, execution counts come from the emulator.
        progress: told (launch, launches, label).

    Raises:
        InputError: the launch does not fit the object.
        UnsupportedError: an instruction that is not emulated.
    """
    opened = open(object)
    capsules = launches(
        opened, launch, kernel=kernel, sizes=sizes, input_seed=input_seed, as_recorded=True
    )
    notes = launch_notes(opened, launch, kernel)
    after = Witness.of(launch, capsules)
    runner = device_of(device, progress)
    options = RunOptions(schedule=schedule, instruction_budget=budget, profile=True, matrix=matrix)
    entries: list[dict[str, Any]] = []
    results: list[RunResult] = []
    failure = ""
    idle: list[str] = []
    for n, capsule in enumerate(capsules):
        if progress is not None:
            progress(n, len(capsules), capsule.label)
        with naming(opened.path):
            result = runner.run(opened.data, capsule, options)
        results.append(result)
        program = runner.program(opened.data)
        entry = _entry(capsule, result, program, opened.code.kernel(capsule.kernel), matrix)
        if after is not None:
            entry["as_recorded"] = after.compare(n, result)
            notes += after.notes(n, entry["as_recorded"])
        if profile:
            entry["hottest"] = _hottest(program, result)
        entries.append(entry)
        if result.fault is not None:
            failure = failure or result.fault.one_line()
        elif not any(b["changed_bytes"] for b in entry["buffers"]):
            idle.append(capsule.label or f"number {n + 1}")
            where = f" of launch {capsule.label}" if len(capsules) > 1 else ""
            notes.append(f"no buffer was changed{where}: are sizes, guards and arguments right?")
    if after is not None:
        after.close()
    return Run(
        not failure,
        "runtime_failure" if failure else "ok",
        failure or _reason(idle, len(capsules)),
        {"runs": entries, "notes": notes},
        capsules,
        tuple(results),
    )


def _reason(idle: Sequence[str], launches: int) -> str:
    """What a run without a fault says: a launch that leaves all memory as it was tells nothing."""
    if not idle:
        return "no fault; results are shown, and compared with nothing"
    which = "" if launches == 1 else f" by launch {', '.join(idle)}"
    return f"no fault, but no buffer was changed{which}: the launch may not be the kernel's"


def capsule_summary(c: Capsule) -> dict[str, Any]:
    """A capsule in a few plain fields."""
    return {
        "label": c.label,
        "kernel": c.kernel,
        "grid": list(c.grid),
        "block": list(c.block),
        "lds_dynamic": c.lds_dynamic,
        "digest": c.digest(),
    }


def _entry(
    capsule: Capsule, result: RunResult, program: Program, kernel: Kernel, matrix: str
) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "launch": capsule_summary(capsule),
        "instructions": result.instructions,
        "host_seconds": result.seconds,
        "matrix": matrix,
        "fault": result.fault.one_line() if result.fault else None,
        "buffers": [_buffer_row(capsule, b.name, result) for b in capsule.buffers],
    }
    if result.counts is not None:
        if result.ok:  # a run that stopped has waves that are halfway
            entry["coverage"] = coverage_of(program, result.counts).to_json()
        counts = result.counts.tolist()
        rows = fidelity.report(
            program.instructions, program.target.arch, counts, exact_matrix=matrix == "exact"
        )
        entry["fidelity"] = [asdict(row) for row in rows]
        entry["bytes_at_most"] = requested_bytes(
            program.instructions, counts, kernel.descriptor.wave_size
        )
    return entry


def _buffer_row(capsule: Capsule, name: str, result: RunResult) -> dict[str, Any]:
    state = capsule.buffer(name)
    after = result.buffers.get(name, b"")
    row: dict[str, Any] = {
        "name": name,
        "role": state.role,
        "dtype": state.dtype,
        "shape": list(state.shape),
        "sha256": hashlib.sha256(after).hexdigest(),
        "changed_bytes": int(
            np.count_nonzero(np.frombuffer(after, np.uint8) != np.frombuffer(state.data, np.uint8))
        ),
    }
    values = state.view(after).reshape(-1)
    if values.size:
        numbers = values.astype(np.float64)
        finite = numbers[np.isfinite(numbers)]
        row["first"] = [float(v) for v in numbers[:4]]
        row["mean"] = float(finite.mean()) if finite.size else None
        row["not_finite"] = int(numbers.size - finite.size)
    return row


def _hottest(program: Program, result: RunResult) -> list[dict[str, Any]]:
    assert result.counts is not None
    order = np.argsort(-result.counts, kind="stable")[:_SHOWN]
    return [
        {
            "index": int(i),
            "offset": program.offsets[i],
            "executions": int(result.counts[i]),
            "text": program.line(int(i)),
        }
        for i in order
        if result.counts[i]
    ]
