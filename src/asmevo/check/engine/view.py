"""The checker's own view of a function: a graph of short chunks.

The checks do not use the control-flow graph that edits and proposers use: who judges shares no
code with who proposes. Chunks are basic blocks cut further at places that depend on content only,
so that an edit leaves all chunks but its own unchanged and their remembered results stay valid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from asmevo.check.engine.facts import (
    CALL,
    COND,
    INDIRECT,
    JUMP,
    NEXT,
    ChunkContent,
    InstructionFacts,
    Library,
    ProgramLike,
)
from asmevo.check.engine.workbench import facts_of, library_of
from asmevo.isa.flow import Condition
from asmevo.isa.target import Target

_CUT_LENGTH = 160


@dataclass(slots=True)
class Chunk:
    """A straight piece of a function in the view's graph."""

    number: int
    first: int
    last: int
    content: ChunkContent
    successors: list[int] = field(default_factory=lambda: [])
    predecessors: list[int] = field(default_factory=lambda: [])
    leader: bool = True  # starts a basic block (not merely a cut)
    block: int = 0  # first instruction of its basic block
    skip_edges: set[int] = field(default_factory=lambda: set[int]())  # successors taken with EXEC 0


@dataclass(slots=True)
class View:
    """A function as facts and chunks.

    Attributes:
        name: function name.
        target: processor.
        first, last: instruction range (padding excluded).
        facts: facts of instruction `first + i`.
        chunks: nodes of the graph, in address order.
        entries: chunk numbers where execution can begin.
        stray: (branch index, target index or None) of branches that leave the function or go to
            no instruction.
        falls_off: indices of instructions behind which the function ends although they continue.
        indirect: indices of jumps whose targets are unknown.
        calls: indices of calls.
        order: reachable chunks in reverse post order.
    """

    name: str
    target: Target
    library: Library
    first: int
    last: int
    facts: list[InstructionFacts]
    chunks: list[Chunk]
    entries: tuple[int, ...]
    stray: list[tuple[int, int | None]]
    falls_off: list[int]
    indirect: list[int]
    calls: list[int]
    order: list[int]

    def fact(self, index: int) -> InstructionFacts:
        """Facts of the instruction at a program index."""
        return self.facts[index - self.first]

    def chunk_at(self, index: int) -> Chunk:
        """The chunk that holds a program index (binary search)."""
        lo, hi = 0, len(self.chunks) - 1
        while lo < hi:
            mid = (lo + hi + 1) // 2
            if self.chunks[mid].first <= index:
                lo = mid
            else:
                hi = mid - 1
        return self.chunks[lo]


def build_view(
    program: ProgramLike,
    name: str,
    first: int,
    last: int,
    entries: Sequence[int],
    indirect_targets: Mapping[int, Sequence[int]] | None = None,
) -> View:
    """Chunk graph of instructions `[first, last)` with the given entry indices.

    `indirect_targets` gives known targets of indirect jumps by instruction index.

    Raises:
        UnsupportedError: a control instruction that the checker cannot follow.
    """
    library = library_of(program.target)
    facts = facts_of(program)[first:last]
    leaders: set[int] = {first, *(e for e in entries if first <= e < last)}
    targets: dict[int, list[int]] = {}
    stray: list[tuple[int, int | None]] = []
    indirect: list[int] = []
    calls: list[int] = []
    ends: list[int] = []
    for i, f in enumerate(facts, first):
        flow = f.flow
        if flow == NEXT:
            continue
        ends.append(i)
        leaders.add(i + 1)
        if flow in (JUMP, COND):
            target = program.branch_target(i)
            if target is None or not first <= target < last:
                stray.append((i, target))
            else:
                targets[i] = [target]
                leaders.add(target)
        elif flow == INDIRECT:
            known = [t for t in (indirect_targets or {}).get(i, ()) if first <= t < last]
            targets[i] = known
            leaders.update(known)
            if not known:
                indirect.append(i)
        elif flow == CALL:
            calls.append(i)
    starts: list[int] = []
    at = first - _CUT_LENGTH
    for i, f in enumerate(facts, first):
        if i in leaders or f.cut or i - at >= _CUT_LENGTH:
            starts.append(i)
            at = i
    chunks: list[Chunk] = []
    number_at: dict[int, int] = {}
    bounds = [*starts, last]
    for n, begin in enumerate(starts):
        end = bounds[n + 1]
        number_at[begin] = n
        piece = tuple(facts[begin - first : end - first])
        leads = begin in leaders
        block = begin if leads else chunks[-1].block
        chunks.append(Chunk(n, begin, end, library.content(piece), leader=leads, block=block))
    falls_off: list[int] = []
    for chunk in chunks:
        tail = chunk.last - 1
        f = facts[tail - first]
        nexts = list(targets.get(tail, ()))
        if f.flow in (NEXT, COND, CALL):
            if chunk.last < last:
                fall = chunk.last
                if f.decoded.flow.when is False and f.decoded.flow.condition is Condition.EXEC:
                    chunk.skip_edges.add(number_at[fall])
                nexts.append(fall)
            else:
                falls_off.append(tail)
        if f.decoded.flow.skips_without_lanes and targets.get(tail):
            chunk.skip_edges.add(number_at[targets[tail][0]])
        chunk.successors = list(dict.fromkeys(number_at[t] for t in nexts))
    for chunk in chunks:
        for s in chunk.successors:
            chunks[s].predecessors.append(chunk.number)
    entry_numbers = tuple(number_at[e] for e in entries if e in number_at)
    return View(
        name, program.target, library, first, last, facts, chunks, entry_numbers, stray,
        falls_off, indirect, calls, _reverse_post_order(chunks, entry_numbers),
    )  # fmt: skip


def _reverse_post_order(chunks: Sequence[Chunk], entries: Sequence[int]) -> list[int]:
    seen: set[int] = set()
    post: list[int] = []
    for entry in entries:
        if entry in seen:
            continue
        seen.add(entry)
        stack: list[tuple[int, int]] = [(entry, 0)]
        while stack:
            node, at = stack.pop()
            successors = chunks[node].successors
            while at < len(successors) and successors[at] in seen:
                at += 1
            if at < len(successors):
                stack.append((node, at + 1))
                seen.add(successors[at])
                stack.append((successors[at], 0))
            else:
                post.append(node)
    return post[::-1]
