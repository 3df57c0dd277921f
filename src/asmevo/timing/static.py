"""Static side of the cycle model: instructions as flat arrays that the simulator can index.

One pass per program and target; a search that edits a window pays only for new instructions,
because descriptions are cached by instruction. Sources: `asmevo.isa.decoded` for roles,
`asmevo.isa.counters` for counters, CDNA3/CDNA4 ISA chapters 9-11 for data sizes, LLVM
`SISchedule.td`. Passes of matrix instructions come from `asmevo.isa.matrix`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from asmevo.errors import UnsupportedError
from asmevo.isa.access import Space, access_bytes
from asmevo.isa.decoded import OpClass, decode
from asmevo.isa.instruction import Instruction
from asmevo.isa.matrix import matrix_op
from asmevo.isa.operand import VGPR0, Imm
from asmevo.isa.semantics.memory import memory_op
from asmevo.isa.target import Target, require_modelled

_I8 = NDArray[np.int8]
_I32 = NDArray[np.int32]
_F64 = NDArray[np.float64]


class Kind(IntEnum):
    """Issue class in the simulator. `kernel.parts` spells the numbers out for numba."""

    SALU = 0
    SMEM = 1
    VALU = 2
    TRANS = 3
    MFMA = 4
    VMEM = 5
    LDS = 6
    BRANCH = 7
    WAIT = 8
    NOP = 9
    BARRIER = 10
    END = 11
    OTHER = 12


_KIND_OF: dict[OpClass, Kind] = {
    OpClass.SALU: Kind.SALU,
    OpClass.SMEM: Kind.SMEM,
    OpClass.VALU: Kind.VALU,
    OpClass.TRANS: Kind.TRANS,
    OpClass.MFMA: Kind.MFMA,
    OpClass.VMEM: Kind.VMEM,
    OpClass.FLAT: Kind.VMEM,
    OpClass.LDS: Kind.LDS,
    OpClass.BRANCH: Kind.BRANCH,
    OpClass.WAIT: Kind.WAIT,
    OpClass.NOP: Kind.NOP,
    OpClass.BARRIER: Kind.BARRIER,
    OpClass.MESSAGE: Kind.OTHER,
    OpClass.CACHE: Kind.OTHER,
    OpClass.END: Kind.END,
    OpClass.OTHER: Kind.OTHER,
}
# Flags of one instruction.
STORE = 1  # memory write without data coming back
BUFFER = 2  # reads an SGPR resource: SALU before it costs more
SCRATCH = 4
PACKED = 8  # v_pk_*_f32 and dot products: kept out of a running MFMA for longer
SWAP = 16  # v_permlane*_swap
LGKM_VALUE = 32  # raises lgkmcnt although it is no LDS or SMEM class (flat)
NO_VMCNT = 64  # raises no vmcnt (cache control)
SCALED = 128  # v_mfma_scale_*
ATOMIC = 512
PAIR = 1024  # one LDS instruction with two addresses
STRADDLES = 256  # crosses a 32-byte fetch window: a branch to it costs one more fetch


@dataclass(frozen=True, slots=True)
class Described:
    """What the model knows about one instruction (see `StaticProgram` for the fields)."""

    kind: Kind
    flags: int
    bytes_per_lane: int
    passes: int
    coexec_slots: int
    wait_vm: int
    wait_lgkm: int
    immediate: int
    sources: tuple[int, ...]
    destinations: tuple[int, ...]
    scalar_line: tuple[int, int] | None


@dataclass(frozen=True, slots=True, eq=False)
class StaticProgram:
    """A program as flat arrays, one entry per instruction index.

    Attributes:
        target: architecture.
        kind: `Kind`, int8 [n].
        flags: bit set of the constants above, int32 [n].
        lane_bytes: bytes that one lane moves (memory classes), float64 [n].
        passes: MFMA passes of four clocks, int32 [n].
        coexec: issue slots after an MFMA in which other vector work cannot issue, int32 [n].
        wait_vm, wait_lgkm: counts that a wait waits for, -1 none, int32 [n].
        immediate: wait states of `s_nop`, level of `s_setprio`, units of `s_sleep`, int32 [n].
        line: 128-byte instruction cache line the instruction starts in, int32 [n].
        scalar_line: number of the scalar cache line that an SMEM instruction touches, as far as
            base register and immediate offset tell, int32 [n]; -1 for others.
        scalar_base: number of the base register (pointer) of an SMEM instruction, int32 [n].
        src_start, src: CSR of register slots read: slots `src[src_start[i]:src_start[i+1]]`.
        dst_start, dst: CSR of register slots written.
        slots: number of register slots (units that the program names, renumbered).
    """

    target: Target
    kind: _I8
    flags: _I32
    lane_bytes: _F64
    passes: _I32
    coexec: _I32
    wait_vm: _I32
    wait_lgkm: _I32
    immediate: _I32
    line: _I32
    scalar_line: _I32
    scalar_base: _I32
    src_start: _I32
    src: _I32
    dst_start: _I32
    dst: _I32
    slots: int

    def __len__(self) -> int:
        return int(self.kind.shape[0])


def mfma_passes(inst: Instruction, target: Target) -> int:
    """Passes (four clocks each) that a matrix instruction keeps the matrix pipe busy.

    Raises:
        UnsupportedError: the mnemonic is no known MFMA shape.
    """
    op = matrix_op(inst, target)
    if op is None:
        raise UnsupportedError(f"{inst.base} is no matrix instruction that the model knows")
    return op.passes


def _register_bytes(inst: Instruction, operand: int) -> int:
    operands = inst.operands
    if operand >= len(operands):
        return 0
    reg = operands[operand].reg
    return 4 * reg.count if reg is not None else 0


def _coexec_slots(inst: Instruction, passes: int, in_type: str) -> int:
    # LLVM PR 233721, fitted to traces of MI308X and MI350X: 1 + widest A/B source / 16 bytes;
    # fp32 and fp64 input blocks the VALU until passes + 2.
    if in_type in ("f32", "f64"):
        return passes + 2
    return 1 + max(_register_bytes(inst, 1), _register_bytes(inst, 2)) // 16


def lane_bytes(base: str) -> int:
    """Bytes that one lane moves with a memory instruction; at least 4 (one bank or request)."""
    return max(4, access_bytes(base))


_VECTOR = frozenset({Kind.VALU, Kind.TRANS, Kind.MFMA})


def _immediate(inst: Instruction) -> int:
    value = inst.operands[0].value if inst.operands else None
    return int(getattr(value, "value", 0) or 0)


def _dependences(
    inst: Instruction, target: Target, kind: Kind
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Register units whose producer can delay this instruction, and units it makes others wait for.

    In-order issue hides every latency of one slot, so two kinds of results matter: scalar
    registers that vector instructions write (`v_cmp`, `v_readfirstlane`), read by scalar,
    branch and memory instructions; and MFMA results. Data of loads is covered by waits. The
    accumulator input of an MFMA is forwarded inside the matrix pipe.
    """
    effect = decode(inst, target)
    if kind is Kind.MFMA:
        operands = [inst.operands[i].reg for i in (1, 2) if i < len(inst.operands)]
        uses = {u for reg in operands if reg is not None for u in reg.units}
        return tuple(sorted(uses)), tuple(sorted(effect.defs))
    if kind in (Kind.WAIT, Kind.NOP, Kind.BARRIER, Kind.END):
        return (), ()
    if kind in _VECTOR:
        uses = {u for u in effect.uses if u >= VGPR0}
        # A write over a matrix result also has to come after it.
        uses |= {u for u in effect.defs if u >= VGPR0}
        return tuple(sorted(uses)), tuple(sorted(u for u in effect.defs if u < VGPR0))
    uses = set(effect.uses) | {u for u in effect.defs if u >= VGPR0}
    return tuple(sorted(uses)), ()


