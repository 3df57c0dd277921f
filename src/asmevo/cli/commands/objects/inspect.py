"""`asmevo inspect`: what is in a code object, and what may be edited."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from asmevo.api import inspect
from asmevo.api import launch_template as template_of
from asmevo.api.files import check_outputs, write_file
from asmevo.cli.common import ForceOption, KernelOption
from asmevo.cli.output import Format, FormatOption, emit, table
from asmevo.wording import counted

SCHEMA = "asmevo/inspect/1"


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("inspect")
    def command(
        object: Annotated[Path, typer.Argument(help="code object to look at")],
        kernel: KernelOption = None,
        launch_template: Annotated[
            Path | None,
            typer.Option(help="write a first launch.yaml for the kernel, to be completed"),
        ] = None,
        force: ForceOption = False,
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Show kernels, arguments, resources, occupancy, and what is editable.

        Example: asmevo inspect K0.hsaco

        Example: asmevo inspect K0.hsaco --launch-template launch.yaml
        """
        check_outputs([launch_template], [object], force=force)
        result = inspect(object, kernel)
        text = ""
        if launch_template is not None:
            text = template_of(object, kernel)
        record, co = result.data, result.object.code
        lines = [
            f"{object.name}: {record['target']} (xnack {record['xnack']}, "
            f"sramecc {record['sramecc']}), code object v{record['code_object_version']}, "
            f"{record['text_bytes']} bytes of code, {counted(len(co.kernels), 'kernel')}"
        ]
        for k in record["kernels"]:
            lines += _text(k)
        if record["device_functions"]:
            lines += ["", "device functions: " + ", ".join(record["device_functions"])]
        if record["problem"]:
            lines.append(f"not editable: {record['problem']}")
        if launch_template is not None:
            write_file(launch_template, text.encode(), force=force)
            lines += ["", f"wrote {launch_template}; complete the lines marked as guesses"]
        emit(format, SCHEMA, record, lines, ok=True)

    del command


_SOURCE = {"metadata": "of the metadata", "triton": "of Triton's .json beside it"}


def _text(k: dict[str, Any]) -> list[str]:
    occ = k["occupancy"]
    if "unknown" in occ:
        fits = occ["unknown"]
    else:
        fits = (
            f"{occ['waves_per_simd']} waves per SIMD, {occ['workgroups_per_cu']} workgroups per "
            f"CU at {'x'.join(map(str, occ['block']))} and {occ['lds']} bytes of LDS "
            f"(limited by {occ['limiter']}; launch {_SOURCE[occ['source']]})"
        )
    lines = [
        "",
        f"kernel {k['name']}",
        f"  registers: {k['vgprs']} VGPRs allocated ({k['arch_vgprs']} arch, {k['agprs']} AGPR), "
        f"{k['sgprs']} SGPRs; LDS {k['lds']} bytes, scratch {k['scratch']} bytes",
        f"  occupancy: {fits}",
    ]
    if k["kernarg_preload"]:
        lines.append(f"  kernarg preload: {k['kernarg_preload']} dwords")
    if "code" in k:
        c = k["code"]
        lines.append(
            f"  code: {counted(c['instructions'], 'instruction')}, "
            f"{counted(c['branches'], 'branch', 'branches')}, "
            f"{counted(c['padding'], 'padding word')}"
        )
        if c["not_editable"]:
            classes = ", ".join(f"{n} {name}" for name, n in c["not_editable_classes"].items())
            lines.append(f"  not editable (text does not assemble to the bytes): {classes}")
        if c["growth"] != "allowed":
            lines.append(f"  edits must keep the size: {c['growth']}")
    rows = [
        (str(a["offset"]), str(a["size"]), a["name"] or "-", a["kind"], a["access"] or "-")
        for a in k["arguments"]
    ]
    if rows:
        lines += ["  " + t for t in table(rows, ("offset", "size", "argument", "kind", "access"))]
    return lines
