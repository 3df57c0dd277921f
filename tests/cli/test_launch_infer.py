"""`launch infer` from the command line: the file runs as it is, and says what it does not know."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from .conftest import LAUNCHES, Run

TTIR = """
tt.func public @saxpy(%x_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y_ptr: !tt.ptr<f32>,
 %alpha: f32, %count: i32) attributes {noinline = false} {
"""


def test_what_is_inferred_runs_and_verifies(run: Run, saxpy: Path, tmp_path: Path) -> None:
    launch = tmp_path / "inferred.yaml"
    got = run("launch", "infer", saxpy, "-o", launch)
    assert got.code == 0, got.err
    assert got.result == "Result: PASS (1 questions left)"
    assert run("run", saxpy, "--launch", launch).code == 0
    assert run("verify", saxpy, saxpy, "--launch", launch).code == 0
    run("launch", "infer", saxpy, "-o", launch).complaint(2, "exists", "--force")


def test_json_has_reasons_questions_and_the_trial(run: Run, saxpy: Path) -> None:
    data = run("launch", "infer", saxpy, "-f", "json").json
    assert data["schema"] == "asmevo/launch-infer/1"
    assert [a.get("role") for a in data["args"]] == ["in", "inout", None, None]
    assert all(a["reasons"] for a in data["args"])
    assert data["questions"] == ["what is arg2? 1.0 was taken"]
    assert data["trial"]["written"]["arg1"] > 0


def test_triton_files_beside_the_object_give_names_types_and_block(
    run: Run, saxpy: Path, tmp_path: Path
) -> None:
    path = tmp_path / "named.hsaco"
    shutil.copy(saxpy, path)
    path.with_suffix(".ttir").write_text(TTIR)
    path.with_suffix(".json").write_text(json.dumps({"num_warps": 4, "shared": 0}))
    data = run("launch", "infer", path, "-f", "json").json
    assert [a["name"] for a in data["args"]] == ["x_ptr", "y_ptr", "alpha", "count"]
    assert "Triton's .ttir" in data["args"][0]["reasons"][0]
    assert data["reasons"]["block"] == "num_warps in Triton's .json"


def test_sizes_and_bad_input(run: Run, saxpy: Path, tmp_path: Path) -> None:
    assert run("launch", "infer", saxpy, "--size", "arg3=300", "-f", "json").json["sizes"] == {
        "arg3": 300
    }
    run("launch", "infer", saxpy, "--size", "nope=3").complaint(2, "nope", "arg3")
    run("launch", "infer", saxpy, "--size", "arg3").complaint(2, "NAME=EXPRESSION")
    run("launch", "infer", saxpy, "--kernel", "other").complaint(2, "other")
    run("launch", "infer", tmp_path / "none").complaint(2, "none")
    text = tmp_path / "text"
    text.write_text("no object")
    assert run("launch", "infer", text).code in (2, 3)


def test_a_launch_that_changes_nothing_is_no_silent_success(
    run: Run, saxpy: Path, tmp_path: Path
) -> None:
    """y = 0 * x + y leaves y as it is: run says so in its last line, verify does not accept it."""
    text = (LAUNCHES / "saxpy.yaml").read_text()
    launch = tmp_path / "idle.yaml"
    launch.write_text(text.replace("value: 2.5", "value: 0.0"))
    got = run("run", saxpy, "--launch", launch)
    assert "no buffer was changed by launch n=1000, n=65" in got.result
    # No element is reached at all: nothing is written, so nothing was compared.
    launch.write_text(
        text.replace("{name: n, dtype: i32, value: n}", "{name: n, dtype: i32, value: 0}")
    )
    run("verify", saxpy, saxpy, "--launch", launch).complaint(2, "writes no output")
