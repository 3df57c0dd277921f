"""What an edit rule is, and helpers that all rules share.

Rules propose; they do not judge. An edit that a rule yields is meant to keep behaviour, but every
one of them goes through all gates like anybody else's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar, cast, runtime_checkable

from asmevo.program.edit import Edit
from asmevo.program.model import Function, Program

Window = tuple[int, int]
"""Instruction indices [first, last) of a program."""


class Rule(Protocol):
    """A rewrite rule.

    Contract: `proposals` is deterministic in its arguments and the rule's own settings, yields
    the most promising edits first, only edits instructions of basic blocks that touch `window`,
    and raises `UnsupportedError` for a target it knows nothing about.
    """

    @property
    def name(self) -> str:
        """Short name for the lineage, e.g. `relax_wait`."""
        ...

    def proposals(self, program: Program, kernel: str, window: Window) -> Iterator[Edit]:
        """Edits of `kernel` in `window`, best first."""
        ...


@runtime_checkable
class CompositeRule(Protocol):
    """A rule some of whose proposals need edits at several places at once."""

    def composites(
        self, program: Program, kernel: str, window: Window
    ) -> Iterator[tuple[Edit, ...]]:
        """Sets of disjoint edits that belong together, best first."""
        ...


class CompositesOnly:
    """Base of rules every proposal of which has several edits: see their `composites`."""

    def proposals(self, program: Program, kernel: str, window: Window) -> Iterator[Edit]:
        """Nothing."""
        del program, kernel, window
        yield from ()


_KEPT = 4
_analyses: list[tuple[Program, dict[tuple[object, str], object]]] = []
T = TypeVar("T")


def analysed(program: Program, function: Function, kind: Callable[[Program, Function], T]) -> T:
    """`kind(program, function)`, remembered for the last few programs.

    Rules are asked for one window after the other of the same program; its analyses are the same.
    The result is shared: callers must not change it.
    """
    entry = next((e for e in _analyses if e[0] is program), None)
    if entry is None:
        found: dict[tuple[object, str], object] = {}
        entry = (program, found)
        _analyses.append(entry)
        del _analyses[:-_KEPT]
    key = (kind, function.name)
    if key not in entry[1]:
        entry[1][key] = kind(program, function)
    return cast(T, entry[1][key])


def kernel_function(program: Program, kernel: str) -> Function:
    """The function that holds `kernel`'s code."""
    return program.function(kernel)


def text_of(program: Program, index: int) -> str:
    """Assembly text of one instruction, its branch operand as a label."""
    return program.line(index)


def instruction_lines(program: Program, first: int, last: int) -> list[str]:
    """Assembly text of instructions [first, last), one line each, labels left out."""
    return [text_of(program, i) for i in range(first, last)]


def trimmed(
    program: Program, first: int, last: int, lines: Sequence[str], note: str
) -> Edit | None:
    """The smallest edit that turns instructions [first, last) into `lines`; None if equal.

    Equal lines at both ends are left alone, so that edits of one block at different places stay
    combinable and equal proposals get equal identities. At least one old instruction stays in
    the edit, so that the place of an insertion is never ambiguous.
    """
    old = instruction_lines(program, first, last)
    new = list(lines)
    if old == new:
        return None
    head = 0
    while head < min(len(old), len(new)) - 1 and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head - 1 and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return Edit(
        first + head,
        last - tail,
        tuple(new[head : len(new) - tail]),
        note,
    )
