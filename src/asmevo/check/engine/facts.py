"""What the checks know of one instruction, and of a short run of them.

Facts are computed once per distinct instruction and chunk contents once per distinct run, in one
library per target, so that repeated checks of nearly equal programs share them.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from asmevo.check.rules.operands import OperandFault, operand_faults
from asmevo.check.rules.untracked import untracked
from asmevo.errors import UnsupportedError
from asmevo.isa.counters import Order, counter_max
from asmevo.isa.decoded import MEMORY_CLASSES, CacheAction, Decoded, OpClass, decode
from asmevo.isa.flow import Condition, Flow, FlowKind, flow_of_text
from asmevo.isa.hazards.roles import SCALAR_MASK, VECTOR_MASK, Roles, mask_of, roles, wait_states_of
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import M0
from asmevo.isa.target import Target


class ProgramLike(Protocol):
    """What the checks need of a program (`asmevo.program` has it)."""

    @property
    def target(self) -> Target:
        """Processor."""
        ...

    @property
    def instructions(self) -> Sequence[Instruction]:
        """All instructions."""
        ...

    def branch_target(self, index: int) -> int | None:
        """Instruction index that a direct branch or call goes to, or None."""
        ...


# Pseudo units: memory events that wait for a counter like register results do. They lie between
# the scalar units and `HWREG0`.
LDS_DMA_BIT = 1 << 200  # LDS written by a load that bypasses registers
LDS_READ_BIT = 1 << 201
LDS_WRITE_BIT = 1 << 202
MEMORY_LOAD_BIT = 1 << 203
MEMORY_STORE_BIT = 1 << 204
WRITE_BACK_BIT = 1 << 205  # a cache write-back that the wave can wait for
ATOMIC_BIT = 1 << 206
MEMORY_BITS = (
    LDS_DMA_BIT | LDS_READ_BIT | LDS_WRITE_BIT | MEMORY_LOAD_BIT | MEMORY_STORE_BIT
    | WRITE_BACK_BIT | ATOMIC_BIT
)  # fmt: skip

_CUT_MASK = 31  # one instruction in 32 begins a new chunk


@dataclass(frozen=True, slots=True)
class Queue:
    """One completion queue of a target: a counter and an order class."""

    counter: str
    order: Order
    maximum: int


class QueueTable:
    """The queues of a target with small integer ids, created as they are met."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.queues: list[Queue] = []
        self._ids: dict[tuple[str, Order], int] = {}
        self._maxima = counter_max(target)
        self.of_counter: dict[str, list[int]] = {}

    def id(self, counter: str, order: Order) -> int:
        """Id of the queue."""
        key = (counter, order)
        found = self._ids.get(key)
        if found is None:
            found = self._ids[key] = len(self.queues)
            self.queues.append(Queue(counter, order, self._maxima[counter]))
            self.of_counter.setdefault(counter, []).append(found)
        return found


_REGISTER = re.compile(r"\b([vsa])(?:\d+|\[\d+:\d+\])|\b(?:vcc|ttmp\d+|m0)\b")


def skeleton(text: str) -> str:
    """Instruction text without register numbers; branches without their operand."""
    if flow_of_text(text).direct:
        return text.split()[0]
    return _REGISTER.sub(lambda m: m.group(1) or "s", text)


class InstructionFacts:
    """What the checks know of one distinct instruction; equal instructions share one object."""

    __slots__ = (
        "_skeleton",
        "base",
        "cut",
        "decoded",
        "defs",
        "environment",
        "faults",
        "fence",
        "flow",
        "inst",
        "kind",
        "memory",
        "partial",
        "pushes",
        "roles",
        "states",
        "strict_uses",
        "touch",
        "untracked",
        "uses",
        "waits",
    )  # fmt: skip

    def __init__(self, inst: Instruction, target: Target, queues: QueueTable) -> None:
        d = self.decoded = decode(inst, target)
        self.inst = inst
        self.base = inst.base
        self.kind = d.kind
        self.defs = mask_of(d.defs)
        self.uses = mask_of(d.uses)
        self.touch = self.defs | self.uses | _sensed(d)
        if d.stores and self.kind in (OpClass.VMEM, OpClass.FLAT) and _publishes(d):
            self.touch |= MEMORY_STORE_BIT
        self.flow = _flow(inst.base, d.flow)
        if self.flow == INDIRECT:
            self.touch |= VECTOR_MASK | SCALAR_MASK  # whoever comes next may read them
        self.states = wait_states_of(inst, target)
        self.waits = tuple(d.waits.items())
        self.roles: Roles = roles(inst, target)
        self.faults = operand_faults(inst, target)
        self.environment = d.traits.environment
        self.untracked = untracked(inst, self.kind, target)
        self._skeleton: str | None = None
        self.fence = self.kind is OpClass.BARRIER or (
            self.kind is OpClass.CACHE and not d.traits.instruction_cache
        )
        self.memory = self.kind in MEMORY_CLASSES and self.kind is not OpClass.SMEM
        self.cut = not zlib.crc32(inst.raw) & _CUT_MASK
        mask = _pending_mask(self.kind, d.loads, d.stores, d.lds_dma)
        if mask & MEMORY_STORE_BIT and d.atomic:
            mask ^= MEMORY_STORE_BIT | ATOMIC_BIT
        if d.traits.cache in (CacheAction.WRITE_BACK, CacheAction.BOTH):
            mask = WRITE_BACK_BIT  # an invalidate is counted, but nothing waits for it
        mask |= mask_of(d.late_defs)
        self.pushes = tuple((queues.id(e.counter, e.order), mask) for e in d.events)
        # A destination that only keeps its other bytes, lanes or halves is not a read of a value.
        self.partial = mask_of(d.partial)
        self.strict_uses = self.uses & ~self.partial
        if self.kind is OpClass.MESSAGE:
            self.strict_uses &= ~(1 << M0)  # most messages do not look at M0

    @property
    def skeleton(self) -> str:
        """The instruction's text without register numbers."""
        if self._skeleton is None:
            self._skeleton = skeleton(self.inst.text or self.inst.raw.hex())
        return self._skeleton


