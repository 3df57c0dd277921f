"""`asmevo disasm`: a code object as readable assembly that can be edited and built again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from asmevo.api.files import write_file
from asmevo.cli.common import KernelOption, naming, open_object
from asmevo.cli.output import Format, FormatOption, emit, say
from asmevo.program import Program, asmfile, recover

SCHEMA = "asmevo/disasm/1"
_STDOUT = Path("-")


def listing(program: Program, kernel: str, name: str) -> list[str]:
    """One function of an object with symbolic labels: to read, not to assemble."""
    function = program.function(kernel)
    return [
        f"; {name}: {program.target.target_id}",
        f"; function {function.name} alone; without --kernel the whole object is written",
        *(
            line if line.endswith(":") else "\t" + line
            for line in program.listing(function.first, function.last)
        ),
    ]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("disasm")
    def command(
        object: Annotated[Path, typer.Argument(help="code object to disassemble")],
        kernel: KernelOption = None,
        output: Annotated[
            Path | None,
            typer.Option(
                "--output", "-o", help="write a complete file for `asmevo asm`; - is stdout"
            ),
        ] = None,
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Write an object as complete assembly: code with labels, descriptors, data, metadata.

        The file also assembles with llvm-mc and ld.lld; `asmevo asm` gives the very bytes back.
        With --kernel, only that kernel's code is listed.

        Example: asmevo disasm K0.hsaco -o K0.s
        """
        _data, co = open_object(object)
        with naming(object):
            program = recover(co)
            if kernel is not None:
                lines = listing(program, co.kernel(kernel).name, object.name)
            else:
                lines = asmfile.write(program).splitlines()
        chosen = program.functions if kernel is None else (program.function(kernel),)
        count = sum(f.last - f.first for f in chosen)
        if output == _STDOUT:
            # The file and nothing else, so that it can go into a pipe.
            sys.stdout.write("\n".join(lines) + "\n")
            say(f"Result: PASS ({count} instructions)")
            return
        if output is not None:
            write_file(output, ("\n".join(lines) + "\n").encode())
            shown = [f"wrote {output}"]
        else:
            # The original container, as comments, is of no use to a reader.
            shown = lines = [line for line in lines if not line.startswith(asmfile.CONTAINER)]
        data: dict[str, Any] = {
            "target": co.target.target_id,
            "instructions": count,
            "functions": [f.name for f in chosen],
            "complete": kernel is None,
            "output": str(output) if output else None,
            "text": None if output else "\n".join(lines) + "\n",
        }
        emit(format, SCHEMA, data, shown, ok=True, reason=f"{count} instructions")

    del command
