"""The units of a compute unit: each issues an instruction and says when its wave may go on."""

from __future__ import annotations

from typing import Any

import numpy as np

from asmevo.timing.kernel.parts import (
    BRANCH,
    DELAY,
    ENTERED,
    INFLIGHT,
    LAST,
    LDS,
    LGKM,
    MFMA,
    NO_VMCNT,
    RETURNED,
    SALU,
    SCALED,
    SCRATCH,
    SHARED,
    SMEM,
    STORE,
    STRADDLES,
    SWAP,
    TRANS,
    VALU,
    VMEM,
    WAIT,
    WRITTEN,
    unit,
)  # fmt: skip
from asmevo.timing.state import FLIGHT, RING


@unit
def _scalar(
    scalar_free: Any, to_buffer: Any, to_branch: Any, c: Any, w: int, simd: int, t: float,
) -> float:  # fmt: skip
    scalar_free[simd] = t + c.slot
    to_buffer[w] = t + c.salu_to_vmem
    to_branch[w] = t + c.salu_to_branch
    return t + c.slot


@unit
def _vector(
    flags: Any, vector_free: Any, to_memory: Any, dst_start: Any, pending: Any, dst: Any, c: Any, w:
    int, simd: int, i: int, t: float,
) -> float:  # fmt: skip
    d = c.permlane_swap_issue if flags[i] & SWAP else c.slot
    vector_free[simd] = t + d
    to_memory[w] = max(to_memory[w], t + c.valu_to_memory)
    for s in range(dst_start[i], dst_start[i + 1]):
        pending[w, dst[s]] = t + c.valu_to_salu
    # The second half of an instruction across two fetch windows comes a slot later.
    return t + d + (c.slot if flags[i] & STRADDLES else 0.0)


@unit
def _transcendental(vector_free: Any, to_memory: Any, c: Any, w: int, simd: int, t: float) -> float:
    vector_free[simd] = t + c.trans_issue
    to_memory[w] = max(to_memory[w], t + c.trans_to_memory)
    return t + c.trans_issue


@unit
def _matrix(
    passes: Any, flags: Any, matrix_free: Any, vector_free: Any, coexec: Any, packed_free: Any,
    to_memory: Any, dst_start: Any, pending: Any, dst: Any, c: Any, w: int, simd: int, i: int, t:
    float,
) -> float:  # fmt: skip
    after = t + c.slot
    clocks = 4.0 * passes[i]
    if flags[i] & SCALED:
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


@unit
def _admitted(
    flight: Any, flight_done: Any, vm_clock: Any, flight_bytes: Any, c: Any, size: float, begin:
    float,
) -> float:  # fmt: skip
    """When bytes in flight leave room for `size` more."""
    while flight[0] < flight[1] and flight_done[flight[0] % FLIGHT] <= begin:
        vm_clock[INFLIGHT] -= flight_bytes[flight[0] % FLIGHT]
        flight[0] += 1
    while flight[0] < flight[1] and vm_clock[INFLIGHT] + size > c.vmem_inflight:
        begin = max(begin, flight_done[flight[0] % FLIGHT])
        vm_clock[INFLIGHT] -= flight_bytes[flight[0] % FLIGHT]
        flight[0] += 1
    return begin


@unit
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
    if flags[i] & NO_VMCNT:
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
        flight, flight_done, vm_clock, flight_bytes, c, size, max(begin, vm_clock[ENTERED]),
    )  # fmt: skip
    vm_clock[ENTERED] = begin
    vm_address[simd] = max(vm_address[simd], begin)
    latency = c.vmem_latency
    rate = c.vmem_bytes_per_clk
    if flags[i] & SCRATCH:
        latency = c.scratch_latency
        rate = 0.0
    elif flags[i] & STORE:
        latency = c.store_latency
        if a >= 0:
            latency += accesses[3][a]
    elif memory_latency[i] >= 0.0:  # measured: whatever level served it
        latency = memory_latency[i]
    elif a >= 0:
        latency = c.level_l1
        if accesses[2][a] > 0.0:
            latency = c.fresh_latency
        elif moved > 0.0:
            latency = c.level_l2
        latency += accesses[3][a]
    elif cold and not touched[w, i]:
        latency += c.vmem_cold
    touched[w, i] = 1
    if rate > 0.0:
        busy = moved / rate
        if a >= 0:
            busy = max(busy, accesses[2][a] / c.fresh_bytes_per_clk)
        vm_clock[SHARED] = max(vm_clock[SHARED], begin) + busy
        latency += vm_clock[SHARED] - begin
    if a >= 0 and flags[i] & STORE:
        vm_clock[WRITTEN] = max(vm_clock[WRITTEN], begin) + moved / c.store_bytes_per_clk
        latency = max(latency, vm_clock[WRITTEN] - begin)
    done = max(begin + latency, vm_clock[RETURNED] + port)
    vm_clock[RETURNED] = done
    vm_started[simd, vm_issued[simd] % RING] = begin
    vm_issued[simd] += 1
    if flight[1] - flight[0] < FLIGHT:
        flight_done[flight[1] % FLIGHT] = done
        flight_bytes[flight[1] % FLIGHT] = size
        flight[1] += 1
        vm_clock[INFLIGHT] += size
    vm_done[w, vm_count[w] % RING] = done
    vm_count[w] += 1
    if flags[i] & STORE:
        vm_clock[LAST] = max(vm_clock[LAST], done)
    if flags[i] & LGKM:
        lg_done[w, lg_count[w] % RING] = done
        lg_count[w] += 1
    return t + c.slot