@lru_cache(maxsize=200_000)
def _describe(inst: Instruction, arch: str) -> Described:
    target = Target(arch)
    d = effect = decode(inst, target)
    base = inst.base
    kind = _KIND_OF[effect.kind]
    flags = lanes = passes = coexec = immediate = 0
    wait_vm = wait_lgkm = -1
    if kind is Kind.MFMA:
        passes = mfma_passes(inst, target)
        op = d.matrix
        assert op is not None  # mfma_passes has refused others
        coexec = _coexec_slots(inst, passes, op.in_type)
        flags |= SCALED if op.scaled else 0
    elif kind in (Kind.VMEM, Kind.LDS):
        lanes = lane_bytes(base)
        if not effect.returns and not effect.lds_dma:
            flags |= STORE
        if kind is Kind.VMEM:
            space = d.access.space if d.access is not None else None
            flags |= BUFFER if space is Space.BUFFER else 0
            flags |= SCRATCH if space is Space.SCRATCH else 0
            raised = {event.counter for event in d.events}
            flags |= LGKM_VALUE if "lgkmcnt" in raised else 0
            flags |= 0 if "vmcnt" in raised else NO_VMCNT
        elif d.access is not None and d.access.permutes and d.access.data:
            flags |= STORE  # sends its data like a write; the latency is a read's
            flags ^= STORE if effect.returns else 0
        if d.access is not None:
            flags |= ATOMIC if d.access.atomic else 0
            memory = memory_op(base) if kind is Kind.LDS else None
            flags |= PAIR if memory is not None and memory.pair else 0
    elif kind is Kind.WAIT:
        counts = d.waits
        wait_vm, wait_lgkm = counts.get("vmcnt", -1), counts.get("lgkmcnt", -1)
    elif kind is Kind.NOP:
        immediate = _immediate(inst)
    elif kind is Kind.VALU:
        flags |= PACKED if d.traits.packed else 0
        flags |= SWAP if d.traits.swaps and d.traits.crosses_lanes else 0
    if kind is Kind.NOP and base not in ("s_nop", "s_sleep", "s_setprio"):
        immediate = 0
    if kind is Kind.NOP:
        flags = {"s_nop": 0, "s_setprio": 1, "s_sleep": 2}.get(base, 3)
    sources, destinations = _dependences(inst, target, kind)
    return Described(
        kind,
        flags,
        lanes,
        passes,
        coexec,
        wait_vm,
        wait_lgkm,
        immediate,
        sources,
        destinations,
        _scalar_line(inst) if kind is Kind.SMEM else None,
    )


