; clang 22.1.8 -O3 --offload-arch=gfx942 matmul_f32.hip (kernels/build.py)
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 6
	.text
	.protected	matmul_f32
	.globl	matmul_f32
	.p2align	8
	.type	matmul_f32,@function
matmul_f32:
	s_load_dwordx4 s[8:11], s[0:1], 0x0
	s_load_dwordx2 s[12:13], s[0:1], 0x10
	s_load_dwordx4 s[4:7], s[0:1], 0x18
	v_and_b32_e32 v2, 0x3ff, v0
	v_bfe_u32 v3, v0, 10, 10
	s_lshl_b32 s2, s2, 4
	v_lshl_add_u32 v1, s3, 4, v3
	v_add_u32_e32 v0, s2, v2
	s_waitcnt lgkmcnt(0)
	s_cmp_lt_i32 s6, 1
	v_mov_b32_e32 v7, 0
	v_cmp_gt_i32_e32 vcc, s4, v1
	v_cmp_gt_i32_e64 s[0:1], s5, v0
	s_cbranch_scc1 .LBB0_9
	v_lshlrev_b32_e32 v8, 6, v3
	v_lshlrev_b32_e32 v4, 2, v2
	v_add_u32_e32 v9, v8, v4
	v_add_u32_e32 v10, 0x400, v4
	v_mul_lo_u32 v4, v3, s5
	v_add3_u32 v4, v2, v4, s2
	v_mad_u64_u32 v[6:7], s[2:3], s6, v1, v[2:3]
	v_mov_b32_e32 v11, 0
	s_lshl_b32 s7, s5, 4
	s_mov_b32 s18, 0
	v_mov_b32_e32 v7, v11
	s_branch .LBB0_4
.LBB0_2:
	s_or_b64 exec, exec, s[16:17]
.LBB0_3:
	s_or_b64 exec, exec, s[14:15]
	s_waitcnt vmcnt(0)
	ds_write_b32 v9, v5 offset:1024
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[12:15], v8
	ds_read_b128 v[16:19], v8 offset:16
	ds_read_b128 v[20:23], v8 offset:32
	ds_read_b128 v[24:27], v8 offset:48
	ds_read2_b32 v[28:29], v10 offset1:16
	ds_read2_b32 v[30:31], v10 offset0:32 offset1:48
	ds_read2_b32 v[32:33], v10 offset0:64 offset1:80
	ds_read2_b32 v[34:35], v10 offset0:96 offset1:112
	ds_read2_b32 v[36:37], v10 offset0:128 offset1:144
	ds_read2_b32 v[38:39], v10 offset0:160 offset1:176
	ds_read2_b32 v[40:41], v10 offset0:192 offset1:208
	ds_read2_b32 v[42:43], v10 offset0:224 offset1:240
	s_waitcnt lgkmcnt(7)
	v_fmac_f32_e32 v7, v12, v28
	v_fmac_f32_e32 v7, v13, v29
	s_waitcnt lgkmcnt(6)
	v_fmac_f32_e32 v7, v14, v30
	s_waitcnt lgkmcnt(5)
	v_pk_mul_f32 v[16:17], v[16:17], v[32:33]
	v_fmac_f32_e32 v7, v15, v31
	v_add_f32_e32 v5, v7, v16
	s_waitcnt lgkmcnt(4)
	v_pk_mul_f32 v[18:19], v[18:19], v[34:35]
	v_add_f32_e32 v5, v5, v17
	v_add_f32_e32 v5, v5, v18
	s_waitcnt lgkmcnt(3)
	v_pk_mul_f32 v[20:21], v[20:21], v[36:37]
	v_add_f32_e32 v5, v5, v19
	v_add_f32_e32 v5, v5, v20
	s_waitcnt lgkmcnt(2)
	v_pk_mul_f32 v[22:23], v[22:23], v[38:39]
	v_add_f32_e32 v5, v5, v21
	v_add_f32_e32 v5, v5, v22
	s_waitcnt lgkmcnt(1)
	v_pk_mul_f32 v[24:25], v[24:25], v[40:41]
	v_add_f32_e32 v5, v5, v23
	v_add_f32_e32 v5, v5, v24
	s_waitcnt lgkmcnt(0)
	v_pk_mul_f32 v[26:27], v[26:27], v[42:43]
	v_add_f32_e32 v5, v5, v25
	s_add_i32 s18, s18, 16
	v_add_f32_e32 v5, v5, v26
	s_cmp_ge_i32 s18, s6
	v_add_f32_e32 v7, v5, v27
	v_add_u32_e32 v4, s7, v4
	s_barrier
	s_cbranch_scc1 .LBB0_9
