; clang 22.1.8 -O3 --offload-arch=gfx950 l2_001_conv_relu_bias.hip (kernels/build.py)
	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.protected	conv_relu_bias
	.globl	conv_relu_bias
	.p2align	8
	.type	conv_relu_bias,@function
conv_relu_bias:
	s_load_dwordx4 s[16:19], s[0:1], 0x28
	v_lshl_or_b32 v0, s2, 8, v0
	s_mov_b32 s6, s3
	s_waitcnt lgkmcnt(0)
	s_add_i32 s22, s18, -2
	s_add_i32 s5, s19, -2
	s_mul_i32 s2, s5, s22
	v_cmp_gt_i32_e32 vcc, s2, v0
	s_and_saveexec_b64 s[2:3], vcc
	s_cbranch_execz .LBB0_7
	s_load_dwordx8 s[8:15], s[0:1], 0x0
	s_load_dwordx2 s[2:3], s[0:1], 0x20
	s_ashr_i32 s7, s6, 31
	s_lshl_b64 s[0:1], s[6:7], 2
	s_waitcnt lgkmcnt(0)
	s_add_u32 s12, s12, s0
	s_addc_u32 s13, s13, s1
	s_load_dword s24, s[12:13], 0x0
	s_cmp_gt_i32 s16, 0
	s_cbranch_scc1 .LBB0_3
	s_ashr_i32 s23, s4, 31
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v1, s24
	s_cbranch_execz .LBB0_4
	s_branch .LBB0_6
.LBB0_3:
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v1, s24
.LBB0_4:
	s_abs_i32 s12, s5
	v_cvt_f32_u32_e32 v1, s12
	s_sub_i32 s13, 0, s12
	v_sub_u32_e32 v3, 0, v0
	v_max_i32_e32 v3, v3, v0
	v_rcp_iflag_f32_e32 v1, v1
	v_xor_b32_e32 v2, s5, v0
	v_ashrrev_i32_e32 v2, 31, v2
	s_mul_hi_i32 s25, s4, s18
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_mul_i32 s20, s4, s18
	s_mul_i32 s25, s25, s16
	v_mov_b64_e32 v[10:11], s[8:9]
	v_mul_lo_u32 v4, s13, v1
	v_mul_hi_u32 v4, v1, v4
	v_add_u32_e32 v1, v1, v4
	v_mul_hi_u32 v1, v3, v1
	v_mul_lo_u32 v4, v1, s12
	v_sub_u32_e32 v3, v3, v4
	v_add_u32_e32 v5, 1, v1
	v_cmp_le_u32_e32 vcc, s12, v3
	v_subrev_u32_e32 v4, s12, v3
	s_ashr_i32 s13, s19, 31
	v_cndmask_b32_e32 v1, v1, v5, vcc
	v_cndmask_b32_e32 v3, v3, v4, vcc
	v_add_u32_e32 v4, 1, v1
	v_cmp_le_u32_e32 vcc, s12, v3
	s_mul_i32 s12, s6, s16
	s_ashr_i32 s23, s4, 31
	v_cndmask_b32_e32 v1, v1, v4, vcc
	v_xor_b32_e32 v1, v1, v2
	v_sub_u32_e32 v4, v1, v2
	v_mul_lo_u32 v1, v4, s5
	v_sub_u32_e32 v2, v0, v1
	v_ashrrev_i32_e32 v5, 31, v4
	v_mov_b32_e32 v1, s16
	v_mad_u64_u32 v[8:9], s[20:21], s20, v1, v[4:5]
	v_add_u32_e32 v9, s25, v9
	v_lshlrev_b64 v[6:7], 2, v[8:9]
	v_lshl_add_u64 v[4:5], v[6:7], 0, 4
	v_mul_lo_u32 v1, v4, s13
	v_mul_lo_u32 v12, v5, s19
	v_mad_u64_u32 v[4:5], s[20:21], v4, s19, v[10:11]
	v_lshl_add_u64 v[6:7], v[6:7], 0, 8
	v_add3_u32 v5, v12, v5, v1
	v_mul_lo_u32 v1, v6, s13
	v_mul_lo_u32 v12, v7, s19
	v_mad_u64_u32 v[6:7], s[26:27], v6, s19, v[10:11]
	s_mul_hi_i32 s21, s19, s18
	s_mul_i32 s20, s19, s18
	v_add3_u32 v7, v12, v7, v1
	v_mul_lo_u32 v1, v8, s13
	v_mul_lo_u32 v10, v9, s19
	v_mad_u64_u32 v[8:9], s[18:19], v8, s19, 0
	v_ashrrev_i32_e32 v3, 31, v2
	v_add3_u32 v9, v9, v1, v10
	s_mul_i32 s12, s12, 9
	v_lshlrev_b64 v[2:3], 2, v[2:3]
	s_lshl_b64 s[20:21], s[20:21], 2
	v_lshl_add_u64 v[8:9], v[8:9], 2, s[8:9]
	v_mov_b32_e32 v1, s24
