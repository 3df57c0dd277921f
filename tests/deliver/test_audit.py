"""Audits: every claim of a bundle is made good by the bundle itself, or named.

A forger who knows the format can make all hashes anew; what stands then are the claims.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from asmevo.api import audit
from asmevo.cli.main import main
from asmevo.deliver.bundle import BundleError
from asmevo.program.build import assemble_object
from tests.deliver.forging import BODY, resealed, small_problem
from tests.timing.launches import TEMPLATE


def _failed(tmp_path: Path, bundle: bytes) -> str:
    path = tmp_path / "b.zip"
    path.write_bytes(bundle)
    result = audit(path, seed=3)
    assert not result.ok
    assert result.reason.startswith(result.data["checks"][-1]["name"])
    return result.reason


def _object(body: str) -> bytes:
    return assemble_object(TEMPLATE.format(body=body, arch="gfx942"))


def test_an_honest_bundle_passes_with_any_junk(tmp_path: Path, bundle: bytes) -> None:
    path = tmp_path / "b.zip"
    path.write_bytes(bundle)
    for seed in (None, 1, 2):
        result = audit(path, seed=seed)
        assert result.ok, result.reason
        names = [c["name"] for c in result.data["checks"]]
        assert names == ["seal", "lineage", "static rules", "behaviour", "times"]


def test_another_object_in_the_place_of_k1(tmp_path: Path, bundle: bytes) -> None:
    other = _object(BODY.replace("v_add_f32_e32 v2, 1.0", "v_add_f32_e32 v2, 2.0"))

    def change(manifest: dict[str, Any], contents: dict[str, bytes]) -> None:
        contents["k1.hsaco"] = other
        manifest["steps"][-1]["node"] = hashlib.sha256(other).hexdigest()

    assert "lineage" in _failed(tmp_path, resealed(bundle, change))


def test_k0s_bytes_as_the_result(tmp_path: Path, bundle: bytes) -> None:
    def change(manifest: dict[str, Any], contents: dict[str, bytes]) -> None:
        contents["k1.hsaco"] = contents["k0.hsaco"]
        manifest["steps"] = []

    assert "times" in _failed(tmp_path, resealed(bundle, change))


def test_an_edit_that_computes_something_else(tmp_path: Path, bundle: bytes) -> None:
    """The chain is sound and the edits give K1, which is wrong."""
    from asmevo.codeobject import CodeObject
    from asmevo.program.edit import Edit, apply
    from asmevo.program.rebuild import rebuild
    from asmevo.program.recover import recover

    program = recover(CodeObject.open(_object(BODY)))
    at = next(n for n, i in enumerate(program.instructions) if i.base == "v_add_f32")
    lines = ("v_add_f32_e32 v2, 2.0, v2",)
    wrong = rebuild(apply(program, [Edit(at, at + 1, lines)]))

    def change(manifest: dict[str, Any], contents: dict[str, bytes]) -> None:
        contents["k1.hsaco"] = wrong
        step = manifest["steps"][0]
        step["node"] = hashlib.sha256(wrong).hexdigest()
        step["edits"] = [{"first": at, "last": at + 1, "lines": list(lines), "note": ""}]
        manifest["steps"] = [step]

    assert "behaviour: divergent" in _failed(tmp_path, resealed(bundle, change))


@pytest.mark.parametrize(
    ("field", "value", "word"),
    [
        ("speedup", 9.0, "is claimed"),
        ("evidence_class", "proved", "is claimed"),
        ("kernel", "other", "other-function"),
    ],
)
def test_claims_beyond_what_holds(
    tmp_path: Path, bundle: bytes, field: str, value: object, word: str
) -> None:
    def change(manifest: dict[str, Any], contents: dict[str, bytes]) -> None:
        del contents
        manifest[field] = value

    assert word in _failed(tmp_path, resealed(bundle, change))


@pytest.mark.parametrize(
    ("clock", "word"), [("0123456789abcdef", "by clock 0123"), ("", "without")]
)
def test_another_clock_is_named_and_no_failure(
    tmp_path: Path, bundle: bytes, clock: str, word: str
) -> None:
    def change(manifest: dict[str, Any], contents: dict[str, bytes]) -> None:
        del contents
        manifest["clock"] = clock
        manifest["speedup"] *= 1.01

    path = tmp_path / "b.zip"
    path.write_bytes(resealed(bundle, change))
    result = audit(path, seed=3)
    assert result.ok
    assert result.reason.endswith("modelled by another clock")
    times = result.data["checks"][-1]["text"]
    assert times.startswith("the clock has changed: ")
    assert word in times
    assert result.data["clocks"]["bundle"] == clock != result.data["clocks"]["here"]


def test_easier_options_of_verification_are_in_the_seal_and_unknown_ones_refused(
    tmp_path: Path, bundle: bytes
) -> None:
    def change(manifest: dict[str, Any], contents: dict[str, bytes]) -> None:
        del contents
        manifest["verify"]["lenient"] = True

    assert "lenient" in _failed(tmp_path, resealed(bundle, change))


def test_edits_of_a_bundle_are_instructions_only(tmp_path: Path, bundle: bytes) -> None:
    """Text of a step never reaches an assembler directive."""
    for line in ('.incbin "/etc/passwd"', "s_nop 0\n.fill 9", ".rept 9999999"):

        def change(manifest: dict[str, Any], contents: dict[str, bytes], line: str = line) -> None:
            del contents
            manifest["steps"][0]["edits"][0]["lines"] = [line]

        assert "lineage" in _failed(tmp_path, resealed(bundle, change))


def test_the_command_says_what_holds(
    tmp_path: Path, bundle: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "b.zip"
    path.write_bytes(bundle)
    assert main(["audit", str(path)]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("Result: PASS (tested-exact, 1.")
    path.write_bytes(bundle[:-100])
    assert main(["audit", str(path)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    with pytest.raises(BundleError):
        audit(path)


def test_optimize_writes_evidence_that_passes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    k0, launch = small_problem(tmp_path)
    evidence = tmp_path / "e.zip"
    command = ["optimize", str(k0), "-l", str(launch), "-o", str(tmp_path / "K1.hsaco")]
    assert main([*command, "--budget", "6", "--evidence", str(evidence)]) == 0
    assert main(["audit", str(evidence), "-f", "json"]) == 0
    out = capsys.readouterr().out
    assert json.loads(out[out.index("{") :])["schema"] == "asmevo/audit/1"


@pytest.mark.parametrize("name", ["launch", "capsule", "bundle"])
def test_schemas_are_printed(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", name]) == 0
    assert json.loads(capsys.readouterr().out)["$schema"].endswith("2020-12/schema")
