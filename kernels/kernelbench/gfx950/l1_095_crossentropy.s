; clang 22.1.8 -O3 --offload-arch=gfx950 l1_095_crossentropy.hip (kernels/build.py)
	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.protected	xent_rows
	.globl	xent_rows
	.p2align	8
	.type	xent_rows,@function
xent_rows:
	s_load_dword s30, s[0:1], 0x1c
	s_load_dwordx4 s[20:23], s[0:1], 0x0
	v_mov_b32_e32 v1, 0xff800000
	s_waitcnt lgkmcnt(0)
	s_ashr_i32 s3, s30, 31
	s_mul_hi_u32 s4, s30, s2
	s_mul_i32 s3, s3, s2
	s_add_i32 s5, s4, s3
	s_mul_i32 s4, s30, s2
	s_lshl_b64 s[24:25], s[4:5], 2
	s_add_u32 s18, s20, s24
	s_addc_u32 s19, s21, s25
	v_cmp_gt_i32_e32 vcc, s30, v0
	s_and_saveexec_b64 s[8:9], vcc
	s_cbranch_execz .LBB0_10
	v_xad_u32 v3, v0, -1, s30
	s_movk_i32 s3, 0x2ff
	v_cmp_lt_u32_e64 s[4:5], s3, v3
	s_mov_b64 s[12:13], -1
	v_mov_b32_e32 v1, 0xff800000
	v_mov_b32_e32 v2, v0
	s_and_saveexec_b64 s[10:11], s[4:5]
	s_cbranch_execz .LBB0_5
	v_lshrrev_b32_e32 v1, 8, v3
	v_add_u32_e32 v7, 1, v1
	v_or_b32_e32 v1, 0x100, v0
	v_and_b32_e32 v8, 0x1fffffe, v7
	s_mov_b32 s3, 2
	s_mov_b64 s[14:15], 0
	v_mov_b32_e32 v6, 0xff800000
	v_mov_b32_e32 v3, 0
	v_mov_b64_e32 v[4:5], v[0:1]
	v_mov_b32_e32 v1, 0xff800000
.LBB0_3:
	v_mov_b32_e32 v10, v5
	v_mov_b32_e32 v11, v3
	v_mov_b32_e32 v2, v4
	v_lshl_add_u64 v[10:11], v[10:11], 2, s[18:19]
	v_lshl_add_u64 v[12:13], v[2:3], 2, s[18:19]
	global_load_dword v14, v[10:11], off
	global_load_dword v15, v[12:13], off
	v_mov_b32_e32 v9, v1
	v_max_f32_e32 v1, v9, v9
	v_cmp_eq_u32_e64 s[4:5], s3, v8
	s_add_i32 s3, s3, 2
	v_mov_b32_e32 v2, v6
	v_max_f32_e32 v6, v2, v2
	v_add_u32_e32 v5, 0x200, v5
	v_add_u32_e32 v4, 0x200, v4
	v_mov_b32_e32 v10, s3
	s_waitcnt vmcnt(1)
	v_cmp_u_f32_e64 s[6:7], v14, v14
	v_max_f32_e32 v11, v14, v14
	s_nop 0
	v_cndmask_b32_e64 v13, 0, 1, s[6:7]
	s_waitcnt vmcnt(0)
	v_cmp_u_f32_e64 s[6:7], v15, v15
	v_max_f32_e32 v1, v1, v11
	v_lshlrev_b16_e32 v11, 1, v13
	v_cndmask_b32_e64 v14, 0, 1, s[6:7]
	v_bitop3_b16 v11, v14, 3, v11 bitop3:0xc8
	v_cmp_ne_u16_e64 s[6:7], 0, v11
	s_or_b64 s[4:5], s[6:7], s[4:5]
	s_and_b64 s[4:5], exec, s[4:5]
	s_or_b64 s[14:15], s[4:5], s[14:15]
	v_max_f32_e32 v12, v15, v15
	s_andn2_b64 s[4:5], s[12:13], exec
	s_and_b64 s[6:7], s[6:7], exec
	v_max_f32_e32 v6, v6, v12
	s_or_b64 s[12:13], s[4:5], s[6:7]
	s_andn2_b64 exec, exec, s[14:15]
	s_cbranch_execnz .LBB0_3
	s_or_b64 exec, exec, s[14:15]
	v_add_u32_e32 v3, -4, v10
	v_cndmask_b32_e64 v2, v6, v2, s[12:13]
	v_cndmask_b32_e64 v1, v1, v9, s[12:13]
	v_cmp_ne_u32_e64 s[4:5], v7, v8
	v_cndmask_b32_e64 v3, v8, v3, s[12:13]
	v_max_f32_e32 v1, v1, v1
	v_max_f32_e32 v2, v2, v2
	s_or_b64 s[4:5], s[4:5], s[12:13]
	v_max_f32_e32 v1, v2, v1
	v_lshl_or_b32 v2, v3, 8, v0
	s_orn2_b64 s[12:13], s[4:5], exec
