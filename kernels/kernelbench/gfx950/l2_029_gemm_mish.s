; clang 22.1.8 -O3 --offload-arch=gfx950 l2_029_gemm_mish.hip (kernels/build.py)
	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.protected	gemm_mish
	.globl	gemm_mish
	.p2align	8
	.type	gemm_mish,@function
gemm_mish:
	s_load_dwordx2 s[12:13], s[0:1], 0x24
	v_bfe_u32 v10, v0, 10, 10
	s_waitcnt lgkmcnt(0)
	s_cmp_gt_i32 s13, 0
	s_cbranch_scc1 .LBB0_2
	s_lshl_b32 s16, s2, 4
	s_mov_b64 s[14:15], 0
	s_branch .LBB0_3
.LBB0_2:
	s_mov_b64 s[14:15], -1
.LBB0_3:
	s_load_dwordx8 s[4:11], s[0:1], 0x0
	v_and_b32_e32 v7, 0x3ff, v0
	v_lshl_add_u32 v6, s3, 4, v10
	v_mov_b32_e32 v5, 0
	s_andn2_b64 vcc, exec, s[14:15]
	v_mov_b32_e32 v4, 0
	s_cbranch_vccnz .LBB0_6
	v_mad_u64_u32 v[8:9], s[0:1], s13, v6, 0
	v_ashrrev_i32_e32 v11, 31, v6
	v_mov_b32_e32 v4, v9
	v_mad_u64_u32 v[12:13], s[0:1], s13, v11, v[4:5]
	s_lshl_b32 s16, s2, 4
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v0, s4
	v_mov_b32_e32 v1, s5
	v_mov_b32_e32 v9, v12
	v_add_u32_e32 v11, s16, v10
	v_mov_b32_e32 v2, s6
	v_mov_b32_e32 v3, s7
	v_lshl_add_u64 v[0:1], v[8:9], 2, v[0:1]
	v_mov_b32_e32 v8, 0x440
	v_mad_u64_u32 v[12:13], s[0:1], s13, v11, 0
	v_lshlrev_b32_e32 v4, 2, v7
	v_lshl_add_u32 v8, v10, 6, v8
	v_lshl_add_u64 v[2:3], v[12:13], 2, v[2:3]
	s_movk_i32 s0, 0x44
	v_lshl_add_u64 v[0:1], v[0:1], 0, v[4:5]
	v_add_u32_e32 v9, v8, v4
	v_lshl_add_u64 v[2:3], v[2:3], 0, v[4:5]
	v_mad_u32_u24 v5, v10, s0, v4
	v_mul_u32_u24_e32 v10, 0x44, v7
	s_mov_b32 s0, 0
	v_mov_b32_e32 v4, 0
