"""Decides one window: by order, by terms, by runs, by the solver; within limits.

The order of the attempts is by their price. Runs of the slow reference come before the solver,
because most windows that differ differ on nearly every state.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import EXEC
from asmevo.program.permutation import reordered
from asmevo.prove.backend import NAME
from asmevo.prove.certificate import certificate, window_of
from asmevo.prove.comparison import Comparison, Open
from asmevo.prove.replay.reference import run_region
from asmevo.prove.replay.state import CannotRun, Executor, State
from asmevo.prove.replay.states import ORDINARY, States, try_state, vector_index
from asmevo.prove.solver import Model, OutOfTime, Solver
from asmevo.prove.symbolic.step import Unmodelled
from asmevo.prove.terms.node import Node, TooLarge, cone
from asmevo.prove.verdict import Counterexample, Verdict
from asmevo.prove.window import Region, Window

_MOST_FLOATS = 3  # operations that the theory of floats is asked about
_RUNS = 10
_CLOSE, _SMALL = 1e-3, 1e-30  # of floats that differ by rounding
_IEEE = f"{NAME} with IEEE 754"


def prove_window(
    window: Window,
    *,
    limit_seconds: float = 2.0,
    memory_mb: int = 1024,
    executors: tuple[Executor, ...] = (run_region,),
    runs: int = _RUNS,
) -> Verdict:
    """Decide whether the two sides of a window do the same.

    Args:
        window: what is compared.
        limit_seconds: of wall time; "unknown" when it is reached.
        memory_mb: limit of the solver, MB.
        executors: who runs counterexamples; what the first cannot run, the next is asked.
        runs: states to try before the solver is asked.

    Returns:
        The verdict. It is "refuted" only with a counterexample that an executor confirmed.
    """
    start = time.perf_counter()
    verdict = _Attempt(
        window, time.monotonic() + limit_seconds, memory_mb, executors, runs
    ).decide()
    made = certificate(window, verdict.status, verdict.solver) if verdict.holds else {}
    return replace(verdict, seconds=time.perf_counter() - start, certificate=made)


def recheck(made: Mapping[str, Any], *, limit_seconds: float = 20.0) -> Verdict:
    """Decide the window of a certificate anew.

    Raises:
        InputError: it is no certificate of this version, or was changed.
    """
    return prove_window(window_of(made), limit_seconds=limit_seconds)


def _plain(side: Region) -> list[Instruction]:
    return [i for i in side if isinstance(i, Instruction)]


@dataclass(slots=True)
class _Attempt:
    window: Window
    deadline: float
    memory_mb: int
    executors: tuple[Executor, ...]
    runs: int

    def decide(self) -> Verdict:
        window = self.window
        if not window.target.facts.modelled:
            return _unknown(f"{window.target.arch} is not modelled")
        if window.mode is None:
            return _unknown("MODE where the window begins is not known")
        if window.straight:
            order = reordered(_plain(window.before), _plain(window.after), window.target)
            if not order:
                return Verdict("reordered", "the same instructions, every dependence kept",
                               solver="order")  # fmt: skip
        try:
            return self._by_terms()
        except Unmodelled as err:
            return _unknown(f"not modelled: {err.args[0]}")
        except (OutOfTime, TooLarge):
            return _unknown("the limit of time or memory was reached")

    def _by_terms(self) -> Verdict:
        terms = Comparison(self.window, opaque=True)
        found = terms.open()
        if found.settled:
            return Verdict("proved", "equal terms", solver="terms")
        found_by_run, why = self._run()
        if found_by_run is not None:
            return found_by_run
        named = any(node.op == "named" for node in cone(_roots(found)))
        left, model = self._solved(terms, found, named=named)
        if left.settled:
            return Verdict("proved", "no state makes them differ", solver=NAME)
        if named:
            terms = Comparison(self.window, opaque=False)
            found = terms.open()
            if found.settled:
                return Verdict("proved", "equal terms", solver="terms")
            left, model = self._solved(terms, found)
            if left.settled:
                return Verdict("proved", "no state makes them differ", solver=NAME)
            floats = [n for n in cone(_roots(left)) if n.op == "float"]
            if 0 < len(floats) <= 2 * _MOST_FLOATS:
                left, model = self._solved(terms, found, ieee=True)
                if left.settled:
                    return Verdict("proved", "no state makes them differ", solver=_IEEE)
        return self._left_open(left, model, why)

    def _solved(
        self, terms: Comparison, found: Open, *, ieee: bool = False, named: bool = False
    ) -> tuple[Open, Model | None]:
        solver = Solver(self.deadline, self.memory_mb, ieee=ieee)
        left = terms.settle(found, solver)
        if not left.outputs:
            return left, None
        if named and terms.differ(list(left.outputs.values())):
            return left, None  # what the opcodes compute has to be known
        model = solver.differ(list(left.outputs.values()))
        if model is None:
            left.outputs = {}
        return left, model

    # --- runs -----------------------------------------------------------------------------
    def _run(self) -> tuple[Verdict | None, str]:
        """The refutation by a state that is worth trying; else why none could be tried."""
        why = ""
        for number, state in enumerate(islice(States(self.window), self.runs)):
            if time.monotonic() > self.deadline:
                raise OutOfTime
            example, why = self._try(state)
            if example is not None:
                return _refuted(example, state, number < ORDINARY), ""
            if why:
                break
        return None, why

    def _try(self, state: State) -> tuple[Counterexample | None, str]:
        why = ""
        for executor in self.executors:
            try:
                return try_state(self.window, state, executor), ""
            except CannotRun as err:
                why = str(err)
        return None, why or "nobody runs it"

    def _left_open(self, left: Open, model: Model | None, why: str) -> Verdict:
        if model is not None:
            state = self._state(model)
            example, failed = self._try(state)
            if example is not None:
                return _refuted(example, state, False)
            if not failed:
                return _unknown(f"not decided: {left.in_words()}; a counterexample did not replay")
            why = why or failed
        more = f" (not run: {why})" if why else ""
        return _unknown(f"not decided: {left.in_words()}{more}")

    def _state(self, model: Model) -> State:
        """The state that a model names; in other lanes as in its own."""
        state = States(self.window, seed=7).make(1)
        for unit, value in model.scalars.items():
            state.write(unit, value)
        for unit, lanes in model.vectors.items():
            row = state.registers.vector[vector_index(unit)]
            row[:] = lanes.get(model.lane, 0)
            for lane, value in lanes.items():
                row[lane] = value
        return state


def _refuted(example: Counterexample, state: State, ordinary: bool) -> Verdict:
    """The verdict of a counterexample, and what it takes to see it."""
    full = state.registers.read_scalar(EXEC, 64) == (1 << 64) - 1
    needs: tuple[str, ...] = ()
    if example.lane is not None:
        x, y = (
            struct.unpack("<f", v.to_bytes(4, "little"))[0] for v in (example.before, example.after)
        )
        if x != x and y != y:
            needs = ("nan",)
        elif abs(x - y) <= _CLOSE * max(abs(x), abs(y)) and abs(x) > _SMALL:
            needs = ("rounding",)
    if not needs and not ordinary:
        needs = ("a special state",) if full else ("lanes",)
    return Verdict("refuted", example.one_line(), example, solver="run", needs=needs)


def _roots(left: Open) -> list[Node]:
    return [n for pair in left.outputs.values() for n in pair]


def _unknown(reason: str) -> Verdict:
    return Verdict("unknown", reason)
