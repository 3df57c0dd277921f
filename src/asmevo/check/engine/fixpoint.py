"""Forward fixed point over the chunk graph, for any state with a join."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Generic, TypeVar

from asmevo.check.engine.facts import ChunkContent
from asmevo.check.engine.view import View

S = TypeVar("S")
R = TypeVar("R")

_TABLE_LIMIT = 200_000


class StateTable(Generic[S]):
    """Numbers for states, so that equal states compare and hash as small integers."""

    def __init__(self, initial: S, join: Callable[[S, S], S]) -> None:
        self.states: list[S] = [initial]
        self._ids: dict[S, int] = {initial: 0}
        self._join = join
        self._joined: dict[tuple[int, int], int] = {}

    def number(self, state: S) -> int:
        """The number of a state."""
        found = self._ids.get(state)
        if found is None:
            found = self._ids[state] = len(self.states)
            self.states.append(state)
        return found

    def join(self, a: int, b: int) -> int:
        """The number of the join of two numbered states."""
        if a == b:
            return a
        found = self._joined.get((a, b))
        if found is None:
            found = self.number(self._join(self.states[a], self.states[b]))
            self._joined[a, b] = found
        return found

    @property
    def full(self) -> bool:
        """Whether the table has outgrown its bound and should be begun anew."""
        return len(self.states) > _TABLE_LIMIT


def forward(
    view: View,
    initial: S,
    transfer: Callable[[ChunkContent, S], R],
    exit_of: Callable[[R], S],
    join: Callable[[S, S], S],
) -> dict[int, R]:
    """The transfer function's result for every reachable chunk at the fixed point.

    `join` must be idempotent and commutative and can raise a state only finitely often; chunks
    are visited in reverse post order, so that code without loops is visited once.
    """
    states: dict[int, S] = dict.fromkeys(view.entries, initial)
    results: dict[int, R] = {}
    rank = {n: i for i, n in enumerate(view.order)}
    heap = sorted(rank[e] for e in states if e in rank)
    queued = set(heap)
    while heap:
        at = heapq.heappop(heap)
        queued.discard(at)
        number = view.order[at]
        chunk = view.chunks[number]
        result = results[number] = transfer(chunk.content, states[number])
        out = exit_of(result)
        for s in chunk.successors:
            if s not in states:
                states[s] = out
            else:
                old = states[s]
                new = join(old, out)
                if new is old or new == old:
                    continue
                states[s] = new
            if rank[s] not in queued:
                queued.add(rank[s])
                heapq.heappush(heap, rank[s])
    return results
