"""The driver `random`: the baseline that every other driver must beat at equal budget."""

from __future__ import annotations

from pathlib import Path
from random import Random

from asmevo.drivers.pool import Idea, Pool, default_rules
from asmevo.search.driver import Context
from asmevo.search.types import Attempt, Proposal


class RandomDriver:
    """Proposes uniformly chosen edits of the best node.

    Args:
        seed: of all choices.
    """

    name = "random"
    deterministic = True

    def __init__(self, seed: int = 0, templates: tuple[Path, ...] = ()) -> None:
        self.seed = seed
        self._templates = templates
        self._rng = Random(seed)
        self._node = ""
        self._ideas: list[Idea] = []
        self._round = 0

    def ask(self, context: Context) -> Proposal | None:
        """A random untried edit of the best node; None when there is none left."""
        node = context.best.id
        if node != self._node:
            self._node, self._round = node, 0
            self._fill(context)
        while True:
            while self._ideas:
                idea = self._ideas.pop(self._rng.randrange(len(self._ideas)))
                edits = idea.edits
                if not context.tried(node, edits) and not context.hopeless(node, edits):
                    return Proposal(node, edits, idea.note, idea.rule)
            self._round += 1
            if self._round > 3:
                return None
            self._fill(context)

    def tell(self, attempt: Attempt) -> None:
        """Nothing is learnt."""

    def _fill(self, context: Context) -> None:
        rules = default_rules(self.seed, self._round, self._templates)
        self._ideas = Pool(context, self._node, rules).everything()
