"""Assembly files: identity when unedited, equivalence through plain LLVM, edits, and refusals."""

from __future__ import annotations

import random
import re
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from asmevo.codeobject import CodeObject, FormatError
from asmevo.errors import AsmEvoError, InputError
from asmevo.program import recover
from asmevo.program.build import assemble_object
from asmevo.program.edit import Edit, apply
from asmevo.program.grammar import EditError
from asmevo.program.rebuild import rebuild
from asmevo.program.text.asmfile import write
from asmevo.program.text.asmread import read
from asmevo.program.toolchain import installed

Objects = Callable[..., bytes]
KERNELS = Path(__file__).resolve().parents[3] / "kernels"
MC, LLD = installed("llvm-mc"), installed("ld.lld")
OWN = ["saxpy", "softmax", "reduce", "rmsnorm", "matmul_f16", "matmul_f32"]
ARCHES = ["gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201"]


def written(data: bytes) -> str:
    return write(recover(CodeObject.open(data)))


@pytest.mark.parametrize("name", OWN)
def test_unedited_file_gives_the_same_bytes(kernel_objects: Objects, name: str) -> None:
    data = kernel_objects(name)
    assert read(written(data)) == data


@pytest.mark.parametrize("arch", ARCHES)
def test_calls_tables_and_data_survive(kernel_objects: Objects, arch: str) -> None:
    data = kernel_objects("calls", arch, "recovery")
    text = written(data)
    assert read(text) == data
    source = Path(__file__).parents[3] / "kernels" / "recovery" / arch / "calls.s"
    names = re.findall(r"(\w+)@rel32@lo", source.read_text())
    assert re.findall(r"(\w+)@rel32@lo", text) == names
    assert text.count(".quad _ZL") == 4
    assert ".asciz" not in text


@pytest.mark.skipif(not (MC and LLD), reason="llvm-mc and ld.lld are not installed")
@pytest.mark.parametrize("arch", ARCHES)
def test_plain_llvm_makes_an_equivalent_object(
    kernel_objects: Objects, arch: str, tmp_path: Path
) -> None:
    data = kernel_objects("calls", arch, "recovery")
    source, relocatable, linked = (tmp_path / n for n in ("a.s", "a.o", "a.co"))
    source.write_text(written(data))
    subprocess.run([str(MC), "-triple=amdgcn-amd-amdhsa", f"-mcpu={arch}", "-filetype=obj",
                    str(source), "-o", str(relocatable)], check=True)  # fmt: skip
    subprocess.run([str(LLD), "-shared", str(relocatable), "-o", str(linked)], check=True)
    mine, theirs = CodeObject.open(data), CodeObject.open(linked.read_bytes())
    a, b = recover(mine), recover(theirs)
    literals = {i for r in a.references for i in (r.low, r.high)}
    assert [x for i, x in enumerate(a.instructions) if i not in literals] == [
        x for i, x in enumerate(b.instructions) if i not in literals
    ]
    assert [(r.pc_read, r.target) for r in a.references] == [
        (r.pc_read, r.target) for r in b.references
    ]
    assert dict(a.targets) == dict(b.targets)
    same = {"kernel_code_entry_byte_offset": 0}
    assert [k.descriptor.replace(**same) for k in mine.kernels] == [
        k.descriptor.replace(**same) for k in theirs.kernels
    ]
    assert [k.entry for k in mine.kernels] == [k.entry for k in theirs.kernels]
    assert mine.metadata is not None
    assert theirs.metadata is not None
    assert mine.metadata.data == theirs.metadata.data
    assert (mine.e_flags, mine.abi_version) == (theirs.e_flags, theirs.abi_version)

    def exported(co: CodeObject) -> set[tuple[str, int, int, int]]:
        table = next(s for s in co.elf.sections if s.name == ".dynsym")
        return {(s.name, s.info, s.other, s.size) for s in co.elf.symbols(table)}

    assert exported(mine) == exported(theirs)


def test_edited_code_equals_the_edit(kernel_objects: Objects) -> None:
    data = kernel_objects("softmax")
    program = recover(CodeObject.open(data))
    text = write(program)
    line = next(x for x in text.splitlines(True) if x.startswith("\tv_mov_b32_e32 v1, 0xff800000"))
    index = int(line.rpartition(";")[2].partition(":")[0])
    assert program.instructions[index].text == "v_mov_b32_e32 v1, 0xff800000"
    edited = text.replace(line, "\ts_nop 3\n" + line, 1)
    assert read(edited) == rebuild(apply(program, [Edit(index, index, ("s_nop 3",))]))
    shorter = text.replace(line, "", 1)
    assert read(shorter) == rebuild(apply(program, [Edit(index, index + 1, ())]))


