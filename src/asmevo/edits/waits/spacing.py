"""Software wait states that a proposal must leave between instructions.

The rules are those of `asmevo.isa.hazards.rows`, the same rows that the static checker judges with.
What a rule needs to know of an instruction is worked out once, as masks (`Issued`); a block is then
planned many times, in many orders, on integers alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from asmevo.isa.decoded import VECTOR_MEMORY, OpClass, decode
from asmevo.isa.hazards.pairs import KILLED_BY_WRITE, shortfalls
from asmevo.isa.hazards.roles import Consumed, Produced, mask_of, roles, wait_states_of
from asmevo.isa.hazards.rows import P, interest, pair_table, rules_of
from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Feature, Target
from asmevo.program.cfg import Block, blocks
from asmevo.program.model import Function, Program

LOOK_BACK = 20
"""No rule asks for more wait states than this."""
_MOST_PATHS = 8
_BLOCKS_BEHIND = 4  # one after the other, behind a block that is rewritten


class Issued:
    """One instruction as the wait-state rules see it.

    Attributes:
        inst: the instruction.
        target: the target whose rules these are.
        states: wait states that it provides to those around it.
        defs, uses: masks of the registers written and read.
        produces: its roles as producer.
        consumes, wants: its roles as consumer, and the bit set of them (0: nothing to pad).
        sought: bit set of the consumer roles that a rule pairs with one of `produces`.
        sought_behind_dgemm: the same when a DGEMM follows it before the consumer.
        dgemm: whether it is a DGEMM.
    """

    __slots__ = (
        "consumes", "defs", "dgemm", "inst", "produces", "sought", "sought_behind_dgemm", "states",
        "target", "uses", "wants",
    )  # fmt: skip

    def __init__(self, inst: Instruction, target: Target, states: int) -> None:
        self.inst, self.target, self.states = inst, target, states
        effect = decode(inst, target)
        self.defs, self.uses = mask_of(effect.defs), mask_of(effect.uses)
        self.produces: tuple[Produced, ...] = ()
        self.consumes: tuple[Consumed, ...] = ()
        self.wants = self.sought = self.sought_behind_dgemm = 0
        self.dgemm = False
        if not pair_table(target):
            return
        self.produces, self.consumes, self.wants = roles(inst, target)
        interests = interest(target)
        for made in self.produces:
            self.sought |= interests[made.role]
            self.dgemm |= made.role == P.DGEMM
        self.sought_behind_dgemm = self.sought
        if any(made.role == P.VALU_VGPR for made in self.produces):
            self.sought_behind_dgemm |= interests[P.VALU_THEN_DGEMM]


@lru_cache(maxsize=1 << 16)
def _issued(inst: Instruction, arch: str) -> Issued:
    target = Target(arch)
    return Issued(inst, target, wait_states_of(inst, target))


def issued(inst: Instruction, target: Target) -> Issued:
    """What the wait-state rules see of `inst` (cached: equal instructions give one object).

    Raises:
        UnsupportedError: a matrix instruction whose shape is not in the table.
    """
    return _issued(inst, target.arch)


_PADDING = Instruction(bytes(4), "s_nop 0")


@lru_cache(maxsize=256)
def padding(states: int, target: Target) -> Issued:
    """A nop or wait that a proposal puts in: never the same object as one of the program's."""
    return Issued(_PADDING, target, states)


class Look(NamedTuple):
    """How far a look back from a consumer has come.

    Attributes:
        between: wait states behind the point that it has come to.
        covered: mask of the registers that something behind that point writes.
        behind_dgemm: whether a DGEMM lies behind that point.
        missing: wait states missing so far.
    """

    between: int = 0
    covered: int = 0
    behind_dgemm: bool = False
    missing: int = 0


_AT_CONSUMER = Look()


def look_back(
    consumer: Issued, history: Sequence[Issued], limit: int = LOOK_BACK, look: Look = _AT_CONSUMER
) -> Look:
    """Look from `consumer` back over `history`, for wait states that are missing between the two.

    Args:
        consumer: the instruction to issue next.
        history: in issue order; nops and waits included.
        limit: wait states beyond which no producer matters.
        look: where an earlier look over later instructions has come to.
    """
    between, covered, behind_dgemm, missing = look
    wants = consumer.wants
    for step in reversed(history):
        if between >= limit:
            break
        if wants & (step.sought_behind_dgemm if behind_dgemm else step.sought):
            found = _short(consumer, step, between, covered, behind_dgemm)
            if found > missing:
                missing = found
        behind_dgemm |= step.dgemm
        covered |= step.defs
        between += step.states
    return Look(between, covered, behind_dgemm, missing)