.LBB0_5:
	s_or_b64 exec, exec, s[10:11]
	s_and_saveexec_b64 s[6:7], s[12:13]
	s_cbranch_execz .LBB0_9
	s_add_u32 s4, s20, s24
	v_mov_b32_e32 v3, 0
	s_addc_u32 s5, s21, s25
	v_lshl_add_u64 v[4:5], v[2:3], 2, s[4:5]
	s_mov_b64 s[10:11], 0
	s_mov_b64 s[12:13], 0x400
.LBB0_7:
	global_load_dword v3, v[4:5], off
	v_add_u32_e32 v2, 0x100, v2
	v_max_f32_e32 v1, v1, v1
	v_cmp_le_i32_e64 s[4:5], s30, v2
	v_lshl_add_u64 v[4:5], v[4:5], 0, s[12:13]
	s_or_b64 s[10:11], s[4:5], s[10:11]
	s_waitcnt vmcnt(0)
	v_max_f32_e32 v3, v3, v3
	v_max_f32_e32 v1, v1, v3
	s_andn2_b64 exec, exec, s[10:11]
	s_cbranch_execnz .LBB0_7
	s_or_b64 exec, exec, s[10:11]
.LBB0_9:
	s_or_b64 exec, exec, s[6:7]
.LBB0_10:
	s_or_b64 exec, exec, s[8:9]
	s_movk_i32 s3, 0x80
	v_lshlrev_b32_e32 v2, 2, v0
	v_cmp_gt_u32_e64 s[4:5], s3, v0
	ds_write_b32 v2, v1
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[6:7], s[4:5]
	s_cbranch_execz .LBB0_12
	ds_read2st64_b32 v[4:5], v2 offset1:2
	s_waitcnt lgkmcnt(0)
	v_max_f32_e32 v1, v5, v5
	v_max_f32_e32 v3, v4, v4
	v_max_f32_e32 v1, v3, v1
	ds_write_b32 v2, v1
.LBB0_12:
	s_or_b64 exec, exec, s[6:7]
	v_cmp_gt_u32_e64 s[6:7], 64, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[8:9], s[6:7]
	s_cbranch_execz .LBB0_14
	ds_read2st64_b32 v[4:5], v2 offset1:1
	s_waitcnt lgkmcnt(0)
	v_max_f32_e32 v1, v5, v5
	v_max_f32_e32 v3, v4, v4
	v_max_f32_e32 v1, v3, v1
	ds_write_b32 v2, v1
.LBB0_14:
	s_or_b64 exec, exec, s[8:9]
	v_cmp_gt_u32_e64 s[8:9], 32, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[10:11], s[8:9]
	s_cbranch_execz .LBB0_16
	ds_read2_b32 v[4:5], v2 offset1:32
	s_waitcnt lgkmcnt(0)
	v_max_f32_e32 v1, v5, v5
	v_max_f32_e32 v3, v4, v4
	v_max_f32_e32 v1, v3, v1
	ds_write_b32 v2, v1
