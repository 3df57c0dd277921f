; clang 22.1.8 -O3 --offload-arch=gfx950 l1_042_maxpool2d.hip (kernels/build.py)
	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.protected	maxpool2d
	.globl	maxpool2d
	.p2align	8
	.type	maxpool2d,@function
maxpool2d:
	s_load_dwordx4 s[8:11], s[0:1], 0x10
	v_lshl_or_b32 v0, s2, 8, v0
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_i32_e32 vcc, s8, v0
	s_and_saveexec_b64 s[2:3], vcc
	s_cbranch_execz .LBB0_66
	s_add_i32 s2, s10, -1
	s_abs_i32 s3, s2
	v_cvt_f32_u32_e32 v1, s3
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_sub_i32 s0, 0, s3
	v_sub_u32_e32 v2, 0, v0
	v_rcp_iflag_f32_e32 v1, v1
	v_max_i32_e32 v4, v2, v0
	v_xor_b32_e32 v3, s2, v0
	v_ashrrev_i32_e32 v5, 31, v3
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v2, s4
	v_mov_b32_e32 v3, s5
	v_mul_lo_u32 v6, s0, v1
	v_mul_hi_u32 v6, v1, v6
	v_add_u32_e32 v1, v1, v6
	v_mul_hi_u32 v1, v4, v1
	v_mul_lo_u32 v6, v1, s3
	v_sub_u32_e32 v4, v4, v6
	v_cmp_le_u32_e32 vcc, s3, v4
	v_subrev_u32_e32 v6, s3, v4
	s_add_i32 s0, s9, -1
	v_add_u32_e32 v7, 1, v1
	v_cndmask_b32_e32 v4, v4, v6, vcc
	s_abs_i32 s1, s0
	v_cndmask_b32_e32 v1, v1, v7, vcc
	v_cmp_le_u32_e32 vcc, s3, v4
	v_cvt_f32_u32_e32 v4, s1
	v_add_u32_e32 v6, 1, v1
	v_cndmask_b32_e32 v1, v1, v6, vcc
	v_xor_b32_e32 v1, v1, v5
	v_rcp_iflag_f32_e32 v4, v4
	v_sub_u32_e32 v5, v1, v5
	v_mul_lo_u32 v1, v5, s2
	s_sub_i32 s2, 0, s1
	v_mul_f32_e32 v4, 0x4f7ffffe, v4
	v_cvt_u32_f32_e32 v4, v4
	v_sub_u32_e32 v7, 0, v5
	v_max_i32_e32 v7, v7, v5
	v_xor_b32_e32 v6, s0, v5
	v_mul_lo_u32 v8, s2, v4
	v_mul_hi_u32 v8, v4, v8
	v_add_u32_e32 v4, v4, v8
	v_mul_hi_u32 v4, v7, v4
	v_mul_lo_u32 v8, v4, s1
	v_sub_u32_e32 v7, v7, v8
	v_add_u32_e32 v8, 1, v4
	v_cmp_le_u32_e32 vcc, s1, v7
	v_ashrrev_i32_e32 v6, 31, v6
	v_sub_u32_e32 v1, v0, v1
	v_cndmask_b32_e32 v4, v4, v8, vcc
	v_subrev_u32_e32 v8, s1, v7
	v_cndmask_b32_e32 v7, v7, v8, vcc
	v_add_u32_e32 v8, 1, v4
	v_cmp_le_u32_e32 vcc, s1, v7
	s_mul_i32 s1, s10, s9
	s_nop 0
	v_cndmask_b32_e32 v4, v4, v8, vcc
	v_xor_b32_e32 v4, v4, v6
	v_sub_u32_e32 v4, v4, v6
	v_mul_lo_u32 v6, v4, s0
	v_sub_u32_e32 v8, v5, v6
	v_ashrrev_i32_e32 v5, 31, v4
	s_mul_hi_i32 s0, s10, s9
	v_mul_lo_u32 v6, s1, v5
	v_mul_lo_u32 v7, s0, v4
	v_mad_u64_u32 v[4:5], s[0:1], s1, v4, 0
	v_add3_u32 v5, v5, v6, v7
	v_lshl_add_u64 v[2:3], v[4:5], 2, v[2:3]
	v_add_u32_e32 v4, -1, v8
	v_add_u32_e32 v5, -1, v1
	v_cmp_lt_i32_e64 s[0:1], 0, v8
	v_cmp_ge_i32_e32 vcc, s9, v8
	v_mul_lo_u32 v9, v4, s10
	v_mov_b32_e32 v4, 0xff800000
	s_and_saveexec_b64 s[12:13], s[0:1]
	s_cbranch_execnz .LBB0_5
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[0:1]
	s_cbranch_execnz .LBB0_8
