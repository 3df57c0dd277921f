"""What is to be proved: two pieces of code that a kernel enters at one point and leaves at one.

    >>> Window(target, before, after, live_out=frozenset(units), mode=mode)

Registers are units of `asmevo.isa.operand`. Memory is always live. A register that is not live at
the end may differ; what is read before it is written comes from outside and is the same in both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from asmevo.isa.instruction import Instruction
from asmevo.isa.semantics.table import FloatMode
from asmevo.isa.target import Target


@dataclass(frozen=True, slots=True)
class Diamond:
    """A conditional branch and the two regions of which one runs; they meet behind it.

    Attributes:
        branch: the conditional branch (`s_cbranch_*`); its label does not matter.
        falls: what runs when it is not taken.
        taken: what runs when it is; empty where it only skips.
    """

    branch: Instruction
    falls: Region
    taken: Region = ()


Region = tuple["Instruction | Diamond", ...]


@dataclass(frozen=True, slots=True)
class Assumptions:
    """Facts that hold where the window begins; whoever states one answers for it.

    Attributes:
        exec_full: all lanes are active.
        disjoint: groups of SGPR pairs (their first units); the memory that an address or buffer
            descriptor in one of them leads to is apart from that of the others. Empty: any access
            may meet any other.
        uniform: VGPR and AGPR units that hold the same in all lanes.
        readable: first units of SGPR pairs, each with the number of bytes that may be read from
            the address in it on, whatever the code before did: the kernarg segment.
    """

    exec_full: bool = False
    disjoint: frozenset[int] = frozenset()
    uniform: frozenset[int] = frozenset()
    readable: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Window:
    """Two regions of one kernel, the one to replace and its replacement.

    Attributes:
        target: the processor.
        before, after: what K0 and the candidate run; straight lines, or lines with diamonds.
        live_out: register units that are read behind the window: SGPRs, VGPRs, AGPRs, VCC, EXEC,
            SCC, M0, MODE, as far as they are live. EXEC and MODE should be in it as a rule.
        mode: MODE where the window begins, with the facts of the target
            (`FloatMode.on_target`); None if it is not known.
        assumptions: further facts.
        name: for reports: "kernel: block 3".
    """

    target: Target
    before: Region
    after: Region
    live_out: frozenset[int]
    mode: FloatMode | None = None
    assumptions: Assumptions = field(default_factory=Assumptions)
    name: str = ""

    @property
    def straight(self) -> bool:
        """Whether neither side branches."""
        return all(isinstance(i, Instruction) for side in (self.before, self.after) for i in side)


def instructions(region: Region) -> Iterator[Instruction]:
    """All instructions of a region, branches included, each path in its order."""
    for item in region:
        if isinstance(item, Instruction):
            yield item
        else:
            yield item.branch
            yield from instructions(item.falls)
            yield from instructions(item.taken)
