"""Suppressions: findings that a person has looked at and accepts, in a file, with a reason.

    schema: asmevo/suppressions/1
    suppress:
      - {rule: wait.raw, kernel: "pa_.*", text: "v_mfma.*", reason: "works by elapsed time"}

`rule` is exact or ends in `*`; `kernel`, `text` and `producer` are regular expressions that must
match from the start. A comparison with an original never looks at suppressions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from asmevo.check.findings import Finding
from asmevo.errors import InputError

SCHEMA = "asmevo/suppressions/1"
_KEYS = frozenset({"rule", "kernel", "text", "producer", "reason"})


@dataclass(frozen=True, slots=True)
class Suppression:
    """One entry of a suppression file."""

    rule: str
    reason: str
    kernel: str = ".*"
    text: str = ".*"
    producer: str = ".*"

    def covers(self, f: Finding) -> bool:
        """Whether the entry applies to a finding."""
        if self.rule.endswith("*"):
            if not f.rule.startswith(self.rule[:-1]):
                return False
        elif f.rule != self.rule:
            return False
        return bool(
            re.match(self.kernel, f.kernel)
            and re.match(self.text, f.text)
            and re.match(self.producer, f.producer_text)
        )


def load(path: Path) -> tuple[Suppression, ...]:
    """Entries of a suppression file.

    Raises:
        InputError: unreadable, wrong schema, an unknown or missing key, a bad pattern, no reason.
    """
    try:
        document: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as err:
        raise InputError(f"suppression file {path}: {err}", "give a readable YAML file") from err
    if not isinstance(document, dict) or cast("dict[str, Any]", document).get("schema") != SCHEMA:
        raise InputError(f"suppression file {path} is not of schema {SCHEMA}", "set `schema`")
    entries: Any = cast("dict[str, Any]", document).get("suppress")
    if not isinstance(entries, list):
        raise InputError(f"suppression file {path} has no list `suppress`", "add it")
    found: list[Suppression] = []
    for n, raw in enumerate(cast("list[Any]", entries), 1):
        where = f"suppression {n} in {path}"
        if not isinstance(raw, dict):
            raise InputError(f"{where} is not a mapping", "write {rule: ..., reason: ...}")
        entry = {str(k): str(v) for k, v in cast("dict[Any, Any]", raw).items()}
        unknown = sorted(entry.keys() - _KEYS)
        if unknown:
            raise InputError(f"{where} has unknown key {unknown[0]!r}", f"use {sorted(_KEYS)}")
        if not entry.get("rule") or not entry.get("reason", "").strip():
            raise InputError(f"{where} lacks a rule or a reason", "give both")
        for key in ("kernel", "text", "producer"):
            try:
                re.compile(entry.get(key, ""))
            except re.error as err:
                raise InputError(f"{where}: {key} is no regular expression: {err}") from err
        found.append(Suppression(**entry))
    return tuple(found)


def split(
    findings: Iterable[Finding], suppressions: Sequence[Suppression]
) -> tuple[list[Finding], list[tuple[Finding, Suppression]]]:
    """(findings that stay, findings that an entry covers with that entry)."""
    kept: list[Finding] = []
    covered: list[tuple[Finding, Suppression]] = []
    for f in findings:
        entry = next((s for s in suppressions if s.covers(f)), None)
        if entry is None:
            kept.append(f)
        else:
            covered.append((f, entry))
    return kept, covered
