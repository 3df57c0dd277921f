"""ABI, resources, suppression and reports on compiled objects of the project."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from asmevo.check.report import check_against, check_object, summarize
from asmevo.check.rules import abi
from asmevo.check.run import check_program
from asmevo.check.suppress import Suppression, load, split
from asmevo.codeobject import CodeObject
from asmevo.errors import InputError
from asmevo.program import recover
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild


@pytest.fixture
def data(kernel_objects: Callable[..., bytes]) -> bytes:
    return kernel_objects("rmsnorm")


def with_descriptor(data: bytes, **fields: int) -> bytes:
    """The object with fields of its kernel's descriptor set."""
    kernel = CodeObject.open(data).kernels[0]
    raw = kernel.descriptor.replace(**fields).encode()
    at = kernel.descriptor_offset
    return data[:at] + raw + data[at + 64 :]


def racy(data: bytes) -> bytes:
    """The object without its first wait."""
    program = recover(CodeObject.open(data))
    first = next(i for i, x in enumerate(program.instructions) if x.base == "s_waitcnt")
    return rebuild(apply(program, [Edit(first, first + 1, ("s_nop 0",))]))


def test_a_copy_has_the_same_abi(data: bytes) -> None:
    co = CodeObject.open(data)
    assert abi.changes(co, CodeObject.open(bytes(data))) == []


def test_a_changed_count_must_be_declared(data: bytes) -> None:
    k0 = CodeObject.open(data)
    vgprs = k0.kernels[0].descriptor.vgprs + 8
    k1 = CodeObject.open(with_descriptor(data, vgprs=vgprs))
    (f,) = abi.changes(k0, k1)
    assert (f.rule, f.severity, f.what) == ("abi.descriptor", "error", "granulated_vgprs")
    assert abi.changes(k0, k1, declared=("vgprs",)) == []


@pytest.mark.parametrize(
    ("field", "value"),
    [("enable_sgpr_workgroup_id_y", 1), ("kernarg_size", 4096), ("ieee_mode", 0),
     ("float_denorm_mode_32", 0), ("group_segment_fixed_size", 64)],
)  # fmt: skip
def test_what_the_dispatch_sees_must_stay(data: bytes, field: str, value: int) -> None:
    k0, k1 = CodeObject.open(data), CodeObject.open(with_descriptor(data, **{field: value}))
    assert [f.what for f in abi.changes(k0, k1)] == [field]


def test_reserved_bits_must_stay(data: bytes) -> None:
    at = CodeObject.open(data).kernels[0].descriptor_offset
    changed = bytearray(data)
    changed[at + 12] ^= 1  # reserved word of the descriptor
    (f,) = abi.changes(CodeObject.open(data), CodeObject.open(bytes(changed)))
    assert (f.rule, f.what) == ("abi.descriptor", "reserved")


def test_other_kernels_and_flags(data: bytes, kernel_objects: Callable[..., bytes]) -> None:
    other = CodeObject.open(kernel_objects("softmax"))
    whats = {f.what for f in abi.changes(CodeObject.open(data), other)}
    assert {"kernels", "symbols"} <= whats


def test_unknown_pass_and_kernel_are_named(data: bytes) -> None:
    program = recover(CodeObject.open(data))
    with pytest.raises(InputError, match="no check named 'colour'"):
        check_program(program, passes=("colour",))
    with pytest.raises(InputError, match="nobody"):
        check_program(program, "nobody")
    with pytest.raises(InputError, match="no kernel matches"):
        check_object("x", data, kernel="nobody")


def test_report_of_a_clean_and_a_racy_object(data: bytes) -> None:
    clean = summarize([check_object("clean.co", data)])
    assert (clean.exit_code, clean.lines()[-1].split(" (")[0]) == (0, "Result: PASS")
    broken = summarize([check_object("racy.co", racy(data))])
    assert broken.exit_code == 1
    assert broken.lines()[-1].startswith("Result: FAIL (")
    document = json.loads(json.dumps(broken.as_json()))
    assert (document["schema"], document["status"]) == ("asmevo/check/1", "static_invalid")
    first = document["objects"][0]["findings"][0]
    assert {"rule", "mark", "severity", "producer", "path", "fix"} <= first.keys()


def test_strict_counts_notes(data: bytes) -> None:
    found = check_object("x.co", with_descriptor(data, kernarg_size=0))
    assert summarize([found]).exit_code == 0
    assert summarize([found], strict=True).exit_code == 1


def test_sarif_has_results_rules_and_code_flows(data: bytes) -> None:
    log = summarize([check_object("racy.co", racy(data))]).as_sarif()
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    assert {r["id"] for r in run["tool"]["driver"]["rules"]} == {
        r["ruleId"] for r in run["results"]
    }
    raw = next(r for r in run["results"] if r["ruleId"] == "wait.raw")
    assert raw["level"] == "error"
    steps = raw["codeFlows"][0]["threadFlows"][0]["locations"]
    assert len(steps) >= 2
    assert raw["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "racy.co"


def test_suppression_needs_a_reason_and_is_shown(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "ok.yaml"
    path.write_text(
        "schema: asmevo/suppressions/1\nsuppress:\n"
        "  - {rule: 'wait.*', kernel: '.*', reason: known}\n"
        "  - {rule: hazard.none, reason: never met}\n"
    )
    entries = load(path)
    report = summarize([check_object("r.co", racy(data), suppressions=entries)], False, entries)
    assert report.exit_code == 0
    assert report.objects[0].suppressed
    assert [s.rule for s in report.unused] == ["hazard.none"]
    log = report.as_sarif()
    assert all("suppressions" in r for r in log["runs"][0]["results"] if r["level"] == "error")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "suppression file"),
        ("schema: other", "not of schema"),
        ("schema: asmevo/suppressions/1", "no list"),
        ("schema: asmevo/suppressions/1\nsuppress: [3]", "not a mapping"),
        ("schema: asmevo/suppressions/1\nsuppress: [{rule: a, reason: ' '}]", "reason"),
        ("schema: asmevo/suppressions/1\nsuppress: [{rule: a, reason: b, x: y}]", "unknown key"),
        ("schema: asmevo/suppressions/1\nsuppress: [{rule: a, reason: b, text: '('}]", "regular"),
    ],
)
def test_bad_suppression_files(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        load(path)


def test_a_comparison_ignores_suppressions(data: bytes) -> None:
    assert check_against("k1", data, data).findings == ()
    report = check_against("k1", racy(data), data)
    assert report.compared
    assert report.errors == len(report.findings) > 0
    kept, covered = split(report.findings, [Suppression("wait.*", "because")])
    assert len(kept) + len(covered) == len(report.findings)
    assert report.suppressed == ()
