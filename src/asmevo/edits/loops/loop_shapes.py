"""Loops that are one path of blocks, and how an iteration divides into address and use parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from asmevo.edits.order.dependence import Dependence, is_fence, is_padding, memory_spaces
from asmevo.edits.values.exec_values import ExecValues
from asmevo.isa.decoded import Decoded, OpClass, decode
from asmevo.isa.flow import Condition, FlowKind, flow_of, inverse
from asmevo.isa.operand import EXEC, MODE, SCC, VCC, VGPR0, Reg, RegKind
from asmevo.program.cfg import Block
from asmevo.program.dataflow import Liveness
from asmevo.program.model import Program

_EXEC = frozenset((EXEC, EXEC + 1))
_LONGEST = 120
_FLAGS: dict[Condition | None, set[int]] = {
    Condition.SCC: {SCC},
    Condition.VCC: {VCC, VCC + 1},
}


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop that is one path of blocks.

    Attributes:
        chain: its blocks in the order of execution, header first.
        exit: the block behind it.
        body: instructions of an iteration without waits, nops and jumps.
        done: for loops that lanes leave one by one, the pair that collects the lanes that are
            done; None for loops that a whole wave leaves at once.
        update: for the former, `s_andn2_b64 exec, exec, done`, else -1.
        again: for the latter, the branch that goes round, e.g. `s_cbranch_scc0`, else empty.
        leave: the branch with the opposite condition.
    """

    chain: tuple[Block, ...]
    exit: Block
    body: tuple[int, ...]
    done: Reg | None
    update: int
    again: str = ""
    leave: str = ""


@dataclass(frozen=True, slots=True)
class Split:
    """An iteration in two parts.

    Attributes:
        first: A, what the next addresses and the exit need, and the loads.
        second: C, what uses the loaded values.
        loads: the loads, part of A.
    """

    first: tuple[int, ...]
    second: tuple[int, ...]
    loads: tuple[int, ...]


def effect_of(program: Program, index: int) -> Decoded:
    """Static effects of one instruction of a program."""
    return decode(program.instructions[index], program.target)


def chain_loop(
    program: Program, masks: ExecValues, live: Liveness, header: int, inside: frozenset[int]
) -> Loop | None:
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
            if not flow_of(program.instructions[branch].base).skips_without_lanes:
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
                effect = effect_of(program, i)
                if effect.kind is OpClass.MFMA or needed & {u for u in effect.defs if u < VGPR0}:
                    return None
    if len(chain) != len(inside):
        return None
    latch = chain[-1]
    outside = [s for s in latch.successors if s not in inside]
    branch = latch.last - 1
    base = program.instructions[branch].base
    opposite = inverse(base)
    if len(outside) != 1 or opposite is None:
        return None
    back = program.branch_target(branch) == chain[0].first
    if not back and latch.last != chain[0].first:
        return None
    again, leave = (base, opposite) if back else (opposite, base)
    items: list[int] = []
    for block in chain:
        for i in range(block.first, block.last):
            inst = program.instructions[i]
            flow = flow_of(inst.base)
            jump = i == block.last - 1 and (flow.kind is FlowKind.JUMP or flow.skips_without_lanes)
            if i == branch or jump or is_padding(inst, program.target):
                continue
            if not inst.editable or is_fence(inst, program.target):
                return None
            items.append(i)
    if len(items) < 3 or len(items) > _LONGEST:
        return None
    exit = blocks[outside[0]]
    if again != "s_cbranch_execnz":
        return Loop(tuple(chain), exit, tuple(items), None, -1, again, leave)
    update = program.instructions[items[-1]]
    operands = [o.value for o in update.operands]
    pair = Reg(RegKind.SGPR, EXEC, 2)
    if update.base != "s_andn2_b64" or operands[:2] != [pair, pair]:
        return None
    done = operands[2]
    if not isinstance(done, Reg) or masks.before(items[-1]) != masks.before(chain[0].first):
        return None
    return Loop(tuple(chain), exit, tuple(items[:-1]), done, items[-1])


def split_iteration(
    program: Program, masks: ExecValues, live: Liveness, loop: Loop
) -> Split | None:
    """Divide an iteration into A and C; None when the parts depend on each other both ways."""
    target = program.target
    loads: list[int] = []
    for i in loop.body:
        inst, effect = program.instructions[i], effect_of(program, i)
        _, writes = memory_spaces(inst, effect)
        if effect.kind in (OpClass.SMEM, OpClass.FLAT, OpClass.BARRIER) or "memory" in writes:
            return None
        if effect.traits.crosses_lanes or effect.traits.ignores_exec:
            return None
        if effect.kind is OpClass.VMEM and effect.returns and not effect.lds_dma:
            loads.append(i)
    if not loads:
        return None
    graph = Dependence([program.instructions[i] for i in loop.body], target)
    results = {u for i in loads for u in effect_of(program, i).defs}
    chosen: set[int] = set()
    first_load = loop.body.index(loads[0])
    for n in range(first_load + 1, len(loop.body)):
        i = loop.body[n]
        effect = effect_of(program, i)
        loaded = {u for j in loads if j < i or loop.body.index(j) < n
                  for u in effect_of(program, j).defs}  # fmt: skip
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
    return Split(first, second, tuple(loads))


def _independent(
    program: Program,
    masks: ExecValues,
    live: Liveness,
    loop: Loop,
    first: tuple[int, ...],
    second: tuple[int, ...],
    results: set[int],
) -> bool:
    """Whether all of A may run ahead of all of C, several iterations long."""
    if _share_memory(program, first, second):
        return False
    a_defs = {u for i in first for u in effect_of(program, i).defs}
    a_uses = {u for i in first for u in effect_of(program, i).uses}
    c_defs = {u for i in second for u in effect_of(program, i).defs}
    mask = masks.before(loop.chain[0].first)
    if any(masks.before(i) != mask for i in second) or c_defs & (_EXEC | {MODE}):
        return False
    if (
        set(loop.done.units) if loop.done else _FLAGS.get(flow_of(loop.again).condition, set[int]())
    ) & c_defs:
        return False
    fixed = _EXEC | {MODE}
    exposed: set[int] = set()
    written: set[int] = set()
    for i in second:
        effect = effect_of(program, i)
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
    needed = live.live_in(loop.exit)
    if (results | (a_defs & c_defs)) & needed:
        return False
    if loop.done is None:
        return not a_defs & _EXEC
    # Iterations that no lane takes part in still run their scalar instructions.
    scalar = {u for u in (a_defs | c_defs) if u < VGPR0} - fixed - set(loop.done.units)
    return not (scalar | {SCC}) & needed


def _share_memory(program: Program, first: Sequence[int], second: Sequence[int]) -> bool:
    """Whether one part writes a memory space that the other one accesses."""
    touched: list[tuple[set[str], set[str]]] = []
    for part in (first, second):
        reads: set[str] = set()
        writes: set[str] = set()
        for i in part:
            read, written = memory_spaces(program.instructions[i], effect_of(program, i))
            reads |= read
            writes |= written
        touched.append((reads, writes))
    (a_reads, a_writes), (c_reads, c_writes) = touched
    return bool(a_writes & (c_reads | c_writes) or c_writes & a_reads)


def _scalars(units: set[int]) -> set[int]:
    return {u for u in units if u < VGPR0}
