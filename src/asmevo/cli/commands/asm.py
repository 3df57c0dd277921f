"""`asmevo asm`: an edited assembly file back to a code object."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from asmevo.api.files import read_file, write_file
from asmevo.cli.common import naming
from asmevo.cli.output import Format, FormatOption, emit
from asmevo.codeobject import CodeObject
from asmevo.errors import InputError
from asmevo.program import asmread

SCHEMA = "asmevo/asm/1"
STDIN = Path("-")
_LONGEST = 256 << 20


def read_text(path: Path) -> str:
    """Text of an assembly file, `-` being stdin.

    Raises:
        InputError: unreadable, no UTF-8 text, or too long.
    """
    data = sys.stdin.buffer.read(_LONGEST + 1) if path == STDIN else read_file(path)
    if len(data) > _LONGEST:
        raise InputError(f"{path}: {len(data)} bytes is no assembly file", f"limit {_LONGEST}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as err:
        raise InputError(
            f"{path}: not a text file (byte {err.start})", "give the .s that `asmevo disasm` wrote"
        ) from err


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("asm")
    def command(
        source: Annotated[Path, typer.Argument(help="file that `asmevo disasm` wrote; - is stdin")],
        output: Annotated[Path, typer.Option("--output", "-o", help="the code object to write")],
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Build the code object of an assembly file; unedited, it has the original's bytes.

        Code, .amdhsa_kernel blocks and metadata may be edited. A file of your own, without the
        container that `disasm` leaves in comments, is assembled and linked as it is; directives
        that read other files, repeat text or fill without bound are refused.

        Example: asmevo asm K0.s -o K1.hsaco
        """
        text = read_text(source)
        with naming(source):
            data = asmread.read(text)
            co = CodeObject.open(data)
        write_file(output, data)
        record: dict[str, Any] = {
            "output": str(output),
            "bytes": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
            "target": co.target.target_id,
            "kernels": [k.name for k in co.kernels],
        }
        line = (
            f"wrote {output}: {len(data)} bytes, {co.target.target_id}, {len(co.kernels)} "
            f"kernel(s), sha256 {record['sha256'][:12]}"
        )
        emit(format, SCHEMA, record, [line], ok=True)

    del command
