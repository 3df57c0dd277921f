"""Objects of several kernels from bodies of assembly, and launches of them by the public api.

Each kernel takes two pointers and an int (kernarg bytes 0, 8, 16): s[0:1] is the kernarg address,
s2 the workgroup, v0 the work-item. `HEAD` loads them: s[4:5], s[6:7], s8; v1 is four times the
work-item of the dispatch (64 to a workgroup).
"""

from __future__ import annotations

from collections.abc import Mapping

from asmevo.isa.target import Target
from asmevo.program.build import assemble_object

HEAD = """s_load_dwordx4 s[4:7], s[0:1], 0x0
s_load_dword s8, s[0:1], 0x10
s_lshl_b32 s9, s2, 6
v_add_u32_e32 v0, s9, v0
v_lshlrev_b32_e32 v1, 2, v0
s_waitcnt lgkmcnt(0)
"""
COPY = (
    HEAD
    + """global_load_dword v2, v1, s[4:5]
s_waitcnt vmcnt(0)
v_add_u32_e32 v2, 1, v2
global_store_dword v1, v2, s[6:7]
s_endpgm
"""
)
_KERNEL = """.globl {name}
.p2align 8
.type {name},@function
{name}:
{body}
.Lend_{name}:
.size {name}, .Lend_{name}-{name}
"""
_DESCRIPTOR = """.p2align 6
.amdhsa_kernel {name}
  .amdhsa_group_segment_fixed_size {lds}
  .amdhsa_next_free_vgpr {vgprs}
  .amdhsa_next_free_sgpr 48
  .amdhsa_accum_offset {vgprs}
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
.end_amdhsa_kernel
"""
_METADATA = """  - .name: {name}
    .symbol: {name}.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: {lds}
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 54
    .vgpr_count: {vgprs}
    .agpr_count: 0
    .max_flat_workgroup_size: 1024
    .args:
      - {{.name: x, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}}
      - {{.name: out, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}}
      - {{.name: count, .offset: 16, .size: 4, .value_kind: by_value}}
"""


def source(
    bodies: Mapping[str, str], arch: str = "gfx942", more: str = "", data: str = "",
    vgprs: int = 16, lds: int = 0,
) -> str:  # fmt: skip
    """Assembly of these kernels; `more` is further code, `data` further sections."""
    given = {"vgprs": vgprs, "lds": lds}
    code = "".join(_KERNEL.format(name=name, body=body) for name, body in bodies.items())
    descriptors = "".join(_DESCRIPTOR.format(name=name, **given) for name in bodies)
    notes = "".join(_METADATA.format(name=name, **given) for name in bodies)
    return (
        f'.amdgcn_target "amdgcn-amd-amdhsa--{arch}"\n.amdhsa_code_object_version 6\n'
        f".text\n{code}{more}.rodata\n{descriptors}{data}.amdgpu_metadata\n---\n"
        f"amdhsa.version: [1, 2]\namdhsa.target: amdgcn-amd-amdhsa--{arch}\namdhsa.kernels:\n"
        f"{notes}...\n.end_amdgpu_metadata\n"
    )


def built(bodies: Mapping[str, str], arch: str = "gfx942", **more: object) -> bytes:
    """The object of `source`."""
    return assemble_object(source(bodies, arch, **more), Target(arch))  # type: ignore[arg-type]


def launch(kernel: str = "k", n: int | str = 100, **changes: str) -> str:
    """A launch description: x of n dwords in, out of n rounded up to 64 out, n."""
    out = changes.get("out", "{name: out, dtype: u32, shape: [m], init: zeros, role: inout}")
    return (
        f"schema: asmevo/launch/1\nkernel: {kernel}\nsizes: {{n: {n}}}\n"
        f"grid: [cdiv(n, 64), 1, 1]\nblock: [64, 1, 1]\nseed: 1\nargs:\n"
        f'  - {{name: x, dtype: u32, shape: [cdiv(n, 64) * 64], init: "randint(0, 1000)", '
        "role: in}\n  - "
        + out.replace("[m]", "[cdiv(n, 64) * 64]")
        + "\n  - {name: count, dtype: i32, value: n}\n"
    )
