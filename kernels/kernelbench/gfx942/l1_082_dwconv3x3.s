; clang 22.1.8 -O3 --offload-arch=gfx942 l1_082_dwconv3x3.hip (kernels/build.py)
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 6
	.text
	.protected	dwconv3x3
	.globl	dwconv3x3
	.p2align	8
	.type	dwconv3x3,@function
dwconv3x3:
	s_load_dwordx4 s[12:15], s[0:1], 0x18
	s_load_dwordx4 s[8:11], s[0:1], 0x0
	s_load_dwordx2 s[6:7], s[0:1], 0x10
	v_bfe_u32 v3, v0, 10, 10
	s_lshl_b32 s5, s3, 3
	s_waitcnt lgkmcnt(0)
	s_ashr_i32 s15, s14, 31
	v_cmp_lt_u32_e32 vcc, 9, v3
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_add_u32_e32 v2, s5, v3
	s_or_saveexec_b64 s[18:19], s[0:1]
	s_lshl_b32 s16, s2, 5
	v_and_b32_e32 v8, 0x3ff, v0
	s_xor_b64 exec, exec, s[18:19]
	s_cbranch_execz .LBB0_11
	s_ashr_i32 s17, s16, 31
	s_lshl_b64 s[0:1], s[16:17], 2
	s_add_u32 s0, s8, s0
	v_mov_b32_e32 v5, 0
	v_lshlrev_b32_e32 v4, 2, v8
	s_addc_u32 s1, s9, s1
	v_lshl_add_u64 v[0:1], s[0:1], 0, v[4:5]
	s_mul_hi_i32 s1, s4, s13
	s_mul_i32 s0, s4, s13
	s_lshl_b64 s[8:9], s[0:1], 2
	v_add_u32_e32 v2, s5, v3
	s_movk_i32 s0, 0x88
	v_cmp_gt_u32_e32 vcc, 34, v8
	v_mad_u32_u24 v9, v3, s0, v4
	s_mov_b64 s[20:21], 0
	s_mov_b64 s[22:23], 0x80
	v_mov_b32_e32 v4, v2
	v_mov_b32_e32 v10, v3
	s_branch .LBB0_5
.LBB0_4:
	s_or_b64 exec, exec, s[24:25]
	v_add_u32_e32 v5, 8, v10
	v_cmp_lt_u32_e64 s[0:1], 1, v10
	v_add_u32_e32 v4, 8, v4
	v_add_u32_e32 v9, 0x440, v9
	s_or_b64 s[20:21], s[0:1], s[20:21]
	v_mov_b32_e32 v10, v5
	s_andn2_b64 exec, exec, s[20:21]
	s_cbranch_execz .LBB0_10
.LBB0_5:
	s_and_saveexec_b64 s[24:25], vcc
	s_cbranch_execz .LBB0_4
	v_ashrrev_i32_e32 v5, 31, v4
	v_lshl_add_u64 v[6:7], v[4:5], 2, s[8:9]
	v_mul_lo_u32 v5, s14, v7
	v_mul_lo_u32 v11, s15, v6
	v_mad_u64_u32 v[6:7], s[0:1], s14, v6, v[0:1]
	v_add3_u32 v7, v11, v7, v5
	v_add_u32_e32 v5, s5, v10
	v_cmp_gt_i32_e64 s[0:1], s13, v5
	s_mov_b64 s[26:27], 0
	v_mov_b32_e32 v5, v9
	v_mov_b32_e32 v11, v8
	s_branch .LBB0_8
.LBB0_7:
	s_or_b64 exec, exec, s[2:3]
	s_waitcnt vmcnt(0)
	ds_write_b32 v5, v12
	v_add_u32_e32 v12, 32, v11
	v_cmp_lt_u32_e64 s[2:3], 1, v11
	v_lshl_add_u64 v[6:7], v[6:7], 0, s[22:23]
	v_add_u32_e32 v5, 0x80, v5
	s_or_b64 s[26:27], s[2:3], s[26:27]
	v_mov_b32_e32 v11, v12
	s_andn2_b64 exec, exec, s[26:27]
	s_cbranch_execz .LBB0_4
.LBB0_8:
	v_add_u32_e32 v12, s16, v11
	v_cmp_gt_i32_e64 s[2:3], s14, v12
	s_and_b64 s[28:29], s[0:1], s[2:3]
	v_mov_b32_e32 v12, 0
	s_and_saveexec_b64 s[2:3], s[28:29]
	s_cbranch_execz .LBB0_7
	global_load_dword v12, v[6:7], off
	s_branch .LBB0_7
.LBB0_10:
	s_or_b64 exec, exec, s[20:21]
