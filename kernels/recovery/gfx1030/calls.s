; clang 22.1.8 -O3 --offload-arch=gfx1030 calls.hip (kernels/build.py)
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1030"
	.amdhsa_code_object_version 6
	.text
	.p2align	2
	.type	_ZL6op_addii,@function
_ZL6op_addii:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
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
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_mul_lo_u32 v2, v0, 31
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
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_and_b32_e32 v1, 7, v1
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, weights@rel32@lo+4
	s_addc_u32 s5, s5, weights@rel32@hi+12
	v_lshlrev_b32_e32 v1, 2, v1
	global_load_dword v1, v1, s[4:5]
	s_waitcnt vmcnt(0)
	v_add_nc_u32_e32 v0, v1, v0
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
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s4, s33
	s_mov_b32 s33, s32
	s_or_saveexec_b32 s5, -1
	buffer_store_dword v43, off, s[0:3], s33 offset:8
	s_mov_b32 exec_lo, s5
	v_writelane_b32 v43, s4, 5
	s_addk_i32 s32, 0x200
	buffer_store_dword v40, off, s[0:3], s33 offset:4
	buffer_store_dword v41, off, s[0:3], s33
	v_writelane_b32 v43, s30, 0
	v_writelane_b32 v43, s31, 1
	v_writelane_b32 v43, s34, 2
	s_mov_b32 s34, exec_lo
	v_writelane_b32 v43, s36, 3
	v_writelane_b32 v43, s37, 4
	v_cmpx_lt_i32_e32 0, v1
	s_cbranch_execz .LBB3_2
	v_add_nc_u32_e32 v2, -2, v1
	v_add_nc_u32_e32 v0, 1, v0
	v_add_nc_u32_e32 v40, -3, v1
	v_mov_b32_e32 v41, v1
	s_getpc_b64 s[36:37]
	s_add_u32 s36, s36, _ZL8op_stepsii@rel32@lo+4
	s_addc_u32 s37, s37, _ZL8op_stepsii@rel32@hi+12
	v_mov_b32_e32 v1, v2
	s_swappc_b64 s[30:31], s[36:37]
	v_mov_b32_e32 v1, v40
	s_swappc_b64 s[30:31], s[36:37]
	v_mad_u64_u32 v[0:1], null, v0, 3, v[41:42]
.LBB3_2:
	s_or_b32 exec_lo, exec_lo, s34
	s_clause 0x1
	buffer_load_dword v41, off, s[0:3], s33
	buffer_load_dword v40, off, s[0:3], s33 offset:4
	v_readlane_b32 s37, v43, 4
	v_readlane_b32 s36, v43, 3
	v_readlane_b32 s34, v43, 2
	v_readlane_b32 s31, v43, 1
	v_readlane_b32 s30, v43, 0
	s_mov_b32 s32, s33
	v_readlane_b32 s4, v43, 5
	s_or_saveexec_b32 s5, -1
	buffer_load_dword v43, off, s[0:3], s33 offset:8
	s_mov_b32 exec_lo, s5
	s_mov_b32 s33, s4
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end3:
	.size	_ZL8op_stepsii, .Lfunc_end3-_ZL8op_stepsii
	.set .L_ZL8op_stepsii.num_vgpr, 44
	.set .L_ZL8op_stepsii.num_agpr, 0
	.set .L_ZL8op_stepsii.numbered_sgpr, 38
	.set .L_ZL8op_stepsii.num_named_barrier, 0
	.set .L_ZL8op_stepsii.private_seg_size, 16
	.set .L_ZL8op_stepsii.uses_vcc, 1
	.set .L_ZL8op_stepsii.uses_flat_scratch, 0
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
	s_add_u32 s12, s12, s17
	s_movk_i32 s32, 0x2200
	s_addc_u32 s13, s13, 0
	s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s12
	s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s13
	s_load_dwordx8 s[64:71], s[8:9], 0x0
	v_mov_b32_e32 v40, v0
	s_mov_b32 s52, s14
	v_mov_b32_e32 v3, 0
	s_add_u32 s0, s0, s17
	s_addc_u32 s1, s1, 0
	v_lshl_or_b32 v42, s52, 8, v40
	s_mov_b32 s33, s16
	s_mov_b64 s[34:35], s[8:9]
	s_mov_b32 s53, s15
	s_mov_b64 s[36:37], s[10:11]
	s_mov_b64 s[38:39], s[6:7]
	s_mov_b64 s[48:49], s[4:5]
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_i32_e32 vcc_lo, s70, v42
	s_and_saveexec_b32 s5, vcc_lo
	s_cbranch_execz .LBB4_2
	v_ashrrev_i32_e32 v43, 31, v42
	v_lshlrev_b64 v[3:4], 2, v[42:43]
	v_add_co_u32 v3, s4, s64, v3
	v_add_co_ci_u32_e64 v4, null, s65, v4, s4
	global_load_dword v3, v[3:4], off
