"""Software wait states that a proposal should leave between two instructions (CDNA).

A conservative summary of the hazard table of LLVM's `GCNHazardRecognizer.cpp` and the CDNA3/CDNA4
ISA tables on required wait states, used to pad new orders with `s_nop`. It is the proposers' own;
the hazard check judges with its own full table.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from asmevo.isa.effects import VECTOR_CLASSES, VECTOR_MEMORY, Effects, OpClass, effects
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import EXEC, M0, VCC, VGPR0
from asmevo.isa.target import Feature, Target

LOOK_BACK = 20
"""No rule asks for more wait states than this."""

# Wait states from a matrix instruction to a reader or overwriter of its result, by its passes.
_MATRIX_READ = {2: 5, 4: 7, 8: 11, 16: 19}
_MATRIX_READ_950 = {2: 5, 4: 8, 8: 12, 16: 20}
_EXEC_UNITS = frozenset((EXEC, EXEC + 1))


def passes(inst: Instruction) -> int:
    """Passes of a matrix instruction (4 clocks each), never too few."""
    base = inst.base
    if "_f64_" in base or "f64" in base:
        return 16
    if "4x4x" in base:
        return 2
    wide = "b_" in base.partition("x")[2] or base.endswith("_f32") or "f8f6f4" in base
    if "16x16x" in base:
        return 8 if wide else 4
    return 16 if wide else 8


def wait_states(nop: Instruction) -> int:
    """Wait states that an instruction itself provides: N+1 for `s_nop N`, 1 for others."""
    if nop.base == "s_nop":
        return (int.from_bytes(nop.raw[:2], "little") & 0x7F) + 1
    return 1


_MOST_WITHOUT_MATRIX = 5
"""Most wait states that any producer but a matrix instruction asks for."""


def required(producer: Instruction, consumer: Instruction, target: Target) -> int:
    """Wait states that must lie strictly between the two (0: none)."""
    return _required(producer, consumer, target.arch)


@lru_cache(maxsize=1 << 18)
def _required(producer: Instruction, consumer: Instruction, arch: str) -> int:
    target = Target(arch)
    if not target.has_mfma:
        return 0
    first, second = effects(producer, target), effects(consumer, target)
    if first.kind is OpClass.MFMA:
        return _after_matrix(producer, first, second, target)
    if first.kind in VECTOR_CLASSES:
        return _after_vector(producer, first, consumer, second, target)
    if first.kind in VECTOR_MEMORY and first.stores and second.kind in VECTOR_CLASSES:
        # Data of more than 64 bits may still be read when the next VALU overwrites it.
        wide = any(op.reg is not None and op.reg.count > 2 for op in producer.operands)
        vector = {u for u in first.uses if u >= VGPR0}
        return 2 if wide and vector & second.defs else 0
    if first.kind is OpClass.SALU and M0 in first.defs and M0 in second.uses:
        return 1
    if first.kind is OpClass.SALU and producer.base.startswith("s_setreg"):
        return 2
    return 0


def _after_matrix(producer: Instruction, first: Effects, second: Effects, target: Target) -> int:
    read = _MATRIX_READ_950 if target.arch == "gfx950" else _MATRIX_READ
    count = passes(producer)
    reads = bool(first.defs & second.uses)
    writes = bool(first.defs & second.defs)
    if second.kind is OpClass.MFMA:
        # Accumulating into the same tuple is free; anything else waits like a read.
        if second.defs == first.defs:
            return 2 if count == 2 else 0
        return read[count] if reads or writes else 0
    if reads or writes:
        return read[count]
    overwritten = {u for u in first.uses if u >= VGPR0} & second.defs
    return count - 1 if overwritten else 0


def _constant_reads(consumer: Instruction, second: Effects) -> set[int]:
    """Scalar units that a VALU reads as constants.

    Carry-ins and select masks are forwarded: the ISA asks for no wait states there, only LLVM
    inserts them.
    """
    if not consumer.base.startswith(("v_cndmask", "v_addc", "v_subb")):
        return {u for u in second.uses if u < VGPR0 and u not in _EXEC_UNITS}
    units: set[int] = set()
    for i in second.use_operands[:-1]:
        reg = consumer.operands[i].reg
        if reg is not None:
            units.update(u for u in reg.units if u < VGPR0)
    return units


def _after_vector(
    producer: Instruction,
    first: Effects,
    consumer: Instruction,
    second: Effects,
    target: Target,
) -> int:
    shared = first.defs & second.uses
    modern = target.is_gfx940
    need = 0
    scalar = {u for u in first.defs if u < VGPR0}
    if second.kind in VECTOR_MEMORY:
        if scalar & second.uses - _EXEC_UNITS or first.defs & _EXEC_UNITS:
            need = 5
        return need
    if first.defs & _EXEC_UNITS:
        if second.kind is OpClass.MFMA or "lane" in consumer.base:
            need = 4
        if "dpp" in consumer.form:
            need = 5
    if second.kind not in VECTOR_CLASSES:
        return need
    if second.kind is OpClass.MFMA and shared:
        need = max(need, 2)
    if modern and scalar & _constant_reads(consumer, second):
        need = max(need, 2)
    if consumer.base.startswith("v_div_fmas") and {VCC, VCC + 1} & first.defs:
        need = max(need, 4)
    if consumer.base.startswith(("v_readlane", "v_writelane")) and scalar & second.uses:
        need = max(need, 4)
    vector = {u for u in first.defs if u >= VGPR0}
    if "dpp" in consumer.form and vector & second.uses:
        need = max(need, 2)
    if modern and "lane" in consumer.base and vector & second.uses:
        need = max(need, 2)
    if modern and first.kind is OpClass.TRANS and second.kind is not OpClass.TRANS:
        need = max(need, 1 if vector & (second.uses | second.defs) else 0)
    partial = "sdwa" in producer.form or "op_sel" in producer.modifiers
    partial |= producer.base.startswith(
        ("v_cvt_pk_fp8", "v_cvt_pk_bf8", "v_cvt_sr", "v_cvt_scalef")
    )
    if modern and partial and vector & (second.uses | second.defs):
        need = max(need, 1)
    if producer.base.startswith("v_dot") and vector & (second.uses | second.defs):
        need = max(need, 3)
    return need


def padding_before(
    history: Sequence[tuple[Instruction, int]], inst: Instruction, target: Target
) -> int:
    """Wait states missing before `inst` may issue after `history`.

    Args:
        history: (instruction, wait states it provides) in issue order; nops and waits included.
        inst: the instruction to issue next.
        target: the target.
    """
    between = missing = 0
    covered: set[int] = set()
    arch = target.arch
    for earlier, states in reversed(history):
        if between >= LOOK_BACK:
            break
        if between < _MOST_WITHOUT_MATRIX or _is_matrix(earlier, arch):
            effect = effects(earlier, target)
            # A later overwrite ends the earlier producer's claim on a register.
            if not effect.defs or effect.stores or effect.defs - covered:
                missing = max(missing, _required(earlier, inst, arch) - between)
            covered |= effect.defs
        between += states
    return missing


@lru_cache(maxsize=1 << 16)
def _is_matrix(inst: Instruction, arch: str) -> bool:
    return effects(inst, Target(arch)).kind is OpClass.MFMA


def breaks_clause(
    history: Sequence[tuple[Instruction, int]], inst: Instruction, target: Target
) -> bool:
    """Whether `inst` would make a memory clause that a page-fault replay could not repeat.

    Consecutive SMEM or vector memory instructions form a soft clause; with XNACK on (or left
    open) none of them may write a register that any of them reads.
    """
    if target.xnack not in (Feature.ANY, Feature.ON) or target.major > 10:
        return False
    effect = effects(inst, target)
    kinds = _CLAUSES.get(effect.kind)
    if kinds is None:
        return False
    reads, writes = set(effect.uses), set(effect.defs)
    length = 1
    for earlier, _ in reversed(history):
        other = effects(earlier, target)
        if other.kind not in kinds:
            break
        reads |= other.uses
        writes |= other.defs
        length += 1
    return length > 1 and bool(reads & writes)


_CLAUSES = {
    OpClass.SMEM: frozenset({OpClass.SMEM}),
    OpClass.VMEM: VECTOR_MEMORY,
    OpClass.FLAT: VECTOR_MEMORY,
}
