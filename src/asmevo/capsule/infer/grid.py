"""What decides how many workgroups a launch has along one axis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod


@dataclass(frozen=True, slots=True)
class Part:
    """Work along one size: `name - offset`, in tiles of `tile` (0 where the product is tiled)."""

    name: str
    offset: int = 0
    tile: int = 0

    def text(self) -> str:
        """The untiled work."""
        if not self.offset:
            return self.name
        return (
            f"{self.name} - {self.offset}" if self.offset > 0 else f"{self.name} + {-self.offset}"
        )


@dataclass(frozen=True, slots=True)
class Axis:
    """Workgroups along one axis.

    Attributes:
        free: name of the size that counts them, where the launch chooses; else empty.
        parts: sizes whose product is the work; none for one workgroup.
        tile: work of one workgroup where all parts share it; 0 where each part is tiled.
        certain: confirmed at points that it was not made from.
        reason: one line.
    """

    free: str = ""
    parts: tuple[Part, ...] = ()
    tile: int = 0
    certain: bool = True
    reason: str = ""

    def count(self, names: Mapping[str, int]) -> int:
        """Workgroups at given sizes, at least 1."""
        if self.free:
            return names[self.free]
        if not self.parts:
            return 1
        work = [max(0, names[p.name] - p.offset) for p in self.parts]
        if self.tile:
            return max(1, -(-prod(work) // self.tile))
        return max(1, prod(-(-w // p.tile) for w, p in zip(work, self.parts, strict=True)))

    def text(self) -> str:
        """As an expression of a launch description."""
        if self.free or not self.parts:
            return self.free or "1"
        if not self.tile:
            return "*".join(
                p.text() if p.tile == 1 else f"cdiv({p.text()}, {p.tile})" for p in self.parts
            )
        words = [p.text() for p in self.parts]
        work = "*".join(f"({w})" if " " in w and len(words) > 1 else w for w in words)
        return work if self.tile == 1 else f"cdiv({work}, {self.tile})"
