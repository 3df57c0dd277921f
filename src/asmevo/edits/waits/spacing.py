"""Software wait states that a proposal must leave between instructions.

The rules are those of `asmevo.isa.hazards.rows`, the same rows that the static checker judges with.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from asmevo.isa.decoded import VECTOR_MEMORY, OpClass, decode
from asmevo.isa.hazards.pairs import KILLED_BY_WRITE, shortfalls
from asmevo.isa.hazards.roles import mask_of, roles, wait_states_of
from asmevo.isa.hazards.rows import P, interest, pair_table
from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Feature, Target
from asmevo.program.cfg import Block
from asmevo.program.model import Program

LOOK_BACK = 20
"""No rule asks for more wait states than this."""


Timed = tuple[tuple[Instruction, int], ...]
"""Instructions in issue order and the wait states that each provides."""
_MOST_PATHS = 8


@lru_cache(maxsize=1 << 16)
def _masks(inst: Instruction, arch: str) -> tuple[int, int]:
    """(registers written, registers read)."""
    effect = decode(inst, Target(arch))
    return mask_of(effect.defs), mask_of(effect.uses)


def padding_before(
    history: Sequence[tuple[Instruction, int]], inst: Instruction, target: Target
) -> int:
    """Wait states missing before `inst` may issue after `history`.

    Args:
        history: (instruction, wait states it provides) in issue order; nops and waits included.
        inst: the instruction to issue next.
        target: the target; without a table of rules nothing is missing.
    """
    pairs = pair_table(target)
    consumer = roles(inst, target) if pairs else None
    if consumer is None or not consumer.consumer_bits:
        return 0
    interests = interest(target)
    uses = _masks(inst, target.arch)[1]
    between = missing = covered = 0
    before_dgemm = False
    for earlier, states in reversed(history):
        if between >= LOOK_BACK:
            break
        produced = roles(earlier, target).produces
        for role, mask, key, passes in produced:
            # A later overwrite ends the earlier producer's claim on a register.
            live = mask & ~covered if role in KILLED_BY_WRITE else mask
            if role in KILLED_BY_WRITE and not live:
                continue
            made = [role]
            if before_dgemm and role == P.VALU_VGPR:
                made.append(P.VALU_THEN_DGEMM)
            for name in made:
                if interests[name] & consumer.consumer_bits:
                    short = shortfalls(
                        pairs,
                        (name, live, key, passes),
                        consumer.consumes,
                        uses,
                        inst.base,
                        between,
                    )
                    missing = max([missing, *(need - between for _, _, need in short)])
        before_dgemm |= any(p.role == P.DGEMM for p in produced)
        covered |= _masks(earlier, target.arch)[0]
        between += states
    return missing


def paths(
    program: Program, blocks: Sequence[Block], block: Block, index: int, *, forward: bool
) -> tuple[list[Timed], bool]:
    """Up to `LOOK_BACK` instructions behind `index`, or in front of it, on every path.

    Returns:
        The distinct paths in issue order, and whether these are all: eight at most are given.
    """
    found: dict[Timed, None] = {}
    start = range(index + 1, block.last) if forward else range(index - 1, block.first - 1, -1)
    open_paths: list[tuple[Timed, range, Block]] = [((), start, block)]
    while open_paths and len(found) < _MOST_PATHS:
        path, places, here = open_paths.pop()
        for i in places[: LOOK_BACK - len(path)]:
            inst = program.instructions[i]
            path = (*path, (inst, wait_states_of(inst, program.target)))
        onward = here.successors if forward else here.predecessors
        if len(path) >= LOOK_BACK or not onward:
            found[path if forward else path[::-1]] = None
            continue
        for n in onward[:_MOST_PATHS]:
            other = blocks[n]
            inside = range(other.first, other.last)
            open_paths.append((path, inside if forward else inside[::-1], other))
        if len(open_paths) > _MOST_PATHS * _MOST_PATHS:
            break
    return list(found), not open_paths


def breaks_clause(
    history: Sequence[tuple[Instruction, int]], inst: Instruction, target: Target
) -> bool:
    """Whether `inst` would make a memory clause that a page-fault replay could not repeat.

    Consecutive SMEM or vector memory instructions form a soft clause; with XNACK on (or left
    open) none of them may write a register that any of them reads.
    """
    if target.xnack not in (Feature.ANY, Feature.ON) or target.major > 10:
        return False
    effect = decode(inst, target)
    kinds = _CLAUSES.get(effect.kind)
    if kinds is None:
        return False
    reads, writes = set(effect.uses), set(effect.defs)
    length = 1
    for earlier, _ in reversed(history):
        other = decode(earlier, target)
        if other.kind not in kinds:
            break
        reads |= other.uses
        writes |= other.defs
        length += 1
    return length > 1 and bool(reads & writes)


_CLAUSES = {
    OpClass.SMEM: frozenset({OpClass.SMEM}),
    OpClass.VMEM: VECTOR_MEMORY,
    OpClass.FLAT: VECTOR_MEMORY,
}
