"""Software wait states: the table of `asmevo.isa.hazards.rows`, matched along all paths.

State: the producers still within reach with the least number of wait states since, over all
paths. Only the first few instructions of a chunk depend on its entry state, so everything behind
them is computed once per chunk content.

Why: the hardware does not wait for these pairs; too few states and the consumer sees the old value,
or the store the new one. Source: each row names its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from asmevo.check.engine.analysis import Analysis, engine_of
from asmevo.check.engine.backward import Source, search
from asmevo.check.engine.facts import CALL, ChunkContent, InstructionFacts, Library
from asmevo.check.engine.view import Chunk, View
from asmevo.check.findings import ERROR, NOTE, Finding
from asmevo.check.rules.waits import register_text
from asmevo.isa.effects import OpClass
from asmevo.isa.hazards.pairs import KILLED_BY_WRITE, shortfalls
from asmevo.isa.hazards.roles import Produced
from asmevo.isa.hazards.rows import (
    HazardRule,
    Mark,
    P,
    interest,
    pair_table,
    reach,
    rules_of,
)

# (role, passes, key, mask, wait states since)
Live = tuple[int, int, object, int, int]
State = tuple[Live, ...]


class Raw(NamedTuple):
    """A finding inside a chunk: relative index, rule, registers, wait states there and needed."""

    at: int
    rule: HazardRule
    mask: int
    have: int
    need: int
    passes: int


@dataclass(slots=True)
class _Producer:
    role: int
    passes: int
    key: object
    mask: int
    born: int  # wait-state position right behind the producer
    reach: int
    interest: int


class WaitStates(Analysis[State, Raw]):
    """The analysis of one target."""

    def __init__(self, library: Library) -> None:
        super().__init__(library)
        self.target = library.target
        self.pairs = pair_table(self.target)
        self.interest = interest(self.target)
        self.reaches: dict[tuple[int, int], int] = {}

    @property
    def initial(self) -> State:
        """No producer in reach."""
        return ()

    def join(self, a: State, b: State) -> State:
        """Union of producers, each with the least wait states."""
        return join(a, b)

    def after_call(self) -> State:
        """Producers in reach behind a call: none known; `check.rules.calls` has the others."""
        return ()

    def produced(self, f: InstructionFacts) -> tuple[Produced, ...]:
        """The producer roles of an instruction that count."""
        return f.roles.produces

    def _reach(self, role: int, passes: int) -> int:
        found = self.reaches.get((role, passes))
        if found is None:
            found = self.reaches[role, passes] = reach(self.target, P(role), passes)
        return found

    def walk(self, content: ChunkContent, entry: State) -> tuple[State, tuple[Raw, ...]]:
        """See the module."""
        live = self._live(entry, 0)
        raws: list[Raw] = []
        position = 0
        for at, f in enumerate(content.facts):
            if live:
                live = [p for p in live if position - p.born < p.reach]
                bits = f.roles.consumer_bits
                if bits:
                    for p in live:
                        if p.interest & bits:
                            self._check(at, f, p, position - p.born, raws)
            if f.flow == CALL:
                live = self._live(self.after_call(), position + f.states)
            position += f.states
            if self.produced(f) or (live and f.defs):
                live = self._advance(f, live, position)
        exits: dict[tuple[int, int, object, int], int] = {}
        for p in live:
            since = position - p.born
            if since < p.reach and (p.mask or p.role in (P.DGEMM, P.VSKIP)):
                name = (p.role, p.passes, p.key, p.mask)
                exits[name] = min(since, exits.get(name, since))
        return _state(exits), tuple(raws)

    def _live(self, state: State, position: int) -> list[_Producer]:
        return [
            _Producer(
                role, passes, key, mask, position - since, self._reach(role, passes),
                self.interest[role],
            )
            for role, passes, key, mask, since in state
        ]  # fmt: skip

    def _advance(
        self, f: InstructionFacts, live: list[_Producer], position: int
    ) -> list[_Producer]:
        kept: list[_Producer] = []
        dgemm = f.kind is OpClass.MFMA and any(p.role == P.DGEMM for p in f.roles.produces)
        for p in live:
            if p.role in KILLED_BY_WRITE:
                p.mask &= ~f.defs  # the nearest producer of a register is the one that counts
                if not p.mask:
                    continue
            kept.append(p)
            if dgemm and p.role == P.VALU_VGPR:
                role = int(P.VALU_THEN_DGEMM)
                span = self._reach(role, 0)
                if span:
                    kept.append(_Producer(role, 0, None, p.mask, p.born, span, self.interest[role]))
        for role, mask, key, passes in self.produced(f):
            span = self._reach(role, passes)
            if span:
                kept.append(_Producer(role, passes, key, mask, position, span, self.interest[role]))
        return kept

    def _check(
        self, at: int, f: InstructionFacts, p: _Producer, have: int, raws: list[Raw]
    ) -> None:
        producer = (p.role, p.mask, p.key, p.passes)
        for rule, hit, need in shortfalls(
            self.pairs, producer, f.roles.consumes, f.uses, f.base, have
        ):
            raws.append(Raw(at, rule, hit, have, need, p.passes))


def _state(entries: dict[tuple[int, int, object, int], int]) -> State:
    return tuple(sorted(((*name, since) for name, since in entries.items()), key=lambda e: repr(e)))


def join(a: State, b: State) -> State:
    """Union of producers, each with the least wait states."""
    if a == b or set(a).issuperset(b):
        return a
    merged = {e[:4]: e[4] for e in a}
    for e in b:
        merged[e[:4]] = min(e[4], merged.get(e[:4], e[4]))
    return _state(merged)


def check_hazards(view: View) -> list[Finding]:
    """Findings of the wait-state rules in one function; empty when the target has no table."""
    if not rules_of(view.target):
        return []
    results = engine_of(view.library, WaitStates).solve(view)
    findings: list[Finding] = []
    for number in view.order:
        chunk = view.chunks[number]
        worst: dict[tuple[int, str, int], Raw] = {}
        for raw in results[number].raws:
            key = (raw.at, raw.rule.name, raw.mask)
            if key not in worst or raw.have < worst[key].have:
                worst[key] = raw
        findings += [_finding(view, chunk.first + r.at, r) for r in worst.values()]
    return findings


def judge(rule: HazardRule, passes: int, have: int) -> tuple[str, str]:
    """(mark, severity) of a shortfall.

    A rule that code known to run breaks, or that only one source asks for, is never an error.
    """
    if passes in rule.broken:
        return "V!", NOTE
    if rule.llvm_bound is not None and have >= rule.llvm_bound:
        return Mark.ISA.value, NOTE
    return rule.mark.value, ERROR if rule.mark in (Mark.BOTH, Mark.HARDWARE) else NOTE


def _finding(view: View, index: int, raw: Raw) -> Finding:
    source = find_source(view, index, raw)
    producer = view.fact(source.index).inst.text or "" if source else ""
    return describe(view.name, index, view.fact(index).inst.text or "", raw, source, producer)


def describe(
    kernel: str, index: int, text: str, raw: Raw, source: Source | None, producer: str
) -> Finding:
    """The finding of a raw one: `index` and `text` of the consumer, the producer if found."""
    rule = raw.rule
    mark, severity = judge(rule, raw.passes, raw.have)
    missing = raw.need - raw.have
    return Finding(
        f"hazard.{rule.name}", mark, severity, kernel, index, text,
        source.index if source else None, producer, source.path if source else (),
        f"{rule.text}: {raw.have} of {raw.need} wait states behind {producer!r}",
        f"{missing} more wait state{'s' if missing > 1 else ''} before it (s_nop {missing - 1} "
        "or independent instructions)",
        raw.need, raw.have, source.distance if source else None, register_text(raw.mask),
    )  # fmt: skip


def find_source(view: View, consumer: int, raw: Raw) -> Source | None:
    """Nearest producer of the raw finding's role with exactly its wait states before `consumer`."""
    role = P.VALU_VGPR if raw.rule.producer is P.VALU_THEN_DGEMM else raw.rule.producer

    def scan(chunk: Chunk, end: int, states: int) -> tuple[int | None, int | None]:
        """State: wait states between."""
        facts = chunk.content.facts
        for at in range(end - 1, -1, -1):
            for p in facts[at].roles.produces:
                if p.role == role and states == raw.have and (p.mask & raw.mask or not raw.mask):
                    return at, None
            states += facts[at].states
            if states > raw.have:
                return None, None
        return None, states

    return search(view, consumer, 0, scan)
