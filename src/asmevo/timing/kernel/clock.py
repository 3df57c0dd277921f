"""The clock that goes round the units.

It takes the wave that can issue first, asks what delays its instruction, and lets the instruction's
unit issue it. Times are clocks (float64, whole issue slots at issue). The state is made outside
(`state.fresh`); nothing here allocates, and numba's reference counting is off, which would count
every array that a unit is handed at every instruction.

With a `state.Profile` every clock that a wave spends is charged to a reason as well; without one
(None) numba compiles a variant that has none of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from asmevo.timing.compiled import compiled
from asmevo.timing.kernel.delays import delay
from asmevo.timing.kernel.parts import (
    AT_BARRIER,
    BANKS,
    BARRIER,
    BRANCH,
    DELAY,
    END,
    FETCHES,
    ISSUED,
    LAST,
    LDS,
    LGKM_COUNT,
    NEVER,
    NOP,
    QUEUE,
    STRADDLES,
    VALU,
    VM_COUNT,
    WAIT,
    unit,
)  # fmt: skip
from asmevo.timing.kernel.units import issued
from asmevo.timing.state import RING

DEADLOCK = 1


@unit
def _stands(tree: Any, at: Any, priority: Any, w: int) -> None:
    """Set the way of wave w through the tournament `tree` after its time or priority changed.

    Of two waves goes on the one that can issue first; of several the one of higher priority, then
    the older. The leaf of wave v is at `len(tree) / 2 + v`, the winner of all at 1; -1 is nobody.
    """
    node = (tree.shape[0] // 2 + w) >> 1
    while node > 0:
        a, b = tree[2 * node], tree[2 * node + 1]
        if a < 0 or (b >= 0 and (at[b] < at[a] or (at[b] == at[a] and priority[b] > priority[a]))):
            a = b
        tree[node] = a
        node >>= 1


@unit
def _released(
    at: Any, wave_group: Any, ready_since: Any, position: Any, priority: Any, tree: Any, cost: Any,
    stream: Any, issue: Any, group: int, go: float,
) -> None:  # fmt: skip
    """Let all waves of a workgroup go on that wait at its barrier."""
    for v in range(at.shape[0]):
        if wave_group[v] == group and at[v] >= NEVER and ready_since[v] < 0.0:
            at[v] = go
            place = position[v] - 1
            cost[stream[place]] += go
            if issue.shape[0] > 0:
                issue[place] = go
            ready_since[v] = go
            _stands(tree, at, priority, v)


@unit
def _begins(
    at: Any, position: Any, start: Any, wave_begin: Any, wave_end: Any, wave_group: Any, alive: Any,
    w: int,
) -> int:  # fmt: skip
    """1 for a wave that has something to do, else 0."""
    wave_end[w] = wave_begin[w]
    if position[w] >= start[w + 1]:
        at[w] = NEVER
        return 0
    alive[wave_group[w]] += 1
    return 1


@unit
def _goes_on(
    at: Any, ready_since: Any, cost: Any, arrived: Any,
    w: int, i: int, group: int, t: float, after: float, waits: bool,
) -> None:  # fmt: skip
    """Charge the instruction, and set when the wave tries again: never while at a barrier."""
    if waits:
        arrived[group] += 1
        at[w] = NEVER
        cost[i] -= ready_since[w]
        ready_since[w] = -1.0 - t
    else:
        cost[i] += after - ready_since[w]
        at[w] = after
        ready_since[w] = after


# --- reasons -----------------------------------------------------------------------------------
@unit
def _charge_delay(profile: Any, lds_free: Any, k: int, i: int, why: int, clocks: float) -> None:
    """Charge the clocks before an issue; a full LDS queue is due to bank conflicts as far as they
    have put the LDS behind."""
    stalls, ideal, _lag = profile
    if k == LDS and why == QUEUE:
        behind = min(clocks, max(0.0, lds_free[0] - ideal[0]))
        stalls[i, BANKS] += behind
        clocks -= behind
    stalls[i, why] += clocks


@unit
def _charge_issue(
    profile: Any, c: Any, code: Any, waves: Any, k: int, w: int, i: int, t: float, after: float,
) -> None:  # fmt: skip
    """Charge the clocks from an issue to when the wave may go on."""
    stalls, _ideal, lag = profile
    wait_vm, wait_lgkm = code[6], code[7]
    vm_done, vm_count, lg_done, lg_count = waves[10], waves[11], waves[12], waves[13]
    rest = max(0.0, after - t - c.slot)
    stalls[i, ISSUED] += after - t - rest
    if k == WAIT:
        memory, other = 0.0, 0.0
        if wait_vm[i] >= 0 and vm_count[w] > wait_vm[i]:
            memory = vm_done[w, (vm_count[w] - 1 - wait_vm[i]) % RING]
        if wait_lgkm[i] >= 0 and lg_count[w] > wait_lgkm[i]:
            other = lg_done[w, (lg_count[w] - 1 - wait_lgkm[i]) % RING]
        if memory >= other:
            stalls[i, VM_COUNT] += rest
        else:
            late = min(rest, lag[w, (lg_count[w] - 1 - wait_lgkm[i]) % RING])
            stalls[i, BANKS] += late
            stalls[i, LGKM_COUNT] += rest - late
    elif k == DELAY:
        stalls[i, NOP] += rest
    elif k == BRANCH or (k == VALU and code[1][i] & STRADDLES):
        stalls[i, FETCHES] += rest
    else:
        stalls[i, ISSUED] += rest


@unit
def _note_conflict(
    profile: Any, c: Any, lane_bytes: Any, lds_free: Any, accesses: Any, lg_count: Any, w: int,
    i: int, a: int, t: float,
) -> None:  # fmt: skip
    """How far bank conflicts put the LDS behind an equal one without any."""
    _stalls, ideal, lag = profile
    least = 64.0 * lane_bytes[i] / c.lds_bytes_per_clk
    if a >= 0:
        least = min(least, accesses[0][a])
    ideal[0] = min(max(t, ideal[0]) + least, lds_free[0])
    lag[w, (lg_count[w] - 1) % RING] = lds_free[0] - ideal[0]


@unit
def _charge_barrier(
    profile: Any, at: Any, wave_group: Any, ready_since: Any, position: Any, stream: Any,
    group: int, go: float,
) -> None:  # fmt: skip
    """Charge the waves that a barrier lets go with their time at it."""
    for v in range(at.shape[0]):
        if wave_group[v] == group and at[v] >= NEVER and ready_since[v] < 0.0:
            profile[0][stream[position[v] - 1], AT_BARRIER] += go + 1.0 + ready_since[v]


# --- the clock -------------------------------------------------------------------------------
def _run(
    c: Any, code: Any, streams: Any, accesses: Any, cold: bool, record: Any, profile: Any,
    waves: Any, ports: Any, lds: Any, vmem: Any, caches: Any, groups: Any,
) -> int:  # fmt: skip
    """Numba kernel; see `simulate`. Returns 0, or 1 when waves wait at a barrier for ever."""
    kind, lane_bytes = code[0], code[2]
    stream, access, start, wave_simd, wave_group, wave_begin = streams
    cost, count, wave_end, issue, done = record
    at, ready_since, position, priority = waves[0], waves[1], waves[2], waves[3]
    alive, arrived, tree = groups
    left = 0
    for w in range(at.shape[0]):
        left += _begins(at, position, start, wave_begin, wave_end, wave_group, alive, w)
        tree[tree.shape[0] // 2 + w] = w
        _stands(tree, at, priority, w)
    while left > 0:
        w = tree[1]
        t = at[w]
        if t >= NEVER:
            return DEADLOCK
        p, simd = position[w], wave_simd[w]
        i = stream[p]
        k = kind[i]
        e, why = delay(c, code, waves, ports, lds, vmem, caches, cold, k, w, simd, i, t)
        if e > t:
            at[w] = np.ceil(e / c.slot) * c.slot
            if profile is not None:
                _charge_delay(profile, lds[4], k, i, why, at[w] - t)
            _stands(tree, at, priority, w)
            continue
        after = issued(
            c, code, streams, accesses, waves, ports, lds, vmem, caches, cold, k, w, simd, i, p, t,
        )  # fmt: skip
        if issue.shape[0] > 0:
            issue[p] = after if k in (WAIT, DELAY) else t
        count[i] += 1
        position[w] = p + 1
        ended = k == END or position[w] >= start[w + 1]
        group = wave_group[w]
        waits = k == BARRIER and not ended
        if profile is not None:
            if k == LDS:
                _note_conflict(
                    profile, c, lane_bytes, lds[4], accesses, waves[13], w, i, access[p], t
                )
            if not waits:
                _charge_issue(profile, c, code, waves, k, w, i, t, after)
        _goes_on(at, ready_since, cost, arrived, w, i, group, t, after, waits)
        if ended:
            left, wave_end[w], at[w] = left - 1, after, NEVER
            alive[group] -= 1
        _stands(tree, at, priority, w)
        if (k == BARRIER or ended) and alive[group] > 0 and arrived[group] == alive[group]:
            arrived[group] = 0
            opened = t + c.barrier_release
            if profile is not None:
                _charge_barrier(
                    profile, at, wave_group, ready_since, position, stream, group, opened
                )
            _released(
                at, wave_group, ready_since, position, priority, tree, cost, stream, issue, group,
                opened,
            )  # fmt: skip
    done[0] = vmem[7][LAST]
    return 0


run = compiled(_run)