.LBB4_2:
	s_or_b32 exec_lo, exec_lo, s5
	v_lshl_add_u32 v0, v40, 2, 0
	s_waitcnt vmcnt(0)
	ds_write_b32 v0, v3
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_gl0_inv
	s_and_saveexec_b32 s4, vcc_lo
	s_cbranch_execz .LBB4_9
	v_mov_b32_e32 v43, 0
	v_mov_b32_e32 v3, 1
	v_mov_b32_e32 v5, 3
	v_mov_b32_e32 v4, 2
	v_mov_b32_e32 v6, 7
	buffer_store_dword v43, off, s[0:3], 0
	buffer_store_dword v3, off, s[0:3], 0 offset:4
	buffer_store_dword v4, off, s[0:3], 0 offset:8
	v_mov_b32_e32 v3, 4
	v_mov_b32_e32 v4, 5
	buffer_store_dword v5, off, s[0:3], 0 offset:12
	v_mov_b32_e32 v5, 6
	buffer_store_dword v4, off, s[0:3], 0 offset:20
	buffer_store_dword v5, off, s[0:3], 0 offset:24
	buffer_store_dword v6, off, s[0:3], 0 offset:28
	buffer_store_dword v3, off, s[0:3], 0 offset:16
	v_mov_b32_e32 v3, 8
	v_mov_b32_e32 v4, 9
	v_mov_b32_e32 v5, 11
	v_mov_b32_e32 v6, 12
	ds_read_b32 v0, v0
	buffer_store_dword v3, off, s[0:3], 0 offset:32
	v_mov_b32_e32 v3, 10
	buffer_store_dword v4, off, s[0:3], 0 offset:36
	v_mov_b32_e32 v4, 13
	buffer_store_dword v3, off, s[0:3], 0 offset:40
	buffer_store_dword v5, off, s[0:3], 0 offset:44
	buffer_store_dword v6, off, s[0:3], 0 offset:48
	v_mov_b32_e32 v3, 14
	buffer_store_dword v4, off, s[0:3], 0 offset:52
	v_mov_b32_e32 v4, 15
	v_mov_b32_e32 v5, 16
	v_mov_b32_e32 v6, 17
	buffer_store_dword v3, off, s[0:3], 0 offset:56
	v_mov_b32_e32 v3, 18
	buffer_store_dword v4, off, s[0:3], 0 offset:60
	buffer_store_dword v5, off, s[0:3], 0 offset:64
	buffer_store_dword v6, off, s[0:3], 0 offset:68
	v_mov_b32_e32 v4, 19
	v_mov_b32_e32 v5, 21
	v_mov_b32_e32 v6, 22
	buffer_store_dword v3, off, s[0:3], 0 offset:72
	v_mov_b32_e32 v3, 20
	buffer_store_dword v4, off, s[0:3], 0 offset:76
	v_mov_b32_e32 v4, 23
	buffer_store_dword v3, off, s[0:3], 0 offset:80
	buffer_store_dword v5, off, s[0:3], 0 offset:84
	buffer_store_dword v6, off, s[0:3], 0 offset:88
	v_mov_b32_e32 v3, 24
	buffer_store_dword v4, off, s[0:3], 0 offset:92
	v_mov_b32_e32 v4, 25
	v_mov_b32_e32 v5, 26
	v_mov_b32_e32 v6, 27
	buffer_store_dword v3, off, s[0:3], 0 offset:96
	v_mov_b32_e32 v3, 28
	buffer_store_dword v4, off, s[0:3], 0 offset:100
	buffer_store_dword v5, off, s[0:3], 0 offset:104
	buffer_store_dword v6, off, s[0:3], 0 offset:108
	v_mov_b32_e32 v4, 29
	v_mov_b32_e32 v5, 31
	v_mov_b32_e32 v6, 32
	buffer_store_dword v3, off, s[0:3], 0 offset:112
	v_mov_b32_e32 v3, 30
	buffer_store_dword v4, off, s[0:3], 0 offset:116
	v_mov_b32_e32 v4, 33
	buffer_store_dword v3, off, s[0:3], 0 offset:120
	buffer_store_dword v5, off, s[0:3], 0 offset:124
	buffer_store_dword v6, off, s[0:3], 0 offset:128
	v_mov_b32_e32 v3, 34
	buffer_store_dword v4, off, s[0:3], 0 offset:132
	v_mov_b32_e32 v4, 35
	v_mov_b32_e32 v5, 36
	v_mov_b32_e32 v6, 37
	buffer_store_dword v3, off, s[0:3], 0 offset:136
	v_mov_b32_e32 v3, 38
	buffer_store_dword v4, off, s[0:3], 0 offset:140
	buffer_store_dword v5, off, s[0:3], 0 offset:144
	buffer_store_dword v6, off, s[0:3], 0 offset:148
	v_mov_b32_e32 v4, 39
	v_mov_b32_e32 v5, 41
	v_mov_b32_e32 v6, 42
	buffer_store_dword v3, off, s[0:3], 0 offset:152
	v_mov_b32_e32 v3, 40
	buffer_store_dword v4, off, s[0:3], 0 offset:156
	v_mov_b32_e32 v4, 43
	buffer_store_dword v3, off, s[0:3], 0 offset:160
	buffer_store_dword v5, off, s[0:3], 0 offset:164
	buffer_store_dword v6, off, s[0:3], 0 offset:168
	v_mov_b32_e32 v3, 44
	buffer_store_dword v4, off, s[0:3], 0 offset:172
	v_mov_b32_e32 v4, 45
	v_mov_b32_e32 v5, 46
	v_mov_b32_e32 v6, 47
	buffer_store_dword v3, off, s[0:3], 0 offset:176
	v_mov_b32_e32 v3, 48
	buffer_store_dword v4, off, s[0:3], 0 offset:180
	buffer_store_dword v5, off, s[0:3], 0 offset:184
	buffer_store_dword v6, off, s[0:3], 0 offset:188
	v_mov_b32_e32 v4, 49
	v_mov_b32_e32 v5, 51
	v_mov_b32_e32 v6, 52
	buffer_store_dword v3, off, s[0:3], 0 offset:192
	v_mov_b32_e32 v3, 50
	buffer_store_dword v4, off, s[0:3], 0 offset:196
	v_mov_b32_e32 v4, 53
	buffer_store_dword v3, off, s[0:3], 0 offset:200
	buffer_store_dword v5, off, s[0:3], 0 offset:204
	buffer_store_dword v6, off, s[0:3], 0 offset:208
	v_mov_b32_e32 v3, 54
	buffer_store_dword v4, off, s[0:3], 0 offset:212
	v_mov_b32_e32 v4, 55
	v_mov_b32_e32 v5, 56
	buffer_store_dword v4, off, s[0:3], 0 offset:220
	buffer_store_dword v5, off, s[0:3], 0 offset:224
	buffer_store_dword v3, off, s[0:3], 0 offset:216
	v_mov_b32_e32 v3, 57
	v_mov_b32_e32 v4, 59
	v_mov_b32_e32 v6, 58
	buffer_store_dword v3, off, s[0:3], 0 offset:228
	buffer_store_dword v6, off, s[0:3], 0 offset:232
	v_mov_b32_e32 v3, 60
	buffer_store_dword v4, off, s[0:3], 0 offset:236
	v_mov_b32_e32 v4, 62
	v_mov_b32_e32 v5, 61
	v_mov_b32_e32 v6, 63
	s_cmp_lt_i32 s71, 1
	buffer_store_dword v3, off, s[0:3], 0 offset:240
	buffer_store_dword v5, off, s[0:3], 0 offset:244
	buffer_store_dword v4, off, s[0:3], 0 offset:248
	buffer_store_dword v6, off, s[0:3], 0 offset:252
	s_cbranch_scc1 .LBB4_8
	v_lshlrev_b32_e32 v2, 20, v2
	v_lshlrev_b32_e32 v1, 10, v1
	v_or3_b32 v41, v40, v1, v2
