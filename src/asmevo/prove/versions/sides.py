"""One version of a function as the matching sees it: segments between its branches."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property

from asmevo.isa.decoded import Decoded, decode
from asmevo.isa.flow import Condition, FlowKind, flow_of
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import EXEC, SCC, VCC
from asmevo.program.dataflow import ALL_UNITS, Liveness, transfer
from asmevo.program.keys import keys, place
from asmevo.program.model import Function, Program
from asmevo.prove.versions.idle import idle_until

CONDITIONS = {
    Condition.SCC: frozenset((SCC,)),
    Condition.VCC: frozenset((VCC, VCC + 1)),
    Condition.EXEC: frozenset((EXEC, EXEC + 1)),
}


class Stop(Enum):
    """What a run of instructions ends with."""

    BRANCH = auto()  # a conditional branch
    END = auto()  # of the kernel
    OPAQUE = auto()  # a call, a return, a trap, a computed jump, the end of the function's code
    ENDLESS = auto()  # nothing: jumps that lead back


@dataclass(frozen=True, slots=True)
class Segment:
    """What control runs through without a choice.

    Attributes:
        items: indices of its instructions; jumps and what it ends with are left out.
        passed: (index, number of items in front of it) of places that somebody asked about.
        stop: what it ends with.
        at: index of that instruction.
    """

    items: tuple[int, ...]
    passed: tuple[tuple[int, int], ...]
    stop: Stop
    at: int


class Side:
    """A function of one of the two programs, with its liveness and its segments."""

    def __init__(self, program: Program, function: Function) -> None:
        self.program, self.function = program, function
        self.live = Liveness(program, function)
        self.blocks = self.live.blocks
        self.starts = {b.first: b for b in self.blocks}
        self.keys = dict(enumerate(keys(program, function), function.first))
        self._idle: dict[int, bool] = {}
        self._written: dict[frozenset[int], frozenset[int]] = {}

    def inst(self, index: int) -> Instruction:
        """An instruction."""
        return self.program.instructions[index]

    def decoded(self, index: int) -> Decoded | None:
        """The record of an instruction; None outside the function's code."""
        if not self.function.first <= index < self.function.last:
            return None
        return decode(self.program.instructions[index], self.program.target)

    @cached_property
    def entries(self) -> tuple[int, ...]:
        """Places that control may enter from elsewhere, ascending; the function's first is one."""
        co, f = self.program.object, self.function
        ends = {s.value + s.size - co.text_address for s in co.text_symbols if s.size}
        found = {f.first}
        for at, i in self.program.anchors.items():
            if at not in self.program.soft_anchors and at not in ends and i in self.starts:
                found.add(i)
        for r in self.program.references:
            if r.target is not None and r.target in self.starts:
                found.add(r.target)
        return tuple(sorted(found))

    def surely_wanted(self, index: int) -> int:
        """Units, as a bit set, that some way from a place reads before anything is written there.

        Unlike liveness this takes a write of some lanes for one of all: it leaves out what may be
        read in the other lanes only.
        """
        block = self.live.block_of(index)
        wanted = self._wanted_out[block.index]
        for i in range(block.last - 1, index - 1, -1):
            t = transfer(self.inst(i), self.program.target)
            wanted = wanted & ~t.defs | t.uses_here | t.uses_anywhere
        return wanted

    @cached_property
    def _wanted_out(self) -> list[int]:
        """Per block what is surely wanted at its end."""
        out = [ALL_UNITS if b.unknown_successors else 0 for b in self.blocks]
        work = [b.index for b in self.blocks]
        while work:
            b = self.blocks[work.pop()]
            wanted = out[b.index]
            for i in range(b.last - 1, b.first - 1, -1):
                t = transfer(self.inst(i), self.program.target)
                wanted = wanted & ~t.defs | t.uses_here | t.uses_anywhere
            for p in b.predecessors:
                if wanted & ~out[p]:
                    out[p] |= wanted
                    work.append(p)
        return out

    @cached_property
    def loops(self) -> dict[int, frozenset[int]]:
        """First instruction of each loop's first block -> first instructions of its blocks.

        A loop is what leads to an edge that a walk in depth comes back by.
        """
        closing: dict[int, set[int]] = {}
        path: set[int] = set()
        done: set[int] = set()
        work = [(self.starts[i].index, -1, False) for i in reversed(self.entries)]
        while work:
            n, source, leaving = work.pop()
            if leaving:
                path.discard(n)
                done.add(n)
            elif n in path:
                closing.setdefault(n, set()).add(source)
            elif n not in done:
                path.add(n)
                work.append((n, -1, True))
                work += [(s, n, False) for s in self.blocks[n].successors]
        return {self.blocks[n].first: self._body(n, ends) for n, ends in closing.items()}

    def _body(self, head: int, ends: set[int]) -> frozenset[int]:
        inside, work = {head}, list(ends)
        while work:
            n = work.pop()
            if n not in inside:
                inside.add(n)
                work += self.blocks[n].predecessors
        return frozenset(self.blocks[n].first for n in inside)

    @cached_property
    def kernarg(self) -> tuple[int, int] | None:
        """First unit of the pair that holds the kernarg segment's address, and its bytes.

        Source: LLVM AMDGPUUsage, initial kernel execution state.
        """
        for kernel in self.program.object.kernels:
            if self.program.kernel_function(kernel) == self.function:
                d = kernel.descriptor
                if not d.enable_sgpr_kernarg_segment_ptr:
                    return None
                first = 4 * bool(d.enable_sgpr_private_segment_buffer)
                first += 2 * bool(d.enable_sgpr_dispatch_ptr) + 2 * bool(d.enable_sgpr_queue_ptr)
                return first, kernel.metadata.kernarg_bytes
        return None

    def untouched(self, index: int, units: frozenset[int]) -> bool:
        """Whether nothing wrote units since the function was entered, on any way to a place."""
        if units not in self._written:
            writes = [
                any(not units.isdisjoint(self._defs(i)) for i in range(b.first, b.last))
                or b.unknown_successors
                for b in self.blocks
            ]
            dirty: set[int] = set()
            work = [s for b in self.blocks if writes[b.index] for s in b.successors]
            while work:
                n = work.pop()
                if n not in dirty:
                    dirty.add(n)
                    work += self.blocks[n].successors
            self._written[units] = frozenset(dirty)
        if self.decoded(index) is None:
            return False
        block = self.live.block_of(index)
        return block.index not in self._written[units] and all(
            units.isdisjoint(self._defs(i)) for i in range(block.first, index)
        )

    def _defs(self, index: int) -> frozenset[int]:
        d = decode(self.inst(index), self.program.target)
        return frozenset(range(128)) if d.traits.indirect else d.defs

    @cached_property
    def units(self) -> frozenset[int]:
        """Every register unit that the function names."""
        found: set[int] = set()
        for i in range(self.function.first, self.function.last):
            d = decode(self.program.instructions[i], self.program.target)
            found |= d.defs | d.uses
        return frozenset(found)

    def segment(self, first: int, asked: Container[int]) -> Segment:
        """What runs from an instruction on, until control has a choice or leaves."""
        items: list[int] = []
        passed: list[tuple[int, int]] = []
        jumped: set[int] = set()
        at, f = first, self.function
        while True:
            if at in asked:
                passed.append((at, len(items)))
            if not f.first <= at < f.last:
                return Segment(tuple(items), tuple(passed), Stop.OPAQUE, at)
            flow = flow_of(self.inst(at).base)
            goal = self.program.targets.get(at)
            inside = goal is not None and f.first <= goal < f.last
            if flow.kind is FlowKind.NEXT:
                items.append(at)
                at += 1
            elif flow.kind is FlowKind.JUMP and goal is not None and inside:
                if at in jumped:
                    return Segment(tuple(items), tuple(passed), Stop.ENDLESS, at)
                jumped.add(at)
                at = goal
            elif flow.kind is FlowKind.END:
                return Segment(tuple(items), tuple(passed), Stop.END, at)
            elif flow.condition in CONDITIONS and inside:
                return Segment(tuple(items), tuple(passed), Stop.BRANCH, at)
            else:
                return Segment(tuple(items), tuple(passed), Stop.OPAQUE, at)

    def ways(self, branch: int) -> tuple[int, int]:
        """Where a conditional branch leads when its register is zero (SCC 0), and when not."""
        flow, goal = flow_of(self.inst(branch).base), self.program.targets[branch]
        taken_on_zero = flow.when is False if flow.condition is Condition.SCC else flow.when is True
        return (goal, branch + 1) if taken_on_zero else (branch + 1, goal)

    def idle(self, branch: int) -> bool:
        """Whether an EXEC branch may go: a wave without lanes changes nothing behind it."""
        if branch not in self._idle:
            zero, other = self.ways(branch)
            live = self.live.live_before(zero) if self.decoded(zero) is not None else None
            left = idle_until(self.decoded, self.program.targets.get, other, branch, zero)
            self._idle[branch] = left is not None and live is not None and not left & live
        return self._idle[branch]

    def leads(self, index: int) -> tuple[str, int] | None:
        """Function that a direct branch or call leads to, and whether to its first instruction."""
        goal = self.program.targets.get(index)
        return None if goal is None else place(self.program, goal)
