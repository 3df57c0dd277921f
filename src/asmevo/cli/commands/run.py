"""`asmevo run`: execute a launch on the emulator and say what came out."""

from __future__ import annotations

import hashlib
import io
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from asmevo.api.files import write_file
from asmevo.api.traffic import requested_bytes
from asmevo.capsule.model import Capsule
from asmevo.cli.common import (
    KernelOption,
    MatrixMode,
    MatrixOption,
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
from asmevo.emulate.decode import fidelity
from asmevo.errors import InputError
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


def _fidelity(
    program: Program, capsule: Capsule, result: RunResult, exact: bool
) -> list[dict[str, Any]]:
    """Opcodes that ran, with how faithfully they are emulated; worst first."""
    assert result.counts is not None
    rows = fidelity.report(
        program.instructions, program.target.arch, result.counts.tolist(), exact_matrix=exact
    )
    return [asdict(row) for row in rows]


def _object_and_launch(first: Path, launch: Path | None, object: Path | None) -> tuple[Path, Path]:
    """The two ways of calling: `run OBJECT --launch L`, and `run L --object OBJECT`."""
    if launch is not None and object is not None:
        raise InputError(
            f"{first}, --launch and --object are one file too many",
            "run OBJECT --launch LAUNCH, or run LAUNCH --object OBJECT",
        )
    if object is not None:
        return object, first
    if launch is None:
        raise InputError(
            f"{first}: how is it launched",
            "run OBJECT --launch LAUNCH, or run LAUNCH --object OBJECT",
        )
    return first, launch


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("run")
    def command(
        first: Annotated[
            Path,
            typer.Argument(
                metavar="OBJECT", help="code object (with --object: launch.yaml or capsule file)"
            ),
        ],
        launch: Annotated[
            Path | None, typer.Option("--launch", "-l", help="launch.yaml or a capsule file")
        ] = None,
        object: Annotated[
            Path | None, typer.Option(help="the object, when the argument is the launch")
        ] = None,
        kernel: KernelOption = None,
        size: SizeOption = None,
        input_seed: SeedOption = None,
        schedule: Annotated[
            str | None, typer.Option(help="wave order: barrier, interleave:N, shuffle:SEED")
        ] = None,
        matrix: MatrixOption = MatrixMode.FAST,
        profile: Annotated[
            bool, typer.Option("--profile", help="list executions per instruction")
        ] = False,
        budget: Annotated[
            int, typer.Option(min=1, help="most wave instructions of a launch")
        ] = 2_000_000_000,
        save: Annotated[
            Path | None, typer.Option(help="write the buffers afterwards as an .npz file")
        ] = None,
        save_capsules: Annotated[
            Path | None, typer.Option(help="folder to write each launch to, as a capsule file")
        ] = None,
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Run a kernel on the emulator: outputs, memory faults, counts, fidelity.

        Example: asmevo run K0.hsaco --launch launch.yaml --profile

        Example: asmevo run saxpy-0.capsule --object K1.hsaco
        """
        path, launch = _object_and_launch(first, launch, object)
        data, co = open_object(path)
        launches = capsules(co, launch, kernel, size, input_seed)
        if save_capsules is not None and not save_capsules.is_dir():
            raise InputError(f"{save_capsules} is no folder", "create it first")
        runs: list[dict[str, Any]] = []
        lines: list[str] = []
        failure = ""
        kept: dict[str, Any] = {}
        with progress("run") as advance:
            device = emulated(advance)
            options = RunOptions(
                schedule=schedule, instruction_budget=budget, profile=True, matrix=matrix.value
            )
            for n, capsule in enumerate(launches):
                advance(n, len(launches), capsule.label)
                with naming(path):
                    result = device.run(data, capsule, options)
                entry: dict[str, Any] = {
                    "launch": capsule_summary(capsule),
                    "instructions": result.instructions,
                    "host_seconds": result.seconds,
                    "matrix": matrix.value,
                    "fault": result.fault.one_line() if result.fault else None,
                    "buffers": [_buffer_row(capsule, b.name, result) for b in capsule.buffers],
                }
                if result.counts is not None:
                    program = device.program(data)
                    entry["fidelity"] = _fidelity(
                        program, capsule, result, matrix is MatrixMode.EXACT
                    )
                    entry["bytes_at_most"] = requested_bytes(
                        program.instructions,
                        result.counts.tolist(),
                        co.kernel(capsule.kernel).descriptor.wave_size,
                    )
                    if profile:
                        entry["hottest"] = _hottest(program, result)
                runs.append(entry)
                lines += _text(capsule, entry)
                if result.fault is not None:
                    failure = failure or result.fault.one_line()
                if save is not None:
                    for b in capsule.buffers:
                        kept[f"{n}_{b.name}"] = b.view(result.buffers[b.name])
        if save is not None:
            _save(save, kept)
            lines.append(f"wrote {save}")
        if save_capsules is not None:
            for n, capsule in enumerate(launches):
                lines.append(f"wrote {_save_capsule(save_capsules, n, capsule)}")
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
    out = io.BytesIO()
    plain = {
        name: a
        if a.dtype.kind in "fiub" and a.dtype.isbuiltin == 1
        else a.view(f"u{a.dtype.itemsize}")
        for name, a in arrays.items()
    }
    np.savez(out, **plain)
    write_file(path, out.getvalue())


def _save_capsule(folder: Path, number: int, capsule: Capsule) -> Path:
    safe = "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "_" for c in capsule.kernel)
    path = folder / f"{safe[:80] or 'kernel'}-{number}.capsule"
    capsule.save(path)
    return path


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
    moved = ", ".join(f"{n} {what}" for what, n in entry.get("bytes_at_most", {}).items())
    if moved:
        lines.append(f"bytes asked for, all lanes counted: {moved}")
    lines += _fidelity_text(entry.get("fidelity", []), entry["matrix"])
    if "hottest" in entry:
        lines += table(
            [(str(h["index"]), str(h["executions"]), h["text"]) for h in entry["hottest"]],
            ("index", "executions", "instruction"),
        )
    return lines


def _fidelity_text(rows: list[dict[str, Any]], matrix: str) -> list[str]:
    if not rows:
        return []
    levels = Counter(str(row["level"]) for row in rows)
    counts = ", ".join(f"{n} {level}" for level, n in levels.items())
    mode = f"; matrix arithmetic {matrix}" if any("mfma" in r["opcode"] for r in rows) else ""
    lines = [f"fidelity: {len(rows)} opcodes ran: {counts}{mode}"]
    inexact = [row for row in rows if row["level"] != "exact"]
    return [*lines, *(f"  {r['opcode']}: {r['level']}, {r['note']}" for r in inexact)]
