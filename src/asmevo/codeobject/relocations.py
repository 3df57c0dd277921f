"""Relocation types of AMDGPU objects.

Source: LLVM `AMDGPUUsage`, "Relocation Records".
"""

from __future__ import annotations

from enum import IntEnum


class RelocationType(IntEnum):
    """`R_AMDGPU_*`, the type word of a RELA record."""

    ABS32_LO = 1
    ABS32_HI = 2
    ABS64 = 3
    REL32 = 4
    REL64 = 5
    ABS32 = 6
    GOTPCREL = 7
    GOTPCREL32_LO = 8
    GOTPCREL32_HI = 9
    REL32_LO = 10
    REL32_HI = 11
    RELATIVE64 = 13
    REL16 = 14


# Section types of relocations in packed or other forms, which are named and not read.
PACKED = {9: "REL", 19: "RELR", 0x60000001: "Android REL", 0x60000002: "Android RELA",
          0x6FFFFF00: "Android RELR"}  # fmt: skip
