"""Wait states across calls: what is near a call, a return or a function's entry stays as far away.

What: producers that are still in reach where control leaves a function for another (a call, a
return, a branch out), and consumers near where it comes in (a function's entry, behind a call).
Each is a note with the wait states that are there; they serve a comparison alone, which refuses
what is new or closer than in the original. They are in no report on one object: nearly every call
has some, and which of them the other side minds is not known.

Why: the checks do not follow a call, so a nop, or an instruction that gave the wait states, could
be taken away in front of it without a finding, and the other side would read too early.

Source: the rows of `asmevo.isa.hazards.rows`; LLVM's `GCNHazardRecognizer` does not look across
calls either, so that what compiled code has is no proof of what it needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from asmevo.check.engine.analysis import engine_of
from asmevo.check.engine.facts import InstructionFacts
from asmevo.check.engine.fixpoint import forward
from asmevo.check.engine.view import Chunk, View
from asmevo.check.findings import NOTE, Finding
from asmevo.check.rules.hazards import Live, Raw, State, WaitStates
from asmevo.check.rules.waits import register_text
from asmevo.isa.hazards.roles import Produced
from asmevo.isa.hazards.rows import P, rules_of
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


def open_ends(view: View, kernel: bool) -> list[Finding]:
    """Notes on what wait states there are between one function and those that it deals with.

    Args:
        view: a function.
        kernel: whether it is a kernel, in front of which nothing runs, and that returns nowhere.
    """
    if not rules_of(view.target) or (kernel and not view.calls and not view.stray):
        return []
    return [*_departures(view, kernel), *_arrivals(view, kernel)]


def _departures(view: View, kernel: bool) -> Iterator[Finding]:
    """Producers that are in reach where control leaves."""
    engine = engine_of(view.library, WaitStates)
    results = engine.solve(view)
    leaving = {*view.calls, *(i for i, _ in view.stray), *(() if kernel else view.indirect)}
    for number in results:
        chunk = view.chunks[number]
        at = chunk.last - 1  # what changes the control flow ends its chunk
        if at not in leaving:
            continue
        entry = 0
        came = [results[p].exit for p in chunk.predecessors if p in results]
        for n, state in enumerate(came):
            entry = engine.states.join(entry, state) if n or number in view.entries else state
        before = view.library.content(tuple(chunk.content.facts[:-1]))
        for role, passes, _, mask, since in engine.states.states[engine.run(before, entry).exit]:
            name = P(role).name.lower().replace("_", "-")
            what = f"{register_text(mask)}, {passes} passes" if passes else register_text(mask)
            yield Finding(
                f"hazard.leaves-{name}", "-", NOTE, view.name, at, view.fact(at).inst.text or "",
                message=f"{since} wait states from a producer ({name}: {what}) to where control "
                "leaves the function",
                fix="keep it as far away",
                have=since, what=what,
            )  # fmt: skip


def _arrivals(view: View, kernel: bool) -> Iterator[Finding]:
    """Consumers near where control comes in."""
    engine = engine_of(view.library, Arrivals)
    initial = 0 if kernel else engine.states.number(_anything(view.target))
    results = forward(view, initial, engine.run, lambda r: r.exit, engine.states.join)
    for number, result in results.items():
        nearest: dict[tuple[int, int], Raw] = {}
        for raw in result.raws:
            key = (raw.at, raw.mask)
            if key not in nearest or raw.have < nearest[key].have:
                nearest[key] = raw
        yield from (_arrival(view, view.chunks[number], raw) for raw in nearest.values())


def _arrival(view: View, chunk: Chunk, raw: Raw) -> Finding:
    at, registers = chunk.first + raw.at, register_text(raw.mask)
    return Finding(
        "hazard.arrives", "-", NOTE, view.name, at, view.fact(at).inst.text or "",
        message=f"{raw.have} wait states from where control comes in to a use of "
        f"{registers or 'the state of the machine'} (as in: {raw.rule.text})",
        fix="keep it as far away",
        have=raw.have, what=registers,
    )  # fmt: skip
