"""`asmevo disasm`: readable assembly of a code object."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from asmevo.cli.common import KernelOption, naming, open_object
from asmevo.cli.output import Format, FormatOption, emit, write_file
from asmevo.program import recover

SCHEMA = "asmevo/disasm/1"


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("disasm")
    def command(
        object: Annotated[Path, typer.Argument(help="code object to disassemble")],
        kernel: KernelOption = None,
        output: Annotated[
            Path | None, typer.Option("--output", "-o", help="write here instead of stdout")
        ] = None,
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Print the code with symbolic labels, one function after the other.

        Example: asmevo disasm K0.hsaco -o K0.s
        """
        _data, co = open_object(object)
        with naming(object):
            program = recover(co)
        chosen = program.functions if kernel is None else (program.function(kernel),)
        lines: list[str] = [f"; {object.name}: {co.target.target_id}"]
        for function in chosen:
            lines += [
                f"; function {function.name}",
                *(
                    line if line.endswith(":") else "  " + line
                    for line in program.listing(function.first, function.last)
                ),
            ]
        text = "\n".join(lines) + "\n"
        if output is not None:
            write_file(output, text.encode())
        count = sum(f.last - f.first for f in chosen)
        data = {
            "target": co.target.target_id,
            "instructions": count,
            "functions": [f.name for f in chosen],
            "output": str(output) if output else None,
            "text": None if output else text,
        }
        shown = [f"wrote {output}"] if output else lines
        emit(format, SCHEMA, data, shown, ok=True, reason=f"{count} instructions")

    del command
