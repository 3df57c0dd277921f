; clang 22.1.8 -O3 --offload-arch=gfx942 matmul_f16.hip (kernels/build.py)
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 6
	.text
	.protected	matmul_f16
	.globl	matmul_f16
	.p2align	8
	.type	matmul_f16,@function
matmul_f16:
	s_load_dwordx4 s[4:7], s[0:1], 0x18
	s_load_dwordx4 s[8:11], s[0:1], 0x0
	s_load_dwordx2 s[12:13], s[0:1], 0x10
	v_lshrrev_b32_e32 v2, 2, v0
	v_lshrrev_b32_e32 v3, 1, v0
	s_waitcnt lgkmcnt(0)
	s_cmp_gt_i32 s6, 0
	v_lshrrev_b32_e32 v1, 3, v0
	s_cbranch_scc1 .LBB0_2
	v_and_b32_e32 v19, 4, v1
	s_mov_b64 s[0:1], 0
	s_branch .LBB0_3
.LBB0_2:
	s_mov_b64 s[0:1], -1
.LBB0_3:
	v_and_b32_e32 v22, 32, v2
	v_and_b32_e32 v23, 32, v3
	s_lshl_b32 s7, s3, 6
	s_lshl_b32 s18, s2, 6
	v_and_b32_e32 v24, 31, v0
	s_andn2_b64 vcc, exec, s[0:1]
	v_mov_b32_e32 v17, 0
	v_mov_b32_e32 v16, 0
	v_mov_b32_e32 v15, 0
	v_mov_b32_e32 v14, 0
	v_mov_b32_e32 v13, 0
	v_mov_b32_e32 v12, 0
	v_mov_b32_e32 v11, 0
	v_mov_b32_e32 v10, 0
	v_mov_b32_e32 v9, 0
	v_mov_b32_e32 v8, 0
	v_mov_b32_e32 v7, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v2, 0
	s_cbranch_vccnz .LBB0_16
	v_mul_u32_u24_e32 v3, 40, v24
	v_and_b32_e32 v19, 4, v1
	v_mad_u32_u24 v1, v23, 40, v3
	v_lshlrev_b32_e32 v5, 1, v19
	s_movk_i32 s0, 0xa00
	v_add3_u32 v26, v1, v5, s0
	v_lshrrev_b32_e32 v1, 4, v0
	v_mul_u32_u24_e32 v2, 40, v22
	v_and_b32_e32 v18, 15, v0
	v_and_b32_e32 v4, 63, v0
	v_add_u32_e32 v29, s7, v1
	v_add3_u32 v25, v2, v3, v5
	v_or_b32_e32 v2, s18, v4
	v_mad_u64_u32 v[20:21], s[0:1], s6, v29, v[18:19]
	v_cmp_gt_i32_e32 vcc, s5, v2
	v_mul_u32_u24_e32 v2, 40, v1
	v_mul_u32_u24_e32 v1, 40, v4
	v_lshrrev_b32_e32 v21, 6, v0
	v_or_b32_e32 v27, 0xffffff00, v0
	v_lshl_or_b32 v0, v21, 1, v1
	v_add_u32_e32 v30, 0xa00, v0
	v_mul_lo_u32 v0, s5, v21
	v_lshl_add_u32 v28, v18, 1, v2
	s_lshl_b32 s19, s6, 4
	v_add3_u32 v31, v0, s18, v4
	s_lshl_b32 s20, s5, 4
	s_lshl_b32 s21, s5, 2
	s_mov_b32 s22, 0
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
	v_mov_b32_e32 v8, 0
	v_mov_b32_e32 v9, 0
	v_mov_b32_e32 v10, 0
	v_mov_b32_e32 v11, 0
	v_mov_b32_e32 v12, 0
	v_mov_b32_e32 v13, 0
	v_mov_b32_e32 v14, 0
	v_mov_b32_e32 v15, 0
	v_mov_b32_e32 v16, 0
	v_mov_b32_e32 v17, 0
	s_movk_i32 s23, 0x2ff
	s_branch .LBB0_6
.LBB0_5:
	s_or_b64 exec, exec, s[2:3]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read2_b64 v[32:35], v25 offset1:2
	ds_read2_b64 v[36:39], v26 offset1:2
	s_add_i32 s22, s22, 16
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[32:33], v[36:37], v[2:17]
	v_add_u32_e32 v20, 16, v20
	v_add_u32_e32 v31, s20, v31
	s_cmp_ge_i32 s22, s6
	v_add_u32_e32 v21, 16, v21
	v_mfma_f32_32x32x8_f16 v[2:17], v[34:35], v[38:39], v[2:17]
	s_barrier
	s_cbranch_scc1 .LBB0_16
