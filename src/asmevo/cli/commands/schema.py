"""`asmevo schema`: JSON Schemas of the files that are read and written."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from asmevo.api import schema
from asmevo.api.installation.schemas import SCHEMA_NAMES
from asmevo.cli.output import Format, FormatOption, emit

SCHEMA = "asmevo/schema/1"


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("schema")
    def command(
        name: Annotated[str, typer.Argument(help=", ".join(SCHEMA_NAMES))],
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Print the JSON Schema of a file format, and nothing else, so that it can be piped.

        With `-f json` it is the field `json_schema` of an object like that of other commands.

        Example: asmevo schema launch > launch.schema.json
        """
        found = schema(name)
        if format is Format.JSON:
            emit(format, SCHEMA, {"name": name, "json_schema": found}, [], ok=True)
        else:
            sys.stdout.write(json.dumps(found, indent=2) + "\n")

    del command
