"""Two versions of a function, window by window, until every window is decided.

The first windows are single blocks. Where one is not equal, because an instruction moved over its
border or because several iterations stand against one, it grows: EXEC branches round idle code are
left out, several iterations of the original are taken together, or the place at its border is given
up, and what lay on both sides of it becomes one window. What is still different then is the answer.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from asmevo.isa.decoded import decode
from asmevo.isa.operand import FLAT_SCRATCH, M0, TTMP0, VCC
from asmevo.prove.verdict import Verdict
from asmevo.prove.versions.cutting import Cutter, Piece
from asmevo.prove.versions.matching import ENTRY, Matching, match
from asmevo.prove.versions.regions import Cut, Mismatch, PathPair, Plan, Walker
from asmevo.prove.versions.sides import Side
from asmevo.prove.window import Window, instructions

Prove = Callable[[Window], Verdict]
_ROUNDS = 24
_STATE = frozenset((*range(FLAT_SCRATCH, VCC), *range(TTMP0, M0)))
StatusWord = Literal["identical", "proved", "reordered", "refuted", "unknown"]
WORST: tuple[StatusWord, ...] = ("refuted", "unknown", "proved", "reordered", "identical")


@dataclass(frozen=True, slots=True)
class Judged:
    """A window, where it is, and what the prover says.

    Attributes:
        piece: the window and its places.
        verdict: the answer.
    """

    piece: Piece
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Compared:
    """Two versions of a function.

    Attributes:
        status: "identical", or the worst of the windows' answers.
        reason: one line; of "unknown" what stood in the way.
        windows: what is different, in the order of the original.
        places: pairs of corresponding places that the proof goes by.
    """

    status: StatusWord
    reason: str
    windows: tuple[Judged, ...] = ()
    places: tuple[Cut, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether both are known to do the same."""
        return self.status in ("identical", "proved", "reordered")


@dataclass(slots=True)
class _Failure:
    """A start from which the versions could not be shown to be equal."""

    start: Cut
    reason: str
    pieces: list[Judged] = field(default_factory=list[Judged])
    ends: set[Cut] = field(default_factory=set[Cut])
    branched: bool = True
    sizes: tuple[int, int] = (1, 1)


@dataclass(slots=True)
class _Round:
    """What one plan gave."""

    windows: list[Judged] = field(default_factory=list[Judged])
    failures: list[_Failure] = field(default_factory=list[_Failure])
    places: set[Cut] = field(default_factory=set[Cut])

    @property
    def refuted(self) -> bool:
        """Whether a window was refuted."""
        return any(j.verdict.status == "refuted" for j in self.windows)

    @property
    def cost(self) -> tuple[int, int, int]:
        """How far from a proof: starts without common way on, that fail, windows not equal."""
        lost = sum(not f.pieces for f in self.failures)
        return lost, len(self.failures), sum(len(f.pieces) for f in self.failures)


def compare(k0: Side, k1: Side, prove: Prove, seconds: float = 20.0) -> Compared:
    """Decide every difference between two versions of a function.

    Args:
        k0, k1: the versions.
        prove: decides one window.
        seconds: after which no other division into windows is tried.
    """
    try:
        matching = match(k0, k1)
    except Mismatch as err:
        return Compared("unknown", str(err))
    work = _Work(k0, k1, matching, prove)
    stop = time.monotonic() + seconds
    rounds = [work.round()]
    for _ in range(_ROUNDS):
        if not rounds[-1].failures or time.monotonic() > stop:
            break
        following = work.refined(rounds[-1], stop)
        if following is None:
            break
        rounds.append(following)
    return _answer(_telling(rounds))


def _telling(rounds: list[_Round]) -> _Round:
    """The round that tells most: the nearest to a proof.

    A state that refutes a small window may never be; if larger windows are only not decided, so is
    the whole.
    """
    followed = [r for r in rounds if not r.cost[0]]
    if followed and not followed[-1].refuted:
        return min((r for r in followed if not r.refuted), key=lambda r: r.cost)
    return min(rounds, key=lambda r: r.cost)


