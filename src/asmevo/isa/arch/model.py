"""What one architecture is: register files, waves, LDS, numbers that others ask for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Arch:
    """Facts of one architecture.

    Attributes:
        name: `gfx942`.
        mach: EF_AMDGPU_MACH, low 8 bits of e_flags (LLVM AMDGPUUsage).
        major: generation: 8, 9, 10, 11 or 12.
        wave_sizes: lanes per wave, the default first; from gfx10 on the descriptor decides.
        sgprs: numbered SGPRs that code may name.
        named_sgprs: SGPRs that the metadata's count adds for VCC and the like.
        sgpr_granule: step of the descriptor's SGPR count; 0 where it has none.
        vgprs: most VGPRs that a wave may have.
        agprs: most AGPRs, 0 without them.
        unified: VGPRs and AGPRs share one file (gfx90a and later CDNA).
        vgpr_granules: step of the descriptor's VGPR count by wave size
            (LLVM `getVGPREncodingGranule`).
        waves_per_simd: wave slots of a SIMD (LLVM `getMaxWavesPerEU`).
        lds_bytes: LDS that one workgroup may allocate (LLVM AddressableLocalMemorySize).
        lds_granule: bytes in which LDS is allocated (LLVM `getLdsDwGranularity`, in bytes).
        nop_max: most wait states of one `s_nop` (immediate + 1) that the hardware reads.
        flat_scratch_sgprs: FLAT_SCRATCH is a pair of SGPRs that flat and scratch read.
        modelled: the project states its semantics, wait states and timing: it can be emulated,
            checked in full and timed. Others can be recovered, edited and rebuilt.
    """

    name: str
    mach: int
    major: int
    wave_sizes: tuple[int, ...]
    sgprs: int
    named_sgprs: int
    sgpr_granule: int
    vgprs: int
    agprs: int
    unified: bool
    vgpr_granules: dict[int, int]
    waves_per_simd: int
    lds_bytes: int
    lds_granule: int
    nop_max: int
    flat_scratch_sgprs: bool
    modelled: bool