def test_growth_in_a_file_with_calls_moves_everything(kernel_objects: Objects) -> None:
    data = kernel_objects("calls", "gfx942", "recovery")
    program = recover(CodeObject.open(data))
    text = write(program).replace("\tv_xad_u32", "\ts_nop 1\n" * 100 + "\tv_xad_u32", 1)
    index = next(i for i, x in enumerate(program.instructions) if x.base == "v_xad_u32")
    expected = apply(program, [Edit(index, index, ("s_nop 1",) * 100)])
    assert read(text) == rebuild(expected)


def test_edited_descriptor_and_metadata(kernel_objects: Objects) -> None:
    data = kernel_objects("saxpy")
    text = written(data)
    text = text.replace(".amdhsa_float_denorm_mode_32 3", ".amdhsa_float_denorm_mode_32 0")
    text = text.replace(".max_flat_workgroup_size: 256", ".max_flat_workgroup_size: 512")
    before, after = CodeObject.open(data), CodeObject.open(read(text))
    assert after.kernels[0].descriptor == before.kernels[0].descriptor.replace(
        float_denorm_mode_32=0
    )
    assert after.kernels[0].metadata.max_flat_workgroup_size == 512
    assert after.text == before.text


def test_other_changes_are_refused_by_line(kernel_objects: Objects) -> None:
    text = written(kernel_objects("calls", "gfx942", "recovery"))
    cases: list[tuple[str, str, type[AsmEvoError], str]] = [
        ("\t.zero 256", "\t.zero 128", InputError, r"'\.zero 128' was changed"),
        ("\t.quad _ZL6op_addii", "\t.quad 0", InputError, "was changed"),
        ("\tv_xad_u32", '\t.incbin "/etc/hostname"\n\tv_xad_u32', EditError, "directives"),
        ("_ZL6op_mixii:", "other:", EditError, "label _ZL6op_mixii .* is missing"),
        ("weights@rel32@lo+4", "nothing@rel32@lo+4", EditError, "no @lo in front"),
        (".amdhsa_kernarg_size 288", ".incbin x", InputError, "inside .amdhsa_kernel"),
    ]
    for old, new, error, reason in cases:
        assert old in text
        with pytest.raises(error, match=reason):
            read(text.replace(old, new, 1))
    escape = text.replace(
        ".end_amdgpu_metadata", '.end_amdgpu_metadata ; x\n.incbin "/etc/hostname"', 1
    )
    with pytest.raises(InputError, match="was changed"):
        read(escape)
    damaged = re.sub(r"(asmevo-container/1 .{20})....", r"\1AAAA", text, count=1)
    with pytest.raises(FormatError, match="damaged"):
        read(damaged)


TAILS = [
    " ; x",
    ' .incbin "/etc/hostname"',
    '"',
    "\\",
    "\x00",
    "\u2028",
    ", v0",
    ":",
    " 1",
    "\r.set x, 1",
]


def test_mutated_files_give_typed_errors(kernel_objects: Objects) -> None:
    source = written(kernel_objects("calls", "gfx942", "recovery")).split("\n")
    rng = random.Random(4)
    outcomes: Counter[str] = Counter()
    for _ in range(200):
        lines = list(source)
        for _ in range(rng.randint(1, 3)):
            i = rng.randrange(len(lines))
            kind = rng.randrange(5)
            if kind == 0:
                del lines[i]
            elif kind == 1:
                lines.insert(i, lines[rng.randrange(len(lines))])
            elif kind == 2 and lines[i]:
                at = rng.randrange(len(lines[i]))
                lines[i] = lines[i][:at] + chr(rng.randrange(32, 127)) + lines[i][at + 1 :]
            elif kind == 3:
                lines[i] += rng.choice(TAILS)
            else:
                lines[i] = re.sub(
                    r"\d+", str(rng.choice([0, 255, 65536, 1 << 40])), lines[i], count=1
                )
        try:
            read("\n".join(lines))
            outcomes["built"] += 1
        except AsmEvoError as err:
            outcomes[type(err).__name__] += 1
    assert len(outcomes) > 3


def test_file_without_container_is_built_whole() -> None:
    source = Path(__file__).parents[3] / "kernels" / "gfx942" / "saxpy.s"
    assert CodeObject.open(read(source.read_text())).kernels[0].name == "saxpy"
    with pytest.raises(InputError, match="amdgcn_target"):
        read("s_nop 0\n")