.LBB0_6:
	v_or_b32_e32 v0, s22, v18
	v_cmp_gt_i32_e64 s[0:1], s6, v0
	s_mov_b64 s[14:15], 0
	v_mov_b32_e32 v32, v29
	v_mov_b32_e32 v0, v20
	v_mov_b32_e32 v33, v28
	v_mov_b32_e32 v34, v27
	s_branch .LBB0_8
.LBB0_7:
	s_or_b64 exec, exec, s[2:3]
	v_add_u32_e32 v34, 0x100, v34
	v_cmp_lt_u32_e64 s[2:3], s23, v34
	s_waitcnt vmcnt(0)
	ds_write_b16 v33, v1
	v_add_u32_e32 v33, 0x280, v33
	v_add_u32_e32 v0, s19, v0
	s_or_b64 s[14:15], s[2:3], s[14:15]
	v_add_u32_e32 v32, 16, v32
	s_andn2_b64 exec, exec, s[14:15]
	s_cbranch_execz .LBB0_10
.LBB0_8:
	v_cmp_gt_i32_e64 s[2:3], s4, v32
	s_and_b64 s[16:17], s[2:3], s[0:1]
	v_mov_b32_e32 v1, 0
	s_and_saveexec_b64 s[2:3], s[16:17]
	s_cbranch_execz .LBB0_7
	v_ashrrev_i32_e32 v1, 31, v0
	v_lshl_add_u64 v[36:37], v[0:1], 1, s[8:9]
	global_load_ushort v1, v[36:37], off
	s_branch .LBB0_7
.LBB0_10:
	s_or_b64 exec, exec, s[14:15]
	s_mov_b64 s[2:3], 0
	v_mov_b32_e32 v32, v21
	v_mov_b32_e32 v0, v31
	v_mov_b32_e32 v33, v30
	v_mov_b32_e32 v34, v27
	s_branch .LBB0_13
.LBB0_11:
	s_or_b64 exec, exec, s[16:17]
.LBB0_12:
	s_or_b64 exec, exec, s[14:15]
	v_add_u32_e32 v34, 0x100, v34
	v_cmp_lt_u32_e64 s[0:1], s23, v34
	s_waitcnt vmcnt(0)
	ds_write_b16 v33, v1
	v_add_u32_e32 v33, 8, v33
	v_add_u32_e32 v0, s21, v0
	s_or_b64 s[2:3], s[0:1], s[2:3]
	v_add_u32_e32 v32, 4, v32
	s_andn2_b64 exec, exec, s[2:3]
	s_cbranch_execz .LBB0_5
.LBB0_13:
	v_mov_b32_e32 v1, 0
	s_and_saveexec_b64 s[14:15], vcc
	s_cbranch_execz .LBB0_12
	v_cmp_gt_i32_e64 s[0:1], s6, v32
	v_mov_b32_e32 v1, 0
	s_and_saveexec_b64 s[16:17], s[0:1]
	s_cbranch_execz .LBB0_11
	v_ashrrev_i32_e32 v1, 31, v0
	v_lshl_add_u64 v[36:37], v[0:1], 1, s[10:11]
	global_load_ushort v1, v[36:37], off
	s_branch .LBB0_11
.LBB0_16:
	v_add_u32_e32 v1, s7, v22
	v_or3_b32 v0, s18, v24, v23
	v_or_b32_e32 v1, v1, v19
	v_cmp_gt_i32_e32 vcc, s5, v0
	v_cmp_gt_i32_e64 s[0:1], s4, v1
	s_and_b64 s[2:3], s[0:1], vcc
	s_and_saveexec_b64 s[0:1], s[2:3]
	s_cbranch_execz .LBB0_18
	v_mad_u64_u32 v[18:19], s[2:3], v1, s5, v[0:1]
	v_ashrrev_i32_e32 v19, 31, v18
	v_lshl_add_u64 v[18:19], v[18:19], 2, s[12:13]
	global_store_dword v[18:19], v2, off
