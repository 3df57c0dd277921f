"""GFX9: Vega and CDNA.

Sources: LLVM AMDGPUUsage (machine numbers, processors), `AMDGPUBaseInfo.cpp` and `AMDGPU.td`
(granules, AddressableLocalMemorySize); CDNA3 and CDNA4 ISA.
"""

from __future__ import annotations

from asmevo.isa.arch.model import Arch


def _gfx9(
    name: str,
    mach: int,
    *,
    agprs: int = 0,
    unified: bool = False,
    lds_bytes: int = 65536,
    lds_granule: int = 512,
    flat_scratch_sgprs: bool = True,
    modelled: bool = False,
) -> Arch:
    return Arch(
        name, mach, 9, (64,), 102, 6, 8, 256 if not unified else 512, agprs, unified,
        {64: 8 if unified else 4}, 8 if unified else 10, lds_bytes, lds_granule,
        16, flat_scratch_sgprs, modelled,
    )  # fmt: skip


ARCHS = (
    _gfx9("gfx900", 0x2C),
    _gfx9("gfx902", 0x2D),
    _gfx9("gfx904", 0x2E),
    _gfx9("gfx906", 0x2F),
    _gfx9("gfx908", 0x30, agprs=256),
    _gfx9("gfx909", 0x31),
    _gfx9("gfx90a", 0x3F, agprs=256, unified=True, modelled=True),
    _gfx9("gfx90c", 0x32),
    _gfx9("gfx942", 0x4C, agprs=256, unified=True, flat_scratch_sgprs=False, modelled=True),
    # LDS is allocated in blocks of 320 dwords (LLVM `getLdsDwGranularity`, CDNA4 ISA).
    _gfx9(
        "gfx950", 0x4F, agprs=256, unified=True, lds_bytes=163840, lds_granule=1280,
        flat_scratch_sgprs=False, modelled=True,
    ),
    _gfx9("gfx9-generic", 0x51),
    # What gfx942 and gfx950 have in common.
    _gfx9("gfx9-4-generic", 0x5F, agprs=256, unified=True, flat_scratch_sgprs=False),
)  # fmt: skip
