; clang 22.1.8 -O3 --offload-arch=gfx1201 calls.hip (kernels/build.py)
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1201"
	.amdhsa_code_object_version 6
	.text
	.p2align	2
	.type	_ZL6op_addii,@function
_ZL6op_addii:
	s_wait_loadcnt_dscnt 0x0
	s_wait_expcnt 0x0
	s_wait_samplecnt 0x0
	s_wait_bvhcnt 0x0
	s_wait_kmcnt 0x0
	v_add_nc_u32_e32 v0, v1, v0
	s_setpc_b64 s[30:31]
.Lfunc_end0:
	.size	_ZL6op_addii, .Lfunc_end0-_ZL6op_addii
	.set .L_ZL6op_addii.num_vgpr, 2
	.set .L_ZL6op_addii.num_agpr, 0
	.set .L_ZL6op_addii.numbered_sgpr, 32
	.set .L_ZL6op_addii.num_named_barrier, 0
	.set .L_ZL6op_addii.private_seg_size, 0
	.set .L_ZL6op_addii.uses_vcc, 0
	.set .L_ZL6op_addii.uses_flat_scratch, 0
	.set .L_ZL6op_addii.has_dyn_sized_stack, 0
	.set .L_ZL6op_addii.has_recursion, 0
	.set .L_ZL6op_addii.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.p2align	2
	.type	_ZL6op_mixii,@function
_ZL6op_mixii:
	s_wait_loadcnt_dscnt 0x0
	s_wait_expcnt 0x0
	s_wait_samplecnt 0x0
	s_wait_bvhcnt 0x0
	s_wait_kmcnt 0x0
	v_mul_lo_u32 v2, v0, 31
	s_delay_alu instid0(VALU_DEP_1)
	v_xad_u32 v0, v1, v0, v2
	s_setpc_b64 s[30:31]
.Lfunc_end1:
	.size	_ZL6op_mixii, .Lfunc_end1-_ZL6op_mixii
	.set .L_ZL6op_mixii.num_vgpr, 3
	.set .L_ZL6op_mixii.num_agpr, 0
	.set .L_ZL6op_mixii.numbered_sgpr, 32
	.set .L_ZL6op_mixii.num_named_barrier, 0
	.set .L_ZL6op_mixii.private_seg_size, 0
	.set .L_ZL6op_mixii.uses_vcc, 0
	.set .L_ZL6op_mixii.uses_flat_scratch, 0
	.set .L_ZL6op_mixii.has_dyn_sized_stack, 0
	.set .L_ZL6op_mixii.has_recursion, 0
	.set .L_ZL6op_mixii.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.p2align	2
	.type	_ZL9op_weightii,@function
_ZL9op_weightii:
	s_wait_loadcnt_dscnt 0x0
	s_wait_expcnt 0x0
	s_wait_samplecnt 0x0
	s_wait_bvhcnt 0x0
	s_wait_kmcnt 0x0
	v_and_b32_e32 v1, 7, v1
	s_getpc_b64 s[0:1]
	s_wait_alu depctr_sa_sdst(0)
	s_sext_i32_i16 s1, s1
	s_add_co_u32 s0, s0, weights@rel32@lo+12
	s_wait_alu depctr_sa_sdst(0)
	s_add_co_ci_u32 s1, s1, weights@rel32@hi+24
	v_lshlrev_b32_e32 v1, 2, v1
	global_load_b32 v1, v1, s[0:1]
	s_wait_loadcnt 0x0
	v_add_nc_u32_e32 v0, v1, v0
	s_wait_alu depctr_sa_sdst(0)
	s_setpc_b64 s[30:31]
.Lfunc_end2:
	.size	_ZL9op_weightii, .Lfunc_end2-_ZL9op_weightii
	.set .L_ZL9op_weightii.num_vgpr, 2
	.set .L_ZL9op_weightii.num_agpr, 0
	.set .L_ZL9op_weightii.numbered_sgpr, 32
	.set .L_ZL9op_weightii.num_named_barrier, 0
	.set .L_ZL9op_weightii.private_seg_size, 0
	.set .L_ZL9op_weightii.uses_vcc, 0
	.set .L_ZL9op_weightii.uses_flat_scratch, 0
	.set .L_ZL9op_weightii.has_dyn_sized_stack, 0
	.set .L_ZL9op_weightii.has_recursion, 0
	.set .L_ZL9op_weightii.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.p2align	2
	.type	_ZL8op_stepsii,@function
