"""How faithfully each executed opcode is emulated: exact, approximate, open or unsupported.

`exact` results are hardware's to the bit as far as public sources tell; `approximate` ones lie
within a stated bound; `open` means that a detail of the opcode is undocumented or disputed
(`isa/semantics` names it), so that a verdict should not rest on it alone; `unsupported` opcodes
stop the run when they are reached.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from asmevo.emulate.decode.instruction import ConstantPool, Decoder, Unsupported
from asmevo.isa.decoded import VECTOR_MEMORY, OpClass, decode
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import Imm
from asmevo.isa.semantics import table
from asmevo.isa.semantics.matrix_models import matrix_fidelity
from asmevo.isa.semantics.memory import l2_denormals_open, memory_op, transposed_bits
from asmevo.isa.target import Target

Level = Literal["exact", "approximate", "open", "unsupported"]
_WORST: tuple[Level, ...] = ("exact", "approximate", "open", "unsupported")
_HALF = "the destination's other half is not documented (zero here)"
_D16 = "the destination's other half depends on SRAM ECC (kept here)"
_L2_DENORMALS = "f32 subnormals are kept as LLVM says; AMD's manual flushes them"
_TRANSPOSE = "eight-, six- and four-bit forms follow the sixteen-bit one by analogy"


@dataclass(frozen=True, slots=True)
class OpcodeFidelity:
    """One opcode of a kernel.

    Attributes:
        opcode: base mnemonic.
        level: how faithfully it is emulated.
        note: the bound of an approximation, what is open, or why it is unsupported.
        instructions: instructions of the kernel with this opcode.
        executed: wave executions, None when no counts were given.
    """

    opcode: str
    level: Level
    note: str
    instructions: int
    executed: int | None


def _parsed(text: str) -> tuple[Level, str]:
    """Level and note of a semantics entry's `exact` text."""
    word, _, rest = text.partition(" ")
    level: Level = "exact"
    for known in _WORST:
        if word.rstrip(",") == known:
            level = known
    return level, rest.strip("() ")


def _vector_memory(inst: Instruction, arch: str) -> tuple[Level, str]:
    op = memory_op(inst.base)
    if op is not None and l2_denormals_open(op, arch):
        return "open", _L2_DENORMALS
    if op is not None and op.action == "load" and op.extend.startswith("d16"):
        return "open", _D16
    return "exact", ""


def of_instruction(inst: Instruction, arch: str, exact_matrix: bool = False) -> tuple[Level, str]:
    """(level, note) of one instruction, without asking whether its operands are supported."""
    base = inst.base
    record = decode(inst, Target(arch))
    if record.traits.hints:
        return "exact", ""
    semantic = table.lookup(base)
    if semantic is not None:
        level, note = _parsed(semantic.exact)
        if base == "v_lshl_add_u64" and isinstance(inst.operands[2].value, Imm):
            return ("exact", "") if 0 <= inst.operands[2].value.value <= 4 else (level, note)
        narrow = any(table.width_of(d) == 16 for d in semantic.dsts if d != "m")
        if level == "exact" and semantic.high == "open" and narrow and not semantic.packed:
            return "open", _HALF
        return level, note
    if record.kind is OpClass.MFMA:
        return _parsed(matrix_fidelity(base, arch, exact_matrix))
    if bits := transposed_bits(base):
        return ("exact", "") if bits == 16 else ("open", _TRANSPOSE)
    if base in ("s_memtime", "s_memrealtime"):
        return "open", "a counter that only grows; its values mean nothing"
    if base == "s_getreg_b32":
        return "open", "identity registers read as one place on one chip"
    if record.kind in VECTOR_MEMORY or record.kind is OpClass.LDS:
        return _vector_memory(inst, arch)
    return "exact", ""


def report(
    instructions: Sequence[Instruction],
    arch: str,
    counts: Sequence[int] | None = None,
    exact_matrix: bool = False,
) -> tuple[OpcodeFidelity, ...]:
    """Fidelity of every opcode, worst level first, then by name.

    Args:
        instructions: those of a kernel (or of a whole program).
        arch: target name such as "gfx942".
        counts: executions per instruction; opcodes that never ran are left out.
        exact_matrix: matrix instructions ran in exact arithmetic.
    """
    found: dict[str, tuple[Level, str, int, int]] = {}
    judged: dict[Instruction, tuple[Level, str]] = {}
    decoder = Decoder(ConstantPool(), table.DEFAULT_MODE, arch)
    for n, inst in enumerate(instructions):
        executed = 0 if counts is None else int(counts[n])
        if counts is not None and not executed:
            continue
        if inst not in judged:
            judged[inst] = _judge(decoder, inst, arch, exact_matrix)
        level, note = judged[inst]
        old = found.get(inst.base, ("exact", "", 0, 0))
        if _WORST.index(level) >= _WORST.index(old[0]) and (note or level != old[0]):
            old = (level, note, old[2], old[3])
        found[inst.base] = (old[0], old[1], old[2] + 1, old[3] + executed)
    rows = [
        OpcodeFidelity(base, level, note, number, executed if counts is not None else None)
        for base, (level, note, number, executed) in found.items()
    ]
    return tuple(sorted(rows, key=lambda r: (-_WORST.index(r.level), r.opcode)))


def _judge(decoder: Decoder, inst: Instruction, arch: str, exact: bool) -> tuple[Level, str]:
    try:
        decoder.decode(inst)
    except Unsupported as err:
        return "unsupported", str(err.args[0])
    return of_instruction(inst, arch, exact)
