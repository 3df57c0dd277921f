"""The contract of the run store, held by every implementation (see `store/contract.py`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import pytest
from store_records import K0, ROOT, RUN, TIMES, accepted, attempt, with_root

from asmevo.errors import EnvironmentFault, InputError
from asmevo.program.edit import Edit
from asmevo.search.store import MemoryStore, SqliteReader, SqliteStore, Store, StoreReader
from asmevo.search.types import Attempt, Proposal, object_id

Reader = Callable[[], StoreReader]


@pytest.fixture(params=["sqlite", "memory"])
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Store, Reader]]:
    """A store without a root, and how to get a reader beside it."""
    if request.param == "memory":
        kept = MemoryStore(**RUN)
        yield kept, lambda: kept
        return
    path = tmp_path / "run.db"
    with SqliteStore.create(path, **RUN) as store:
        yield store, lambda: SqliteReader.open(path)


@pytest.fixture
def store(stores: tuple[Store, Reader]) -> Store:
    return with_root(stores[0])


def test_facts_of_the_run(store: Store) -> None:
    run = store.run
    assert (run.k0, run.kernel, run.driver, run.seed) == (ROOT, "k", "rules", 7)
    assert run.config == {"a": [1]}
    assert run.created[:2] == "20"
    with pytest.raises(FrozenInstanceError):
        run.seed = 8  # type: ignore[misc]


def test_everything_comes_back_as_it_was(store: Store) -> None:
    store.record(attempt(0), "rules")
    full, node = accepted(1, b"faster object")
    store.record(full, "rules", node, b"faster object")
    assert store.attempts() == [attempt(0), full]
    assert store.attempt_count() == 2
    assert store.attempt(1) == full
    assert store.attempt(2) is None
    assert store.attempt(-1) is None
    assert store.node(node.id) == node
    assert [n.id for n in store.nodes()] == [ROOT, node.id]
    assert store.blob(node.id) == b"faster object"
    assert store.blob(ROOT) == K0
    assert [n.id for n in store.lineage(node.id)] == [ROOT, node.id]
    assert store.find_attempt(ROOT, full.proposal.edit) == full
    assert store.find_object(node.id) == "node"
    assert store.find_object(ROOT) == "node"


def test_what_is_not_there(store: Store) -> None:
    assert store.find_attempt(ROOT, "0" * 64) is None
    assert store.find_object("0" * 64) is None
    with pytest.raises(InputError, match="no accepted node"):
        store.node("0" * 64)
    with pytest.raises(InputError, match="no accepted node"):
        store.lineage("0" * 64)
    with pytest.raises(EnvironmentFault, match="not in the run store"):
        store.blob("0" * 64)


def test_an_identity_is_recorded_once_but_duplicates_as_often_as_they_come(store: Store) -> None:
    store.record(attempt(0, index=0), "rules")
    with pytest.raises(InputError, match="recorded already"):
        store.record(Attempt(1, attempt(0).proposal, "divergent", "differential", ""), "rules")
    assert store.attempt_count() == 1
    for n in (1, 2):
        store.record(Attempt(n, attempt(0).proposal, "duplicate", "duplicate", ""), "rules")
    found = store.find_attempt(ROOT, attempt(0).proposal.edit)
    assert found is not None
    assert found.status == "divergent"


def test_the_first_verdict_on_an_object_is_the_one_that_counts(store: Store) -> None:
    built = object_id(b"some bytes")
    store.record(replace(attempt(0, "duplicate"), object=built), "rules")
    assert store.find_object(built) is None
    store.record(replace(attempt(1, "divergent"), object=built), "rules")
    store.record(replace(attempt(2, "static_invalid"), object=built), "rules")
    assert store.find_object(built) == "divergent"


@pytest.mark.parametrize("n", [1, 2, -1])
def test_sequence_has_no_gaps(store: Store, n: int) -> None:
    with pytest.raises(InputError, match="not the next"):
        store.record(attempt(n), "rules")
    assert store.attempts() == []


def test_what_does_not_belong_together_is_refused_and_leaves_nothing(store: Store) -> None:
    full, node = accepted(0, b"object")
    cases = [
        (full, node, None),
        (full, None, None),
        (full, node, b"other bytes"),
        (full, replace(node, parent=None), b"object"),
        (full, replace(node, sequence=5), b"object"),
        (replace(full, node="0" * 64), node, b"object"),
        (attempt(0), node, b"object"),
        (replace(full, proposal=replace(full.proposal, parent="0" * 64)), node, b"object"),
    ]
    for record, its_node, data in cases:
        with pytest.raises(InputError):
            store.record(record, "rules", its_node, data)
        assert store.attempts() == []
        assert [n.id for n in store.nodes()] == [ROOT]
        assert store.find_object(node.id) is None
    store.record(full, "rules", node, b"object")  # and the store still works
    assert store.attempt_count() == 1


def test_what_was_accepted_is_not_accepted_again(store: Store) -> None:
    full, node = accepted(0, b"object")
    store.record(full, "rules", node, b"object")
    again, other = accepted(1, b"object")
    with pytest.raises(InputError, match="accepted node already"):
        store.record(again, "rules", other, b"object")
    assert store.node(node.id) == node


def test_there_is_one_root_and_it_is_k0(stores: tuple[Store, Reader]) -> None:
    store = stores[0]
    assert store.nodes() == []
    with pytest.raises(InputError, match="root"):
        store.record_root(accepted(0, b"object")[1])
    with_root(store)
    with pytest.raises(InputError, match="root"):
        with_root(store)
    assert len(store.nodes()) == 1


def test_nodes_form_a_tree(store: Store) -> None:
    parent = ROOT
    for n in range(3):
        data = b"object %d" % n
        full, node = accepted(n, data, parent)
        store.record(full, "rules", node, data)
        parent = node.id
    full, node = accepted(3, b"a sibling")
    store.record(full, "rules", node, b"a sibling")
    assert [n.sequence for n in store.lineage(parent)] == [-1, 0, 1, 2]
    assert [n.sequence for n in store.lineage(node.id)] == [-1, 3]
    assert [n.sequence for n in store.nodes()] == [-1, 0, 1, 2, 3]


def test_a_reader_sees_what_was_recorded_before_it_reads(stores: tuple[Store, Reader]) -> None:
    store, reader = with_root(stores[0]), stores[1]
    with reader() as beside:
        for n in range(3):
            store.record(attempt(n), "rules")
            assert beside.attempts() == store.attempts()
        full, node = accepted(3, b"object")
        store.record(full, "rules", node, b"object")
        assert beside.blob(node.id) == b"object"
        assert beside.run == store.run


def test_a_snapshot_stands_still_while_the_writer_goes_on(stores: tuple[Store, Reader]) -> None:
    store, reader = with_root(stores[0]), stores[1]
    store.record(attempt(0), "rules")
    beside = reader()
    with beside.snapshot():
        if beside is not store:
            for n in range(1, 20):
                store.record(attempt(n), "rules")
        assert beside.attempt_count() == 1
        assert beside.attempts() == [attempt(0)]
        assert len(beside.nodes()) == 1
    assert beside.attempts() == store.attempts()
    assert beside.attempt_count() == store.attempt_count()
    store.record(attempt(store.attempt_count()), "rules")
    beside.close()


def test_close_can_be_called_twice(stores: tuple[Store, Reader]) -> None:
    for opened in (stores[1](), stores[0]):
        opened.close()
        opened.close()


def test_the_same_edit_written_twice_is_one_identity() -> None:
    one = Proposal(ROOT, (Edit(1, 2, ("s_nop  0 ",), "a"), Edit(4, 5, (), "b")))
    two = Proposal(ROOT, (Edit(4, 5, (), ""), Edit(1, 2, (" s_nop 0",), "")), "other words")
    assert one.edit == two.edit
    assert one.edit != Proposal(ROOT, (Edit(1, 2, ("s_nop 1",)), Edit(4, 5, ()))).edit


def test_times_keep_their_figures(store: Store) -> None:
    full, node = accepted(0, b"object")
    times = tuple(replace(t, samples=(0.1, 1e-300, 3.0000000000000004)) for t in TIMES)
    node = replace(node, timings=times)
    store.record(full, "rules", node, b"object")
    assert store.node(node.id).timings == times


def test_the_journal_keeps_what_was_noted(stores: tuple[Store, Reader]) -> None:
    kept = with_root(stores[0])
    assert kept.journal() == []
    first = kept.note("call", {"tokens": 12, "text": "caf\u00e9 \x1b[0m", "list": [1, None]})
    kept.note("notes", {})
    kept.note("call", {"tokens": 3})
    assert (first.sequence, first.kind) == (0, "call")
    beside = stores[1]()
    assert [e.sequence for e in beside.journal()] == [0, 1, 2]
    assert beside.journal("call")[0] == first
    assert [e.data for e in beside.journal("call")][1] == {"tokens": 3}
    assert beside.journal("nothing") == []
    assert kept.attempts() == []
    assert len(kept.nodes()) == 1


def test_a_snapshot_holds_the_journal_still(stores: tuple[Store, Reader]) -> None:
    kept = with_root(stores[0])
    kept.note("call", {})
    beside = stores[1]()
    with beside.snapshot():
        kept.note("call", {})
        assert len(beside.journal()) == 1
    assert len(beside.journal()) == 2


def test_what_is_no_json_is_not_noted(stores: tuple[Store, Reader]) -> None:
    kept = with_root(stores[0])
    with pytest.raises(TypeError):
        kept.note("call", {"bytes": b""})
    assert kept.journal() == []
