"""Recovery: what a program says about the code, held against what the assembly file says."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from asmevo.codeobject import CodeObject
from asmevo.program import recover
from asmevo.program.rebuild import rebuild

Objects = Callable[..., bytes]
KERNELS = Path(__file__).resolve().parents[2] / "kernels"
OWN = sorted(p.stem for p in (KERNELS / "gfx942").glob("*.s"))
ARCHES = sorted(p.parent.name for p in (KERNELS / "recovery").glob("*/calls.s"))


def source_lines(path: Path) -> list[str]:
    """Instructions and labels of a compiler's assembly file, comments and directives left out."""
    lines: list[str] = []
    for line in path.read_text().splitlines():
        text = " ".join(line.split(";")[0].split())
        if re.match(r"[A-Za-z_.][\w.$]*:$", text) or re.match(
            r"(s|v|ds|global|scratch|flat)_", text
        ):
            lines.append(text)
    return lines


@pytest.mark.parametrize("name", OWN)
def test_instructions_and_branches_follow_the_source(kernel_objects: Objects, name: str) -> None:
    program = recover(CodeObject.open(kernel_objects(name)))
    function = program.function()
    expected = source_lines(KERNELS / "gfx942" / f"{name}.s")
    mnemonics = [t.split()[0] for t in expected if not t.endswith(":")]
    code = range(function.first, function.last)
    assert [program.instructions[i].mnemonic for i in code] == mnemonics
    # Each branch goes to the instruction that its label precedes in the source.
    at, index = {}, 0
    for text in expected:
        if text.endswith(":"):
            at[text[:-1]] = index
        else:
            index += 1
    branches = [
        (i, t.split()[-1]) for i, t in enumerate(t for t in expected if not t.endswith(":"))
        if t.startswith(("s_branch", "s_cbranch"))
    ]  # fmt: skip
    assert branches
    for i, label in branches:
        assert program.branch_target(function.first + i) == function.first + at[label]
    assert function.is_kernel
    # The compiler aligns the end to 64 bytes and adds 256 words for the prefetcher.
    end = program.offsets[function.last]
    assert function.padding == 256 + (-end % 64) // 4


@pytest.mark.parametrize("arch", ARCHES)
def test_calls_tables_and_data(kernel_objects: Objects, arch: str) -> None:
    data = kernel_objects("calls", arch, "recovery")
    co = CodeObject.open(data)
    program = recover(co)
    assert rebuild(program) == data
    assert [f.name for f in program.functions if f.is_kernel] == ["table_walk", "remember"]
    assert len(program.functions) == 6
    assert not program.growth_refused
    assert all(i.editable for i in program.instructions)
    symbols = {s.value: s.name for s in co.elf.all_symbols() if s.type in (1, 2)}
    named = [symbols[r.address] for r in program.references]
    source = (KERNELS / "recovery" / arch / "calls.s").read_text()
    assert named == re.findall(r"\b(\w+)@rel32@lo", source)
    for r in program.references:
        if r.target is not None:
            assert r.target in {f.first for f in program.functions}


def test_listing_reads_like_assembly(kernel_objects: Objects) -> None:
    program = recover(CodeObject.open(kernel_objects("saxpy")))
    listing = program.listing(0, program.function().last)
    assert listing[0] == "saxpy:"
    assert listing[1] == "s_load_dword s3, s[0:1], 0x24"
    branch = next(line for line in listing if line.startswith("s_cbranch"))
    assert branch.split()[1] + ":" in listing


def test_literal_that_could_be_inline_keeps_its_form(kernel_objects: Objects) -> None:
    program = recover(CodeObject.open(kernel_objects("calls", "gfx942", "recovery")))
    high = [program.instructions[r.high] for r in program.references]
    assert all(i.size == 8 and i.editable for i in high)
    assert any("lit(0x0)" in (i.text or "") for i in high)


CORPUS = [
    "gfx942/topksoftmax/*.co", "gfx942/mla/*.co", "gfx942/pa/*.co", "gfx942/bf16gemm/*.co",
    "gfx942/fmha_v3_bwd/*.co", "gfx942/fmha_v3_fwd/MI300/*.co", "gfx942/fmoe/*/*.co",
    "gfx942/fmoe_2stages/*.co", "gfx942/i8gemm/*.co", "gfx942/*.co", "gfx950/f4gemm/*.co",
    "gfx950/fmha_v3_fwd/*.co", "gfx950/fmoe/*/*.co", "gfx950/pa/*.co", "gfx950/mla/*.co",
]  # fmt: skip


@pytest.mark.corpus
@pytest.mark.parametrize("pattern", CORPUS)
def test_vendor_sample_is_recovered_exactly(aiter_root: Path, pattern: str) -> None:
    files = sorted((aiter_root / "aiter_meta" / "hsa").glob(pattern))
    assert files
    for path in files[:: max(1, len(files) // 6)]:
        data = path.read_bytes()
        program = recover(CodeObject.open(data))
        assert rebuild(program) == data
        kept = {i.mnemonic for i in program.instructions if not i.editable}
        if program.target.arch == "gfx942":
            assert not kept
        assert all(m.startswith("v_mfma_scale") for m in kept)


@pytest.mark.corpus
def test_speed_of_a_typical_object(aiter_root: Path) -> None:
    path = next((aiter_root / "aiter_meta/hsa/gfx942/mla").glob("*.co"))
    data = path.read_bytes()
    recover(CodeObject.open(data))
    start = time.process_time()
    program = recover(CodeObject.open(data))
    # Encodings are known now; `make bench` measures the first time.
    assert time.process_time() - start < 0.06 * len(program.instructions) / 4400
