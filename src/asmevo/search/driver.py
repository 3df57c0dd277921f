"""How the controller and a driver talk. Drivers propose; they never see a gate from inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from asmevo.program.edit import Edit
from asmevo.program.model import Program
from asmevo.search.memory import Failure
from asmevo.search.types import Attempt, Node, Proposal
from asmevo.search.windows import HotWindow


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

    def windows(self, node: str, limit: int = 8) -> Sequence[HotWindow]:
        """Hot windows of an accepted node, hottest first."""
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