def _scalar_line(inst: Instruction) -> tuple[int, int] | None:
    """(base register, 64-byte line of the offset) of a scalar load with an immediate offset."""
    if len(inst.operands) < 3:
        return None
    base, offset = inst.operands[1].reg, inst.operands[2].value
    if base is None or not isinstance(offset, Imm):
        return None
    return base.index, offset.value // 64


def _csr(rows: Sequence[Sequence[int]]) -> tuple[_I32, _I32]:
    start = np.zeros(len(rows) + 1, dtype=np.int32)
    np.cumsum([len(row) for row in rows], out=start[1:])
    flat = np.fromiter((x for row in rows for x in row), dtype=np.int32, count=int(start[-1]))
    return start, flat


def static_program(
    instructions: Sequence[Instruction], target: Target, offsets: Sequence[int] | None = None
) -> StaticProgram:
    """Flatten `instructions`; `offsets` are their byte offsets (default: laid out in order).

    Raises:
        UnsupportedError: the target has other wait counters than GFX9 (vmcnt, lgkmcnt), or a
            matrix instruction has an unknown shape.
    """
    require_modelled(target, "the cycle model")
    rows = [_describe(inst, target.arch) for inst in instructions]
    slot_of: dict[int, int] = {}
    for row in rows:
        for unit in row.destinations:
            slot_of.setdefault(unit, len(slot_of))
    # Registers that no such instruction writes can never delay an issue.
    sources = [[slot_of[u] for u in row.sources if u in slot_of] for row in rows]
    destinations = [[slot_of[u] for u in row.destinations] for row in rows]
    src_start, src = _csr(sources)
    dst_start, dst = _csr(destinations)
    sizes = np.array([inst.size for inst in instructions], dtype=np.int64)
    if offsets is None:
        place = np.cumsum(sizes) - sizes
    else:
        place = np.asarray(offsets, dtype=np.int64)

    line_of: dict[tuple[int, int], int] = {}
    base_of: dict[int, int] = {}
    scalar_line = [-1] * len(rows)
    scalar_base = [-1] * len(rows)
    for i, row in enumerate(rows):
        if row.kind is Kind.SMEM:
            # Unknown addresses get a line and a base of their own.
            where = row.scalar_line or (-1 - i, 0)
            scalar_line[i] = line_of.setdefault(where, len(line_of))
            scalar_base[i] = base_of.setdefault(where[0], len(base_of))
    flags = np.array([row.flags for row in rows], dtype=np.int32)
    flags[(place % 32) + sizes > 32] |= STRADDLES

    def column(values: list[int]) -> _I32:
        return np.array(values, dtype=np.int32)

    return StaticProgram(
        target=target,
        kind=np.array([row.kind for row in rows], dtype=np.int8),
        flags=flags,
        lane_bytes=np.array([row.bytes_per_lane for row in rows], dtype=np.float64),
        passes=column([row.passes for row in rows]),
        coexec=column([row.coexec_slots for row in rows]),
        wait_vm=column([row.wait_vm for row in rows]),
        wait_lgkm=column([row.wait_lgkm for row in rows]),
        immediate=column([row.immediate for row in rows]),
        line=(place // 128 - (int(place[0]) // 128 if place.size else 0)).astype(np.int32),
        scalar_line=column(scalar_line),
        scalar_base=column(scalar_base),
        src_start=src_start,
        src=src,
        dst_start=dst_start,
        dst=dst,
        slots=max(len(slot_of), 1),
    )
