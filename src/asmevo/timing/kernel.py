"""The numba kernel of the compute unit simulation; `asmevo.timing.simulate` drives it.

One unit of the machine, one function: instruction fetch, the ports of scalar, vector and matrix
instructions, the vector memory path, the LDS, the scalar cache, branches, waits, barriers. `_run`
is the clock that goes round them: it takes the wave that can issue first, asks what delays its
instruction, and lets the instruction's unit issue it. Times are clocks (float64,
whole issue slots at issue).

All of it is in this one file, because numba's cache is keyed by the file of the outermost function.
The state is made outside (`state.fresh`); nothing here allocates, and numba's reference counting
is off, which would count every array that a unit is handed at every instruction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import numba
import numpy as np

from asmevo.timing.compiled import compiled
from asmevo.timing.state import FLIGHT, RING

DEADLOCK = 1
_njit: Any = cast(Any, numba).njit
_NEVER = 1.0e300
# Kinds of instructions (`static.Kind`) and flags (`static`) as plain numbers for numba.
_SALU, _SMEM, _VALU, _TRANS, _MFMA, _VMEM, _LDS = range(7)
_BRANCH, _WAIT, _DELAY, _BARRIER, _END = range(7, 12)
_STORE, _BUFFER, _SCRATCH, _PACKED, _SWAP, _LGKM, _NO_VMCNT, _SCALED, _STRADDLES = (
    1 << n for n in range(9)
)
# Places in `state.Vmem.clock`.
_ENTERED, _RETURNED, _SHARED, _INFLIGHT, _LAST, _WRITTEN = range(6)


class Clocks(NamedTuple):
    """Constants of the machine table (`machine.ROWS`), as float64."""

    slot: Any
    trans_issue: Any
    permlane_swap_issue: Any
    lds_read_bytes_per_clk: Any
    lds_write_issue: Any
    lds_write_per_dword: Any
    branch_taken: Any
    branch_not_taken: Any
    barrier_release: Any
    sleep_unit: Any
    valu_to_memory: Any
    trans_to_memory: Any
    valu_to_salu: Any
    salu_to_vmem: Any
    salu_to_branch: Any
    mfma_result: Any
    mfma_scale_idle: Any
    mfma_scale_issue: Any
    lds_bytes_per_clk: Any
    lds_latency: Any
    lds_write_latency: Any
    lds_queue: Any
    ta_clocks: Any
    ta_bytes_per_clk: Any
    vmem_queue: Any
    vmem_inflight: Any
    vmem_latency: Any
    level_l1: Any
    level_l2: Any
    fresh_latency: Any
    fresh_bytes_per_clk: Any
    store_bytes_per_clk: Any
    vmem_bytes_per_clk: Any
    vmem_cold: Any
    store_latency: Any
    scratch_latency: Any
    smem_latency: Any
    smem_miss: Any
    smem_cold: Any
    fetch_cold_line: Any
    branch_straddle: Any
    smem_line: Any


_F = TypeVar("_F", bound=Callable[..., Any])


def _unit(function: _F) -> _F:
    return cast(_F, _njit(_nrt=False, inline="always")(function))


# --- what delays an instruction --------------------------------------------------------------
@_unit
def _fetched(line: Any, wave_line: Any, line_ready: Any, c: Any, w: int, i: int, t: float) -> float:
    """When the instruction's line is there; the first touch of each line is cold."""
    if line[i] == wave_line[w]:
        return t
    g = line[i]
    if line_ready[g] < 0.0:
        line_ready[g] = t + c.fetch_cold_line
    wave_line[w] = g
    return max(t, line_ready[g])


