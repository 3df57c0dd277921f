"""Names of helpers, and the emitters that write them.

A helper is `void h(ptr state, ptr record)`: it does one instruction's work and tail-calls the
next record's helper. Equal variants share one compiled function. The rooms above register their
emitters here; nothing in this room knows them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from asmevo.emulate.layout import WIDEST
from asmevo.emulate.native.ir import Module


@dataclass(frozen=True, slots=True)
class Variant:
    """Identity of a helper: emitter family, opcode, operand kinds and everything else static.

    `kinds` has one letter per operand: "v" a vector row, "s" a scalar or constant; `lanes` is the
    number of lanes per wave.
    """

    family: str
    name: str
    kinds: str = ""
    options: tuple[tuple[str, Any], ...] = ()
    lanes: int = WIDEST

    def option(self, name: str, default: Any = None) -> Any:
        """Value of a static option."""
        for key, value in self.options:
            if key == name:
                return value
        return default

    @property
    def symbol(self) -> str:
        """Unique function name of this helper."""
        digest = hashlib.sha256(repr(self).encode()).hexdigest()[:20]
        readable = "".join(c if c.isalnum() else "_" for c in self.name)
        return f"h_{readable}_{digest}"


Emitter = Callable[[Module, Variant], None]
FAMILIES: dict[str, Emitter] = {}


def family(name: str) -> Callable[[Emitter], Emitter]:
    """Register the emitter of a variant family."""

    def register(fn: Emitter) -> Emitter:
        FAMILIES[name] = fn
        return fn

    return register
