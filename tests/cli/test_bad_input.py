"""Bad input of every kind: one line that names the thing and the remedy, the right exit code,
nothing written."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Run, contents

# ELF64 header fields (System V gABI): e_machine at 18, e_flags at 48.
E_MACHINE, E_FLAGS = 18, 48
EM_X86_64 = 62
HOSTILE = "evil\x1b[31m\nResult: PASS (forged)\r\x07\u202e"

LAUNCHED = ("run", "optimize", "verify", "bench", "profile")


def command(name: str, path: Path, launch: Path) -> list[object]:
    """A command on one object, with an output where it takes one."""
    output = path.parent / "OUT"
    return {
        "inspect": ["inspect", path],
        "disasm": ["disasm", path, "-o", output],
        "roundtrip": ["roundtrip", path],
        "check": ["check", path],
        "run": ["run", path, "--launch", launch],
        "verify": ["verify", path, path, "--launch", launch],
        "bench": ["bench", path, "--launch", launch],
        "profile": ["profile", path, "--launch", launch],
        "optimize": ["optimize", path, "--launch", launch, "-o", output, "--budget", 1],
    }[name]


EVERY = ("inspect", "disasm", "roundtrip", "check", *LAUNCHED)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize(
    ("kind", "code", "words"),
    [
        ("text", 2, ("not an ELF",)),
        ("empty", 2, ("not an ELF",)),
        ("truncated", 2, ("truncated",)),
        ("host", 2, ("host ELF",)),
        ("processor", 3, ("processor",)),
        ("missing", 2, ("No such file",)),
        ("folder", 2, ("directory",)),
    ],
)
def test_wrong_objects(
    run: Run,
    saxpy: Path,
    launch: Path,
    name: str,
    kind: str,
    code: int,
    words: tuple[str, ...],
) -> None:
    data = bytearray(saxpy.read_bytes())
    if kind == "folder" and name in ("roundtrip", "check"):
        pytest.skip("takes folders")
    if kind == "text":
        data = bytearray(b"no object\n" * 20)
    elif kind == "empty":
        data = bytearray()
    elif kind == "truncated":
        data = data[: len(data) // 2]
    elif kind == "host":
        struct.pack_into("<H", data, E_MACHINE, EM_X86_64)
    elif kind == "processor":
        struct.pack_into("<I", data, E_FLAGS, 0xFF)
    bad = saxpy.parent / "bad.hsaco"
    if kind == "folder":
        bad.mkdir()
    elif kind != "missing":
        bad.write_bytes(data)
    before = contents(saxpy.parent)
    got = run(*command(name, bad, launch))
    got.complaint(code, "bad.hsaco", *words)
    assert contents(saxpy.parent) == before


@pytest.mark.parametrize("name", LAUNCHED)
def test_a_target_that_cannot_run(
    run: Run, kernel_objects: Callable[..., bytes], saxpy: Path, launch: Path, name: str
) -> None:
    path = saxpy.parent / "gfx1100.co"
    path.write_bytes(kernel_objects("calls", "gfx1100", "recovery"))
    launch.write_text(
        "schema: asmevo/launch/1\ngrid: [1, 1, 1]\nblock: [32, 1, 1]\nargs:\n"
        "  - {name: out, dtype: i32, shape: [64], role: out}\n"
    )
    kernel = run("inspect", path, "-f", "json").json["kernels"][0]["name"]
    before = contents(saxpy.parent)
    got = run(*command(name, path, launch), "--kernel", kernel)
    assert got.code in (2, 3)  # the launch may not fit, either; both name what is wrong
    got.complaint(got.code, "; ")
    assert contents(saxpy.parent) == before


def test_gfx1100_is_named(run: Run, saxpy: Path, launch: Path) -> None:
    """The same object with gfx1100's machine number (0x41, LLVM AMDGPUUsage) in e_flags."""
    data = bytearray(saxpy.read_bytes())
    (flags,) = struct.unpack_from("<I", data, E_FLAGS)
    struct.pack_into("<I", data, E_FLAGS, flags & ~0xFF | 0x41)
    saxpy.write_bytes(data)
    run("run", saxpy, "--launch", launch).complaint(3, "gfx1100")


