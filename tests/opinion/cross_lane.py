"""Lane movement stated from the ISA documents, on whole rows of 64 dwords.

`ds_bpermute_b32`, `ds_permute_b32`, `v_readfirstlane_b32`, `v_permlane*_swap_b32` have usable
pseudocode; `ds_swizzle_b32` has a table only (CDNA) and a program for its FFT mode (RDNA3), and
`ds_read_b64_tr_*` has nothing: vendor kernels' results confirm the rule stated here
(`facts/aiter_launch.md`).
"""

from __future__ import annotations


def swizzle_source(pattern: int, lane: int) -> int:
    """Lane that DS_SWIZZLE_B32 reads for `lane` under a 16-bit offset field."""
    low, half = lane & 31, lane & 32
    mask = pattern & 31
    if pattern >= 0xE000:  # FFT decomposition
        reverse = sum((low >> i & 1) << (4 - i) for i in range(5))
        return (reverse >> mask.bit_count()) | (low & mask) | half
    if pattern >= 0xC000:  # rotate, to lower lanes when bit 10 is set
        count = pattern >> 5 & 31
        moved = low - count if pattern >> 10 & 1 else low + count
        return (low & mask) | (moved & ~mask & 31) | half
    if pattern & 0x8000:  # quad permutation
        return (lane & ~3) + (pattern >> (2 * (lane & 3)) & 3)
    and_mask, or_mask, xor_mask = mask, pattern >> 5 & 31, pattern >> 10 & 31
    return (((low & and_mask) | or_mask) ^ xor_mask) | half


def swizzle(pattern: int, row: list[int], old: list[int], exec_mask: int) -> list[int]:
    """Result row of DS_SWIZZLE_B32: inactive sources read 0, inactive lanes keep their value."""
    out = list(old)
    for lane in range(64):
        if exec_mask >> lane & 1:
            source = swizzle_source(pattern, lane)
            out[lane] = row[source] if exec_mask >> source & 1 else 0
    return out


def transpose_16(chunks: list[bytes]) -> list[bytes]:
    """DS_READ_B64_TR_B16: `chunks[l]` are the 8 bytes lane l addresses.

    Within 16 lanes, element j of lane c is element c mod 4 of the bytes of lane 4j + c div 4.
    """
    out: list[bytes] = []
    for lane in range(64):
        group, c = lane & ~15, lane & 15
        parts = []
        for j in range(4):
            source = chunks[group + 4 * j + c // 4]
            at = 2 * (c % 4)
            parts.append(source[at : at + 2])
        out.append(b"".join(parts))
    return out
