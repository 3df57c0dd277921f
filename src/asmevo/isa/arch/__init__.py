"""One module per generation; `ARCHS` holds every architecture by name."""

from __future__ import annotations

from asmevo.isa.arch import gfx8, gfx9, gfx10, gfx11, gfx12
from asmevo.isa.arch.model import Arch

__all__ = ["ARCHS", "Arch"]

ARCHS: dict[str, Arch] = {
    arch.name: arch for module in (gfx8, gfx9, gfx10, gfx11, gfx12) for arch in module.ARCHS
}
