"""Wait counters, path-sensitive: every use of a pending result is behind a sufficient wait.

State: per completion queue (counter and order class) the pending register units with the least
number of younger operations of the same queue over all paths (the *distance*). Issuing raises
distances; `wait counter(N)` completes everything at distance N or more; a distance that reaches
the counter's maximum is complete, because issue stalls at a full counter. Out-of-order queues
know only "pending" and are completed by N = 0. Joins take the minimum. This is LLVM's score
bracket with the exact rule for mixed kinds (SIInsertWaitcnts.cpp; CDNA3 ISA section 4.4).

On gfx9 a pending flat operation makes `vmcnt` and `lgkmcnt` meaningful only at 0.

Memory events have pseudo registers: LDS-DMA pending at an LDS access, and LDS or global memory
operations pending at a barrier, are notes, because only the program's author knows which are
meant to be complete. The same holds for a write-back pending at a store, stores pending at an
atomic and loads pending at an invalidate. A comparison with the original turns any increase into
a refusal.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from asmevo.check.findings import ERROR, NOTE, Finding
from asmevo.check.fixpoint import StateTable, forward
from asmevo.check.view import (
    ATOMIC_BIT,
    CALL,
    LDS_DMA_BIT,
    LDS_READ_BIT,
    LDS_WRITE_BIT,
    MEMORY_BITS,
    MEMORY_LOAD_BIT,
    MEMORY_STORE_BIT,
    WRITE_BACK_BIT,
    Chunk,
    ChunkContent,
    Facts,
    Library,
    Queue,
    View,
)
from asmevo.isa.counters import UNORDERED, Order, encode_waits
from asmevo.isa.effects import OpClass
from asmevo.isa.hazard_roles import units_of
from asmevo.isa.operand import AGPR0, VGPR0, Reg, RegKind
from asmevo.isa.target import Target

State = tuple[tuple[int, int, int], ...]  # (queue id, distance, mask), sorted

# Uncovered pairs that code known to run every day has (V!): they work by elapsed time. The least
# distances, in instructions, at which the vendor corpus has them; nearer pairs are errors.
_ELAPSED = {
    ("wait.raw", Order.LDS): 107,  # 216 and more but for one; LDS latency does not reach that far
    ("wait.waw", Order.VMEM): 83,  # a dead load's register reused
}

_BIT_NAMES = {
    LDS_DMA_BIT: ("lds-dma", "LDS written by a load to LDS"),
    LDS_READ_BIT: ("lds-read", "an LDS read"),
    LDS_WRITE_BIT: ("lds-write", "an LDS write"),
    MEMORY_LOAD_BIT: ("load", "a memory load"),
    MEMORY_STORE_BIT: ("store", "a memory store"),
    WRITE_BACK_BIT: ("write-back", "a cache write-back"),
    ATOMIC_BIT: ("atomic", "an atomic"),
}
_PLACES = {OpClass.BARRIER: "barrier", OpClass.LDS: "lds", OpClass.CACHE: "invalidate"}


def _place(f: Facts) -> str:
    """What an instruction is to pending memory operations: the last word of the rule's name."""
    if f.kind in _PLACES:
        return _PLACES[f.kind]
    if f.touch & LDS_READ_BIT:
        return "lds"
    return "atomic" if "_atomic" in f.base else "store"


class Raw(NamedTuple):
    """A finding inside a chunk: relative index, rule, units hit, queue, distance, pending count."""

    at: int
    rule: str
    mask: int
    queue: int
    distance: int
    pending: int


@dataclass(frozen=True, slots=True)
class Result:
    """Exit state and findings of one chunk."""

    exit: int
    raws: tuple[Raw, ...]


def normal(entries: list[tuple[int, int, int]]) -> State:
    """Canonical state: per queue each register unit only at its least distance."""
    entries.sort()
    out: list[tuple[int, int, int]] = []
    queue, seen = -1, 0
    for q, distance, mask in entries:
        if q != queue:
            queue, seen = q, 0
        left = mask & ~seen
        seen |= left & ~MEMORY_BITS
        if not left:
            continue
        if out and out[-1][0] == q and out[-1][1] == distance:
            out[-1] = (q, distance, out[-1][2] | left)
        else:
            out.append((q, distance, left))
    return tuple(out)


