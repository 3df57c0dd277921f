"""Native execution of an encoded kernel: contexts, threads, the outcome.

Workgroups run on one thread in launch order by default. With more threads each takes every n-th
stretch of the list on wave states of its own; the helpers hold no lock and Python's is released.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from asmevo.codeobject import Kernel
from asmevo.emulate import layout as L
from asmevo.emulate.decode.encode import EncodedKernel, aligned
from asmevo.emulate.engine import runtime as R
from asmevo.emulate.engine.junk import Junk, scalar_junk
from asmevo.emulate.engine.launch import (
    Launch,
    MemoryRegion,
    dispatch_packet,
    group_list,
    lds_bytes,
    private_bytes,
    region_table,
    tail_image,
    user_sgprs,
    work_items,
)
from asmevo.emulate.engine.spin import COPY_SIZE
from asmevo.emulate.native.library import HelperLibrary
from asmevo.emulate.sanitize import held, pending
from asmevo.emulate.sanitize import shadow_layout as S
from asmevo.errors import UnsupportedError
from asmevo.timing.touches import HEAD_WORDS, Touches

_KEPT_JUNK = 64
_LINE = 64  # bytes of a cache line: the least area of a wave or workgroup
_CLEARED = 64 << 20  # bytes
_KEPT_STREAMS = 64 << 20  # bytes written; memory that holds more is given back
_PRIVATE_JUNK = 1 << 16  # bytes of junk that scratch repeats


@dataclass(frozen=True, slots=True)
class ShadowReport:
    """One finding of shadow memory; `kind` is an index of `shadow_layout.KINDS`.

    Attributes:
        first, second: instruction indices of the earlier and the later access.
        lds: whether `address` is an LDS byte offset (else a device address).
        group: workgroup of the later access.
        other: workgroup of the earlier access; -1 for one of several others.
        waves: waves of the earlier and the later access.
        times: how often this pair was seen.
        outstanding: the earlier access was issued before a barrier that the later one follows, and
            no wait had completed it (only with loads that arrive late).
    """

    kind: int
    first: int
    second: int
    lds: bool
    address: int
    group: int
    other: int
    waves: tuple[int, int]
    times: int
    outstanding: bool = False


@dataclass(slots=True, eq=False)
class Outcome:
    """What a launch did.

    Attributes:
        fault: a code of `layout.FAULT_KINDS`, 0 for none.
        fault_index: instruction index of the fault or of the end of the budget.
        fault_lanes: lanes concerned, as bits.
        fault_address: offending byte address.
        fault_group: linear id of the workgroup that stopped.
        fault_wave: number in its workgroup of the wave that stopped; -1 when nothing did.
        budget_spent: a wave used up its instruction budget, or is stuck.
        stuck: it repeats the same state, which only another wave could change (see `spin`), and
            no other wave could run.
        executed: wave instructions executed.
        block_counts: uint64 [counters of the kernel], entries into each block and inside blocks.
        traces: (workgroup, wave, uint32 block numbers, blocks entered) of traced workgroups; more
            blocks were entered than there are numbers where the room for them was used up.
        touches: of the same waves, in the same order, what they touched.
        paths: uint64 [workgroups, 2], instructions and a hash of the paths taken by the waves of
            each workgroup, on request.
        reports: what shadow memory found.
        registers: uint32, the state of the wave that stopped: vector rows, then scalars; empty
            when nothing did.
        touched: of a watched launch, (last writes, last reads) of each writable region's granules
            by name, as shadow entries; views that the next watched launch overwrites.
    """

    fault: int = 0
    fault_index: int = -1
    fault_lanes: int = 0
    fault_address: int = 0
    fault_group: int = -1
    fault_wave: int = -1
    budget_spent: bool = False
    stuck: bool = False
    executed: int = 0
    block_counts: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, np.uint64))
    traces: list[tuple[int, int, NDArray[np.uint32], int]] = field(default_factory=lambda: [])
    touches: list[Touches] = field(default_factory=lambda: [])
    paths: NDArray[np.uint64] = field(default_factory=lambda: np.zeros((0, 2), np.uint64))
    reports: list[ShadowReport] = field(default_factory=lambda: [])
    registers: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(0, np.uint32))
    touched: dict[str, tuple[NDArray[np.uint64], NDArray[np.uint64]]] = field(
        default_factory=lambda: {}
    )

    @property
    def stopped(self) -> bool:
        """Whether the launch did not run to its end."""
        return bool(self.fault) or self.budget_spent


@dataclass(slots=True, eq=False)
class _Streams:
    """Room for what traced workgroups execute and touch, and for the paths of all of them."""

    places: NDArray[np.int32]
    blocks: NDArray[np.uint32]
    block_lengths: NDArray[np.uint64]
    touches: NDArray[np.uint64]
    touch_lengths: NDArray[np.uint64]
    paths: NDArray[np.uint64]

    @staticmethod
    def of(
        launch: Launch, groups: int, waves: int, room: Callable[[str, int], NDArray[np.uint8]]
    ) -> _Streams:
        """For a launch of so many workgroups, in memory that `room` gives for a name and a size;
        pages that stay empty cost nothing."""
        places = np.full(groups if launch.traced else 0, -1, np.int32)
        places[list(launch.traced)] = np.arange(len(launch.traced))
        traced = len(launch.traced) * waves
        blocks, touches = traced * launch.trace_capacity, traced * launch.touch_capacity
        return _Streams(
            places,
            room("blocks", 4 * max(1, blocks)).view(np.uint32),
            np.zeros(max(1, traced), np.uint64),
            room("touches", 8 * max(1, touches)).view(np.uint64),
            np.zeros(max(1, traced), np.uint64),
            np.zeros((groups if launch.paths else 0, 2), np.uint64),
        )

    @property
    def used(self) -> int:
        """Bytes that a launch wrote."""
        return int(4 * self.block_lengths.sum() + 8 * self.touch_lengths.sum())

    def pointers(self, launch: Launch) -> dict[int, int]:
        """The fields of the launch context."""
        return {
            R.C_TRACE: self.blocks.ctypes.data,
            R.C_TRACE_CAPACITY: launch.trace_capacity,
            R.C_TRACE_PLACES: self.places.ctypes.data if len(self.places) else 0,
            R.C_TRACE_LENGTHS: self.block_lengths.ctypes.data,
            R.C_TOUCHES: self.touches.ctypes.data,
            R.C_TOUCH_CAPACITY: launch.touch_capacity,
            R.C_TOUCH_LENGTHS: self.touch_lengths.ctypes.data,
            R.C_PATHS: self.paths.ctypes.data if len(self.paths) else 0,
        }


@dataclass(slots=True, eq=False)
class _Job:
    """What all threads of a launch share, and what the native side points to."""

    encoded: EncodedKernel
    launch: Launch
    waves: int
    resident: int
    table: NDArray[np.uint64]
    regions: int
    lds: int
    streams: _Streams
    ids: NDArray[np.uint8]
    id_rows: int
    exec_masks: NDArray[np.uint64]
    keep: list[object] = field(default_factory=lambda: [])
    areas: NDArray[np.uint64] | None = None
    reports: NDArray[np.uint8] | None = None
    touched: dict[str, tuple[NDArray[np.uint64], NDArray[np.uint64]]] = field(
        default_factory=lambda: {}
    )


_STREAMS = ("blocks", "touches")


class Machine:
    """Runs encoded kernels. Not shared between threads; its own threads are its business."""

    def __init__(self, library: HelperLibrary) -> None:
        self._run = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(library.address("asmevo_run"))
        # Junk and wave states are the same from launch to launch; making them anew would cost
        # more than a small launch itself.
        self._junk: dict[tuple[str, int, int], NDArray[np.uint8]] = {}
        self._memory: dict[tuple[str, int], NDArray[np.uint8]] = {}

    def _junk_bytes(self, what: str, size: int, poison: int) -> NDArray[np.uint8]:
        """Read-only junk for registers or LDS, a function of the poison seed."""
        key = (what, size, poison)
        if key not in self._junk:
            if len(self._junk) >= _KEPT_JUNK:
                self._junk.clear()
            seed = [poison & 0xFFFFFFFF, poison >> 32 & 0xFFFFFFFF, *what.encode()]
            rng = np.random.Generator(np.random.PCG64(seed))
            data = aligned(size)
            data[:] = np.frombuffer(rng.bytes(size), np.uint8)
            self._junk[key] = data
        return self._junk[key]

    def _scratch(self, what: str, worker: int, size: int) -> NDArray[np.uint8]:
        """Memory that a launch initializes by itself, kept for the next one."""
        found = self._memory.get((what, worker))
        if found is None or len(found) < size:
            found = self._memory[what, worker] = aligned(size)
        return found

    def _stream_room(self, what: str, size: int) -> NDArray[np.uint8]:
        """Memory for what traced waves do: only what a launch wrote is read, so it is kept as it
        is. Fresh pages cost more than a small launch."""
        return self._scratch(what, 0, size)[:size]

    def junk(self, encoded: EncodedKernel, launch: Launch) -> Junk:
        """What is undefined at the start of every wave of the launch."""
        kernel = encoded.kernel
        vgprs, agprs = _registers(kernel)
        lds = max(_LINE, lds_bytes(kernel, launch))
        scalars, places = user_sgprs(kernel, launch)
        ids = work_items(kernel, launch, 1)[1]

        def dwords(what: str, size: int) -> NDArray[np.uint32]:
            return self._junk_bytes(what, size, launch.poison)[: size & ~3].view(np.uint32)

        return Junk(
            scalar_junk(launch.poison).view(np.uint32),
            dwords("vgprs", vgprs * L.ROW).reshape(-1, L.WIDEST),
            dwords("agprs", max(1, agprs) * L.ROW).reshape(-1, L.WIDEST)[:agprs],
            dwords("lds", lds),
            (frozenset(scalars) | frozenset(places.values()), frozenset(range(ids))),
        )

    def run(
        self,
        encoded: EncodedKernel,
        launch: Launch,
        regions: Sequence[MemoryRegion],
        threads: int = 1,
    ) -> Outcome:
        """Execute all workgroups; the regions' data changes in place.

        Args:
            threads: workers; with more than one, the order of workgroups is not fixed.

        Raises:
            InputError: the launch asks for more LDS than there is.
        """
        kernel = encoded.kernel
        waves = -(-int(np.prod(launch.block)) // kernel.descriptor.target.wave_size)
        packet = MemoryRegion(
            "dispatch packet", launch.packet, dispatch_packet(kernel, launch), False
        )
        table = region_table([*regions, packet])
        encoded.load_at(launch.image)
        # Every record starts with the first region as the one it hit last.
        encoded.memory.view(np.uint64)[L.R_REGION // 8 :: L.RECORD_SIZE // 8] = table.ctypes.data
        groups = group_list(launch)
        ids, id_rows, exec_masks = work_items(kernel, launch, waves)
        job = _Job(
            encoded,
            launch,
            waves,
            max(1, min(launch.resident, len(groups))),
            table,
            len(regions) + 1,
            lds_bytes(kernel, launch),
            _Streams.of(launch, int(np.prod(launch.grid)), waves, self._stream_room),
            ids,
            id_rows,
            exec_masks,
            [packet, regions],
        )
        if launch.shadow:
            self._watch(job, regions)
            threads = 1  # entries are not atomic
        workers = max(1, min(threads, len(groups) // job.resident))
        try:
            return self._work(job, workers, groups)
        finally:
            if job.streams.used > _KEPT_STREAMS:
                for what in _STREAMS:
                    self._memory.pop((what, 0), None)

    def _work(self, job: _Job, workers: int, groups: NDArray[np.uint32]) -> Outcome:
        if workers == 1:
            return self._worker(job, 0, groups)
        # Another thread may free a wave that waits.
        job.launch = replace(job.launch, slice=0)
        parts = [np.ascontiguousarray(groups[n::workers]) for n in range(workers)]

        def one(number: int) -> Outcome:
            return self._worker(job, number, parts[number])

        with ThreadPoolExecutor(workers) as pool:
            outcomes = list(pool.map(one, range(workers)))
        return _joined(outcomes)

    def _watch(self, job: _Job, regions: Sequence[MemoryRegion]) -> None:
        """Areas of all regions of the launch, with entries for those that can change."""
        encoded = job.encoded
        if len(encoded.program.instructions) >= 1 << S.INDEX_BITS:
            raise UnsupportedError(
                f"kernel {encoded.kernel.name}: more than {1 << S.INDEX_BITS} instructions in one "
                "object cannot be watched",
                "extract the kernel into an object of its own",
            )
        shift = encoded.granules[1]
        areas = np.zeros((job.regions, S.AREA_SIZE // 8), np.uint64)
        watched = [(n, r) for n, r in enumerate(regions) if r.writable]
        sizes = [8 * (-(-len(r.data) >> shift)) for _, r in watched]
        total = 2 * sum(sizes)
        # Small ones are cleared faster than the system gives new ones.
        if total <= _CLEARED:
            entries = self._scratch("shadow memory", 0, total)
            entries[:total] = 0
        else:
            entries = aligned(total)
        start = entries.ctypes.data
        for n, region in enumerate(regions):
            host = region.data.ctypes.data
            areas[n, :7] = (host, len(region.data), 0, 0, shift, 0, region.address)
        for (n, region), size in zip(watched, sizes, strict=True):
            areas[n, 2:4] = (start, start + size)
            areas[n, 5] = int(region.undefined)
            at = start - entries.ctypes.data
            both = entries[at : at + 2 * size].view(np.uint64)
            job.touched[region.name] = (both[: size // 8], both[size // 8 :])
            start += 2 * size
        job.keep.append(entries)
        job.areas = areas
        job.reports = aligned(S.REPORT_HEAD + S.REPORT_CAPACITY * S.REPORT_SIZE)

    def _worker(self, job: _Job, worker: int, groups: NDArray[np.uint32]) -> Outcome:
        encoded, launch, kernel = job.encoded, job.launch, job.encoded.kernel
        waves, resident = job.waves, job.resident
        keep: list[object] = []
        counts = np.zeros(max(1, encoded.counters), np.uint64)
        areas_at = 0 if job.areas is None else job.areas.ctypes.data
        reports = 0 if job.reports is None else job.reports.ctypes.data
        tail = tail_image(
            encoded, launch, job.table, job.regions, counts, job.lds, areas_at, reports
        )
        state_size = -(-(L.SGPRS + len(tail)) // 4096) * 4096
        states = self._scratch("states", worker, state_size * waves * resident)
        pointers = np.arange(waves * resident, dtype=np.uint64) * np.uint64(state_size)
        pointers += np.uint64(states.ctypes.data)
        vgprs, agprs = _registers(kernel)
        lds_stride = -(-max(_LINE, job.lds) // _LINE) * _LINE + _LINE
        private_stride = max(_LINE, private_bytes(kernel) * L.WIDEST)
        private = self._scratch("private", worker, private_stride * waves * resident)
        # Scratch starts undefined; its dwords repeat after a while, which no copy relies on.
        private[:] = np.resize(
            self._junk_bytes("private", _PRIVATE_JUNK, launch.poison), len(private)
        )
        places = user_sgprs(kernel, launch)[1]
        ctx = np.zeros(R.CONTEXT_SIZE // 8, np.int64)

        def put(offset: int, value: int) -> None:
            ctx[offset // 8] = value

        def point(offset: int, array: NDArray[np.generic]) -> None:
            keep.append(array)
            ctx[offset // 8] = array.ctypes.data

        point(R.C_STATES, pointers)
        put(R.C_WAVES, waves)
        put(R.C_RESIDENT, resident)
        point(R.C_GROUPS, groups)
        put(R.C_GROUP_COUNT, len(groups))
        point(R.C_VGPRS, self._junk_bytes("vgprs", vgprs * L.ROW, launch.poison))
        put(R.C_VGPR_BYTES, vgprs * L.ROW)
        point(R.C_AGPRS, self._junk_bytes("agprs", max(1, agprs) * L.ROW, launch.poison))
        put(R.C_AGPR_BYTES, agprs * L.ROW)
        point(R.C_TAIL, tail)
        put(R.C_TAIL_BYTES, len(tail))
        point(R.C_IDS, job.ids)
        put(R.C_ID_ROWS, job.id_rows)
        point(R.C_EXEC, job.exec_masks)
        for axis, offset in (("x", R.C_SGPR_X), ("y", R.C_SGPR_Y), ("z", R.C_SGPR_Z)):
            put(offset, L.sgpr(places[axis]) if axis in places else -1)
        point(R.C_LDS, self._scratch("lds", worker, lds_stride * resident))
        put(R.C_LDS_STRIDE, lds_stride)
        point(R.C_LDS_IMAGE, self._junk_bytes("lds", max(_LINE, job.lds), launch.poison))
        put(R.C_LDS_BYTES, job.lds)
        put(R.C_TICKS, launch.quantum or L.NO_TICKS - 1)
        put(R.C_SHUFFLE, launch.shuffle)
        for field_, value in job.streams.pointers(launch).items():
            put(field_, value)
        point(R.C_PRIVATE, private)
        put(R.C_PRIVATE_STRIDE, private_stride)
        put(R.C_START, encoded.start)
        put(R.C_FAIR, int(launch.quantum > 0 or launch.pause is not None))
        put(R.C_SLICE, launch.slice)
        put(R.C_STEP, encoded.longest)
        put(R.C_BUDGET, launch.budget)
        point(R.C_SPIN_COPY, self._scratch("spin", worker, COPY_SIZE))
        if launch.shadow:
            shift = encoded.granules[0]
            size = 4 * (-(-max(_LINE, job.lds) >> shift))
            entries = self._scratch("shadow", worker, 2 * size * resident)
            areas = np.zeros((resident, S.AREA_SIZE // 8), np.uint64)
            lds_start = self._scratch("lds", worker, lds_stride * resident).ctypes.data
            for n in range(resident):
                start = entries.ctypes.data + 2 * size * n
                host = lds_start + lds_stride * n
                areas[n, :7] = (host, job.lds, start, start + size, shift, 1, 0)
            keep.append(entries)
            point(R.C_SHADOW_LDS, areas)
            put(R.C_REPORTS, reports)
        if launch.waits:
            size = pending.QUEUE_SIZE
            point(R.C_PENDING, self._scratch("pending", worker, size * waves * resident))
            put(R.C_PENDING_STRIDE, size)
        if launch.pause is not None:
            size = held.QUEUE_SIZE
            point(R.C_HELD, self._scratch("held", worker, size * waves * resident))
            put(R.C_HELD_STRIDE, size)
        code = self._run(ctx.ctypes.data)
        out = _outcome(code, ctx, encoded, counts)
        if job.reports is not None:
            out.reports = _read_reports(job.reports)
            out.touched = job.touched
        out.paths = job.streams.paths
        if launch.traced:
            _collect_streams(job, out, {int(g) for g in groups[:, 3]})
        keep.append(states)
        return out


def _registers(kernel: Kernel) -> tuple[int, int]:
    """(VGPRs, AGPRs) of a wave; work-item ids need up to three VGPRs."""
    return max(3, min(256, kernel.descriptor.arch_vgprs)), min(256, kernel.descriptor.agprs)


def _read_reports(data: NDArray[np.uint8]) -> list[ShadowReport]:
    raw = data.tobytes()
    (count,) = struct.unpack_from("<Q", raw)
    out: list[ShadowReport] = []
    for n in range(count):
        at = S.REPORT_HEAD + n * S.REPORT_SIZE
        kind, first, second, space, group, waves = struct.unpack_from("<6I", raw, at)
        address, times, other = struct.unpack_from("<2Qi", raw, at + S.P_ADDRESS)
        out.append(
            ShadowReport(
                kind & ~S.OUTSTANDING,
                first,
                second,
                space == S.LDS_SPACE,
                address,
                group,
                other,
                (waves >> 16, waves & 0xFFFF),
                times,
                bool(kind & S.OUTSTANDING),
            )
        )
    return out


def _outcome(
    code: int, ctx: NDArray[np.int64], encoded: EncodedKernel, counts: NDArray[np.uint64]
) -> Outcome:
    out = Outcome(executed=int(ctx[R.C_EXECUTED // 8]), block_counts=counts)
    if code != R.STOPPED:
        return out
    state = int(ctx[R.C_FAULT_STATE // 8])

    def read(offset: int, form: str) -> int:
        raw = ctypes.string_at(state + offset, struct.calcsize(form))
        return int(struct.unpack(form, raw)[0])

    record = (read(L.RECORD, "<Q") - encoded.address) // L.RECORD_SIZE
    at = record * L.RECORD_SIZE + L.R_INDEX
    out.fault_index = int.from_bytes(encoded.memory[at : at + 4].tobytes(), "little")
    out.fault_group = int(ctx[R.C_FAULT_GROUP // 8])
    raw = ctypes.string_at(state, L.SCC + 4)
    out.registers = np.frombuffer(raw, np.uint32)
    status = read(L.STATUS, "<I")
    if status in (L.OUT_OF_BUDGET, L.STUCK):
        out.budget_spent = True
        out.stuck = status == L.STUCK
        out.fault_wave = read(L.WAVE_NUMBER, "<I")
    else:
        out.fault = read(L.FAULT, "<I")
        out.fault_lanes = read(L.FAULT_LANES, "<Q")
        out.fault_address = read(L.FAULT_ADDRESS, "<Q")
    out.executed += read(L.EXECUTED, "<Q")
    return out


def _collect_streams(job: _Job, out: Outcome, groups: set[int]) -> None:
    streams, blocks, words = job.streams, job.launch.trace_capacity, job.launch.touch_capacity
    lanes = job.encoded.kernel.descriptor.target.wave_size
    for place, group in enumerate(job.launch.traced):
        if group not in groups:
            continue
        for wave in range(job.waves):
            n = place * job.waves + wave
            length = int(streams.block_lengths[n])
            kept = streams.blocks[n * blocks : n * blocks + min(length, blocks)].copy()
            out.traces.append((group, wave, kept, length))
            used = int(streams.touch_lengths[n])
            touched = streams.touches[n * words : n * words + used].copy()
            # An entry that found no room may have been the first.
            out.touches.append(Touches(touched, lanes, words - used > lanes + HEAD_WORDS))


def _joined(outcomes: Sequence[Outcome]) -> Outcome:
    """One outcome of all threads; of several faults, the one of the lowest workgroup."""
    stopped = [o for o in outcomes if o.stopped]
    order = sorted(
        ((o, n) for o in outcomes for n in range(len(o.traces))),
        key=lambda at: at[0].traces[at[1]][:2],
    )
    first = min(stopped, key=lambda o: o.fault_group) if stopped else outcomes[0]
    counts: NDArray[np.uint64] = np.zeros_like(first.block_counts)
    for outcome in outcomes:
        counts += outcome.block_counts
    return Outcome(
        first.fault,
        first.fault_index,
        first.fault_lanes,
        first.fault_address,
        first.fault_group,
        first.fault_wave,
        first.budget_spent,
        first.stuck,
        sum(o.executed for o in outcomes),
        counts,
        [o.traces[n] for o, n in order],
        [o.touches[n] for o, n in order],
        first.paths,
        [r for o in outcomes for r in o.reports],
        first.registers,
    )
