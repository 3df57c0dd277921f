"""Contracts of the run store, SIGKILL included."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from asmevo.device.protocol import Timing
from asmevo.errors import EnvironmentFault, InputError
from asmevo.program.edit import Edit
from asmevo.search.store import Store
from asmevo.search.types import Attempt, Node, Proposal, Status, object_id

K0 = b"the original object"
ROOT = object_id(K0)
TIMES = (Timing((100.0, 101.0), "cycles", "modelled", 0.25, "class"),)


def create(path: Path) -> Store:
    store = Store.create(path, k0=K0, kernel="k", driver="rules", seed=7, config={"a": [1]})
    store.record_root(Node(ROOT, None, (), TIMES, "original", 0, -1, 1.0))
    return store


def attempt(n: int, status: Status = "divergent", parent: str = ROOT, index: int | None = None):
    edit = Edit(n if index is None else index, n + 1, ("s_nop 0",), "why")
    return Attempt(
        n, Proposal(parent, (edit,), "because", "rule"), status, "differential", "reason",
        data={"x": n},
    )  # fmt: skip


def accepted(n: int, data: bytes) -> tuple[Attempt, Node]:
    outcome = attempt(n, "accepted")
    node = Node(
        object_id(data), ROOT, outcome.proposal.edits, TIMES, "tested-exact", 1, n, 1.25
    )  # fmt: skip
    full = Attempt(
        n, outcome.proposal, "accepted", "commit", "faster", node.id, 1.25, 80.0, {}, 0.5, node.id
    )  # fmt: skip
    return full, node


def test_everything_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with create(path) as store:
        store.record(attempt(0), "rules")
        outcome, node = accepted(1, b"faster object")
        store.record(outcome, "rules", node, b"faster object")
    with Store.open(path) as store:
        assert store.run["k0"] == ROOT
        assert store.run["seed"] == 7
        assert store.run["config"] == {"a": [1]}
        assert store.attempts() == [attempt(0), outcome]
        assert store.attempt_count() == 2
        assert store.node(node.id) == node
        assert store.blob(node.id) == b"faster object"
        assert [n.id for n in store.lineage(node.id)] == [ROOT, node.id]
        assert store.find_attempt(ROOT, outcome.proposal.edit) == outcome


def test_an_identity_is_recorded_once_but_duplicates_as_often_as_they_come(tmp_path: Path) -> None:
    with create(tmp_path / "run.db") as store:
        store.record(attempt(0, index=0), "rules")
        again = Attempt(1, attempt(0).proposal, "divergent", "differential", "")
        with pytest.raises(InputError, match="recorded already"):
            store.record(again, "rules")
        assert store.attempt_count() == 1
        for n in (1, 2):
            duplicate = Attempt(n, attempt(0).proposal, "duplicate", "duplicate", "")
            store.record(duplicate, "rules")
        found = store.find_attempt(ROOT, attempt(0).proposal.edit)
        assert found is not None
        assert found.status == "divergent"


def test_sequence_has_no_gaps(tmp_path: Path) -> None:
    with create(tmp_path / "run.db") as store, pytest.raises(InputError, match="not the next"):
        store.record(attempt(1), "rules")


def test_a_failed_record_leaves_nothing(tmp_path: Path) -> None:
    with create(tmp_path / "run.db") as store:
        outcome, node = accepted(0, b"object")
        with pytest.raises(InputError, match="needs its object"):
            store.record(outcome, "rules", node, None)
        assert store.attempts() == []
        assert len(store.nodes()) == 1


def test_the_same_edit_written_twice_is_one_identity() -> None:
    one = Proposal(ROOT, (Edit(1, 2, ("s_nop  0 ",), "a"), Edit(4, 5, (), "b")))
    two = Proposal(ROOT, (Edit(4, 5, (), ""), Edit(1, 2, (" s_nop 0",), "")), "other words")
    assert one.edit == two.edit
    assert one.edit != Proposal(ROOT, (Edit(1, 2, ("s_nop 1",)), Edit(4, 5, ()))).edit


@pytest.mark.parametrize("packed", [True, False])
def test_a_damaged_object_is_noticed(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / "run.db"
    create(path).close()
    other = sqlite3.connect(path)
    import zlib

    wrong = b"something else"
    other.execute("UPDATE blob SET data = ?", (zlib.compress(wrong) if packed else wrong,))
    other.commit()
    other.close()
    with Store.open(path) as store, pytest.raises(EnvironmentFault, match="damaged"):
        store.blob(ROOT)


def test_two_processes_do_not_write_one_store(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with create(path), pytest.raises(EnvironmentFault, match="in use"):
        Store.open(path)
    Store.open(path).close()


def test_refusals_name_the_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no run store"):
        Store.open(tmp_path / "absent.db")
    create(tmp_path / "run.db").close()
    with pytest.raises(InputError, match="exists"):
        create(tmp_path / "run.db")
    (tmp_path / "text.db").write_text("this is no database, only some text\n" * 40)
    with pytest.raises(EnvironmentFault, match=r"text\.db"):
        Store.open(tmp_path / "text.db")
    with pytest.raises(EnvironmentFault, match="cannot write"):
        create(tmp_path / "no such folder" / "run.db")


def test_another_schema_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    create(path).close()
    other = sqlite3.connect(path)
    other.execute("UPDATE run SET schema_version = 999")
    other.commit()
    other.close()
    with pytest.raises(InputError, match="schema version 999"):
        Store.open(path)


WRITER = textwrap.dedent("""
    import sys
    sys.path.insert(0, sys.argv[2])
    from test_store import accepted, create
    from asmevo.search.store import Store
    from pathlib import Path
    path = Path(sys.argv[1])
    store = Store.open(path) if Store.holds_run(path) else create(path)
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
            [sys.executable, "-c", WRITER, str(path), str(Path(__file__).parent)],
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
        with Store.open(path) as store:
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
    with Store.open(path) as store:
        read = store.nodes if "node" in change.split() else store.attempts
        with pytest.raises(EnvironmentFault, match="damaged row"):
            read()
