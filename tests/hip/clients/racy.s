; Under saxpy's name: all waves of a workgroup write one LDS dword, and no barrier orders them.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 5
	.text
	.globl saxpy
	.p2align 8
	.type saxpy,@function
saxpy:
	v_mov_b32_e32 v1, 0
	ds_write_b32 v1, v0
	s_waitcnt lgkmcnt(0)
	s_endpgm
.Lfunc_end0:
	.size saxpy, .Lfunc_end0-saxpy
	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel saxpy
		.amdhsa_group_segment_fixed_size 64
		.amdhsa_kernarg_size 24
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 8
		.amdhsa_accum_offset 8
	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - {.address_space: global, .offset: 0, .size: 8, .value_kind: global_buffer}
      - {.address_space: global, .offset: 8, .size: 8, .value_kind: global_buffer}
      - {.offset: 16, .size: 4, .value_kind: by_value}
      - {.offset: 20, .size: 4, .value_kind: by_value}
    .group_segment_fixed_size: 64
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .max_flat_workgroup_size: 256
    .name: saxpy
    .private_segment_fixed_size: 0
    .sgpr_count: 8
    .symbol: saxpy.kd
    .vgpr_count: 8
    .wavefront_size: 64
amdhsa.target: amdgcn-amd-amdhsa--gfx942
amdhsa.version: [1, 2]
...
	.end_amdgpu_metadata
