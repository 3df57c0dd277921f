"""`asmevo diff`: how do two objects differ, and does every difference change nothing?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from asmevo.api import diff
from asmevo.api.differences.record import (
    DIFF_SCHEMA,
    CounterexamplePart,
    FunctionPart,
    Line,
    ResourcePart,
    WindowPart,
)
from asmevo.cli.common import KernelOption, PageFormat, PageOption
from asmevo.cli.output import Emitted, Format, emit, progress, table
from asmevo.cli.render.differences import page

SCHEMA = DIFF_SCHEMA
_MOST_LINES = 12  # of one side of a window in text; JSON and HTML have all
_MOST_REGISTERS = 24


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("diff")
    def command(
        original: Annotated[Path, typer.Argument(help="the original code object, K0")],
        other: Annotated[Path, typer.Argument(help="the object to compare with it, K1")],
        kernel: KernelOption = None,
        limit: Annotated[
            float, typer.Option(min=0.01, help="seconds for each window; then it is unknown")
        ] = 2.0,
        format: PageOption = PageFormat.TEXT,
    ) -> None:
        """Show what differs, window by window, and whether it is proved to do the same.

        Each window is proved (equal for all inputs), reordered (the same instructions, every
        dependence kept), refuted (with a state from which the versions differ) or unknown (with
        the reason). Waits and hazards have no part in it: `asmevo check --against` judges them.

        Exit codes: 0 if every window is proved or reordered, or nothing differs; 1 if a window is
        refuted, or unknown, which `status` tells apart; 3 if the objects are of different targets,
        have different kernels or another ABI.

        Example: asmevo diff K0.hsaco K1.hsaco

        Example: asmevo diff K0.hsaco K1.hsaco -k gemm -f html > gemm.html
        """
        with progress("diff") as advance:
            result = diff(original, other, kernel=kernel, limit_seconds=limit, progress=advance)
        if format is PageFormat.HTML:
            Emitted.result = True
            sys.stdout.write(page(result.record))
            sys.stdout.flush()
            if not result.ok:
                raise typer.Exit(1)
            return
        record = result.record
        lines = [f"K0 {record.before.name}", f"K1 {record.after.name}", f"target {record.target}"]
        for part in record.functions:
            lines += _function(part)
        if record.same:
            lines += ["", "the same: " + ", ".join(record.same)]
        emit(
            Format(format.value), SCHEMA, result.data, lines,
            ok=result.ok, reason=result.reason, status=result.status,
        )  # fmt: skip

    del command


def _function(part: FunctionPart) -> list[str]:
    s = part.structure
    graph = s.graph or f"matched, {s.places} places hold the versions against each other"
    kind = "kernel" if part.is_kernel else "function"
    reason = f" ({part.reason})" if part.reason else ""
    lines = [
        "",
        f"{kind} {part.name}: {part.status}{reason}",
        f"  control flow: {graph}",
        f"  instructions: {s.instructions_before} before, {s.instructions_after} after",
    ]
    before, after = _row(part.resources.before), _row(part.resources.after)
    rows = [
        (name, a, b) for name, a, b in zip(_RESOURCES, before, after, strict=True)
        if a != "-" or b != "-"
    ]  # fmt: skip
    lines += ["  " + line for line in table(rows, ("resource", "before", "after"))]
    for window in part.windows:
        lines += _window(window)
    return lines


_RESOURCES = (
    "VGPRs", "arch VGPRs", "AGPRs", "SGPRs", "LDS bytes", "scratch bytes", "waves per SIMD",
    "code bytes",
)  # fmt: skip


def _row(part: ResourcePart) -> tuple[str, ...]:
    found = (
        part.vgprs, part.arch_vgprs, part.agprs, part.sgprs, part.lds, part.scratch,
        part.waves_per_simd, part.code_bytes,
    )  # fmt: skip
    return tuple("-" if n is None else str(n) for n in found)


def _window(window: WindowPart) -> list[str]:
    by = f" by {window.solver}" if window.solver else ""
    inexact = ", not to the bit" if window.inexact else ""
    lines = [
        "",
        f"  window {window.name}: {window.verdict}{inexact}{by}"
        + (f": {window.reason}" if window.reason else ""),
        f"    live in: {_few(window.live_in)}; live out: {_few(window.live_out)}",
        *_side("-", window.before),
        *_side("+", window.after),
    ]
    for c in window.values:
        lines.append(f"    {c.kind}: {c.text}")
    for note in window.notes:
        lines.append(f"    note ({note.kind}): {note.text}")
    if window.counterexample is not None:
        lines += _example(window.counterexample)
    return lines


def _few(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_REGISTERS} more" if len(names) > _MOST_REGISTERS else ""
    return (", ".join(names[:_MOST_REGISTERS]) or "none") + more


def _side(sign: str, side: list[Line]) -> list[str]:
    shown = [
        f"    {sign} {line.index if line.index >= 0 else 'note'} {line.text}"
        for line in side[:_MOST_LINES]
    ]
    left = len(side) - _MOST_LINES
    return shown + ([f"    {sign} {left} more"] if left > 0 else [])


def _example(found: CounterexamplePart) -> list[str]:
    where = "" if found.lane is None else f", lane {found.lane}"
    where += "" if found.address is None else f", address 0x{found.address:x}"
    lines = [
        f"    counterexample: {found.output}{where} is 0x{found.before:x} before and "
        f"0x{found.after:x} after, from"
    ]
    values = (*found.scalars.items(), *found.vectors.items())
    state = [f"{name} = 0x{value:x}" for name, value in values]
    if state:
        lines.append(f"      {_few(state)}")
    if found.memory:
        lines.append(f"      {len(found.memory)} bytes of memory (-f json shows them)")
    return lines
