"""The embedded default device: the ISA emulator as oracle and the cycle model as clock."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from asmevo.capsule.kernarg import RUNTIME_STATE
from asmevo.capsule.model import PACKET_DISTANCE, Capsule, Region
from asmevo.capsule.schedule import Schedule
from asmevo.codeobject import CodeObject, Kernel
from asmevo.device import clock
from asmevo.device.clock import Recording
from asmevo.device.globals import Globals, Variables, set_variables, variables
from asmevo.device.outcomes import (
    fault_of,
    instruction_counts,
    observation,
    undefined_operands,
    wave_traces,
)
from asmevo.device.protocol import (
    DeviceRecipe,
    Fault,
    Label,
    RunOptions,
    RunResult,
    Timing,
    WaveTrace,
)
from asmevo.emulate import layout as L
from asmevo.emulate.decode.encode import EncodedKernel, Style, encode
from asmevo.emulate.engine.junk import Junk
from asmevo.emulate.engine.launch import Launch, MemoryRegion, object_image
from asmevo.emulate.engine.machine import Machine, Outcome
from asmevo.emulate.engine.toolchain import shared_library
from asmevo.emulate.native.library import HelperLibrary, Progress
from asmevo.errors import BuildError, UnsupportedError
from asmevo.isa.target import MODELLED
from asmevo.program import Program, recover
from asmevo.timing.detail import issue_weights
from asmevo.timing.machine import MachineModel, machine_for
from asmevo.timing.model import Estimate
from asmevo.timing.static import static_program


class RunFault(BuildError):
    """A kernel that faulted where a clean run was needed."""

    status = "runtime_failure"


_MOST_WEIGHT = 64  # slots of an instruction: budgets count them where a run is weighed
_KEPT_OBJECTS = 16
_INTERLEAVED_RESIDENT = 4  # workgroups that run side by side under interleaved schedules
_MOST_RESIDENT_WAVES = 4096  # when waves wait for workgroups that have not started
# Instructions after which a wave is looked at for progress; in turns, every wave of them is.
_SLICE, _FAIR_SLICE = 1 << 20, 1 << 17
FAIR_ORDER = "interleave:64"  # what a wave that waits for another one is tried in
# A kernel that uses state of the runtime that is not there reads or writes around address 0.
_NULL_PAGE = 1 << 16
_POINTED_STATE = (*RUNTIME_STATE, "hidden_printf_buffer")


@dataclass(slots=True, eq=False)
class _Loaded:
    co: CodeObject
    program: Program
    encoded: dict[tuple[str, Style, tuple[int, ...], bool], EncodedKernel]
    variables: tuple[Variables, ...]
    # MODE values per kernel that registers supplied; runs find them.
    met_modes: dict[str, tuple[int, ...]] = field(default_factory=lambda: {})


@dataclass(frozen=True, slots=True)
class _Order:
    """The wave order of a run, as the engine takes it (see `Launch`)."""

    name: str
    groups: list[int] | None
    quantum: int
    pause: int | None
    shuffle: int
    resident: int
    most_resident: int

    @staticmethod
    def of(schedule: Schedule, capsule: Capsule, lanes: int) -> _Order:
        """The order of a schedule for waves of `lanes`."""
        number, count = schedule.number, capsule.workgroups
        groups = None
        if schedule.kind == "shuffle":
            rng = np.random.Generator(np.random.PCG64(number))
            groups = rng.permutation(count).tolist()
        fair = schedule.kind in ("interleave", "pause")
        waves = -(-math.prod(capsule.block) // lanes)
        most = max(1, min(count, _MOST_RESIDENT_WAVES // waves)) if fair else 1
        return _Order(
            str(schedule),
            groups,
            number if schedule.kind == "interleave" else 0,
            number if schedule.kind == "pause" else None,
            number * 2 + 1 if schedule.kind == "shuffle" else 0,
            min(_INTERLEAVED_RESIDENT, most) if fair else 1,
            most,
        )

    @property
    def fair(self) -> bool:
        """Whether a wave that waits for another one is no fault."""
        return self.quantum > 0 or self.pause is not None


@dataclass(slots=True, eq=False)
class _Ran:
    """One run of the engine and the memory that it left."""

    encoded: EncodedKernel
    regions: list[MemoryRegion]
    given: dict[str, bytes]
    outcome: Outcome
    junk: Callable[[], Junk]
    variables: Globals


class EmulatedDevice:
    """Runs code objects on the emulator. `time` models cycles; nothing here is measured.

    Args:
        library: compiled helpers; the process-wide ones by default.
        progress: told (done, total) while missing helpers compile.
        threads: workers that share the workgroups; above one their order is not fixed.
        machine: what is modelled; the usual machine of a kernel's target by default.
    """

    def __init__(
        self,
        library: HelperLibrary | None = None,
        progress: Progress | None = None,
        threads: int = 1,
        machine: MachineModel | None = None,
    ) -> None:
        self._library = library or shared_library()
        self._progress = progress
        self._objects: OrderedDict[bytes, _Loaded] = OrderedDict()
        self._lock = threading.Lock()
        self._threads = threads
        self._modelled = machine
        self._local = threading.local()

    @property
    def name(self) -> str:
        """Name for reports."""
        return "emulated" if self._modelled is None else f"emulated, {self._modelled.title}"

    @property
    def label(self) -> Label:
        """Times are modelled."""
        return "modelled"

    @property
    def recipe(self) -> DeviceRecipe:
        """Makes an equal device with the helpers of the process it is called in."""
        return partial(EmulatedDevice, threads=self._threads, machine=self._modelled)

    # --- loading ----------------------------------------------------------------------------
    def _load(self, object: bytes) -> _Loaded:
        with self._lock:
            found = self._objects.get(object)
            if found is not None:
                self._objects.move_to_end(object)
                return found
        co = CodeObject.open(object)
        loaded = _Loaded(co, recover(co), {}, variables(co))
        with self._lock:
            self._objects[object] = loaded
            while len(self._objects) > _KEPT_OBJECTS:
                self._objects.popitem(last=False)
        return loaded

    def program(self, object: bytes) -> Program:
        """The recovered program of an object (instruction indices of results refer to it)."""
        return self._load(object).program

    def encoded(self, object: bytes, kernel: str | None, style: Style) -> EncodedKernel:
        """The object's kernel, decoded and laid out."""
        loaded = self._load(object)
        return self._encoded(loaded, loaded.co.kernel(kernel), style)

    def _encoded(
        self, loaded: _Loaded, kernel: Kernel, style: Style, weighed: bool = False
    ) -> EncodedKernel:
        met = loaded.met_modes.get(kernel.name, ())
        key = (kernel.name, style, met, weighed)
        if key not in loaded.encoded:
            loaded.encoded[key] = encode(
                loaded.program, kernel, self._library, style, progress=self._progress, met=met,
                weights=self._weights(loaded, kernel) if weighed else None,
            )  # fmt: skip
        return loaded.encoded[key]

    def _weights(self, loaded: _Loaded, kernel: Kernel) -> list[int]:
        program = loaded.program
        flat = static_program(program.instructions, program.target, program.offsets)
        target = kernel.descriptor.target
        machine = machine_for(target) if self._modelled is None else self._modelled.require(target)
        return issue_weights(flat, machine)

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
        first = min(options.trace_workgroups, capsule.workgroups)
        return self._execute(object, capsule, options, Recording(tuple(range(first))))[0]

    def touched(
        self, object: bytes, capsule: Capsule, budget: int
    ) -> tuple[Mapping[str, tuple[NDArray[np.uint64], NDArray[np.uint64]]], int, Fault | None]:
        """What a run touches: (written, read) by buffer, bits of a granule, and its fault.

        The arrays have an entry for each granule of `1 << bits` bytes, 0 where nothing touched it;
        see `probe.run` for what else they hold. Of buffers with defined contents reads are known
        only where the run had written before; read-only ones are not watched.
        """
        loaded = self._load(object)
        kernel = loaded.co.kernel(capsule.kernel)
        _check_target(kernel)
        options = RunOptions(watch_memory=True, instruction_budget=budget)
        lanes = kernel.descriptor.target.wave_size
        order = _Order.of(options.schedule_for(capsule), capsule, lanes)
        ran = self._attempt(loaded, kernel, capsule, options, order, Recording())
        fault = fault_of(ran.outcome, ran.encoded, ran.regions, capsule)
        return ran.outcome.touched, ran.encoded.granules[1], fault

    def _execute(
        self, object: bytes, capsule: Capsule, options: RunOptions, recording: Recording
    ) -> tuple[RunResult, NDArray[np.uint64]]:
        """`run` with more to record; also the paths that were asked for."""
        loaded = self._load(object)
        kernel = loaded.co.kernel(capsule.kernel)
        _check_target(kernel)
        lanes = kernel.descriptor.target.wave_size
        order = _Order.of(options.schedule_for(capsule), capsule, lanes)
        start = time.perf_counter()
        ran = self._attempt(loaded, kernel, capsule, options, order, recording)
        if ran.outcome.stuck and order.fair and order.resident < order.most_resident:
            # A wave may wait for a workgroup that no place was left for.
            order = replace(order, resident=order.most_resident)
            ran = self._attempt(loaded, kernel, capsule, options, order, recording)
        seconds = time.perf_counter() - start
        fault = fault_of(ran.outcome, ran.encoded, ran.regions, capsule)
        if fault is not None:
            if ran.outcome.stuck:
                fault = self._stuck(loaded, kernel, capsule, options, order, ran, fault)
            _refuse(kernel, fault)
            if fault.kind != "budget":
                undefined = undefined_operands(ran.outcome, ran.encoded, ran.junk())
                fault = replace(fault, undefined=undefined)
        # Only writable memory can have changed.
        memory = {
            r.name: r.data.tobytes() if r.writable else ran.given[r.name]
            for r in ran.regions
            if r.name != "kernarg"
        }
        damage = capsule.guard_damage(memory) if options.guards_mapped else ()
        buffers = {
            b.name: memory[b.name][b.guard : b.guard + b.size]
            if options.guards_mapped
            else memory.get(b.name, b"")
            for b in capsule.buffers
        }
        result = RunResult(
            ok=fault is None,
            fault=fault,
            buffers=buffers,
            globals=ran.variables.after(),
            changed_globals=ran.variables.changed(),
            guard_damage=damage,
            counts=instruction_counts(ran.encoded, ran.outcome) if options.profile else None,
            wave_traces=wave_traces(ran.encoded, ran.outcome),
            instructions=ran.outcome.executed,
            seconds=seconds,
            observations=tuple(observation(r) for r in ran.outcome.reports),
            undefined_place=ran.junk().place_of if options.watch_memory else None,
        )
        return result, ran.outcome.paths

    def _attempt(
        self,
        loaded: _Loaded,
        kernel: Kernel,
        capsule: Capsule,
        options: RunOptions,
        order: _Order,
        recording: Recording,
    ) -> _Ran:
        """One run from the capsule's memory; repeated while it meets new MODE values."""
        style = Style(
            trace=recording.any,
            touch=recording.touches > 0,
            tick=order.quantum > 0,
            pause=order.pause is not None,
            exact=options.matrix == "exact",
            shadow=options.watch_memory,
            waits=options.late_loads,
            open_junk=options.open_junk,
        )
        launch = Launch(
            capsule.grid,
            capsule.block,
            capsule.lds_dynamic,
            capsule.kernarg,
            capsule.kernarg_address,
            order=order.groups,
            quantum=order.quantum,
            pause=order.pause,
            shuffle=order.shuffle,
            resident=order.resident,
            poison=options.poison,
            budget=options.instruction_budget * (_MOST_WEIGHT if recording.weighed else 1),
            slice=_FAIR_SLICE if order.fair else _SLICE,
            traced=recording.traced,
            trace_capacity=recording.blocks,
            touch_capacity=recording.touches,
            paths=recording.paths,
            shadow=options.watch_memory,
            waits=options.late_loads,
            **_code_placement(capsule),
        )
        undefined = {b.name for b in capsule.buffers if b.undefined}
        mapped = capsule.regions(guards_mapped=options.guards_mapped)
        machine = self._machine()
        while True:
            encoded = self._encoded(loaded, kernel, style, recording.weighed)
            regions = [
                MemoryRegion(
                    r.name, r.address, _host_bytes(r), r.permission == "rw", r.name in undefined
                )
                for r in mapped
            ]
            image = object_image(loaded.co, launch.image)
            if not options.globals_state:
                set_variables(loaded.co, image, launch.image, capsule.variables)
            left = Globals(loaded.variables, image, launch.image, options.globals_state)
            outcome = machine.run(encoded, launch, [*regions, *image], self._threads)
            if outcome.fault != L.MODE_FAULT:
                junk = partial(machine.junk, encoded, launch)
                given = {r.name: r.data for r in mapped}
                return _Ran(encoded, regions, given, outcome, junk, left)
            with self._lock:
                met = loaded.met_modes.get(kernel.name, ())
                if outcome.fault_address not in met:
                    loaded.met_modes[kernel.name] = (*met, outcome.fault_address)

    def _stuck(
        self,
        loaded: _Loaded,
        kernel: Kernel,
        capsule: Capsule,
        options: RunOptions,
        order: _Order,
        ran: _Ran,
        fault: Fault,
    ) -> Fault:
        """Say whether a wave that makes no progress would in a fair wave order."""
        wave = f"wave {ran.outcome.fault_wave} of workgroup {ran.outcome.fault_group}"
        endless = f"endless loop: {wave} repeats the same state and only reads memory"
        lanes = kernel.descriptor.target.wave_size
        alone = capsule.workgroups == 1 and math.prod(capsule.block) <= lanes
        if alone:
            return replace(fault, message=endless)
        if order.fair:
            return replace(fault, message=f"{endless}, and no other wave of this fair order moves")
        plain = replace(
            options, watch_memory=False, late_loads=False, profile=False, trace_workgroups=0
        )
        fair = _Order.of(Schedule.parse(FAIR_ORDER), capsule, lanes)
        fair = replace(fair, resident=fair.most_resident)
        probe = self._attempt(loaded, kernel, capsule, plain, fair, Recording())
        if probe.outcome.budget_spent:
            return replace(fault, message=f"{endless}, also in wave order {FAIR_ORDER}")
        message = (
            f"{wave} waits for memory that only other waves can change, and the wave order "
            f"{order.name} is unfair: it runs them later; --schedule {FAIR_ORDER} makes progress"
        )
        return replace(fault, message=message, fair=FAIR_ORDER)

    # --- timing -----------------------------------------------------------------------------
    def estimate(
        self,
        object: bytes,
        capsule: Capsule,
        *,
        split: bool = False,
        cases: bool = False,
        below: float | None = None,
        detail: bool = False,
        latency: NDArray[np.float64] | None = None,
    ) -> Estimate:
        """The cycle model's full answer for one dispatch; see `timing.model.estimate`.

        Raises:
            UnsupportedError: an instruction or target without emulation or machine table.
            RunFault: the kernel faulted, so there is nothing to time.
        """
        loaded = self._load(object)
        kernel = loaded.co.kernel(capsule.kernel)
        launch = clock.plan(kernel, capsule, self._modelled)

        def record(recording: Recording) -> tuple[list[WaveTrace], NDArray[np.uint64]]:
            result, paths = self._execute(object, capsule, RunOptions(), recording)
            if result.fault is not None:
                raise RunFault(f"nothing to time: {result.fault.one_line()}")
            return result.wave_traces, paths

        streams = clock.streams(launch, record)
        return clock.model(
            loaded.program, kernel, launch, streams,
            split=split, cases=cases, below=below, detail=detail, latency=latency,
        )  # fmt: skip

    def time(
        self, object: bytes, capsule: Capsule, samples: int, below: float | None = None
    ) -> Timing:
        """Modelled cycles of one dispatch (a single sample: the model is deterministic).

        The machine cases are timed unless the time is not `below` what it has to be.
        """
        result = self.estimate(object, capsule, cases=below is None, below=below)
        return clock.timing(result, self.machine(object, capsule.kernel))

    def machine(self, object: bytes, kernel: str | None = None) -> MachineModel:
        """The machine that a kernel of the object is modelled on.

        Raises:
            InputError: the machine runs other code.
            UnsupportedError: no machine runs the target.
        """
        target = self._load(object).co.kernel(kernel).descriptor.target
        return machine_for(target) if self._modelled is None else self._modelled.require(target)

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


