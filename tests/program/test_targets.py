"""Every processor: its number, and an object of it recovered, grown and written as assembly."""

from __future__ import annotations

import struct

import pytest

from asmevo.codeobject import CodeObject
from asmevo.codeobject.emit import emit_object
from asmevo.errors import UnsupportedError
from asmevo.isa.target import MACH_OF_ARCH, NAMED_MACH, Target
from asmevo.program import recover
from asmevo.program.build import assemble_object
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild
from asmevo.program.roundtrip import roundtrip_bytes
from asmevo.program.text.asmfile import write
from asmevo.program.text.asmread import read

# What no test had before: GFX8, and the generic targets of code object version 6
# (gen_gfx9-4-generic). The others are siblings.
ARCHS = sorted(MACH_OF_ARCH)
NEW = [a for a in ARCHS if a.endswith("generic") or a.startswith("gfx8")]


@pytest.mark.parametrize("arch", ARCHS)
def test_numbers_are_those_of_llvm(arch: str) -> None:
    elf = emit_object(f'.amdgcn_target "amdgcn-amd-amdhsa--{arch}"\n.text\ns_endpgm\n')
    assert elf[48] == MACH_OF_ARCH[arch]
    assert Target.from_eflags(struct.unpack_from("<I", elf, 48)[0]).arch == arch


def test_every_number_has_one_name() -> None:
    assert not NAMED_MACH.keys() & set(MACH_OF_ARCH.values())
    assert not set(NAMED_MACH.values()) & MACH_OF_ARCH.keys()
    for mach, name in NAMED_MACH.items():
        with pytest.raises(UnsupportedError, match=f"{name} .*is not supported"):
            Target.from_eflags(mach)
    # Unused in LLVM's table (AMDGPUUsage): reserved, or behind its end.
    for mach in (0x00, 0x11, 0x1F, 0x27, 0x4D, 0x56, 0x57, 0x7F, 0xFF):
        with pytest.raises(UnsupportedError, match="is not known"):
            Target.from_eflags(mach)


@pytest.mark.parametrize(
    ("arch", "major", "wave", "unified"),
    [("gfx803", 8, 64, False), ("gfx810", 8, 64, False), ("gfx9-generic", 9, 64, False),
     ("gfx9-4-generic", 9, 64, True), ("gfx10-1-generic", 10, 32, False),
     ("gfx10-3-generic", 10, 32, False), ("gfx11-generic", 11, 32, False),
     ("gfx12-generic", 12, 32, False), ("gfx906", 9, 64, False), ("gfx1013", 10, 32, False)],
)  # fmt: skip
def test_facts(arch: str, major: int, wave: int, unified: bool) -> None:
    """LLVM AMDGPUUsage, "Processors" and "Generic processor"; AMDGPUBaseInfo.cpp."""
    target = Target(arch)
    assert (target.major, target.wave_size, target.unified_vgprs) == (major, wave, unified)


def kernel(arch: str) -> str:
    """A loop with a scalar and a vector load, literals, and a store, in each one's words."""
    major = int(arch[3:].split("-")[0]) if "-" in arch else int(arch[3:-2])
    load, dword = (
        ("s_load_b64", "s_load_b32") if major >= 11 else ("s_load_dwordx2", "s_load_dword")
    )
    if major >= 12:
        wait, vector = "s_wait_kmcnt 0x0", "s_wait_loadcnt 0x0"
    else:
        wait, vector = "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0)"
    if major >= 11:
        memory = ["global_load_b32 v3, v2, s[4:5]", vector, "global_store_b32 v2, v3, s[4:5]"]
    elif major >= 9:
        memory = [
            "global_load_dword v3, v2, s[4:5]", vector, "global_store_dword v2, v3, s[4:5]"
        ]  # fmt: skip
    else:
        memory = ["v_mov_b32_e32 v4, s4", "v_mov_b32_e32 v5, s5", "flat_load_dword v3, v[4:5]",
                  vector, "flat_store_dword v[4:5], v3"]  # fmt: skip
    cmp = "s_cmp_lg_u32 s6, 0"
    lines = [
        f"{load} s[4:5], s[0:1], 0x0", f"{dword} s6, s[0:1], 0x8", "v_lshlrev_b32_e32 v2, 2, v0",
        wait, "top:", "s_add_i32 s6, s6, -1", "s_mov_b32 s7, 0x12345678",
        "v_add_f32_e32 v3, 0x40490fdb, v3", "v_mad_u32_u24 v6, v0, 3, v2", *memory, cmp,
        "s_cbranch_scc1 top", "s_endpgm",
    ]  # fmt: skip
    wave = "" if major <= 9 else ".amdhsa_wavefront_size32 1"
    accum = ".amdhsa_accum_offset 8" if arch == "gfx9-4-generic" else ""
    code = "\n".join(lines)
    return f"""
.amdgcn_target "amdgcn-amd-amdhsa--{arch}"
.amdhsa_code_object_version 6
.text
.globl k
.p2align 8
.type k,@function
k:
{code}
.Lend:
.size k, .Lend-k
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 16
  {accum}
  {wave}
  .amdhsa_kernarg_size 16
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--{arch}
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 16
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: {64 if major <= 9 else 32}
    .sgpr_count: 16
    .vgpr_count: 8
    .max_flat_workgroup_size: 64
    .args:
      - {{.name: out, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}}
      - {{.name: count, .size: 4, .offset: 8, .value_kind: by_value}}
...
.end_amdgpu_metadata
"""


@pytest.mark.parametrize("arch", [*NEW, "gfx900", "gfx1030", "gfx1100", "gfx1201"])
def test_recover_grow_and_write(arch: str) -> None:
    data = assemble_object(kernel(arch))
    report = roundtrip_bytes(data, growth=True)
    assert (report.status, report.kept_as_bytes, report.growth_refused) == ("identical", 0, "")
    assert report.target.partition(":")[0] == arch
    program = recover(CodeObject.open(data))
    assert read(write(program)) == data
    function = program.functions[0]
    edits = [Edit(i, i, ("s_nop 0",)) for i in range(function.first, function.last)]
    grown = recover(CodeObject.open(rebuild(apply(program, edits))))
    texts = [i.text for i in grown.instructions[grown.functions[0].first : grown.functions[0].last]]
    expected = [t for i in program.instructions[function.first : function.last]
                for t in ("s_nop 0", i.text)]  # fmt: skip
    branches = [i for i, t in enumerate(expected) if t.startswith("s_cbranch")]
    assert len(texts) == len(expected)
    for n, (a, b) in enumerate(zip(texts, expected, strict=True)):
        assert (a == b) != (n in branches)  # the way back is longer
    descriptor = grown.object.kernels[0].descriptor
    assert descriptor.vgprs == 8
    assert descriptor.wave_size == (64 if Target(arch).major <= 9 else 32)