.LBB0_18:
	s_or_b64 exec, exec, s[0:1]
	v_or_b32_e32 v2, 1, v1
	v_cmp_gt_i32_e64 s[0:1], s4, v2
	s_and_b64 s[2:3], s[0:1], vcc
	s_and_saveexec_b64 s[0:1], s[2:3]
	s_cbranch_execz .LBB0_20
	v_mad_u64_u32 v[18:19], s[2:3], v2, s5, v[0:1]
	v_ashrrev_i32_e32 v19, 31, v18
	v_lshl_add_u64 v[18:19], v[18:19], 2, s[12:13]
	global_store_dword v[18:19], v3, off
.LBB0_20:
	s_or_b64 exec, exec, s[0:1]
	v_or_b32_e32 v2, 2, v1
	v_cmp_gt_i32_e64 s[0:1], s4, v2
	s_and_b64 s[2:3], s[0:1], vcc
	s_and_saveexec_b64 s[0:1], s[2:3]
	s_cbranch_execz .LBB0_22
	v_mad_u64_u32 v[2:3], s[2:3], v2, s5, v[0:1]
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[12:13]
	global_store_dword v[2:3], v4, off
.LBB0_22:
	s_or_b64 exec, exec, s[0:1]
	v_or_b32_e32 v2, 3, v1
	v_cmp_gt_i32_e64 s[0:1], s4, v2
	s_and_b64 s[2:3], s[0:1], vcc
	s_and_saveexec_b64 s[0:1], s[2:3]
	s_cbranch_execz .LBB0_24
	v_mad_u64_u32 v[2:3], s[2:3], v2, s5, v[0:1]
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[12:13]
	global_store_dword v[2:3], v5, off
.LBB0_24:
	s_or_b64 exec, exec, s[0:1]
	v_or_b32_e32 v2, 8, v1
	v_cmp_gt_i32_e64 s[0:1], s4, v2
	s_and_b64 s[2:3], s[0:1], vcc
	s_and_saveexec_b64 s[0:1], s[2:3]
	s_cbranch_execz .LBB0_26
	v_mad_u64_u32 v[2:3], s[2:3], v2, s5, v[0:1]
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[12:13]
	global_store_dword v[2:3], v6, off
.LBB0_26:
	s_or_b64 exec, exec, s[0:1]
	v_or_b32_e32 v2, 9, v1
	v_cmp_gt_i32_e64 s[0:1], s4, v2
	s_and_b64 s[2:3], s[0:1], vcc
	s_and_saveexec_b64 s[0:1], s[2:3]
	s_cbranch_execz .LBB0_28
	v_mad_u64_u32 v[2:3], s[2:3], v2, s5, v[0:1]
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[12:13]
	global_store_dword v[2:3], v7, off
.LBB0_28:
	s_or_b64 exec, exec, s[0:1]
	v_or_b32_e32 v2, 10, v1
	v_cmp_gt_i32_e64 s[0:1], s4, v2
	s_and_b64 s[2:3], s[0:1], vcc
	s_and_saveexec_b64 s[0:1], s[2:3]
	s_cbranch_execz .LBB0_30
	v_mad_u64_u32 v[2:3], s[2:3], v2, s5, v[0:1]
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[12:13]
	global_store_dword v[2:3], v8, off
.LBB0_30:
	s_or_b64 exec, exec, s[0:1]
	v_or_b32_e32 v2, 11, v1
	v_cmp_gt_i32_e64 s[0:1], s4, v2
	s_and_b64 s[2:3], s[0:1], vcc
	s_and_saveexec_b64 s[0:1], s[2:3]
	s_cbranch_execz .LBB0_32
	v_mad_u64_u32 v[2:3], s[2:3], v2, s5, v[0:1]
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[12:13]
	global_store_dword v[2:3], v9, off
.LBB0_32:
	s_or_b64 exec, exec, s[0:1]
	v_or_b32_e32 v2, 16, v1
	v_cmp_gt_i32_e64 s[0:1], s4, v2
	s_and_b64 s[2:3], s[0:1], vcc
	s_and_saveexec_b64 s[0:1], s[2:3]
	s_cbranch_execz .LBB0_34
	v_mad_u64_u32 v[2:3], s[2:3], v2, s5, v[0:1]
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[12:13]
	global_store_dword v[2:3], v10, off
.LBB0_34:
	s_or_b64 exec, exec, s[0:1]
	v_or_b32_e32 v2, 17, v1
	v_cmp_gt_i32_e64 s[0:1], s4, v2
	s_and_b64 s[2:3], s[0:1], vcc
	s_and_saveexec_b64 s[0:1], s[2:3]
	s_cbranch_execz .LBB0_36
	v_mad_u64_u32 v[2:3], s[2:3], v2, s5, v[0:1]
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[12:13]
	global_store_dword v[2:3], v11, off
