"""`asmevo mcp`: the tools of a run over the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from asmevo.cli.output import Format, FormatOption, note
from asmevo.errors import InputError
from asmevo.serve.mcp import serve


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("mcp")
    def command(
        store: Annotated[
            Path | None, typer.Option(help="run store to go on with; else the client opens one")
        ] = None,
        root: Annotated[
            Path, typer.Option(help="folder that objects, launches and stores must lie in")
        ] = Path(),
        format: FormatOption = Format.JSON,
    ) -> None:
        """Serve a run's tools to an MCP client on stdin and stdout, until the client ends.

        Stdout carries the protocol's JSON and nothing else. See docs/agents.md.

        Example: asmevo mcp --root kernels --store run.db
        """
        if format is not Format.JSON:
            raise InputError("the protocol is JSON", "leave -f out")
        if not root.is_dir():
            raise InputError(f"{root} is no folder", "give --root a folder")
        note("serving on stdin and stdout")
        serve(root.resolve(), store)

    del command