@_unit
def _operands_and_port(
    k: int, flags: Any, src_start: Any, src: Any, pending: Any, scalar_free: Any,
    vector_free: Any, packed_free: Any, matrix_free: Any, to_branch: Any,
    w: int, simd: int, i: int, t: float,
) -> float:  # fmt: skip
    e = t
    for s in range(src_start[i], src_start[i + 1]):
        e = max(e, pending[w, src[s]])
    if k == _SALU:
        e = max(e, scalar_free[simd])
    elif k in (_VALU, _TRANS):
        e = max(e, vector_free[simd])
        if flags[i] & _PACKED:
            e = max(e, packed_free[simd])
    elif k == _MFMA:
        e = max(e, max(vector_free[simd], matrix_free[simd]))
    elif k == _BRANCH:
        e = max(e, to_branch[w])
    return e


@_unit
def _vmem_accepts(
    vm_port: Any, to_memory: Any, flags: Any, to_buffer: Any, vm_issued: Any, vm_started: Any,
    vm_count: Any, vm_done: Any, c: Any, w: int, simd: int, i: int,
) -> float:  # fmt: skip
    e = max(vm_port[simd], to_memory[w])
    if flags[i] & _BUFFER:
        e = max(e, to_buffer[w])
    queue = np.int64(max(c.vmem_queue, 1.0))
    if vm_issued[simd] >= queue:
        e = max(e, vm_started[simd, (vm_issued[simd] - queue) % RING])
    if vm_count[w] >= 63:
        e = max(e, vm_done[w, (vm_count[w] - 63) % RING])
    return e


@_unit
def _lds_accepts(
    lds_port: Any, to_memory: Any, lds_issued: Any, lds_started: Any, flags: Any, lds_data: Any, c:
    Any, w: int, simd: int, i: int,
) -> float:  # fmt: skip
    e = max(lds_port[simd], to_memory[w])
    entries = np.int64(max(c.lds_queue, 1.0))
    if lds_issued[simd] >= entries:
        e = max(e, lds_started[simd, (lds_issued[simd] - entries) % RING])
    if flags[i] & _STORE:
        e = max(e, lds_data[simd >> 1])
    return e


# --- the units: each issues at t and returns when the wave may go on ---------------------------
@_unit
def _scalar(
    scalar_free: Any, to_buffer: Any, to_branch: Any, c: Any, w: int, simd: int, t: float,
) -> float:  # fmt: skip
    scalar_free[simd] = t + c.slot
    to_buffer[w] = t + c.salu_to_vmem
    to_branch[w] = t + c.salu_to_branch
    return t + c.slot


@_unit
def _vector(
    flags: Any, vector_free: Any, to_memory: Any, dst_start: Any, pending: Any, dst: Any, c: Any, w:
    int, simd: int, i: int, t: float,
) -> float:  # fmt: skip
    d = c.permlane_swap_issue if flags[i] & _SWAP else c.slot
    vector_free[simd] = t + d
    to_memory[w] = max(to_memory[w], t + c.valu_to_memory)
    for s in range(dst_start[i], dst_start[i + 1]):
        pending[w, dst[s]] = t + c.valu_to_salu
    # The second half of an instruction across two fetch windows comes a slot later.
    return t + d + (c.slot if flags[i] & _STRADDLES else 0.0)


@_unit
def _transcendental(vector_free: Any, to_memory: Any, c: Any, w: int, simd: int, t: float) -> float:
    vector_free[simd] = t + c.trans_issue
    to_memory[w] = max(to_memory[w], t + c.trans_to_memory)
    return t + c.trans_issue


@_unit
def _matrix(
    passes: Any, flags: Any, matrix_free: Any, vector_free: Any, coexec: Any, packed_free: Any,
    to_memory: Any, dst_start: Any, pending: Any, dst: Any, c: Any, w: int, simd: int, i: int, t:
    float,
) -> float:  # fmt: skip
    after = t + c.slot
    clocks = 4.0 * passes[i]
    if flags[i] & _SCALED:
        after = t + c.mfma_scale_issue
        if matrix_free[simd] < t:
            clocks += c.mfma_scale_idle
    matrix_free[simd] = t + clocks
    vector_free[simd] = t + c.slot * coexec[i]
    packed_free[simd] = t + 4.0 * (passes[i] + 2)
    to_memory[w] = max(to_memory[w], t + c.slot * coexec[i])
    for s in range(dst_start[i], dst_start[i + 1]):
        pending[w, dst[s]] = t + 4.0 * passes[i] + c.mfma_result
    return after


