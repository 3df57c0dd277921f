; clang 22.1.8 -O3 --offload-arch=gfx942 l1_040_layernorm.hip (kernels/build.py)
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 6
	.text
	.protected	layernorm
	.globl	layernorm
	.p2align	8
	.type	layernorm,@function
layernorm:
	s_load_dword s18, s[0:1], 0x20
	s_load_dwordx8 s[4:11], s[0:1], 0x0
	v_mov_b32_e32 v35, 0
	v_mov_b32_e32 v19, 0
	v_mov_b32_e32 v18, 0
	s_waitcnt lgkmcnt(0)
	s_ashr_i32 s0, s18, 31
	v_cmp_gt_i32_e32 vcc, s18, v0
	s_mul_i32 s19, s0, s2
	s_mul_hi_u32 s20, s18, s2
	s_mul_i32 s2, s18, s2
	v_lshlrev_b32_e32 v34, 2, v0
	s_and_saveexec_b64 s[12:13], vcc
	s_cbranch_execz .LBB0_4
	s_add_i32 s3, s20, s19
	s_lshl_b64 s[0:1], s[2:3], 2
	s_add_u32 s0, s4, s0
	s_addc_u32 s1, s5, s1
	v_lshl_add_u64 v[2:3], s[0:1], 0, v[34:35]
	s_mov_b64 s[14:15], 0
	v_mov_b32_e32 v18, 0
	v_mov_b32_e32 v19, 0
	s_mov_b64 s[16:17], 0x1000
	v_mov_b32_e32 v1, v0
.LBB0_2:
	global_load_dword v4, v[2:3], off
	v_add_u32_e32 v1, 0x400, v1
	v_cmp_le_i32_e64 s[0:1], s18, v1
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[16:17]
	s_or_b64 s[14:15], s[0:1], s[14:15]
	s_waitcnt vmcnt(0)
	v_mul_f32_e32 v5, v4, v4
	v_pk_add_f32 v[18:19], v[18:19], v[4:5]
	s_andn2_b64 exec, exec, s[14:15]
	s_cbranch_execnz .LBB0_2
	s_or_b64 exec, exec, s[14:15]
.LBB0_4:
	s_or_b64 exec, exec, s[12:13]
	v_mbcnt_lo_u32_b32 v1, -1, 0
	v_mbcnt_hi_u32_b32 v1, -1, v1
	v_lshlrev_b32_e32 v3, 2, v1
	v_xor_b32_e32 v1, 0x80, v3
	ds_bpermute_b32 v2, v1, v18
	v_xor_b32_e32 v20, 64, v3
	v_xor_b32_e32 v21, 32, v3
	v_xor_b32_e32 v22, 16, v3
	v_xor_b32_e32 v23, 8, v3
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v18, v2
	ds_bpermute_b32 v4, v20, v2
	v_xor_b32_e32 v24, 4, v3
	v_lshrrev_b32_e32 v18, 4, v0
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v2, v4
	ds_bpermute_b32 v4, v21, v2
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v2, v4
	ds_bpermute_b32 v4, v22, v2
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v2, v4
	ds_bpermute_b32 v4, v23, v2
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v2, v4
	ds_bpermute_b32 v3, v24, v2
	v_and_b32_e32 v4, 63, v0
	v_cmp_eq_u32_e64 s[0:1], 0, v4
	s_and_saveexec_b64 s[12:13], s[0:1]
	s_cbranch_execz .LBB0_6
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v2, v3
	ds_write_b32 v18, v2
