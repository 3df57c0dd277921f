; clang 22.1.8 -O3 --offload-arch=gfx950 calls.hip (kernels/build.py)
	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.p2align	2
	.type	_ZL6op_addii,@function
_ZL6op_addii:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_add_u32_e32 v0, v1, v0
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
	v_lshlrev_b32_e32 v1, 2, v1
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, weights@rel32@lo+4
	s_addc_u32 s1, s1, weights@rel32@hi+12
	global_load_dword v1, v1, s[0:1]
	s_waitcnt vmcnt(0)
	v_add_u32_e32 v0, v1, v0
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
	s_mov_b32 s0, s33
	s_mov_b32 s33, s32
	s_or_saveexec_b64 s[2:3], -1
	scratch_store_dword off, v41, s33 offset:8
	s_mov_b64 exec, s[2:3]
	v_writelane_b32 v41, s0, 6
	v_writelane_b32 v41, s30, 0
	v_writelane_b32 v41, s31, 1
	v_writelane_b32 v41, s34, 2
	scratch_store_dword off, v40, s33 offset:4
	scratch_store_dword off, v42, s33
	v_writelane_b32 v41, s35, 3
	v_mov_b32_e32 v42, v1
	v_writelane_b32 v41, s36, 4
	v_cmp_lt_i32_e32 vcc, 0, v42
	s_add_i32 s32, s32, 16
	v_writelane_b32 v41, s37, 5
	s_and_saveexec_b64 s[34:35], vcc
	s_cbranch_execz .LBB3_2
	v_add_u32_e32 v1, -2, v42
	v_add_u32_e32 v0, 1, v0
	s_getpc_b64 s[36:37]
	s_add_u32 s36, s36, _ZL8op_stepsii@rel32@lo+4
	s_addc_u32 s37, s37, _ZL8op_stepsii@rel32@hi+12
	v_add_u32_e32 v40, -3, v42
	s_swappc_b64 s[30:31], s[36:37]
	v_mov_b32_e32 v1, v40
	s_swappc_b64 s[30:31], s[36:37]
	v_mad_u64_u32 v[0:1], s[0:1], v0, 3, v[42:43]
.LBB3_2:
	s_or_b64 exec, exec, s[34:35]
	scratch_load_dword v42, off, s33
	scratch_load_dword v40, off, s33 offset:4
	v_readlane_b32 s37, v41, 5
	v_readlane_b32 s36, v41, 4
	v_readlane_b32 s35, v41, 3
	v_readlane_b32 s34, v41, 2
	v_readlane_b32 s31, v41, 1
	v_readlane_b32 s30, v41, 0
	s_mov_b32 s32, s33
	v_readlane_b32 s0, v41, 6
	s_or_saveexec_b64 s[2:3], -1
	scratch_load_dword v41, off, s33 offset:8
	s_mov_b64 exec, s[2:3]
	s_mov_b32 s33, s0
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
	s_load_dwordx8 s[64:71], s[4:5], 0x0
	v_mov_b32_e32 v40, v0
	s_mov_b32 s53, s8
	v_and_b32_e32 v56, 0x3ff, v40
	v_lshl_or_b32 v46, s53, 8, v56
	s_mov_b32 s33, s10
	s_mov_b32 s52, s9
	s_mov_b64 s[34:35], s[6:7]
	s_mov_b64 s[36:37], s[4:5]
	s_mov_b64 s[38:39], s[2:3]
	s_mov_b64 s[48:49], s[0:1]
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_i32_e32 vcc, s70, v46
	v_mov_b32_e32 v1, 0
	s_movk_i32 s32, 0x110
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB4_2
	v_mov_b32_e32 v0, s64
	v_mov_b32_e32 v1, s65
	v_ashrrev_i32_e32 v47, 31, v46
	v_lshl_add_u64 v[0:1], v[46:47], 2, v[0:1]
	global_load_dword v1, v[0:1], off
