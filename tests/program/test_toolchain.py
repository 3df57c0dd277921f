"""The two back ends against each other: LLVM in process and `llvm-mc` with `ld.lld`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from asmevo.codeobject import CodeObject, build
from asmevo.errors import EnvironmentFault, InputError
from asmevo.isa.codec.llvm import AssemblyError, assembler
from asmevo.isa.target import Target
from asmevo.program import recover
from asmevo.program.build import assemble_object
from asmevo.program.toolchain import Toolchain

KERNELS = Path(__file__).resolve().parents[2] / "kernels"
FILES = sorted(
    [*KERNELS.glob("gfx942/*.s"), *KERNELS.glob("recovery/*/calls.s"),
     *sorted(KERNELS.glob("kernelbench/*/*.s"))[::9]]
)  # fmt: skip


@pytest.fixture(scope="module")
def toolchain() -> Toolchain:
    try:
        return Toolchain.find()
    except EnvironmentFault as err:
        pytest.skip(err.one_line())


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_objects_agree(toolchain: Toolchain, path: Path) -> None:
    text = path.read_text()
    mine, theirs = CodeObject.open(build(text)), CodeObject.open(toolchain.build(text))
    a, b = recover(mine), recover(theirs)
    literals = {i for r in a.references for i in (r.low, r.high)}
    assert [x for i, x in enumerate(a.instructions) if i not in literals] == [
        x for i, x in enumerate(b.instructions) if i not in literals
    ]
    assert dict(a.targets) == dict(b.targets)
    assert a.functions == b.functions
    assert mine.metadata is not None
    assert theirs.metadata is not None
    assert mine.metadata.data == theirs.metadata.data
    assert (mine.e_flags, mine.abi_version) == (theirs.e_flags, theirs.abi_version)
    for x, y in zip(mine.kernels, theirs.kernels, strict=True):
        assert x.entry == y.entry
        assert x.descriptor.raw[:16] == y.descriptor.raw[:16]
        assert x.descriptor.raw[24:] == y.descriptor.raw[24:]

    def symbols(co: CodeObject) -> list[tuple[str, int, int, int]]:
        return sorted(
            (s.name, s.info, s.other, s.size)
            for s in co.elf.all_symbols()
            if s.section and s.name != "_DYNAMIC"
        )

    assert symbols(mine) == symbols(theirs)


def test_relocated_data_agrees(toolchain: Toolchain) -> None:
    """Each pointer in data leads to the same function or object in both links."""
    for path in KERNELS.glob("recovery/*/calls.s"):
        text = path.read_text()
        named: list[list[str]] = []
        for co in (CodeObject.open(build(text)), CodeObject.open(toolchain.build(text))):
            at = {s.value: s.name for s in co.elf.all_symbols() if s.type in (1, 2)}
            records = [r for s in co.elf.sections if s.type == 4 for r in co.elf.relocations(s)]
            named.append([at[r.addend] for r in sorted(records, key=lambda r: r.offset)])
        assert named[0] == named[1]
        assert named[0]


GOT = """
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version {version}
	.text
	.globl k
	.protected k
	.p2align 8
	.type k,@function
k:
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, table@gotpcrel32@lo+4
	s_addc_u32 s5, s5, table@gotpcrel32@hi+12
	s_load_dwordx2 s[6:7], s[4:5], 0x0
	s_waitcnt lgkmcnt(0)
	s_getpc_b64 s[8:9]
	s_add_u32 s8, s8, helper@rel32@lo+4
	s_addc_u32 s9, s9, helper@rel32@hi+12
	s_swappc_b64 s[30:31], s[8:9]
	s_endpgm
.Lend:
	.size k, .Lend-k
	.p2align 8
	.type helper,@function
helper:
	s_setpc_b64 s[30:31]
.Lend2:
	.size helper, .Lend2-helper
	.section .data.rel.ro,"aw",@progbits
	.globl table
	.protected table
	.type table,@object
	.p2align 3
