"""Bits that the hardware ignores and LLVM's decoder or assembler does not.

Newer compilers and hand-written code fill unused operand fields otherwise than this LLVM does. The
decoder then rejects real code and loses the instruction boundary after it, or the text re-encodes
to other bits in a field that the instruction does not have. Here is what may differ: the
instruction keeps its own bytes, and the form that LLVM knows is used for decoding and checking.

Found on vendor and Triton objects. Fields: RDNA3 and RDNA4 ISA documents, "VOP3", "VOP3P" (src2 is
bits 58:50, op_sel_hi[2] bit 14, neg[2] bit 63).
"""

from __future__ import annotations

from collections.abc import Iterator

from asmevo.isa.target import Target

_SRC1, _SRC2 = 0x1FF << 9, 0x1FF << 18
_NEG1, _NEG2 = 1 << 30, 1 << 31
_OP_SEL_HI2 = 1 << 14
_ZERO = 0x80  # the inline constant 0, which newer LLVM writes into an unused src2
_V0 = 0x100
_EXEC = 0x7E


def candidates(raw: bytes, target: Target) -> Iterator[tuple[bytes, bool]]:
    """Encodings that LLVM may know in place of undecodable bytes, the least changed first.

    `raw` starts at the instruction and may hold more bytes than it; the results have as many. The
    flag says that the change needs no check against `ignored` (a format known as a whole).
    """
    if target.major < 10 or len(raw) < 8:
        return
    first, second = int.from_bytes(raw[:4], "little"), int.from_bytes(raw[4:8], "little")
    high = first >> 16

    def changed(a: int, b: int) -> bytes:
        return a.to_bytes(4, "little") + b.to_bytes(4, "little") + raw[8:]

    if (0xD400 <= high <= 0xD7FF or 0xCC00 <= high <= 0xCCFF) and second & _SRC2 == _ZERO << 18:
        yield changed(first, second & ~_SRC2), False  # two sources
        if second & _SRC1 == _ZERO << 9:
            yield changed(first, second & ~(_SRC2 | _SRC1)), False  # one source
    if 0xD400 <= high <= 0xD4FF and first & 0xFF == 0:  # v_cmpx: newer LLVM writes EXEC
        yield changed(first | _EXEC, second), False
    if target.arch != "gfx1250":
        return
    if high == 0xD031:  # tensor_load_to_lds
        yield changed(first & 0xFFFF | 0xD071_0000, second | 0x7C00_0000), True
    elif high in (0xCC35, 0xCC3A):  # v_wmma scale prefix: unused src2 is v0
        yield changed(first, second & ~_SRC2 | _V0 << 18), True
    elif high == 0xCC88:  # v_wmma_f32_32x16x128_f4
        yield changed(first | _OP_SEL_HI2, second), True


def ignored(target: Target, text: str, size: int) -> bytes:
    """Mask of the bits in which `text` may be encoded otherwise and mean the same.

    Only for instructions without the field, on gfx10 and later; elsewhere all bits count.
    """
    none = bytes(size)
    if target.major < 10:
        return none
    if text.startswith("v_cmpx") and size >= 8:
        return b"\xff" + bytes(size - 1)
    if target.major < 11:
        return none
    if text == "v_nop" and size == 4:
        return (0x1FF).to_bytes(4, "little")
    if size < 8 or not text.startswith("v_"):
        return none
    destinations = 2 if text.startswith(("v_add_co_u32", "v_sub_co_u32", "v_subrev_co_u32")) else 1
    if text.count(", ") > destinations + 1:  # more than two sources
        return none
    first = _OP_SEL_HI2 if text.startswith("v_pk_") else 0
    second = _SRC2 | _NEG2
    if text.count(", ") == destinations:  # one source
        second |= _SRC1 | _NEG1
    return first.to_bytes(4, "little") + second.to_bytes(4, "little") + bytes(size - 8)
