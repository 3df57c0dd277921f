"""Rule `relax_wait`: weaken waits to the smallest sufficient count, or move them to first use.

Compilers wait early and for everything (`lgkmcnt(0)` where only the oldest load is needed, a
wait in front of address arithmetic that does not use the result). A weaker or later wait lets
the instructions between overlap with the load.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from asmevo.edits.base import Window, analysed, instruction_lines, kernel_function, trimmed
from asmevo.edits.waits.pending import FunctionWaits
from asmevo.edits.waits.rewait import BlockWaits
from asmevo.isa.counters import counter_max, decode_wait, encode_waits, is_counter_wait
from asmevo.program.cfg import Block
from asmevo.program.edit import Edit
from asmevo.program.model import Program


class RelaxWait:
    """Proposes, per basic block: all waits derived anew; then each wait weaker; then each later.

    Functions with calls or indirect jumps get no proposals: what is in flight there is unknown.
    """

    name = "relax_wait"

    def proposals(self, program: Program, kernel: str, window: Window) -> Iterator[Edit]:
        """Edits of the blocks that touch `window`."""
        function = kernel_function(program, kernel)
        waits = analysed(program, function, FunctionWaits)
        if not waits.known:
            return
        touched = [b for b in waits.blocks if b.first < window[1] and b.last > window[0]]
        for block in touched:
            yield from self._whole_block(waits, block)
        for block in touched:
            for index in range(max(block.first, window[0]), min(block.last, window[1])):
                inst = program.instructions[index]
                if inst.editable and decode_wait(inst, program.target):
                    yield from self._one_wait(waits, block, index)

    def _whole_block(self, waits: FunctionWaits, block: Block) -> Iterator[Edit]:
        program = waits.program
        facts = BlockWaits(waits, block)
        # Nops stay where they are: only waits are derived anew here.
        order = [
            i
            for i in range(block.first, block.last)
            if not is_counter_wait(program.instructions[i], program.target)
        ]
        plan = facts.plan(order)
        edit = trimmed(
            program, block.first, block.last, plan.lines, "derive the waits of the block anew"
        )
        if edit is not None:
            yield edit

    def _one_wait(self, waits: FunctionWaits, block: Block, index: int) -> Iterator[Edit]:
        program = waits.program
        target = program.target
        fields = dict(decode_wait(program.instructions[index], target))
        for counter, count in fields.items():
            enough = weakest(waits, index, fields, counter)
            if enough > count:
                changed = _with(fields, counter, enough, counter_max(target)[counter])
                text = encode_waits(changed, target)
                what = f"{counter}({enough})" if counter in changed else f"no {counter}"
                yield from _edit(
                    program, index, index + 1, text, f"{counter}({count}) relaxed to {what}"
                )
                if counter not in changed:
                    continue
            yield from self._later(waits, block, index, fields, counter)

    @staticmethod
    def _later(
        waits: FunctionWaits, block: Block, index: int, fields: dict[str, int], counter: str
    ) -> Iterator[Edit]:
        """Move the wait on `counter` down to the first instruction that would miss it."""
        program, target = waits.program, waits.program.target
        rest = {c: n for c, n in fields.items() if c != counter}
        without = waits.relaxed(index, rest)
        missing = list(without.weaker_at(waits))
        if not missing:
            return  # removal was proposed already
        here = [i for i in missing if index < i < block.last]
        place = here[0] if here else block.last - 1
        if place <= index + 1:
            return
        lines = list(encode_waits(rest, target))
        lines += instruction_lines(program, index + 1, place)
        after = dict(decode_wait(program.instructions[place - 1], target))
        if after and place - 1 > index:
            # The instruction before the new place is a wait itself: one wait does both.
            after[counter] = min(fields[counter], after.get(counter, fields[counter]))
            lines = lines[:-1] + list(encode_waits(after, target))
        else:
            # Younger operations issued in between make the sufficient count larger.
            state = without.states(block)[place - block.first]
            exposed = state.exposed(program.instructions[place])
            need = state.need(exposed).get(counter, fields[counter])
            lines += encode_waits({counter: need if here else fields[counter]}, target)
        yield from _edit(program, index, place, tuple(lines), f"{counter} wait moved to its use")


def weakest(waits: FunctionWaits, index: int, fields: Mapping[str, int], counter: str) -> int:
    """The largest count of `counter` for which the wait at `index` still covers what it covers.

    Args:
        waits: the function as it is.
        index: the wait instruction.
        fields: what it waits for now.
        counter: the counter to relax; its maximum as result means that no wait is needed.
    """
    maximum = counter_max(waits.program.target)[counter]
    low, high = fields[counter], maximum
    while low < high:
        middle = (low + high + 1) // 2
        relaxed = waits.relaxed(index, _with(fields, counter, middle, maximum))
        if relaxed.is_weaker(waits):
            high = middle - 1
        else:
            low = middle
    return low


def _with(fields: Mapping[str, int], counter: str, count: int, maximum: int) -> dict[str, int]:
    changed = dict(fields)
    if count >= maximum:
        changed.pop(counter)
    else:
        changed[counter] = count
    return changed


def _edit(
    program: Program, first: int, last: int, lines: tuple[str, ...], note: str
) -> Iterator[Edit]:
    edit = trimmed(program, first, last, lines, note)
    if edit is not None:
        yield edit
