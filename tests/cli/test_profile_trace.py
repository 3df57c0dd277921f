"""`asmevo profile --trace`: a trace of the user's own sets latencies and hot windows."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import asmevo
from asmevo.timing.static import Kind, static_program

from .conftest import Run

LATENCY = 5000


def write_att(folder: Path, k0: Path, latency: int = LATENCY, base: int = 0x7000) -> Path:
    """A decoded thread trace of one wave of saxpy, as rocprofv3 --att leaves it, made by hand.

    Every instruction takes 4 clocks; a wait for vector memory ends `latency` clocks after the load
    issued that it waits for.
    """
    program = asmevo.profile(k0, k0.parent / "launch.yaml").program
    kernel = program.kernel_function(program.object.kernels[0])
    flat = static_program(program.instructions, program.target, program.offsets)
    code: list[list[Any]] = [["; saxpy", 0, 0, "", 0, 0, 0, 0, 0, 0]]
    events: list[list[int]] = []
    time, loads = 100, []
    for i in range(kernel.first, kernel.last):
        line = len(code)
        code.append(
            [program.instructions[i].text, 0, line, "", 1, base + program.offsets[i], 1, 0, 0, 0]
        )
        stall, duration = 0, 4
        if flat.kind[i] == Kind.VMEM:
            loads.append(time)
        if flat.kind[i] == Kind.WAIT and 0 <= flat.wait_vm[i] < len(loads):
            last = loads[len(loads) - 1 - int(flat.wait_vm[i])]
            stall = duration = max(4, last + latency - time)
            loads = loads[len(loads) - int(flat.wait_vm[i]) :]
        events.append([time, int(flat.kind[i]), stall, duration, line])
        time += duration
    folder = folder / "ui_output_agent_1_dispatch_1"
    folder.mkdir(parents=True)
    header = "ISA, _, LineNumber, Source, Codeobj, Vaddr, Hit, Latency, Stall, Idle"
    (folder / "code.json").write_text(json.dumps({"code": code, "header": header}))
    wave = {"name": "SE0", "wave": {"instructions": events, "simd": 0, "slot": 0}}
    (folder / "se0_sm0_sl0_wv0.json").write_text(json.dumps(wave))
    return folder.parent


def write_rocpd(path: Path, kernel: str, suffix: str = "") -> Path:
    """A rocpd database with three dispatches of a kernel and one of another."""
    base = sqlite3.connect(path)
    base.execute(
        f'CREATE TABLE "rocpd_info_kernel_symbol{suffix}" (id INTEGER, kernel_name TEXT, '
        "display_name TEXT)"
    )
    base.execute(
        f'CREATE TABLE "rocpd_kernel_dispatch{suffix}" (kernel_id INTEGER, start INTEGER, '
        '"end" INTEGER)'
    )
    symbols = [(1, f"{kernel}.kd", kernel), (2, "other.kd", "other")]
    base.executemany(f'INSERT INTO "rocpd_info_kernel_symbol{suffix}" VALUES (?, ?, ?)', symbols)
    rows = [(1, 0, 9000), (1, 10_000, 17_000), (1, 20_000, 28_000), (2, 0, 1)]
    base.executemany(f'INSERT INTO "rocpd_kernel_dispatch{suffix}" VALUES (?, ?, ?)', rows)
    base.commit()
    base.close()
    return path


def test_latencies_and_hot_windows_come_from_the_trace(
    run: Run, saxpy: Path, launch: Path, tmp_path: Path
) -> None:
    trace = write_att(tmp_path / "trace", saxpy)
    plain = run("profile", saxpy, "--launch", launch, "-f", "json").json
    data = run("profile", saxpy, "--launch", launch, "--trace", trace, "-f", "json").json
    assert plain["measured"] is None
    seen = data["measured"]
    assert seen["label"] == "measured"
    assert seen["waves"] == 1
    known = {r["index"]: r["latency"] for r in seen["instructions"] if r["latency"] is not None}
    # The wait stands for both loads: it says when the last one came.
    assert list(known.values()) == [LATENCY]
    (window, *_) = seen["windows"]
    waits = [r["index"] for r in seen["instructions"] if "vmcnt" in r["text"]]
    assert any(window["first"] <= i < window["last"] for i in waits)
    before, after = plain["launches"][0]["cycles"], data["launches"][0]["cycles"]
    assert after > before + 0.5 * LATENCY
    slower = run(
        "profile", saxpy, "--launch", launch, "--trace",
        write_att(tmp_path / "more", saxpy, 2 * LATENCY, base=0x123400), "-f", "json",
    ).json  # fmt: skip
    assert slower["launches"][0]["cycles"] == pytest.approx(after + LATENCY, abs=200)
    text = run("profile", saxpy, "--launch", launch, "--trace", trace, "-q").out
    assert "measured: 1 wave traced by instruction; latencies of 1 load are the trace's" in text
    assert "measured hot windows" in text
    page = run("profile", saxpy, "--launch", launch, "--trace", trace, "-f", "html", "-q").out
    assert "Measured" in page


@pytest.mark.parametrize("suffix", ["", "_0a1b2c"])
def test_durations_come_from_rocpd(
    run: Run, saxpy: Path, launch: Path, tmp_path: Path, suffix: str
) -> None:
    (tmp_path / "out").mkdir()
    write_rocpd(tmp_path / "out" / "1234_results.db", "saxpy", suffix)
    data = run(
        "profile", saxpy, "--launch", launch, "--trace", tmp_path / "out", "-f", "json"
    ).json  # fmt: skip
    assert data["measured"]["dispatches"] == 3
    assert data["measured"]["median_microseconds"] == 8.0
    text = run("profile", saxpy, "--launch", launch, "--trace", tmp_path / "out", "-q").out
    assert "3 dispatches, median 8.0 us" in text


@pytest.mark.parametrize(
    "kind", ["missing", "empty", "garbage", "short", "other", "database", "dispatches", "numbers"]
)
def test_a_trace_that_tells_nothing_is_one_line(
    run: Run, saxpy: Path, launch: Path, tmp_path: Path, kind: str
) -> None:
    place = tmp_path / "trace"
    place.mkdir()
    words: tuple[str, ...] = ("holds no decoded thread trace",)
    if kind == "missing":
        place, words = tmp_path / "none", ("no such file",)
    elif kind == "garbage":
        (place / "code.json").write_text("{" * 10)
        words = ("is no trace",)
    elif kind == "short":
        (place / "code.json").write_text('{"code": [["s_endpgm"]]}')
        words = ("is no decoded thread trace",)
    elif kind == "other":
        rows = [[f"v_mov_b32_e32 v{n}, 0", 0, n, "", 1, 4 * n, 1, 0, 0, 0] for n in range(40)]
        (place / "code.json").write_text(json.dumps({"code": rows}))
        words = ("is of other code", "saxpy")
    elif kind == "database":
        (place / "x.db").write_bytes(b"SQLite format 3\x00" + b"\xff" * 2000)
        words = ("x.db",)
    elif kind == "dispatches":
        write_rocpd(place / "x.db", "another")
        words = ("is of other code",)
    elif kind == "numbers":
        write_att(place, saxpy)
        wave = next(place.rglob("se0*.json"))
        wave.write_text('{"wave": {"instructions": [["a", 1, 2, 3, 4]]}}')
        words = ("is no decoded thread trace",)
    run("profile", saxpy, "--launch", launch, "--trace", place).complaint(2, *words)