.LBB0_5:
	global_load_dword v11, v[0:1], off
	global_load_dword v12, v[2:3], off
	s_add_i32 s0, s0, 16
	v_lshl_add_u64 v[2:3], v[2:3], 0, 64
	v_lshl_add_u64 v[0:1], v[0:1], 0, 64
	s_cmp_ge_i32 s0, s13
	s_waitcnt vmcnt(1)
	ds_write_b32 v9, v11
	s_waitcnt vmcnt(0)
	ds_write_b32 v5, v12
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[12:15], v8
	ds_read_b128 v[16:19], v8 offset:16
	ds_read_b128 v[20:23], v8 offset:32
	ds_read_b128 v[24:27], v8 offset:48
	ds_read2_b32 v[28:29], v10 offset1:1
	ds_read2_b32 v[30:31], v10 offset0:2 offset1:3
	ds_read2_b32 v[32:33], v10 offset0:4 offset1:5
	ds_read2_b32 v[34:35], v10 offset0:6 offset1:7
	ds_read2_b32 v[36:37], v10 offset0:8 offset1:9
	ds_read2_b32 v[38:39], v10 offset0:10 offset1:11
	ds_read2_b32 v[40:41], v10 offset0:12 offset1:13
	ds_read2_b32 v[42:43], v10 offset0:14 offset1:15
	s_waitcnt lgkmcnt(7)
	v_fmac_f32_e32 v4, v12, v28
	v_fmac_f32_e32 v4, v13, v29
	s_waitcnt lgkmcnt(6)
	v_fmac_f32_e32 v4, v14, v30
	s_waitcnt lgkmcnt(5)
	v_pk_mul_f32 v[16:17], v[16:17], v[32:33]
	v_fmac_f32_e32 v4, v15, v31
	v_add_f32_e32 v4, v4, v16
	s_waitcnt lgkmcnt(4)
	v_pk_mul_f32 v[18:19], v[18:19], v[34:35]
	v_add_f32_e32 v4, v4, v17
	v_add_f32_e32 v4, v4, v18
	s_waitcnt lgkmcnt(3)
	v_pk_mul_f32 v[20:21], v[20:21], v[36:37]
	v_add_f32_e32 v4, v4, v19
	v_add_f32_e32 v4, v4, v20
	s_waitcnt lgkmcnt(2)
	v_pk_mul_f32 v[22:23], v[22:23], v[38:39]
	v_add_f32_e32 v4, v4, v21
	v_add_f32_e32 v4, v4, v22
	s_waitcnt lgkmcnt(1)
	v_pk_mul_f32 v[24:25], v[24:25], v[40:41]
	v_add_f32_e32 v4, v4, v23
	v_add_f32_e32 v4, v4, v24
	s_waitcnt lgkmcnt(0)
	v_pk_mul_f32 v[26:27], v[26:27], v[42:43]
	v_add_f32_e32 v4, v4, v25
	v_add_f32_e32 v4, v4, v26
	v_add_f32_e32 v4, v4, v27
	s_barrier
	s_cbranch_scc0 .LBB0_5
.LBB0_6:
	v_add_u32_e32 v0, s16, v7
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v2, s8
	v_mov_b32_e32 v3, s9
	v_ashrrev_i32_e32 v1, 31, v0
	v_lshl_add_u64 v[2:3], v[0:1], 2, v[2:3]
	global_load_dword v2, v[2:3], off
	s_mov_b32 s0, 0x3fb8aa3b
	s_mov_b32 s1, 0xc2ce8ed0
	s_mov_b32 s2, 0x42b17218
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v2, v4, v2
	v_mul_f32_e32 v3, 0x3fb8aa3b, v2
	v_fma_f32 v4, v2, s0, -v3
	v_rndne_f32_e32 v5, v3
	v_fmamk_f32 v4, v2, 0x32a5705f, v4
	v_sub_f32_e32 v3, v3, v5
	v_add_f32_e32 v3, v3, v4
	v_cvt_i32_f32_e32 v5, v5
	v_exp_f32_e32 v3, v3
	v_cmp_ngt_f32_e32 vcc, s1, v2
	v_mov_b32_e32 v4, 0x7f800000
	s_mov_b32 s0, 0x7f800000
	v_ldexp_f32 v3, v3, v5
	v_cndmask_b32_e32 v3, 0, v3, vcc
	v_cmp_nlt_f32_e32 vcc, s2, v2
	s_nop 1
	v_cndmask_b32_e32 v3, v4, v3, vcc
	v_add_f32_e32 v4, 1.0, v3
	v_cmp_neq_f32_e32 vcc, 1.0, v4
	s_and_saveexec_b64 s[2:3], vcc
	s_cbranch_execz .LBB0_10
	v_cmp_neq_f32_e64 s[0:1], |v4|, s0
	s_and_saveexec_b64 s[4:5], s[0:1]
	s_cbranch_execz .LBB0_9
	s_mov_b32 s0, 0x800000
	v_cmp_gt_f32_e32 vcc, s0, v4
	s_mov_b32 s0, 0x3f317217
	s_mov_b32 s1, 0x7f800000
	v_cndmask_b32_e64 v5, 0, 32, vcc
	v_ldexp_f32 v5, v4, v5
	v_log_f32_e32 v5, v5
	v_add_f32_e32 v4, -1.0, v4
	v_mov_b32_e32 v9, 0x41b17218
	v_cndmask_b32_e32 v9, 0, v9, vcc
	v_mul_f32_e32 v7, 0x3f317217, v5
	v_fma_f32 v8, v5, s0, -v7
	v_fmamk_f32 v8, v5, 0x3377d1cf, v8
	v_add_f32_e32 v7, v7, v8
	v_cmp_lt_f32_e64 s[0:1], |v5|, s1
	s_nop 1
	v_cndmask_b32_e64 v5, v5, v7, s[0:1]
	v_div_scale_f32 v7, s[0:1], v4, v4, v3
	v_rcp_f32_e32 v8, v7
	v_sub_f32_e32 v5, v5, v9
	v_fma_f32 v9, -v7, v8, 1.0
	v_fmac_f32_e32 v8, v9, v8
	v_div_scale_f32 v9, vcc, v3, v4, v3
	v_mul_f32_e32 v10, v9, v8
	v_fma_f32 v11, -v7, v10, v9
	v_fmac_f32_e32 v10, v11, v8
	v_fma_f32 v7, -v7, v10, v9
	v_div_fmas_f32 v7, v7, v8, v10
	v_div_fixup_f32 v3, v7, v4, v3
	v_mul_f32_e32 v4, v5, v3
