"""Run one opcode's pseudocode for one lane.

    >>> evaluate("V_ADD_F32", {"S0": 0x3F800000, "S1": 0x40000000})["D0"] == 0x40400000

Entry names are AMD's without `_E32`/`_E64`. Texts come from tinygrad's table for the target
family, replaced by `corrections.CORRECTIONS` where that table says the string is defective.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from . import corrections, known, smallfloat, softfloat, special
from .codegen import Generator
from .syntax import PcodeSyntaxError, parse
from .values import PcodeTypeError

Run = Callable[[Mapping[str, Any], softfloat.Mode], dict[str, Any]]


class Memory:
    """Little-endian byte-addressed memory for MEM[...] and LDS[...]."""

    def __init__(self, size: int = 4096) -> None:
        self.data = bytearray(size)

    def read(self, address: int, width: int) -> int:
        return int.from_bytes(self.data[address : address + width // 8], "little")

    def write(self, address: int, width: int, value: int) -> None:
        self.data[address : address + width // 8] = value.to_bytes(width // 8, "little")


class Scalars:
    """SGPR[...]: dword registers read and written in groups."""

    def __init__(self, values: list[int]) -> None:
        self.values = values

    def read(self, number: int, width: int) -> int:
        return sum(self.values[number + i] << (32 * i) for i in range(width // 32))

    def write(self, number: int, width: int, value: int) -> None:
        for i in range(width // 32):
            self.values[number + i] = (value >> (32 * i)) & 0xFFFFFFFF


def _reverse_bits(value: int, width: int) -> int:
    return int(format(value, f"0{width}b")[::-1], 2)


def _sign_extend(value: int, size: int, width: int) -> int:
    """signext_from_bit: size 0 gives 0, size >= width leaves the value alone."""
    if size <= 0:
        return 0
    size = min(size, width)
    value &= (1 << size) - 1
    return value - (1 << size) if value >> (size - 1) else value


def _is_subnormal(f: softfloat.Format, a: int) -> bool:
    return not a & f.inf and bool(a & f.mant_mask)


def _with_rounding(mode: softfloat.Mode, rm: int) -> softfloat.Mode:
    return replace(mode, round_32=rm, round_16_64=rm)


_GLOBALS: dict[str, Any] = {
    **{n: getattr(softfloat, n) for n in dir(softfloat) if not n.startswith("_")},
    **{n: getattr(special, n) for n in special.__all__},
    "encode": smallfloat.encode,
    "encode_sr": smallfloat.encode_sr,
    "decode": smallfloat.decode,
    "round_sr": smallfloat.round_sr,
    "float_to_int": softfloat.to_int,
    "less_equal": lambda f, a, b: softfloat.less(f, a, b) or softfloat.equal(f, a, b),
    "unequal_ordered": lambda f, a, b: softfloat.less(f, a, b) or softfloat.less(f, b, a),
    "is_subnormal": _is_subnormal,
    "reverse_bits": _reverse_bits,
    "sign_extend": _sign_extend,
    "with_rounding": _with_rounding,
    "find_first_one": lambda v: (v & -v).bit_length() - 1,
    "pi": math.pi,
}


def base_name(name: str) -> str:
    """Entry name without encoding suffix."""
    for suffix in ("_E32", "_E64"):
        name = name.removesuffix(suffix)
    return name


@functools.cache
def table(arch: str = "cdna") -> dict[str, str]:
    """AMD's pseudocode by base entry name, uncorrected."""
    import importlib

    module = importlib.import_module(f"tinygrad.runtime.autogen.amd.{arch}.str_pcode")
    out: dict[str, str] = {}
    for key, text in module.PCODE.items():
        out.setdefault(base_name(key.name), text)
    return out


def text_of(name: str, arch: str = "cdna", *, corrected: bool = True) -> str:
    """Pseudocode of an entry.

    Raises:
        KeyError: the table has no such entry (and no correction supplies one).
    """
    if corrected and name in corrections.CORRECTIONS:
        return corrections.CORRECTIONS[name].text
    if name in corrections.SUPPLEMENT:
        return corrections.SUPPLEMENT[name]
    return table(arch)[name]


@functools.cache
def source(name: str, arch: str = "cdna", *, corrected: bool = True) -> str:
    """Generated Python of an entry (for reading and for the survey).

    Raises:
        PcodeSyntaxError, PcodeTypeError: prose, or a construct without a defined meaning.
    """
    generator = Generator(flush=name not in known.NO_FLUSH, entry=lambda n: f"ENTRY({n!r})")
    return generator.source(parse(text_of(name, arch, corrected=corrected)))


@functools.cache
def compiled(name: str, arch: str = "cdna", *, corrected: bool = True) -> Run:
    """Callable of an entry: (environment, mode) -> written registers."""
    scope = {**_GLOBALS, "ENTRY": lambda n: compiled(n, arch, corrected=corrected)}
    code = compile(source(name, arch, corrected=corrected), f"<{name}>", "exec")
    exec(code, scope)  # generated from AMD's table by this package, nothing external runs
    return scope["run"]


class Env(dict[str, Any]):
    """Environment whose unset registers read 0 (EXEC: all lanes)."""

    def __missing__(self, key: str) -> Any:
        return 0xFFFFFFFFFFFFFFFF if key == "EXEC" else 0


def evaluate(
    name: str,
    env: Mapping[str, Any],
    mode: softfloat.Mode = softfloat.DEFAULT,
    *,
    arch: str = "cdna",
    corrected: bool = True,
) -> dict[str, Any]:
    """New values of the registers that the opcode writes.

    `env`: raw bits of S0, S1, S2, D0 (old destination), VCC, EXEC, SCC, M0, laneId, OPSEL,
    SIMM16, SIMM32, PC, and MEM/LDS (`Memory`), VGPR (lists by lane), SGPR (`Scalars`) if used.
    Comparisons return D0 as a 64-bit mask in which only bit laneId changes.
    """
    mode = known.forced_mode(name, mode)
    return compiled(name, arch, corrected=corrected)(Env(env), mode)


__all__ = [
    "Env",
    "Memory",
    "PcodeSyntaxError",
    "PcodeTypeError",
    "Scalars",
    "base_name",
    "compiled",
    "evaluate",
    "source",
    "table",
    "text_of",
]
