"""Rule `hoist_load`: issue a scalar load earlier, in a block that comes before its own.

Compilers load kernel arguments where they are used first, behind a branch, so that the second
load's latency starts only when the first one's has passed. Scalar loads through an address that is
known earlier can be issued there; the result gets registers that are free on the way.
"""

from __future__ import annotations

from collections.abc import Iterator

from asmevo.edits.base import CompositesOnly, Window, analysed, kernel_function, text_of
from asmevo.edits.order.dependence import is_fence
from asmevo.edits.values.exec_values import ExecValues
from asmevo.edits.values.renaming import renamed
from asmevo.isa.access import Space
from asmevo.isa.decoded import OpClass, decode
from asmevo.isa.operand import Imm, Reg, RegKind
from asmevo.program.cfg import Block
from asmevo.program.dataflow import Liveness, liveness
from asmevo.program.edit import Edit
from asmevo.program.model import Program

_LAST_SGPR = 102
_ABOVE = 6
"""How many blocks a load may move up."""


class HoistLoad(CompositesOnly):
    """See the module. Loads move along blocks that have one predecessor each."""

    name = "hoist_load"

    def composites(
        self, program: Program, kernel: str, window: Window
    ) -> Iterator[tuple[Edit, ...]]:
        """Sets of edits that move one scalar load of `window` up, the farthest place first."""
        function = kernel_function(program, kernel)
        blocks = analysed(program, function, ExecValues).blocks
        if any(b.unknown_successors for b in blocks):
            return
        live = analysed(program, function, liveness)
        declared = program.object.kernel(kernel).descriptor.sgprs
        limit = min(_LAST_SGPR, declared or _LAST_SGPR)
        for block in blocks:
            if block.first >= window[1] or block.last <= window[0]:
                continue
            for index in range(block.first, block.last):
                if not _is_scalar_load(program, index):
                    continue
                places = list(_places(program, blocks, block, index))
                for place in reversed(places):
                    if not _safe(program, kernel, blocks, block, index, place):
                        continue
                    edits = _edits(program, blocks, live, block, index, place, limit)
                    if edits is not None:
                        yield edits


def _is_scalar_load(program: Program, index: int) -> bool:
    inst = program.instructions[index]
    effect = decode(inst, program.target)
    access = effect.access
    return (
        inst.editable
        and access is not None
        and access.space is Space.SCALAR
        and effect.loads
        and not effect.stores
        and not access.ordered
    )


def _places(program: Program, blocks: tuple[Block, ...], block: Block, load: int) -> Iterator[int]:
    """Instructions of earlier blocks in front of which the load could issue, nearest first.

    One place per block: right behind the last write of the address, or at the block's start, but
    behind scalar loads that stand there already.
    """
    target = program.target
    address = decode(program.instructions[load], target).uses
    if any(decode(program.instructions[i], target).defs & address
           for i in range(block.first, load)):  # fmt: skip
        return
    here = block
    for _ in range(_ABOVE):
        if len(here.predecessors) != 1:
            return
        here = blocks[here.predecessors[0]]
        stop = here.first
        for i in range(here.last - 1, here.first - 1, -1):
            inst = program.instructions[i]
            effect = decode(inst, target)
            branch = effect.kind is OpClass.BRANCH
            if effect.defs & address or (is_fence(inst, target) and not branch
                                         and effect.kind is not OpClass.WAIT):  # fmt: skip
                stop = i + 1
                break
        clean = stop == here.first
        while stop < here.last and _is_scalar_load(program, stop):
            stop += 1
        if stop < here.last:
            yield stop
        if not clean:
            return


def _safe(
    program: Program,
    kernel: str,
    blocks: tuple[Block, ...],
    block: Block,
    load: int,
    place: int,
) -> bool:
    """Whether the load may execute at `place` even where the program would not come to it.

    True when the code always comes to it from there, or when it reads the kernarg segment, which
    is valid in all of its size. Any other address might only be valid behind the branch.
    """
    home = next(b for b in blocks if b.first <= place < b.last)
    here, always = block, True
    while here is not home:
        here = blocks[here.predecessors[0]]
        always &= len(here.successors) == 1
    if always:
        return True
    inst = program.instructions[load]
    found = program.object.kernel(kernel)
    d = found.descriptor
    if not d.enable_sgpr_kernarg_segment_ptr or len(inst.operands) != 3:
        return False
    first = 4 * d.enable_sgpr_private_segment_buffer + 2 * (
        d.enable_sgpr_dispatch_ptr + d.enable_sgpr_queue_ptr
    )
    offset = inst.operands[2].value
    size = max(d.kernarg_size, found.metadata.kernarg_segment_size)
    effect = decode(inst, program.target)
    if inst.operands[1].reg != Reg(RegKind.SGPR, first, 2) or not isinstance(offset, Imm):
        return False
    if not 0 <= offset.value <= size - 4 * len(effect.defs):
        return False
    pointer = {first, first + 1}
    earlier = _leading_to(blocks, home)
    return not any(
        decode(program.instructions[i], program.target).defs & pointer
        for b in earlier | {home.index}
        for i in range(blocks[b].first, blocks[b].last)
        if b in earlier or i < place
    )


