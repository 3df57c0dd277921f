"""The run store: every attempt and every accepted object, in one SQLite file.

Contracts, which hold when the process is killed at any instant:
* `record` is one transaction. After it returned, the attempt and, if accepted, its node and its
  object are on disk (WAL with `synchronous=FULL`); before that, none of the three is.
* A finished attempt is never run again: `find_attempt(parent, edit)` returns its outcome.
* Sequence numbers of attempts are 0, 1, 2, ... without a gap.
* One process writes at a time: a second one gets `EnvironmentFault` when it opens the file.
"""

from __future__ import annotations

import fcntl
import json
import sqlite3
import zlib
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO, TypeVar, cast

from asmevo.errors import EnvironmentFault, InputError
from asmevo.search.types import (
    Attempt,
    Evidence,
    Node,
    Proposal,
    Status,
    canonical_edits,
    edits_from_json,
    edits_to_json,
    object_id,
    timings_from_json,
    timings_to_json,
)

SCHEMA_VERSION = 1

_SCHEMA = """
CREATE TABLE run(
  id INTEGER PRIMARY KEY CHECK (id = 1),
  schema_version INTEGER NOT NULL,
  k0 TEXT NOT NULL,
  kernel TEXT NOT NULL,
  driver TEXT NOT NULL,
  seed INTEGER NOT NULL,
  config TEXT NOT NULL,
  created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);
CREATE TABLE blob(hash TEXT PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE attempt(
  sequence INTEGER PRIMARY KEY,
  parent TEXT NOT NULL,
  edit TEXT NOT NULL,
  canonical TEXT NOT NULL,
  edits TEXT NOT NULL,
  rationale TEXT NOT NULL,
  rule TEXT NOT NULL,
  driver TEXT NOT NULL,
  status TEXT NOT NULL,
  gate TEXT NOT NULL,
  reason TEXT NOT NULL,
  node TEXT,
  speedup REAL,
  time REAL,
  object TEXT,
  data TEXT NOT NULL,
  seconds REAL NOT NULL,
  created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);
CREATE UNIQUE INDEX attempt_identity ON attempt(parent, edit) WHERE status != 'duplicate';
CREATE INDEX attempt_object ON attempt(object);
CREATE TABLE node(
  id TEXT PRIMARY KEY REFERENCES blob(hash),
  parent TEXT REFERENCES node(id),
  edits TEXT NOT NULL,
  timings TEXT NOT NULL,
  evidence TEXT NOT NULL,
  depth INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  speedup REAL NOT NULL,
  created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);
"""

_ATTEMPT_COLUMNS = (
    "sequence, parent, edits, rationale, rule, status, gate, reason, node, speedup, time, data, "
    "seconds, object"
)
_NODE_COLUMNS = "id, parent, edits, timings, evidence, depth, sequence, speedup"


_T = TypeVar("_T")


