"""`asmevo diff`: exit codes, result line, JSON by its schema, HTML with hostile names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import asmevo
from asmevo.api.differences.record import DiffRecord

from .conftest import Run


@pytest.fixture
def pair(tmp_path: Path, kernel_objects: Callable[..., bytes]) -> Callable[[str, str], list[str]]:
    """Function (old text, new text) -> paths of saxpy and of an edited saxpy."""

    def make(old: str, new: str) -> list[str]:
        data = kernel_objects("saxpy")
        text = asmevo.disasm(data).text
        assert text.count(old) == 1
        paths = [tmp_path / "K0.hsaco", tmp_path / "K1.hsaco"]
        paths[0].write_bytes(data)
        paths[1].write_bytes(asmevo.asm(text.replace(old, new)).object)
        return [str(p) for p in paths]

    return make


FMAC, MUL = "v_fmac_f32_e32 v5, s4, v4", "v_mul_f32_e32 v5, s4, v4"
SHIFT = "v_lshlrev_b64 v[0:1], 2, v[0:1]"


def test_the_same_object(run: Run, pair: Callable[[str, str], list[str]]) -> None:
    k0, _ = pair(FMAC, MUL)
    done = run("diff", k0, k0)
    assert done.code == 0
    assert done.result == "Result: PASS (the same instructions)"


def test_what_is_proved_passes(run: Run, pair: Callable[[str, str], list[str]]) -> None:
    k0, k1 = pair(SHIFT, f"s_nop 0\n\t{SHIFT}")
    done = run("diff", k0, k1, "-f", "json")
    assert (done.code, done.json["status"], done.json["ok"]) == (0, "proved", True)
    assert done.json["schema"] == "asmevo/diff/1"
    function = done.json["functions"][0]
    assert (function["name"], function["structure"]["graph"]) == ("saxpy", "")
    assert function["resources"]["after"]["code_bytes"] == (
        function["resources"]["before"]["code_bytes"] + 4
    )


def test_what_is_refuted_fails_with_a_counterexample(
    run: Run, pair: Callable[[str, str], list[str]]
) -> None:
    k0, k1 = pair(FMAC, MUL)
    done = run("diff", k0, k1)
    assert done.code == 1
    assert done.result == "Result: FAIL (1 window: 1 refuted)"
    assert "counterexample: v5, lane" in done.out
    record = run("diff", k0, k1, "-f", "json").json
    DiffRecord.model_validate(record)  # what the exported schema describes
    example = record["functions"][0]["windows"][0]["counterexample"]
    # v_fmac adds to v5, v_mul does not; whatever the state, these differ where v5 counts.
    assert example["output"] == "v5"
    assert example["before"] != example["after"]


def test_the_schema_is_exported(run: Run) -> None:
    done = run("schema", "diff", "-f", "json")
    assert done.code == 0
    assert "functions" in done.json["json_schema"]["properties"]


@pytest.mark.parametrize(("name", "arch"), [("l1_019_relu", "gfx90a"), ("reduce", "gfx942")])
def test_other_targets_and_kernels_are_exit_3(
    run: Run, pair: Callable[[str, str], list[str]], tmp_path: Path,
    kernel_objects: Callable[..., bytes], name: str, arch: str,
) -> None:  # fmt: skip
    k0, _ = pair(FMAC, MUL)
    other = tmp_path / "other.hsaco"
    folder = "." if arch == "gfx942" else "kernelbench"
    other.write_bytes(kernel_objects(name, arch, folder))
    run("diff", k0, str(other)).complaint(3, "compare")


def test_another_abi_is_exit_3(run: Run, pair: Callable[[str, str], list[str]]) -> None:
    k0, k1 = pair(".amdhsa_kernarg_size 280", ".amdhsa_kernarg_size 288")
    run("diff", k0, k1).complaint(3, "ABI")


def test_an_unknown_kernel_is_exit_2(run: Run, pair: Callable[[str, str], list[str]]) -> None:
    k0, k1 = pair(FMAC, MUL)
    run("diff", k0, k1, "--kernel", "nope").complaint(2, "nope")


def test_the_page_stands_alone_and_escapes(
    run: Run, pair: Callable[[str, str], list[str]], tmp_path: Path
) -> None:
    k0, k1 = pair(FMAC, MUL)
    hostile = tmp_path / "<script>alert(1)</script>.hsaco".replace("/", "_")
    hostile.write_bytes(Path(k1).read_bytes())
    done = run("diff", k0, str(hostile), "-f", "html")
    assert done.code == 1
    assert "<script" not in done.out
    assert "&lt;script&gt;" in done.out
    assert "http" not in done.out.replace("http-equiv", "")
    assert "refuted" in done.out
    assert "@media (max-width: 44rem)" in done.out
