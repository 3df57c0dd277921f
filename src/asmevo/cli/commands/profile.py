"""`asmevo profile`: where a kernel's modelled time goes."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from asmevo.api import profile
from asmevo.api.files import check_outputs, write_file
from asmevo.api.objects import launch_inputs
from asmevo.api.profiling import SCHEMA
from asmevo.cli.common import (
    ForceOption,
    KernelOption,
    LaunchOption,
    MachineOption,
    PageFormat,
    PageOption,
    SeedOption,
    SizeOption,
    sizes_of,
)
from asmevo.cli.output import Emitted, Format, emit, note, progress
from asmevo.cli.render import profile as render
from asmevo.errors import InputError


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("profile")
    def command(
        object: Annotated[Path, typer.Argument(help="code object")],
        launch: LaunchOption,
        kernel: KernelOption = None,
        size: SizeOption = None,
        input_seed: SeedOption = None,
        machine: MachineOption = None,
        trace: Annotated[
            Path | None,
            typer.Option(
                help="folder of a rocprofv3 trace of this kernel (ATT, rocpd): sets latencies"
            ),
        ] = None,
        perfetto: Annotated[
            Path | None,
            typer.Option(help="write the waves of a compute unit as a trace for ui.perfetto.dev"),
        ] = None,
        everything: Annotated[
            bool,
            typer.Option("--all", help="list every executed instruction, not hot windows only"),
        ] = False,
        force: ForceOption = False,
        format: PageOption = PageFormat.TEXT,
    ) -> None:
        """Say where a kernel's modelled time goes: instructions, stall reasons, units, bytes.

        Example: asmevo profile K0.hsaco --launch launch.yaml

        Example: asmevo profile K0.hsaco --launch launch.yaml --machine mi308x -f html > K0.html
        """
        check_outputs([perfetto], [object, *launch_inputs(launch)], force=force)
        with progress("profile") as advance:
            result = profile(
                object,
                launch,
                kernel=kernel,
                sizes=sizes_of(size),
                input_seed=input_seed,
                machine=machine,
                trace=trace,
                progress=advance,
            )
        wrote: list[str] = []
        if perfetto is not None:
            if len(result.estimates) > 1:
                raise InputError(
                    f"--perfetto shows one launch, and there are {len(result.estimates)}",
                    "give a launch description of one",
                )
            write_file(perfetto, json.dumps(result.perfetto()).encode(), force=force)
            wrote.append(f"wrote {perfetto}")
        if format is PageFormat.HTML:
            Emitted.result = True
            sys.stdout.write(render.html(result.data))
            sys.stdout.flush()
            for line in wrote:
                note(line)
            return
        emit(
            Format(format.value),
            SCHEMA,
            {k: v for k, v in result.data.items() if k != "schema"},
            [*render.text(result.data, everything), *wrote],
            ok=result.ok,
            reason=result.reason,
        )

    del command
