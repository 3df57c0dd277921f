"""Who runs the prover's counterexamples: the slow reference, with the engine for what it lacks.

The slow reference has memory without holes, so any address can be tried; matrix instructions and
what else only the emulator executes are run by it, on the same registers.
"""

from __future__ import annotations

from functools import lru_cache

from asmevo.emulate.engine.straight import Straight
from asmevo.errors import UnsupportedError
from asmevo.isa.instruction import Instruction
from asmevo.isa.semantics.table import FloatMode
from asmevo.isa.target import Target
from asmevo.prove.prover import prove_window
from asmevo.prove.replay.reference import run_region
from asmevo.prove.replay.state import CannotRun, State
from asmevo.prove.verdict import Verdict
from asmevo.prove.window import Region, Window


@lru_cache(maxsize=2048)
def _compiled(inst: Instruction, target: Target, mode: FloatMode) -> Straight:
    return Straight((inst,), target, mode)


def engine_step(inst: Instruction, state: State, target: Target, mode: FloatMode) -> None:
    """Execute one instruction of registers alone on the engine.

    Raises:
        CannotRun: the engine does not execute it so.
    """
    try:
        wave = _compiled(inst, target, mode)
    except UnsupportedError as err:
        raise CannotRun(err.one_line()) from None
    registers = state.registers
    wave.vector[:] = registers.vector
    wave.scalar[:] = registers.scalar
    wave.scc = registers.scc
    wave.run()
    registers.vector[:] = wave.vector
    registers.scalar[:] = wave.scalar
    registers.scc = wave.scc


def with_engine(region: Region, state: State, target: Target, mode: FloatMode) -> None:
    """The slow reference, and the engine for instructions that it does not have."""
    run_region(region, state, target, mode, engine_step)


def prove(window: Window, *, limit_seconds: float = 2.0, memory_mb: int = 1024) -> Verdict:
    """`prove.prover.prove_window` with everything here that can run a counterexample."""
    return prove_window(
        window, limit_seconds=limit_seconds, memory_mb=memory_mb, executors=(with_engine,)
    )
