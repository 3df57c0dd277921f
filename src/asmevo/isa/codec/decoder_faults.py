"""Encodings on which LLVM's AMDGPU disassembler ends the process instead of refusing.

Found by running random words through LLVM 22 in child processes: a literal where the format has
none (the operand is then invalid and printing it crashes), and reserved SDWA selectors
(`llvm_unreachable`). All are invalid instructions, so they count as undecodable words. Formats:
Vega/CDNA3/RDNA2 ISA documents, chapter "Microcode Formats".
"""

from __future__ import annotations

from asmevo.isa.target import Target

_LITERAL = 0xFF
_SDWA = 0xF9
_VOP1, _VOPC = 0x3F, 0x3E  # bits 31:25


def affected(target: Target) -> bool:
    """Whether the decoder of this target needs `is_fatal` asked before each instruction."""
    return target.major in (9, 10)


def is_fatal(word: int, following: int, target: Target) -> bool:
    """Whether decoding an instruction that starts with these two dwords would crash LLVM."""
    top = word >> 24
    if top < 0x80:
        return word & 0x1FF == _SDWA and _reserved_sdwa(word >> 25, following)
    if target.major == 9 and 0xD0 <= top <= 0xD3:  # VOP3, VOP3P: three 9-bit sources
        return any(following >> at & 0x1FF == _LITERAL for at in (0, 9, 18))
    if 0xE0 <= top <= 0xE3 or 0xE8 <= top <= 0xEB:  # MUBUF, MTBUF: soffset
        return following >> 24 == _LITERAL
    return False


def _reserved_sdwa(op: int, following: int) -> bool:
    if following >> 16 & 7 == 7 or (op != _VOP1 and following >> 24 & 7 == 7):
        return True
    return op != _VOPC and (following >> 8 & 7 == 7 or following >> 11 & 3 == 3)
