"""The embedded default device: the ISA emulator as oracle and the cycle model as clock."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from asmevo.capsule.model import Capsule, Region
from asmevo.capsule.places import describe
from asmevo.codeobject import CodeObject, Kernel
from asmevo.device import clock
from asmevo.device.protocol import (
    DeviceRecipe,
    Fault,
    FaultKind,
    Label,
    Observation,
    ObservationKind,
    RunOptions,
    RunResult,
    Timing,
    WaveTrace,
)
from asmevo.emulate import layout as L
from asmevo.emulate.decode.encode import EncodedKernel, Style, encode
from asmevo.emulate.engine.launch import Launch, MemoryRegion, object_image
from asmevo.emulate.engine.machine import Machine, Outcome, ShadowReport
from asmevo.emulate.native.library import HelperLibrary, Progress, shared_library
from asmevo.emulate.sanitize import shadow_layout as shadow
from asmevo.errors import BuildError, UnsupportedError
from asmevo.program import Program, recover
from asmevo.timing.model import Estimate


class RunFault(BuildError):
    """A kernel that faulted where a clean run was needed."""

    status = "runtime_failure"


_KINDS: dict[int, FaultKind] = {
    L.LOAD_FAULT: "out_of_bounds",
    L.STORE_FAULT: "out_of_bounds",
    L.LDS_FAULT: "lds",
    L.SCRATCH_FAULT: "out_of_bounds",
    L.JUMP_FAULT: "illegal_instruction",
    L.TRAP_FAULT: "trap",
    L.ALIGN_FAULT: "misaligned",
    L.DESCRIPTOR_FAULT: "unsupported",
    L.PENDING_FAULT: "unsupported",
    L.UNSUPPORTED_FAULT: "unsupported",
    L.MODE_FAULT: "unsupported",
    L.SCRATCH_ALIGN_FAULT: "unsupported",
}
_KEPT_OBJECTS = 16
_TRACE_BLOCKS = 1 << 18  # block entries kept per traced wave
_INTERLEAVED_RESIDENT = 4  # workgroups that run side by side under interleaved schedules


@dataclass(slots=True, eq=False)
class _Loaded:
    co: CodeObject
    program: Program
    encoded: dict[tuple[str, Style], EncodedKernel]


class EmulatedDevice:
    """Runs code objects on the emulator. `time` models cycles; nothing here is measured.

    Args:
        library: compiled helpers; the process-wide ones by default.
        progress: told (done, total) while missing helpers compile.
        threads: workers that share the workgroups; above one their order is not fixed.
    """

    def __init__(
        self,
        library: HelperLibrary | None = None,
        progress: Progress | None = None,
        threads: int = 1,
    ) -> None:
        self._library = library or shared_library()
        self._progress = progress
        self._objects: OrderedDict[bytes, _Loaded] = OrderedDict()
        self._lock = threading.Lock()
        self._threads = threads
        self._local = threading.local()

    @property
    def name(self) -> str:
        """Name for reports."""
        return "emulated"

    @property
    def label(self) -> Label:
        """Times are modelled."""
        return "modelled"

    @property
    def recipe(self) -> DeviceRecipe:
        """Makes an equal device with the helpers of the process it is called in."""
        return partial(EmulatedDevice, threads=self._threads)

    # --- loading ----------------------------------------------------------------------------
    def _load(self, object: bytes) -> _Loaded:
        with self._lock:
            found = self._objects.get(object)
            if found is not None:
                self._objects.move_to_end(object)
                return found
        co = CodeObject.open(object)
        loaded = _Loaded(co, recover(co), {})
        with self._lock:
            self._objects[object] = loaded
            while len(self._objects) > _KEPT_OBJECTS:
                self._objects.popitem(last=False)
        return loaded

    def adopt(self, object: bytes, program: Program) -> None:
        """Use an already recovered program of `object` instead of recovering it again.

        `program` must be the program that was rebuilt into `object`.
        """
        with self._lock:
            self._objects[object] = _Loaded(CodeObject.open(object), program, {})

    def program(self, object: bytes) -> Program:
        """The recovered program of an object (instruction indices of results refer to it)."""
        return self._load(object).program

    def encoded(self, object: bytes, kernel: str | None, style: Style) -> EncodedKernel:
        """The object's kernel, decoded and laid out."""
        loaded = self._load(object)
        k = loaded.co.kernel(kernel)
        key = (k.name, style)
        if key not in loaded.encoded:
            loaded.encoded[key] = encode(
                loaded.program, k, self._library, style, progress=self._progress
            )
        return loaded.encoded[key]

    def _machine(self) -> Machine:
        """This thread's machine."""
        machine = getattr(self._local, "machine", None)
        if machine is None:
            machine = self._local.machine = Machine(self._library)
        return machine

    # --- running ----------------------------------------------------------------------------
    def run(self, object: bytes, capsule: Capsule, options: RunOptions) -> RunResult:
        """Execute the capsule's kernel once; see `protocol.Device.run`.

        Raises:
            UnsupportedError: the kernel reached an instruction that is not supported.
            InputError: block or LDS sizes that the target cannot have.
        """
        return self._execute(object, capsule, options, None)

    def _execute(
        self, object: bytes, capsule: Capsule, options: RunOptions, first_groups: int | None
    ) -> RunResult:
        """`run`, of all workgroups or of the first few only (for their traces)."""
        loaded = self._load(object)
        kernel = loaded.co.kernel(capsule.kernel)
        _check_target(kernel)
        schedule = options.schedule_for(capsule)
        traced = options.trace_workgroups > 0
        tick = schedule.kind == "interleave"
        style = Style(
            trace=traced,
            tick=tick,
            exact=options.matrix == "exact",
            shadow=options.watch_memory,
            waits=options.late_loads,
            open_junk=options.open_junk,
        )
        encoded = self.encoded(object, kernel.name, style)
        undefined = {b.name for b in capsule.buffers if b.undefined}
        mapped = capsule.regions(guards_mapped=options.guards_mapped)
        regions = [
            MemoryRegion(
                r.name, r.address, _host_bytes(r), r.permission == "rw", r.name in undefined
            )
            for r in mapped
        ]
        groups = capsule.workgroups
        order = None
        if schedule.kind == "shuffle":
            rng = np.random.Generator(np.random.PCG64(schedule.number))
            order = rng.permutation(groups).tolist()
        if first_groups is not None:
            order = list(range(min(first_groups, groups)))
        launch = Launch(
            capsule.grid,
            capsule.block,
            capsule.lds_dynamic,
            capsule.kernarg,
            capsule.kernarg_address,
            order=order,
            quantum=schedule.number if tick else 0,
            shuffle=(schedule.number * 2 + 1) if schedule.kind == "shuffle" else 0,
            resident=_INTERLEAVED_RESIDENT if tick else 1,
            poison=options.poison,
            budget=options.instruction_budget,
            trace_groups=options.trace_workgroups,
            trace_capacity=_TRACE_BLOCKS,
            shadow=options.watch_memory,
            waits=options.late_loads,
        )
        start = time.perf_counter()
        outcome = self._machine().run(
            encoded, launch, [*regions, *object_image(loaded.co)], self._threads
        )
        seconds = time.perf_counter() - start
        fault = _fault(outcome, encoded, regions, capsule)
        if fault is not None and fault.kind == "unsupported":
            raise UnsupportedError(
                f"kernel {kernel.name}: {fault.message} at instruction {fault.index} "
                f"`{fault.text}`",
                "this instruction is not emulated yet",
            )
        # Only writable memory can have changed.
        given = {r.name: r.data for r in mapped}
        memory = {
            r.name: r.data.tobytes() if r.writable else given[r.name]
            for r in regions
            if r.name != "kernarg"
        }
        damage = capsule.guard_damage(memory) if options.guards_mapped else ()
        buffers = {
            b.name: memory[b.name][b.guard : b.guard + b.size]
            if options.guards_mapped
            else memory.get(b.name, b"")
            for b in capsule.buffers
        }
        return RunResult(
            ok=fault is None,
            fault=fault,
            buffers=buffers,
            guard_damage=damage,
            counts=_instruction_counts(encoded, outcome) if options.profile else None,
            wave_traces=_wave_traces(encoded, outcome),
            instructions=outcome.executed,
            seconds=seconds,
            observations=tuple(_observation(r) for r in outcome.reports),
        )

    # --- timing -----------------------------------------------------------------------------
    def estimate(self, object: bytes, capsule: Capsule, *, split: bool = False) -> Estimate:
        """The cycle model's full answer for one dispatch.

        Raises:
            UnsupportedError: an instruction or target without emulation or machine table.
            RunFault: the kernel faulted, so there is nothing to time.
        """
        loaded = self._load(object)
        kernel = loaded.co.kernel(capsule.kernel)
        launch = clock.plan(kernel, capsule)
        result = self._execute(
            object, capsule, RunOptions(trace_workgroups=launch.traced), launch.traced
        )
        if result.fault is not None:
            raise RunFault(f"nothing to time: {result.fault.one_line()}")
        return clock.model(loaded.program, kernel, launch, result.wave_traces, split=split)

    def time(self, object: bytes, capsule: Capsule, samples: int) -> Timing:
        """Modelled cycles of one dispatch (a single sample: the model is deterministic)."""
        return clock.timing(self.estimate(object, capsule))

    def stalls(self, object: bytes, capsule: Capsule) -> NDArray[np.float64]:
        """Modelled clocks that waves spent at each instruction of the program."""
        return self.estimate(object, capsule).per_instruction_stall