def _code_placement(capsule: Capsule) -> dict[str, int]:
    """Where the object and the dispatch packet lie; nothing for the usual places."""
    if capsule.code_address is None:
        return {}
    return {"image": capsule.code_address, "packet": capsule.code_address - PACKET_DISTANCE}


def _check_target(kernel: Kernel) -> None:
    target = kernel.descriptor.target
    if not target.modelled:
        raise UnsupportedError(
            f"kernel {kernel.name} is for {target.arch}, which the emulator does not run",
            f"emulated are {', '.join(MODELLED)}; other targets can be recovered and rebuilt",
        )


def _refuse(kernel: Kernel, fault: Fault) -> None:
    """Raise for a fault that is a limit of the emulator, not of the kernel."""
    if fault.kind == "unsupported":
        raise UnsupportedError(
            f"kernel {kernel.name}: {fault.message} at instruction {fault.index} `{fault.text}`",
            "this instruction is not emulated yet",
        )
    if fault.kind != "out_of_bounds" or fault.address is None or fault.address >= _NULL_PAGE:
        return
    kinds = [a.value_kind for a in kernel.metadata.args if a.value_kind in _POINTED_STATE]
    if kinds:
        raise UnsupportedError(
            f"kernel {kernel.name} takes {', '.join(kinds)} from the runtime and uses it: "
            f"{fault.one_line()}",
            "printf, device_print, device-side asserts and malloc need a host that answers; run "
            "without them, or check the launch for a null pointer of its own",
        )