_ZL8op_stepsii:
	s_wait_loadcnt_dscnt 0x0
	s_wait_expcnt 0x0
	s_wait_samplecnt 0x0
	s_wait_bvhcnt 0x0
	s_wait_kmcnt 0x0
	s_mov_b32 s0, s33
	s_mov_b32 s33, s32
	s_or_saveexec_b32 s1, -1
	scratch_store_b32 off, v43, s33 offset:8
	s_wait_alu depctr_sa_sdst(0)
	s_mov_b32 exec_lo, s1
	v_writelane_b32 v43, s0, 5
	s_add_co_i32 s32, s32, 16
	s_clause 0x1
	scratch_store_b32 off, v40, s33 offset:4
	scratch_store_b32 off, v41, s33
	v_writelane_b32 v43, s30, 0
	v_writelane_b32 v43, s31, 1
	v_writelane_b32 v43, s34, 2
	s_mov_b32 s34, exec_lo
	v_writelane_b32 v43, s36, 3
	v_writelane_b32 v43, s37, 4
	v_cmpx_lt_i32_e32 0, v1
	s_cbranch_execz .LBB3_2
	v_add_nc_u32_e32 v2, -2, v1
	v_dual_mov_b32 v41, v1 :: v_dual_add_nc_u32 v0, 1, v0
	v_add_nc_u32_e32 v40, -3, v1
	s_getpc_b64 s[36:37]
	s_wait_alu depctr_sa_sdst(0)
	s_sext_i32_i16 s37, s37
	s_add_co_u32 s36, s36, _ZL8op_stepsii@rel32@lo+12
	s_wait_alu depctr_sa_sdst(0)
	s_add_co_ci_u32 s37, s37, _ZL8op_stepsii@rel32@hi+24
	v_mov_b32_e32 v1, v2
	s_wait_alu depctr_sa_sdst(0)
	s_swappc_b64 s[30:31], s[36:37]
	v_mov_b32_e32 v1, v40
	s_wait_alu depctr_sa_sdst(0)
	s_swappc_b64 s[30:31], s[36:37]
	v_mad_co_u64_u32 v[0:1], null, v0, 3, v[41:42]
.LBB3_2:
	s_wait_alu depctr_sa_sdst(0)
	s_or_b32 exec_lo, exec_lo, s34
	s_clause 0x1
	scratch_load_b32 v41, off, s33
	scratch_load_b32 v40, off, s33 offset:4
	v_readlane_b32 s37, v43, 4
	v_readlane_b32 s36, v43, 3
	v_readlane_b32 s34, v43, 2
	v_readlane_b32 s31, v43, 1
	v_readlane_b32 s30, v43, 0
	s_mov_b32 s32, s33
	v_readlane_b32 s0, v43, 5
	s_or_saveexec_b32 s1, -1
	scratch_load_b32 v43, off, s33 offset:8
	s_wait_alu depctr_sa_sdst(0)
	s_mov_b32 exec_lo, s1
	s_mov_b32 s33, s0
	s_wait_loadcnt 0x0
	s_wait_alu depctr_sa_sdst(0)
	s_setpc_b64 s[30:31]
.Lfunc_end3:
	.size	_ZL8op_stepsii, .Lfunc_end3-_ZL8op_stepsii
	.set .L_ZL8op_stepsii.num_vgpr, 44
	.set .L_ZL8op_stepsii.num_agpr, 0
	.set .L_ZL8op_stepsii.numbered_sgpr, 38
	.set .L_ZL8op_stepsii.num_named_barrier, 0
	.set .L_ZL8op_stepsii.private_seg_size, 16
	.set .L_ZL8op_stepsii.uses_vcc, 1
	.set .L_ZL8op_stepsii.uses_flat_scratch, 1
	.set .L_ZL8op_stepsii.has_dyn_sized_stack, 0
	.set .L_ZL8op_stepsii.has_recursion, 1
	.set .L_ZL8op_stepsii.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	table_walk
	.globl	table_walk
	.p2align	8
	.type	table_walk,@function