.LBB0_6:
	s_or_b64 exec, exec, s[12:13]
	v_mov_b32_e32 v35, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[14:17], v35
	ds_read_b128 v[10:13], v35 offset:16
	ds_read_b128 v[6:9], v35 offset:32
	ds_read_b128 v[2:5], v35 offset:48
	ds_bpermute_b32 v1, v1, v19
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v19, v1
	ds_bpermute_b32 v19, v20, v1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v1, v19
	ds_bpermute_b32 v19, v21, v1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v1, v19
	ds_bpermute_b32 v19, v22, v1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v1, v19
	ds_bpermute_b32 v19, v23, v1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v1, v19
	ds_bpermute_b32 v19, v24, v1
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[12:13], s[0:1]
	v_add_f32_e32 v1, v1, v19
	ds_write_b32 v18, v1
	s_or_b64 exec, exec, s[12:13]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[30:33], v35
	ds_read_b128 v[26:29], v35 offset:16
	ds_read_b128 v[22:25], v35 offset:32
	ds_read_b128 v[18:21], v35 offset:48
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_11
	v_add_f32_e32 v1, 0, v14
	v_add_f32_e32 v1, v1, v15
	v_add_f32_e32 v1, v1, v16
	v_add_f32_e32 v1, v1, v17
	v_add_f32_e32 v1, v1, v10
	v_add_f32_e32 v1, v1, v11
	v_add_f32_e32 v1, v1, v12
	v_add_f32_e32 v1, v1, v13
	v_add_f32_e32 v1, v1, v6
	v_add_f32_e32 v1, v1, v7
	v_add_f32_e32 v1, v1, v8
	v_add_f32_e32 v1, v1, v9
	v_add_f32_e32 v1, v1, v2
	v_add_f32_e32 v2, 0, v30
	v_add_f32_e32 v2, v2, v31
	v_add_f32_e32 v1, v1, v3
	v_add_f32_e32 v2, v2, v32
	v_cvt_f32_i32_e32 v3, s18
	v_add_f32_e32 v2, v2, v33
	v_add_f32_e32 v1, v1, v4
	v_add_f32_e32 v2, v2, v26
	v_add_f32_e32 v1, v1, v5
	v_add_f32_e32 v2, v2, v27
	v_add_f32_e32 v2, v2, v28
	v_div_scale_f32 v4, s[0:1], v3, v3, v1
	v_add_f32_e32 v2, v2, v29
	v_rcp_f32_e32 v5, v4
	v_add_f32_e32 v2, v2, v22
	v_add_f32_e32 v2, v2, v23
	v_add_f32_e32 v2, v2, v24
	v_add_f32_e32 v2, v2, v25
	v_fma_f32 v6, -v4, v5, 1.0
	v_add_f32_e32 v2, v2, v18
	v_fmac_f32_e32 v5, v6, v5
	v_div_scale_f32 v6, vcc, v1, v3, v1
	v_add_f32_e32 v2, v2, v19
	v_mul_f32_e32 v7, v6, v5
	v_add_f32_e32 v2, v2, v20
	v_fma_f32 v8, -v4, v7, v6
	v_add_f32_e32 v2, v2, v21
	v_fmac_f32_e32 v7, v8, v5
	v_fma_f32 v4, -v4, v7, v6
	v_div_scale_f32 v6, s[0:1], v3, v3, v2
	v_rcp_f32_e32 v8, v6
	v_div_fmas_f32 v4, v4, v5, v7
	v_div_fixup_f32 v1, v4, v3, v1
	s_mov_b32 s0, 0xf800000
	v_fma_f32 v4, -v6, v8, 1.0
	v_fmac_f32_e32 v8, v4, v8
	v_div_scale_f32 v4, vcc, v2, v3, v2
	v_mul_f32_e32 v5, v4, v8
	v_fma_f32 v7, -v6, v5, v4
	v_fmac_f32_e32 v5, v7, v8
	v_fma_f32 v4, -v6, v5, v4
	v_div_fmas_f32 v4, v4, v8, v5
	v_div_fixup_f32 v2, v4, v3, v2
	v_fma_f32 v2, -v1, v1, v2
	v_add_f32_e32 v2, 0x3727c5ac, v2
	v_mul_f32_e32 v3, 0x4f800000, v2
	v_cmp_gt_f32_e32 vcc, s0, v2
	s_add_i32 s3, s20, s19
	v_mov_b32_e32 v35, 0
	v_cndmask_b32_e32 v2, v2, v3, vcc
	v_sqrt_f32_e32 v3, v2
	v_lshl_add_u64 v[8:9], s[2:3], 2, v[34:35]
	s_mov_b64 s[2:3], 0x1000
	v_add_u32_e32 v4, -1, v3
	v_fma_f32 v5, -v4, v3, v2
	v_cmp_ge_f32_e64 s[0:1], 0, v5
	v_add_u32_e32 v5, 1, v3
	s_nop 0
	v_cndmask_b32_e64 v4, v3, v4, s[0:1]
	v_fma_f32 v3, -v5, v3, v2
	v_cmp_lt_f32_e64 s[0:1], 0, v3
	s_nop 1
	v_cndmask_b32_e64 v3, v4, v5, s[0:1]
	v_mul_f32_e32 v4, 0x37800000, v3
	v_cndmask_b32_e32 v3, v3, v4, vcc
	v_mov_b32_e32 v4, 0x260
	v_cmp_class_f32_e32 vcc, v2, v4
	s_nop 1
	v_cndmask_b32_e32 v2, v3, v2, vcc
	v_div_scale_f32 v3, s[0:1], v2, v2, 1.0
	v_rcp_f32_e32 v4, v3
	s_mov_b64 s[0:1], 0
	v_fma_f32 v5, -v3, v4, 1.0
	v_fmac_f32_e32 v4, v5, v4
	v_div_scale_f32 v5, vcc, 1.0, v2, 1.0
	v_mul_f32_e32 v6, v5, v4
	v_fma_f32 v7, -v3, v6, v5
	v_fmac_f32_e32 v6, v7, v4
	v_fma_f32 v3, -v3, v6, v5
	v_div_fmas_f32 v3, v3, v4, v6
	v_div_fixup_f32 v10, v3, v2, 1.0
	v_lshl_add_u64 v[2:3], s[4:5], 0, v[8:9]
	v_lshl_add_u64 v[4:5], s[6:7], 0, v[34:35]
	v_lshl_add_u64 v[6:7], s[8:9], 0, v[34:35]
	v_lshl_add_u64 v[8:9], s[10:11], 0, v[8:9]
