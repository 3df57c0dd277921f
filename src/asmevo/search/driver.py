"""How the controller and a driver talk. Drivers propose; they never see a gate from inside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from asmevo.capsule.model import Capsule
from asmevo.program.edit import Edit
from asmevo.program.model import Program
from asmevo.search.memory import Failure
from asmevo.search.store import Entry
from asmevo.search.types import Attempt, Node, Proposal
from asmevo.search.windows import HotWindow, Profile


class Context(Protocol):
    """What a driver may know. Read-only; nothing here runs, times or judges anything new."""

    @property
    def kernel(self) -> str:
        """Kernel name."""
        ...

    @property
    def root(self) -> Node:
        """K0's node."""
        ...

    @property
    def best(self) -> Node:
        """The fastest accepted node (K0 at first)."""
        ...

    @property
    def nodes(self) -> Sequence[Node]:
        """All accepted nodes, K0 first. Failed candidates are never among them."""
        ...

    @property
    def remaining(self) -> int:
        """Attempts left in the budget."""
        ...

    def program(self, node: str) -> Program:
        """The program of an accepted node."""
        ...

    @property
    def attempts(self) -> Sequence[Attempt]:
        """All finished attempts, in order."""
        ...

    @property
    def launches(self) -> Sequence[Capsule]:
        """The launches that are timed."""
        ...

    def windows(self, node: str, limit: int = 8) -> Sequence[HotWindow]:
        """Hot windows of an accepted node, hottest first."""
        ...

    def profile(self, node: str) -> Profile:
        """Cost of every instruction of an accepted node's program."""
        ...

    def weigh(self, attempt: Attempt) -> tuple[Program, Profile]:
        """Program and profile of a finished attempt that was estimated or timed."""
        ...

    def tried(self, parent: str, edits: Sequence[Edit]) -> bool:
        """Whether this exact attempt is finished already."""
        ...

    def failures(self, parent: str, edits: Sequence[Edit]) -> Sequence[Failure]:
        """Earlier failures of the same textual change at any node."""
        ...

    def hopeless(self, parent: str, edits: Sequence[Edit]) -> bool:
        """Whether the same textual change failed for a reason that other parents share."""
        ...


class Driver(Protocol):
    """A proposer.

    Contracts:
    * `ask` returns the next proposal, or None when it has no more ideas. Its parent is an
      accepted node.
    * `tell` is called with the finished attempt of every proposal, once, in order.
    * A *deterministic* driver depends only on its seed, the context and what it was told, so a
      resumed run repeats its way through the recorded attempts without running them. Any other
      driver is told the recorded outcomes at the start and goes on from there.
    """

    @property
    def name(self) -> str:
        """Name for the lineage."""
        ...

    @property
    def seed(self) -> int:
        """Seed of everything random in it."""
        ...

    @property
    def deterministic(self) -> bool:
        """See the class."""
        ...

    def ask(self, context: Context) -> Proposal | None:
        """The next proposal."""
        ...

    def tell(self, attempt: Attempt) -> None:
        """Take note of a finished attempt."""
        ...


class Journal(Protocol):
    """A driver's own notes in the run store; they have no say in what is accepted."""

    def note(self, kind: str, data: Mapping[str, Any]) -> Entry:
        """Keep an entry; it outlives the process when this returns."""
        ...

    def journal(self, kind: str | None = None) -> Sequence[Entry]:
        """The entries of this run so far, those of earlier processes first."""
        ...


@runtime_checkable
class KeepsJournal(Protocol):
    """A driver that keeps a journal: it is given one before it is asked or told anything."""

    def attach(self, journal: Journal) -> None:
        """Take the run's journal."""
        ...
