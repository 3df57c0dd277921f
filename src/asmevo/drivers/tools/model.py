"""Requests and answers of the tools, as frozen models: one statement for every way in.

The command line, the MCP server, the external protocol and the language model driver all take
their schemas from here. Requests are strict: an unknown field (a verdict, say) is refused.
"""

from __future__ import annotations

import json
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

MOST_EDITS = 64
MOST_LINES = 2048
MOST_TEXT = 4000
MOST_ROWS = 400


class Request(BaseModel):
    """Arguments of a tool. Unknown fields and values of another type are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Answer(BaseModel):
    """Result of a tool; `schema` names its form and version."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    name: ClassVar[str] = ""

    def to_json(self) -> dict[str, Any]:
        """Plain values, the schema first."""
        return {"schema": f"asmevo/tool-{self.name}/1", **self.model_dump(by_alias=True)}

    def as_text(self) -> str:
        """The same as compact ASCII JSON without `<`: nothing in it acts or ends a delimiter."""
        return json.dumps(self.to_json(), separators=(",", ":")).replace("<", "\\u003c")

    @classmethod
    def form(cls) -> dict[str, Any]:
        """JSON Schema of `to_json`."""
        found = cls.model_json_schema(by_alias=True)
        named = {"schema": {"const": f"asmevo/tool-{cls.name}/1", "type": "string"}}
        found["properties"] = {**named, **found.get("properties", {})}
        found["required"] = ["schema", *found.get("required", [])]
        return found


NodeField = Field(
    default="best",
    max_length=64,
    description="accepted node: the first letters of its id, `best`, or `root` for the original",
)


# --- reading --------------------------------------------------------------------------------
class NoArguments(Request):
    """Takes none."""


class ListingRequest(Request):
    """Which instructions of which node."""

    node: str = NodeField
    first: int | None = Field(default=None, ge=0, description="first instruction; else the start")
    last: int | None = Field(default=None, ge=0, description="last instruction, exclusive")


class Listing(Answer):
    """Normalized listing: one line per instruction, `N: text`, and one per label, `LN:`.

    Attributes:
        node: identity of the node.
        first, last: the instructions listed, last exclusive; what `propose` takes.
        total_first, total_last: the kernel's own range.
        lines: the text. Labels are renamed `L0`, `L1`, ... and keep their names in all nodes.
        cut: whether less was listed than was asked for.
    """

    name: ClassVar[str] = "listing"

    node: str
    first: int
    last: int
    total_first: int
    total_last: int
    lines: list[str]
    cut: bool


class WindowRequest(Request):
    """Which stretch of which node; without `first` and `last` the hot window of this rank."""

    node: str = NodeField
    rank: int = Field(default=0, ge=0, le=63, description="0 is the hottest window")
    first: int | None = Field(default=None, ge=0)
    last: int | None = Field(default=None, ge=0)
    widen: int = Field(default=0, ge=0, le=200, description="instructions more on both sides")


class Window(Answer):
    """A stretch of code with what an edit of it may rely on.

    Attributes:
        node, first, last, lines: as in a listing.
        share: its part of the kernel's time, 0 to 1.
        stalls: cycles per instruction of `lines` (labels left out), as the profile weighs them.
        live_in: registers whose values the window takes from before it.
        live_out: registers whose values are wanted after it.
        free: registers of the kernel's allocation that hold nothing anywhere in the window.
        exec_note: what writes and reads EXEC in it.
    """

    name: ClassVar[str] = "window"

    node: str
    first: int
    last: int
    share: float
    lines: list[str]
    stalls: list[float]
    live_in: list[str]
    live_out: list[str]
    free: list[str]
    exec_note: str


class ProfileRequest(Request):
    """Which node, and how many windows."""

    node: str = NodeField
    windows: int = Field(default=8, ge=1, le=64)


class HotRange(BaseModel):
    """A hot window: its instructions, its part of the time and what its time is spent on."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rank: int
    first: int
    last: int
    share: float
    executions: int
    stalls: dict[str, float]


class Profiled(Answer):
    """Where the time goes.

    Attributes:
        node: identity of the node.
        source: what the weights are, e.g. `modelled stalls`.
        label: `modelled` or `measured`.
        time, unit: of all timed launches.
        speedup: over the original.
        stalls: kind of instruction -> part of the time at instructions of that kind.
        windows: hottest first.
        resources: registers, LDS and occupancy.
    """

    name: ClassVar[str] = "profile"

    node: str
    source: str
    label: str
    time: float
    unit: str
    speedup: float
    stalls: dict[str, float]
    windows: list[HotRange]
    resources: dict[str, Any]


class FactsRequest(Request):
    """Which instructions, as whole lines: `v_add_f32_e32 v0, v1, v2`."""

    lines: list[str] = Field(min_length=1, max_length=24)


class InstructionFacts(BaseModel):
    """What one instruction does and asks for; `error` when the line is none."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    line: str
    error: str = ""
    kind: str = ""
    bytes: int = 0
    reads: list[str] = Field(default_factory=list)
    writes: list[str] = Field(default_factory=list)
    raises: list[str] = Field(default_factory=list)
    waits: dict[str, int] = Field(default_factory=dict)
    issue_clocks: int | None = None
    result_clocks: dict[str, int] = Field(default_factory=dict)
    hazards: list[str] = Field(default_factory=list)


