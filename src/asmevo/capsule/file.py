"""The capsule file: one dispatch in one file, versioned, checked, never unpickled.

Layout, little endian: magic (8 bytes), version u32, header length u32, data length u64, SHA-256 of
header and data (32 bytes), header (JSON: everything but contents), data (kernarg bytes, then
each buffer's bytes in order, without guards, then those of module variables). Sizes are checked
against the file's own length before anything is allocated, so a damaged or hostile file costs no
more memory than its size.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import struct
import tempfile
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from asmevo.capsule.model import KERNARG, BufferState, Capsule, PointerSlot, Role, Tolerance
from asmevo.errors import EnvironmentFault, InputError

MAGIC = b"ASMEVO\x00C"
VERSION = 1
_HEAD = struct.Struct("<8sIIQ32s")
_LONGEST_HEADER = 4 << 20
_REMEDY = "record or synthesize the capsule again"


class CapsuleFileError(InputError):
    """The file is no capsule, damaged, truncated, or of another version."""


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Tolerance(_Record):
    theta: float
    tau: float

    def plain(self) -> Tolerance:
        return Tolerance(self.theta, self.tau)


class _Buffer(_Record):
    name: str
    address: int
    size: int = Field(ge=0)
    dtype: str
    shape: list[int] = Field(max_length=32)
    role: Role
    guard: int
    tolerance: _Tolerance | None
    undefined: bool


class _Pointer(_Record):
    offset: int
    buffer: str
    addend: int
    holder: str = KERNARG


class _Variable(_Record):
    name: str
    size: int = Field(ge=0)


class Header(_Record):
    """Everything but contents: the JSON part of the file."""

    kernel: str
    grid: list[int] = Field(min_length=3, max_length=3)
    block: list[int] = Field(min_length=3, max_length=3)
    lds_dynamic: int
    kernarg_size: int = Field(ge=0)
    kernarg_address: int
    buffers: list[_Buffer] = Field(max_length=1024)
    pointers: list[_Pointer] = Field(max_length=65536)
    schedule: str
    tolerance: _Tolerance
    label: str
    target: str
    provenance: dict[str, Any]
    code_address: int | None = None
    variables: list[_Variable] = Field(default_factory=list[_Variable], max_length=65536)


def _header(capsule: Capsule) -> bytes:
    def tolerance(value: Tolerance | None) -> dict[str, float] | None:
        return None if value is None else {"theta": value.theta, "tau": value.tau}

    document = {
        "kernel": capsule.kernel,
        "grid": list(capsule.grid),
        "block": list(capsule.block),
        "lds_dynamic": capsule.lds_dynamic,
        "kernarg_size": len(capsule.kernarg),
        "kernarg_address": capsule.kernarg_address,
        "buffers": [
            {
                "name": b.name,
                "address": b.address,
                "size": b.size,
                "dtype": b.dtype,
                "shape": list(b.shape),
                "role": b.role,
                "guard": b.guard,
                "tolerance": tolerance(b.tolerance),
                "undefined": b.undefined,
            }
            for b in capsule.buffers
        ],
        "pointers": [
            {"offset": p.offset, "buffer": p.buffer, "addend": p.addend, "holder": p.holder}
            for p in capsule.pointers
        ],
        "schedule": capsule.schedule,
        "tolerance": tolerance(capsule.tolerance),
        "label": capsule.label,
        "target": capsule.target,
        "provenance": dict(capsule.provenance),
        "code_address": capsule.code_address,
        "variables": [{"name": n, "size": len(data)} for n, data in capsule.variables],
    }
    return json.dumps(document, separators=(",", ":")).encode()


def _parts(capsule: Capsule) -> list[bytes]:
    """The file's contents, in order."""
    header = _header(capsule)
    parts = [capsule.kernarg, *(b.data for b in capsule.buffers)]
    parts += [data for _, data in capsule.variables]
    state = hashlib.sha256(header)
    for part in parts:
        state.update(part)
    head = _HEAD.pack(MAGIC, VERSION, len(header), sum(map(len, parts)), state.digest())
    return [head, header, *parts]


def dumps(capsule: Capsule) -> bytes:
    """A capsule as the bytes of its file."""
    return b"".join(_parts(capsule))


def loads(data: bytes, name: str) -> Capsule:
    """Inverse of `dumps`; `name` is for messages.

    Raises:
        CapsuleFileError: see `load`.
        InputError: its contents contradict each other.
    """
    return _read(io.BytesIO(data), len(data), Path(name))