table_walk:
	s_load_b256 s[48:55], s[4:5], 0x0
	v_dual_mov_b32 v40, v0 :: v_dual_mov_b32 v1, 0
	s_mov_b64 s[34:35], s[6:7]
	s_mov_b64 s[36:37], s[2:3]
	s_mov_b64 s[38:39], s[0:1]
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_and_b32_e32 v47, 0x3ff, v40
	s_movk_i32 s32, 0x110
	v_lshl_or_b32 v45, ttmp9, 8, v47
	s_wait_kmcnt 0x0
	s_delay_alu instid0(VALU_DEP_1)
	v_cmp_gt_i32_e32 vcc_lo, s54, v45
	s_and_saveexec_b32 s1, vcc_lo
	s_cbranch_execz .LBB4_2
	v_ashrrev_i32_e32 v46, 31, v45
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_lshlrev_b64_e32 v[0:1], 2, v[45:46]
	v_add_co_u32 v0, s0, s48, v0
	s_wait_alu depctr_va_sdst(0)
	s_delay_alu instid0(VALU_DEP_2)
	v_add_co_ci_u32_e64 v1, null, s49, v1, s0
	global_load_b32 v1, v[0:1], off
.LBB4_2:
	s_wait_alu depctr_sa_sdst(0)
	s_or_b32 exec_lo, exec_lo, s1
	v_lshl_add_u32 v0, v47, 2, 0
	s_wait_loadcnt 0x0
	ds_store_b32 v0, v1
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	global_inv scope:SCOPE_SE
	s_and_saveexec_b32 s0, vcc_lo
	s_cbranch_execz .LBB4_9
	ds_load_b32 v0, v0
	v_dual_mov_b32 v41, 0 :: v_dual_mov_b32 v42, 1
	v_dual_mov_b32 v43, 2 :: v_dual_mov_b32 v44, 3
	v_dual_mov_b32 v1, 4 :: v_dual_mov_b32 v2, 5
	v_dual_mov_b32 v3, 6 :: v_dual_mov_b32 v4, 7
	v_dual_mov_b32 v5, 8 :: v_dual_mov_b32 v6, 9
	v_dual_mov_b32 v7, 10 :: v_dual_mov_b32 v8, 11
	v_dual_mov_b32 v9, 12 :: v_dual_mov_b32 v10, 13
	v_dual_mov_b32 v11, 14 :: v_dual_mov_b32 v12, 15
	v_dual_mov_b32 v13, 16 :: v_dual_mov_b32 v14, 17
	v_dual_mov_b32 v15, 18 :: v_dual_mov_b32 v16, 19
	v_dual_mov_b32 v17, 20 :: v_dual_mov_b32 v18, 21
	v_dual_mov_b32 v19, 22 :: v_dual_mov_b32 v20, 23
	s_clause 0x5
	scratch_store_b128 off, v[41:44], off
	scratch_store_b128 off, v[1:4], off offset:16
	scratch_store_b128 off, v[5:8], off offset:32
	scratch_store_b128 off, v[9:12], off offset:48
	scratch_store_b128 off, v[13:16], off offset:64
	scratch_store_b128 off, v[17:20], off offset:80
	v_dual_mov_b32 v1, 24 :: v_dual_mov_b32 v2, 25
	v_dual_mov_b32 v3, 26 :: v_dual_mov_b32 v4, 27
	v_dual_mov_b32 v5, 28 :: v_dual_mov_b32 v6, 29
	v_dual_mov_b32 v7, 30 :: v_dual_mov_b32 v8, 31
	v_dual_mov_b32 v9, 32 :: v_dual_mov_b32 v10, 33
	v_dual_mov_b32 v11, 34 :: v_dual_mov_b32 v12, 35
	v_dual_mov_b32 v13, 36 :: v_dual_mov_b32 v14, 37
	v_dual_mov_b32 v15, 38 :: v_dual_mov_b32 v16, 39
	v_dual_mov_b32 v17, 40 :: v_dual_mov_b32 v18, 41
	v_dual_mov_b32 v19, 42 :: v_dual_mov_b32 v20, 43
	v_dual_mov_b32 v21, 44 :: v_dual_mov_b32 v22, 45
	v_dual_mov_b32 v23, 46 :: v_dual_mov_b32 v24, 47
	s_clause 0x5
	scratch_store_b128 off, v[1:4], off offset:96
	scratch_store_b128 off, v[5:8], off offset:112
	scratch_store_b128 off, v[9:12], off offset:128
	scratch_store_b128 off, v[13:16], off offset:144
	scratch_store_b128 off, v[17:20], off offset:160
	scratch_store_b128 off, v[21:24], off offset:176
	v_dual_mov_b32 v1, 48 :: v_dual_mov_b32 v2, 49
	v_dual_mov_b32 v3, 50 :: v_dual_mov_b32 v4, 51
	v_dual_mov_b32 v9, 56 :: v_dual_mov_b32 v10, 57
	v_dual_mov_b32 v11, 58 :: v_dual_mov_b32 v12, 59
	v_dual_mov_b32 v5, 52 :: v_dual_mov_b32 v6, 53
	v_dual_mov_b32 v7, 54 :: v_dual_mov_b32 v8, 55
	v_dual_mov_b32 v13, 60 :: v_dual_mov_b32 v14, 61
	v_dual_mov_b32 v15, 62 :: v_dual_mov_b32 v16, 63
	s_cmp_lt_i32 s55, 1
	s_clause 0x3
	scratch_store_b128 off, v[1:4], off offset:192
	scratch_store_b128 off, v[5:8], off offset:208
	scratch_store_b128 off, v[9:12], off offset:224
	scratch_store_b128 off, v[13:16], off offset:240
	s_cbranch_scc1 .LBB4_8
	s_add_nc_u64 s[48:49], s[4:5], 32
