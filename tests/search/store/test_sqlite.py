"""The run store in a file: damage, a full disk, readers beside a writer, SIGKILL."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
import zlib
from pathlib import Path

import pytest
from store_records import ROOT, accepted, attempt, create

from asmevo.errors import EnvironmentFault, InputError
from asmevo.search.store import SqliteReader, SqliteStore, StoreDamaged, StoreFull


@pytest.mark.parametrize("packed", [True, False])
def test_a_damaged_object_is_noticed(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / "run.db"
    create(path).close()
    other = sqlite3.connect(path)
    wrong = b"something else"
    other.execute("UPDATE blob SET data = ?", (zlib.compress(wrong) if packed else wrong,))
    other.commit()
    other.close()
    with SqliteStore.open(path) as store, pytest.raises(EnvironmentFault, match="damaged"):
        store.blob(ROOT)


def test_two_processes_do_not_write_one_store(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with create(path), pytest.raises(EnvironmentFault, match="in use"):
        SqliteStore.open(path)
    SqliteStore.open(path).close()


def test_refusals_name_the_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no run store"):
        SqliteStore.open(tmp_path / "absent.db")
    create(tmp_path / "run.db").close()
    with pytest.raises(InputError, match="exists"):
        create(tmp_path / "run.db")
    with pytest.raises(EnvironmentFault, match="cannot write"):
        create(tmp_path / "no such folder" / "run.db")


WRITER = textwrap.dedent("""
    import sys
    sys.path.insert(0, sys.argv[2])
    from store_records import accepted, create
    from asmevo.search.store import SqliteStore
    from pathlib import Path
    path = Path(sys.argv[1])
    store = SqliteStore.open(path) if SqliteStore.holds_run(path) else create(path)
    for n in range(store.attempt_count(), 100000):
        data = f"object {n}".encode() * 500
        outcome, node = accepted(n, data)
        store.record(outcome, "rules", node, data)
        print(n, flush=True)
