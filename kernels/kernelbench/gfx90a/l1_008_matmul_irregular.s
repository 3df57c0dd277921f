; clang 22.1.8 -O3 --offload-arch=gfx90a l1_008_matmul_irregular.hip (kernels/build.py)
	.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
	.amdhsa_code_object_version 6
	.text
	.protected	matmul_irregular
	.globl	matmul_irregular
	.p2align	8
	.type	matmul_irregular,@function
matmul_irregular:
	s_load_dwordx4 s[12:15], s[4:5], 0x0
	s_load_dwordx2 s[16:17], s[4:5], 0x10
	s_load_dwordx4 s[8:11], s[4:5], 0x18
	v_and_b32_e32 v7, 0x3ff, v0
	v_bfe_u32 v8, v0, 10, 10
	v_lshl_add_u32 v6, s7, 4, v8
	v_lshl_add_u32 v0, s6, 4, v7
	s_waitcnt lgkmcnt(0)
	s_cmp_lt_i32 s10, 1
	v_mov_b32_e32 v11, 0
	v_cmp_gt_i32_e32 vcc, s8, v6
	v_cmp_gt_i32_e64 s[0:1], s9, v0
	v_ashrrev_i32_e32 v1, 31, v0
	s_cbranch_scc1 .LBB0_7
	v_mad_u64_u32 v[2:3], s[2:3], s10, v6, 0
	v_ashrrev_i32_e32 v5, 31, v6
	v_mov_b32_e32 v4, v3
	v_mad_u64_u32 v[4:5], s[2:3], s10, v5, v[4:5]
	v_mov_b32_e32 v3, v4
	v_lshlrev_b64 v[2:3], 2, v[2:3]
	v_mov_b32_e32 v4, s13
	v_add_co_u32_e64 v2, s[2:3], s12, v2
	v_addc_co_u32_e64 v3, s[2:3], v4, v3, s[2:3]
	v_lshlrev_b32_e32 v4, 2, v7
	v_add_co_u32_e64 v2, s[2:3], v2, v4
	v_lshlrev_b32_e32 v9, 6, v8
	v_addc_co_u32_e64 v3, s[2:3], 0, v3, s[2:3]
	v_add_u32_e32 v10, v9, v4
	v_add_u32_e32 v12, 0x400, v4
	v_mad_i64_i32 v[4:5], s[2:3], s9, v8, 0
	v_lshlrev_b64 v[4:5], 2, v[4:5]
	v_lshlrev_b64 v[14:15], 2, v[0:1]
	v_add_co_u32_e64 v4, s[2:3], v4, v14
	s_ashr_i32 s5, s9, 31
	s_mov_b32 s4, s9
	v_addc_co_u32_e64 v5, s[2:3], v5, v15, s[2:3]
	v_mov_b32_e32 v11, s15
	v_add_co_u32_e64 v4, s[2:3], s14, v4
	s_lshl_b64 s[4:5], s[4:5], 6
	v_mov_b32_e32 v13, 0
	v_addc_co_u32_e64 v5, s[2:3], v11, v5, s[2:3]
	s_mov_b32 s6, 0
	v_mov_b32_e32 v14, s5
	v_mov_b32_e32 v11, v13
	s_branch .LBB0_3
