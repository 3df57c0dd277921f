"""Kernels written as bodies of assembly, and their runs, for the sanitizer tests.

Every body starts with v0 the work-item, v1 four times that (a dword of its own), v2 the same dword
of the neighbouring wave, s[4:5] and s[6:7] the two buffers, s2 the workgroup, s8 the wave.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from asmevo.capsule.model import BufferState, Capsule, PointerSlot
from asmevo.device.emulated import EmulatedDevice
from asmevo.device.protocol import RunOptions, RunResult
from asmevo.program.build import assemble_object

A, B, KERNARG = 0x7F00_0000_0000, 0x7F10_0000_0000, 0x7C00_0000_0000
SIZE = 8192
_HEAD = """s_load_dwordx4 s[4:7], s[0:1], 0x0
v_lshlrev_b32 v1, 2, v0
v_xor_b32 v2, 256, v1
v_lshrrev_b32 v3, 6, v0
s_nop 0
v_readfirstlane_b32 s8, v3
s_waitcnt lgkmcnt(0)
"""
_TEMPLATE = """.amdgcn_target "amdgcn-amd-amdhsa--{arch}"
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
  .amdhsa_group_segment_fixed_size 4096
  .amdhsa_next_free_vgpr 320
  .amdhsa_next_free_sgpr 96
  .amdhsa_accum_offset 256
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
    .group_segment_fixed_size: 4096
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 96
    .vgpr_count: 320
    .agpr_count: 64
    .max_flat_workgroup_size: 1024
    .args:
      - {{.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}}
      - {{.offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}}
...
.end_amdgpu_metadata
"""


@cache
def device() -> EmulatedDevice:
    """One device for all tests: helpers compile once."""
    return EmulatedDevice()


@cache
def built(body: str, arch: str = "gfx942") -> bytes:
    """The object of a kernel with this body behind the common head."""
    return assemble_object(_TEMPLATE.format(body=_HEAD + body, arch=arch))


def capsule(waves: int = 2, groups: int = 1, undefined: bool = False) -> Capsule:
    """A launch on two buffers: `a` is written (undefined before, if asked), `b` is an input."""
    rng = np.random.default_rng(7)
    contents = {name: rng.bytes(SIZE) for name in "ab"}
    buffers = (
        BufferState(
            "a", A, contents["a"], "u32", (SIZE // 4,), "out" if undefined else "inout",
            guard=256, undefined=undefined,
        ),
        BufferState("b", B, contents["b"], "u32", (SIZE // 4,), "in", guard=256),
    )  # fmt: skip
    return Capsule(
        kernel="k",
        grid=(groups, 1, 1),
        block=(64 * waves, 1, 1),
        lds_dynamic=0,
        kernarg=A.to_bytes(8, "little") + B.to_bytes(8, "little"),
        buffers=buffers,
        kernarg_address=KERNARG,
        pointers=(PointerSlot(0, "a"), PointerSlot(8, "b")),
    )


def run(body: str, launch: Capsule, options: RunOptions, arch: str = "gfx942") -> RunResult:
    """Run a body; it must not fault."""
    result = device().run(built(body, arch), launch, options)
    assert result.fault is None, result.fault.one_line()
    return result


def observed(
    body: str, launch: Capsule, schedule: str | None = None, arch: str = "gfx942"
) -> set[tuple[str, str, str]]:
    """(kind, mnemonic of the first, of the second) of what a watched run saw."""
    result = run(body, launch, RunOptions(schedule=schedule, watch_memory=True, poison=3), arch)
    instructions = device().program(built(body, arch)).instructions
    return {
        (o.kind, instructions[o.first].base, instructions[o.second].base)
        for o in result.observations
    }
