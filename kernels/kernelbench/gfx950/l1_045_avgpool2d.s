; clang 22.1.8 -O3 --offload-arch=gfx950 l1_045_avgpool2d.hip (kernels/build.py)
	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.protected	avgpool2d
	.globl	avgpool2d
	.p2align	8
	.type	avgpool2d,@function
avgpool2d:
	s_load_dwordx4 s[4:7], s[0:1], 0x10
	v_lshl_or_b32 v0, s2, 8, v0
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_i32_e32 vcc, s6, v0
	s_and_saveexec_b64 s[2:3], vcc
	s_cbranch_execz .LBB0_6
	s_load_dwordx4 s[0:3], s[0:1], 0x0
	s_mul_hi_i32 s6, s5, 0x2e8ba2e9
	s_lshr_b32 s7, s6, 31
	s_ashr_i32 s6, s6, 1
	s_add_i32 s6, s6, s7
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v3, s1
	s_abs_i32 s1, s6
	v_cvt_f32_u32_e32 v1, s1
	s_sub_i32 s8, 0, s1
	v_sub_u32_e32 v5, 0, v0
	v_max_i32_e32 v5, v5, v0
	v_rcp_iflag_f32_e32 v1, v1
	v_mov_b32_e32 v2, s0
	s_mul_hi_i32 s0, s4, 0x2e8ba2e9
	s_lshr_b32 s7, s0, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_ashr_i32 s0, s0, 1
	s_add_i32 s7, s0, s7
	v_xor_b32_e32 v4, s6, v0
	v_mul_lo_u32 v6, s8, v1
	v_mul_hi_u32 v6, v1, v6
	v_add_u32_e32 v1, v1, v6
	v_mul_hi_u32 v1, v5, v1
	v_mul_lo_u32 v6, v1, s1
	v_sub_u32_e32 v5, v5, v6
	v_add_u32_e32 v6, 1, v1
	v_cmp_le_u32_e32 vcc, s1, v5
	v_ashrrev_i32_e32 v4, 31, v4
	s_mov_b32 s0, 0
	v_cndmask_b32_e32 v1, v1, v6, vcc
	v_subrev_u32_e32 v6, s1, v5
	v_cndmask_b32_e32 v5, v5, v6, vcc
	v_cmp_le_u32_e32 vcc, s1, v5
	s_abs_i32 s1, s7
	v_cvt_f32_u32_e32 v5, s1
	v_add_u32_e32 v6, 1, v1
	v_cndmask_b32_e32 v1, v1, v6, vcc
	v_xor_b32_e32 v1, v1, v4
	v_rcp_iflag_f32_e32 v5, v5
	v_sub_u32_e32 v1, v1, v4
	v_mul_lo_u32 v4, v1, s6
	s_sub_i32 s6, 0, s1
	v_mul_f32_e32 v5, 0x4f7ffffe, v5
	v_cvt_u32_f32_e32 v5, v5
	v_sub_u32_e32 v7, 0, v1
	v_max_i32_e32 v7, v7, v1
	v_sub_u32_e32 v6, v0, v4
	v_mul_lo_u32 v8, s6, v5
	v_mul_hi_u32 v8, v5, v8
	v_add_u32_e32 v5, v5, v8
	v_mul_hi_u32 v5, v7, v5
	v_mul_lo_u32 v8, v5, s1
	v_sub_u32_e32 v7, v7, v8
	v_add_u32_e32 v8, 1, v5
	v_cmp_le_u32_e32 vcc, s1, v7
	v_xor_b32_e32 v4, s7, v1
	v_ashrrev_i32_e32 v4, 31, v4
	v_cndmask_b32_e32 v5, v5, v8, vcc
	v_subrev_u32_e32 v8, s1, v7
	v_cndmask_b32_e32 v7, v7, v8, vcc
	v_add_u32_e32 v8, 1, v5
	v_cmp_le_u32_e32 vcc, s1, v7
	s_mul_hi_i32 s1, s5, s4
	s_mul_i32 s4, s5, s4
	v_cndmask_b32_e32 v5, v5, v8, vcc
	v_xor_b32_e32 v5, v5, v4
	v_sub_u32_e32 v4, v5, v4
	v_mul_lo_u32 v5, v4, s7
	v_sub_u32_e32 v1, v1, v5
	v_ashrrev_i32_e32 v5, 31, v4
	v_mul_lo_u32 v7, s4, v5
	v_mul_lo_u32 v8, s1, v4
	v_mad_u64_u32 v[4:5], s[8:9], s4, v4, 0
	v_add3_u32 v5, v5, v7, v8
	v_lshl_add_u64 v[2:3], v[4:5], 2, v[2:3]
	v_ashrrev_i32_e32 v4, 31, v1
	s_mul_hi_i32 s1, s5, 11
	s_mul_i32 s4, s5, 11
	v_mul_lo_u32 v7, s4, v4
	v_mul_lo_u32 v8, s1, v1
	v_mad_u64_u32 v[4:5], s[8:9], s4, v1, 0
	v_add3_u32 v5, v5, v7, v8
	v_lshl_add_u64 v[2:3], v[4:5], 2, v[2:3]
	v_mul_lo_u32 v4, v6, 11
	s_ashr_i32 s7, s5, 31
	s_mov_b32 s6, s5
	v_ashrrev_i32_e32 v5, 31, v4
	v_lshl_add_u64 v[2:3], v[4:5], 2, v[2:3]
	s_lshl_b64 s[6:7], s[6:7], 2
	s_lshl_b32 s8, s5, 1
	s_mov_b32 s9, 10
	v_mov_b32_e32 v6, 0
	s_branch .LBB0_3