.LBB0_16:
	s_or_b64 exec, exec, s[10:11]
	v_cmp_gt_u32_e64 s[10:11], 16, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execz .LBB0_18
	ds_read2_b32 v[4:5], v2 offset1:16
	s_waitcnt lgkmcnt(0)
	v_max_f32_e32 v1, v5, v5
	v_max_f32_e32 v3, v4, v4
	v_max_f32_e32 v1, v3, v1
	ds_write_b32 v2, v1
.LBB0_18:
	s_or_b64 exec, exec, s[12:13]
	v_cmp_gt_u32_e64 s[12:13], 8, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[14:15], s[12:13]
	s_cbranch_execz .LBB0_20
	ds_read2_b32 v[4:5], v2 offset1:8
	s_waitcnt lgkmcnt(0)
	v_max_f32_e32 v1, v5, v5
	v_max_f32_e32 v3, v4, v4
	v_max_f32_e32 v1, v3, v1
	ds_write_b32 v2, v1
.LBB0_20:
	s_or_b64 exec, exec, s[14:15]
	v_cmp_gt_u32_e64 s[14:15], 4, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[16:17], s[14:15]
	s_cbranch_execz .LBB0_22
	ds_read2_b32 v[4:5], v2 offset1:4
	s_waitcnt lgkmcnt(0)
	v_max_f32_e32 v1, v5, v5
	v_max_f32_e32 v3, v4, v4
	v_max_f32_e32 v1, v3, v1
	ds_write_b32 v2, v1
.LBB0_22:
	s_or_b64 exec, exec, s[16:17]
	v_cmp_gt_u32_e64 s[16:17], 2, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[26:27], s[16:17]
	s_cbranch_execz .LBB0_24
	ds_read2_b32 v[4:5], v2 offset1:2
	s_waitcnt lgkmcnt(0)
	v_max_f32_e32 v1, v5, v5
	v_max_f32_e32 v3, v4, v4
	v_max_f32_e32 v1, v3, v1
	ds_write_b32 v2, v1
.LBB0_24:
	s_or_b64 exec, exec, s[26:27]
	s_load_dwordx2 s[26:27], s[0:1], 0x10
	v_cmp_eq_u32_e64 s[0:1], 0, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[28:29], s[0:1]
	s_cbranch_execz .LBB0_26
	ds_read2_b32 v[4:5], v2 offset1:1
	s_waitcnt lgkmcnt(0)
	v_max_f32_e32 v1, v5, v5
	v_max_f32_e32 v3, v4, v4
	v_max_f32_e32 v1, v3, v1
	ds_write_b32 v2, v1
.LBB0_26:
	s_or_b64 exec, exec, s[28:29]
	v_mov_b32_e32 v3, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v1, v3
	s_mov_b32 s3, 0
	v_mov_b32_e32 v6, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[28:29], vcc
	s_cbranch_execz .LBB0_30
	s_add_u32 s20, s20, s24
	s_addc_u32 s21, s21, s25
	v_lshl_add_u64 v[4:5], s[20:21], 0, v[2:3]
	s_mov_b64 s[20:21], 0
	v_mov_b32_e32 v6, 0
	s_mov_b32 s31, 0x3fb8aa3b
	s_mov_b32 s33, 0xc2ce8ed0
	s_mov_b32 s34, 0x42b17218
	v_mov_b32_e32 v3, 0x7f800000
	s_mov_b64 s[24:25], 0x400
