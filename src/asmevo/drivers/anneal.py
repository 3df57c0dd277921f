"""The driver `anneal`: simulated annealing over sets of edits of one parent.

The state is a set of disjoint edits. A move adds, drops or replaces one. A correct candidate is
taken when it is faster, or with probability exp(-slowdown / temperature) when it is not, so that
edits which pay only together can meet. Accepted sets become the new parent.
"""

from __future__ import annotations

import math
from pathlib import Path
from random import Random

from asmevo.drivers.combine import Group, compatible, joined
from asmevo.drivers.pool import Idea, Pool, default_rules
from asmevo.search.driver import Context
from asmevo.search.types import Attempt, Proposal
from asmevo.wording import counted

_TRIES = 200
_LARGEST = 8


class AnnealDriver:
    """See the module.

    Args:
        seed: of all choices.
        start: temperature at the first attempt, as a relative slowdown.
        cooling: factor per attempt.
    """

    name = "anneal"
    deterministic = True

    def __init__(
        self,
        seed: int = 0,
        start: float = 0.01,
        cooling: float = 0.98,
        templates: tuple[Path, ...] = (),
    ) -> None:
        self.seed = seed
        self._templates = templates
        self._rng = Random(seed)
        self._temperature = start
        self._cooling = cooling
        self._node = ""
        self._ideas: list[Idea] = []
        self._state: tuple[Group, ...] = ()
        self._value = 1.0
        self._asked: tuple[Group, ...] = ()

    def ask(self, context: Context) -> Proposal | None:
        """A neighbour of the present state; None when no untried one was found."""
        node = context.best.id
        if node != self._node:
            self._node = node
            self._state, self._value = (), 1.0
            self._ideas = Pool(
                context, node, default_rules(self.seed, 0, self._templates)
            ).everything()
        if not self._ideas:
            return None
        start = self._state
        for _ in range(_TRIES):
            groups = self._neighbour(start)
            edits = joined(groups)
            if not edits or context.hopeless(node, edits):
                continue
            if context.tried(node, edits):
                start = groups if len(groups) < _LARGEST else self._state  # look further away
                continue
            self._asked = groups
            return Proposal(node, edits, f"annealing with {counted(len(edits), 'edit')}", "anneal")
        return None

    def tell(self, attempt: Attempt) -> None:
        """Take the step or not, and cool down."""
        self._temperature *= self._cooling
        value = attempt.speedup
        if value is None or attempt.accepted:
            return
        worse = self._value - value
        if worse <= 0 or self._rng.random() < math.exp(-worse / max(self._temperature, 1e-9)):
            self._state, self._value = self._asked, value

    def _neighbour(self, start: tuple[Group, ...]) -> tuple[Group, ...]:
        state = list(start)
        kind = self._rng.random()
        if state and kind < 0.35:
            state.pop(self._rng.randrange(len(state)))
            if kind < 0.15:
                return tuple(state)
        group = self._rng.choice(self._ideas).edits
        return (*(g for g in state if compatible(group, g)), group)
