"""The length of an instruction, from its format bits alone.

A decoder that refuses an instruction does not say how long it is. Going on four bytes later would
read its remaining words as instructions that are not there; so the length is taken from the
encoding family (the leading bits) and from what makes that family longer: a literal, DPP or SDWA
word, an opcode with a constant of its own, non-sequential addresses.

Source: "Microcode Formats" of the ISA documents (GCN3, Vega, CDNA3, RDNA1 to RDNA4) and, for
gfx1250, LLVM's `AMDGPU.td`, `VOPInstructions.td`, `VIMAGE`/`VBUFFER` classes.
"""

from __future__ import annotations

from asmevo.isa.target import Target

LONGEST = 20  # bytes; what must be in view to tell a length

_LITERAL, _LITERAL64, _SDWA, _DPP, _DPP8 = 0xFF, 0xFE, 0xF9, 0xFA, (0xE9, 0xEA)
# First halves (31:16) of the prefixes of scaled matrix instructions, and what they are prefixes of.
_SCALED = {
    "gfx950": (frozenset({0xD3AC}), frozenset({0xD3AD, 0xD3AE})),
    "gfx1250": (frozenset({0xCC35, 0xCC3A}), frozenset({0xCC33, 0xCC88})),
}


def instruction_length(code: bytes, at: int, target: Target) -> int:
    """Bytes of the instruction that starts at `code[at]`: 4 to 20, a multiple of 4.

    The result may reach past the end of `code` when the instruction is cut off there. Words whose
    leading bits name no format count as 4 bytes.
    """
    word = int.from_bytes(code[at : at + 4], "little")
    following = int.from_bytes(code[at + 4 : at + 8], "little")
    if word >> 31 == 0:
        return _vector(word, target)
    if word >> 30 == 2:
        return _scalar(word, target)
    generation = target.major
    if generation <= 9:
        size = _gfx9(word)
    elif generation < 12:
        size = _gfx10(word, following) if generation == 10 else _gfx11(word, following)
    else:
        size = _gfx12(word, following, target)
    if size == 8 and target.arch in _SCALED:
        heads, tails = _SCALED[target.arch]
        after = int.from_bytes(code[at + 8 : at + 12], "little") >> 16
        if word >> 16 in heads and after in tails:
            return 16
    return size


def _source(value: int, target: Target) -> int:
    """Bytes that a scalar or 9-bit source operand adds behind the instruction."""
    if value == _LITERAL:
        return 4
    return 8 if value == _LITERAL64 and target.arch == "gfx1250" else 0


# VOP2 opcodes with a constant of their own: fmamk, fmaak, madmk, madak (32 and 16 bits).
_VOP2_CONSTANT = {
    8: frozenset({0x17, 0x18, 0x24, 0x25}),
    9: frozenset({0x17, 0x18, 0x24, 0x25}),
    10: frozenset({0x20, 0x21, 0x2C, 0x2D, 0x37, 0x38}),
    11: frozenset({0x2C, 0x2D, 0x37, 0x38}),
    12: frozenset({0x2C, 0x2D, 0x37, 0x38}),
}
_VOP2_CONSTANT64 = frozenset({0x23, 0x24})  # v_fmamk_f64, v_fmaak_f64 of gfx1250


def _vector(word: int, target: Target) -> int:
    """VOP1, VOP2, VOPC: bit 31 is 0, opcode in 30:25 (0x3E and 0x3F are VOPC and VOP1)."""
    op, source = word >> 25, word & 0x1FF
    if op in _VOP2_CONSTANT[target.major]:
        return 8
    if target.arch == "gfx1250" and op in _VOP2_CONSTANT64:
        return 12
    if source == _DPP or (source == _SDWA and target.major < 11):
        return 8
    if source in _DPP8 and target.major >= 10:
        return 8
    return 4 + _source(source, target)


