"""`asmevo profile`: text, JSON, a page that escapes what comes from a binary, and a trace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from asmevo.cli.render import profile as render
from asmevo.timing.machine import names

from .conftest import Run
from .test_optimizing import Page

WORDS = (
    "modelled", "core-bound", "memory-bound", "band", "occupancy", "limited by", "LDS", "L1", "L2",
    "last level", "HBM", "roofline", "vmcnt", "usy share", "global_store_dword",
)  # fmt: skip


def test_text_says_where_the_time_goes(run: Run, saxpy: Path, launch: Path) -> None:
    got = run("profile", saxpy, "--launch", launch, "-q")
    assert got.code == 0
    for word in WORDS:
        assert word in got.out, word
    assert got.result == "Result: PASS (modelled, not measured)"


def test_json_is_complete_and_adds_up(run: Run, saxpy: Path, launch: Path) -> None:
    data = run("profile", saxpy, "--launch", launch, "-f", "json").json
    assert data["schema"] == "asmevo/profile/1"
    assert data["label"] == "modelled"
    assert data["machine"]["name"] == "mi300x"
    (entry,) = data["launches"]
    clocks = sum(i["clocks"] for i in entry["instructions"])
    assert clocks == pytest.approx(entry["wave_clocks"])
    for i in entry["instructions"]:
        assert sum(i["stalls"].values()) == pytest.approx(i["clocks"])
    assert sum(entry["stalls"].values()) == pytest.approx(1.0)
    # n = 1000 in workgroups of 256: 4 waves each, of which 16 begin and end.
    first, last = entry["instructions"][0], entry["instructions"][-1]
    assert (first["executions"], last["text"], last["executions"]) == (16, "s_endpgm", 16)
    # x and y are read, y is written: lanes ask for 3 * 1000 * 4 bytes of the L1, none of the LDS.
    assert entry["bytes"]["l1"] == 12_000
    assert entry["bytes"]["lds"] == 0
    # Whole lines of 128 bytes: 2 * 32 are read, 63 sectors of 64 bytes are written.
    assert entry["bytes"]["l2"] == 2 * 32 * 128 + 63 * 64
    assert 0 < entry["core_cycles"] <= entry["cycles"]
    assert entry["microseconds"] == pytest.approx(entry["cycles"] / 2100)
    assert all(0 <= share <= 1 for share in entry["busy"].values())
    assert entry["windows"][0]["share"] >= entry["windows"][-1]["share"]


@pytest.mark.parametrize("machine", ["mi300x", "mi308x", "MI325X", "mi300a"])
def test_a_machine_by_name(run: Run, saxpy: Path, launch: Path, machine: str) -> None:
    data = run(
        "profile", saxpy, "--launch", launch, "--machine", machine, "--size", "n=300000",
        "-f", "json",
    ).json  # fmt: skip
    assert data["machine"]["name"] == machine.lower()
    (entry,) = data["launches"]
    units = {"mi300x": 304, "mi308x": 80, "mi325x": 304, "mi300a": 228}
    assert entry["compute_units"] == units[machine.lower()]


def test_fewer_compute_units_take_longer(run: Run, saxpy: Path, launch: Path) -> None:
    path = saxpy.parent / "mine.yaml"
    path.write_text("schema: asmevo/machine/1\nlike: mi300x\nconstants: {compute_units: 30}\n")
    cycles: list[float] = []
    for machine in ("mi300x", path):
        data = run(
            "bench", saxpy, "--launch", launch, "--machine", machine, "--size", "n=1000000",
            "-f", "json",
        ).json  # fmt: skip
        cycles.append(data["results"][0]["cycles"])
        assert data["results"][0]["machine"].startswith(Path(machine).stem)
    assert cycles[1] > 2 * cycles[0]


@pytest.mark.parametrize("name", ["profile", "bench", "optimize"])
@pytest.mark.parametrize(
    ("machine", "words"),
    [
        ("mi400", ("no machine 'mi400'", *names())),
        ("mi350x", ("mi350x runs gfx950", "gfx942", "mi308x")),
        ("bad.yaml", ("bad.yaml", "unknown constant 'warps'")),
        ("K0.hsaco", ("cannot be read",)),
    ],
)
def test_a_wrong_machine_is_one_line(
    run: Run, saxpy: Path, launch: Path, name: str, machine: str, words: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(saxpy.parent)
    Path("bad.yaml").write_text("schema: asmevo/machine/1\nlike: mi300x\nconstants: {warps: 1}\n")
    output = ["-o", "K1.hsaco", "--budget", "1"] if name == "optimize" else []
    run(name, saxpy, "--launch", launch, "--machine", machine, *output).complaint(2, *words)
    assert not Path("K1.hsaco").exists()


def test_the_page_stands_alone(run: Run, saxpy: Path, launch: Path) -> None:
    got = run("profile", saxpy, "--launch", launch, "-f", "html", "-q")
    assert got.code == 0
    page = Page(got.out)
    for word in WORDS:
        assert word in page.text, word
    assert "<" not in page.text
    assert not {"script", "link", "img", "iframe"} & set(page.tags)
    assert "http:" not in got.out
    assert "https" not in got.out
    assert "width=device-width" in got.out


def test_the_page_escapes_what_comes_from_a_binary(run: Run, saxpy: Path, launch: Path) -> None:
    data: dict[str, Any] = run("profile", saxpy, "--launch", launch, "-f", "json").json
    evil = "</title></style><script>alert(1)</script>\x1b[31m<img src=x onerror=alert(1)>\"'&"
    data["kernel"] = data["machine_title"] = data["machine"]["chip"] = evil
    data["notes"] = [evil]
    entry = data["launches"][0]
    entry["launch"]["label"] = entry["validation_class"] = evil
    for row in entry["instructions"]:
        row["text"] = row["label"] = evil
    page = Page(render.html(data))
    assert not {"script", "img"} & set(page.tags)
    assert "<script>alert(1)</script>" in page.text
    assert "\x1b" not in render.html(data)


def test_the_trace_is_one_that_viewers_read(
    run: Run, saxpy: Path, launch: Path, tmp_path: Path
) -> None:
    """Trace Event Format: complete events with ts and dur in microseconds, on named threads."""
    out = tmp_path / "trace.json"
    assert run("profile", saxpy, "--launch", launch, "--perfetto", out, "-q").code == 0
    trace = json.loads(out.read_text())
    assert isinstance(trace["traceEvents"], list)
    assert trace["displayTimeUnit"] in ("ms", "ns")
    assert trace["otherData"]["label"] == "modelled"
    named = {(e["pid"], e["tid"]) for e in trace["traceEvents"] if e["name"] == "thread_name"}
    ends: dict[tuple[int, int], float] = {}
    for event in trace["traceEvents"]:
        assert event["ph"] in ("X", "M")
        assert isinstance(event["pid"], int)
        assert isinstance(event["tid"], int)
        if event["ph"] == "M":
            assert event["name"] in ("process_name", "thread_name")
            assert isinstance(event["args"]["name"], str)
            continue
        thread = (event["pid"], event["tid"])
        assert thread in named
        assert event["dur"] >= 0
        assert event["ts"] >= ends.get(thread, 0.0) - 1e-9  # in turn, none overlapping
        ends[thread] = event["ts"] + event["dur"]
    assert len(ends) == 4  # one workgroup of four waves on a compute unit
    again = run("profile", saxpy, "--launch", launch, "--perfetto", out)
    again.complaint(2, "exists")


def test_run_points_to_it(run: Run, saxpy: Path, launch: Path) -> None:
    assert "asmevo profile" in run("run", saxpy, "--launch", launch, "--profile", "-q").out
