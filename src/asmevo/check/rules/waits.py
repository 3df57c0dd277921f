"""Wait counters, path-sensitive: every use of a pending result is behind a sufficient wait.

The engine (`check.engine.pending`) says what may be pending where; here that becomes findings with
producer, path and repair.

Memory events have pseudo registers: LDS-DMA pending at an LDS access, and LDS or global memory
operations pending at a barrier, are notes, because only the program's author knows which are
meant to be complete. The same holds for a write-back pending at a store, stores pending at an
atomic and loads pending at an invalidate. A comparison with the original turns any increase into
a refusal.
"""

from __future__ import annotations

from collections.abc import Sequence

from asmevo.check.engine.analysis import engine_of
from asmevo.check.engine.backward import Source, search
from asmevo.check.engine.facts import CALL, MEMORY_BITS, Library, Queue
from asmevo.check.engine.pending import AT_RETURN, BIT_NAMES, Pending, Raw
from asmevo.check.engine.view import Chunk, View
from asmevo.check.findings import ERROR, NOTE, Finding
from asmevo.isa.counters import UNORDERED, Order, encode_waits
from asmevo.isa.hazards.roles import units_of
from asmevo.isa.operand import AGPR0, VGPR0, Reg, RegKind
from asmevo.isa.target import Target

# Uncovered pairs that code known to run every day has (V!): they work by elapsed time. The least
# distances, in instructions, at which the vendor corpus has them; nearer pairs are errors.
_ELAPSED = {
    ("wait.raw", Order.LDS): 107,  # 216 and more but for one; LDS latency does not reach that far
    ("wait.waw", Order.VMEM): 83,  # a dead load's register reused
}


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


def find_source(view: View, consumer: int, raw: Raw, exact: bool = True) -> Source | None:
    """Nearest instruction that left `raw.mask` pending at `consumer` with the raw's distance.

    Only over paths on which no wait completes it. `exact=False` ignores waits for more than zero
    (they prove nothing while a flat operation is pending).
    """
    queue = view.library.queues.queues[raw.queue]
    ordered = queue.order not in UNORDERED

    def scan(chunk: Chunk, end: int, younger: int) -> tuple[int | None, int | None]:
        """State: operations of the queue that are younger than the producer."""
        facts = chunk.content.facts
        for i in range(end - 1, -1, -1):
            f = facts[i]
            for q, mask in f.pushes:
                if q != raw.queue:
                    continue
                if mask & raw.mask and (not ordered or younger == raw.distance):
                    return i, None
                younger += 1
                if ordered and younger > raw.distance:
                    return None, None
            for counter, count in f.waits:
                if counter != queue.counter:
                    continue
                if count == 0 or (exact and ordered and raw.distance - younger >= count):
                    return None, None
            if f.flow == CALL:
                return None, None
        return None, younger if ordered else 0

    return search(view, consumer, 0, scan)


def check_waits(view: View) -> list[Finding]:
    """Findings of the wait rules in one function."""
    findings: list[Finding] = []
    results = engine_of(view.library, Pending).solve(view)
    for number in view.order:
        if results[number].raws:
            raws = reported(results[number].raws, view.library.queues.queues)
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
        _, what = BIT_NAMES[raw.mask]
        place = raw.rule.rpartition("-at-")[2]
        return Finding(
            raw.rule, "-", NOTE, kernel, index, text,
            message=f"{what} may be pending at the {place} ({raw.pending} of {queue.counter})",
            fix=f"if it must be complete: {wait} before it", need=need, have=raw.pending,
            what=queue.counter,
        )  # fmt: skip
    registers = register_text(raw.mask)
    if raw.rule == AT_RETURN:
        return Finding(
            raw.rule, "-", NOTE, kernel, index, text, source.index if source else None, producer,
            source.path if source else (),
            f"{registers} may be pending at this jump: whoever comes next may read it",
            f"{wait} before it", need, None, source.distance if source else None, registers,
        )  # fmt: skip
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