.LBB4_2:
	s_or_b64 exec, exec, s[0:1]
	v_lshl_add_u32 v0, v56, 2, 0
	s_waitcnt vmcnt(0)
	ds_write_b32 v0, v1
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB4_9
	v_mov_b32_e32 v2, 4
	v_mov_b32_e32 v3, 5
	v_mov_b32_e32 v4, 6
	v_mov_b32_e32 v5, 7
	scratch_store_dwordx4 off, v[2:5], off offset:16
	ds_read_b32 v41, v0
	v_mov_b32_e32 v42, 0
	v_mov_b32_e32 v2, 8
	v_mov_b32_e32 v3, 9
	v_mov_b32_e32 v4, 10
	v_mov_b32_e32 v5, 11
	scratch_store_dwordx4 off, v[2:5], off offset:32
	v_mov_b32_e32 v43, 1
	v_mov_b32_e32 v44, 2
	v_mov_b32_e32 v2, 12
	v_mov_b32_e32 v3, 13
	v_mov_b32_e32 v4, 14
	v_mov_b32_e32 v5, 15
	scratch_store_dwordx4 off, v[2:5], off offset:48
	v_mov_b32_e32 v45, 3
	s_cmp_lt_i32 s71, 1
	v_mov_b32_e32 v2, 16
	v_mov_b32_e32 v3, 17
	v_mov_b32_e32 v4, 18
	v_mov_b32_e32 v5, 19
	scratch_store_dwordx4 off, v[2:5], off offset:64
	scratch_store_dwordx4 off, v[42:45], off
	s_nop 0
	v_mov_b32_e32 v2, 20
	v_mov_b32_e32 v3, 21
	v_mov_b32_e32 v4, 22
	v_mov_b32_e32 v5, 23
	scratch_store_dwordx4 off, v[2:5], off offset:80
	s_nop 1
	v_mov_b32_e32 v2, 24
	v_mov_b32_e32 v3, 25
	v_mov_b32_e32 v4, 26
	v_mov_b32_e32 v5, 27
	scratch_store_dwordx4 off, v[2:5], off offset:96
	s_nop 1
	v_mov_b32_e32 v2, 28
	v_mov_b32_e32 v3, 29
	v_mov_b32_e32 v4, 30
	v_mov_b32_e32 v5, 31
	scratch_store_dwordx4 off, v[2:5], off offset:112
	s_nop 1
	v_mov_b32_e32 v2, 32
	v_mov_b32_e32 v3, 33
	v_mov_b32_e32 v4, 34
	v_mov_b32_e32 v5, 35
	scratch_store_dwordx4 off, v[2:5], off offset:128
	s_nop 1
	v_mov_b32_e32 v2, 36
	v_mov_b32_e32 v3, 37
	v_mov_b32_e32 v4, 38
	v_mov_b32_e32 v5, 39
	scratch_store_dwordx4 off, v[2:5], off offset:144
	s_nop 1
	v_mov_b32_e32 v2, 40
	v_mov_b32_e32 v3, 41
	v_mov_b32_e32 v4, 42
	v_mov_b32_e32 v5, 43
	scratch_store_dwordx4 off, v[2:5], off offset:160
	s_nop 1
	v_mov_b32_e32 v2, 44
	v_mov_b32_e32 v3, 45
	v_mov_b32_e32 v4, 46
	v_mov_b32_e32 v5, 47
	scratch_store_dwordx4 off, v[2:5], off offset:176
	s_nop 1
	v_mov_b32_e32 v2, 48
	v_mov_b32_e32 v3, 49
	v_mov_b32_e32 v4, 50
	v_mov_b32_e32 v5, 51
	scratch_store_dwordx4 off, v[2:5], off offset:192
	s_nop 1
	v_mov_b32_e32 v2, 52
	v_mov_b32_e32 v3, 53
	v_mov_b32_e32 v4, 54
	v_mov_b32_e32 v5, 55
	scratch_store_dwordx4 off, v[2:5], off offset:208
	s_nop 1
	v_mov_b32_e32 v2, 56
	v_mov_b32_e32 v3, 57
	v_mov_b32_e32 v4, 58
	v_mov_b32_e32 v5, 59
	scratch_store_dwordx4 off, v[2:5], off offset:224
	s_nop 1
	v_mov_b32_e32 v2, 60
	v_mov_b32_e32 v3, 61
	v_mov_b32_e32 v4, 62
	v_mov_b32_e32 v5, 63
	scratch_store_dwordx4 off, v[2:5], off offset:240
	s_cbranch_scc1 .LBB4_8
.LBB4_4:
	global_load_dword v43, v42, s[66:67]
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, operations@rel32@lo+4
	s_addc_u32 s1, s1, operations@rel32@hi+12
	s_add_u32 s50, s36, 32
	s_addc_u32 s51, s37, 0
	s_mov_b64 s[54:55], exec
	s_waitcnt vmcnt(0)
	v_and_b32_e32 v0, 3, v43
	v_lshlrev_b32_e32 v0, 3, v0
	global_load_dwordx2 v[2:3], v0, s[0:1]
	v_and_b32_e32 v0, 0xff, v56
	v_lshl_add_u32 v0, v0, 2, 0
	ds_read_b32 v0, v0
	s_waitcnt lgkmcnt(0)
	v_and_b32_e32 v1, 7, v0
