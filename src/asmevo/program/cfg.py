"""Basic blocks and control flow of one function."""

from __future__ import annotations

from dataclasses import dataclass

from asmevo.isa.flow import FlowKind, flow_of
from asmevo.program.model import Function, Program


@dataclass(frozen=True, slots=True)
class Block:
    """Instructions `[first, last)` that run one after the other.

    Attributes:
        index: position in the function's tuple of blocks.
        successors: block indices that control may reach next, ascending.
        predecessors: the inverse of `successors`.
        unknown_successors: control may also go where the code does not say (computed jump, call,
            return, a branch out of the function); everything may be live and anything may follow.
        call: the block ends in a call, which returns to its only known successor.
    """

    index: int
    first: int
    last: int
    successors: tuple[int, ...]
    predecessors: tuple[int, ...]
    unknown_successors: bool
    call: bool = False


def blocks(program: Program, function: Function) -> tuple[Block, ...]:
    """Basic blocks of a function in address order; padding is in none.

    Entries of the kernel other than its first instruction (the second entry of kernarg preload)
    start blocks as well.
    """
    first, last = function.first, function.last
    leaders = {first}
    leaders.update(t for t in program.targets.values() if first <= t < last)
    leaders.update(i for i in program.anchors.values() if first <= i < last)
    leaders.update(
        r.target for r in program.references if r.target is not None and first <= r.target < last
    )
    enders: set[int] = set()
    for i in range(first, last):
        if flow_of(program.instructions[i].base).changes:
            enders.add(i)
            if i + 1 < last:
                leaders.add(i + 1)
    starts = sorted(leaders)
    index_of = {start: n for n, start in enumerate(starts)}
    edges: list[_Edges] = []
    for n, start in enumerate(starts):
        end = starts[n + 1] if n + 1 < len(starts) else last
        edges.append(_edges(program, end - 1, end - 1 in enders, end, last, index_of))
        assert start < end or first == last
    edges = _without_dead_ends(edges, [index_of[i] for i in _entered(program, first)
                                       if i in index_of])  # fmt: skip
    predecessors: list[list[int]] = [[] for _ in starts]
    for n, (successors, _, _) in enumerate(edges):
        for s in successors:
            predecessors[s].append(n)
    return tuple(
        Block(
            n, start, starts[n + 1] if n + 1 < len(starts) else last,
            tuple(sorted(edges[n][0])), tuple(predecessors[n]), edges[n][1], edges[n][2],
        )
        for n, start in enumerate(starts)
    )  # fmt: skip


def _entered(program: Program, first: int) -> set[int]:
    """Where control may come in from elsewhere: all that is named, but for ends and mere labels."""
    co = program.object
    ends = {s.value + s.size - co.text_address for s in co.text_symbols if s.size}
    named = {i for at, i in program.anchors.items()
             if at not in program.soft_anchors and at not in ends}  # fmt: skip
    return {first, *named, *(r.target for r in program.references if r.target is not None)}


_Edges = tuple[set[int], bool, bool]


def _without_dead_ends(edges: list[_Edges], entered: list[int]) -> list[_Edges]:
    """The edges, where what nothing leads to goes nowhere: constants behind the code, say.

    As long as all that is reached says where it goes; else anything may lead there.
    """
    reached: set[int] = set()
    work = entered
    while work:
        n = work.pop()
        if n not in reached:
            reached.add(n)
            work.extend(edges[n][0])
    if any(edges[n][1] for n in reached):
        return edges
    return [
        (successors, unknown and n in reached, call)
        for n, (successors, unknown, call) in enumerate(edges)
    ]


def _edges(
    program: Program, final: int, ends: bool, end: int, last: int, index_of: dict[int, int]
) -> _Edges:
    """(successors, unknown successors, call) of the block whose last instruction is `final`."""
    fall = {index_of[end]} if end < last else set[int]()
    if not ends:
        return fall, end >= last, False
    flow = flow_of(program.instructions[final].base)
    if flow.kind is FlowKind.END:
        return set(), False, False
    if flow.kind is FlowKind.CALL:
        return fall, True, True
    successors = fall if flow.falls else set[int]()
    target = program.targets.get(final)
    # Fork and join change both the program counter and EXEC through a stack.
    unknown = flow.kind is FlowKind.FORK or (flow.kind is not FlowKind.TRAP and target is None)
    if target is not None:
        if target in index_of:
            successors = successors | {index_of[target]}
        else:
            unknown = True
    return successors, unknown, False
