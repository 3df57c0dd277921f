"""Waits and wait states along an executed path: the same rules, no path invented.

The static check follows every edge of the graph; this one follows the instructions that a wave
did execute (`WaveTrace.indices`), so each finding really happened. It finds less, never more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from asmevo.check.engine import pending as wait_engine
from asmevo.check.engine.analysis import engine_of
from asmevo.check.engine.backward import Source
from asmevo.check.engine.facts import InstructionFacts, ProgramLike
from asmevo.check.engine.workbench import facts_of, library_of
from asmevo.check.findings import Finding
from asmevo.check.rules import hazards, waits
from asmevo.isa.counters import UNORDERED
from asmevo.isa.hazards.rows import P, rules_of

_PIECE = 160


@dataclass(frozen=True, slots=True)
class Seen:
    """A finding with the number of times it happened on the traces."""

    finding: Finding
    times: int


def _pieces(indices: Sequence[int], facts: Sequence[InstructionFacts]) -> Iterable[tuple[int, int]]:
    """Trace positions [start, end) of straight runs, cut where the static view cuts too."""
    start = 0
    for at in range(1, len(indices)):
        here = indices[at]
        if here != indices[at - 1] + 1 or facts[here].cut or at - start >= _PIECE:
            yield start, at
            start = at
    if len(indices):
        yield start, len(indices)


def _wait_source(
    trace: Sequence[int],
    facts: Sequence[InstructionFacts],
    at: int,
    raw: wait_engine.Raw,
    ordered: bool,
) -> int | None:
    """Trace position of the producer: the newest operation of the queue at the raw's distance."""
    younger = 0
    for back in range(at - 1, -1, -1):
        for queue, mask in facts[trace[back]].pushes:
            if queue == raw.queue:
                if mask & raw.mask and (not ordered or younger == raw.distance):
                    return back
                younger += 1
    return None


def _hazard_source(
    trace: Sequence[int], facts: Sequence[InstructionFacts], at: int, raw: hazards.Raw
) -> int | None:
    """Trace position of the producer with exactly the raw's wait states before the consumer."""
    role = P.VALU_VGPR if raw.rule.producer is P.VALU_THEN_DGEMM else raw.rule.producer
    states = 0
    for back in range(at - 1, -1, -1):
        f = facts[trace[back]]
        if states > raw.have:
            return None
        for p in f.roles.produces:
            if p.role == role and states == raw.have and (p.mask & raw.mask or not raw.mask):
                return back
        states += f.states
    return None


def check_trace(program: ProgramLike, kernel: str, traces: Iterable[Sequence[int]]) -> list[Seen]:
    """Findings of the wait and wait-state rules on executed paths.

    Args:
        program: the program that ran.
        kernel: its name, for the findings.
        traces: instruction indices that each wave executed, in order (several waves).

    Returns:
        One entry per distinct consumer, rule, registers and distance, in program order.
    """
    found: dict[tuple[object, ...], Seen] = {}
    for indices in traces:
        _follow(program, kernel, [int(i) for i in indices], found)
    return sorted(found.values(), key=lambda s: (s.finding.index, s.finding.rule, s.finding.what))


def _follow(
    program: ProgramLike, kernel: str, trace: list[int], found: dict[tuple[object, ...], Seen]
) -> None:
    library = library_of(program.target)
    facts = facts_of(program)
    pending = engine_of(library, wait_engine.Pending)
    states = engine_of(library, hazards.WaitStates) if rules_of(program.target) else None
    queues = library.queues.queues
    wait_state = hazard_state = 0

    def text(position: int | None) -> str:
        return "" if position is None else facts[trace[position]].inst.text or ""

    def source(at: int, back: int | None) -> Source | None:
        return None if back is None else Source(trace[back], at - back, ())

    for start, end in _pieces(trace, facts):
        content = library.content(tuple(facts[trace[i]] for i in range(start, end)))
        result = pending.run(content, wait_state)
        wait_state = result.exit
        for raw in waits.reported(result.raws, queues):
            at = start + raw.at
            key = (trace[at], raw.rule, raw.mask, raw.queue, raw.distance, raw.pending)
            if _again(found, key):
                continue
            ordered = queues[raw.queue].order not in UNORDERED
            back = _wait_source(trace, facts, at, raw, ordered)
            found[key] = Seen(
                waits.describe(
                    library, kernel, trace[at], text(at), raw, source(at, back), text(back)
                ),
                1,
            )
        if states is None:
            continue
        outcome = states.run(content, hazard_state)
        hazard_state = outcome.exit
        for raw in outcome.raws:
            at = start + raw.at
            key = (trace[at], raw.rule.name, raw.mask, raw.have)
            if _again(found, key):
                continue
            back = _hazard_source(trace, facts, at, raw)
            found[key] = Seen(
                hazards.describe(kernel, trace[at], text(at), raw, source(at, back), text(back)), 1
            )


def _again(found: dict[tuple[object, ...], Seen], key: tuple[object, ...]) -> bool:
    """Count a finding that is known; False when it is new."""
    seen = found.get(key)
    if seen is None:
        return False
    found[key] = Seen(seen.finding, seen.times + 1)
    return True
