"""Read compact instruction traces (rocprofv3 thread traces, decoded) for validation.

One gzip JSON per capture: the kernel's listing and, per wave, every executed instruction with the
time since the previous attempt, stall clocks, duration, listing line and category. Issue time is
attempt + stall. Waves of one compute unit are grouped into workgroups by start time.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asmevo.errors import InputError
from asmevo.isa.codec.llvm import assembler, disassembler
from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Target
from asmevo.timing.static import StaticProgram, static_program

# Waves of one workgroup start within this many clocks of each other.
_SAME_WORKGROUP = 60


@dataclass(frozen=True, slots=True, eq=False)
class TracedWave:
    """One wave as a GPU ran it.

    Attributes:
        workgroup: workgroup number within the compute unit, inferred from start times.
        wave: wave number within the workgroup.
        indices: executed instruction indices, int32 [events].
        simd: SIMD it ran on.
        begin: shader clock of the wave's start.
        issue: shader clock at which each instruction issued, int64 [events].
        complete: whether the recording reaches the wave's end.
    """

    workgroup: int
    wave: int
    indices: NDArray[np.int32]
    simd: int
    begin: int
    issue: NDArray[np.int64]
    complete: bool

    def first(self, events: int) -> TracedWave:
        """The same wave, cut after `events` instructions."""
        if events >= self.indices.shape[0]:
            return self
        return TracedWave(
            self.workgroup,
            self.wave,
            self.indices[:events],
            self.simd,
            self.begin,
            self.issue[:events],
            False,
        )

    @property
    def clocks(self) -> int:
        """Clocks from the first to the last recorded issue."""
        return int(self.issue[-1] - self.issue[0])


@dataclass(frozen=True, slots=True, eq=False)
class Capture:
    """All traced waves of one dispatch.

    Attributes:
        name: file name without suffix.
        target: architecture.
        program: the kernel's listing, flattened.
        text: listing lines.
        units: traced waves of each compute unit, oldest wave first.
    """

    name: str
    target: Target
    program: StaticProgram
    text: tuple[str, ...]
    units: tuple[tuple[TracedWave, ...], ...]


def _instructions(text: Sequence[str], target: Target) -> list[Instruction]:
    code = assembler(target).assemble("\n".join(text))
    return [
        Instruction(code[d.offset : d.offset + d.size], d.text)
        for d in disassembler(target).decode(code)
    ]


def _workgroups(waves: list[dict[str, Any]]) -> list[tuple[int, int]]:
    numbers: list[tuple[int, int]] = []
    group, member, last = 0, 0, None
    slots: set[tuple[int, int]] = set()
    for wave in waves:
        begin = int(wave["begin"])
        # A new slot on a SIMD already used by the group does not start a new one: large
        # workgroups put several waves on each SIMD at once.
        if last is not None and begin - last > _SAME_WORKGROUP:
            group, member = group + 1, 0
            slots.clear()
        numbers.append((group, member))
        slots.add((int(wave["simd"]), int(wave["slot"])))
        member, last = member + 1, begin
    return numbers


def read_capture(path: Path) -> Capture:
    """Read one capture.

    Raises:
        InputError: the file is no such capture.
        AssemblyError: its listing does not assemble.
    """
    try:
        with gzip.open(path, "rt") as stream:
            data: dict[str, Any] = json.load(stream)
        listing = [str(row[0]) for row in data["code_isa_vaddr_hit_latency_stall_idle"]]
        raw: list[dict[str, Any]] = list(data["waves"])
        target = Target(str(data["arch"]))
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, IndexError) as error:
        raise InputError(f"{path.name} is no compact thread trace ({error})") from error
    # Some listing rows are comments (the kernel's name), which events never point at.
    is_code = np.array([not row.lstrip().startswith(";") for row in listing], dtype=np.bool_)
    index_of = np.where(is_code, np.cumsum(is_code) - 1, -1).astype(np.int32)
    listing = [row for row, code in zip(listing, is_code, strict=True) if code]
    program = static_program(_instructions(listing, target), target)
    by_unit: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for wave in raw:
        by_unit.setdefault((str(wave["se"]), int(wave["cu"])), []).append(wave)
    units: list[tuple[TracedWave, ...]] = []
    for waves in by_unit.values():
        waves.sort(key=lambda w: int(w["begin"]))
        unit: list[TracedWave] = []
        for wave, (group, member) in zip(waves, _workgroups(waves), strict=True):
            events = np.array(wave["ev_dt_stall_dur_line_cat"], dtype=np.int64).reshape(-1, 5)
            begin = int(wave["begin"])
            issue = begin + np.cumsum(events[:, 0]) + events[:, 1]
            complete = int(wave["n_total"]) == events.shape[0]
            lines = index_of[events[:, 3]]
            if lines.size == 0 or int(lines.min()) < 0:
                raise InputError(f"{path.name}: a wave of it has no instructions")
            unit.append(TracedWave(group, member, lines, int(wave["simd"]), begin, issue, complete))
        units.append(tuple(unit))
    return Capture(
        path.name.removesuffix(".json.gz"), target, program, tuple(listing), tuple(units)
    )
