"""The evidence bundle: an accepted object with everything needed to judge it again elsewhere.

A zip archive of fixed members: `manifest.json`, `k0.hsaco`, `k1.hsaco`, `record.json` and
`launches/N.capsule`; only the text is compressed. The manifest names each member's SHA-256. Its
steps are a chain: each step's seal is the hash of the step and of the seal before it, the first
one's of K0, and the bundle's seal is the hash of the manifest without it. So nothing in a bundle
can be changed, left out or moved without a new seal; who needs to know that a bundle is the one
that was published keeps its seal.

Reading is defensive: members by their fixed names only, no more bytes than they say, nothing is
ever unpacked to a path.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from asmevo import __version__
from asmevo.capsule import file as capsule_file
from asmevo.capsule.model import Capsule, timed_launches
from asmevo.device.clock import clock_version
from asmevo.device.protocol import Timing
from asmevo.errors import InputError
from asmevo.program.edit import Edit
from asmevo.program.rebuild.resources import Resources
from asmevo.search.types import Node, edit_to_row, object_id

SCHEMA: Literal["asmevo/bundle/1"] = "asmevo/bundle/1"
MANIFEST, K0, K1, RECORD = "manifest.json", "k0.hsaco", "k1.hsaco", "record.json"
_MOST_MEMBERS = 4096
_LARGEST_TEXT = 64 << 20
_REMEDY = "get the bundle again from where it was made"


class BundleError(InputError):
    """The file is no evidence bundle, damaged, or was changed after it was sealed."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Counts(_Strict):
    """Register counts that an edit declares."""

    vgprs: int | None = Field(default=None, ge=0)
    agprs: int | None = Field(default=None, ge=0)


class EditEntry(_Strict):
    """One edit of a step, as in the record."""

    first: int = Field(ge=0)
    last: int = Field(ge=0)
    lines: list[str]
    note: str = ""
    resources: Counts | None = None

    def edit(self) -> Edit:
        """The edit itself."""
        counts = None
        if self.resources is not None:
            counts = Resources(vgprs=self.resources.vgprs, agprs=self.resources.agprs)
        return Edit(self.first, self.last, tuple(self.lines), self.note, counts)


class Step(_Strict):
    """One accepted edit: from `parent` to `node`, both SHA-256 of whole files."""

    sequence: int
    parent: str
    node: str
    edits: list[EditEntry]
    evidence_class: str
    speedup: float
    seal: str


class LaunchEntry(_Strict):
    """One launch, with K0's and K1's times if it is timed."""

    member: str
    label: str
    timed: bool
    k0_time: float | None = None
    k1_time: float | None = None
    k0_cases: dict[str, float] = Field(default_factory=dict)
    k1_cases: dict[str, float] = Field(default_factory=dict)


class Manifest(_Strict):
    """What a bundle claims. `asmevo schema bundle` prints this as a JSON Schema.

    Attributes:
        kernel, target: what was edited.
        k0, k1: SHA-256 of the two files.
        clock: version of the model that gave the times (`device.clock.clock_version`); empty for
            measured ones, and in bundles of versions that did not say.
        evidence_class: strength of the evidence, as in the record.
        label, unit: of all times: `modelled` or `measured`.
        speedup: K0's time over K1's, geometric mean over the timed launches.
        rule: thresholds of the commit rule.
        verify: options of the final verification.
        allow_untested: changes that no launch executed were allowed.
        steps: accepted edits, from K0 to K1.
        launches: what both ran on.
        members: SHA-256 by member.
        seal: hash of all of this.
    """

    schema_: Literal["asmevo/bundle/1"] = Field(alias="schema")
    asmevo: str
    clock: str = ""
    kernel: str
    target: str
    k0: str
    k1: str
    evidence_class: str
    label: Literal["modelled", "measured"]
    unit: str
    speedup: float
    rule: dict[str, float]
    verify: dict[str, Any]
    allow_untested: bool
    steps: list[Step] = Field(max_length=100_000)
    launches: list[LaunchEntry] = Field(max_length=_MOST_MEMBERS)
    members: dict[str, str]
    seal: str


