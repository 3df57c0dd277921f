"""Order in which the waves of a workgroup run: a launch parameter, results can depend on it.

Words: `barrier` (one wave after another, each to its next barrier or end), `interleave:N` (round
robin, N instructions each), `shuffle:SEED` (waves and workgroups in a seeded random order).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from asmevo.errors import InputError

_LIMIT = 1 << 32


@dataclass(frozen=True, slots=True)
class Schedule:
    """A parsed schedule; `number` is the quantum in instructions, the seed, or 0 for `barrier`."""

    kind: Literal["barrier", "interleave", "shuffle"]
    number: int = 0

    def __str__(self) -> str:
        return self.kind if self.kind == "barrier" else f"{self.kind}:{self.number}"

    @classmethod
    def parse(cls, text: str) -> Schedule:
        """Parse `barrier`, `interleave:N` (N >= 1) or `shuffle:SEED` (SEED >= 0).

        Raises:
            InputError: any other text.
        """
        kind, _, number = text.strip().partition(":")
        if kind == "barrier" and not number:
            return cls("barrier")
        if kind in ("interleave", "shuffle") and number.isascii() and number.isdigit():
            value = int(number) if len(number) < 12 else _LIMIT
            least = 1 if kind == "interleave" else 0
            if least <= value < _LIMIT:
                return cls("interleave" if kind == "interleave" else "shuffle", value)
        raise InputError(
            f"schedule {text!r} is not understood",
            "use barrier, interleave:N with N >= 1, or shuffle:SEED",
        )
