"""`manifest.json` of a capsule: its schema, and the way between it and a recording.

The manifest lists every piece of memory by the SHA-256 of its bytes; the pieces lie beside it as
`blobs/<sha256>`, each once. `seal` is the SHA-256 of the rest of the manifest, so that a capsule is
whole and as it was written, or refused.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from asmevo.capsule.recorded.contents import CHUNK
from asmevo.capsule.recorded.model import AllocationClass, CapsuleError, RecordedRole

SCHEMA: Literal["asmevo/capsule/2"] = "asmevo/capsule/2"
MANIFEST, BLOBS = "manifest.json", "blobs"
LARGEST_MANIFEST = 64 << 20
MOST_BYTES = 64 << 30  # of all distinct and repeated contents together
REMEDY = "record the capsule again, or get it again from where it was made"

Packing = Literal["zstd", "raw", "zero"]
Address = Annotated[int, Field(ge=0, lt=1 << 64)]
Count = Annotated[int, Field(ge=0, lt=1 << 47)]
Word = Annotated[int, Field(ge=0, lt=1 << 32)]
Sha = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Name = Annotated[str, Field(min_length=1, max_length=4096)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Piece(_Strict):
    """One piece of contents: at most 4 MiB.

    Attributes:
        sha256: of its bytes, unpacked; also the name of its blob.
        size: bytes, unpacked.
        packing: `zstd` or `raw` blob; `zero` has none.
    """

    sha256: Sha
    size: int = Field(ge=1, le=CHUNK)
    packing: Packing


class StoredContents(_Strict):
    """Bytes of an object or an allocation."""

    size: Count
    pieces: list[Piece] = Field(max_length=1 << 16)


class AllocationEntry(_Strict):
    """See `model.Allocation`."""

    name: Name
    address: Address
    kind: AllocationClass
    role: RecordedRole
    dtype: str
    shape: list[Count] = Field(max_length=32)
    before: StoredContents
    after: StoredContents | None = None


class VariableEntry(_Strict):
    """See `model.Variable`."""

    name: Name
    address: Address
    before: StoredContents
    after: StoredContents | None = None


class DispatchEntry(_Strict):
    """See `model.Dispatch`; the kernarg segment is in hexadecimal."""

    kernel: Name
    object: Sha
    grid: list[Word] = Field(min_length=3, max_length=3)
    block: list[Word] = Field(min_length=3, max_length=3)
    remainder: list[Word] = Field(min_length=3, max_length=3)
    lds_dynamic: Word
    kernarg: str = Field(pattern=r"^([0-9a-f]{2})*$", max_length=1 << 21)
    kernarg_address: Address
    load_address: Address | None
    label: str = Field(max_length=4096)
    provenance: dict[str, Any]
    allocations: list[AllocationEntry] = Field(max_length=65536)
    variables: list[VariableEntry] = Field(max_length=65536)


class Manifest(_Strict):
    """The manifest; see the module."""

    schema_: Literal["asmevo/capsule/2"] = Field(alias="schema")
    asmevo: str
    target: str
    weak: str
    redacted: bool
    provenance: dict[str, Any]
    objects: dict[Sha, StoredContents] = Field(max_length=65536)
    dispatches: list[DispatchEntry] = Field(max_length=65536)
    seal: Sha


def sealed(document: Mapping[str, Any]) -> bytes:
    """The bytes of `manifest.json` for a manifest without seal."""
    return json.dumps({**document, "seal": _seal(document)}, separators=(",", ":")).encode()


def _seal(document: Mapping[str, Any]) -> str:
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def parse(raw: bytes, name: str) -> Manifest:
    """Read and check a manifest; `name` is for messages.

    Raises:
        CapsuleError: no manifest, of another version, changed, or contradicting itself.
    """
    try:
        loaded: object = json.loads(raw)
        if not isinstance(loaded, dict):
            raise ValueError("no object")
        document = cast("dict[str, Any]", loaded)
        version: object = document.get("schema")
        if version != SCHEMA:
            raise CapsuleError(
                f"{name}: capsule schema {str(version)[:60]!r}, this program reads {SCHEMA}", REMEDY
            )
        found = Manifest.model_validate(document)
        del document["seal"]
        seal = _seal(document)
    except (ValidationError, ValueError, RecursionError) as err:
        what = str(err).splitlines()[0] if isinstance(err, ValueError) else "nested too deeply"
        if isinstance(err, ValidationError):
            first = err.errors(include_url=False)[0]
            what = f"{'.'.join(map(str, first['loc'][:4]))}: {first['msg']}"
        raise CapsuleError(f"{name}: damaged: {MANIFEST}: {what[:200]}", REMEDY) from None
    if seal != found.seal:
        raise CapsuleError(f"{name}: changed after it was sealed: {MANIFEST}", REMEDY)
    _check(found, name)
    return found


def _check(manifest: Manifest, name: str) -> None:
    """What the schema cannot say."""
    total = 0
    everything = list(manifest.objects.items())
    for d in manifest.dispatches:
        if d.object not in manifest.objects:
            raise CapsuleError(f"{name}: damaged: no code object of {d.kernel[:80]}", REMEDY)
        if min(*d.grid, *d.block) < 1 or any(
            r >= b for r, b in zip(d.remainder, d.block, strict=True)
        ):
            raise CapsuleError(f"{name}: damaged: geometry of {d.kernel[:80]}", REMEDY)
        for one in (*d.allocations, *d.variables):
            if one.address + one.before.size > 1 << 64:
                raise CapsuleError(f"{name}: damaged: {one.name[:80]} has no such address", REMEDY)
            everything.append((one.name, one.before))
            if one.after is not None:
                if one.after.size != one.before.size:
                    raise CapsuleError(f"{name}: damaged: {one.name[:80]} changes size", REMEDY)
                everything.append((one.name, one.after))
    for label, contents in everything:
        if sum(p.size for p in contents.pieces) != contents.size:
            raise CapsuleError(f"{name}: damaged: pieces of {label[:80]} do not add up", REMEDY)
        total += contents.size
    if total > MOST_BYTES:
        raise CapsuleError(
            f"{name}: holds {total} bytes, at most {MOST_BYTES} are read",
            "record fewer dispatches, or only what they reach",
        )
