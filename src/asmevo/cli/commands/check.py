"""`asmevo check`: missing waits, hazards, undefined registers, found statically."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import asdict, dataclass
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from asmevo.api.containers import nothing_in
from asmevo.api.files import read_file
from asmevo.check.findings import ERROR
from asmevo.check.report import (
    CheckReport,
    ObjectReport,
    check_against,
    check_object,
    summarize,
)
from asmevo.check.suppress import Suppression, load, split
from asmevo.cli.common import (
    SeedOption,
    SizeOption,
    capsules,
    emulated,
    naming,
    open_object,
)
from asmevo.cli.output import Format, emit, progress, say
from asmevo.codeobject.container import find
from asmevo.errors import AsmEvoError, InputError, UnsupportedError
from asmevo.verify.dynamic import DynamicConfig, check_dynamic

SCHEMA = "asmevo/check/1"
_FEW = 8  # objects checked before other processes are worth their start


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
            if one.error is not None:
                problem = InputError(f"{one.location}: {one.problem}")
                problem.exit_code = one.error.exit_code
                raise problem
            yield one.location, one.data


@dataclass(frozen=True, slots=True)
class Problem:
    """An object among several that could not be checked, and why."""

    name: str
    reason: str
    status: str
    exit_code: int


@dataclass(frozen=True, slots=True)
class _Task:
    """How to check one object; goes to other processes."""

    kernel: str | None
    before: bytes | None
    suppressions: tuple[Suppression, ...]

    def __call__(self, item: tuple[str, bytes]) -> ObjectReport | Problem:
        name, data = item
        try:
            if self.before is not None:
                return check_against(name, data, self.before)
            return check_object(name, data, self.kernel, self.suppressions)
        except AsmEvoError as err:
            return Problem(name, err.one_line(), err.status, err.exit_code)


def _all(
    task: _Task, objects: Iterator[tuple[str, bytes]], jobs: int
) -> Iterator[ObjectReport | Problem]:
    """Results in order; from the second batch on in several processes."""
    first = list(islice(objects, _FEW))
    yield from map(task, first)
    if len(first) < _FEW:
        return
    if jobs == 1:
        yield from map(task, objects)
        return
    with ProcessPoolExecutor(jobs) as pool:
        # A bounded number is under way, so that memory does not grow with the input.
        pending: deque[Future[ObjectReport | Problem]] = deque()
        for item in objects:
            pending.append(pool.submit(task, item))
            if len(pending) > 4 * jobs:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


def check_all(
    paths: list[Path],
    kernel: str | None,
    original: Path | None,
    suppressions: tuple[Suppression, ...],
    strict: bool,
    jobs: int | None,
) -> tuple[CheckReport, list[Problem]]:
    """Check every object below some paths, or hold each against an original.

    Raises:
        InputError: no object, a damaged one, no such kernel.
        UnsupportedError: a single object that cannot be followed.
    """
    before = open_object(original)[0] if original is not None else None
    task = _Task(kernel, before, suppressions)
    reports: list[ObjectReport] = []
    problems: list[Problem] = []
    with progress("check") as advance:
        for done in _all(task, _objects(paths), jobs or len(os.sched_getaffinity(0))):
            if isinstance(done, Problem):
                problems.append(done)
            else:
                reports.append(done)
            advance(len(reports) + len(problems), 0, done.name)
    if problems and not reports:
        kind = UnsupportedError if problems[0].exit_code == 3 else InputError
        reason = problems[0].reason
        name = problems[0].name
        raise kind(reason if name in reason else f"{name}: {reason}")
    # Against an original every finding counts; there is no harmless way to be worse.
    return summarize(reports, strict or before is not None, suppressions), problems


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


def run_dynamic(
    path: Path,
    launch: Path | None,
    sizes: list[str] | None,
    seed: int | None,
    schedules: tuple[str, ...],
    suppressions: tuple[Suppression, ...],
    strict: bool,
) -> CheckReport:
    """Static findings of one object and what its launches show on the emulator, together.

    Raises:
        InputError: no launch, or one that does not fit.
        UnsupportedError: an instruction that the emulator does not know.
    """
    if launch is None:
        raise InputError("--dynamic runs the object and needs to know how", "give --launch")
    data, co = open_object(path)
    launches = capsules(co, launch, None, sizes, seed)
    with naming(path), progress("check") as advance:
        static = check_object(str(path), data, None, suppressions)
        found = check_dynamic(data, launches, emulated(advance), DynamicConfig(schedules))
    kept, covered = split(found, suppressions)
    report = ObjectReport(
        str(path), (*static.findings, *kept), (*static.suppressed, *covered), compared=False
    )
    return summarize([report], strict, suppressions)


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
        if original is not None and suppress is not None:
            raise InputError(
                "--suppress does not apply to --against", "a comparison is never suppressed"
            )
        if original is not None and kernel is not None:
            raise InputError("--kernel does not apply to --against", "all kernels are compared")
        entries = load(suppress) if suppress is not None else ()
        problems: list[Problem] = []
        if dynamic:
            if len(objects) != 1 or kernel is not None or original is not None:
                raise InputError(
                    "--dynamic takes one object, without --kernel and --against",
                    "`asmevo verify` runs two objects side by side",
                )
            report = run_dynamic(
                objects[0], launch, size, input_seed, tuple(schedule or ()), entries, strict
            )
        elif launch is not None:
            raise InputError("--launch is for --dynamic", "add --dynamic, or leave it out")
        else:
            report, problems = check_all(objects, kernel, original, entries, strict, jobs)
        # Findings are the answer; an object that could not be checked leaves it open.
        code = 1 if report.failed else max((p.exit_code for p in problems), default=0)
        if format is CheckFormat.SARIF:
            sys.stdout.write(json.dumps(report.as_sarif(), indent=2) + "\n")
            for p in problems:
                say(f"{p.name}: {p.reason}")
            if code:
                raise typer.Exit(code)
            return
        errors = sum(o.errors for o in report.objects)
        others = sum(len(o.findings) for o in report.objects) - errors
        unchecked = f", {len(problems)} objects not checked" if problems else ""
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
            reason=f"{errors} errors, {others} notes{unchecked}",
            status=data["status"] if report.failed or not problems else problems[0].status,
            code=code,
        )

    del command