@pytest.mark.corpus
def test_vendor_files_survive(aiter_root: Path) -> None:
    files = sorted((aiter_root / "aiter_meta" / "hsa").glob("gfx9*/**/*.co"))
    for path in files[:: len(files) // 25]:
        data = path.read_bytes()
        assert read(written(data)) == data


@pytest.mark.corpus
@pytest.mark.parametrize("arch", ["gfx942", "gfx950", "gfx1100", "gfx1250"])
def test_triton_files_survive(triton_object: Callable[[str, str], bytes], arch: str) -> None:
    for name in ("conch_rotary_embedding", "conch_silu_and_mul", "sglang_decode_stage2"):
        data = triton_object(arch, f"{name}.{arch}.hsaco")
        assert read(written(data)) == data


def test_asm_lines_every_error_names_the_line_of_the_file(kernel_objects: Objects) -> None:
    """Cases `asm_lines`: e3 (instruction), e6 (label), e8 (descriptor), and their siblings."""
    text = written(kernel_objects("softmax"))
    instruction = re.search(r"\n\t(v_add_f32_e32 .*)\n", text).group(1)  # type: ignore[union-attr]
    branch = re.search(r"\n\t(s_cbranch_\w+) \.L\w+ ", text).group(1)  # type: ignore[union-attr]
    cases: list[tuple[str, str, str]] = [
        (f"\t{instruction}", "\t  v_addd_f32 v8, v8, v1", "invalid instruction"),
        (f"\t{instruction}", "\tv_add_f32_e32 v8, v8, s[0:1]", ""),
        (f"\t{instruction}", "\tv_add_f32_e32 v8, v8, foo", "operand foo"),
        (f"\t{instruction}", "\t.incbin x", "directives are not allowed"),
        (f"\t{branch} ", f"\t{branch} .LX ; was ", "unknown label .LX"),
        (".amdhsa_next_free_vgpr ", ".amdhsa_next_free_vgprr ", "unknown .amdhsa_kernel"),
        (".amdhsa_ieee_mode ", ".amdhsa_ieee_mode 7", "value out of range"),
        ("\t.p2align 6", "\t.p2align 7", "was changed"),
    ]
    for old, new, reason in cases:
        changed = text.replace(old, new, 1)
        number = 1 + next(
            n for n, (a, b) in enumerate(zip(text.split("\n"), changed.split("\n"), strict=True))
            if a != b
        )  # fmt: skip
        with pytest.raises(AsmEvoError, match=f"line {number}[: ]") as caught:
            read(changed)
        assert caught.value.line == number
        assert reason in str(caught.value)
        quoted = changed.split("\n")[number - 1].partition(";")[0]
        assert " ".join(quoted.split()) in caught.value.one_line()


def test_a_plain_file_names_its_own_line() -> None:
    path = KERNELS / "gfx942" / "softmax.s"
    lines = path.read_text().split("\n")
    at = next(n for n, line in enumerate(lines) if line.strip().startswith("v_add_f32"))
    lines[at] = "\tv_addd_f32 v8, v8, v1"
    with pytest.raises(AsmEvoError, match=f"line {at + 1} `v_addd_f32 v8, v8, v1`: ") as caught:
        read("\n".join(lines))
    assert caught.value.line == at + 1


_WORDS = """
\t.amdgcn_target "amdgcn-amd-amdhsa--{arch}"
\t.amdhsa_code_object_version 5
\t.text
\t.globl k
\t.p2align 8
\t.type k,@function
k:
{body}
\t.section .rodata,"a",@progbits
\t.p2align 6
\t.amdhsa_kernel k
\t\t.amdhsa_next_free_vgpr 8
\t\t.amdhsa_next_free_sgpr 8
{more}
\t.end_amdhsa_kernel
"""


@pytest.mark.parametrize(
    ("arch", "body"),
    [
        ("gfx1250", "s_version UC_VERSION_GFX12|UC_VERSION_W32_BIT\ns_endpgm"),  # s_version_gfx1250
        ("gfx1100", "s_version UC_VERSION_GFX11\ns_endpgm"),
        ("gfx942", 'ds_swizzle_b32 v0, v1 offset:swizzle(BITMASK_PERM,"0pi01")\ns_endpgm'),
        ("gfx942", "ds_swizzle_b32 v0, v1 offset:swizzle(QUAD_PERM,0,1,2,3)\ns_endpgm"),
        ("gfx1030", "s_waitcnt_vscnt m0, 0x3\nexp mrt0 v0, v0, v0, v0 done vm\ns_endpgm"),
        ("gfx1030", "image_load v[0:1], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D d16\ns_endpgm"),
        # data_in_text: words behind the end that look like branches to nowhere, or into data.
        ("gfx942", "s_endpgm\n.long 0xbf827fff, 0xbf82fff0, 0x12345678, 0xbf850001, 0xd1ffffff"),
        ("gfx942", "s_endpgm\n.long 0xbf820001, 0xd1ff0000, 0x00000000, 0xbf82fffd"),
        ("gfx1100", "s_endpgm\n.long 0xbfa07fff, 0xbfa20400, 0xcafe0000"),
    ],
)
def test_unedited_text_gives_the_object_back(arch: str, body: str) -> None:
    more = "\t\t.amdhsa_accum_offset 8" if arch == "gfx942" else ""
    data = assemble_object(_WORDS.format(arch=arch, body=body, more=more))
    assert read(written(data)) == data
