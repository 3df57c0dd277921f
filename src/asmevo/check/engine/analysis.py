"""One engine for every analysis that walks chunks of code along all paths.

An analysis says what a state is, how two of them join, and what a chunk's instructions do to one;
the engine numbers the states, remembers each chunk's result by its content and entry state, and
finds the fixed point over a view. So a re-check after an edit walks only the chunks that changed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from asmevo.check.engine.facts import ChunkContent, Library
from asmevo.check.engine.fixpoint import StateTable, forward
from asmevo.check.engine.view import View

S = TypeVar("S")
R = TypeVar("R")

_MEMO_LIMIT = 400_000  # remembered chunk results of one engine


class Analysis(ABC, Generic[S, R]):
    """What a state is and how instructions change it. Instances hold tables, no results.

    States must be hashable, equal states equal; `join` must be idempotent and commutative and can
    raise a state only finitely often. `R` is a finding inside a chunk, by relative position.
    """

    def __init__(self, library: Library) -> None:
        self.library = library

    @property
    @abstractmethod
    def initial(self) -> S:
        """The state where execution begins: nothing pending, nothing in reach."""

    @abstractmethod
    def join(self, a: S, b: S) -> S:
        """The state where two paths meet; `a` itself when `b` adds nothing."""

    @abstractmethod
    def walk(self, content: ChunkContent, entry: S) -> tuple[S, tuple[R, ...]]:
        """The state behind a chunk that is entered with `entry`, and the findings in it."""


@dataclass(frozen=True, slots=True)
class ChunkResult(Generic[R]):
    """Number of the exit state, and findings, of one chunk for one entry state."""

    exit: int
    raws: tuple[R, ...]


class Engine(Generic[S, R]):
    """Runs one analysis of one target; state 0 is the initial one."""

    def __init__(self, analysis: Analysis[S, R]) -> None:
        self.analysis = analysis
        self.states: StateTable[S] = StateTable(analysis.initial, analysis.join)
        self._memo: dict[tuple[ChunkContent, int], ChunkResult[R]] = {}

    @property
    def full(self) -> bool:
        """Whether its tables have outgrown their bound."""
        return self.states.full or len(self._memo) > _MEMO_LIMIT

    def run(self, content: ChunkContent, entry: int) -> ChunkResult[R]:
        """Result of a chunk for the entry state with that number."""
        found = self._memo.get((content, entry))
        if found is None:
            state, raws = self.analysis.walk(content, self.states.states[entry])
            found = self._memo[content, entry] = ChunkResult(self.states.number(state), raws)
        return found

    def solve(self, view: View) -> dict[int, ChunkResult[R]]:
        """Result of every reachable chunk of a function at the fixed point."""
        return forward(view, 0, self.run, lambda result: result.exit, self.states.join)


def engine_of(library: Library, kind: type[Analysis[S, R]]) -> Engine[S, R]:
    """The library's engine of an analysis; a new one when its tables have outgrown their bound."""
    found = cast("Engine[S, R] | None", library.engines.get(kind.__name__))
    if found is None or found.full:
        found = Engine(kind(library))
        library.engines[kind.__name__] = found
    return found