.LBB0_3:
	s_or_b64 exec, exec, s[12:13]
	v_add_u32_e32 v6, 1, v1
	s_and_saveexec_b64 s[12:13], s[0:1]
	s_cbranch_execnz .LBB0_11
.LBB0_4:
	s_or_b64 exec, exec, s[12:13]
	v_add_u32_e32 v7, 2, v1
	s_and_saveexec_b64 s[4:5], s[0:1]
	s_cbranch_execnz .LBB0_14
	s_branch .LBB0_17
.LBB0_5:
	v_cmp_lt_i32_e64 s[2:3], 0, v1
	v_cmp_ge_i32_e64 s[4:5], s10, v1
	s_and_b64 s[2:3], s[2:3], s[4:5]
	s_and_b64 s[4:5], vcc, s[2:3]
	v_mov_b32_e32 v4, 0xff800000
	s_and_saveexec_b64 s[2:3], s[4:5]
	s_cbranch_execz .LBB0_7
	v_add_u32_e32 v6, v5, v9
	v_mov_b32_e32 v7, 0
	v_lshl_add_u64 v[6:7], v[6:7], 2, v[2:3]
	global_load_dword v4, v[6:7], off
	s_waitcnt vmcnt(0)
	v_max_f32_e32 v4, v4, v4
	v_max_f32_e32 v4, 0xff800000, v4
.LBB0_7:
	s_or_b64 exec, exec, s[2:3]
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[0:1]
	s_cbranch_execz .LBB0_3
.LBB0_8:
	v_cmp_lt_i32_e64 s[2:3], -1, v1
	v_cmp_gt_i32_e64 s[4:5], s10, v1
	s_and_b64 s[2:3], s[2:3], s[4:5]
	s_and_b64 s[4:5], vcc, s[2:3]
	s_and_saveexec_b64 s[2:3], s[4:5]
	s_cbranch_execz .LBB0_10
	v_add_u32_e32 v6, v1, v9
	v_mov_b32_e32 v7, 0
	v_lshl_add_u64 v[6:7], v[6:7], 2, v[2:3]
	global_load_dword v6, v[6:7], off
	v_max_f32_e32 v4, v4, v4
	s_waitcnt vmcnt(0)
	v_max_f32_e32 v6, v6, v6
	v_max_f32_e32 v4, v4, v6
.LBB0_10:
	s_or_b64 exec, exec, s[2:3]
	s_or_b64 exec, exec, s[12:13]
	v_add_u32_e32 v6, 1, v1
	s_and_saveexec_b64 s[12:13], s[0:1]
	s_cbranch_execz .LBB0_4
.LBB0_11:
	v_cmp_lt_i32_e64 s[2:3], -2, v1
	v_cmp_gt_i32_e64 s[4:5], s10, v6
	s_and_b64 s[2:3], s[2:3], s[4:5]
	s_and_b64 s[4:5], vcc, s[2:3]
	s_and_saveexec_b64 s[2:3], s[4:5]
	s_cbranch_execz .LBB0_13
	v_add_u32_e32 v10, v6, v9
	v_mov_b32_e32 v11, 0
	v_lshl_add_u64 v[10:11], v[10:11], 2, v[2:3]
	global_load_dword v7, v[10:11], off
	v_max_f32_e32 v4, v4, v4
	s_waitcnt vmcnt(0)
	v_max_f32_e32 v7, v7, v7
	v_max_f32_e32 v4, v4, v7
