; clang 22.1.8 -O3 --offload-arch=gfx90a l1_089_cumsum.hip (kernels/build.py)
	.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
	.amdhsa_code_object_version 6
	.text
	.protected	cumsum
	.globl	cumsum
	.p2align	8
	.type	cumsum,@function
cumsum:
	s_load_dword s18, s[4:5], 0x10
	s_waitcnt lgkmcnt(0)
	s_cmp_lt_i32 s18, 1
	s_cbranch_scc1 .LBB0_23
	s_ashr_i32 s7, s18, 31
	s_load_dwordx4 s[20:23], s[4:5], 0x0
	s_mul_hi_u32 s24, s18, s6
	s_mul_i32 s7, s7, s6
	s_add_i32 s7, s24, s7
	s_mul_i32 s6, s18, s6
	v_lshlrev_b32_e32 v1, 2, v0
	s_lshl_b64 s[6:7], s[6:7], 2
	v_mov_b32_e32 v2, s7
	v_add_co_u32_e32 v4, vcc, s6, v1
	v_addc_co_u32_e32 v5, vcc, 0, v2, vcc
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v3, s23
	v_add_co_u32_e32 v2, vcc, s22, v4
	v_addc_co_u32_e32 v3, vcc, v3, v5, vcc
	s_movk_i32 s14, 0x7f
	v_mov_b32_e32 v15, s21
	v_add_co_u32_e32 v4, vcc, s20, v4
	s_mov_b32 s19, 0
	v_cmp_ne_u32_e64 s[0:1], 0, v0
	v_add_u32_e32 v6, -4, v1
	v_cmp_lt_u32_e64 s[2:3], 1, v0
	v_add_u32_e32 v7, -8, v1
	v_cmp_lt_u32_e64 s[4:5], 3, v0
	v_add_u32_e32 v8, -16, v1
	v_cmp_lt_u32_e64 s[16:17], 7, v0
	v_subrev_u32_e32 v9, 32, v1
	v_cmp_lt_u32_e64 s[8:9], 15, v0
	v_subrev_u32_e32 v10, 64, v1
	v_cmp_lt_u32_e64 s[10:11], 31, v0
	v_add_u32_e32 v11, 0xffffff80, v1
	v_cmp_lt_u32_e64 s[12:13], 63, v0
	v_add_u32_e32 v12, 0xffffff00, v1
	v_cmp_lt_u32_e64 s[14:15], s14, v0
	v_add_u32_e32 v13, 0xfffffe00, v1
	v_mov_b32_e32 v14, 0
	v_addc_co_u32_e32 v5, vcc, v15, v5, vcc
	v_mov_b32_e32 v15, 0
	s_branch .LBB0_3
.LBB0_2:
	s_or_b64 exec, exec, s[6:7]
	ds_read_b32 v16, v14 offset:1020
	v_add_co_u32_e32 v2, vcc, 0x400, v2
	v_addc_co_u32_e32 v3, vcc, 0, v3, vcc
	s_addk_i32 s19, 0x100
	v_add_co_u32_e32 v4, vcc, 0x400, v4
	s_cmp_ge_i32 s19, s18
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v15, v15, v16
	v_addc_co_u32_e32 v5, vcc, 0, v5, vcc
	s_barrier
	s_cbranch_scc1 .LBB0_23
.LBB0_3:
	v_add_u32_e32 v16, s19, v0
	v_mov_b32_e32 v17, 0
	v_cmp_gt_i32_e32 vcc, s18, v16
	v_mov_b32_e32 v16, v17
	s_and_saveexec_b64 s[6:7], vcc
	s_cbranch_execz .LBB0_5
	global_load_dword v16, v[4:5], off
.LBB0_5:
	s_or_b64 exec, exec, s[6:7]
	s_waitcnt vmcnt(0)
	ds_write_b32 v1, v16
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[6:7], s[0:1]
	ds_read_b32 v17, v6
	s_or_b64 exec, exec, s[6:7]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v18, v1
	v_mov_b32_e32 v16, 0
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v17, v17, v18
	ds_write_b32 v1, v17
	v_mov_b32_e32 v17, v16
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[6:7], s[2:3]
	ds_read_b32 v17, v7
	s_or_b64 exec, exec, s[6:7]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v18, v1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v17, v17, v18
	ds_write_b32 v1, v17
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[6:7], s[4:5]
	ds_read_b32 v16, v8
	s_or_b64 exec, exec, s[6:7]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v18, v1
	v_mov_b32_e32 v17, 0
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v16, v16, v18
	ds_write_b32 v1, v16
	v_mov_b32_e32 v16, v17
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[6:7], s[16:17]
	ds_read_b32 v16, v9
	s_or_b64 exec, exec, s[6:7]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v18, v1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v16, v16, v18
	ds_write_b32 v1, v16
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[6:7], s[8:9]
	ds_read_b32 v17, v10
	s_or_b64 exec, exec, s[6:7]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v18, v1
	v_mov_b32_e32 v16, 0
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v17, v17, v18
	ds_write_b32 v1, v17
	v_mov_b32_e32 v17, v16
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[6:7], s[10:11]
	ds_read_b32 v17, v11
	s_or_b64 exec, exec, s[6:7]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v18, v1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v17, v17, v18
	ds_write_b32 v1, v17
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[6:7], s[12:13]
	ds_read_b32 v16, v12
	s_or_b64 exec, exec, s[6:7]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v17, v1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v16, v16, v17
	ds_write_b32 v1, v16
	v_mov_b32_e32 v16, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[6:7], s[14:15]
	ds_read_b32 v16, v13
	s_or_b64 exec, exec, s[6:7]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v17, v1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v16, v16, v17
	ds_write_b32 v1, v16
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[6:7], vcc
	s_cbranch_execz .LBB0_2
	ds_read_b32 v16, v1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v16, v15, v16
	global_store_dword v[2:3], v16, off
	s_branch .LBB0_2
.LBB0_23:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel cumsum
		.amdhsa_group_segment_fixed_size 1024
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 20
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
		.amdhsa_next_free_vgpr 19
		.amdhsa_next_free_sgpr 25
		.amdhsa_accum_offset 20
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
	.size	cumsum, .Lfunc_end0-cumsum
	.set cumsum.num_vgpr, 19
	.set cumsum.num_agpr, 0
	.set cumsum.numbered_sgpr, 25
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
    .sgpr_count:     29
    .sgpr_spill_count: 0
    .symbol:         cumsum.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     19
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx90a
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