.LBB4_5:
	global_load_b32 v42, v41, s[50:51]
	s_getpc_b64 s[0:1]
	s_wait_alu depctr_sa_sdst(0)
	s_sext_i32_i16 s1, s1
	s_add_co_u32 s0, s0, operations@rel32@lo+12
	s_wait_alu depctr_sa_sdst(0)
	s_add_co_ci_u32 s1, s1, operations@rel32@hi+24
	s_mov_b32 s33, exec_lo
	s_wait_loadcnt 0x0
	v_and_b32_e32 v1, 3, v42
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_2) | instid1(VALU_DEP_1)
	v_lshlrev_b32_e32 v1, 3, v1
	global_load_b64 v[2:3], v1, s[0:1]
	v_and_b32_e32 v1, 0xff, v47
	v_lshl_add_u32 v1, v1, 2, 0
	ds_load_b32 v1, v1
	s_wait_dscnt 0x0
	v_and_b32_e32 v1, 7, v1
.LBB4_6:
	s_wait_loadcnt 0x0
	v_readfirstlane_b32 s0, v2
	v_readfirstlane_b32 s1, v3
	s_mov_b32 s54, exec_lo
	s_wait_alu depctr_sa_sdst(0) depctr_va_sdst(0)
	v_cmpx_eq_u64_e64 s[0:1], v[2:3]
	v_mov_b32_e32 v31, v40
	s_mov_b64 s[4:5], s[38:39]
	s_mov_b64 s[6:7], s[36:37]
	s_mov_b64 s[8:9], s[48:49]
	s_mov_b64 s[10:11], s[34:35]
	s_wait_alu depctr_sa_sdst(0)
	s_swappc_b64 s[30:31], s[0:1]
	s_xor_b32 exec_lo, exec_lo, s54
	s_cbranch_execnz .LBB4_6
	s_mov_b32 exec_lo, s33
	v_and_b32_e32 v1, 63, v0
	v_add_nc_u32_e32 v47, 1, v47
	s_add_co_i32 s55, s55, -1
	s_add_nc_u64 s[50:51], s[50:51], 4
	s_wait_alu depctr_sa_sdst(0)
	s_cmp_eq_u32 s55, 0
	v_lshlrev_b32_e32 v1, 2, v1
	scratch_load_b32 v2, v1, off
	s_wait_loadcnt 0x0
	v_add_nc_u32_e32 v2, v2, v42
	scratch_store_b32 v1, v2, off
	s_cbranch_scc0 .LBB4_5
.LBB4_8:
	s_wait_dscnt 0x0
	v_lshrrev_b32_e32 v1, 2, v0
	v_ashrrev_i32_e32 v46, 31, v45
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_4) | instid1(VALU_DEP_2)
	v_and_b32_e32 v1, 0xfc, v1
	scratch_load_b32 v3, v1, off
	v_lshlrev_b64_e32 v[1:2], 2, v[45:46]
	s_wait_loadcnt 0x0
	v_add_nc_u32_e32 v3, v3, v0
	v_add_co_u32 v0, vcc_lo, s52, v1
	s_wait_alu depctr_va_vcc(0)
	s_delay_alu instid0(VALU_DEP_3)
	v_add_co_ci_u32_e64 v1, null, s53, v2, vcc_lo
	global_store_b32 v[0:1], v3, off