.LBB4_5:
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s0, v2
	v_readfirstlane_b32 s1, v3
	s_nop 1
	v_cmp_eq_u64_e32 vcc, s[0:1], v[2:3]
	s_and_saveexec_b64 s[64:65], vcc
	s_mov_b64 s[4:5], s[48:49]
	s_mov_b64 s[6:7], s[38:39]
	s_mov_b64 s[8:9], s[50:51]
	s_mov_b64 s[10:11], s[34:35]
	s_mov_b32 s12, s53
	s_mov_b32 s13, s52
	s_mov_b32 s14, s33
	v_mov_b32_e32 v31, v40
	v_mov_b32_e32 v0, v41
	s_swappc_b64 s[30:31], s[0:1]
	s_xor_b64 exec, exec, s[64:65]
	s_cbranch_execnz .LBB4_5
	s_mov_b64 exec, s[54:55]
	v_and_b32_e32 v1, 63, v0
	v_lshlrev_b32_e32 v1, 2, v1
	scratch_load_dword v2, v1, off
	s_add_i32 s71, s71, -1
	s_add_u32 s66, s66, 4
	s_addc_u32 s67, s67, 0
	v_add_u32_e32 v56, 1, v56
	s_cmp_eq_u32 s71, 0
	v_mov_b32_e32 v41, v0
	s_waitcnt vmcnt(0)
	v_add_u32_e32 v2, v2, v43
	scratch_store_dword v1, v2, off
	s_cbranch_scc0 .LBB4_4
	v_mov_b32_e32 v41, v0
.LBB4_8:
	s_waitcnt lgkmcnt(0)
	v_lshrrev_b32_e32 v0, 2, v41
	v_and_b32_e32 v0, 0xfc, v0
	scratch_load_dword v2, v0, off
	v_mov_b32_e32 v0, s68
	v_mov_b32_e32 v1, s69
	v_ashrrev_i32_e32 v47, 31, v46
	v_lshl_add_u64 v[0:1], v[46:47], 2, v[0:1]
	s_waitcnt vmcnt(0)
	v_add_u32_e32 v2, v2, v41
	global_store_dword v[0:1], v2, off
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
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 1
		.amdhsa_enable_private_segment 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 2
		.amdhsa_next_free_vgpr max(totalnumvgprs(table_walk.num_agpr, table_walk.num_vgpr), 1, 0)
		.amdhsa_next_free_sgpr max(table_walk.numbered_sgpr+6, 1, 0)-6
		.amdhsa_accum_offset (((((alignto(max(1, table_walk.num_vgpr), 4)/4)-1)&~65536)&63)+1)*4
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
.Lfunc_end4:
	.size	table_walk, .Lfunc_end4-table_walk
	.set table_walk.num_vgpr, max(57, amdgpu.max_num_vgpr)
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
	s_load_dword s3, s[0:1], 0x10
	v_mov_b32_e32 v3, v0
	v_lshl_or_b32 v4, s2, 6, v3
	s_mov_b32 s32, 0
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_i32_e32 vcc, s3, v4
	s_and_saveexec_b64 s[2:3], vcc
	s_cbranch_execz .LBB5_2
	s_load_dwordx4 s[0:3], s[0:1], 0x0
	v_ashrrev_i32_e32 v5, 31, v4
	v_lshlrev_b64 v[6:7], 2, v[4:5]
	s_waitcnt lgkmcnt(0)
	v_lshl_add_u64 v[0:1], s[0:1], 0, v[6:7]
	global_load_dword v0, v[0:1], off
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, _ZL6op_mixii@rel32@lo+4
	s_addc_u32 s1, s1, _ZL6op_mixii@rel32@hi+12
	v_mov_b32_e32 v1, v4
	s_swappc_b64 s[30:31], s[0:1]
	v_lshlrev_b32_e32 v1, 2, v3
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, history@rel32@lo+4
	s_addc_u32 s1, s1, history@rel32@hi+12
	global_store_dword v1, v0, s[0:1]
	v_ashrrev_i32_e32 v1, 1, v0
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, _ZL6op_addii@rel32@lo+4
	s_addc_u32 s1, s1, _ZL6op_addii@rel32@hi+12
	s_swappc_b64 s[30:31], s[0:1]
	v_lshl_add_u64 v[2:3], s[2:3], 0, v[6:7]
	global_store_dword v[2:3], v0, off
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
		.amdhsa_next_free_sgpr 33
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
	.p2alignl 6, 3212836864
	.fill 256, 4, 3212836864
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
    .sgpr_count:     78
    .sgpr_spill_count: 0
    .symbol:         table_walk.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: true
    .vgpr_count:     57
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
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 20
    .max_flat_workgroup_size: 64
    .name:           remember
    .private_segment_fixed_size: 0
    .sgpr_count:     39
    .sgpr_spill_count: 0
    .symbol:         remember.kd
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