.LBB0_10:
	global_load_dword v11, v[2:3], off
	global_load_dword v12, v[4:5], off
	global_load_dword v13, v[6:7], off
	v_add_u32_e32 v0, 0x400, v0
	v_cmp_le_i32_e32 vcc, s18, v0
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[2:3]
	v_lshl_add_u64 v[4:5], v[4:5], 0, s[2:3]
	v_lshl_add_u64 v[6:7], v[6:7], 0, s[2:3]
	s_or_b64 s[0:1], vcc, s[0:1]
	s_waitcnt vmcnt(2)
	v_sub_f32_e32 v11, v11, v1
	v_mul_f32_e32 v11, v10, v11
	s_waitcnt vmcnt(0)
	v_fmac_f32_e32 v13, v12, v11
	global_store_dword v[8:9], v13, off
	v_lshl_add_u64 v[8:9], v[8:9], 0, s[2:3]
	s_andn2_b64 exec, exec, s[0:1]
	s_cbranch_execnz .LBB0_10
.LBB0_11:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel layernorm
		.amdhsa_group_segment_fixed_size 64
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
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 36
		.amdhsa_next_free_sgpr 21
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
	.size	layernorm, .Lfunc_end0-layernorm
	.set layernorm.num_vgpr, 36
	.set layernorm.num_agpr, 0
	.set layernorm.numbered_sgpr, 21
	.set layernorm.num_named_barrier, 0
	.set layernorm.private_seg_size, 0
	.set layernorm.uses_vcc, 1
	.set layernorm.uses_flat_scratch, 0
	.set layernorm.has_dyn_sized_stack, 0
	.set layernorm.has_recursion, 0
	.set layernorm.has_indirect_call, 0
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
    .group_segment_fixed_size: 64
    .kernarg_segment_align: 8
    .kernarg_segment_size: 36
    .max_flat_workgroup_size: 1024
    .name:           layernorm
    .private_segment_fixed_size: 0
    .sgpr_count:     27
    .sgpr_spill_count: 0
    .symbol:         layernorm.kd
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