.LBB4_9:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel table_walk
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 272
		.amdhsa_kernarg_size 288
		.amdhsa_user_sgpr_count 8
		.amdhsa_user_sgpr_dispatch_ptr 1
		.amdhsa_user_sgpr_queue_ptr 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 1
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_wavefront_size32 1
		.amdhsa_uses_dynamic_stack 1
		.amdhsa_enable_private_segment 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 2
		.amdhsa_next_free_vgpr max(totalnumvgprs(table_walk.num_agpr, table_walk.num_vgpr), 1, 0)
		.amdhsa_next_free_sgpr max(table_walk.numbered_sgpr+2, 1, 0)-2
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 1
		.amdhsa_inst_pref_size 8
		.amdhsa_round_robin_scheduling 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end4:
	.size	table_walk, .Lfunc_end4-table_walk
	.set table_walk.num_vgpr, max(48, amdgpu.max_num_vgpr)
	.set table_walk.num_agpr, max(0, amdgpu.max_num_agpr)
	.set table_walk.numbered_sgpr, max(56, amdgpu.max_num_sgpr)
	.set table_walk.num_named_barrier, max(0, amdgpu.max_num_named_barrier)
	.set table_walk.private_seg_size, 272
	.set table_walk.uses_vcc, 1
	.set table_walk.uses_flat_scratch, 1
	.set table_walk.has_dyn_sized_stack, 1
	.set table_walk.has_recursion, 1
	.set table_walk.has_indirect_call, 1
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	remember
	.globl	remember
	.p2align	8
	.type	remember,@function
remember:
	s_load_b32 s2, s[0:1], 0x10
	v_mov_b32_e32 v3, v0
	s_mov_b32 s32, 0
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_lshl_or_b32 v1, ttmp9, 6, v3
	s_wait_kmcnt 0x0
	v_cmp_gt_i32_e32 vcc_lo, s2, v1
	s_and_saveexec_b32 s2, vcc_lo
	s_cbranch_execz .LBB5_2
	s_load_b128 s[0:3], s[0:1], 0x0
	v_ashrrev_i32_e32 v2, 31, v1
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_lshlrev_b64_e32 v[4:5], 2, v[1:2]
	s_wait_kmcnt 0x0
	v_add_co_u32 v6, vcc_lo, s0, v4
	s_delay_alu instid0(VALU_DEP_1)
	v_add_co_ci_u32_e64 v7, null, s1, v5, vcc_lo
	s_getpc_b64 s[0:1]
	s_wait_alu depctr_sa_sdst(0)
	s_sext_i32_i16 s1, s1
	s_add_co_u32 s0, s0, _ZL6op_mixii@rel32@lo+12
	s_wait_alu depctr_sa_sdst(0)
	s_add_co_ci_u32 s1, s1, _ZL6op_mixii@rel32@hi+24
	global_load_b32 v0, v[6:7], off
	s_wait_alu depctr_sa_sdst(0)
	s_swappc_b64 s[30:31], s[0:1]
	v_lshlrev_b32_e32 v2, 2, v3
	v_ashrrev_i32_e32 v1, 1, v0
	s_getpc_b64 s[0:1]
	s_wait_alu depctr_sa_sdst(0)
	s_sext_i32_i16 s1, s1
	s_add_co_u32 s0, s0, history@rel32@lo+12
	s_wait_alu depctr_sa_sdst(0)
	s_add_co_ci_u32 s1, s1, history@rel32@hi+24
	global_store_b32 v2, v0, s[0:1]
	s_getpc_b64 s[0:1]
	s_wait_alu depctr_sa_sdst(0)
	s_sext_i32_i16 s1, s1
	s_add_co_u32 s0, s0, _ZL6op_addii@rel32@lo+12
	s_wait_alu depctr_sa_sdst(0)
	s_add_co_ci_u32 s1, s1, _ZL6op_addii@rel32@hi+24
	s_wait_alu depctr_sa_sdst(0)
	s_swappc_b64 s[30:31], s[0:1]
	v_add_co_u32 v1, vcc_lo, s2, v4
	s_wait_alu depctr_va_vcc(0)
	v_add_co_ci_u32_e64 v2, null, s3, v5, vcc_lo
	global_store_b32 v[1:2], v0, off