.LBB0_4:
	v_add_u32_e32 v5, s18, v2
	v_cmp_gt_i32_e64 s[2:3], s6, v5
	s_and_b64 s[14:15], vcc, s[2:3]
	v_mov_b32_e32 v5, v11
	s_and_saveexec_b64 s[2:3], s[14:15]
	s_cbranch_execz .LBB0_6
	v_add_u32_e32 v12, s18, v6
	v_ashrrev_i32_e32 v13, 31, v12
	v_lshl_add_u64 v[12:13], v[12:13], 2, s[8:9]
	global_load_dword v5, v[12:13], off
.LBB0_6:
	s_or_b64 exec, exec, s[2:3]
	s_waitcnt vmcnt(0)
	ds_write_b32 v9, v5
	v_mov_b32_e32 v5, 0
	s_and_saveexec_b64 s[14:15], s[0:1]
	s_cbranch_execz .LBB0_3
	v_add_u32_e32 v5, s18, v3
	v_cmp_gt_i32_e64 s[2:3], s6, v5
	v_mov_b32_e32 v5, 0
	s_and_saveexec_b64 s[16:17], s[2:3]
	s_cbranch_execz .LBB0_2
	v_ashrrev_i32_e32 v5, 31, v4
	v_lshl_add_u64 v[12:13], v[4:5], 2, s[10:11]
	global_load_dword v5, v[12:13], off
	s_branch .LBB0_2
.LBB0_9:
	v_cmp_gt_i32_e32 vcc, s4, v1
	v_cmp_gt_i32_e64 s[0:1], s5, v0
	s_and_b64 s[0:1], vcc, s[0:1]
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_cbranch_execz .LBB0_11
	v_mad_u64_u32 v[0:1], s[0:1], s5, v1, v[0:1]
	v_mov_b32_e32 v2, s12
	v_mov_b32_e32 v3, s13
	v_ashrrev_i32_e32 v1, 31, v0
	v_lshl_add_u64 v[0:1], v[0:1], 2, v[2:3]
	global_store_dword v[0:1], v7, off
.LBB0_11:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel matmul_f32
		.amdhsa_group_segment_fixed_size 2048
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
		.amdhsa_system_vgpr_workitem_id 1
		.amdhsa_next_free_vgpr 44
		.amdhsa_next_free_sgpr 19
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
	.size	matmul_f32, .Lfunc_end0-matmul_f32
	.set matmul_f32.num_vgpr, 44
	.set matmul_f32.num_agpr, 0
	.set matmul_f32.numbered_sgpr, 19
	.set matmul_f32.num_named_barrier, 0
	.set matmul_f32.private_seg_size, 0
	.set matmul_f32.uses_vcc, 1
	.set matmul_f32.uses_flat_scratch, 0
	.set matmul_f32.has_dyn_sized_stack, 0
	.set matmul_f32.has_recursion, 0
	.set matmul_f32.has_indirect_call, 0
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
    .name:           matmul_f32
    .private_segment_fixed_size: 0
    .sgpr_count:     25
    .sgpr_spill_count: 0
    .symbol:         matmul_f32.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     44
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
