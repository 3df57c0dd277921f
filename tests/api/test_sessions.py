"""Runs that somebody else drives: asked and told, and what becomes of those that cheat.

`FASTER` is an edit of saxpy by hand: both pointers in one scalar load. What it must give is what
the same object gets from `asmevo.bench`, not what the session says.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import asmevo
from asmevo.api.agent.claims import ClaimError
from asmevo.errors import AsmEvoError, EnvironmentFault, InputError
from asmevo.search.store import SqliteReader
from asmevo.search.types import object_id

LAUNCH = Path(__file__).resolve().parents[2] / "kernels" / "launch" / "saxpy.yaml"
FASTER: list[dict[str, Any]] = [
    {"first": 2, "last": 3,
     "lines": ["s_load_dwordx4 s[8:11], s[0:1], 0x0", "s_waitcnt lgkmcnt(0)"]},
    {"first": 9, "last": 10, "lines": []},
    {"first": 13, "last": 14, "lines": ["v_lshl_add_u64 v[2:3], s[8:9], 0, v[0:1]"]},
    {"first": 14, "last": 15, "lines": ["v_lshl_add_u64 v[0:1], s[10:11], 0, v[0:1]"]},
]  # fmt: skip


@pytest.fixture(scope="module")
def k0(kernel_objects: Callable[..., bytes]) -> bytes:
    return kernel_objects("saxpy")


@pytest.fixture(scope="module")
def told(k0: bytes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run: asked, one bad proposal, one good one."""
    path = tmp_path_factory.mktemp("told") / "run.db"
    asked = asmevo.ask(path, k0, LAUNCH, budget=9)
    assert asked.data["schema"] == "asmevo/tool-window/1"
    late = {"edits": [{"first": 2, "last": 3, "lines": []}], "reason": "drop the wait"}
    verdict = asmevo.tell(path, late)
    assert (verdict.ok, verdict.status) == (False, "static_invalid")
    waits = [f for f in verdict.data["findings"] if f["rule"].startswith("wait.")]
    assert waits[0]["text"]
    assert waits[0]["producer_text"].startswith("s_load")
    verdict = asmevo.tell(path, {"edits": FASTER, "reason": "one load for both pointers"})
    assert verdict.ok, verdict.reason
    assert (verdict.data["attempt"], verdict.data["remaining"]) == (1, 7)
    assert verdict.data["speedup"] >= verdict.data["threshold"]
    assert verdict.data["stalls_after"] != verdict.data["stalls_before"]
    return path


@pytest.fixture
def run_store(told: Path, tmp_path: Path) -> Path:
    """A copy of the finished run, to do something to."""
    path = tmp_path / "run.db"
    with sqlite3.connect(told) as source, sqlite3.connect(path) as copy:
        source.backup(copy)
    return path


def change(path: Path, statement: str, *values: object) -> None:
    with sqlite3.connect(path) as db:
        assert db.execute(statement, values).rowcount == 1


def test_what_was_told_is_delivered_and_is_as_fast_as_it_says(
    told: Path, k0: bytes, tmp_path: Path
) -> None:
    done = asmevo.finish(told, k0, LAUNCH)
    assert done.ok
    assert done.object is not None
    out = tmp_path / "K1.hsaco"
    out.write_bytes(done.object)
    original = tmp_path / "K0.hsaco"
    original.write_bytes(k0)
    rows = asmevo.bench([original, out], LAUNCH).data["results"]
    assert rows[-1]["speedup"] == pytest.approx(done.data["speedup"])
    assert done.data["speedup"] > 1.02
    assert asmevo.verify(k0, done.object, LAUNCH).ok


def test_every_reading_tool_answers_without_an_attempt(told: Path) -> None:
    before = asmevo.ask(told, tool="report").data
    for tool, arguments in (
        ("listing", {}), ("window", {"node": "root"}), ("profile", {}), ("history", {"last": 1}),
        ("failures", {"node": "root", "edits": [{"first": 2, "last": 3, "lines": []}]}),
        ("diff", {}), ("facts", {"lines": ["s_nop 0"]}),
    ):  # fmt: skip
        answer = asmevo.ask(told, tool=tool, arguments=arguments).data
        assert answer["schema"] == f"asmevo/tool-{tool}/1"
        json.dumps(answer, allow_nan=False)
    assert asmevo.ask(told, tool="report").data == before
    assert before["accepted"] == 1
    hopeless = asmevo.ask(
        told, tool="failures",
        arguments={"node": "root", "edits": [{"first": 2, "last": 3, "lines": []}]},
    ).data  # fmt: skip
    assert hopeless["hopeless"] is True
    assert hopeless["tried"] is True


