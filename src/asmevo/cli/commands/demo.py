"""`asmevo demo`: the whole path on a real compiled kernel of the project, in one command."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

import asmevo
from asmevo.api import optimize
from asmevo.api.files import check_outputs, write_file
from asmevo.api.optimization import SCHEMA
from asmevo.cli.commands.optimize import Outputs, summary
from asmevo.cli.common import ForceOption, MachineOption
from asmevo.cli.output import Format, FormatOption, emit, progress
from asmevo.cli.start import INTERRUPTED
from asmevo.errors import EnvironmentFault, InputError
from asmevo.program.build import assemble_object

DEMO_KERNEL = "rmsnorm"


def kernels_folder() -> Path:
    """The project's kernels: inside the installed package, or in the checkout.

    Raises:
        EnvironmentFault: neither has them.
    """
    package = Path(asmevo.__file__).parent
    for folder in (package / "kernels", package.parents[1] / "kernels"):
        if (folder / "gfx942").is_dir():
            return folder
    raise EnvironmentFault("the project's kernels are not installed", "use a full checkout")


def program_name() -> str:
    """How the reader can call this program again: its name, or its path if not on PATH."""
    called = Path(sys.argv[0])
    if shutil.which("asmevo") or called.name != "asmevo":
        return "asmevo"
    here = Path.cwd()
    return str(called.relative_to(here) if called.is_relative_to(here) else called)


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("demo")
    def command(
        output: Annotated[
            Path, typer.Option("--output", "-o", help="folder of the results")
        ] = Path("demo"),
        kernel: Annotated[str, typer.Option(help="one of the project's kernels")] = DEMO_KERNEL,
        budget: Annotated[int, typer.Option(min=1, help="attempts of the search")] = 60,
        seed: Annotated[int, typer.Option(help="seed of the search driver")] = 1,
        machine: MachineOption = None,
        force: ForceOption = False,
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Optimize a compiled gfx942 kernel through every gate; no GPU needed.

        Writes K0.hsaco, K1.hsaco, launch.yaml, record.json and report.html.

        Example: asmevo demo --kernel softmax -o softmax
        """
        folder = kernels_folder()
        source = folder / "gfx942" / f"{kernel}.s"
        if not source.is_file():
            names = ", ".join(sorted(p.stem for p in source.parent.glob("*.s")))
            raise typer.BadParameter(f"there is no kernel {kernel!r}; there is {names}")
        if output.exists() and not output.is_dir():
            raise InputError(f"{output} is a file", "-o names a folder")
        output.mkdir(parents=True, exist_ok=True)
        k0, launch, k1 = (output / n for n in ("K0.hsaco", "launch.yaml", "K1.hsaco"))
        outputs = Outputs(k1, output / "record.json", output / "report.html", None, force)
        check_outputs([k0, launch, k1, outputs.record, outputs.report], force=force)
        write_file(k0, assemble_object(source.read_text(encoding="utf-8")), force=force)
        write_file(launch, (folder / "launch" / f"{kernel}.yaml").read_bytes(), force=force)
        with progress("search") as advance:
            result = optimize(
                k0, launch, budget=budget, seed=seed, machine=machine, progress=advance
            )
        written = [k0, launch, *outputs.write(result)]
        lines = [*summary(result), *(f"wrote {path}" for path in written)]
        if result.ok:
            lines.append(f"check it: {program_name()} verify {k0} {k1} --launch {launch}")
        emit(
            format,
            SCHEMA,
            {k: v for k, v in result.data.items() if k != "schema"},
            lines,
            ok=result.ok,
            reason=f"interrupted; {result.reason}" if result.interrupted else result.reason,
            status=result.status,
            code=INTERRUPTED if result.interrupted else 1,
        )
        if result.interrupted:
            raise typer.Exit(INTERRUPTED)

    del command
