"""Failure memory: what was tried and why it failed, in a form that survives index shifts.

An edit that diverged at a node diverges at its descendants too, as long as it replaces the same
text by the same text. So failures are remembered by *fingerprint* (old lines, new lines), while
attempts are identified by parent and indices.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from asmevo.program.edit import Edit
from asmevo.program.model import Program
from asmevo.search.types import Attempt, Status

# Verdicts that another parent is not likely to change.
LASTING: frozenset[Status] = frozenset(
    {
        "build_invalid",
        "static_invalid",
        "divergent",
        "canary_corruption",
        "runtime_failure",
        "unsupported",
    }
)


def fingerprint(program: Program, edits: Iterable[Edit]) -> str:
    """Hash of what the edits replace by what, without their places."""
    rows = sorted(
        json.dumps(
            [
                [program.line(i) for i in range(e.first, e.last)],
                [" ".join(line.split()) for line in e.lines],
            ]
        )
        for e in edits
    )
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Failure:
    """One remembered failure."""

    status: Status
    gate: str
    reason: str
    rule: str


class FailureMemory:
    """Failures of a run by fingerprint, and counts by rule and verdict."""

    def __init__(self) -> None:
        self._failures: dict[str, list[Failure]] = {}
        self._verdicts: Counter[tuple[str, str]] = Counter()

    def add(self, program: Program, attempt: Attempt) -> None:
        """Remember a finished attempt on `program` (its parent)."""
        self._verdicts[(attempt.proposal.rule, attempt.status)] += 1
        if attempt.accepted or attempt.status == "duplicate":
            return
        if not _in_range(program, attempt.proposal.edits):
            return
        key = fingerprint(program, attempt.proposal.edits)
        self._failures.setdefault(key, []).append(
            Failure(attempt.status, attempt.gate, attempt.reason, attempt.proposal.rule)
        )

    def failures(self, program: Program, edits: Sequence[Edit]) -> tuple[Failure, ...]:
        """Earlier failures of the same textual change."""
        if not self._failures:
            return ()
        return tuple(self._failures.get(fingerprint(program, edits), ()))

    def hopeless(self, program: Program, edits: Sequence[Edit]) -> bool:
        """Whether the same change failed for a reason that lasts."""
        return any(f.status in LASTING for f in self.failures(program, edits))

    def verdicts(self) -> dict[str, dict[str, int]]:
        """rule -> verdict -> how often."""
        table: dict[str, dict[str, int]] = {}
        for (rule, status), count in sorted(self._verdicts.items()):
            table.setdefault(rule, {})[status] = count
        return table


def _in_range(program: Program, edits: Sequence[Edit]) -> bool:
    return all(0 <= e.first <= e.last <= len(program.instructions) for e in edits)
