; clang 22.1.8 -O3 --offload-arch=gfx942 l1_035_groupnorm.hip (kernels/build.py)
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 6
	.text
	.protected	groupnorm
	.globl	groupnorm
	.p2align	8
	.type	groupnorm,@function
groupnorm:
	s_load_dwordx4 s[12:15], s[0:1], 0x20
	s_load_dwordx8 s[4:11], s[0:1], 0x0
	v_mov_b32_e32 v11, 0
	v_mov_b32_e32 v7, 0
	v_mov_b32_e32 v6, 0
	s_waitcnt lgkmcnt(0)
	s_abs_i32 s3, s13
	v_cvt_f32_u32_e32 v1, s3
	s_xor_b32 s0, s12, s13
	s_abs_i32 s1, s12
	s_sub_i32 s12, 0, s3
	v_rcp_iflag_f32_e32 v1, v1
	v_cvt_f32_u32_e32 v2, s13
	s_ashr_i32 s0, s0, 31
	v_lshlrev_b32_e32 v10, 2, v0
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	v_rcp_iflag_f32_e32 v2, v2
	v_readfirstlane_b32 s15, v1
	s_mul_i32 s12, s12, s15
	s_mul_hi_u32 s12, s15, s12
	s_add_i32 s15, s15, s12
	s_mul_hi_u32 s12, s1, s15
	s_mul_i32 s15, s12, s3
	s_sub_i32 s1, s1, s15
	s_add_i32 s16, s12, 1
	s_sub_i32 s15, s1, s3
	s_cmp_ge_u32 s1, s3
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	s_cselect_b32 s12, s16, s12
	v_cvt_u32_f32_e32 v2, v2
	s_cselect_b32 s1, s15, s1
	s_add_i32 s15, s12, 1
	s_cmp_ge_u32 s1, s3
	s_cselect_b32 s1, s15, s12
	s_xor_b32 s1, s1, s0
	s_sub_i32 s3, s1, s0
	s_sub_i32 s0, 0, s13
	v_readfirstlane_b32 s1, v2
	s_mul_i32 s0, s0, s1
	s_mul_hi_u32 s0, s1, s0
	s_mul_i32 s12, s3, s14
	s_add_i32 s1, s1, s0
	s_ashr_i32 s15, s12, 31
	s_mul_hi_u32 s25, s2, s1
	v_cmp_gt_i32_e32 vcc, s12, v0
	s_mul_i32 s15, s15, s2
	s_mul_hi_u32 s24, s12, s2
	s_mul_i32 s16, s12, s2
	s_and_saveexec_b64 s[18:19], vcc
	s_cbranch_execz .LBB0_4
	s_add_i32 s17, s24, s15
	s_lshl_b64 s[0:1], s[16:17], 2
	s_add_u32 s0, s4, s0
	s_addc_u32 s1, s5, s1
	v_lshl_add_u64 v[2:3], s[0:1], 0, v[10:11]
	s_mov_b64 s[20:21], 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
	s_mov_b64 s[22:23], 0x400
	v_mov_b32_e32 v1, v0
.LBB0_2:
	global_load_dword v4, v[2:3], off
	v_add_u32_e32 v1, 0x100, v1
	v_cmp_le_i32_e64 s[0:1], s12, v1
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[22:23]
	s_or_b64 s[20:21], s[0:1], s[20:21]
	s_waitcnt vmcnt(0)
	v_mul_f32_e32 v5, v4, v4
	v_pk_add_f32 v[6:7], v[6:7], v[4:5]
	s_andn2_b64 exec, exec, s[20:21]
	s_cbranch_execnz .LBB0_2
	s_or_b64 exec, exec, s[20:21]
.LBB0_4:
	s_or_b64 exec, exec, s[18:19]
	v_mbcnt_lo_u32_b32 v1, -1, 0
	v_mbcnt_hi_u32_b32 v1, -1, v1
	v_lshlrev_b32_e32 v3, 2, v1
	v_xor_b32_e32 v1, 0x80, v3
	ds_bpermute_b32 v2, v1, v6
	v_xor_b32_e32 v8, 64, v3
	v_xor_b32_e32 v9, 32, v3
	v_xor_b32_e32 v11, 16, v3
	v_xor_b32_e32 v12, 8, v3
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v6, v2
	ds_bpermute_b32 v4, v8, v2
	v_xor_b32_e32 v13, 4, v3
	v_lshrrev_b32_e32 v6, 4, v0
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v2, v4
	ds_bpermute_b32 v4, v9, v2
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v2, v4
	ds_bpermute_b32 v4, v11, v2
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v2, v4
	ds_bpermute_b32 v4, v12, v2
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v2, v4
	ds_bpermute_b32 v3, v13, v2
	v_and_b32_e32 v4, 63, v0
	v_cmp_eq_u32_e64 s[0:1], 0, v4
	s_and_saveexec_b64 s[18:19], s[0:1]
	s_cbranch_execz .LBB0_6
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v2, v3
	ds_write_b32 v6, v2
