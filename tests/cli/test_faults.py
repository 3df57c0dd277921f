"""A memory fault names the buffer, the element, the byte and which end: `fault_hint` and siblings.

saxpy: lane i loads x[i], then y[i], and stores y[i], in one workgroup of 256 per 256 elements; so
with room for 512 of 1000 elements, element 512 is the first out of bounds, 0 bytes past the end.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Run

COMMANDS = ("run", "verify", "dynamic", "optimize", "bench", "profile")
PAST = "element 512 (byte 2048) of {}, 0 bytes past the end of its 512 f32"


def report(run: Run, name: str, object: Path, launch: Path) -> str:
    """Everything a failing command says."""
    words: dict[str, list[object]] = {
        "run": ["run", object],
        "verify": ["verify", object, object],
        "dynamic": ["check", "--dynamic", object],
        "optimize": ["optimize", object, "--budget", 1, "-o", object.parent / "OUT"],
        "bench": ["bench", object],
        "profile": ["profile", object],
    }
    got = run(*words[name], "--launch", launch)
    assert got.code in (1, 2)
    assert not (object.parent / "OUT").exists()
    return got.out + got.err


def shorten(launch: Path, argument: str) -> None:
    text = launch.read_text().replace("variants:\n  - {n: 65}\n", "")
    launch.write_text(text.replace(f"name: {argument}, dtype: f32, shape: [n]",
                                   f"name: {argument}, dtype: f32, shape: [512]"))  # fmt: skip


@pytest.fixture
def edited(run: Run, saxpy: Path) -> Callable[[str, str], Path]:
    """Function (old, new) -> K1.hsaco with one line changed."""

    def edit(old: str, new: str) -> Path:
        source, k1 = saxpy.parent / "K1.s", saxpy.parent / "K1.hsaco"
        assert run("disasm", saxpy, "-o", source).code == 0
        text = source.read_text()
        assert old in text
        source.write_text(text.replace(old, new, 1))
        assert run("asm", source, "-o", k1).code == 0
        return k1

    return edit


@pytest.mark.parametrize("name", COMMANDS)
def test_past_the_end_of_an_input(run: Run, saxpy: Path, launch: Path, name: str) -> None:
    shorten(launch, "x")
    assert PAST.format("x") in report(run, name, saxpy, launch)


@pytest.mark.parametrize("name", COMMANDS)
def test_past_the_end_of_an_output(run: Run, saxpy: Path, launch: Path, name: str) -> None:
    shorten(launch, "y")
    assert PAST.format("y") in report(run, name, saxpy, launch)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_null_pointer(run: Run, saxpy: Path, launch: Path, name: str) -> None:
    text = launch.read_text()
    old = '{name: x, dtype: f32, shape: [n], init: "normal(0, 1)", role: in}'
    launch.write_text(text.replace(old, "{name: x, null: true}"))
    assert "near address 0: a null or undefined pointer" in report(run, name, saxpy, launch)


@pytest.mark.parametrize("name", COMMANDS)
def test_before_the_start(
    run: Run, launch: Path, edited: Callable[[str, str], Path], name: str
) -> None:
    k1 = edited("global_load_dword v4, v[2:3], off", "global_load_dword v4, v[2:3], off offset:-8")
    assert "element -2 (byte -8) of x, 8 bytes before the start of its 1000 f32" in report(
        run, name, k1, launch
    )


def test_the_candidate_of_verify(
    run: Run, saxpy: Path, launch: Path, edited: Callable[[str, str], Path]
) -> None:
    k1 = edited("global_load_dword v4, v[2:3], off", "global_load_dword v4, v[2:3], off offset:-8")
    got = run("verify", saxpy, k1, "--launch", launch)
    assert got.code == 1
    assert "8 bytes before the start of its 1000 f32" in got.result


def test_a_store_to_an_input(run: Run, saxpy: Path, launch: Path) -> None:
    launch.write_text(launch.read_text().replace("role: inout", "role: in")
                      .replace("role: in}", "role: inout}", 1))  # fmt: skip
    for name in ("run", "verify"):
        text = report(run, name, saxpy, launch)
        assert "store to read-only buffer y" in text
        assert "of y, which has 1000 f32" in text
