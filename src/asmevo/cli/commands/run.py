"""`asmevo run`: execute a launch on the emulator and say what came out."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np
import typer

from asmevo.api import Run, run
from asmevo.api.files import check_outputs, write_file
from asmevo.api.objects import launch_inputs
from asmevo.capsule.model import Capsule
from asmevo.cli.common import (
    DeviceOption,
    ForceOption,
    KernelOption,
    MatrixMode,
    MatrixOption,
    SeedOption,
    SizeOption,
    coverage_lines,
    sizes_of,
)
from asmevo.cli.output import Format, FormatOption, emit, progress, table
from asmevo.errors import InputError
from asmevo.wording import counted

SCHEMA = "asmevo/run/1"


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
            bool,
            typer.Option(
                "--profile", help="list executions per instruction (time: asmevo profile)"
            ),
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
        force: ForceOption = False,
        device: DeviceOption = "emulated",
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Run a kernel on the emulator: outputs, memory faults, counts, fidelity.

        Example: asmevo run K0.hsaco --launch launch.yaml --profile

        Example: asmevo run saxpy-0.capsule --object K1.hsaco
        """
        path, launch = _object_and_launch(first, launch, object)
        inputs = [path, *launch_inputs(launch)]
        check_outputs([save], inputs, force=force)
        if save_capsules is not None and save_capsules.exists() and not save_capsules.is_dir():
            raise InputError(f"{save_capsules} is no folder", "choose another name")
        with progress("run") as advance:
            result = run(
                path,
                launch,
                kernel=kernel,
                sizes=sizes_of(size),
                input_seed=input_seed,
                schedule=schedule,
                matrix=matrix.value,
                budget=budget,
                profile=profile,
                device=device,
                progress=advance,
            )
        lines: list[str] = []
        for capsule, entry in zip(result.launches, result.data["runs"], strict=True):
            lines += _text(capsule, entry)
        lines += [f"note: {note}" for note in result.data["notes"]]
        if save is not None:
            _save(save, result, force)
            lines.append(f"wrote {save}")
        if save_capsules is not None:
            save_capsules.mkdir(parents=True, exist_ok=True)
            for n, capsule in enumerate(result.launches):
                lines.append(f"wrote {_save_capsule(save_capsules, n, capsule, inputs, force)}")
        emit(
            format,
            SCHEMA,
            result.data,
            lines,
            ok=result.ok,
            reason=result.reason,
            status=result.status,
        )

    del command


def _save(path: Path, result: Run, force: bool) -> None:
    out = io.BytesIO()
    arrays = {
        f"{n}_{b.name}": b.view(one.buffers[b.name])
        for n, (capsule, one) in enumerate(zip(result.launches, result.results, strict=True))
        for b in capsule.buffers
    }
    plain = {
        name: a
        if a.dtype.kind in "fiub" and a.dtype.isbuiltin == 1
        else a.view(f"u{a.dtype.itemsize}")
        for name, a in arrays.items()
    }
    np.savez(out, **cast("Any", plain))
    write_file(path, out.getvalue(), force=force)


def _save_capsule(
    folder: Path, number: int, capsule: Capsule, inputs: list[Path], force: bool
) -> Path:
    safe = "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "_" for c in capsule.kernel)
    path = folder / f"{safe[:80] or 'kernel'}-{number}.capsule"
    check_outputs([path], inputs, force=force)
    capsule.save(path)
    return path


def _text(capsule: Capsule, entry: dict[str, Any]) -> list[str]:
    lines = [
        f"{capsule.kernel} {capsule.label}: grid {'x'.join(map(str, capsule.grid))} of "
        f"{'x'.join(map(str, capsule.block))}, "
        f"{counted(entry['instructions'], 'wave instruction')}"
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
    lines += coverage_lines(entry.get("coverage"))
    moved = ", ".join(f"{n} {what}" for what, n in entry.get("bytes_at_most", {}).items())
    if moved:
        lines.append(f"bytes asked for, all lanes counted: {moved}")
    lines += _fidelity_text(entry.get("fidelity", []), entry["matrix"])
    if "hottest" in entry:
        lines += table(
            [
                (str(h["index"]), f"{h['offset']:#x}", str(h["executions"]), h["text"])
                for h in entry["hottest"]
            ],
            ("index", "offset", "executions", "instruction"),
        )
        lines.append("where the modelled time goes: asmevo profile")
    return lines


def _fidelity_text(rows: list[dict[str, Any]], matrix: str) -> list[str]:
    if not rows:
        return []
    levels = Counter(str(row["level"]) for row in rows)
    counts = ", ".join(f"{n} {level}" for level, n in levels.items())
    mode = f"; matrix arithmetic {matrix}" if any("mfma" in r["opcode"] for r in rows) else ""
    lines = [f"fidelity: {counted(len(rows), 'opcode')} ran: {counts}{mode}"]
    inexact = [row for row in rows if row["level"] != "exact"]
    return [*lines, *(f"  {r['opcode']}: {r['level']}, {r['note']}" for r in inexact)]
