"""Nothing is overwritten without --force, an input never, and a device is never replaced."""

from __future__ import annotations

import json
import os
import re
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from asmevo.api.files import Refused, check_outputs, read_file, write_file
from asmevo.errors import EnvironmentFault, InputError

from .conftest import Run, contents


def writers(k0: Path, launch: Path, output: Path) -> dict[str, list[object]]:
    """Every command with an output file."""
    folder = k0.parent
    return {
        "disasm": ["disasm", k0, "-o", output],
        "asm": ["asm", folder / "K.s", "-o", output],
        "template": ["inspect", k0, "--launch-template", output],
        "save": ["run", k0, "--launch", launch, "--save", output],
        "optimize": ["optimize", k0, "--launch", launch, "--budget", 1, "-o", output],
        "record": ["optimize", k0, "--launch", launch, "--budget", 1, "-o", folder / "NEW",
                   "--record", output],
        "report": ["optimize", k0, "--launch", launch, "--budget", 1, "-o", folder / "NEW",
                   "--report", output],
        "replace": ["extract", k0, "-n", 1, "--replace", k0, "-o", output],
    }  # fmt: skip


WRITERS = sorted(writers(Path("a"), Path("b"), Path("c")))


@pytest.fixture
def ready(run: Run, saxpy: Path) -> Path:
    """K0.hsaco with launch.yaml and its assembly K.s beside it."""
    assert run("disasm", saxpy, "-o", saxpy.parent / "K.s").code == 0
    return saxpy


