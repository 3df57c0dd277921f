"""What single executions of memory instructions cost the memory path, from the touched addresses.

Global memory: requests are whole 128-byte lines for loads and 64-byte sectors for what is written
(CDNA3 ISA 9; both are what the L1 asks of the L2). The address unit takes a line, or four lanes'
addresses' worth of 64 bytes, per clock, so lanes that lie apart cost a clock each
(`facts` of the microbenchmarks: uncoalesced dwords at 64 clocks). Lines that a compute unit's L1
still holds are not asked for again: a set-associative LRU model per unit, whose waves advance
evenly. LDS: banks of four bytes; lanes of one 128-byte beat that want different dwords of one bank
follow each other, equal dwords are broadcast (hardware: 4 clocks without conflict, 16 with four
lanes per bank, 64 with all lanes on one).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from asmevo.timing import touches as T
from asmevo.timing.compiled import compiled
from asmevo.timing.machine import MachineModel
from asmevo.timing.static import ATOMIC, PAIR, STORE, Kind, StaticProgram
from asmevo.timing.touches import Touches

_F64 = NDArray[np.float64]
_njit: Any = cast(Any, numba).njit
_MOST_SECTORS = 128  # of one entry: two per lane
_LANE_BYTES_PER_CLOCK = 64.0


@dataclass(frozen=True, slots=True, eq=False)
class Accesses:
    """One row per recorded execution of a memory instruction.

    Attributes:
        port: clocks of the address unit, or of the LDS banks, float64 [rows].
        moved: bytes between the compute unit and the L2, float64 [rows].
        fresh: bytes of those that the workgroup asks for the first time, float64 [rows].
        serial: clocks that atomics of one wave to one address wait for each other, float64 [rows].
        asked: bytes that lanes under EXEC ask for, of LDS or memory, float64 [rows].
        hot: lane operations of memory atomics by address (in dwords), of the workgroup.
    """

    port: _F64
    moved: _F64
    fresh: _F64
    serial: _F64
    asked: _F64
    hot: Mapping[int, int] = field(default_factory=dict[int, int])

    @staticmethod
    def none() -> Accesses:
        """No row."""
        return Accesses(np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0))


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """One wave's executed instructions with what they touch.

    Attributes:
        indices: instruction indices, int32 [executed].
        touches: recorded entries of the wave.
    """

    indices: NDArray[np.int32]
    touches: Touches


_F = TypeVar("_F", bound=Callable[..., Any])


def _part(function: _F) -> _F:
    return cast(_F, _njit(_nrt=False)(function))


# --- entries ---------------------------------------------------------------------------------
@_part
def _field(head: Any, shift: int, mask: int) -> Any:
    return np.int64((head >> np.uint64(shift)) & np.uint64(mask))


@_part
def _active(mask: Any, lane: int) -> bool:
    return bool((mask >> np.uint64(lane)) & np.uint64(1))


@_part
def _address(words: Any, at: int, lane: int) -> Any:
    """Byte address of a lane of the entry at `at`."""
    if _field(words[at], T.FORM_SHIFT, 255) == T.PROGRESSION:
        return np.int64(words[at + 2] + np.uint64(lane) * words[at + 3])
    return np.int64(words[at + 2 + lane])


def _starts(words: Any, lanes: int, out: Any) -> int:
    """Where the entries of `words` begin; returns how many there are."""
    at, n = 0, 0
    while at < words.shape[0]:
        out[n] = at
        n += 1
        regular = _field(words[at], T.FORM_SHIFT, 255) == T.PROGRESSION
        at += T.HEAD_WORDS + (T.PROGRESSION_WORDS if regular else lanes)
    return n


def _match(words: Any, starts: Any, indices: Any, halves: Any, first_row: int, access: Any) -> int:
    """Row of each executed instruction (-1: not recorded): the first of its entries.

    `halves` says how many entries one execution of an instruction makes. Returns the rows used.
    """
    e = 0
    for p in range(indices.shape[0]):
        access[p] = -1
        i = indices[p]
        if e < starts.shape[0] and _field(words[starts[e]], 0, 0xFFFFFFFF) == i:
            access[p] = first_row + e
            e += halves[i]
    return e


@_part
def _side_by_side(words: Any, at: int, lanes: int) -> bool:
    """Whether all lanes are active and their addresses a progression."""
    every = ~np.uint64(0) if lanes >= 64 else (np.uint64(1) << np.uint64(lanes)) - np.uint64(1)
    return bool(_field(words[at], T.FORM_SHIFT, 255) == T.PROGRESSION and words[at + 1] == every)


# --- costs -----------------------------------------------------------------------------------
@_part
def _broadcast(
    words: Any, at: int, mask: Any, low: int, lane: int, dword: int, dwords: int
) -> bool:
    """Whether an earlier lane of the beat reads the same dword."""
    for other in range(low, lane):
        if _active(mask, other):
            gap = dword - (_address(words, at, other) >> 2)
            if 0 <= gap < dwords:
                return True
    return False


@_part
def _bank_clocks(words: Any, at: int, size: int, lanes: int, atomic: bool, counts: Any) -> float:
    """Clocks in which the banks serve an LDS access, beat by beat of 128 bytes.

    Atomics to one dword follow each other like those to different ones.
    """
    mask, banks = words[at + 1], counts.shape[0]
    dwords = max(size, 4) // 4
    clocks = 0.0
    beat = max(1, 32 // dwords)
    if _side_by_side(words, at, lanes) and words[at + 3] == np.uint64(4 * dwords):
        return float((lanes + beat - 1) // beat)  # as many banks as dwords in every beat
    for low in range(0, lanes, beat):
        for bank in range(banks):
            counts[bank] = 0
        worst = 0
        for lane in range(low, min(lanes, low + beat)):
            if not _active(mask, lane):
                continue
            first = _address(words, at, lane) >> 2
            for dword in range(first, first + dwords):
                if atomic or not _broadcast(words, at, mask, low, lane, dword, dwords):
                    counts[dword % banks] += 1
                    worst = max(worst, counts[dword % banks])
        clocks += worst
    return clocks


@_part
def _insert(found: Any, count: int, value: int) -> int:
    """Add `value` to the first `count` of `found` unless it is there; returns the new count."""
    for k in range(count - 1, -1, -1):
        if found[k] == value:
            return count
    found[count] = value
    return count + 1


@_part
def _sectors(words: Any, at: int, size: int, lanes: int, found: Any) -> int:
    """Distinct 64-byte sectors of a memory access, into `found`; returns how many."""
    mask, count, last = words[at + 1], 0, np.int64(-1)
    if _side_by_side(words, at, lanes) and np.uint64(0) < words[at + 3] <= np.uint64(64):
        end = (_address(words, at, lanes - 1) + size - 1) >> 6  # no sector between is left out
        for sector in range(_address(words, at, 0) >> 6, end + 1):
            if count < found.shape[0]:
                found[count] = sector
                count += 1
        return count
    for lane in range(lanes):
        if _active(mask, lane):
            address = _address(words, at, lane)
            for sector in range(address >> 6, ((address + size - 1) >> 6) + 1):
                if sector != last and count < found.shape[0]:
                    count = _insert(found, count, sector)
                last = sector
    return count


@_part
def _first_touch(seen: Any, line: int) -> bool:
    """Add a line to the hash set `seen`; whether it was not there."""
    slot = (line * np.int64(0x9E3779B1) >> 7) % seen.shape[0]
    while seen[slot] != -1:
        if seen[slot] == line:
            return False
        slot = (slot + 1) % seen.shape[0]
    seen[slot] = line
    return True


@_part
def _cached(lines: Any, stamps: Any, line: int, clock: int) -> bool:
    """Whether the L1 holds a line; afterwards it does (least recently used of its set goes)."""
    row, oldest = line % lines.shape[0], 0
    for way in range(lines.shape[1]):
        if lines[row, way] == line:
            stamps[row, way] = clock
            return True
        if stamps[row, way] < stamps[row, oldest]:
            oldest = way
    lines[row, oldest] = line
    stamps[row, oldest] = clock
    return False


def _cost(
    words: Any, entries: Any, rows: Any, lanes: int, flags: Any, atomic_clocks: float,
    counts: Any, lines: Any, stamps: Any, seen: Any, sectors: Any, found: Any,
    port: Any, moved: Any, fresh: Any, serial: Any, asked: Any,
) -> None:  # fmt: skip
    """Fill the rows of `Accesses` for the entries in the order in which the unit sees them."""
    for n in range(entries.shape[0]):
        at, row = entries[n], rows[n]
        head = words[at]
        flag = flags[_field(head, 0, 0xFFFFFFFF)]
        size = _field(head, T.SIZE_SHIFT, 255)
        active = 0
        for lane in range(lanes):
            active += _active(words[at + 1], lane)
        asked[row] = active * size
        if _field(head, T.SPACE_SHIFT, 255) == T.LDS:
            port[row] = _bank_clocks(words, at, size, lanes, flag & ATOMIC != 0, counts)
            continue
        touched = _sectors(words, at, size, lanes, sectors)
        distinct = 0
        for k in range(touched):
            distinct = _insert(found, distinct, sectors[k] >> 1)
        first, missed = 0, 0
        through = flag & (STORE | ATOMIC) != 0
        for k in range(distinct):
            first += _first_touch(seen, found[k])
            if not through:
                missed += not _cached(lines, stamps, found[k], n + 1)
        port[row] = max(active * size / _LANE_BYTES_PER_CLOCK, float(distinct))
        moved[row] = 64.0 * touched if through else 128.0 * missed
        fresh[row] = min(moved[row], 128.0 * first)
        if flag & ATOMIC:
            port[row] = max(port[row], float(active))
            serial[row] = atomic_clocks * active / max(1, touched)


def _most_lines(words: Any, entries: Any, lanes: int) -> int:
    """Lines that the entries can touch at most, each counted for itself."""
    total = 0
    for n in range(entries.shape[0]):
        at = entries[n]
        lines = _MOST_SECTORS
        if _field(words[at], T.FORM_SHIFT, 255) == T.PROGRESSION:
            first, last = _address(words, at, 0), _address(words, at, lanes - 1)
            lines = min(lines, (abs(last - first) + 255) // 128 + 2)
        total += lines
    return total


_find_starts, _find_rows, _find_costs = compiled(_starts), compiled(_match), compiled(_cost)
_count_lines = compiled(_most_lines)


def accesses(
    program: StaticProgram, waves: Sequence[Stream], machine: MachineModel, residents: int
) -> tuple[list[NDArray[np.int32]], Accesses]:
    """What the waves of one workgroup cost the memory path.

    Args:
        program: flattened program that the streams' indices refer to.
        waves: the workgroup's waves.
        machine: constants.
        residents: workgroups that share the unit's L1; each has an equal part of its ways.

    Returns:
        (row of every executed instruction by wave, -1 where nothing is recorded; the rows).
    """
    lanes = waves[0].touches.lanes
    halves = np.where(program.flags & PAIR != 0, 2, 1)
    base, first_row = 0, 0
    words: list[NDArray[np.uint64]] = []
    found: list[NDArray[np.int32]] = []
    entries: list[NDArray[np.int64]] = []
    rows: list[NDArray[np.int64]] = []
    progress: list[_F64] = []
    for wave in waves:
        mine = wave.touches.words
        starts = np.empty(mine.shape[0] // 4 + 1, np.int64)
        starts = starts[: int(_find_starts(mine, lanes, starts))]
        access = np.empty(wave.indices.shape[0], np.int32)
        used = int(_find_rows(mine, starts, wave.indices, halves, first_row, access))
        starts = starts[:used]
        words.append(mine)
        found.append(access)
        entries.append(starts + base)
        rows.append(np.arange(first_row, first_row + used, dtype=np.int64))
        progress.append(np.arange(used, dtype=np.float64) / max(1, used))
        base, first_row = base + mine.shape[0], first_row + used
    # The unit's waves advance evenly; of two at one place the older goes first.
    order = np.argsort(np.concatenate(progress), kind="stable")
    columns = [np.zeros(first_row) for _ in range(5)]
    ways = max(1, machine.count("l1_ways") // residents)
    sets = max(1, machine.count("l1_bytes") // (128 * machine.count("l1_ways")))
    every, places = np.concatenate(words), np.concatenate(entries)
    seen = 2 * int(_count_lines(every, places, lanes)) + 64
    _find_costs(
        every, places[order], np.concatenate(rows)[order], lanes,
        program.flags, machine["atomic_clocks"], np.zeros(machine.count("lds_banks"), np.int64),
        np.full((sets, ways), -1, np.int64), np.zeros((sets, ways), np.int64),
        np.full(seen, -1, np.int64), np.empty(_MOST_SECTORS, np.int64),
        np.empty(_MOST_SECTORS, np.int64), *columns,
    )  # fmt: skip
    # The second half of a pair counts with the first.
    for access, stream in zip(found, waves, strict=True):
        at = access[(access >= 0) & (halves[stream.indices] == 2)]
        for column in columns:
            column[at] += column[at + 1]
    hot: Counter[int] = Counter()
    for stream in waves:
        hot.update(_atomic_addresses(stream, program, lanes))
    port, moved, fresh, serial, asked = columns
    return found, Accesses(port, moved, fresh, serial, asked, hot)


def _atomic_addresses(wave: Stream, program: StaticProgram, lanes: int) -> Counter[int]:
    """Lane operations by dword address of a wave's memory atomics."""
    atomic = (program.flags & ATOMIC != 0) & (program.kind == Kind.VMEM)
    out: Counter[int] = Counter()
    if not atomic.any():
        return out
    words = wave.touches.words
    starts = np.empty(words.shape[0] // 4 + 1, np.int64)
    starts = starts[: int(_find_starts(words, lanes, starts))]
    index = (words[starts] & np.uint64(0xFFFFFFFF)).astype(np.int64)
    for at in starts[atomic[index]].tolist():
        head, mask = int(words[at]), int(words[at + 1])
        active = np.array([mask >> lane & 1 for lane in range(lanes)], bool)
        if head >> T.FORM_SHIFT & 255 == T.PROGRESSION:
            first, step = int(words[at + 2]), int(words[at + 3])
            places = [
                (first + step * lane) & (1 << 64) - 1 for lane in np.flatnonzero(active).tolist()
            ]
            out.update(place >> 2 for place in places)
        else:
            mine = words[at + 2 : at + 2 + lanes][active]
            out.update((mine >> np.uint64(2)).tolist())
    return out
