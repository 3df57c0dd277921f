"""Launches as capsules: memory before the dispatch, and after it as a second witness.

What a launch can reach is found from its kernarg segment (words that hold an address of an
allocation, which is every pointer argument, and pointers inside what they lead to). One capsule per
chosen launch; it appears whole or not at all (`capsule.recorded.CapsuleWriter`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from asmevo.capsule.recorded import Allocation, CapsuleWriter, Dispatch, Recording, Variable
from asmevo.capsule.recorded.model import AllocationClass
from asmevo.capsule.recorded.reach import Extent, Map, reachable
from asmevo.codeobject.elf import STT_OBJECT
from asmevo.errors import InputError
from asmevo.hip.arena import Arena, Kind
from asmevo.hip.executor import KERNARG_ADDRESS, Request
from asmevo.hip.modules import Module

Shape = tuple[str, bytes, tuple[int, int, int], tuple[int, int, int], int]
_CLASSES: Mapping[Kind, AllocationClass] = {
    "device": "device", "host": "pinned", "managed": "managed", "registered": "host",
}  # fmt: skip
_NAME = re.compile(r"[^A-Za-z0-9_.-]+")


def shape_of(request: Request) -> Shape:
    """What makes two launches alike: kernel, object, geometry."""
    module = request.module
    return (request.kernel.name, module.sha256, request.grid, request.block, request.lds)


@dataclass(slots=True)
class Selection:
    """Which launches to record.

    Attributes:
        kernel: regular expression that a kernel's name contains.
        launch: `first` of each kernel, `each-shape` (the first of each kernel and geometry), or a
            number: that launch of each kernel, counted from 1.
        most: capsules at most.
    """

    kernel: str = ""
    launch: str = "each-shape"
    most: int = 1000
    _seen: Counter[str] = field(default_factory=lambda: Counter())
    _shapes: set[Shape] = field(default_factory=lambda: set())
    _taken: int = 0

    def check(self) -> None:
        """Refuse what means nothing.

        Raises:
            InputError: no regular expression, or no such way of choosing.
        """
        try:
            re.compile(self.kernel)
        except re.error as err:
            raise InputError(f"--kernel {self.kernel!r} is no regular expression: {err}") from None
        if self.launch not in ("first", "each-shape") and not (
            self.launch.isdigit() and int(self.launch)
        ):
            raise InputError(
                f"--launch {self.launch!r} chooses nothing", "use first, each-shape or a number"
            )

    def wants(self, request: Request) -> bool:
        """Whether to record this launch; to be asked once for each."""
        name, shape = request.kernel.name, shape_of(request)
        self._seen[name] += 1
        if self._taken >= self.most or not re.search(self.kernel, name):
            return False
        if self.launch == "each-shape":
            wanted = shape not in self._shapes
            self._shapes.add(shape)
        else:
            wanted = self._seen[name] == (1 if self.launch == "first" else int(self.launch))
        self._taken += wanted
        return wanted


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """A launch with the memory that it can reach, as it was before."""

    request: Request
    kernarg: bytes
    before: tuple[tuple[str, int, AllocationClass, bytes], ...]
    variables: tuple[tuple[str, int, bytes], ...]

    @staticmethod
    def take(arena: Arena, request: Request, modules: Sequence[Module]) -> Snapshot:
        """Copy what the launch can reach: from its arguments, and from its object's variables."""
        kernarg = request.kernarg()
        kinds: dict[str, tuple[int, int, AllocationClass]] = {
            f"mem{n}": (a.base, a.size, _CLASSES[a.kind])
            for n, a in enumerate(arena.allocations())
            if a.kind in _CLASSES and a.size
        }
        # Variables of other objects, which a program may hand over by address.
        for n, m in enumerate(modules):
            if m is not request.module:
                for s in m.segments:
                    kinds[f"object{n}_{s.address - m.base:x}"] = (
                        s.address, len(s.data), "unknown",
                    )  # fmt: skip
        extents = [Extent(n, base, size) for n, (base, size, _) in kinds.items()]
        copies: dict[str, bytes] = {}

        def read(name: str) -> bytes:
            if name not in copies:
                base, size, _ = kinds[name]
                copies[name] = arena.bytes_at(base, size)
            return copies[name]

        variables = [
            (name, address, arena.bytes_at(address, size))
            for name, address, size in _variables(request)
        ]
        roots = kernarg + bytes(-len(kernarg) % 8)
        for _, address, data in variables:
            if address % 8 == 0:
                roots += data + bytes(-len(data) % 8)
        named = _argument_names(request, kernarg, extents)
        found: list[tuple[str, int, AllocationClass, bytes]] = [
            (named.get(name, name), kinds[name][0], kinds[name][2], read(name))
            for name in reachable(roots, extents, read)
        ]
        return Snapshot(request, kernarg, tuple(found), tuple(variables))

    @property
    def size(self) -> int:
        """Bytes of all memory."""
        return sum(len(data) for *_, data in self.before)

    def dispatch(
        self, arena: Arena | None, sha: str, label: str, provenance: Mapping[str, Any]
    ) -> Dispatch:
        """The dispatch for a capsule; with an arena, memory as it is now is its `after`."""

        def after(address: int, size: int) -> bytes | None:
            return None if arena is None else arena.bytes_at(address, size)

        r = self.request
        return Dispatch(
            kernel=r.kernel.name,
            object=sha,
            grid=r.grid,
            block=r.block,
            kernarg=self.kernarg,
            kernarg_address=KERNARG_ADDRESS,
            allocations=tuple(
                Allocation(name, address, data, after(address, len(data)), kind)
                for name, address, kind, data in self.before
            ),
            variables=tuple(
                Variable(name, address, data, after(address, len(data)))
                for name, address, data in self.variables
            ),
            lds_dynamic=r.lds,
            load_address=r.module.base,
            label=label,
            provenance=dict(provenance),
        )

    def recording(self, target: str) -> Recording:
        """The launch alone, for running it elsewhere."""
        sha = self.request.module.sha256.hex()
        dispatch = self.dispatch(None, sha, "", {})
        return Recording({sha: self.request.module.data}, (dispatch,), target)