.LBB5_2:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel remember
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 20
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_wavefront_size32 1
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 33
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 1
		.amdhsa_inst_pref_size 3
		.amdhsa_round_robin_scheduling 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end5:
	.size	remember, .Lfunc_end5-remember
	.set remember.num_vgpr, max(8, .L_ZL6op_mixii.num_vgpr, .L_ZL6op_addii.num_vgpr)
	.set remember.num_agpr, max(0, .L_ZL6op_mixii.num_agpr, .L_ZL6op_addii.num_agpr)
	.set remember.numbered_sgpr, max(33, .L_ZL6op_mixii.numbered_sgpr, .L_ZL6op_addii.numbered_sgpr)
	.set remember.num_named_barrier, max(0, .L_ZL6op_mixii.num_named_barrier, .L_ZL6op_addii.num_named_barrier)
	.set remember.private_seg_size, 0+max(.L_ZL6op_mixii.private_seg_size, .L_ZL6op_addii.private_seg_size)
	.set remember.uses_vcc, or(1, .L_ZL6op_mixii.uses_vcc, .L_ZL6op_addii.uses_vcc)
	.set remember.uses_flat_scratch, or(0, .L_ZL6op_mixii.uses_flat_scratch, .L_ZL6op_addii.uses_flat_scratch)
	.set remember.has_dyn_sized_stack, or(0, .L_ZL6op_mixii.has_dyn_sized_stack, .L_ZL6op_addii.has_dyn_sized_stack)
	.set remember.has_recursion, or(0, .L_ZL6op_mixii.has_recursion, .L_ZL6op_addii.has_recursion)
	.set remember.has_indirect_call, or(0, .L_ZL6op_mixii.has_indirect_call, .L_ZL6op_addii.has_indirect_call)
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.p2alignl 7, 3214868480
	.fill 96, 4, 3214868480
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 44
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 38
	.set amdgpu.max_num_named_barrier, 0
	.text
	.protected	weights
	.type	weights,@object
	.data
	.globl	weights
	.p2align	4, 0x0
weights:
	.long	3
	.long	1
	.long	4
	.long	1
	.long	5
	.long	9
	.long	2
	.long	6
	.size	weights, 32
	.protected	history
	.type	history,@object
	.section	.bss,"aw",@nobits
	.globl	history
	.p2align	4, 0x0
history:
	.zero	256
	.size	history, 256
	.protected	operations
	.type	operations,@object
	.data
	.globl	operations
	.p2align	4, 0x0
operations:
	.quad	_ZL6op_addii
	.quad	_ZL6op_mixii
	.quad	_ZL9op_weightii
	.quad	_ZL8op_stepsii
	.size	operations, 32
	.section	".note.GNU-stack","",@progbits
	.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
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
        .value_kind:     hidden_block_count_x
      - .offset:         36
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         40
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         44
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         46
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         48
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         50
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         52
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         54
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         72
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         80
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         88
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         96
        .size:           2
        .value_kind:     hidden_grid_dims
      - .offset:         112
        .size:           8
        .value_kind:     hidden_hostcall_buffer
      - .offset:         120
        .size:           8
        .value_kind:     hidden_multigrid_sync_arg
      - .offset:         128
        .size:           8
        .value_kind:     hidden_heap_v1
      - .offset:         136
        .size:           8
        .value_kind:     hidden_default_queue
      - .offset:         144
        .size:           8
        .value_kind:     hidden_completion_action
      - .offset:         152
        .size:           4
        .value_kind:     hidden_dynamic_lds_size
      - .offset:         232
        .size:           8
        .value_kind:     hidden_queue_ptr
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 288
    .max_flat_workgroup_size: 256
    .name:           table_walk
    .private_segment_fixed_size: 272
    .sgpr_count:     58
    .sgpr_spill_count: 0
    .symbol:         table_walk.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: true
    .vgpr_count:     48
    .vgpr_spill_count: 0
    .wavefront_size: 32
    .workgroup_processor_mode: 1
  - .args:
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
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 20
    .max_flat_workgroup_size: 64
    .name:           remember
    .private_segment_fixed_size: 0
    .sgpr_count:     35
    .sgpr_spill_count: 0
    .symbol:         remember.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     8
    .vgpr_spill_count: 0
    .wavefront_size: 32
    .workgroup_processor_mode: 1
amdhsa.target:   amdgcn-amd-amdhsa--gfx1201
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
