"""Paths of both versions of a function between places that correspond.

Two versions are walked in step from a pair of corresponding places (a cut) until both are at the
next one. Where both branch on the same register the walk forks, and the register is written down on
the way, so that a window that ends with equal notes has taken equal branches. What lies between two
cuts is then two straight lines, however control goes: a loop of which one version runs several
iterations at a time, each with its own way out, gives one pair of lines per way out.

An EXEC branch that only one version has is left out if the code that it skips does nothing without
lanes (`idle`). With `rounds`, a place counts as reached when the original has come round to it so
many times: several of its iterations against one of the other version.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from asmevo.isa.flow import Condition, FlowKind, flow_of
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import EXEC, MODE
from asmevo.program.encoding import table
from asmevo.prove.versions.sides import CONDITIONS, Segment, Side, Stop

Cut = tuple[int, int]
_MOST_PATHS = 64
_LONGEST = 6000  # instructions of a path
ALWAYS = frozenset((EXEC, EXEC + 1, MODE))


class Mismatch(Exception):
    """The two versions cannot be walked in step; the message says where and why."""


@dataclass(frozen=True, slots=True)
class PathPair:
    """What both versions run from one cut to the next.

    Attributes:
        start: the cut that it begins at.
        end: the cut it ends at; None at the kernel's end, a return or the like.
        before, after: instruction indices in the order of execution; a negative number is a note
            of a branch register: `notes[-n - 1]`.
        notes: instructions that write notes down, and the register units they write.
        live: units that must be equal at the end.
        branched: whether an EXEC branch was met on the way.
    """

    start: Cut
    end: Cut | None
    before: tuple[int, ...]
    after: tuple[int, ...]
    notes: tuple[tuple[Instruction, frozenset[int]], ...]
    live: frozenset[int]
    branched: bool


@dataclass(frozen=True, slots=True)
class _State:
    """A walk on its way."""

    at: Cut
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    notes: tuple[tuple[Instruction, frozenset[int]], ...] = ()
    condition: Condition | None = None  # of the branch that was just taken on both sides
    moved: tuple[bool, bool] = (False, False)
    rounds: int = 0
    branched: bool = False


@dataclass(slots=True)
class Plan:
    """Where the two versions are held against each other.

    Attributes:
        cuts: index in the original -> corresponding index in the other version.
        rounds: cut -> iterations of the original that make one of the other.
        eager: cuts from which every EXEC branch round idle code is left out.
    """

    cuts: dict[int, int] = field(default_factory=dict[int, int])
    rounds: dict[Cut, int] = field(default_factory=dict[Cut, int])
    eager: set[Cut] = field(default_factory=set[Cut])


class Walker:
    """Walks two versions of a function in step.

    Args:
        k0, k1: the versions.
        kept: aligned instructions, original -> other version.
    """

    def __init__(self, k0: Side, k1: Side, kept: Mapping[int, int]) -> None:
        self.k0, self.k1 = k0, k1
        self._kept, self._back = kept, {b: a for a, b in kept.items()}
        self._free = _free_scalars(k0.units | k1.units)

    def paths(self, start: Cut, plan: Plan) -> list[PathPair]:
        """Every pair of paths from a cut to the next cuts.

        Raises:
            Mismatch: control goes other ways in the two versions, or there are too many paths.
        """
        found: list[PathPair] = []
        work = [_State(start)]
        others = set(plan.cuts.values())
        while work:
            state = work.pop()
            done, more = self._step(state, start, plan, others)
            found += done
            work += more
            if len(found) + len(work) > _MOST_PATHS:
                raise Mismatch(f"more than {_MOST_PATHS} paths from instruction {start[0]}")
        return found

    def _step(
        self, state: _State, start: Cut, plan: Plan, others: set[int]
    ) -> tuple[list[PathPair], list[_State]]:
        first = self.k0.segment(state.at[0], plan.cuts)
        second = self.k1.segment(state.at[1], others)
        met, rounds = self._meeting(state, first, second, start, plan)
        if met is not None:
            (c0, n0), (c1, n1) = met
            if n0 or n1:
                state = self._noted(state)
            live = self.k0.live.live_before(c0) if self.k0.decoded(c0) else frozenset[int]()
            return [self._pair(state, start, (c0, c1), first.items[:n0], second.items[:n1],
                               live | ALWAYS)], []  # fmt: skip
        if first.items or second.items:
            state = self._noted(state)
        if max(len(state.before), len(state.after)) > _LONGEST:
            raise Mismatch(f"a path of more than {_LONGEST} instructions from {start[0]}")
        return self._at_stops(state, start, plan, first, second, rounds)

    def _meeting(
        self, state: _State, first: Segment, second: Segment, start: Cut, plan: Plan
    ) -> tuple[tuple[tuple[int, int], tuple[int, int]] | None, int]:
        """The first cut that both segments pass, and how often the start was come back to."""
        rounds = state.rounds
        for c0, n0 in first.passed:
            if c0 == start[0]:
                if not state.moved[0] and n0 == 0:
                    continue
                rounds += 1
                if rounds < plan.rounds.get(start, 1):
                    continue
            for c1, n1 in second.passed:
                if plan.cuts[c0] == c1 and (state.moved[1] or n1 or c1 != start[1]):
                    return ((c0, n0), (c1, n1)), rounds
        return None, rounds

    def _at_stops(
        self, state: _State, start: Cut, plan: Plan, first: Segment, second: Segment, rounds: int
    ) -> tuple[list[PathPair], list[_State]]:
        """Go on where both segments end."""
        a, b = first.at, second.at
        conditions = [
            flow_of(k.inst(s.at).base).condition if s.stop is Stop.BRANCH else None
            for k, s in ((self.k0, first), (self.k1, second))
        ]
        state = replace(state, branched=state.branched or Condition.EXEC in conditions)
        skipped = (
            replace(state, at=(self.k0.ways(a)[1], state.at[1]), before=state.before + first.items,
                    moved=(True, state.moved[1]), rounds=rounds)
            if conditions[0] is Condition.EXEC else None,
            replace(state, at=(state.at[0], self.k1.ways(b)[1]), after=state.after + second.items,
                    moved=(state.moved[0], True))
            if conditions[1] is Condition.EXEC else None,
        )  # fmt: skip
        several = plan.rounds.get(start, 1)
        if several > 1 or start in plan.eager:
            early = self._early(a, b, skipped, start, rounds + 1 < several)
            if early is not None:
                return [], [early]
        one, two = conditions
        if one is two and skipped[0] and skipped[1] and self._kept.get(a) != b:
            # Two branches, each of which may be the one that only one version has.
            for k, at, known, without in (
                (self.k0, a, self._kept, skipped[0]), (self.k1, b, self._back, skipped[1])
            ):  # fmt: skip
                head = start[k is self.k1]
                if at not in known and k.ways(at)[1] != head and k.idle(at):
                    return [], [without]
        both = replace(
            state, before=state.before + first.items, after=state.after + second.items,
            moved=(True, True), rounds=rounds,
        )  # fmt: skip
        if one is not None and one == two:
            ways = zip(self.k0.ways(a), self.k1.ways(b), strict=True)
            return [], [replace(both, at=way, condition=one) for way in ways]
        for k, at, without in ((self.k0, a, skipped[0]), (self.k1, b, skipped[1])):
            if without is not None and k.ways(at)[1] != start[k is self.k1] and k.idle(at):
                return [], [without]
        if first.stop is not second.stop or first.stop in (Stop.BRANCH, Stop.ENDLESS):
            raise Mismatch(f"{_words(self.k0, first)} where the other {_words(self.k1, second)}")
        return [self._pair(both, start, self._left(a, b, plan), (), (),
                           self.k0.live.live_before(a))], []  # fmt: skip

    def _early(
        self, a: int, b: int, skipped: tuple[_State | None, _State | None], start: Cut, again: bool
    ) -> _State | None:
        """The state without an EXEC branch that is to be left out before any other is matched.

        Not the branch that closes the loop, unless the original goes round `again`; and of two
        that are met at once, both or none.
        """
        closes = [
            without is not None and k.ways(at)[1] == head
            for k, at, head, without in zip((self.k0, self.k1), (a, b), start, skipped, strict=True)
        ]
        if skipped[0] and closes[0]:
            return skipped[0] if again and self.k0.idle(a) else None
        first = skipped[0] if skipped[0] and self.k0.idle(a) else None
        second = skipped[1] if skipped[1] and not closes[1] and self.k1.idle(b) else None
        if skipped[0] and skipped[1] and not closes[1] and not (first and second):
            return None
        return first or second

    def _left(self, a: int, b: int, plan: Plan) -> Cut | None:
        """Where both go on behind a call; None where they leave for good.

        Raises:
            Mismatch: they do not leave in the same way, to the same place.
        """
        k0, k1 = self.k0, self.k1
        if k0.decoded(a) is None or k1.decoded(b) is None:
            raise Mismatch("control runs out of the function")
        flow = flow_of(k0.inst(a).base)
        if flow.kind in (FlowKind.FORK, FlowKind.CONDITIONAL):
            raise Mismatch(f"{k0.inst(a).base} is not followed")
        if k0.keys[a] != k1.keys[b] or k0.leads(a) != k1.leads(b):
            raise Mismatch(f"`{k0.inst(a).text}` where the other has `{k1.inst(b).text}`")
        if flow.kind is FlowKind.END or not flow.falls:
            return None
        if plan.cuts.setdefault(a + 1, b + 1) != b + 1:
            raise Mismatch(f"the calls at {a} and {b} return to other places")
        return a + 1, b + 1

    def _noted(self, state: _State) -> _State:
        """The state with its last branch's register written down, if it is not yet."""
        if state.condition is None:
            return state
        wide = state.condition is not Condition.SCC
        used = {u for _, units in state.notes for u in units}
        free = [u for u in self._free if u not in used]
        unit = next((u for u in free if not wide or (u % 2 == 0 and u + 1 in free)), None)
        if unit is None:
            raise Mismatch("no scalar register is free to remember which way a branch went")
        name = _name(unit, wide)
        source = {Condition.SCC: "1, 0", Condition.VCC: "vcc", Condition.EXEC: "exec"}
        opcode = "s_mov_b64" if wide else "s_cselect_b32"
        text = f"{opcode} {name}, {source[state.condition]}"
        made = table(self.k0.program.target).assemble([text])[0]
        notes = (*state.notes, (made, frozenset(range(unit, unit + 1 + wide))))
        n = -len(notes)
        return replace(
            state, notes=notes, condition=None, before=(*state.before, n), after=(*state.after, n)
        )

    def _pair(
        self, state: _State, start: Cut, end: Cut | None, before: tuple[int, ...],
        after: tuple[int, ...], live: frozenset[int],
    ) -> PathPair:  # fmt: skip
        wanted = set(live)
        for _, units in state.notes:
            wanted |= units
        if state.condition is not None:
            wanted |= CONDITIONS[state.condition]
        return PathPair(
            start, end, state.before + before, state.after + after, state.notes,
            frozenset(wanted), state.branched,
        )  # fmt: skip


def _free_scalars(busy: frozenset[int]) -> list[int]:
    """SGPRs that neither version names; trap temporaries last."""
    return [u for u in (*range(100), *range(108, 124)) if u not in busy]


def _name(unit: int, wide: bool) -> str:
    kind, n = ("ttmp", unit - 108) if unit >= 108 else ("s", unit)
    return f"{kind}[{n}:{n + 1}]" if wide else f"{kind}{n}"


def _words(k: Side, segment: Segment) -> str:
    if segment.stop is Stop.ENDLESS or k.decoded(segment.at) is None:
        return "runs on"
    return f"has `{k.program.line(segment.at)}`"


def cut_ends(pairs: Mapping[Cut, list[PathPair]]) -> Iterator[Cut]:
    """The cuts that paths lead to."""
    for found in pairs.values():
        for pair in found:
            if pair.end is not None:
                yield pair.end