.LBB0_2:
	v_lshl_add_u64 v[16:17], v[4:5], 0, s[6:7]
	global_load_dwordx4 v[4:7], v[16:17], off
	global_load_dwordx4 v[8:11], v[16:17], off offset:16
	global_load_dwordx3 v[12:14], v[16:17], off offset:32
	s_add_i32 s9, s9, -2
	s_add_i32 s0, s0, s8
	s_waitcnt vmcnt(2)
	v_add_f32_e32 v4, v1, v4
	v_add_f32_e32 v4, v4, v5
	v_add_f32_e32 v4, v4, v6
	v_add_f32_e32 v4, v4, v7
	s_waitcnt vmcnt(1)
	v_add_f32_e32 v4, v4, v8
	v_add_f32_e32 v4, v4, v9
	v_add_f32_e32 v4, v4, v10
	v_add_f32_e32 v4, v4, v11
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v4, v4, v12
	v_add_f32_e32 v4, v4, v13
	v_add_f32_e32 v6, v4, v14
	s_cbranch_execz .LBB0_5
.LBB0_3:
	s_ashr_i32 s1, s0, 31
	v_lshl_add_u64 v[4:5], s[0:1], 2, v[2:3]
	global_load_dwordx4 v[8:11], v[4:5], off
	global_load_dwordx4 v[12:15], v[4:5], off offset:16
	global_load_dwordx3 v[16:18], v[4:5], off offset:32
	s_cmp_eq_u32 s9, 0
	s_waitcnt vmcnt(2)
	v_add_f32_e32 v1, v6, v8
	v_add_f32_e32 v1, v1, v9
	v_add_f32_e32 v1, v1, v10
	v_add_f32_e32 v1, v1, v11
	s_waitcnt vmcnt(1)
	v_add_f32_e32 v1, v1, v12
	v_add_f32_e32 v1, v1, v13
	v_add_f32_e32 v1, v1, v14
	v_add_f32_e32 v1, v1, v15
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v1, v1, v16
	v_add_f32_e32 v1, v1, v17
	v_add_f32_e32 v1, v1, v18
	s_cbranch_scc0 .LBB0_2
.LBB0_5:
	s_mov_b32 s4, 0x42f20000
	v_div_scale_f32 v4, s[0:1], s4, s4, v1
	v_rcp_f32_e32 v5, v4
	v_mov_b32_e32 v2, s2
	v_mov_b32_e32 v3, s3
	v_fma_f32 v6, -v4, v5, 1.0
	v_fmac_f32_e32 v5, v6, v5
	v_div_scale_f32 v6, vcc, v1, s4, v1
	v_mul_f32_e32 v7, v6, v5
	v_fma_f32 v8, -v4, v7, v6
	v_fmac_f32_e32 v7, v8, v5
	v_fma_f32 v4, -v4, v7, v6
	v_div_fmas_f32 v4, v4, v5, v7
	v_div_fixup_f32 v4, v4, s4, v1
	v_ashrrev_i32_e32 v1, 31, v0
	v_lshl_add_u64 v[0:1], v[0:1], 2, v[2:3]
	global_store_dword v[0:1], v4, off
.LBB0_6:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel avgpool2d
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 28
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
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 19
		.amdhsa_next_free_sgpr 10
		.amdhsa_accum_offset 20
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
	.size	avgpool2d, .Lfunc_end0-avgpool2d
	.set avgpool2d.num_vgpr, 19
	.set avgpool2d.num_agpr, 0
	.set avgpool2d.numbered_sgpr, 10
	.set avgpool2d.num_named_barrier, 0
	.set avgpool2d.private_seg_size, 0
	.set avgpool2d.uses_vcc, 1
	.set avgpool2d.uses_flat_scratch, 0
	.set avgpool2d.has_dyn_sized_stack, 0
	.set avgpool2d.has_recursion, 0
	.set avgpool2d.has_indirect_call, 0
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
      - .offset:         16
        .size:           4
        .value_kind:     by_value
      - .offset:         20
        .size:           4
        .value_kind:     by_value
      - .offset:         24
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 28
    .max_flat_workgroup_size: 256
    .name:           avgpool2d
    .private_segment_fixed_size: 0
    .sgpr_count:     16
    .sgpr_spill_count: 0
    .symbol:         avgpool2d.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     19
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx950
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
