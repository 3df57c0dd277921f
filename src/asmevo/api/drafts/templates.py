"""A first launch description for a kernel, as far as its metadata tells; guesses are marked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from asmevo.api.drafts.arguments import Use, guessed_dtype
from asmevo.capsule.kernarg import explicit_arguments, runtime_state
from asmevo.codeobject import Kernel
from asmevo.codeobject.metadata import KernelArg

_SCALARS = {1: "i8", 2: "i16", 4: "i32", 8: "i64"}
_OTHERS = {1: "u8", 2: "f16, bf16 or u16", 4: "f32 or u32", 8: "f64 or u64"}
_ROLES = {"read_only": "in", "write_only": "out"}
_TYPES = ("f64", "f32", "f16", "bf16", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")
_GUESS = "# guess"


def _quoted(name: str) -> str:
    """A name from a binary as a YAML scalar: JSON strings are YAML."""
    plain = name.isascii() and name.replace("_", "a").isalnum() and not name[0].isdigit()
    return name if plain and name.lower() not in ("y", "n", "yes", "no", "null") else _json(name)


def _json(name: str) -> str:
    return json.dumps(name)


def _argument(arg: KernelArg, number: int, uses: tuple[Use, ...]) -> str:
    name = _quoted(arg.name or f"arg{number}")
    if arg.value_kind == "global_buffer":
        role = _ROLES.get(arg.access or "", "inout")
        known = arg.value_type if arg.value_type in _TYPES else None
        marks = [w for w, sure in (("dtype", known), ("role", arg.access in _ROLES)) if not sure]
        init = "" if role == "out" else ', init: "normal(0, 1)"'
        return (
            f"  - {{name: {name}, dtype: {known or 'f32'}, shape: [n]{init}, role: {role}}}"
            f"  {_GUESS}: {', '.join([*marks, 'shape'])}"
        )
    dtype = _SCALARS.get(arg.size)
    if dtype is None:
        zeros = " ".join(["00"] * arg.size)
        return f'  - {{name: {name}, bytes: "{zeros}"}}  # {arg.size} bytes: fill in'
    seen = guessed_dtype(uses, arg.size)
    if seen is not None and seen[1].kind == "float":
        return (
            f"  - {{name: {name}, dtype: {seen[0]}, value: 1.0}}"
            f"  {_GUESS}: value; instruction {seen[1].index} reads it as {seen[1].type}"
        )
    return (
        f"  - {{name: {name}, dtype: {dtype}, value: n}}"
        f"  {_GUESS}: {arg.size} bytes, may be {_OTHERS[arg.size]}"
    )


def template(
    kernel: Kernel, triton: Mapping[str, Any], uses: Mapping[int, tuple[Use, ...]] | None = None
) -> str:
    """Text of a launch description that loads as it is; the marked lines need a look.

    Args:
        kernel: gives arguments, workgroup size and LDS.
        triton: facts of a Triton cache entry's `.json` (`num_warps`, `shared`), or empty.
        uses: how the code reads its scalars, by kernarg offset (`api.drafts.arguments`).

    Raises:
        UnsupportedError: an argument that no description can give.
    """
    metadata, wave = kernel.metadata, kernel.descriptor.wave_size
    block, why = metadata.reqd_workgroup_size, ""
    if 0 < wave * int(triton.get("num_warps", 0)) <= 1024:
        block = (wave * int(triton["num_warps"]), 1, 1)
    elif block is None:
        size = min(metadata.max_flat_workgroup_size or 256, 256)
        block, why = (size, 1, 1), f", {_GUESS[2:]}: at most {metadata.max_flat_workgroup_size}"
    lds = int(triton.get("shared", 0))
    own = kernel.descriptor.group_segment_fixed_size
    items = block[0] * block[1] * block[2]
    lines = [
        "# Made from the object's metadata, which knows sizes and no meaning: look at every line",
        "# marked as a guess. All words of this file: docs/launch.md",
        "schema: asmevo/launch/1",
        f"kernel: {_quoted(kernel.name)}",
        f"sizes: {{n: {4 * items}}}  {_GUESS}: the problem size",
        f"grid: [cdiv(n, {items}), 1, 1]  {_GUESS}: workgroups",
        f"block: [{', '.join(map(str, block))}]  # workitems{why}",
        f"lds: {lds}  # dynamic LDS bytes; the object itself declares {own}",
        "seed: 1",
    ]
    hidden = runtime_state(metadata)
    if hidden:
        lines.append(f"hidden: zero  {_GUESS}: {', '.join(hidden)} never used")
    arguments = explicit_arguments(metadata)
    lines.append("args:" if arguments else "args: []")
    lines += [
        _argument(arg, n, (uses or {}).get(arg.offset, ())) for n, arg in enumerate(arguments)
    ]
    return "\n".join(lines) + "\n"
