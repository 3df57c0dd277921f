"""What the simulation kernel reads, writes and keeps: a program, its streams, the unit's state.

All are tuples of arrays, because numba takes them as they are. `kernel.clock` unpacks them in this
order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from asmevo.timing.stalls import Reason

RING = 64
"""Outstanding operations of one wave that are kept."""
FLIGHT = 4096
"""Vector memory operations in flight on one compute unit that are kept."""


class Code(NamedTuple):
    """The program by instruction index; see `static.StaticProgram`."""

    kind: Any
    flags: Any
    lane_bytes: Any
    memory_latency: Any
    passes: Any
    coexec: Any
    wait_vm: Any
    wait_lgkm: Any
    immediate: Any
    line: Any
    scalar_line: Any
    scalar_base: Any
    src_start: Any
    src: Any
    dst_start: Any
    dst: Any


class Streams(NamedTuple):
    """Executed instructions: wave w runs `index[start[w]:start[w + 1]]` from `begin[w]` on.

    `access` gives the row of `Accesses` of each executed instruction, -1 where none is known.
    """

    index: Any
    access: Any
    start: Any
    simd: Any
    group: Any
    begin: Any


class Accesses(NamedTuple):
    """What single executions of memory instructions cost; see `addresses.Accesses`."""

    port: Any
    moved: Any
    fresh: Any
    serial: Any


class Record(NamedTuple):
    """What is written: cost and count by instruction, end by wave, issue time by executed one,
    and when the last memory operation was done.
    """

    cost: Any
    count: Any
    end: Any
    issue: Any
    done: Any


class Profile(NamedTuple):
    """What is charged to reasons: clocks by instruction and reason; when the LDS would be free
    without bank conflicts; how late they made each LDS operation of a wave.
    """

    stalls: Any
    ideal: Any
    lag: Any

    @staticmethod
    def of(instructions: int, waves: int) -> Profile:
        """Nothing charged yet."""
        return Profile(np.zeros((instructions, len(Reason))), np.zeros(1), np.zeros((waves, RING)))


class Waves(NamedTuple):
    """State by wave."""

    at: Any  # earliest time of the next attempt
    ready_since: Any  # when the wave could first try it
    position: Any
    priority: Any
    pending: Any  # when results of matrix and lane-mask producers exist
    to_memory: Any  # producer-to-consumer distances
    to_buffer: Any
    to_branch: Any
    touched: Any  # instructions that went to memory before
    line: Any  # instruction line it runs in
    vm_done: Any  # vmcnt: completion times, the youngest last
    vm_count: Any
    lg_done: Any  # lgkmcnt
    lg_count: Any


class Ports(NamedTuple):
    """When each SIMD's ports are free."""

    vector: Any
    packed: Any
    matrix: Any
    scalar: Any


class Lds(NamedTuple):
    """Input port and queue of each SIMD, write data path of each pair, the one server."""

    port: Any
    data: Any
    started: Any
    issued: Any
    free: Any


class Vmem(NamedTuple):
    """Queue and address unit of each SIMD; bytes in flight and the return path of the unit."""

    port: Any
    address: Any
    started: Any
    issued: Any
    flight_done: Any
    flight_bytes: Any
    flight: Any  # head and tail of the ring
    clock: Any


class Caches(NamedTuple):
    """When instruction and scalar lines arrive; which base pointers were used."""

    line: Any
    scalar: Any
    base: Any


def fresh(code: Code, streams: Streams, slots: int) -> tuple[Any, ...]:
    """The unit at rest: the state arguments of `run`.

    Args:
        code: the program.
        streams: what its waves execute.
        slots: registers with a producer-to-consumer distance (`StaticProgram.slots`).
    """
    n = int(streams.begin.shape[0])
    simds = int(streams.simd.max()) + 1
    instructions = int(code.kind.shape[0])

    def clocks(*shape: int) -> Any:
        return np.zeros(shape)

    def counts(*shape: int) -> Any:
        return np.zeros(shape, dtype=np.int64)

    def lines(values: Any) -> int:
        return max(1, int(values.max(initial=0)) + 1)

    waves = Waves(
        streams.begin.copy(), streams.begin.copy(), streams.start[:-1].copy(), counts(n),
        clocks(n, slots), clocks(n), clocks(n), clocks(n),
        np.zeros((n, instructions), dtype=np.uint8), np.full(n, -1, dtype=np.int64),
        clocks(n, RING), counts(n), clocks(n, RING), counts(n),
    )  # fmt: skip
    ports = Ports(clocks(simds), clocks(simds), clocks(simds), clocks(simds))
    lds = Lds(
        clocks(simds), clocks((simds + 1) // 2), clocks(simds, RING), counts(simds), clocks(1)
    )
    vmem = Vmem(
        clocks(simds), clocks(simds), clocks(simds, RING), counts(simds), clocks(FLIGHT),
        clocks(FLIGHT), counts(2), clocks(6),
    )  # fmt: skip
    caches = Caches(
        np.full(lines(code.line), -1.0),
        np.full(lines(code.scalar_line), -1.0),
        np.zeros(lines(code.scalar_base), dtype=np.uint8),
    )
    groups = int(streams.group.max()) + 1
    leaves = 1 << max(1, (n - 1).bit_length())
    tree = np.full(2 * leaves, -1, dtype=np.int64)
    return waves, ports, lds, vmem, caches, (counts(groups), counts(groups), tree)
