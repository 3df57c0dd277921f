"""Tables of the SQLite store, their version, and how older ones are brought up to it.

Version 2 added `attempt.passed`, version 3 the journal. A migration is history: it uses nothing of
the rest of the project that may change after it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable

SCHEMA_VERSION = 3

TABLES = """
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
  created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  passed TEXT NOT NULL DEFAULT '[]'
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
CREATE TABLE journal(
  sequence INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  data TEXT NOT NULL,
  created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);
CREATE INDEX journal_kind ON journal(kind);
"""


def create_tables(db: sqlite3.Connection) -> None:
    """Make the tables of the present version, within the caller's transaction."""
    for statement in TABLES.split(";\n"):
        if statement.strip():
            db.execute(statement)


def version_of(db: sqlite3.Connection) -> int | None:
    """Schema version of a store, or None when it holds no run (yet).

    Raises:
        sqlite3.DatabaseError: the file is damaged.
    """
    tables = db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'run'")
    if tables.fetchone() is None:
        return None
    row = db.execute("SELECT schema_version FROM run").fetchone()
    if row is not None and not isinstance(row[0], int):
        raise sqlite3.DatabaseError(f"its schema version is {row[0]!r}")
    return None if row is None else row[0]


def _passed_gates(db: sqlite3.Connection) -> None:
    """1 -> 2: attempts say which gates they passed; the deciding gate tells it."""
    order = (
        "duplicate",
        "assemble",
        "same_object",
        "abi_resources",
        "static_check",
        "differential",
        "timing",
        "commit",
    )
    db.execute("ALTER TABLE attempt ADD COLUMN passed TEXT NOT NULL DEFAULT '[]'")
    for n, gate in enumerate(order):
        db.execute(
            "UPDATE attempt SET passed = ? WHERE gate = ?", (json.dumps(list(order[:n])), gate)
        )


def _journal(db: sqlite3.Connection) -> None:
    """2 -> 3: a journal for drivers."""
    db.execute(
        "CREATE TABLE journal(sequence INTEGER PRIMARY KEY, kind TEXT NOT NULL, data TEXT NOT NULL,"
        " created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')))"
    )
    db.execute("CREATE INDEX journal_kind ON journal(kind)")


_MIGRATIONS: dict[int, Callable[[sqlite3.Connection], None]] = {1: _passed_gates, 2: _journal}
"""Version -> what brings it to the next one."""


def migrate(db: sqlite3.Connection, version: int) -> None:
    """Bring a store of an older version up to this one, within the caller's transaction."""
    for step in range(version, SCHEMA_VERSION):
        _MIGRATIONS[step](db)
        db.execute("UPDATE run SET schema_version = ?", (step + 1,))
