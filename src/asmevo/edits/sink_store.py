"""Rule `sink_store`: delay a store and the wait in front of it past an `if`.

Code that loads a tile as "load, wait, write to LDS" once for A and once for B waits twice for
memory. Moving A's wait and write behind B's load lets both loads overlap. The store moves to a
place that executes exactly when it does now, under the same EXEC; data that the code in between
overwrites gets a register that is free there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from asmevo.edits.base import CompositesOnly, Window, analysed, kernel_function, text_of
from asmevo.edits.order.dependence import is_fence, memory_spaces
from asmevo.edits.values.exec_values import ExecValues
from asmevo.edits.values.renaming import renamed
from asmevo.edits.values.webs import UNDEFINED, Web, web_at
from asmevo.edits.waits.in_flight import LEAVING, is_sync
from asmevo.isa.counters import is_counter_wait
from asmevo.isa.decoded import OpClass, decode
from asmevo.isa.effects import vector_registers
from asmevo.isa.operand import VGPR0
from asmevo.program.cfg import Block
from asmevo.program.dataflow import Liveness, liveness
from asmevo.program.edit import Edit
from asmevo.program.model import Program

_REACH = 12
"""Blocks between the store and its new place, at most."""


@dataclass(frozen=True, slots=True)
class _Move:
    store: int
    wait: int | None
    place: int  # instruction in front of which the store goes
    between: frozenset[int]  # instructions that now execute before the store


class SinkStore(CompositesOnly):
    """See the module."""

    name = "sink_store"

    def composites(
        self, program: Program, kernel: str, window: Window
    ) -> Iterator[tuple[Edit, ...]]:
        """Sets of edits that move one store of `window`, the farthest place first."""
        function = kernel_function(program, kernel)
        masks = analysed(program, function, ExecValues)
        if any(b.unknown_successors for b in masks.blocks):
            return
        live = analysed(program, function, liveness)
        for block in masks.blocks:
            if block.first >= window[1] or block.last <= window[0]:
                continue
            for index in range(block.first, block.last):
                effect = decode(program.instructions[index], program.target)
                plain = effect.stores and not effect.defs and not effect.loads
                if not plain or is_sync(program.instructions[index], program.target):
                    continue
                for move in reversed(list(self._moves(program, masks, block, index))):
                    edits = self._edits(program, masks, live, move)
                    if edits is not None:
                        yield edits

    def _moves(
        self, program: Program, masks: ExecValues, block: Block, store: int
    ) -> Iterator[_Move]:
        """Later places that execute iff the store does, under its mask."""
        mask = masks.before(store)
        wait = (
            store - 1
            if is_counter_wait(program.instructions[store - 1], program.target)
            and store > block.first
            else None
        )
        passed: set[int] = set()
        here = block
        start = store + 1
        for _ in range(_REACH):
            for i in range(start, here.last):
                restored = i > here.first and masks.before(i - 1) != mask
                if masks.before(i) == mask and here is not block and restored:
                    yield _Move(store, wait, i, frozenset(passed))
                if self._blocks_motion(program, store, i):
                    return
                passed.add(i)
            region = _region(masks.blocks, here)
            if region is None:
                return
            inside, after = region
            for b in inside:
                for i in range(masks.blocks[b].first, masks.blocks[b].last):
                    if self._blocks_motion(program, store, i):
                        return
                    passed.add(i)
            here = masks.blocks[after]
            start = here.first

    @staticmethod
    def _blocks_motion(program: Program, store: int, index: int) -> bool:
        """Whether the store may not move behind instruction `index`."""
        inst, target = program.instructions[index], program.target
        effect = decode(inst, target)
        if effect.kind is OpClass.BRANCH:
            return effect.flow.kind in LEAVING
        if is_sync(inst, target) or (is_fence(inst, target) and not is_counter_wait(inst, target)):
            return True
        moved = decode(program.instructions[store], target)
        reads, writes = memory_spaces(inst, effect)
        _, written = memory_spaces(program.instructions[store], moved)
        return bool(written & (reads | writes))

    def _edits(
        self,
        program: Program,
        masks: ExecValues,
        live: Liveness,
        move: _Move,
    ) -> tuple[Edit, ...] | None:
        target = program.target
        moved = decode(program.instructions[move.store], target)
        clobbered: set[int] = set()
        for i in move.between:
            clobbered |= decode(program.instructions[i], target).defs
        lost = {u for u in moved.uses & clobbered if u < 126 or u > 129}
        rename: dict[int, int] = {}
        webs: list[Web] = []
        taken: set[int] = set()
        for unit in sorted(lost):
            if unit < VGPR0:
                return None  # scalar addresses are not renamed
            web = web_at(program, masks, unit, move.store)
            if web is None or UNDEFINED in web.defs or not web.defs:
                return None
            free = self._free(program, masks, live, web, move, taken)
            if free is None:
                return None
            rename[unit] = free
            taken.add(free)
            webs.append(web)
        edits: dict[int, Edit] = {}
        for web in webs:
            for i in (web.defs | web.uses) - {move.store}:
                effect = decode(program.instructions[i], target)
                if i not in web.uses and web.unit in effect.uses:
                    return None  # reads another value of the same register
                text = renamed(text_of(program, i), rename)
                if text is None:
                    return None
                edits[i] = Edit(i, i + 1, (text,), "renamed register")
        store = renamed(text_of(program, move.store), rename)
        if store is None:
            return None
        lines: list[str] = []
        if move.wait is not None:
            lines.append(text_of(program, move.wait))
            edits[move.wait] = Edit(move.wait, move.wait + 1, (), "wait delayed")
        edits[move.store] = Edit(move.store, move.store + 1, (), "store delayed")
        place = move.place
        following = program.instructions[place]
        if is_counter_wait(following, target):
            # The wait that stands there comes first; one that adds nothing is dropped.
            own = text_of(program, place)
            lines = [own, store] if lines in ([], [own]) else [*lines, store, own]
            if place in edits:
                return None
            edits[place] = Edit(place, place + 1, tuple(lines), "store moved here")
        else:
            if place in edits:
                return None
            lines += [store, text_of(program, place)]
            edits[place] = Edit(place, place + 1, tuple(lines), "store moved here")
        return tuple(edits[i] for i in sorted(edits))

    @staticmethod
    def _free(
        program: Program,
        masks: ExecValues,
        live: Liveness,
        web: Web,
        move: _Move,
        taken: set[int],
    ) -> int | None:
        """A vector register that nothing uses while the web's value is alive."""
        span = set(move.between) | set(web.defs) | set(web.uses)
        # Everything that may execute between the definitions and the new place.
        for block in masks.blocks:
            touched = any(block.first <= i < block.last for i in span)
            if touched and move.place not in range(block.first, block.last):
                span.update(range(block.first, block.last))
        place_block = next(b for b in masks.blocks if b.first <= move.place < b.last)
        span.update(range(place_block.first, move.place))
        busy: set[int] = set(taken)
        highest = 0
        for i in span:
            effect = decode(program.instructions[i], program.target)
            busy |= effect.defs | effect.uses
            busy |= live.live_before(i)
        busy |= live.live_before(move.place)
        for block in masks.blocks:
            for i in range(block.first, block.last):
                highest = max(highest, vector_registers(program.instructions[i])[0])
        return next((VGPR0 + r for r in range(highest) if VGPR0 + r not in busy), None)


