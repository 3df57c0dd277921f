"""Where an address lies, in the words of whoever wrote the launch: buffer, element, which end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from asmevo.capsule.model import BufferState, Capsule

Side = Literal["inside", "before", "past"]
_NULL = 1 << 16  # small offsets from a null pointer; no buffer lies there
NEAR = 1 << 32  # as far as a 32-bit offset from a buffer's own address reaches


@dataclass(frozen=True, slots=True)
class Place:
    """An address relative to the nearest buffer.

    Attributes:
        buffer: that buffer.
        side: `inside` it, `before` its first byte, or `past` its last.
        offset: bytes from the buffer's first byte; negative before it.
    """

    buffer: BufferState
    side: Side
    offset: int

    @property
    def element(self) -> int:
        """Index of the element, rounded down; negative before the buffer."""
        return self.offset // self.buffer.element.size

    @property
    def distance(self) -> int:
        """Bytes outside the buffer: from its end (0 is the first byte past it) or its start."""
        if self.side == "before":
            return -self.offset
        return max(self.offset - self.buffer.size, 0)

    def one_line(self) -> str:
        """E.g. `element 1000 (byte 4000) of x, 0 bytes past the end of its 1000 f32`."""
        b = self.buffer
        count = b.size // b.element.size
        at = f"element {self.element} (byte {self.offset}) of {b.name}"
        if self.side == "inside":
            return f"{at}, which has {count} {b.dtype}"
        end = "before the start" if self.side == "before" else "past the end"
        return f"{at}, {self.distance} bytes {end} of its {count} {b.dtype}"


def nearest(capsule: Capsule, address: int) -> Place | None:
    """The buffer that `address` lies in or next to, by the distance to its nearer end.

    None when the capsule has no buffer.
    """
    found: Place | None = None
    for b in capsule.buffers:
        offset = address - b.address
        side: Side = "before" if offset < 0 else "past" if offset >= b.size else "inside"
        one = Place(b, side, offset)
        if side == "inside":
            return one
        if found is None or one.distance < found.distance:
            found = one
    return found


def describe(capsule: Capsule, address: int) -> str:
    """One line on where an address lies, for faults; empty when nothing is near to name."""
    start, size = capsule.kernarg_address, len(capsule.kernarg)
    if -(1 << 12) <= address - start < size + (1 << 12):
        return f"byte {address - start} of the kernarg segment, which has {size}"
    if 0 <= address < _NULL:
        return "near address 0: a null or undefined pointer"
    place = nearest(capsule, address)
    if place is None:
        return "the launch has no buffers"
    if place.distance >= NEAR:
        end = "below" if place.side == "before" else "above"
        return (
            f"far {end} every buffer, the nearest is {place.buffer.name}: "
            "the address itself is wrong"
        )
    return place.one_line()
