"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from asmevo.errors import InputError

KernelOption = Annotated[
    str | None, typer.Option("--kernel", "-k", help="kernel name, when the object has several")
]
LaunchOption = Annotated[
    Path, typer.Option("--launch", "-l", help="launch.yaml (see docs/launch.md) or capsule file")
]
SizeOption = Annotated[
    list[str] | None,
    typer.Option("--size", "-s", help="override a size of launch.yaml: NAME=EXPRESSION"),
]
DeclareOption = Annotated[
    list[str] | None,
    typer.Option(
        "--declare", help="what else K1 changes on purpose: registers (fewer in the descriptor)"
    ),
]


class MatrixMode(Enum):
    """Arithmetic of matrix instructions on the emulator."""

    FAST = "fast"
    EXACT = "exact"


MatrixOption = Annotated[
    MatrixMode,
    typer.Option(help="matrix instructions: fused accumulation, or the published models (slower)"),
]


class PageFormat(Enum):
    """Output format of a command that also makes a page."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"


PageOption = Annotated[
    PageFormat,
    typer.Option("--format", "-f", help="text for people, json for programs, html a page"),
]
DeviceOption = Annotated[
    str, typer.Option(help="what runs the kernel: emulated, hip (a GPU), hip:N, or auto")
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="replace output files that exist (an input never)")
]
MachineOption = Annotated[
    str | None,
    typer.Option(
        "--machine",
        metavar="NAME|FILE",
        help="machine that is modelled: mi210, mi250x, mi300a, mi300x, mi308x, mi325x, mi350x, "
        "mi355x, or a file (docs/profile.md); the usual one of the target by default",
    ),
]
SeedOption = Annotated[
    int | None, typer.Option("--input-seed", help="seed of the random inputs of launch.yaml")
]


def sizes_of(options: list[str] | None) -> Mapping[str, int | str]:
    """`NAME=EXPRESSION` options as a mapping.

    Raises:
        InputError: an option without a name or a value.
    """
    found: dict[str, int | str] = {}
    for option in options or []:
        name, equals, value = option.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise InputError(f"--size {option!r} is not NAME=EXPRESSION", "e.g. --size n=1000")
        found[name.strip()] = value.strip()
    return found


def coverage_lines(covered: Mapping[str, Any] | None) -> list[str]:
    """Coverage (`verify.coverage.Coverage.to_json`) for people; nothing where nobody counted."""
    if covered is None:
        return []
    lines = [f"executed: {covered['executed']} of {covered['instructions']} instructions"]
    ranges = [f"{a}..{b - 1}" if b - a > 1 else str(a) for a, b in covered["never_executed"]]
    if ranges:
        lines.append(f"never executed, so not tested: {', '.join(ranges[:12])}")
    if covered["edges"]:
        lines.append(f"branches: {covered['executed_edges']} of {covered['edges']} sides executed")
    return lines
