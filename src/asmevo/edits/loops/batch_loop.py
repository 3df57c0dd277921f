"""Rule `batch_loop`: run several iterations of a loop's loads before their uses.

A loop that loads, waits and uses pays the whole memory latency on every iteration. N iterations
are unrolled and split: first the address part and the loads of all N, then the uses. Where lanes
leave a loop one by one, each part runs under the EXEC of its iteration; lanes that are done take
part in nothing, so at most some instructions run without any lane. Loops that a wave leaves as a
whole get a way out behind every address part.

    A  = what the next addresses and the exit need, and the loads   (runs N times, then)
    C  = what uses the loaded values                                (N times, in order)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from asmevo.edits.base import CompositesOnly, Window, analysed, kernel_function, text_of
from asmevo.edits.loops.hoist_wait import loops
from asmevo.edits.loops.loop_shapes import Loop, Split, chain_loop, effect_of, split_iteration
from asmevo.edits.values.exec_values import ExecValues
from asmevo.edits.values.renaming import renamed
from asmevo.edits.values.webs import UNDEFINED, Web, may_clobber, web_at
from asmevo.edits.waits.settle import settled
from asmevo.isa.operand import VGPR0
from asmevo.program.dataflow import Liveness, liveness
from asmevo.program.edit import Edit
from asmevo.program.model import Function, Program

_LAST_SGPR = 102


class BatchLoop(CompositesOnly):
    """See the module.

    Args:
        factors: numbers of iterations to batch, in the order in which they are proposed.
    """

    name = "batch_loop"

    def __init__(self, factors: Sequence[int] = (4, 2, 3)) -> None:
        self._factors = tuple(factors)

    def composites(
        self, program: Program, kernel: str, window: Window
    ) -> Iterator[tuple[Edit, ...]]:
        """Batched versions of the loops that touch `window`."""
        function = kernel_function(program, kernel)
        masks = analysed(program, function, ExecValues)
        if any(b.unknown_successors for b in masks.blocks) or program.growth_refused:
            return
        live = analysed(program, function, liveness)
        for header, inside in loops(masks.blocks):
            blocks = [masks.blocks[b] for b in inside]
            if not any(b.first < window[1] and b.last > window[0] for b in blocks):
                continue
            loop = chain_loop(program, masks, live, header, inside)
            if loop is None:
                continue
            split = split_iteration(program, masks, live, loop)
            if split is None:
                continue
            for factor in self._factors:
                edits = _batched(program, function, masks, live, loop, split, factor)
                if edits is not None:
                    yield edits


def _batched(
    program: Program,
    function: Function,
    masks: ExecValues,
    live: Liveness,
    loop: Loop,
    split: Split,
    factor: int,
) -> tuple[Edit, ...] | None:
    kernel = next(
        (k for k in program.object.kernels if program.kernel_function(k) == function), None
    )
    if kernel is None:
        return None
    busy: set[int] = set()
    region: set[int] = set()
    for block in loop.chain:
        region.update(range(block.first, block.last))
        for i in range(block.first, block.last):
            effect = effect_of(program, i)
            busy |= effect.defs | effect.uses | live.live_before(i)
        busy |= live.live_out(block)
    for unit in sorted(busy):
        if unit >= VGPR0 and may_clobber(program, masks, unit, region):
            busy.discard(unit)
    maps = _renamings(program, masks, split, busy, kernel.descriptor.arch_vgprs, factor)
    header = loop.chain[0]
    label = program.labels.get(header.first)
    if maps is None or label is None:
        return None
    others = [b for b in loop.chain if b is not header]
    behind = header.last
    while any(b.first == behind for b in others):
        behind = next(b.last for b in others if b.first == behind)
    leave = "" if behind == loop.exit.first else program.labels.get(loop.exit.first)
    if leave is None:
        return None
    if loop.done is not None:
        sgprs = min(_LAST_SGPR, -(-kernel.descriptor.sgprs // 16) * 16)
        saved = _free(busy, 0, sgprs, factor, 2)
        lines = (
            None if saved is None else _by_lanes(program, loop, split, maps, saved, label, leave)
        )
    else:
        lines = _by_waves(program, loop, split, maps, label, leave)
    if lines is None:
        return None
    edits = [Edit(header.first, header.last, tuple(lines), f"{factor} iterations batched")]
    edits += [Edit(b.first, b.last, (), "part of the batched loop") for b in others]
    edits.sort(key=lambda e: e.first)
    which = edits.index(next(e for e in edits if e.first == header.first))
    return settled(program, function.name, edits, which)


Maps = list[dict[int, dict[int, int]]]


def _by_lanes(
    program: Program,
    loop: Loop,
    split: Split,
    maps: Maps,
    saved: Sequence[int],
    label: str,
    leave: str,
) -> list[str] | None:
    """Lines of a loop that lanes leave one by one: every part under the EXEC of its iteration."""
    lines: list[str] = []
    for k, (units, pair) in enumerate(zip(maps, saved, strict=True)):
        if k:
            lines.append(f"s_andn2_b64 exec, exec, {loop.done}")
        lines.append(f"s_mov_b64 s[{pair}:{pair + 1}], exec")
        if not _copy(program, split.first, units, lines):
            return None
    for units, pair in zip(maps, saved, strict=True):
        lines.append(f"s_mov_b64 exec, s[{pair}:{pair + 1}]")
        if not _copy(program, split.second, units, lines):
            return None
    lines += [text_of(program, loop.update), f"s_cbranch_execnz {label}"]
    return [*lines, f"s_branch {leave}"] if leave else lines


def _by_waves(
    program: Program, loop: Loop, split: Split, maps: Maps, label: str, leave: str
) -> list[str] | None:
    """Lines of a loop that the wave leaves as a whole, with one way out per iteration."""
    factor = len(maps)
    names = [f".Lbatch_{loop.chain[0].first}_{k}" for k in range(factor + 1)]
    lines: list[str] = []
    for k, units in enumerate(maps):
        if not _copy(program, split.first, units, lines):
            return None
        if k < factor - 1:
            lines.append(f"{loop.leave} {names[k + 1]}")
    for units in maps:
        if not _copy(program, split.second, units, lines):
            return None
    lines.append(f"{loop.again} {label}")
    goal = leave or names[0]
    for k in range(factor - 1, 0, -1):
        lines += [f"s_branch {goal}", f"{names[k]}:"]
        for units in maps[:k]:
            if not _copy(program, split.second, units, lines):
                return None
    # Without a branch target of its own, what follows the loop gets one.
    return [*lines, f"s_branch {goal}" if leave else f"{names[0]}:"]


def _copy(
    program: Program, indices: Sequence[int], units: Mapping[int, Mapping[int, int]],
    lines: list[str],
) -> bool:  # fmt: skip
    for i in indices:
        text = renamed(text_of(program, i), units.get(i, {}))
        if text is None:
            return False
        lines.append(text)
    return True


def _renamings(
    program: Program,
    masks: ExecValues,
    split: Split,
    busy: set[int],
    vgprs: int,
    factor: int,
) -> list[dict[int, dict[int, int]]] | None:
    """For each copy: instruction index -> renaming of the loaded values' registers there."""
    maps: list[dict[int, dict[int, int]]] = [{} for _ in range(factor)]
    taken = set(busy)
    body = set(split.first) | set(split.second)
    found_webs: list[list[Web]] = []
    for load in split.loads:
        webs: list[Web] = []
        for unit in sorted(effect_of(program, load).defs):
            use = next((i for i in split.second if unit in effect_of(program, i).uses), None)
            web = None if use is None else web_at(program, masks, unit, use)
            if web is None or UNDEFINED in web.defs or not web.defs | web.uses <= body:
                return None
            webs.append(web)
            others = body - web.defs - web.uses
            effects_there = [effect_of(program, i) for i in others]
            if not any(unit in e.defs | e.uses for e in effects_there):
                taken.discard(unit)  # nothing else uses it, so a copy may keep it
        found_webs.append(webs)
    for webs in found_webs:
        align = 1 if len(webs) == 1 else 2
        found = _free(taken, VGPR0, VGPR0 + vgprs, factor, len(webs), align)
        if found is None:
            return None
        for k in range(factor):
            taken.update(range(found[k], found[k] + len(webs)))
            for n, web in enumerate(webs):
                for i in web.defs | web.uses:
                    maps[k].setdefault(i, {})[web.unit] = found[k] + n
    return maps


def _free(
    busy: set[int], low: int, high: int, count: int, size: int, align: int | None = None
) -> list[int] | None:
    """First units of `count` free tuples of `size` registers between `low` and `high`."""
    found: list[int] = []
    step = align or size
    at = low
    while at + size <= high and len(found) < count:
        if busy & set(range(at, at + size)):
            at += step
        else:
            found.append(at)
            at += -(-size // step) * step
    return found if len(found) == count else None
