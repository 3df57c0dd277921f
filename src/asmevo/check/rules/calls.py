"""Wait states across calls: what is near a call, a return or a function's entry stays as far away.

What: producers that are still in reach where control leaves a function for another (a call, a
return, a branch out), and consumers near where it comes in (a function's entry, behind a call).
Both serve a comparison alone, which refuses what is new or closer than in the original. They are
in no report on one object: nearly every call has some, and which of them the other side minds is
not known.

Why: the checks do not follow a call, so a nop, or an instruction that gave the wait states, could
be taken away in front of it without a finding, and the other side would read too early.

Source: the rows of `asmevo.isa.hazards.rows`; LLVM's `GCNHazardRecognizer` does not look across
calls either, so that what compiled code has is no proof of what it needs.
"""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from asmevo.check.engine.analysis import engine_of
from asmevo.check.engine.facts import InstructionFacts
from asmevo.check.engine.fixpoint import forward
from asmevo.check.engine.view import View
from asmevo.check.findings import ERROR, Finding
from asmevo.check.rules.hazards import Live, Raw, State, WaitStates
from asmevo.check.rules.waits import register_text
from asmevo.isa.hazards.roles import Produced
from asmevo.isa.hazards.rows import C, P, rules_of
from asmevo.isa.operand import AGPR0
from asmevo.isa.target import Target

_EVERY_REGISTER = (1 << (AGPR0 + 512)) - 1
_NO_TUPLE = (-1, 0, 0)  # the same as no other: the rules for tuples that differ ask for most


@lru_cache(maxsize=16)
def _anything(target: Target) -> State:
    """Every producer that a rule knows, of every register, right before."""
    found: set[Live] = set()
    for rule in rules_of(target) or ():
        for passes in (0,) if isinstance(rule.need, int) else rule.need:
            key = (*_NO_TUPLE[:2], passes)
            found.add((rule.producer, passes, key, _EVERY_REGISTER, 0))
    return tuple(sorted(found, key=repr))


class Arrivals(WaitStates):
    """The consumers that something in front of a function, or in a callee, may be too near to."""

    def after_call(self) -> State:
        """The callee may have done anything."""
        return _anything(self.target)

    def produced(self, f: InstructionFacts) -> tuple[Produced, ...]:
        """What the function does itself is judged without this."""
        del f
        return ()


class End(NamedTuple):
    """A producer that is in reach where control leaves, or a consumer near where it comes in.

    Attributes:
        site: how many calls, returns and branches out lie in front of it in its function.
        finding: what a refusal says; `have` is the wait states in between.
    """

    site: int
    finding: Finding


def open_ends(view: View, kernel: bool) -> list[End]:
    """What is near the places where one function deals with others.

    Args:
        view: a function.
        kernel: whether it is a kernel, in front of which nothing runs, and that returns nowhere.
    """
    if not rules_of(view.target) or (kernel and not view.calls and not view.stray):
        return []
    leaving = {*view.calls, *(i for i, _ in view.stray), *(() if kernel else view.indirect)}
    sites = sorted(leaving)
    return [*_departures(view, sites), *_arrivals(view, sites, kernel)]


def closer(before: Iterable[End], after: Iterable[End]) -> list[Finding]:
    """Refusals of what is new, or nearer than in the original, at the same place."""
    known: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
    for key, finding in _keyed(before):
        known[key].append(finding.have or 0)
    refused: list[Finding] = []
    for key, finding in _keyed(after):
        # Nearest first on both sides: each takes the nearest of the original that is left.
        had = known[key]
        if had and had[0] <= (finding.have or 0):
            del had[0]
        else:
            refused.append(finding)
    return refused


def _keyed(ends: Iterable[End]) -> list[tuple[tuple[object, ...], Finding]]:
    found = [((e.finding.kernel, e.finding.rule, e.finding.what, e.site), e.finding) for e in ends]
    return sorted(found, key=lambda item: item[1].have or 0)


def _departures(view: View, sites: Sequence[int]) -> Iterator[End]:
    """Producers that are in reach where control leaves."""
    engine = engine_of(view.library, WaitStates)
    results = engine.solve(view)
    numbers = {index: n for n, index in enumerate(sites)}
    for number in results:
        chunk = view.chunks[number]
        at = chunk.last - 1  # what changes the control flow ends its chunk
        if at not in numbers:
            continue
        entry = 0
        came = [results[p].exit for p in chunk.predecessors if p in results]
        for n, state in enumerate(came):
            entry = engine.states.join(entry, state) if n or number in view.entries else state
        before = view.library.content(tuple(chunk.content.facts[:-1]))
        for role, passes, _, mask, since in engine.states.states[engine.run(before, entry).exit]:
            name = P(role).name.lower().replace("_", "-")
            what = f"{register_text(mask)}, {passes} passes" if passes else register_text(mask)
            text = view.fact(at).inst.text or ""
            message = f"{since} wait states from a producer ({name}: {what}) to {text!r}"
            rule = f"hazard.leaves-{name}"
            yield End(numbers[at], _refusal(view, at, rule, message, since, what))


def _arrivals(view: View, sites: Sequence[int], kernel: bool) -> Iterator[End]:
    """Consumers near where control comes in."""
    engine = engine_of(view.library, Arrivals)
    initial = 0 if kernel else engine.states.number(_anything(view.target))
    results = forward(view, initial, engine.run, lambda r: r.exit, engine.states.join)
    for number, result in results.items():
        nearest: dict[tuple[int, int, int], Raw] = {}
        for raw in result.raws:
            key = (raw.at, raw.rule.consumer, raw.mask)
            if key not in nearest or raw.have < nearest[key].have:
                nearest[key] = raw
        for (relative, consumer, mask), raw in nearest.items():
            at, what = view.chunks[number].first + relative, register_text(mask)
            name = C(consumer).name.lower().replace("_", "-")
            text = view.fact(at).inst.text or ""
            message = f"{raw.have} wait states from where control comes in to {text!r} ({name}"
            message += f": {what})" if what else ")"
            rule = f"hazard.arrives-{name}"
            yield End(bisect(sites, at), _refusal(view, at, rule, message, raw.have, what))


def _refusal(view: View, at: int, rule: str, message: str, have: int, what: str) -> Finding:
    return Finding(
        rule, "-", ERROR, view.name, at, view.fact(at).inst.text or "",
        message=f"nearer than in the original, or new: {message}; calls are not followed",
        fix="keep it as far away",
        have=have, what=what,
    )  # fmt: skip
