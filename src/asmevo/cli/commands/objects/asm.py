"""`asmevo asm`: an edited assembly file back to a code object."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from asmevo.api.assembly import LONGEST, assemble, decoded, read_text
from asmevo.api.files import check_outputs, write_file
from asmevo.cli.common import ForceOption
from asmevo.cli.output import Format, FormatOption, emit
from asmevo.errors import InputError
from asmevo.wording import counted

SCHEMA = "asmevo/asm/1"
STDIN = Path("-")


def _text(source: Path) -> str:
    if source != STDIN:
        return read_text(source)
    data = sys.stdin.buffer.read(LONGEST + 1)
    if len(data) > LONGEST:
        raise InputError(f"stdin: {len(data)} bytes is no assembly file", f"limit {LONGEST}")
    return decoded(data, source)


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("asm")
    def command(
        source: Annotated[Path, typer.Argument(help="file that `asmevo disasm` wrote; - is stdin")],
        output: Annotated[Path, typer.Option("--output", "-o", help="the code object to write")],
        force: ForceOption = False,
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Build the code object of an assembly file; unedited, it has the original's bytes.

        Code, .amdhsa_kernel blocks and metadata may be edited. A file of your own, without the
        container that `disasm` leaves in comments, is assembled and linked as it is; directives
        that read other files, repeat text or fill without bound are refused.

        Example: asmevo asm K0.s -o K1.hsaco
        """
        check_outputs([output], [source], force=force)
        result = assemble(_text(source), source)
        write_file(output, result.object, force=force)
        record = {"output": str(output), **result.data}
        line = (
            f"wrote {output}: {record['bytes']} bytes, {record['target']}, "
            f"{counted(len(record['kernels']), 'kernel')}, sha256 {record['sha256'][:12]}"
        )
        emit(format, SCHEMA, record, [line, *(f"note: {n}" for n in result.data["notes"])], ok=True)

    del command
