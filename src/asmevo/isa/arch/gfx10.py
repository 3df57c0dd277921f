"""GFX10: RDNA1 and RDNA2. Sources: LLVM AMDGPUUsage, `AMDGPUBaseInfo.cpp`; RDNA2 ISA."""

from __future__ import annotations

from asmevo.isa.arch.model import Arch

# EF_AMDGPU_MACH by processor.
_MACH = {
    "gfx1010": 0x33, "gfx1011": 0x34, "gfx1012": 0x35, "gfx1013": 0x42,
    "gfx1030": 0x36, "gfx1031": 0x37, "gfx1032": 0x38, "gfx1033": 0x39, "gfx1034": 0x3E,
    "gfx1035": 0x3D, "gfx1036": 0x45,
    "gfx10-1-generic": 0x52, "gfx10-3-generic": 0x53,
}  # fmt: skip


def _gfx10(name: str, mach: int) -> Arch:
    waves = 16 if name.startswith(("gfx103", "gfx10-3")) else 20  # gfx10.1 has 20 slots
    return Arch(
        name, mach, 10, (32, 64), 106, 2, 0, 256, 0, False, {32: 8, 64: 4}, waves, 65536, 512,
        16, False, False,
    )  # fmt: skip


ARCHS = tuple(_gfx10(name, mach) for name, mach in _MACH.items())
