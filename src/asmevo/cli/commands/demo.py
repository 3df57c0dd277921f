"""`asmevo demo`: the whole path on a real compiled kernel of the project, in one command."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

import asmevo
from asmevo.api.files import write_file
from asmevo.cli.commands import optimize as optimizing
from asmevo.cli.output import Format, FormatOption, emit
from asmevo.errors import EnvironmentFault
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
        output.mkdir(parents=True, exist_ok=True)
        write_file(output / "K0.hsaco", assemble_object(source.read_text(encoding="utf-8")))
        launch = output / "launch.yaml"
        write_file(launch, (folder / "launch" / f"{kernel}.yaml").read_bytes())
        request = optimizing.Request(
            output / "K0.hsaco",
            launch,
            output / "K1.hsaco",
            budget=budget,
            seed=seed,
            record=output / "record.json",
            report=output / "report.html",
        )
        result, record = optimizing.optimize(request)
        lines = optimizing.summary(result, record)
        found = result.best.parent is not None
        if found:
            names = ("K0.hsaco", "K1.hsaco", "launch.yaml", "record.json", "report.html")
            lines += [f"wrote {output / n}" for n in names]
            lines.append(
                f"check it: {program_name()} verify {output / 'K0.hsaco'} {output / 'K1.hsaco'} "
                f"--launch {launch}"
            )
        emit(
            format,
            optimizing.SCHEMA,
            {k: v for k, v in record.items() if k != "schema"},
            lines,
            ok=found,
            reason=f"{result.best.speedup:.4f}x {record['label']}" if found else "no accepted edit",
        )

    del command
