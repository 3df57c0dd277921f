"""GFX11: RDNA3 and RDNA3.5. Sources: LLVM AMDGPUUsage, `AMDGPUBaseInfo.cpp`; RDNA3 ISA."""

from __future__ import annotations

from asmevo.isa.arch.model import Arch

# EF_AMDGPU_MACH by processor.
_MACH = {
    "gfx1100": 0x41, "gfx1101": 0x46, "gfx1102": 0x47, "gfx1103": 0x44,
    "gfx1150": 0x43, "gfx1151": 0x4A, "gfx1152": 0x55, "gfx1153": 0x58,
    "gfx11-generic": 0x54,
}  # fmt: skip

ARCHS = tuple(
    Arch(
        name, mach, 11, (32, 64), 106, 2, 0, 256, 0, False, {32: 8, 64: 4}, 16, 65536, 512, 16,
        False, False,
    )
    for name, mach in _MACH.items()
)  # fmt: skip
