"""Findings: what a check reports, with everything a person needs to see and repair it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

ERROR = "error"
NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding in one function of an object.

    Attributes:
        rule: rule id, room first: `wait.raw`, `hazard.xdl-valu-read`, `register.undefined`, ...
        mark: who asks for it: `R` (LLVM and ISA), `L`, `I` (one of them), `V!` (broken by code
            known to run every day), or `-` where the rule is the project's own.
        severity: `error` or `note`.
        kernel: function or kernel name.
        index: instruction index in the program, or -1 for findings on the object as a whole.
        text: the instruction's text.
        producer: index of the instruction that it conflicts with, or None.
        producer_text: that instruction's text, or an empty string.
        path: instruction indices of the basic blocks from producer to consumer, in order.
        message: one line: what is wrong.
        fix: one line: what would repair it.
        need: wait states, or the wait count, that would be enough; None where it has no number.
        have: wait states, or the wait count, that are there.
        distance: instructions from producer to consumer on the shortest such path (adjacent: 1).
        what: registers, counter or field concerned, as text (`v[2:3]`, `vmcnt`).
    """

    rule: str
    mark: str
    severity: str
    kernel: str
    index: int
    text: str
    producer: int | None = None
    producer_text: str = ""
    path: tuple[int, ...] = ()
    message: str = ""
    fix: str = ""
    need: int | None = None
    have: int | None = None
    distance: int | None = None
    what: str = ""

    def as_json(self) -> dict[str, object]:
        """A JSON-ready mapping of all fields."""
        return {name: getattr(self, name) for name in self.__slots__}

    def one_line(self) -> str:
        """`severity rule [mark] kernel+index: message; fix`."""
        where = self.kernel if self.index < 0 else f"{self.kernel}#{self.index}"
        line = f"{self.severity} {self.rule} [{self.mark}] {where}: {self.message}"
        return f"{line}; {self.fix}" if self.fix else line


def errors(findings: Iterable[Finding]) -> list[Finding]:
    """Only the findings of severity `error`."""
    return [f for f in findings if f.severity == ERROR]


def ordered(findings: Iterable[Finding]) -> list[Finding]:
    """Findings by function, place and rule, duplicates removed."""
    unique = dict.fromkeys(findings)
    return sorted(unique, key=lambda f: (f.kernel, f.index, f.rule, f.producer or -1, f.what))