.LBB0_28:
	global_load_dword v7, v[4:5], off
	v_add_u32_e32 v0, 0x100, v0
	v_cmp_le_i32_e32 vcc, s30, v0
	s_or_b64 s[20:21], vcc, s[20:21]
	v_lshl_add_u64 v[4:5], v[4:5], 0, s[24:25]
	s_waitcnt vmcnt(0)
	v_sub_f32_e32 v7, v7, v1
	v_mul_f32_e32 v8, 0x3fb8aa3b, v7
	v_fma_f32 v9, v7, s31, -v8
	v_rndne_f32_e32 v10, v8
	v_fmac_f32_e32 v9, 0x32a5705f, v7
	v_sub_f32_e32 v8, v8, v10
	v_add_f32_e32 v8, v8, v9
	v_cvt_i32_f32_e32 v10, v10
	v_exp_f32_e32 v8, v8
	v_cmp_ngt_f32_e32 vcc, s33, v7
	v_ldexp_f32 v8, v8, v10
	s_nop 0
	v_cndmask_b32_e32 v8, 0, v8, vcc
	v_cmp_nlt_f32_e32 vcc, s34, v7
	s_nop 1
	v_cndmask_b32_e32 v7, v3, v8, vcc
	v_add_f32_e32 v6, v6, v7
	s_andn2_b64 exec, exec, s[20:21]
	s_cbranch_execnz .LBB0_28
	s_or_b64 exec, exec, s[20:21]
.LBB0_30:
	s_or_b64 exec, exec, s[28:29]
	ds_write_b32 v2, v6
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[20:21], s[4:5]
	s_cbranch_execz .LBB0_32
	ds_read2st64_b32 v[4:5], v2 offset1:2
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v5, v4
	ds_write_b32 v2, v0
.LBB0_32:
	s_or_b64 exec, exec, s[20:21]
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[4:5], s[6:7]
	s_cbranch_execz .LBB0_34
	ds_read2st64_b32 v[4:5], v2 offset1:1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v5, v4
	ds_write_b32 v2, v0
.LBB0_34:
	s_or_b64 exec, exec, s[4:5]
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[4:5], s[8:9]
	s_cbranch_execz .LBB0_36
	ds_read2_b32 v[4:5], v2 offset1:32
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v5, v4
	ds_write_b32 v2, v0
.LBB0_36:
	s_or_b64 exec, exec, s[4:5]
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[4:5], s[10:11]
	s_cbranch_execz .LBB0_38
	ds_read2_b32 v[4:5], v2 offset1:16
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v5, v4
	ds_write_b32 v2, v0
.LBB0_38:
	s_or_b64 exec, exec, s[4:5]
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[4:5], s[12:13]
	s_cbranch_execz .LBB0_40
	ds_read2_b32 v[4:5], v2 offset1:8
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v5, v4
	ds_write_b32 v2, v0
.LBB0_40:
	s_or_b64 exec, exec, s[4:5]
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[4:5], s[14:15]
	s_cbranch_execz .LBB0_42
	ds_read2_b32 v[4:5], v2 offset1:4
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v5, v4
	ds_write_b32 v2, v0
.LBB0_42:
	s_or_b64 exec, exec, s[4:5]
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[4:5], s[16:17]
	s_cbranch_execz .LBB0_44
	ds_read2_b32 v[4:5], v2 offset1:2
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v5, v4
	ds_write_b32 v2, v0
.LBB0_44:
	s_or_b64 exec, exec, s[4:5]
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[4:5], s[0:1]
	s_cbranch_execz .LBB0_46
	ds_read2_b32 v[4:5], v2 offset1:1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v5, v4
	ds_write_b32 v2, v0
