"""What the prover says of a window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Status = Literal["proved", "reordered", "refuted", "unknown"]


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A state at the window's beginning from which the two sides end differently.

    Attributes:
        scalars: dwords of SGPRs, VCC, M0 and EXEC by unit; SCC as 0 or 1. What is not named is 0.
        vectors: dwords of VGPRs and AGPRs by unit, one per lane. What is not named is 0.
        memory: dwords by address / 4, where the window reads some.
        output: what differs: a register's name, or "memory".
        lane: the first lane in which it does; None for scalars and memory.
        before, after: its value on either side; of memory, a byte.
        address: of the first differing byte of memory, else None.
    """

    scalars: Mapping[int, int]
    vectors: Mapping[int, tuple[int, ...]]
    memory: Mapping[int, int]
    output: str
    lane: int | None
    before: int
    after: int
    address: int | None = None

    def one_line(self) -> str:
        """The difference in words."""
        where = "" if self.lane is None else f" in lane {self.lane}"
        where += "" if self.address is None else f" at 0x{self.address:x}"
        return f"{self.output}{where} is 0x{self.before:x} before and 0x{self.after:x} after"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to one window.

    Attributes:
        status: "proved": equal for all states under the stated model; "reordered": the same
            instructions in an order that keeps every dependence; "refuted": a counterexample,
            which was run and differs; "unknown": none of these.
        reason: one line; for "unknown" what stood in the way.
        counterexample: of "refuted".
        seconds: CPU time that it took.
        solver: what decided: "order", "terms" (equal after rewriting), "bitwuzla 0.9.1", "run".
        certificate: what a later audit needs to decide anew: JSON types only.
        needs: of "refuted": what it takes to see a difference that most states do not show: "nan",
            "rounding", "lanes" (EXEC not full), "a special state" (accesses that meet, numbers at a
            limit). Empty: nothing.
    """

    status: Status
    reason: str
    counterexample: Counterexample | None = None
    seconds: float = 0.0
    solver: str = ""
    certificate: Mapping[str, Any] = field(default_factory=dict[str, Any])
    needs: tuple[str, ...] = ()

    @property
    def inexact(self) -> bool:
        """Whether results differ by rounding alone, as mul and add from fma."""
        return self.needs == ("rounding",)

    @property
    def plain(self) -> bool:
        """Whether it is refuted, and most states show it."""
        return self.status == "refuted" and not self.needs

    @property
    def holds(self) -> bool:
        """Whether the two sides are known to do the same."""
        return self.status in ("proved", "reordered")
