; clang 22.1.8 -O3 --offload-arch=gfx942 l2_076_gemm_add_relu_mfma.hip (kernels/build.py)
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 6
	.text
	.protected	gemm_add_relu_mfma
	.globl	gemm_add_relu_mfma
	.p2align	8
	.type	gemm_add_relu_mfma,@function
gemm_add_relu_mfma:
	s_load_dwordx2 s[12:13], s[0:1], 0x24
	s_mov_b32 s14, s3
	v_lshrrev_b32_e32 v2, 2, v0
	v_lshrrev_b32_e32 v3, 1, v0
	s_mov_b32 s15, 0
	s_waitcnt lgkmcnt(0)
	s_cmp_gt_i32 s13, 0
	v_lshrrev_b32_e32 v1, 3, v0
	s_cbranch_scc1 .LBB0_2
	v_and_b32_e32 v20, 4, v1
	s_mov_b64 s[16:17], 0
	s_branch .LBB0_3
.LBB0_2:
	s_mov_b64 s[16:17], -1
.LBB0_3:
	s_load_dwordx8 s[4:11], s[0:1], 0x0
	v_and_b32_e32 v21, 32, v2
	v_and_b32_e32 v22, 32, v3
	v_and_b32_e32 v23, 31, v0
	v_mov_b32_e32 v19, 0
	s_andn2_b64 vcc, exec, s[16:17]
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
	s_cbranch_vccnz .LBB0_8
	v_lshlrev_b32_e32 v2, 5, v23
	v_and_b32_e32 v20, 4, v1
	v_lshl_add_u32 v3, v21, 5, v2
	v_lshlrev_b32_e32 v1, 1, v20
	v_lshl_add_u32 v2, v22, 5, v2
	v_and_b32_e32 v4, 15, v0
	v_or_b32_e32 v26, 0xffffff00, v0
	v_lshrrev_b32_e32 v0, 4, v0
	v_or_b32_e32 v25, v2, v1
	v_lshlrev_b32_e32 v18, 1, v4
	s_lshl_b64 s[16:17], s[14:15], 7
	v_lshlrev_b32_e32 v2, 1, v0
	s_mov_b32 s3, s15
	s_ashr_i32 s1, s13, 31
	v_or_b32_e32 v3, v3, v1
	v_lshl_or_b32 v27, v0, 5, v18
	v_or_b32_e32 v0, s16, v2
	v_add_u32_e32 v24, 0x800, v3
	v_mul_lo_u32 v3, v0, s1
	v_mad_u64_u32 v[0:1], s[18:19], v0, s13, v[18:19]
	s_mul_i32 s15, s17, s13
	s_lshl_b64 s[16:17], s[2:3], 7
	s_mov_b32 s0, s13
	v_add3_u32 v1, s15, v1, v3
	v_or_b32_e32 v2, s16, v2
	s_waitcnt lgkmcnt(0)
	v_lshl_add_u64 v[0:1], s[4:5], 0, v[0:1]
	s_lshl_b64 s[4:5], s[0:1], 5
	v_mul_lo_u32 v4, v2, s1
	v_mad_u64_u32 v[2:3], s[18:19], v2, s13, v[18:19]
	s_mul_i32 s1, s17, s13
	v_add3_u32 v3, s1, v3, v4
	v_lshl_add_u64 v[18:19], s[6:7], 0, v[2:3]
	s_mov_b32 s1, 0
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
	s_movk_i32 s3, 0x2ff
.LBB0_5:
	s_mov_b64 s[6:7], 0
	s_mov_b64 s[16:17], 0
	v_mov_b32_e32 v28, v27
	v_mov_b32_e32 v29, v26
.LBB0_6:
	v_lshl_add_u64 v[30:31], v[0:1], 0, s[16:17]
	v_lshl_add_u64 v[32:33], v[18:19], 0, s[16:17]
	global_load_ushort v34, v[30:31], off
	global_load_ushort v35, v[32:33], off
	v_add_u32_e32 v29, 0x100, v29
	s_add_u32 s16, s16, s4
	s_addc_u32 s17, s17, s5
	v_cmp_lt_u32_e32 vcc, s3, v29
	s_or_b64 s[6:7], vcc, s[6:7]
	s_waitcnt vmcnt(1)
	ds_write_b16 v28, v34 offset:2048
	s_waitcnt vmcnt(0)
	ds_write_b16 v28, v35
	v_add_u32_e32 v28, 0x200, v28
	s_andn2_b64 exec, exec, s[6:7]
	s_cbranch_execnz .LBB0_6
	s_or_b64 exec, exec, s[6:7]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read2_b64 v[28:31], v24 offset1:2
	ds_read2_b64 v[32:35], v25 offset1:2
	s_add_i32 s1, s1, 16
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_bf16 v[2:17], v[28:29], v[32:33], v[2:17]
	v_lshl_add_u64 v[0:1], v[0:1], 0, 32
	s_cmp_ge_i32 s1, s0
	v_lshl_add_u64 v[18:19], v[18:19], 0, 32
	v_mfma_f32_32x32x8_bf16 v[2:17], v[30:31], v[34:35], v[2:17]
	s_barrier
	s_cbranch_scc0 .LBB0_5
