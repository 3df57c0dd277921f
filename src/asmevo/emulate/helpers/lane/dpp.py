"""DPP: lane permutation of source 0 and the write mask it implies (CDNA3 ISA 12.13.1)."""

from __future__ import annotations

from typing import cast

from asmevo.emulate.helpers.emit import I1X64, I32X64, Helper
from asmevo.emulate.native.ir import vec


def dpp_lanes(control: str, amount: object) -> list[int]:
    """Source lane of every lane for a DPP control; -1 where it lies outside (ISA DPP_CTRL)."""
    n = amount if isinstance(amount, int) else 0
    out: list[int] = []
    for lane in range(64):
        row, at = lane & ~15, lane & 15
        source = -1
        if control == "quad_perm":
            assert isinstance(amount, tuple)
            source = (lane & ~3) + int(cast("tuple[int, ...]", amount)[lane & 3])
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
            source = lane + 1 if lane < 63 else -1
        elif control == "wave_shr":
            source = lane - 1
        elif control == "wave_rol":
            source = (lane + 1) % 64
        elif control == "wave_ror":
            source = (lane - 1) % 64
        else:
            raise ValueError(control)
        out.append(source)
    return out


def _lane_mask(lanes: list[int]) -> int:
    return sum(1 << i for i, s in enumerate(lanes) if s >= 0)


def _shuffle(h: Helper, raw: str, element: str, lanes: list[int]) -> str:
    t = vec(element)
    index = ", ".join(f"i32 {max(s, 0)}" for s in lanes)
    return h.fn.op(f"shufflevector {t} {raw}, {t} poison, {I32X64} <{index}>")


def dpp_valid(h: Helper) -> str:
    """i64 mask of lanes whose DPP source exists and is active (GFX9 has no fetch-inactive)."""
    control, amount, *_ = h.variant.option("dpp")
    lanes = dpp_lanes(control, amount)
    active = _shuffle(h, h.mask(h.exec_bits()), "i1", lanes)
    return h.fn.op(f"and i64 {h.bits(active)}, {_signed(_lane_mask(lanes))}")


def shuffle_dpp(h: Helper, raw: str) -> str:
    """Source 0 after DPP; invalid lanes read 0 (they are written only with bound_ctrl)."""
    control, amount, *_ = h.variant.option("dpp")
    moved = _shuffle(h, raw, "i32", dpp_lanes(control, amount))
    valid = h.mask(dpp_valid(h))
    return h.fn.op(f"select {I1X64} {valid}, {I32X64} {moved}, {I32X64} zeroinitializer")


def dpp_write_mask(h: Helper) -> str:
    """i64 mask of lanes that a DPP instruction writes."""
    _control, _amount, row_mask, bank_mask, bound = h.variant.option("dpp")
    allowed = sum(
        1 << lane
        for lane in range(64)
        if (row_mask >> (lane // 16)) & 1 and (bank_mask >> ((lane % 16) // 4)) & 1
    )
    bits = h.fn.op(f"and i64 {h.exec_bits()}, {_signed(allowed)}")
    if not bound:
        bits = h.fn.op(f"and i64 {bits}, {dpp_valid(h)}")
    return bits


def _signed(bits: int) -> int:
    return bits - (1 << 64) if bits >> 63 else bits
