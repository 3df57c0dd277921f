"""What a capsule of recorded dispatches holds.

A recording has code objects and dispatches of their kernels. A dispatch has its geometry, the bytes
of its kernarg segment, and the allocations that it can reach, each at the virtual address that it
had, with its contents *before* the dispatch and, as a second witness, optionally after it. Pointers
are ordinary bytes in all of these: they hold the recorded addresses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from asmevo.capsule.recorded.contents import BytesLike, Contents
from asmevo.errors import InputError

AllocationClass = Literal["device", "managed", "pinned", "host", "virtual", "unknown"]
CLASSES: tuple[AllocationClass, ...] = get_args(AllocationClass)
RecordedRole = Literal["unknown", "in", "out", "inout", "scratch"]
Triple = tuple[int, int, int]


class CapsuleError(InputError):
    """A capsule that is missing, truncated, damaged, tampered with, or of another version."""


def _nothing() -> dict[str, Any]:
    return {}


@dataclass(frozen=True, slots=True)
class Allocation:
    """One allocation that a dispatch can reach.

    Attributes:
        name: unique in the dispatch, e.g. the argument's name or `mem0`.
        address: device virtual address of its first byte.
        before: contents before the dispatch; bytes-like, or `Contents` of another capsule.
        after: contents after it, of the same size, or None.
        kind: class of the allocation: `device` (hipMalloc), `managed`, `pinned` (hipHostMalloc),
            `host` (registered), `virtual` (hipMemMap), `unknown`.
        role: if it is known; else it is found out by running the kernel.
        dtype: element type (see `capsule.dtypes`) if it is known, else empty.
        shape: elements per dimension where dtype is known; () for as many as fit.
    """

    name: str
    address: int
    before: BytesLike | Contents
    after: BytesLike | Contents | None = None
    kind: AllocationClass = "device"
    role: RecordedRole = "unknown"
    dtype: str = ""
    shape: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """Bytes."""
        return Contents.of(self.before).size


@dataclass(frozen=True, slots=True)
class Variable:
    """A module variable (`__device__` or `__constant__`) of the dispatch's code object.

    Attributes:
        name: its symbol.
        address: device virtual address it was loaded at.
        before, after: see `Allocation`.
    """

    name: str
    address: int
    before: BytesLike | Contents
    after: BytesLike | Contents | None = None

    @property
    def size(self) -> int:
        """Bytes."""
        return Contents.of(self.before).size


@dataclass(frozen=True, slots=True)
class Dispatch:
    """One recorded dispatch.

    Attributes:
        kernel: kernel name as the code object's metadata gives it (not the `.kd` symbol).
        object: SHA-256 (hex) of its code object among the recording's.
        grid: workgroups in x, y, z; a partial last one counts.
        block: workitems of a workgroup in x, y, z.
        kernarg: bytes of the kernarg segment as the packet processor saw it.
        kernarg_address: device virtual address of the segment.
        allocations: what it can reach; they do not overlap.
        variables: module variables of its object.
        lds_dynamic: dynamic LDS bytes on top of the descriptor's fixed size.
        remainder: workitems of a partial last workgroup per axis; 0 where all are whole.
        load_address: device address of the object's first byte (virtual address 0 of the ELF file),
            or None when it is not known.
        label: short name for reports, e.g. `launch 3, n=1000`.
        provenance: how it was recorded (JSON-able), e.g. ordinal, stream, process, time.
    """

    kernel: str
    object: str
    grid: Triple
    block: Triple
    kernarg: bytes
    kernarg_address: int
    allocations: tuple[Allocation, ...] = ()
    variables: tuple[Variable, ...] = ()
    lds_dynamic: int = 0
    remainder: Triple = (0, 0, 0)
    load_address: int | None = None
    label: str = ""
    provenance: Mapping[str, Any] = field(default_factory=_nothing)

    @property
    def size(self) -> int:
        """Bytes of all contents before the dispatch."""
        return sum(a.size for a in self.allocations) + sum(v.size for v in self.variables)


@dataclass(frozen=True, slots=True)
class Recording:
    """Recorded dispatches and their code objects.

    Attributes:
        objects: code objects as they were loaded, by SHA-256 (hex) of their bytes.
        dispatches: in the order of recording.
        target: target id of the device, e.g. `gfx942:sramecc+:xnack-`; empty if not known.
        weak: why the recorded state is a weak oracle (e.g. it is from after the dispatch), or
            empty.
        redacted: values of data were replaced.
        provenance: how it was made (JSON-able): tool and version, command, device.
    """

    objects: Mapping[str, BytesLike | Contents]
    dispatches: tuple[Dispatch, ...]
    target: str = ""
    weak: str = ""
    redacted: bool = False
    provenance: Mapping[str, Any] = field(default_factory=_nothing)
