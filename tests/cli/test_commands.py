"""Every command on a good object: exit code, result line, JSON."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from asmevo.api.installation import environment
from asmevo.cli.commands import doctor
from asmevo.cli.main import app, main
from asmevo.codeobject import CodeObject
from asmevo.errors import EnvironmentFault
from asmevo.isa.target import Target
from asmevo.program import recover
from asmevo.program.build import assemble_object
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild

from .conftest import LAUNCHES, Run

KERNELS = LAUNCHES.parent


def patched(data: bytes, old: bytes, new: bytes) -> bytes:
    """The object with one instruction word exchanged, found by its encoding."""
    assert len(old) == len(new)
    assert data.count(old) == 1
    return data.replace(old, new)


# Encodings from the ISA document: VOP2 v_fmac_f32 (opcode 59), v_mul_f32 (opcode 5).
FMAC_V5_S4_V4 = (0x76000000 | 5 << 17 | 4 << 9 | 4).to_bytes(4, "little")
MUL_V5_S4_V4 = (0x0A000000 | 5 << 17 | 4 << 9 | 4).to_bytes(4, "little")
S_WAITCNT_VMCNT_0 = bytes.fromhex("700f8cbf")
S_NOP_0 = bytes.fromhex("000080bf")


@pytest.mark.parametrize(
    "command",
    [
        "inspect K0.hsaco",
        "find K0.hsaco",
        "disasm K0.hsaco",
        "disasm K0.hsaco --kernel saxpy",
        "roundtrip K0.hsaco",
        "check K0.hsaco",
        "check K0.hsaco --against K0.hsaco",
        "run K0.hsaco --launch launch.yaml --profile",
        "verify K0.hsaco K0.hsaco --launch launch.yaml",
        "bench K0.hsaco K0.hsaco --launch launch.yaml",
        "profile K0.hsaco --launch launch.yaml",
        "corpus list",
        "doctor",
    ],
)
def test_text_ends_with_result_and_json_has_a_schema(
    run: Run, saxpy: Path, launch: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(saxpy.parent)
    # Quiet: where the machine is slow, progress has something to say.
    text = run(*command.split(), "-q")
    assert text.code == 0, text
    assert text.result.startswith("Result: PASS"), text.out
    assert text.err == ""
    data = run(*command.split(), "-f", "json", "-q")
    assert data.code == 0
    assert data.err == ""
    name = command.split()[0]
    assert data.json["schema"] == f"asmevo/{name}/1"
    assert data.json["ok"] is True


GROUPS = {group.name or "": group.typer_instance for group in app.registered_groups}
EVERY = [command.name or "" for command in app.registered_commands] + [
    f"{group} {command.name}"
    for group, of in GROUPS.items()
    if of is not None
    for command in of.registered_commands
]


def test_every_command_is_among_those_that_are_tried() -> None:
    assert {"optimize", "audit", "schema", "launch infer", "corpus fetch"} < set(EVERY)


@pytest.mark.parametrize("command", EVERY)
def test_help_gives_an_example_and_every_command_speaks_json(run: Run, command: str) -> None:
    got = run(*command.split(), "--help")
    assert got.code == 0
    for words in ("Usage: asmevo", "Example: asmevo", "--format", "--quiet", "--verbose"):
        assert words in got.out, words


@pytest.mark.parametrize("group", ["", *GROUPS])
def test_help_of_a_group(run: Run, group: str) -> None:
    got = run(*group.split(), "--help")
    assert got.code == 0
    assert "Usage: asmevo" in got.out


@pytest.mark.parametrize("name", ["launch", "capsule", "bundle"])
def test_a_schema_is_printed_bare_and_as_a_field(run: Run, name: str) -> None:
    bare, wrapped = run("schema", name), run("schema", name, "-f", "json")
    assert (bare.code, wrapped.code) == (0, 0)
    assert wrapped.json["schema"] == "asmevo/schema/1"
    assert wrapped.json["json_schema"] == bare.json
    assert bare.json["$schema"].endswith("2020-12/schema")


def test_bare_command_shows_help(run: Run) -> None:
    got = run()
    assert got.code == 2
    assert "Usage: asmevo" in got.out + got.err


def test_version(run: Run) -> None:
    assert run("--version").out.startswith("asmevo ")


def test_inspect_shows_what_the_assembly_says(run: Run, saxpy: Path) -> None:
    data = run("inspect", saxpy, "-f", "json").json
    assert data["target"] == "gfx942"
    assert data["code_object_version"] == 6
    (kernel,) = data["kernels"]
    assert kernel["name"] == "saxpy"
    assert kernel["kernarg_bytes"] == 280
    assert [a["size"] for a in kernel["arguments"][:4]] == [8, 8, 4, 4]
    assert kernel["code"]["instructions"] == 21
    assert kernel["code"]["not_editable"] == 0
    assert kernel["occupancy"]["waves_per_simd"] == 8


def test_run_computes_saxpy_and_writes_the_buffers(
    run: Run, saxpy: Path, launch: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.npz"
    got = run("run", saxpy, "--launch", launch, "--save", out, "-f", "json")
    assert got.code == 0
    rng = np.random.default_rng([1, 0])
    x = rng.normal(0, 1, 1000).astype(np.float32)
    y = rng.normal(0, 1, 1000).astype(np.float32)
    with np.load(out) as arrays:
        np.testing.assert_array_equal(arrays["0_x"], x)
        np.testing.assert_allclose(arrays["0_y"], np.float32(2.5) * x + y, rtol=1e-5, atol=1e-6)
    first = got.json["runs"][0]
    assert first["instructions"] == 16 * 21  # 4 workgroups of 4 waves, no wave branches away
    assert first["bytes_at_most"] == {
        "global load": 16 * 64 * 4 * 2,  # x and y
        "global store": 16 * 64 * 4,
        "scalar load": 16 * (4 + 8 + 16),
    }
    assert {row["level"] for row in first["fidelity"]} == {"exact"}
    assert sum(row["executed"] for row in first["fidelity"]) == 16 * 21


def test_run_takes_a_capsule_and_another_object(
    run: Run, saxpy: Path, launch: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "capsules"
    folder.mkdir()
    assert run("run", saxpy, "--launch", launch, "--save-capsules", folder).code == 0
    capsule = folder / "saxpy-0.capsule"
    assert sorted(folder.iterdir()) == [capsule, folder / "saxpy-1.capsule"]
    straight = run("run", saxpy, "--launch", launch, "-f", "json").json["runs"][0]
    stored = run("run", capsule, "--object", saxpy, "--matrix", "exact", "-f", "json").json
    assert stored["runs"][0]["buffers"] == straight["buffers"]
    assert stored["runs"][0]["matrix"] == "exact"
    assert run("verify", saxpy, saxpy, "--launch", capsule).result == "Result: PASS (tested-exact)"


def test_run_reports_a_fault(run: Run, saxpy: Path, tmp_path: Path) -> None:
    text = (saxpy.parent / "launch.yaml").read_text()
    short = tmp_path / "short.yaml"
    short.write_text(text.replace("x, dtype: f32, shape: [n]", "x, dtype: f32, shape: [n // 2]"))
    got = run("run", saxpy, "--launch", short)
    assert got.code == 1
    assert got.result.startswith("Result: FAIL (out_of_bounds")
    assert "global_load_dword" in got.result
    endless = run("run", saxpy, "--launch", saxpy.parent / "launch.yaml", "--budget", 10)
    assert endless.code == 1
    assert "budget" in endless.result


def test_verify_tells_a_changed_operation_from_the_original(
    run: Run, saxpy: Path, launch: Path, tmp_path: Path
) -> None:
    changed = tmp_path / "K1.hsaco"
    changed.write_bytes(patched(saxpy.read_bytes(), FMAC_V5_S4_V4, MUL_V5_S4_V4))
    got = run("verify", saxpy, changed, "--launch", launch)
    assert got.code == 1
    assert got.result.startswith("Result: FAIL (divergent")
    row = next(line for line in got.out.splitlines() if line.startswith("n=1000"))
    assert float(row.split()[4]) > 0.1  # the largest deviation, relative to the scale
    data = run("verify", saxpy, changed, "--launch", launch, "-f", "json")
    assert data.code == 1
    assert data.json["status"] == "divergent"
    assert data.json["config"]["matrix"] == "exact"


def test_a_lost_wait_is_found_statically(
    run: Run, saxpy: Path, launch: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "K1.hsaco"
    broken.write_bytes(patched(saxpy.read_bytes(), S_WAITCNT_VMCNT_0, S_NOP_0))
    got = run("verify", saxpy, broken, "--launch", launch)
    assert got.code == 1
    assert got.result.startswith("Result: FAIL (static_invalid")
    check = run("check", broken)
    assert check.code == 1
    assert "v_fmac_f32" in check.out
    assert run("check", broken, "--against", saxpy).code == 1
    assert run("check", saxpy, "--against", broken).code == 0  # better is not worse
    sarif = json.loads(run("check", broken, "-f", "sarif").out)
    assert sarif["version"] == "2.1.0"
    (result,) = [r for r in sarif["runs"][0]["results"] if r["level"] == "error"][:1]
    assert "saxpy" in result["locations"][0]["logicalLocations"][0]["name"]


def test_suppressions_need_a_reason_and_hide_only_what_they_name(
    run: Run, saxpy: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "K1.hsaco"
    broken.write_bytes(patched(saxpy.read_bytes(), S_WAITCNT_VMCNT_0, S_NOP_0))
    entries = tmp_path / "accepted.yaml"
    head = "schema: asmevo/suppressions/1\nsuppress:\n"
    entries.write_text(head + '  - {rule: "wait.*", kernel: saxpy, reason: "a test"}\n')
    got = run("check", broken, "--suppress", entries, "-f", "json")
    assert got.code == 0
    assert got.json["objects"][0]["suppressed"][0]["reason"] == "a test"
    entries.write_text(head + '  - {rule: "wait.*", kernel: other, reason: "a test"}\n')
    assert run("check", broken, "--suppress", entries).code == 1
    entries.write_text(head + '  - {rule: "wait.*"}\n')
    run("check", broken, "--suppress", entries).complaint(2, "accepted.yaml", "reason")
    run("check", broken, "--against", saxpy, "--suppress", entries).complaint(2, "--suppress")


def test_disasm_and_asm_give_the_bytes_back(run: Run, saxpy: Path, tmp_path: Path) -> None:
    source, again = tmp_path / "K.s", tmp_path / "again.hsaco"
    assert run("disasm", saxpy, "-o", source).code == 0
    assert run("asm", source, "-o", again).code == 0
    assert again.read_bytes() == saxpy.read_bytes()
    text = source.read_text()
    assert ".amdhsa_kernel saxpy" in text
    source.write_text(text.replace("v_fmac_f32_e32 v5, s4, v4", "v_mul_f32_e32 v5, s4, v4"))
    run("asm", source, "-o", again).complaint(2, "again.hsaco exists", "--force")
    assert again.read_bytes() == saxpy.read_bytes()
    assert run("asm", source, "-o", again, "--force").code == 0
    expected = patched(saxpy.read_bytes(), FMAC_V5_S4_V4, MUL_V5_S4_V4)
    assert CodeObject.open(again.read_bytes()).text == CodeObject.open(expected).text


def test_disasm_to_stdout_is_the_file_alone(run: Run, saxpy: Path, tmp_path: Path) -> None:
    source, again = tmp_path / "K.s", tmp_path / "again.hsaco"
    got = run("disasm", saxpy, "-o", "-")
    assert got.err.startswith("Result: PASS")
    source.write_text(got.out)
    assert run("asm", source, "-o", again).code == 0
    assert again.read_bytes() == saxpy.read_bytes()
    assert "asmevo-container" not in run("disasm", saxpy).out


def test_bench_of_a_copy_is_no_speedup(run: Run, saxpy: Path, launch: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.hsaco"
    copy.write_bytes(saxpy.read_bytes())
    data = run("bench", saxpy, copy, "--launch", launch, "-f", "json").json
    assert {r["speedup"] for r in data["results"]} == {1.0}
    assert {r["label"] for r in data["results"]} == {"modelled"}
    assert hashlib.sha256(copy.read_bytes()).digest() == hashlib.sha256(saxpy.read_bytes()).digest()


def test_several_kernels_need_a_name(
    run: Run, kernel_objects: Callable[..., bytes], tmp_path: Path
) -> None:
    path = tmp_path / "calls.co"
    path.write_bytes(kernel_objects("calls", folder="recovery"))
    names = [k["name"] for k in run("inspect", path, "-f", "json").json["kernels"]]
    assert len(names) > 1
    assert run("disasm", path, "--kernel", names[1]).code == 0
    assert run("check", path, "--kernel", names[0]).code in (0, 1)


S_BARRIER = bytes.fromhex("00008abf")


def test_dynamic_check_names_both_sides_of_a_race(
    run: Run, kernel_objects: Callable[..., bytes], tmp_path: Path
) -> None:
    path = tmp_path / "reduce.co"
    launch = LAUNCHES / "reduce.yaml"
    data = kernel_objects("reduce")
    path.write_bytes(data)
    assert run("check", path, "--dynamic", "--launch", launch).code == 0
    path.write_bytes(data.replace(S_BARRIER, S_NOP_0))
    got = run("check", path, "--dynamic", "--launch", launch)
    assert got.code == 1
    assert "race" in got.out
    assert "ds_write" in got.out
    assert "ds_read" in got.out
    run("check", path, "--dynamic").complaint(2, "--launch")
    run("check", path, "--launch", launch).complaint(2, "--dynamic")
    run("check", path, path, "--dynamic", "--launch", launch).complaint(2, "one object")


def test_notes_are_counted_and_listed_on_request(
    run: Run, kernel_objects: Callable[..., bytes], tmp_path: Path
) -> None:
    path = tmp_path / "calls.co"
    path.write_bytes(kernel_objects("calls", folder="recovery"))
    data = run("check", path, "-f", "json").json
    findings = data["objects"][0]["findings"]
    assert findings
    short, long = run("check", path), run("check", path, "--notes")
    assert short.code == long.code
    assert "--notes lists them" in short.out
    assert len(long.out.splitlines()) > len(short.out.splitlines())
    assert run("check", path, "--strict").code == 1


def test_an_object_that_cannot_be_checked_does_not_hide_the_others(
    run: Run, saxpy: Path, kernel_objects: Callable[..., bytes]
) -> None:
    folder = saxpy.parent / "several"
    folder.mkdir()
    for n in range(10):  # enough for the other processes
        (folder / f"{n}.co").write_bytes(saxpy.read_bytes())
    (folder / "5.co").write_bytes(saxpy.read_bytes()[:3000])
    got = run("check", folder, "--jobs", 2, "-f", "json")
    assert got.code == 2
    assert len(got.json["objects"]) == 9
    assert got.json["not_checked"][0]["name"].endswith("5.co")


def _rebuilt(name: str, folder: Path, at: str, lines: tuple[str, ...]) -> tuple[Path, Path]:
    """An object of the project's assembly, and one whose first instruction `at` is replaced."""
    text = (KERNELS / f"{name}.s").read_text(encoding="utf-8")
    k0 = assemble_object(text, Target("gfx942"))
    program = recover(CodeObject.open(k0))
    index = next(i for i, inst in enumerate(program.instructions) if inst.text == at)
    k1 = rebuild(apply(program, [Edit(index, index + 1, lines)]))
    paths = folder / "K0.hsaco", folder / "K1.hsaco"
    for path, data in zip(paths, (k0, k1), strict=True):
        path.write_bytes(data)
    return paths


