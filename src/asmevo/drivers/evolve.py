"""The driver `evolve`: a small steady-state evolutionary search over sets of edits.

Individuals are sets of disjoint edits of the best node. Parents are chosen by tournament among
individuals that passed every correctness gate (a failed one is never a parent); a child joins
the compatible edits of two parents and then adds, drops or replaces one.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random

from asmevo.drivers.combine import Group, compatible, joined, rebase
from asmevo.drivers.pool import Idea, Pool, default_rules
from asmevo.search.driver import Context
from asmevo.search.types import Attempt, Proposal
from asmevo.wording import counted

_TRIES = 200
_LARGEST = 8


@dataclass(frozen=True, slots=True)
class _Individual:
    groups: tuple[Group, ...]
    speedup: float


class EvolveDriver:
    """See the module.

    Args:
        seed: of all choices.
        population: individuals kept.
        tournament: individuals that compete for parenthood.
    """

    name = "evolve"
    deterministic = True

    def __init__(
        self,
        seed: int = 0,
        population: int = 16,
        tournament: int = 3,
        templates: tuple[Path, ...] = (),
    ) -> None:
        self.seed = seed
        self._templates = templates
        self._rng = Random(seed)
        self._size = population
        self._tournament = tournament
        self._node = ""
        self._ideas: list[Idea] = []
        self._population: list[_Individual] = []
        self._asked: tuple[Group, ...] = ()

    def ask(self, context: Context) -> Proposal | None:
        """A child of the population; None when no untried one was found."""
        node = context.best.id
        if node != self._node:
            self._node = node
            self._ideas = Pool(
                context, node, default_rules(self.seed, 0, self._templates)
            ).everything()
        if not self._ideas:
            return None
        groups: tuple[Group, ...] = ()
        for _ in range(_TRIES):
            # A child that was tried already gets one more edit.
            groups = self._with_another(groups) if 0 < len(groups) < _LARGEST else self._child()
            edits = joined(groups)
            if edits and not context.tried(node, edits) and not context.hopeless(node, edits):
                self._asked = groups
                return Proposal(node, edits, f"child with {counted(len(edits), 'edit')}", "evolve")
        return None

    def tell(self, attempt: Attempt) -> None:
        """Let correct individuals in; after acceptance carry the rest over to the new node."""
        if attempt.accepted:
            survivors: list[_Individual] = []
            for item in self._population:
                moved = [rebase(g, attempt.proposal.edits) for g in item.groups]
                kept = tuple(g for g in moved if g is not None)
                if kept:
                    survivors.append(_Individual(kept, item.speedup))
            self._population = survivors
        elif attempt.speedup is not None:
            self._population.append(_Individual(self._asked, attempt.speedup))
            self._population.sort(key=lambda i: -i.speedup)
            del self._population[self._size :]

    def _select(self) -> tuple[Group, ...]:
        entrants = [self._rng.choice(self._population) for _ in range(self._tournament)]
        return max(entrants, key=lambda i: i.speedup).groups

    def _child(self) -> tuple[Group, ...]:
        groups: list[Group] = []
        if self._population and self._rng.random() < 0.8:
            groups = list(self._select())
            if self._rng.random() < 0.6:
                for group in self._select():
                    if all(compatible(group, g) for g in groups):
                        groups.append(group)
        if groups and self._rng.random() < 0.2:
            groups.pop(self._rng.randrange(len(groups)))
        if not groups or self._rng.random() < 0.7:
            return self._with_another(tuple(groups))
        return tuple(groups)

    def _with_another(self, groups: tuple[Group, ...]) -> tuple[Group, ...]:
        group = self._rng.choice(self._ideas).edits
        return (*(g for g in groups if compatible(group, g)), group)
