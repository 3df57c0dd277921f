"""The whole path: demo, optimize, a separate verify, resume, and the HTML report."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import asmevo
from asmevo.cli.render.report import render
from asmevo.codeobject import CodeObject
from asmevo.verify.oracle import DifferentialOracle
from asmevo.verify.report import VerifyReport

from .conftest import LAUNCHES, Run, contents

VOID = {"meta", "br", "hr", "img", "input", "link", "path", "circle", "line", "rect", "polyline"}


class Page(HTMLParser):
    """Collects tags and text, and sees that the tags are balanced."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in VOID:
            self._open.append(tag)
        assert not any(name.startswith("on") for name, _ in attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of `asmevo demo`, made once."""
    from asmevo.cli.main import main

    folder = tmp_path_factory.mktemp("demo") / "demo"
    assert main(["demo", "-o", str(folder)]) == 0
    return folder


def test_the_readme_shows_what_the_demo_gives(run: Run, demo: Path) -> None:
    """The worked example was run: its figures are those of today's search and model."""
    page = (Path(__file__).resolve().parents[2] / "README.md").read_text()
    record = json.loads((demo / "record.json").read_text())
    verdicts = ", ".join(f"{n} {word}" for word, n in sorted(record["verdicts"].items()))
    shown = [
        f"K0 {record['k0'][:12]}",
        f"{record['attempts']} attempts, stopped: {record['stopped']}; {verdicts}",
        *(f"{n['speedup']:.4f}x  {n['evidence_class']}" for n in record["lineage"][1:]),
        f"Result: PASS ({record['speedup']:.4f}x modelled)",
    ]
    for one in record["launches"]:
        shown.append(f"{one['k0']:.0f}       {one['k1']:.0f}  {one['speedup']:.4f}x")
    judged = run("verify", demo / "K0.hsaco", demo / "K1.hsaco", "--launch", demo / "launch.yaml")
    for line in (*shown, *judged.out.splitlines()):
        assert line in page, line


def test_demo_accepts_an_edit_and_a_separate_verify_agrees(run: Run, demo: Path) -> None:
    names = {"K0.hsaco", "K1.hsaco", "launch.yaml", "record.json", "report.html"}
    assert set(contents(demo)) == names
    record = json.loads((demo / "record.json").read_text())
    assert record["schema"] == "asmevo/optimize/1"
    assert record["label"] == "modelled"
    assert record["k1_time"] < record["k0_time"]
    assert record["verdicts"]["accepted"] >= 1
    assert len(record["attempt_log"]) == record["attempts"]
    got = run("verify", demo / "K0.hsaco", demo / "K1.hsaco", "--launch", demo / "launch.yaml")
    assert got.code == 0
    assert got.result == "Result: PASS (tested-exact)"
    bench = run("bench", demo / "K0.hsaco", demo / "K1.hsaco", "--launch", demo / "launch.yaml",
                "-f", "json").json  # fmt: skip
    cycles = [r["cycles"] for r in bench["results"] if r["object"].endswith("K0.hsaco")]
    assert sum(cycles) == record["k0_time"]
    assert run("check", demo / "K1.hsaco", "--against", demo / "K0.hsaco").code == 0


def test_the_optimized_object_has_the_same_interface(demo: Path) -> None:
    k0, k1 = (CodeObject.open((demo / name).read_bytes()) for name in ("K0.hsaco", "K1.hsaco"))
    (a,), (b,) = k0.kernels, k1.kernels
    assert (a.name, a.symbol, a.metadata.args) == (b.name, b.symbol, b.metadata.args)
    assert a.descriptor.kernarg_size == b.descriptor.kernarg_size
    assert k0.text != k1.text


def test_report_is_well_formed_and_needs_no_network(demo: Path) -> None:
    text = (demo / "report.html").read_text()
    page = Page(text)
    assert "rmsnorm" in page.text
    assert "modelled" in page.text
    assert "<" not in page.text  # nothing was escaped twice
    assert page.tags.count("table") >= 5
    assert not {"script", "link", "img", "iframe"} & set(page.tags)
    assert "http://" not in text
    assert "https://" not in text


def test_report_escapes_hostile_text(demo: Path) -> None:
    record: dict[str, Any] = json.loads((demo / "record.json").read_text())
    evil = "</title></pre><script>alert(1)</script>\x1b[31m<img src=x onerror=alert(1)>\"'&"

    def poison(value: Any) -> Any:
        if isinstance(value, str):
            return evil
        if isinstance(value, list):
            return [poison(v) for v in value]
        if isinstance(value, dict):
            return {k: v if k == "label" else poison(v) for k, v in value.items()}
        return value

    hostile = {k: v if k in ("label", "unit") else poison(v) for k, v in record.items()}
    hostile["verdicts"] = {evil: 3}
    edit = {"note": evil, "first": 0, "before": [evil, "x"], "after": ["x", evil]}
    steps = [{"sequence": 1, "speedup": 1.5, "evidence": evil, "edits": [edit] * 30}]
    page = Page(render(hostile, steps))
    assert not {"script", "img"} & set(page.tags)
    assert "<script>alert(1)</script>" in page.text  # as text
    assert "\x1b" not in page.text


def test_equal_seeds_give_equal_records(run: Run, saxpy: Path, launch: Path) -> None:
    folder = saxpy.parent
    for name in ("a", "b"):
        got = run("optimize", saxpy, "--launch", launch, "--budget", 12, "--seed", 3,
                  "--driver", "evolve", "-o", folder / f"{name}.hsaco",
                  "--record", folder / f"{name}.json")  # fmt: skip
        assert got.code in (0, 1)
    assert (folder / "a.json").read_text() == (folder / "b.json").read_text()


def test_a_search_without_success(run: Run, saxpy: Path, launch: Path) -> None:
    folder = saxpy.parent
    got = run("optimize", saxpy, "--launch", launch, "--budget", 1, "--driver", "random",
              "-o", folder / "K1", "--record", folder / "r.json",
              "--report", folder / "r.html")  # fmt: skip
    assert got.code == 1
    assert got.result == "Result: FAIL (no accepted edit; no object written)"
    assert not (folder / "K1").exists()
    assert json.loads((folder / "r.json").read_text())["k1"] is None
    assert "no speedup" in Page((folder / "r.html").read_text()).text


def test_no_budget_writes_no_object(run: Run, saxpy: Path, launch: Path) -> None:
    before = contents(saxpy.parent)
    got = run("optimize", saxpy, "--launch", launch, "--budget", 0, "-o", saxpy.parent / "K1")
    assert got.code in (1, 2)
    assert contents(saxpy.parent) == before


def test_killed_and_resumed(run: Run, kernel_objects: Callable[..., bytes], tmp_path: Path) -> None:
    """Killed in the middle, a resumed run repeats no attempt and ends like an undisturbed one."""
    folder, store, k0 = tmp_path, tmp_path / "run.db", tmp_path / "K0.hsaco"
    k0.write_bytes(kernel_objects("reduce"))
    arguments = ["optimize", str(k0), "--launch", str(LAUNCHES / "reduce.yaml"), "--budget", "24",
                 "--seed", "5", "--driver", "anneal"]  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-m", "asmevo.cli.main", *arguments, "-o", str(folder / "K1"),
         "--store", str(store)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None and _attempts(store) < 2:
        time.sleep(0.01)
    process.kill()
    assert process.wait() == -signal.SIGKILL  # it was still at work
    done = _attempts(store)
    assert 2 <= done < 24
    again = run(*arguments, "-o", folder / "K1", "--store", store, "--resume", "-f", "json")
    assert again.code in (0, 1)
    straight = run(*arguments, "-o", folder / "K2", "-f", "json")
    assert again.json["replayed"] >= done
    keep = ("attempts", "verdicts", "speedup", "k1", "lineage")
    assert {k: again.json[k] for k in keep} == {k: straight.json[k] for k in keep}


def _attempts(store: Path) -> int:
    if not store.exists():
        return 0
    try:
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as db:
            tables = [n for (n,) in db.execute("select name from sqlite_master where type='table'")]
            if "attempt" not in tables:
                return 0
            return db.execute("select count(*) from attempt").fetchone()[0]
    except sqlite3.Error:
        return 0  # not made yet, or busy


def test_resume_refuses_another_run(run: Run, saxpy: Path, launch: Path) -> None:
    store = saxpy.parent / "run.db"
    base = ("optimize", saxpy, "--launch", launch, "--budget", 2, "-o", saxpy.parent / "K1",
            "--force")  # fmt: skip
    assert run(*base, "--store", store).code in (0, 1)
    run(*base, "--store", store).complaint(2, "run.db", "resume")
    run(*base, "--store", store, "--resume", "--seed", 9).complaint(2)
    # A copy of K0 is no result of the run: --resume alone does not replace it.
    copy = saxpy.parent / "copy.hsaco"
    copy.write_bytes(saxpy.read_bytes())
    again = ("optimize", saxpy, "--launch", launch, "--budget", 2, "--store", store, "--resume")
    run(*again, "-o", copy).complaint(2, "copy.hsaco exists")
    assert copy.read_bytes() == saxpy.read_bytes()
    store.write_bytes(store.read_bytes()[:5000])
    run(*base, "--store", store, "--resume").complaint(4, "run.db")
    store.write_bytes(b"no database" * 100)
    run(*base, "--store", store, "--resume").complaint(2, "run.db", "not a run store")


def test_interrupted_by_the_user(kernel_objects: Callable[..., bytes], tmp_path: Path) -> None:
    store, k0 = tmp_path / "run.db", tmp_path / "K0.hsaco"
    k0.write_bytes(kernel_objects("reduce"))
    process = subprocess.Popen(
        [sys.executable, "-m", "asmevo.cli.main", "optimize", str(k0), "--launch",
         str(LAUNCHES / "reduce.yaml"), "--budget", "5000", "-o", str(tmp_path / "K1"),
         "--store", str(store)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None and _attempts(store) < 1:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "stopped: interrupted" in out
    found = (tmp_path / "K1").exists()  # whether the first attempts happened to be accepted
    assert out.splitlines()[-1].startswith(f"Result: {'PASS' if found else 'FAIL'} (interrupted; ")
    assert "--resume" in err
    assert "Traceback" not in err


def test_a_winner_that_fails_its_final_verification_is_not_written(
    run: Run, demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = DifferentialOracle.verify

    def verify(self: DifferentialOracle, candidate: bytes, capsules: Any) -> VerifyReport:
        if self.config.matrix == "exact" and candidate != self.k0:
            return VerifyReport("divergent", "y differs with other junk")
        return real(self, candidate, capsules)

    monkeypatch.setattr(DifferentialOracle, "verify", verify)
    out = tmp_path / "K1.hsaco"
    told = run("optimize", demo / "K0.hsaco", "--launch", demo / "launch.yaml", "--budget", 8,
               "-o", out)  # fmt: skip
    assert told.code != 0
    assert "failed its final verification" in told.out + told.err
    assert "y differs with other junk" in told.out + told.err
    assert not out.exists()


def test_a_refused_winner_leaves_its_parent(
    demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused: list[bytes] = []
    real = DifferentialOracle.verify

    def verify(self: DifferentialOracle, candidate: bytes, capsules: Any) -> VerifyReport:
        if self.config.matrix == "exact" and candidate != self.k0 and not refused:
            refused.append(candidate)
            return VerifyReport("divergent", "y differs with other junk")
        return real(self, candidate, capsules)

    monkeypatch.setattr(DifferentialOracle, "verify", verify)
    found = asmevo.optimize(demo / "K0.hsaco", demo / "launch.yaml", budget=16)
    data = found.data
    (first,) = data["refused"]
    assert first["reason"] == "y differs with other junk"
    assert "1 accepted object failed its final verification" in found.reason
    parents = {n.id: n.parent for n in (found.search.root, *found.search.lineage)}
    if found.object is None:
        assert data["k1"] is None
    else:
        assert found.object not in refused
        assert data["speedup"] < first["speedup"]
        assert data["k1"] in parents
        assert [n["node"] for n in data["lineage"]] == list(parents)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("format", ["text", "json"])
def test_an_interrupted_search_writes_what_it_accepted(
    run: Run, kernel_objects: Callable[..., bytes], tmp_path: Path, number: int, format: str
) -> None:
    """Without a store, too: a signal does not throw an accepted object away."""
    k0, k1, record = (tmp_path / n for n in ("K0.hsaco", "K1.hsaco", "r.json"))
    k0.write_bytes(kernel_objects("reduce"))
    launch = LAUNCHES / "reduce.yaml"
    process = subprocess.Popen(
        [sys.executable, "-m", "asmevo.cli.main", "optimize", k0, "--launch", launch, "--budget",
         "50000", "-o", k1, "--record", record, "-v", "-f", format],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    assert process.stderr is not None
    for line in process.stderr:  # the lines that -v writes every second
        if "best 1.0" in line and "best 1.0000x" not in line:
            break
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert json.loads(record.read_text())["stopped"] == "interrupted"
    assert "interrupted: what was accepted until then is the result" in err
    # The verdict is that of the object; that the search was cut short is the exit code's to say.
    if format == "json":
        told = json.loads(out)
        assert told["ok"]
        assert (told["status"], told["output"]) == ("accepted", str(k1))
        assert told["k1_time"] < told["k0_time"]
    else:
        assert out.splitlines()[-1].startswith("Result: PASS (interrupted; 1.")
        assert f"wrote {k1}" in out
    assert run("verify", k0, k1, "--launch", launch).code == 0
