"""From workgroups to the whole device: who shares a compute unit, and when the last one ends.

The dispatcher gives workgroups in their order to whichever unit has room first (CDNA3 ISA 2.1;
the round over XCDs keeps neighbours apart, so a unit's residents are a mixture of all kinds).
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_F64 = NDArray[np.float64]
_I64 = NDArray[np.int64]
_MOST_DISPATCHED = 1 << 18
"""Workgroups that are dispatched one by one; more are bounded from their sum."""


def mixture(population: _I64, residents: int) -> list[int]:
    """Kinds of `residents` workgroups that share a unit: each in proportion, in turn.

    Args:
        population: workgroups of each kind in the launch, int64 [kinds].
    """
    share = population * residents / population.sum()
    seats = np.floor(share).astype(np.int64)
    rest = np.argsort(-(share - seats), kind="stable")
    seats[rest[: residents - int(seats.sum())]] += 1
    order: list[int] = []
    while len(order) < residents:
        for kind in np.flatnonzero(seats).tolist():
            order.append(int(kind))
            seats[kind] -= 1
    return order


def makespan(durations: _F64, slots: int) -> float:
    """Clocks until all workgroups are done, dispatched in order to the slot that is free first.

    Args:
        durations: clocks of each workgroup, in dispatch order.
        slots: workgroups that run at once.
    """
    count = int(durations.shape[0])
    longest = float(durations.max())
    if count <= slots:
        return longest
    if longest == float(durations.min()):
        return -(-count // slots) * longest
    if count > _MOST_DISPATCHED:
        return max(float(durations.sum()) / slots + longest * (1 - 1 / slots), longest)
    free = [0.0] * slots
    end = 0.0
    for clocks in durations.tolist():
        done = heapq.heappop(free) + clocks
        end = max(end, done)
        heapq.heappush(free, done)
    return end


def spread(count: int, wanted: int) -> list[int]:
    """`wanted` of `count` places, evenly over all of them."""
    wanted = min(count, wanted)
    return [(2 * k + 1) * count // (2 * wanted) for k in range(wanted)]


def kinds_of(paths: NDArray[np.uint64], most: int) -> NDArray[np.int32]:
    """Kind of each workgroup, int32 [workgroups]: workgroups of one kind execute the same.

    With more than `most` different ones, neighbours in the number of executed instructions are
    put together, so that each kind holds about as much work.

    Args:
        paths: instructions and path hash of each workgroup, uint64 [workgroups, 2].
    """
    _, kind = np.unique(paths, axis=0, return_inverse=True)
    kind = kind.reshape(-1)
    if int(kind.max()) < most:
        return kind.astype(np.int32)
    executed = paths[:, 0].astype(np.float64)
    order = np.argsort(executed, kind="stable")
    work = np.cumsum(executed[order])
    out = np.empty(len(executed), np.int32)
    out[order] = np.minimum(most - 1, (work - executed[order] / 2) / work[-1] * most).astype(
        np.int32
    )
    return np.unique(out, return_inverse=True)[1].reshape(-1).astype(np.int32)


def representatives(
    paths: NDArray[np.uint64], kind: NDArray[np.int32], most: int
) -> tuple[list[int], NDArray[np.int32]]:
    """(workgroups to look at closely, for each workgroup the place in that list of its own).

    Every kind has at least one; the others go to the larger ones, evenly over the launch, because
    workgroups that execute the same may touch memory differently. Within a kind whose members
    differ, each is stood for by one that does at least as much: the one that does most is looked
    at, however rare it is.
    """
    kinds = int(kind.max()) + 1
    members = [np.flatnonzero(kind == k) for k in range(kinds)]
    seats = np.ones(kinds, np.int64)
    while int(seats.sum()) < min(most, len(kind)):
        pairs = zip(members, seats, strict=True)
        crowd = np.array([len(m) / s if s < len(m) else 0.0 for m, s in pairs])
        if crowd.max() <= 0.0:
            break
        seats[int(crowd.argmax())] += 1
    chosen: list[int] = []
    place = np.zeros(len(kind), np.int32)
    for mine, wanted in zip(members, seats.tolist(), strict=True):
        executed, first = paths[mine, 0], len(chosen)
        if executed.min() == executed.max():
            chosen += [int(mine[n]) for n in spread(len(mine), wanted)]
            place[mine] = first + np.arange(len(mine)) * (len(chosen) - first) // len(mine)
            continue
        order = np.argsort(executed, kind="stable")
        last = [(k + 1) * len(mine) // wanted - 1 for k in range(min(wanted, len(mine)))]
        chosen += [int(mine[order[n]]) for n in last]
        place[mine[order]] = first + np.searchsorted(last, np.arange(len(mine)))
    return chosen, place


def weights(place: NDArray[np.int32], kinds: int) -> _I64:
    """Workgroups that each representative stands for, int64 [kinds]."""
    return np.bincount(place, minlength=kinds).astype(np.int64)


def in_turn(groups: Sequence[object], workgroups: int) -> NDArray[np.int32]:
    """Representatives of a launch of which no more is known: each in its turn."""
    return (np.arange(workgroups) % len(groups)).astype(np.int32)
