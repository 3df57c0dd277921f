"""Which register results are still in flight: the proposers' own model of the wait counters.

The state maps every unit with an unfinished result to the smallest number of younger operations
of the same completion order that any path may have issued after it. `cnt(N)` proves completion of
an operation of an ordered class iff at least N younger ones of that class follow it; of an
unordered class (SMEM, messages, gfx9 flat) only `cnt(0)` does. Source: LLVM
`SIInsertWaitcnts.cpp` score brackets, restated as distances; counters from `asmevo.isa.counters`.

This model only shapes proposals. The checker has its own and judges with that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from asmevo.isa.counters import (
    UNORDERED,
    Event,
    Order,
    counter_max,
    decode_wait,
    events,
    is_counter_wait,
    merge_waits,
)
from asmevo.isa.effects import OpClass, effects
from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Target
from asmevo.program.cfg import Block, blocks
from asmevo.program.model import Function, Program

# Pseudo-units of results that are no registers.
LDS_DMA = 4096  # LDS written by a vector memory load
STORED_LDS = 4097  # LDS writes not yet done
STORED_MEMORY = 4098  # memory writes not yet done
FIRST_PSEUDO = LDS_DMA

Key = tuple[str, Order, int]  # counter, completion order, unit
Wait = Mapping[str, int]

# Instructions at which other waves may look at this wave's memory operations.
SYNC_CLASSES = frozenset({OpClass.BARRIER, OpClass.CACHE, OpClass.MESSAGE, OpClass.OTHER})


def is_sync(inst: Instruction, target: Target) -> bool:
    """Whether waits before `inst` may publish memory to others, so must keep their strength.

    True for barriers, cache control, messages, undecodable words, and for atomics and accesses
    with scope bits, which hand-written release sequences end with.
    """
    effect = effects(inst, target)
    if effect.kind in SYNC_CLASSES or not inst.editable:
        return True
    if effect.kind in (OpClass.VMEM, OpClass.FLAT):
        scoped = any(inst.modifiers.get(bit) for bit in ("sc0", "sc1", "glc", "slc", "scc"))
        return scoped or "_atomic" in inst.base
    return effect.kind is OpClass.BRANCH and inst.base.startswith(
        ("s_setpc", "s_swappc", "s_call", "s_rfe", "s_trap")
    )


class WaitState:
    """Results in flight at one point. Mutable; `copy` before branching.

    Attributes:
        pending: (counter, order, unit) -> least number of younger operations of that order.
        outstanding: (counter, order) -> most operations that may be unfinished.
    """

    __slots__ = ("outstanding", "pending", "target")

    def __init__(self, target: Target) -> None:
        self.target = target
        self.pending: dict[Key, int] = {}
        self.outstanding: dict[tuple[str, Order], int] = {}

    def copy(self) -> WaitState:
        """An independent copy."""
        other = WaitState(self.target)
        other.pending = dict(self.pending)
        other.outstanding = dict(self.outstanding)
        return other

    def issue(self, inst: Instruction) -> None:
        """Account for one instruction; a wait instruction takes effect."""
        if is_counter_wait(inst, self.target):
            self.wait(decode_wait(inst, self.target))
            return
        found = events(inst, self.target)
        if not found:
            return
        effect = effects(inst, self.target)
        units: list[int] = list(effect.defs) if effect.returns else []
        if effect.lds_dma:
            units.append(LDS_DMA)
        if effect.stores:
            units.append(STORED_LDS if effect.kind is OpClass.LDS else STORED_MEMORY)
        for event in found:
            self._raise(event, units)

    def _raise(self, event: Event, units: Sequence[int]) -> None:
        counter, order = event.counter, event.order
        maximum = counter_max(self.target)[counter]
        if order not in UNORDERED:
            for key, distance in list(self.pending.items()):
                if key[0] == counter and key[1] is order:
                    # A counter cannot exceed its maximum, so an older operation is complete.
                    if distance + 1 > maximum:
                        del self.pending[key]
                    else:
                        self.pending[key] = distance + 1
        for unit in units:
            self.pending[(counter, order, unit)] = 0
        slot = (counter, order)
        self.outstanding[slot] = min(self.outstanding.get(slot, 0) + 1, maximum + 1)

    def wait(self, fields: Wait) -> None:
        """Take the effect of waiting for `fields` (counter -> count)."""
        for counter, count in fields.items():
            if count == 0:
                self.pending = {k: d for k, d in self.pending.items() if k[0] != counter}
                for slot in [s for s in self.outstanding if s[0] == counter]:
                    del self.outstanding[slot]
                continue
            if self.outstanding.get((counter, Order.FLAT)):
                continue  # gfx9 flat operations may decrement early
            self.pending = {
                k: d
                for k, d in self.pending.items()
                if k[0] != counter or k[1] in UNORDERED or d < count
            }
            for slot, number in list(self.outstanding.items()):
                if slot[0] == counter and slot[1] not in UNORDERED:
                    self.outstanding[slot] = min(number, count)

    def join(self, other: WaitState) -> bool:
        """Widen to cover `other` too; True when anything changed."""
        changed = False
        for key, distance in other.pending.items():
            have = self.pending.get(key)
            if have is None or distance < have:
                self.pending[key] = distance
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
        if not self.pending:
            return {}
        effect = effects(inst, self.target)
        own = {e.order for e in events(inst, self.target)} if effect.returns else set[Order]()
        found: dict[Key, int] = {}
        for key, distance in self.pending.items():
            unit = key[2]
            if unit >= FIRST_PSEUDO:
                if unit == LDS_DMA and effect.kind in (OpClass.LDS, OpClass.FLAT):
                    found[key] = distance
                continue
            if unit in effect.uses or (unit in effect.defs and not self._ordered(key[1], own)):
                found[key] = distance
        return found

    def _ordered(self, order: Order, own: set[Order]) -> bool:
        # Two loads of one ordered class write their registers in order (not on gfx12+).
        return order in own and order not in UNORDERED and self.target.major < 12

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
        exposed = {
            key: distance
            for key, distance in self.pending.items()
            if limit.pending.get(key, distance + 1) > distance
        }
        fields = self.need(exposed)
        for slot, number in self.outstanding.items():
            allowed = limit.outstanding.get(slot, 0)
            if number > allowed:
                counter, order = slot
                zero = order in UNORDERED or self._flat(counter)
                fields = merge_waits(fields, {counter: 0 if zero else allowed})
        return fields


class FunctionWaits:
    """Wait states of one function at every instruction, by fixpoint over its blocks.

    Args:
        program: the program.
        function: the function to analyse; nothing is pending at a kernel's entry.
        overrides: instruction index -> fields that replace what the wait there waits for.
        inserted: instruction index -> fields of a wait that is thought in front of it.
    """

    def __init__(
        self,
        program: Program,
        function: Function,
        overrides: Mapping[int, Wait] | None = None,
        inserted: Mapping[int, Wait] | None = None,
    ) -> None:
        self.program = program
        self.function = function
        self.blocks: tuple[Block, ...] = blocks(program, function)
        self.overrides: Mapping[int, Wait] = overrides or {}
        self._inserted: Mapping[int, Wait] = inserted or {}
        self._entries: dict[int, WaitState] = {}
        self._solve()

    @property
    def known(self) -> bool:
        """Whether every path is known: no calls and no indirect jumps."""
        return self.function.is_kernel and not any(b.unknown_successors for b in self.blocks)

    def _solve(self) -> None:
        target = self.program.target
        if not self.blocks:
            return
        # Besides the entry, blocks that nothing reaches may be entries of their own.
        roots = [b.index for n, b in enumerate(self.blocks) if n == 0 or not b.predecessors]
        self._entries = {index: WaitState(target) for index in roots}
        todo = list(roots)
        by_index = {b.index: b for b in self.blocks}
        while todo:
            block = by_index[todo.pop(0)]
            state = self._entries[block.index].copy()
            for i in range(block.first, block.last):
                self.step(state, i)
            for successor in block.successors:
                if successor not in self._entries:
                    self._entries[successor] = state.copy()
                elif not self._entries[successor].join(state):
                    continue
                if successor not in todo:
                    todo.append(successor)

    def step(self, state: WaitState, index: int) -> None:
        """Advance `state` over instruction `index`, overrides and insertions applied."""
        self.insertion(state, index)
        self.advance(state, index)

    def insertion(self, state: WaitState, index: int) -> None:
        """Take the effect of the wait that is thought in front of instruction `index`, if any."""
        if index in self._inserted:
            state.wait(self._inserted[index])

    def advance(self, state: WaitState, index: int) -> None:
        """Advance `state` over instruction `index` itself."""
        override = self.overrides.get(index)
        if override is not None:
            state.wait(override)
        else:
            state.issue(self.program.instructions[index])

    def entry(self, block: Block) -> WaitState:
        """State at the start of `block` (empty for unreachable blocks)."""
        found = self._entries.get(block.index)
        return found.copy() if found is not None else WaitState(self.program.target)

    def block_of(self, index: int) -> Block | None:
        """The block that holds instruction `index`."""
        return next((b for b in self.blocks if b.first <= index < b.last), None)

    def states(self, block: Block) -> list[WaitState]:
        """States before each instruction of `block`, and one more at its end."""
        state = self.entry(block)
        found = [state.copy()]
        for i in range(block.first, block.last):
            self.step(state, i)
            found.append(state.copy())
        return found

    def weaker_at(self, other: FunctionWaits) -> list[int]:
        """Instruction indices at which this function is less covered than `other`, ascending.

        `other` has the same instructions, with other waits. An instruction is less covered when
        it reads or overwrites a result that is in flight here and finished, or further along,
        there; a synchronising one also when more is unfinished than there.
        """
        found: list[int] = []
        for block in self.blocks:
            mine, theirs = self.entry(block), other.entry(block)
            for i in range(block.first, block.last):
                inst = self.program.instructions[i]
                exposed = mine.exposed(inst)
                if exposed:
                    base = theirs.exposed(inst)
                    if any(base.get(k, d + 1) > d for k, d in exposed.items()):
                        found.append(i)
                        self.step(mine, i)
                        other.step(theirs, i)
                        continue
                if is_sync(inst, self.program.target) and mine.excess(theirs):
                    found.append(i)
                self.step(mine, i)
                other.step(theirs, i)
        return found
