"""A run store for the time of the process."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from asmevo.errors import EnvironmentFault, InputError
from asmevo.search.store.contract import Entry, RunFacts, Store
from asmevo.search.types import Attempt, Node, object_id


class MemoryStore(Store):
    """Keeps a run in memory. Arguments as in `SqliteStore.create`."""

    def __init__(
        self, *, k0: bytes, kernel: str, driver: str, seed: int, config: Mapping[str, Any]
    ) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._run = RunFacts(object_id(k0), kernel, driver, seed, config, now)
        self._attempts: list[Attempt] = []
        self._nodes: dict[str, Node] = {}
        self._blobs = {object_id(k0): k0}
        self._journal: list[Entry] = []
        # How many attempts, nodes and entries an open snapshot sees; None: all.
        self._view: tuple[int, int, int] | None = None

    @property
    def name(self) -> str:
        """The store's name for messages."""
        return "the run store in memory"

    @property
    def run(self) -> RunFacts:
        """Facts of the run."""
        return self._run

    @contextmanager
    def snapshot(self) -> Generator[None]:
        """See the contract."""
        self._view = (len(self._attempts), len(self._nodes), len(self._journal))
        try:
            yield
        finally:
            self._view = None

    def close(self) -> None:
        """Nothing is held."""

    def blob(self, hash: str) -> bytes:
        """See the contract."""
        if hash not in self._blobs:
            raise EnvironmentFault(f"object {hash[:12]} is not in the run store")
        return self._blobs[hash]

    def attempt_count(self) -> int:
        """See the contract."""
        return len(self.attempts())

    def attempts(self) -> list[Attempt]:
        """See the contract."""
        return self._attempts[: None if self._view is None else self._view[0]]

    def attempt(self, sequence: int) -> Attempt | None:
        """See the contract."""
        seen = self.attempts()
        return seen[sequence] if 0 <= sequence < len(seen) else None

    def find_attempt(self, parent: str, edit: str) -> Attempt | None:
        """See the contract."""
        for found in self.attempts():
            same = (found.proposal.parent, found.proposal.edit) == (parent, edit)
            if same and found.status != "duplicate":
                return found
        return None

    def find_object(self, hash: str) -> str | None:
        """See the contract."""
        if hash == self._run.k0 or any(n.id == hash for n in self.nodes()):
            return "node"
        for found in self.attempts():
            if found.object == hash and found.status != "duplicate":
                return found.status
        return None

    def nodes(self) -> list[Node]:
        """See the contract."""
        return list(self._nodes.values())[: None if self._view is None else self._view[1]]

    def node(self, id: str) -> Node:
        """See the contract."""
        for found in self.nodes():
            if found.id == id:
                return found
        raise InputError(f"there is no accepted node {id[:12]}")

    def journal(self, kind: str | None = None) -> list[Entry]:
        """See the contract."""
        seen = self._journal[: None if self._view is None else self._view[2]]
        return [e for e in seen if kind in (None, e.kind)]

    def note(self, kind: str, data: Mapping[str, Any]) -> Entry:
        """See the contract."""
        # Through JSON, so that what comes back is what a file would give.
        entry = Entry(len(self._journal), kind, json.loads(json.dumps(dict(data))))
        self._journal.append(entry)
        return entry

    def _write_root(self, node: Node) -> None:
        self._nodes[node.id] = node

    def _write(
        self, attempt: Attempt, driver: str, node: Node | None, object: bytes | None
    ) -> None:
        del driver  # A run has one.
        if node is not None and object is not None:
            self._blobs[node.id] = object
            self._nodes[node.id] = node
        self._attempts.append(attempt)
