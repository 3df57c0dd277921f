"""A kernel with everything that a recorded dispatch can have, and a recording of it by hand.

It reads a table of pointers (two levels), a scale from a module variable, and counts in place:

    out[group * 64 + lane] = scale * table[group][lane];  state[lane] += 1 (group 0 only)
"""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import numpy as np

from asmevo.capsule.recorded import Allocation, CapsuleWriter, Dispatch, Variable

SOURCE = """
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 5
	.text
	.globl	gather
	.p2align	8
	.type	gather,@function
gather:
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	s_load_dwordx2 s[6:7], s[0:1], 0x8
	s_load_dwordx2 s[8:9], s[0:1], 0x10
	s_getpc_b64 s[10:11]
	s_add_u32 s10, s10, scale@rel32@lo+4
	s_addc_u32 s11, s11, scale@rel32@hi+12
	s_load_dword s12, s[10:11], 0x0
	s_lshl_b32 s13, s2, 3
	s_waitcnt lgkmcnt(0)
	s_load_dwordx2 s[14:15], s[4:5], s13
	v_lshlrev_b32_e32 v1, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v2, v1, s[14:15]
	v_lshl_add_u32 v3, s2, 8, v1
	s_waitcnt vmcnt(0)
	v_mul_f32_e32 v2, s12, v2
	global_store_dword v3, v2, s[6:7]
	s_cmp_lg_u32 s2, 0
	s_cbranch_scc1 .Lend
	global_load_dword v4, v1, s[8:9]
	s_waitcnt vmcnt(0)
	v_add_u32_e32 v4, 1, v4
	global_store_dword v1, v4, s[8:9]
.Lend:
	s_endpgm
.Lfunc_end0:
	.size	gather, .Lfunc_end0-gather
	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel gather
		.amdhsa_kernarg_size 32
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 5
		.amdhsa_next_free_sgpr 16
		.amdhsa_accum_offset 8
	.end_amdhsa_kernel
	.type	scale,@object
	.protected	scale
	.globl	scale
	.data
	.p2align	2
scale:
	.long	0x3f800000
	.size	scale, 4
	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx942
amdhsa.kernels:
  - .name: gather
    .symbol: gather.kd
    .kernarg_segment_size: 32
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 5
    .max_flat_workgroup_size: 64
    .args:
      - {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.offset: 16, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.offset: 24, .size: 8, .value_kind: hidden_hostcall_buffer}
...
	.end_amdgpu_metadata
"""
GROUPS, SCALE = 3, 2.5
# As hipMalloc gives them: neighbours without a gap, two megabytes apart, above and below.
TABLE, OUT, STATE, ROWS = 0x7F31_4400_0000, 0x7F31_4400_1000, 0x7F31_4420_0000, 0x7F2E_0000_0000
HOSTCALL = 0x7F55_0000_1000  # of a runtime that is gone
RNG = np.random.default_rng(11)
X = RNG.normal(size=(GROUPS, 64)).astype(np.float32)
COUNTS = RNG.integers(0, 1000, 100, np.int32)


def answer() -> bytes:
    return (np.float32(SCALE) * X).tobytes()


def recorded(code: bytes, path: Path, out: bytes | None = None, **changes: object) -> Path:
    """A capsule of one dispatch: rows lie in another order than the table names them."""
    order = [2, 0, 1]
    rows = np.concatenate([X[order.index(n)] for n in range(GROUPS)])
    place = [ROWS + 256 * order[n] for n in range(GROUPS)]
    table = struct.pack("<3Q", *place).ljust(4096, b"\0")
    kernarg = struct.pack("<4Q", TABLE, OUT, STATE, HOSTCALL)
    after = COUNTS.copy()
    after[:64] += 1
    memory = (
        Allocation("table", TABLE, table, table),
        Allocation("out", OUT, out or bytes(4 * 64 * GROUPS), answer()),
        Allocation("state", STATE, COUNTS.tobytes(), after.tobytes()),
        Allocation("rows", ROWS, rows.tobytes(), kind="managed"),
    )
    variables = (Variable("scale", 0x7F60_0000_2000, struct.pack("<f", SCALE)),)
    with CapsuleWriter(path, target="gfx942", weak=str(changes.pop("weak", ""))) as writer:
        sha = writer.add_object(code)
        one = Dispatch("gather", sha, (GROUPS, 1, 1), (64, 1, 1), kernarg, 0x7F30_0000_0000,
                       memory, variables)  # fmt: skip
        writer.add_dispatch(replace(one, **changes))  # type: ignore[arg-type]
    return path
