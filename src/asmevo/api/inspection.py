"""What is in a code object, and what may be edited."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from asmevo.api.containers import triton_facts
from asmevo.api.drafts.arguments import uses_of_arguments
from asmevo.api.drafts.templates import template
from asmevo.api.naming import naming
from asmevo.api.objects import Object, ObjectLike, open
from asmevo.api.results import Result
from asmevo.codeobject import Kernel
from asmevo.errors import AsmEvoError
from asmevo.program import Program, recover
from asmevo.timing.occupancy import occupancy


@dataclass(frozen=True, slots=True, eq=False)
class Inspection(Result):
    """Result of `inspect`: `data["kernels"]` describes each kernel.

    Attributes:
        object: the opened object.
        program: the recovered code, or None where `data["problem"]` says why not.
    """

    object: Object
    program: Program | None


def inspect(object: ObjectLike, kernel: str | None = None) -> Inspection:
    """Kernels, arguments, resources, occupancy, and what is editable.

    The `.json` that Triton writes beside an object gives workgroup size and dynamic LDS.

    Args:
        object: the object to look at.
        kernel: only this one.

    Raises:
        InputError: no code object, or no such kernel.
    """
    opened = open(object)
    co = opened.code
    program: Program | None = None
    problem = ""
    with naming(opened.path):
        try:
            program = recover(co)
        except AsmEvoError as err:
            problem = err.one_line()
        chosen = co.kernels if kernel is None else (co.kernel(kernel),)
    triton = triton_of(opened)
    data: dict[str, Any] = {
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
        "kernels": [_describe(program, k, triton) for k in chosen],
        **({"triton": triton} if triton else {}),
    }
    return Inspection(True, "ok", "", data, opened, program)


def launch_template(object: ObjectLike, kernel: str | None = None) -> str:
    """Text of a first launch.yaml for a kernel; what is a guess is marked in it.

    Raises:
        InputError: no such kernel, or several and none named.
        UnsupportedError: an argument that no description can give.
    """
    opened = open(object)
    with naming(opened.path):
        k = opened.code.kernel(kernel)
        try:
            uses = uses_of_arguments(recover(opened.code), k)
        except AsmEvoError:
            uses = {}  # no code to ask
        return template(k, triton_of(opened), uses)


def triton_of(opened: Object) -> dict[str, Any]:
    """Triton's facts, where there is one kernel that they can be about."""
    if opened.path is None or len(opened.kernels) != 1:
        return {}
    return triton_facts(Path(opened.path))


def _occupancy(kernel: Kernel, triton: dict[str, Any]) -> dict[str, Any]:
    d, wave = kernel.descriptor, kernel.descriptor.wave_size
    x, y, z = kernel.metadata.reqd_workgroup_size or (
        min(kernel.metadata.max_flat_workgroup_size or 256, 1024),
        1,
        1,
    )
    warps, shared = triton.get("num_warps"), triton.get("shared")
    lds, source = d.group_segment_fixed_size, "metadata"
    if isinstance(warps, int) and 0 < warps * wave <= 1024:
        (x, y, z), source = (warps * wave, 1, 1), "triton"
    if isinstance(shared, int) and shared > 0:
        lds, source = lds + shared, "triton"
    block = (x, y, z)
    out: dict[str, Any] = {
        "block": list(block),
        "lds": lds,
        "source": source,
    }
    try:
        fits = occupancy(d.target, d.vgprs, lds, block)
    except AsmEvoError as err:
        return {**out, "unknown": err.one_line()}
    return {
        **out,
        "waves_per_simd": fits.waves_per_simd,
        "workgroups_per_cu": fits.workgroups_per_cu,
        "limiter": fits.limiter,
    }


def _describe(program: Program | None, kernel: Kernel, triton: dict[str, Any]) -> dict[str, Any]:
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
        "occupancy": _occupancy(kernel, triton),
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