def _pending_mask(kind: OpClass, loads: bool, stores: bool, lds_dma: bool) -> int:
    if kind not in MEMORY_CLASSES or kind is OpClass.SMEM:
        return 0
    if lds_dma:
        return LDS_DMA_BIT | MEMORY_LOAD_BIT
    if kind is OpClass.LDS:
        return (LDS_READ_BIT if loads else 0) | (LDS_WRITE_BIT if stores else 0)
    mask = (MEMORY_LOAD_BIT if loads else 0) | (MEMORY_STORE_BIT if stores else 0)
    if kind is OpClass.FLAT:
        mask |= (LDS_READ_BIT if loads else 0) | (LDS_WRITE_BIT if stores else 0)
    return mask


def _sensed(d: Decoded) -> int:
    """Pending memory events that matter to an instruction.

    Release and acquire sequences have no barrier: a write-back must be complete before the store
    that publishes, data stores before an atomic that announces them, the load that was announced
    before the invalidate.
    """
    if d.kind is OpClass.BARRIER:
        return MEMORY_BITS
    if d.kind is OpClass.LDS:
        return LDS_DMA_BIT
    if d.kind is OpClass.CACHE:
        invalidates = d.traits.cache in (CacheAction.INVALIDATE, CacheAction.BOTH)
        return MEMORY_LOAD_BIT if invalidates else 0
    if d.lds_dma:
        return LDS_READ_BIT | LDS_WRITE_BIT
    if d.stores and d.kind in (OpClass.VMEM, OpClass.FLAT):
        return WRITE_BACK_BIT | (MEMORY_STORE_BIT if d.atomic else 0)
    return 0


_SCOPED = ("gfx942", "gfx950")


def _publishes(d: Decoded) -> bool:
    """Whether a store may announce earlier ones to other waves (a release without write-back).

    gfx942 and later gfx9 mark such stores by their scope bits; before, no bit tells. Later parts
    count stores apart, and their waits are kept as they are (`check.rules.untracked`).
    """
    if not d.target.is_gfx9:
        return False
    return d.target.arch not in _SCOPED or bool(d.inst.modifiers.keys() & {"sc0", "sc1"})


# Flow kinds.
NEXT, END, JUMP, COND, CALL, INDIRECT = range(6)


_FLOWS = {
    FlowKind.NEXT: NEXT, FlowKind.TRAP: NEXT, FlowKind.END: END, FlowKind.JUMP: JUMP,
    FlowKind.CONDITIONAL: COND, FlowKind.CALL: CALL, FlowKind.COMPUTED: INDIRECT,
}  # fmt: skip


def _flow(base: str, flow: Flow) -> int:
    found = _FLOWS.get(flow.kind)
    if found is None:
        raise UnsupportedError(f"{base} is not supported by the checker")
    return found


class ChunkContent:
    """Facts of one chunk and their sums; chunks with equal content share one object."""

    __slots__ = ("exposed", "facts", "faults", "gen", "special", "touched", "unfollowed")

    def __init__(self, facts: tuple[InstructionFacts, ...]) -> None:
        self.facts = facts
        # What only few chunks have, so that others need no walk over their instructions.
        self.faults: tuple[tuple[int, OperandFault], ...] = tuple(
            (i, fault) for i, f in enumerate(facts) for fault in f.faults
        )
        self.special = any(
            f.inst.text is None or f.decoded.flow.condition is Condition.VCC for f in facts
        )
        self.unfollowed = tuple(f for f in facts if f.untracked)
        gen = exposed = touched = 0
        for f in facts:
            exposed |= f.strict_uses & ~gen
            gen |= f.defs
            touched |= f.defs | f.uses
        self.gen, self.exposed, self.touched = gen, exposed, touched


class Library:
    """Facts and chunk contents of one target, shared by all checks of a process."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.queues = QueueTable(target)
        self._facts: dict[Instruction, InstructionFacts] = {}
        self._contents: dict[tuple[InstructionFacts, ...], ChunkContent] = {}
        self.engines: dict[str, object] = {}  # walkers by the name of their analysis

    def facts(self, instructions: Sequence[Instruction]) -> list[InstructionFacts]:
        """Facts of each instruction."""
        known = self._facts
        try:
            return [known[i] for i in instructions]
        except KeyError:
            pass
        for inst in instructions:
            if inst not in known:
                known[inst] = InstructionFacts(inst, self.target, self.queues)
        return [known[i] for i in instructions]

    def content(self, facts: tuple[InstructionFacts, ...]) -> ChunkContent:
        """The shared chunk with these facts."""
        found = self._contents.get(facts)
        if found is None:
            if len(self._contents) > 100_000:
                self._contents.clear()  # bounded memory in long searches
            found = self._contents[facts] = ChunkContent(facts)
        return found
