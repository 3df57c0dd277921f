"""The capsule: everything one dispatch needs, with memory as it is *before* the dispatch.

A state captured after the dispatch would let a kernel that stores nothing pass, so it is always
the state before. Buffers lie at virtual addresses that the kernarg segment already holds, each
between two red zones (guards); `regions` gives the map that a device has to set up.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from asmevo.capsule.dtypes import DType, dtype
from asmevo.capsule.schedule import Schedule
from asmevo.errors import InputError

if TYPE_CHECKING:
    from asmevo.capsule.synthesize import Recipe

Role = Literal["in", "out", "inout", "scratch"]
ROLES: tuple[Role, ...] = ("in", "out", "inout", "scratch")
ADDRESS_LIMIT = 1 << 47  # user half of the 48-bit GPU virtual address space
KERNARG = "kernarg"  # what the kernarg segment is called among the buffers
DEFAULT_GUARD = 4096
PACKET_DISTANCE = (1 << 33) - (1 << 6)  # from the dispatch packet up to code that is placed
LARGEST_GUARD = 1 << 20  # a guard costs memory when mapped; a hostile file must not choose how much


@dataclass(frozen=True, slots=True)
class Tolerance:
    """When two float buffers count as equal (design section 4).

    Attributes:
        theta: least cosine similarity.
        tau: most |delta|, relative to the largest finite |reference| of the buffer.
    """

    theta: float = 0.9999
    tau: float = 1.0e-3

    def __post_init__(self) -> None:
        if not 0.0 <= self.theta <= 1.0 or not (self.tau >= 0.0 and math.isfinite(self.tau)):
            raise InputError(
                f"tolerance theta={self.theta}, tau={self.tau} is out of range",
                "theta lies in [0, 1], tau is a finite number >= 0",
            )


@dataclass(frozen=True, slots=True)
class Region:
    """One piece of the device's address space.

    Attributes:
        name: buffer name, or `kernarg`.
        address: first byte.
        data: contents before the dispatch.
        permission: `r` or `rw`.
        kind: what it holds.
        guard: bytes of red zone at either end that are part of `data` (0 when guards are unmapped).
    """

    name: str
    address: int
    data: bytes
    permission: Literal["r", "rw"]
    kind: Literal["buffer", "kernarg"]
    guard: int = 0

    @property
    def end(self) -> int:
        """First address after the region."""
        return self.address + len(self.data)


@dataclass(frozen=True, slots=True)
class PointerSlot:
    """A pointer in memory: `holder[offset:offset+8] = address(buffer) + addend`.

    Attributes:
        offset: bytes from the start of the holder.
        buffer: name of the buffer that it points to.
        addend: bytes from that buffer's start.
        holder: the kernarg segment, or the name of a buffer.
    """

    offset: int
    buffer: str
    addend: int = 0
    holder: str = KERNARG


@dataclass(frozen=True, slots=True)
class BufferState:
    """A buffer before the dispatch.

    Attributes:
        name: argument name, unique in the capsule.
        address: device virtual address of its first byte.
        data: contents before the dispatch, without guards.
        dtype: canonical element type name (see `capsule.dtypes`).
        shape: elements per dimension; () is one element.
        role: `in` (read only), `out` (contents before are undefined and get poisoned),
            `inout`, or `scratch` (not compared afterwards).
        guard: bytes of red zone on both sides.
        tolerance: override of the capsule's tolerance.
        undefined: contents before the dispatch carry no meaning (`out`, and `scratch` without an
            initializer); verification fills them with poison.
    """

    name: str
    address: int
    data: bytes
    dtype: str
    shape: tuple[int, ...]
    role: Role
    guard: int = DEFAULT_GUARD
    tolerance: Tolerance | None = None
    undefined: bool = False

    def __post_init__(self) -> None:
        kind = dtype(self.dtype)
        if self.role not in ROLES:
            raise InputError(
                f"buffer {self.name!r}: unknown role {self.role!r}", "use " + ", ".join(ROLES)
            )
        if min(self.shape, default=1) < 0 or not 0 <= self.guard <= LARGEST_GUARD:
            raise InputError(f"buffer {self.name!r}: negative shape, or guard out of range")
        if math.prod(self.shape) * kind.size != len(self.data):
            raise InputError(
                f"buffer {self.name!r}: {len(self.data)} bytes do not fill shape "
                f"{list(self.shape)} of {self.dtype}"
            )
        if self.address - self.guard < 0 or self.address + self.size + self.guard > ADDRESS_LIMIT:
            raise InputError(f"buffer {self.name!r}: address 0x{self.address:x} is out of range")
        if self.undefined and self.role not in ("out", "scratch"):
            raise InputError(f"buffer {self.name!r}: role {self.role} needs defined contents")

    @property
    def size(self) -> int:
        """Bytes, without guards."""
        return len(self.data)

    @property
    def element(self) -> DType:
        """Element type."""
        return dtype(self.dtype)

    def array(self) -> NDArray[Any]:
        """Read-only NumPy view of the contents, in the buffer's dtype and shape."""
        return self.view(self.data)

    def view(self, data: bytes) -> NDArray[Any]:
        """Read-only NumPy view of other contents of this buffer (e.g. after a run)."""
        return np.frombuffer(data, dtype=self.element.numpy).reshape(self.shape)


