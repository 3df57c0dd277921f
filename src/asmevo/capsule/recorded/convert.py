"""From a recorded dispatch to a capsule that a device runs.

Memory stays at its recorded addresses, so pointers of any depth lead where they led. Pointers that
can be told are declared (those that the metadata names, and words that hold the address of an
allocation), so that the dispatch can also be run elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from asmevo.capsule import layout
from asmevo.capsule.dtypes import dtype
from asmevo.capsule.kernarg import RUNTIME_STATE
from asmevo.capsule.model import (
    ADDRESS_LIMIT,
    DEFAULT_GUARD,
    KERNARG,
    PACKET_DISTANCE,
    BufferState,
    Capsule,
    PointerSlot,
    Role,
)
from asmevo.capsule.recorded.contents import BytesLike, Contents
from asmevo.capsule.recorded.model import Allocation, CapsuleError, Dispatch, Recording
from asmevo.capsule.recorded.reach import Extent, Map
from asmevo.codeobject.metadata import KernelArg
from asmevo.codeobject.object import CodeObject, Kernel
from asmevo.errors import AsmEvoError, EnvironmentFault, InputError, UnsupportedError

ORIGIN = "recorded"  # of `provenance["origin"]`
_MOST_POINTERS = 1 << 15  # in one allocation; of a table that is longer none is declared
_CODE_ROOM = 1 << 32


def launches(
    recording: Recording, code: CodeObject, source: str, kernel: str | None = None
) -> tuple[Capsule, ...]:
    """What the recorded dispatches are for a device, in their order.

    Args:
        recording: the dispatches.
        code: the object to launch: one of the recording's, or an edited one.
        source: name of the capsule for messages.
        kernel: only dispatches of this kernel; needed where there are several kernels.

    Raises:
        InputError: no dispatch of the kernel, or of several; a dispatch that no device can run.
        UnsupportedError: a dispatch with a partial last workgroup.
        EnvironmentFault: it does not fit into the memory of this machine.
    """
    names = list(dict.fromkeys(d.kernel for d in recording.dispatches))
    wanted = names if kernel is None else [n for n in names if _same(code, n, kernel)]
    if len(wanted) != 1:
        have = ", ".join(n[:120] for n in names[:12]) or "none"
        if not wanted:
            raise InputError(f"{source}: no dispatch of kernel {kernel!r}", f"it has {have}")
        raise InputError(f"{source}: dispatches of {len(names)} kernels", f"give --kernel: {have}")
    chosen = [d for d in recording.dispatches if d.kernel == wanted[0]]
    require_memory(sum(d.size for d in chosen), source)
    found = code.kernel(wanted[0])
    kept: dict[object, bytes] = {}
    made: list[Capsule] = []
    for number, dispatch in enumerate(chosen):
        try:
            made.append(_launch(recording, dispatch, number, code, found, kept))
        except AsmEvoError as err:
            raise type(err)(f"{source}: dispatch {number}: {err}", err.remedy) from None
    return tuple(made)


def _same(code: CodeObject, name: str, asked: str) -> bool:
    """Whether two names are those of one kernel."""
    if name == asked:
        return True
    try:
        return code.kernel(name) is code.kernel(asked)
    except AsmEvoError:
        return False


def require_memory(size: int, source: str) -> None:
    """Refuse contents that the memory of this machine cannot hold twice (before and after).

    Raises:
        EnvironmentFault: it cannot.
    """
    free = free_memory()
    if free is not None and 2 * size > free:
        raise EnvironmentFault(
            f"{source}: its memory needs {2 * size} bytes here, {free} are free",
            "record fewer dispatches, or use a machine with more memory",
        )


def free_memory() -> int | None:
    """Bytes that are free on this machine; None where it does not say."""
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii")
        return int(text.partition("MemAvailable:")[2].split()[0]) << 10
    except (OSError, ValueError, IndexError):
        return None


def _launch(
    recording: Recording,
    dispatch: Dispatch,
    number: int,
    code: CodeObject,
    kernel: Kernel,
    kept: dict[object, bytes],
) -> Capsule:
    if any(dispatch.remainder):
        raise UnsupportedError(
            f"its last workgroup is partial ({list(dispatch.remainder)} workitems over)",
            "record a launch of whole workgroups",
        )
    names = _names(dispatch)
    memory = [a for a in dispatch.allocations if a.size]
    places = Map(Extent(names[a.name], a.address, a.size) for a in memory)
    guards = _guards(memory)
    buffers = tuple(
        _buffer(a, names[a.name], guards[a.name], _bytes(a.before, kept), code) for a in memory
    )
    segment = _segment(kernel.metadata.args, dispatch.kernarg, places)
    known = places.pointers(segment) or ()
    slots = [PointerSlot(p.offset, p.name, p.addend) for p in known]
    for b in buffers:
        if b.address % 8 == 0:
            inner = places.pointers(b.data, _MOST_POINTERS) or ()
            slots += [PointerSlot(p.offset, p.name, p.addend, b.name) for p in inner]
    spans = [(b.address - b.guard, b.address + b.size + b.guard) for b in buffers]
    kernarg_address = _free(dispatch.kernarg_address, len(segment) + 64, spans)
    spans.append((kernarg_address, kernarg_address + len(segment) + 64))
    return Capsule(
        kernel=kernel.name,
        grid=dispatch.grid,
        block=dispatch.block,
        lds_dynamic=dispatch.lds_dynamic,
        kernarg=segment,
        buffers=buffers,
        kernarg_address=kernarg_address,
        pointers=tuple(slots),
        label=dispatch.label or f"dispatch {number}",
        target=recording.target,
        provenance={
            "origin": ORIGIN,
            "weak": recording.weak,
            "redacted": recording.redacted,
            "recorded": dict(dispatch.provenance),
        },
        code_address=_code_address(dispatch, code, spans),
        variables=tuple((v.name, _bytes(v.before, kept)) for v in dispatch.variables),
    )


def _bytes(value: BytesLike | Contents, kept: dict[object, bytes]) -> bytes:
    """Contents, read once where several dispatches hold the same ones."""
    contents = Contents.of(value)
    key = contents.identity
    if key is None:
        return contents.read()
    if key not in kept:
        kept[key] = contents.read()
    return kept[key]


def _names(dispatch: Dispatch) -> dict[str, str]:
    """Names of buffers by names of allocations: `kernarg` means the segment."""
    taken = {a.name for a in dispatch.allocations}
    return {n: n if n != KERNARG else _other(n, taken) for n in taken}


def _other(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _guards(memory: Sequence[Allocation]) -> dict[str, int]:
    """Bytes of red zone of each allocation: what lies free on both sides, up to the usual."""
    ordered = sorted(memory, key=lambda a: a.address)
    gaps = [ADDRESS_LIMIT]
    for one, other in pairwise(ordered):
        gaps.append(other.address - one.address - one.size)
    gaps.append(ADDRESS_LIMIT)
    return {
        a.name: max(0, min(DEFAULT_GUARD, a.address, gaps[n] // 2, gaps[n + 1] // 2,
                           ADDRESS_LIMIT - a.address - a.size))
        for n, a in enumerate(ordered)
    }  # fmt: skip


def _buffer(a: Allocation, name: str, guard: int, data: bytes, code: CodeObject) -> BufferState:
    kind, shape = a.dtype or "u8", a.shape
    size = dtype(kind, code.target.arch).size
    if not a.dtype or (not shape and len(data) % size == 0):
        shape = (len(data) // size,)
    role: Role = "inout" if a.role == "unknown" else a.role
    return BufferState(
        name, a.address, data, dtype(kind, code.target.arch).name, shape, role, guard,
        undefined=role == "out",
    )  # fmt: skip


def _segment(args: Sequence[KernelArg], kernarg: bytes, places: Map) -> bytes:
    """The kernarg segment without stale pointers to state of the runtime that recorded it."""
    changed = bytearray(kernarg)
    for arg in args:
        if arg.value_kind in RUNTIME_STATE and arg.offset + 8 <= len(kernarg):
            held = int.from_bytes(kernarg[arg.offset : arg.offset + 8], "little")
            if places.at(held) is None:
                changed[arg.offset : arg.offset + 8] = bytes(8)
    return bytes(changed)


def _free(address: int, size: int, spans: Sequence[tuple[int, int]]) -> int:
    """`address` if it is free, or else the first free place of the usual ones."""
    candidates = [address, *(layout.BASE + n * layout.WINDOW for n in range(len(spans) + 1))]
    for at in candidates:
        if 0 < at <= ADDRESS_LIMIT - size and all(
            at + size <= low or high <= at for low, high in spans
        ):
            return at
    raise CapsuleError("no free place for the kernarg segment", "")


def _code_address(dispatch: Dispatch, code: CodeObject, spans: Sequence[tuple[int, int]]) -> int:
    """Where the object was loaded, or a place that no buffer is near to.

    A device puts its dispatch packet below the code.
    """
    size = max((s.vaddr + s.mem_size for s in code.elf.segments if s.type == 1), default=0)
    usual = [layout.BASE - (n + 2) * 2 * _CODE_ROOM for n in range(len(spans) + 1)]
    for at in (*([] if dispatch.load_address is None else [dispatch.load_address]), *usual):
        pieces = ((at, at + size), (at - PACKET_DISTANCE, at - PACKET_DISTANCE + 64))
        if (
            pieces[1][0] > 0
            and pieces[0][1] < ADDRESS_LIMIT
            and all(end <= low or high <= start for low, high in spans for start, end in pieces)
        ):
            return at
    raise CapsuleError("no free place for the code object", "")
