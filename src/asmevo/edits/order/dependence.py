"""Dependence graph of a run of instructions: which of them may not change places.

An edge i -> j (i before j) says that j must stay behind i. Edges come from register units (SCC,
VCC, EXEC, M0 and MODE included), from memory (any store against any access of the same space:
lanes of one wave may alias whatever the offsets say), from fences, and from loads whose results
leave the run in flight. Waits and nops are no nodes: they are derived again for each new order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from asmevo.edits.order.latency import Latencies, latencies_of
from asmevo.isa.access import Space
from asmevo.isa.counters import UNORDERED, events, is_counter_wait
from asmevo.isa.decoded import Decoded, OpClass, decode
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import MODE
from asmevo.isa.target import Target

# Nothing at all moves across these.
_FENCE_CLASSES = frozenset(
    {OpClass.MESSAGE, OpClass.CACHE, OpClass.BRANCH, OpClass.END, OpClass.OTHER, OpClass.WAIT}
)


@dataclass(frozen=True, slots=True)
class Edge:
    """`later` must come after `earlier`; `latency` clocks apart for full speed."""

    earlier: int
    later: int
    latency: int


def is_padding(inst: Instruction, target: Target) -> bool:
    """Whether `inst` is a counter wait or an `s_nop`, which a new order derives again."""
    return inst.base == "s_nop" or is_counter_wait(inst, target)


def is_fence(inst: Instruction, target: Target) -> bool:
    """Whether nothing may move across `inst`."""
    if not inst.editable:
        return True
    effect = decode(inst, target)
    if effect.kind in _FENCE_CLASSES or effect.traits.pinned or effect.traits.indirect:
        return True
    # While gpr_idx indexing is on, printed registers are not the ones that are read.
    return MODE in effect.defs


def memory_spaces(inst: Instruction, effect: Decoded) -> tuple[frozenset[str], frozenset[str]]:
    """(spaces read, spaces written) of a memory instruction: `lds`, `memory`, `scratch`."""
    if effect.kind is OpClass.LDS:
        space = frozenset({"lds"})
        return (
            space if effect.loads else frozenset[str](),
            space if effect.stores else frozenset[str](),
        )
    if effect.kind is OpClass.SMEM:
        if effect.stores:
            return frozenset({"memory"}), frozenset({"memory"})
        return (frozenset({"memory"}) if effect.loads else frozenset[str]()), frozenset[str]()
    if effect.kind in (OpClass.VMEM, OpClass.FLAT):
        access = effect.access
        scratch = access is not None and access.space is Space.SCRATCH
        space = {"scratch"} if scratch else {"memory"}
        if effect.kind is OpClass.FLAT:
            space |= {"lds", "scratch"}
        # A load with scope bits may be an acquire; it keeps its place among all accesses.
        ordered = access is not None and access.ordered
        writes = frozenset(space) if effect.stores or ordered else frozenset[str]()
        if effect.lds_dma:
            writes |= {"lds"}
        return frozenset(space), writes
    return frozenset(), frozenset()


class Dependence:
    """Dependence graph over `instructions` (padding excluded by the caller).

    Args:
        instructions: the instructions of one straight-line run, in order.
        target: the target.
        latencies: latency table for the edges.
        leaving: indices of loads whose results are still in flight at the end of the run; later
            operations of their counter stay behind them, so that the waits behind the run stay
            right.

    Attributes:
        successors: for every node, later node -> latency in clocks.
        predecessors: for every node, earlier node -> latency in clocks.
    """

    def __init__(
        self,
        instructions: Sequence[Instruction],
        target: Target,
        latencies: Latencies | None = None,
        leaving: frozenset[int] = frozenset(),
    ) -> None:
        self.instructions = tuple(instructions)
        self.target = target
        self._latencies = latencies or latencies_of(target)
        self._effects = [decode(i, target) for i in instructions]
        count = len(self.instructions)
        self.successors: list[dict[int, int]] = [{} for _ in range(count)]
        self.predecessors: list[dict[int, int]] = [{} for _ in range(count)]
        self._registers()
        self._memory()
        self._fences()
        self._leaving(leaving)

    def edges(self) -> list[Edge]:
        """All edges, ordered by their ends."""
        return [
            Edge(i, j, latency)
            for i, later in enumerate(self.successors)
            for j, latency in sorted(later.items())
        ]

    def allows(self, order: Sequence[int]) -> bool:
        """Whether the permutation `order` of the nodes respects every edge."""
        place = {node: at for at, node in enumerate(order)}
        if len(place) != len(self.instructions):
            return False
        return all(place[e.earlier] < place[e.later] for e in self.edges())

    def _edge(self, earlier: int, later: int, latency: int) -> None:
        known = self.successors[earlier].get(later, -1)
        if latency > known:
            self.successors[earlier][later] = latency
            self.predecessors[later][earlier] = latency

    def _registers(self) -> None:
        writer: dict[int, int] = {}
        readers: dict[int, list[int]] = {}
        for i, effect in enumerate(self._effects):
            for unit in effect.uses:
                source = writer.get(unit)
                if source is not None:
                    latency = self._latencies.result(
                        self.instructions[source], self._effects[source], effect, self.target
                    )
                    self._edge(source, i, latency)
            for unit in effect.defs:
                source = writer.get(unit)
                if source is not None:
                    self._edge(source, i, self._latencies.alu)
                for reader in readers.get(unit, ()):
                    if reader != i:
                        self._edge(reader, i, 0)
            for unit in effect.uses:
                readers.setdefault(unit, []).append(i)
            for unit in effect.defs:
                writer[unit] = i
                readers[unit] = [i] if unit in effect.uses else []

    def _memory(self) -> None:
        accesses: list[tuple[int, frozenset[str], frozenset[str]]] = []
        for i, effect in enumerate(self._effects):
            reads, writes = memory_spaces(self.instructions[i], effect)
            if not reads and not writes:
                continue
            for j, earlier_reads, earlier_writes in accesses:
                if writes & (earlier_reads | earlier_writes) or reads & earlier_writes:
                    self._edge(j, i, 0)
            accesses.append((i, reads, writes))

    def _fences(self) -> None:
        last: int | None = None
        for i, inst in enumerate(self.instructions):
            if last is not None:
                self._edge(last, i, 0)
            if is_fence(inst, self.target):
                for j in range(0 if last is None else last + 1, i):
                    self._edge(j, i, 0)
                last = i
        # A barrier orders memory accesses (and other barriers), not registers.
        barriers = [i for i, e in enumerate(self._effects) if e.kind is OpClass.BARRIER]
        for b in barriers:
            for i, inst in enumerate(self.instructions):
                if i == b:
                    continue
                if i in barriers or events(inst, self.target):
                    self._edge(min(b, i), max(b, i), 0)

    def _leaving(self, leaving: frozenset[int]) -> None:
        # A wait behind the run counts the operations younger than the load: none may be lost.
        raised = [
            {(e.counter, e.order) for e in events(i, self.target) if e.order not in UNORDERED}
            for i in self.instructions
        ]
        for i in sorted(leaving):
            for j in range(i + 1, len(self.instructions)):
                if raised[i] & raised[j]:
                    self._edge(i, j, 0)

    def critical_path(self) -> list[int]:
        """For every node, clocks from its issue to the end of the longest chain behind it."""
        height = [0] * len(self.instructions)
        for i in range(len(self.instructions) - 1, -1, -1):
            own = self._latencies.issue(self.instructions[i], self._effects[i], self.target)
            height[i] = own + max(
                (max(lat, own) - own + height[j] for j, lat in self.successors[i].items()),
                default=0,
            )
        return height
