"""`asmevo launch`: launch descriptions that nobody has to write."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from asmevo.api import infer_launch
from asmevo.api.files import check_outputs, write_file
from asmevo.capsule.expressions import evaluate
from asmevo.cli.app import App
from asmevo.cli.common import ForceOption, KernelOption, SizeOption, sizes_of
from asmevo.cli.output import Format, FormatOption, emit

SCHEMA = "asmevo/launch-infer/1"

app = App(help="Launch descriptions that nobody has to write.", no_args_is_help=True)


@app.command("infer")
def infer(
    object: Annotated[Path, typer.Argument(help="code object")],
    kernel: KernelOption = None,
    size: SizeOption = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="write the launch.yaml here")
    ] = None,
    force: ForceOption = False,
    format: FormatOption = Format.TEXT,
) -> None:
    """Fill in a launch from the object, what lies beside it, and running it without inputs.

    Every line says why it is so; what only you can know is asked in the file's head.

    Example: asmevo launch infer K0.hsaco -o launch.yaml
    """
    check_outputs([output], [object], force=force)
    result = infer_launch(
        object, kernel, {n: evaluate(v, {}, f"--size {n}") for n, v in sizes_of(size).items()}
    )
    lines = [f"from: {result.data['source']}"]
    if output is not None:
        write_file(output, result.text.encode(), force=force)
        lines.append(f"wrote {output}")
    else:
        lines += ["", *result.text.splitlines(), ""]
    lines += [f"question: {q}" for q in result.data["questions"]]
    emit(format, SCHEMA, result.data, lines, ok=result.ok, reason=result.reason)