.LBB0_11:
	s_or_b64 exec, exec, s[18:19]
	v_add_u32_e32 v0, s16, v8
	s_add_i32 s3, s13, -2
	s_add_i32 s2, s14, -2
	v_cmp_gt_i32_e32 vcc, s3, v2
	v_cmp_gt_i32_e64 s[0:1], s2, v0
	s_and_b64 s[0:1], vcc, s[0:1]
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[8:9], s[0:1]
	s_cbranch_execz .LBB0_13
	s_abs_i32 s0, s12
	v_cvt_f32_u32_e32 v1, s0
	v_mov_b32_e32 v4, s6
	v_mov_b32_e32 v5, s7
	s_sub_i32 s6, 0, s0
	v_rcp_iflag_f32_e32 v1, v1
	s_abs_i32 s5, s4
	s_ashr_i32 s1, s4, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s7, v1
	s_mul_i32 s6, s6, s7
	s_mul_hi_u32 s6, s7, s6
	s_add_i32 s7, s7, s6
	s_mul_hi_u32 s6, s5, s7
	s_mul_i32 s6, s6, s0
	s_sub_i32 s5, s5, s6
	s_sub_i32 s6, s5, s0
	s_cmp_ge_u32 s5, s0
	s_cselect_b32 s5, s6, s5
	s_sub_i32 s6, s5, s0
	s_cmp_ge_u32 s5, s0
	s_cselect_b32 s0, s6, s5
	s_xor_b32 s0, s0, s1
	s_sub_i32 s0, s0, s1
	s_mul_i32 s0, s0, 9
	s_ashr_i32 s1, s0, 31
	s_lshl_b64 s[0:1], s[0:1], 2
	s_add_u32 s0, s10, s0
	s_addc_u32 s1, s11, s1
	v_mul_u32_u24_e32 v1, 0x88, v3
	s_load_dwordx8 s[8:15], s[0:1], 0x0
	v_lshl_add_u32 v1, v8, 2, v1
	ds_read2_b32 v[6:7], v1 offset1:36
	ds_read2_b32 v[8:9], v1 offset0:1 offset1:2
	ds_read2_b32 v[10:11], v1 offset0:34 offset1:35
	ds_read_b32 v13, v1 offset:272
	ds_read2_b32 v[14:15], v1 offset0:69 offset1:70
	s_waitcnt lgkmcnt(0)
	s_mov_b32 s6, s9
	s_mov_b32 s7, s10
	v_fma_f32 v3, s8, v6, 0
	v_pk_mul_f32 v[8:9], s[6:7], v[8:9]
	s_load_dword s1, s[0:1], 0x20
	s_mov_b32 s10, s11
	s_mov_b32 s11, s12
	v_add_f32_e32 v1, v3, v8
	v_add_f32_e32 v1, v1, v9
	v_pk_mul_f32 v[8:9], s[10:11], v[10:11]
	s_mov_b32 s12, s13
	s_mov_b32 s13, s14
	v_add_f32_e32 v1, v1, v8
	v_mov_b32_e32 v12, v7
	v_add_f32_e32 v1, v1, v9
	v_pk_mul_f32 v[6:7], s[12:13], v[12:13]
	s_mov_b32 s0, s15
	v_add_f32_e32 v1, v1, v6
	v_add_f32_e32 v1, v1, v7
	s_waitcnt lgkmcnt(0)
	v_pk_mul_f32 v[6:7], s[0:1], v[14:15]
	v_ashrrev_i32_e32 v3, 31, v2
	v_add_f32_e32 v1, v1, v6
	v_add_f32_e32 v6, v1, v7
	v_mov_b32_e32 v1, s4
	v_mad_i64_i32 v[2:3], s[0:1], s3, v1, v[2:3]
	s_ashr_i32 s0, s2, 31
	s_nop 0
	v_mul_lo_u32 v1, v2, s0
	v_mul_lo_u32 v7, v3, s2
	v_mad_u64_u32 v[2:3], s[0:1], v2, s2, 0
	v_add3_u32 v3, v3, v1, v7
	v_ashrrev_i32_e32 v1, 31, v0
	v_lshl_add_u64 v[2:3], v[2:3], 2, v[4:5]
	v_lshl_add_u64 v[0:1], v[0:1], 2, v[2:3]
	global_store_dword v[0:1], v6, off
.LBB0_13:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel dwconv3x3
		.amdhsa_group_segment_fixed_size 1360
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
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 30
		.amdhsa_accum_offset 16
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
	.size	dwconv3x3, .Lfunc_end0-dwconv3x3
	.set dwconv3x3.num_vgpr, 16
	.set dwconv3x3.num_agpr, 0
	.set dwconv3x3.numbered_sgpr, 30
	.set dwconv3x3.num_named_barrier, 0
	.set dwconv3x3.private_seg_size, 0
	.set dwconv3x3.uses_vcc, 1
	.set dwconv3x3.uses_flat_scratch, 0
	.set dwconv3x3.has_dyn_sized_stack, 0
	.set dwconv3x3.has_recursion, 0
	.set dwconv3x3.has_indirect_call, 0
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
    .group_segment_fixed_size: 1360
    .kernarg_segment_align: 8
    .kernarg_segment_size: 36
    .max_flat_workgroup_size: 256
    .name:           dwconv3x3
    .private_segment_fixed_size: 0
    .sgpr_count:     36
    .sgpr_spill_count: 0
    .symbol:         dwconv3x3.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     16
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
