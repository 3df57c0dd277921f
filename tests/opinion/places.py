"""Registers and constants that the pseudocode names, and the bits an expression selects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .values import Val

ALIASES = {"D": "D0", "laneID": "laneId"}
# Registers: type when read without a suffix. None: as wide as the access.
REGISTERS: dict[str, tuple[str, int | None]] = {
    **{n: ("B", None) for n in ("S0", "S1", "S2", "D0", "D1", "DATA", "DATA0", "DATA2")},
    **{n: ("B", None) for n in ("VDATA", "SDATA", "RETURN_DATA", "SIMM16", "SIMM32")},
    **{n: ("U", 64) for n in ("VCC", "EXEC", "ADDR", "ADDR_BASE", "SADDR", "VADDR", "SBASE")},
    **{n: ("U", 32) for n in ("M0", "SRC0", "SRC1", "DST", "VDST", "OFFSET", "SOFFSET")},
    **{n: ("U", 1) for n in ("SCC", "VCCZ", "EXECZ", "VSKIP")},
    "SRSRC": ("U", 64),
    "PC": ("I", 64),
    "TBA": ("I", 64),
    "laneId": ("I", 32),
    "OFFSET0": ("U", 8),
    "OFFSET1": ("U", 8),
    "OPSEL": ("U", 4),
    "OPSEL_HI": ("U", 3),
    "SDWA_SRC0_SEL": ("U", 3),
}
FIELDS = {
    "INST.OMOD": 2,
    "INST.ABS": 3,
    "INST.NEG": 3,
    "WAVE_MODE.CSP": 3,
    "WAVE_MODE.GPR_IDX_EN": 1,
    "WAVE_STATUS.PRIV": 1,
    "WAVE_STATUS.COND_DBG_SYS": 1,
    "WAVE_STATUS.COND_DBG_USER": 1,
}
CONSTANTS = {
    "INF": Val("F64.inf", "F", 64, "INF"),
    "NAN": Val("F64.nan", "F", 64, "NAN"),
    "DENORM": Val("0", "F", 64, "DENORM"),
    "PI": Val("from_float(F64, pi, DEFAULT)", "F", 64),
    **{f"BYTE{i}": Val(str(i), "U", 3, i) for i in range(4)},
    **{f"WORD{i}": Val(str(4 + i), "U", 3, 4 + i) for i in range(2)},
    "ROUND_NEAREST_EVEN": Val("RNE", "MODE", 0),
    "ROUND_TOWARD_ZERO": Val("ZERO", "MODE", 0),
}
DATA = {"S0", "S1", "S2", "D0", "SIMM16", "SIMM32"}
FLUSHED = {("F", 16), ("F", 32), ("F", 64)}


@dataclass(frozen=True)
class Place:
    """Bits of a container: `get` reads all of it, `put` writes all of it (None: read only)."""

    get: str
    put: Callable[[str], str] | None
    kind: str
    width: int | None  # width of the selection; None: all of an unsized container
    lo: str = "0"
    whole: bool = True  # the selection is the entire container
    held: int | None = None  # bits the selection really has (a wider view reads zeros above)
    backwards: bool = False
    origin: str = ""
    unit: Callable[[int], tuple[str, Callable[[str], str]]] | None = None  # sized memory access


@dataclass
class Var:
    py: str
    kind: str
    width: int | None
    count: int | None = None
    register: str = ""
