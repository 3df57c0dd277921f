"""What delays an instruction: fetch, results, ports, queues."""

from __future__ import annotations

from typing import Any

import numpy as np

from asmevo.timing.kernel.parts import (
    BRANCH,
    BUFFER,
    FETCHES,
    ISSUED,
    LDS,
    MFMA,
    PACKED,
    PORT,
    QUEUE,
    RESULT,
    SALU,
    STORE,
    TRANS,
    VALU,
    VMEM,
    unit,
)  # fmt: skip
from asmevo.timing.state import RING


@unit
def _fetched(line: Any, wave_line: Any, line_ready: Any, c: Any, w: int, i: int, t: float) -> float:
    """When the instruction's line is there; the first touch of each line is cold."""
    if line[i] == wave_line[w]:
        return t
    g = line[i]
    if line_ready[g] < 0.0:
        line_ready[g] = t + c.fetch_cold_line
    wave_line[w] = g
    return max(t, line_ready[g])


@unit
def _results(src_start: Any, src: Any, pending: Any, w: int, i: int, t: float) -> float:
    """When the registers that it reads are there."""
    e = t
    for s in range(src_start[i], src_start[i + 1]):
        e = max(e, pending[w, src[s]])
    return e


@unit
def _port(
    k: int, flags: Any, scalar_free: Any, vector_free: Any, packed_free: Any, matrix_free: Any,
    simd: int, i: int,
) -> float:  # fmt: skip
    """When the SIMD takes one of this kind; memory has ports of its own."""
    e = 0.0
    if k == SALU:
        e = scalar_free[simd]
    elif k in (VALU, TRANS):
        e = vector_free[simd]
        if flags[i] & PACKED:
            e = max(e, packed_free[simd])
    elif k == MFMA:
        e = max(vector_free[simd], matrix_free[simd])
    return e


@unit
def _distance(k: int, flags: Any, to_memory: Any, to_buffer: Any, to_branch: Any, w: int, i: int
) -> float:  # fmt: skip
    """When what the wave issued before lets one of this kind follow."""
    e = 0.0
    if k == BRANCH:
        e = to_branch[w]
    elif k in (VMEM, LDS):
        e = to_memory[w]
        if k == VMEM and flags[i] & BUFFER:
            e = max(e, to_buffer[w])
    return e


@unit
def _vmem_queue(
    vm_issued: Any, vm_started: Any, vm_count: Any, vm_done: Any, c: Any, w: int, simd: int
) -> float:  # fmt: skip
    """When the queue of the SIMD has room, and vmcnt."""
    e = 0.0
    queue = np.int64(max(c.vmem_queue, 1.0))
    if vm_issued[simd] >= queue:
        e = max(e, vm_started[simd, (vm_issued[simd] - queue) % RING])
    if vm_count[w] >= 63:
        e = max(e, vm_done[w, (vm_count[w] - 63) % RING])
    return e


@unit
def _lds_queue(lds_issued: Any, lds_started: Any, c: Any, simd: int) -> float:
    entries = np.int64(max(c.lds_queue, 1.0))
    if lds_issued[simd] >= entries:
        return lds_started[simd, (lds_issued[simd] - entries) % RING]
    return 0.0


@unit
def delay(
    c: Any, code: Any, waves: Any, ports: Any, lds: Any, vmem: Any, caches: Any, cold: bool,
    k: int, w: int, simd: int, i: int, t: float,
) -> tuple[float, int]:  # fmt: skip
    """(when wave w can issue instruction i, what it waits for till then)."""
    (_kind, flags, _bytes, _latency, _passes, _coexec, _wait_vm, _wait_lgkm, _immediate, line,
     _scalar_line, _scalar_base, src_start, src, _dst_start, _dst) = code  # fmt: skip
    (_at, _since, _position, _priority, pending, to_memory, to_buffer, to_branch, _touched,
     wave_line, vm_done, vm_count, _lg_done, _lg_count) = waves  # fmt: skip
    vector_free, packed_free, matrix_free, scalar_free = ports
    why = ISSUED
    e = t
    if cold:
        e = _fetched(line, wave_line, caches[0], c, w, i, t)
        if e > t:
            why = FETCHES
    x = _results(src_start, src, pending, w, i, t)
    if k in (BRANCH, VMEM, LDS):
        x = max(x, _distance(k, flags, to_memory, to_buffer, to_branch, w, i))
    if x > e:
        e, why = x, RESULT
    if k == VMEM:
        vm_port, _address, vm_started, vm_issued, _done, _bytes, _flight, _clock = vmem
        x = vm_port[simd]
        if x > e:
            e, why = x, PORT
        x = _vmem_queue(vm_issued, vm_started, vm_count, vm_done, c, w, simd)
        if x > e:
            e, why = x, QUEUE
    elif k == LDS:
        lds_port, lds_data, lds_started, lds_issued, _free = lds
        x = lds_port[simd]
        if flags[i] & STORE:
            x = max(x, lds_data[simd >> 1])
        if x > e:
            e, why = x, PORT
        x = _lds_queue(lds_issued, lds_started, c, simd)
        if x > e:
            e, why = x, QUEUE
    else:
        x = _port(k, flags, scalar_free, vector_free, packed_free, matrix_free, simd, i)
        if x > e:
            e, why = x, PORT
    return e, why
