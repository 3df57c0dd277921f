"""`asmevo inspect`: what is in a code object, and what may be edited."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from asmevo.api.containers import triton_facts
from asmevo.api.files import write_file
from asmevo.api.templates import template
from asmevo.cli.common import KernelOption, naming, open_object
from asmevo.cli.output import Format, FormatOption, emit, table
from asmevo.codeobject import CodeObject, Kernel
from asmevo.errors import AsmEvoError, InputError
from asmevo.program import Program, recover
from asmevo.timing.occupancy import occupancy

SCHEMA = "asmevo/inspect/1"


def _occupancy(kernel: Kernel) -> dict[str, Any]:
    d = kernel.descriptor
    x, y, z = kernel.metadata.reqd_workgroup_size or (
        min(kernel.metadata.max_flat_workgroup_size or 256, 1024),
        1,
        1,
    )
    block = (x, y, z)
    try:
        fits = occupancy(d.target, d.vgprs, d.group_segment_fixed_size, block)
    except AsmEvoError as err:
        return {"block": list(block), "unknown": err.one_line()}
    return {
        "block": list(block),
        "waves_per_simd": fits.waves_per_simd,
        "workgroups_per_cu": fits.workgroups_per_cu,
        "limiter": fits.limiter,
    }


def describe(co: CodeObject, program: Program | None, kernel: Kernel) -> dict[str, Any]:
    """One kernel as plain values."""
    d, m = kernel.descriptor, kernel.metadata
    out: dict[str, Any] = {
        "name": kernel.name,
        "symbol": kernel.symbol,
        "vgprs": d.vgprs,
        "arch_vgprs": d.arch_vgprs,
        "agprs": d.agprs,
        "sgprs": d.sgprs,
        "lds": d.group_segment_fixed_size,
        "scratch": d.private_segment_fixed_size,
        "kernarg_bytes": m.kernarg_bytes,
        "wave_size": d.wave_size,
        "kernarg_preload": d.kernarg_preload_length,
        "dynamic_stack": bool(d.uses_dynamic_stack),
        "denormals": {"f32": d.float_denorm_mode_32, "f16_f64": d.float_denorm_mode_16_64},
        "occupancy": _occupancy(kernel),
        "arguments": [
            {
                "name": a.name,
                "offset": a.offset,
                "size": a.size,
                "kind": a.value_kind,
                "access": a.access,
            }
            for a in m.args
        ],
    }
    if program is not None:
        function = program.kernel_function(kernel)
        body = program.instructions[function.first : function.last]
        fixed = Counter(i.mnemonic if i.text else ".long" for i in body if not i.editable)
        out["code"] = {
            "instructions": len(body),
            "padding": function.padding,
            "not_editable": fixed.total(),
            "not_editable_classes": dict(fixed.most_common()),
            "branches": sum(
                1
                for i in range(function.first, function.last)
                if program.branch_target(i) is not None
            ),
            "growth": program.growth_refused or "allowed",
        }
    return out


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
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Show kernels, arguments, resources, occupancy, and what is editable.

        Example: asmevo inspect K0.hsaco

        Example: asmevo inspect K0.hsaco --launch-template launch.yaml
        """
        _data, co = open_object(object)
        program: Program | None = None
        problem = ""
        with naming(object):
            try:
                program = recover(co)
            except AsmEvoError as err:
                problem = err.one_line()
        chosen = co.kernels if kernel is None else (co.kernel(kernel),)
        kernels = [describe(co, program, k) for k in chosen]
        record: dict[str, Any] = {
            "target": co.target.target_id,
            "xnack": co.target.xnack.name.lower(),
            "sramecc": co.target.sramecc.name.lower(),
            "code_object_version": co.abi_version,
            "text_bytes": len(co.text),
            "device_functions": [f.name for f in program.functions if not f.is_kernel]
            if program is not None
            else [],
            "editable": program is not None,
            "problem": problem,
            "kernels": kernels,
        }
        lines = [
            f"{object.name}: {co.target.target_id} (xnack {record['xnack']}, "
            f"sramecc {record['sramecc']}), code object v{co.abi_version}, "
            f"{len(co.text)} bytes of code, {len(co.kernels)} kernel(s)"
        ]
        for k in kernels:
            lines += _text(k)
        if record["device_functions"]:
            lines += ["", "device functions: " + ", ".join(record["device_functions"])]
        if problem:
            lines.append(f"not editable: {problem}")
        if launch_template is not None:
            with naming(object):
                text = template(co.kernel(kernel), triton_facts(object))
            if launch_template.exists():
                raise InputError(f"{launch_template} exists", "choose another name, or remove it")
            write_file(launch_template, text.encode())
            lines += ["", f"wrote {launch_template}; complete the lines marked as guesses"]
        emit(format, SCHEMA, record, lines, ok=True)

    del command


def _text(k: dict[str, Any]) -> list[str]:
    occ = k["occupancy"]
    if "unknown" in occ:
        fits = occ["unknown"]
    else:
        fits = (
            f"{occ['waves_per_simd']} waves per SIMD, {occ['workgroups_per_cu']} workgroups per "
            f"CU at {'x'.join(map(str, occ['block']))} (limited by {occ['limiter']})"
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
            f"  code: {c['instructions']} instructions, {c['branches']} branches, "
            f"{c['padding']} padding words"
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