def _scalar(word: int, target: Target) -> int:
    """SOP1, SOP2, SOPC, SOPK, SOPP: bits 31:30 are 10."""
    first, second = word & 0xFF, word >> 8 & 0xFF
    if word >> 23 == 0x17F:  # SOPP
        return 4
    if word >> 23 == 0x17D:  # SOP1
        return 4 + _source(first, target)
    if word >> 28 == 0xB and word >> 23 != 0x17E:  # SOPK
        setreg_imm32 = {8: 20, 9: 20, 10: 21}.get(target.major, 19)
        return 8 if word >> 23 & 0x1F == setreg_imm32 else 4
    # SOPC and SOP2; s_fmaak_f32 and s_fmamk_f32 (gfx11.5 and later) have a constant of their own.
    if word >> 23 != 0x17E and target.major >= 11 and word >> 23 & 0x7F in (0x45, 0x46):
        return 8
    return 4 + max(_source(first, target), _source(second, target))


def _vop3(word: int, following: int) -> int:
    """VOP3 and VOP3P from gfx10 on: a literal in one of the three 9-bit sources."""
    literal = any(following >> at & 0x1FF == _LITERAL for at in (0, 9, 18))
    return 12 if literal else 8


def _vop3_dpp(word: int, following: int) -> int:
    """VOP3 and VOP3P from gfx11 on: DPP, DPP8 or a literal."""
    source = following & 0x1FF
    return 12 if source == _DPP or source in _DPP8 else _vop3(word, following)


def _vopd(word: int, following: int) -> int:
    """A dual-issue pair: a literal in either first source, or fmaak or fmamk in either half."""
    constant = (1, 2)
    op_x, op_y = word >> 22 & 15, word >> 17 & 31
    literal = word & 0x1FF == _LITERAL or following & 0x1FF == _LITERAL
    return 12 if literal or op_x in constant or op_y in constant else 8


def _gfx9(word: int) -> int:
    top6 = word >> 26
    if top6 == 0x35:  # VINTRP
        return 4
    # SMEM, EXP, VOP3 and VOP3P, DS, FLAT, MUBUF, MTBUF, MIMG
    return 8 if top6 in (0x30, 0x31, 0x34, 0x36, 0x37, 0x38, 0x3A, 0x3C) else 4


def _gfx10(word: int, following: int) -> int:
    top6 = word >> 26
    if top6 in (0x33, 0x35):  # VOP3P, VOP3
        return _vop3(word, following)
    if top6 == 0x3C:  # MIMG with up to three dwords of further addresses
        return 8 + 4 * (word >> 1 & 3)
    if top6 == 0x32:  # VINTRP
        return 4
    # DS, FLAT, MUBUF, MTBUF, SMEM, EXP
    return 8 if top6 in (0x36, 0x37, 0x38, 0x3A, 0x3D, 0x3E) else 4


def _gfx11(word: int, following: int) -> int:
    top6, top8 = word >> 26, word >> 24
    if top6 == 0x35 or top8 == 0xCC:  # VOP3, VOP3P
        return _vop3_dpp(word, following)
    if top6 == 0x32:
        return _vopd(word, following)
    if top8 == 0xCD:  # VINTERP
        return 8
    if top8 == 0xCE:  # LDSDIR
        return 4
    if top6 == 0x3C:  # MIMG with one dword of further addresses
        return 8 + 4 * (word & 1)
    # DS, FLAT, MUBUF, MTBUF, SMEM, EXP
    return 8 if top6 in (0x36, 0x37, 0x38, 0x3A, 0x3D, 0x3E) else 4


def _gfx12(word: int, following: int, target: Target) -> int:
    top6, top8 = word >> 26, word >> 24
    if top6 == 0x35 or top8 == 0xCC:  # VOP3, VOP3P
        return _vop3_dpp(word, following)
    if top6 == 0x32:
        return _vopd(word, following)
    if top8 == 0xCD:  # VINTERP
        return 8
    if top8 == 0xCF and target.arch == "gfx1250":  # VOPD3
        return 12
    # VBUFFER, VIMAGE and tensor, VSAMPLE, FLAT, SCRATCH, GLOBAL
    if top6 in (0x31, 0x34, 0x39, 0x3B):
        return 12
    # VDS, SMEM, VEXPORT; LDSDIR (0xCE) has 4
    return 8 if top6 in (0x36, 0x3D, 0x3E) else 4
