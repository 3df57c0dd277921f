"""Launches of small kernels written as bodies of assembly, for the clock.

A body starts with v0 the work-item, s[0:1] the arguments (one pointer) and s2 the workgroup.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from asmevo.capsule.model import BufferState, Capsule, PointerSlot
from asmevo.program.build import assemble_object

BUFFER, KERNARG = 0x7F00_0000_0000, 0x7C00_0000_0000
TEMPLATE = """.amdgcn_target "amdgcn-amd-amdhsa--{arch}"
.amdhsa_code_object_version 6
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
  .amdhsa_group_segment_fixed_size 16384
  .amdhsa_next_free_vgpr 64
  .amdhsa_next_free_sgpr 32
  .amdhsa_accum_offset 64
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--{arch}
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 16384
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 64
    .agpr_count: 0
    .max_flat_workgroup_size: 1024
    .args:
      - {{.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}}
      - {{.offset: 8, .size: 8, .value_kind: by_value}}
...
.end_amdgpu_metadata
"""


@dataclass(frozen=True)
class Launched:
    """An object and a launch of its kernel."""

    object: bytes
    capsule: Capsule


@cache
def _built(body: str, arch: str) -> bytes:
    return assemble_object(TEMPLATE.format(body=body, arch=arch))


def launched(
    body: str, arch: str = "gfx942", groups: int = 1, waves: int = 1, size: int = 1 << 15
) -> Launched:
    """`groups` workgroups of `waves` waves on one buffer of `size` bytes."""
    buffer = BufferState("a", BUFFER, bytes(size), "u32", (size // 4,), "inout", guard=256)
    capsule = Capsule(
        kernel="k",
        grid=(groups, 1, 1),
        block=(64 * waves, 1, 1),
        lds_dynamic=0,
        kernarg=BUFFER.to_bytes(8, "little") + bytes(8),
        buffers=(buffer,),
        kernarg_address=KERNARG,
        pointers=(PointerSlot(0, "a"),),
    )
    return Launched(_built(body, arch), capsule)
