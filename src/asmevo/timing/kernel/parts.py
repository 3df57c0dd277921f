"""What the modules of this room share: the machine's constants as numba takes them, the numbers
of kinds and flags, and how their functions are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import numba

_njit: Any = cast(Any, numba).njit
NEVER = 1.0e300
# Kinds of instructions (`static.Kind`) and flags (`static`) as plain numbers for numba.
SALU, SMEM, VALU, TRANS, MFMA, VMEM, LDS = range(7)
BRANCH, WAIT, DELAY, BARRIER, END = range(7, 12)
STORE, BUFFER, SCRATCH, PACKED, SWAP, LGKM, NO_VMCNT, SCALED, STRADDLES = (1 << n for n in range(9))
# Why a wave does not go on (`stalls.Reason`).
ISSUED, FETCHES, RESULT, PORT, QUEUE, BANKS, VM_COUNT, LGKM_COUNT, AT_BARRIER, NOP = range(10)
# Places in `state.Vmem.clock`.
ENTERED, RETURNED, SHARED, INFLIGHT, LAST, WRITTEN = range(6)


class Clocks(NamedTuple):
    """Constants of a machine (`machine.CONSTANTS`), as float64."""

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


def unit(function: _F) -> _F:
    """Compiled into its caller."""
    return cast(_F, _njit(_nrt=False, inline="always")(function))
