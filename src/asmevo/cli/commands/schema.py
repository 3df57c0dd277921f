"""`asmevo schema`: JSON Schemas of the files that are read and written."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from asmevo.api import schema
from asmevo.api.schemas import SCHEMA_NAMES


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("schema")
    def command(
        name: Annotated[str, typer.Argument(help=", ".join(SCHEMA_NAMES))],
    ) -> None:
        """Print the JSON Schema of a file format.

        Example: asmevo schema launch
        """
        sys.stdout.write(json.dumps(schema(name), indent=2) + "\n")

    del command
