"""One compute unit with the workgroups that share it: how long each of them takes there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from asmevo.errors import InputError
from asmevo.timing import sampling
from asmevo.timing.addresses import Accesses, Stream, accesses
from asmevo.timing.detail import Detail
from asmevo.timing.launch import mixture
from asmevo.timing.machine import MachineModel
from asmevo.timing.simulate import WaveLike, simulate
from asmevo.timing.static import ATOMIC, NO_VMCNT, Kind, StaticProgram
from asmevo.timing.touches import Touches

_F64 = NDArray[np.float64]
_I32 = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class TracedWave:
    """What one wave of a workgroup executed.

    Attributes:
        workgroup, wave: as in `WaveLike`.
        indices: instruction indices of the flattened program, int32 [executed].
        touches: what its memory instructions touched, None when not recorded.
        factor: instructions that it executed over those in `indices`, 1 unless its trace was cut.
    """

    workgroup: int
    wave: int
    indices: _I32
    touches: Touches | None = None
    factor: float = 1.0


def grouped(traces: Sequence[WaveLike], first: int, last: int) -> list[list[TracedWave]]:
    """Waves by workgroup, in ascending order; indices count from instruction `first`.

    Raises:
        InputError: nothing was traced, or an instruction outside [first, last).
    """
    by_group: dict[int, list[TracedWave]] = {}
    for trace in traces:
        if trace.indices.shape[0]:
            if int(trace.indices.min()) < first or int(trace.indices.max()) >= last:
                raise InputError("a wave trace names an instruction outside the program")
            wave = TracedWave(
                int(trace.workgroup),
                int(trace.wave),
                trace.indices - np.int32(first) if first else trace.indices,
                getattr(trace, "touches", None),
                getattr(trace, "factor", 1.0),
            )
            by_group.setdefault(wave.workgroup, []).append(wave)
    if not by_group:
        raise InputError(
            "the estimate needs executed instructions of at least one wave",
            "run with trace_workgroups of 1 or more",
        )
    return [sorted(by_group[key], key=lambda w: w.wave) for key in sorted(by_group)]


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """A traced workgroup with what it costs the memory path.

    Attributes:
        waves: its waves.
        rows: row of `accesses` of every executed instruction by wave, -1 unknown.
        accesses: what executions touch; no row when nothing was recorded.
        known: whether accesses of global memory and LDS were recorded.
        moved, fresh: bytes between its compute unit and the L2, and of those the first requests.
        hot: lane operations of atomics by address (in dwords).
    """

    waves: list[TracedWave]
    rows: list[_I32]
    accesses: Accesses
    known: bool
    moved: float
    fresh: float
    hot: Mapping[int, float] = field(default_factory=dict[int, float])

    @staticmethod
    def of(
        program: StaticProgram, waves: list[TracedWave], machine: MachineModel, residents: int
    ) -> Load:
        """From the recorded addresses, else from the bytes that lanes ask for.

        Where a recording ended early, an instruction's further executions are taken to be like
        those that were recorded, in turn; what has none asks for what its lanes can.
        """
        streams = [Stream(w.indices, w.touches) for w in waves if w.touches is not None]
        if len(streams) == len(waves):
            rows, table = accesses(program, streams, machine, residents)
            factor = max(w.factor for w in waves)
            moved, fresh = float(table.moved.sum()), float(table.fresh.sum())
            hot = {at: times * factor for at, times in table.hot.items()}
            if not all(s.touches.complete for s in streams):
                atomic = program.flags & ATOMIC != 0
                before = _recorded(atomic, waves, rows)
                rows = _filled(program, waves, rows)
                more = max(1.0, _recorded(atomic, waves, rows) / max(1, before))
                hot = {at: times * more for at, times in hot.items()}
                used = np.concatenate(rows)
                used = used[used >= 0]
                moved, fresh = float(table.moved[used].sum()), float(table.fresh[used].sum())
                rest = _lane_bytes_unknown(program, waves, rows)
                moved, fresh = moved + rest, fresh + rest
            return Load(waves, rows, table, True, moved * factor, fresh * factor, hot)
        vector = program.kind == Kind.VMEM
        asked = 64.0 * np.where(vector, program.lane_bytes, 0.0)
        moved = float(sum(asked[w.indices].sum() * w.factor for w in waves))
        rows = [np.full(w.indices.shape[0], -1, np.int32) for w in waves]
        return Load(waves, rows, Accesses.none(), False, moved, moved)

    def executions(self, instructions: int) -> _F64:
        """How often its waves execute each instruction, float64 [instructions]."""
        total = np.zeros(instructions)
        for wave in self.waves:
            total += np.bincount(wave.indices, minlength=instructions) * wave.factor
        return total

    def asked(self, program: StaticProgram) -> tuple[float, float]:
        """Bytes that its lanes ask for: of the LDS, of the L1."""
        out: list[float] = []
        for kind in (Kind.LDS, Kind.VMEM):
            total = 0.0
            for wave, row in zip(self.waves, self.rows, strict=True):
                mine = program.kind[wave.indices] == kind
                known = mine & (row >= 0)
                total += wave.factor * float(self.accesses.asked[row[known]].sum())
                rest = wave.indices[mine & (row < 0)]
                total += wave.factor * 64.0 * float(program.lane_bytes[rest].sum())
            out.append(total)
        return out[0], out[1]


def _recorded(wanted: NDArray[np.bool_], waves: Sequence[TracedWave], rows: Sequence[_I32]) -> int:
    """Executions of the wanted instructions that have a row."""
    pairs = zip(waves, rows, strict=True)
    return sum(int((wanted[w.indices] & (row >= 0)).sum()) for w, row in pairs)


def _filled(
    program: StaticProgram, waves: Sequence[TracedWave], rows: Sequence[_I32]
) -> list[_I32]:
    """Rows in which executions that were not recorded take those of the same instruction."""
    index, row = np.concatenate([w.indices for w in waves]), np.concatenate(rows)
    memory = np.isin(program.kind, (int(Kind.VMEM), int(Kind.LDS)))
    missing = memory[index] & (row < 0)
    for i in np.unique(index[missing]).tolist():
        known = row[(index == i) & (row >= 0)]
        if known.size:
            places = np.flatnonzero(missing & (index == i))
            row[places] = known[np.arange(places.size) % known.size]
    ends = np.cumsum([w.indices.shape[0] for w in waves])
    return list(np.split(row, ends[:-1]))


def _lane_bytes_unknown(
    program: StaticProgram, waves: Sequence[TracedWave], rows: Sequence[_I32]
) -> float:
    """Bytes that the lanes of global accesses without a row can ask for."""
    total = 0.0
    for wave, row in zip(waves, rows, strict=True):
        mine = wave.indices[row < 0]
        mine = mine[(program.kind[mine] == Kind.VMEM) & (program.flags[mine] & NO_VMCNT == 0)]
        total += 64.0 * float(program.lane_bytes[mine].sum())
    return total


@dataclass(slots=True, eq=False)
class Ran:
    """What simulations of the unit gave.

    Attributes:
        durations: clocks that each representative takes, float64 [representatives].
        cost, count: clocks and executions by instruction, of all simulated waves.
        executed: wave instructions simulated.
        sampled: whether parts stood for the whole.
        detail: what a profile shows, when asked for.
        ramp: clocks from the first workgroup's start on a unit to the start of those beside it.
    """

    durations: _F64
    cost: _F64
    count: NDArray[np.int64]
    executed: int = 0
    sampled: bool = False
    ramp: float = 0.0
    detail: Detail | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """A unit on which `residents` workgroups run side by side.

    Attributes:
        program: flattened program.
        loads: the representatives.
        population: workgroups that each stands for.
        residents: workgroups on the unit at once.
        limit: most wave instructions of one simulation; None for all.
        cold: whether first touches of instructions and arguments are cold.
        latency: measured latency by instruction, -1 none; None: none at all.
    """

    program: StaticProgram
    loads: Sequence[Load]
    population: NDArray[np.int64]
    residents: int
    limit: int | None
    cold: bool
    latency: _F64 | None = None

    def run(self, machine: MachineModel, seed: int = 0, detail: bool = False) -> Ran:
        """Simulate until every representative that stands for a workgroup was on the unit.

        `seed` draws how far the starts of workgroups that share the unit lie apart (0: evenly);
        `detail` asks for `Ran.detail`.
        """
        n = len(self.program)
        ran = Ran(np.zeros(len(self.loads)), np.zeros(n), np.zeros(n, np.int64))
        ran.detail = Detail.empty(n) if detail else None
        usual = mixture(self.population, self.residents)
        for kind in np.flatnonzero(self.population).tolist():
            if kind in usual and usual.index(kind) > 0:
                continue  # the first simulation has it too
            company = usual if kind in usual else [kind, *usual[1:]]
            wanted = set(company) if kind in usual else {kind}
            self._simulate(machine, company, wanted, seed, ran)
        return ran

    def _simulate(
        self, machine: MachineModel, company: list[int], wanted: set[int], seed: int, ran: Ran
    ) -> None:
        """One simulation of the workgroups of `company`; sets the durations of `wanted`."""
        executed = sum(w.indices.shape[0] for k in company for w in self.loads[k].waves)
        if self.limit is None or executed <= self.limit:
            whole = [[(0, w.indices.shape[0]) for w in self.loads[k].waves] for k in company]
            result, _ = self._part(machine, company, whole, self.cold, seed, ran)
            starts, ends = result
            ran.ramp = max(ran.ramp, float(ends.max() - starts.min() - (ends - starts).max()))
            for kind in wanted:
                ran.durations[kind] = _mean_of(company, kind, ends - starts)
                ran.durations[kind] *= max(w.factor for w in self.loads[kind].waves)
            return
        ran.sampled = True
        each = self.limit // len(company)
        cuts = {
            k: sampling.parts(self.program, [w.indices for w in self.loads[k].waves], each)
            for k in set(company)
        }
        n = len(self.program)
        cost, count = np.zeros(n), np.zeros(n, np.int64)
        for number in range(max(len(c) for c in cuts.values())):
            ranges = [list(cuts[k][min(number, len(cuts[k]) - 1)]) for k in company]
            cold = self.cold and not number
            _, (more, times) = self._part(machine, company, ranges, cold, seed, ran)
            cost += more
            count += times
        each_cost = cost / np.maximum(count, 1)
        for kind in wanted:
            ran.durations[kind] = max(
                float(each_cost[w.indices].sum()) * w.factor for w in self.loads[kind].waves
            )

    def _part(
        self,
        machine: MachineModel,
        company: list[int],
        ranges: Sequence[Sequence[tuple[int, int]]],
        cold: bool,
        seed: int,
        ran: Ran,
    ) -> tuple[tuple[_F64, _F64], tuple[_F64, NDArray[np.int64]]]:
        """((start, end) of each workgroup, (cost, count) by instruction) of one simulation."""
        waves: list[TracedWave] = []
        rows: list[_I32] = []
        tables: dict[int, int] = {}
        columns: list[Accesses] = []
        base = 0
        owner: list[int] = []
        for number, kind in enumerate(company):
            load = self.loads[kind]
            if kind not in tables:
                tables[kind] = base
                columns.append(load.accesses)
                base += load.accesses.port.shape[0]
            for wave, row, (a, b) in zip(load.waves, load.rows, ranges[number], strict=True):
                mine = row[a:b]
                waves.append(TracedWave(number, wave.wave, wave.indices[a:b]))
                rows.append(np.where(mine >= 0, mine + np.int32(tables[kind]), mine))
                owner.append(number)
        joined = _joined(columns)
        result = simulate(
            self.program,
            waves,
            machine,
            starts=_staggered(owner, machine["launch_workgroup"], seed) if seed else None,
            cold=cold,
            memory_latency=self.latency,
            accesses=joined,
            access=rows,
            record=ran.detail is not None,
            reasons=ran.detail is not None,
        )
        if ran.detail is not None:
            streams = [(w.workgroup, w.wave, w.indices) for w in waves]
            memory = _memory_clocks(self.program, machine, waves, rows, joined)
            ran.detail.add(self.program, machine, result, streams, memory)
        ran.cost += result.cost
        ran.count += result.count
        ran.executed += result.executed
        starts, ends = np.full(len(company), np.inf), np.zeros(len(company))
        np.minimum.at(starts, owner, result.wave_start)
        np.maximum.at(ends, owner, result.wave_end)
        # The end of the kernel is when its stores are done, not when its last wave goes.
        ends[int(ends.argmax())] = starts.min() + result.clocks
        return (starts, ends), (result.cost, result.count)


def _mean_of(company: list[int], kind: int, clocks: _F64) -> float:
    return float(np.mean([c for k, c in zip(company, clocks.tolist(), strict=True) if k == kind]))


def _joined(tables: Sequence[Accesses]) -> Accesses:
    """The rows of all, one table behind the other."""
    return Accesses(
        np.concatenate([t.port for t in tables]),
        np.concatenate([t.moved for t in tables]),
        np.concatenate([t.fresh for t in tables]),
        np.concatenate([t.serial for t in tables]),
        np.concatenate([t.asked for t in tables]),
    )


def _memory_clocks(
    program: StaticProgram,
    machine: MachineModel,
    waves: Sequence[TracedWave],
    rows: Sequence[_I32],
    table: Accesses,
) -> dict[str, float]:
    """Clocks that simulated accesses keep the LDS, the address units and the bandwidth busy."""
    index, row = np.concatenate([w.indices for w in waves]), np.concatenate(rows)
    known, kind = row >= 0, program.kind[index]
    size = 64.0 * program.lane_bytes[index]

    def clocks(column: _F64, otherwise: _F64, of: Kind) -> _F64:
        out = otherwise.copy()
        out[known] = column[row[known]]
        return out[kind == of]

    address = clocks(table.port, size / machine["ta_bytes_per_clk"], Kind.VMEM)
    return {
        "lds": float(clocks(table.port, size / machine["lds_bytes_per_clk"], Kind.LDS).sum()),
        "address": float(np.maximum(address, machine["ta_clocks"]).sum()),
        "memory": float(
            (clocks(table.moved, size, Kind.VMEM) / machine["vmem_bytes_per_clk"]).sum()
        ),
    }


def _staggered(owner: Sequence[int], apart: float, seed: int) -> list[float]:
    """Start of each wave: those of its workgroup, up to one more interval late."""
    rng = np.random.Generator(np.random.PCG64(seed))
    late = rng.random(max(owner) + 1)
    return [apart * (number + (late[number] if number else 0.0)) for number in owner]
