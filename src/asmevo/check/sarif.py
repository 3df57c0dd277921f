"""Findings as SARIF 2.1.0, the format that code hosts and editors show.

A code object has no lines, so a location is a logical one (`kernel+instruction index`); the
producer and the path to the consumer become a code flow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from asmevo import __version__
from asmevo.check.findings import ERROR, Finding
from asmevo.check.suppress import Suppression

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def _location(artifact: str, f: Finding, index: int, text: str) -> dict[str, Any]:
    name = f.kernel if index < 0 else f"{f.kernel}#{index}"
    return {
        "physicalLocation": {"artifactLocation": {"uri": artifact}},
        "logicalLocations": [{"name": name, "fullyQualifiedName": name, "kind": "function"}],
        "message": {"text": text or f.kernel},
    }


def _result(artifact: str, f: Finding, entry: Suppression | None) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": f.rule,
        "level": "error" if f.severity == ERROR else "note",
        "message": {"text": f"{f.message}. {f.fix}" if f.fix else f.message},
        "locations": [_location(artifact, f, f.index, f.text)],
        "properties": {"mark": f.mark, "need": f.need, "have": f.have, "distance": f.distance},
    }
    if f.producer is not None:
        steps = [_location(artifact, f, f.producer, f.producer_text)]
        steps += [_location(artifact, f, i, "basic block") for i in f.path[1:]]
        steps.append(_location(artifact, f, f.index, f.text))
        result["codeFlows"] = [{"threadFlows": [{"locations": [{"location": s} for s in steps]}]}]
    if entry is not None:
        result["suppressions"] = [{"kind": "external", "justification": entry.reason}]
    return result


def to_sarif(
    objects: Sequence[tuple[str, Sequence[Finding], Sequence[tuple[Finding, Suppression]]]],
) -> dict[str, Any]:
    """The SARIF log of several objects: (uri, findings, suppressed findings) each."""
    results: list[dict[str, Any]] = []
    rules: dict[str, dict[str, Any]] = {}
    for artifact, findings, suppressed in objects:
        for f in findings:
            results.append(_result(artifact, f, None))
            rules.setdefault(f.rule, {"id": f.rule})
        for f, entry in suppressed:
            results.append(_result(artifact, f, entry))
            rules.setdefault(f.rule, {"id": f.rule})
    driver = {
        "name": "asmevo check",
        "version": __version__,
        "rules": [rules[name] for name in sorted(rules)],
    }
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