def test_coverage_counts_code_and_no_padding(run: Run, saxpy: Path, launch: Path) -> None:
    """saxpy has 21 instructions, and padding behind them; text, JSON and record say one thing."""
    got = run("verify", saxpy, saxpy, "--launch", launch)
    assert "executed: 21 of 21 instructions" in got.out
    data = run("verify", saxpy, saxpy, "--launch", launch, "-f", "json").json
    assert data["coverage"] == {
        "instructions": 21, "executed": 21, "never_executed": [],
        "edges": 2, "executed_edges": 2, "never_taken": [], "always_taken": [],
    }  # fmt: skip
    # Lanes beyond n jump over the body: with no lane at all it is code, and was not executed.
    launch.write_text(launch.read_text().replace("value: n}", "value: 0}"))
    data = run("run", saxpy, "--launch", launch, "--profile", "-f", "json").json
    assert data["reason"].startswith("no fault, but no buffer was changed by launch n=1000, n=65")


def test_verify_sees_a_race_between_waves(run: Run, tmp_path: Path) -> None:
    # Wave 1 writes what wave 0 reads without a barrier between; in their own order all is well.
    narrow = "v_cmp_gt_u32_e32 vcc, 64, v0"
    k0, k1 = _rebuilt("gfx942/reduce", tmp_path, narrow, ("v_cmp_gt_u32_e32 vcc, 0x80, v0",))
    launch = KERNELS / "launch" / "reduce.yaml"
    got = run("verify", k0, k1, "--launch", launch)
    assert got.result.startswith("Result: FAIL (divergent")
    assert "shuffle:1" in got.result
    assert run("verify", k0, k0, "--launch", launch).code == 0