.LBB0_36:
	s_or_b64 exec, exec, s[0:1]
	v_or_b32_e32 v2, 18, v1
	v_cmp_gt_i32_e64 s[0:1], s4, v2
	s_and_b64 s[2:3], s[0:1], vcc
	s_and_saveexec_b64 s[0:1], s[2:3]
	s_cbranch_execz .LBB0_38
	v_mad_u64_u32 v[2:3], s[2:3], v2, s5, v[0:1]
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[12:13]
	global_store_dword v[2:3], v12, off
.LBB0_38:
	s_or_b64 exec, exec, s[0:1]
	v_or_b32_e32 v2, 19, v1
	v_cmp_gt_i32_e64 s[0:1], s4, v2
	s_and_b64 s[2:3], s[0:1], vcc
	s_and_saveexec_b64 s[0:1], s[2:3]
	s_cbranch_execz .LBB0_40
	v_mad_u64_u32 v[2:3], s[2:3], v2, s5, v[0:1]
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[12:13]
	global_store_dword v[2:3], v13, off
.LBB0_40:
	s_or_b64 exec, exec, s[0:1]
	v_or_b32_e32 v2, 24, v1
	v_cmp_gt_i32_e64 s[0:1], s4, v2
	s_and_b64 s[2:3], s[0:1], vcc
	s_and_saveexec_b64 s[0:1], s[2:3]
	s_cbranch_execz .LBB0_42
	v_mad_u64_u32 v[2:3], s[2:3], v2, s5, v[0:1]
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[12:13]
	global_store_dword v[2:3], v14, off
.LBB0_42:
	s_or_b64 exec, exec, s[0:1]
	v_or_b32_e32 v2, 25, v1
	v_cmp_gt_i32_e64 s[0:1], s4, v2
	s_and_b64 s[2:3], s[0:1], vcc
	s_and_saveexec_b64 s[0:1], s[2:3]
	s_cbranch_execz .LBB0_44
	v_mad_u64_u32 v[2:3], s[2:3], v2, s5, v[0:1]
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[12:13]
	global_store_dword v[2:3], v15, off
.LBB0_44:
	s_or_b64 exec, exec, s[0:1]
	v_or_b32_e32 v2, 26, v1
	v_cmp_gt_i32_e64 s[0:1], s4, v2
	s_and_b64 s[2:3], s[0:1], vcc
	s_and_saveexec_b64 s[0:1], s[2:3]
	s_cbranch_execz .LBB0_46
	v_mad_u64_u32 v[2:3], s[2:3], v2, s5, v[0:1]
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[12:13]
	global_store_dword v[2:3], v16, off
.LBB0_46:
	s_or_b64 exec, exec, s[0:1]
	v_or_b32_e32 v1, 27, v1
	v_cmp_gt_i32_e64 s[0:1], s4, v1
	s_and_b64 s[0:1], s[0:1], vcc
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_cbranch_execz .LBB0_48
	v_mad_u64_u32 v[0:1], s[0:1], v1, s5, v[0:1]
	v_ashrrev_i32_e32 v1, 31, v0
	v_lshl_add_u64 v[0:1], v[0:1], 2, s[12:13]
	global_store_dword v[0:1], v17, off
.LBB0_48:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel matmul_f16
		.amdhsa_group_segment_fixed_size 5120
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
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 40
		.amdhsa_next_free_sgpr 24
		.amdhsa_accum_offset 40
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
	.size	matmul_f16, .Lfunc_end0-matmul_f16
	.set matmul_f16.num_vgpr, 40
	.set matmul_f16.num_agpr, 0
	.set matmul_f16.numbered_sgpr, 24
	.set matmul_f16.num_named_barrier, 0
	.set matmul_f16.private_seg_size, 0
	.set matmul_f16.uses_vcc, 1
	.set matmul_f16.uses_flat_scratch, 0
	.set matmul_f16.has_dyn_sized_stack, 0
	.set matmul_f16.has_recursion, 0
	.set matmul_f16.has_indirect_call, 0
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
    .group_segment_fixed_size: 5120
    .kernarg_segment_align: 8
    .kernarg_segment_size: 36
    .max_flat_workgroup_size: 256
    .name:           matmul_f16
    .private_segment_fixed_size: 0
    .sgpr_count:     30
    .sgpr_spill_count: 0
    .symbol:         matmul_f16.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     40
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
