"""Hardware registers that `s_getreg` and `s_setreg` name, and the fields of their immediate.

Source: LLVM `SIDefines.h` (Hwreg::Id, HwregEncoding), CDNA3 ISA section 3 (hardware registers).
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from asmevo.isa.instruction import Instruction


class HwReg(IntEnum):
    """Numbers of the hardware registers that something here depends on (GFX9)."""

    MODE = 1
    TRAPSTS = 3
    HW_ID = 4
    LDS_ALLOC = 6
    SH_MEM_BASES = 15


VSKIP_BIT = 28  # of MODE


class HwregField(NamedTuple):
    """Bits of a hardware register."""

    register: int
    first: int
    bits: int


def hwreg_field(inst: Instruction) -> HwregField:
    """The bits that an `s_getreg` or `s_setreg` reads or writes.

    Taken from SIMM16 of the encoding: number in [5:0], first bit in [10:6], count - 1 in [15:11].
    """
    simm = int.from_bytes(inst.raw[:2], "little")
    return HwregField(simm & 63, simm >> 6 & 31, (simm >> 11) + 1)
