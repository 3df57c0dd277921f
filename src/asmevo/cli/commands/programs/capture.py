"""`asmevo capture`: record what a HIP program launches, as capsules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from asmevo.api import capture
from asmevo.api.files import check_outputs
from asmevo.cli.common import ForceOption
from asmevo.cli.output import Format, FormatOption, emit, table

SCHEMA = "asmevo/capture/1"
_STANDARD_ERROR = 2


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("capture", context_settings={"allow_interspersed_args": False})
    def command(
        program: Annotated[
            list[str], typer.Argument(metavar="PROG [ARGS]...", help="the program, after --")
        ],
        output: Annotated[Path, typer.Option("--output", "-o", help="folder of the capsules")],
        kernel: Annotated[
            str, typer.Option(help="regular expression: only kernels whose name has a match")
        ] = "",
        launch: Annotated[
            str, typer.Option(help="first, each-shape, or the number of a launch of each kernel")
        ] = "each-shape",
        most: Annotated[int, typer.Option("--max", min=1, help="capsules at most")] = 1000,
        redact: Annotated[
            bool, typer.Option("--redact", help="keep structure, replace values of data")
        ] = False,
        arch: Annotated[str, typer.Option(help="the device that the program sees")] = "gfx942",
        hip: Annotated[
            int, typer.Option(min=5, max=7, help="HIP version where the program asks for none")
        ] = 7,
        log: Annotated[
            Path | None, typer.Option(help="file that gets a line for every HIP call")
        ] = None,
        timeout: Annotated[
            float | None,
            typer.Option(min=0.01, help="seconds of emulation, about, after which a launch hangs"),
        ] = None,
        force: ForceOption = False,
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Record what a HIP program launches, with no GPU: one capsule per kernel and shape.

        A capsule holds all memory that the launch can reach as it was before it, and after it as
        a second witness; `optimize K0 --launch CAPSULE` takes it as it is.

        Example: asmevo capture --kernel softmax -o capsules -- ./my_program
        """
        check_outputs([log], [], force=force)
        result = capture(
            program,
            output,
            kernel=kernel,
            launch=launch,
            most=most,
            redact=redact,
            arch=arch,
            hip=hip,
            log=log,
            timeout=timeout,
            stdout=_STANDARD_ERROR if format is Format.JSON else None,
        )
        rows = [
            (
                Path(c["path"]).name,
                "x".join(map(str, c["grid"])),
                "x".join(map(str, c["block"])),
                str(c["allocations"]),
                str(c["bytes"]),
                "faulted" if c["fault"] else "",
            )
            for c in result.data["capsules"]
        ]
        lines = (
            table(rows, ("capsule", "grid", "block", "allocations", "bytes", "")) if rows else []
        )
        lines += [f"fault: {f['message']}" for f in result.data["faults"]]
        lines += [f"refused: {f['message']}" for f in result.data["refused"]]
        emit(
            format,
            SCHEMA,
            result.data,
            lines,
            ok=result.ok,
            reason=result.reason,
            status=result.status,
        )

    del command
