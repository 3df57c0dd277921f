"""Stores of older versions. `data/version_1.sql` is a dump of a store that 0.1.0 wrote."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from store_records import ROOT, RUN, accepted

from asmevo.errors import InputError
from asmevo.program.edit import Edit
from asmevo.search.store import SCHEMA_VERSION, SqliteReader, SqliteStore, StoreFull, StoreReader
from asmevo.search.store.schema import TABLES
from asmevo.search.types import Proposal

DUMP = Path(__file__).parent / "data" / "version_1.sql"
CHILD = "5c2e1dbffa956e018a1f6412f23a72a4acba15c61fa814e80627d6cd3b46cf8a"
FIRST = ("duplicate", "assemble", "same_object", "abi_resources", "static_check")


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.db"
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode=WAL")  # as 0.1.0 left it
    db.executescript(DUMP.read_text())
    db.close()
    return path


def version(path: Path) -> int:
    db = sqlite3.connect(path)
    found = db.execute("SELECT schema_version FROM run").fetchone()[0]
    db.close()
    return found


def holds_what_it_held(store: StoreReader) -> None:
    """What the script that made the dump recorded."""
    run = store.run
    assert (run.k0, run.kernel, run.driver, run.seed) == (ROOT, "k", "rules", 7)
    assert run.config == {"a": [1]}
    first, second, third = store.attempts()
    assert first.proposal == Proposal(ROOT, (Edit(3, 4, ("s_nop 0",), "why"),), "because", "move")
    assert (first.status, first.gate, first.reason) == ("divergent", "differential", "y differs")
    assert (first.data, first.seconds, first.object) == ({"x": 1}, 0.25, "ab" * 32)
    assert first.passed == FIRST
    assert (second.node, second.speedup, second.time) == (CHILD, 1.25, 80.0)
    assert second.passed == (*FIRST, "differential", "timing")
    assert (third.status, third.passed) == ("duplicate", ())
    assert [n.id for n in store.lineage(CHILD)] == [ROOT, CHILD]
    assert store.node(CHILD).timings[0].samples == (100.0, 101.0)
    assert store.blob(CHILD) == b"a faster object"
    assert store.blob(ROOT) == RUN["k0"]


def test_a_store_of_the_first_version_is_migrated_when_opened(old: Path) -> None:
    with SqliteStore.open(old) as store:
        holds_what_it_held(store)
        full, node = accepted(3, b"and another")
        edits = (Edit(9, 9, ("s_nop 5",)),)
        full = replace(full, proposal=replace(full.proposal, edits=edits))
        store.record(full, "rules", node, b"and another")
    assert version(old) == SCHEMA_VERSION
    with SqliteStore.open(old) as store:
        assert store.attempt_count() == 4


def test_a_reader_reads_an_old_store_and_leaves_it_old(old: Path) -> None:
    before = old.read_bytes()
    with SqliteReader.open(old) as reader:
        holds_what_it_held(reader)
    assert old.read_bytes() == before
    assert version(old) == 1


def test_a_migrated_store_has_the_tables_of_a_new_one(old: Path) -> None:
    SqliteStore.open(old).close()
    columns: list[dict[str, set[tuple[object, ...]]]] = []
    for db in (sqlite3.connect(old), sqlite3.connect(":memory:")):
        if len(columns):
            db.executescript(TABLES)
        names = [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns.append(
            {n: {r[1:] for r in db.execute(f"PRAGMA table_info({n})")} for n in names}
        )  # fmt: skip
        db.close()
    assert columns[0] == columns[1]


def test_a_migration_that_fails_leaves_the_old_store(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = SqliteStore._connect

    def full(path: Path) -> SqliteStore:
        store = real(path)
        pages = store._db.execute("PRAGMA page_count").fetchone()[0]
        store._db.execute(
            "UPDATE attempt SET gate = gate"
        )  # a write that fits: the file itself is writable
        store._db.execute(f"PRAGMA max_page_count = {pages}")
        return store

    def swollen(db: sqlite3.Connection, version: int) -> None:
        db.execute("ALTER TABLE attempt ADD COLUMN passed TEXT NOT NULL DEFAULT '[]'")
        db.execute("UPDATE run SET schema_version = 2, config = ?", ("x" * 1_000_000,))

    monkeypatch.setattr(SqliteStore, "_connect", staticmethod(full))
    monkeypatch.setattr("asmevo.search.store.sqlite.migrate", swollen)
    monkeypatch.setattr(SqliteReader, "open", classmethod(lambda cls, path: real(path)))
    with pytest.raises(StoreFull):
        SqliteStore.open(old)
    monkeypatch.undo()
    assert version(old) == 1
    with SqliteStore.open(old) as store:
        holds_what_it_held(store)


@pytest.mark.parametrize("number", [999, SCHEMA_VERSION + 1, 0, -1])
def test_an_unknown_schema_version_is_refused(old: Path, number: int) -> None:
    db = sqlite3.connect(old)
    db.execute("UPDATE run SET schema_version = ?", (number,))
    db.commit()
    db.close()
    for use in (SqliteStore.open, SqliteReader.open):
        with pytest.raises(InputError, match=f"schema version {number}"):
            use(old)
    assert version(old) == number
