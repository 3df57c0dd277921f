"""What a profile shows beyond a launch's time: reasons, busy units, bytes, operations, waves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from asmevo.isa.instruction import Instruction
from asmevo.isa.matrix import matrix_op
from asmevo.isa.semantics.table import lookup
from asmevo.isa.target import Target
from asmevo.timing.machine import MachineModel
from asmevo.timing.simulate import Simulation
from asmevo.timing.stalls import Reason
from asmevo.timing.static import SWAP, Kind, StaticProgram

_F64 = NDArray[np.float64]
_I32 = NDArray[np.int32]
_LANES = 64
LEVELS = ("lds", "l1", "l2", "last_level", "hbm")
"""Where bytes are served. `lds`, `l1`: what lanes under EXEC ask for; the others: whole lines."""

UNITS = ("issue", "scalar", "vector", "matrix", "lds", "address", "memory")
"""What can be busy: issue of a SIMD, its scalar, vector and matrix pipe; the unit's LDS, the
address units of vector memory, and the unit's share of bandwidth."""


@dataclass(frozen=True, slots=True, eq=False)
class LaunchDetail:
    """What a profile shows of a launch.

    Attributes:
        executions: wave executions of each instruction of the program, float64 [instructions].
        stalls: clocks of all waves by instruction and reason, float64 [instructions, reasons].
        busy: share of the time in which each of `UNITS` of a busy compute unit is busy, 0 to 1.
        bytes: by name of `LEVELS`; those past the L1 are missing where no addresses are known.
        vector_operations, matrix_operations: floating-point operations; see `operations`.
        waves: course of the waves of one compute unit; indices are those of the program.
        machine: the machine as this launch sees it.
    """

    executions: _F64
    stalls: _F64
    busy: Mapping[str, float]
    bytes: Mapping[str, float]
    vector_operations: float
    matrix_operations: float
    waves: Sequence[WaveLine]
    machine: MachineModel


@dataclass(frozen=True, slots=True, eq=False)
class WaveLine:
    """The course of one simulated wave.

    Attributes:
        workgroup: resident workgroup of the unit.
        wave, simd: wave in the workgroup, and where it ran.
        indices: executed instructions, int32 [executed].
        edges: clocks at which it began and at which each of them was over, float64 [executed + 1].
    """

    workgroup: int
    wave: int
    simd: int
    indices: _I32
    edges: _F64


@dataclass(slots=True, eq=False)
class Detail:
    """Sums over simulations of the unit.

    Attributes:
        stalls: clocks by instruction and reason, float64 [instructions, reasons].
        clocks: clocks that the unit was simulated for.
        busy: clocks by name of `UNITS`; those of four SIMDs together where each has one.
        waves: course of the waves of the first simulation.
    """

    stalls: _F64
    clocks: float = 0.0
    busy: dict[str, float] = field(default_factory=lambda: dict.fromkeys(UNITS, 0.0))
    waves: list[WaveLine] = field(default_factory=list[WaveLine])

    @staticmethod
    def empty(instructions: int) -> Detail:
        """Nothing simulated yet."""
        return Detail(np.zeros((instructions, len(Reason))))

    def add(
        self,
        program: StaticProgram,
        machine: MachineModel,
        ran: Simulation,
        waves: Sequence[tuple[int, int, _I32]],
        memory: Mapping[str, float],
    ) -> None:
        """Count a simulation in.

        Args:
            waves: (workgroup, wave, executed instructions) of each.
            memory: clocks of `lds`, `address` and `memory`.
        """
        assert ran.stalls is not None
        self.stalls += ran.stalls
        self.clocks += ran.clocks
        for unit, each in pipe_clocks(program, machine).items():
            self.busy[unit] += float((each * ran.count).sum())
        for unit, clocks in memory.items():
            self.busy[unit] += clocks
        if not self.waves:
            self.waves = [
                _line(program, machine, *wave, n, float(begin), issue)
                for n, (wave, begin, issue) in enumerate(
                    zip(waves, ran.wave_start.tolist(), ran.issue, strict=True)
                )
            ]

    def shares(self, machine: MachineModel) -> dict[str, float]:
        """Share of the time in which each of `UNITS` is busy, 0 to 1."""
        simds = machine["simds_per_cu"]
        each = {"issue": simds, "scalar": simds, "vector": simds, "matrix": simds, "address": simds}
        whole = max(self.clocks, 1.0)
        return {u: min(1.0, self.busy[u] / (whole * each.get(u, 1.0))) for u in UNITS}


def _line(
    program: StaticProgram,
    machine: MachineModel,
    group: int,
    wave: int,
    indices: _I32,
    number: int,
    begin: float,
    issue: _F64,
) -> WaveLine:
    lets_go = np.isin(program.kind[indices], (int(Kind.WAIT), int(Kind.NOP), int(Kind.BARRIER)))
    ends = np.where(lets_go, issue, issue + machine["slot"])
    edges = np.maximum.accumulate(np.concatenate(([begin], ends)))
    return WaveLine(group, wave, number % machine.count("simds_per_cu"), indices, edges)


def pipe_clocks(program: StaticProgram, machine: MachineModel) -> dict[str, _F64]:
    """Clocks that one execution of each instruction keeps the pipes of its SIMD busy."""
    slot, kind = machine["slot"], program.kind
    vector = np.where(kind == Kind.VALU, slot, 0.0)
    vector[(kind == Kind.VALU) & (program.flags & SWAP != 0)] = machine["permlane_swap_issue"]
    vector[kind == Kind.TRANS] = machine["trans_issue"]
    return {
        "issue": np.full(len(program), slot),
        "scalar": np.where(kind == Kind.SALU, slot, 0.0),
        "vector": vector,
        "matrix": np.where(kind == Kind.MFMA, 4.0 * program.passes, 0.0),
    }


def issue_weights(program: StaticProgram, machine: MachineModel) -> list[int]:
    """What each instruction keeps its pipe or port busy for, in issue slots, at least 1."""
    size, kind = 64.0 * program.lane_bytes, program.kind
    memory = np.where(kind == Kind.VMEM, size / machine["ta_bytes_per_clk"], 0.0)
    memory = np.where(kind == Kind.LDS, size / machine["lds_bytes_per_clk"], memory)
    pipes = [*pipe_clocks(program, machine).values(), memory]
    return np.maximum(1, np.max(pipes, axis=0) / machine["slot"]).astype(np.int64).tolist()


def operations(instructions: Sequence[Instruction], target: Target) -> tuple[_F64, _F64]:
    """Floating-point operations of one execution: (of vector, of matrix instructions).

    All lanes count, whatever EXEC says; a product with a sum is two. Float64 [instructions] each.
    """
    vector, matrix = np.zeros(len(instructions)), np.zeros(len(instructions))
    for n, inst in enumerate(instructions):
        op = matrix_op(inst, target)
        if op is not None:
            matrix[n] = 2.0 * op.m * op.n * op.k * op.blocks
            continue
        meaning = lookup(inst.base)
        if meaning is None or meaning.scope == "scalar" or not _floating(meaning.dsts[:1]):
            continue
        sums = len(meaning.srcs) + meaning.reads_dst >= 3
        vector[n] = _LANES * (2.0 if sums else 1.0) * (2.0 if meaning.packed else 1.0)
    return vector, matrix


def _floating(kinds: tuple[str, ...]) -> bool:
    return bool(kinds) and kinds[0].startswith(("f", "bf"))