.LBB4_5:
	global_load_dword v44, v43, s[66:67]
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, operations@rel32@lo+4
	s_addc_u32 s5, s5, operations@rel32@hi+12
	s_add_u32 s50, s34, 32
	s_addc_u32 s51, s35, 0
	s_mov_b32 s54, exec_lo
	s_waitcnt vmcnt(0)
	v_and_b32_e32 v1, 3, v44
	v_lshlrev_b32_e32 v1, 3, v1
	global_load_dwordx2 v[2:3], v1, s[4:5]
	v_and_b32_e32 v1, 0xff, v40
	v_lshl_add_u32 v1, v1, 2, 0
	ds_read_b32 v1, v1
	s_waitcnt lgkmcnt(0)
	v_and_b32_e32 v1, 7, v1
.LBB4_6:
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s16, v2
	v_readfirstlane_b32 s17, v3
	s_mov_b32 s55, exec_lo
	v_cmpx_eq_u64_e64 s[16:17], v[2:3]
	v_mov_b32_e32 v31, v41
	s_mov_b64 s[4:5], s[48:49]
	s_mov_b64 s[6:7], s[38:39]
	s_mov_b64 s[8:9], s[50:51]
	s_mov_b64 s[10:11], s[36:37]
	s_mov_b32 s12, s52
	s_mov_b32 s13, s53
	s_mov_b32 s14, s33
	s_swappc_b64 s[30:31], s[16:17]
	s_xor_b32 exec_lo, exec_lo, s55
	s_cbranch_execnz .LBB4_6
	s_mov_b32 exec_lo, s54
	v_and_b32_e32 v1, 63, v0
	s_add_i32 s71, s71, -1
	v_add_nc_u32_e32 v40, 1, v40
	s_add_u32 s66, s66, 4
	s_addc_u32 s67, s67, 0
	v_lshl_add_u32 v1, v1, 2, 0
	s_cmp_eq_u32 s71, 0
	buffer_load_dword v2, v1, s[0:3], 0 offen
	s_waitcnt vmcnt(0)
	v_add_nc_u32_e32 v2, v2, v44
	buffer_store_dword v2, v1, s[0:3], 0 offen
	s_cbranch_scc0 .LBB4_5
