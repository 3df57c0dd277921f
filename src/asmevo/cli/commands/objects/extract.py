"""`asmevo extract`: take code objects out of a container, or put a changed one back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from asmevo.api.containers import extract
from asmevo.api.containers import replace as replace_object
from asmevo.api.files import check_outputs, write_file
from asmevo.cli.commands.objects.find import ArchOption, NameOption, PathsArgument
from asmevo.cli.common import ForceOption
from asmevo.cli.output import Format, FormatOption, emit
from asmevo.errors import InputError

SCHEMA = "asmevo/extract/1"


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("extract")
    def command(
        paths: PathsArgument,
        output: Annotated[
            Path,
            typer.Option("--output", "-o", help="folder; with --replace the new container file"),
        ],
        number: Annotated[
            list[int] | None,
            typer.Option("--number", "-n", help="only this object of `asmevo find` (repeatable)"),
        ] = None,
        arch: ArchOption = None,
        kernel: NameOption = None,
        replace: Annotated[
            Path | None,
            typer.Option(help="put this object in the place of the selected one"),
        ] = None,
        force: ForceOption = False,
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Write the code objects of a container as files, or exchange one of them.

        Example: asmevo extract libkernels.so --arch gfx942 -o objects

        Example: asmevo extract libkernels.so -n 3 --replace K1.co -o libkernels.new.so
        """
        if replace is None:
            result = extract(paths, output, arch=arch, kernel=kernel, numbers=number, force=force)
            lines = [f"wrote {one['output']}" for one in result.data["objects"]]
            emit(format, SCHEMA, result.data, lines, ok=True, reason=result.reason)
            return
        if len(paths) != 1 or not paths[0].is_file():
            raise InputError("--replace works on one container file", "name that file alone")
        if len(number or ()) > 1:
            raise InputError("--replace needs one object", "give --number once")
        check_outputs([output], [*paths, replace], force=force)
        only = number[0] if number else None
        new = replace_object(paths[0], replace, arch=arch, kernel=kernel, number=only)
        write_file(output, new.container, force=force)
        old = new.data["replaced"]
        line = f"wrote {output}: object {old['number']} ({old['target']}) is now {replace}"
        record = {**new.data, "output": str(output)}
        emit(format, SCHEMA, record, [line], ok=True, reason=new.reason)

    del command
