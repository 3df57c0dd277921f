"""`asmevo check`: missing waits, hazards, undefined registers, found statically."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import asdict
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from asmevo.api import Checked, check, check_launches
from asmevo.check.findings import ERROR
from asmevo.check.report import CheckReport
from asmevo.cli.common import DeclareOption, SeedOption, SizeOption, sizes_of
from asmevo.cli.output import Format, emit, progress, say
from asmevo.errors import InputError

SCHEMA = "asmevo/check/1"


class CheckFormat(Enum):
    """Output formats of `check`."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"


def _lines(report: CheckReport, notes: bool) -> list[str]:
    """Every finding with the instructions concerned under it; notes counted unless asked for."""
    out: list[str] = []
    counted: Counter[str] = Counter()
    for o in report.objects:
        name = f"{o.name}: " if len(report.objects) > 1 else ""
        for f in o.findings:
            if f.severity != ERROR and not (notes or report.strict):
                counted[f.rule] += 1
                continue
            out.append(name + f.one_line())
            if f.producer is not None:
                out.append(f"    {f.producer}: {f.producer_text}")
            if f.text:
                out.append(f"    {f.index}: {f.text}")
    if counted:
        rules = ", ".join(f"{n} {rule}" for rule, n in counted.most_common())
        out.append(f"notes (--notes lists them): {rules}")
    suppressed = sum(len(o.suppressed) for o in report.objects)
    if suppressed:
        out.append(f"suppressed: {suppressed}")
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
        declare: DeclareOption = None,
        suppress: Annotated[
            Path | None,
            typer.Option(help="file of accepted findings, each with a reason; see docs/check.md"),
        ] = None,
        dynamic: Annotated[
            bool,
            typer.Option(
                "--dynamic", help="also run it: races, undefined contents, loads used too early"
            ),
        ] = False,
        launch: Annotated[
            Path | None,
            typer.Option("--launch", "-l", help="for --dynamic: launch.yaml or capsule file"),
        ] = None,
        size: SizeOption = None,
        input_seed: SeedOption = None,
        schedule: Annotated[
            list[str] | None,
            typer.Option(help="for --dynamic: further wave order, interleave:N or shuffle:SEED"),
        ] = None,
        jobs: Annotated[
            int | None, typer.Option("--jobs", "-j", min=1, help="processes; all cores if absent")
        ] = None,
        strict: Annotated[bool, typer.Option("--strict", help="notes fail, too")] = False,
        notes: Annotated[bool, typer.Option("--notes", help="list notes one by one")] = False,
        format: Annotated[
            CheckFormat,
            typer.Option("--format", "-f", help="text, json, or sarif for code hosts and editors"),
        ] = CheckFormat.TEXT,
    ) -> None:
        """Check waits, software wait states, registers and structure of every kernel.

        Exit code 1 on errors only, with --strict or --against on any finding.

        Example: asmevo check K0.hsaco

        Example: asmevo check K1.hsaco --against K0.hsaco

        Example: asmevo check K0.hsaco --dynamic --launch launch.yaml
        """
        if dynamic:
            if len(objects) != 1 or kernel is not None or original is not None:
                raise InputError(
                    "--dynamic takes one object, without --kernel and --against",
                    "`asmevo verify` runs two objects side by side",
                )
            if launch is None:
                raise InputError("--dynamic runs the object and needs to know how", "give --launch")
        elif launch is not None:
            raise InputError("--launch is for --dynamic", "add --dynamic, or leave it out")
        if declare and original is None:
            raise InputError("--declare is for --against", "add --against, or leave it out")
        with progress("check") as advance:
            if launch is not None:
                result = check_launches(
                    objects[0],
                    launch,
                    sizes=sizes_of(size),
                    input_seed=input_seed,
                    schedules=tuple(schedule or ()),
                    suppress=suppress or (),
                    strict=strict,
                    progress=advance,
                )
            else:
                result = check(
                    objects,
                    kernel=kernel,
                    against=original,
                    declare=tuple(declare or ()),
                    suppress=suppress or (),
                    strict=strict,
                    jobs=jobs,
                    progress=advance,
                )
        _emit(result, format, notes)

    del command


def _emit(result: Checked, format: CheckFormat, notes: bool) -> None:
    report, problems, code = result.report, result.problems, result.exit_code
    if format is CheckFormat.SARIF:
        sys.stdout.write(json.dumps(report.as_sarif(), indent=2) + "\n")
        for p in problems:
            say(f"{p.name}: {p.reason}")
        if code:
            raise typer.Exit(code)
        return
    data = report.as_json()
    emit(
        Format(format.value),
        SCHEMA,
        {
            **{k: v for k, v in data.items() if k not in ("schema", "status")},
            "not_checked": [asdict(p) for p in problems],
        },
        [*_lines(report, notes), *(f"{p.name}: {p.reason}" for p in problems)],
        ok=not code,
        reason=result.reason,
        status=data["status"] if report.failed or not problems else problems[0].status,
        code=code,
    )
