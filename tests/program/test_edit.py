"""Edits: the code around them follows, LLVM's own objdump agrees, and bad edits are refused."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from asmevo.codeobject import CodeObject, build
from asmevo.errors import BuildError
from asmevo.isa.codec.llvm import AssemblyError
from asmevo.program import Program, recover
from asmevo.program.edit import Edit, apply
from asmevo.program.grammar import EditError
from asmevo.program.rebuild import rebuild
from asmevo.program.text.asmfile import write
from asmevo.program.text.asmread import read
from asmevo.program.toolchain import installed

Objects = Callable[..., bytes]
OBJDUMP, READELF = installed("llvm-objdump"), installed("llvm-readelf")


def load(data: bytes) -> Program:
    return recover(CodeObject.open(data))


def editable_places(program: Program, step: int) -> list[int]:
    """Every `step`-th instruction outside PC-relative triples and frozen prologues."""
    taken = {i for r in program.references for i in range(r.pc_read + 1, r.high + 1)}
    preload = any(k.descriptor.kernarg_preload_length for k in program.object.kernels)
    first = 64 if preload and program.target.is_gfx9 else 0
    return [i for i in range(first, len(program.instructions), step) if i not in taken]


def with_nops(program: Program, step: int = 50) -> Program:
    return apply(program, [Edit(i, i, ("s_nop 0",)) for i in editable_places(program, step)])


def assert_same_structure(edited: Program, again: Program) -> None:
    """The recovered file says what the edited program says."""
    assert [i.raw for i in edited.instructions] == [i.raw for i in again.instructions]
    assert dict(edited.targets) == dict(again.targets)
    assert [(f.name, f.first, f.is_kernel) for f in edited.functions] == [
        (f.name, f.first, f.is_kernel) for f in again.functions
    ]
    assert [(r.pc_read, r.low, r.high, r.target) for r in edited.references] == [
        (r.pc_read, r.low, r.high, r.target) for r in again.references
    ]
    for old, new in zip(edited.object.kernels, again.object.kernels, strict=True):
        assert new.entry == edited.offsets[edited.anchors[old.entry]]
        same = {"kernel_code_entry_byte_offset": 0}
        assert new.descriptor.replace(**same) == old.descriptor.replace(**same)


def objdump(data: bytes, path: Path) -> list[str]:
    """LLVM's disassembly: text and symbolic branch target, addresses left out."""
    path.write_bytes(data)
    assert OBJDUMP is not None
    out = subprocess.run(
        [OBJDUMP, "-d", "--no-show-raw-insn", str(path)], capture_output=True, text=True, check=True
    )
    return [line.split("//")[0].strip() for line in out.stdout.splitlines() if "//" in line]


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201"])
def test_growth_moves_calls_tables_and_data(
    kernel_objects: Objects, arch: str, tmp_path: Path
) -> None:
    program = load(kernel_objects("calls", arch, "recovery"))
    edited = with_nops(program, 20)
    again = load(rebuild(edited))
    assert_same_structure(edited, again)
    # Every symbol still names the same thing, and pointers in the table follow their functions.
    before, after = program.object, again.object
    assert [(s.name, s.info, s.other) for s in before.elf.all_symbols()] == [
        (s.name, s.info, s.other) for s in after.elf.all_symbols()
    ]
    for f in again.functions:
        if f.is_kernel:
            assert again.offsets[f.first] % 256 == 0
    starts = {again.offsets[f.first] + after.text_address for f in again.functions}
    table = [r for s in after.elf.sections if s.type == 4 for r in after.elf.relocations(s)]
    assert len(table) == 4
    assert all(r.addend in starts for r in table)
    if READELF:
        path = tmp_path / "a.co"
        path.write_bytes(after.data)
        out = subprocess.run([READELF, "-a", str(path)], capture_output=True, text=True, check=True)
        assert out.stderr == ""


@pytest.mark.skipif(OBJDUMP is None, reason="llvm-objdump is not installed")
@pytest.mark.parametrize("name", ["softmax", "matmul_f16", "reduce"])
def test_objdump_sees_the_same_stream(kernel_objects: Objects, name: str, tmp_path: Path) -> None:
    data = kernel_objects(name)
    program = load(data)
    edited = with_nops(program)
    stream = objdump(rebuild(edited), tmp_path / "b.co")
    places = set(editable_places(program, 50))
    inserted = [i + n for n, i in enumerate(sorted(places))]
    assert [stream[i] for i in inserted] == ["s_nop 0"] * len(inserted)
    kept = [line for i, line in enumerate(stream) if i not in set(inserted)]
    plain = re.compile(r"^(s_c?branch\w*) .*")
    assert [plain.sub(r"\1", t) for t in kept] == [
        plain.sub(r"\1", t) for t in objdump(data, tmp_path / "a.co")
    ]