.LBB0_13:
	s_or_b64 exec, exec, s[2:3]
	s_or_b64 exec, exec, s[12:13]
	v_add_u32_e32 v7, 2, v1
	s_and_saveexec_b64 s[4:5], s[0:1]
	s_cbranch_execz .LBB0_17
.LBB0_14:
	v_cmp_lt_i32_e64 s[0:1], -3, v1
	v_cmp_gt_i32_e64 s[2:3], s10, v7
	s_and_b64 s[0:1], s[0:1], s[2:3]
	s_and_b64 s[2:3], vcc, s[0:1]
	s_and_saveexec_b64 s[0:1], s[2:3]
	s_cbranch_execz .LBB0_16
	v_add_u32_e32 v10, v7, v9
	v_mov_b32_e32 v11, 0
	v_lshl_add_u64 v[10:11], v[10:11], 2, v[2:3]
	global_load_dword v9, v[10:11], off
	v_max_f32_e32 v4, v4, v4
	s_waitcnt vmcnt(0)
	v_max_f32_e32 v9, v9, v9
	v_max_f32_e32 v4, v4, v9
.LBB0_16:
	s_or_b64 exec, exec, s[0:1]
.LBB0_17:
	s_or_b64 exec, exec, s[4:5]
	v_cmp_lt_i32_e64 s[0:1], -1, v8
	v_cmp_gt_i32_e32 vcc, s9, v8
	v_mul_lo_u32 v9, v8, s10
	s_and_saveexec_b64 s[12:13], s[0:1]
	s_cbranch_execnz .LBB0_21
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[0:1]
	s_cbranch_execnz .LBB0_24
.LBB0_19:
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[0:1]
	s_cbranch_execnz .LBB0_27
.LBB0_20:
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[4:5], s[0:1]
	s_cbranch_execnz .LBB0_30
	s_branch .LBB0_33
.LBB0_21:
	v_cmp_lt_i32_e64 s[2:3], 0, v1
	v_cmp_ge_i32_e64 s[4:5], s10, v1
	s_and_b64 s[2:3], s[2:3], s[4:5]
	s_and_b64 s[4:5], vcc, s[2:3]
	s_and_saveexec_b64 s[2:3], s[4:5]
	s_cbranch_execz .LBB0_23
	v_add_u32_e32 v10, v5, v9
	v_mov_b32_e32 v11, 0
	v_lshl_add_u64 v[10:11], v[10:11], 2, v[2:3]
	global_load_dword v10, v[10:11], off
	v_max_f32_e32 v4, v4, v4
	s_waitcnt vmcnt(0)
	v_max_f32_e32 v10, v10, v10
	v_max_f32_e32 v4, v4, v10
.LBB0_23:
	s_or_b64 exec, exec, s[2:3]
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[0:1]
	s_cbranch_execz .LBB0_19
.LBB0_24:
	v_cmp_lt_i32_e64 s[2:3], -1, v1
	v_cmp_gt_i32_e64 s[4:5], s10, v1
	s_and_b64 s[2:3], s[2:3], s[4:5]
	s_and_b64 s[4:5], vcc, s[2:3]
	s_and_saveexec_b64 s[2:3], s[4:5]
	s_cbranch_execz .LBB0_26
	v_add_u32_e32 v10, v1, v9
	v_mov_b32_e32 v11, 0
	v_lshl_add_u64 v[10:11], v[10:11], 2, v[2:3]
	global_load_dword v10, v[10:11], off
	v_max_f32_e32 v4, v4, v4
	s_waitcnt vmcnt(0)
	v_max_f32_e32 v10, v10, v10
	v_max_f32_e32 v4, v4, v10
.LBB0_26:
	s_or_b64 exec, exec, s[2:3]
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[0:1]
	s_cbranch_execz .LBB0_20
.LBB0_27:
	v_cmp_lt_i32_e64 s[2:3], -2, v1
	v_cmp_gt_i32_e64 s[4:5], s10, v6
	s_and_b64 s[2:3], s[2:3], s[4:5]
	s_and_b64 s[4:5], vcc, s[2:3]
	s_and_saveexec_b64 s[2:3], s[4:5]
	s_cbranch_execz .LBB0_29
	v_add_u32_e32 v10, v6, v9
	v_mov_b32_e32 v11, 0
	v_lshl_add_u64 v[10:11], v[10:11], 2, v[2:3]
	global_load_dword v10, v[10:11], off
	v_max_f32_e32 v4, v4, v4
	s_waitcnt vmcnt(0)
	v_max_f32_e32 v10, v10, v10
	v_max_f32_e32 v4, v4, v10