@pytest.mark.parametrize("name", LAUNCHED)
@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("  - {name: n, dtype: i32, value: n}\n", "", ("argument", "n")),
        (
            "  - {name: n, dtype: i32, value: n}\n",
            "  - {name: n, dtype: i32, value: n}\n  - {name: more, dtype: i32, value: 1}\n",
            ("more",),
        ),
        ("[cdiv(n, 256), 1, 1]", "[0, 1, 1]", ("grid",)),
        ("[cdiv(n, 256), 1, 1]", "[n - n, 1, 1]", ("grid",)),
        ("[cdiv(n, 256), 1, 1]", "[cdiv(m, 256), 1, 1]", ("m",)),
        ("[cdiv(n, 256), 1, 1]", "[__import__('os').system('true'), 1, 1]", ("grid",)),
        ("block: [256, 1, 1]", "block: [4096, 1, 1]", ("4096",)),
        ("kernel: saxpy", "kernel: daxpy", ("daxpy", "saxpy")),
        ("kernel: saxpy", "kernell: saxpy", ("kernell",)),
        ("asmevo/launch/1", "asmevo/launch/9", ("schema",)),
        ("{n: 1000}", "{n: 1000", ("launch.yaml",)),
        ("dtype: f32, shape: [n], init", "dtype: f31, shape: [n], init", ("f31",)),
        ("normal(0, 1)", "file:../../../etc/passwd", ("passwd",)),
        ("kernel: saxpy", f"kernel: {HOSTILE!r}".replace("'", '"'), ("evil",)),
    ],
)
def test_wrong_launches(
    run: Run, saxpy: Path, launch: Path, name: str, old: str, new: str, words: tuple[str, ...]
) -> None:
    text = launch.read_text()
    assert old in text
    launch.write_text(text.replace(old, new, 1))
    before = contents(saxpy.parent)
    run(*command(name, saxpy, launch)).complaint(2, *words)
    assert contents(saxpy.parent) == before


@pytest.mark.parametrize("name", LAUNCHED)
def test_missing_and_binary_launches(run: Run, saxpy: Path, launch: Path, name: str) -> None:
    run(*command(name, saxpy, launch.parent / "no.yaml")).complaint(2, "no.yaml")
    launch.write_bytes(b"\xff\xfe\x00")
    run(*command(name, saxpy, launch)).complaint(2, "launch.yaml")
    launch.write_bytes(b"ASMEVO\x00C" + b"\xff" * 60)
    run(*command(name, saxpy, launch)).complaint(2, "launch.yaml")
    launch.write_text("- [" * 5000)
    run(*command(name, saxpy, launch)).complaint(2, "launch.yaml")


@pytest.mark.parametrize("name", ["disasm", *LAUNCHED])
def test_unknown_kernel(run: Run, saxpy: Path, launch: Path, name: str) -> None:
    launch.write_text(launch.read_text().replace("kernel: saxpy\n", ""))
    before = contents(saxpy.parent)
    got = run(*command(name, saxpy, launch), "--kernel", HOSTILE)
    got.complaint(2, "evil", "saxpy")
    assert contents(saxpy.parent) == before
    run("check", saxpy, "--kernel", "nothing").complaint(2, "nothing", "saxpy")
    run("check", saxpy, "--kernel", "(").complaint(2, "regular expression")


@pytest.mark.parametrize("size", ["n", "n=", "=3", "n=0", "n=-5", "n=x", "q=3", "n=9**9**9"])
def test_bad_sizes(run: Run, saxpy: Path, launch: Path, size: str) -> None:
    got = run("run", saxpy, "--launch", launch, "--size", size)
    got.complaint(2, size.strip("=").split("=")[0])


