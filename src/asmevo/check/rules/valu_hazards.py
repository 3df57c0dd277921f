"""The rules of `asmevo.isa.hazards.rows.valu` along all paths.

State: producers still in reach with the least number of VALU and transcendental instructions
since, over all paths.
"""

from __future__ import annotations

from typing import NamedTuple

from asmevo.check.engine.analysis import Analysis, engine_of
from asmevo.check.engine.facts import CALL, ChunkContent, InstructionFacts, Library
from asmevo.check.engine.view import View
from asmevo.check.findings import NOTE, Finding
from asmevo.check.rules.waits import register_text
from asmevo.isa.hazards.rows import Mark
from asmevo.isa.hazards.valu import ValuRoles, ValuRule, rules_of, valu_roles

# (rule, registers, VALU instructions since, transcendentals since), sorted
State = tuple[tuple[int, int, int, int], ...]


class Raw(NamedTuple):
    """A finding inside a chunk."""

    at: int
    rule: int
    mask: int
    have: int


def normal(entries: set[tuple[int, int, int, int]]) -> State:
    """Canonical state: of equal producers only those that another does not dominate."""
    kept = [
        e
        for e in entries
        if not any(o != e and o[:2] == e[:2] and o[2] <= e[2] and o[3] <= e[3] for o in entries)
    ]
    return tuple(sorted(kept))


def join(a: State, b: State) -> State:
    """Union of producers, the nearest of equal ones."""
    return a if a == b else normal({*a, *b})


class ValuCounts(Analysis[State, Raw]):
    """The analysis of one target."""

    def __init__(self, library: Library) -> None:
        super().__init__(library)
        self.target = library.target
        self.rules = rules_of(library.target)
        self._roles: dict[InstructionFacts, tuple[ValuRoles, ...]] = {}

    @property
    def initial(self) -> State:
        """No producer in reach."""
        return ()

    def join(self, a: State, b: State) -> State:
        """Union of producers, the nearest of equal ones."""
        return join(a, b)

    def roles(self, f: InstructionFacts) -> tuple[ValuRoles, ...]:
        """Roles of an instruction, one entry per half of a dual one."""
        found = self._roles.get(f)
        if found is None:
            halves = f.inst.halves
            found = self._roles[f] = tuple(valu_roles(h, self.target) for h in halves)
        return found

    def walk(self, content: ChunkContent, entry: State) -> tuple[State, tuple[Raw, ...]]:
        """See the module."""
        live = [list(e) for e in entry]  # [rule, mask, valus, transcendentals]
        raws: list[Raw] = []
        for at, f in enumerate(content.facts):
            halves = self.roles(f)
            for half in halves:
                for rule, mask in half.consumes:
                    raws += [
                        Raw(at, rule, e[1] & mask, e[2])
                        for e in live
                        if e[0] == rule and e[1] & mask
                    ]
            live = [e for e in live if self._survives(e, halves)]
            if f.flow == CALL:
                live = []
            for half in halves:
                for rule, mask in half.produces:
                    live = [e for e in live if e[0] != rule or e[1] != mask]
                    live.append([rule, mask, 0, 0])
        exits = {(e[0], e[1], e[2], e[3]) for e in live}
        return normal(exits), tuple(dict.fromkeys(raws))

    def _survives(self, entry: list[int], halves: tuple[ValuRoles, ...]) -> bool:
        """Count an instruction that lies between; False when the hazard is over."""
        rule = self.rules[entry[0]]
        first = halves[0]
        if rule.drains and first.drains:
            return False
        if first.valu and (rule.nop_counts or not first.nop):
            entry[2] += 1
            entry[3] += any(h.trans for h in halves)
        if rule.trans_ends and entry[3] >= rule.trans_ends:
            return False
        return entry[2] < rule.need


def check_valu_hazards(view: View) -> list[Finding]:
    """Findings of the VALU-counted rules in one function; empty where the target has none."""
    if not rules_of(view.target):
        return []
    engine = engine_of(view.library, ValuCounts)
    counts = engine.analysis
    assert isinstance(counts, ValuCounts)
    results = engine.solve(view)
    findings: list[Finding] = []
    for number in view.order:
        chunk = view.chunks[number]
        for raw in results[number].raws:
            findings.append(_finding(view, chunk.first + raw.at, raw, counts))
    return findings


def _finding(view: View, index: int, raw: Raw, counts: ValuCounts) -> Finding:
    rule: ValuRule = counts.rules[raw.rule]
    producer = _source(view, index, raw, counts)
    text = "" if producer is None else view.fact(producer).inst.text or ""
    return Finding(
        f"hazard.{rule.name}", Mark.LLVM.value, NOTE, view.name, index,
        view.fact(index).inst.text or "", producer, text, (),
        f"{rule.text}: {raw.have} of {rule.need} VALU instructions behind {text!r}", rule.fix,
        rule.need, raw.have, None if producer is None or producer > index else index - producer,
        register_text(raw.mask),
    )  # fmt: skip


def _source(view: View, index: int, raw: Raw, counts: ValuCounts) -> int | None:
    """Nearest producer before the consumer in its own basic block, else None (another block)."""
    for i in range(index - 1, view.first - 1, -1):
        f = view.fact(i)
        if f.flow:
            return None
        for half in counts.roles(f):
            if any(p.rule == raw.rule and p.mask & raw.mask for p in half.produces):
                return i
    return None