def windows_of(k0: Side, k1: Side) -> tuple[Window, ...]:
    """The first windows of two versions of a function: what differs, block by block.

    Raises:
        Mismatch: control goes other ways in the two versions.
    """
    work = _Work(k0, k1, match(k0, k1), _undecided)
    found = work.round()
    for failure in found.failures:
        if not failure.pieces:
            raise Mismatch(failure.reason)
    return tuple(j.piece.window for f in found.failures for j in f.pieces)


def _undecided(window: Window) -> Verdict:
    del window
    return Verdict("unknown", "not asked")


class _Work:
    """The present plan, and answers that are known."""

    def __init__(self, k0: Side, k1: Side, matching: Matching, prove: Prove) -> None:
        self.k0, self.k1, self.matching, self.prove = k0, k1, matching, prove
        self.walker, self.cutter = Walker(k0, k1, matching.kept), Cutter(k0, k1)
        self.plan = Plan(dict(matching.cuts))
        self._known: dict[Hashable, Verdict] = {}
        self._tried: set[tuple[Cut, str]] = set()

    def round(self) -> _Round:
        """Every window of the present plan, judged."""
        out = _Round()
        work, seen = list(self.matching.entries), set(self.matching.entries)
        while work:
            start = work.pop()
            out.places.add(start)
            try:
                pairs = self.walker.paths(start, self.plan)
            except Mismatch as err:
                out.failures.append(_Failure(start, str(err), ends={start}))
                continue
            failed = self._judge(start, pairs, out)
            if failed is not None:
                out.failures.append(failed)
            for pair in pairs:
                if pair.end is not None and pair.end not in seen:
                    seen.add(pair.end)
                    work.append(pair.end)
        return out

    def _judge(self, start: Cut, pairs: list[PathPair], out: _Round) -> _Failure | None:
        """Judge the windows of all paths from one place."""
        groups: dict[Hashable, list[PathPair]] = defaultdict(list)
        for pair in pairs:
            groups[pair.before, pair.after].append(pair)
        failed: _Failure | None = None
        for group in groups.values():
            ends = tuple(p.end for p in group if p.end is not None)
            live = frozenset[int]().union(*(p.live for p in group))
            found = self._decide(replace(group[0], live=live), ends)
            if not all(j.verdict.holds for j in found) and len(group) > 1:
                # Each way out with what is live there.
                each = [self._decide(p, ends) for p in group]
                if all(j.verdict.holds for some in each for j in some):
                    found = each[0]
            wrong = [j for j in found if not j.verdict.holds]
            out.windows += found
            if wrong:
                failed = failed or _Failure(start, wrong[0].verdict.reason)
                failed.pieces += wrong
                failed.ends |= set(ends)
                failed.branched = any(p.branched for p in group)
                failed.sizes = (len(group[0].before), len(group[0].after))
        return failed

    def _decide(self, pair: PathPair, ends: tuple[Cut, ...]) -> list[Judged]:
        """The windows of one pair of paths: several small ones, or one where that is not equal."""
        small = [Judged(p, self._judged(p)) for p in self.cutter.pieces(pair, ends)]
        if len(small) < 2 or all(j.verdict.holds for j in small):
            return small
        whole = [Judged(p, self._judged(p)) for p in self.cutter.pieces(pair, ends, 0)]
        # What a small window starts from may never be; the large one has the last word.
        return small if any(j.verdict.status == "refuted" for j in whole) else whole

    def _judged(self, piece: Piece) -> Verdict:
        """The answer; no refutation by a register that may be dead."""
        verdict = self._ask(piece.window)
        if verdict.status == "refuted" and piece.doubtful:
            sure = self._ask(replace(piece.window, live_out=piece.window.live_out - piece.doubtful))
            if sure.status != "refuted":
                return Verdict(
                    "unknown", f"{verdict.reason}, but may be dead there",
                    seconds=verdict.seconds + sure.seconds, solver=verdict.solver,
                )  # fmt: skip
            return sure
        return verdict

    def _ask(self, window: Window) -> Verdict:
        key = (window.before, window.after, window.live_out)
        if key not in self._known:
            verdict = self.prove(window)
            strange = unpromised(window) if verdict.holds else ""
            if strange:
                verdict = Verdict(
                    "unknown", f"`{strange}` reads what the original does not, and nothing defines",
                    seconds=verdict.seconds, solver=verdict.solver,
                )  # fmt: skip
            self._known[key] = verdict
        return self._known[key]

    def refined(self, found: _Round, stop: float) -> _Round | None:
        """What another plan gives; None where nothing is left to try, or no time is left.

        First what keeps the places as they are; then places go at which one window that is not
        equal ends and another begins, because something moved over them; then others.
        """
        for failure in found.failures:
            for change in self._changes(failure):
                if time.monotonic() > stop:
                    return None
                before = self.plan
                self.plan = change
                following = self.round()
                if following.cost < found.cost:
                    return following
                self.plan = before
        gone = self._to_give_up(found.failures)
        for c in gone:
            del self.plan.cuts[c[0]]
        return self.round() if gone else None

    def _to_give_up(self, failures: list[_Failure]) -> set[Cut]:
        """Places that are no longer to be held against each other; heads of loops come last."""
        starts = {f.start for f in failures}
        ends = {end for f in failures for end in f.ends if end != f.start}
        loose = {c for c in starts | ends if self._rank(c) < ENTRY}
        inner = {c for c in loose if c[0] not in self.k0.loops}
        for several in (starts & ends & inner, starts & inner):
            if several:
                return several
        for some in (ends & inner, starts & ends & loose, starts & loose, ends & loose):
            if some:
                return {min(some, key=lambda c: (self._rank(c), c))}
        return set()

    def _rank(self, cut: Cut) -> int:
        """What speaks for a place of the plan; `ENTRY` for one that cannot go."""
        if self.plan.cuts.get(cut[0]) != cut[1]:
            return ENTRY
        return self.matching.rank.get(cut[0], ENTRY)

    def _changes(self, failure: _Failure) -> Iterator[Plan]:
        """Plans with the same places that walk otherwise from a start that failed."""
        start, plan = failure.start, self.plan
        if failure.branched and self._first_time(start, "eager"):
            yield replace(plan, eager=plan.eager | {start})
        if start[0] in self.k0.loops:
            for n in self._iterations(failure):
                if self._first_time(start, f"{n} iterations"):
                    inner = self.k0.loops[start[0]] - set(self.k0.loops)
                    kept = {a: b for a, b in plan.cuts.items() if a not in inner}
                    yield replace(plan, cuts=kept, rounds={**plan.rounds, start: n})

    def _first_time(self, start: Cut, what: str) -> bool:
        if (start, what) in self._tried:
            return False
        self._tried.add((start, what))
        return True

    def _iterations(self, failure: _Failure) -> list[int]:
        """How many iterations of the original may make one of the other, best first."""
        old, new = failure.sizes
        return sorted(range(2, 9), key=lambda n: abs(n * old - new))[:3]


def unpromised(window: Window) -> str:
    """The first instruction that reads a register of the machine's state that the original leaves.

    Equal values or not, it would depend on who started the wave. Empty if there is none.
    """
    read: set[int] = set()
    for side in (window.before, window.after):
        for inst in instructions(side):
            found = decode(inst, window.target).uses & _STATE
            if side is window.before:
                read |= found
            elif found - read:
                return inst.text or ""
    return ""


def _answer(found: _Round) -> Compared:
    places = tuple(sorted(found.places))
    windows = tuple(sorted(found.windows, key=lambda j: (j.piece.before or j.piece.start)[0]))
    for failure in found.failures:
        if not failure.pieces:
            return Compared("unknown", failure.reason, windows, places)
    if not windows:
        return Compared("identical", "", (), places)
    words: list[StatusWord] = [j.verdict.status for j in windows]
    status = min(words, key=WORST.index)
    reason = next(j.verdict.reason for j in windows if j.verdict.status == status)
    return Compared(status, reason, windows, places)