.LBB0_29:
	s_or_b64 exec, exec, s[2:3]
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[4:5], s[0:1]
	s_cbranch_execz .LBB0_33
.LBB0_30:
	v_cmp_lt_i32_e64 s[0:1], -3, v1
	v_cmp_gt_i32_e64 s[2:3], s10, v7
	s_and_b64 s[0:1], s[0:1], s[2:3]
	s_and_b64 s[2:3], vcc, s[0:1]
	s_and_saveexec_b64 s[0:1], s[2:3]
	s_cbranch_execz .LBB0_32
	v_add_u32_e32 v10, v7, v9
	v_mov_b32_e32 v11, 0
	v_lshl_add_u64 v[10:11], v[10:11], 2, v[2:3]
	global_load_dword v10, v[10:11], off
	v_max_f32_e32 v4, v4, v4
	s_waitcnt vmcnt(0)
	v_max_f32_e32 v10, v10, v10
	v_max_f32_e32 v4, v4, v10
.LBB0_32:
	s_or_b64 exec, exec, s[0:1]
.LBB0_33:
	s_or_b64 exec, exec, s[4:5]
	v_add_u32_e32 v10, 1, v8
	v_cmp_lt_i32_e64 s[0:1], -2, v8
	v_cmp_gt_i32_e32 vcc, s9, v10
	v_add_u32_e32 v9, s10, v9
	s_and_saveexec_b64 s[12:13], s[0:1]
	s_cbranch_execnz .LBB0_37
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[0:1]
	s_cbranch_execnz .LBB0_40
.LBB0_35:
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[0:1]
	s_cbranch_execnz .LBB0_43
.LBB0_36:
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[4:5], s[0:1]
	s_cbranch_execnz .LBB0_46
	s_branch .LBB0_49
.LBB0_37:
	v_cmp_lt_i32_e64 s[2:3], 0, v1
	v_cmp_ge_i32_e64 s[4:5], s10, v1
	s_and_b64 s[2:3], s[2:3], s[4:5]
	s_and_b64 s[4:5], vcc, s[2:3]
	s_and_saveexec_b64 s[2:3], s[4:5]
	s_cbranch_execz .LBB0_39
	v_add_u32_e32 v10, v5, v9
	v_mov_b32_e32 v11, 0
	v_lshl_add_u64 v[10:11], v[10:11], 2, v[2:3]
	global_load_dword v10, v[10:11], off
	v_max_f32_e32 v4, v4, v4
	s_waitcnt vmcnt(0)
	v_max_f32_e32 v10, v10, v10
	v_max_f32_e32 v4, v4, v10
.LBB0_39:
	s_or_b64 exec, exec, s[2:3]
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[0:1]
	s_cbranch_execz .LBB0_35
.LBB0_40:
	v_cmp_lt_i32_e64 s[2:3], -1, v1
	v_cmp_gt_i32_e64 s[4:5], s10, v1
	s_and_b64 s[2:3], s[2:3], s[4:5]
	s_and_b64 s[4:5], vcc, s[2:3]
	s_and_saveexec_b64 s[2:3], s[4:5]
	s_cbranch_execz .LBB0_42
	v_add_u32_e32 v10, v1, v9
	v_mov_b32_e32 v11, 0
	v_lshl_add_u64 v[10:11], v[10:11], 2, v[2:3]
	global_load_dword v10, v[10:11], off
	v_max_f32_e32 v4, v4, v4
	s_waitcnt vmcnt(0)
	v_max_f32_e32 v10, v10, v10
	v_max_f32_e32 v4, v4, v10
.LBB0_42:
	s_or_b64 exec, exec, s[2:3]
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[0:1]
	s_cbranch_execz .LBB0_36
