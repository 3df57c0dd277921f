"""Helpers of the cycle model's tests: assemble text, make waves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from asmevo.isa.codec.llvm import assembler, disassembler
from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Target
from asmevo.timing.att import Capture, read_capture
from asmevo.timing.machine import MachineModel, machine_for
from asmevo.timing.simulate import Simulation, simulate
from asmevo.timing.static import static_program


@cache
def _captures(folder: Path, arch: str) -> tuple[Capture, ...]:
    return tuple(read_capture(path) for path in sorted(folder.glob(f"{arch}*.json.gz")))


@pytest.fixture(scope="session")
def captures(shared_root: Path) -> dict[str, tuple[Capture, ...]]:
    """Instruction traces of real GPUs by architecture; they lie beside the checkout, if at all."""
    folder = shared_root / "traces" / "att"
    if not folder.is_dir():
        pytest.skip("no instruction traces beside this checkout (../shared/traces)")
    return {arch: _captures(folder, arch) for arch in ("gfx942", "gfx950")}


PARTS = ("gfx90a", "gfx942", "gfx950")


@dataclass(frozen=True, eq=False)
class Wave:
    workgroup: int
    wave: int
    indices: NDArray[np.int32]


class Bench:
    """Assembles straight-line code for one part and runs it on the model."""

    def __init__(self, arch: str) -> None:
        self.target = Target(arch)
        self.machine = machine_for(arch).with_values(fetch_cold_line=0.0)

    def code(self, lines: Sequence[str]) -> list[Instruction]:
        raw = assembler(self.target).assemble("\n".join(lines))
        return [
            Instruction(raw[d.offset : d.offset + d.size], d.text)
            for d in disassembler(self.target).decode(raw)
        ]

    def run(
        self,
        lines: Sequence[str],
        waves: int = 1,
        *,
        workgroups: int = 1,
        simds: Sequence[int] | None = None,
        machine: MachineModel | None = None,
        streams: Sequence[Sequence[int]] | None = None,
        record: bool = False,
        reasons: bool = False,
        cold: bool = True,
    ) -> Simulation:
        """Run `lines` once per wave (or the given index streams)."""
        program = static_program(self.code(lines), self.target)
        indices = streams or [range(len(program))] * (waves * workgroups)
        made = [
            Wave(i // waves, i % waves, np.array(list(s), dtype=np.int32))
            for i, s in enumerate(indices)
        ]
        return simulate(
            program,
            made,
            machine or self.machine,
            simds=simds,
            starts=[0.0] * len(made),
            record=record,
            reasons=reasons,
            cold=cold,
        )

    def clocks(self, lines: Sequence[str], **options: object) -> float:
        return self.run(lines, **options).clocks  # type: ignore[arg-type]


@pytest.fixture(params=PARTS)
def bench(request: pytest.FixtureRequest) -> Bench:
    """The model of each part in turn."""
    return Bench(request.param)


@pytest.fixture
def mi300() -> Bench:
    """The model of gfx942."""
    return Bench("gfx942")


@pytest.fixture
def mi350() -> Bench:
    """The model of gfx950."""
    return Bench("gfx950")
