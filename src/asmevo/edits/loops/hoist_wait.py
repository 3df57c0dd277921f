"""Rule `hoist_wait`: wait for loop-invariant loads in front of the loop instead of inside it.

When the first use of a value loaded in front of a loop is inside the loop, the compiler's wait
there runs on every iteration and drains the loop's own loads each time (ROCm/llvm-project#1991).
Waiting once in front lets the waits inside count only what the loop issues.
"""

from __future__ import annotations

from collections.abc import Iterator

from asmevo.edits.base import CompositesOnly, Window, analysed, kernel_function, text_of
from asmevo.edits.waits.pending import FunctionWaits
from asmevo.edits.waits.relax_wait import weakest
from asmevo.edits.waits.rewait import is_terminator
from asmevo.isa.counters import counter_max, decode_wait, encode_waits, is_counter_wait, merge_waits
from asmevo.program.cfg import Block
from asmevo.program.edit import Edit, apply
from asmevo.program.model import Program


class HoistWait(CompositesOnly):
    """See the module."""

    name = "hoist_wait"

    def composites(
        self, program: Program, kernel: str, window: Window
    ) -> Iterator[tuple[Edit, ...]]:
        """For every loop that touches `window`: the wait in front, weaker ones inside."""
        function = kernel_function(program, kernel)
        waits = analysed(program, function, FunctionWaits)
        if not waits.known:
            return
        for header, body in loops(waits.blocks):
            touched = any(
                waits.blocks[b].first < window[1] and waits.blocks[b].last > window[0] for b in body
            )
            outside = [p for p in waits.blocks[header].predecessors if p not in body]
            if not touched or len(outside) != 1:
                continue
            edits = self._loop(waits, waits.blocks[outside[0]], body)
            if edits is not None:
                yield edits

    @staticmethod
    def _loop(waits: FunctionWaits, front: Block, body: frozenset[int]) -> tuple[Edit, ...] | None:
        program, target = waits.program, waits.program.target
        leaving = waits.states(front)[-1]
        read: set[int] = set()
        for b in body:
            block = waits.blocks[b]
            for inst in program.instructions[block.first : block.last]:
                read |= {k[2] for k in leaving.exposed(inst)}
        fields = leaving.need({k: d for k, d in leaving.pending().items() if k[2] in read})
        place = front.last - 1
        if not fields or len(front.successors) != 1:
            return None
        text = encode_waits(fields, target)
        own = program.instructions[place]
        lines = (*text, text_of(program, place)) if is_terminator(own) else (
            text_of(program, place), *text)  # fmt: skip
        insertion = Edit(place, place + 1, lines, "wait once in front of the loop")
        edited = apply(program, [insertion])
        function = kernel_function(edited, waits.function.name)
        after = FunctionWaits(edited, function)
        shift = len(text)
        edits = [insertion]
        for b in sorted(body):
            block = waits.blocks[b]
            for i in range(block.first, block.last):
                if not is_counter_wait(program.instructions[i], target):
                    continue
                now = i + shift if i > place else i
                old = dict(decode_wait(program.instructions[i], target))
                new = dict(old)
                for counter in old:
                    count = weakest(after, now, new, counter)
                    if count >= counter_max(target)[counter]:
                        del new[counter]
                    else:
                        new = {**new, **merge_waits({counter: count})}
                if new != old:
                    after = after.relaxed(now, new)
                    edits.append(Edit(i, i + 1, encode_waits(new, target), "weaker in the loop"))
        return tuple(sorted(edits, key=lambda e: e.first)) if len(edits) > 1 else None


def loops(blocks: tuple[Block, ...]) -> list[tuple[int, frozenset[int]]]:
    """Natural loops: (header, blocks of the loop), inner ones first.

    A back edge is one whose target dominates its source.
    """
    dominators = _dominators(blocks)
    found: dict[int, set[int]] = {}
    for block in blocks:
        for header in block.successors:
            if header not in dominators[block.index]:
                continue
            body = found.setdefault(header, {header})
            todo = [block.index]
            while todo:
                b = todo.pop()
                if b not in body:
                    body.add(b)
                    todo.extend(blocks[b].predecessors)
    return sorted(
        ((h, frozenset(body)) for h, body in found.items()),
        key=lambda item: (len(item[1]), item[0]),
    )


def _dominators(blocks: tuple[Block, ...]) -> list[set[int]]:
    everything = set(range(len(blocks)))
    dominators = [{0} if b.index == 0 else set(everything) for b in blocks]
    changed = True
    while changed:
        changed = False
        for block in blocks[1:]:
            new: set[int] = set(everything) if block.predecessors else set()
            for p in block.predecessors:
                new &= dominators[p]
            new.add(block.index)
            if new != dominators[block.index]:
                dominators[block.index] = new
                changed = True
    return dominators
