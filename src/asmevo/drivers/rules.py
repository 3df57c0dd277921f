"""The deterministic driver `rules`: hot windows first, rules best first, small wins combined.

It climbs: every accepted edit moves it to the new node. Edits that are right and faster, but by
less than the commit rule asks, are kept; once such edits together promise enough, they are
proposed as one. What was kept follows to the new node by shifting indices. When the rules have
nothing left, annealing over sets of their edits uses the rest of the budget.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from asmevo.drivers.anneal import AnnealDriver
from asmevo.drivers.combine import compatible, rebase
from asmevo.drivers.pool import Arm, Pool, default_rules
from asmevo.program.edit import Edit
from asmevo.search.driver import Context
from asmevo.search.types import Attempt, Proposal

_MEASURABLE = 1e-6
ROUNDS = 3
"""How often all rules are tried on the best node, with more variants each time."""


@dataclass(frozen=True, slots=True)
class _Gain:
    edits: tuple[Edit, ...]
    speedup: float
    rule: str


class RulesDriver:
    """See the module.

    Args:
        seed: of the schedulers' tie-breaking.
        eps: the commit rule's least speedup, to judge when small wins are worth combining.
        templates: folders of further template files.
    """

    name = "rules"
    deterministic = True

    def __init__(self, seed: int = 0, eps: float = 0.002, templates: tuple[Path, ...] = ()) -> None:
        self.seed = seed
        self._templates = templates
        self._eps = eps
        self._pool: Pool | None = None
        self._round = 0
        self._gains: list[_Gain] = []
        self._asked: tuple[Proposal, Arm | None] | None = None
        self._combined_at = 0
        self._rest = AnnealDriver(seed, templates=templates)

    def ask(self, context: Context) -> Proposal | None:
        """The next proposal, always an edit of the best node."""
        node = context.best.id
        if self._pool is None or self._pool.node != node:
            self._move_to(context, node)
        combined = self._combination(context, node, final=False)
        if combined is not None:
            return self._propose(combined, None)
        while True:
            assert self._pool is not None
            drawn = self._pool.draw()
            if drawn is None:
                combined = self._combination(context, node, final=True)
                if combined is not None:
                    return self._propose(combined, None)
                self._round += 1
                if self._round >= ROUNDS:
                    rest = self._rest.ask(context)
                    return None if rest is None else self._propose(rest, None)
                self._pool = Pool(
                    context, node, default_rules(self.seed, self._round, self._templates)
                )
                continue
            idea, arm = drawn
            edits = idea.edits
            if context.tried(node, edits) or context.hopeless(node, edits):
                continue
            rationale = f"{idea.note} (window with {idea.share:.0%} of the time)"
            return self._propose(Proposal(node, edits, rationale, idea.rule), arm)

    def tell(self, attempt: Attempt) -> None:
        """Learn from an attempt: which arm pays, and which small wins to keep."""
        asked, self._asked = self._asked, None
        arm = asked[1] if asked is not None else None
        if attempt.proposal.rule == self._rest.name:
            self._rest.tell(attempt)
        gain = (attempt.speedup or 1.0) - 1.0
        if arm is not None and gain > 0:
            arm.gain += gain
        if attempt.accepted:
            kept: list[_Gain] = []
            for item in self._gains:
                moved = rebase(item.edits, attempt.proposal.edits)
                if moved is not None:
                    kept.append(_Gain(moved, item.speedup, item.rule))
            self._gains = kept
            self._combined_at = 0
            return
        small = attempt.status == "insufficient_speedup" and gain > _MEASURABLE
        if small and attempt.proposal.rule not in ("combination", self._rest.name):
            self._gains.append(_Gain(attempt.proposal.edits, 1.0 + gain, attempt.proposal.rule))

    def _propose(self, proposal: Proposal, arm: Arm | None) -> Proposal:
        self._asked = (proposal, arm)
        return proposal

    def _move_to(self, context: Context, node: str) -> None:
        self._round = 0
        self._pool = Pool(context, node, default_rules(self.seed, 0, self._templates))

    def _combination(self, context: Context, node: str, *, final: bool) -> Proposal | None:
        """Small wins that together promise to pass the commit rule.

        Tried when the promise reaches the rule with some reserve, or, at the end of a round, with
        whatever there is.
        """
        if len(self._gains) < 2 or (not final and len(self._gains) == self._combined_at):
            return None
        chosen: list[_Gain] = []
        edits: tuple[Edit, ...] = ()
        promise = 1.0
        for item in sorted(self._gains, key=lambda g: (-g.speedup, g.edits[0].first)):
            if compatible(edits, item.edits):
                chosen.append(item)
                edits += item.edits
                promise *= item.speedup
        needed = 1.0 + self._eps * (0.5 if final else 1.2)
        if len(chosen) < 2 or promise < needed:
            return None
        self._combined_at = len(self._gains)
        edits = tuple(sorted(edits, key=lambda e: e.first))
        if context.tried(node, edits) or context.hopeless(node, edits):
            return None
        rules = ", ".join(dict.fromkeys(g.rule for g in chosen))
        return Proposal(node, edits, f"{len(chosen)} small wins together ({rules})", "combination")
