"""AMDGPU targets: architecture, feature settings and the per-architecture facts others ask for.

Source: LLVM `AMDGPUUsage` (e_flags, target ids) and `Utils/AMDGPUBaseInfo.cpp` (granules).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from asmevo.errors import UnsupportedError


class Feature(Enum):
    """Setting of a target feature (xnack, sramecc) as e_flags of code object v4+ encode it."""

    UNSUPPORTED = 0
    ANY = 1
    OFF = 2
    ON = 3


# EF_AMDGPU_MACH values (low 8 bits of e_flags), LLVM AMDGPUUsage table "EF_AMDGPU_MACH Values".
MACH_OF_ARCH: dict[str, int] = {
    "gfx900": 0x2C,
    "gfx902": 0x2D,
    "gfx904": 0x2E,
    "gfx906": 0x2F,
    "gfx908": 0x30,
    "gfx909": 0x31,
    "gfx90a": 0x3F,
    "gfx90c": 0x32,
    "gfx942": 0x4C,
    "gfx950": 0x4F,
    "gfx1010": 0x33,
    "gfx1011": 0x34,
    "gfx1012": 0x35,
    "gfx1013": 0x42,
    "gfx1030": 0x36,
    "gfx1031": 0x37,
    "gfx1032": 0x38,
    "gfx1033": 0x39,
    "gfx1034": 0x3E,
    "gfx1035": 0x3D,
    "gfx1036": 0x45,
    "gfx1100": 0x41,
    "gfx1101": 0x46,
    "gfx1102": 0x47,
    "gfx1103": 0x44,
    "gfx1150": 0x43,
    "gfx1151": 0x4A,
    "gfx1152": 0x55,
    "gfx1153": 0x58,
    "gfx1200": 0x48,
    "gfx1201": 0x4E,
    "gfx1250": 0x49,
}
ARCH_OF_MACH: dict[int, str] = {v: k for k, v in MACH_OF_ARCH.items()}

_XNACK_SHIFT, _SRAMECC_SHIFT = 8, 10  # EF_AMDGPU_FEATURE_{XNACK,SRAMECC}_V4


@dataclass(frozen=True, slots=True)
class Target:
    """One processor with its feature settings, e.g. `gfx942:sramecc+:xnack-`."""

    arch: str
    xnack: Feature = Feature.UNSUPPORTED
    sramecc: Feature = Feature.UNSUPPORTED

    @classmethod
    def from_eflags(cls, e_flags: int) -> Target:
        """Target of an ELF header's e_flags (code object v4 and later).

        Raises:
            UnsupportedError: the machine number is not a known AMDGPU processor.
        """
        mach = e_flags & 0xFF
        arch = ARCH_OF_MACH.get(mach)
        if arch is None:
            raise UnsupportedError(
                f"AMDGPU machine number 0x{mach:02x} in e_flags is not known",
                "known are " + ", ".join(MACH_OF_ARCH),
            )
        return cls(
            arch,
            Feature((e_flags >> _XNACK_SHIFT) & 3),
            Feature((e_flags >> _SRAMECC_SHIFT) & 3),
        )

    @property
    def target_id(self) -> str:
        """Canonical target id: features in alphabetical order, omitted when unset or any."""
        parts = [self.arch]
        for name, value in (("sramecc", self.sramecc), ("xnack", self.xnack)):
            if value is Feature.ON:
                parts.append(f"{name}+")
            elif value is Feature.OFF:
                parts.append(f"{name}-")
        return ":".join(parts)

    @property
    def major(self) -> int:
        """Major generation: 9 for gfx942, 10, 11 or 12."""
        return int(self.arch[3:-2])

    @property
    def is_gfx9(self) -> bool:
        """Whether this is a GFX9 (Vega, CDNA) part."""
        return self.major == 9

    @property
    def is_gfx940(self) -> bool:
        """Whether this is gfx942 or gfx950 (the "gfx940+" rules of LLVM)."""
        return self.arch in ("gfx942", "gfx950")

    @property
    def has_mfma(self) -> bool:
        """Whether the part has MFMA instructions and AGPRs."""
        return self.arch in ("gfx908", "gfx90a", "gfx942", "gfx950")

    @property
    def unified_vgprs(self) -> bool:
        """Whether VGPRs and AGPRs share one file (gfx90a and later CDNA)."""
        return self.arch in ("gfx90a", "gfx942", "gfx950")

    @property
    def wave_size(self) -> int:
        """Default lanes per wave; on gfx10+ the descriptor decides."""
        return 64 if self.is_gfx9 else 32

    @property
    def lds_bytes_per_cu(self) -> int:
        """LDS bytes that one workgroup may allocate."""
        return {"gfx950": 163840, "gfx1250": 327680}.get(self.arch, 65536)

    @property
    def max_waves_per_simd(self) -> int:
        """Wave slots of a SIMD: 10 on gfx908, 8 on gfx90a+, 16 on gfx10.3+ (LLVM)."""
        if self.unified_vgprs:
            return 8
        return 10 if self.is_gfx9 else 16

    @property
    def nop_max(self) -> int:
        """Most wait states one `s_nop` gives (immediate + 1)."""
        return 128 if self.major >= 12 else 16
