"""DPP and SDWA of GFX9, stated from the ISA document (chapters 6.6 and 6.7), one lane at a time."""

from __future__ import annotations

from dataclasses import dataclass


def dpp_source(control: str, lane: int) -> int | None:
    """Lane that `lane` reads under a DPP control, None when outside the row or wave."""
    word, _, argument = control.partition(":")
    row, at = lane - lane % 16, lane % 16
    if word == "quad_perm":
        pick = [int(x) for x in argument.strip("[]").split(",")]
        return lane - lane % 4 + pick[lane % 4]
    n = int(argument) if argument else 0
    if word == "row_shl":
        return row + at + n if at + n < 16 else None
    if word == "row_shr":
        return row + at - n if at - n >= 0 else None
    if word == "row_ror":
        return row + (at - n) % 16
    if word == "row_mirror":
        return row + 15 - at
    if word == "row_half_mirror":
        return lane - lane % 8 + 7 - lane % 8
    if word == "row_newbcast":
        return row + n
    if word == "row_bcast":
        if n == 15:
            return row - 1 if row else None
        return 31 if lane >= 32 else None
    step = {"wave_shl": 1, "wave_rol": 1, "wave_shr": -1, "wave_ror": -1}[word]
    target = lane + step
    if 0 <= target < 64:
        return target
    return target % 64 if word in ("wave_rol", "wave_ror") else None


@dataclass(frozen=True)
class Dpp:
    """One DPP modifier set."""

    control: str
    row_mask: int = 0xF
    bank_mask: int = 0xF
    bound_ctrl: bool = False

    def __str__(self) -> str:
        text = f"{self.control} row_mask:{self.row_mask:#x} bank_mask:{self.bank_mask:#x}"
        return text + (" bound_ctrl:1" if self.bound_ctrl else "")

    def read(self, values: list[int], lane: int, exec_mask: int) -> tuple[int, bool]:
        """(source value, whether the lane is written): GFX9 treats inactive as out of range."""
        source = dpp_source(self.control, lane)
        valid = source is not None and bool(exec_mask >> source & 1)
        enabled = bool(self.row_mask >> (lane // 16) & 1 and self.bank_mask >> (lane % 16 // 4) & 1)
        written = enabled and bool(exec_mask >> lane & 1) and (valid or self.bound_ctrl)
        return (values[source] if valid and source is not None else 0), written


def sdwa_part(select: str) -> tuple[int, int]:
    """(first bit, width) of an SDWA selection."""
    if select == "DWORD":
        return 0, 32
    unit, number = select.split("_")
    width = 8 if unit == "BYTE" else 16
    return int(number) * width, width


def sdwa_read(select: str, bits: int, *, sext: bool = False) -> int:
    """Selected byte or word, zero- or sign-extended to 32 bits."""
    at, width = sdwa_part(select)
    part = bits >> at & ((1 << width) - 1)
    if sext and part >> (width - 1):
        part |= 0xFFFFFFFF & ~((1 << width) - 1)
    return part


def sdwa_write(select: str, unused: str, old: int, result: int) -> int:
    """Destination register: the result's low bits at the selected place.

    UNUSED_SEXT fills the bits above with the sign and the bits below with zeros.
    """
    at, width = sdwa_part(select)
    if width == 32:
        return result & 0xFFFFFFFF
    mask = (1 << width) - 1
    part = result & mask
    if unused == "UNUSED_PRESERVE":
        return (old & ~(mask << at) & 0xFFFFFFFF) | part << at
    out = part << at
    if unused == "UNUSED_SEXT" and part >> (width - 1):
        out |= 0xFFFFFFFF & ~((1 << (at + width)) - 1)
    return out
