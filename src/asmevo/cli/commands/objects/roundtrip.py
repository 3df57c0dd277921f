"""`asmevo roundtrip`: prove that recovering and rebuilding code objects changes nothing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from asmevo.api import roundtrip
from asmevo.cli.output import Format, FormatOption, emit, progress, table
from asmevo.program.roundtrip import Report

SCHEMA = "asmevo/roundtrip/1"
_LISTED = 40  # more objects than this are summed up by target


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("roundtrip")
    def command(
        paths: Annotated[
            list[Path],
            typer.Argument(help="objects, folders, wheels, bundles, host programs and libraries"),
        ],
        jobs: Annotated[
            int | None, typer.Option("--jobs", "-j", min=1, help="processes; all cores if absent")
        ] = None,
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Recover and rebuild every object without edits; the whole file must be the same.

        `kept as bytes` counts instructions that cannot be edited, because their text does not
        assemble to their bytes. Exit code 1 when an object differs or is damaged, 3 when some
        are only unsupported.

        Example: asmevo roundtrip K0.hsaco

        Example: asmevo roundtrip amd_aiter.whl -f json
        """
        with progress("roundtrip") as advance:
            result = roundtrip(paths, jobs=jobs, progress=advance)
        reports = list(result.reports)
        bad = [r for r in reports if r.status != "identical"]
        lines = _each(reports) if len(reports) <= _LISTED else [*_by_target(reports), *_each(bad)]
        lines += [f"{r.location}: {r.reason}" for r in bad]
        emit(
            format,
            SCHEMA,
            result.data,
            lines,
            ok=result.ok,
            reason=result.reason,
            status=result.status,
            code=result.exit_code,
        )

    del command


def _each(reports: list[Report]) -> list[str]:
    rows = [
        (
            r.target or "-",
            str(r.instructions),
            str(r.kept_as_bytes),
            r.status,
            r.location,
        )
        for r in reports
    ]
    header = ("target", "instructions", "kept as bytes", "rebuild", "object")
    return table(rows, header) if rows else []


def _by_target(reports: list[Report]) -> list[str]:
    groups: dict[str, list[Report]] = {}
    for r in reports:
        groups.setdefault(r.target or "-", []).append(r)
    rows: list[tuple[str, ...]] = []
    for target, group in sorted(groups.items()):
        kept: Counter[str] = Counter()
        for r in group:
            kept.update(dict(r.kept_classes))
        classes = ", ".join(f"{name} {n}" for name, n in kept.most_common(3))
        rows.append(
            (
                target,
                str(len(group)),
                str(sum(r.status == "identical" for r in group)),
                str(sum(r.instructions for r in group)),
                str(kept.total()),
                classes or "-",
            )
        )
    header = ("target", "objects", "identical", "instructions", "kept as bytes", "classes")
    return table(rows, header)
