"""Registers and operands as LLVM's AMDGPU text prints them, and the register-unit numbering.

A *unit* is one 32-bit register (or a one-bit one such as SCC) as an integer; sets of units are
what dataflow, wait checks and hazard checks work with. The numbering is the project's own and
the same for all targets: scalar codes 0..127 follow the GFX9 operand encoding.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

# --- unit numbering -------------------------------------------------------------------------
SGPR0 = 0
FLAT_SCRATCH = 102  # pair
XNACK_MASK = 104  # pair
VCC = 106  # pair: VCC_LO 106, VCC_HI 107
TTMP0 = 108
M0 = 124
NULL = 125
EXEC = 126  # pair
SCC = 128
MODE = 129  # FP mode, gpr_idx enable and other MODE bits as one unit
VGPR0 = 1024
AGPR0 = 2048


class RegKind(StrEnum):
    """Register files. Named scalars (vcc, exec, m0, ttmp) are SGPRs at their GFX9 code."""

    SGPR = "s"
    VGPR = "v"
    AGPR = "a"


_FILE_BASE = {RegKind.SGPR: SGPR0, RegKind.VGPR: VGPR0, RegKind.AGPR: AGPR0}
_NAMED: dict[str, tuple[int, int]] = {
    "vcc": (VCC, 2),
    "vcc_lo": (VCC, 1),
    "vcc_hi": (VCC + 1, 1),
    "exec": (EXEC, 2),
    "exec_lo": (EXEC, 1),
    "exec_hi": (EXEC + 1, 1),
    "m0": (M0, 1),
    "null": (NULL, 1),
    "flat_scratch": (FLAT_SCRATCH, 2),
    "flat_scratch_lo": (FLAT_SCRATCH, 1),
    "flat_scratch_hi": (FLAT_SCRATCH + 1, 1),
    "xnack_mask": (XNACK_MASK, 2),
    "xnack_mask_lo": (XNACK_MASK, 1),
    "xnack_mask_hi": (XNACK_MASK + 1, 1),
}
_NAME_OF = {v: k for k, v in _NAMED.items()}


@dataclass(frozen=True, slots=True)
class Reg:
    """A register tuple: `v[2:3]` is `Reg(VGPR, 2, 2)`, `vcc` is `Reg(SGPR, 106, 2)`.

    `half` names one half of a single VGPR (gfx11 and later): `v1.h` is `Reg(VGPR, 1, 1, "h")`.
    Its unit is the whole register's.
    """

    kind: RegKind
    index: int
    count: int = 1
    half: str = ""

    @property
    def units(self) -> range:
        """Register units that the tuple covers, ascending."""
        first = _FILE_BASE[self.kind] + self.index
        return range(first, first + self.count)

    def __str__(self) -> str:
        if self.kind is RegKind.SGPR and self.index >= FLAT_SCRATCH:
            named = _NAME_OF.get((self.index, self.count))
            if named:
                return named
            if TTMP0 <= self.index < M0:
                first = self.index - TTMP0
                if self.count == 1:
                    return f"ttmp{first}"
                return f"ttmp[{first}:{first + self.count - 1}]"
        if self.count == 1:
            return f"{self.kind.value}{self.index}{'.' + self.half if self.half else ''}"
        return f"{self.kind.value}[{self.index}:{self.index + self.count - 1}]"


@dataclass(frozen=True, slots=True)
class Imm:
    """An integer operand: an inline constant (-16..64) or a literal.

    `literal` says that the encoding carries an extra literal word. `value` is the integer as
    printed (literals as unsigned).
    """

    value: int
    literal: bool = False


@dataclass(frozen=True, slots=True)
class FloatImm:
    """An inline float constant (`1.0`, `-0.5`, `0.15915494`); bits depend on the operand type."""

    value: float

    def bits(self, width: int) -> int:
        """Bit pattern in the IEEE format of `width` (16, 32 or 64) bits."""
        if abs(self.value - 0.15915494) < 1e-6:  # 1/(2*pi), ISA inline constant 248
            return {16: 0x3118, 32: 0x3E22F983, 64: 0x3FC45F306DC9C882}[width]
        code = {16: "<e", 32: "<f", 64: "<d"}[width]
        return int.from_bytes(struct.pack(code, self.value), "little")


@dataclass(frozen=True, slots=True)
class Special:
    """A named source that is no register: `off`, `scc`, `src_shared_base`, `src_vccz`, ..."""

    name: str


@dataclass(frozen=True, slots=True)
class Raw:
    """An operand kept as text: `hwreg(...)`, `sendmsg(...)`, wait fields, a label."""

    text: str


Value = Reg | Imm | FloatImm | Special | Raw


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand with its input modifiers."""

    value: Value
    neg: bool = False
    abs: bool = False
    sext: bool = False

    @property
    def reg(self) -> Reg | None:
        """The register, or None when the operand is no register."""
        return self.value if isinstance(self.value, Reg) else None


_REG = re.compile(r"(v|s|a|ttmp)(?:(\d+)|\[(\d+):(\d+)\])$")
_HALF = re.compile(r"v(\d+)\.([lh])$")  # gfx11 and later
_HEX = re.compile(r"-?0x[0-9a-f]+$")
_INT = re.compile(r"-?\d+$")
_FLOAT = re.compile(r"-?\d+\.\d*(?:e[-+]?\d+)?$")
_SPECIAL = re.compile(r"(?:off|scc|vccz|execz|lds_direct|src_[a-z0-9_]+|pops_exiting_wave_id)$")
# Parentheses and bars that mark input modifiers.
_WRAP = re.compile(r"(neg|abs|sext|lit|lit64)\((.*)\)$")


def parse_value(text: str) -> Value:
    """The operand value that `text` names; unknown text becomes `Raw`, never an error."""
    m = _REG.match(text)
    if m:
        kind, one, first, last = m.groups()
        lo = int(one if one is not None else first)
        count = 1 if one is not None else int(last) - lo + 1
        if kind == "ttmp":
            return Reg(RegKind.SGPR, TTMP0 + lo, count)
        return Reg(RegKind(kind), lo, count)
    named = _NAMED.get(text)
    if named:
        return Reg(RegKind.SGPR, *named)
    m = _HALF.match(text)
    if m:
        return Reg(RegKind.VGPR, int(m.group(1)), 1, m.group(2))
    if _INT.match(text):
        value = int(text)
        return Imm(value, literal=not -16 <= value <= 64)
    if _HEX.match(text):
        return Imm(int(text, 16), literal=True)
    if _FLOAT.match(text):
        return FloatImm(float(text))
    if _SPECIAL.match(text):
        return Special(text)
    return Raw(text)


@lru_cache(maxsize=65_536)
def parse_operand(text: str) -> Operand:
    """Parse one operand with `-`, `|..|`, `neg()`, `abs()`, `sext()` modifiers."""
    neg = magnitude = sext = False
    value = text
    while True:
        if value.startswith("-") and len(value) > 1 and (value[1] in "|vsaetmnlf"):
            neg, value = True, value[1:]
            continue
        if value.startswith("|") and value.endswith("|") and len(value) > 2:
            magnitude, value = True, value[1:-1]
            continue
        m = _WRAP.match(value)
        if not m:
            break
        word, value = m.groups()
        neg |= word == "neg"
        magnitude |= word == "abs"
        sext |= word == "sext"
        if word.startswith("lit"):
            parsed = parse_value(value)
            if isinstance(parsed, Imm):
                return Operand(Imm(parsed.value, literal=True), neg, magnitude, sext)
    return Operand(parse_value(value), neg, magnitude, sext)