.LBB0_43:
	v_cmp_lt_i32_e64 s[2:3], -2, v1
	v_cmp_gt_i32_e64 s[4:5], s10, v6
	s_and_b64 s[2:3], s[2:3], s[4:5]
	s_and_b64 s[4:5], vcc, s[2:3]
	s_and_saveexec_b64 s[2:3], s[4:5]
	s_cbranch_execz .LBB0_45
	v_add_u32_e32 v10, v6, v9
	v_mov_b32_e32 v11, 0
	v_lshl_add_u64 v[10:11], v[10:11], 2, v[2:3]
	global_load_dword v10, v[10:11], off
	v_max_f32_e32 v4, v4, v4
	s_waitcnt vmcnt(0)
	v_max_f32_e32 v10, v10, v10
	v_max_f32_e32 v4, v4, v10
.LBB0_45:
	s_or_b64 exec, exec, s[2:3]
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[4:5], s[0:1]
	s_cbranch_execz .LBB0_49
.LBB0_46:
	v_cmp_lt_i32_e64 s[0:1], -3, v1
	v_cmp_gt_i32_e64 s[2:3], s10, v7
	s_and_b64 s[0:1], s[0:1], s[2:3]
	s_and_b64 s[2:3], vcc, s[0:1]
	s_and_saveexec_b64 s[0:1], s[2:3]
	s_cbranch_execz .LBB0_48
	v_add_u32_e32 v10, v7, v9
	v_mov_b32_e32 v11, 0
	v_lshl_add_u64 v[10:11], v[10:11], 2, v[2:3]
	global_load_dword v10, v[10:11], off
	v_max_f32_e32 v4, v4, v4
	s_waitcnt vmcnt(0)
	v_max_f32_e32 v10, v10, v10
	v_max_f32_e32 v4, v4, v10
.LBB0_48:
	s_or_b64 exec, exec, s[0:1]
.LBB0_49:
	s_or_b64 exec, exec, s[4:5]
	v_add_u32_e32 v10, 2, v8
	v_cmp_lt_i32_e64 s[0:1], -3, v8
	v_cmp_gt_i32_e32 vcc, s9, v10
	v_add_u32_e32 v8, s10, v9
	s_and_saveexec_b64 s[8:9], s[0:1]
	s_cbranch_execnz .LBB0_53
	s_or_b64 exec, exec, s[8:9]
	s_and_saveexec_b64 s[8:9], s[0:1]
	s_cbranch_execnz .LBB0_56
.LBB0_51:
	s_or_b64 exec, exec, s[8:9]
	s_and_saveexec_b64 s[8:9], s[0:1]
	s_cbranch_execnz .LBB0_59
.LBB0_52:
	s_or_b64 exec, exec, s[8:9]
	s_and_saveexec_b64 s[4:5], s[0:1]
	s_cbranch_execnz .LBB0_62
	s_branch .LBB0_65
.LBB0_53:
	v_cmp_lt_i32_e64 s[2:3], 0, v1
	v_cmp_ge_i32_e64 s[4:5], s10, v1
	s_and_b64 s[2:3], s[2:3], s[4:5]
	s_and_b64 s[4:5], vcc, s[2:3]
	s_and_saveexec_b64 s[2:3], s[4:5]
	s_cbranch_execz .LBB0_55
	v_add_u32_e32 v10, v5, v8
	v_mov_b32_e32 v11, 0
	v_lshl_add_u64 v[10:11], v[10:11], 2, v[2:3]
	global_load_dword v5, v[10:11], off
	v_max_f32_e32 v4, v4, v4
	s_waitcnt vmcnt(0)
	v_max_f32_e32 v5, v5, v5
	v_max_f32_e32 v4, v4, v5
.LBB0_55:
	s_or_b64 exec, exec, s[2:3]
	s_or_b64 exec, exec, s[8:9]
	s_and_saveexec_b64 s[8:9], s[0:1]
	s_cbranch_execz .LBB0_51
