"""GFX8: Volcanic Islands, recovered and rebuilt only. Source: LLVM AMDGPUUsage."""

from __future__ import annotations

from asmevo.isa.arch.model import Arch

# EF_AMDGPU_MACH by processor.
_MACH = {"gfx801": 0x28, "gfx802": 0x29, "gfx803": 0x2A, "gfx805": 0x3C, "gfx810": 0x2B}

ARCHS = tuple(
    Arch(name, mach, 8, (64,), 102, 6, 8, 256, 0, False, {64: 4}, 10, 65536, 512, 16, True, False)
    for name, mach in _MACH.items()
)
