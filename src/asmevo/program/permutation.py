"""Is one run of instructions the other in another order that keeps every dependence?

Independent of whoever moved them: nothing here is shared with the edit rules. Each thing that an
order can break is a *cell*: a register unit (VCC, EXEC, SCC, M0 and MODE included), an address
space, a wait counter's queue, the fence. An instruction reads or writes cells. Two orders do the
same if in every cell the writes come in the same order and each read lies between the same writes.
That takes time linear in the number of cells that the instructions touch.

Conservative choices: accesses of one address space alias, whatever their offsets; a flat access
touches global memory, scratch and LDS; an access with scope bits, an atomic and a barrier are
writes of all memory, because others may be ordered by them; a wait keeps its place among memory
operations and among what uses their results, and covers the same operations as before; nothing
crosses control flow, messages, cache control, modes, clocks, indirect registers and what is not
known. Wait states, and waits whose operation or user lies outside the run, are for the static
rules.

Sources: CDNA3 ISA chapters 4 (waits) and 9 (memory); LLVM `AMDGPUUsage`, "Memory Model".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

from asmevo.isa.access import Space
from asmevo.isa.counters import is_counter_wait
from asmevo.isa.decoded import Decoded, OpClass, decode
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import MODE
from asmevo.isa.target import Target

_FENCE = "order"
_MEMORY = ("lds", "memory", "scratch", "gds")
_FENCES = frozenset(
    {OpClass.MESSAGE, OpClass.CACHE, OpClass.BRANCH, OpClass.END, OpClass.OTHER}
)  # fmt: skip
_SPACES = {
    Space.LDS: ("lds",), Space.GDS: ("gds",), Space.SCRATCH: ("scratch",),
    Space.FLAT: ("memory", "scratch", "lds"), Space.TENSOR: ("memory", "lds"),
}  # fmt: skip
_Touch = tuple[Hashable, bool]  # cell, whether it is written


def reordered(before: Sequence[Instruction], after: Sequence[Instruction], target: Target) -> str:
    """Why `after` is not `before` in an order that does the same; empty if it is.

    Args:
        before: a run of instructions that control enters at the top and leaves at the bottom.
        after: the same instructions, perhaps in another order.
        target: the processor.
    """
    if Counter(i.raw for i in before) != Counter(i.raw for i in after):
        return "not the same instructions"
    # A wait for all of a counter does not care about the order in which operations were issued.
    counted = frozenset(c for i in before for c, n in decode(i, target).waits.items() if n)
    old, new = _history(before, target, counted), _history(after, target, counted)
    if old == new:
        return ""
    for name, cells in old.items():
        if new[name] != cells:
            (raw, _), cell = name, next(
                (c for c, at in cells.items() if new[name].get(c) != at), "its waits"
            )  # fmt: skip
            text = next(i.text or i.raw.hex() for i in before if i.raw == raw)
            return f"{text!r} is in another order in {_named(cell)}"
    return "another order"


def _named(cell: Hashable) -> str:
    return f"register unit {cell}" if isinstance(cell, int) else str(cell)


def _history(
    run: Sequence[Instruction], target: Target, counted: frozenset[str]
) -> dict[tuple[bytes, int], dict[Hashable, int]]:
    """Per instruction (bytes, which of its kind): cell -> writes before it."""
    writes: Counter[Hashable] = Counter()
    seen: Counter[bytes] = Counter()
    flying: dict[str, set[int]] = {}  # counter -> registers whose results are on their way
    found: dict[tuple[bytes, int], dict[Hashable, int]] = {}
    for inst in run:
        d = decode(inst, target)
        touched = list(_touches(inst, d, counted))
        if is_counter_wait(inst, target) and not any(c == _FENCE and w for c, w in touched):
            for counter in d.waits:
                touched += [(unit, True) for unit in flying.get(counter, ())]
        for event in d.events:
            flying.setdefault(event.counter, set()).update(d.late_defs)
        found[inst.raw, seen[inst.raw]] = {cell: writes[cell] for cell, _ in touched}
        seen[inst.raw] += 1
        for cell in {cell for cell, write in touched if write}:
            writes[cell] += 1
    return found


def _touches(inst: Instruction, d: Decoded, counted: frozenset[str]) -> Iterator[_Touch]:
    yield _FENCE, _is_fence(inst, d)
    for unit in d.uses:
        yield unit, False
    for unit in d.defs:
        yield unit, True
    for event in d.events:
        yield ("waits on", event.counter), False
        if event.counter in counted:
            yield ("queue of", event.counter), True
    if is_counter_wait(inst, d.target):
        for counter in d.waits:
            yield ("waits on", counter), True
            yield ("queue of", counter), False
    if d.kind in (OpClass.BARRIER, OpClass.WAIT):
        yield from ((space, True) for space in _MEMORY)
        return
    access = d.access
    if access is None or access.permutes:
        return
    ordered = access.ordered or bool(access.atomic)
    spaces = _MEMORY if ordered else _SPACES.get(access.space, ("memory",))
    if access.may_touch_lds and "lds" not in spaces:
        spaces = (*spaces, "lds")
    for space in spaces:
        yield space, d.stores or ordered or (d.lds_dma and space == "lds")


def _is_fence(inst: Instruction, d: Decoded) -> bool:
    t = d.traits
    if not inst.editable or d.kind in _FENCES or d.flow.changes:
        return True
    if d.kind is OpClass.WAIT and not is_counter_wait(inst, d.target):
        return True
    apart = t.pinned or t.indirect or t.environment or t.sets_mode or t.cache.value
    return bool(apart) or MODE in d.defs
