"""`asmevo verify`: does K1 behave like K0? ABI, static checks, then both side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from asmevo.api import verify
from asmevo.api.verification import DEFAULT_POISON, DEFAULT_SCHEDULES
from asmevo.cli.common import (
    DeclareOption,
    DeviceOption,
    KernelOption,
    LaunchOption,
    MatrixMode,
    MatrixOption,
    SeedOption,
    SizeOption,
    coverage_lines,
    sizes_of,
)
from asmevo.cli.output import Format, FormatOption, emit, progress, table
from asmevo.verify.report import CapsuleReport, VerifyReport
from asmevo.wording import counted

SCHEMA = "asmevo/verify/1"


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("verify")
    def command(
        original: Annotated[Path, typer.Argument(help="the original code object, K0")],
        candidate: Annotated[Path, typer.Argument(help="the object to judge, K1")],
        launch: LaunchOption,
        kernel: KernelOption = None,
        also_edited: Annotated[
            list[str] | None,
            typer.Option(
                "--also-edited",
                help="another kernel that may differ, because it is verified on its own",
            ),
        ] = None,
        declare: DeclareOption = None,
        size: SizeOption = None,
        input_seed: SeedOption = None,
        exact: Annotated[
            bool, typer.Option("--exact", help="accept bit-equal results only")
        ] = False,
        schedule: Annotated[
            list[str] | None,
            typer.Option(
                help="further wave order to test: interleave:N or shuffle:SEED "
                f"[default: {', '.join(DEFAULT_SCHEDULES)}]"
            ),
        ] = None,
        poison_seed: Annotated[
            int, typer.Option(help="seed of the junk in undefined registers, LDS and memory")
        ] = DEFAULT_POISON,
        matrix: MatrixOption = MatrixMode.EXACT,
        guards_mapped: Annotated[
            bool,
            typer.Option(
                "--guards-mapped",
                help="map red zones as memory and look for damage, as on hardware",
            ),
        ] = False,
        allow_untested: Annotated[
            bool,
            typer.Option("--allow-untested", help="accept changes of code that no launch executes"),
        ] = False,
        device: DeviceOption = "emulated",
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Judge K1 against K0: ABI, waits and hazards, then runs of both on every launch.

        Example: asmevo verify K0.hsaco K1.hsaco --launch launch.yaml
        """
        with progress("verify") as advance:
            result = verify(
                original,
                candidate,
                launch,
                kernel=kernel,
                also_edited=tuple(also_edited or ()),
                declare=tuple(declare or ()),
                sizes=sizes_of(size),
                input_seed=input_seed,
                exact=exact,
                schedules=tuple(schedule or DEFAULT_SCHEDULES),
                poison_seed=poison_seed,
                matrix=matrix.value,
                guards_mapped=guards_mapped,
                allow_untested=allow_untested,
                device=device,
                progress=advance,
            )
        lines = [f.one_line() for f in result.findings]
        if result.report is not None:
            lines += _lines(result.report, result.launches, result.data["coverage"])
            lines += _warnings(result.data["untested_changes"])
            lines += [f"note: {note}" for note in result.data["launch_notes"]]
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


def _warnings(changes: list[dict[str, Any]]) -> list[str]:
    return [
        f"warning: {counted(len(c['instructions']), 'changed instruction')} of {c['function']} "
        f"{'was' if len(c['instructions']) == 1 else 'were'} never executed, so nothing is "
        f"known of that: {', '.join(map(str, c['instructions'][:8]))}"
        + (", ..." if len(c["instructions"]) > 8 else "")
        for c in changes
    ]


def _row(capsule: CapsuleReport) -> tuple[str, ...]:
    buffers = [b for run in capsule.runs for b in run.buffers]
    return (
        capsule.label or "-",
        capsule.status,
        str(len(capsule.runs)),
        "yes" if capsule.exact else "no",
        f"{max((b.max_delta for b in buffers), default=0.0):.3g}",
        f"{min((b.cosine for b in buffers), default=1.0):.6g}",
    )


_HEADER = ("launch", "status", "runs", "bit-equal", "max |delta|/scale", "cosine")


def _lines(report: VerifyReport, launches: int, covered: dict[str, Any] | None) -> list[str]:
    """Launches one by one; what was made of them is summed up unless one failed."""
    derived = report.capsules[launches:]
    shown = [*report.capsules[:launches], *(c for c in derived if c.status != "accepted")]
    lines = table([_row(c) for c in shown], _HEADER)
    for origin, what, mark in (("stressed", "inputs", "+"), ("varied", "sizes", "~")):
        good = [c for c in derived if c.status == "accepted" and c.origin == origin]
        if good:
            kinds = ", ".join(dict.fromkeys(c.label.rpartition(mark)[2] for c in good))
            equal = sum(c.exact for c in good)
            lines.append(f"{origin} {what}: {len(good)} accepted, {equal} bit-equal ({kinds})")
    if report.dropped:
        labels = ", ".join(d.label for d in report.dropped)
        lines.append(f"not varied, where K0 is no reference or the cost too high: {labels}")
    lines += coverage_lines(covered)
    lines += [f"note: {note}" for note in report.notes]
    return lines + [f"note: {c.label}: {note}" for c in report.capsules for note in c.notes]