.LBB0_9:
	s_or_b64 exec, exec, s[4:5]
	v_mov_b32_e32 v3, v4
.LBB0_10:
	s_or_b64 exec, exec, s[2:3]
	s_mov_b32 s0, 0x3f200000
	v_cmp_nlt_f32_e64 s[0:1], |v3|, s0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[0:1], exec, s[2:3]
	s_cbranch_execz .LBB0_12
	v_add_f32_e64 v4, |v3|, |v3|
	v_mul_f32_e32 v5, 0x3fb8aa3b, v4
	s_mov_b32 s2, 0x3fb8aa3b
	v_rndne_f32_e32 v7, v5
	v_sub_f32_e32 v8, v5, v7
	v_fma_f32 v5, v4, s2, -v5
	v_fmamk_f32 v5, v4, 0x32a5705f, v5
	v_add_f32_e32 v5, v8, v5
	v_exp_f32_e32 v5, v5
	v_cvt_i32_f32_e32 v7, v7
	s_mov_b32 s2, 0xc2ce8ed0
	v_cmp_ngt_f32_e32 vcc, s2, v4
	s_mov_b32 s2, 0x42b17218
	v_ldexp_f32 v5, v5, v7
	v_cndmask_b32_e32 v5, 0, v5, vcc
	v_mov_b32_e32 v7, 0x7f800000
	v_cmp_nlt_f32_e32 vcc, s2, v4
	s_nop 1
	v_cndmask_b32_e32 v4, v7, v5, vcc
	v_add_f32_e32 v4, 1.0, v4
	v_div_scale_f32 v5, s[2:3], v4, v4, 2.0
	v_rcp_f32_e32 v7, v5
	s_nop 0
	v_fma_f32 v8, -v5, v7, 1.0
	v_fmac_f32_e32 v7, v8, v7
	v_div_scale_f32 v8, vcc, 2.0, v4, 2.0
	v_mul_f32_e32 v9, v8, v7
	v_fma_f32 v10, -v5, v9, v8
	v_fmac_f32_e32 v9, v10, v7
	v_fma_f32 v5, -v5, v9, v8
	v_div_fmas_f32 v5, v5, v7, v9
	v_div_fixup_f32 v4, v5, v4, 2.0
	v_sub_f32_e32 v4, 1.0, v4
