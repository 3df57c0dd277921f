"""PC-relative addresses: `s_getpc` and the additions that follow it.

Compilers form the address of a symbol as `s_getpc_b64 s[n:n+1]`, `s_add_u32 sn, sn, sym@rel32@lo`,
`s_addc_u32 sn+1, sn+1, sym@rel32@hi` (gfx12 `s_add_co_u32`, gfx1250 one `s_add_nc_u64`). The sum
of both literals and the address after the `s_getpc` is the symbol's address, so the literals can be
computed again when anything moves. An `s_getpc` in any other use refuses a change of size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from asmevo.codeobject import CodeObject
from asmevo.isa.decoded import decode
from asmevo.isa.instruction import Instruction
from asmevo.isa.names import canonical
from asmevo.isa.operand import Imm, Reg, RegKind
from asmevo.program.encoding import EncodingTable
from asmevo.program.model import PcReference

# As `asmevo.isa.names` spells them.
_LOW, _HIGH, _WIDE = "s_add_u32", "s_addc_u32", "s_add_u64"
_WINDOW = 12  # instructions after s_getpc in which the additions must come
_HINT_WINDOW = 64
_M64 = (1 << 64) - 1


def find_references(
    co: CodeObject,
    encodings: EncodingTable,
    instructions: Sequence[Instruction],
    offsets: Sequence[int],
    index_at: Mapping[int, int],
) -> tuple[tuple[PcReference, ...], str]:
    """PC-relative references, and why the code must not change size (or an empty string)."""
    reads = encodings.pc_reads
    found: list[PcReference] = []
    if not reads:
        return (), ""
    refusal = ""
    for i, inst in enumerate(instructions):
        if inst.raw not in reads:
            continue
        reference = _reference(co, instructions, offsets, index_at, i)
        if reference is not None:
            found.append(reference)
        elif not _only_prefetch(co, instructions, i) and not refusal:
            refusal = (
                f"{inst.text} at {co.text_section.name}+0x{offsets[i]:x} "
                "takes the program counter in a way that is not understood"
            )
    return tuple(found), refusal


def _destination(inst: Instruction) -> Reg | None:
    return inst.operands[0].reg if inst.operands else None


def _adds_literal(inst: Instruction, name: str, reg: Reg) -> bool:
    """Whether `inst` is `op reg, reg, literal` with the literal in its last bytes."""
    if canonical(inst.base) != name or len(inst.operands) != 3 or len(inst.raw) == 4:
        return False
    dst, a, b = (o.value for o in inst.operands)
    return dst == reg and a == reg and isinstance(b, Imm) and inst.editable


def _reference(
    co: CodeObject,
    instructions: Sequence[Instruction],
    offsets: Sequence[int],
    index_at: Mapping[int, int],
    at: int,
) -> PcReference | None:
    pair = _destination(instructions[at])
    if pair is None or pair.count != 2:
        return None
    low_reg = Reg(RegKind.SGPR, pair.index)
    high_reg = Reg(RegKind.SGPR, pair.index + 1)
    base = co.text_address + offsets[at] + len(instructions[at].raw)
    low = None
    for j in range(at + 1, min(at + 1 + _WINDOW, len(instructions))):
        inst = instructions[j]
        if _adds_literal(inst, _WIDE, pair):
            size = len(inst.raw) - 4
            literal = int.from_bytes(inst.raw[4:], "little", signed=size == 4)
            return _finish(co, index_at, at, j, j, (base + literal) & _M64)
        if low is None and _adds_literal(inst, _LOW, low_reg):
            low = j
            continue
        if low is not None and _adds_literal(inst, _HIGH, high_reg):
            literal = int.from_bytes(instructions[low].raw[4:8] + inst.raw[4:8], "little")
            return _finish(co, index_at, at, low, j, (base + literal) & _M64)
        if inst.base == "s_sext_i32_i16":  # gfx12 widens the 48-bit counter
            continue
        touched = decode(inst, co.target)
        if not touched.defs.isdisjoint(pair.units) or not touched.uses.isdisjoint(pair.units):
            return None
    return None


def _finish(
    co: CodeObject, index_at: Mapping[int, int], at: int, low: int, high: int, address: int
) -> PcReference | None:
    offset = address - co.text_address
    if 0 <= offset < len(co.text):
        target = index_at.get(offset)
        return PcReference(at, low, high, address, target) if target is not None else None
    return PcReference(at, low, high, address, None)


def _only_prefetch(co: CodeObject, instructions: Sequence[Instruction], at: int) -> bool:
    """Whether the first use of the counter is an instruction prefetch, a mere hint."""
    pair = _destination(instructions[at])
    if pair is None:
        return False
    for inst in instructions[at + 1 : at + 1 + _HINT_WINDOW]:
        if decode(inst, co.target).traits.prefetches_code:
            return True
        if not decode(inst, co.target).uses.isdisjoint(pair.units):
            return False
    return False


def encode_reference(
    reference: PcReference,
    instructions: list[Instruction],
    distance: int,
) -> list[tuple[int, bytes]]:
    """New bytes of the additions for a distance from the end of the `s_getpc` to the target."""
    low, high = instructions[reference.low], instructions[reference.high]
    if reference.low == reference.high:
        size = len(low.raw) - 4
        return [
            (reference.low, low.raw[:4] + (distance & (1 << 8 * size) - 1).to_bytes(size, "little"))
        ]
    literal = (distance & _M64).to_bytes(8, "little")
    return [
        (reference.low, low.raw[:4] + literal[:4]),
        (reference.high, high.raw[:4] + literal[4:]),
    ]