@pytest.mark.corpus
def test_vendor_objects_survive_growth(aiter_root: Path) -> None:
    files = sorted((aiter_root / "aiter_meta" / "hsa").glob("gfx9*/**/*.co"))
    for path in files[:: len(files) // 30]:
        edited = with_nops(load(path.read_bytes()))
        assert_same_structure(edited, load(rebuild(edited)))


def test_replacing_a_window_by_its_own_listing_changes_nothing(kernel_objects: Objects) -> None:
    program = load(kernel_objects("softmax"))
    last = program.function().last
    for first in range(0, last - 13, 13):
        lines = tuple(program.listing(first, first + 13))
        assert apply(program, [Edit(first, first + 13, lines)]).text == program.text
    whole = tuple(program.listing(0, last))
    edited = apply(program, [Edit(0, last, whole)])
    assert rebuild(edited) == program.object.data
    assert edited.labels == program.labels


@pytest.mark.corpus
def test_moving_code_keeps_bytes_that_llvm_would_write_otherwise(aiter_root: Path) -> None:
    path = sorted((aiter_root / "aiter_meta/hsa/gfx950/f4gemm").glob("*.co"))[0]
    program = load(path.read_bytes())
    kept = [i for i, x in enumerate(program.instructions) if not x.editable]
    assert kept
    first = next(
        i - 3 for i in kept
        if not any(j in program.labels or j in program.targets for j in range(i - 3, i + 6))
    )  # fmt: skip
    lines = [program.line(i) for i in range(first, first + 8)]
    same = apply(program, [Edit(first, first + 8, tuple(lines))])
    assert same.text == program.text
    moved = apply(program, [Edit(first, first + 8, (*lines[1:], lines[0]))])
    raws = [i.raw for i in program.instructions[first : first + 8]]
    assert [i.raw for i in moved.instructions[first : first + 8]] == [*raws[1:], raws[0]]
    assert_same_structure(moved, load(rebuild(moved)))


def test_gfx11_windows_survive_their_own_listing(kernel_objects: Objects) -> None:
    program = load(kernel_objects("calls", "gfx1100", "recovery"))
    taken = {i for r in program.references for i in (r.pc_read, r.low, r.high)}
    f = program.function("table_walk")
    for first in range(f.first, f.last - 9, 9):
        if not taken & set(range(first, first + 9)):
            lines = tuple(program.listing(first, first + 9))
            assert apply(program, [Edit(first, first + 9, lines)]).text == program.text


def test_shrinking_keeps_the_file_consistent(kernel_objects: Objects) -> None:
    program = load(kernel_objects("softmax"))
    nops = [
        i for i in range(program.function().last)
        if program.instructions[i].mnemonic == "v_mov_b32_e32" and i not in program.labels
    ]  # fmt: skip
    edited = apply(program, [Edit(i, i + 1, ()) for i in nops])
    assert len(edited.text) < len(program.text)
    assert_same_structure(edited, load(rebuild(edited)))


def test_labels_in_the_lines(kernel_objects: Objects) -> None:
    program = load(kernel_objects("saxpy"))
    lines = ("again:", "s_sub_u32 s3, s3, 1", "s_cmp_lg_u32 s3, 0", "s_cbranch_scc1 again")
    edited = apply(program, [Edit(3, 3, lines)])
    assert edited.targets[5] == 3
    assert edited.labels[3] == "again"
    assert edited.instructions[5].text == "s_cbranch_scc1 65533"
    assert_same_structure(edited, load(rebuild(edited)))


def test_mere_labels_of_the_symbol_table_do_not_block_edits() -> None:
    source = Path(__file__).parents[2] / "kernels" / "gfx942" / "saxpy.s"
    lines = source.read_text().splitlines()
    at = next(i for i, line in enumerate(lines) if "v_ashrrev_i32" in line)
    lines.insert(at, "inner_point:")
    program = load(build("\n".join(lines) + "\n"))
    index = next(i for i, x in enumerate(program.instructions) if x.base == "v_ashrrev_i32")
    edited = apply(program, [Edit(index - 1, index + 1, ("s_nop 1",) * 7)])
    again = load(rebuild(edited))
    (symbol,) = (s for s in again.object.text_symbols if s.name == "inner_point")
    assert symbol.value - again.object.text_address == again.offsets[index - 1]
    text = write(program)
    assert "inner_point:" in text
    assert read(text) == program.object.data
    assert load(read(text.replace("inner_point:\n", ""))).text == program.text


def test_refused_edits_name_the_reason(kernel_objects: Objects) -> None:
    program = load(kernel_objects("softmax"))
    target = next(t for t in sorted(set(program.targets.values())) if t > 5)
    cases: list[tuple[list[Edit], str]] = [
        ([Edit(0, 1, ("s_branch nowhere",))], "unknown label nowhere"),
        ([Edit(target - 2, target + 2, ("s_nop 0",))], "inside the replaced range"),
        ([Edit(4, 8, ()), Edit(6, 9, ())], "overlap"),
        ([Edit(5, 3, ())], "outside the program"),
        ([Edit(0, 10**9, ())], "outside the program"),
        ([Edit(3, 3, ("x:", "s_nop 0")), Edit(5, 5, ("x:", "s_nop 0"))], "defined twice"),
        ([Edit(3, 3, (f"{program.labels[target]}:", "s_nop 0"))], "exists already"),
        ([Edit(3, 3, ("s_getpc_b64 s[0:1]",))], "program counter"),
        ([Edit(3, 3, ('.incbin "/etc/hostname"',))], "directives"),
    ]
    for edits, reason in cases:
        with pytest.raises(EditError, match=reason):
            apply(program, edits)
    with pytest.raises(AssemblyError, match="assembly for gfx942 failed"):
        apply(program, [Edit(3, 3, ("v_add_f32 v0, v1",))])
    with pytest.raises(BuildError):
        apply(program, [Edit(3, 3, ("v_frobnicate_b32 v0, v1",))])


def test_pc_relative_code_is_left_alone(kernel_objects: Objects) -> None:
    program = load(kernel_objects("calls", "gfx942", "recovery"))
    low = program.references[0].low
    with pytest.raises(EditError, match="PC-relative"):
        apply(program, [Edit(low, low + 1, ("s_nop 0",))])


def chase(program: Program, index: int) -> int:
    """Where a branch ends up when it goes through islands."""
    target = program.targets[index]
    seen = {index}
    while program.instructions[target].mnemonic == "s_branch" and target not in seen:
        seen.add(target)
        target = program.targets[target]
    return target


LONG = ("v_mov_b32_e32 v9, 0x12345678",) * 4000  # 32 kB


@pytest.mark.parametrize("copies", [4, 5, 9, 13])
def test_long_branches_go_through_islands(kernel_objects: Objects, copies: int) -> None:
    program = load(kernel_objects("softmax"))
    last = program.function().last
    places = [i * last // copies for i in range(1, copies)] + [last - 2]
    edited = apply(program, [Edit(i, i, LONG) for i in places])
    again = load(rebuild(edited))
    assert_same_structure(edited, again)
    # Every branch of the original still arrives where it did, forward and backward.
    count = sum(i.mnemonic == "v_mov_b32_e32" and i.size == 8 for i in again.instructions)
    assert count >= 4000 * copies
    names = program.labels
    reached = [
        again.instructions[chase(again, i)].text
        for i, inst in enumerate(again.instructions)
        if inst.mnemonic.startswith("s_cbranch")
    ]
    expected = [
        program.instructions[t].text if program.labels[t] in edited.labels.values() else None
        for i, t in sorted(program.targets.items())
        if program.instructions[i].mnemonic.startswith("s_cbranch")
    ]
    assert len(names) > 10
    landed = [(e, r) for e, r in zip(expected, reached, strict=True) if r != e]
    # Where lines were inserted in front of a target, the branch runs them first.
    assert all(r == "v_mov_b32_e32 v9, 0x12345678" for _, r in landed)


def test_no_place_for_an_island_is_refused_by_name(kernel_objects: Objects) -> None:
    program = load(kernel_objects("saxpy"))
    edits = [Edit(i, i, LONG) for i in (10, 11, 12, 13, 14)]
    with pytest.raises(EditError, match=r"s_cbranch_execz \S+: no place for an island"):
        apply(program, edits)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_random_insertions_and_deletions(kernel_objects: Objects, data: st.DataObject) -> None:
    program = load(kernel_objects("reduce"))
    last = program.function().last
    edits: list[Edit] = []
    at = 0
    while at < last and len(edits) < 8:
        at = data.draw(st.integers(at, last))
        span = data.draw(st.integers(0, 4))
        count = data.draw(st.integers(0, 5))
        if at + span > last or any(i in program.labels for i in range(at + 1, at + span)):
            continue
        edits.append(Edit(at, at + span, ("s_nop 1",) * count))
        at += span + 1
    edited = apply(program, edits)
    assert_same_structure(edited, load(rebuild(edited)))
    kept = [i for e in edits for i in range(e.first, e.last)]
    stream = [i.mnemonic for i in edited.instructions]
    expected: list[str] = []
    for i in range(len(program.instructions) + 1):
        for e in edits:
            if e.first == i:
                expected += ["s_nop"] * len(e.lines)
        if i < len(program.instructions) and i not in kept:
            expected.append(program.instructions[i].mnemonic)
    assert stream == expected
