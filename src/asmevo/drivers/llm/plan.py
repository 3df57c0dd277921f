"""Where to begin, when to leave off, and what to remember of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from asmevo.drivers.tools.looking import stalls_of
from asmevo.drivers.tools.proposing import composed
from asmevo.drivers.tools.remembering import groups, row
from asmevo.drivers.tools.text import shown
from asmevo.errors import InputError
from asmevo.search.driver import Context
from asmevo.search.types import Attempt, Node, Proposal

_MOST_WORDS = 1500
_MOST_REMEMBERED = 6


@dataclass(slots=True)
class Start:
    """One start: a node, a window of it, an angle, and what came of it.

    Attributes:
        number: ordinal in the run.
        node: where it begins.
        rank: which of its hot windows.
        angle: index of what to try first.
        attempts: finished ones that it proposed.
        barren: of these, how many since the last accepted one.
        redirected: how often it was told to go elsewhere.
        idle: answers in a row that proposed nothing.
        words: what the model noted.
    """

    number: int
    node: str
    rank: int
    angle: int
    attempts: list[Attempt] = field(default_factory=list[Attempt])
    barren: int = 0
    redirected: int = 0
    idle: int = 0
    words: list[str] = field(default_factory=list[str])

    def told(self, attempt: Attempt) -> None:
        """Take note of a finished attempt."""
        self.attempts.append(attempt)
        self.idle = 0
        self.barren = 0 if attempt.accepted else self.barren + 1

    def notes(self) -> dict[str, Any]:
        """What a later start or process should know: plain values, bounded."""
        won = [a for a in self.attempts if a.accepted]
        near = sorted(
            (a for a in self.attempts if not a.accepted and a.speedup is not None),
            key=lambda a: -(a.speedup or 0.0),
        )
        return {
            "start": self.number,
            "node": self.node,
            "window": self.rank,
            "angle": self.angle,
            "attempts": len(self.attempts),
            "verdicts": dict(Counter(a.status for a in self.attempts)),
            "won": [_short(a) for a in won[-_MOST_REMEMBERED:]],
            "near": [_short(a) for a in near[:_MOST_REMEMBERED]],
            "failed": groups(self.attempts)[:_MOST_REMEMBERED],
            "words": [shown(w, _MOST_WORDS) for w in self.words[-_MOST_REMEMBERED:]],
        }


def _short(attempt: Attempt) -> dict[str, Any]:
    found = row(attempt).model_dump()
    found["why"] = shown(attempt.proposal.rationale, 200)
    del found["edits"]
    return found


def next_start(context: Context, earlier: Sequence[Start], number: int, angles: int) -> Start:
    """A start unlike the earlier ones: by its node's stalls and edits, its window, its angle."""
    begun = Counter(s.node for s in earlier)
    node = _diverse(context, [s.node for s in earlier])
    windows = len(context.windows(node.id)) or 1
    return Start(number, node.id, begun[node.id] % windows, number % angles)


def _diverse(context: Context, taken: Sequence[str]) -> Node:
    """The best node at first and in turns; else the one least like those begun at."""
    best = context.best
    others = [n for n in context.nodes if n.id not in taken]
    if not taken or best.id not in taken or not others:
        return best
    known = {n.id: n for n in context.nodes}
    begun = [known[t] for t in dict.fromkeys(taken) if t in known]
    return max(others, key=lambda n: (_distance(context, n, begun) * n.speedup, n.sequence))


def _distance(context: Context, node: Node, others: Sequence[Node]) -> float:
    return min(_apart(context, node, other) for other in others)


def _apart(context: Context, a: Node, b: Node) -> float:
    """Difference of two nodes: of the parts of their stalls, and of the kinds of their edits."""
    first, second = _stalls(context, a), _stalls(context, b)
    stalls = sum(abs(first.get(k, 0.0) - second.get(k, 0.0)) for k in first.keys() | second.keys())
    kinds, other = _kinds(context, a), _kinds(context, b)
    union = kinds | other
    return stalls + (1.0 - len(kinds & other) / len(union) if union else 0.0)


def _stalls(context: Context, node: Node) -> dict[str, float]:
    program = context.program(node.id)
    function = program.function(context.kernel)
    return stalls_of(program, context.profile(node.id), function.first, function.last)


def _kinds(context: Context, node: Node) -> set[str]:
    made = {a.node: a.proposal for a in context.attempts if a.node is not None}
    found: set[str] = set()
    at = node.id
    while at in made:
        found.add(made[at].rule)
        at = made[at].parent
    return found


def compositions(context: Context, most: int) -> list[Proposal]:
    """Wins of other branches on the best node, fastest branch first, those not tried yet."""
    best = context.best
    parents = {n.parent for n in context.nodes}
    leaves = sorted(
        (n for n in context.nodes if n.id not in parents and n.id != best.id),
        key=lambda n: -n.speedup,
    )
    found: list[Proposal] = []
    for leaf in leaves:
        try:
            edits = composed(context, best, leaf)
        except InputError:
            continue  # the same place, or the same line of descent
        if not context.tried(best.id, edits) and not context.hopeless(best.id, edits):
            words = f"wins of {leaf.id[:12]} on {best.id[:12]}"
            found.append(Proposal(best.id, edits, words, "compose"))
        if len(found) >= most:
            break
    return found
