"""`asmevo find`: every code object inside files, folders, wheels, bundles and host programs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from asmevo.api.containers import Numbered, nothing_in, search
from asmevo.cli.output import Format, FormatOption, cut, emit, progress, table
from asmevo.errors import EnvironmentFault, UnsupportedError

SCHEMA = "asmevo/find/1"
UNSUPPORTED = UnsupportedError.exit_code
_UNUSABLE = {UNSUPPORTED: "unsupported", EnvironmentFault.exit_code: "unreadable"}

PathsArgument = Annotated[
    list[Path],
    typer.Argument(help="files, folders, wheels, bundles, host programs and libraries"),
]
ArchOption = Annotated[str | None, typer.Option("--arch", help="only this processor: gfx942")]
NameOption = Annotated[
    str | None,
    typer.Option("--kernel", "-k", help="only objects with a kernel that this regex finds"),
]


_HEADER = ("number", "target", "bytes", "kernels", "location")


def _row(one: Numbered) -> tuple[str, ...]:
    """Cells for people: number, target, bytes, kernels, location."""
    names = cut(one.kernels[0], 56) if one.kernels else "-"
    if len(one.kernels) > 1:
        names += f" and {len(one.kernels) - 1} more"
    said = cut(one.problem, 72) or names
    return (
        str(one.number),
        one.target or "-",
        str(one.found.size),
        said,
        one.found.location,
    )


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("find")
    def command(
        paths: PathsArgument,
        arch: ArchOption = None,
        kernel: NameOption = None,
        format: FormatOption = Format.TEXT,
    ) -> None:
        """List every AMDGPU code object, recognized by content and not by suffix.

        The number is what `asmevo extract --number` takes. Objects for processors that AsmEvo
        does not know are listed; damaged ones give exit code 1. Whatever is left out is listed
        with the reason. A file that would cost more than its size allows (a bomb) is searched up
        to that point, and gives exit code 3.

        Example: asmevo find /opt/lib/libkernels.so ~/.triton/cache
        """
        rows: list[tuple[str, ...]] = []
        entries: list[dict[str, Any]] = []
        targets: Counter[str] = Counter()
        damaged = incomplete = 0
        with progress("find") as advance:
            for one in search(paths, arch, kernel):
                advance(one.number, 0, one.found.steps[0].name)
                rows.append(_row(one))
                entries.append(one.as_json())
                unusable = _UNUSABLE.get(one.exit_code, "damaged")
                targets[one.target or ("incomplete" if one.incomplete else unusable)] += 1
                incomplete += one.incomplete
                damaged += bool(one.problem) and one.exit_code != UNSUPPORTED
        if not entries and arch is None and kernel is None:
            raise nothing_in(paths)
        counts = ", ".join(f"{n} {name}" for name, n in sorted(targets.items()))
        reason = f"{len(entries)} objects: {counts}" if entries else "nothing fits the filters"
        emit(
            format,
            SCHEMA,
            {
                "objects": entries,
                "targets": dict(targets),
                "damaged": damaged,
                "incomplete": incomplete,
            },
            table(rows, _HEADER) if rows else [],
            ok=bool(entries) and not damaged and not incomplete,
            reason=reason,
            status="unsupported"
            if incomplete and not damaged
            else "ok"
            if entries and not damaged
            else "input_invalid",
            code=UNSUPPORTED if incomplete and not damaged else 1,
        )

    del command