.LBB0_12:
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mul_f32_e32 v4, v3, v3
	v_mov_b32_e32 v5, 0x3cabf50d
	v_fmac_f32_e32 v5, 0xbbc783da, v4
	v_fmaak_f32 v5, v4, v5, 0xbd5c9123
	v_fmaak_f32 v5, v4, v5, 0x3e088706
	v_fmaak_f32 v5, v4, v5, 0xbeaaaaa9
	v_mul_f32_e32 v4, v4, v5
	v_fma_f32 v4, |v3|, v4, |v3|
	s_or_b64 exec, exec, s[0:1]
	s_brev_b32 s0, -2
	v_bfi_b32 v3, s0, v4, v3
	v_mul_f32_e32 v2, v2, v3
	s_mov_b32 s0, 0x3fb8aa3b
	v_mul_f32_e32 v3, 0x3fb8aa3b, v2
	v_fma_f32 v4, v2, s0, -v3
	v_rndne_f32_e32 v5, v3
	v_fmamk_f32 v4, v2, 0x32a5705f, v4
	v_sub_f32_e32 v3, v3, v5
	v_add_f32_e32 v3, v3, v4
	v_exp_f32_e32 v3, v3
	v_cvt_i32_f32_e32 v4, v5
	s_mov_b32 s0, 0xc2ce8ed0
	v_cmp_ngt_f32_e32 vcc, s0, v2
	s_mov_b32 s1, 0x42b17218
	v_ldexp_f32 v3, v3, v4
	v_cndmask_b32_e32 v3, 0, v3, vcc
	v_mov_b32_e32 v4, 0x7f800000
	v_cmp_nlt_f32_e32 vcc, s1, v2
	s_mov_b32 s0, 0x7f800000
	s_nop 0
	v_cndmask_b32_e32 v3, v4, v3, vcc
	v_add_f32_e32 v4, 1.0, v3
	v_cmp_neq_f32_e32 vcc, 1.0, v4
	s_and_saveexec_b64 s[2:3], vcc
	s_cbranch_execz .LBB0_18
	v_cmp_neq_f32_e64 s[0:1], |v4|, s0
	s_and_saveexec_b64 s[4:5], s[0:1]
	s_cbranch_execz .LBB0_17
	s_mov_b32 s0, 0x800000
	v_cmp_gt_f32_e32 vcc, s0, v4
	s_mov_b32 s0, 0x3f317217
	s_mov_b32 s1, 0x7f800000
	v_cndmask_b32_e64 v5, 0, 32, vcc
	v_ldexp_f32 v5, v4, v5
	v_log_f32_e32 v5, v5
	v_add_f32_e32 v4, -1.0, v4
	v_mov_b32_e32 v9, 0x41b17218
	v_cndmask_b32_e32 v9, 0, v9, vcc
	v_mul_f32_e32 v7, 0x3f317217, v5
	v_fma_f32 v8, v5, s0, -v7
	v_fmamk_f32 v8, v5, 0x3377d1cf, v8
	v_add_f32_e32 v7, v7, v8
	v_cmp_lt_f32_e64 s[0:1], |v5|, s1
	s_nop 1
	v_cndmask_b32_e64 v5, v5, v7, s[0:1]
	v_div_scale_f32 v7, s[0:1], v4, v4, v3
	v_rcp_f32_e32 v8, v7
	v_sub_f32_e32 v5, v5, v9
	v_fma_f32 v9, -v7, v8, 1.0
	v_fmac_f32_e32 v8, v9, v8
	v_div_scale_f32 v9, vcc, v3, v4, v3
	v_mul_f32_e32 v10, v9, v8
	v_fma_f32 v11, -v7, v10, v9
	v_fmac_f32_e32 v10, v11, v8
	v_fma_f32 v7, -v7, v10, v9
	v_div_fmas_f32 v7, v7, v8, v10
	v_div_fixup_f32 v3, v7, v4, v3
	v_mul_f32_e32 v4, v5, v3
.LBB0_17:
	s_or_b64 exec, exec, s[4:5]
	v_mov_b32_e32 v3, v4
