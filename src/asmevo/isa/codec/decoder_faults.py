"""What LLVM's AMDGPU disassembler gets wrong: encodings that crash it, and real ones it refuses.

Those that end the process were found by running random words through LLVM 22 in child processes:
a literal where the format has none (the operand is then invalid and printing it crashes), and
reserved SDWA selectors (`llvm_unreachable`). All are invalid instructions, so they count as
undecodable.

The real ones: on gfx9 a 64-bit `v_cmpx` writes EXEC and any scalar register pair (Vega and CDNA3
ISA, "VOPC"); some LLVM 22 decode it only when that pair is EXEC, though they assemble all. Formats:
ISA documents, chapter "Microcode Formats".
"""

from __future__ import annotations

from asmevo.isa.target import Target

_LITERAL = 0xFF
_SDWA = 0xF9
_VOP1, _VOPC = 0x3F, 0x3E  # bits 31:25


def affected(target: Target) -> bool:
    """Whether the decoder of this target needs `is_fatal` asked before each instruction."""
    return target.major <= 10


def is_fatal(word: int, following: int, target: Target) -> bool:
    """Whether decoding an instruction that starts with these two dwords would crash LLVM."""
    top = word >> 24
    if top < 0x80:
        return word & 0x1FF == _SDWA and _reserved_sdwa(word >> 25, following)
    if target.major <= 9 and 0xD0 <= top <= 0xD3:  # VOP3, VOP3P: three 9-bit sources
        if top == 0xD0 and word & 0xFF == _LITERAL:  # VOPC: the scalar destination
            return True
        return any(following >> at & 0x1FF == _LITERAL for at in (0, 9, 18))
    if 0xE0 <= top <= 0xE3 or 0xE8 <= top <= 0xEB:  # MUBUF, MTBUF: soffset
        return following >> 24 == _LITERAL
    return False


def _reserved_sdwa(op: int, following: int) -> bool:
    if following >> 16 & 7 == 7 or (op != _VOP1 and following >> 24 & 7 == 7):
        return True
    return op != _VOPC and (following >> 8 & 7 == 7 or following >> 11 & 3 == 3)


def _is_cmpx(op: int) -> bool:
    """Whether a gfx9 VOPC opcode writes EXEC too: three classes, then every second group of 16."""
    if op < 0x20:
        return op in (0x11, 0x13, 0x15)
    return op < 0x100 and op >> 4 in (0x3, 0x5, 0x7, 0xB, 0xD, 0xF)


def twin_without_x(word: int, target: Target) -> int | None:
    """The first word of the `v_cmp` that equals a gfx9 `v_cmpx` in all but writing EXEC, or None.

    The two print the same but for the mnemonic, so the twin's text gives the destination that
    LLVM does not read in the other.
    """
    op = word >> 16 & 0x3FF
    if target.major > 9 or word >> 26 != 0x34 or not _is_cmpx(op):
        return None
    return word ^ (0x1 if op < 0x20 else 0x10) << 16
