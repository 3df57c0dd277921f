"""`asmevo find`: every code object inside files, folders, wheels, bundles and host programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from asmevo.api.containers import Numbered, find_objects
from asmevo.cli.output import Format, FormatOption, cut, emit, progress, table

SCHEMA = "asmevo/find/1"

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
        with progress("find") as advance:
            result = find_objects(paths, arch=arch, kernel=kernel, progress=advance)
        rows = [_row(one) for one in result.objects]
        emit(
            format,
            SCHEMA,
            result.data,
            table(rows, _HEADER) if rows else [],
            ok=result.ok,
            reason=result.reason,
            status=result.status,
            code=result.exit_code,
        )

    del command