table:
	.quad helper
	.quad k
	.size table, 16
	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel k
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 8
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 0
    .max_flat_workgroup_size: 64
    .private_segment_fixed_size: 0
    .sgpr_count: 38
    .vgpr_count: 8
    .wavefront_size: 64
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
"""


def pointers(co: CodeObject) -> dict[str, str]:
    """Place (symbol+offset, or section) -> what the relocated pointer there leads to."""
    functions = {s.value: s.name for s in co.elf.all_symbols() if s.type in (1, 2)}
    out: dict[str, str] = {}
    for section in (s for s in co.elf.sections if s.type == 4):
        for r in co.elf.relocations(section):
            home = next(s for s in co.elf.sections if s.address <= r.offset < s.address + s.size)
            out[f"{home.name}+{r.offset - home.address}"] = functions[r.addend]
    return out


@pytest.mark.parametrize("version", [4, 5, 6])
def test_got_and_tables_follow_growth(version: int) -> None:
    from asmevo.program.edit import Edit, apply
    from asmevo.program.rebuild import rebuild
    from asmevo.program.text.asmfile import write
    from asmevo.program.text.asmread import read

    data = build(GOT.format(version=version))
    co = CodeObject.open(data)
    assert co.abi_version == version
    expected = {".data.rel.ro+0": "helper", ".data.rel.ro+8": "k", ".got+0": "table"}
    assert pointers(co) == expected
    program = recover(co)
    got = next(s for s in co.elf.sections if s.name == ".got")
    assert [r.address for r in program.references] == [
        got.address, co.text_address + program.offsets[program.function("helper").first]
    ]  # fmt: skip
    assert read(write(program)) == data
    grown = apply(program, [Edit(4, 4, ("s_nop 0",) * 2000)])
    after = CodeObject.open(rebuild(grown))
    assert pointers(after) == expected
    again = recover(after)
    got = next(s for s in after.elf.sections if s.name == ".got")
    assert again.references[0].address == got.address
    assert again.references[1].target == again.function("helper").first


def test_got_agrees_with_lld(toolchain: Toolchain) -> None:
    text = GOT.format(version=5)
    a, b = (CodeObject.open(x) for x in (build(text), toolchain.build(text)))
    assert pointers(a) == pointers(b)


def test_lines_agree_and_errors_are_typed(toolchain: Toolchain) -> None:
    target = Target("gfx942")
    text = "s_waitcnt vmcnt(3)\nv_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], a[0:3]\ns_endpgm"
    assert toolchain.assemble(text, target) == assembler(target).assemble(text)
    for back_end in (lambda t: toolchain.assemble(t, target), assembler(target).assemble):
        with pytest.raises(AssemblyError):
            back_end("v_add_f32 v0")
    with pytest.raises(AssemblyError, match="nowhere"):
        toolchain.build(GOT.format(version=5).replace("helper@rel32", "nowhere@rel32"))


def test_wrong_files_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    text = GOT.format(version=5)
    with pytest.raises(InputError, match="for gfx942, not gfx950"):
        assemble_object(text, Target("gfx950"))
    with pytest.raises(Exception, match="undefined symbol nowhere"):
        build(text.replace("helper@rel32", "nowhere@rel32"))
    with pytest.raises(Exception, match=r"line \d+"):
        build(text.replace("s_endpgm", "s_endprogram"))
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.delenv("ROCM_PATH", raising=False)
    with pytest.raises(EnvironmentFault, match=r"llvm-mc and ld\.lld of LLVM"):
        Toolchain.find()


def test_version_3_flags(kernel_objects: Callable[..., bytes]) -> None:
    """Code object version 3 has one bit for each feature (LLVM AMDGPUUsage, e_flags)."""
    data = bytearray(kernel_objects("saxpy"))
    data[8] = 1
    data[48:52] = (0x4C | 0x200).to_bytes(4, "little")
    co = CodeObject.open(bytes(data))
    assert co.abi_version == 3
    assert co.target.target_id == "gfx942:sramecc+"
    assert recover(co).object.data == bytes(data)
