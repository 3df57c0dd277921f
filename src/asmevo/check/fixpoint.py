"""Forward fixed point over the chunk graph, for any state with a join."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import TypeVar

from asmevo.check.view import ChunkContent, View

S = TypeVar("S")


def forward(
    view: View,
    initial: S,
    transfer: Callable[[ChunkContent, S], S],
    join: Callable[[S, S], S],
) -> dict[int, S]:
    """Entry state of every reachable chunk.

    `join` must be idempotent and commutative and can raise a state only finitely often; chunks
    are visited in reverse post order, so that code without loops is visited once.
    """
    states: dict[int, S] = dict.fromkeys(view.entries, initial)
    rank = {n: i for i, n in enumerate(view.order)}
    heap = sorted(rank[e] for e in states if e in rank)
    queued = set(heap)
    while heap:
        at = heapq.heappop(heap)
        queued.discard(at)
        number = view.order[at]
        chunk = view.chunks[number]
        out = transfer(chunk.content, states[number])
        for s in chunk.successors:
            if s not in states:
                states[s] = out
            else:
                new = join(states[s], out)
                if new == states[s]:
                    continue
                states[s] = new
            if rank[s] not in queued:
                queued.add(rank[s])
                heapq.heappush(heap, rank[s])
    return states