@_unit
def _admitted(
    flight: Any, flight_done: Any, vm_clock: Any, flight_bytes: Any, c: Any, size: float, begin:
    float,
) -> float:  # fmt: skip
    """When bytes in flight leave room for `size` more."""
    while flight[0] < flight[1] and flight_done[flight[0] % FLIGHT] <= begin:
        vm_clock[_INFLIGHT] -= flight_bytes[flight[0] % FLIGHT]
        flight[0] += 1
    while flight[0] < flight[1] and vm_clock[_INFLIGHT] + size > c.vmem_inflight:
        begin = max(begin, flight_done[flight[0] % FLIGHT])
        vm_clock[_INFLIGHT] -= flight_bytes[flight[0] % FLIGHT]
        flight[0] += 1
    return begin


@_unit
def _vector_memory(
    vm_port: Any, flags: Any, lane_bytes: Any, vm_address: Any, vm_clock: Any, memory_latency: Any,
    touched: Any, vm_started: Any, vm_issued: Any, flight: Any, flight_done: Any, flight_bytes: Any,
    vm_done: Any, vm_count: Any, lg_done: Any, lg_count: Any, accesses: Any, c: Any, cold: bool,
    w: int, simd: int, i: int, a: int, t: float,
) -> float:  # fmt: skip
    """Address unit, bytes in flight in order, latency, this unit's share of the bandwidth.

    `a` is the row of `accesses` that says what this execution touches, or -1.
    """
    vm_port[simd] = t + c.slot
    if flags[i] & _NO_VMCNT:
        return t + c.slot
    size = 64.0 * lane_bytes[i]
    port = size / c.ta_bytes_per_clk
    moved = size
    if a >= 0:
        port = accesses[0][a]
        size = port * c.ta_bytes_per_clk
        moved = accesses[1][a]
    begin = max(t, vm_address[simd])
    vm_address[simd] = begin + max(c.ta_clocks, port)
    begin = _admitted(
        flight, flight_done, vm_clock, flight_bytes, c, size, max(begin, vm_clock[_ENTERED]),
    )  # fmt: skip
    vm_clock[_ENTERED] = begin
    vm_address[simd] = max(vm_address[simd], begin)
    latency = c.vmem_latency
    rate = c.vmem_bytes_per_clk
    if flags[i] & _SCRATCH:
        latency = c.scratch_latency
        rate = 0.0
    elif flags[i] & _STORE:
        latency = c.store_latency
        if a >= 0:
            latency += accesses[3][a]
    elif a >= 0:
        latency = c.level_l1
        if accesses[2][a] > 0.0:
            latency = c.fresh_latency
        elif moved > 0.0:
            latency = c.level_l2
        latency += accesses[3][a]
    elif memory_latency[i] >= 0.0:
        latency = memory_latency[i]
    elif cold and not touched[w, i]:
        latency += c.vmem_cold
    touched[w, i] = 1
    if rate > 0.0:
        busy = moved / rate
        if a >= 0:
            busy = max(busy, accesses[2][a] / c.fresh_bytes_per_clk)
        vm_clock[_SHARED] = max(vm_clock[_SHARED], begin) + busy
        latency += vm_clock[_SHARED] - begin
    if a >= 0 and flags[i] & _STORE:
        vm_clock[_WRITTEN] = max(vm_clock[_WRITTEN], begin) + moved / c.store_bytes_per_clk
        latency = max(latency, vm_clock[_WRITTEN] - begin)
    done = max(begin + latency, vm_clock[_RETURNED] + port)
    vm_clock[_RETURNED] = done
    vm_started[simd, vm_issued[simd] % RING] = begin
    vm_issued[simd] += 1
    if flight[1] - flight[0] < FLIGHT:
        flight_done[flight[1] % FLIGHT] = done
        flight_bytes[flight[1] % FLIGHT] = size
        flight[1] += 1
        vm_clock[_INFLIGHT] += size
    vm_done[w, vm_count[w] % RING] = done
    vm_count[w] += 1
    if flags[i] & _STORE:
        vm_clock[_LAST] = max(vm_clock[_LAST], done)
    if flags[i] & _LGKM:
        lg_done[w, lg_count[w] % RING] = done
        lg_count[w] += 1
    return t + c.slot


