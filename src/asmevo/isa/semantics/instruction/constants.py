"""Inline constants and literals as operands read them."""

from __future__ import annotations

from asmevo.isa.operand import FloatImm, Imm
from asmevo.isa.semantics import table


def constant_bits(value: Imm | FloatImm, type_: str, packed: int = 0) -> int:
    """Bits of an inline constant or literal as an operand of `type_` reads it.

    Integers sign-extend; a literal of an f64 operand is the high dword, of a b64/u64 operand it
    is zero-extended; float inline constants take the operand's width, and in packed f16 operands
    stand in the low half only (CDNA3 ISA 6.2, LLVM SIFoldOperands).
    """
    width = table.width_of(type_)
    if isinstance(value, FloatImm):
        if packed == 16:
            return value.bits(16) if type_[0] == "f" else value.bits(32)
        if packed == 32:
            return value.bits(32) * 0x1_0000_0001
        return value.bits(width if width in (16, 32, 64) else 32)
    n = value.value
    if packed:
        low = n & 0xFFFFFFFF
        return low if packed == 16 else low * 0x1_0000_0001
    if width == 64:
        if value.literal:
            if type_ == "f64":
                return (n & 0xFFFFFFFF) << 32
            if type_ == "i64":
                return (n & 0xFFFFFFFF) - ((n & 0x80000000) << 1)
            return n & 0xFFFFFFFF
        return n
    return n & ((1 << max(width, 32)) - 1)
