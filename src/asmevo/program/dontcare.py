"""Bits that the hardware ignores and LLVM's decoder does not: set to LLVM's choice for decoding.

The instruction keeps its own bytes; only the copy that the decoder sees is changed. Without this
the decoder rejects real gfx1250 code and loses the instruction boundary after it. Found on vendor
objects; the fields are unused operands in the ISA documents.
"""

from __future__ import annotations

import struct

from asmevo.isa.target import Target


def normalize(code: bytes, target: Target) -> bytes:
    """A copy of `code`, same length, with don't-care bits as LLVM decodes them."""
    if target.arch != "gfx1250" or len(code) < 8:
        return code
    words = list(struct.unpack(f"<{len(code) // 4}I", code[: len(code) // 4 * 4]))
    i = 0
    while i + 1 < len(words):
        high = words[i] >> 16
        if high in (0xCC35, 0xCC3A):  # v_wmma scale prefix: unused src2 must be v0
            words[i + 1] = words[i + 1] & ~(0x1FF << 18) | 0x100 << 18
        elif high == 0xCC88:  # v_wmma_f32_32x16x128_f4: op_sel_hi[2]
            words[i] |= 1 << 14
        elif words[i] >> 16 == 0xD031:  # tensor_load_to_lds
            words[i] = words[i] & 0xFFFF | 0xD071_0000
            words[i + 1] |= 0x7C00_0000
        i += 1
    return struct.pack(f"<{len(words)}I", *words) + code[len(words) * 4 :]