.LBB0_46:
	s_or_b64 exec, exec, s[4:5]
	v_mov_b32_e32 v0, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v2, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[4:5], s[0:1]
	s_cbranch_execz .LBB0_48
	s_mov_b32 s0, 0x800000
	v_cmp_gt_f32_e32 vcc, s0, v2
	s_and_b64 s[0:1], vcc, exec
	s_cselect_b32 s0, 32, 0
	v_ldexp_f32 v2, v2, s0
	s_lshl_b64 s[0:1], s[2:3], 3
	s_add_u32 s0, s22, s0
	s_addc_u32 s1, s23, s1
	s_load_dwordx2 s[0:1], s[0:1], 0x0
	v_log_f32_e32 v2, v2
	s_mov_b32 s4, 0x3f317217
	v_mov_b32_e32 v3, 0x41b17218
	v_cndmask_b32_e32 v3, 0, v3, vcc
	s_waitcnt lgkmcnt(0)
	s_lshl_b64 s[0:1], s[0:1], 2
	v_mul_f32_e32 v4, 0x3f317217, v2
	s_add_u32 s0, s18, s0
	v_fma_f32 v5, v2, s4, -v4
	s_addc_u32 s1, s19, s1
	v_fmamk_f32 v5, v2, 0x3377d1cf, v5
	s_mov_b32 s4, 0x7f800000
	s_load_dword s0, s[0:1], 0x0
	v_add_f32_e32 v4, v4, v5
	v_cmp_lt_f32_e64 vcc, |v2|, s4
	s_nop 1
	v_cndmask_b32_e32 v2, v2, v4, vcc
	v_sub_f32_e32 v2, v2, v3
	v_add_f32_e32 v1, v1, v2
	s_waitcnt lgkmcnt(0)
	v_subrev_f32_e32 v1, s0, v1
	s_lshl_b64 s[0:1], s[2:3], 2
	s_add_u32 s0, s26, s0
	s_addc_u32 s1, s27, s1
	global_store_dword v0, v1, s[0:1]
.LBB0_48:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel xent_rows
		.amdhsa_group_segment_fixed_size 1024
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 32
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
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 35
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
	.size	xent_rows, .Lfunc_end0-xent_rows
	.set xent_rows.num_vgpr, 16
	.set xent_rows.num_agpr, 0
	.set xent_rows.numbered_sgpr, 35
	.set xent_rows.num_named_barrier, 0
	.set xent_rows.private_seg_size, 0
	.set xent_rows.uses_vcc, 1
	.set xent_rows.uses_flat_scratch, 0
	.set xent_rows.has_dyn_sized_stack, 0
	.set xent_rows.has_recursion, 0
	.set xent_rows.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	mean_final
	.globl	mean_final
	.p2align	8
	.type	mean_final,@function
mean_final:
	s_load_dword s8, s[0:1], 0x10
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v1, 0
	v_lshlrev_b32_e32 v2, 2, v0
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_i32_e32 vcc, s8, v0
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_4
	v_lshl_add_u64 v[4:5], s[4:5], 0, v[2:3]
	s_mov_b64 s[2:3], 0
	v_mov_b32_e32 v1, 0
	s_mov_b64 s[4:5], 0x400
	v_mov_b32_e32 v3, v0
.LBB1_2:
	global_load_dword v6, v[4:5], off
	v_add_u32_e32 v3, 0x100, v3
	v_cmp_le_i32_e32 vcc, s8, v3
	v_lshl_add_u64 v[4:5], v[4:5], 0, s[4:5]
	s_or_b64 s[2:3], vcc, s[2:3]
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v1, v1, v6
	s_andn2_b64 exec, exec, s[2:3]
	s_cbranch_execnz .LBB1_2
	s_or_b64 exec, exec, s[2:3]
.LBB1_4:
	s_or_b64 exec, exec, s[0:1]
	s_movk_i32 s0, 0x80
	v_cmp_gt_u32_e32 vcc, s0, v0
	ds_write_b32 v2, v1
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_6
	ds_read2st64_b32 v[4:5], v2 offset1:2
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v5, v4
	ds_write_b32 v2, v1
.LBB1_6:
	s_or_b64 exec, exec, s[0:1]
	v_cmp_gt_u32_e32 vcc, 64, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_8
	ds_read2st64_b32 v[4:5], v2 offset1:1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v5, v4
	ds_write_b32 v2, v1