@_unit
def _counts_lgkm(lg_count: Any, lg_done: Any, w: int, done: float) -> None:
    """lgkmcnt goes down in order: no operation is done before the one in front of it."""
    if lg_count[w] > 0:
        done = max(done, lg_done[w, (lg_count[w] - 1) % RING])
    lg_done[w, lg_count[w] % RING] = done
    lg_count[w] += 1


@_unit
def _local(
    lane_bytes: Any, flags: Any, lds_port: Any, lds_data: Any, lds_free: Any, lds_started: Any,
    lds_issued: Any, lg_count: Any, lg_done: Any, accesses: Any, c: Any, w: int, simd: int, i: int,
    a: int, t: float,
) -> float:  # fmt: skip
    service = 64.0 * lane_bytes[i] / c.lds_bytes_per_clk
    if a >= 0:
        service = accesses[0][a]
    after = t + c.slot
    if flags[i] & _STORE:
        d = c.lds_write_issue + c.lds_write_per_dword * (lane_bytes[i] / 4.0)
        lds_port[simd] = t + d
        lds_data[simd >> 1] = t + d
        after = t + d
        begin = max(t + d - service, lds_free[0])
        latency = c.lds_write_latency
    else:
        lds_port[simd] = t + max(c.slot, 64.0 * lane_bytes[i] / c.lds_read_bytes_per_clk)
        begin = max(t, lds_free[0])
        latency = c.lds_latency
    lds_started[simd, lds_issued[simd] % RING] = begin
    lds_issued[simd] += 1
    lds_free[0] = begin + service
    _counts_lgkm(lg_count, lg_done, w, begin + service + latency)
    return after


@_unit
def _scalar_memory(
    scalar_line: Any, scalar_ready: Any, base_known: Any, scalar_base: Any, touched: Any, lg_count:
    Any, lg_done: Any, c: Any, cold: bool, w: int, i: int, t: float,
) -> float:  # fmt: skip
    g = scalar_line[i]
    if scalar_ready[g] < 0.0:
        # A pointer never used before is likely cold all the way; its next lines less so.
        fresh = cold and not base_known[scalar_base[i]]
        scalar_ready[g] = t + (c.smem_cold if fresh else c.smem_line if cold else c.smem_miss)
        base_known[scalar_base[i]] = 1
    # A loop moves on to another line.
    latency = c.smem_miss if touched[w, i] else c.smem_latency
    touched[w, i] = 1
    _counts_lgkm(lg_count, lg_done, w, max(scalar_ready[g], t + latency))
    return t + c.slot


@_unit
def _branch(start: Any, stream: Any, flags: Any, c: Any, w: int, i: int, p: int, t: float) -> float:
    nxt = p + 1
    if nxt < start[w + 1] and stream[nxt] != i + 1:
        after = t + c.branch_taken
        if flags[stream[nxt]] & _STRADDLES:
            after += c.branch_straddle
        return after
    return t + c.branch_not_taken


@_unit
def _wait(
    wait_vm: Any, vm_count: Any, vm_done: Any, wait_lgkm: Any, lg_count: Any, lg_done: Any, c: Any,
    w: int, i: int, t: float,
) -> float:  # fmt: skip
    until = t + c.slot
    n = wait_vm[i]
    if n >= 0 and vm_count[w] > n:
        until = max(until, vm_done[w, (vm_count[w] - 1 - n) % RING])
    n = wait_lgkm[i]
    if n >= 0 and lg_count[w] > n:
        until = max(until, lg_done[w, (lg_count[w] - 1 - n) % RING])
    return np.ceil(until / c.slot) * c.slot


