"""Rule `move`: one instruction up or down past independent neighbours in its basic block."""

from __future__ import annotations

import random
from collections.abc import Iterator

from asmevo.edits.base import Window, analysed, kernel_function, trimmed
from asmevo.edits.order.dependence import Dependence
from asmevo.edits.waits.pending import FunctionWaits
from asmevo.edits.waits.rewait import BlockWaits
from asmevo.program.edit import Edit
from asmevo.program.model import Program


class Move:
    """Proposes to move single instructions by up to `reach` places, farthest first.

    Args:
        reach: most places to move.
        seed: order in which the instructions of the window are tried.
    """

    name = "move"

    def __init__(self, reach: int = 8, seed: int = 0) -> None:
        self._reach = reach
        self._seed = seed

    def proposals(self, program: Program, kernel: str, window: Window) -> Iterator[Edit]:
        """Edits that move an instruction of `window` inside its block."""
        function = kernel_function(program, kernel)
        waits = analysed(program, function, FunctionWaits)
        if not waits.known:
            return
        rng = random.Random(self._seed)
        for block in waits.blocks:
            if block.first >= window[1] or block.last <= window[0]:
                continue
            facts = BlockWaits(waits, block)
            body = facts.body()
            leaving = facts.leaving()
            graph = Dependence(
                [program.instructions[i] for i in body],
                program.target,
                None,
                frozenset(n for n, i in enumerate(body) if i in leaving),
            )
            nodes = [n for n, i in enumerate(body) if window[0] <= i < window[1]]
            rng.shuffle(nodes)
            for node in nodes:
                for place in self._places(graph, node):
                    order = [n for n in range(len(body)) if n != node]
                    order.insert(place, node)
                    plan = facts.plan([body[n] for n in order])
                    way = "up" if place < node else "down"
                    edit = trimmed(
                        program,
                        block.first,
                        block.last,
                        plan.lines,
                        f"moved {way} by {abs(place - node)}",
                    )
                    if edit is not None:
                        yield edit

    def _places(self, graph: Dependence, node: int) -> list[int]:
        """New positions of `node` among the body, the farthest allowed ones first."""
        lowest = max(graph.predecessors[node], default=-1) + 1
        highest = min(graph.successors[node], default=len(graph.instructions)) - 1
        up = range(max(lowest, node - self._reach), node)
        down = range(min(highest, node + self._reach), node, -1)
        return [*up, *down]