.LBB0_18:
	s_or_b64 exec, exec, s[2:3]
	s_mov_b32 s0, 0x3f200000
	v_cmp_nlt_f32_e64 s[0:1], |v3|, s0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[0:1], exec, s[2:3]
	s_cbranch_execz .LBB0_20
	v_add_f32_e64 v4, |v3|, |v3|
	v_mul_f32_e32 v5, 0x3fb8aa3b, v4
	s_mov_b32 s2, 0x3fb8aa3b
	v_rndne_f32_e32 v7, v5
	v_sub_f32_e32 v8, v5, v7
	v_fma_f32 v5, v4, s2, -v5
	v_fmamk_f32 v5, v4, 0x32a5705f, v5
	v_add_f32_e32 v5, v8, v5
	v_exp_f32_e32 v5, v5
	v_cvt_i32_f32_e32 v7, v7
	s_mov_b32 s2, 0xc2ce8ed0
	v_cmp_ngt_f32_e32 vcc, s2, v4
	s_mov_b32 s2, 0x42b17218
	v_ldexp_f32 v5, v5, v7
	v_cndmask_b32_e32 v5, 0, v5, vcc
	v_mov_b32_e32 v7, 0x7f800000
	v_cmp_nlt_f32_e32 vcc, s2, v4
	s_nop 1
	v_cndmask_b32_e32 v4, v7, v5, vcc
	v_add_f32_e32 v4, 1.0, v4
	v_div_scale_f32 v5, s[2:3], v4, v4, 2.0
	v_rcp_f32_e32 v7, v5
	s_nop 0
	v_fma_f32 v8, -v5, v7, 1.0
	v_fmac_f32_e32 v7, v8, v7
	v_div_scale_f32 v8, vcc, 2.0, v4, 2.0
	v_mul_f32_e32 v9, v8, v7
	v_fma_f32 v10, -v5, v9, v8
	v_fmac_f32_e32 v9, v10, v7
	v_fma_f32 v5, -v5, v9, v8
	v_div_fmas_f32 v5, v5, v7, v9
	v_div_fixup_f32 v4, v5, v4, 2.0
	v_sub_f32_e32 v4, 1.0, v4
.LBB0_20:
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mul_f32_e32 v4, v3, v3
	v_mov_b32_e32 v5, 0x3cabf50d
	v_fmac_f32_e32 v5, 0xbbc783da, v4
	v_fmaak_f32 v5, v4, v5, 0xbd5c9123
	v_fmaak_f32 v5, v4, v5, 0x3e088706
	v_fmaak_f32 v5, v4, v5, 0xbeaaaaa9
	v_mul_f32_e32 v4, v4, v5
	v_fma_f32 v4, |v3|, v4, |v3|
	s_or_b64 exec, exec, s[0:1]
	s_brev_b32 s0, -2
	v_bfi_b32 v3, s0, v4, v3
	v_mov_b32_e32 v8, s10
	v_mov_b32_e32 v9, s11
	v_mul_f32_e32 v4, v2, v3
	v_mad_i64_i32 v[2:3], s[0:1], s12, v6, 0
	v_lshl_add_u64 v[2:3], v[2:3], 2, v[8:9]
	v_lshl_add_u64 v[0:1], v[0:1], 2, v[2:3]
	global_store_dword v[0:1], v4, off
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel gemm_mish
		.amdhsa_group_segment_fixed_size 2112
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
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 1
		.amdhsa_next_free_vgpr 44
		.amdhsa_next_free_sgpr 17
		.amdhsa_accum_offset 44
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
	.size	gemm_mish, .Lfunc_end0-gemm_mish
	.set gemm_mish.num_vgpr, 44
	.set gemm_mish.num_agpr, 0
	.set gemm_mish.numbered_sgpr, 17
	.set gemm_mish.num_named_barrier, 0
	.set gemm_mish.private_seg_size, 0
	.set gemm_mish.uses_vcc, 1
	.set gemm_mish.uses_flat_scratch, 0
	.set gemm_mish.has_dyn_sized_stack, 0
	.set gemm_mish.has_recursion, 0
	.set gemm_mish.has_indirect_call, 0
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
    .group_segment_fixed_size: 2112
    .kernarg_segment_align: 8
    .kernarg_segment_size: 44
    .max_flat_workgroup_size: 256
    .name:           gemm_mish
    .private_segment_fixed_size: 0
    .sgpr_count:     23
    .sgpr_spill_count: 0
    .symbol:         gemm_mish.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     44
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx950
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