.LBB4_8:
	s_waitcnt lgkmcnt(0)
	v_lshrrev_b32_e32 v1, 2, v0
	v_ashrrev_i32_e32 v43, 31, v42
	v_and_b32_e32 v1, 0xfc, v1
	buffer_load_dword v3, v1, s[0:3], 0 offen
	v_lshlrev_b64 v[1:2], 2, v[42:43]
	s_waitcnt vmcnt(0)
	v_add_nc_u32_e32 v3, v3, v0
	v_add_co_u32 v0, vcc_lo, s68, v1
	v_add_co_ci_u32_e64 v1, null, s69, v2, vcc_lo
	global_store_dword v[0:1], v3, off
.LBB4_9:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel table_walk
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 272
		.amdhsa_kernarg_size 288
		.amdhsa_user_sgpr_count 14
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 1
		.amdhsa_user_sgpr_queue_ptr 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 1
		.amdhsa_user_sgpr_flat_scratch_init 1
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_wavefront_size32 1
		.amdhsa_uses_dynamic_stack 1
		.amdhsa_system_sgpr_private_segment_wavefront_offset 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 2
		.amdhsa_next_free_vgpr max(totalnumvgprs(table_walk.num_agpr, table_walk.num_vgpr), 1, 0)
		.amdhsa_next_free_sgpr max(table_walk.numbered_sgpr+2, 1, 0)-2
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 1
		.amdhsa_shared_vgpr_count 0
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
	.set table_walk.num_vgpr, max(45, amdgpu.max_num_vgpr)
	.set table_walk.num_agpr, max(0, amdgpu.max_num_agpr)
	.set table_walk.numbered_sgpr, max(72, amdgpu.max_num_sgpr)
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
	s_add_u32 s0, s0, s7
	s_load_dword s7, s[4:5], 0x10
	v_mov_b32_e32 v3, v0
	s_addc_u32 s1, s1, 0
	s_mov_b32 s32, 0
	v_lshl_or_b32 v1, s6, 6, v3
	s_mov_b32 s6, exec_lo
	s_waitcnt lgkmcnt(0)
	v_cmpx_gt_i32_e64 s7, v1
	s_cbranch_execz .LBB5_2
	s_load_dwordx4 s[4:7], s[4:5], 0x0
	v_ashrrev_i32_e32 v2, 31, v1
	v_lshlrev_b64 v[4:5], 2, v[1:2]
	s_waitcnt lgkmcnt(0)
	v_add_co_u32 v6, vcc_lo, s4, v4
	v_add_co_ci_u32_e64 v7, null, s5, v5, vcc_lo
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, _ZL6op_mixii@rel32@lo+4
	s_addc_u32 s5, s5, _ZL6op_mixii@rel32@hi+12
	global_load_dword v0, v[6:7], off
	s_swappc_b64 s[30:31], s[4:5]
	v_lshlrev_b32_e32 v2, 2, v3
	v_ashrrev_i32_e32 v1, 1, v0
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, history@rel32@lo+4
	s_addc_u32 s5, s5, history@rel32@hi+12
	global_store_dword v2, v0, s[4:5]
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, _ZL6op_addii@rel32@lo+4
	s_addc_u32 s5, s5, _ZL6op_addii@rel32@hi+12
	s_swappc_b64 s[30:31], s[4:5]
	v_add_co_u32 v1, vcc_lo, s6, v4
	v_add_co_ci_u32_e64 v2, null, s7, v5, vcc_lo
	global_store_dword v[1:2], v0, off
.LBB5_2:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel remember
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 20
		.amdhsa_user_sgpr_count 6
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_flat_scratch_init 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_wavefront_size32 1
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_system_sgpr_private_segment_wavefront_offset 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 33
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 0
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 1
		.amdhsa_shared_vgpr_count 0
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
	.p2alignl 6, 3214868480
	.fill 48, 4, 3214868480
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
    .sgpr_count:     74
    .sgpr_spill_count: 0
    .symbol:         table_walk.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: true
    .vgpr_count:     45
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
amdhsa.target:   amdgcn-amd-amdhsa--gfx1030
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