.LBB0_2:
	s_or_b64 exec, exec, s[2:3]
	s_waitcnt vmcnt(0)
	ds_write_b32 v10, v15 offset:1024
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[16:19], v9
	ds_read_b128 v[20:23], v9 offset:16
	ds_read_b128 v[24:27], v9 offset:32
	ds_read_b128 v[28:31], v9 offset:48
	ds_read2_b32 v[32:33], v12 offset1:16
	ds_read2_b32 v[34:35], v12 offset0:32 offset1:48
	ds_read2_b32 v[36:37], v12 offset0:64 offset1:80
	ds_read2_b32 v[38:39], v12 offset0:96 offset1:112
	ds_read2_b32 v[40:41], v12 offset0:128 offset1:144
	ds_read2_b32 v[42:43], v12 offset0:160 offset1:176
	ds_read2_b32 v[44:45], v12 offset0:192 offset1:208
	ds_read2_b32 v[46:47], v12 offset0:224 offset1:240
	s_waitcnt lgkmcnt(7)
	v_fmac_f32_e32 v11, v16, v32
	v_fmac_f32_e32 v11, v17, v33
	s_waitcnt lgkmcnt(6)
	v_fmac_f32_e32 v11, v18, v34
	s_waitcnt lgkmcnt(5)
	v_pk_mul_f32 v[20:21], v[20:21], v[36:37]
	v_fmac_f32_e32 v11, v19, v35
	v_add_f32_e32 v11, v11, v20
	s_waitcnt lgkmcnt(4)
	v_pk_mul_f32 v[22:23], v[22:23], v[38:39]
	v_add_f32_e32 v11, v11, v21
	v_add_f32_e32 v11, v11, v22
	s_waitcnt lgkmcnt(3)
	v_pk_mul_f32 v[24:25], v[24:25], v[40:41]
	v_add_f32_e32 v11, v11, v23
	v_add_f32_e32 v11, v11, v24
	s_waitcnt lgkmcnt(2)
	v_pk_mul_f32 v[26:27], v[26:27], v[42:43]
	v_add_f32_e32 v11, v11, v25
	v_add_f32_e32 v11, v11, v26
	s_waitcnt lgkmcnt(1)
	v_pk_mul_f32 v[28:29], v[28:29], v[44:45]
	v_add_f32_e32 v11, v11, v27
	v_add_co_u32_e64 v4, s[2:3], s4, v4
	v_add_f32_e32 v11, v11, v28
	v_addc_co_u32_e64 v5, s[2:3], v5, v14, s[2:3]
	s_waitcnt lgkmcnt(0)
	v_pk_mul_f32 v[30:31], v[30:31], v[46:47]
	v_add_f32_e32 v11, v11, v29
	s_add_i32 s6, s6, 16
	v_add_f32_e32 v11, v11, v30
	v_add_co_u32_e64 v2, s[2:3], 64, v2
	s_cmp_ge_i32 s6, s10
	v_add_f32_e32 v11, v11, v31
	v_addc_co_u32_e64 v3, s[2:3], 0, v3, s[2:3]
	s_barrier
	s_cbranch_scc1 .LBB0_7
.LBB0_3:
	v_add_u32_e32 v15, s6, v7
	v_cmp_gt_i32_e64 s[2:3], s10, v15
	s_and_b64 s[12:13], vcc, s[2:3]
	v_mov_b32_e32 v15, v13
	s_and_saveexec_b64 s[2:3], s[12:13]
	s_cbranch_execz .LBB0_5
	global_load_dword v15, v[2:3], off
.LBB0_5:
	s_or_b64 exec, exec, s[2:3]
	s_waitcnt vmcnt(0)
	ds_write_b32 v10, v15
	v_add_u32_e32 v15, s6, v8
	v_cmp_gt_i32_e64 s[2:3], s10, v15
	s_and_b64 s[12:13], s[0:1], s[2:3]
	v_mov_b32_e32 v15, 0
	s_and_saveexec_b64 s[2:3], s[12:13]
	s_cbranch_execz .LBB0_2
	global_load_dword v15, v[4:5], off
	s_branch .LBB0_2
.LBB0_7:
	v_cmp_gt_i32_e32 vcc, s8, v6
	v_cmp_gt_i32_e64 s[0:1], s9, v0
	s_and_b64 s[0:1], vcc, s[0:1]
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_cbranch_execz .LBB0_9
	v_mad_i64_i32 v[2:3], s[0:1], s9, v6, 0
	v_lshlrev_b64 v[2:3], 2, v[2:3]
	v_mov_b32_e32 v4, s17
	v_add_co_u32_e32 v2, vcc, s16, v2
	v_addc_co_u32_e32 v3, vcc, v4, v3, vcc
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	v_add_co_u32_e32 v0, vcc, v2, v0
	v_addc_co_u32_e32 v1, vcc, v3, v1, vcc
	global_store_dword v[0:1], v11, off
.LBB0_9:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel matmul_irregular
		.amdhsa_group_segment_fixed_size 2048
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 36
		.amdhsa_user_sgpr_count 6
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_flat_scratch_init 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_system_sgpr_private_segment_wavefront_offset 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 1
		.amdhsa_next_free_vgpr 48
		.amdhsa_next_free_sgpr 18
		.amdhsa_accum_offset 48
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 0
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
	.size	matmul_irregular, .Lfunc_end0-matmul_irregular
	.set matmul_irregular.num_vgpr, 48
	.set matmul_irregular.num_agpr, 0
	.set matmul_irregular.numbered_sgpr, 18
	.set matmul_irregular.num_named_barrier, 0
	.set matmul_irregular.private_seg_size, 0
	.set matmul_irregular.uses_vcc, 1
	.set matmul_irregular.uses_flat_scratch, 0
	.set matmul_irregular.has_dyn_sized_stack, 0
	.set matmul_irregular.has_recursion, 0
	.set matmul_irregular.has_indirect_call, 0
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
    .group_segment_fixed_size: 2048
    .kernarg_segment_align: 8
    .kernarg_segment_size: 36
    .max_flat_workgroup_size: 256
    .name:           matmul_irregular
    .private_segment_fixed_size: 0
    .sgpr_count:     22
    .sgpr_spill_count: 0
    .symbol:         matmul_irregular.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     48
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx90a
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