@dataclass(frozen=True, slots=True, eq=False)
class Bundle:
    """A bundle that was read: whole, consistent and as it was sealed."""

    manifest: Manifest
    k0: bytes
    k1: bytes
    record: Mapping[str, Any]
    launches: tuple[Capsule, ...]


def _digest(value: Mapping[str, Any]) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _step(node: Node, before: str) -> dict[str, Any]:
    step: dict[str, Any] = {
        "sequence": node.sequence,
        "parent": node.parent,
        "node": node.id,
        "edits": [edit_to_row(e) for e in node.edits],
        "evidence_class": node.evidence,
        "speedup": node.speedup,
    }
    return {**step, "seal": _digest({"before": before, "step": step})}


def pack(
    k0: bytes,
    k1: bytes,
    lineage: Sequence[Node],
    launches: Sequence[Capsule],
    record: Mapping[str, Any],
    *,
    rule: Mapping[str, float],
    verify: Mapping[str, Any],
) -> bytes:
    """The bundle of an accepted object, as the bytes of a file.

    Args:
        k0, k1: the original and the accepted object.
        lineage: from K0's node to K1's.
        launches: what they were compared on.
        record: the run's record (`asmevo optimize --record`).
        rule: thresholds of the commit rule.
        verify: options of the final verification.
    """
    members = {K0: k0, K1: k1, RECORD: json.dumps(record, indent=2, sort_keys=True).encode()}
    times = iter(zip(lineage[0].timings, lineage[-1].timings, strict=True))
    timed = {id(c) for c in timed_launches(launches)}
    entries: list[dict[str, Any]] = []
    for number, capsule in enumerate(launches):
        member = f"launches/{number}.capsule"
        members[member] = capsule_file.dumps(capsule)
        entry: dict[str, Any] = {
            "member": member,
            "label": capsule.label,
            "timed": id(capsule) in timed,
        }
        if id(capsule) in timed:
            entry |= _times(*next(times))
        entries.append(entry)
    steps: list[dict[str, Any]] = []
    for node in lineage[1:]:
        steps.append(_step(node, steps[-1]["seal"] if steps else object_id(k0)))
    manifest: dict[str, Any] = {
        "schema": SCHEMA,
        "asmevo": __version__,
        "clock": clock_version() if lineage[0].label == "modelled" else "",
        "kernel": record["kernel"],
        "target": record["target"],
        "k0": object_id(k0),
        "k1": object_id(k1),
        "evidence_class": record["evidence"]["evidence_class"],
        "label": lineage[0].label,
        "unit": lineage[0].unit,
        "speedup": lineage[-1].speedup,
        "rule": dict(rule),
        "verify": dict(verify),
        "allow_untested": bool(verify["allow_untested"]),
        "steps": steps,
        "launches": entries,
        "members": {n: hashlib.sha256(data).hexdigest() for n, data in members.items()},
    }
    manifest["seal"] = _digest(manifest)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in ((MANIFEST, json.dumps(manifest, indent=2).encode()), *members.items()):
            # Fixed times: equal results give equal bundles. Only text is compressed, so that no
            # small file can unpack to a large one.
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = _compression(name)
            archive.writestr(info, data)
    return out.getvalue()


def _compression(member: str) -> int:
    return zipfile.ZIP_DEFLATED if member.endswith(".json") else zipfile.ZIP_STORED


def _times(k0: Timing, k1: Timing) -> dict[str, Any]:
    return {
        "k0_time": k0.centre,
        "k1_time": k1.centre,
        "k0_cases": dict(k0.cases),
        "k1_cases": dict(k1.cases),
    }


