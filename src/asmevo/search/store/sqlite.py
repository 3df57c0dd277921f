"""The run store in one SQLite file (WAL, `synchronous=FULL`).

What was recorded is on disk when `record` returns, also when the process is killed right after.
A lock file beside the store keeps a second writer out; readers do not take it. In WAL mode a
reader and the writer never wait for each other (https://sqlite.org/wal.html, section 2.2).
"""

from __future__ import annotations

import fcntl
import json
import sqlite3
import zlib
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO, TypeVar, cast

from asmevo.errors import EnvironmentFault, InputError
from asmevo.search.store.contract import Entry, RunFacts, Store, StoreReader
from asmevo.search.store.schema import SCHEMA_VERSION, create_tables, migrate, version_of
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

_ATTEMPT_COLUMNS = (
    "sequence, parent, edits, rationale, rule, status, gate, reason, node, speedup, time, data, "
    "seconds, object, passed"
)
_NODE_COLUMNS = "id, parent, edits, timings, evidence, depth, sequence, speedup"
_MAGIC = b"SQLite format 3\0"
_PATIENCE = 30.0  # seconds to wait for another process that recovers the file after a crash

_T = TypeVar("_T")


class StoreDamaged(EnvironmentFault):
    """The file is no run store any more: bytes were changed or lost."""


class StoreFull(EnvironmentFault):
    """There is no space for what was to be recorded. What was recorded before is kept."""


@contextmanager
def _typed(path: Path) -> Generator[None]:
    """SQLite's errors as typed ones that say what is wrong."""
    try:
        yield
    except sqlite3.Error as err:
        raise _fault(path, err) from err


