"""Small kernels from a few lines of assembly."""

from __future__ import annotations

from collections.abc import Sequence

from asmevo.codeobject import CodeObject
from asmevo.program.build import assemble_object
from asmevo.program.edit import Edit, apply
from asmevo.program.model import Program
from asmevo.program.recover import recover

TEMPLATE = """
.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
.text
.globl k
.p2align 8
.type k,@function
k:
{body}
s_endpgm
.Lend:
.size k, .Lend-k
.rodata
.p2align 6
.amdhsa_kernel k
.amdhsa_next_free_vgpr 32
.amdhsa_next_free_sgpr 32
.amdhsa_accum_offset 32
.amdhsa_group_segment_fixed_size 1024
.amdhsa_kernarg_size 16
.amdhsa_user_sgpr_kernarg_segment_ptr 1
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 32
    .agpr_count: 0
    .max_flat_workgroup_size: 256
    .args: []
...
.end_amdgpu_metadata
"""


def kernel(*lines: str, arch: str = "gfx942") -> Program:
    text = TEMPLATE.format(body="\n".join(lines))
    if arch != "gfx942":  # RDNA: wave32, one register file
        text = text.replace("gfx942", arch).replace(".amdhsa_accum_offset 32\n", "")
        text = text.replace(".wavefront_size: 64", ".wavefront_size: 32")
    return recover(CodeObject.open(assemble_object(text)))


def texts(program: Program, edits: Sequence[Edit] = ()) -> list[str]:
    edited = apply(program, edits) if edits else program
    function = edited.function("k")
    return [edited.line(i) for i in range(function.first, function.last)]


WINDOW = (0, 1000)
LOADS = ("global_load_dword v4, v[0:1], off", "global_load_dword v5, v[2:3], off")
