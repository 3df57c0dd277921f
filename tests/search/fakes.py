"""A device without an emulator: results are fixed, times follow from the instructions.

It lets the tests of the loop (store, resume, lineage, gates up to differential execution) run
in milliseconds. Its costs are a caricature: a wait for zero is dear, everything costs something.
"""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from asmevo.capsule.model import BufferState, Capsule
from asmevo.codeobject import CodeObject
from asmevo.device.protocol import DeviceRecipe, Label, RunOptions, RunResult, Timing
from asmevo.program.build import assemble_object
from asmevo.program.cfg import blocks
from asmevo.program.model import Program
from asmevo.program.recover import recover

KERNELS = Path(__file__).resolve().parents[2] / "kernels" / "gfx942"


def kernel_object(name: str) -> bytes:
    """One of the project's kernels as a code object."""
    return assemble_object((KERNELS / f"{name}.s").read_text())


def capsule(kernel: str) -> Capsule:
    """A capsule that no real device could run; the fake does not look at it."""
    buffer = BufferState("out", 0x10000, bytes(64), "f32", (16,), "out")
    return Capsule(kernel, (1, 1, 1), (64, 1, 1), 0, bytes(64), (buffer,), 0x20000)


def walked(program: Program, kernel: str) -> NDArray[np.int64]:
    """Executions of every instruction by waves that go either way at each branch."""
    rng = random.Random(1)
    found = blocks(program, program.function(kernel))
    counts = np.zeros(len(program.instructions), np.int64)
    for _ in range(60):
        block = found[0]
        while True:
            counts[block.first : block.last] += 1
            if not block.successors:
                break
            block = found[rng.choice(block.successors)]
    return counts


class FakeDevice:
    """See the module. `runs` and `times` count the calls."""

    name = "fake"
    label: Label = "modelled"

    def __init__(self) -> None:
        self.runs = 0
        self.timed: set[bytes] = set()

    @property
    def recipe(self) -> DeviceRecipe:
        return type(self)

    def run(self, object: bytes, capsule: Capsule, options: RunOptions) -> RunResult:
        self.runs += 1
        counts = None
        if options.profile:
            program = recover(CodeObject.open(object))
            counts = walked(program, capsule.kernel)
        buffers = {b.name: bytes(range(b.size)) for b in capsule.buffers}
        return RunResult(True, buffers=buffers, counts=counts, instructions=1000)

    @property
    def times(self) -> int:
        """Objects that were timed."""
        return len(self.timed)

    def time(
        self, object: bytes, capsule: Capsule, samples: int, below: float | None = None
    ) -> Timing:
        self.timed.add(object)
        program = recover(CodeObject.open(object))
        function = program.function(capsule.kernel)
        cost = 0.0
        for at, inst in enumerate(program.instructions[function.first : function.last]):
            text = inst.text or ""
            cost += 4.0
            if "cnt(0)" in text:
                # Later is better: what stands in front of a wait overlaps with it.
                cost += 40.0 - 0.1 * at
            elif inst.base == "s_nop":
                cost += 4.0 * int(text.split()[1])
        return Timing((cost,) * samples, "cycles", "modelled", 0.3, "fake")
