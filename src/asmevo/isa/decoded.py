"""The record of one distinct encoding on one target: what every other room asks.

A room that wants to know what an instruction does asks `decode(inst, target)` and takes no
mnemonic apart. Records are computed once per instruction object and architecture and shared by
equal ones. What takes a moment to work out and only some rooms want (events, access, matrix) is
computed when first asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import cast

from asmevo.isa.access import Access, access_of
from asmevo.isa.counters import Event, decode_wait, events
from asmevo.isa.effects import MEMORY_CLASSES, VECTOR_CLASSES, VECTOR_MEMORY, OpClass, effects
from asmevo.isa.flow import Flow, flow_of
from asmevo.isa.instruction import Instruction
from asmevo.isa.matrix import MatrixOp, matrix_op
from asmevo.isa.names import canonical
from asmevo.isa.operand import EXEC, SCC
from asmevo.isa.target import Target
from asmevo.isa.traits import (
    CacheAction,
    ExecWrite,
    Traits,
    clears_itself,
    exec_copies,
    exec_write,
    traits_of,
)

__all__ = [
    "MEMORY_CLASSES", "VECTOR_CLASSES", "VECTOR_MEMORY", "Access", "CacheAction", "Decoded",
    "ExecWrite", "OpClass", "decode",
]  # fmt: skip


class Decoded:
    """What one encoding means on one target. Treat it as frozen.

    Attributes:
        inst: the instruction.
        target: the architecture (features of the target id do not matter here).
        name: the opcode in its GFX9 spelling (`asmevo.isa.names`); of a dual-issue pair, the
            first half's.
        kind: issue class.
        flow: what it does to the program counter.
        traits: further facts of the opcode; of a dual-issue pair, the first half's.
        defs, uses: register units written and read, implicit ones included. A destination that
            is written in part (one half of a register, some lanes, some bytes) is in both.
        partial: the units of such destinations that nothing else in the instruction reads.
        def_operands, use_operands: indices of printed operands written and read. The operands of
            a dual-issue pair are those of both halves, one after the other.
        loads, stores, lds_dma, returns: as in `asmevo.isa.effects.Effects`.
    """

    __slots__ = (
        "_access", "_events", "def_operands", "defs", "flow", "inst", "kind", "lds_dma",
        "loads", "name", "partial", "returns", "stores", "target", "traits", "use_operands", "uses",
    )  # fmt: skip

    def __init__(self, inst: Instruction, target: Target) -> None:
        effect = effects(inst, target)
        self.inst, self.target = inst, target
        self.name, self.flow, self.traits = _opcode(inst.base)
        self.kind = effect.kind
        self.defs, self.uses, self.partial = effect.defs, effect.uses, effect.partial
        self.def_operands, self.use_operands = effect.def_operands, effect.use_operands
        self.loads, self.stores = effect.loads, effect.stores
        self.lds_dma, self.returns = effect.lds_dma, effect.returns
        self._events: tuple[Event, ...] | None = None
        self._access: Access | None = None

    @property
    def halves(self) -> tuple[Decoded, ...]:
        """The two records of a dual-issue instruction, else the record itself alone."""
        parts = self.inst.halves
        return (self,) if len(parts) == 1 else tuple(decode(part, self.target) for part in parts)

    @property
    def events(self) -> tuple[Event, ...]:
        """The wait counters that issuing it raises (`asmevo.isa.counters`)."""
        if self._events is None:
            self._events = events(self.inst, self.target)
        return self._events

    @property
    def waits(self) -> Mapping[str, int]:
        """Wait counters that it waits on, with the count; empty for other instructions."""
        return decode_wait(self.inst, self.target)

    @property
    def access(self) -> Access | None:
        """Its memory side, or None when it is no memory instruction."""
        if self._access is None and self.kind in MEMORY_CLASSES:
            self._access = access_of(self.inst, effects(self.inst, self.target))
        return self._access

    @property
    def matrix(self) -> MatrixOp | None:
        """Shape, class and passes of a matrix instruction, else None.

        Raises:
            UnsupportedError: a matrix instruction whose shape is not in the table.
        """
        return matrix_op(self.inst, self.target)

    @property
    def atomic(self) -> bool:
        """Whether it is an atomic memory operation."""
        access = self.access
        return access is not None and access.atomic != ""

    @property
    def late_defs(self) -> frozenset[int]:
        """Units that are written only when the instruction completes: a wait must cover them."""
        if self.returns:
            regs = (self.inst.operands[i].reg for i in self.def_operands)
            return frozenset(u for reg in regs if reg is not None for u in reg.units)
        if self.kind is OpClass.BARRIER and SCC in self.defs:
            return frozenset((SCC,))
        return frozenset()

    @property
    def exec_write(self) -> ExecWrite:
        """What it does to EXEC."""
        return exec_write(self.inst) if not self.defs.isdisjoint(_EXEC) else ExecWrite.NONE

    @property
    def exec_copies(self) -> tuple[int, int]:
        """(SGPR that EXEC is restored from, SGPR that EXEC is saved to), -1 for none."""
        return exec_copies(self.inst)

    @property
    def clears(self) -> bool:
        """Whether the result does not depend on the operands: `x ^ x`, `x - x`."""
        return clears_itself(self.inst)


@lru_cache(maxsize=8192)
def _opcode(base: str) -> tuple[str, Flow, Traits]:
    # A half of a dual-issue instruction is what its opcode alone is.
    return canonical(base), flow_of(base), traits_of(base.replace("v_dual_", "v_", 1))


_EXEC = frozenset({EXEC, EXEC + 1})


@lru_cache(maxsize=400_000)
def _decode(inst: Instruction, arch: str) -> Decoded:
    return Decoded(inst, Target(arch))


def decode(inst: Instruction, target: Target) -> Decoded:
    """The record of `inst` on `target` (cached)."""
    arch = target.arch
    known = inst.decoded
    if known is not None and known[0] == arch:
        return cast(Decoded, known[1])
    record = _decode(inst, arch)
    inst.decoded = (arch, record)
    return record