def _leading_to(blocks: tuple[Block, ...], block: Block) -> set[int]:
    """Blocks from which control can come to `block` (itself only when it is in a loop)."""
    found: set[int] = set()
    todo = list(block.predecessors)
    while todo:
        b = todo.pop()
        if b not in found:
            found.add(b)
            todo.extend(blocks[b].predecessors)
    return found


def _edits(
    program: Program,
    blocks: tuple[Block, ...],
    live: Liveness,
    block: Block,
    load: int,
    place: int,
    limit: int,
) -> tuple[Edit, ...] | None:
    target = program.target
    result = decode(program.instructions[load], target).defs
    readers: list[int] = []
    current = set(result)
    for i in range(load + 1, block.last):
        effect = decode(program.instructions[i], target)
        if effect.uses & current:
            readers.append(i)
        current -= effect.defs
    leaves = bool(current & live.live_out(block.index))
    on_the_way = _path(blocks, block, load, place)
    if on_the_way is None:
        return None
    busy: set[int] = set()
    for i in on_the_way:
        effect = decode(program.instructions[i], target)
        busy |= effect.defs | effect.uses | live.live_before(i)
        if effect.kind is OpClass.BRANCH:
            owner = next(b for b in blocks if b.first <= i < b.last)
            busy |= live.live_out(owner.index)
    busy |= live.live_before(place)
    if not result & busy:
        rename: dict[int, int] = {}
    elif leaves:
        return None
    else:
        # The new registers must also be free where the result is still in use.
        for i in range(load, max([load, *readers]) + 1):
            effect = decode(program.instructions[i], target)
            busy |= effect.defs | effect.uses | live.live_before(i)
        found = _free_tuple(len(result), busy, limit)
        if found is None:
            return None
        rename = {u: found + n for n, u in enumerate(sorted(result))}
    text = _renamed_destination(program, load, rename)
    if text is None:
        return None
    edits = [
        Edit(place, place + 1, (text, text_of(program, place)), "load issued earlier"),
        Edit(load, load + 1, (), "load moved up"),
    ]
    for i in readers if rename else []:
        changed = _renamed_uses(program, i, rename)
        if changed is None:
            return None
        edits.append(Edit(i, i + 1, (changed,), "renamed register"))
    return tuple(sorted(edits, key=lambda e: e.first))


def _path(blocks: tuple[Block, ...], block: Block, load: int, place: int) -> list[int] | None:
    found = list(range(block.first, load))
    here = block
    while not here.first <= place < here.last:
        if len(here.predecessors) != 1:
            return None
        here = blocks[here.predecessors[0]]
        found += range(max(here.first, place) if place < here.last else here.first, here.last)
    return found


def _free_tuple(count: int, busy: set[int], limit: int) -> int | None:
    align = 1 if count == 1 else 2 if count == 2 else 4
    for first in range(0, limit - count + 1, align):
        if not busy & set(range(first, first + count)):
            return first
    return None


def _renamed_destination(program: Program, load: int, rename: dict[int, int]) -> str | None:
    """The load with its destination renamed and its address as it is."""
    text = text_of(program, load)
    if not rename:
        return text
    head, comma, tail = text.partition(",")
    changed = renamed(head, rename)
    return None if changed is None else changed + comma + tail


def _renamed_uses(program: Program, index: int, rename: dict[int, int]) -> str | None:
    """A reader with its sources renamed; None when a destination would be renamed with them."""
    inst = program.instructions[index]
    effect = decode(inst, program.target)
    if effect.defs & set(rename):
        # The destination reuses a register of the result: rename operand by operand.
        return _renamed_sources_only(program, index, rename)
    return renamed(text_of(program, index), rename)


def _renamed_sources_only(program: Program, index: int, rename: dict[int, int]) -> str | None:
    inst = program.instructions[index]
    effect = decode(inst, program.target)
    if len(effect.def_operands) != 1 or effect.def_operands[0] != 0:
        return None
    first = inst.operands[0].value
    if not isinstance(first, Reg) or 0 in effect.use_operands:
        return None
    text = text_of(program, index)
    head, comma, tail = text.partition(",")
    changed = renamed("x " + tail.strip(), rename)
    return None if changed is None else f"{head}{comma} {changed[2:]}"