def _host_bytes(region: Region) -> NDArray[np.uint8]:
    """Host memory of a region: a copy of what may change, the region's own bytes otherwise.

    The kernarg segment is padded to a whole cache line: compilers load it in wide pieces past
    its last argument, and the runtime allocates it so.
    """
    if region.kind == "kernarg":
        return np.frombuffer(region.data + bytes(-len(region.data) % 64), np.uint8)
    data = np.frombuffer(region.data, np.uint8)
    return data.copy() if region.permission == "rw" else data


def _check_target(kernel: Kernel) -> None:
    target = kernel.descriptor.target
    if not target.is_gfx9 or target.arch == "gfx908":
        raise UnsupportedError(
            f"kernel {kernel.name} is for {target.arch}, which the emulator does not run",
            "emulated are gfx90a, gfx942 and gfx950; other targets can be recovered and rebuilt",
        )


_PLACED = (L.LOAD_FAULT, L.STORE_FAULT, L.ALIGN_FAULT)  # their address is one of the launch's


def _fault(
    outcome: Outcome, encoded: EncodedKernel, regions: list[MemoryRegion], capsule: Capsule
) -> Fault | None:
    if not outcome.fault and not outcome.budget_spent:
        return None
    index = outcome.fault_index
    inst = encoded.program.instructions[index]
    kind: FaultKind = "budget" if outcome.budget_spent else _KINDS[outcome.fault]
    message = L.FAULT_KINDS[outcome.fault]
    address: int | None = outcome.fault_address
    access = {L.LOAD_FAULT: "load", L.STORE_FAULT: "store"}.get(outcome.fault)
    if outcome.budget_spent:
        message, address = "instruction budget used up (an endless loop?)", None
    elif outcome.fault == L.STORE_FAULT:
        for r in regions:
            if r.address <= outcome.fault_address < r.address + len(r.data) and not r.writable:
                kind, message = "read_only", f"store to read-only buffer {r.name}"
    elif outcome.fault == L.UNSUPPORTED_FAULT:
        message, address = encoded.unsupported.get(index, message), None
    placed = address is not None and outcome.fault in _PLACED
    return Fault(
        kind=kind,
        message=message,
        kernel=encoded.kernel.name,
        index=index,
        text=inst.text or "",
        lanes=outcome.fault_lanes,
        address=address,
        access=access,  # type: ignore[arg-type]
        place=describe(capsule, address) if placed and address is not None else "",
    )


