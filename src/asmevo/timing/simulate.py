"""Event simulation of the waves of one compute unit (numba), control flow given.

The mechanisms are in `asmevo.timing.kernel`, the machine's constants in `asmevo.timing.machine`.

The simulation is deterministic: of the waves that could issue at one time, the one with higher
`s_setprio` level and then the older one goes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from asmevo.errors import InputError
from asmevo.timing import kernel, state
from asmevo.timing.addresses import Accesses
from asmevo.timing.machine import MachineModel
from asmevo.timing.static import StaticProgram

_F64 = NDArray[np.float64]
_I32 = NDArray[np.int32]
_I64 = NDArray[np.int64]


class WaveLike(Protocol):
    """A traced wave: `asmevo.device.protocol.WaveTrace` and anything shaped like it."""

    @property
    def workgroup(self) -> int:
        """Linear workgroup id."""
        ...

    @property
    def wave(self) -> int:
        """Wave id in the workgroup."""
        ...

    @property
    def indices(self) -> NDArray[np.int32]:
        """Executed instruction indices, int32 [executed]."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Simulation:
    """Outcome of one compute unit.

    Attributes:
        clocks: from the first wave's start to the end of the last wave and of its stores.
        wave_start, wave_end: per wave in the given order, float64 [waves].
        cost: clocks that waves spent at each instruction index, float64 [instructions].
        count: executions of each instruction index, int64 [instructions].
        issue: issue times per wave (recorded only on request), else empty; for waits, nops and
            barriers the time at which they let the wave go on, as thread traces have it.
        executed: wave instructions simulated.
        stalls: `cost` by reason (recorded only on request), float64 [instructions, reasons].
    """

    clocks: float
    wave_start: _F64
    wave_end: _F64
    cost: _F64
    count: _I64
    issue: tuple[_F64, ...]
    executed: int
    stalls: _F64 | None = None


def simulate(
    program: StaticProgram,
    waves: Sequence[WaveLike],
    machine: MachineModel,
    *,
    simds: Sequence[int] | None = None,
    starts: Sequence[float] | None = None,
    cold: bool = True,
    memory_latency: _F64 | None = None,
    record: bool = False,
    reasons: bool = False,
    accesses: Accesses | None = None,
    access: Sequence[_I32] | None = None,
) -> Simulation:
    """Simulate `waves` on one compute unit.

    Args:
        program: flattened program.
        waves: executed instruction streams; waves with one `workgroup` share its barriers.
        machine: constants.
        simds: SIMD of each wave; default: round robin in the given order.
        starts: start time of each wave; default: workgroups `launch_workgroup` apart.
        cold: whether first touches of memory pay the cold extra.
        memory_latency: latency of each vector load by instruction index, -1 for the default.
        record: keep issue times.
        reasons: charge the clocks of each instruction to reasons (`stalls.Reason`).
        accesses: what single executions of memory instructions touch; None: unknown.
        access: row of `accesses` of every executed instruction by wave, -1 unknown; needed with
            `accesses`.

    Raises:
        InputError: no wave, an index outside the program, or waves stuck at a barrier.
    """
    if not waves:
        raise InputError("no wave to simulate", "trace at least one workgroup")
    streams = _streams(program, waves, machine, simds, starts, access)
    rows = Accesses.none() if accesses is None else accesses
    n = len(program)
    latency = np.full(n, -1.0) if memory_latency is None else memory_latency
    executed = int(streams.index.shape[0])
    kept = state.Record(
        np.zeros(n),
        np.zeros(n, dtype=np.int64),
        np.zeros(len(waves)),
        np.zeros(executed if record else 0),
        np.zeros(1),
    )
    code = _code(program, latency)
    profile = state.Profile.of(n, len(waves)) if reasons else None
    status = kernel.run(
        kernel.Clocks(*(machine[name] for name in kernel.Clocks._fields)),
        code,
        streams,
        state.Accesses(rows.port, rows.moved, rows.fresh, rows.serial),
        cold,
        kept,
        profile,
        *state.fresh(code, streams, program.slots),
    )
    if status == kernel.DEADLOCK:
        raise InputError("waves of a workgroup wait at a barrier that the others never reach")
    ends = streams.start
    issues = tuple(kept.issue[ends[i] : ends[i + 1]] for i in range(len(waves))) if record else ()
    return Simulation(
        clocks=float(max(kept.end.max(), kept.done[0]) - streams.begin.min()),
        wave_start=streams.begin,
        wave_end=kept.end,
        cost=kept.cost,
        count=kept.count,
        issue=issues,
        executed=executed,
        stalls=None if profile is None else profile.stalls,
    )


def _streams(
    program: StaticProgram,
    waves: Sequence[WaveLike],
    machine: MachineModel,
    simds: Sequence[int] | None,
    starts: Sequence[float] | None,
    access: Sequence[_I32] | None,
) -> state.Streams:
    """The waves end to end, with their places and start times; see `simulate`."""
    parts = [np.ascontiguousarray(wave.indices, dtype=np.int32) for wave in waves]
    start = np.zeros(len(waves) + 1, dtype=np.int64)
    np.cumsum([s.shape[0] for s in parts], out=start[1:])
    index = np.concatenate(parts)
    if index.shape[0] and (int(index.min()) < 0 or int(index.max()) >= len(program)):
        raise InputError("a wave trace names an instruction outside the program")
    group_of: dict[int, int] = {}
    group = np.array(
        [group_of.setdefault(int(w.workgroup), len(group_of)) for w in waves], dtype=np.int64
    )
    count = machine.count("simds_per_cu")
    placed = np.array(
        [i % count for i in range(len(waves))] if simds is None else simds, dtype=np.int64
    )
    if starts is None:
        begin = group.astype(np.float64) * machine["launch_workgroup"]
    else:
        begin = np.array(starts, dtype=np.float64)
    slot = machine["slot"]
    rows = np.full(index.shape[0], -1, np.int32) if access is None else np.concatenate(access)
    return state.Streams(index, rows, start, placed, group, np.ceil(begin / slot) * slot)


def _code(program: StaticProgram, latency: _F64) -> state.Code:
    """The program as the kernel takes it."""
    return state.Code(
        program.kind,
        program.flags,
        program.lane_bytes,
        latency,
        program.passes,
        program.coexec,
        program.wait_vm,
        program.wait_lgkm,
        program.immediate,
        program.line,
        program.scalar_line,
        program.scalar_base,
        program.src_start,
        program.src,
        program.dst_start,
        program.dst,
    )
