"""What the checks have worked out, kept for as long as it is of use, in one place.

A search checks thousands of programs that differ in a few instructions. So what an instruction is,
what a short run of them does and what each analysis found in it is kept per target, keyed by the
instructions themselves; what is known of a whole program (`known`) is kept for the last few
programs, keyed by their content, whichever object holds it. Nothing here decides anything: with a
new workbench every answer is the same, only later.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar, cast

from asmevo.check.engine.facts import NEXT, InstructionFacts, Library, ProgramLike
from asmevo.isa.target import Target

T = TypeVar("T")

Content = tuple[Target, bytes, tuple[tuple[int, int | None], ...]]
"""Target, the bytes of all instructions, and where branches go."""


class Workbench:
    """See the module.

    Args:
        programs: how many whole programs to keep.
    """

    def __init__(self, programs: int = 24) -> None:
        self._libraries: dict[Target, Library] = {}
        self._limit = programs
        # What an object was found to hold; the object is kept, so that its id stays its own.
        self._seen: OrderedDict[int, tuple[ProgramLike, list[InstructionFacts]]] = OrderedDict()
        self._contents: OrderedDict[int, tuple[ProgramLike, Content]] = OrderedDict()
        self._known: OrderedDict[Content, dict[str, object]] = OrderedDict()

    def library(self, target: Target) -> Library:
        """Facts, chunks and engines of a target."""
        found = self._libraries.get(target)
        if found is None:
            found = self._libraries[target] = Library(target)
        return found

    def facts(self, program: ProgramLike) -> list[InstructionFacts]:
        """Facts of every instruction of a program."""
        found = self._seen.get(id(program))
        if found is None or found[0] is not program:
            facts = self.library(program.target).facts(program.instructions)
            found = self._seen[id(program)] = (program, facts)
            self._trim(self._seen)
        return found[1]

    def content(self, program: ProgramLike) -> Content:
        """What a program consists of, as far as the checks can see it."""
        found = self._contents.get(id(program))
        if found is None or found[0] is not program:
            facts = self.facts(program)
            branches = tuple(
                (i, program.branch_target(i)) for i, f in enumerate(facts) if f.flow != NEXT
            )
            content = (program.target, b"".join([f.inst.raw for f in facts]), branches)
            found = self._contents[id(program)] = (program, content)
            self._trim(self._contents)
        return found[1]

    def known(self, program: ProgramLike, name: str, compute: Callable[[ProgramLike], T]) -> T:
        """`compute(program)`, worked out once for programs of equal content."""
        content = self.content(program)
        of_program = self._known.get(content)
        if of_program is None:
            of_program = self._known[content] = {}
            self._trim(self._known)
        if name not in of_program:
            of_program[name] = compute(program)
        return cast("T", of_program[name])

    def _trim(self, kept: OrderedDict[Any, Any]) -> None:
        if len(kept) > self._limit:
            kept.popitem(last=False)


_CURRENT: ContextVar[Workbench] = ContextVar("workbench", default=Workbench())  # noqa: B039


def workbench() -> Workbench:
    """The workbench in use: the process' own, or the one of `using`."""
    return _CURRENT.get()


@contextmanager
def using(bench: Workbench) -> Generator[Workbench]:
    """Work on `bench` until the context ends."""
    token = _CURRENT.set(bench)
    try:
        yield bench
    finally:
        _CURRENT.reset(token)


def facts_of(program: ProgramLike) -> list[InstructionFacts]:
    """Facts of every instruction of a program."""
    return _CURRENT.get().facts(program)


def library_of(target: Target) -> Library:
    """Facts, chunks and engines of a target."""
    return _CURRENT.get().library(target)