.LBB1_8:
	s_or_b64 exec, exec, s[0:1]
	v_cmp_gt_u32_e32 vcc, 32, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_10
	ds_read2_b32 v[4:5], v2 offset1:32
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v5, v4
	ds_write_b32 v2, v1
.LBB1_10:
	s_or_b64 exec, exec, s[0:1]
	v_cmp_gt_u32_e32 vcc, 16, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_12
	ds_read2_b32 v[4:5], v2 offset1:16
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v5, v4
	ds_write_b32 v2, v1
.LBB1_12:
	s_or_b64 exec, exec, s[0:1]
	v_cmp_gt_u32_e32 vcc, 8, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_14
	ds_read2_b32 v[4:5], v2 offset1:8
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v5, v4
	ds_write_b32 v2, v1
.LBB1_14:
	s_or_b64 exec, exec, s[0:1]
	v_cmp_gt_u32_e32 vcc, 4, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_16
	ds_read2_b32 v[4:5], v2 offset1:4
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v5, v4
	ds_write_b32 v2, v1
.LBB1_16:
	s_or_b64 exec, exec, s[0:1]
	v_cmp_gt_u32_e32 vcc, 2, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_18
	ds_read2_b32 v[4:5], v2 offset1:2
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v5, v4
	ds_write_b32 v2, v1
.LBB1_18:
	s_or_b64 exec, exec, s[0:1]
	v_cmp_eq_u32_e32 vcc, 0, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_20
	ds_read2_b32 v[0:1], v2 offset1:1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v1, v0
	ds_write_b32 v2, v0
.LBB1_20:
	s_or_b64 exec, exec, s[0:1]
	v_mov_b32_e32 v0, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v1, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_22
	v_cvt_f32_i32_e32 v2, s8
	v_div_scale_f32 v3, s[0:1], v2, v2, v1
	v_rcp_f32_e32 v4, v3
	v_div_scale_f32 v5, vcc, v1, v2, v1
	v_fma_f32 v6, -v3, v4, 1.0
	v_fmac_f32_e32 v4, v6, v4
	v_mul_f32_e32 v6, v5, v4
	v_fma_f32 v7, -v3, v6, v5
	v_fmac_f32_e32 v6, v7, v4
	v_fma_f32 v3, -v3, v6, v5
	v_div_fmas_f32 v3, v3, v4, v6
	v_div_fixup_f32 v1, v3, v2, v1
	global_store_dword v0, v1, s[6:7]
.LBB1_22:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel mean_final
		.amdhsa_group_segment_fixed_size 1024
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 20
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
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 9
		.amdhsa_accum_offset 8
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
.Lfunc_end1:
	.size	mean_final, .Lfunc_end1-mean_final
	.set mean_final.num_vgpr, 8
	.set mean_final.num_agpr, 0
	.set mean_final.numbered_sgpr, 9
	.set mean_final.num_named_barrier, 0
	.set mean_final.private_seg_size, 0
	.set mean_final.uses_vcc, 1
	.set mean_final.uses_flat_scratch, 0
	.set mean_final.has_dyn_sized_stack, 0
	.set mean_final.has_recursion, 0
	.set mean_final.has_indirect_call, 0
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
    .group_segment_fixed_size: 1024
    .kernarg_segment_align: 8
    .kernarg_segment_size: 32
    .max_flat_workgroup_size: 256
    .name:           xent_rows
    .private_segment_fixed_size: 0
    .sgpr_count:     41
    .sgpr_spill_count: 0
    .symbol:         xent_rows.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     16
    .vgpr_spill_count: 0
    .wavefront_size: 64
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
    .group_segment_fixed_size: 1024
    .kernarg_segment_align: 8
    .kernarg_segment_size: 20
    .max_flat_workgroup_size: 256
    .name:           mean_final
    .private_segment_fixed_size: 0
    .sgpr_count:     15
    .sgpr_spill_count: 0
    .symbol:         mean_final.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     8
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx950
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