def _short(consumer: Issued, step: Issued, between: int, covered: int, behind_dgemm: bool) -> int:
    """Wait states missing between one producer and a consumer."""
    pairs, interests = pair_table(step.target), interest(step.target)
    missing = 0
    for role, mask, key, passes in step.produces:
        live = mask
        if role in KILLED_BY_WRITE:
            # A later overwrite ends the earlier producer's claim on a register.
            live &= ~covered
            if not live:
                continue
        made = (role, P.VALU_THEN_DGEMM) if behind_dgemm and role == P.VALU_VGPR else (role,)
        for name in made:
            if interests[name] & consumer.wants:
                short = shortfalls(
                    pairs,
                    (name, live, key, passes),
                    consumer.consumes,
                    consumer.uses,
                    consumer.inst.base,
                    between,
                )
                for _, _, need in short:
                    missing = max(missing, need - between)
    return missing


def padding_before(history: Sequence[Issued], consumer: Issued) -> int:
    """Wait states missing before `consumer` may issue after `history` (in issue order).

    Nothing is missing on a target without a table of rules.
    """
    return look_back(consumer, history).missing if consumer.wants else 0


Path = tuple[Issued, ...]
"""Instructions in issue order."""


class Onward(NamedTuple):
    """What lies behind a block and may be too near to something in it.

    Attributes:
        open_looks: (consumer, the look back from it to the end of the block, wait states that its
            own block misses before it alone).
        missing: wait states that the blocks behind miss among each other.
    """

    open_looks: tuple[tuple[Issued, Look, int], ...]
    missing: int