@lru_cache(maxsize=256)
def guard_bytes(name: str, side: Literal["low", "high"], length: int) -> bytes:
    """Red zone pattern: position dependent and different for each buffer and side.

    A constant byte would hide a store of that byte; here a stray store goes unseen with
    probability 2^-8 per byte.
    """
    seed = hashlib.sha256(f"asmevo guard {side} {name}".encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(seed[:8], "little"))).bytes(length)


def _no_provenance() -> dict[str, Any]:
    return {}


@dataclass(frozen=True, slots=True)
class Capsule:
    """One dispatch, ready to run any number of times.

    Attributes:
        kernel: kernel name as the code object's metadata gives it.
        grid: workgroups in x, y, z.
        block: workitems of a workgroup in x, y, z.
        lds_dynamic: dynamic LDS bytes on top of the descriptor's fixed size.
        kernarg: contents of the kernarg segment, pointers filled in.
        buffers: all memory that the kernel may touch.
        kernarg_address: device virtual address of the kernarg segment.
        pointers: where the kernarg segment, or a buffer, holds buffer addresses.
        schedule: wave order (see `capsule.schedule`).
        tolerance: for float buffers without an override.
        label: short name for reports, e.g. `n=1000`.
        target: target id the capsule was made for, or an empty string.
        provenance: how it was made (JSON-able): origin, seed, sizes, description hash.
        code_address: device virtual address that the object is loaded at; None for the device's
            own choice (and where a device leaves none).
        variables: (symbol, contents before the dispatch) of module variables of the object that are
            not as its file has them.
        recipe: what it was synthesized from; None for recorded dispatches. No part of the dispatch
            itself: files and comparisons leave it out.
    """

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    lds_dynamic: int
    kernarg: bytes
    buffers: tuple[BufferState, ...]
    kernarg_address: int
    pointers: tuple[PointerSlot, ...] = ()
    schedule: str = "barrier"
    tolerance: Tolerance = field(default_factory=Tolerance)
    label: str = ""
    target: str = ""
    provenance: Mapping[str, Any] = field(default_factory=_no_provenance)
    code_address: int | None = None
    variables: tuple[tuple[str, bytes], ...] = ()
    recipe: Recipe | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        Schedule.parse(self.schedule)
        for what, triple in (("grid", self.grid), ("block", self.block)):
            if min(triple) < 1 or max(triple) >= 1 << 32:
                raise InputError(
                    f"{what} {list(triple)} of kernel {self.kernel!r} has an empty or negative "
                    "dimension",
                    f"every {what} dimension is at least 1",
                )
        if self.lds_dynamic < 0:
            raise InputError(f"dynamic LDS of kernel {self.kernel!r} is negative")
        self._check_layout()

    def _check_layout(self) -> None:
        names = [b.name for b in self.buffers]
        if len(set(names)) != len(names):
            raise InputError(f"kernel {self.kernel!r}: two buffers have one name")
        if KERNARG in names:
            raise InputError("a buffer is called 'kernarg'", "that name means the kernarg segment")
        spans = [(b.address - b.guard, b.address + b.size + b.guard, b.name) for b in self.buffers]
        spans.append((self.kernarg_address, self.kernarg_address + len(self.kernarg), KERNARG))
        spans.sort()
        for (_, end, first), (start, _, second) in pairwise(spans):
            if start < end:
                raise InputError(f"buffers {first!r} and {second!r} overlap in the address space")
        contents = {KERNARG: self.kernarg, **{b.name: b.data for b in self.buffers}}
        addresses = {b.name: b.address for b in self.buffers}
        for slot in self.pointers:
            data = contents.get(slot.holder, b"")
            if slot.buffer not in addresses or not 0 <= slot.offset <= len(data) - 8:
                raise InputError(
                    f"{slot.holder} pointer at {slot.offset} names no buffer of the capsule"
                )
            held = int.from_bytes(data[slot.offset : slot.offset + 8], "little")
            if held != addresses[slot.buffer] + slot.addend:
                raise InputError(
                    f"{slot.holder} pointer at {slot.offset} is not buffer {slot.buffer!r}'s "
                    "address"
                )

    @property
    def workgroups(self) -> int:
        """Number of workgroups of the dispatch."""
        return math.prod(self.grid)

    @property
    def timed(self) -> bool:
        """Whether its speed matters: not for `test` launches, stressed inputs and variations.

        A capsule that names no role is timed unless it is a size variant.
        """
        if "stress" in self.provenance or "varied" in self.provenance:
            return False
        role = self.provenance.get("role")
        return role == "timed" if role is not None else not self.provenance.get("variant")

    @property
    def workitems(self) -> int:
        """Workitems of one workgroup."""
        return math.prod(self.block)

    def buffer(self, name: str) -> BufferState:
        """The buffer called `name`.

        Raises:
            InputError: there is none.
        """
        for candidate in self.buffers:
            if candidate.name == name:
                return candidate
        raise InputError(
            f"no buffer {name!r} in the capsule of kernel {self.kernel!r}",
            "it has " + ", ".join(b.name for b in self.buffers),
        )

    def buffer_at(self, address: int) -> tuple[BufferState, bool] | None:
        """The buffer whose bytes or guards hold `address`, and whether it is in a guard."""
        for b in self.buffers:
            if b.address - b.guard <= address < b.address + b.size + b.guard:
                return b, not b.address <= address < b.address + b.size
        return None

    def with_data(self, contents: Mapping[str, bytes]) -> Capsule:
        """The same dispatch with other contents for some buffers (sizes must match).

        Raises:
            InputError: unknown buffer or wrong size.
        """
        for name in contents:
            self.buffer(name)
        changed = tuple(
            replace(b, data=contents[b.name]) if b.name in contents else b for b in self.buffers
        )
        return replace(self, buffers=changed)

    def with_pointers(self, holder: str, data: bytes) -> bytes:
        """`data` with the pointers that the holder (a buffer, the kernarg segment) has."""
        addresses = {b.name: b.address for b in self.buffers}
        slots = [s for s in self.pointers if s.holder == holder]
        if not slots:
            return data
        changed = bytearray(data)
        for s in slots:
            changed[s.offset : s.offset + 8] = (addresses[s.buffer] + s.addend).to_bytes(
                8, "little"
            )
        return bytes(changed)

    def derived(self, mark: str, provenance: Mapping[str, Any]) -> Capsule:
        """The same dispatch under a label that says what was made of another one."""
        label = f"{self.label} {mark}".strip()
        return replace(self, label=label, provenance={**self.provenance, **provenance})

    def regions(
        self, *, guards_mapped: bool = False, inputs_writable: bool = False
    ) -> tuple[Region, ...]:
        """The address space of the dispatch, by rising address.

        Args:
            guards_mapped: include each buffer's red zones, filled with their pattern, in its
                region (damage is then found by `guard_damage`). Otherwise only the buffer itself
                is mapped, and an access to the red zone is an access to unmapped memory.
            inputs_writable: map `in` buffers writable (as hardware does), so that a modified
                input is found by comparison and not by a fault.
        """
        found = [Region(KERNARG, self.kernarg_address, self.kernarg, "r", "kernarg")]
        for b in self.buffers:
            guard = b.guard if guards_mapped else 0
            data = b.data
            if guard:
                data = b"".join(
                    (guard_bytes(b.name, "low", guard), data, guard_bytes(b.name, "high", guard))
                )
            permission = "r" if b.role == "in" and not inputs_writable else "rw"
            found.append(Region(b.name, b.address - guard, data, permission, "buffer", guard))
        return tuple(sorted((r for r in found if r.data), key=lambda r: r.address))

    def guard_damage(self, memory: Mapping[str, bytes]) -> tuple[str, ...]:
        """Names of buffers whose red zones changed.

        Args:
            memory: contents of regions made with `guards_mapped` after the run, by buffer name.
        """
        damaged: list[str] = []
        for b in self.buffers:
            data = memory.get(b.name)
            if data is None or not b.guard:
                continue
            low, high = data[: b.guard], data[len(data) - b.guard :]
            if low != guard_bytes(b.name, "low", b.guard) or high != guard_bytes(
                b.name, "high", b.guard
            ):
                damaged.append(b.name)
        return tuple(damaged)

    def save(self, path: str | Path) -> None:
        """Write the capsule to a file; see `capsule.file.save`."""
        from asmevo.capsule import file

        file.save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Capsule:
        """Read a capsule file; see `capsule.file.load`."""
        from asmevo.capsule import file

        return file.load(path)

    def digest(self) -> str:
        """SHA-256 (hex) over everything that can influence a run or its comparison."""
        state = hashlib.sha256()
        head = (
            self.kernel,
            self.grid,
            self.block,
            self.lds_dynamic,
            self.kernarg.hex(),
            self.kernarg_address,
            self.schedule,
            self.tolerance,
            self.target,
            self.code_address,
            self.pointers,
        )
        state.update(repr(head).encode())
        for b in self.buffers:
            meta = (b.name, b.address, b.dtype, b.shape, b.role, b.guard, b.tolerance, b.undefined)
            state.update(repr(meta).encode())
            state.update(hashlib.sha256(b.data).digest())
        for name, data in self.variables:
            state.update(repr((name, data)).encode())
        return state.hexdigest()


def timed_launches(capsules: Sequence[Capsule]) -> tuple[Capsule, ...]:
    """The launches that speed is judged on: those that are `timed`.

    Test launches and stressed inputs test a candidate; a speed figure never includes them. Where
    no launch says what it is for, the first one is timed.

    Raises:
        InputError: all launches are there to test.
    """
    found = tuple(c for c in capsules if c.timed)
    if not found and any(c.provenance.get("role") == "test" for c in capsules):
        raise InputError(
            "no launch is timed: all have the role test",
            "give the sizes of real work under `timed` in the launch description",
        )
    return found or tuple(capsules[:1])
