"""`asmevo templates`: the rewrites that are data, and whether they are right."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from asmevo.api import check_templates
from asmevo.cli.output import Format, FormatOption, emit, table

SCHEMA = "asmevo/templates/1"


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("templates")
    def command(
        folders: Annotated[
            list[Path] | None, typer.Argument(help="folders of further template files")
        ] = None,
        target: Annotated[str, typer.Option(help="for which processor")] = "gfx942",
        format: FormatOption = Format.TEXT,
    ) -> None:
        """List the rewrite templates, each proved for all registers, or refused with the reason.

        A refused template is never used; exit code 1 says that there is one.

        Example: asmevo templates my-templates --target gfx942
        """
        result = check_templates(tuple(folders or ()), target=target)
        rows = [
            (t["name"], "refused" if t["refused"] else "proved", t["refused"] or t["description"])
            for t in result.data["templates"]
        ]
        lines = table(rows, ("template", "verdict", "why")) if rows else []
        emit(format, SCHEMA, result.data, lines, ok=result.ok, reason=result.reason,
             status=result.status)  # fmt: skip

    del command
