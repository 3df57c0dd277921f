"""`asmevo check`: missing waits, hazards, undefined registers, found statically."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from asmevo.check.against import compare as against
from asmevo.check.findings import Finding, errors, ordered
from asmevo.check.run import check_program
from asmevo.cli.common import naming, open_object
from asmevo.cli.output import Format, FormatOption, emit
from asmevo.errors import InputError
from asmevo.program import Program, recover

SCHEMA = "asmevo/check/1"


def _kernels(program: Program, pattern: str | None) -> list[str]:
    names = [k.name for k in program.object.kernels]
    if pattern is None:
        return names
    try:
        wanted = re.compile(pattern)
    except re.error as err:
        raise InputError(f"--kernel {pattern!r} is no regular expression: {err}") from err
    found = [n for n in names if wanted.search(n)]
    if not found:
        raise InputError(f"no kernel matches {pattern!r}", "there is " + ", ".join(names))
    return found


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("check")
    def command(
        objects: Annotated[list[Path], typer.Argument(help="code objects")],
        kernel: Annotated[
            str | None, typer.Option("--kernel", "-k", help="regular expression of kernel names")
        ] = None,
        original: Annotated[
            Path | None, typer.Option("--against", help="report only what is worse than in K0")
        ] = None,
        strict: Annotated[bool, typer.Option(help="notes fail too")] = False,
        format: FormatOption = Format.TEXT,
    ) -> None:
        """Check waits, software wait states, registers and structure of every kernel.

        Example: asmevo check K1.hsaco --against K0.hsaco
        """
        found: list[tuple[Path, Finding]] = []
        before: Program | None = None
        if original is not None:
            _data, co = open_object(original)
            with naming(original):
                before = recover(co)
        for path in objects:
            _data, co = open_object(path)
            with naming(path):
                program = recover(co)
                for name in _kernels(program, kernel):
                    findings = check_program(program, name)
                    if before is not None:
                        findings = against(check_program(before, name), before, findings, program)
                    found += [(path, f) for f in ordered(findings)]
        everything = [f for _p, f in found]
        serious = everything if strict or before is not None else errors(everything)
        data: dict[str, Any] = {
            "findings": [{"file": str(p), **f.as_json()} for p, f in found],
            "errors": len(errors(everything)),
            "notes": len(everything) - len(errors(everything)),
        }
        lines = [f"{p.name}: {f.one_line()}" for p, f in found]
        emit(
            format,
            SCHEMA,
            data,
            lines,
            ok=not serious,
            reason=f"{data['errors']} errors, {data['notes']} notes",
            status="static_invalid" if serious else "ok",
        )

    del command
