"""`asmevo run`: execute a launch on the emulator and say what came out."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from asmevo.capsule.model import Capsule
from asmevo.cli.common import (
    KernelOption,
    LaunchOption,
    SeedOption,
    SizeOption,
    capsule_summary,
    capsules,
    emulated,
    naming,
    open_object,
)
from asmevo.cli.output import Format, FormatOption, emit, progress, table
from asmevo.device.protocol import RunOptions, RunResult
from asmevo.program import Program

SCHEMA = "asmevo/run/1"
_SHOWN = 12


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
        {"index": int(i), "executions": int(result.counts[i]), "text": program.line(int(i))}
        for i in order
        if result.counts[i]
    ]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("run")
    def command(
        object: Annotated[Path, typer.Argument(help="code object to run")],
        launch: LaunchOption,
        kernel: KernelOption = None,
        size: SizeOption = None,
        input_seed: SeedOption = None,
        schedule: Annotated[
            str | None, typer.Option(help="wave order: barrier, interleave:N, shuffle:SEED")
        ] = None,
        profile: Annotated[bool, typer.Option(help="count executions per instruction")] = False,
        budget: Annotated[int, typer.Option(help="most wave instructions")] = 2_000_000_000,
        save: Annotated[
            Path | None, typer.Option(help="write the buffers afterwards as an .npz file")
        ] = None,
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Run a kernel on the emulator: outputs, counts, memory faults.

        Example: asmevo run K0.hsaco --launch launch.yaml --profile
        """
        data, co = open_object(object)
        launches = capsules(co, launch, kernel, size, input_seed)
        runs: list[dict[str, Any]] = []
        lines: list[str] = []
        failure = ""
        kept: dict[str, Any] = {}
        with progress("run") as advance:
            device = emulated(advance)
            for n, capsule in enumerate(launches):
                advance(n, len(launches), capsule.label)
                options = RunOptions(schedule=schedule, instruction_budget=budget, profile=profile)
                with naming(object):
                    result = device.run(data, capsule, options)
                entry: dict[str, Any] = {
                    "launch": capsule_summary(capsule),
                    "instructions": result.instructions,
                    "host_seconds": result.seconds,
                    "fault": result.fault.one_line() if result.fault else None,
                    "buffers": [_buffer_row(capsule, b.name, result) for b in capsule.buffers],
                }
                if profile and result.counts is not None:
                    entry["hottest"] = _hottest(device.program(data), result)
                runs.append(entry)
                lines += _text(capsule, entry)
                if result.fault is not None:
                    failure = failure or result.fault.one_line()
                for b in capsule.buffers:
                    kept[f"{n}_{b.name}"] = b.view(result.buffers[b.name])
        if save is not None:
            _save(save, kept)
        emit(
            format,
            SCHEMA,
            {"runs": runs},
            lines,
            ok=not failure,
            reason=failure,
            status="runtime_failure" if failure else "ok",
        )

    del command


def _save(path: Path, arrays: dict[str, Any]) -> None:
    import io

    from asmevo.cli.output import write_file

    out = io.BytesIO()
    plain = {
        name: a
        if a.dtype.kind in "fiub" and a.dtype.isbuiltin == 1
        else a.view(f"u{a.dtype.itemsize}")
        for name, a in arrays.items()
    }
    np.savez(out, **plain)
    write_file(path, out.getvalue())


def _text(capsule: Capsule, entry: dict[str, Any]) -> list[str]:
    lines = [
        f"{capsule.kernel} {capsule.label}: grid {'x'.join(map(str, capsule.grid))} of "
        f"{'x'.join(map(str, capsule.block))}, {entry['instructions']} wave instructions"
    ]
    if entry["fault"]:
        lines.append(f"fault: {entry['fault']}")
    rows = [
        (
            b["name"],
            b["role"],
            f"{b['dtype']}{b['shape']}",
            str(b["changed_bytes"]),
            " ".join(f"{v:.6g}" for v in b.get("first", [])),
        )
        for b in entry["buffers"]
    ]
    lines += table(rows, ("buffer", "role", "type", "changed bytes", "first values"))
    if "hottest" in entry:
        lines += table(
            [(str(h["index"]), str(h["executions"]), h["text"]) for h in entry["hottest"]],
            ("index", "executions", "instruction"),
        )
    return lines
