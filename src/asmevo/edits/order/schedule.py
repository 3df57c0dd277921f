"""Rule `schedule`: list scheduling of one basic block, waits and nops derived for the new order.

Physical registers stay as they are, so the freedom is what the dependence graph leaves: loads
and the address arithmetic they need move up, work that does not need them fills the latency, and
waits sink to first use. Several seeded variants break ties and shift priorities differently.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from asmevo.edits.base import Window, analysed, kernel_function, trimmed
from asmevo.edits.order.dependence import Dependence
from asmevo.edits.order.latency import Latencies, latencies_of
from asmevo.edits.waits.pending import FunctionWaits
from asmevo.edits.waits.rewait import BlockWaits
from asmevo.isa.decoded import MEMORY_CLASSES, OpClass, decode
from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Target
from asmevo.program.cfg import Block
from asmevo.program.edit import Edit
from asmevo.program.model import Program

MAX_BLOCK = 2000
"""Instructions above which a block is not scheduled as a whole (quadratic memory edges)."""


def list_schedule(
    graph: Dependence,
    latencies: Latencies,
    noise: float = 0.0,
    seed: int = 0,
    late_barriers: bool = False,
) -> list[int]:
    """A dependence-respecting order of the graph's nodes.

    At every clock the ready node with the longest chain behind it issues; when none is ready, the
    one that becomes so first. Ties keep the present order when `noise` is 0.

    Args:
        graph: the dependence graph.
        latencies: the latency table.
        noise: relative random change of the priorities (0: none).
        seed: of the random changes.
        late_barriers: issue a barrier only when nothing else is ready soon: the wait in front of
            it then overlaps with other work.
    """
    count = len(graph.instructions)
    rng = random.Random(seed)
    height = [
        h * (1.0 + noise * (2.0 * rng.random() - 1.0)) if noise else float(h)
        for h in graph.critical_path()
    ]
    kinds = [decode(i, graph.target) for i in graph.instructions]
    missing = [len(p) for p in graph.predecessors]
    ready_at = [0] * count
    ready = [i for i in range(count) if missing[i] == 0]
    order: list[int] = []
    clock = 0
    while ready:
        now = [i for i in ready if ready_at[i] <= clock]
        if late_barriers:
            soon = [
                i
                for i in ready
                if kinds[i].kind is not OpClass.BARRIER and ready_at[i] <= clock + latencies.lds
            ]
            if soon:
                now = [i for i in soon if ready_at[i] <= clock] or [
                    min(soon, key=lambda i: (ready_at[i], -height[i], i))
                ]
        if now:
            chosen = min(now, key=lambda i: (-height[i], i))
        else:
            chosen = min(ready, key=lambda i: (ready_at[i], -height[i], i))
        ready.remove(chosen)
        order.append(chosen)
        start = max(clock, ready_at[chosen])
        clock = start + latencies.issue(graph.instructions[chosen], kinds[chosen], graph.target)
        for later, latency in graph.successors[chosen].items():
            ready_at[later] = max(ready_at[later], start + latency)
            missing[later] -= 1
            if missing[later] == 0:
                ready.append(later)
    return order


class Schedule:
    """Proposes new orders of whole basic blocks, and single loads moved up.

    Args:
        variants: how many randomised orders per block, besides the two plain ones.
        seed: of the random variants.
    """

    name = "schedule"

    def __init__(self, variants: int = 2, seed: int = 0) -> None:
        self._variants = variants
        self._seed = seed

    def proposals(self, program: Program, kernel: str, window: Window) -> Iterator[Edit]:
        """Edits of the blocks that touch `window`."""
        function = kernel_function(program, kernel)
        waits = analysed(program, function, FunctionWaits)
        if not waits.known:
            return
        for block in waits.blocks:
            if block.first < window[1] and block.last > window[0]:
                yield from self._block(waits, block)

    def _block(self, waits: FunctionWaits, block: Block) -> Iterator[Edit]:
        if block.last - block.first > MAX_BLOCK:
            return
        seen: set[tuple[str, ...]] = set()
        for edit in self._orders(waits, block):
            if edit.lines not in seen:
                seen.add(edit.lines)
                yield edit

    def _orders(self, waits: FunctionWaits, block: Block) -> Iterator[Edit]:
        program = waits.program
        facts = BlockWaits(waits, block)
        body = facts.body()
        if len(body) < 3:
            return
        leaving = facts.leaving()
        nodes = [program.instructions[i] for i in body]
        inside = frozenset(n for n, i in enumerate(body) if i in leaving)
        near = latencies_of(program.target)
        far = replace(near, vector_memory=2 * near.vector_memory, lds=2 * near.lds)
        tables = [
            ("unloaded latencies", near, 0.0, 0, False),
            ("late barriers", near, 0.0, 0, True),
            ("long memory latency", far, 0.0, 0, False),
        ]
        for k in range(self._variants):
            seed = (self._seed * 1_000_003 + block.first) * 31 + k
            tables.append((f"seed {seed}", near, 0.15 * (k + 1), seed, k % 2 == 1))
        graphs: dict[Latencies, Dependence] = {}
        for name, latencies, noise, seed, late in tables:
            if latencies not in graphs:
                graphs[latencies] = Dependence(nodes, program.target, latencies, inside)
            graph = graphs[latencies]
            order = [body[n] for n in list_schedule(graph, latencies, noise, seed, late)]
            edit = self._edit(waits, facts, order, f"list schedule, {name}")
            if edit is not None:
                yield edit
        graph = Dependence(nodes, program.target, None, inside)
        for moved in hoisted_loads(graph, program.target):
            edit = self._edit(waits, facts, [body[n] for n in moved], "loads first")
            if edit is not None:
                yield edit

    @staticmethod
    def _edit(
        waits: FunctionWaits, facts: BlockWaits, order: Sequence[int], note: str
    ) -> Edit | None:
        program, block = waits.program, facts.block
        plan = facts.plan(order)
        return trimmed(program, block.first, block.last, plan.lines, note)


def hoisted_loads(graph: Dependence, target: Target) -> Iterator[list[int]]:
    """Orders in which loads, with what they depend on, come as early as dependences allow.

    First all loads of the block together, then each alone; everything else keeps its order.
    """
    loads = [n for n, inst in enumerate(graph.instructions) if _is_load(inst, target)]
    if loads:
        yield _pulled_up(graph, loads)
    for load in loads[:16] if len(loads) > 1 else []:
        yield _pulled_up(graph, [load])


def _is_load(inst: Instruction, target: Target) -> bool:
    effect = decode(inst, target)
    return effect.kind in MEMORY_CLASSES and effect.loads and effect.returns


def _pulled_up(graph: Dependence, wanted: Sequence[int]) -> list[int]:
    order: list[int] = []
    placed: set[int] = set()

    def place(node: int) -> None:
        stack = [node]
        while stack:
            top = stack[-1]
            if top in placed:
                stack.pop()
                continue
            open_ones = sorted(p for p in graph.predecessors[top] if p not in placed)
            if open_ones:
                stack.extend(reversed(open_ones))
                continue
            stack.pop()
            placed.add(top)
            order.append(top)

    for node in wanted:
        place(node)
    for node in range(len(graph.instructions)):
        place(node)
    return order
