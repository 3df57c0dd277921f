"""The supply of edits at a node: the rules applied to its hot windows, pulled on demand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from asmevo.drivers.combine import compatible
from asmevo.drivers.templates import proved_templates
from asmevo.edits import (
    BatchLoop,
    CompositeRule,
    HoistLoad,
    HoistWait,
    LowerRegisters,
    Move,
    RelaxWait,
    RemoveRedundant,
    Rule,
    Schedule,
    SinkStore,
    SkipBranch,
)
from asmevo.edits.templates import Templates
from asmevo.errors import BuildError
from asmevo.program.edit import Edit, fitted
from asmevo.program.model import Program
from asmevo.search.driver import Context
from asmevo.search.types import canonical_edits
from asmevo.search.windows import HotWindow


def default_rules(seed: int, round: int = 0, templates: tuple[Path, ...] = ()) -> tuple[Rule, ...]:
    """The project's rules, best first. Later rounds vary the randomised ones.

    `templates` are folders of further template files.
    """
    mixed = seed * 7919 + round
    return (
        LowerRegisters(),
        BatchLoop(),
        SinkStore(),
        HoistLoad(),
        HoistWait(),
        Schedule(variants=2 + 2 * round, seed=mixed),
        RelaxWait(),
        Templates(partial(proved_templates, folders=templates)),
        SkipBranch(),
        RemoveRedundant(),
        Move(reach=4 + 8 * round, seed=mixed),
    )


# How promising a first proposal of each rule is, relative to its window's share of the time.
_PRIOR = {
    "lower_registers": 8.0,
    "batch_loop": 6.0,
    "sink_store": 4.0,
    "hoist_load": 4.0,
    "hoist_wait": 4.0,
    "schedule": 1.0,
    "relax_wait": 1.0,
    "template": 1.0,
    "remove_redundant": 0.8,
    "skip_branch": 0.5,
    "move": 0.1,
}


_SWEEPING = ("schedule", "relax_wait", "skip_branch", "remove_redundant")
_LONGEST_SWEEP = 6


@dataclass(frozen=True, slots=True)
class Idea:
    """Edits that belong together, where they came from, and their window's share of the time."""

    edits: tuple[Edit, ...]
    rule: str
    share: float

    @property
    def note(self) -> str:
        """What the first edit says about itself."""
        return self.edits[0].note


@dataclass(slots=True)
class Arm:
    """Edits of one rule in one window, not yet drawn.

    Attributes:
        rule: the rule's name.
        window: the window.
        drawn: edits drawn so far.
        gain: summed relative gains of those that helped.
    """

    rule: str
    window: HotWindow
    source: Iterator[tuple[Edit, ...]]
    rank: int
    drawn: int = 0
    gain: float = 0.0
    empty: bool = False

    @property
    def score(self) -> float:
        """Expected worth of the next draw: the window's share, corrected by experience."""
        prior = _PRIOR.get(self.rule, 0.5)
        return prior * self.window.share * (1.0 + 50.0 * self.gain) / (1.0 + 0.5 * self.drawn)


def _edit_sets(
    rule: Rule, program: Program, kernel: str, window: HotWindow
) -> Iterator[tuple[Edit, ...]]:
    if isinstance(rule, CompositeRule):
        yield from rule.composites(program, kernel, window.window)
    for edit in rule.proposals(program, kernel, window.window):
        yield (edit,)


def _sweeps(
    rule: Rule, program: Program, kernel: str, windows: Sequence[HotWindow]
) -> Iterator[tuple[Edit, ...]]:
    """The first edits of all windows as one, then all second ones, and so on.

    Code that a compiler wrote repeats itself: what pays in one block often pays in all.
    """
    sources = [rule.proposals(program, kernel, w.window) for w in windows]
    for _ in range(_LONGEST_SWEEP):
        together: list[Edit] = []
        for source in sources:
            edit = next(source, None)
            if edit is not None and compatible(together, (edit,)):
                together.append(edit)
        if len(together) < 2:
            return
        yield tuple(sorted(together, key=lambda e: (e.first, e.last)))


def _fitted(program: Program, edits: tuple[Edit, ...]) -> tuple[Edit, ...] | None:
    """The edits as they can be made; None for longer lines in code that must keep its size."""
    if not program.growth_refused:
        return edits
    try:
        return tuple(fitted(program, edits))
    except BuildError:
        return None


class Pool:
    """All edits that the rules see at one node; where the code must keep its size, those that do.

    Args:
        context: the search.
        node: the node.
        rules: the rules, best first.
        windows: how many hot windows to look at.
    """

    def __init__(
        self, context: Context, node: str, rules: Sequence[Rule], windows: int = 12
    ) -> None:
        self.node = node
        program = self._program = context.program(node)
        self._seen: set[str] = set()
        hot = context.windows(node, windows)
        self._arms = [
            Arm(rule.name, window, _edit_sets(rule, program, context.kernel, window), rank)
            for window in hot
            for rank, rule in enumerate(rules)
        ]
        if len(hot) > 1:
            everywhere = HotWindow(
                min(w.first for w in hot),
                max(w.last for w in hot),
                -1,
                sum(w.weight for w in hot),
                sum(w.share for w in hot),
            )
            self._arms += [
                Arm(rule.name, everywhere, _sweeps(rule, program, context.kernel, hot), rank)
                for rank, rule in enumerate(rules)
                if rule.name in _SWEEPING
            ]

    def draw(self) -> tuple[Idea, Arm] | None:
        """The next edit of the most promising arm; None when all are empty."""
        while True:
            open_arms = [a for a in self._arms if not a.empty]
            if not open_arms:
                return None
            arm = max(open_arms, key=lambda a: (a.score, -a.rank, -a.window.first))
            idea = self.draw_from(arm)
            if idea is not None:
                return idea, arm

    def draw_from(self, arm: Arm) -> Idea | None:
        """The next new edit of `arm`; None (and the arm empty) when it has none."""
        for edits in arm.source:
            key = canonical_edits(edits)
            if key in self._seen:
                continue
            self._seen.add(key)
            usable = _fitted(self._program, edits)
            if usable is None:
                continue
            arm.drawn += 1
            return Idea(usable, arm.rule, arm.window.share)
        arm.empty = True
        return None

    @property
    def arms(self) -> Sequence[Arm]:
        """All arms, hottest window first, best rule first."""
        return tuple(self._arms)

    def everything(self, limit: int = 400) -> list[Idea]:
        """Up to `limit` remaining edits, arm by arm in turn."""
        found: list[Idea] = []
        while len(found) < limit:
            open_arms = [a for a in self._arms if not a.empty]
            if not open_arms:
                break
            for arm in open_arms:
                idea = self.draw_from(arm)
                if idea is not None:
                    found.append(idea)
        return found[:limit]
