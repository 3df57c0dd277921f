"""Give newly written code the waits and nops it needs."""

from __future__ import annotations

from collections.abc import Sequence

from asmevo.edits.base import kernel_function
from asmevo.edits.waits.pending import FunctionWaits
from asmevo.edits.waits.spacing import Issued, issued, padding, padding_before
from asmevo.isa.counters import encode_waits, merge_waits
from asmevo.program.edit import Edit, apply
from asmevo.program.model import Program

_ROUNDS = 8


def settled(
    program: Program, function: str, edits: Sequence[Edit], which: int
) -> tuple[Edit, ...] | None:
    """The edits with waits and nops put into the lines of one of them.

    The lines of `edits[which]` must hold no waits of their own. Every read or
    overwrite of a result in flight gets the weakest sufficient wait in front; missing software
    wait states get a nop.

    Args:
        program: the program that the edits are for.
        function: the function they are in.
        edits: disjoint edits in program order.
        which: index of the edit to complete.

    Returns:
        The completed edits, or None when code outside would read results in flight.
    """
    edited = apply(program, edits)
    start = edits[which].first + sum(len(e.lines) - (e.last - e.first) for e in edits[:which])
    count = _instructions(edits[which].lines)
    body = kernel_function(edited, function)
    inserted: dict[int, dict[str, int]] = {}
    for _ in range(_ROUNDS):
        found = _missing(FunctionWaits(edited, body, None, inserted))
        if not found:
            return _finish(program, edits, which, edited, start, inserted)
        # What lies behind may be exposed only because the waits of the new lines are missing yet.
        inside = {i: need for i, need in found.items() if start <= i < start + count}
        if not inside:
            return None
        for index, need in inside.items():
            inserted[index] = merge_waits(inserted.get(index, {}), need)
    return None


def _instructions(lines: Sequence[str]) -> int:
    return sum(not line.endswith(":") for line in lines)


def _missing(waits: FunctionWaits) -> dict[int, dict[str, int]]:
    """Instructions that touch results in flight, and the waits they need."""
    found: dict[int, dict[str, int]] = {}
    for block in waits.blocks:
        state = waits.entry(block)
        for i in range(block.first, block.last):
            waits.insertion(state, i)
            exposed = state.exposed(waits.program.instructions[i])
            if exposed:
                found[i] = state.need(exposed)
                state.wait(found[i])
            waits.advance(state, i)
    return found


def _finish(
    program: Program,
    edits: Sequence[Edit],
    which: int,
    edited: Program,
    start: int,
    inserted: dict[int, dict[str, int]],
) -> tuple[Edit, ...]:
    target = program.target
    lines: list[str] = []
    history: list[Issued] = []
    at = start - 1
    for line in edits[which].lines:
        if line.endswith(":"):
            lines.append(line)
            continue
        at += 1
        step = issued(edited.instructions[at], target)
        if at in inserted:
            for text in encode_waits(inserted[at], target):
                lines.append(text)
                history.append(padding(1, target))
        missing = padding_before(history, step)
        while missing > 0:
            states = min(missing, target.nop_max)
            lines.append(f"s_nop {states - 1}")
            history.append(padding(states, target))
            missing -= states
        lines.append(line)
        history.append(step)
    done = edits[which]
    completed = Edit(done.first, done.last, tuple(lines), done.note)
    return (*edits[:which], completed, *edits[which + 1 :])