@_unit
def _delay(flags: Any, immediate: Any, priority: Any, c: Any, w: int, i: int, t: float) -> float:
    """`s_nop`, `s_setprio`, `s_sleep`."""
    after = t + c.slot
    if flags[i] == 0:
        after = t + c.slot * (immediate[i] + 1)
    elif flags[i] == 1:
        priority[w] = immediate[i]
    elif flags[i] == 2:
        after = t + max(c.slot, c.sleep_unit * immediate[i])
    return after


@_unit
def _released(
    at: Any, wave_group: Any, ready_since: Any, position: Any, cost: Any, stream: Any, issue: Any,
    group: int, go: float,
) -> None:  # fmt: skip
    """Let all waves of a workgroup go on that wait at its barrier."""
    for v in range(at.shape[0]):
        if wave_group[v] == group and at[v] >= _NEVER and ready_since[v] < 0.0:
            at[v] = go
            place = position[v] - 1
            cost[stream[place]] += go
            if issue.shape[0] > 0:
                issue[place] = go
            ready_since[v] = go


@_unit
def _next_wave(at: Any, priority: Any) -> int:
    """The wave that can issue first; of several the one of higher priority, then the older."""
    w = 0
    for v in range(1, at.shape[0]):
        if at[v] < at[w] or (at[v] == at[w] and priority[v] > priority[w]):
            w = v
    return w


@_unit
def _begins(
    at: Any, position: Any, start: Any, wave_begin: Any, wave_end: Any, wave_group: Any, alive: Any,
    w: int,
) -> int:  # fmt: skip
    """1 for a wave that has something to do, else 0."""
    wave_end[w] = wave_begin[w]
    if position[w] >= start[w + 1]:
        at[w] = _NEVER
        return 0
    alive[wave_group[w]] += 1
    return 1


@_unit
def _goes_on(
    at: Any, ready_since: Any, cost: Any, arrived: Any,
    w: int, i: int, group: int, t: float, after: float, waits: bool,
) -> None:  # fmt: skip
    """Charge the instruction, and set when the wave tries again: never while at a barrier."""
    if waits:
        arrived[group] += 1
        at[w] = _NEVER
        cost[i] -= ready_since[w]
        ready_since[w] = -1.0 - t
    else:
        cost[i] += after - ready_since[w]
        at[w] = after
        ready_since[w] = after


