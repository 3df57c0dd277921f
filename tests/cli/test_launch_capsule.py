"""Recorded capsules from the command line: shown, redacted, imported, and used as launches."""

from __future__ import annotations

from pathlib import Path

import pytest

from asmevo.isa.target import Target
from asmevo.program.build import assemble_object
from reference.recorded import SOURCE, recorded

from .conftest import Run


@pytest.fixture
def capsule(tmp_path: Path) -> Path:
    code = assemble_object(SOURCE, Target("gfx942"))
    return recorded(code, tmp_path / "gather.capsule")


def test_a_capsule_is_all_that_a_judge_needs(run: Run, capsule: Path, tmp_path: Path) -> None:
    k0 = tmp_path / "K0.hsaco"
    assert run("launch", "object", capsule, "-o", k0).code == 0
    shown = run("launch", "show", capsule)
    assert shown.result == "Result: PASS (1 dispatches, all as written)"
    assert "0x7f3144000000 table: 4096 bytes (device, unknown), and after" in shown.out
    ran = run("run", k0, "--launch", capsule)
    assert ran.code == 0
    assert "all 3 buffers are as recorded afterwards" in ran.out
    assert run("verify", k0, k0, "--launch", capsule).code == 0
    assert run("check", k0, "--dynamic", "--launch", capsule).code == 0
    assert run("bench", k0, k0, "--launch", capsule).code == 0
    small = tmp_path / "small.zip"
    assert run("launch", "redact", capsule, "-o", small).code == 0
    assert run("verify", k0, k0, "--launch", small, "-f", "json").json["ok"] is True


def test_bad_capsules_are_one_line(run: Run, capsule: Path, tmp_path: Path) -> None:
    k0 = tmp_path / "K0.hsaco"
    run("launch", "object", capsule, "-o", k0)
    run("run", k0, "--launch", capsule, "--size", "n=3").complaint(2, "sizes and seed of a capsule")
    run("launch", "redact", capsule, "-o", capsule, "--force").complaint(2, "never overwritten")
    run("launch", "import", capsule, "-o", tmp_path / "x").complaint(2, "no capture folder")
    run("run", k0, "--launch", tmp_path).complaint(2, "is a directory and no capsule")
    blob = next(p for p in (capsule / "blobs").iterdir() if p.stat().st_size == 4)
    blob.write_bytes(b"abcd")  # the module variable, too small to be packed
    run("launch", "show", capsule).complaint(2, "is not what its name says")