class Facts(Answer):
    """Facts of named instructions, from the tables that the gates use."""

    name: ClassVar[str] = "facts"

    target: str
    instructions: list[InstructionFacts]


# --- proposing ------------------------------------------------------------------------------
class EditLines(Request):
    """Replace instructions [first, last) by lines; first == last inserts before `first`."""

    first: int = Field(ge=0)
    last: int = Field(ge=0)
    lines: list[str] = Field(max_length=MOST_LINES)


class ProposeRequest(Request):
    """Edits of one accepted node, and why they should help. Nothing else can be said here."""

    node: str = NodeField
    edits: list[EditLines] = Field(min_length=1, max_length=MOST_EDITS)
    reason: str = Field(default="", max_length=MOST_TEXT)
    kind: str = Field(default="edit", max_length=40, pattern=r"^[a-z0-9_-]+$")


class ComposeRequest(Request):
    """Bring what was accepted on the way to `other` over to `node`, as one proposal."""

    node: str = NodeField
    other: str = Field(max_length=64)
    reason: str = Field(default="", max_length=MOST_TEXT)


class Verdict(Answer):
    """What the gates said of a proposal.

    Attributes:
        attempt: its number in the run.
        status: the verdict word.
        gate: the gate that decided.
        passed: gates passed before it.
        reason: one line.
        findings: of a static gate, the first ones with their instructions and producers.
        difference: of the comparison: launch, run, buffer, first differing element, who stored it.
        untested: of the coverage gate: what no launch showed.
        speedup, threshold: over the parent, when it was timed, and what was needed.
        slower: machine case in which it is slower than the original.
        stalls_before, stalls_after: as in a profile, when it was timed.
        resources_before, resources_after: registers, LDS, occupancy, when it was built.
        node: the new node when accepted.
        remaining: attempts left.
        best: speedup of the best node over the original.
    """

    name: ClassVar[str] = "verdict"

    attempt: int
    status: str
    gate: str
    passed: list[str]
    reason: str
    findings: list[dict[str, Any]] = Field(default_factory=list[dict[str, Any]])
    difference: dict[str, Any] | None = None
    untested: dict[str, Any] | None = None
    speedup: float | None = None
    threshold: float | None = None
    slower: str = ""
    stalls_before: dict[str, float] | None = None
    stalls_after: dict[str, float] | None = None
    resources_before: dict[str, Any] | None = None
    resources_after: dict[str, Any] | None = None
    node: str | None = None
    remaining: int
    best: float


# --- remembering ----------------------------------------------------------------------------
class HistoryRequest(Request):
    """The last attempts, or those of one verdict word or parent."""

    last: int = Field(default=20, ge=1, le=MOST_ROWS)
    status: str = Field(default="", max_length=40)
    node: str = Field(default="", max_length=64, description="only edits of this node")


class AttemptRow(BaseModel):
    """One attempt in short."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    attempt: int
    parent: str
    kind: str
    status: str
    gate: str
    reason: str
    speedup: float | None
    node: str | None
    edits: list[EditLines]


class History(Answer):
    """Attempts, oldest first, and counts by verdict over the whole run."""

    name: ClassVar[str] = "history"

    attempts: list[AttemptRow]
    verdicts: dict[str, int]
    nodes: list[dict[str, Any]]


class FailuresRequest(Request):
    """Failures of the run in words; with edits, only those of the same textual change."""

    node: str = NodeField
    edits: list[EditLines] = Field(default_factory=list[EditLines], max_length=MOST_EDITS)


class Failures(Answer):
    """What failed, grouped by gate and cause, most frequent first; and whether edits are hopeless.

    Attributes:
        groups: `gate`, `status`, `cause`, `count`, `kinds` and one example `attempt` each.
        same: failures of the same change at any node (only with edits).
        hopeless: the same change failed for a reason that other parents share.
        tried: this exact attempt is finished already.
    """

    name: ClassVar[str] = "failures"

    groups: list[dict[str, Any]]
    same: list[dict[str, Any]]
    hopeless: bool
    tried: bool


class DiffRequest(Request):
    """Two accepted nodes."""

    node: str = NodeField
    other: str = Field(default="root", max_length=64)


class Diff(Answer):
    """The normalized listing of `node` against that of `other`, as a unified diff."""

    name: ClassVar[str] = "diff"

    node: str
    other: str
    lines: list[str]
    cut: bool
    speedup: float


class Report(Answer):
    """Where the run stands.

    Attributes:
        kernel: name, with everything but letters, digits, `_`, `.` and `$` masked.
        target: the processor.
        original: identity of K0.
        best: identity of the fastest node.
        speedup, label: of it, over the original.
        evidence: its class.
        lineage: from K0 to it: node, speedup, edits.
        attempts, remaining, verdicts: of the run.
        accepted: accepted nodes besides K0.
        note: what the figures are and are not.
    """

    name: ClassVar[str] = "report"

    kernel: str
    target: str
    original: str
    best: str
    speedup: float
    label: str
    evidence: str
    lineage: list[dict[str, Any]]
    attempts: int
    remaining: int
    verdicts: dict[str, int]
    accepted: int
    note: str


class Refused(Answer):
    """A call that was not carried out: no such tool, or arguments that do not fit. No attempt."""

    name: ClassVar[str] = "refused"

    error: str
    remedy: str = ""
