"""The numba kernel of the compute unit simulation; `asmevo.timing.simulate` drives it.

Mechanisms, in the order in which an instruction meets them: in-order issue per wave; one port per
class and SIMD; the matrix pipe; producer-to-consumer distances; the LDS input queue and its
128 B/clk server; the vector memory queue, address unit, limited bytes in flight and return rate;
`vmcnt`/`lgkmcnt`; `s_barrier` per workgroup. Times are clocks (float64, whole issue slots at
issue). Kinds and flags are the numbers of `asmevo.timing.static`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numba
import numpy as np

# Constants in the order in which the kernel below unpacks them. They live in this file because
# numba's cache is keyed by it.
ORDER = (
    "slot",
    "trans_issue",
    "permlane_swap_issue",
    "lds_read_port",
    "lds_write_issue",
    "lds_write_per_dword",
    "branch_taken",
    "branch_not_taken",
    "barrier_release",
    "sleep_unit",
    "valu_to_memory",
    "trans_to_memory",
    "valu_to_salu",
    "salu_to_vmem",
    "salu_to_branch",
    "mfma_result",
    "mfma_scale_idle",
    "mfma_scale_issue",
    "lds_bytes_per_clk",
    "lds_latency",
    "lds_write_latency",
    "lds_queue",
    "ta_clocks",
    "ta_bytes_per_clk",
    "vmem_queue",
    "vmem_inflight",
    "vmem_latency",
    "vmem_bytes_per_clk",
    "vmem_cold",
    "store_latency",
    "scratch_latency",
    "smem_latency",
    "smem_miss",
    "smem_cold",
    "fetch_cold_line",
    "branch_straddle",
    "smem_line",
)
DEADLOCK = 1


def _run(
    par: Any,
    kind: Any,
    flags: Any,
    lane_bytes: Any,
    mem_latency: Any,
    passes: Any,
    coexec: Any,
    wait_vm: Any,
    wait_lgkm: Any,
    immediate: Any,
    line: Any,
    scalar_line: Any,
    scalar_base: Any,
    src_start: Any,
    src: Any,
    dst_start: Any,
    dst: Any,
    slots: Any,
    stream: Any,
    stream_start: Any,
    wave_simd: Any,
    wave_group: Any,
    wave_begin: Any,
    groups: Any,
    cold: Any,
    cost: Any,
    count: Any,
    wave_end: Any,
    issue: Any,
) -> int:
    """Numba kernel; see `simulate`. Returns 0, or 1 when waves wait at a barrier for ever."""
    inf = 1.0e300
    (slot, trans_issue, swap_issue, lds_port_clk, lds_write_issue, lds_per_dword) = par[0:6]
    (br_taken, br_not, barrier_release, sleep_unit) = par[6:10]
    (valu_mem, trans_mem, valu_salu, salu_vmem, salu_branch, mfma_result) = par[10:16]
    (scale_idle, scale_issue, lds_rate, lds_latency, lds_write_latency, lds_queue) = par[16:22]
    (ta_clocks, ta_rate, vm_queue, vm_inflight, vm_latency, vm_rate, vm_cold) = par[22:29]
    (store_latency, scratch_latency, smem_latency, smem_miss, smem_cold, fetch_line) = par[29:35]
    (straddle, smem_line) = par[35:37]
    n_instructions = kind.shape[0]
    waves = wave_begin.shape[0]
    record = issue.shape[0] > 0
    simds = 0
    for w in range(waves):
        simds = max(simds, wave_simd[w] + 1)
    ring = 64
    at = wave_begin.copy()  # earliest time of the next attempt
    ready_since = wave_begin.copy()  # when the wave could first try it
    position = stream_start[:-1].copy()
    priority = np.zeros(waves, dtype=np.int64)
    pending = np.zeros((waves, slots))  # when results of matrix and lane-mask producers exist
    to_memory = np.zeros(waves)
    to_buffer = np.zeros(waves)
    to_branch = np.zeros(waves)
    vm_done = np.zeros((waves, ring))
    vm_count = np.zeros(waves, dtype=np.int64)
    lg_done = np.zeros((waves, ring))
    lg_count = np.zeros(waves, dtype=np.int64)
    vector_free = np.zeros(simds)
    packed_free = np.zeros(simds)
    matrix_free = np.zeros(simds)
    scalar_free = np.zeros(simds)
    lds_port = np.zeros(simds)
    vm_port = np.zeros(simds)
    lds_data = np.zeros((simds + 1) // 2)  # write data path, one per pair of SIMDs
    lds_entries = np.int64(max(lds_queue, 1.0))
    lds_started = np.zeros((simds, 64))
    n_lds = np.zeros(simds, dtype=np.int64)
    lds_free = 0.0
    # vector memory of the compute unit
    big = 4096
    queue = np.int64(max(vm_queue, 1.0))
    vm_started = np.zeros((simds, 64))
    n_vm = np.zeros(simds, dtype=np.int64)
    ta_free = np.zeros(simds)
    entered = 0.0  # instructions enter the cache in order
    return_free = 0.0
    share_free = 0.0
    flight_done = np.zeros(big)
    flight_bytes = np.zeros(big)
    flight_head = 0
    flight_tail = 0
    in_flight = 0.0
    wave_touched = np.zeros((waves, n_instructions), dtype=np.uint8)
    lines = 1
    scalar_lines = 1
    scalar_bases = 1
    for i in range(n_instructions):
        lines = max(lines, line[i] + 1)
        scalar_lines = max(scalar_lines, scalar_line[i] + 1)
        scalar_bases = max(scalar_bases, scalar_base[i] + 1)
    line_ready = np.full(lines, -1.0)
    scalar_ready = np.full(scalar_lines, -1.0)
    base_known = np.zeros(scalar_bases, dtype=np.uint8)
    wave_line = np.full(waves, -1, dtype=np.int64)
    arrived = np.zeros(groups, dtype=np.int64)
    alive = np.zeros(groups, dtype=np.int64)
    left = 0
    for w in range(waves):
        wave_end[w] = wave_begin[w]
        if position[w] < stream_start[w + 1]:
            alive[wave_group[w]] += 1
            left += 1
        else:
            at[w] = inf
    while left > 0:
        w = 0
        t = at[0]
        for v in range(1, waves):
            if at[v] < t or (at[v] == t and priority[v] > priority[w]):
                w = v
                t = at[v]
        if t >= inf:
            return 1
        p = position[w]
        i = stream[p]
        k = kind[i]
        simd = wave_simd[w]
        # ---- earliest issue ------------------------------------------------------------------
        e = t
        if cold and line[i] != wave_line[w]:
            g = line[i]
            if line_ready[g] < 0.0:
                line_ready[g] = t + fetch_line
            wave_line[w] = g
            e = max(e, line_ready[g])
        for s in range(src_start[i], src_start[i + 1]):
            e = max(e, pending[w, src[s]])
        if k == 0:
            e = max(e, scalar_free[simd])
        elif k == 2 or k == 3:
            e = max(e, vector_free[simd])
            if flags[i] & 8:
                e = max(e, packed_free[simd])
        elif k == 4:
            e = max(e, max(vector_free[simd], matrix_free[simd]))
        elif k == 5:
            e = max(e, max(vm_port[simd], to_memory[w]))
            if flags[i] & 2:
                e = max(e, to_buffer[w])
            if n_vm[simd] >= queue:
                e = max(e, vm_started[simd, (n_vm[simd] - queue) % 64])
            if vm_count[w] >= 63:
                e = max(e, vm_done[w, (vm_count[w] - 63) % ring])
        elif k == 6:
            e = max(e, max(lds_port[simd], to_memory[w]))
            if n_lds[simd] >= lds_entries:
                e = max(e, lds_started[simd, (n_lds[simd] - lds_entries) % 64])
            if flags[i] & 1:
                e = max(e, lds_data[simd >> 1])
        elif k == 7:
            e = max(e, to_branch[w])
        if e > t:
            at[w] = np.ceil(e / slot) * slot
            if at[w] > t:
                continue
        # ---- issue ---------------------------------------------------------------------------
        if record:
            issue[p] = t
        after = t + slot
        if k == 0:
            scalar_free[simd] = t + slot
            to_buffer[w] = t + salu_vmem
            to_branch[w] = t + salu_branch
        elif k == 2:
            d = swap_issue if flags[i] & 16 else slot
            vector_free[simd] = t + d
            after = t + d
            to_memory[w] = max(to_memory[w], t + valu_mem)
            for s in range(dst_start[i], dst_start[i + 1]):
                pending[w, dst[s]] = t + valu_salu
        elif k == 3:
            vector_free[simd] = t + trans_issue
            after = t + trans_issue
            to_memory[w] = max(to_memory[w], t + trans_mem)
        elif k == 4:
            clocks = 4.0 * passes[i]
            scaled = flags[i] & 128
            if scaled:
                after = t + scale_issue
                if matrix_free[simd] < t:
                    clocks += scale_idle
            matrix_free[simd] = t + clocks
            vector_free[simd] = t + slot * coexec[i]
            packed_free[simd] = t + 4.0 * (passes[i] + 2)
            to_memory[w] = max(to_memory[w], t + slot * coexec[i])
            for s in range(dst_start[i], dst_start[i + 1]):
                pending[w, dst[s]] = t + 4.0 * passes[i] + mfma_result
        elif k == 5:
            vm_port[simd] = t + slot
            if not flags[i] & 64:
                size = 64.0 * lane_bytes[i]
                begin = max(t, ta_free[simd])
                ta_free[simd] = begin + max(ta_clocks, size / ta_rate)
                begin = max(begin, entered)
                while flight_head < flight_tail and flight_done[flight_head % big] <= begin:
                    in_flight -= flight_bytes[flight_head % big]
                    flight_head += 1
                while flight_head < flight_tail and in_flight + size > vm_inflight:
                    begin = max(begin, flight_done[flight_head % big])
                    in_flight -= flight_bytes[flight_head % big]
                    flight_head += 1
                entered = begin
                ta_free[simd] = max(ta_free[simd], begin)
                latency = vm_latency
                rate = vm_rate
                if flags[i] & 4:
                    latency = scratch_latency
                    rate = 0.0
                elif flags[i] & 1:
                    latency = store_latency
                elif mem_latency[i] >= 0.0:
                    latency = mem_latency[i]
                elif cold and not wave_touched[w, i]:
                    latency += vm_cold
                wave_touched[w, i] = 1
                if rate > 0.0:
                    # This compute unit's share of the chip's bandwidth.
                    share_free = max(share_free, begin) + size / rate
                    latency += share_free - begin
                done = max(begin + latency, return_free + size / ta_rate)
                return_free = done
                vm_started[simd, n_vm[simd] % 64] = begin
                n_vm[simd] += 1
                if flight_tail - flight_head < big:
                    flight_done[flight_tail % big] = done
                    flight_bytes[flight_tail % big] = size
                    flight_tail += 1
                    in_flight += size
                vm_done[w, vm_count[w] % ring] = done
                vm_count[w] += 1
                if flags[i] & 32:
                    lg_done[w, lg_count[w] % ring] = done
                    lg_count[w] += 1
        elif k == 6:
            dwords = lane_bytes[i] / 4.0
            service = 64.0 * lane_bytes[i] / lds_rate
            if flags[i] & 1:
                d = lds_write_issue + lds_per_dword * dwords
                lds_port[simd] = t + d
                lds_data[simd >> 1] = t + d
                after = t + d
                begin = max(t + d - service, lds_free)
                latency = lds_write_latency
            else:
                lds_port[simd] = t + lds_port_clk
                begin = max(t, lds_free)
                latency = lds_latency
            lds_started[simd, n_lds[simd] % 64] = begin
            n_lds[simd] += 1
            lds_free = begin + service
            done = begin + service + latency
            if lg_count[w] > 0:
                done = max(done, lg_done[w, (lg_count[w] - 1) % ring])
            lg_done[w, lg_count[w] % ring] = done
            lg_count[w] += 1
        elif k == 1:
            latency = smem_latency
            g = scalar_line[i]
            if scalar_ready[g] < 0.0:
                # A pointer never used before is likely cold all the way; its next lines less so.
                fresh = cold and not base_known[scalar_base[i]]
                scalar_ready[g] = t + (smem_cold if fresh else smem_line if cold else smem_miss)
                base_known[scalar_base[i]] = 1
            done = scalar_ready[g]
            if wave_touched[w, i]:
                latency = smem_miss  # a loop moves on to another line
            wave_touched[w, i] = 1
            done = max(done, t + latency)
            if lg_count[w] > 0:
                done = max(done, lg_done[w, (lg_count[w] - 1) % ring])
            lg_done[w, lg_count[w] % ring] = done
            lg_count[w] += 1
        elif k == 7:
            nxt = p + 1
            if nxt < stream_start[w + 1] and stream[nxt] != i + 1:
                after = t + br_taken
                if flags[stream[nxt]] & 256:
                    after += straddle
            else:
                after = t + br_not
        elif k == 8:
            until = after
            c = wait_vm[i]
            if c >= 0 and vm_count[w] > c:
                until = max(until, vm_done[w, (vm_count[w] - 1 - c) % ring])
            c = wait_lgkm[i]
            if c >= 0 and lg_count[w] > c:
                until = max(until, lg_done[w, (lg_count[w] - 1 - c) % ring])
            after = np.ceil(until / slot) * slot
        elif k == 9:
            if flags[i] == 0:
                after = t + slot * (immediate[i] + 1)
            elif flags[i] == 1:
                priority[w] = immediate[i]
            elif flags[i] == 2:
                after = t + max(slot, sleep_unit * immediate[i])
        if record and (k == 8 or k == 9):
            issue[p] = after
        count[i] += 1
        position[w] = p + 1
        ended = k == 11 or position[w] >= stream_start[w + 1]
        group = wave_group[w]
        if k == 10 and not ended:
            arrived[group] += 1
            at[w] = inf
            cost[i] -= ready_since[w]
            ready_since[w] = -1.0 - t
        else:
            cost[i] += after - ready_since[w]
            at[w] = after
            ready_since[w] = after
        if ended:
            wave_end[w] = after
            at[w] = inf
            left -= 1
            alive[group] -= 1
        if (k == 10 or ended) and alive[group] > 0 and arrived[group] == alive[group]:
            arrived[group] = 0
            go = t + barrier_release
            for v in range(waves):
                if wave_group[v] == group and at[v] >= inf and ready_since[v] < 0.0:
                    at[v] = go
                    cost[stream[position[v] - 1]] += go
                    if record:
                        issue[position[v] - 1] = go
                    ready_since[v] = go
    return 0


run = cast("Callable[..., int]", numba.njit(cache=True, nogil=True)(_run))