# --- the clock -------------------------------------------------------------------------------
def _run(
    c: Any, code: Any, streams: Any, accesses: Any, cold: bool, record: Any,
    waves: Any, ports: Any, lds: Any, vmem: Any, caches: Any, groups: Any,
) -> int:  # fmt: skip
    """Numba kernel; see `simulate`. Returns 0, or 1 when waves wait at a barrier for ever."""
    (kind, flags, lane_bytes, memory_latency, passes, coexec, wait_vm, wait_lgkm, immediate, line,
     scalar_line, scalar_base, src_start, src, dst_start, dst) = code  # fmt: skip
    stream, access, start, wave_simd, wave_group, wave_begin = streams
    cost, count, wave_end, issue, done = record
    (at, ready_since, position, priority, pending, to_memory, to_buffer, to_branch, touched,
     wave_line, vm_done, vm_count, lg_done, lg_count) = waves  # fmt: skip
    vector_free, packed_free, matrix_free, scalar_free = ports
    lds_port, lds_data, lds_started, lds_issued, lds_free = lds
    vm_port, vm_address, vm_started, vm_issued, flight_done, flight_bytes, flight, vm_clock = vmem
    line_ready, scalar_ready, base_known = caches
    alive, arrived = groups
    left = 0
    for w in range(at.shape[0]):
        left += _begins(at, position, start, wave_begin, wave_end, wave_group, alive, w)
    while left > 0:
        w = _next_wave(at, priority)
        t = at[w]
        if t >= _NEVER:
            return DEADLOCK
        p, simd = position[w], wave_simd[w]
        i = stream[p]
        k = kind[i]
        # ---- earliest issue ------------------------------------------------------------------
        e = _fetched(line, wave_line, line_ready, c, w, i, t) if cold else t
        e = max(e, _operands_and_port(
            k, flags, src_start, src, pending, scalar_free, vector_free, packed_free, matrix_free,
            to_branch, w, simd, i, t,
        ))  # fmt: skip
        if k == _VMEM:
            e = max(e, _vmem_accepts(
                vm_port, to_memory, flags, to_buffer, vm_issued, vm_started, vm_count, vm_done, c,
                w, simd, i,
            ))  # fmt: skip
        elif k == _LDS:
            e = max(e, _lds_accepts(
                lds_port, to_memory, lds_issued, lds_started, flags, lds_data, c, w, simd, i
            ))  # fmt: skip
        at[w] = np.ceil(e / c.slot) * c.slot
        if e > t and at[w] > t:
            continue
        # ---- issue ---------------------------------------------------------------------------
        after = t + c.slot
        if k == _SALU:
            after = _scalar(scalar_free, to_buffer, to_branch, c, w, simd, t)
        elif k == _VALU:
            after = _vector(
                flags, vector_free, to_memory, dst_start, pending, dst, c, w, simd, i, t,
            )  # fmt: skip
        elif k == _TRANS:
            after = _transcendental(vector_free, to_memory, c, w, simd, t)
        elif k == _MFMA:
            after = _matrix(
                passes, flags, matrix_free, vector_free, coexec, packed_free, to_memory, dst_start,
                pending, dst, c, w, simd, i, t,
            )  # fmt: skip
        elif k == _VMEM:
            after = _vector_memory(
                vm_port, flags, lane_bytes, vm_address, vm_clock, memory_latency, touched,
                vm_started, vm_issued, flight, flight_done, flight_bytes, vm_done, vm_count,
                lg_done, lg_count, accesses, c, cold, w, simd, i, access[p], t,
            )  # fmt: skip
        elif k == _LDS:
            after = _local(
                lane_bytes, flags, lds_port, lds_data, lds_free, lds_started, lds_issued, lg_count,
                lg_done, accesses, c, w, simd, i, access[p], t,
            )  # fmt: skip
        elif k == _SMEM:
            after = _scalar_memory(
                scalar_line, scalar_ready, base_known, scalar_base, touched, lg_count, lg_done, c,
                cold, w, i, t,
            )  # fmt: skip
        elif k == _BRANCH:
            after = _branch(start, stream, flags, c, w, i, p, t)
        elif k == _WAIT:
            after = _wait(wait_vm, vm_count, vm_done, wait_lgkm, lg_count, lg_done, c, w, i, t)
        elif k == _DELAY:
            after = _delay(flags, immediate, priority, c, w, i, t)
        if issue.shape[0] > 0:
            issue[p] = after if k in (_WAIT, _DELAY) else t
        # ---- what comes next -----------------------------------------------------------------
        count[i] += 1
        position[w] = p + 1
        ended = k == _END or position[w] >= start[w + 1]
        group = wave_group[w]
        _goes_on(at, ready_since, cost, arrived, w, i, group, t, after, k == _BARRIER and not ended)
        if ended:
            left, wave_end[w], at[w] = left - 1, after, _NEVER
            alive[group] -= 1
        if (k == _BARRIER or ended) and alive[group] > 0 and arrived[group] == alive[group]:
            arrived[group] = 0
            opened = t + c.barrier_release
            _released(at, wave_group, ready_since, position, cost, stream, issue, group, opened)
    done[0] = vm_clock[_LAST]
    return 0


run = compiled(_run)