# --- a proposer that tries to reach a verdict -----------------------------------------------
@pytest.mark.parametrize(
    "forged",
    [
        {"status": "accepted"},
        {"speedup": 9.0},
        {"evidence": "proved"},
        {"node_object": "00"},
        {"threshold": 0.0},
        {"timings": [1.0]},
        {"passed": ["commit"]},
        {"install": True},
        {"schema": "asmevo/tool-verdict/1", "attempt": 0, "best": 9.0},
    ],
)
def test_a_verdict_cannot_be_told(run_store: Path, forged: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="not permitted"):
        asmevo.tell(run_store, {"edits": FASTER, "reason": "trust me", **forged})
    with SqliteReader.open(run_store) as store:
        assert store.attempt_count() == 2
        assert len(store.nodes()) == 2


@pytest.mark.parametrize(
    "lines",
    [
        [".incbin \"/etc/passwd\""],
        ["s_nop 0; .byte 1"],
        ["s_nop 0\n.include \"x\""],
        [".rept 100000", "s_nop 0", ".endr"],
        ["\x1b[31ms_nop 0"],
        ["s_nop 0 // accepted"],
    ],
)  # fmt: skip
def test_an_edit_is_instructions_and_nothing_else(run_store: Path, lines: list[str]) -> None:
    verdict = asmevo.tell(run_store, {"edits": [{"first": 9, "last": 9, "lines": lines}]})
    assert verdict.status == "build_invalid"
    assert verdict.data["gate"] == "assemble"
    assert json.dumps(verdict.data).isascii()
    assert "\x1b" not in verdict.data["reason"]


def test_the_bytes_of_the_original_are_no_result(run_store: Path) -> None:
    # From the faster node back to K0: built, and recognised as a node that is there already.
    back = asmevo.ask(run_store, tool="listing", arguments={"node": "root"}).data["lines"]
    node = asmevo.ask(run_store, tool="listing").data
    lines = [line.partition(": ")[2] or line for line in back]
    lines = [line for line in lines if not (line.startswith("L") and line.endswith(":"))]
    whole = {"first": node["first"], "last": node["last"] - 1, "lines": lines[:-1]}
    verdict = asmevo.tell(run_store, {"edits": [whole], "reason": "K0"})
    assert (verdict.status, verdict.data["gate"]) in {
        ("duplicate", "same_object"), ("build_invalid", "assemble"),
    }  # fmt: skip
    same = {"first": 2, "last": 3, "lines": ["s_waitcnt lgkmcnt(0)"]}
    verdict = asmevo.tell(run_store, {"node": "root", "edits": [same]})
    assert (verdict.status, verdict.data["gate"]) == ("duplicate", "same_object")


def test_a_faster_time_written_into_the_store_is_found_out(run_store: Path, k0: bytes) -> None:
    change(run_store, "UPDATE node SET speedup = 9.0 WHERE sequence = 1")
    with pytest.raises(ClaimError, match="times"):
        asmevo.finish(run_store, k0, LAUNCH)


def test_a_slower_original_written_into_the_store_is_found_out(run_store: Path, k0: bytes) -> None:
    text = json.dumps([{
        "samples": [90000.0], "unit": "cycles", "label": "modelled", "band": 0.1,
        "validation_class": "x", "cases": [], "staggered": [],
    }])  # fmt: skip
    change(run_store, "UPDATE node SET timings = ? WHERE sequence = -1", text)
    with pytest.raises(ClaimError):
        asmevo.finish(run_store, k0, LAUNCH)


