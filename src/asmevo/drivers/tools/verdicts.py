"""What a finished attempt tells its proposer: which gate, which instruction, which element, why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from asmevo.codeobject import CodeObject
from asmevo.drivers.tools.looking import resources_of, stalls_of
from asmevo.drivers.tools.model import Verdict
from asmevo.drivers.tools.text import masked, shown
from asmevo.errors import AsmEvoError
from asmevo.program.edit import apply
from asmevo.program.rebuild import rebuild
from asmevo.search.driver import Context
from asmevo.search.types import Attempt

_FINDING = (
    "rule", "message", "fix", "index", "text", "producer", "producer_text", "need", "have",
    "distance", "what",
)  # fmt: skip
_MOST_FINDINGS = 6
_BUFFER = (
    "name", "reason", "worst", "elements", "differing", "max_delta", "cosine", "theta", "tau",
    "first",
)  # fmt: skip


def verdict(context: Context, attempt: Attempt) -> Verdict:
    """The structured verdict of a finished attempt."""
    data = attempt.data
    findings: list[dict[str, Any]] = data.get("findings", [])
    return Verdict(
        attempt=attempt.sequence,
        status=attempt.status,
        gate=attempt.gate,
        passed=list(attempt.passed),
        reason=shown(attempt.reason),
        findings=[_plain({k: f.get(k) for k in _FINDING}) for f in findings[:_MOST_FINDINGS]],
        difference=_difference(data),
        untested=_plain(dict(data["untested"])) if "untested" in data else None,
        speedup=attempt.speedup,
        threshold=data.get("threshold"),
        slower=shown(str(data.get("slower", ""))),
        node=attempt.node,
        remaining=context.remaining,
        best=round(context.best.speedup, 5),
        **_sides(context, attempt),
    )


def _difference(data: Any) -> dict[str, Any] | None:
    if "buffers" not in data:
        return None
    kept = ("launch", "origin", "schedule", "pattern", "late_loads", "placement")
    found: dict[str, Any] = {k: data[k] for k in kept if k in data}
    found["buffers"] = [
        {**{k: b[k] for k in _BUFFER if k in b}, "name": masked(str(b.get("name", "")))}
        for b in data["buffers"][:4]
    ]
    if "stored_by" in data:
        found["stored_by"] = data["stored_by"]
    return _plain(found)


def _plain(value: Any) -> Any:
    """The value with every text in it escaped and bounded."""
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, dict):
        pairs = list(cast(dict[Any, Any], value).items())[:40]
        return {shown(str(k), 80): _plain(v) for k, v in pairs}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in cast(Sequence[Any], value)[:40]]
    return value


def _sides(context: Context, attempt: Attempt) -> dict[str, Any]:
    """Resources of parent and candidate once it was built, stalls of both once it was timed."""
    found: dict[str, Any] = {}
    if attempt.object is None or attempt.status == "duplicate":
        return found
    parent = context.program(attempt.proposal.parent)
    kernel = context.kernel
    try:
        built = CodeObject.open(rebuild(apply(parent, attempt.proposal.edits)))
        found["resources_before"] = resources_of(parent.object, kernel, context)
        found["resources_after"] = resources_of(built, kernel, context)
    except AsmEvoError:
        return found  # it built once: a tool is missing now, and nothing else is lost
    if attempt.speedup is None:
        return found
    program, weighed = context.weigh(attempt)
    before, after = parent.function(kernel), program.function(kernel)
    found["stalls_before"] = stalls_of(
        parent, context.profile(attempt.proposal.parent), before.first, before.last
    )
    found["stalls_after"] = stalls_of(program, weighed, after.first, after.last)
    return found
