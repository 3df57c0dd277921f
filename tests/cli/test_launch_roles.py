"""`bench` and `optimize` say when a timed launch cannot fill the machine, and time no test."""

from __future__ import annotations

from pathlib import Path

from .conftest import LAUNCHES, Run


def described(tmp_path: Path, more: str) -> Path:
    text = (LAUNCHES / "saxpy.yaml").read_text()
    path = tmp_path / "roles.yaml"
    path.write_text(text.replace("seed: 1", f"seed: 1\n{more}"))
    return path


def test_bench_times_what_is_timed_and_counts_idle_units(
    run: Run, saxpy: Path, tmp_path: Path
) -> None:
    # saxpy: 256 workitems, few registers: 8 workgroups of 4 waves on each of 304 compute units.
    launch = described(tmp_path, "timed: [{n: 65536}, {n: 622592}]")
    data = run("bench", saxpy, "--launch", launch, "-f", "json").json
    assert [r["launch"] for r in data["results"]] == ["n=65536", "n=622592"]
    assert data["untimed"] == 2
    assert data["notes"] == [
        "timed launch n=65536 has 256 workgroups, 2432 fill the machine "
        "(304 compute units with 8 each)"
    ]


def test_no_speed_without_a_timed_launch(run: Run, saxpy: Path, tmp_path: Path) -> None:
    launch = described(tmp_path, "role: test")
    run("bench", saxpy, "--launch", launch).complaint(2, "no launch is timed")
    out = tmp_path / "K1.hsaco"
    run("optimize", saxpy, "--launch", launch, "-o", out, "--budget", "2").complaint(2, "timed")
    assert not out.exists()
    assert run("verify", saxpy, saxpy, "--launch", launch).code == 0


def test_optimize_notes_an_idle_machine(run: Run, saxpy: Path, tmp_path: Path) -> None:
    out = tmp_path / "K1.hsaco"
    got = run("optimize", saxpy, "--launch", LAUNCHES / "saxpy.yaml", "-o", out, "--budget", "2")
    assert "note: timed launch n=1000 has 4 workgroups, 2432 fill the machine" in got.out
