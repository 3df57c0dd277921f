"""The verifier on fetched objects: compilers' code is clean, an original is never worse."""

from __future__ import annotations

from pathlib import Path

import pytest

from asmevo.api.installation import corpora as corpus
from asmevo.check.against import worse_findings
from asmevo.check.engine.kernels import entry_indices
from asmevo.check.findings import errors
from asmevo.check.run import check_program
from asmevo.codeobject import CodeObject
from asmevo.program import recover

pytestmark = pytest.mark.corpus


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_triton_code_has_no_errors(arch: str) -> None:
    paths = sorted((corpus.corpus_root() / "triton" / arch).glob("*.hsaco"))
    if not paths:
        pytest.skip("no Triton objects: run tests/corpus/build_triton.py")
    entries: list[int] = []
    for path in paths[::3]:
        program = recover(CodeObject.open(path.read_bytes()))
        assert [f.one_line() for f in errors(check_program(program))] == [], path.name
        entries.append(len(entry_indices(program, program.object.kernels[0])))
    assert max(entries) == 2  # preloaded arguments: the entry and the one 256 bytes on


def test_compiled_objects_of_the_wheel_have_no_errors(aiter_root: Path) -> None:
    paths = sorted(aiter_root.rglob("*.hsaco"))
    assert paths
    for path in paths[::16]:
        program = recover(CodeObject.open(path.read_bytes()))
        assert [f.one_line() for f in errors(check_program(program))] == [], path.name


def test_a_vendor_kernel_is_never_worse_than_itself(aiter_root: Path) -> None:
    paths = sorted(aiter_root.rglob("*.co"))
    for path in paths[7::250]:
        data = path.read_bytes()
        first, second = (recover(CodeObject.open(data)) for _ in range(2))
        before, after = check_program(first), check_program(second)
        assert worse_findings(before, first, after, second) == [], path.name


def test_known_faults_of_vendor_kernels_are_found(aiter_root: Path) -> None:
    """An attention kernel reads LDS results that no wait covers, and an SGPR nobody sets."""
    path = next(aiter_root.rglob("pa_fp16_pertokenFp8_gqa16_1tg_4w_mtp_msk1.co"))
    found = errors(check_program(recover(CodeObject.open(path.read_bytes()))))
    pairs = {(f.rule, f.producer_text.split(" ")[0], f.text.split(" ")[0]) for f in found}
    assert ("wait.raw", "ds_read_b64", "v_mfma_f32_16x16x32_fp8_fp8") in pairs
    assert "s89" in {f.what for f in found if f.rule == "register.undefined"}