def join(a: State, b: State) -> State:
    """Pointwise minimum of distances; `a` itself when `b` adds nothing."""
    if a == b:
        return a
    new = [e for e in set(b).difference(a) if not _covered(a, e)]
    return normal([*a, *new]) if new else a


def _covered(state: State, entry: tuple[int, int, int]) -> bool:
    """Whether the state has every unit of the entry at its distance or closer."""
    queue, distance, mask = entry
    for q, d, m in state:
        if q == queue and d <= distance:
            mask &= ~m if d == distance else ~m | MEMORY_BITS
            if not mask:
                return True
    return False


class Walker:
    """Transfer function of one target, memoized per chunk content and entry state number."""

    def __init__(self, library: Library) -> None:
        self.table = library.queues
        target = library.target
        self.states: StateTable[State] = StateTable((), join)
        self._memo: dict[tuple[ChunkContent, int], Result] = {}
        self.flat_blocks = target.is_gfx9
        self.halves_apart = target.major >= 11  # 16-bit halves are registers of their own
        self.waw_in_order = {Order.LDS} if target.major >= 12 else {Order.LDS, Order.VMEM}

    def run(self, content: ChunkContent, entry: int) -> Result:
        """Exit state and findings of a chunk for the entry state with that number."""
        found = self._memo.get((content, entry))
        if found is None:
            found = self._walk(content, self.states.states[entry])
            self._memo[content, entry] = found
        return found

    def _walk(self, content: ChunkContent, entry: State) -> Result:
        pending: dict[int, list[list[int]]] = {}  # queue -> [[issue number, mask]], oldest first
        heads: dict[int, int] = {}
        everything = 0
        for q, distance, mask in reversed(entry):
            pending.setdefault(q, []).append([-distance, mask])
            everything |= mask
        raws: list[Raw] = []
        queues = self.table.queues
        for at, f in enumerate(content.facts):
            if everything & f.touch:
                self._check(at, f, pending, heads, raws)
            if f.waits:
                everything = self._wait(f, pending, heads)
            for q, mask in f.pushes:
                head = heads[q] = heads.get(q, 0) + 1
                if not mask:
                    continue
                entries = pending.setdefault(q, [])
                everything |= mask
                if queues[q].order in UNORDERED:
                    if entries:
                        entries[0][1] |= mask
                    else:
                        entries.append([head, mask])
                    continue
                entries.append([head, mask])
                if head - entries[0][0] >= queues[q].maximum:
                    del entries[0]
            if f.flow == CALL:
                # The callee waits for everything at its entry and before it returns.
                pending.clear()
                everything = 0
        return Result(self.states.number(self._exit(pending, heads)), tuple(raws))

    def _exit(self, pending: dict[int, list[list[int]]], heads: dict[int, int]) -> State:
        out: list[tuple[int, int, int]] = []
        for q, entries in pending.items():
            head, queue = heads.get(q, 0), self.table.queues[q]
            ordered = queue.order not in UNORDERED
            for issued, mask in entries:
                distance = head - issued if ordered else 0
                if mask and (not ordered or distance < queue.maximum):
                    out.append((q, distance, mask))
        return normal(out)

    def _wait(self, f: Facts, pending: dict[int, list[list[int]]], heads: dict[int, int]) -> int:
        queues = self.table.queues
        for counter, count in f.waits:
            of_counter = self.table.of_counter.get(counter, ())
            if count == 0:
                for q in of_counter:
                    pending.pop(q, None)
                continue
            if self.flat_blocks and any(
                pending.get(q) for q in of_counter if queues[q].order is Order.FLAT
            ):
                continue
            for q in of_counter:
                entries = pending.get(q)
                if entries and queues[q].order not in UNORDERED:
                    limit = heads.get(q, 0) - count
                    pending[q] = [e for e in entries if e[0] > limit]
        everything = 0
        for entries in pending.values():
            for e in entries:
                everything |= e[1]
        return everything

    def _check(
        self, at: int, f: Facts, pending: dict[int, list[list[int]]], heads: dict[int, int],
        raws: list[Raw],
    ) -> None:  # fmt: skip
        queues = self.table.queues
        own = {q for q, _ in f.pushes}
        for q, entries in pending.items():
            order = queues[q].order
            head = heads.get(q, 0)
            in_order_write = q in own and order in self.waw_in_order
            counts: dict[int, list[int]] = {}
            for e in entries:
                hit = e[1] & f.touch
                if not hit:
                    continue
                distance = 0 if order in UNORDERED else head - e[0]
                bits = hit & MEMORY_BITS
                while bits:
                    low = bits & -bits
                    bits ^= low
                    counts.setdefault(low, []).append(distance)
                registers = hit & ~MEMORY_BITS
                read = registers & f.uses
                if in_order_write and self.halves_apart:
                    read &= ~f.partial  # the other half is merged in order, too
                written = registers & f.defs & ~read
                if written and in_order_write:
                    written = 0
                for mask, rule in ((read, "wait.raw"), (written, "wait.waw")):
                    if mask:
                        raws.append(Raw(at, rule, mask, q, distance, 0))
                # From here on a read means the new value, whatever the late result does to it.
                e[1] &= ~written
            for bit, distances in counts.items():
                rule = f"wait.{_BIT_NAMES[bit][0]}-at-{_place(f)}"
                raws.append(Raw(at, rule, bit, q, max(distances), len(distances)))


