"""`asmevo doctor`: is everything here that AsmEvo needs?"""

from __future__ import annotations

import typer

from asmevo.api import doctor
from asmevo.cli.output import Format, FormatOption, emit, table
from asmevo.errors import EnvironmentFault

SCHEMA = "asmevo/doctor/1"


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("doctor")
    def command(format: FormatOption = Format.TEXT) -> None:
        """Check the assembler, the emulator's compiler and cache, the model, the corpora.

        Exit code 4 when something is missing.

        Example: asmevo doctor
        """
        result = doctor()
        rows = [(c["name"], c["state"], c["detail"]) for c in result.data["checks"]]
        emit(
            format,
            SCHEMA,
            result.data,
            table(rows, ("check", "state", "detail")),
            ok=result.ok,
            reason=result.reason,
            status=result.status,
            code=EnvironmentFault.exit_code,
        )

    del command