def save(capsule: Capsule, path: str | Path) -> None:
    """Write a capsule. The file appears complete or not at all.

    Raises:
        EnvironmentFault: the file cannot be written.
    """
    path = Path(path)
    temporary: str | None = None
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(descriptor, "wb") as stream:
            for part in _parts(capsule):
                stream.write(part)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise EnvironmentFault(
            f"cannot write {path}: {error.strerror}", "check the folder and the free space"
        ) from None


def load(path: str | Path) -> Capsule:
    """Read a capsule.

    Raises:
        CapsuleFileError: no capsule, truncated, damaged, or of a version this program lacks.
        InputError: the file cannot be read, or its contents contradict each other.
    """
    path = Path(path)
    try:
        with path.open("rb") as stream:
            return _read(stream, os.fstat(stream.fileno()).st_size, path)
    except OSError as error:
        raise InputError(
            f"cannot read {path}: {error.strerror}", "give the path of a capsule file"
        ) from None


def is_capsule(path: str | Path) -> bool:
    """Whether the file begins as a capsule does (False when it cannot be read)."""
    try:
        with Path(path).open("rb") as stream:
            return stream.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def _read(stream: BinaryIO, size: int, path: Path) -> Capsule:
    head = stream.read(_HEAD.size)
    if head[: len(MAGIC)] != MAGIC:
        raise CapsuleFileError(f"{path} is not a capsule file", "give a file that AsmEvo wrote")
    if len(head) < _HEAD.size:
        raise CapsuleFileError(f"{path} is truncated", _REMEDY)
    _, version, header_length, data_length, digest = _HEAD.unpack(head)
    if version != VERSION:
        raise CapsuleFileError(
            f"{path} has capsule version {version}, this program reads {VERSION}", _REMEDY
        )
    if header_length > _LONGEST_HEADER or _HEAD.size + header_length + data_length != size:
        raise CapsuleFileError(f"{path} is truncated or damaged: wrong length", _REMEDY)
    header, data = stream.read(header_length), stream.read(data_length)
    state = hashlib.sha256(header)
    state.update(data)
    if state.digest() != digest:
        raise CapsuleFileError(f"{path} is damaged: checksum differs", _REMEDY)
    try:
        record = Header.model_validate(json.loads(header))
    except (ValidationError, ValueError, TypeError, RecursionError):
        raise CapsuleFileError(f"{path} is damaged: header does not parse", _REMEDY) from None
    parts = sum(b.size for b in record.buffers) + sum(v.size for v in record.variables)
    if record.kernarg_size + parts != data_length:
        raise CapsuleFileError(f"{path} is damaged: sizes do not add up", _REMEDY)
    try:
        return _capsule(record, data)
    except InputError as error:
        raise InputError(f"{path}: {error}", error.remedy or _REMEDY) from None


def _capsule(record: Header, data: bytes) -> Capsule:
    view, offset = memoryview(data), record.kernarg_size
    buffers: list[BufferState] = []
    for b in record.buffers:
        buffers.append(
            BufferState(
                name=b.name,
                address=b.address,
                data=bytes(view[offset : offset + b.size]),
                dtype=b.dtype,
                shape=tuple(b.shape),
                role=b.role,
                guard=b.guard,
                tolerance=b.tolerance.plain() if b.tolerance else None,
                undefined=b.undefined,
            )
        )
        offset += b.size
    variables: list[tuple[str, bytes]] = []
    for v in record.variables:
        variables.append((v.name, bytes(view[offset : offset + v.size])))
        offset += v.size
    grid, block = record.grid, record.block
    return Capsule(
        kernel=record.kernel,
        grid=(grid[0], grid[1], grid[2]),
        block=(block[0], block[1], block[2]),
        lds_dynamic=record.lds_dynamic,
        kernarg=data[: record.kernarg_size],
        buffers=tuple(buffers),
        kernarg_address=record.kernarg_address,
        pointers=tuple(
            PointerSlot(p.offset, p.buffer, p.addend, p.holder) for p in record.pointers
        ),
        schedule=record.schedule,
        tolerance=record.tolerance.plain(),
        label=record.label,
        target=record.target,
        provenance=record.provenance,
        code_address=record.code_address,
        variables=tuple(variables),
    )
