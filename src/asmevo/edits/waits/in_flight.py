"""Register results in flight at one point: the proposers' own model of the wait counters.

The state maps every unit with an unfinished result to the smallest number of younger operations
of the same completion order that any path may have issued after it. `cnt(N)` proves completion of
an operation of an ordered class iff at least N younger ones of that class follow it; of an
unordered class (SMEM, messages, gfx9 flat) only `cnt(0)` does. Source: LLVM
`SIInsertWaitcnts.cpp` score brackets, restated as distances; counters from `asmevo.isa.counters`.

This model only shapes proposals. The checker has its own and judges with that.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from asmevo.isa.counters import (
    UNORDERED,
    Order,
    counter_max,
    decode_wait,
    events,
    is_counter_wait,
    merge_waits,
)
from asmevo.isa.decoded import OpClass, decode
from asmevo.isa.flow import FlowKind
from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Target

# Pseudo-units of results that are no registers.
LDS_DMA = 4096  # LDS written by a vector memory load
STORED_LDS = 4097  # LDS writes not yet done
STORED_MEMORY = 4098  # memory writes not yet done

Key = tuple[str, Order, int]  # counter, completion order, unit
Slot = tuple[str, Order]
Wait = Mapping[str, int]

# Instructions at which other waves may look at this wave's memory operations.
SYNC_CLASSES = frozenset({OpClass.BARRIER, OpClass.CACHE, OpClass.MESSAGE, OpClass.OTHER})
# Control flow behind which other code than this function's may run.
LEAVING = frozenset({FlowKind.CALL, FlowKind.COMPUTED, FlowKind.FORK, FlowKind.TRAP})


def is_sync(inst: Instruction, target: Target) -> bool:
    """Whether waits before `inst` may publish memory to others, so must keep their strength.

    True for barriers, cache control, messages, undecodable words, and for atomics and accesses
    with scope bits, which hand-written release sequences end with.
    """
    effect = decode(inst, target)
    if effect.kind in SYNC_CLASSES or not inst.editable:
        return True
    if effect.kind in (OpClass.VMEM, OpClass.FLAT):
        access = effect.access
        return access is not None and (
            access.ordered or access.atomic != "" or "slc" in access.cache
        )
    return effect.flow.kind in LEAVING


class WaitFacts:
    """What the wait model needs of one instruction.

    `inert` ones change no state; `sync` is what `is_sync` says.
    """

    __slots__ = (
        "defs", "events", "inert", "lds_access", "maxima", "ordered", "sync", "units", "uses",
        "wait",
    )  # fmt: skip

    def __init__(self, inst: Instruction, target: Target) -> None:
        effect = decode(inst, target)
        self.uses = effect.uses
        self.defs = effect.defs
        self.wait: Wait | None = None
        if is_counter_wait(inst, target):
            self.wait = decode_wait(inst, target)
        found = events(inst, target)
        self.events: tuple[Slot, ...] = tuple((e.counter, e.order) for e in found)
        self.maxima = tuple(counter_max(target)[e.counter] for e in found)
        units: list[int] = list(effect.defs) if effect.returns else []
        if effect.lds_dma:
            units.append(LDS_DMA)
        if effect.stores:
            units.append(STORED_LDS if effect.kind is OpClass.LDS else STORED_MEMORY)
        self.units = tuple(units)
        self.lds_access = effect.kind in (OpClass.LDS, OpClass.FLAT)
        # Two loads of one ordered class write their registers in order (not on gfx12+).
        own = {e.order for e in found} if effect.returns and target.major < 12 else set[Order]()
        self.ordered = frozenset(own - UNORDERED)
        self.inert = self.wait is None and not self.events
        self.sync = is_sync(inst, target)


@lru_cache(maxsize=1 << 18)
def facts_of(inst: Instruction, arch: str) -> WaitFacts:
    """The facts of `inst` on the target called `arch` (cached)."""
    return WaitFacts(inst, Target(arch))


class WaitState:
    """Results in flight at one point. Mutable; `copy` before branching."""

    __slots__ = ("_born", "_issued", "outstanding", "target")

    def __init__(self, target: Target) -> None:
        self.target = target
        # Per class, operations issued so far; per unit and class, how many were when its newest
        # result was issued. Their difference is the number of younger operations.
        self._issued: dict[Slot, int] = {}
        self._born: dict[int, dict[Slot, int]] = {}
        self.outstanding: dict[Slot, int] = {}

    def copy(self) -> WaitState:
        """An independent copy."""
        other = WaitState(self.target)
        other._issued = dict(self._issued)
        other._born = {unit: dict(born) for unit, born in self._born.items()}
        other.outstanding = dict(self.outstanding)
        return other

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, WaitState)
            and self.outstanding == other.outstanding
            and self.pending() == other.pending()
        )

    __hash__ = None  # type: ignore[assignment]

    def pending(self) -> dict[Key, int]:
        """(counter, order, unit) -> least number of younger operations of that order."""
        maxima = counter_max(self.target)
        return {
            (slot[0], slot[1], unit): self._issued[slot] - birth
            for unit, born in self._born.items()
            for slot, birth in born.items()
            # A counter cannot exceed its maximum: older operations are complete.
            if self._issued[slot] - birth <= maxima[slot[0]]
        }

    def issue(self, inst: Instruction) -> None:
        """Account for one instruction; a wait instruction takes effect."""
        self.take(facts_of(inst, self.target.arch))

    def take(self, facts: WaitFacts) -> None:
        """`issue` of the instruction with these facts."""
        if facts.wait is not None:
            self.wait(facts.wait)
            return
        for slot, maximum in zip(facts.events, facts.maxima, strict=True):
            if slot[1] in UNORDERED:
                self._issued.setdefault(slot, 0)
            else:
                self._issued[slot] = self._issued.get(slot, 0) + 1
            for unit in facts.units:
                self._born.setdefault(unit, {})[slot] = self._issued[slot]
            self.outstanding[slot] = min(self.outstanding.get(slot, 0) + 1, maximum + 1)

    def wait(self, fields: Wait) -> None:
        """Take the effect of waiting for `fields` (counter -> count)."""
        for counter, count in fields.items():
            if count and self.outstanding.get((counter, Order.FLAT)):
                continue  # gfx9 flat operations may decrement early
            for slot in [s for s in self.outstanding if s[0] == counter]:
                if count == 0:
                    del self.outstanding[slot]
                elif slot[1] not in UNORDERED:
                    self.outstanding[slot] = min(self.outstanding[slot], count)
            gone: list[int] = []
            for unit, born in self._born.items():
                for slot in [s for s in born if s[0] == counter]:
                    done = slot[1] not in UNORDERED and self._issued[slot] - born[slot] >= count
                    if count == 0 or done:
                        del born[slot]
                if not born:
                    gone.append(unit)
            for unit in gone:
                del self._born[unit]

    def join(self, other: WaitState) -> bool:
        """Widen to cover `other` too; True when anything changed."""
        changed = False
        for unit, born in other._born.items():
            mine = self._born.get(unit)
            for slot, birth in born.items():
                distance = other._issued[slot] - birth
                have = None if mine is None else mine.get(slot)
                if have is not None and self._issued[slot] - have <= distance:
                    continue
                if mine is None:
                    mine = self._born.setdefault(unit, {})
                if slot not in self._issued:
                    self._issued[slot] = 0
                mine[slot] = self._issued[slot] - distance
                changed = True
        for slot, number in other.outstanding.items():
            if number > self.outstanding.get(slot, 0):
                self.outstanding[slot] = number
                changed = True
        return changed

    def _flat(self, counter: str) -> bool:
        return bool(self.outstanding.get((counter, Order.FLAT)))

    def exposed(self, inst: Instruction) -> dict[Key, int]:
        """Pending results that `inst` reads or overwrites without an ordering guarantee."""
        return self.touched(facts_of(inst, self.target.arch)) if self._born else {}

    def touched(self, facts: WaitFacts) -> dict[Key, int]:
        """`exposed` for the instruction with these facts."""
        if not self._born:
            return {}
        found: dict[Key, int] = {}
        if facts.lds_access:
            self._collect(LDS_DMA, frozenset(), found)
        for unit in facts.uses:
            if unit in self._born:
                self._collect(unit, frozenset(), found)
        for unit in facts.defs:
            if unit in self._born and unit not in facts.uses:
                self._collect(unit, facts.ordered, found)
        return found

    def _collect(self, unit: int, ordered: frozenset[Order], found: dict[Key, int]) -> None:
        born = self._born.get(unit)
        for slot, birth in (born or {}).items():
            distance = self._issued[slot] - birth
            if slot[1] not in ordered and distance <= counter_max(self.target)[slot[0]]:
                found[(slot[0], slot[1], unit)] = distance

    def need(self, exposed: Mapping[Key, int]) -> dict[str, int]:
        """The weakest wait that completes all of `exposed`."""
        fields: dict[str, int] = {}
        for (counter, order, _unit), distance in exposed.items():
            zero = order in UNORDERED or self._flat(counter)
            fields = merge_waits(fields, {counter: 0 if zero else distance})
        return fields

    def excess(self, limit: WaitState) -> dict[str, int]:
        """The weakest wait that makes this state no weaker than `limit`; empty if it is not.

        Weaker means: a result in flight that is finished in `limit` or has fewer younger
        operations than there, or more operations unfinished.
        """
        theirs = limit.pending()
        exposed = {
            key: distance
            for key, distance in self.pending().items()
            if theirs.get(key, distance + 1) > distance
        }
        fields = self.need(exposed)
        for slot, number in self.outstanding.items():
            allowed = limit.outstanding.get(slot, 0)
            if number > allowed:
                counter, order = slot
                zero = order in UNORDERED or self._flat(counter)
                fields = merge_waits(fields, {counter: 0 if zero else allowed})
        return fields