def test_verify_judges_the_kernels_that_no_launch_runs(run: Run, tmp_path: Path) -> None:
    launch = KERNELS / "launch" / "recovery" / "remember.yaml"
    wait = "s_waitcnt vmcnt(0)"
    k0, k1 = _rebuilt("recovery/gfx942/calls", tmp_path, wait, ("s_nop 0",))
    got = run("verify", k0, k1, "--launch", launch)
    assert got.result.startswith("Result: FAIL (static_invalid")
    masked = "v_and_b32_e32 v1, 7, v1"
    k0, k1 = _rebuilt("recovery/gfx942/calls", tmp_path, masked, (masked, "s_mov_b32 s0, 7"))
    got = run("verify", k0, k1, "--launch", launch)
    assert (got.code, "image.other-function" in got.out) == (1, True)
    also = ("--launch", launch, "--also-edited", "table_walk")
    got = run("verify", k0, k1, *also)
    assert "warning: 1 changed instruction of" in got.out
    [lost] = run("verify", k0, k1, *also, "-f", "json").json["untested_changes"]
    assert len(lost["instructions"]) == 1
    assert "warning" not in run("verify", k0, k0, "--launch", launch).out


def test_changes_that_no_launch_executes_are_named(
    run: Run, saxpy: Path, launch: Path, tmp_path: Path
) -> None:
    changed = tmp_path / "K1.hsaco"
    changed.write_bytes(patched(saxpy.read_bytes(), FMAC_V5_S4_V4, MUL_V5_S4_V4))
    data = run("verify", saxpy, changed, "--launch", launch, "-f", "json").json
    assert data["untested_changes"] == []