def unpack(data: bytes, name: str) -> Bundle:
    """Read a bundle, and hold every hash in it against what it is of.

    Raises:
        BundleError: see the class; `name` is for its message.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _read(archive, name)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as err:
        raise BundleError(f"{name}: no evidence bundle: {err}", _REMEDY) from None
    except (ValueError, zlib.error) as err:
        raise BundleError(f"{name}: damaged: {err}", _REMEDY) from None


def _read(archive: zipfile.ZipFile, name: str) -> Bundle:
    infos = {i.filename: i for i in archive.infolist()}
    if MANIFEST not in infos:
        raise BundleError(f"{name}: no evidence bundle: it has no {MANIFEST}", _REMEDY)
    if len(archive.infolist()) != len(infos) or len(infos) > _MOST_MEMBERS:
        raise BundleError(f"{name}: members appear twice, or there are too many", _REMEDY)
    raw = _member(archive, infos[MANIFEST], name)
    manifest = _manifest(raw, name)
    if set(manifest.members) != set(infos) - {MANIFEST}:
        odd = sorted(set(manifest.members) ^ (set(infos) - {MANIFEST}))[0]
        raise BundleError(f"{name}: changed after it was sealed: member {odd!r}", _REMEDY)
    contents: dict[str, bytes] = {}
    for member, digest in manifest.members.items():
        contents[member] = _member(archive, infos[member], name)
        if hashlib.sha256(contents[member]).hexdigest() != digest:
            raise BundleError(f"{name}: changed after it was sealed: {member}", _REMEDY)
    for member, stated in ((K0, manifest.k0), (K1, manifest.k1)):
        if member not in contents or object_id(contents[member]) != stated:
            raise BundleError(f"{name}: {member} is not the object that it claims", _REMEDY)
    record = _record(contents.get(RECORD, b""), name)
    for entry in manifest.launches:
        if entry.member not in contents:
            raise BundleError(f"{name}: damaged: no launch {entry.member!r}", _REMEDY)
    launches = tuple(
        capsule_file.loads(contents[entry.member], f"{name}: {entry.member}")
        for entry in manifest.launches
    )
    return Bundle(manifest, contents[K0], contents[K1], record, launches)


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> bytes:
    stored = info.compress_type == zipfile.ZIP_STORED
    if info.file_size > (info.compress_size if stored else _LARGEST_TEXT):
        raise BundleError(f"{name}: {info.filename} unpacks to {info.file_size} bytes", _REMEDY)
    if info.compress_type != _compression(info.filename):
        raise BundleError(f"{name}: {info.filename} is packed in another way", _REMEDY)
    with archive.open(info) as stream:
        data = stream.read(info.file_size + 1)
    if len(data) != info.file_size:
        raise BundleError(f"{name}: damaged: {info.filename} has another length", _REMEDY)
    return data


def _record(raw: bytes, name: str) -> dict[str, Any]:
    try:
        found: object = json.loads(raw)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise BundleError(f"{name}: damaged: {RECORD} is no record", _REMEDY)
    return cast("dict[str, Any]", found)


def _manifest(raw: bytes, name: str) -> Manifest:
    try:
        document = json.loads(raw)
        manifest = Manifest.model_validate(document)
    except (ValidationError, ValueError, RecursionError) as err:
        what = str(err).splitlines()[0]
        raise BundleError(f"{name}: damaged: {MANIFEST}: {what}", _REMEDY) from None
    stated = document.pop("seal")
    if _digest(document) != stated:
        raise BundleError(f"{name}: changed after it was sealed: {MANIFEST}", _REMEDY)
    before, parent = manifest.k0, manifest.k0
    for step, plain in zip(manifest.steps, document["steps"], strict=True):
        body = {k: v for k, v in plain.items() if k != "seal"}
        if step.parent != parent or step.seal != _digest({"before": before, "step": body}):
            raise BundleError(f"{name}: step {step.sequence} breaks the chain", _REMEDY)
        before, parent = step.seal, step.node
    if parent != manifest.k1:
        raise BundleError(f"{name}: the steps do not lead to K1", _REMEDY)
    return manifest
