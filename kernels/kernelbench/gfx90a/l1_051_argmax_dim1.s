; clang 22.1.8 -O3 --offload-arch=gfx90a l1_051_argmax_dim1.hip (kernels/build.py)
	.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
	.amdhsa_code_object_version 6
	.text
	.protected	argmax_dim1
	.globl	argmax_dim1
	.p2align	8
	.type	argmax_dim1,@function
argmax_dim1:
	s_load_dwordx4 s[8:11], s[4:5], 0x10
	v_lshl_or_b32 v0, s6, 8, v0
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_i32_e32 vcc, s10, v0
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_5
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_cmp_lt_i32 s8, 2
	v_pk_mov_b32 v[2:3], 0, 0
	v_ashrrev_i32_e32 v1, 31, v0
	s_cbranch_scc1 .LBB0_4
	s_abs_i32 s4, s9
	v_cvt_f32_u32_e32 v2, s4
	v_sub_u32_e32 v3, 0, v0
	s_sub_i32 s6, 0, s4
	v_max_i32_e32 v4, v3, v0
	v_rcp_iflag_f32_e32 v2, v2
	s_ashr_i32 s5, s9, 31
	v_xor_b32_e32 v5, s5, v1
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	v_mul_lo_u32 v3, s6, v2
	v_mul_hi_u32 v3, v2, v3
	v_add_u32_e32 v2, v2, v3
	v_mad_u64_u32 v[2:3], s[6:7], v4, v2, 0
	v_mul_lo_u32 v2, v3, s4
	v_sub_u32_e32 v2, v4, v2
	v_add_u32_e32 v6, 1, v3
	v_cmp_le_u32_e32 vcc, s4, v2
	v_subrev_u32_e32 v4, s4, v2
	v_cndmask_b32_e32 v3, v3, v6, vcc
	v_cndmask_b32_e32 v2, v2, v4, vcc
	v_add_u32_e32 v4, 1, v3
	v_cmp_le_u32_e32 vcc, s4, v2
	v_cndmask_b32_e32 v2, v3, v4, vcc
	v_xor_b32_e32 v2, v2, v5
	v_sub_u32_e32 v7, v2, v5
	v_ashrrev_i32_e32 v2, 31, v7
	s_mul_hi_i32 s4, s9, s8
	s_mul_i32 s6, s9, s8
	v_mul_lo_u32 v4, s6, v2
	v_mul_lo_u32 v5, s4, v7
	v_mad_u64_u32 v[2:3], s[6:7], s6, v7, 0
	v_add3_u32 v3, v3, v4, v5
	v_lshlrev_b64 v[2:3], 2, v[2:3]
	s_waitcnt lgkmcnt(0)
	v_add_co_u32_e32 v5, vcc, s0, v2
	v_mul_lo_u32 v2, v7, s9
	v_mov_b32_e32 v4, s1
	v_sub_u32_e32 v2, v0, v2
	v_addc_co_u32_e32 v6, vcc, v4, v3, vcc
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshlrev_b64 v[2:3], 2, v[2:3]
	v_add_co_u32_e32 v4, vcc, v5, v2
	v_addc_co_u32_e32 v5, vcc, v6, v3, vcc
	global_load_dword v6, v[4:5], off
	v_mad_i64_i32 v[4:5], s[6:7], s8, v7, 0
	v_lshlrev_b64 v[4:5], 2, v[4:5]
	v_add_co_u32_e32 v4, vcc, 4, v4
	v_addc_co_u32_e32 v5, vcc, 0, v5, vcc
	s_mov_b32 s4, s9
	v_mad_u64_u32 v[2:3], s[6:7], v4, s9, v[2:3]
	v_mul_lo_u32 v4, v4, s5
	v_mul_lo_u32 v5, v5, s9
	v_add3_u32 v3, v5, v3, v4
	v_mov_b32_e32 v5, s1
	v_add_co_u32_e32 v4, vcc, s0, v2
	s_lshl_b64 s[0:1], s[4:5], 2
	v_addc_co_u32_e32 v5, vcc, v5, v3, vcc
	s_mov_b64 s[4:5], 1
	v_pk_mov_b32 v[2:3], 0, 0
	v_mov_b32_e32 v7, s1
.LBB0_3:
	global_load_dword v8, v[4:5], off
	v_add_co_u32_e32 v4, vcc, s0, v4
	v_mov_b32_e32 v10, s4
	s_add_u32 s4, s4, 1
	v_addc_co_u32_e32 v5, vcc, v5, v7, vcc
	v_mov_b32_e32 v9, s5
	s_addc_u32 s5, s5, 0
	s_cmp_eq_u32 s8, s4
	s_waitcnt vmcnt(0)
	v_cmp_gt_f32_e32 vcc, v8, v6
	v_cndmask_b32_e32 v6, v6, v8, vcc
	v_cndmask_b32_e32 v3, v3, v9, vcc
	v_cndmask_b32_e32 v2, v2, v10, vcc
	s_cbranch_scc0 .LBB0_3
.LBB0_4:
	v_lshlrev_b64 v[0:1], 3, v[0:1]
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v4, s3
	v_add_co_u32_e32 v0, vcc, s2, v0
	v_addc_co_u32_e32 v1, vcc, v4, v1, vcc
	global_store_dwordx2 v[0:1], v[2:3], off
.LBB0_5:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel argmax_dim1
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 28
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
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 11
		.amdhsa_next_free_sgpr 12
		.amdhsa_accum_offset 12
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
	.size	argmax_dim1, .Lfunc_end0-argmax_dim1
	.set argmax_dim1.num_vgpr, 11
	.set argmax_dim1.num_agpr, 0
	.set argmax_dim1.numbered_sgpr, 12
	.set argmax_dim1.num_named_barrier, 0
	.set argmax_dim1.private_seg_size, 0
	.set argmax_dim1.uses_vcc, 1
	.set argmax_dim1.uses_flat_scratch, 0
	.set argmax_dim1.has_dyn_sized_stack, 0
	.set argmax_dim1.has_recursion, 0
	.set argmax_dim1.has_indirect_call, 0
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
    .name:           argmax_dim1
    .private_segment_fixed_size: 0
    .sgpr_count:     16
    .sgpr_spill_count: 0
    .symbol:         argmax_dim1.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     11
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx90a
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
