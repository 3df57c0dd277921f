"""Records that the search and the drivers exchange. All frozen; none holds a live object.

Identities: a *node* is an object that passed every gate, named by the SHA-256 of its bytes (the
root is K0). An *attempt* is one proposal, identified by its parent node and the canonical hash of
its edits, so that the same edit written twice is the same attempt.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from asmevo.device.protocol import Timing
from asmevo.program.edit import Edit
from asmevo.program.rebuild.resources import Resources

Status = Literal[
    "accepted",
    "duplicate",
    "build_invalid",
    "static_invalid",
    "divergent",
    "untested",
    "canary_corruption",
    "runtime_failure",
    "timing_unstable",
    "insufficient_speedup",
    "input_invalid",
    "unsupported",
    "infrastructure_error",
]

Evidence = Literal["original", "proved", "reordered", "tested-exact", "tested-tolerance"]


def object_id(data: bytes) -> str:
    """Identity of an object: the SHA-256 of its bytes in hex."""
    return hashlib.sha256(data).hexdigest()


def _canonical_line(line: str) -> str:
    return " ".join(line.split())


def canonical_edits(edits: Iterable[Edit]) -> str:
    """JSON text of edits without notes, in program order, white space normalised."""
    rows: list[list[Any]] = sorted(
        [e.first, e.last, [_canonical_line(line) for line in e.lines], *_counts(e)] for e in edits
    )
    return json.dumps(rows, separators=(",", ":"))


def _counts(edit: Edit) -> list[str]:
    """The declared resources, as one text that sorts; nothing where there are none."""
    return [] if edit.resources is None else [json.dumps(asdict(edit.resources), sort_keys=True)]


def edit_id(edits: Iterable[Edit]) -> str:
    """Identity of a set of edits of one parent: SHA-256 of their canonical text."""
    return hashlib.sha256(canonical_edits(edits).encode()).hexdigest()


def edits_to_json(edits: Sequence[Edit]) -> str:
    """Edits as JSON, notes included."""
    return json.dumps([edit_to_row(e) for e in edits])


def edit_to_row(edit: Edit) -> dict[str, Any]:
    """An edit as JSON types; `resources` only where it declares some."""
    row: dict[str, Any] = {
        "first": edit.first,
        "last": edit.last,
        "lines": list(edit.lines),
        "note": edit.note,
    }
    if edit.resources is not None:
        row["resources"] = {k: v for k, v in asdict(edit.resources).items() if v is not None}
    return row


def edit_from_row(row: Mapping[str, Any]) -> Edit:
    """Inverse of `edit_to_row`."""
    counts: Mapping[str, int] | None = row.get("resources")
    return Edit(
        int(row["first"]),
        int(row["last"]),
        tuple(row["lines"]),
        str(row["note"]),
        None if counts is None else Resources(**counts),
    )


def declared_by(edits: Iterable[Edit]) -> frozenset[str]:
    """Descriptor fields that the edits say they change."""
    return frozenset(
        name for e in edits if e.resources is not None for name in e.resources.declares
    )


def edits_from_json(text: str) -> tuple[Edit, ...]:
    """Inverse of `edits_to_json`."""
    rows: list[dict[str, Any]] = json.loads(text)
    return tuple(edit_from_row(r) for r in rows)


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a driver wants tried: edits of one accepted node.

    Attributes:
        parent: node to edit.
        edits: disjoint edits, indices of the parent's program.
        rationale: why this should be faster; for the record only.
        rule: short name of what made it, for the failure memory.
    """

    parent: str
    edits: tuple[Edit, ...]
    rationale: str = ""
    rule: str = ""

    @property
    def edit(self) -> str:
        """Canonical identity of the edits."""
        return edit_id(self.edits)


def _no_data() -> dict[str, Any]:
    return {}


@dataclass(frozen=True, slots=True)
class Attempt:
    """A proposal that went through the gates, and what became of it.

    Attributes:
        sequence: ordinal of the attempt in the run, from 0.
        proposal: what was tried.
        status: the verdict word.
        gate: the gate that decided; the last one for accepted attempts.
        reason: one line.
        node: the new node when accepted.
        speedup: parent time over candidate time, when it came to timing.
        time: candidate time in the device's unit, when it came to timing.
        data: further facts of the deciding gate.
        seconds: wall time that the gates took.
        object: identity of the candidate's bytes, when it was built.
        passed: names of the gates that it passed, in order.
    """

    sequence: int
    proposal: Proposal
    status: Status
    gate: str
    reason: str
    node: str | None = None
    speedup: float | None = None
    time: float | None = None
    data: Mapping[str, Any] = field(default_factory=_no_data)
    seconds: float = 0.0
    object: str | None = None
    passed: tuple[str, ...] = ()

    @property
    def accepted(self) -> bool:
        """Whether the attempt became a node."""
        return self.status == "accepted"


@dataclass(frozen=True, slots=True)
class Node:
    """An accepted object in the lineage.

    Attributes:
        id: SHA-256 of the object.
        parent: the node it was made from; None for K0.
        edits: edits of the parent that made it.
        timings: its times, one per capsule.
        evidence: strength of the evidence that it behaves like its parent.
        depth: accepted attempts from K0.
        sequence: attempt that made it; -1 for K0.
        speedup: K0's time over its time (geometric mean over capsules).
    """

    id: str
    parent: str | None
    edits: tuple[Edit, ...]
    timings: tuple[Timing, ...]
    evidence: Evidence
    depth: int
    sequence: int
    speedup: float

    @property
    def time(self) -> float:
        """Sum over the capsules of the median time, in `unit`."""
        return sum(t.centre for t in self.timings)

    @property
    def unit(self) -> str:
        """`cycles` (modelled) or `s` (measured)."""
        return self.timings[0].unit

    @property
    def label(self) -> str:
        """`modelled` or `measured`."""
        return self.timings[0].label


def timings_to_json(timings: Sequence[Timing]) -> str:
    """Timings as JSON."""
    return json.dumps([asdict(t) for t in timings])


def timings_from_json(text: str) -> tuple[Timing, ...]:
    """Inverse of `timings_to_json`."""
    rows: list[dict[str, Any]] = json.loads(text)
    return tuple(
        Timing(
            tuple(float(s) for s in r["samples"]),
            str(r["unit"]),
            "measured" if r["label"] == "measured" else "modelled",
            float(r["band"]),
            str(r["validation_class"]),
            tuple((str(name), float(time)) for name, time in r.get("cases", ())),
            tuple(float(time) for time in r.get("staggered", ())),
            str(r.get("machine", "")),
            float(r.get("difference_band", 0.0)),
            str(r.get("difference_class", "")),
        )
        for r in rows
    )
