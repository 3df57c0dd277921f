"""Windows from assembly text."""

from __future__ import annotations

from functools import lru_cache

from asmevo.isa.decoded import decode
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import SCC
from asmevo.isa.semantics.table import DEFAULT_MODE, FloatMode
from asmevo.isa.target import Target
from asmevo.prove.window import Assumptions, Window, instructions
from program.frame import straight  # type: ignore[import-not-found]

TARGET = Target("gfx942")


@lru_cache(maxsize=1024)
def lines(text: str, arch: str = "gfx942") -> tuple[Instruction, ...]:
    """Instructions of a text, one per line or separated by semicolons."""
    parts = [part.strip() for part in text.replace(";", "\n").splitlines() if part.strip()]
    made = tuple(straight(*parts, arch=arch).instructions)
    return made[: len(parts)]


def units(text: str) -> frozenset[int]:
    """Register units of names such as `v0 s[4:5] vcc scc exec`."""
    from asmevo.isa.operand import Reg, parse_value

    found: set[int] = set()
    for name in text.split():
        value = parse_value(name)
        found |= {SCC} if name == "scc" else set(value.units if isinstance(value, Reg) else ())
    return frozenset(found)


def window(
    before: str,
    after: str,
    live: str | None = None,
    *,
    mode: FloatMode = DEFAULT_MODE,
    arch: str = "gfx942",
    **assumptions: object,
) -> Window:
    """A window; live at its end are the named registers, or all that it writes but SCC."""
    target = Target(arch)
    first, second = lines(before, arch), lines(after, arch)
    if live is None:
        every = {u for i in (*first, *second) for u in decode(i, target).defs}
        out = frozenset(every - {SCC})
    else:
        out = units(live)
    return Window(
        target, first, second, out, mode.on_target(arch),
        Assumptions(**assumptions),  # type: ignore[arg-type]
    )  # fmt: skip


__all__ = ["TARGET", "instructions", "lines", "units", "window"]
