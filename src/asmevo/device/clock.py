"""The emulated device's clock: executed instruction streams from the emulator, cycles from the
model. Every figure is modelled.

The whole launch is executed, because what a workgroup does may depend on the others and any of
them may be the one that takes long. Few are looked at closely: those that stand for all, by what
they executed and where in the launch they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import asmevo
from asmevo.capsule.model import Capsule
from asmevo.codeobject import Kernel
from asmevo.device.protocol import Timing, WaveTrace
from asmevo.program import Program
from asmevo.timing.launch import kinds_of, representatives, spread
from asmevo.timing.machine import MachineModel, machine_for
from asmevo.timing.model import Estimate, estimate
from asmevo.timing.occupancy import Occupancy, occupancy

TRACED_WORKGROUPS = 8
"""Most workgroups whose streams feed the model."""
_BLOCKS = 1 << 18  # block entries of a traced wave, if its streams are not for the clock
# Room for the streams of all traced waves together; what is not used costs nothing.
_ALL_BLOCKS = 1 << 27
_ALL_WORDS = 1 << 26


@cache
def clock_version() -> str:
    """Version of the clock: 16 hex digits over the source of all that a modelled time is made of.

    Two times compare only where it is the same.
    """
    house = Path(asmevo.__file__).parent
    tables = (house / "isa" / name for name in ("access.py", "counters.py", "matrix.py"))
    digest = hashlib.sha256()
    for path in (Path(__file__), *sorted((house / "timing").rglob("*.py")), *tables):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Recording:
    """What a run keeps for the clock.

    Attributes:
        traced: workgroups whose executed instructions are kept.
        blocks: most block entries of each of their waves.
        touches: most words of touched addresses (`timing.touches`) of each wave; 0 records none.
        paths: whether to say what each workgroup of the launch executed.
        weighed: whether paths count clocks of issue instead of instructions.
    """

    traced: tuple[int, ...] = ()
    blocks: int = _BLOCKS
    touches: int = 0
    paths: bool = False
    weighed: bool = False

    @property
    def any(self) -> bool:
        """Whether the kernel has to be encoded with traces."""
        return bool(self.traced) or self.paths


Recorder = Callable[[Recording], tuple[list[WaveTrace], NDArray[np.uint64]]]
"""Runs the launch: traces of the traced workgroups, and the paths (see `machine.Outcome`)."""


@dataclass(frozen=True, slots=True)
class TimedLaunch:
    """What the model is given besides the streams.

    Attributes:
        occupancy: what fits a compute unit.
        workgroups: workgroups of the launch.
        footprint: bytes of the buffers that the launch can reach.
        machine: what it runs on.
    """

    occupancy: Occupancy
    workgroups: int
    footprint: int
    machine: MachineModel


@dataclass(frozen=True, slots=True, eq=False)
class Streams:
    """What representative workgroups executed.

    Attributes:
        traces: streams of their waves.
        members: for each workgroup of the launch the place, among the traced ones by ascending
            id, of the one that stands for it, int32 [workgroups].
        scale: work of each over that of the one that stands for it, float64 [workgroups].
    """

    traces: list[WaveTrace]
    members: NDArray[np.int32]
    scale: NDArray[np.float64]


def plan(kernel: Kernel, capsule: Capsule, machine: MachineModel | None = None) -> TimedLaunch:
    """Occupancy of a launch and what it can reach, on a machine or the usual one of the target.

    Raises:
        InputError: the workgroup does not fit a compute unit, or the machine runs other code.
        UnsupportedError: no machine table for the target.
    """
    d = kernel.descriptor
    used = machine_for(d.target) if machine is None else machine.require(d.target)
    lds = d.group_segment_fixed_size + capsule.lds_dynamic
    fits = occupancy(d.target, d.vgprs, lds, capsule.block, machine=used)
    return TimedLaunch(fits, capsule.workgroups, sum(b.size for b in capsule.buffers), used)


def filling(
    kernel: Kernel, capsule: Capsule, machine: MachineModel | None = None
) -> tuple[int, int, int]:
    """(compute units, workgroups that each holds, workgroups of the launch).

    A launch with fewer workgroups than the product of the first two leaves part of the machine
    idle: what it says of an edit need not hold for a full one.

    Raises:
        InputError, UnsupportedError: see `plan`.
    """
    launch = plan(kernel, capsule, machine)
    units = launch.machine.count("compute_units")
    return units, launch.occupancy.workgroups_per_cu, launch.workgroups


def streams(launch: TimedLaunch, record: Recorder) -> Streams:
    """Execute the launch and choose who stands for it.

    The launch is run again only if the workgroups that were traced at first do not hold one of
    every kind. Where workgroups differ so much that several have to share one that stands for
    them, it is run once more to weigh what each executes: a rare one that takes long is then as
    long as its work.
    """
    total, waves = launch.workgroups, launch.occupancy.waves_per_workgroup
    guess = spread(total, TRACED_WORKGROUPS)
    room = len(guess) * waves
    recording = Recording(tuple(guess), _ALL_BLOCKS // room, _ALL_WORDS // room, True)
    traces, paths = record(recording)
    kinds, work = kinds_of(paths, TRACED_WORKGROUPS), paths[:, 0].astype(np.float64)
    if not _same_paths(paths, kinds):
        _, paths = record(Recording(paths=True, weighed=True))
        kinds, work = kinds_of(paths, TRACED_WORKGROUPS), paths[:, 0].astype(np.float64)
    work = np.maximum(work, 1.0)
    chosen, place = representatives(paths, kinds, TRACED_WORKGROUPS)
    if {int(kinds[g]) for g in guess} == set(kinds.tolist()) and _same(paths, kinds):
        mine = [[n for n, g in enumerate(guess) if kinds[g] == k] for k in range(kinds.max() + 1)]
        members = np.zeros(total, np.int32)
        for k, places in enumerate(mine):
            those = np.flatnonzero(kinds == k)
            members[those] = np.array(places)[np.arange(len(those)) * len(places) // len(those)]
        return Streams(traces, members, np.ones(total))
    room = len(chosen) * waves
    recording = replace(
        recording,
        traced=tuple(chosen),
        blocks=_ALL_BLOCKS // room,
        touches=_ALL_WORDS // room,
        paths=False,
    )
    traces, _ = record(recording)
    rank = np.argsort(np.argsort(np.array(chosen)))
    scale = work / work[np.array(chosen)[place]]
    return Streams(traces, rank[place].astype(np.int32), scale)


def _same_paths(paths: NDArray[np.uint64], kinds: NDArray[np.int32]) -> bool:
    """Whether the workgroups of each kind executed the same."""
    return len(np.unique(paths, axis=0)) == int(kinds.max(initial=-1)) + 1


def _same(paths: NDArray[np.uint64], kinds: NDArray[np.int32]) -> bool:
    """Whether the workgroups of each kind executed equally many instructions."""
    return all(
        len(np.unique(paths[kinds == k, 0])) == 1 for k in range(int(kinds.max(initial=-1)) + 1)
    )


def model(
    program: Program,
    kernel: Kernel,
    launch: TimedLaunch,
    streams: Streams,
    *,
    split: bool = False,
    cases: bool = False,
    below: float | None = None,
    detail: bool = False,
    latency: NDArray[np.float64] | None = None,
) -> Estimate:
    """The cycle model's estimate for a traced launch; see `timing.model.estimate`."""
    function = program.kernel_function(kernel)
    return estimate(
        program,
        function if _inside(streams.traces, function.first, function.last) else None,
        streams.traces,
        launch.occupancy,
        launch.machine,
        workgroups=launch.workgroups,
        members=streams.members,
        scale=streams.scale,
        footprint=float(launch.footprint),
        split=split,
        cases=cases,
        below=below,
        detail=detail,
        latency=latency,
    )


def _inside(traces: Sequence[WaveTrace], first: int, last: int) -> bool:
    return all(
        len(t.indices) == 0 or (t.indices.min() >= first and t.indices.max() < last) for t in traces
    )


def timing(result: Estimate, machine: MachineModel) -> Timing:
    """An estimate as the device's timing: one sample, since the model is deterministic."""
    return Timing(
        (result.cycles,),
        "cycles",
        "modelled",
        result.band,
        result.validation_class,
        result.cases,
        result.staggered,
        machine.title,
        result.validation.difference,
        result.validation.difference_name,
    )
