"""Where buffers lie in the device's address space.

Placement is a part of the test. Every buffer gets a window of its own, so that even a stray 32-bit
offset meets unmapped memory and not a neighbour; and, unless the layout is `plain`, a 4 GiB
boundary runs through its middle, so that code that drops the carry of a 64-bit address addition
computes a wrong address instead of passing on a lucky allocation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from asmevo.capsule.model import ADDRESS_LIMIT
from asmevo.errors import InputError

Layout = Literal["straddle", "plain"]

BASE = 0x7C00_0000_0000
WINDOW = 1 << 33  # more than any 32-bit offset
BOUNDARY = 1 << 32
# hipMalloc promises 256 bytes (PyTorch's allocator 512); kernels may not assume more.
ALIGNMENT = 256
PAGE = 4096


def _up(value: int, to: int) -> int:
    return -(-value // to) * to


def place(
    sizes: Sequence[int], guard: int, layout: Layout = "straddle"
) -> tuple[int, tuple[int, ...]]:
    """Addresses of the kernarg segment and of the buffers.

    Args:
        sizes: bytes of each buffer.
        guard: bytes of red zone on both sides of each.
        layout: `straddle` centres each buffer on a 4 GiB boundary (where it is large enough to
            do so at 256-byte alignment); `plain` aligns each to a page.

    Returns:
        Kernarg address, buffer addresses; all 256-byte aligned, no two windows overlap.

    Raises:
        InputError: the buffers do not fit in the 47-bit address space.
    """
    cursor = BASE + WINDOW
    addresses: list[int] = []
    for size in sizes:
        # Windows keep neighbours at least one 32-bit offset apart; half a window is a boundary.
        reach = _up(size + 2 * guard + BOUNDARY, WINDOW)
        if layout == "straddle":
            address = cursor + reach // 2 - (size // 2) // ALIGNMENT * ALIGNMENT
        else:
            address = _up(cursor + guard, PAGE)
        addresses.append(address)
        cursor += reach
        if cursor > ADDRESS_LIMIT:
            raise InputError(
                f"{len(sizes)} buffers do not fit in the address space", "use smaller sizes"
            )
    return BASE, tuple(addresses)
