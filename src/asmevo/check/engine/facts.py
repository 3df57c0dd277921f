"""What the checks know of one instruction, and of a short run of them.

Facts are computed once per distinct instruction and chunk contents once per distinct run, in one
library per target, so that repeated checks of nearly equal programs share them.
"""

from __future__ import annotations

import re
import zlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar, cast

from asmevo.check.rules.operands import OperandFault, operand_faults
from asmevo.check.rules.untracked import untracked
from asmevo.errors import UnsupportedError
from asmevo.isa.counters import Order, counter_max, decode_wait, events
from asmevo.isa.effects import MEMORY_CLASSES, OpClass, effects
from asmevo.isa.hazards.roles import Roles, mask_of, roles, wait_states_of
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import M0
from asmevo.isa.target import Target
from asmevo.isa.traits import CacheAction, traits_of


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
    if text.startswith(("s_branch", "s_cbranch", "s_call")):
        return text.split()[0]
    return _REGISTER.sub(lambda m: m.group(1) or "s", text)


def dual_halves(inst: Instruction) -> tuple[Instruction, ...]:
    """The one or two operations of an instruction (gfx11+ VOPD prints `X :: Y`)."""
    if inst.text is None or " :: " not in inst.text:
        return (inst,)
    return tuple(Instruction(inst.raw, part.strip()) for part in inst.text.split(" :: "))