@pytest.mark.parametrize("name", WRITERS)
def test_an_existing_file_stays(run: Run, ready: Path, launch: Path, name: str) -> None:
    output = ready.parent / "precious"
    output.write_bytes(b"the only copy")
    before = contents(ready.parent)
    run(*writers(ready, launch, output)[name]).complaint(2, "precious exists", "--force")
    assert contents(ready.parent) == before
    if name in ("disasm", "save"):
        assert run(*writers(ready, launch, output)[name], "--force").code == 0
        assert output.read_bytes() != b"the only copy"


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("way", ["itself", "symbolic", "hard", "relative", "launch"])
def test_an_input_is_never_overwritten(
    run: Run, ready: Path, launch: Path, name: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not with --force either, whatever path leads to it."""
    source = ready.parent / "K.s" if name == "asm" else ready
    if way == "launch":
        if name in ("disasm", "asm", "template", "replace"):
            return  # they read no launch
        output = launch
    elif way == "itself":
        output = source
    elif way == "relative":
        monkeypatch.chdir(ready.parent)
        output = Path("..") / ready.parent.name / source.name
    else:
        output = ready.parent / "other"
        (output.symlink_to if way == "symbolic" else output.hardlink_to)(source)
    before = contents(ready.parent)
    got = run(*writers(ready, launch, output)[name], "--force")
    got.complaint(2, "which is never overwritten")
    assert contents(ready.parent) == before


@pytest.mark.parametrize("how", ["name", "hard link", "symbolic link"])
@pytest.mark.parametrize("name", ["save", "optimize", "record", "report", "store"])
def test_a_file_that_the_launch_names_is_an_input(
    run: Run, saxpy: Path, launch: Path, name: str, how: str
) -> None:
    """`init: file:x.npy`, by its name or by any other."""
    array = saxpy.parent / "x.npy"
    np.save(array, np.ones(1000, np.float32))
    text = re.sub('init: "[^"]*"', 'init: "file:x.npy"', launch.read_text(), count=1)
    launch.write_text(text)
    output = array if how == "name" else saxpy.parent / "other"
    if how == "hard link":
        os.link(array, output)
    elif how == "symbolic link":
        output.symlink_to(array)
    commands = writers(saxpy, launch, output)
    commands["store"] = ["optimize", saxpy, "--launch", launch, "--budget", 1, "-o",
                         saxpy.parent / "NEW", "--store", output]  # fmt: skip
    kept = contents(saxpy.parent)
    run(*commands[name], "--force").complaint(2, "x.npy", "never overwritten")
    assert contents(saxpy.parent) == kept


def test_a_capsule_that_is_run_is_not_written_again(run: Run, saxpy: Path, launch: Path) -> None:
    folder = saxpy.parent / "new" / "capsules"  # made, as `extract` makes its folder
    assert run("run", saxpy, "--launch", launch, "--save-capsules", folder).code == 0
    save = ("run", saxpy, "--launch", launch, "--save-capsules")
    run(*save, saxpy).complaint(2, saxpy.name, "no folder")
    [capsule, *_] = sorted(folder.iterdir())
    kept = capsule.read_bytes()
    again = ("run", capsule, "--object", saxpy, "--save-capsules", folder, "--force")
    run(*again).complaint(2, capsule.name, "never overwritten")
    assert capsule.read_bytes() == kept


def test_two_outputs_are_two_files(run: Run, saxpy: Path, launch: Path) -> None:
    out = saxpy.parent / "out"
    run("optimize", saxpy, "--launch", launch, "-o", out, "--record", out).complaint(
        2, "one output"
    )


def test_a_symbolic_link_is_written_through(tmp_path: Path) -> None:
    target, link, dangling = (tmp_path / n for n in ("target", "link", "dangling"))
    target.write_bytes(b"old")
    link.symlink_to(target)
    with pytest.raises(Refused):
        write_file(link, b"new", force=False)
    write_file(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    dangling.symlink_to(tmp_path / "made")
    write_file(dangling, b"x", force=False)
    assert dangling.is_symlink()
    assert (tmp_path / "made").read_bytes() == b"x"


def test_devices_fifos_and_sockets_stay_what_they_are(tmp_path: Path) -> None:
    write_file(Path("/dev/null"), b"x", force=False)
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with pytest.raises(EnvironmentFault, match="nobody reads"):
        write_file(fifo, b"x")
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(fifo.read_bytes()))
    handle = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)  # a reader is there before the writer
    reader.start()
    write_file(fifo, b"through")
    os.close(handle)
    reader.join(timeout=10)
    assert stat.S_ISFIFO(fifo.stat().st_mode)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        with pytest.raises(Refused, match="is a socket"):
            write_file(tmp_path / "s", b"x")
        assert stat.S_ISSOCK((tmp_path / "s").stat().st_mode)
    with pytest.raises(Refused, match="is a directory"):
        check_outputs([tmp_path], force=True)


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault) as e:
        write_file(Path("/dev/full"), b"x")
    line = e.value.one_line()
    assert "cannot write /dev/full: No space left on device; free some space" in line
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/stdin", "/proc/self/mem", "fifo"])
def test_what_is_no_file_is_not_read(run: Run, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name == "fifo":
        os.mkfifo(path)
    for words in (["inspect", path], ["asm", path, "-o", tmp_path / "o"], ["check", path]):
        assert run(*words).code in (2, 4)


def test_reads_ask_for_what_a_file_holds(tmp_path: Path) -> None:
    huge = tmp_path / "huge"
    with huge.open("wb") as out:
        out.truncate(1 << 40)  # sparse: a TiB that is not there
    with pytest.raises(InputError, match="more than"):
        read_file(huge)
    assert read_file(Path("/proc/self/status")).startswith(b"Name:")  # claims 0 bytes
    code = (
        "import resource, sys; from asmevo.api.files import read_file;"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30));"
        "print(len(read_file(sys.argv[1])))"
    )
    small = tmp_path / "small"
    small.write_bytes(b"x" * 1000)
    done = subprocess.run([sys.executable, "-c", code, small], capture_output=True, text=True)
    assert done.stdout == "1000\n", done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["optimize", "K0.hsaco", "-o", "x"],  # without --launch
        ["inspect", "K0.hsaco", "--bogus"],
        ["optimize", "K0.hsaco", "--launch", "launch.yaml", "-o", "x", "--budget", "0"],
        ["demo", "--kernel", "zz"],
        ["nonsense"],
        ["run", "K0.hsaco", "--launch", "launch.yaml", "--matrix", "wrong"],
        ["verify", "K0.hsaco"],
        ["check", "K0.hsaco", "--jobs", "many"],
    ],
)
@pytest.mark.parametrize("spelling", [["-f", "json"], ["--format=json"], ["-fjson"]])
def test_usage_errors_are_json_too(
    run: Run, saxpy: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], spelling: list[str]
) -> None:
    monkeypatch.chdir(saxpy.parent)
    got = run(*words, *spelling)
    assert got.code == 2
    record = json.loads(got.out)
    assert (record["schema"], record["ok"]) == ("asmevo/error/1", False)
    assert (record["status"], record["exit_code"]) == ("input_invalid", 2)
    assert record["reason"] in got.err
    assert len(got.err.splitlines()) == 1


def test_progress_lines_where_no_bar_can_be_drawn(
    run: Run, saxpy: Path, launch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from asmevo.cli import output

    monkeypatch.setattr(output, "_LINES_EVERY", {output.NORMAL: 0.01, output.VERBOSE: 0.01})
    words = ("optimize", saxpy, "--launch", launch, "--budget", 3, "--force",
             "-o", saxpy.parent / "K1")  # fmt: skip
    for flag, shown in (((), True), (("-v",), True), (("-q",), False)):
        got = run(*words, *flag)
        assert ("search: " in got.err) == shown
        assert "search: " not in got.out


SOURCES = {
    "k.hip": ("HIP source", "hipcc"),
    "k.cu": ("CUDA source", "hipify"),
    "k.s": ("assembly", "asmevo asm"),
    "k.ll": ("LLVM IR", "clang"),
    "k.py": ("Python source", "asmevo find ~/.triton/cache"),
    "k.yaml": ("YAML", "--launch"),
    "k.txt": ("text file", "compiled first"),
    "k.hsaco": ("text file", "compiled first"),
}


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("command", ["inspect", "disasm", "check", "find", "roundtrip"])
def test_a_source_is_told_what_to_do(run: Run, tmp_path: Path, name: str, command: str) -> None:
    path = tmp_path / name
    path.write_text("__global__ void k(float *x) {}\n" * 4)
    got = run(command, path)
    got.complaint(2, name, "not an ELF", *SOURCES[name])


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", ("is empty",)),
        (b"BC\xc0\xde" + bytes(60), ("LLVM bitcode", "clang")),
        (b"SQLite format 3\x00" + bytes(60), ("run store", "--store")),
        (b"ASMEVO\x00C" + bytes(60), ("capsule", "--launch")),
        (b'\t.amdgcn_target "amdgcn-amd-amdhsa--gfx942"\n', ("assembly", "asmevo asm")),
    ],
)
def test_known_contents_are_told_what_to_do(
    run: Run, tmp_path: Path, data: bytes, words: tuple[str, ...]
) -> None:
    path = tmp_path / "K0.hsaco"
    path.write_bytes(data)
    run("inspect", path).complaint(2, "K0.hsaco", *words)


def test_extract_blames_the_file_that_is_wrong(run: Run, saxpy: Path) -> None:
    """The case `extract_wrong_name`: the replacement is no object, the container is one."""
    new = saxpy.parent / "tk.py"
    new.write_text("import triton\n")
    line = run("extract", saxpy, "-n", 1, "--replace", new, "-o", saxpy.parent / "x").complaint(
        2, "tk.py", "Python source"
    )
    assert "K0.hsaco" not in line
    new.write_bytes(saxpy.read_bytes()[:600])
    line = run("extract", saxpy, "-n", 1, "--replace", new, "-o", saxpy.parent / "x").complaint(2)
    assert "tk.py" in line
    assert "K0.hsaco" not in line


def test_a_float_given_as_an_integer_is_no_silent_pass(run: Run, saxpy: Path, launch: Path) -> None:
    """The case `run_pass_nothing`: `a` of saxpy is read by v_fmac_f32, `n` by v_cmp_gt_i32."""
    good = launch.read_text()
    assert "note: argument" not in run("run", saxpy, "--launch", launch).out
    launch.write_text(good.replace("{name: a, dtype: f32, value: 2.5}",
                                   "{name: a, dtype: i32, value: 1075838976}"))  # fmt: skip
    # The bits of 2.5: only the type of the value is wrong, so that K0 can serve as the reference.
    said = "argument a is given as i32, but instruction 18 `v_fmac_f32_e32 v5, s4, v4` reads it"
    for words in (["run", saxpy], ["verify", saxpy, saxpy],
                  ["optimize", saxpy, "--budget", 1, "-o", saxpy.parent / "K1"]):  # fmt: skip
        assert f"note: {said} as f32: is its dtype f32?" in run(*words, "--launch", launch).out
    launch.write_text(good.replace("{name: n, dtype: i32, value: n}",
                                   "{name: n, dtype: f32, value: n}"))  # fmt: skip
    assert "argument n is given as f32, but" in run("run", saxpy, "--launch", launch).out
    # Sizes that let no work be done change nothing, and that is said.
    launch.write_text(good.replace("{name: n, dtype: i32, value: n}",
                                   "{name: n, dtype: i32, value: 0}"))  # fmt: skip
    assert "note: no buffer was changed" in run("run", saxpy, "--launch", launch).out


def test_a_template_takes_types_from_the_code(
    run: Run, kernel_objects: Callable[..., bytes], tmp_path: Path
) -> None:
    k0, launch = tmp_path / "K0.hsaco", tmp_path / "t.yaml"
    k0.write_bytes(kernel_objects("rmsnorm"))
    assert run("inspect", k0, "--launch-template", launch).code == 0
    assert "dtype: f32, value: 1.0}  # guess: value; instruction 90 reads it as f32" in (
        launch.read_text()
    )


def test_occupancy_of_a_triton_launch(run: Run, saxpy: Path) -> None:
    """The case `triton_occupancy`: 65,536 bytes of dynamic LDS leave room for one workgroup."""
    before = run("inspect", saxpy, "-f", "json").json["kernels"][0]["occupancy"]
    assert before["workgroups_per_cu"] > 1
    facts = saxpy.with_suffix(".json")
    for shared, warps, groups in ((65536, 4, 1), (32768, 4, 2), (0, 8, 4), (16384, 1, 4)):
        facts.write_text(json.dumps({"shared": shared, "num_warps": warps}))
        got = run("inspect", saxpy, "-f", "json").json["kernels"][0]["occupancy"]
        assert (got["workgroups_per_cu"], got["block"], got["lds"]) == (
            groups, [64 * warps, 1, 1], shared,
        )  # fmt: skip
    # What is no launch of Triton's is not taken for one, and not named as the source.
    template = saxpy.parent / "t.yaml"
    for words in ("no json", "[1]", '{"shared": "x"}', '{"num_warps": true}', '{"num_warps": 100}',
                  '{"shared": -8, "num_warps": -1}', '{"name": "saxpy"}'):  # fmt: skip
        facts.write_text(words)
        got = run("inspect", saxpy, "--launch-template", template, "--force", "-f", "json").json
        assert got["kernels"][0]["occupancy"] == before, words
        assert "block: [256, 1, 1]" in template.read_text(), words
        assert "\nlds: 0 " in template.read_text(), words
