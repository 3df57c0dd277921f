; clang 22.1.8 -O3 --offload-arch=gfx942 l1_003_bmm.hip (kernels/build.py)
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 6
	.text
	.protected	bmm
	.globl	bmm
	.p2align	8
	.type	bmm,@function
bmm:
	s_load_dwordx4 s[8:11], s[0:1], 0x18
	v_and_b32_e32 v1, 0x3ff, v0
	v_bfe_u32 v0, v0, 10, 10
	v_lshl_add_u32 v2, s2, 6, v1
	v_lshl_add_u32 v0, s3, 2, v0
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_i32_e32 vcc, s8, v0
	v_cmp_gt_i32_e64 s[2:3], s9, v2
	s_and_b64 s[2:3], vcc, s[2:3]
	s_and_saveexec_b64 s[12:13], s[2:3]
	s_cbranch_execz .LBB0_5
	s_load_dwordx4 s[12:15], s[0:1], 0x0
	s_load_dwordx2 s[2:3], s[0:1], 0x10
	s_ashr_i32 s0, s8, 31
	v_ashrrev_i32_e32 v1, 31, v0
	v_mov_b32_e32 v3, s4
	s_mul_i32 s5, s0, s4
	v_mad_u64_u32 v[0:1], s[0:1], s8, v3, v[0:1]
	s_ashr_i32 s7, s9, 31
	s_mov_b32 s6, s9
	v_add_u32_e32 v1, s5, v1
	v_ashrrev_i32_e32 v3, 31, v2
	s_cmp_lt_i32 s10, 1
	v_mov_b32_e32 v8, 0
	s_cbranch_scc1 .LBB0_4
	v_mad_u64_u32 v[6:7], s[0:1], v0, s10, 0
	s_ashr_i32 s5, s10, 31
	s_mul_i32 s0, s7, s4
	s_mul_hi_u32 s1, s6, s4
	s_mul_i32 s4, s6, s4
	v_mul_lo_u32 v9, v0, s5
	s_add_i32 s0, s1, s0
	s_mul_i32 s1, s4, s5
	s_mul_hi_u32 s5, s4, s10
	s_mul_i32 s0, s0, s10
	s_add_i32 s1, s5, s1
	s_add_i32 s1, s1, s0
	s_mul_i32 s0, s4, s10
	s_lshl_b64 s[0:1], s[0:1], 2
	v_mul_lo_u32 v8, v1, s10
	s_waitcnt lgkmcnt(0)
	s_add_u32 s0, s14, s0
	v_mov_b32_e32 v4, s12
	v_mov_b32_e32 v5, s13
	v_add3_u32 v7, v7, v9, v8
	s_addc_u32 s1, s15, s1
	v_lshl_add_u64 v[4:5], v[6:7], 2, v[4:5]
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[0:1]
	s_lshl_b64 s[0:1], s[6:7], 2
	v_mov_b32_e32 v8, 0
.LBB0_3:
	global_load_dword v9, v[4:5], off
	global_load_dword v10, v[6:7], off
	s_add_i32 s10, s10, -1
	v_lshl_add_u64 v[4:5], v[4:5], 0, 4
	v_lshl_add_u64 v[6:7], v[6:7], 0, s[0:1]
	s_cmp_eq_u32 s10, 0
	s_waitcnt vmcnt(0)
	v_fmac_f32_e32 v8, v9, v10
	s_cbranch_scc0 .LBB0_3
.LBB0_4:
	v_mul_lo_u32 v6, v1, s6
	v_mul_lo_u32 v7, v0, s7
	v_mad_u64_u32 v[0:1], s[0:1], v0, s6, 0
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v4, s2
	v_mov_b32_e32 v5, s3
	v_add3_u32 v1, v1, v7, v6
	v_lshl_add_u64 v[0:1], v[0:1], 2, v[4:5]
	v_lshl_add_u64 v[0:1], v[2:3], 2, v[0:1]
	global_store_dword v[0:1], v8, off
.LBB0_5:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel bmm
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 36
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 1
		.amdhsa_next_free_vgpr 11
		.amdhsa_next_free_sgpr 16
		.amdhsa_accum_offset 12
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end0:
	.size	bmm, .Lfunc_end0-bmm
	.set bmm.num_vgpr, 11
	.set bmm.num_agpr, 0
	.set bmm.numbered_sgpr, 16
	.set bmm.num_named_barrier, 0
	.set bmm.private_seg_size, 0
	.set bmm.uses_vcc, 1
	.set bmm.uses_flat_scratch, 0
	.set bmm.has_dyn_sized_stack, 0
	.set bmm.has_recursion, 0
	.set bmm.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.p2alignl 6, 3212836864
	.fill 256, 4, 3212836864
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 0
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 0
	.set amdgpu.max_num_named_barrier, 0
	.text
	.section	".note.GNU-stack","",@progbits
	.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         16
        .size:           8
        .value_kind:     global_buffer
      - .offset:         24
        .size:           4
        .value_kind:     by_value
      - .offset:         28
        .size:           4
        .value_kind:     by_value
      - .offset:         32
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 36
    .max_flat_workgroup_size: 256
    .name:           bmm
    .private_segment_fixed_size: 0
    .sgpr_count:     22
    .sgpr_spill_count: 0
    .symbol:         bmm.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     11
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