class Facts:
    """What the checks know of one distinct instruction; equal instructions share one object."""

    __slots__ = (
        "_skeleton",
        "base",
        "cut",
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
        halves = dual_halves(inst)
        effect = effects(halves[0], target)
        self.inst = inst
        self.base = inst.base
        self.kind = effect.kind
        self.defs = mask_of(effect.defs)
        self.uses = mask_of(effect.uses)
        for half in halves[1:]:
            other = effects(half, target)
            self.defs |= mask_of(other.defs)
            self.uses |= mask_of(other.uses)
        self.touch = (
            self.defs | self.uses | _sensed(self.kind, self.base, effect.stores, effect.lds_dma)
        )
        if effect.stores and self.kind in (OpClass.VMEM, OpClass.FLAT) and _publishes(inst, target):
            self.touch |= MEMORY_STORE_BIT
        self.flow = _flow(self.kind, self.base)
        self.states = wait_states_of(inst, target)
        self.waits = tuple(decode_wait(inst, target).items())
        self.roles: Roles = roles(inst, target)
        self.faults = operand_faults(inst, target)
        self.environment = traits_of(inst.base).environment
        self.untracked = untracked(inst, self.kind, target)
        self._skeleton: str | None = None
        self.fence = self.kind is OpClass.BARRIER or (
            self.kind is OpClass.CACHE and not self.base.startswith("s_icache")
        )
        self.memory = self.kind in MEMORY_CLASSES and self.kind is not OpClass.SMEM
        self.cut = not zlib.crc32(inst.raw) & _CUT_MASK
        mask = _pending_mask(self.kind, effect.loads, effect.stores, effect.lds_dma)
        if "_atomic" in self.base and mask & MEMORY_STORE_BIT:
            mask ^= MEMORY_STORE_BIT | ATOMIC_BIT
        if self.kind is OpClass.CACHE:
            writes_back = traits_of(inst.base).cache in (CacheAction.WRITE_BACK, CacheAction.BOTH)
            mask = WRITE_BACK_BIT if writes_back else 0  # an invalidate raises its counter only
        if effect.returns:
            # Only the printed destination arrives late; implicit results do not exist here.
            mask |= mask_of(
                u
                for i in effect.def_operands
                if (reg := inst.operands[i].reg) is not None
                for u in reg.units
            )
        self.pushes = tuple((queues.id(e.counter, e.order), mask) for e in events(inst, target))
        # A destination that only keeps its other bytes, lanes or halves is not a read of a value.
        kept = 0
        for i in effect.def_operands:
            reg = inst.operands[i].reg
            if reg is not None and i in effect.use_operands:
                kept |= mask_of(reg.units)
        for i in effect.use_operands:
            reg = inst.operands[i].reg
            if reg is not None and i not in effect.def_operands:
                kept &= ~mask_of(reg.units)
        self.partial = 0 if _accumulates(self.base) else kept
        self.strict_uses = self.uses & ~self.partial
        if self.base.startswith("s_set_gpr_idx") or self.kind is OpClass.MESSAGE:
            # Keeps the bits of M0 that it does not set; most messages do not look at M0.
            self.strict_uses &= ~(1 << M0)

    @property
    def skeleton(self) -> str:
        """The instruction's text without register numbers."""
        if self._skeleton is None:
            self._skeleton = skeleton(self.inst.text or self.inst.raw.hex())
        return self._skeleton


_ACCUMULATING = ("v_mac_", "v_fmac_", "v_pk_fmac_", "v_dot", "v_smfmac_", "v_swap", "v_permlane",
                 "s_", "ds_", "buffer_atomic", "v_madmk", "v_fmamk")  # fmt: skip


def _accumulates(base: str) -> bool:
    """Whether the tied destination is a full operand, not merely kept in part."""
    return base.startswith(_ACCUMULATING)


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


def _sensed(kind: OpClass, base: str, stores: bool, lds_dma: bool) -> int:
    """Pending memory events that matter to an instruction.

    Release and acquire sequences have no barrier: a write-back must be complete before the store
    that publishes, data stores before an atomic that announces them, the load that was announced
    before the invalidate.
    """
    if kind is OpClass.BARRIER:
        return MEMORY_BITS
    if kind is OpClass.LDS:
        return LDS_DMA_BIT
    if kind is OpClass.CACHE:
        return MEMORY_LOAD_BIT if "inv" in base and base.startswith(("buffer", "global")) else 0
    if lds_dma:
        return LDS_READ_BIT | LDS_WRITE_BIT
    if stores and kind in (OpClass.VMEM, OpClass.FLAT):
        return WRITE_BACK_BIT | (MEMORY_STORE_BIT if "_atomic" in base else 0)
    return 0


_SCOPED = ("gfx942", "gfx950")


def _publishes(inst: Instruction, target: Target) -> bool:
    """Whether a store may announce earlier ones to other waves (a release without write-back).

    gfx942 and later gfx9 mark such stores by their scope bits; before, no bit tells. Later parts
    count stores apart, and their waits are kept as they are (`check.rules.untracked`).
    """
    if not target.is_gfx9:
        return False
    return target.arch not in _SCOPED or bool(inst.modifiers.keys() & {"sc0", "sc1"})


# Flow kinds.
NEXT, END, JUMP, COND, CALL, INDIRECT = range(6)


def _flow(kind: OpClass, base: str) -> int:
    if kind is OpClass.END:
        return END
    if kind is not OpClass.BRANCH:
        return NEXT
    if base.startswith("s_branch"):
        return JUMP
    if base.startswith("s_cbranch"):
        if "fork" in base or "join" in base:
            raise UnsupportedError(f"{base} is not supported by the checker")
        return COND
    if base.startswith(("s_swappc", "s_swap_pc", "s_call")):
        return CALL
    if base.startswith(("s_setpc", "s_set_pc", "s_rfe")):
        return INDIRECT
    return NEXT  # s_trap returns


class ChunkContent:
    """Facts of one chunk and their sums; chunks with equal content share one object."""

    __slots__ = ("exposed", "facts", "faults", "gen", "special", "touched", "unfollowed")

    def __init__(self, facts: tuple[Facts, ...]) -> None:
        self.facts = facts
        # What only few chunks have, so that others need no walk over their instructions.
        self.faults: tuple[tuple[int, OperandFault], ...] = tuple(
            (i, fault) for i, f in enumerate(facts) for fault in f.faults
        )
        self.special = any(f.inst.text is None or f.base.startswith("s_cbranch_vcc") for f in facts)
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
        self._facts: dict[Instruction, Facts] = {}
        self._contents: dict[tuple[Facts, ...], ChunkContent] = {}
        self.engines: dict[str, object] = {}  # walkers by the name of their analysis

    def facts(self, instructions: Sequence[Instruction]) -> list[Facts]:
        """Facts of each instruction."""
        known = self._facts
        try:
            return [known[i] for i in instructions]
        except KeyError:
            pass
        for inst in instructions:
            if inst not in known:
                known[inst] = Facts(inst, self.target, self.queues)
        return [known[i] for i in instructions]

    def content(self, facts: tuple[Facts, ...]) -> ChunkContent:
        """The shared chunk with these facts."""
        found = self._contents.get(facts)
        if found is None:
            if len(self._contents) > 100_000:
                self._contents.clear()  # bounded memory in long searches
            found = self._contents[facts] = ChunkContent(facts)
        return found


T = TypeVar("T")
_RECENT: OrderedDict[tuple[int, str], tuple[ProgramLike, object]] = OrderedDict()
_RECENT_LIMIT = 24


def remembered(program: ProgramLike, name: str, compute: Callable[[ProgramLike], T]) -> T:
    """`compute(program)`, kept for the last few programs: originals are compared many times."""
    key = (id(program), name)
    found = _RECENT.get(key)
    if found is None or found[0] is not program:
        found = _RECENT[key] = (program, compute(program))
        if len(_RECENT) > _RECENT_LIMIT:
            _RECENT.popitem(last=False)
    return cast("T", found[1])


def facts_of(program: ProgramLike) -> list[Facts]:
    """Facts of every instruction of a program."""
    return remembered(program, "facts", lambda p: library_of(p.target).facts(p.instructions))


_LIBRARIES: dict[Target, Library] = {}


def library_of(target: Target) -> Library:
    """The library of a target (one per target and process)."""
    found = _LIBRARIES.get(target)
    if found is None:
        found = _LIBRARIES[target] = Library(target)
    return found
