"""What the error of a modelled figure is known to be: by the measured kernels that are like it.

A *class* is a neighbourhood. What a kernel executes is described by a few shares (`features`); the
kernels that the clock was held against on hardware are points with an error each, in the table
`validated.json`, which `benchmarks/timing_validated.py` makes from numbers computed on traces and
device times. A kernel belongs to the points that lie near it; with none near, or on a machine or at
a load that none of them ran on, it is not validated.

A *difference* of two figures has a band of its own, from pairs of measured variants of one job: the
errors of two related kernels are related, but not equal.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asmevo.timing.machine import MachineModel, named
from asmevo.timing.static import STORE, Kind, StaticProgram
from asmevo.wording import counted

_F64 = NDArray[np.float64]
NOT_VALIDATED = "not validated"
# Where nothing was validated: the worst single held-out error seen on any capture.
UNVALIDATED_BAND = 0.5
# Captures were taken with the whole chip busy; a launch that leaves more than half of it idle sees
# another memory system, which no capture shows.
_LEAST_LOAD = 0.5
RADIUS = 0.09
"""How far, in the mean over all features, a measured kernel may be to count as a neighbour."""
_FEW = 3  # neighbours of which the worst error counts, not the mean
FEATURES = (
    "matrix", "vector", "scalar", "lds", "load", "store", "barrier", "wait", "bytes", "intensity",
    "loops", "occupancy",
)  # fmt: skip
"""Shares of executed instructions; bytes per lane of a memory access over 16; clocks of the matrix
pipe over those of all issues; log2 of executions per executed instruction over 8, at most 1; waves
on a SIMD over its slots."""


@dataclass(frozen=True, slots=True)
class Validation:
    """What is known of a figure's error.

    Attributes:
        name: the class in words, or `not validated` with the reason.
        band: relative error of a figure.
        neighbours: names of the measured kernels near it.
        distance: to the nearest one, infinite without any of its target.
        difference: relative error of a ratio of two such figures.
        difference_name: what that band is of.
    """

    name: str
    band: float
    neighbours: tuple[str, ...]
    distance: float
    difference: float
    difference_name: str

    @property
    def known(self) -> bool:
        """Whether measured kernels are near."""
        return bool(self.neighbours)


def features(program: StaticProgram, executions: _F64, waves: float) -> _F64:
    """A kernel as a point, float64 [features], each 0 to 1; see `FEATURES`.

    Args:
        program: flattened program.
        executions: wave executions by instruction.
        waves: resident waves of a SIMD over its slots.
    """
    kind, total = program.kind, max(float(executions.sum()), 1.0)

    def share(*kinds: Kind) -> float:
        return float(executions[np.isin(kind, kinds)].sum()) / total

    vmem, store = kind == Kind.VMEM, program.flags & STORE != 0
    accesses = float(executions[vmem].sum())
    moved = float((executions * program.lane_bytes)[vmem].sum())
    matrix = float((executions * program.passes)[kind == Kind.MFMA].sum())
    distinct = max(int((executions > 0).sum()), 1)
    stored = float(executions[vmem & store].sum()) / total
    return np.array(
        [
            share(Kind.MFMA),
            share(Kind.VALU, Kind.TRANS),
            share(Kind.SALU, Kind.SMEM, Kind.BRANCH),
            share(Kind.LDS),
            accesses / total - stored,
            stored,
            share(Kind.BARRIER),
            share(Kind.WAIT),
            moved / accesses / 16 if accesses else 0.0,
            min(1.0, matrix / total),
            min(1.0, float(np.log2(max(1.0, total / distinct))) / 8),
            min(1.0, waves),
        ]
    )


# What a share of 0.05 means differs by feature: memory and barriers are few and decide much.
_WEIGHTS = np.array([2, 1, 1, 2, 4, 4, 4, 2, 0.5, 1, 0.25, 0.25])


def distance(a: _F64, b: _F64) -> float:
    """How unlike two kernels are: the weighted mean difference of their features."""
    return float((np.abs(a - b) * _WEIGHTS).sum() / _WEIGHTS.sum() * 2)


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """A kernel that the clock was held against.

    Attributes:
        name, family: of the kernel.
        machine: what it ran on.
        source: `att` (instruction trace, replayed) or `gemm` (device time, end to end).
        error: relative error of the clock, held out, signed.
        point: its features.
    """

    name: str
    family: str
    machine: str
    source: str
    error: float
    point: _F64


@cache
def table() -> tuple[tuple[Measured, ...], Mapping[str, Any]]:
    """The measured kernels, and the errors of differences by architecture."""
    text = (resources.files("asmevo.timing") / "validated.json").read_text()
    data = json.loads(text)
    rows = tuple(
        Measured(
            r["name"], r["family"], r["machine"], r["source"], float(r["error"]),
            np.array([r["features"][name] for name in FEATURES]),
        )
        for r in data["kernels"]
    )  # fmt: skip
    return rows, data["differences"]


# What may differ between a machine and the one that kernels were measured on.
_RATES = frozenset({"clock_mhz", "dram_bytes_per_clk", "mall_bytes_per_clk", "fresh_bytes_per_clk"})


@cache
def _alike(machine: str) -> Mapping[str, float]:
    return {k: v for k, v in named(machine).values.items() if k not in _RATES}


def validate(machine: MachineModel, point: _F64, load: float) -> Validation:
    """What is known of the error of a kernel's figures.

    Args:
        machine: what it is modelled on; measured kernels count whose machine differs from it in
            clock and rates of memory only.
        point: its `features`.
        load: share of the compute units that the launch keeps busy.
    """
    rows, differences = table()
    mine = {k: v for k, v in machine.values.items() if k not in _RATES}
    there = [r for r in rows if _alike(r.machine) == mine]
    if not there:
        return _unknown(f"no kernel was measured on {machine.title}")
    if load < _LEAST_LOAD:
        return _unknown("more than half of the machine idle")
    near = sorted((distance(r.point, point), r.name, r) for r in there)
    inside = [r for d, _, r in near if d <= RADIUS]
    nearest = near[0][0]
    if not inside:
        return _unknown(f"no measured kernel is like it, the nearest is {near[0][1]}", nearest)
    errors = [abs(r.error) for r in inside]
    band = float(np.mean(errors)) if len(errors) >= _FEW else max(errors)
    families = sorted({r.family for r in inside})
    name = f"like {counted(len(inside), 'kernel')} measured on {inside[0].machine}: " + ", ".join(
        families[:3]
    )
    if len(families) > 3:
        name += f" and {len(families) - 3} more"
    pairs = differences.get(machine.arch)
    jobs = {r.family for r in inside}
    if pairs is None or not jobs & set(pairs["families"]):
        why = "no pair of like kernels was measured"
        return Validation(name, band, tuple(r.name for r in inside), nearest, UNVALIDATED_BAND, why)
    what = f"{pairs['pairs']} pairs of {pairs['of']}"
    return Validation(
        name, band, tuple(r.name for r in inside), nearest, float(pairs["error"]), what
    )


def _unknown(why: str, nearest: float = float("inf")) -> Validation:
    text = f"{NOT_VALIDATED}: {why}"
    return Validation(
        text,
        UNVALIDATED_BAND,
        (),
        nearest,
        UNVALIDATED_BAND,
        "no pair of like kernels was measured",
    )
