"""`asmevo exec`: run an unmodified HIP program without a GPU."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from asmevo.api import execute
from asmevo.api.files import check_outputs
from asmevo.cli.common import ForceOption
from asmevo.cli.output import Format, FormatOption, emit, table

SCHEMA = "asmevo/exec/1"
_STANDARD_ERROR = 2


class EventTime(Enum):
    """What HIP events measure."""

    WALL = "wall"
    MODELLED = "modelled"


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("exec", context_settings={"allow_interspersed_args": False})
    def command(
        program: Annotated[
            list[str], typer.Argument(metavar="PROG [ARGS]...", help="the program, after --")
        ],
        arch: Annotated[
            str, typer.Option(help="the device that the program sees, e.g. gfx90a:xnack-")
        ] = "gfx942",
        hip: Annotated[
            int, typer.Option(min=5, max=7, help="HIP version where the program asks for none")
        ] = 7,
        check: Annotated[
            bool, typer.Option("--check", help="watch every launch: races, undefined reads")
        ] = False,
        profile: Annotated[
            bool, typer.Option("--profile", help="modelled time per kernel and launch shape")
        ] = False,
        log: Annotated[
            Path | None, typer.Option(help="file that gets a line for every HIP call")
        ] = None,
        timeout: Annotated[
            float | None,
            typer.Option(min=0.01, help="seconds of emulation, about, after which a launch hangs"),
        ] = None,
        event_time: Annotated[
            EventTime, typer.Option(help="what HIP events measure")
        ] = EventTime.WALL,
        force: ForceOption = False,
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Run an unmodified HIP program with no GPU: its kernels execute on the emulator.

        The program finds an emulated libamdhip64.so; a kernel that faults or hangs gives it the
        error that a GPU would give. With -f json the program's own output goes to stderr.

        Example: asmevo exec --arch gfx942 --check -- ./my_program --size 1000
        """
        check_outputs([log], [], force=force)
        result = execute(
            program,
            arch=arch,
            hip=hip,
            check=check,
            profile=profile,
            log=log,
            timeout=timeout,
            event_time=event_time.value,
            output=_STANDARD_ERROR if format is Format.JSON else None,
        )
        emit(
            format,
            SCHEMA,
            result.data,
            _text(result.data),
            ok=result.ok,
            reason=result.reason,
            status=result.status,
        )

    del command


def _text(data: dict[str, Any]) -> list[str]:
    rows = [
        (
            name,
            str(k["launches"]),
            str(k["instructions"]),
            f"{k['seconds']:.2f}",
            f"{k['modelled_us']:.1f}" if k.get("modelled_us") else "",
        )
        for name, k in data["kernels"].items()
    ]
    lines = table(
        rows, ("kernel", "launches", "wave instructions", "emulation s", "modelled us")
    ) if rows else ["no kernel was launched"]  # fmt: skip
    for what in ("faults", "findings", "refused"):
        for fact in data[what]:
            where = f" (launch {fact['launch']} of {fact['kernel']})" if "launch" in fact else ""
            lines.append(f"{what.rstrip('s')}: {fact['message']}{where}")
    return lines
