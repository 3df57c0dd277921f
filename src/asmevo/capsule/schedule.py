"""Order in which the waves of a workgroup run: a launch parameter, results can depend on it.

Words: `barrier` (one wave after another, each to its next barrier or end), `interleave:N` (round
robin, N instructions each), `shuffle:SEED` (waves and workgroups in a seeded random order),
`pause:SEED` (all at once, waves pausing in front of memory instructions, at seeded ones for long).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from asmevo.errors import InputError

_LIMIT = 1 << 32
_Numbered = Literal["interleave", "shuffle", "pause"]
_NUMBERED: tuple[_Numbered, ...] = ("interleave", "shuffle", "pause")


@dataclass(frozen=True, slots=True)
class Schedule:
    """A parsed schedule; `number` is the quantum in instructions, the seed, or 0 for `barrier`."""

    kind: Literal["barrier", "interleave", "shuffle", "pause"]
    number: int = 0

    def __str__(self) -> str:
        return self.kind if self.kind == "barrier" else f"{self.kind}:{self.number}"

    @classmethod
    def parse(cls, text: str) -> Schedule:
        """Parse `barrier`, `interleave:N` (N >= 1), `shuffle:SEED` or `pause:SEED` (SEED >= 0).

        Raises:
            InputError: any other text.
        """
        kind, _, number = text.strip().partition(":")
        if kind == "barrier" and not number:
            return cls("barrier")
        for known in _NUMBERED:
            if kind != known or not number.isascii() or not number.isdigit():
                continue
            value = int(number) if len(number) < 12 else _LIMIT
            if (known == "interleave") <= value < _LIMIT:
                return cls(known, value)
        raise InputError(
            f"schedule {text!r} is not understood",
            "use barrier, interleave:N with N >= 1, shuffle:SEED or pause:SEED",
        )
