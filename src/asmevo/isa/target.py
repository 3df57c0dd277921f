"""AMDGPU targets: architecture, feature settings and the per-architecture facts others ask for.

Source: LLVM `AMDGPUUsage` (e_flags, target ids) and `Utils/AMDGPUBaseInfo.cpp` (granules).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from asmevo.errors import UnsupportedError
from asmevo.isa.arch import ARCHS, Arch


class Feature(Enum):
    """Setting of a target feature (xnack, sramecc) as e_flags of code object v4+ encode it."""

    UNSUPPORTED = 0
    ANY = 1
    OFF = 2
    ON = 3


MACH_OF_ARCH: dict[str, int] = {name: arch.mach for name, arch in ARCHS.items()}
ARCH_OF_MACH: dict[int, str] = {v: k for k, v in MACH_OF_ARCH.items()}

# Processors that have a number and are refused by name: other instruction sets (before gfx8),
# withdrawn ones, and those newer than the tables here.
NAMED_MACH: dict[int, str] = {
    0x01: "r600", 0x02: "r630", 0x03: "rs880", 0x04: "rv670", 0x05: "rv710", 0x06: "rv730",
    0x07: "rv770", 0x08: "cedar", 0x09: "cypress", 0x0A: "juniper", 0x0B: "redwood", 0x0C: "sumo",
    0x0D: "barts", 0x0E: "caicos", 0x0F: "cayman", 0x10: "turks",
    0x20: "gfx600", 0x21: "gfx601", 0x3A: "gfx602",
    0x22: "gfx700", 0x23: "gfx701", 0x24: "gfx702", 0x25: "gfx703", 0x26: "gfx704",
    0x3B: "gfx705",
    0x40: "gfx940", 0x4B: "gfx941",
    0x5A: "gfx1251", 0x5B: "gfx12-5-generic", 0x50: "gfx1310",
    0x5D: "gfx1170", 0x5E: "gfx1171", 0x5C: "gfx1172",
}  # fmt: skip

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
            named = NAMED_MACH.get(mach)
            raise UnsupportedError(
                f"{named} (machine number 0x{mach:02x} in e_flags) is not supported"
                if named
                else f"AMDGPU machine number 0x{mach:02x} in e_flags is not known",
                "supported are " + ", ".join(MACH_OF_ARCH),
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
    def facts(self) -> Arch:
        """The architecture's facts (`asmevo.isa.arch`).

        Raises:
            UnsupportedError: no such architecture.
        """
        found = ARCHS.get(self.arch)
        if found is None:
            raise UnsupportedError(
                f"architecture {self.arch} is not known", "known are " + ", ".join(ARCHS)
            )
        return found

    @property
    def modelled(self) -> bool:
        """Whether semantics, wait states and timing are stated for it; else recovery only."""
        return self.facts.modelled

    @property
    def major(self) -> int:
        """Major generation: 8 for gfx803, 9 for gfx942 and gfx9-4-generic, 10, 11 or 12."""
        return self.facts.major

    @property
    def is_gfx9(self) -> bool:
        """Whether this is a GFX9 (Vega, CDNA) part."""
        return self.major == 9

    @property
    def is_gfx940(self) -> bool:
        """Whether this is gfx942, gfx950 or what both have (the "gfx940+" rules of LLVM)."""
        return self.arch in ("gfx942", "gfx950", "gfx9-4-generic")

    @property
    def is_gcn(self) -> bool:
        """Whether this is GFX8 or GFX9: 64 lanes, SGPRs in granules, no prefetch of code."""
        return self.major <= 9

    @property
    def has_mfma(self) -> bool:
        """Whether the part has MFMA instructions and AGPRs."""
        return self.facts.agprs > 0

    @property
    def unified_vgprs(self) -> bool:
        """Whether VGPRs and AGPRs share one file (gfx90a and later CDNA)."""
        return self.facts.unified

    @property
    def wave_size(self) -> int:
        """Default lanes per wave; on gfx10+ the descriptor decides."""
        return self.facts.wave_sizes[0]

    @property
    def lds_bytes_per_cu(self) -> int:
        """LDS bytes that one workgroup may allocate."""
        return self.facts.lds_bytes

    @property
    def lds_granule(self) -> int:
        """Bytes in which LDS is allocated."""
        return self.facts.lds_granule

    @property
    def max_waves_per_simd(self) -> int:
        """Wave slots of a SIMD."""
        return self.facts.waves_per_simd

    @property
    def nop_max(self) -> int:
        """Most wait states one `s_nop` gives (immediate + 1)."""
        return self.facts.nop_max


MODELLED = tuple(name for name, arch in ARCHS.items() if arch.modelled)
"""Architectures that can be emulated, checked in full and timed."""


def require_modelled(target: Target, what: str) -> None:
    """Refuse by name an architecture that is not modelled.

    Args:
        target: the target.
        what: who asks, for the message: `the emulator`.

    Raises:
        UnsupportedError: it is not modelled.
    """
    if not target.modelled:
        raise UnsupportedError(
            f"{target.arch} is not modelled: {what} covers " + ", ".join(MODELLED),
            "other targets can be recovered, edited and rebuilt",
        )