.LBB0_5:
	v_lshl_add_u64 v[18:19], v[8:9], 0, v[2:3]
	v_lshl_add_u64 v[20:21], v[4:5], 0, v[2:3]
	v_lshl_add_u64 v[22:23], v[6:7], 0, v[2:3]
	global_load_dwordx3 v[14:16], v[18:19], off
	global_load_dwordx3 v[10:12], v[20:21], off
	global_load_dwordx3 v[24:26], v[22:23], off
	s_ashr_i32 s13, s12, 31
	s_lshl_b64 s[8:9], s[12:13], 2
	s_add_u32 s8, s10, s8
	s_addc_u32 s9, s11, s9
	s_load_dwordx8 s[24:31], s[8:9], 0x0
	s_load_dword s19, s[8:9], 0x20
	s_add_i32 s16, s16, -1
	s_add_i32 s12, s12, 9
	v_lshl_add_u64 v[4:5], v[4:5], 0, s[20:21]
	s_waitcnt lgkmcnt(0)
	s_mov_b32 s8, s25
	s_mov_b32 s9, s26
	s_mov_b32 s26, s27
	s_mov_b32 s27, s28
	s_mov_b32 s28, s29
	s_mov_b32 s29, s30
	s_mov_b32 s18, s31
	v_lshl_add_u64 v[6:7], v[6:7], 0, s[20:21]
	v_lshl_add_u64 v[8:9], v[8:9], 0, s[20:21]
	s_cmp_lg_u32 s16, 0
	s_waitcnt vmcnt(2)
	v_mov_b32_e32 v18, v15
	v_mov_b32_e32 v19, v16
	v_fmac_f32_e32 v1, s24, v14
	v_pk_mul_f32 v[16:17], s[8:9], v[18:19]
	s_waitcnt vmcnt(1)
	v_pk_mul_f32 v[10:11], s[26:27], v[10:11]
	v_add_f32_e32 v1, v1, v16
	v_add_f32_e32 v1, v1, v17
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v13, v24
	v_add_f32_e32 v1, v1, v10
	v_pk_mul_f32 v[12:13], s[28:29], v[12:13]
	v_add_f32_e32 v1, v1, v11
	v_mov_b32_e32 v14, v25
	v_mov_b32_e32 v15, v26
	v_add_f32_e32 v1, v1, v12
	v_pk_mul_f32 v[14:15], s[18:19], v[14:15]
	v_add_f32_e32 v1, v1, v13
	v_add_f32_e32 v1, v1, v14
	v_add_f32_e32 v1, v1, v15
	s_cbranch_scc1 .LBB0_5
.LBB0_6:
	s_add_u32 s0, s14, s0
	s_addc_u32 s1, s15, s1
	s_load_dword s0, s[0:1], 0x0
	v_max_f32_e32 v1, v1, v1
	v_max_f32_e32 v1, 0, v1
	s_ashr_i32 s8, s17, 31
	s_mul_hi_u32 s1, s4, s17
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, s0, v1
	s_mul_i32 s0, s4, s8
	s_add_i32 s0, s1, s0
	s_mul_i32 s1, s23, s17
	s_add_i32 s0, s0, s1
	s_mul_i32 s1, s4, s17
	s_add_u32 s1, s1, s6
	s_addc_u32 s0, s0, s7
	s_ashr_i32 s4, s22, 31
	s_mul_i32 s4, s1, s4
	s_mul_hi_u32 s6, s1, s22
	s_add_i32 s4, s6, s4
	s_mul_i32 s0, s0, s22
	s_add_i32 s0, s4, s0
	s_mul_i32 s4, s1, s22
	s_ashr_i32 s1, s5, 31
	s_mul_i32 s1, s4, s1
	s_mul_hi_u32 s6, s4, s5
	s_add_i32 s1, s6, s1
	s_mul_i32 s0, s0, s5
	s_add_i32 s1, s1, s0
	s_mul_i32 s0, s4, s5
	s_lshl_b64 s[0:1], s[0:1], 2
	s_add_u32 s0, s2, s0
	v_ashrrev_i32_e32 v1, 31, v0
	s_addc_u32 s1, s3, s1
	v_lshl_add_u64 v[0:1], v[0:1], 2, s[0:1]
	global_store_dword v[0:1], v2, off
.LBB0_7:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel conv_relu_bias
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 56
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
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 27
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 28
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
	.size	conv_relu_bias, .Lfunc_end0-conv_relu_bias
	.set conv_relu_bias.num_vgpr, 27
	.set conv_relu_bias.num_agpr, 0
	.set conv_relu_bias.numbered_sgpr, 32
	.set conv_relu_bias.num_named_barrier, 0
	.set conv_relu_bias.private_seg_size, 0
	.set conv_relu_bias.uses_vcc, 1
	.set conv_relu_bias.uses_flat_scratch, 0
	.set conv_relu_bias.has_dyn_sized_stack, 0
	.set conv_relu_bias.has_recursion, 0
	.set conv_relu_bias.has_indirect_call, 0
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
      - .address_space:  global
        .offset:         32
        .size:           8
        .value_kind:     global_buffer
      - .offset:         40
        .size:           4
        .value_kind:     by_value
      - .offset:         44
        .size:           4
        .value_kind:     by_value
      - .offset:         48
        .size:           4
        .value_kind:     by_value
      - .offset:         52
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 56
    .max_flat_workgroup_size: 256
    .name:           conv_relu_bias
    .private_segment_fixed_size: 0
    .sgpr_count:     38
    .sgpr_spill_count: 0
    .symbol:         conv_relu_bias.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     27
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx950
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