def register_text(mask: int) -> str:
    """Registers of a mask as tuples: `v[2:3], s4`."""
    names: list[str] = []
    units = [u for u in units_of(mask) if u < 200 or u >= VGPR0]
    i = 0
    while i < len(units):
        j = i
        while j + 1 < len(units) and units[j + 1] == units[j] + 1:
            j += 1
        first, count = units[i], j - i + 1
        if first >= AGPR0:
            reg = Reg(RegKind.AGPR, first - AGPR0, count)
        elif first >= VGPR0:
            reg = Reg(RegKind.VGPR, first - VGPR0, count)
        else:
            reg = Reg(RegKind.SGPR, first, count)
        names.append(str(reg) if first != 128 else "scc")
        i = j + 1
    return ", ".join(names)


@dataclass(frozen=True, slots=True)
class Source:
    """A producer found by searching backwards."""

    index: int
    distance: int  # instructions from producer to consumer, adjacent 1
    path: tuple[int, ...]


_SEARCH_LIMIT = 20_000


def find_source(view: View, consumer: int, raw: Raw, exact: bool = True) -> Source | None:
    """Nearest instruction that left `raw.mask` pending at `consumer` with the raw's distance.

    Walks the graph backwards over paths on which no wait completes it. `exact=False` ignores
    waits for more than zero (they prove nothing while a flat operation is pending).
    """
    queue = view.library.queues.queues[raw.queue]
    ordered = queue.order not in UNORDERED
    start = view.chunk_at(consumer)
    heap: list[tuple[int, int, int, int, tuple[int, ...]]] = [
        (0, start.number, consumer - start.first, 0, (start.first,))
    ]
    seen: set[tuple[int, int]] = set()
    steps = 0
    while heap and steps < _SEARCH_LIMIT:
        walked, number, end, younger, path = heapq.heappop(heap)
        chunk = view.chunks[number]
        outcome = _scan(chunk, end, walked, younger, raw, queue, ordered, exact)
        steps += end
        if isinstance(outcome, Source):
            return Source(outcome.index, outcome.distance, tuple(reversed(path)))
        if outcome is None:
            continue
        for p in chunk.predecessors:
            before = view.chunks[p]
            key = (p, outcome)
            if key in seen:
                continue
            seen.add(key)
            length = before.last - before.first
            step = (*path, before.first) if chunk.leader else (*path[:-1], before.first)
            heapq.heappush(heap, (walked + end, p, length, outcome, step))
    return None


def _scan(
    chunk: Chunk, end: int, walked: int, younger: int, raw: Raw, queue: Queue, ordered: bool,
    exact: bool,
) -> Source | int | None:  # fmt: skip
    """Scan a chunk backwards: the source, the count of younger operations, or None (stop)."""
    facts = chunk.content.facts
    for i in range(end - 1, -1, -1):
        f = facts[i]
        for q, mask in f.pushes:
            if q != raw.queue:
                continue
            if mask & raw.mask and (not ordered or younger == raw.distance):
                return Source(chunk.first + i, walked + end - i, ())
            younger += 1
            if ordered and younger > raw.distance:
                return None
        for counter, count in f.waits:
            if counter != queue.counter:
                continue
            if count == 0 or (exact and ordered and raw.distance - younger >= count):
                return None
        if f.flow == CALL:
            return None
    return younger if ordered else 0


