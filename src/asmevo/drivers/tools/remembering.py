"""Tools that look back: attempts, failures in words and by signature, where the run stands."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from asmevo.drivers.tools.looking import labels_of, node_of
from asmevo.drivers.tools.model import (
    AttemptRow,
    EditLines,
    Failures,
    FailuresRequest,
    History,
    HistoryRequest,
    Report,
)
from asmevo.drivers.tools.proposing import to_edits
from asmevo.drivers.tools.text import masked, shown
from asmevo.errors import InputError
from asmevo.search.driver import Context
from asmevo.search.types import Attempt, Node

_MOST_GROUPS = 24
_LINES_SHOWN = 24
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_NOTE = (
    "Speedups come from the gates. `modelled` figures are a cycle model's and no measurement; "
    "the object is verified once more before it is delivered."
)


def history(context: Context, request: HistoryRequest) -> History:
    """The last attempts that fit, oldest first."""
    wanted = [
        a
        for a in context.attempts
        if (not request.status or a.status == request.status)
        and (not request.node or a.proposal.parent.startswith(request.node))
    ]
    return History(
        attempts=[row(a) for a in wanted[-request.last :]],
        verdicts=dict(Counter(a.status for a in context.attempts)),
        nodes=[_node(n) for n in context.nodes],
    )


def row(attempt: Attempt) -> AttemptRow:
    """One attempt in short."""
    return AttemptRow(
        attempt=attempt.sequence,
        parent=attempt.proposal.parent[:16],
        kind=shown(attempt.proposal.rule, 40),
        status=attempt.status,
        gate=attempt.gate,
        reason=shown(attempt.reason, 240),
        speedup=attempt.speedup,
        node=attempt.node[:16] if attempt.node else None,
        edits=[
            EditLines(
                first=max(e.first, 0),
                last=max(e.last, 0),
                lines=[shown(line, 120) for line in e.lines[:_LINES_SHOWN]],
            )
            for e in attempt.proposal.edits[:8]
        ],
    )


def _node(node: Node) -> dict[str, Any]:
    return {
        "node": node.id[:16],
        "parent": node.parent[:16] if node.parent else None,
        "speedup": round(node.speedup, 5),
        "evidence": node.evidence,
        "depth": node.depth,
        "attempt": node.sequence,
    }


def cause(attempt: Attempt) -> str:
    """Why an attempt failed, without the numbers that differ from case to case."""
    findings: list[dict[str, Any]] = attempt.data.get("findings", [])
    if findings:
        return shown(str(findings[0].get("rule", "")), 80)
    return shown(_NUMBER.sub("#", attempt.reason), 100)


def groups(attempts: list[Attempt]) -> list[dict[str, Any]]:
    """Failures by gate and cause, most frequent first, each with its last example."""
    found: dict[tuple[str, str, str], list[Attempt]] = {}
    for a in attempts:
        if not a.accepted and a.status != "duplicate":
            found.setdefault((a.gate, a.status, cause(a)), []).append(a)
    ordered = sorted(found.items(), key=lambda item: -len(item[1]))
    return [
        {
            "gate": gate,
            "status": status,
            "cause": why,
            "count": len(members),
            "kinds": sorted({shown(a.proposal.rule, 40) for a in members})[:8],
            "attempt": members[-1].sequence,
            "reason": shown(members[-1].reason, 240),
        }
        for (gate, status, why), members in ordered[:_MOST_GROUPS]
    ]


def failures(context: Context, request: FailuresRequest) -> Failures:
    """What failed so far, and whether the given edits did."""
    node = node_of(context, request.node)
    edits = to_edits(request.edits, labels_of(context, node.id))
    count = len(context.program(node.id).instructions)
    if any(not e.first <= e.last <= count for e in edits):
        raise InputError(f"the program has {count} instructions", "take indices of the listing")
    same = context.failures(node.id, edits) if edits else ()
    return Failures(
        groups=groups(list(context.attempts)),
        same=[
            {"status": f.status, "gate": f.gate, "reason": shown(f.reason, 240)} for f in same[:20]
        ],
        hopeless=bool(edits) and context.hopeless(node.id, edits),
        tried=bool(edits) and context.tried(node.id, edits),
    )


def report(context: Context) -> Report:
    """Where the run stands."""
    best, root = context.best, context.root
    by_id = {n.id: n for n in context.nodes}
    lineage = [best]
    while (parent := lineage[-1].parent) is not None:
        lineage.append(by_id[parent])
    return Report(
        kernel=masked(context.kernel),
        target=context.program(root.id).target.target_id,
        original=root.id,
        best=best.id,
        speedup=round(best.speedup, 5),
        label=best.label,
        evidence=best.evidence,
        lineage=[{**_node(n), "edits": len(n.edits)} for n in lineage[::-1]],
        attempts=len(context.attempts),
        remaining=context.remaining,
        verdicts=dict(Counter(a.status for a in context.attempts)),
        accepted=len(context.nodes) - 1,
        note=_NOTE,
    )
