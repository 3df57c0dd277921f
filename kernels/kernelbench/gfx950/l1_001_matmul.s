; clang 22.1.8 -O3 --offload-arch=gfx950 l1_001_matmul.hip (kernels/build.py)
	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.protected	matmul
	.globl	matmul
	.p2align	8
	.type	matmul,@function
matmul:
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_load_dwordx2 s[10:11], s[0:1], 0x10
	s_load_dword s8, s[0:1], 0x18
	v_and_b32_e32 v4, 0x3ff, v0
	v_bfe_u32 v8, v0, 10, 10
	v_lshl_add_u32 v2, s3, 4, v8
	v_lshl_add_u32 v0, s2, 4, v4
	s_waitcnt lgkmcnt(0)
	s_cmp_gt_i32 s8, 0
	v_ashrrev_i32_e32 v3, 31, v2
	v_ashrrev_i32_e32 v1, 31, v0
	s_cbranch_scc1 .LBB0_2
	v_mov_b32_e32 v5, 0
	s_cbranch_execz .LBB0_3
	s_branch .LBB0_5
.LBB0_2:
	v_mov_b32_e32 v5, 0
.LBB0_3:
	v_mad_u64_u32 v[10:11], s[0:1], s8, v2, 0
	v_mov_b32_e32 v12, v11
	v_mad_u64_u32 v[12:13], s[0:1], s8, v3, v[12:13]
	v_mov_b32_e32 v6, s4
	v_mov_b32_e32 v7, s5
	v_mov_b32_e32 v11, v12
	v_lshlrev_b32_e32 v3, 6, v8
	v_mad_u64_u32 v[8:9], s[0:1], v8, s8, 0
	v_lshlrev_b64 v[12:13], 2, v[0:1]
	s_mov_b32 s9, 0
	v_lshl_add_u64 v[6:7], v[10:11], 2, v[6:7]
	v_lshlrev_b32_e32 v4, 2, v4
	v_lshl_add_u64 v[8:9], v[8:9], 2, v[12:13]
	v_lshl_add_u64 v[6:7], v[6:7], 0, v[4:5]
	v_add_u32_e32 v10, v3, v4
	v_add_u32_e32 v4, 0x400, v4
	v_lshl_add_u64 v[8:9], s[6:7], 0, v[8:9]
	s_lshl_b64 s[0:1], s[8:9], 6
	v_mov_b32_e32 v5, 0
.LBB0_4:
	global_load_dword v11, v[6:7], off
	global_load_dword v12, v[8:9], off
	s_add_i32 s9, s9, 16
	v_lshl_add_u64 v[8:9], v[8:9], 0, s[0:1]
	v_lshl_add_u64 v[6:7], v[6:7], 0, 64
	s_cmp_ge_i32 s9, s8
	s_waitcnt vmcnt(0)
	ds_write2st64_b32 v10, v11, v12 offset1:4
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[12:15], v3
	ds_read_b128 v[16:19], v3 offset:16
	ds_read_b128 v[20:23], v3 offset:32
	ds_read_b128 v[24:27], v3 offset:48
	ds_read2_b32 v[28:29], v4 offset1:16
	ds_read2_b32 v[30:31], v4 offset0:32 offset1:48
	ds_read2_b32 v[32:33], v4 offset0:64 offset1:80
	ds_read2_b32 v[34:35], v4 offset0:96 offset1:112
	ds_read2_b32 v[36:37], v4 offset0:128 offset1:144
	ds_read2_b32 v[38:39], v4 offset0:160 offset1:176
	ds_read2_b32 v[40:41], v4 offset0:192 offset1:208
	ds_read2_b32 v[42:43], v4 offset0:224 offset1:240
	s_waitcnt lgkmcnt(7)
	v_fmac_f32_e32 v5, v12, v28
	v_fmac_f32_e32 v5, v13, v29
	s_waitcnt lgkmcnt(6)
	v_fmac_f32_e32 v5, v14, v30
	s_waitcnt lgkmcnt(5)
	v_pk_mul_f32 v[16:17], v[16:17], v[32:33]
	v_fmac_f32_e32 v5, v15, v31
	v_add_f32_e32 v5, v5, v16
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
	v_add_f32_e32 v5, v5, v26
	v_add_f32_e32 v5, v5, v27
	s_barrier
	s_cbranch_scc0 .LBB0_4
.LBB0_5:
	v_mov_b32_e32 v6, s10
	v_mov_b32_e32 v7, s11
	v_mad_i64_i32 v[2:3], s[0:1], v2, s8, 0
	v_lshl_add_u64 v[2:3], v[2:3], 2, v[6:7]
	v_lshl_add_u64 v[0:1], v[0:1], 2, v[2:3]
	global_store_dword v[0:1], v5, off
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel matmul
		.amdhsa_group_segment_fixed_size 2048
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
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 1
		.amdhsa_next_free_vgpr 44
		.amdhsa_next_free_sgpr 12
		.amdhsa_accum_offset 44
		.amdhsa_reserve_vcc 0
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
	.size	matmul, .Lfunc_end0-matmul
	.set matmul.num_vgpr, 44
	.set matmul.num_agpr, 0
	.set matmul.numbered_sgpr, 12
	.set matmul.num_named_barrier, 0
	.set matmul.private_seg_size, 0
	.set matmul.uses_vcc, 0
	.set matmul.uses_flat_scratch, 0
	.set matmul.has_dyn_sized_stack, 0
	.set matmul.has_recursion, 0
	.set matmul.has_indirect_call, 0
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
    .group_segment_fixed_size: 2048
    .kernarg_segment_align: 8
    .kernarg_segment_size: 28
    .max_flat_workgroup_size: 256
    .name:           matmul
    .private_segment_fixed_size: 0
    .sgpr_count:     18
    .sgpr_spill_count: 0
    .symbol:         matmul.kd
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
