"""`asmevo launch`: launches that nobody has to write: inferred, or recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from asmevo.api import (
    capsule_contents,
    capsule_object,
    import_capsule,
    infer_launch,
    redact_capsule,
)
from asmevo.api.files import check_outputs, write_file
from asmevo.capsule.expressions import evaluate
from asmevo.cli.app import App
from asmevo.cli.common import ForceOption, KernelOption, SizeOption, sizes_of
from asmevo.cli.output import Format, FormatOption, emit

SCHEMA = "asmevo/launch-infer/1"
CAPSULE_SCHEMA = "asmevo/launch-capsule/1"
CapsuleArgument = Annotated[Path, typer.Argument(help="capsule: a folder or a .zip")]
CapsuleOutput = Annotated[
    Path, typer.Option("-o", "--output", help="the new capsule: a folder, or a .zip")
]

app = App(
    help="Launches that nobody has to write: inferred from the object, or recorded.",
    no_args_is_help=True,
)


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


@app.command("show")
def show(
    capsule: CapsuleArgument,
    format: FormatOption = Format.TEXT,
) -> None:
    """List the dispatches of a recorded capsule, and check every byte of it.

    Example: asmevo launch show saxpy.capsule
    """
    result = capsule_contents(capsule)
    emit(format, CAPSULE_SCHEMA, result.data, _lines(result.data), ok=True, reason=result.reason)


@app.command("object")
def object_(
    capsule: CapsuleArgument,
    output: Annotated[Path, typer.Option("-o", "--output", help="write the object here")],
    kernel: KernelOption = None,
    force: ForceOption = False,
    format: FormatOption = Format.TEXT,
) -> None:
    """Write the code object of a recorded capsule, as it was loaded.

    Example: asmevo launch object saxpy.capsule -o K0.hsaco
    """
    check_outputs([output], [capsule], force=force)
    data = capsule_object(capsule, kernel)
    write_file(output, data, force=force)
    found = {"output": str(output), "bytes": len(data)}
    emit(format, CAPSULE_SCHEMA, found, [f"wrote {output}"], ok=True, reason=f"{len(data)} bytes")


@app.command("redact")
def redact(
    capsule: CapsuleArgument,
    output: CapsuleOutput,
    force: ForceOption = False,
    format: FormatOption = Format.TEXT,
) -> None:
    """Write a capsule with other data: structure, indices, sizes and NaN patterns stay.

    Example: asmevo launch redact saxpy.capsule -o public.capsule
    """
    result = redact_capsule(capsule, output, force=force)
    lines = [*_lines(result.data), *(f"kept: {k}" for k in result.data["kept"])]
    emit(format, CAPSULE_SCHEMA, result.data, lines, ok=True, reason=result.reason)


@app.command("import")
def import_(
    folder: Annotated[Path, typer.Argument(help="capture folder of kerncap")],
    output: CapsuleOutput,
    force: ForceOption = False,
    format: FormatOption = Format.TEXT,
) -> None:
    """Write a capsule from a capture folder of kerncap, marked as a weak oracle.

    Example: asmevo launch import capture/ -o saxpy.capsule
    """
    result = import_capsule(folder, output, force=force)
    emit(format, CAPSULE_SCHEMA, result.data, _lines(result.data), ok=True, reason=result.reason)


def _lines(data: dict[str, Any]) -> list[str]:
    lines = [f"target {data['target'] or 'not known'}"]
    lines += [f"weak oracle: {data['weak']}"] if data["weak"] else []
    lines += ["redacted: values of data were replaced"] if data["redacted"] else []
    for n, d in enumerate(data["dispatches"]):
        label = f" ({d['label']})" if d["label"] else ""
        lines.append(f"{n}: {d['kernel']}{label}, grid {d['grid']}, block {d['block']}")
        for a in d["allocations"]:
            after = ", and after" if a["after"] else ""
            what = f"{a['kind']}, {a['role']}{', ' + a['dtype'] if a['dtype'] else ''}"
            lines.append(f"   {a['address']:#x} {a['name']}: {a['bytes']} bytes ({what}){after}")
        lines += [f"   variable {v['name']}: {v['bytes']} bytes" for v in d["variables"]]
    return lines
