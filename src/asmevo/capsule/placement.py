"""The same dispatch elsewhere in the address space.

Where memory lies is an input of a kernel like any other: an allocator promises 256 bytes of
alignment (hipMalloc) and nothing else. A kernel that holds an address of its own, takes the high
half of one pointer for another's, sign-extends an offset, relies on a page's alignment or on the
order of its buffers is right in one place and wrong in another. Everything moves: buffers, kernarg
segment, code with its globals, and the dispatch packet.

- `low`: the lower half of the address space, buffers in reverse order, each with a 4 GiB boundary
  through its first quarter and the least alignment; the kernarg segment lies across one, too.
- `high`: the top of the upper half, buffers in a seeded order, each beginning just above a 4 GiB
  boundary (elsewhere they begin below one: low halves of addresses have either sign as 32-bit
  numbers); a boundary lies behind the first pages of the code.

Pointers move along where the capsule says that they are pointers. A word that could be a pointer
and is not declared as one would silently keep the old address, so such a capsule is refused.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from asmevo.capsule.layout import ALIGNMENT, BOUNDARY, WINDOW
from asmevo.capsule.model import ADDRESS_LIMIT, KERNARG, Capsule
from asmevo.errors import InputError

Placement = Literal["low", "high"]
PLACEMENTS: tuple[Placement, ...] = ("low", "high")
HOME = "home"  # in reports: the capsule's own addresses

# Small objects have their code in the first 8 KiB of the image and their globals behind it: a 4 GiB
# boundary there asks for the carry of PC-relative addresses.
_BEFORE_DATA = 0x2000
_LOW, _HIGH = 1 << 33, ADDRESS_LIMIT - 2 * WINDOW
_SYNTHESIZED = "synthesized"  # of `provenance["origin"]`: contents are drawn, so hold no address


class NotMovable(InputError):
    """The capsule cannot be placed elsewhere; the message says why."""


def placed(capsule: Capsule, placement: Placement, seed: int = 0) -> Capsule:
    """The dispatch with all its memory at other addresses.

    Args:
        capsule: the dispatch; `NotMovable` where an undeclared word of it may be a pointer.
        placement: see the module.
        seed: of the order of the buffers in `high`; equal arguments give equal capsules.

    Raises:
        NotMovable: see above, or the buffers do not fit into that part of the address space.
    """
    if placement not in PLACEMENTS:
        raise InputError(f"unknown placement {placement!r}", "use " + ", ".join(PLACEMENTS))
    require_declared(capsule)
    addresses, kernarg, code = (_low if placement == "low" else _high)(capsule, seed)
    contents = {b.name: b.data for b in capsule.buffers}
    return replace(
        capsule,
        buffers=tuple(
            replace(b, address=addresses[b.name], data=_relocated(capsule, b.name, contents[b.name],
                                                                  addresses))
            for b in capsule.buffers
        ),
        kernarg=_relocated(capsule, KERNARG, capsule.kernarg, addresses),
        kernarg_address=kernarg,
        code_address=code,
    )  # fmt: skip


def _relocated(capsule: Capsule, holder: str, data: bytes, addresses: Mapping[str, int]) -> bytes:
    slots = [s for s in capsule.pointers if s.holder == holder]
    if not slots:
        return data
    changed = bytearray(data)
    for slot in slots:
        struct.pack_into("<Q", changed, slot.offset, addresses[slot.buffer] + slot.addend)
    return bytes(changed)


def _low(capsule: Capsule, seed: int) -> tuple[dict[str, int], int, int]:
    """Addresses of buffers, kernarg segment and code, from the bottom up."""
    del seed
    found: dict[str, int] = {}
    cursor = _LOW
    for b in reversed(capsule.buffers):
        reach = _up(b.size + 2 * b.guard + BOUNDARY, WINDOW)
        # An odd multiple of the least alignment; a quarter of the buffer lies below the boundary.
        below = b.size // 4 // ALIGNMENT * ALIGNMENT | ALIGNMENT
        boundary = _up(cursor + below + b.guard + ALIGNMENT, BOUNDARY)
        found[b.name] = boundary - below
        cursor = _up(max(cursor + reach, found[b.name] + b.size + b.guard + BOUNDARY), BOUNDARY)
    kernarg = cursor + BOUNDARY - _half(len(capsule.kernarg))
    code = cursor + 2 * WINDOW + ALIGNMENT * 4096
    if code + WINDOW > ADDRESS_LIMIT // 2:
        raise NotMovable("the buffers do not fit into the lower half of the address space")
    return found, kernarg, code


def _high(capsule: Capsule, seed: int) -> tuple[dict[str, int], int, int]:
    """Addresses of buffers, kernarg segment and code, from the top down."""
    key = hashlib.sha256(f"asmevo placement {seed}".encode()).digest()
    order = np.random.Generator(np.random.PCG64(int.from_bytes(key[:16], "little")))
    found: dict[str, int] = {}
    code = _HIGH - WINDOW - _BEFORE_DATA
    end = _HIGH - 3 * WINDOW
    shuffled: list[int] = order.permutation(len(capsule.buffers)).tolist()
    for n in shuffled:
        b = capsule.buffers[n]
        above = _up(b.guard + ALIGNMENT, 2 * ALIGNMENT) + ALIGNMENT
        boundary = (end - WINDOW - b.size - b.guard - above) // BOUNDARY * BOUNDARY
        found[b.name] = boundary + above
        end = boundary
        if end < ADDRESS_LIMIT // 2 + WINDOW:
            raise NotMovable("the buffers do not fit into the upper half of the address space")
    kernarg = end - WINDOW + 5 * ALIGNMENT
    return found, kernarg, code


def _half(size: int) -> int:
    """Bytes of the kernarg segment below a boundary, in cache lines (as runtimes align it)."""
    return size // 2 // 64 * 64


def _up(value: int, to: int) -> int:
    return -(-value // to) * to


def require_declared(capsule: Capsule) -> None:
    """Refuse words that may be undeclared pointers, with `NotMovable`.

    The kernarg segment is looked at dword by dword. Buffers are looked at in recorded dispatches,
    at the alignment of a pointer; the contents of a synthesized one were drawn.
    """
    spans = [(b.address - b.guard, b.address + b.size + b.guard, b.name) for b in capsule.buffers]
    spans.append((capsule.kernarg_address, capsule.kernarg_address + len(capsule.kernarg), KERNARG))
    known = {s.offset for s in capsule.pointers if s.holder == KERNARG}
    for at in range(0, len(capsule.kernarg) - 7, 4):
        if any(at - 8 < k < at + 8 for k in known):
            continue
        word = np.frombuffer(capsule.kernarg[at : at + 8], "<u8")
        _refuse_pointers(word, spans, f"the kernarg segment at offset {at}")
    if capsule.provenance.get("origin") == _SYNTHESIZED:
        return
    for name, data in capsule.variables:
        words = np.frombuffer(data[: len(data) // 8 * 8], "<u8")
        _refuse_pointers(words, spans, f"module variable {name}")
    for b in capsule.buffers:
        if b.undefined:
            continue
        words = np.frombuffer(b.data[: b.size // 8 * 8], "<u8").copy()
        for slot in capsule.pointers:
            if slot.holder == b.name:
                words[slot.offset // 8 : (slot.offset + 15) // 8] = 0
        _refuse_pointers(words, spans, f"buffer {b.name}")


def _refuse_pointers(
    words: NDArray[np.uint64], spans: list[tuple[int, int, str]], where: str
) -> None:
    for low, high, name in spans:
        if bool(((words >= low) & (words < high)).any()):
            raise NotMovable(
                f"{where} may hold an address of {name} that is not declared as a pointer",
                "declare it among the capsule's pointers",
            )
