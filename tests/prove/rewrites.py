"""Reads `rewrites.txt`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Rewrite:
    """One rewrite: registers live at the end, the original, the rewrite and its wrong twin."""

    live: str
    before: str
    after: str
    wrong: str
    expected: str
    exec_full: bool


def _read() -> list[Rewrite]:
    text = Path(__file__).with_name("rewrites.txt").read_text()
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    found: list[Rewrite] = []
    for n in range(0, len(lines), 4):
        head, before, after, wrong = lines[n : n + 4]
        assert (head[:4], after[:3], wrong[:3]) == ("live", "-> ", "!> "), head
        live, _, flags = head[4:].partition(": ")
        expected = "refuted" if "refuted" in flags else "proved"
        found.append(Rewrite(live, before, after[3:], wrong[3:], expected, "full" in flags))
    return found


REWRITES = _read()
