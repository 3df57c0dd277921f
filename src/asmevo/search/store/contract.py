"""What a run store promises, whatever it is made of.

Contracts of every implementation, held by one test suite (`tests/search/store/test_contract.py`):

* Records are frozen and come back equal to what was recorded.
* `record` is one step: after it returned, the attempt and, if it was accepted, its node and its
  object are kept; when it raised, or the process died in it, none of the three is. A store that
  raised is usable again once the cause is gone.
* What was accepted is never changed or dropped: neither by a later fault nor by a later record.
* Sequence numbers of attempts are 0, 1, 2, ... without a gap.
* An attempt has an identity, its parent and the canonical hash of its edits. It is recorded once;
  only `duplicate` verdicts may repeat an identity, and they are never what `find_attempt` returns.
* The parent of an attempt is an accepted node. The first node is K0's; nodes form a tree.
* The journal is the driver's own: entries of plain JSON, numbered 0, 1, 2, ... without a gap, kept
  when `note` returns. Nothing in it has a say in what is accepted.
* One writer at a time. Readers are never locked out and never lock anybody out: each call of a
  reader sees everything that was recorded before it, and `snapshot` holds one such view still
  for as long as it is open, while the writer goes on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeVar

from asmevo.errors import InputError
from asmevo.search.types import Attempt, Node, object_id

_Self = TypeVar("_Self", bound="StoreReader")


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What a run is of; a store is resumed only by the same one.

    Attributes:
        k0: identity of the original object.
        kernel: kernel name.
        driver: name of the proposer.
        seed: its seed.
        config: everything else that must be the same, JSON types only.
        created: UTC time of creation, ISO 8601.
    """

    k0: str
    kernel: str
    driver: str
    seed: int
    config: Mapping[str, Any]
    created: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the journal.

    Attributes:
        sequence: ordinal in the run, from 0.
        kind: what it is, e.g. `call` or `notes`; whoever wrote it knows.
        data: its content, JSON types only.
    """

    sequence: int
    kind: str
    data: Mapping[str, Any]


class StoreReader(ABC):
    """A run store, open for reading. See the module for the contracts."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The store's name for messages, e.g. its path."""

    @property
    @abstractmethod
    def run(self) -> RunFacts:
        """Facts of the run."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[None]:
        """While it is open, every read sees the store as it was at the first of them."""

    @abstractmethod
    def close(self) -> None:
        """Let go of whatever is held. Safe to call twice."""

    @abstractmethod
    def blob(self, hash: str) -> bytes:
        """Bytes of a stored object.

        Raises:
            EnvironmentFault: it is not there, or its bytes are not those that were stored.
        """

    @abstractmethod
    def attempt_count(self) -> int:
        """Number of finished attempts, which is the next sequence number."""

    @abstractmethod
    def attempts(self) -> list[Attempt]:
        """All finished attempts in order."""

    @abstractmethod
    def attempt(self, sequence: int) -> Attempt | None:
        """One attempt by its number, or None."""

    @abstractmethod
    def find_attempt(self, parent: str, edit: str) -> Attempt | None:
        """The finished attempt with this identity (never a `duplicate`), or None."""

    @abstractmethod
    def find_object(self, hash: str) -> str | None:
        """What is known about an object: `node`, the status of its first attempt, or None."""

    @abstractmethod
    def nodes(self) -> list[Node]:
        """All accepted nodes, K0 first, in order of acceptance."""

    @abstractmethod
    def node(self, id: str) -> Node:
        """One node.

        Raises:
            InputError: there is none with this identity.
        """

    @abstractmethod
    def journal(self, kind: str | None = None) -> list[Entry]:
        """All entries of the journal in order, or those of one kind."""

    def lineage(self, id: str) -> list[Node]:
        """The nodes from K0 to `id`, both included.

        Raises:
            InputError: there is no node with this identity.
        """
        found = [self.node(id)]
        while found[-1].parent is not None:
            found.append(self.node(found[-1].parent))
        return found[::-1]

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Store(StoreReader):
    """A run store, open for reading and writing. See the module for the contracts."""

    def record_root(self, node: Node) -> None:
        """Record K0 as the root node; its bytes are in the store already.

        Raises:
            InputError: there is a root already, or `node` is not K0.
            EnvironmentFault: the store cannot be written (`StoreFull` when there is no space).
        """
        if self.nodes():
            raise InputError(f"{self.name} has a root node already")
        if node.parent is not None or node.id != self.run.k0:
            raise InputError("the root of a run is its K0, which has no parent")
        self._write_root(node)

    def record(
        self, attempt: Attempt, driver: str, node: Node | None = None, object: bytes | None = None
    ) -> None:
        """Record a finished attempt and, when accepted, its node and object, in one step.

        Args:
            attempt: the attempt; its `sequence` must be the next one.
            driver: name of the proposer.
            node: the new node of an accepted attempt.
            object: bytes of an accepted candidate.

        Raises:
            InputError: the sequence number or the identity is taken, the parent is no accepted
                node, or node and object do not belong to the attempt.
            EnvironmentFault: the store cannot be written (`StoreFull` when there is no space).
        """
        proposal = attempt.proposal
        if attempt.sequence != self.attempt_count():
            raise InputError(f"attempt {attempt.sequence} is not the next one")
        self.node(proposal.parent)
        if attempt.status != "duplicate" and self.find_attempt(proposal.parent, proposal.edit):
            raise InputError(f"attempt {proposal.edit[:12]} is recorded already")
        if attempt.accepted != (node is not None):
            raise InputError("an accepted attempt has a node, and no other has one")
        if node is not None:
            if object is None:
                raise InputError("an accepted attempt needs its object")
            belongs = (attempt.node, proposal.parent, attempt.sequence, object_id(object))
            if (node.id, node.parent, node.sequence, node.id) != belongs:
                raise InputError("attempt, node and object do not belong together")
            if self.find_object(node.id) == "node":
                raise InputError(f"object {node.id[:12]} is an accepted node already")
        self._write(attempt, driver, node, object)

    @abstractmethod
    def note(self, kind: str, data: Mapping[str, Any]) -> Entry:
        """Add an entry to the journal; it is kept when this returns.

        Raises:
            EnvironmentFault: the store cannot be written (`StoreFull` when there is no space).
        """

    @abstractmethod
    def _write_root(self, node: Node) -> None:
        """Keep the root node. What it is was checked."""

    @abstractmethod
    def _write(
        self, attempt: Attempt, driver: str, node: Node | None, object: bytes | None
    ) -> None:
        """Keep all of them or, when raising, none. How they belong together was checked."""
