"""Which register results are still in flight, at every instruction of a function.

A fixpoint over the basic blocks of the states of `asmevo.edits.waits.in_flight`. Rules try many
weaker waits: what one of them changes is followed from that wait on, and no further than it goes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from asmevo.edits.waits.in_flight import Wait, WaitState, facts_of
from asmevo.program.cfg import Block, blocks
from asmevo.program.model import Function, Program


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
        self._facts = {
            i: facts_of(program.instructions[i], program.target.arch)
            for i in range(function.first, function.last)
        }
        # Per block, the instructions that change the state at all.
        self._active = [
            [i for i in range(b.first, b.last) if not self._facts[i].inert or i in self._inserted]
            for b in self.blocks
        ]
        self._states: dict[int, Sequence[WaitState]] = {}
        self._entries: dict[int, WaitState] = {}
        self._touched: set[int] = set()
        self._changed = -1  # the wait that `relaxed` weakened
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
        self._touched = set(range(len(self.blocks)))
        self._propagate(roots, set(roots))

    def _propagate(self, todo: list[int], own: set[int]) -> None:
        """Bring the entries to rest, starting with blocks `todo`.

        Only states of blocks in `own` may be changed in place; others are shared.
        """
        todo = list(todo)
        while todo:
            block = self.blocks[todo.pop(0)]
            state = self._entries[block.index].copy()
            for i in self._active[block.index]:
                self.step(state, i)
            self._hand_on(block, state, todo, own)

    def _hand_on(self, block: Block, state: WaitState, todo: list[int], own: set[int]) -> None:
        """Join the state at the end of `block` into its successors; those that change are to do."""
        for successor in block.successors:
            if successor not in self._entries:
                self._entries[successor] = state.copy()
                own.add(successor)
            else:
                if successor not in own:
                    trial = self._entries[successor].copy()
                    if not trial.join(state):
                        continue
                    self._entries[successor] = trial
                    own.add(successor)
                elif not self._entries[successor].join(state):
                    continue
            self._touched.add(successor)
            if successor not in todo:
                todo.append(successor)

    def relaxed(self, index: int, fields: Wait) -> FunctionWaits:
        """The function with the wait at `index` weakened to `fields` (only weakened)."""
        other = FunctionWaits.__new__(FunctionWaits)
        other.program, other.function, other.blocks = self.program, self.function, self.blocks
        other.overrides = {**self.overrides, index: fields}
        other._inserted = self._inserted
        other._facts, other._active = self._facts, self._active
        other._states, other._changed = {}, index
        # Weaker waits only add to what is in flight, so the present solution is a start.
        other._entries = dict(self._entries)
        block = self.block_of(index)
        other._touched = set() if block is None else {block.index}
        if block is not None and block.index in other._entries:
            present = self.states(block)
            state = present[index - block.first].copy()
            for i in self._active[block.index]:
                if i < index:
                    continue
                other.step(state, i)
                if self._facts[i].wait is not None and state == present[i + 1 - block.first]:
                    return other  # a later wait makes up for it
            todo: list[int] = []
            own: set[int] = set()
            other._hand_on(block, state, todo, own)
            other._propagate(todo, own)
        return other

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
            state.take(self._facts[index])

    def entry(self, block: Block) -> WaitState:
        """State at the start of `block` (empty for unreachable blocks)."""
        found = self._entries.get(block.index)
        return found.copy() if found is not None else WaitState(self.program.target)

    def block_of(self, index: int) -> Block | None:
        """The block that holds instruction `index`."""
        return next((b for b in self.blocks if b.first <= index < b.last), None)

    def states(self, block: Block) -> Sequence[WaitState]:
        """States before each instruction of `block`, and one more at its end.

        They are shared, with later callers and among each other: nobody may change them.
        """
        if block.index not in self._states:
            state = self.entry(block)
            found = [state]
            active = set(self._active[block.index])
            for i in range(block.first, block.last):
                if i in active:
                    state = state.copy()
                    self.step(state, i)
                found.append(state)
            self._states[block.index] = found
        return self._states[block.index]

    def is_weaker(self, other: FunctionWaits) -> bool:
        """Whether any instruction is less covered than in `other`: see `weaker_at`."""
        return next(self.weaker_at(other), None) is not None

    def weaker_at(self, other: FunctionWaits) -> Iterator[int]:
        """Instruction indices at which this function is less covered than `other`, ascending.

        `other` has the same instructions, with other waits. An instruction is less covered when
        it reads or overwrites a result that is in flight here and finished, or further along,
        there; a synchronising one also when more is unfinished than there. When this function
        was made by `relaxed`, `other` is the one it was made from.
        """
        for block in self.blocks:
            if block.index in self._touched:
                yield from self._weaker_in(block, other)

    def _weaker_in(self, block: Block, other: FunctionWaits) -> Iterator[int]:
        theirs = other.states(block)
        mine, start = self.entry(block), block.first
        changed = self._changed if block.first <= self._changed < block.last else block.first
        if self._entries.get(block.index) is other._entries.get(block.index):
            mine, start = theirs[changed - block.first].copy(), changed
        active = set(self._active[block.index])
        for i in range(start, block.last):
            facts, their = self._facts[i], theirs[i - block.first]
            exposed = mine.touched(facts)
            base = their.touched(facts) if exposed else exposed
            if any(base.get(k, d + 1) > d for k, d in exposed.items()) or (
                facts.sync and mine.excess(their)
            ):
                yield i
            if i in active:
                self.step(mine, i)
                if facts.wait is not None and i >= changed and mine == theirs[i + 1 - block.first]:
                    return  # the rest of the block finds what it finds there
