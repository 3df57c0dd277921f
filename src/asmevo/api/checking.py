"""Missing waits, hazards, undefined registers: found statically, and by watched runs."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from asmevo.api.containers import nothing_in
from asmevo.api.files import read_file
from asmevo.api.naming import naming
from asmevo.api.objects import (
    LaunchLike,
    ObjectLike,
    Progress,
    Sizes,
    emulated,
    launches,
    open,
)
from asmevo.check.findings import Finding
from asmevo.check.report import (
    CheckReport,
    ObjectReport,
    check_against,
    check_object,
    summarize,
)
from asmevo.check.rules.declared import fields_of
from asmevo.check.suppress import Suppression, load, split
from asmevo.codeobject.container import find
from asmevo.errors import AsmEvoError, InputError, UnsupportedError
from asmevo.verify.dynamic import DynamicConfig, check_dynamic
from asmevo.wording import counted

_FEW = 8  # objects checked before other processes are worth their start
Suppressions = Sequence[Suppression] | str | Path


@dataclass(frozen=True, slots=True, eq=False)
class Checked:
    """Result of `check`.

    Attributes:
        report: findings of every object.
        problems: objects among several that could not be checked.
    """

    report: CheckReport
    problems: tuple[Problem, ...] = ()

    @property
    def ok(self) -> bool:
        """No finding that counts, and every object was checked."""
        return not self.report.failed and not self.problems

    @property
    def exit_code(self) -> int:
        """1 for findings, which are the answer; else that of an object that was not checked."""
        if self.report.failed:
            return 1
        return max((p.exit_code for p in self.problems), default=0)

    @property
    def reason(self) -> str:
        """Numbers of errors, notes and objects that were not checked."""
        errors = sum(o.errors for o in self.report.objects)
        others = sum(len(o.findings) for o in self.report.objects) - errors
        number = len(self.problems)
        left = f", {counted(number, 'object')} not checked" if number else ""
        return f"{counted(errors, 'error')}, {counted(others, 'note')}{left}"


def check(
    objects: ObjectLike | Sequence[str | Path],
    *,
    kernel: str | None = None,
    against: ObjectLike | None = None,
    declare: Sequence[str] = (),
    suppress: Suppressions = (),
    strict: bool = False,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Checked:
    """Check waits, software wait states, registers and structure, statically.

    Args:
        objects: an object, or paths of objects, folders, bundles and wheels.
        kernel: regular expression of kernel names.
        against: report only what is worse than in this K0; then every finding counts.
        declare: with `against`, what else differs on purpose: `registers` (fewer of them).
        suppress: accepted findings, or the path of a file of them (docs/check.md).
        strict: notes count, too.
        jobs: processes; all cores if None.
        progress: told (objects done, 0, name).

    Raises:
        InputError: no object, a damaged one, no such kernel, options that exclude each other.
        UnsupportedError: a single object that cannot be followed.
    """
    if against is not None and suppress:
        raise InputError(
            "--suppress does not apply to --against", "a comparison is never suppressed"
        )
    if against is not None and kernel is not None:
        raise InputError("--kernel does not apply to --against", "all kernels are compared")
    entries = _suppressions(suppress)
    before = open(against).data if against is not None else None
    if declare and before is None:
        raise InputError("--declare is for --against", "add --against, or leave it out")
    task = _Task(kernel, before, entries, fields_of(declare))
    if isinstance(objects, str | Path):
        objects = [objects]
    if isinstance(objects, Sequence) and not isinstance(objects, bytes):
        items = _objects([Path(p) for p in objects])
    else:
        opened = open(objects)
        items = iter([(opened.name, opened.data)])
    reports: list[ObjectReport] = []
    problems: list[Problem] = []
    for done in _all(task, items, jobs or len(os.sched_getaffinity(0))):
        if isinstance(done, Problem):
            problems.append(done)
        else:
            reports.append(done)
        if progress is not None:
            progress(len(reports) + len(problems), 0, done.name)
    if problems and not reports:
        kind = UnsupportedError if problems[0].exit_code == 3 else InputError
        reason = problems[0].reason
        name = problems[0].name
        raise kind(reason if name in reason else f"{name}: {reason}")
    # Against an original every finding counts; there is no harmless way to be worse.
    return Checked(summarize(reports, strict or before is not None, entries), tuple(problems))


def check_launches(
    object: ObjectLike,
    launch: LaunchLike,
    *,
    sizes: Sizes | None = None,
    input_seed: int | None = None,
    schedules: tuple[str, ...] = (),
    suppress: Suppressions = (),
    strict: bool = False,
    progress: Progress | None = None,
) -> Checked:
    """`check`, and what watched runs on the emulator show: races, undefined contents, early loads.

    Raises:
        InputError: a launch that does not fit.
        UnsupportedError: an instruction that the emulator does not know.
    """
    opened = open(object)
    entries = _suppressions(suppress)
    capsules = launches(opened, launch, sizes=sizes, input_seed=input_seed)
    with naming(opened.path):
        static = check_object(opened.name, opened.data, None, entries)
        found = check_dynamic(opened.data, capsules, emulated(progress), DynamicConfig(schedules))
    kept, covered = split(found, entries)
    report = ObjectReport(
        opened.name,
        _told_once(static.findings, kept),
        (*static.suppressed, *covered),
        compared=False,
    )
    return Checked(summarize([report], strict, entries))


def _told_once(static: Sequence[Finding], seen: Sequence[Finding]) -> tuple[Finding, ...]:
    """Both kinds of findings; what a run shows again is told once, in the words that say more."""

    def place(f: Finding) -> tuple[object, ...]:
        return f.kernel, f.rule, f.index, f.producer, f.what

    known = {place(f): f for f in static}
    more: dict[Finding, Finding] = {}
    new: list[Finding] = []
    for f in seen:
        before = known.get(place(f))
        if before is None or not f.message.startswith(before.message):
            new.append(f)
        elif f.message != before.message:
            more[before] = f
    return (*(more.get(f, f) for f in static), *new)


def _suppressions(given: Suppressions) -> tuple[Suppression, ...]:
    if not isinstance(given, str | Path):
        return tuple(given)
    read_file(given)  # says what is wrong with it, and does not wait for a FIFO
    return load(Path(given))


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
    declared: frozenset[str]

    def __call__(self, item: tuple[str, bytes]) -> ObjectReport | Problem:
        name, data = item
        try:
            if self.before is not None:
                return check_against(name, data, self.before, self.declared)
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