.LBB0_6:
	s_or_b64 exec, exec, s[18:19]
	v_mov_b32_e32 v14, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[2:5], v14
	ds_bpermute_b32 v1, v1, v7
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v7, v1
	ds_bpermute_b32 v7, v8, v1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v1, v7
	ds_bpermute_b32 v7, v9, v1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v1, v7
	ds_bpermute_b32 v7, v11, v1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v1, v7
	ds_bpermute_b32 v7, v12, v1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v1, v7
	ds_bpermute_b32 v7, v13, v1
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[18:19], s[0:1]
	v_add_f32_e32 v1, v1, v7
	ds_write_b32 v6, v1
	s_or_b64 exec, exec, s[18:19]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[6:9], v14
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_11
	v_add_f32_e32 v1, 0, v2
	v_cvt_f32_i32_e32 v2, s12
	v_add_f32_e32 v1, v1, v3
	v_add_f32_e32 v1, v1, v4
	v_add_f32_e32 v1, v1, v5
	v_div_scale_f32 v4, s[0:1], v2, v2, v1
	v_rcp_f32_e32 v5, v4
	v_add_f32_e32 v3, 0, v6
	v_add_f32_e32 v3, v3, v7
	v_add_f32_e32 v3, v3, v8
	v_fma_f32 v6, -v4, v5, 1.0
	v_fmac_f32_e32 v5, v6, v5
	v_div_scale_f32 v6, vcc, v1, v2, v1
	v_mul_f32_e32 v7, v6, v5
	v_fma_f32 v8, -v4, v7, v6
	v_add_f32_e32 v3, v3, v9
	v_fmac_f32_e32 v7, v8, v5
	v_fma_f32 v4, -v4, v7, v6
	v_div_scale_f32 v6, s[0:1], v2, v2, v3
	v_rcp_f32_e32 v8, v6
	v_div_fmas_f32 v4, v4, v5, v7
	v_div_fixup_f32 v1, v4, v2, v1
	s_mov_b32 s0, 0xf800000
	v_fma_f32 v4, -v6, v8, 1.0
	v_fmac_f32_e32 v8, v4, v8
	v_div_scale_f32 v4, vcc, v3, v2, v3
	v_mul_f32_e32 v5, v4, v8
	v_fma_f32 v7, -v6, v5, v4
	v_fmac_f32_e32 v5, v7, v8
	v_fma_f32 v4, -v6, v5, v4
	v_div_fmas_f32 v4, v4, v8, v5
	v_div_fixup_f32 v2, v4, v2, v3
	v_fma_f32 v2, -v1, v1, v2
	v_add_f32_e32 v2, 0x3727c5ac, v2
	v_mul_f32_e32 v3, 0x4f800000, v2
	v_cmp_gt_f32_e32 vcc, s0, v2
	s_mul_i32 s25, s25, s13
	v_mov_b32_e32 v11, 0
	v_cndmask_b32_e32 v2, v2, v3, vcc
	v_sqrt_f32_e32 v3, v2
	s_nop 0
	v_add_u32_e32 v4, -1, v3
	v_fma_f32 v5, -v4, v3, v2
	v_cmp_ge_f32_e64 s[0:1], 0, v5
	v_add_u32_e32 v5, 1, v3
	s_nop 0
	v_cndmask_b32_e64 v4, v3, v4, s[0:1]
	v_fma_f32 v3, -v5, v3, v2
	v_cmp_lt_f32_e64 s[0:1], 0, v3
	s_nop 1
	v_cndmask_b32_e64 v3, v4, v5, s[0:1]
	v_mul_f32_e32 v4, 0x37800000, v3
	v_cndmask_b32_e32 v3, v3, v4, vcc
	v_mov_b32_e32 v4, 0x260
	v_cmp_class_f32_e32 vcc, v2, v4
	s_nop 1
	v_cndmask_b32_e32 v2, v3, v2, vcc
	v_div_scale_f32 v3, s[0:1], v2, v2, 1.0
	s_sub_i32 s0, s2, s25
	s_sub_i32 s1, s0, s13
	v_rcp_f32_e32 v4, v3
	s_cmp_ge_u32 s0, s13
	s_cselect_b32 s0, s1, s0
	s_sub_i32 s1, s0, s13
	s_cmp_ge_u32 s0, s13
	v_fma_f32 v5, -v3, v4, 1.0
	s_cselect_b32 s18, s1, s0
	s_abs_i32 s13, s14
	v_fmac_f32_e32 v4, v5, v4
	v_div_scale_f32 v5, vcc, 1.0, v2, 1.0
	v_cvt_f32_u32_e32 v7, s13
	v_mul_f32_e32 v6, v5, v4
	v_fma_f32 v8, -v3, v6, v5
	v_fmac_f32_e32 v6, v8, v4
	v_fma_f32 v3, -v3, v6, v5
	v_rcp_iflag_f32_e32 v5, v7
	v_div_fmas_f32 v3, v3, v4, v6
	v_div_fixup_f32 v6, v3, v2, 1.0
	s_sub_i32 s0, 0, s13
	v_mul_f32_e32 v2, 0x4f7ffffe, v5
	v_cvt_u32_f32_e32 v2, v2
	s_add_i32 s17, s24, s15
	v_lshl_add_u64 v[4:5], s[16:17], 2, v[10:11]
	s_mul_i32 s18, s18, s3
	v_mul_lo_u32 v3, s0, v2
	v_mul_hi_u32 v3, v2, v3
	s_ashr_i32 s14, s14, 31
	v_add_u32_e32 v7, v2, v3
	v_lshl_add_u64 v[2:3], s[4:5], 0, v[4:5]
	v_lshl_add_u64 v[4:5], s[10:11], 0, v[4:5]
	s_mov_b64 s[0:1], 0
	s_mov_b64 s[2:3], 0x400