.LBB0_8:
	s_lshl_b32 s0, s2, 6
	v_or3_b32 v0, s0, v23, v22
	v_ashrrev_i32_e32 v1, 31, v0
	s_lshl_b32 s0, s14, 6
	v_lshlrev_b64 v[18:19], 2, v[0:1]
	v_or3_b32 v20, v21, s0, v20
	s_waitcnt lgkmcnt(0)
	v_lshl_add_u64 v[0:1], s[8:9], 0, v[18:19]
	v_lshl_add_u64 v[18:19], s[10:11], 0, v[18:19]
	s_mov_b32 s0, 0
.LBB0_9:
	s_set_gpr_idx_on s0, gpr_idx(SRC0)
	v_mov_b32_e32 v21, v2
	s_set_gpr_idx_off
	global_load_dword v24, v[0:1], off
	v_mad_i64_i32 v[22:23], s[2:3], v20, s12, 0
	s_add_i32 s1, s0, 1
	v_lshl_add_u64 v[22:23], v[22:23], 2, v[18:19]
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v21, v21, v24
	v_max_f32_e32 v21, 0, v21
	global_store_dword v[22:23], v21, off
	s_set_gpr_idx_on s1, gpr_idx(SRC0)
	v_mov_b32_e32 v21, v2
	s_set_gpr_idx_off
	global_load_dword v24, v[0:1], off
	v_add_u32_e32 v22, 1, v20
	v_mad_i64_i32 v[22:23], s[2:3], v22, s12, 0
	s_add_i32 s1, s0, 2
	v_lshl_add_u64 v[22:23], v[22:23], 2, v[18:19]
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v21, v21, v24
	v_max_f32_e32 v21, 0, v21
	global_store_dword v[22:23], v21, off
	s_set_gpr_idx_on s1, gpr_idx(SRC0)
	v_mov_b32_e32 v21, v2
	s_set_gpr_idx_off
	global_load_dword v24, v[0:1], off
	v_add_u32_e32 v22, 2, v20
	v_mad_i64_i32 v[22:23], s[2:3], v22, s12, 0
	s_add_i32 s1, s0, 3
	v_lshl_add_u64 v[22:23], v[22:23], 2, v[18:19]
	s_add_i32 s0, s0, 4
	s_cmp_eq_u32 s0, 16
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v21, v21, v24
	v_max_f32_e32 v21, 0, v21
	global_store_dword v[22:23], v21, off
	s_set_gpr_idx_on s1, gpr_idx(SRC0)
	v_mov_b32_e32 v21, v2
	s_set_gpr_idx_off
	global_load_dword v24, v[0:1], off
	v_add_u32_e32 v22, 3, v20
	v_mad_i64_i32 v[22:23], s[2:3], v22, s12, 0
	v_add_u32_e32 v20, 8, v20
	v_lshl_add_u64 v[22:23], v[22:23], 2, v[18:19]
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v21, v21, v24
	v_max_f32_e32 v21, 0, v21
	global_store_dword v[22:23], v21, off
	s_cbranch_scc0 .LBB0_9
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel gemm_add_relu_mfma
		.amdhsa_group_segment_fixed_size 4096
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 44
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
		.amdhsa_next_free_vgpr 36
		.amdhsa_next_free_sgpr 20
		.amdhsa_accum_offset 36
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
	.size	gemm_add_relu_mfma, .Lfunc_end0-gemm_add_relu_mfma
	.set gemm_add_relu_mfma.num_vgpr, 36
	.set gemm_add_relu_mfma.num_agpr, 0
	.set gemm_add_relu_mfma.numbered_sgpr, 20
	.set gemm_add_relu_mfma.num_named_barrier, 0
	.set gemm_add_relu_mfma.private_seg_size, 0
	.set gemm_add_relu_mfma.uses_vcc, 1
	.set gemm_add_relu_mfma.uses_flat_scratch, 0
	.set gemm_add_relu_mfma.has_dyn_sized_stack, 0
	.set gemm_add_relu_mfma.has_recursion, 0
	.set gemm_add_relu_mfma.has_indirect_call, 0
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
      - .address_space:  global
        .offset:         24
        .size:           8
        .value_kind:     global_buffer
      - .offset:         32
        .size:           4
        .value_kind:     by_value
      - .offset:         36
        .size:           4
        .value_kind:     by_value
      - .offset:         40
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 4096
    .kernarg_segment_align: 8
    .kernarg_segment_size: 44
    .max_flat_workgroup_size: 256
    .name:           gemm_add_relu_mfma
    .private_segment_fixed_size: 0
    .sgpr_count:     26
    .sgpr_spill_count: 0
    .symbol:         gemm_add_relu_mfma.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     36
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
