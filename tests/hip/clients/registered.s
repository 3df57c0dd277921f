; y[i] = factor * x[i] + offset, and counts launches. `factor` is what HIP source calls __constant__,
; `launches` __device__, `shift` __managed__ (a pointer that the runtime fills).
; Kernarg: x at 0, y at 8, n (i32) at 16.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 5
	.text
	.globl affine
	.p2align 8
	.type affine,@function
affine:
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_load_dword s8, s[0:1], 0x10
	s_getpc_b64 s[10:11]
	s_add_u32 s10, s10, factor@rel32@lo+4
	s_addc_u32 s11, s11, factor@rel32@hi+12
	s_load_dword s12, s[10:11], 0x0
	s_getpc_b64 s[10:11]
	s_add_u32 s10, s10, shift@rel32@lo+4
	s_addc_u32 s11, s11, shift@rel32@hi+12
	s_load_dwordx2 s[14:15], s[10:11], 0x0
	s_waitcnt lgkmcnt(0)
	s_load_dword s13, s[14:15], 0x0
	s_lshl_b32 s3, s2, 8
	v_add_u32_e32 v0, s3, v0
	s_cmp_lg_u32 s2, 0
	s_cbranch_scc1 .Lno_count
	v_cmp_eq_u32_e32 vcc, 0, v0
	s_and_saveexec_b64 s[16:17], vcc
	s_getpc_b64 s[10:11]
	s_add_u32 s10, s10, launches@rel32@lo+4
	s_addc_u32 s11, s11, launches@rel32@hi+12
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v2, 1
	global_atomic_add v1, v2, s[10:11]
	s_mov_b64 exec, s[16:17]
.Lno_count:
	v_cmp_gt_i32_e32 vcc, s8, v0
	s_and_saveexec_b64 s[16:17], vcc
	s_cbranch_execz .Lend
	v_lshlrev_b32_e32 v3, 2, v0
	global_load_dword v4, v3, s[4:5]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v5, s13
	v_fmac_f32_e32 v5, s12, v4
	global_store_dword v3, v5, s[6:7]
.Lend:
	s_endpgm
.Lfunc_end0:
	.size affine, .Lfunc_end0-affine

	.globl forever
	.p2align 8
	.type forever,@function
forever:
	v_mov_b32_e32 v0, 0
.Lagain:
	v_add_u32_e32 v0, 1, v0
	s_branch .Lagain
.Lfunc_end1:
	.size forever, .Lfunc_end1-forever

	.type factor,@object
	.data
	.globl factor
	.p2align 2
factor:
	.long 0x3f800000
	.size factor, 4
	.type launches,@object
	.globl launches
	.p2align 2
launches:
	.long 0
	.size launches, 4
	.type shift,@object
	.globl shift
	.p2align 3
shift:
	.quad 0
	.size shift, 8

	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel affine
		.amdhsa_kernarg_size 24
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 24
		.amdhsa_accum_offset 8
	.end_amdhsa_kernel
	.p2align 6
	.amdhsa_kernel forever
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
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .max_flat_workgroup_size: 256
    .name: affine
    .private_segment_fixed_size: 0
    .sgpr_count: 24
    .symbol: affine.kd
    .vgpr_count: 8
    .wavefront_size: 64
  - .args: []
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 0
    .max_flat_workgroup_size: 256
    .name: forever
    .private_segment_fixed_size: 0
    .sgpr_count: 8
    .symbol: forever.kd
    .vgpr_count: 8
    .wavefront_size: 64
amdhsa.target: amdgcn-amd-amdhsa--gfx942
amdhsa.version: [1, 2]
...
	.end_amdgpu_metadata
