"""Rule `batch_loop`: run several iterations of a loop's loads before their uses.

A loop that loads, waits and uses pays the whole memory latency on every iteration. For loops that
lanes leave one by one (`s_andn2 exec, exec, done; s_cbranch_execnz`), N iterations are unrolled
and split: first the address part and the loads of all N, each under its own EXEC, then the uses.
Lanes that are done take part in nothing: their EXEC bits are off, so at most some instructions run
without any lane.

    A  = what the next addresses and the exit need, and the loads   (runs N times, then)
    C  = what uses the loaded values                                (N times, in order)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from asmevo.edits.base import Window, analysed, kernel_function, text_of
from asmevo.edits.dependence import Dependence, is_fence, is_padding, memory_spaces
from asmevo.edits.exec_values import ExecValues
from asmevo.edits.hoist_wait import loops
from asmevo.edits.renaming import renamed
from asmevo.edits.settle import settled
from asmevo.edits.webs import UNDEFINED, Web, may_clobber, web_at
from asmevo.isa.effects import Effects, OpClass, effects
from asmevo.isa.operand import EXEC, MODE, SCC, VGPR0, Reg
from asmevo.program.cfg import Block
from asmevo.program.dataflow import Liveness, liveness
from asmevo.program.edit import Edit
from asmevo.program.model import Function, Program

_EXEC = frozenset((EXEC, EXEC + 1))
_LONGEST = 120
_LAST_SGPR = 102


@dataclass(frozen=True, slots=True)
class _Loop:
    chain: tuple[Block, ...]  # in the order of execution, header first
    exit: Block
    body: tuple[int, ...]  # instructions of an iteration without waits, nops and jumps
    update: int  # s_andn2_b64 exec, exec, done
    done: Reg


@dataclass(frozen=True, slots=True)
class _Split:
    first: tuple[int, ...]  # A, loads included
    second: tuple[int, ...]  # C
    loads: tuple[int, ...]


class BatchLoop:
    """See the module.

    Args:
        factors: numbers of iterations to batch, in the order in which they are proposed.
    """

    name = "batch_loop"

    def __init__(self, factors: Sequence[int] = (4, 2, 3)) -> None:
        self._factors = tuple(factors)

    def proposals(self, program: Program, kernel: str, window: Window) -> Iterator[Edit]:
        """Nothing: every proposal of this rule has several edits, see `composites`."""
        del program, kernel, window
        yield from ()

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
            loop = _chain_loop(program, masks, live, header, inside)
            if loop is None:
                continue
            split = _split(program, masks, live, loop)
            if split is None:
                continue
            for factor in self._factors:
                edits = _batched(program, function, masks, live, loop, split, factor)
                if edits is not None:
                    yield edits


def _effect(program: Program, index: int) -> Effects:
    return effects(program.instructions[index], program.target)


def _chain_loop(
    program: Program, masks: ExecValues, live: Liveness, header: int, inside: frozenset[int]
) -> _Loop | None:
    """The loop as one path of blocks that ends in the EXEC update; None for other loops.

    Branches around code that needs lanes are left out: the code runs without any instead.
    """
    blocks = masks.blocks
    chain = [blocks[header]]
    skipped: list[tuple[int, int]] = []  # (place in the chain, block that a skip goes to)
    while True:
        here = chain[-1]
        following = [s for s in here.successors if s in inside]
        if len(following) == 2:
            # An `if` around code that does nothing when no lane is enabled.
            branch = here.last - 1
            goal = program.branch_target(branch)
            if program.instructions[branch].base != "s_cbranch_execz":
                return None
            target_block = next((s for s in following if blocks[s].first == goal), None)
            if target_block is None:
                return None
            skipped.append((len(chain), target_block))
            following.remove(target_block)
        if len(following) != 1:
            return None
        if following[0] == header:
            break
        block = blocks[following[0]]
        if block in chain or not set(block.predecessors) <= {b.index for b in chain}:
            return None
        chain.append(block)
    for start, goal_block in skipped:
        stop = next((n for n, b in enumerate(chain) if b.index == goal_block), None)
        if stop is None or stop < start:
            return None
        needed = live.live_in(blocks[goal_block]) - _EXEC
        for block in chain[start:stop]:
            for i in range(block.first, block.last):
                effect = _effect(program, i)
                if effect.kind is OpClass.MFMA or needed & {u for u in effect.defs if u < VGPR0}:
                    return None
    if len(chain) != len(inside):
        return None
    latch = chain[-1]
    outside = [s for s in latch.successors if s not in inside]
    branch = latch.last - 1
    base = program.instructions[branch].base
    leaves = base == "s_cbranch_execnz" and program.branch_target(branch) == chain[0].first
    leaves |= base == "s_cbranch_execz" and latch.last == chain[0].first
    if len(outside) != 1 or not leaves:
        return None
    items: list[int] = []
    for block in chain:
        for i in range(block.first, block.last):
            inst = program.instructions[i]
            jump = i == block.last - 1 and inst.base in ("s_branch", "s_cbranch_execz")
            if i == branch or jump or is_padding(inst, program.target):
                continue
            if not inst.editable or is_fence(inst, program.target):
                return None
            items.append(i)
    if len(items) < 3 or len(items) > _LONGEST:
        return None
    update = program.instructions[items[-1]]
    operands = [o.value for o in update.operands]
    exec_pair = (
        Reg(operands[0].kind, EXEC, 2) if operands and isinstance(operands[0], Reg) else None
    )
    if update.base != "s_andn2_b64" or operands[:2] != [exec_pair, exec_pair]:
        return None
    done = operands[2]
    if not isinstance(done, Reg) or masks.before(items[-1]) != masks.before(chain[0].first):
        return None
    return _Loop(tuple(chain), blocks[outside[0]], tuple(items[:-1]), items[-1], done)


def _split(program: Program, masks: ExecValues, live: Liveness, loop: _Loop) -> _Split | None:
    """Divide an iteration into A and C; None when the parts depend on each other both ways."""
    target = program.target
    loads: list[int] = []
    for i in loop.body:
        inst, effect = program.instructions[i], _effect(program, i)
        _, writes = memory_spaces(inst, effect)
        if effect.kind in (OpClass.SMEM, OpClass.FLAT, OpClass.BARRIER) or "memory" in writes:
            return None
        if inst.base.startswith(("v_readfirstlane", "v_readlane", "v_writelane")):
            return None
        if effect.kind is OpClass.VMEM and effect.returns and not effect.lds_dma:
            loads.append(i)
    if not loads:
        return None
    graph = Dependence([program.instructions[i] for i in loop.body], target)
    results = {u for i in loads for u in _effect(program, i).defs}
    chosen: set[int] = set()
    first_load = loop.body.index(loads[0])
    for n in range(first_load + 1, len(loop.body)):
        i = loop.body[n]
        effect = _effect(program, i)
        loaded = {u for j in loads if j < i or loop.body.index(j) < n
                  for u in _effect(program, j).defs}  # fmt: skip
        depends = any(p in chosen for p in graph.predecessors[n])
        if i in loads:
            if depends:
                return None
            continue
        if loaded & effect.uses or depends:
            chosen.add(n)
    first = tuple(i for n, i in enumerate(loop.body) if n not in chosen)
    second = tuple(loop.body[n] for n in sorted(chosen))
    if not second or not _independent(program, masks, live, loop, first, second, results):
        return None
    return _Split(first, second, tuple(loads))


def _independent(
    program: Program,
    masks: ExecValues,
    live: Liveness,
    loop: _Loop,
    first: tuple[int, ...],
    second: tuple[int, ...],
    results: set[int],
) -> bool:
    """Whether all of A may run ahead of all of C, several iterations long."""
    if _share_memory(program, first, second):
        return False
    a_defs = {u for i in first for u in _effect(program, i).defs}
    a_uses = {u for i in first for u in _effect(program, i).uses}
    c_defs = {u for i in second for u in _effect(program, i).defs}
    mask = masks.before(loop.chain[0].first)
    if any(masks.before(i) != mask for i in second) or c_defs & (_EXEC | {MODE}):
        return False
    if set(loop.done.units) & c_defs:
        return False
    fixed = _EXEC | {MODE}
    exposed: set[int] = set()
    written: set[int] = set()
    for i in second:
        effect = _effect(program, i)
        exposed |= effect.uses - written
        written |= effect.defs
    # C reads nothing of A but the loaded values, A reads nothing of C.
    if exposed & a_defs - results - fixed or c_defs & a_uses - _scalars(a_defs):
        return False
    # Vector registers have lanes that keep old values, so sharing them is not looked into.
    if {u for u in c_defs & a_defs if u >= VGPR0} - results:
        return False
    carried = live.live_in(loop.chain[0])
    if (c_defs & a_defs | results) & carried:
        return False
    # Iterations that no lane takes part in still run their scalar instructions.
    scalar = {u for u in (a_defs | c_defs) if u < VGPR0} - fixed - set(loop.done.units)
    return not (scalar | results | {SCC}) & live.live_in(loop.exit)


def _share_memory(program: Program, first: Sequence[int], second: Sequence[int]) -> bool:
    """Whether one part writes a memory space that the other one accesses."""
    touched: list[tuple[set[str], set[str]]] = []
    for part in (first, second):
        reads: set[str] = set()
        writes: set[str] = set()
        for i in part:
            read, written = memory_spaces(program.instructions[i], _effect(program, i))
            reads |= read
            writes |= written
        touched.append((reads, writes))
    (a_reads, a_writes), (c_reads, c_writes) = touched
    return bool(a_writes & (c_reads | c_writes) or c_writes & a_reads)


def _scalars(units: set[int]) -> set[int]:
    return {u for u in units if u < VGPR0}


def _batched(
    program: Program,
    function: Function,
    masks: ExecValues,
    live: Liveness,
    loop: _Loop,
    split: _Split,
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
            effect = _effect(program, i)
            busy |= effect.defs | effect.uses | live.live_before(i)
        busy |= live.live_out(block)
    for unit in sorted(busy):
        if unit >= VGPR0 and may_clobber(program, masks, unit, region):
            busy.discard(unit)
    sgprs = min(_LAST_SGPR, -(-kernel.descriptor.sgprs // 16) * 16)
    saved = _free(busy, 0, sgprs, factor, 2)
    maps = _renamings(program, masks, split, busy, kernel.descriptor.arch_vgprs, factor)
    if saved is None or maps is None:
        return None
    done = str(loop.done)
    lines: list[str] = []
    for k in range(factor):
        if k:
            lines.append(f"s_andn2_b64 exec, exec, {done}")
        lines.append(f"s_mov_b64 s[{saved[k]}:{saved[k] + 1}], exec")
        if not _copy(program, split.first, maps[k], lines):
            return None
    for k in range(factor):
        lines.append(f"s_mov_b64 exec, s[{saved[k]}:{saved[k] + 1}]")
        if not _copy(program, split.second, maps[k], lines):
            return None
    lines.append(text_of(program, loop.update))
    header = loop.chain[0]
    label = program.labels.get(header.first)
    if label is None:
        return None
    lines.append(f"s_cbranch_execnz {label}")
    others = [b for b in loop.chain if b is not header]
    behind = header.last
    while any(b.first == behind for b in others):
        behind = next(b.last for b in others if b.first == behind)
    if behind != loop.exit.first:
        name = program.labels.get(loop.exit.first)
        if name is None:
            return None
        lines.append(f"s_branch {name}")
    note = f"{factor} iterations batched"
    edits = [Edit(header.first, header.last, tuple(lines), note)]
    edits += [Edit(b.first, b.last, (), "part of the batched loop") for b in others]
    edits.sort(key=lambda e: e.first)
    return settled(
        program,
        function.name,
        edits,
        edits.index(next(e for e in edits if e.first == header.first)),
    )


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
    split: _Split,
    busy: set[int],
    vgprs: int,
    factor: int,
) -> list[dict[int, dict[int, int]]] | None:
    """For each copy: instruction index -> renaming of the loaded values' registers there."""
    maps: list[dict[int, dict[int, int]]] = [{} for _ in range(factor)]
    taken = set(busy)
    for load in split.loads:
        units = sorted(_effect(program, load).defs)
        webs: list[Web] = []
        for unit in units:
            use = next((i for i in split.second if unit in _effect(program, i).uses), None)
            web = None if use is None else web_at(program, masks, unit, use)
            if web is None or UNDEFINED in web.defs:
                return None
            if not (web.defs | web.uses) <= set(split.first) | set(split.second):
                return None
            webs.append(web)
        align = 1 if len(units) == 1 else 2
        found = _free(taken, VGPR0, VGPR0 + vgprs, factor, len(units), align)
        if found is None:
            return None
        for k in range(factor):
            taken.update(range(found[k], found[k] + len(units)))
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
