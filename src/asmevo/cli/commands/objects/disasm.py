"""`asmevo disasm`: a code object as readable assembly that can be edited and built again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from asmevo.api.assembly import disasm
from asmevo.api.files import check_outputs, write_file
from asmevo.cli.common import ForceOption, KernelOption
from asmevo.cli.output import Format, FormatOption, emit, say
from asmevo.program.text import asmfile

SCHEMA = "asmevo/disasm/1"
_STDOUT = Path("-")


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
        force: ForceOption = False,
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Write an object as complete assembly: code with labels, descriptors, data, metadata.

        The file also assembles with llvm-mc and ld.lld; `asmevo asm` gives the very bytes back.
        A comment gives each instruction's index and its byte offset. With --kernel, only that
        kernel's code is listed.

        Example: asmevo disasm K0.hsaco -o K0.s
        """
        if output != _STDOUT:
            check_outputs([output], [object], force=force)
        result = disasm(object, kernel)
        if output == _STDOUT:
            # The file and nothing else, so that it can go into a pipe.
            sys.stdout.write(result.text)
            say(f"Result: PASS ({result.reason})")
            return
        lines = list(result.lines)
        if output is not None:
            write_file(output, result.text.encode(), force=force)
            shown = [f"wrote {output}", *(f"note: {note}" for note in result.elsewhere)]
        else:
            # The original container, as comments, is of no use to a reader.
            shown = lines = [line for line in lines if not line.startswith(asmfile.CONTAINER)]
        data: dict[str, Any] = {
            **result.data,
            "output": str(output) if output else None,
            "text": None if output else "\n".join(lines) + "\n",
        }
        emit(format, SCHEMA, data, shown, ok=True, reason=result.reason)

    del command