@pytest.mark.parametrize(
    "arguments",
    [
        ["optimise"],
        ["optimize"],
        ["verify", "K0.hsaco"],
        ["run", "K0.hsaco", "--launch", "launch.yaml", "--schedule", "sideways"],
        ["run", "K0.hsaco", "--launch", "launch.yaml", "--budget", "many"],
        ["run", "K0.hsaco"],
        ["run", "K0.hsaco", "--launch", "launch.yaml", "--object", "K0.hsaco"],
        ["inspect", "K0.hsaco", "--frobnicate"],
        ["inspect", "K0.hsaco", "-f", "xml"],
        ["optimize", "K0.hsaco", "--launch", "launch.yaml", "-o", "K1", "--driver", "magic"],
        ["optimize", "K0.hsaco", "--launch", "launch.yaml", "-o", "K1", "--budget", "-4"],
        ["optimize", "K0.hsaco", "--launch", "launch.yaml", "-o", "K1", "--resume"],
        ["demo", "--kernel", "../../etc/passwd"],
        ["corpus", "fetch", "everything"],
        ["extract", "K0.hsaco", "-n", "7", "-o", "objects"],
        ["find", "nowhere"],
        ["check", "K0.hsaco", "--suppress", "nowhere.yaml"],
    ],
)
def test_wrong_usage(
    run: Run,
    saxpy: Path,
    launch: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
) -> None:
    monkeypatch.chdir(saxpy.parent)
    before = contents(saxpy.parent)
    run(*arguments).complaint(2)
    assert contents(saxpy.parent) == before


def test_outputs_that_cannot_be_written(
    run: Run, saxpy: Path, launch: Path, tmp_path: Path
) -> None:
    nowhere = tmp_path / "nowhere" / "K1.hsaco"
    before = contents(tmp_path)
    optimize = ("optimize", saxpy, "--launch", launch, "--budget", 1, "-o")
    run(*optimize, nowhere).complaint(2, "nowhere")
    for option in ("--record", "--report", "--store"):
        run(*optimize, tmp_path / "K1.hsaco", option, nowhere).complaint(2, "nowhere")
    run("disasm", saxpy, "-o", nowhere).complaint(2, "nowhere")
    run("run", saxpy, "--launch", launch, "--save", nowhere).complaint(2, "nowhere")
    run("demo", "-o", saxpy).complaint(2, "K0.hsaco")
    assert contents(tmp_path) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission(run: Run, saxpy: Path, tmp_path: Path) -> None:
    shut = tmp_path / "shut"
    shut.mkdir(mode=0o500)
    run("disasm", saxpy, "-o", shut / "K.s").complaint(4, "shut")


@pytest.mark.parametrize("command", ["extract", "demo", "run"])
def test_a_file_where_a_folder_is_wanted(
    run: Run, saxpy: Path, launch: Path, tmp_path: Path, command: str
) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    words = {
        "extract": ["extract", saxpy, "-o", file],
        "demo": ["demo", "-o", file, "--force"],
        "run": ["run", saxpy, "--launch", launch, "--save-capsules", file],
    }[command]
    run(*words).complaint(2, "file")
    assert file.read_text() == "mine"


def test_json_errors_are_objects_too(run: Run, saxpy: Path) -> None:
    got = run("inspect", saxpy.parent / "none.co", "-f", "json")
    assert got.code == 2
    assert got.json["schema"] == "asmevo/error/1"
    assert got.json["status"] == "input_invalid"
    assert got.json["exit_code"] == 2
    assert len(got.err.splitlines()) == 1


def test_hostile_names_never_reach_the_terminal(
    run: Run, saxpy: Path, launch: Path, tmp_path: Path
) -> None:
    """The same object with another name of equal length in metadata and symbol table."""
    evil = b"\x1b[1mX"
    data = saxpy.read_bytes().replace(b"saxpy", evil)
    path = tmp_path / "evil.hsaco"
    path.write_bytes(data)
    launch.write_text(launch.read_text().replace("kernel: saxpy\n", ""))
    for words in (
        ["inspect", path],
        ["find", path],
        ["disasm", path],
        ["roundtrip", path],
        ["check", path],
        ["run", path, "--launch", launch, "--profile"],
        ["verify", path, path, "--launch", launch],
        ["verify", path, saxpy, "--launch", launch],
        ["bench", path, "--launch", launch],
        ["profile", path, "--launch", launch],
        ["optimize", path, "--launch", launch, "--budget", 3, "-o", tmp_path / "K1"],
    ):
        got = run(*words)
        assert "\x1b" not in got.out + got.err, words
        assert "internal error" not in got.err, (words, got.err)


def test_names_of_files_are_escaped(run: Run, saxpy: Path, tmp_path: Path) -> None:
    evil = tmp_path / "a\x1b[31m\nb.hsaco"
    evil.write_bytes(saxpy.read_bytes())
    got = run("find", evil)
    assert got.code == 0
    assert "\x1b" not in got.out
    assert len(got.out.splitlines()) == 3
    evil.write_bytes(b"?")
    run("inspect", evil).complaint(2)
