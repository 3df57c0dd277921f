"""`asmevo check`: missing waits, hazards, undefined registers, found statically."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from asmevo.check.findings import ERROR
from asmevo.check.report import (
    CheckReport,
    ObjectReport,
    check_against,
    check_object,
    summarize,
)
from asmevo.check.suppress import Suppression, load
from asmevo.cli.common import naming, open_object
from asmevo.cli.objects import nothing_in
from asmevo.cli.output import Format, emit, progress, read_file
from asmevo.codeobject.container import find
from asmevo.errors import InputError

SCHEMA = "asmevo/check/1"


class CheckFormat(Enum):
    """Output formats of `check`."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"


def _objects(paths: list[Path]) -> Iterator[tuple[str, bytes]]:
    """(name, bytes) of every object; a plain file is taken as the object it should be."""
    for path in paths:
        if path.is_file():
            found = list(find(path))
            if len(found) == 1 and len(found[0].steps) == 1 and not found[0].problem:
                yield str(path), found[0].data
                continue
        elif path.is_dir():
            found = list(find(path))
        else:
            read_file(path)  # says what is wrong with it
            continue
        if not found:
            raise nothing_in([path])
        for one in found:
            if one.problem:
                raise InputError(f"{one.location}: {one.problem}")
            yield one.location, one.data


def inspect_all(
    paths: list[Path],
    kernel: str | None,
    original: Path | None,
    suppressions: tuple[Suppression, ...],
    strict: bool,
) -> CheckReport:
    """Check every object below some paths, or hold each against an original.

    Raises:
        InputError: no object, a damaged one, no such kernel.
        UnsupportedError: an object or instruction that cannot be followed.
    """
    before = open_object(original)[0] if original is not None else None
    reports: list[ObjectReport] = []
    with progress("check") as advance:
        for name, data in _objects(paths):
            advance(len(reports), 0, name)
            with naming(Path(name)):
                if before is not None:
                    reports.append(check_against(name, data, before))
                else:
                    reports.append(check_object(name, data, kernel, suppressions))
    # Against an original every finding counts; there is no harmless way to be worse.
    return summarize(reports, strict or before is not None, suppressions)


def _lines(report: CheckReport, notes: bool) -> list[str]:
    """Every finding with the instructions concerned under it."""
    out: list[str] = []
    for o in report.objects:
        for f in o.findings:
            if f.severity != ERROR and not (notes or report.strict):
                continue
            out.append(f"{o.name}: {f.one_line()}")
            if f.producer is not None:
                out.append(f"    {f.producer}: {f.producer_text}")
            if f.text:
                out.append(f"    {f.index}: {f.text}")
    out += [f"unused suppression: {s.rule} ({s.reason})" for s in report.unused]
    return out


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("check")
    def command(
        objects: Annotated[
            list[Path], typer.Argument(help="code objects, folders, bundles, wheels")
        ],
        kernel: Annotated[
            str | None, typer.Option("--kernel", "-k", help="regular expression of kernel names")
        ] = None,
        original: Annotated[
            Path | None, typer.Option("--against", help="report only what is worse than in this K0")
        ] = None,
        suppress: Annotated[
            Path | None,
            typer.Option(help="file of accepted findings, each with a reason; see docs/check.md"),
        ] = None,
        strict: Annotated[bool, typer.Option("--strict", help="notes fail, too")] = False,
        notes: Annotated[bool, typer.Option(help="list notes, or errors only")] = True,
        format: Annotated[
            CheckFormat,
            typer.Option("--format", "-f", help="text, json, or sarif for code hosts and editors"),
        ] = CheckFormat.TEXT,
    ) -> None:
        """Check waits, software wait states, registers and structure of every kernel.

        Exit code 1 on errors only, with --strict or --against on any finding.

        Example: asmevo check K0.hsaco

        Example: asmevo check K1.hsaco --against K0.hsaco
        """
        if original is not None and suppress is not None:
            raise InputError(
                "--suppress does not apply to --against", "a comparison is never suppressed"
            )
        if original is not None and kernel is not None:
            raise InputError("--kernel does not apply to --against", "all kernels are compared")
        entries = load(suppress) if suppress is not None else ()
        report = inspect_all(objects, kernel, original, entries, strict)
        if format is CheckFormat.SARIF:
            sys.stdout.write(json.dumps(report.as_sarif(), indent=2) + "\n")
            if report.failed:
                raise typer.Exit(1)
            return
        errors = sum(o.errors for o in report.objects)
        others = sum(len(o.findings) for o in report.objects) - errors
        data = report.as_json()
        emit(
            Format(format.value),
            SCHEMA,
            {k: v for k, v in data.items() if k not in ("schema", "status")},
            _lines(report, notes),
            ok=not report.failed,
            reason=f"{errors} errors, {others} notes",
            status=data["status"],
        )

    del command
