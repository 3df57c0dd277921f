"""The wait engine: what may be pending, along all paths.

State: per completion queue (counter and order class) the pending register units with the least
number of younger operations of the same queue over all paths (the *distance*). Issuing raises
distances; `wait counter(N)` completes everything at distance N or more; a distance that reaches
the counter's maximum is complete, because issue stalls at a full counter. Out-of-order queues
know only "pending" and are completed by N = 0. Joins take the minimum. This is LLVM's score
bracket with the exact rule for mixed kinds (SIInsertWaitcnts.cpp; CDNA3 ISA section 4.4).

On gfx9 a pending flat operation makes `vmcnt` and `lgkmcnt` meaningful only at 0.
"""

from __future__ import annotations

from typing import NamedTuple

from asmevo.check.engine.analysis import Analysis
from asmevo.check.engine.facts import (
    ATOMIC_BIT,
    CALL,
    INDIRECT,
    LDS_DMA_BIT,
    LDS_READ_BIT,
    LDS_WRITE_BIT,
    MEMORY_BITS,
    MEMORY_LOAD_BIT,
    MEMORY_STORE_BIT,
    WRITE_BACK_BIT,
    ChunkContent,
    InstructionFacts,
    Library,
)
from asmevo.isa.counters import UNORDERED, Order
from asmevo.isa.effects import OpClass

State = tuple[tuple[int, int, int], ...]  # (queue id, distance, mask), sorted

BIT_NAMES = {
    LDS_DMA_BIT: ("lds-dma", "LDS written by a load to LDS"),
    LDS_READ_BIT: ("lds-read", "an LDS read"),
    LDS_WRITE_BIT: ("lds-write", "an LDS write"),
    MEMORY_LOAD_BIT: ("load", "a memory load"),
    MEMORY_STORE_BIT: ("store", "a memory store"),
    WRITE_BACK_BIT: ("write-back", "a cache write-back"),
    ATOMIC_BIT: ("atomic", "an atomic"),
}
AT_RETURN = "wait.pending-at-return"
_PLACES = {OpClass.BARRIER: "barrier", OpClass.LDS: "lds", OpClass.CACHE: "invalidate"}


def _place(f: InstructionFacts) -> str:
    """What an instruction is to pending memory operations: the last word of the rule's name."""
    if f.kind in _PLACES:
        return _PLACES[f.kind]
    if f.touch & LDS_READ_BIT:
        return "lds"
    return "atomic" if f.decoded.atomic else "store"


class Raw(NamedTuple):
    """A finding inside a chunk: relative index, rule, units hit, queue, distance, pending count."""

    at: int
    rule: str
    mask: int
    queue: int
    distance: int
    pending: int


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


class Pending(Analysis[State, Raw]):
    """The analysis of one target."""

    def __init__(self, library: Library) -> None:
        super().__init__(library)
        self.table = library.queues
        target = library.target
        self.flat_blocks = target.is_gfx9
        self.halves_apart = target.major >= 11  # 16-bit halves are registers of their own
        # From gfx12 on vector memory loads write VGPRs out of order (LLVM pull request 105549), and
        # a d16 load may write the whole register (165587): a pair of them into its two halves
        # needs a wait in between there, and none on gfx11, where they are in order (194477).
        self.waw_in_order = {Order.LDS} if target.major >= 12 else {Order.LDS, Order.VMEM}

    @property
    def initial(self) -> State:
        """Nothing pending."""
        return ()

    def join(self, a: State, b: State) -> State:
        """Pointwise minimum of distances."""
        return join(a, b)

    def walk(self, content: ChunkContent, entry: State) -> tuple[State, tuple[Raw, ...]]:
        """See the module."""
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
        return self._exit(pending, heads), tuple(raws)

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

    def _wait(
        self, f: InstructionFacts, pending: dict[int, list[list[int]]], heads: dict[int, int]
    ) -> int:
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
        self, at: int, f: InstructionFacts, pending: dict[int, list[list[int]]],
        heads: dict[int, int], raws: list[Raw],
    ) -> None:  # fmt: skip
        queues = self.table.queues
        own = {q for q, _ in f.pushes}
        for q, entries in pending.items():
            order = queues[q].order
            head = heads.get(q, 0)
            in_order_write = q in own and order in self.waw_in_order
            counts: dict[int, list[int]] = {}
            nearer = 0  # registers that a younger operation of the queue has pending, too
            for e in reversed(entries):
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
                    if mask & ~nearer:
                        raws.append(Raw(at, rule, mask & ~nearer, q, distance, 0))
                if f.flow == INDIRECT and registers & ~(nearer | read):
                    late = registers & ~(nearer | read)
                    raws.append(Raw(at, AT_RETURN, late, q, distance, 0))
                nearer |= registers
                # From here on a read means the new value, whatever the late result does to it.
                e[1] &= ~written
            for bit, distances in counts.items():
                rule = f"wait.{BIT_NAMES[bit][0]}-at-{_place(f)}"
                raws.append(Raw(at, rule, bit, q, max(distances), len(distances)))