.LBB0_10:
	v_mul_hi_u32 v8, v0, v7
	v_mul_lo_u32 v9, v8, s13
	v_sub_u32_e32 v9, v0, v9
	v_add_u32_e32 v10, 1, v8
	v_cmp_le_u32_e32 vcc, s13, v9
	global_load_dword v12, v[2:3], off
	v_add_u32_e32 v0, 0x100, v0
	v_cndmask_b32_e32 v8, v8, v10, vcc
	v_subrev_u32_e32 v10, s13, v9
	v_cndmask_b32_e32 v9, v9, v10, vcc
	v_add_u32_e32 v10, 1, v8
	v_cmp_le_u32_e32 vcc, s13, v9
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[2:3]
	s_nop 0
	v_cndmask_b32_e32 v8, v8, v10, vcc
	v_xor_b32_e32 v8, s14, v8
	v_subrev_u32_e32 v8, s14, v8
	v_add_u32_e32 v8, s18, v8
	v_ashrrev_i32_e32 v9, 31, v8
	v_lshlrev_b64 v[8:9], 2, v[8:9]
	v_lshl_add_u64 v[10:11], s[6:7], 0, v[8:9]
	v_lshl_add_u64 v[8:9], s[8:9], 0, v[8:9]
	global_load_dword v13, v[10:11], off
	global_load_dword v14, v[8:9], off
	v_cmp_le_i32_e32 vcc, s12, v0
	s_or_b64 s[0:1], vcc, s[0:1]
	s_waitcnt vmcnt(2)
	v_sub_f32_e32 v8, v12, v1
	v_mul_f32_e32 v8, v6, v8
	s_waitcnt vmcnt(0)
	v_fmac_f32_e32 v14, v13, v8
	global_store_dword v[4:5], v14, off
	v_lshl_add_u64 v[4:5], v[4:5], 0, s[2:3]
	s_andn2_b64 exec, exec, s[0:1]
	s_cbranch_execnz .LBB0_10
.LBB0_11:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel groupnorm
		.amdhsa_group_segment_fixed_size 16
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 44
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
		.amdhsa_next_free_vgpr 15
		.amdhsa_next_free_sgpr 26
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
	.size	groupnorm, .Lfunc_end0-groupnorm
	.set groupnorm.num_vgpr, 15
	.set groupnorm.num_agpr, 0
	.set groupnorm.numbered_sgpr, 26
	.set groupnorm.num_named_barrier, 0
	.set groupnorm.private_seg_size, 0
	.set groupnorm.uses_vcc, 1
	.set groupnorm.uses_flat_scratch, 0
	.set groupnorm.has_dyn_sized_stack, 0
	.set groupnorm.has_recursion, 0
	.set groupnorm.has_indirect_call, 0
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
      - .address_space:  global
        .offset:         24
        .size:           8
        .value_kind:     global_buffer
      - .offset:         32
        .size:           4
        .value_kind:     by_value
      - .offset:         36
        .size:           4
        .value_kind:     by_value
      - .offset:         40
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 16
    .kernarg_segment_align: 8
    .kernarg_segment_size: 44
    .max_flat_workgroup_size: 256
    .name:           groupnorm
    .private_segment_fixed_size: 0
    .sgpr_count:     32
    .sgpr_spill_count: 0
    .symbol:         groupnorm.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     15
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