def _region(blocks: tuple[Block, ...], block: Block) -> tuple[frozenset[int], int] | None:
    """Blocks between `block` and the first block that all its paths come to, and that block.

    None when there is none within reach, or when a path leads back to `block` or before it is
    left: then "between" would mean another iteration.
    """
    if not block.successors:
        return None
    if len(block.successors) == 1:
        only = blocks[block.successors[0]]
        return (frozenset(), only.index) if only.predecessors == (block.index,) else None
    reach = [_reachable(blocks, s, block.index) for s in block.successors]
    common = set(reach[0])
    for r in reach[1:]:
        common &= set(r)
    for candidate in reach[0]:
        if candidate not in common:
            continue
        inside = _inside(blocks, block, candidate)
        if inside is not None:
            return inside, candidate
    return None


def _reachable(blocks: tuple[Block, ...], start: int, stop: int) -> list[int]:
    """Blocks reachable from `start` without passing `stop`, breadth first."""
    order, todo = [start], [start]
    while todo and len(order) < 64:
        for s in blocks[todo.pop(0)].successors:
            if s not in order and s != stop:
                order.append(s)
                todo.append(s)
    return order


def _inside(blocks: tuple[Block, ...], block: Block, end: int) -> frozenset[int] | None:
    """Blocks on the way from `block` to `end`; None unless they form a closed, acyclic region."""
    inside: set[int] = set()
    todo = [s for s in block.successors if s != end]
    while todo:
        b = todo.pop()
        if b in inside:
            continue
        inside.add(b)
        if len(inside) > _REACH or b == block.index:
            return None
        if not blocks[b].successors:
            return None
        todo.extend(s for s in blocks[b].successors if s != end)
    allowed = inside | {block.index}
    if any(set(blocks[b].predecessors) - allowed for b in inside):
        return None
    if set(blocks[end].predecessors) - allowed or end == block.index:
        return None
    # No cycle inside: repeatedly take away blocks without predecessors in the region.
    left = set(inside)
    while left:
        free = {b for b in left if not set(blocks[b].predecessors) & left}
        if not free:
            return None
        left -= free
    return frozenset(inside)
