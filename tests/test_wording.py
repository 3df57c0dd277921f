"""One thing is one thing: counts in what people read."""

from __future__ import annotations

import pytest

from asmevo.check.findings import Finding
from asmevo.check.report import ObjectReport, summarize
from asmevo.wording import counted


@pytest.mark.parametrize(
    ("number", "nouns", "text"),
    [
        (0, ("edit",), "0 edits"),
        (1, ("edit",), "1 edit"),
        (2, ("edit",), "2 edits"),
        (1, ("branch", "branches"), "1 branch"),
        (3, ("branch", "branches"), "3 branches"),
    ],
)
def test_counts(number: int, nouns: tuple[str, ...], text: str) -> None:
    assert counted(number, *nouns) == text


@pytest.mark.parametrize(
    ("severities", "text"),
    [
        (("error",), "1 error, 0 notes"),
        (("note", "error", "error"), "2 errors, 1 note"),
    ],
)
def test_a_check_counts_its_findings(severities: tuple[str, ...], text: str) -> None:
    found = tuple(
        Finding("wait.raw", "-", severity, "k", n, "s_nop 0")
        for n, severity in enumerate(severities)
    )
    report = summarize([ObjectReport("k", found)])
    assert report.lines()[-1] == f"Result: FAIL ({text})"
