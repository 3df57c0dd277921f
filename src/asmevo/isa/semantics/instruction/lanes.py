"""DPP: which lane each lane reads, and which lanes are written (CDNA3 ISA 12.13.1); ds_swizzle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from asmevo.isa.semantics.instruction.form import Dpp
from asmevo.isa.semantics.instruction.state import State
from asmevo.isa.semantics.values import Value, where


def dpp_lanes(control: str, amount: object, count: int = 64) -> list[int]:
    """Source lane of every lane for a DPP control; -1 where it lies outside (ISA DPP_CTRL).

    Raises:
        ValueError: the control is not one of GFX9.
    """
    n = amount if isinstance(amount, int) else 0
    out: list[int] = []
    for lane in range(count):
        row, at = lane & ~15, lane & 15
        source = -1
        if control == "quad_perm":
            assert isinstance(amount, Sequence)
            source = (lane & ~3) + int(cast("Sequence[int]", amount)[lane & 3])
        elif control == "row_shl":
            source = row + at + n if at + n < 16 else -1
        elif control == "row_shr":
            source = row + at - n if at >= n else -1
        elif control == "row_ror":
            source = row + (at - n) % 16
        elif control == "row_mirror":
            source = row + 15 - at
        elif control == "row_half_mirror":
            source = (lane & ~7) + 7 - (lane & 7)
        elif control == "row_newbcast":
            source = row + n
        elif control == "row_bcast":
            # 15: lane 15 of each row to the next row; 31: lane 31 to rows 2 and 3.
            if n == 15:
                source = row - 1 if row else -1
            else:
                source = 31 if lane >= 32 else -1
        elif control == "wave_shl":
            source = lane + 1 if lane < count - 1 else -1
        elif control == "wave_shr":
            source = lane - 1
        elif control == "wave_rol":
            source = (lane + 1) % count
        elif control == "wave_ror":
            source = (lane - 1) % count
        else:
            raise ValueError(control)
        out.append(source)
    return out


def swizzle_lanes(pattern: int, lanes: int) -> list[int]:
    """Source lane of each of `lanes` for a ds_swizzle offset field (ISA DS_SWIZZLE_B32)."""
    out: list[int] = []
    for lane in range(lanes):
        base, at = lane & ~31, lane & 31
        if pattern >= 0xE000:  # FFT mode
            # Bits in the mask stay; the others hold the lane number reversed (mask 0x1f: identity).
            mask = pattern & 0x1F
            reverse = int(f"{at:05b}"[::-1], 2)
            out.append(base + ((reverse >> mask.bit_count()) | (at & mask)))
        elif pattern >= 0xC000:  # rotate
            count = (pattern >> 5) & 31
            moved = at - count if pattern & (1 << 10) else at + count
            keep = pattern & 31
            out.append(base + ((at & keep) | (moved & ~keep & 31)))
        elif pattern & 0x8000:  # quad permutation
            out.append((lane & ~3) + ((pattern >> (2 * (lane & 3))) & 3))
        else:
            source = ((at & (pattern & 31)) | ((pattern >> 5) & 31)) ^ ((pattern >> 10) & 31)
            out.append(base + source)
    return out


class Lanes:
    """The lanes of one DPP instruction on one state."""

    def __init__(self, state: State, dpp: Dpp) -> None:
        self._state, self._dpp = state, dpp
        self._sources = dpp_lanes(dpp.control, dpp.amount, state.count)
        self._valid: Value | None = None

    @property
    def valid(self) -> Value:
        """Lanes whose source exists and is active (GFX9 cannot fetch inactive lanes)."""
        if self._valid is None:
            active = self._moved(self._state.implicit("exec"))
            self._valid = active & self._state.lanes([s >= 0 for s in self._sources])
        return self._valid

    def _moved(self, value: Value) -> Value:
        return self._state.move(value, [max(s, 0) for s in self._sources])

    def read(self, value: Value) -> Value:
        """Source 0 after DPP; invalid lanes read 0 (they are written only with bound_ctrl)."""
        return where(self.valid, self._moved(value), 0)

    @property
    def written(self) -> Value:
        """Lanes that the vector destination is written in."""
        rows, banks = self._dpp.row_mask, self._dpp.bank_mask
        allowed = [
            bool(rows >> (lane // 16) & 1 and banks >> (lane % 16 // 4) & 1)
            for lane in range(self._state.count)
        ]
        out = self._state.implicit("exec") & self._state.lanes(allowed)
        return out if self._dpp.bound else out & self.valid

    def side_result(self, new: Value, old: Value) -> Value:
        """A mask result: active lanes without a valid source keep their bit, unless bound.

        Row and bank masks choose lanes of the vector destination only (rocjitsu dpp_sdwa_ops.h).
        """
        new = new & self._state.implicit("exec")
        if self._dpp.bound:
            return new
        lost = ~self.valid & self._state.implicit("exec")
        return (new & self.valid) | (old & lost)
