"""GFX12: RDNA4 and gfx1250. Sources: LLVM AMDGPUUsage, `AMDGPUBaseInfo.cpp`; RDNA4 ISA."""

from __future__ import annotations

from asmevo.isa.arch.model import Arch

_RDNA4 = tuple(
    Arch(
        name, mach, 12, (32, 64), 106, 2, 0, 256, 0, False, {32: 8, 64: 4}, 16, 65536, 512, 128,
        False, False,
    )
    for name, mach in (("gfx1200", 0x48), ("gfx1201", 0x4E), ("gfx12-generic", 0x59))
)  # fmt: skip
# gfx1250: wave32 only, 1024 VGPRs, 320 KiB of LDS in blocks of 512 dwords.
_GFX1250 = Arch(
    "gfx1250", 0x49, 12, (32,), 106, 2, 0, 1024, 0, False, {32: 16}, 16, 327680, 2048, 128,
    False, False,
)  # fmt: skip

ARCHS = (*_RDNA4, _GFX1250)
