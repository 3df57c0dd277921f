; clang 22.1.8 -O3 --offload-arch=gfx90a l1_067_conv1d.hip (kernels/build.py)
	.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
	.amdhsa_code_object_version 6
	.text
	.protected	conv1d
	.globl	conv1d
	.p2align	8
	.type	conv1d,@function
conv1d:
	s_load_dwordx4 s[0:3], s[4:5], 0x18
	v_lshl_or_b32 v0, s6, 8, v0
	s_waitcnt lgkmcnt(0)
	s_add_i32 s6, s2, -2
	v_cmp_gt_i32_e32 vcc, s6, v0
	s_and_saveexec_b64 s[10:11], vcc
	s_cbranch_execz .LBB0_7
	s_load_dwordx4 s[12:15], s[4:5], 0x0
	s_load_dwordx2 s[10:11], s[4:5], 0x10
	s_cmp_gt_i32 s0, 0
	v_ashrrev_i32_e32 v1, 31, v0
	s_cbranch_scc1 .LBB0_3
	s_ashr_i32 s9, s8, 31
	v_mov_b32_e32 v4, 0
	s_cbranch_execz .LBB0_4
	s_branch .LBB0_6
.LBB0_3:
	v_mov_b32_e32 v4, 0
.LBB0_4:
	s_mul_i32 s5, s8, s2
	s_mul_hi_i32 s16, s8, s2
	s_mul_i32 s16, s16, s0
	s_mul_hi_u32 s17, s5, s0
	s_add_i32 s17, s17, s16
	s_mul_i32 s16, s5, s0
	s_ashr_i32 s9, s8, 31
	s_ashr_i32 s3, s2, 31
	s_lshl_b64 s[16:17], s[16:17], 2
	s_waitcnt lgkmcnt(0)
	s_add_u32 s5, s12, s16
	v_lshlrev_b64 v[2:3], 2, v[0:1]
	s_addc_u32 s12, s13, s17
	v_mov_b32_e32 v4, s12
	v_add_co_u32_e32 v2, vcc, s5, v2
	v_addc_co_u32_e32 v3, vcc, v4, v3, vcc
	s_mul_i32 s4, s7, s0
	v_add_co_u32_e32 v2, vcc, 4, v2
	s_lshl_b64 s[2:3], s[2:3], 2
	s_mul_i32 s4, s4, 3
	v_addc_co_u32_e32 v3, vcc, 0, v3, vcc
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v5, s3
.LBB0_5:
	global_load_dwordx3 v[6:8], v[2:3], off offset:-4
	s_ashr_i32 s5, s4, 31
	s_lshl_b64 s[12:13], s[4:5], 2
	s_add_u32 s12, s14, s12
	s_addc_u32 s13, s15, s13
	s_load_dwordx2 s[16:17], s[12:13], 0x0
	s_load_dword s19, s[12:13], 0x8
	v_add_co_u32_e32 v2, vcc, s2, v2
	s_add_i32 s0, s0, -1
	s_waitcnt lgkmcnt(0)
	s_mov_b32 s18, s17
	s_add_i32 s4, s4, 3
	v_addc_co_u32_e32 v3, vcc, v3, v5, vcc
	s_cmp_lg_u32 s0, 0
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v10, v7
	v_mov_b32_e32 v11, v8
	v_fmac_f32_e32 v4, s16, v6
	v_pk_mul_f32 v[6:7], s[18:19], v[10:11]
	v_add_f32_e32 v4, v4, v6
	v_add_f32_e32 v4, v4, v7
	s_cbranch_scc1 .LBB0_5
.LBB0_6:
	s_ashr_i32 s0, s1, 31
	s_mul_hi_u32 s2, s8, s1
	s_mul_i32 s0, s8, s0
	s_add_i32 s0, s2, s0
	s_mul_i32 s2, s9, s1
	s_add_i32 s0, s0, s2
	s_mul_i32 s1, s8, s1
	s_ashr_i32 s2, s7, 31
	s_add_u32 s3, s1, s7
	s_addc_u32 s0, s0, s2
	s_ashr_i32 s1, s6, 31
	s_mul_i32 s1, s3, s1
	s_mul_hi_u32 s2, s3, s6
	s_add_i32 s1, s2, s1
	s_mul_i32 s0, s0, s6
	s_add_i32 s1, s1, s0
	s_mul_i32 s0, s3, s6
	s_lshl_b64 s[0:1], s[0:1], 2
	s_waitcnt lgkmcnt(0)
	s_add_u32 s0, s10, s0
	s_addc_u32 s1, s11, s1
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	v_mov_b32_e32 v2, s1
	v_add_co_u32_e32 v0, vcc, s0, v0
	v_addc_co_u32_e32 v1, vcc, v2, v1, vcc
	global_store_dword v[0:1], v4, off
.LBB0_7:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel conv1d
		.amdhsa_group_segment_fixed_size 0
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
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 12
		.amdhsa_next_free_sgpr 20
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
	.size	conv1d, .Lfunc_end0-conv1d
	.set conv1d.num_vgpr, 12
	.set conv1d.num_agpr, 0
	.set conv1d.numbered_sgpr, 20
	.set conv1d.num_named_barrier, 0
	.set conv1d.private_seg_size, 0
	.set conv1d.uses_vcc, 1
	.set conv1d.uses_flat_scratch, 0
	.set conv1d.has_dyn_sized_stack, 0
	.set conv1d.has_recursion, 0
	.set conv1d.has_indirect_call, 0
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
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 36
    .max_flat_workgroup_size: 256
    .name:           conv1d
    .private_segment_fixed_size: 0
    .sgpr_count:     24
    .sgpr_spill_count: 0
    .symbol:         conv1d.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     12
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx90a
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
