"""A short way to write "these registers, this instruction, those registers" tests.

Registers are named as in assembly: `s8`, `s[8:9]`, `v8` (all lanes the same value), `v[8:9]`,
`a3`, and `scc`, `vcc`, `exec`, `m0`.
"""

from __future__ import annotations

import re

import numpy as np

from asmevo.emulate import layout as L

from .softfloat import DEFAULT, Mode
from .wave import Wave, assemble

_SPECIAL = {"scc": (L.SCC, 4), "vcc": (L.VCC, 8), "exec": (L.EXEC, 8), "m0": (L.M0, 4)}


def _span(name: str) -> tuple[str, int, int]:
    found = re.fullmatch(r"([sva])(?:(\d+)|\[(\d+):(\d+)\])", name)
    if found is None:
        raise ValueError(name)
    first = int(found[2] or found[3])
    last = int(found[2] or found[4])
    return found[1], first, last - first + 1


def write(wave: Wave, name: str, value: int) -> None:
    """Set a register; vector registers get the value in every lane."""
    if name in _SPECIAL:
        offset, size = _SPECIAL[name]
        wave.set_scalar(offset, value, size)
        return
    letter, first, count = _span(name)
    for i in range(count):
        part = value >> (32 * i) & 0xFFFFFFFF
        if letter == "s":
            wave.set_scalar(L.sgpr(first + i), part)
        else:
            wave.row(first + i, agpr=letter == "a")[:] = np.uint32(part)


def read(wave: Wave, name: str, lane: int = 0) -> int:
    """Value of a register (of a vector register in one lane)."""
    if name in _SPECIAL:
        offset, size = _SPECIAL[name]
        value = wave.scalar(offset, size)
        return value & 1 if name == "scc" else value
    letter, first, count = _span(name)
    out = 0
    for i in range(count):
        if letter == "s":
            part = wave.scalar(L.sgpr(first + i))
        else:
            part = int(wave.row(first + i, agpr=letter == "a")[lane])
        out |= part << (32 * i)
    return out


def run(text: str, before: dict[str, int], arch: str = "gfx942", mode: Mode = DEFAULT) -> Wave:
    """Run instructions on a fresh wave."""
    wave = Wave()
    for name, value in before.items():
        write(wave, name, value)
    wave.run(assemble(text, arch), arch, mode)
    return wave
