"""`asmevo runs`: what a store says of its run, and that looking changes nothing."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
LAUNCH = CHECKOUT / "kernels" / "launch" / "saxpy.yaml"
Run = Callable[..., Any]


@pytest.fixture
def store(run: Run, saxpy: Path, tmp_path: Path) -> Path:
    """A run of saxpy that accepted something, and its object beside it."""
    path = tmp_path / "runs" / "one.db"
    path.parent.mkdir()
    run("optimize", saxpy, "--launch", LAUNCH, "--budget", 6, "-o",
        tmp_path / "k1.hsaco", "--store", path, "--record", tmp_path / "record.json")  # fmt: skip
    return path


def test_the_views_agree_with_the_run_and_leave_it_alone(
    run: Run, store: Path, tmp_path: Path, saxpy: Path
) -> None:
    before = store.read_bytes()
    record = json.loads((tmp_path / "record.json").read_text())
    listed = run("runs", "list", tmp_path, "-f", "json").json
    assert listed["schema"] == "asmevo/runs-list/1"
    [row] = listed["runs"]
    assert (row["store"], row["kernel"], row["attempts"]) == (str(store), "saxpy", 6)
    shown = run("runs", "show", store, "-f", "json").json
    assert sum(g["attempts"] for g in shown["gates"]) == 6
    assert shown["best"]["speedup"] == record["speedup"]
    tree = run("runs", "tree", store, "-f", "json").json
    assert [n["node"] for n in tree["nodes"]] == [n["node"] for n in record["lineage"]]
    assert tree["lines"][0].startswith(hashlib.sha256(saxpy.read_bytes()).hexdigest()[:12])
    assert tree["lines"][-1].endswith("<- best")
    for command in ("show", "tree", "diff"):
        assert run("runs", command, store).code == 0
    assert store.read_bytes() == before


def test_export_gives_the_very_object(run: Run, store: Path, tmp_path: Path, saxpy: Path) -> None:
    best, root = tmp_path / "best.hsaco", tmp_path / "root.hsaco"
    got = run("runs", "export", store, "-o", best, "--record", tmp_path / "steps.json")
    assert got.code == 0, got
    assert best.read_bytes() == (tmp_path / "k1.hsaco").read_bytes()
    assert run("runs", "export", store, "-o", root, "--node", "root").code == 0
    assert root.read_bytes() == saxpy.read_bytes()
    steps = json.loads((tmp_path / "steps.json").read_text())["lineage"]
    assert steps[0]["node"] == hashlib.sha256(saxpy.read_bytes()).hexdigest()
    run("runs", "export", store, "-o", best).complaint(2, "best.hsaco", "--force")


def test_a_diff_shows_what_the_edits_changed(run: Run, store: Path) -> None:
    lines = run("runs", "diff", store, "-f", "json").json["lines"]
    assert lines[0].startswith("--- ")
    assert [x for x in lines[2:] if x.startswith("+")] or [x for x in lines[2:] if x[0] == "-"]
    same = run("runs", "diff", store, "root", "root")
    assert same.result == "Result: PASS (the code is the same)"


@pytest.mark.parametrize("word", ["", "abc", "ffffffffffff", "99", "../x", "-1", "\x1b[31m"])
def test_a_node_that_is_none(run: Run, store: Path, word: str) -> None:
    run("runs", "diff", store, "root", "--", word).complaint(2, "no accepted node")


def test_other_files_are_no_runs(run: Run, tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("no database")
    (tmp_path / "cut.db").write_bytes(b"SQLite format 3\0")
    with sqlite3.connect(tmp_path / "other.db") as db:
        db.execute("CREATE TABLE t (x)")
    (tmp_path / "loop").symlink_to(tmp_path)
    listed = run("runs", "list", tmp_path, "-f", "json")
    assert listed.code == 0
    assert {Path(r["store"]).name for r in listed.json["runs"] if "problem" not in r} == set()
    run("runs", "list", tmp_path / "none").complaint(2, "no folder")
    run("runs", "show", tmp_path / "none.db").complaint(2, "none.db")
