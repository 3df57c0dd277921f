"""`asmevo adapter`: the published skill's adapter protocol."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from asmevo.cli.output import Emitted, Format, FormatOption
from asmevo.cli.start import error_text
from asmevo.errors import AsmEvoError, InputError
from asmevo.serve.adapter import OPERATIONS, answer


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("adapter")
    def command(
        operation: Annotated[str, typer.Argument(help=", ".join(OPERATIONS))],
        request: Annotated[Path, typer.Option("--request", help="the request, a JSON file")],
        format: FormatOption = Format.JSON,
    ) -> None:
        """Carry out one request of `asmevo.adapter.v1` and print its response, one JSON object.

        Exit code 0 and `"ok": true` mean that the phase is done; everything else that it is not.

        Example: asmevo adapter static_check --request request.json
        """
        if format is not Format.JSON:
            raise InputError("the protocol is JSON", "leave -f out")
        Emitted.result = True
        try:
            response, code = answer(operation, request)
        except AsmEvoError as err:
            # The protocol has one JSON object on stdout, whatever comes of the request.
            sys.stdout.write(error_text(err.status, err.one_line(), err.exit_code))
            raise typer.Exit(err.exit_code) from None
        sys.stdout.write(json.dumps(response) + "\n")
        sys.stdout.flush()
        if code:
            raise typer.Exit(code)

    del command