_OBSERVED: dict[int, ObservationKind] = {
    shadow.READ_AFTER_WRITE: "race-read-after-write",
    shadow.WRITE_AFTER_WRITE: "race-write-after-write",
    shadow.WRITE_AFTER_READ: "race-write-after-read",
    shadow.UNINITIALIZED: "uninitialized-read",
    shadow.BARRIER: "divergent-barrier",
    shadow.EARLY: "early-lds-read",
}


def _observation(report: ShadowReport) -> Observation:
    return Observation(
        _OBSERVED[report.kind],
        report.first,
        report.second,
        "lds" if report.lds else "memory",
        report.address,
        report.group,
        report.waves,
        report.times,
        report.other,
    )


def _instruction_counts(encoded: EncodedKernel, outcome: Outcome) -> NDArray[np.int64]:
    counts = np.zeros(len(encoded.program.instructions), np.int64)
    for number in np.flatnonzero(outcome.block_counts).tolist():
        first, last = encoded.span(number)
        counts[first:last] += int(outcome.block_counts[number])
    return counts


def _wave_traces(encoded: EncodedKernel, outcome: Outcome) -> list[WaveTrace]:
    runs: dict[int, NDArray[np.int32]] = {}
    traces: list[WaveTrace] = []
    for group, wave, blocks, _truncated in outcome.traces:
        for number in np.unique(blocks).tolist():
            if number not in runs:
                runs[number] = np.arange(*encoded.span(number), dtype=np.int32)
        parts = [runs[n] for n in blocks.tolist()]
        traces.append(
            WaveTrace(group, wave, np.concatenate(parts) if parts else np.zeros(0, np.int32))
        )
    return traces