.LBB0_56:
	v_cmp_lt_i32_e64 s[2:3], -1, v1
	v_cmp_gt_i32_e64 s[4:5], s10, v1
	s_and_b64 s[2:3], s[2:3], s[4:5]
	s_and_b64 s[4:5], vcc, s[2:3]
	s_and_saveexec_b64 s[2:3], s[4:5]
	s_cbranch_execz .LBB0_58
	v_add_u32_e32 v10, v1, v8
	v_mov_b32_e32 v11, 0
	v_lshl_add_u64 v[10:11], v[10:11], 2, v[2:3]
	global_load_dword v5, v[10:11], off
	v_max_f32_e32 v4, v4, v4
	s_waitcnt vmcnt(0)
	v_max_f32_e32 v5, v5, v5
	v_max_f32_e32 v4, v4, v5
.LBB0_58:
	s_or_b64 exec, exec, s[2:3]
	s_or_b64 exec, exec, s[8:9]
	s_and_saveexec_b64 s[8:9], s[0:1]
	s_cbranch_execz .LBB0_52
.LBB0_59:
	v_cmp_lt_i32_e64 s[2:3], -2, v1
	v_cmp_gt_i32_e64 s[4:5], s10, v6
	s_and_b64 s[2:3], s[2:3], s[4:5]
	s_and_b64 s[4:5], vcc, s[2:3]
	s_and_saveexec_b64 s[2:3], s[4:5]
	s_cbranch_execz .LBB0_61
	v_add_u32_e32 v10, v6, v8
	v_mov_b32_e32 v11, 0
	v_lshl_add_u64 v[10:11], v[10:11], 2, v[2:3]
	global_load_dword v5, v[10:11], off
	v_max_f32_e32 v4, v4, v4
	s_waitcnt vmcnt(0)
	v_max_f32_e32 v5, v5, v5
	v_max_f32_e32 v4, v4, v5
.LBB0_61:
	s_or_b64 exec, exec, s[2:3]
	s_or_b64 exec, exec, s[8:9]
	s_and_saveexec_b64 s[4:5], s[0:1]
	s_cbranch_execz .LBB0_65
.LBB0_62:
	v_cmp_lt_i32_e64 s[0:1], -3, v1
	v_cmp_gt_i32_e64 s[2:3], s10, v7
	s_and_b64 s[0:1], s[0:1], s[2:3]
	s_and_b64 s[2:3], vcc, s[0:1]
	s_and_saveexec_b64 s[0:1], s[2:3]
	s_cbranch_execz .LBB0_64
	v_add_u32_e32 v6, v7, v8
	v_mov_b32_e32 v7, 0
	v_lshl_add_u64 v[2:3], v[6:7], 2, v[2:3]
	global_load_dword v1, v[2:3], off
	v_max_f32_e32 v2, v4, v4
	s_waitcnt vmcnt(0)
	v_max_f32_e32 v1, v1, v1
	v_max_f32_e32 v4, v2, v1
.LBB0_64:
	s_or_b64 exec, exec, s[0:1]
.LBB0_65:
	s_or_b64 exec, exec, s[4:5]
	v_mov_b32_e32 v2, s6
	v_mov_b32_e32 v3, s7
	v_ashrrev_i32_e32 v1, 31, v0
	v_lshl_add_u64 v[0:1], v[0:1], 2, v[2:3]
	global_store_dword v[0:1], v4, off
.LBB0_66:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel maxpool2d
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
		.amdhsa_next_free_vgpr 12
		.amdhsa_next_free_sgpr 14
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
	.size	maxpool2d, .Lfunc_end0-maxpool2d
	.set maxpool2d.num_vgpr, 12
	.set maxpool2d.num_agpr, 0
	.set maxpool2d.numbered_sgpr, 14
	.set maxpool2d.num_named_barrier, 0
	.set maxpool2d.private_seg_size, 0
	.set maxpool2d.uses_vcc, 1
	.set maxpool2d.uses_flat_scratch, 0
	.set maxpool2d.has_dyn_sized_stack, 0
	.set maxpool2d.has_recursion, 0
	.set maxpool2d.has_indirect_call, 0
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
    .name:           maxpool2d
    .private_segment_fixed_size: 0
    .sgpr_count:     20
    .sgpr_spill_count: 0
    .symbol:         maxpool2d.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     12
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx950
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