class Spacing:
    """The wait-state rules over one function, whose paths and masks are worked out once.

    Args:
        program: the program.
        function: the function to plan in.

    Raises:
        UnsupportedError: a matrix instruction whose shape is not in the table.
    """

    def __init__(self, program: Program, function: Function) -> None:
        self._target = program.target
        self._blocks: tuple[Block, ...] = blocks(program, function)
        self._first = function.first
        self._steps = [
            issued(inst, program.target)
            for inst in program.instructions[function.first : function.last]
        ]
        self._needs = self._needs_by_consumer()
        self._limits: dict[int, int] = {}
        self._histories: dict[int, list[Path]] = {}
        self._onward: dict[int, Onward] = {}

    def _needs_by_consumer(self) -> dict[int, int]:
        """Consumer role -> most wait states that any producer of this function asks for."""
        made = {(p.role, p.passes) for step in self._steps for p in step.produces}
        made |= {(P.VALU_THEN_DGEMM, passes) for role, passes in made if role == P.VALU_VGPR}
        needs: dict[int, int] = {}
        for rule in rules_of(self._target) or ():
            for role, passes in made:
                if role == rule.producer:
                    need = max(needs.get(rule.consumer, 0), rule.wait_states(passes))
                    needs[rule.consumer] = need
        return needs

    def step(self, index: int) -> Issued:
        """The instruction at `index` of the program."""
        return self._steps[index - self._first]

    def limit(self, consumer: Issued) -> int:
        """Wait states in front of `consumer` beyond which nothing of this function matters."""
        wants = consumer.wants
        if wants not in self._limits:
            asked = (need for role, need in self._needs.items() if wants >> role & 1)
            self._limits[wants] = max(asked, default=0)
        return self._limits[wants]

    def missing(
        self, block: Block, placed: Sequence[Issued], consumer: Issued, look: Look = _AT_CONSUMER
    ) -> int:
        """Wait states missing before `consumer` on the worst path into `block`.

        Args:
            block: the block.
            placed: what issues in the block, from its start on.
            consumer: the next instruction, or one in a block behind this one.
            look: how far the look back from it has come, when it is in a block behind.
        """
        limit = self.limit(consumer)
        if look.between >= limit:
            return look.missing
        look = look_back(consumer, placed, limit, look)
        if look.between >= limit:
            return look.missing
        return max(look_back(consumer, h, limit, look).missing for h in self.histories(block))

    def missing_behind(self, block: Block, placed: Sequence[Issued]) -> int:
        """Wait states that the blocks behind `block` miss on the worst path through `placed`.

        What a block misses by itself, whatever lies in front of it, does not count.
        """
        onward = self._onward_of(block)
        worst = onward.missing
        for consumer, look, alone in onward.open_looks:
            found = self.missing(block, placed, consumer, look)
            if found > alone:
                worst = max(worst, found)
        return worst

    def _onward_of(self, block: Block) -> Onward:
        if block.index not in self._onward:
            looks: dict[tuple[Issued, Look, int], None] = {}
            missing = self._gather(block, (), _BLOCKS_BEHIND, looks)
            self._onward[block.index] = Onward(tuple(looks), missing)
        return self._onward[block.index]

    def _gather(
        self, block: Block, path: Path, depth: int, looks: dict[tuple[Issued, Look, int], None]
    ) -> int:
        """Collect the open looks from the blocks behind `block` and `path`.

        Returns:
            Wait states that these blocks miss among each other.
        """
        worst = 0
        for index in block.successors:
            following = self._blocks[index]
            own = self._path(following.first, min(following.last, following.first + LOOK_BACK))
            for n, consumer in enumerate(own):
                limit = self.limit(consumer)
                inside = look_back(consumer, own[:n], limit)
                look = look_back(consumer, path, limit, inside)
                if look.missing > inside.missing:
                    worst = max(worst, look.missing)
                if look.between < limit:
                    looks[(consumer, look, inside.missing)] = None
            if depth > 1 and len(own) < LOOK_BACK:
                behind = self._gather(following, (*path, *own), depth - 1, looks)
                worst = max(worst, behind)
        return worst

    def _path(self, first: int, last: int) -> Path:
        return tuple(self._steps[first - self._first : last - self._first])

    def histories(self, block: Block) -> list[Path]:
        """What may have issued before `block`, on every path into it (eight at most)."""
        if block.index not in self._histories:
            found, _ = self.paths(block, block.first, forward=False)
            self._histories[block.index] = found or [()]
        return self._histories[block.index]

    def paths(self, block: Block, index: int, *, forward: bool) -> tuple[list[Path], bool]:
        """Up to `LOOK_BACK` instructions behind `index`, or in front of it, on every path.

        Returns:
            The distinct paths in issue order, and whether these are all: eight at most are given.
        """
        found: dict[Path, None] = {}
        start = range(index + 1, block.last) if forward else range(index - 1, block.first - 1, -1)
        open_paths: list[tuple[Path, range, Block]] = [((), start, block)]
        while open_paths and len(found) < _MOST_PATHS:
            path, places, here = open_paths.pop()
            path = (*path, *(self.step(i) for i in places[: LOOK_BACK - len(path)]))
            onward = here.successors if forward else here.predecessors
            if len(path) >= LOOK_BACK or not onward:
                found[path if forward else path[::-1]] = None
                continue
            for n in onward[:_MOST_PATHS]:
                other = self._blocks[n]
                inside = range(other.first, other.last)
                open_paths.append((path, inside if forward else inside[::-1], other))
            if len(open_paths) > _MOST_PATHS * _MOST_PATHS:
                break
        return list(found), not open_paths

    def breaks_clause(self, block: Block, placed: Sequence[Issued], consumer: Issued) -> bool:
        """Whether `consumer` would make a memory clause that a page-fault replay cannot repeat.

        Consecutive SMEM or vector memory instructions form a soft clause; with XNACK on (or left
        open) none of them may write a register that any of them reads.
        """
        target = self._target
        if target.xnack not in (Feature.ANY, Feature.ON) or target.major > 10:
            return False
        kinds = _CLAUSES.get(decode(consumer.inst, target).kind)
        if kinds is None:
            return False
        return any(
            _conflict(consumer, _clause(placed, history, kinds, target))
            for history in self.histories(block)
        )


def _clause(
    placed: Sequence[Issued], history: Path, kinds: frozenset[OpClass], target: Target
) -> list[Issued]:
    """The instructions right before the next one that are of the same clause."""
    found: list[Issued] = []
    for earlier in islice(_backwards(placed, history), LOOK_BACK):
        if decode(earlier.inst, target).kind not in kinds:
            break
        found.append(earlier)
    return found


def _backwards(placed: Sequence[Issued], history: Path) -> Iterator[Issued]:
    yield from reversed(placed)
    yield from reversed(history)


def _conflict(consumer: Issued, clause: Sequence[Issued]) -> bool:
    reads, writes = consumer.uses, consumer.defs
    for step in clause:
        reads |= step.uses
        writes |= step.defs
    return bool(clause) and bool(reads & writes)


_CLAUSES = {
    OpClass.SMEM: frozenset({OpClass.SMEM}),
    OpClass.VMEM: VECTOR_MEMORY,
    OpClass.FLAT: VECTOR_MEMORY,
}