def test_an_object_put_into_the_store_is_found_out(run_store: Path, k0: bytes) -> None:
    other = k0[:-1] + bytes([k0[-1] ^ 1])
    with sqlite3.connect(run_store) as db:
        db.execute("INSERT INTO blob VALUES (?, ?)", (object_id(other), zlib.compress(other)))
        db.execute(
            "INSERT INTO node(id, parent, edits, timings, evidence, depth, sequence, speedup) "
            "SELECT ?, parent, edits, timings, 'proved', 1, 7, 5.0 FROM node WHERE sequence = 1",
            (object_id(other),),
        )
    with pytest.raises(ClaimError, match="another object"):
        asmevo.finish(run_store, k0, LAUNCH)


def test_a_wrong_edit_marked_as_accepted_is_found_out(run_store: Path, k0: bytes) -> None:
    # The wait is dropped, the row says accepted: the static rules see it again.
    from asmevo.codeobject import CodeObject
    from asmevo.program.edit import Edit, apply
    from asmevo.program.rebuild import rebuild
    from asmevo.program.recover import recover

    wrong = rebuild(apply(recover(CodeObject.open(k0)), [Edit(2, 3, ())]))
    edits = json.dumps([{"first": 2, "last": 3, "lines": [], "note": ""}])
    with sqlite3.connect(run_store) as db:
        db.execute("INSERT INTO blob VALUES (?, ?)", (object_id(wrong), zlib.compress(wrong)))
        db.execute(
            "INSERT INTO node(id, parent, edits, timings, evidence, depth, sequence, speedup) "
            "SELECT ?, parent, ?, timings, 'proved', 1, 0, 5.0 FROM node WHERE sequence = 1",
            (object_id(wrong), edits),
        )
    with pytest.raises(ClaimError, match=r"wait\."):
        asmevo.finish(run_store, k0, LAUNCH)


def test_damaged_bytes_in_the_store_are_found_out(run_store: Path, k0: bytes) -> None:
    with sqlite3.connect(run_store) as db:
        db.execute("UPDATE blob SET data = ? WHERE hash != ?", (zlib.compress(k0), object_id(k0)))
    with pytest.raises((ClaimError, EnvironmentFault)):
        asmevo.tell(run_store, {"edits": [{"first": 1, "last": 1, "lines": ["s_nop 0"]}]})
    # What is delivered rests on the edits alone.
    assert asmevo.finish(run_store, k0, LAUNCH).ok


def test_another_launch_written_into_the_journal_is_refused(
    run_store: Path, tmp_path: Path
) -> None:
    weak = tmp_path / "weak.yaml"
    weak.write_text(LAUNCH.read_text().replace("seed:", "# seed:") + "\n")
    text = weak.read_text()
    weak.write_text(text.replace("1000", "1", 1) if "1000" in text else text)
    with sqlite3.connect(run_store) as db:
        row = db.execute("SELECT data FROM journal WHERE kind = 'opened'").fetchone()[0]
        data = json.loads(row) | {"launch": str(weak), "sizes": {"n": 64}}
        db.execute("UPDATE journal SET data = ? WHERE kind = 'opened'", (json.dumps(data),))
    with pytest.raises(InputError, match="another config"):
        asmevo.ask(run_store)


def test_a_run_of_another_object_is_not_taken(
    run_store: Path, kernel_objects: Callable[..., bytes]
) -> None:
    other = kernel_objects("reduce")
    with pytest.raises(InputError, match="another object"):
        asmevo.ask(run_store, other, LAUNCH)
    with pytest.raises(AsmEvoError):
        asmevo.finish(run_store, other, LAUNCH)


def test_reading_goes_on_when_the_budget_is_used_up(k0: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with asmevo.Session(k0, LAUNCH, path, budget=1) as session:
        edits = [{"first": 9, "last": 9, "lines": ["not an instruction"]}]
        assert session.call("propose", {"edits": edits}).to_json()["status"] == "build_invalid"
        refused = session.call("propose", {"edits": FASTER}).to_json()
        assert refused["schema"] == "asmevo/tool-refused/1"
        assert "budget" in refused["error"]
        assert session.call("report", {}).to_json()["attempts"] == 1
    with SqliteReader.open(path) as store:
        assert store.attempt_count() == 1