@unit
def _counts_lgkm(lg_count: Any, lg_done: Any, w: int, done: float) -> None:
    """lgkmcnt goes down in order: no operation is done before the one in front of it."""
    if lg_count[w] > 0:
        done = max(done, lg_done[w, (lg_count[w] - 1) % RING])
    lg_done[w, lg_count[w] % RING] = done
    lg_count[w] += 1


@unit
def _local(
    lane_bytes: Any, flags: Any, lds_port: Any, lds_data: Any, lds_free: Any, lds_started: Any,
    lds_issued: Any, lg_count: Any, lg_done: Any, accesses: Any, c: Any, w: int, simd: int, i: int,
    a: int, t: float,
) -> float:  # fmt: skip
    service = 64.0 * lane_bytes[i] / c.lds_bytes_per_clk
    if a >= 0:
        service = accesses[0][a]
    after = t + c.slot
    if flags[i] & STORE:
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


@unit
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


@unit
def _branch(start: Any, stream: Any, flags: Any, c: Any, w: int, i: int, p: int, t: float) -> float:
    nxt = p + 1
    if nxt < start[w + 1] and stream[nxt] != i + 1:
        after = t + c.branch_taken
        if flags[stream[nxt]] & STRADDLES:
            after += c.branch_straddle
        return after
    return t + c.branch_not_taken


@unit
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


@unit
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


@unit
def issued(
    c: Any, code: Any, streams: Any, accesses: Any, waves: Any, ports: Any, lds: Any, vmem: Any,
    caches: Any, cold: bool, k: int, w: int, simd: int, i: int, p: int, t: float,
) -> float:  # fmt: skip
    """Issue the instruction at `p` of the stream at t; when its wave may go on."""
    (_kind, flags, lane_bytes, memory_latency, passes, coexec, wait_vm, wait_lgkm, immediate,
     _line, scalar_line, scalar_base, _src_start, _src, dst_start, dst) = code  # fmt: skip
    stream, access, start, _simd, _group, _begin = streams
    (_at, _since, _position, priority, pending, to_memory, to_buffer, to_branch, touched,
     _wave_line, vm_done, vm_count, lg_done, lg_count) = waves  # fmt: skip
    vector_free, packed_free, matrix_free, scalar_free = ports
    after = t + c.slot
    if k == SALU:
        after = _scalar(scalar_free, to_buffer, to_branch, c, w, simd, t)
    elif k == VALU:
        after = _vector(
            flags, vector_free, to_memory, dst_start, pending, dst, c, w, simd, i, t,
        )  # fmt: skip
    elif k == TRANS:
        after = _transcendental(vector_free, to_memory, c, w, simd, t)
    elif k == MFMA:
        after = _matrix(
            passes, flags, matrix_free, vector_free, coexec, packed_free, to_memory, dst_start,
            pending, dst, c, w, simd, i, t,
        )  # fmt: skip
    elif k == VMEM:
        (vm_port, vm_address, vm_started, vm_issued, flight_done, flight_bytes, flight,
         vm_clock) = vmem  # fmt: skip
        after = _vector_memory(
            vm_port, flags, lane_bytes, vm_address, vm_clock, memory_latency, touched, vm_started,
            vm_issued, flight, flight_done, flight_bytes, vm_done, vm_count, lg_done, lg_count,
            accesses, c, cold, w, simd, i, access[p], t,
        )  # fmt: skip
    elif k == LDS:
        lds_port, lds_data, lds_started, lds_issued, lds_free = lds
        after = _local(
            lane_bytes, flags, lds_port, lds_data, lds_free, lds_started, lds_issued, lg_count,
            lg_done, accesses, c, w, simd, i, access[p], t,
        )  # fmt: skip
    elif k == SMEM:
        _line_ready, scalar_ready, base_known = caches
        after = _scalar_memory(
            scalar_line, scalar_ready, base_known, scalar_base, touched, lg_count, lg_done, c,
            cold, w, i, t,
        )  # fmt: skip
    elif k == BRANCH:
        after = _branch(start, stream, flags, c, w, i, p, t)
    elif k == WAIT:
        after = _wait(wait_vm, vm_count, vm_done, wait_lgkm, lg_count, lg_done, c, w, i, t)
    elif k == DELAY:
        after = _delay(flags, immediate, priority, c, w, i, t)
    return after