def walker_of(library: Library) -> Walker:
    """The target's walker; a new one when its tables have outgrown their bound."""
    found = library.engines.get("waits")
    if not isinstance(found, Walker) or found.states.full:
        found = library.engines["waits"] = Walker(library)
    return found


def solve(view: View, walker: Walker) -> dict[int, Result]:
    """Result of every reachable chunk at the fixed point."""
    return forward(view, 0, walker.run, lambda result: result.exit, walker.states.join)


def check_waits(view: View) -> list[Finding]:
    """Findings of the wait rules in one function."""
    walker = walker_of(view.library)
    findings: list[Finding] = []
    results = solve(view, walker)
    for number in view.order:
        if results[number].raws:
            raws = reported(results[number].raws, walker.table.queues)
            findings += [_finding(view, view.chunks[number], raw) for raw in raws]
    return findings


def _finding(view: View, chunk: Chunk, raw: Raw) -> Finding:
    index = chunk.first + raw.at
    source = None
    if not raw.mask & MEMORY_BITS:
        source = find_source(view, index, raw) or find_source(view, index, raw, exact=False)
    producer = view.fact(source.index).inst.text or "" if source else ""
    text = chunk.content.facts[raw.at].inst.text or ""
    return describe(view.library, view.name, index, text, raw, source, producer)


def describe(
    library: Library, kernel: str, index: int, text: str, raw: Raw, source: Source | None,
    producer: str,
) -> Finding:  # fmt: skip
    """The finding of a raw one: `index` and `text` of the consumer, the producer if found."""
    queue = library.queues.queues[raw.queue]
    need = 0 if queue.order in UNORDERED else raw.distance
    wait = _wait_text(queue, need, library.target)
    if raw.mask & MEMORY_BITS:
        # How many are pending says all; which ones depends on the path.
        _, what = _BIT_NAMES[raw.mask]
        place = raw.rule.rpartition("-at-")[2]
        return Finding(
            raw.rule, "-", NOTE, kernel, index, text,
            message=f"{what} may be pending at the {place} ({raw.pending} of {queue.counter})",
            fix=f"if it must be complete: {wait} before it", need=need, have=raw.pending,
            what=queue.counter,
        )  # fmt: skip
    registers = register_text(raw.mask)
    doing = "read" if raw.rule == "wait.raw" else "overwritten"
    message = f"{registers} is {doing} while the result of {producer or 'a load'!r} may be pending"
    mark, severity = "R", ERROR
    elapsed = _ELAPSED.get((raw.rule, queue.order))
    if _lds_half(queue):
        mark, severity = "L", NOTE
        message += " in its LDS half (a flat access to LDS)"
    elif elapsed is not None and source is not None and source.distance >= elapsed:
        mark, severity = "V!", NOTE
        message += f" ({source.distance} instructions before)"
    return Finding(
        raw.rule, mark, severity, kernel, index, text, source.index if source else None, producer,
        source.path if source else (), message, f"{wait} before it", need, None,
        source.distance if source else None, registers,
    )  # fmt: skip


def _lds_half(queue: Queue) -> bool:
    """Whether the queue is the LDS half of flat operations, which vmcnt covers in practice."""
    return queue.order is Order.FLAT and queue.counter == "lgkmcnt"


def reported(raws: Sequence[Raw], queues: Sequence[Queue]) -> list[Raw]:
    """The raw findings without the LDS half of flat ones that are there through vmcnt, too."""
    covered = {(r.at, r.mask) for r in raws if queues[r.queue].counter == "vmcnt"}
    return [r for r in raws if not (_lds_half(queues[r.queue]) and (r.at, r.mask) in covered)]


def _wait_text(queue: Queue, need: int, target: Target) -> str:
    return " and ".join(encode_waits({queue.counter: need}, target)) or f"wait {queue.counter}"
