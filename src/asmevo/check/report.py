"""Check objects and say the result: what the command `asmevo check` prints, without the command."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from asmevo.check.comparison import compare_objects, examine
from asmevo.check.findings import ERROR, Finding
from asmevo.check.run import ALL_PASSES, check_program
from asmevo.check.sarif import to_sarif
from asmevo.check.suppress import Suppression, split
from asmevo.codeobject import CodeObject
from asmevo.errors import InputError
from asmevo.program import Program, recover
from asmevo.wording import counted


@dataclass(frozen=True, slots=True)
class ObjectReport:
    """Findings of one object.

    `compared` says that the findings are those of a comparison with an original: then every one
    of them is a refusal and nothing was suppressed.
    """

    name: str
    findings: tuple[Finding, ...]
    suppressed: tuple[tuple[Finding, Suppression], ...] = ()
    compared: bool = False

    @property
    def errors(self) -> int:
        """Findings of severity `error`."""
        return sum(f.severity == ERROR for f in self.findings)


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Result of a check over several objects."""

    objects: tuple[ObjectReport, ...]
    strict: bool = False
    unused: tuple[Suppression, ...] = field(default=())

    @property
    def failed(self) -> bool:
        """Whether something counts: an error, or with `strict` anything."""
        return any(o.findings if self.strict else o.errors for o in self.objects)

    @property
    def exit_code(self) -> int:
        """0 clean, 1 findings."""
        return int(self.failed)

    def counts(self) -> Counter[tuple[str, str, str]]:
        """Findings by (severity, rule, mark)."""
        return Counter((f.severity, f.rule, f.mark) for o in self.objects for f in o.findings)

    def as_json(self) -> dict[str, Any]:
        """The JSON object of `-f json`."""
        return {
            "schema": "asmevo/check/1",
            "status": "static_invalid" if self.failed else "accepted",
            "strict": self.strict,
            "objects": [
                {
                    "name": o.name,
                    "compared": o.compared,
                    "errors": o.errors,
                    "notes": len(o.findings) - o.errors,
                    "findings": [f.as_json() for f in o.findings],
                    "suppressed": [{**f.as_json(), "reason": s.reason} for f, s in o.suppressed],
                }
                for o in self.objects
            ],
            "unused_suppressions": [
                {name: getattr(s, name) for name in s.__slots__} for s in self.unused
            ],
        }

    def as_sarif(self) -> dict[str, Any]:
        """The SARIF log of `-f sarif`."""
        return to_sarif([(o.name, o.findings, o.suppressed) for o in self.objects])

    def lines(self, notes: bool = True) -> list[str]:
        """Text output, the result line last. Without `notes` only errors are listed."""
        out: list[str] = []
        for o in self.objects:
            shown = [f for f in o.findings if notes or self.strict or f.severity == ERROR]
            out += [f"{o.name}: {f.one_line()}" for f in shown]
        out += [f"unused suppression: {s.rule} ({s.reason})" for s in self.unused]
        errors = sum(o.errors for o in self.objects)
        others = sum(len(o.findings) for o in self.objects) - errors
        word = "FAIL" if self.failed else "PASS"
        out.append(f"Result: {word} ({counted(errors, 'error')}, {counted(others, 'note')})")
        return out


def _selected(program: Program, pattern: str | None) -> list[str | None]:
    if pattern is None:
        return [None]
    try:
        wanted = re.compile(pattern)
    except re.error as err:
        raise InputError(f"--kernel {pattern!r} is no regular expression: {err}") from err
    names: list[str | None] = [k.name for k in program.object.kernels if wanted.search(k.name)]
    if not names:
        known = ", ".join(k.name for k in program.object.kernels)
        raise InputError(f"no kernel matches {pattern!r}; there is {known}", "correct --kernel")
    return names


def check_object(
    name: str,
    data: bytes,
    kernel: str | None = None,
    suppressions: Sequence[Suppression] = (),
    passes: Sequence[str] = ALL_PASSES,
) -> ObjectReport:
    """Check one object file's bytes.

    Raises:
        InputError: not a code object, or no kernel matches.
        UnsupportedError: an object or instruction that cannot be followed.
    """
    program = recover(CodeObject.open(data))
    findings: list[Finding] = []
    for one in _selected(program, kernel):
        findings += check_program(program, one, passes)
    kept, covered = split(findings, suppressions)
    return ObjectReport(name, tuple(kept), tuple(covered))


def check_against(
    name: str, data: bytes, original: bytes, declared: Collection[str] = ()
) -> ObjectReport:
    """What is worse in an object than in the original; suppressions do not apply.

    Raises:
        InputError: one of them is no code object.
        UnsupportedError: an object or instruction that cannot be followed.
    """
    k0 = examine(CodeObject.open(original))
    found = compare_objects(k0, CodeObject.open(data), declared=declared)
    return ObjectReport(name, found.findings, compared=True)


def summarize(
    reports: Sequence[ObjectReport],
    strict: bool = False,
    suppressions: Sequence[Suppression] = (),
) -> CheckReport:
    """The report over several objects, with the suppressions that covered nothing."""
    used = {id(s) for o in reports for _, s in o.suppressed}
    unused = tuple(s for s in suppressions if id(s) not in used)
    return CheckReport(tuple(reports), strict, unused)