def test_a_launch_on_which_the_original_is_no_reference(
    run: Run, saxpy: Path, launch: Path
) -> None:
    launch.write_text(launch.read_text().replace("role: inout", "role: in"))
    got = run("verify", saxpy, saxpy, "--launch", launch)
    assert got.code == 2
    assert got.out == ""
    assert "K0" in got.err
    assert "role" in got.err


def test_doctor_names_what_is_missing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> str:
        raise EnvironmentFault("no assembler", "install one")

    monkeypatch.setattr(environment, "CHECKS", (("assembler", broken),))
    got = run("doctor")
    assert got.code == 4
    assert got.result == "Result: FAIL (assembler: no assembler; install one)"


def test_a_mistake_of_the_program_is_one_line(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(doctor, "doctor", broken)
    monkeypatch.delenv("ASMEVO_DEBUG", raising=False)
    got = run("doctor")
    assert (got.code, got.out) == (70, "")
    assert got.err.startswith("asmevo: internal error, ZeroDivisionError: oops")
    assert len(got.err.splitlines()) == 1
    got = run("doctor", "-f", "json")
    assert (got.code, got.json["exit_code"], got.json["status"]) == (70, 70, "internal_error")
    for words, variable in ((["doctor"], "1"), (["doctor", "-v"], "")):
        monkeypatch.setenv("ASMEVO_DEBUG", variable)
        assert main(words) == 70
        assert "Traceback" in capsys.readouterr().err


def test_doctor_reports_a_part_that_breaks(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> str:
        raise RuntimeError("no locator available")

    monkeypatch.setattr(environment, "CHECKS", (("cycle model", broken),))
    got = run("doctor")
    assert got.code == 4
    assert got.result == "Result: FAIL (cycle model: RuntimeError: no locator available)"


def test_disasm_and_asm_in_a_pipe(saxpy: Path, tmp_path: Path) -> None:
    out = tmp_path / "again.hsaco"
    asmevo = [sys.executable, "-m", "asmevo.cli.main"]
    text = subprocess.run(
        [*asmevo, "disasm", saxpy, "-o", "-"], stdout=subprocess.PIPE, check=True
    ).stdout
    subprocess.run([*asmevo, "asm", "-", "-o", out], input=text, check=True, capture_output=True)
    assert out.read_bytes() == saxpy.read_bytes()
