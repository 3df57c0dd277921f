"""Search backwards along paths for the instruction that a finding conflicts with."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass

from asmevo.check.engine.view import Chunk, View


@dataclass(frozen=True, slots=True)
class Source:
    """A producer found by searching backwards.

    Attributes:
        index: its instruction index.
        distance: instructions from producer to consumer, adjacent 1.
        path: first instructions of the basic blocks from producer to consumer, in order.
    """

    index: int
    distance: int
    path: tuple[int, ...]


Scan = Callable[[Chunk, int, int], tuple[int | None, int | None]]
"""(chunk, end, state) -> (position of the producer before `end` or None, state at the chunk's
start, or None where the path ends). The state is a small integer of the caller's."""

_STEPS = 20_000


def search(view: View, consumer: int, state: int, scan: Scan) -> Source | None:
    """The nearest producer on any path to `consumer`, by instructions; None when none is found.

    Several producers may stand on different paths; the search goes on until no shorter path can
    have one.
    """
    start = view.chunk_at(consumer)
    # (instructions walked, tie breaker, producer or -1, chunk, end, state, path)
    heap: list[tuple[int, int, int, int, int, int, tuple[int, ...]]] = [
        (0, 0, -1, start.number, consumer - start.first, state, (start.block,))
    ]
    seen: set[tuple[int, int]] = set()
    tie = steps = 0
    while heap and steps < _STEPS:
        walked, _, producer, number, end, here, path = heapq.heappop(heap)
        if producer >= 0:
            return Source(producer, walked, path[::-1])
        chunk = view.chunks[number]
        if end == chunk.last - chunk.first:
            if (number, here) in seen:
                continue
            seen.add((number, here))
        steps += end
        found, before = scan(chunk, end, here)
        if found is not None:
            tie += 1
            item = (walked + end - found, tie, chunk.first + found, number, 0, 0, path)
            heapq.heappush(heap, item)
            continue
        if before is None:
            continue
        for p in chunk.predecessors:
            other = view.chunks[p]
            tie += 1
            step = path if not chunk.leader else (*path, other.block)
            item = (walked + end, tie, -1, p, other.last - other.first, before, step)
            heapq.heappush(heap, item)
    return None