class Store:
    """A run store that is open for reading and writing.

    Use `Store.create` or `Store.open`; both lock the file until `close`.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: TextIO) -> None:
        self.path = path
        self._db = connection
        self._lock = lock

    # --- opening ----------------------------------------------------------------------------
    @classmethod
    def create(
        cls,
        path: Path,
        *,
        k0: bytes,
        kernel: str,
        driver: str,
        seed: int,
        config: Mapping[str, Any],
    ) -> Store:
        """A new store.

        Raises:
            InputError: the file exists.
            EnvironmentFault: it cannot be written.
        """
        store = cls._connect(path)
        if store._tables():
            store.close()
            raise InputError(f"run store {path} exists", "resume it or choose another path")
        with store._transaction():
            for statement in _SCHEMA.split(";\n"):
                if statement.strip():
                    store._db.execute(statement)
            store._db.execute(
                "INSERT INTO run(id, schema_version, k0, kernel, driver, seed, config) "
                "VALUES (1, ?, ?, ?, ?, ?, ?)",
                (SCHEMA_VERSION, object_id(k0), kernel, driver, seed, json.dumps(config)),
            )
            store._put_blob(k0)
        return store

    @classmethod
    def open(cls, path: Path) -> Store:
        """An existing store.

        Raises:
            InputError: there is none at `path`, or another version of AsmEvo wrote it.
            EnvironmentFault: another process has it open, or it is damaged.
        """
        if not path.is_file():
            raise InputError(f"there is no run store at {path}", "start without --resume")
        store = cls._connect(path)
        try:
            if "run" not in store._tables():
                raise InputError(f"{path} is not a run store", "start without --resume")
            version = store.run["schema_version"]
        except (InputError, sqlite3.DatabaseError) as err:
            store.close()
            if isinstance(err, InputError):
                raise
            raise EnvironmentFault(f"run store {path} is damaged: {err}") from err
        if version != SCHEMA_VERSION:
            store.close()
            raise InputError(
                f"run store {path} has schema version {version}, this one reads {SCHEMA_VERSION}",
                "use the AsmEvo version that wrote it",
            )
        return store

    @classmethod
    def _connect(cls, path: Path) -> Store:
        try:
            lock = open(path.with_name(path.name + ".lock"), "w")  # noqa: SIM115
        except OSError as err:
            raise EnvironmentFault(f"cannot write {path}: {err.strerror}") from err
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as err:
            lock.close()
            raise EnvironmentFault(
                f"run store {path} is in use by another process", "wait for it or end it"
            ) from err
        try:
            db = sqlite3.connect(path, isolation_level=None)
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=FULL")
            db.execute("PRAGMA foreign_keys=ON")
        except sqlite3.DatabaseError as err:
            lock.close()
            raise EnvironmentFault(f"run store {path} is damaged: {err}") from err
        return cls(path, db, lock)

    @staticmethod
    def holds_run(path: Path) -> bool:
        """Whether there is a store with a run at `path` (False while one is being created)."""
        if not path.is_file():
            return False
        store = Store._connect(path)
        with store:
            return "run" in store._tables()

    def close(self) -> None:
        """Close the file and release the lock. Safe to call twice."""
        self._db.close()
        self._lock.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @contextmanager
    def _transaction(self) -> Generator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def _tables(self) -> set[str]:
        rows = self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        return {str(r[0]) for r in rows}

    # --- facts of the run -------------------------------------------------------------------
    @property
    def run(self) -> dict[str, Any]:
        """Facts of the run: schema_version, k0, kernel, driver, seed, config, created."""
        row = self._db.execute(
            "SELECT schema_version, k0, kernel, driver, seed, config, created FROM run"
        ).fetchone()
        names = ("schema_version", "k0", "kernel", "driver", "seed", "config", "created")
        found: dict[str, Any] = dict(zip(names, row, strict=True))
        found["config"] = json.loads(found["config"])
        return found

    def blob(self, hash: str) -> bytes:
        """Bytes of a stored object.

        Raises:
            EnvironmentFault: it is not there, or its bytes are not those that were stored.
        """
        row = self._db.execute("SELECT data FROM blob WHERE hash = ?", (hash,)).fetchone()
        if row is None:
            raise EnvironmentFault(f"object {hash[:12]} is not in the run store")
        try:
            data = zlib.decompress(row[0])
        except (zlib.error, TypeError) as err:
            raise EnvironmentFault(f"object {hash[:12]} in the run store is damaged") from err
        if object_id(data) != hash:
            raise EnvironmentFault(f"object {hash[:12]} in the run store is damaged")
        return data

    def _put_blob(self, data: bytes) -> None:
        self._db.execute(
            "INSERT OR IGNORE INTO blob(hash, data) VALUES (?, ?)",
            (object_id(data), zlib.compress(data, 6)),
        )

    # --- writing ----------------------------------------------------------------------------
    def record_root(self, node: Node) -> None:
        """Record K0 as the root node; its bytes are in the store already."""
        with self._transaction():
            self._insert_node(node)

    def record(
        self, outcome: Attempt, driver: str, node: Node | None = None, object: bytes | None = None
    ) -> None:
        """Record a finished attempt and, when accepted, its node and object, atomically.

        Args:
            outcome: the attempt; its `sequence` must be the next one.
            driver: name of the proposer.
            node: the new node of an accepted attempt.
            object: bytes of an accepted candidate.

        Raises:
            InputError: the sequence number or the identity is taken.
        """
        proposal = outcome.proposal
        try:
            with self._transaction():
                if outcome.sequence != self.attempt_count():
                    raise InputError(f"attempt {outcome.sequence} is not the next one")
                self._db.execute(
                    "INSERT INTO attempt(sequence, parent, edit, canonical, edits, rationale, "
                    "rule, driver, status, gate, reason, node, speedup, time, object, data, "
                    "seconds) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                    (
                        outcome.sequence,
                        proposal.parent,
                        proposal.edit,
                        canonical_edits(proposal.edits),
                        edits_to_json(proposal.edits),
                        proposal.rationale,
                        proposal.rule,
                        driver,
                        outcome.status,
                        outcome.gate,
                        outcome.reason,
                        outcome.node,
                        outcome.speedup,
                        outcome.time,
                        outcome.object,
                        json.dumps(dict(outcome.data)),
                        outcome.seconds,
                    ),
                )
                if node is not None:
                    if object is None:
                        raise InputError("an accepted attempt needs its object")
                    self._put_blob(object)
                    self._insert_node(node)
        except sqlite3.IntegrityError as err:
            raise InputError(f"attempt {proposal.edit[:12]} is recorded already: {err}") from err

    def _insert_node(self, node: Node) -> None:
        self._db.execute(
            f"INSERT INTO node({_NODE_COLUMNS}) VALUES (?,?,?,?,?,?,?,?)",
            (
                node.id,
                node.parent,
                edits_to_json(node.edits),
                timings_to_json(node.timings),
                node.evidence,
                node.depth,
                node.sequence,
                node.speedup,
            ),
        )

    # --- reading ----------------------------------------------------------------------------
    def attempt_count(self) -> int:
        """Number of finished attempts, which is the next sequence number."""
        return int(self._db.execute("SELECT COUNT(*) FROM attempt").fetchone()[0])

    def attempts(self) -> list[Attempt]:
        """All finished attempts in order."""
        rows = self._db.execute(f"SELECT {_ATTEMPT_COLUMNS} FROM attempt ORDER BY sequence")
        return [_decoded(self.path, _outcome, r) for r in rows.fetchall()]

    def attempt(self, sequence: int) -> Attempt | None:
        """One attempt by its number."""
        row = self._db.execute(
            f"SELECT {_ATTEMPT_COLUMNS} FROM attempt WHERE sequence = ?", (sequence,)
        ).fetchone()
        return None if row is None else _decoded(self.path, _outcome, row)

    def find_attempt(self, parent: str, edit: str) -> Attempt | None:
        """The finished attempt with this identity, or None."""
        row = self._db.execute(
            f"SELECT {_ATTEMPT_COLUMNS} FROM attempt WHERE parent = ? AND edit = ? "
            "AND status != 'duplicate'",
            (parent, edit),
        ).fetchone()
        return None if row is None else _decoded(self.path, _outcome, row)

    def find_object(self, hash: str) -> str | None:
        """What is known about an object: `node`, the status of its attempt, or None."""
        if self._db.execute("SELECT 1 FROM blob WHERE hash = ?", (hash,)).fetchone():
            return "node"
        row = self._db.execute(
            "SELECT status FROM attempt WHERE object = ? AND status != 'duplicate'", (hash,)
        ).fetchone()
        return None if row is None else str(row[0])

    def nodes(self) -> list[Node]:
        """All accepted nodes, K0 first, in order of acceptance."""
        rows = self._db.execute(f"SELECT {_NODE_COLUMNS} FROM node ORDER BY sequence")
        return [_decoded(self.path, _node, r) for r in rows.fetchall()]

    def node(self, id: str) -> Node:
        """One node.

        Raises:
            InputError: there is none with this identity.
        """
        row = self._db.execute(f"SELECT {_NODE_COLUMNS} FROM node WHERE id = ?", (id,)).fetchone()
        if row is None:
            raise InputError(f"there is no accepted node {id[:12]}")
        return _decoded(self.path, _node, row)

    def lineage(self, id: str) -> list[Node]:
        """The nodes from K0 to `id`, both included."""
        found = [self.node(id)]
        while found[-1].parent is not None:
            found.append(self.node(found[-1].parent))
        return found[::-1]


def _decoded(path: Path, make: Callable[[tuple[Any, ...]], _T], row: tuple[Any, ...]) -> _T:
    """A row as a record; a row that holds something else is a damaged store."""
    try:
        return make(row)
    except (ValueError, KeyError, TypeError, AttributeError) as err:
        raise EnvironmentFault(
            f"run store {path} holds a damaged row ({type(err).__name__})", "start a new one"
        ) from err


def _outcome(row: tuple[Any, ...]) -> Attempt:
    (
        sequence,
        parent,
        edits,
        rationale,
        rule,
        status,
        gate,
        reason,
        node,
        speedup,
        time,
        data,
        seconds,
        object,
    ) = row
    return Attempt(
        sequence,
        Proposal(parent, edits_from_json(edits), rationale, rule),
        cast(Status, status),
        gate,
        reason,
        node,
        speedup,
        time,
        json.loads(data),
        seconds,
        object,
    )


def _node(row: tuple[Any, ...]) -> Node:
    id, parent, edits, timings, evidence, depth, sequence, speedup = row
    return Node(
        id,
        parent,
        edits_from_json(edits),
        timings_from_json(timings),
        cast(Evidence, evidence),
        depth,
        sequence,
        speedup,
    )
