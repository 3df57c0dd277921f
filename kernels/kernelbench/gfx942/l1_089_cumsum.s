; clang 22.1.8 -O3 --offload-arch=gfx942 l1_089_cumsum.hip (kernels/build.py)
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 6
	.text
	.protected	cumsum
	.globl	cumsum
	.p2align	8
	.type	cumsum,@function
cumsum:
	s_load_dword s20, s[0:1], 0x10
	s_waitcnt lgkmcnt(0)
	s_cmp_lt_i32 s20, 1
	s_cbranch_scc1 .LBB0_23
	s_load_dwordx4 s[24:27], s[0:1], 0x0
	s_ashr_i32 s3, s20, 31
	s_mul_hi_u32 s14, s20, s2
	s_mul_i32 s3, s3, s2
	v_lshlrev_b32_e32 v2, 2, v0
	s_add_i32 s3, s14, s3
	s_mul_i32 s2, s20, s2
	v_mov_b32_e32 v3, 0
	s_movk_i32 s12, 0x7f
	v_lshl_add_u64 v[6:7], s[2:3], 2, v[2:3]
	s_mov_b32 s21, 0
	v_cmp_ne_u32_e32 vcc, 0, v0
	v_add_u32_e32 v1, -4, v2
	v_cmp_lt_u32_e64 s[0:1], 1, v0
	v_add_u32_e32 v8, -8, v2
	v_cmp_lt_u32_e64 s[16:17], 3, v0
	v_add_u32_e32 v9, -16, v2
	v_cmp_lt_u32_e64 s[4:5], 7, v0
	v_subrev_u32_e32 v10, 32, v2
	v_cmp_lt_u32_e64 s[6:7], 15, v0
	v_subrev_u32_e32 v11, 64, v2
	v_cmp_lt_u32_e64 s[8:9], 31, v0
	v_add_u32_e32 v12, 0xffffff80, v2
	v_cmp_lt_u32_e64 s[10:11], 63, v0
	v_add_u32_e32 v13, 0xffffff00, v2
	v_cmp_lt_u32_e64 s[12:13], s12, v0
	v_add_u32_e32 v14, 0xfffffe00, v2
	s_waitcnt lgkmcnt(0)
	v_lshl_add_u64 v[4:5], s[26:27], 0, v[6:7]
	v_lshl_add_u64 v[6:7], s[24:25], 0, v[6:7]
	s_mov_b64 s[2:3], 0x400
	v_mov_b32_e32 v15, 0
	s_branch .LBB0_3
.LBB0_2:
	s_or_b64 exec, exec, s[18:19]
	ds_read_b32 v16, v3 offset:1020
	s_addk_i32 s21, 0x100
	v_lshl_add_u64 v[4:5], v[4:5], 0, s[2:3]
	s_cmp_ge_i32 s21, s20
	v_lshl_add_u64 v[6:7], v[6:7], 0, s[2:3]
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v15, v15, v16
	s_barrier
	s_cbranch_scc1 .LBB0_23
.LBB0_3:
	v_add_u32_e32 v16, s21, v0
	v_mov_b32_e32 v17, 0
	v_cmp_gt_i32_e64 s[14:15], s20, v16
	v_mov_b32_e32 v16, v17
	s_and_saveexec_b64 s[18:19], s[14:15]
	s_cbranch_execz .LBB0_5
	global_load_dword v16, v[6:7], off
.LBB0_5:
	s_or_b64 exec, exec, s[18:19]
	s_waitcnt vmcnt(0)
	ds_write_b32 v2, v16
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[18:19], vcc
	ds_read_b32 v17, v1
	s_or_b64 exec, exec, s[18:19]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v18, v2
	v_mov_b32_e32 v16, 0
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v17, v17, v18
	ds_write_b32 v2, v17
	v_mov_b32_e32 v17, v16
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[18:19], s[0:1]
	ds_read_b32 v17, v8
	s_or_b64 exec, exec, s[18:19]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v18, v2
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v17, v17, v18
	ds_write_b32 v2, v17
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[18:19], s[16:17]
	ds_read_b32 v16, v9
	s_or_b64 exec, exec, s[18:19]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v18, v2
	v_mov_b32_e32 v17, 0
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v16, v16, v18
	ds_write_b32 v2, v16
	v_mov_b32_e32 v16, v17
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[18:19], s[4:5]
	ds_read_b32 v16, v10
	s_or_b64 exec, exec, s[18:19]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v18, v2
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v16, v16, v18
	ds_write_b32 v2, v16
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[18:19], s[6:7]
	ds_read_b32 v17, v11
	s_or_b64 exec, exec, s[18:19]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v18, v2
	v_mov_b32_e32 v16, 0
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v17, v17, v18
	ds_write_b32 v2, v17
	v_mov_b32_e32 v17, v16
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[18:19], s[8:9]
	ds_read_b32 v17, v12
	s_or_b64 exec, exec, s[18:19]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v18, v2
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v17, v17, v18
	ds_write_b32 v2, v17
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[18:19], s[10:11]
	ds_read_b32 v16, v13
	s_or_b64 exec, exec, s[18:19]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v17, v2
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v16, v16, v17
	ds_write_b32 v2, v16
	v_mov_b32_e32 v16, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[18:19], s[12:13]
	ds_read_b32 v16, v14
	s_or_b64 exec, exec, s[18:19]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v17, v2
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v16, v16, v17
	ds_write_b32 v2, v16
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[18:19], s[14:15]
	s_cbranch_execz .LBB0_2
	ds_read_b32 v16, v2
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v16, v15, v16
	global_store_dword v[4:5], v16, off
	s_branch .LBB0_2
.LBB0_23:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel cumsum
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
		.amdhsa_next_free_vgpr 19
		.amdhsa_next_free_sgpr 28
		.amdhsa_accum_offset 20
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
	.size	cumsum, .Lfunc_end0-cumsum
	.set cumsum.num_vgpr, 19
	.set cumsum.num_agpr, 0
	.set cumsum.numbered_sgpr, 28
	.set cumsum.num_named_barrier, 0
	.set cumsum.private_seg_size, 0
	.set cumsum.uses_vcc, 1
	.set cumsum.uses_flat_scratch, 0
	.set cumsum.has_dyn_sized_stack, 0
	.set cumsum.has_recursion, 0
	.set cumsum.has_indirect_call, 0
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
    .group_segment_fixed_size: 1024
    .kernarg_segment_align: 8
    .kernarg_segment_size: 20
    .max_flat_workgroup_size: 256
    .name:           cumsum
    .private_segment_fixed_size: 0
    .sgpr_count:     34
    .sgpr_spill_count: 0
    .symbol:         cumsum.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     19
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
