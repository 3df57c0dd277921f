"""The JSON object of `asmevo diff`, as its exported schema describes it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from asmevo.prove.versions.comparing import StatusWord
from asmevo.prove.versions.notes import NoteKind
from asmevo.prove.versions.values import ChangeKind

DIFF_SCHEMA = "asmevo/diff/1"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class ObjectPart(_Part):
    """One of the two objects."""

    name: str
    sha256: str


class ResourcePart(_Part):
    """What a kernel asks of the machine; None where it does not apply or is not known."""

    vgprs: int | None
    arch_vgprs: int | None
    agprs: int | None
    sgprs: int | None
    lds: int | None
    scratch: int | None
    waves_per_simd: int | None
    code_bytes: int


class Resources(_Part):
    """Resources of both versions."""

    before: ResourcePart
    after: ResourcePart


class Structure(_Part):
    """Control flow of both versions, and how much of them is the same."""

    blocks_before: int
    blocks_after: int
    instructions_before: int
    instructions_after: int
    graph: str = Field(description="how the control-flow graphs differ; empty: they are matched")
    places: int = Field(description="pairs of corresponding places that the proof goes by")


class Line(_Part):
    """An instruction of a window; index -1 for a note of the way a branch went."""

    index: int
    text: str


class CounterexamplePart(_Part):
    """A state at the window's first instruction from which the versions differ."""

    output: str
    lane: int | None
    address: int | None
    before: int
    after: int
    scalars: dict[str, int]
    vectors: dict[str, int] = Field(description="registers of that lane, or of lane 0")
    memory: dict[str, int] = Field(description="bytes by hexadecimal address")


class ValueChange(_Part):
    """What became of a value of a window."""

    kind: ChangeKind
    text: str
    before: list[int]
    after: list[int]


class WaveNote(_Part):
    """A remark on lanes, EXEC or memory."""

    kind: NoteKind
    text: str


class WindowPart(_Part):
    """A piece of code that differs, and the answer to it."""

    name: str
    verdict: StatusWord
    reason: str
    solver: str
    seconds: float
    inexact: bool
    live_in: list[str]
    live_out: list[str]
    before: list[Line]
    after: list[Line]
    values: list[ValueChange]
    notes: list[WaveNote]
    counterexample: CounterexamplePart | None


class FunctionPart(_Part):
    """A kernel or function that differs."""

    name: str
    is_kernel: bool
    status: StatusWord
    reason: str
    structure: Structure
    resources: Resources
    windows: list[WindowPart]


class DiffRecord(_Part):
    """The whole answer."""

    schema_: Literal["asmevo/diff/1"] = Field(DIFF_SCHEMA, alias="schema")
    ok: bool
    status: StatusWord
    reason: str
    target: str
    before: ObjectPart
    after: ObjectPart
    kernel: str | None
    same: list[str] = Field(description="functions whose instructions are the same")
    functions: list[FunctionPart]