def _fault(path: Path, err: sqlite3.Error) -> EnvironmentFault:
    # The low byte is the primary result code (https://sqlite.org/rescode.html).
    code = getattr(err, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return StoreFull(
            f"run store {path}: the disk is full",
            "free some space and resume; everything recorded so far is kept",
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return EnvironmentFault(f"run store {path} is in use by another process", "wait for it")
    if code == sqlite3.SQLITE_READONLY:
        return EnvironmentFault(f"cannot write {path}: it is read-only")
    if code == sqlite3.SQLITE_CANTOPEN:
        return EnvironmentFault(f"cannot open {path}", "check its folder and permissions")
    if code == sqlite3.SQLITE_IOERR:
        return EnvironmentFault(f"run store {path} cannot be read or written: {err}")
    return StoreDamaged(f"run store {path} is damaged: {err}", "start a new one")


class _Rows(StoreReader):
    """Reading, common to the reader and the writer."""

    def __init__(self, path: Path, db: sqlite3.Connection) -> None:
        self.path = path
        self._db = db

    @property
    def name(self) -> str:
        """The store's path."""
        return str(self.path)

    def close(self) -> None:
        """Close the file. Safe to call twice."""
        self._db.close()

    @contextmanager
    def snapshot(self) -> Generator[None]:
        """See the contract."""
        with _typed(self.path):
            self._db.execute("BEGIN")
            # The view begins with the first read, so make one.
            self._db.execute("SELECT COUNT(*) FROM run").fetchone()
        try:
            yield
        finally:
            self._db.execute("ROLLBACK")

    @property
    def run(self) -> RunFacts:
        """Facts of the run."""
        row = self._row("SELECT k0, kernel, driver, seed, config, created FROM run")
        if row is None:
            raise StoreDamaged(f"run store {self.path} has lost its facts", "start a new one")
        k0, kernel, driver, seed, config, created = row
        return _decoded(
            self.path,
            lambda _: RunFacts(k0, kernel, driver, seed, json.loads(config), created),
            row,
        )

    def blob(self, hash: str) -> bytes:
        """See the contract."""
        row = self._row("SELECT data FROM blob WHERE hash = ?", hash)
        if row is None:
            raise EnvironmentFault(f"object {hash[:12]} is not in the run store")
        try:
            data = zlib.decompress(row[0])
        except (zlib.error, TypeError) as err:
            raise StoreDamaged(f"object {hash[:12]} in the run store is damaged") from err
        if object_id(data) != hash:
            raise StoreDamaged(f"object {hash[:12]} in the run store is damaged")
        return data

    def attempt_count(self) -> int:
        """See the contract."""
        row = self._row("SELECT COUNT(*) FROM attempt")
        assert row is not None, "COUNT always gives a row"
        return int(row[0])

    def attempts(self) -> list[Attempt]:
        """See the contract."""
        rows = self._all(f"SELECT {_ATTEMPT_COLUMNS} FROM attempt ORDER BY sequence")
        return [_decoded(self.path, _attempt, r) for r in rows]

    def attempt(self, sequence: int) -> Attempt | None:
        """See the contract."""
        row = self._row(f"SELECT {_ATTEMPT_COLUMNS} FROM attempt WHERE sequence = ?", sequence)
        return None if row is None else _decoded(self.path, _attempt, row)

    def find_attempt(self, parent: str, edit: str) -> Attempt | None:
        """See the contract."""
        row = self._row(
            f"SELECT {_ATTEMPT_COLUMNS} FROM attempt WHERE parent = ? AND edit = ? "
            "AND status != 'duplicate'",
            parent,
            edit,
        )
        return None if row is None else _decoded(self.path, _attempt, row)

    def find_object(self, hash: str) -> str | None:
        """See the contract."""
        if self._row("SELECT 1 FROM blob WHERE hash = ?", hash):
            return "node"
        row = self._row(
            "SELECT status FROM attempt WHERE object = ? AND status != 'duplicate' "
            "ORDER BY sequence",
            hash,
        )
        return None if row is None else str(row[0])

    def nodes(self) -> list[Node]:
        """See the contract."""
        rows = self._all(f"SELECT {_NODE_COLUMNS} FROM node ORDER BY sequence")
        return [_decoded(self.path, _node, r) for r in rows]

    def node(self, id: str) -> Node:
        """See the contract."""
        row = self._row(f"SELECT {_NODE_COLUMNS} FROM node WHERE id = ?", id)
        if row is None:
            raise InputError(f"there is no accepted node {id[:12]}")
        return _decoded(self.path, _node, row)

    def journal(self, kind: str | None = None) -> list[Entry]:
        """See the contract."""
        where, values = ("", ()) if kind is None else (" WHERE kind = ?", (kind,))
        with _typed(self.path):
            query = f"SELECT sequence, kind, data FROM journal{where} ORDER BY sequence"
            rows = self._db.execute(query, values).fetchall()
        return [
            _decoded(self.path, lambda r: Entry(int(r[0]), str(r[1]), json.loads(r[2])), row)
            for row in rows
        ]

    def _row(self, query: str, *values: Any) -> tuple[Any, ...] | None:
        with _typed(self.path):
            return self._db.execute(query, values).fetchone()

    def _all(self, query: str) -> list[tuple[Any, ...]]:
        with _typed(self.path):
            return self._db.execute(query).fetchall()


class SqliteReader(_Rows):
    """A run store in a file, open for reading only, beside whoever writes it.

    A store of an older version is read from a migrated copy in memory, as it was when opened; the
    file is left as it is.
    """

    @classmethod
    def open(cls, path: Path) -> SqliteReader:
        """Open the store at `path`.

        Raises:
            InputError: there is none, or a newer version of AsmEvo wrote it.
            EnvironmentFault: it cannot be read, or is damaged.
        """
        _require_file(path)
        with _typed(path):
            db = _open_for_reading(path)
            try:
                version = _known_version(path, db)
                if version < SCHEMA_VERSION:
                    copy = sqlite3.connect(":memory:", isolation_level=None)
                    db.backup(copy)
                    db.close()
                    db = copy
                    migrate(db, version)
            except BaseException:
                db.close()
                raise
        return cls(path, db)


class SqliteStore(_Rows, Store):
    """A run store in a file, open for reading and writing.

    Use `SqliteStore.create` or `SqliteStore.open`; both lock out other writers until `close`.
    """

    def __init__(self, path: Path, db: sqlite3.Connection, lock: TextIO) -> None:
        super().__init__(path, db)
        self._lock = lock

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
    ) -> SqliteStore:
        """A new store.

        Raises:
            InputError: the file exists.
            EnvironmentFault: it cannot be written (`StoreFull` when there is no space).
        """
        # Looked at first without writing: the file may be somebody else's database.
        cls._require_free(path)
        store = cls._connect(path)
        try:
            cls._require_free(path)
            with store._transaction():
                create_tables(store._db)
                store._db.execute(
                    "INSERT INTO run(id, schema_version, k0, kernel, driver, seed, config) "
                    "VALUES (1, ?, ?, ?, ?, ?, ?)",
                    (SCHEMA_VERSION, object_id(k0), kernel, driver, seed, json.dumps(config)),
                )
                store._put_blob(k0)
        except BaseException:
            store.close()
            raise
        return store

    @staticmethod
    def _require_free(path: Path) -> None:
        with _typed(path), _looked_at(path) as db:
            taken = db is not None and db.execute("SELECT 1 FROM sqlite_master").fetchone()
        if taken:
            raise InputError(f"run store {path} exists", "resume it or choose another path")

    @classmethod
    def open(cls, path: Path) -> SqliteStore:
        """An existing store; one of an older version is migrated, in one transaction.

        Raises:
            InputError: there is none at `path`, or a newer version of AsmEvo wrote it.
            EnvironmentFault: another process writes it, or it is damaged.
        """
        SqliteReader.open(path).close()  # Whatever is no run store is refused, and not touched.
        store = cls._connect(path)
        try:
            with _typed(path):
                version = _known_version(path, store._db)
            if version < SCHEMA_VERSION:
                with store._transaction():
                    migrate(store._db, version)
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def _connect(cls, path: Path) -> SqliteStore:
        try:
            lock = open(path.with_name(path.name + ".lock"), "w")  # noqa: SIM115
        except OSError as err:
            raise EnvironmentFault(f"cannot write {path}: {err.strerror}") from err
        db: sqlite3.Connection | None = None
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as err:
                raise EnvironmentFault(
                    f"run store {path} is in use by another process", "wait for it or end it"
                ) from err
            with _typed(path):
                db = sqlite3.connect(path, isolation_level=None, timeout=_PATIENCE)
                db.execute("PRAGMA journal_mode=WAL")
                db.execute("PRAGMA synchronous=FULL")
                db.execute("PRAGMA foreign_keys=ON")
        except BaseException:
            if db is not None:
                db.close()
            lock.close()
            raise
        return cls(path, db, lock)

    @staticmethod
    def holds_run(path: Path) -> bool:
        """Whether there is a store with a run at `path` (False while one is being created).

        Raises:
            InputError: the file is something else.
            EnvironmentFault: the file cannot be read, or is damaged.
        """
        with _typed(path), _looked_at(path) as db:
            return db is not None and version_of(db) is not None

    def close(self) -> None:
        """Close the file and release the lock. Safe to call twice."""
        super().close()
        self._lock.close()

    @contextmanager
    def _transaction(self) -> Generator[None]:
        with _typed(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                # After some faults, a full disk among them, SQLite has rolled back by itself.
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def _put_blob(self, data: bytes) -> None:
        self._db.execute(
            "INSERT OR IGNORE INTO blob(hash, data) VALUES (?, ?)",
            (object_id(data), zlib.compress(data, 6)),
        )

    def _write_root(self, node: Node) -> None:
        with self._transaction():
            self._insert_node(node)

    def _write(
        self, attempt: Attempt, driver: str, node: Node | None, object: bytes | None
    ) -> None:
        proposal = attempt.proposal
        with self._transaction():
            self._db.execute(
                "INSERT INTO attempt(sequence, parent, edit, canonical, edits, rationale, "
                "rule, driver, status, gate, reason, node, speedup, time, object, data, "
                "seconds, passed) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                (
                    attempt.sequence,
                    proposal.parent,
                    proposal.edit,
                    canonical_edits(proposal.edits),
                    edits_to_json(proposal.edits),
                    proposal.rationale,
                    proposal.rule,
                    driver,
                    attempt.status,
                    attempt.gate,
                    attempt.reason,
                    attempt.node,
                    attempt.speedup,
                    attempt.time,
                    attempt.object,
                    json.dumps(dict(attempt.data)),
                    attempt.seconds,
                    json.dumps(list(attempt.passed)),
                ),
            )
            if node is not None and object is not None:
                self._put_blob(object)
                self._insert_node(node)

    def note(self, kind: str, data: Mapping[str, Any]) -> Entry:
        """See the contract."""
        text = json.dumps(dict(data))
        with self._transaction():
            row = self._db.execute("SELECT COUNT(*) FROM journal").fetchone()
            sequence = int(row[0])
            self._db.execute(
                "INSERT INTO journal(sequence, kind, data) VALUES (?, ?, ?)", (sequence, kind, text)
            )
        return Entry(sequence, kind, json.loads(text))

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


def _require_file(path: Path) -> None:
    if not path.is_file():
        raise InputError(f"there is no run store at {path}", "start without --resume")


def _open_for_reading(path: Path) -> sqlite3.Connection:
    try:
        with path.open("rb") as file:
            head = file.read(len(_MAGIC))
    except OSError:
        head = b""  # SQLite says why
    if head and head != _MAGIC:  # SQLite takes a short file for an empty database
        raise InputError(f"{path} is not a run store", "name another file")
    address = path.absolute().as_uri() + "?mode=ro"
    db = sqlite3.connect(address, uri=True, isolation_level=None, timeout=_PATIENCE)
    try:
        version_of(db)
    except sqlite3.OperationalError as err:
        # A folder where nothing may be written has no room for the index of the WAL. Without a
        # WAL nobody writes either, and the file can be read as it is.
        db.close()
        wal = path.with_name(path.name + "-wal")
        if err.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CANTOPEN or wal.exists():
            raise
        db = sqlite3.connect(address + "&immutable=1", uri=True, isolation_level=None)
    return db


@contextmanager
def _looked_at(path: Path) -> Generator[sqlite3.Connection | None]:
    """The file, open for reading only; None when it is missing or still empty."""
    if not path.is_file() or not path.stat().st_size:
        yield None
        return
    db = _open_for_reading(path)
    try:
        yield db
    finally:
        db.close()


def _known_version(path: Path, db: sqlite3.Connection) -> int:
    version = version_of(db)
    if version is None:
        raise InputError(f"{path} is not a run store", "start without --resume")
    if not 1 <= version <= SCHEMA_VERSION:
        raise InputError(
            f"run store {path} has schema version {version}, this one reads up to {SCHEMA_VERSION}",
            "use the AsmEvo version that wrote it",
        )
    return version


def _decoded(path: Path, make: Callable[[tuple[Any, ...]], _T], row: tuple[Any, ...]) -> _T:
    """A row as a record; a row that holds something else is a damaged store."""
    try:
        return make(row)
    except (ValueError, KeyError, TypeError, AttributeError) as err:
        raise StoreDamaged(
            f"run store {path} holds a damaged row ({type(err).__name__})", "start a new one"
        ) from err


def _attempt(row: tuple[Any, ...]) -> Attempt:
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
        passed,
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
        tuple(str(name) for name in json.loads(passed)),
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
