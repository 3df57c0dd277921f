"""The one-page HTML report of an optimization.

The page stands alone: no script, no font, no address. Everything is escaped, because kernel names,
edit text and notes come from binaries and proposers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from asmevo.cli.render.pages import page

_CONTEXT = 3  # unchanged lines kept round a change
_LONG = 2000  # lines
_MOST_DOTS = 1500  # of rejected attempts in the chart
_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 960, 220, 56, 28, 12


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a side-by-side view.

    Attributes:
        left: line before, or None.
        right: line after, or None.
        left_kind: `same`, `gone`, `moved` or an empty string.
        right_kind: `same`, `new`, `moved` or an empty string.
        skipped: unchanged lines left out here; the other fields are then empty.
    """

    left: str | None = None
    right: str | None = None
    left_kind: str = ""
    right_kind: str = ""
    skipped: int = 0


def side_by_side(before: Sequence[str], after: Sequence[str]) -> list[Row]:
    """Lines before and after an edit, aligned; lines that only moved are told from new ones."""
    left = [" ".join(line.split()) for line in before]
    right = [" ".join(line.split()) for line in after]
    # In long listings, frequent lines (s_nop) would make exact matching quadratic.
    quick = max(len(left), len(right)) > _LONG
    blocks = SequenceMatcher(None, left, right, autojunk=quick).get_opcodes()
    gone = Counter(x for tag, a, b, _, _ in blocks if tag != "equal" for x in left[a:b])
    new = Counter(x for tag, _, _, a, b in blocks if tag != "equal" for x in right[a:b])
    moved = gone & new
    kinds_left, kinds_right = dict(moved), dict(moved)

    def kind(text: str, budget: dict[str, int], otherwise: str) -> str:
        if budget.get(text, 0) > 0:
            budget[text] -= 1
            return "moved"
        return otherwise

    rows: list[Row] = []
    for tag, a, b, c, d in blocks:
        if tag == "equal":
            rows += _unchanged(left[a:b], first=not rows, last=b == len(left) and d == len(right))
            continue
        for i in range(max(b - a, d - c)):
            x = left[a + i] if a + i < b else None
            y = right[c + i] if c + i < d else None
            rows.append(
                Row(
                    x,
                    y,
                    kind(x, kinds_left, "gone") if x is not None else "",
                    kind(y, kinds_right, "new") if y is not None else "",
                )
            )
    return rows


def _unchanged(lines: Sequence[str], first: bool, last: bool) -> list[Row]:
    rows = [Row(x, x, "same", "same") for x in lines]
    head, tail = (0 if first else _CONTEXT), (0 if last else _CONTEXT)
    if len(rows) <= head + tail + 2:
        return rows
    hidden = len(rows) - head - tail
    return [*rows[:head], Row(skipped=hidden), *rows[len(rows) - tail :]]


@dataclass(frozen=True, slots=True)
class Chart:
    """Coordinates of the search's picture: attempts from left to right, speedup upwards."""

    width: int
    height: int
    path: str
    dots: tuple[tuple[float, float, str, str], ...]  # x, y, class, title
    ticks: tuple[tuple[float, str], ...]  # y, label
    left: int
    baseline: float
    attempts: int


def chart(record: Mapping[str, Any]) -> Chart | None:
    """The picture of a search, or None when nothing came to timing."""
    known = {node["node"]: float(node["speedup"]) for node in record["lineage"]}
    points: list[tuple[int, float, str, str]] = []
    for a in record["attempt_log"]:
        parent = known.get(a["parent"])
        if a["speedup"] is None or parent is None:
            continue
        total = float(a["speedup"]) * parent
        title = f"attempt {a['sequence']}: {total:.4f}x, {a['status']}"
        points.append((int(a["sequence"]), total, str(a["status"]), title))
    accepted = [p for p in points if p[2] == "accepted"]
    rejected = [p for p in points if p[2] != "accepted"]
    rejected = rejected[:: max(1, len(rejected) // _MOST_DOTS)]
    if not points:
        return None
    best = max(1.0, *(p[1] for p in points))
    # A few very slow candidates must not press the rest into a line.
    worst = max(min(1.0, *(p[1] for p in points)), 1.0 - 1.5 * (best - 1.0) - 0.02)
    span = (best - worst) or 0.02
    count = max(len(record["attempt_log"]), 2)

    def x(sequence: float) -> float:
        return round(_LEFT + (_WIDTH - _LEFT - 12) * sequence / (count - 1), 1)

    def y(value: float) -> float:
        share = (max(value, worst) - worst) / span
        return round(_HEIGHT - _BOTTOM - share * (_HEIGHT - _BOTTOM - _TOP), 1)

    path, level = f"M{x(0)} {y(1.0)}", 1.0
    for sequence, total, _, _ in accepted:
        if total > level:
            path += f"H{x(sequence)}V{y(total)}"
            level = total
    path += f"H{x(count - 1)}"
    dots = [(x(s), y(t), "no", title) for s, t, _, title in rejected]
    dots += [(x(s), y(t), "yes", title) for s, t, _, title in accepted]
    marks = [worst, 1.0, best] if worst < 1.0 - span / 8 else [1.0, best]
    if best - 1.0 < span / 8:
        marks = [worst, 1.0]
    return Chart(
        _WIDTH,
        _HEIGHT,
        path,
        tuple(dots),
        tuple((y(m), f"{m:.3f}x") for m in marks),
        _LEFT,
        y(1.0),
        len(record["attempt_log"]),
    )


def bars(verdicts: Mapping[str, int]) -> list[tuple[str, int, float]]:
    """(verdict, attempts, share of the largest in percent), most frequent first."""
    most = max(verdicts.values(), default=1) or 1
    ordered = sorted(verdicts.items(), key=lambda item: (-item[1], item[0]))
    return [(word, count, round(100 * count / most, 1)) for word, count in ordered]


def render(
    record: Mapping[str, Any],
    steps: Sequence[Mapping[str, Any]],
    whole: tuple[Sequence[str], Sequence[str]] = ((), ()),
) -> str:
    """The report page.

    Args:
        record: the run's JSON record.
        steps: per accepted node `sequence`, `speedup`, `evidence` and `edits`, each of these with
            `note`, `first` and the lines `before` and `after`.
        whole: all code lines of K0 and of K1.
    """
    shown = [
        {
            **step,
            "edits": [
                {**edit, "rows": side_by_side(edit["before"], edit["after"])}
                for edit in step["edits"]
            ],
        }
        for step in steps
    ]
    return page(
        "report.html",
        record=record,
        steps=shown,
        chart=chart(record),
        bars=bars(record["verdicts"]),
        whole=side_by_side(*whole) if steps else [],
        evidence=record.get("evidence"),
    )
