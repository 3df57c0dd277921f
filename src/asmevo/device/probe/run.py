"""One probing run: every pointer of the kernel gets a region of its own, and what is touched shows.

Each pointer argument points to the start of a region that lies 2^36 bytes from the next one, all
of it undefined for shadow memory, so that every access enters its instruction. A region that turns
out too small grows until nothing faults or it is as large as a probe may make it; an access beyond
that, or one that belongs to no pointer, ends the run, and says where.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asmevo.capsule import kernarg
from asmevo.codeobject import CodeObject, Kernel
from asmevo.emulate import layout as L
from asmevo.emulate.decode.encode import EncodedKernel, Style, encode
from asmevo.emulate.engine.launch import Launch, MemoryRegion, object_image
from asmevo.emulate.engine.machine import Machine, Outcome
from asmevo.emulate.engine.toolchain import shared_library
from asmevo.emulate.native.library import HelperLibrary
from asmevo.emulate.sanitize import shadow_layout as S
from asmevo.errors import UnsupportedError
from asmevo.program import Program, recover

BASE = 0x0010_0000_0000
WINDOW = 1 << 36
KERNARG = BASE - WINDOW // 2
_FIRST = 1 << 14
LARGEST = 1 << 23  # bytes of one region
_BUDGET = 4_000_000  # instructions of a wave
_INDEX = np.uint64((1 << S.INDEX_BITS) - 1)
_STYLE = Style(shadow=True)


@dataclass(frozen=True, slots=True)
class Touched:
    """What a run did with the memory behind one pointer.

    Attributes:
        read: end in bytes of what it read, 0 for nothing.
        written: end of what it wrote.
        read_bytes, written_bytes: how many bytes it touched, holes not counted.
        fresh: it read contents from before the launch.
        readers, writers: instruction indices, of each granule's last access.
    """

    read: int = 0
    written: int = 0
    read_bytes: int = 0
    written_bytes: int = 0
    fresh: bool = False
    readers: frozenset[int] = frozenset()
    writers: frozenset[int] = frozenset()

    @property
    def end(self) -> int:
        """Bytes that the buffer must have."""
        return max(self.read, self.written)


NOTHING = Touched()


@dataclass(frozen=True, slots=True)
class Seen:
    """A run.

    Attributes:
        pointers: by kernarg offset.
        fault: why it did not run to its end, in one line, or empty.
        executed: wave instructions.
        overlap: two workgroups wrote the same place.
    """

    pointers: Mapping[int, Touched]
    fault: str
    executed: int
    overlap: bool = False

    @property
    def wrote(self) -> bool:
        """Whether anything was stored."""
        return any(t.written for t in self.pointers.values())


@dataclass(frozen=True, slots=True)
class Setup:
    """The launch of a run.

    Attributes:
        grid, block, lds: geometry; dynamic LDS in bytes.
        values: bytes of each argument that is no pointer, by kernarg offset.
        groups: workgroups to run, (x, y, z); None for all.
        fill: 32-bit word that fills the memory behind a pointer, by kernarg offset (0 elsewhere).
    """

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    lds: int
    values: Mapping[int, bytes]
    groups: tuple[tuple[int, int, int], ...] | None = None
    fill: Mapping[int, int] = field(default_factory=dict[int, int])
    contents: Mapping[int, bytes] = field(default_factory=dict[int, bytes])
    null: frozenset[int] = frozenset()


@dataclass(slots=True, eq=False)
class _Area:
    """Host memory behind one pointer, kept from run to run."""

    data: NDArray[np.uint8]
    dirty: int = 0
    fill: int = 0


class Prober:
    """Runs one kernel again and again on memory that it makes up.

    Args:
        data: the code object.
        kernel: name of the kernel, None where there is one.
        library: compiled helpers; the process-wide ones by default.

    Raises:
        UnsupportedError: a target or instruction that the emulator does not run, or an argument
            that is neither a value nor a pointer to global memory.
    """

    def __init__(
        self, data: bytes, kernel: str | None = None, library: HelperLibrary | None = None
    ) -> None:
        self.object = CodeObject.open(data)
        self.kernel: Kernel = self.object.kernel(kernel)
        self.program: Program = recover(self.object)
        target = self.kernel.descriptor.target
        if not target.modelled:
            raise UnsupportedError(
                f"kernel {self.kernel.name} is for {target.arch}, which the emulator does not run",
                "write the launch from `asmevo inspect --launch-template`",
            )
        self._library = library or shared_library()
        self._machine = Machine(self._library)
        self._met: tuple[int, ...] = ()
        self._encoded: EncodedKernel | None = None
        arguments = kernarg.explicit_arguments(self.kernel.metadata)
        self.pointers = tuple(a.offset for a in arguments if a.value_kind == "global_buffer")
        self._address = {o: BASE + n * WINDOW for n, o in enumerate(self.pointers)}
        self._areas = {o: _Area(np.zeros(_FIRST, np.uint8)) for o in self.pointers}
        self._image = object_image(self.object)
        self.runs = 0

    def run(self, setup: Setup) -> Seen:
        """Run once, with regions as large as it takes."""
        while True:
            outcome, regions = self._once(setup)
            grown = self._grow(outcome)
            if not grown:
                return self._seen(outcome, regions)

    def _once(self, setup: Setup) -> tuple[Outcome, list[MemoryRegion]]:
        segment = kernarg.build(
            self.kernel.metadata,
            {
                **setup.values,
                **{
                    o: (0 if o in setup.null else a).to_bytes(8, "little")
                    for o, a in self._address.items()
                },
            },
            kernarg.Dispatch(setup.grid, setup.block, setup.lds),
            zero_runtime_state=True,
        )
        gx, gy, _ = setup.grid
        order = None
        if setup.groups is not None:
            order = [x + gx * (y + gy * z) for x, y, z in setup.groups]
        launch = Launch(
            setup.grid,
            setup.block,
            setup.lds,
            segment,
            KERNARG,
            order=order,
            budget=_BUDGET,
            shadow=True,
        )
        padded = np.frombuffer(segment + bytes(-len(segment) % 64), np.uint8)
        while True:
            if self._encoded is None:
                self._encoded = encode(
                    self.program, self.kernel, self._library, _STYLE, met=self._met
                )
            regions = [
                MemoryRegion(str(o), self._address[o], self._fresh(o, setup), True, True)
                for o in self.pointers
            ]
            all_regions = [*regions, MemoryRegion("kernarg", KERNARG, padded, False), *self._image]
            self.runs += 1
            outcome = self._machine.run(self._encoded, launch, all_regions)
            if outcome.fault != L.MODE_FAULT or outcome.fault_address in self._met:
                return outcome, regions
            self._met = (*self._met, outcome.fault_address)
            self._encoded = None

    def _fresh(self, offset: int, setup: Setup) -> NDArray[np.uint8]:
        """The region's memory as it is before the launch."""
        area, word = self._areas[offset], setup.fill.get(offset, 0)
        contents = setup.contents.get(offset)
        if contents is not None:
            need = len(contents)
            if need > len(area.data):
                area.data = np.zeros(1 << (need - 1).bit_length(), np.uint8)
            area.data[:] = 0
            area.data[:need] = np.frombuffer(contents, np.uint8)
            area.fill, area.dirty = -1, len(area.data)
            return area.data
        if word != area.fill:
            area.data.view(np.uint32)[:] = word
            area.fill, area.dirty = word, 0
        elif area.dirty:
            area.data[: area.dirty].view(np.uint32)[:] = word
            area.dirty = 0
        return area.data

    def _grow(self, outcome: Outcome) -> bool:
        """Make the region larger that an access left, if a probe may; whether it did."""
        if outcome.fault not in (L.LOAD_FAULT, L.STORE_FAULT):
            return False
        offset = self._owner(outcome.fault_address)
        if offset is None:
            return False
        area = self._areas[offset]
        reach = outcome.fault_address - self._address[offset] + 64
        if not len(area.data) - 64 < reach <= LARGEST:
            return False
        area.data = np.zeros(max(1 << reach.bit_length(), 2 * len(area.data)), np.uint8)
        area.fill = area.dirty = 0
        return True

    def _owner(self, address: int) -> int | None:
        number = (address - BASE) // WINDOW
        return self.pointers[number] if 0 <= number < len(self.pointers) else None

    def _seen(self, outcome: Outcome, regions: Sequence[MemoryRegion]) -> Seen:
        fresh = {
            self._owner(r.address)
            for r in outcome.reports
            if r.kind == S.UNINITIALIZED and not r.lds
        }
        assert self._encoded is not None
        shift = self._encoded.granules[1]
        found: dict[int, Touched] = {}
        for offset, region in zip(self.pointers, regions, strict=True):
            writes, reads = outcome.touched[region.name]
            read, written = np.flatnonzero(reads), np.flatnonzero(writes)
            if not len(read) and not len(written):
                found[offset] = NOTHING
                continue
            found[offset] = Touched(
                _end(read, shift),
                _end(written, shift),
                len(read) << shift,
                len(written) << shift,
                offset in fresh,
                instructions(reads[read]),
                instructions(writes[written]),
            )
            self._settle(self._areas[offset], found[offset])
        overlap = any(
            r.kind & ~S.OUTSTANDING == S.WRITE_AFTER_WRITE and not r.lds and r.other != r.group
            for r in outcome.reports
        )
        return Seen(found, self._fault(outcome), outcome.executed, overlap)

    def _settle(self, area: _Area, touched: Touched) -> None:
        """Note what to clean; give back most of a region that was far too large."""
        area.dirty = max(area.dirty, -(-touched.written // 4) * 4)
        if len(area.data) > _FIRST and touched.end < len(area.data) // 16:
            area.data = np.zeros(len(area.data) // 4, np.uint8)
            area.fill = area.dirty = 0

    def _fault(self, outcome: Outcome) -> str:
        if not outcome.stopped:
            return ""
        text = self.program.instructions[outcome.fault_index].text or ""
        where = f"instruction {outcome.fault_index} `{text}`"
        if outcome.budget_spent:
            return f"no end in sight at {where}"
        if outcome.fault == L.UNSUPPORTED_FAULT and self._encoded is not None:
            return self._encoded.unsupported.get(outcome.fault_index, f"not emulated: {where}")
        if outcome.fault not in (L.LOAD_FAULT, L.STORE_FAULT):
            return f"{L.FAULT_KINDS[outcome.fault]} at {where}"
        owner = self._owner(outcome.fault_address)
        if owner is None:
            if outcome.fault_address < 1 << 16:
                return f"{where} goes to address {outcome.fault_address}: through a null pointer"
            return f"{where} goes to an address that belongs to no pointer argument"
        reach = outcome.fault_address - self._address[owner]
        return f"{where} goes {reach} bytes beyond the pointer at kernarg offset {owner}"


def _end(granules: NDArray[np.int64], shift: int) -> int:
    return (int(granules[-1]) + 1) << shift if len(granules) else 0


def instructions(entries: NDArray[np.uint64]) -> frozenset[int]:
    """Program indices in granules' entries of shadow memory."""
    return frozenset((np.unique(entries & _INDEX).astype(np.int64) - 1).tolist())


def role_of(touched: Touched) -> str:
    """What a buffer is for: in, out, inout, or unused."""
    if not touched.end:
        return "unused"
    if not touched.written:
        return "in"
    return "inout" if touched.fresh else "out"


def roles(prober: Prober, setup: Setup) -> dict[int, str]:
    """Role of each pointer, by kernarg offset, when grid and scalars are known.

    What lies in memory is not known: a count of zero or an index of zero may keep a kernel from
    going where it goes in earnest, so it is run with several contents and what any run touched
    counts. A run that leaves the memory that a probe may have ends there.
    """
    found = dict.fromkeys(prober.pointers, NOTHING)
    for contents in _guesses(prober.pointers):
        seen = prober.run(replace(setup, **contents))
        for offset, t in seen.pointers.items():
            old = found[offset]
            found[offset] = replace(
                t,
                read=max(old.read, t.read),
                written=max(old.written, t.written),
                fresh=old.fresh or t.fresh,
            )
    return {offset: role_of(t) for offset, t in found.items()}


def _guesses(pointers: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Contents that memory may have: one number everywhere, offsets of rows, one number alone."""
    for word in (0, 1, 16, 64):
        yield {"fill": dict.fromkeys(pointers, word)}
    for step in (1, 16):
        ramp = (np.arange(_FIRST // 4, dtype=np.uint32) * np.uint32(step)).tobytes()
        yield {"contents": dict.fromkeys(pointers, ramp)}
    for offset in pointers:
        yield {"fill": {offset: 64}}
