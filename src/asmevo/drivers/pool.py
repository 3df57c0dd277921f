"""The supply of edits at a node: the rules applied to its hot windows, pulled on demand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from asmevo.edits import Move, RelaxWait, RemoveRedundant, Rule, Schedule
from asmevo.program.edit import Edit
from asmevo.search.driver import Context
from asmevo.search.windows import HotWindow


def default_rules(seed: int, round: int = 0) -> tuple[Rule, ...]:
    """The project's rules, best first. Later rounds vary the randomised ones."""
    mixed = seed * 7919 + round
    return (
        Schedule(variants=2 + 2 * round, seed=mixed),
        RelaxWait(),
        RemoveRedundant(),
        Move(reach=4 + 8 * round, seed=mixed),
    )


@dataclass(frozen=True, slots=True)
class Idea:
    """One edit, where it came from, and how much of the time its window takes."""

    edit: Edit
    rule: str
    share: float


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
    source: Iterator[Edit]
    rank: int
    drawn: int = 0
    gain: float = 0.0
    empty: bool = False

    @property
    def score(self) -> float:
        """Expected worth of the next draw: the window's share, corrected by experience."""
        return self.window.share * (1.0 + 50.0 * self.gain) / (1.0 + 0.5 * self.drawn)


class Pool:
    """All edits that the rules see at one node.

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
        program = context.program(node)
        self._seen: set[tuple[int, int, tuple[str, ...]]] = set()
        self._arms = [
            Arm(rule.name, window, rule.proposals(program, context.kernel, window.window), rank)
            for window in context.windows(node, windows)
            for rank, rule in enumerate(rules)
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
        for edit in arm.source:
            key = (edit.first, edit.last, edit.lines)
            if key in self._seen:
                continue
            self._seen.add(key)
            arm.drawn += 1
            return Idea(edit, arm.rule, arm.window.share)
        arm.empty = True
        return None

    @property
    def arms(self) -> Sequence[Arm]:
        """All arms, hottest window first, best rule first."""
        return tuple(self._arms)

    def everything(self, limit: int = 2000) -> list[Idea]:
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