def _variables(request: Request) -> list[tuple[str, int, int]]:
    """(name, address, size) of the variables of the object that somebody may have written."""
    module = request.module
    writable = [s for s in module.segments if s.writable]
    found: dict[str, tuple[str, int, int]] = {}
    for s in module.code.elf.all_symbols():
        if s.type != STT_OBJECT or not s.section or not s.size or s.name.endswith(".kd"):
            continue
        at = module.base + s.value
        if any(r.address <= at and at + s.size <= r.address + len(r.data) for r in writable):
            found.setdefault(s.name, (s.name, at, s.size))
    return list(found.values())


def _argument_names(request: Request, kernarg: bytes, extents: list[Extent]) -> dict[str, str]:
    """Allocation -> the name of the first argument that points to it, where each is named."""
    places = Map(extents)
    found: dict[str, str] = {}
    for arg in request.kernel.metadata.args:
        if arg.is_hidden or not arg.name or arg.size != 8:
            continue
        at = places.at(int.from_bytes(kernarg[arg.offset : arg.offset + 8], "little"))
        if at is not None and arg.name not in found.values():
            found.setdefault(at.name, _NAME.sub("_", arg.name)[:64] or at.name)
    return found


class Recorder:
    """Writes chosen launches of a program into a folder.

    Args:
        folder: exists.
        selection: which launches.
        target: of the device.
        command: of the program, for provenance.
        tell: given facts about what was written.
    """

    def __init__(
        self,
        folder: Path,
        selection: Selection,
        target: str,
        command: list[str],
        tell: Callable[[dict[str, Any]], None],
    ) -> None:
        self._folder = folder
        self.selection = selection
        self._target = target
        self._command = command
        self._tell = tell
        self._number: Counter[str] = Counter()

    def write(self, snapshot: Snapshot, arena: Arena, launch: int, fault: str) -> None:
        """Write the capsule of a launch that has run.

        Raises:
            EnvironmentFault: the disk is full, or not writable.
        """
        request = snapshot.request
        name = _NAME.sub("_", request.kernel.name)[:80] or "kernel"
        path = self._free(name)
        label = f"launch {launch}, grid {'x'.join(map(str, request.grid))}"
        facts = {"tool": "asmevo capture", "ordinal": launch, "fault": fault}
        with CapsuleWriter(path, target=self._target, provenance={"command": self._command}) as out:
            sha = out.add_object(request.module.data)
            now = None if fault else arena
            out.add_dispatch(snapshot.dispatch(now, sha, label, facts))
        self._tell(
            {
                "event": "capsule",
                "path": str(path),
                "kernel": request.kernel.name,
                "launch": launch,
                "grid": request.grid,
                "block": request.block,
                "lds": request.lds,
                "allocations": len(snapshot.before),
                "bytes": snapshot.size,
                "fault": fault,
                "message": f"{path.name}: {request.kernel.name}, {label}",
            }
        )

    def _free(self, name: str) -> Path:
        while True:
            self._number[name] += 1
            path = self._folder / f"{name}-{self._number[name]}.capsule"
            if not path.exists():
                return path
