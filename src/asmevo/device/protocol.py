"""What a device is to the rest of the project: run an object on a capsule, and time it.

Pure data types, so that whoever needs them can import them without an emulator or a GPU. A device
may be an ISA emulator with a cycle model (`modelled`) or real hardware (`measured`); the two labels
never share a column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from asmevo.capsule.model import Capsule
from asmevo.capsule.schedule import Schedule
from asmevo.timing.touches import Touches

Label = Literal["modelled", "measured"]

FaultKind = Literal[
    "out_of_bounds",  # address in no mapped region
    "read_only",  # store to a read-only region (inputs, kernarg segment)
    "misaligned",
    "lds",  # LDS access beyond the allocation
    "register",  # register index beyond the allocation
    "illegal_instruction",
    "unsupported",  # an instruction this device cannot execute; usually raised, not returned
    "trap",
    "budget",  # instruction budget used up: presumably an endless loop
    "barrier",  # a barrier that some waves never reach
    "uninitialized",
    "race",
    "launch",  # the runtime refused to load or launch the object
    "timeout",
    "crash",  # the device or its process died
]

DEFAULT_INSTRUCTION_BUDGET = 2_000_000_000


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How to run, beyond what the capsule says.

    Attributes:
        schedule: `barrier`, `interleave:N` or `shuffle:SEED`; None takes the capsule's own.
        poison: seed of the junk that fills undefined registers and LDS.
        instruction_budget: most instructions of one wave before a `budget` fault. A wave that
            repeats the same state stops long before.
        profile: whether to fill `RunResult.counts`.
        trace_workgroups: for how many of the first workgroups to record `WaveTrace`s.
        guards_mapped: map the red zones round the buffers as ordinary memory and report damage
            (as on hardware) instead of faulting on the first access to them.
        watch_memory: look for races and uninitialized reads; they come as observations. Needs
            16 bytes of host memory per granule of writable buffers, 8 per granule of LDS; a granule
            is a dword, or less where the kernel accesses less.
        late_loads: a load's destination holds junk until a wait that proves it complete.
        open_junk: register bits that no source documents (see the fidelity report's `open`) hold
            junk instead of a plausible value.
        globals_state: contents of device globals before the dispatch: 0 for the file's, others of
            `device.globals.STATES` for drawn ones.
        matrix: arithmetic of matrix instructions where a device has a choice: `fast` (fused
            accumulation in ascending k) or `exact` (the published accumulation models).
    """

    schedule: str | None = None
    poison: int = 0
    instruction_budget: int = DEFAULT_INSTRUCTION_BUDGET
    profile: bool = False
    trace_workgroups: int = 0
    guards_mapped: bool = False
    matrix: Literal["fast", "exact"] = "fast"
    watch_memory: bool = False
    late_loads: bool = False
    open_junk: bool = False
    globals_state: int = 0

    def schedule_for(self, capsule: Capsule) -> Schedule:
        """The schedule to use on `capsule`.

        Raises:
            InputError: the schedule's text is malformed.
        """
        return Schedule.parse(capsule.schedule if self.schedule is None else self.schedule)


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a run stopped.

    Attributes:
        kind: class of the fault.
        message: one line for the user, without instruction and address.
        kernel: kernel name.
        index: instruction index in the program, or -1 when not known.
        text: LLVM text of the instruction, or an empty string.
        lanes: lanes concerned, as a bit mask (0: not lane specific).
        address: offending byte address, or None.
        access: how memory was accessed, or None when it was not.
        place: the address in words (see `capsule.places`): buffer, element, which end; or empty.
        fair: a wave order in which the launch goes on, when a wave of it waits for waves that its
            own order does not run (kind `budget`); empty otherwise. Such a fault says nothing
            about the kernel.
        undefined: (operand register, place) of operands of the instruction that hold what an
            undefined register or LDS place held when the wave started, however it was copied.
    """

    kind: FaultKind
    message: str
    kernel: str = ""
    index: int = -1
    text: str = ""
    lanes: int = 0
    address: int | None = None
    access: Literal["load", "store", "atomic"] | None = None
    place: str = ""
    fair: str = ""
    undefined: tuple[tuple[str, str], ...] = ()

    def one_line(self) -> str:
        """The fault as one line: message, instruction, address, place, lanes."""
        parts = [f"{self.kind}: {self.message}"]
        if self.text or self.index >= 0:
            where = f"instruction {self.index}" if self.index >= 0 else "instruction"
            parts.append(f"at {where} `{self.text}`" if self.text else f"at {where}")
        if self.kernel:
            parts.append(f"in {self.kernel}")
        if self.address is not None:
            parts.append(f"address 0x{self.address:x}")
        if self.place:
            parts.append(self.place)
        if self.lanes:
            parts.append(f"lanes 0x{self.lanes:x}")
        parts += [
            f"{register} is undefined"
            if register == place
            else f"{register} holds what undefined {place} held at the start"
            for register, place in self.undefined
        ]
        return ", ".join(parts)


@dataclass(frozen=True, slots=True, eq=False)
class WaveTrace:
    """Instructions that one wave executed, in order.

    Attributes:
        workgroup: linear workgroup id, x fastest.
        wave: wave id within the workgroup.
        indices: int32 array [executed] of instruction indices of the program.
        touches: addresses that its memory instructions touched, on request.
        factor: instructions that the wave executed over those in `indices`: 1 unless its trace
            was cut.
    """

    workgroup: int
    wave: int
    indices: NDArray[np.int32]
    touches: Touches | None = None
    factor: float = 1.0


ObservationKind = Literal[
    "race-read-after-write",
    "race-write-after-write",
    "race-write-after-read",
    "uninitialized-read",
    "divergent-barrier",
    "early-lds-read",  # of bytes that an LDS-DMA load has yet to fill (with late loads)
]


@dataclass(frozen=True, slots=True)
class Observation:
    """Something that a watched run saw and that is no fault.

    Attributes:
        kind: what it is.
        first: instruction index of the earlier access (or of the one barrier).
        second: instruction index of the later access (or of the other barrier).
        space: `lds` (address is a byte offset) or `memory` (a device address).
        address: first byte concerned, of the first time it was seen.
        workgroup: linear id of the later access' workgroup.
        waves: waves of the earlier and the later access.
        times: how often the pair was seen.
        other_workgroup: linear id of the earlier access' workgroup; -1 for one of several others.
        outstanding: of a race: a barrier lies between the two, but no wait had completed the
            earlier access when its wave passed it (seen with late loads only).
    """

    kind: ObservationKind
    first: int
    second: int
    space: Literal["lds", "memory"]
    address: int
    workgroup: int
    waves: tuple[int, int]
    times: int
    other_workgroup: int = -1
    outstanding: bool = False


def _no_traces() -> list[WaveTrace]:
    return []


def _no_buffers() -> dict[str, bytes]:
    return {}


@dataclass(frozen=True, slots=True, eq=False)
class RunResult:
    """Outcome of one dispatch.

    Attributes:
        ok: the dispatch ran to its end; False when `fault` is set.
        fault: what stopped it.
        buffers: contents of every buffer afterwards by name, guards not included. Also filled
            after a fault, as far as known.
        globals: contents of the object's writable sections afterwards, by name.
        changed_globals: those that the dispatch changed.
        guard_damage: names of buffers whose red zone changed (only with `guards_mapped`).
        counts: int64 array [instructions of the program], wave executions of each, with `profile`.
        wave_traces: traces of the first workgroups, as asked.
        instructions: wave instructions executed.
        seconds: host wall time of the run; never a kernel time.
        observations: races and uninitialized reads, with `watch_memory`.
        undefined_place: gives the register or LDS place that held a dword when the waves started
            and nothing had defined it, or an empty string; None where a device does not know.
    """

    ok: bool
    fault: Fault | None = None
    buffers: dict[str, bytes] = field(default_factory=_no_buffers)
    globals: dict[str, bytes] = field(default_factory=_no_buffers)
    changed_globals: tuple[str, ...] = ()
    guard_damage: tuple[str, ...] = ()
    counts: NDArray[np.int64] | None = None
    wave_traces: list[WaveTrace] = field(default_factory=_no_traces)
    instructions: int = 0
    seconds: float = 0.0
    observations: tuple[Observation, ...] = ()
    undefined_place: Callable[[int], str] | None = None


@dataclass(frozen=True, slots=True)
class Timing:
    """Kernel time samples.

    Attributes:
        samples: one value per sample, in `unit`.
        unit: `cycles` for modelled, `s` for measured.
        label: `modelled` or `measured`.
        band: relative error band of the model's validation class; 0 for measured.
        validation_class: class whose band is quoted, or `measured`.
        cases: of a model, (name, time) in each machine case (`timing.cases`) where it was asked.
        staggered: of a model, times with other starts of the workgroups: what they scatter is
            noise, as the scatter of samples is.
        machine: of a model, the machine that it is of.
        difference_band: relative error band of a ratio of two such times; 0 for measured.
        difference_class: pairs whose error that is.
    """

    samples: tuple[float, ...]
    unit: str
    label: Label
    band: float
    validation_class: str
    cases: tuple[tuple[str, float], ...] = ()
    staggered: tuple[float, ...] = ()
    machine: str = ""
    difference_band: float = 0.0
    difference_class: str = ""

    @property
    def centre(self) -> float:
        """Median of the samples, robust against outliers (first launches, clock ramps)."""
        return float(np.median(np.asarray(self.samples, dtype=np.float64)))

    @property
    def cv(self) -> float:
        """Coefficient of variation of all times: standard deviation over mean, 0 for one."""
        values: Sequence[float] = (*self.samples, *self.staggered)
        if len(values) < 2:
            return 0.0
        array = np.asarray(values, dtype=np.float64)
        mean = float(array.mean())
        return float(array.std(ddof=1)) / mean if mean else 0.0


class Device(Protocol):
    """Something that can run an AMDGPU code object.

    Contracts: `run` is deterministic on the emulated device for equal arguments; it never writes
    to the capsule; a fault of the kernel is returned in the result, while an object or instruction
    that the device does not support raises `UnsupportedError` and a broken device raises
    `EnvironmentFault`. `time` never compares results: nothing is timed before it is correct.
    """

    @property
    def name(self) -> str:
        """Name for reports, e.g. `emulated gfx942`."""
        ...

    @property
    def label(self) -> Label:
        """Whether `time` gives modelled or measured values."""
        ...

    @property
    def recipe(self) -> DeviceRecipe:
        """Makes an equal device, also in another process: it pickles and holds no handle."""
        ...

    def run(self, object: bytes, capsule: Capsule, options: RunOptions) -> RunResult:
        """Execute `capsule.kernel` of the code object `object` once."""
        ...

    def time(
        self, object: bytes, capsule: Capsule, samples: int, below: float | None = None
    ) -> Timing:
        """Time `samples` dispatches (a model may return one sample, and its machine cases).

        A time that is not `below` this needs no more certainty: fewer samples, or no machine
        cases, will do.
        """
        ...


DeviceRecipe = Callable[[], Device]
"""Makes a device; importable by name wherever it is unpickled."""