""")


def test_sigkill_at_any_moment_loses_no_recorded_attempt(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    reported = -1
    for round in range(4):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(Path(__file__).parents[1])],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert writer.stdout is not None
        for _ in range(5 + 7 * round):
            reported = int(writer.stdout.readline())
        time.sleep(0.003 * round)
        os.kill(writer.pid, signal.SIGKILL)
        rest = writer.stdout.read().split()
        reported = max([reported, *map(int, rest)])
        assert writer.wait() == -signal.SIGKILL
        with SqliteStore.open(path) as store:
            attempts = store.attempts()
            assert [a.sequence for a in attempts] == list(range(len(attempts)))
            assert len(attempts) > reported  # nothing that was reported is lost
            nodes = store.nodes()
            assert [n.sequence for n in nodes] == list(range(-1, len(attempts)))
            for node in nodes[1:]:
                assert store.blob(node.id) == f"object {node.sequence}".encode() * 500


@pytest.mark.parametrize(
    "change",
    ["update attempt set edits = '[{]'", "update attempt set edits = '[{}]'",
     "update attempt set data = 'x'", "update node set timings = 'garbage'",
     "update node set timings = '[3]'"],
)  # fmt: skip
def test_a_damaged_row_is_named_as_such(tmp_path: Path, change: str) -> None:
    path = tmp_path / "run.db"
    with create(path) as store:
        store.record(attempt(0), "rules")
    with sqlite3.connect(path) as db:
        db.execute(change)
    with SqliteStore.open(path) as store:
        read = store.nodes if "node" in change.split() else store.attempts
        with pytest.raises(StoreDamaged, match="damaged row"):
            read()


# --- readers and the writer ------------------------------------------------------------------
def test_readers_take_no_lock_and_a_second_writer_is_still_kept_out(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with create(path) as store:
        readers = [SqliteReader.open(path) for _ in range(5)]
        assert SqliteStore.holds_run(path)
        with pytest.raises(EnvironmentFault, match="in use"):
            SqliteStore.open(path)
        store.record(attempt(0), "rules")
        assert [r.attempt_count() for r in readers] == [1] * 5
        for r in readers:
            r.close()


def test_neither_waits_for_the_other(tmp_path: Path) -> None:
    """A reader that holds its view for long, and a writer in the middle of a transaction."""
    path = tmp_path / "run.db"
    with create(path) as store, SqliteReader.open(path) as reader:
        for db in (store._db, reader._db):
            db.execute("PRAGMA busy_timeout = 0")  # waiting would be an error at once
        with reader.snapshot():
            for n in range(300):  # more than the 1,000 pages after which SQLite checkpoints
                data = os.urandom(20_000)
                full, node = accepted(n, data)
                store.record(full, "rules", node, data)
            assert reader.attempt_count() == 0
        assert reader.attempt_count() == 300
        store._db.execute("BEGIN IMMEDIATE")
        store._db.execute("DELETE FROM attempt")
        assert reader.attempt_count() == 300
        with SqliteReader.open(path) as late:
            assert late.attempt_count() == 300
        store._db.execute("ROLLBACK")


def test_a_reader_in_another_process_follows_a_search(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    create(path).close()
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_count_on_demand, args=(str(path), theirs))
    process.start()
    with SqliteStore.open(path) as store:
        for n in range(3):
            store.record(attempt(n), "rules")
            ours.send("count")
            assert ours.recv() == n + 1
    ours.send("end")
    process.join(20)
    assert process.exitcode == 0


def _count_on_demand(path: str, pipe: object) -> None:
    with SqliteReader.open(Path(path)) as reader:
        while pipe.recv() == "count":  # type: ignore[attr-defined]
            pipe.send(reader.attempt_count())  # type: ignore[attr-defined]


def test_readers_and_a_writer_at_full_speed(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    faults: list[BaseException] = []
    done = threading.Event()

    def read() -> None:
        try:
            seen = 0
            with SqliteReader.open(path) as reader:
                while not done.is_set():
                    with reader.snapshot():
                        count = reader.attempt_count()
                        assert count >= seen
                        assert [a.sequence for a in reader.attempts()] == list(range(count))
                        assert len(reader.nodes()) == count + 1
                    seen = count
        except BaseException as err:
            faults.append(err)

    with create(path) as store:
        threads = [threading.Thread(target=read) for _ in range(2)]
        for t in threads:
            t.start()
        for n in range(60):
            data = b"object %d" % n
            full, node = accepted(n, data)
            store.record(full, "rules", node, data)
        done.set()
        for t in threads:
            t.join()
    assert not faults


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    create(path).close()
    with SqliteReader.open(path) as reader:
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            reader._db.execute("DELETE FROM node")
        assert not hasattr(reader, "record")


def test_a_store_in_a_read_only_folder_can_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    with create(folder / "run.db") as store:
        store.record(attempt(0), "rules")
    (folder / "run.db.lock").unlink()
    (folder / "run.db").chmod(0o444)
    folder.chmod(0o555)
    try:
        with SqliteReader.open(folder / "run.db") as reader:
            assert reader.attempts() == [attempt(0)]
        assert sorted(p.name for p in folder.iterdir()) == ["run.db"] or os.geteuid() == 0
    finally:
        folder.chmod(0o755)


def test_a_writer_that_was_killed_leaves_a_store_that_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(Path(__file__).parents[1])],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout is not None
    for _ in range(5):
        writer.stdout.readline()
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    writer.stdout.close()
    with SqliteReader.open(path) as reader:
        count = reader.attempt_count()
        assert count >= 5
        assert len(reader.nodes()) == count + 1


def test_other_databases_are_left_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE notes(text TEXT)")
    db.close()
    before = path.read_bytes()
    for use in (SqliteStore.open, SqliteReader.open, create):
        with pytest.raises(InputError, match=r"other\.db"):
            use(path)
    assert not SqliteStore.holds_run(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["other.db"]


@pytest.mark.parametrize("content", [b"\x7fELF" + bytes(900), b"text\n" * 300, b"x", b"PK" * 99])
def test_a_file_of_another_kind_is_a_wrong_input_and_not_damaged(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "k.hsaco"
    path.write_bytes(content)
    for use in (SqliteStore.open, SqliteReader.open, SqliteStore.holds_run, create):
        with pytest.raises(InputError, match=r"k\.hsaco is not a run store") as caught:
            use(path)
        assert "damaged" not in caught.value.one_line()
    assert path.read_bytes() == content
    assert [p.name for p in tmp_path.iterdir()] == ["k.hsaco"]


# --- damage and space ------------------------------------------------------------------------
def test_a_full_disk_is_named_and_nothing_recorded_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with create(path) as store:
        full, node = accepted(0, b"object")
        store.record(full, "rules", node, b"object")
        pages = store._db.execute("PRAGMA page_count").fetchone()[0]
        store._db.execute(f"PRAGMA max_page_count = {pages}")
        data = os.urandom(100_000)
        more, other = accepted(1, data)
        with pytest.raises(StoreFull, match="disk is full") as caught:
            store.record(more, "rules", other, data)
        assert "damaged" not in caught.value.one_line()
        assert "resume" in caught.value.remedy
        assert store.attempts() == [full]
        assert store.blob(node.id) == b"object"
        store._db.execute("PRAGMA max_page_count = 1000000")
        store.record(more, "rules", other, data)  # space was made
    with SqliteStore.open(path) as store:
        assert store.attempts() == [full, more]
        assert store.blob(other.id) == data


def test_a_full_disk_at_the_start_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = sqlite3.connect

    def small(*args: object, **options: object) -> sqlite3.Connection:
        db = real(*args, **options)  # type: ignore[call-overload]
        db.execute("PRAGMA max_page_count = 2")
        return db

    monkeypatch.setattr(sqlite3, "connect", small)
    with pytest.raises(StoreFull, match="disk is full"):
        create(tmp_path / "run.db")
    monkeypatch.undo()
    create(tmp_path / "run.db").close()  # what was begun is no obstacle


LIMITED = textwrap.dedent("""
    import resource, signal, sys
    sys.path.insert(0, sys.argv[2])
    from store_records import accepted, create
    from asmevo.errors import EnvironmentFault
    from pathlib import Path
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    store = create(Path(sys.argv[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
    try:
        for n in range(1000):
            data = f"object {n}".encode() * 500
            attempt, node = accepted(n, data)
            store.record(attempt, "rules", node, data)
            print(n, flush=True)
    except EnvironmentFault as err:
        print(type(err).__name__, err.one_line())
""")


def test_writes_that_fail_lose_nothing_that_was_recorded(tmp_path: Path) -> None:
    assert resource.RLIMIT_FSIZE is not None
    path = tmp_path / "run.db"
    ended = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path), str(Path(__file__).parents[1])],
        capture_output=True,
        text=True,
        check=True,
    )
    *numbers, last = ended.stdout.splitlines()
    assert last.startswith("EnvironmentFault ")
    assert "cannot be read or written" in last
    assert "damaged" not in last
    with SqliteStore.open(path) as store:
        assert len(numbers) <= store.attempt_count() <= len(numbers) + 1
        for node in store.nodes()[1:]:
            assert store.blob(node.id) == f"object {node.sequence}".encode() * 500


@pytest.mark.parametrize("at", [0, 20, 100, 5000])
def test_flipped_bytes_are_damage_and_typed(tmp_path: Path, at: int) -> None:
    path = tmp_path / "run.db"
    with create(path) as store:
        for n in range(20):
            data = b"object %d" % n
            full, node = accepted(n, data)
            store.record(full, "rules", node, data)
    whole = bytearray(path.read_bytes())
    whole[at : at + 40] = bytes(x ^ 0xFF for x in whole[at : at + 40])
    path.write_bytes(whole)
    error: EnvironmentFault | InputError | None = None
    try:
        with SqliteReader.open(path) as reader:
            reader.attempts()
            for node in reader.nodes():
                reader.blob(node.id)
    except (EnvironmentFault, InputError) as err:
        error = err
    assert error is not None or at not in (0, 20)


def test_facts_that_were_lost_are_damage(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    create(path).close()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE run SET config = '{'")
    with SqliteStore.open(path) as store, pytest.raises(StoreDamaged):
        _ = store.run
    with sqlite3.connect(path) as db:
        db.execute("UPDATE run SET schema_version = 'two'")
    with pytest.raises(StoreDamaged, match="damaged"):
        SqliteStore.open(path)
