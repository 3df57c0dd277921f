"""The commands of other programs that drive a run."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from .conftest import Run


def test_a_run_is_asked_told_and_finished(
    run: Run, saxpy: Path, launch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, out = tmp_path / "run.db", tmp_path / "K1.hsaco"
    got = run("ask", "--store", store, saxpy, "--launch", launch, "-q", "-f", "json")
    assert got.code == 0
    assert got.json["schema"] == "asmevo/ask/1"
    assert got.json["answer"]["schema"] == "asmevo/tool-window/1"
    first = got.json["answer"]["first"]

    proposal = tmp_path / "proposal.json"
    edit = {"first": first, "last": first, "lines": ["s_nop 0"]}
    proposal.write_text(json.dumps({"edits": [edit], "reason": "slower on purpose"}))
    got = run("tell", "--store", store, proposal, "-q", "-f", "json")
    assert got.code == 1
    assert got.json["schema"] == "asmevo/tell/1"
    assert (got.json["ok"], got.json["status"]) == (False, "insufficient_speedup")

    data = json.dumps({"edits": [edit], "reason": "again"}).encode()
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    got = run("tell", "--store", store, "-", "-q")
    assert got.code == 1
    assert got.result.startswith("Result: FAIL (the same edit")

    got = run("finish", saxpy, "--launch", launch, "--store", store, "-o", out, "-q")
    assert got.code == 1
    assert got.result == "Result: FAIL (nothing was accepted)"
    assert not out.exists()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not JSON"),
        ("[1, 2]", "no JSON object"),
        ('{"edits": []}', "at least 1 item"),
        ('{"edits": [{"first": -1, "last": 0, "lines": []}]}', "greater than or equal to 0"),
        ('{"edits": [{"first": 0, "last": 1, "lines": "s_nop 0"}]}', "valid list"),
        ('{"edits": [{"first": 0, "last": 1, "lines": []}], "status": "accepted"}', "permitted"),
        ('{"node": "ffffffff", "edits": [{"first": 0, "last": 1, "lines": []}]}', "no accepted"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_a_malformed_proposal_is_one_line_and_no_attempt(
    run: Run, saxpy: Path, launch: Path, tmp_path: Path, text: str, says: str
) -> None:
    store, proposal = tmp_path / "run.db", tmp_path / "proposal.json"
    assert run("ask", "--store", store, saxpy, "-l", launch, "--tool", "report", "-q").code == 0
    proposal.write_text(text)
    got = run("tell", "--store", store, proposal, "-q")
    assert got.code == 2
    assert says in got.err
    assert got.err.count("\n") == 1
    again = run("ask", "--store", store, "--tool", "report", "-q", "-f", "json")
    assert again.json["answer"]["attempts"] == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--tool", "accept"), "does not read"),
        (("--tool", "propose"), "does not read"),
        (("--tool", "window", "--arguments", "5"), "no JSON object"),
        (("--tool", "window", "--arguments", '{"rank": 63}'), "windows"),
    ],
)
def test_what_cannot_be_asked(
    run: Run, saxpy: Path, launch: Path, tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    store = tmp_path / "run.db"
    got = run("ask", "--store", store, saxpy, "--launch", launch, "-q", *arguments)
    assert got.code == 2
    assert says in got.err


def test_a_run_that_is_not_there(run: Run, saxpy: Path, launch: Path, tmp_path: Path) -> None:
    store = tmp_path / "run.db"
    assert run("ask", "--store", store, "-q").code == 2
    assert run("ask", "--store", store, saxpy, "-q").code == 2
    out = tmp_path / "K1.hsaco"
    got = run("finish", saxpy, "-l", launch, "--store", store, "-o", out, "-q")
    assert got.code == 2
    assert not store.exists()
