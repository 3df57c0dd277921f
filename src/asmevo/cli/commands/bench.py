"""`asmevo bench`: modelled times of objects side by side, on the same launches."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from asmevo.api import bench
from asmevo.cli.common import (
    KernelOption,
    LaunchOption,
    MachineOption,
    SeedOption,
    SizeOption,
    sizes_of,
)
from asmevo.cli.output import Format, FormatOption, emit, progress, table
from asmevo.wording import counted

SCHEMA = "asmevo/bench/1"
_HEADER = (
    "object",
    "launch",
    "machine",
    "modelled cycles",
    "core-bound",
    "memory-bound",
    "band",
    "speedup",
    "its band",
    "validation class",
)


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("bench")
    def command(
        objects: Annotated[list[Path], typer.Argument(help="K0, and others to hold against it")],
        launch: LaunchOption,
        kernel: KernelOption = None,
        size: SizeOption = None,
        input_seed: SeedOption = None,
        machine: MachineOption = None,
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Model the cycles of one or more objects on the same launches (nothing is verified).

        Size variants of launch.yaml only test correctness: they are not timed.

        Example: asmevo bench K0.hsaco K1.hsaco --launch launch.yaml
        """
        with progress("bench") as advance:
            result = bench(
                objects,
                launch,
                kernel=kernel,
                sizes=sizes_of(size),
                input_seed=input_seed,
                machine=machine,
                progress=advance,
            )
        rows = [
            (
                Path(r["object"]).name,
                r["launch"] or "-",
                r["machine"],
                f"{r['cycles']:.0f}",
                f"{r['core_cycles']:.0f}",
                f"{r['memory_cycles']:.0f}",
                f"{r['band']:.0%}",
                f"{r['speedup']:.4f}x",
                f"{r['speedup_band']:.0%}",
                r["validation_class"],
            )
            for r in result.data["results"]
        ]
        lines = table(rows, _HEADER)
        for text in dict.fromkeys(r["speedup_class"] for r in result.data["results"]):
            lines.append(f"band of a speedup: {text}")
        if result.data["untimed"]:
            idle = counted(result.data["untimed"], "launch", "launches")
            lines.append(f"not timed: {idle}, for tests only")
        lines += [f"note: {text}" for text in result.data["notes"]]
        emit(format, SCHEMA, result.data, lines, ok=True, reason=result.reason)

    del command
