; clang 22.1.8 -O3 --offload-arch=gfx90a l1_016_matmul_ta.hip (kernels/build.py)
	.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
	.amdhsa_code_object_version 6
	.text
	.protected	matmul_ta
	.globl	matmul_ta
	.p2align	8
	.type	matmul_ta,@function
matmul_ta:
	s_load_dwordx4 s[0:3], s[4:5], 0x18
	s_load_dwordx4 s[8:11], s[4:5], 0x0
	s_load_dwordx2 s[12:13], s[4:5], 0x10
	s_lshl_b32 s14, s6, 5
	s_waitcnt lgkmcnt(0)
	s_cmp_gt_i32 s2, 0
	s_cbranch_scc1 .LBB0_2
	s_ashr_i32 s5, s1, 31
	s_mov_b32 s4, s1
	s_ashr_i32 s15, s14, 31
	s_mov_b64 s[16:17], 0
	s_branch .LBB0_3
.LBB0_2:
	s_mov_b64 s[16:17], -1
.LBB0_3:
	v_and_b32_e32 v1, 0x3ff, v0
	v_bfe_u32 v8, v0, 10, 10
	s_lshl_b32 s6, s7, 5
	s_andn2_b64 vcc, exec, s[16:17]
	v_lshlrev_b32_e32 v9, 3, v1
	s_cbranch_vccnz .LBB0_6
	v_lshlrev_b32_e32 v4, 2, v1
	s_ashr_i32 s15, s14, 31
	v_mad_i64_i32 v[0:1], s[18:19], s1, v8, 0
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	s_lshl_b64 s[18:19], s[14:15], 2
	v_mov_b32_e32 v2, s19
	v_add_co_u32_e32 v0, vcc, s18, v0
	v_addc_co_u32_e32 v1, vcc, v1, v2, vcc
	v_add_co_u32_e32 v0, vcc, v0, v4
	v_addc_co_u32_e32 v1, vcc, 0, v1, vcc
	v_mov_b32_e32 v2, s11
	v_add_co_u32_e32 v0, vcc, s10, v0
	v_addc_co_u32_e32 v1, vcc, v2, v1, vcc
	s_ashr_i32 s17, s0, 31
	s_mov_b32 s16, s0
	s_ashr_i32 s7, s6, 31
	s_ashr_i32 s5, s1, 31
	s_mov_b32 s4, s1
	v_add_co_u32_e32 v0, vcc, 64, v0
	v_mad_i64_i32 v[2:3], s[0:1], s0, v8, 0
	v_addc_co_u32_e32 v1, vcc, 0, v1, vcc
	v_lshlrev_b64 v[2:3], 2, v[2:3]
	s_lshl_b64 s[0:1], s[6:7], 2
	v_mov_b32_e32 v5, s1
	v_add_co_u32_e32 v2, vcc, s0, v2
	v_addc_co_u32_e32 v3, vcc, v3, v5, vcc
	v_add_co_u32_e32 v2, vcc, v2, v4
	v_addc_co_u32_e32 v3, vcc, 0, v3, vcc
	v_lshl_add_u32 v10, v8, 7, v4
	v_mov_b32_e32 v4, s9
	v_add_co_u32_e32 v2, vcc, s8, v2
	v_addc_co_u32_e32 v3, vcc, v4, v3, vcc
	s_lshl_b64 s[10:11], s[4:5], 6
	v_add_co_u32_e32 v2, vcc, 64, v2
	s_lshl_b64 s[0:1], s[16:17], 6
	v_lshlrev_b32_e32 v11, 3, v8
	v_addc_co_u32_e32 v3, vcc, 0, v3, vcc
	s_mov_b32 s3, 0
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
	v_mov_b32_e32 v12, s11
	v_mov_b32_e32 v13, s1
	v_add_u32_e32 v14, 0x800, v10
	v_add_u32_e32 v15, 0x800, v9
.LBB0_5:
	global_load_dword v16, v[2:3], off offset:-64
	global_load_dword v17, v[2:3], off
	global_load_dword v18, v[0:1], off offset:-64
	global_load_dword v19, v[0:1], off
	v_add_co_u32_e32 v0, vcc, s10, v0
	v_addc_co_u32_e32 v1, vcc, v1, v12, vcc
	s_add_i32 s3, s3, 16
	v_add_co_u32_e32 v2, vcc, s0, v2
	v_addc_co_u32_e32 v3, vcc, v3, v13, vcc
	s_cmp_ge_i32 s3, s2
	s_waitcnt vmcnt(2)
	ds_write2_b32 v10, v16, v17 offset1:16
	s_waitcnt vmcnt(0)
	ds_write2_b32 v14, v18, v19 offset1:16
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read2_b64 v[16:19], v11 offset1:16
	ds_read2_b64 v[20:23], v11 offset0:32 offset1:48
	ds_read2_b64 v[24:27], v11 offset0:64 offset1:80
	ds_read2_b64 v[28:31], v15 offset1:16
	ds_read2_b64 v[32:35], v15 offset0:32 offset1:48
	ds_read2_b64 v[36:39], v15 offset0:64 offset1:80
	ds_read2_b64 v[40:43], v11 offset0:96 offset1:112
	ds_read2_b64 v[44:47], v15 offset0:96 offset1:112
	ds_read2_b64 v[48:51], v11 offset0:128 offset1:144
	ds_read2_b64 v[52:55], v11 offset0:160 offset1:176
	ds_read2_b64 v[56:59], v11 offset0:192 offset1:208
	s_waitcnt lgkmcnt(7)
	v_pk_fma_f32 v[6:7], v[16:17], v[28:29], v[6:7] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[4:5], v[16:17], v[28:29], v[4:5] op_sel:[1,0,0]
	v_pk_fma_f32 v[28:29], v[18:19], v[30:31], v[6:7] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[30:31], v[18:19], v[30:31], v[4:5] op_sel:[1,0,0]
	s_waitcnt lgkmcnt(6)
	v_pk_fma_f32 v[28:29], v[20:21], v[32:33], v[28:29] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[20:21], v[20:21], v[32:33], v[30:31] op_sel:[1,0,0]
	v_pk_fma_f32 v[32:33], v[22:23], v[34:35], v[28:29] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[34:35], v[22:23], v[34:35], v[20:21] op_sel:[1,0,0]
	s_waitcnt lgkmcnt(5)
	v_pk_fma_f32 v[32:33], v[24:25], v[36:37], v[32:33] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[24:25], v[24:25], v[36:37], v[34:35] op_sel:[1,0,0]
	ds_read2_b64 v[16:19], v11 offset0:224 offset1:240
	ds_read2_b64 v[4:7], v15 offset0:128 offset1:144
	ds_read2_b64 v[20:23], v15 offset0:160 offset1:176
	ds_read2_b64 v[28:31], v15 offset0:192 offset1:208
	v_pk_fma_f32 v[32:33], v[26:27], v[38:39], v[32:33] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[34:35], v[26:27], v[38:39], v[24:25] op_sel:[1,0,0]
	ds_read2_b64 v[24:27], v15 offset0:224 offset1:240
	s_waitcnt lgkmcnt(8)
	v_pk_fma_f32 v[34:35], v[40:41], v[44:45], v[34:35] op_sel:[1,0,0]
	v_pk_fma_f32 v[32:33], v[40:41], v[44:45], v[32:33] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[34:35], v[42:43], v[46:47], v[34:35] op_sel:[1,0,0]
	v_pk_fma_f32 v[32:33], v[42:43], v[46:47], v[32:33] op_sel_hi:[0,1,1]
	s_waitcnt lgkmcnt(3)
	v_pk_fma_f32 v[34:35], v[48:49], v[4:5], v[34:35] op_sel:[1,0,0]
	v_pk_fma_f32 v[4:5], v[48:49], v[4:5], v[32:33] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[32:33], v[50:51], v[6:7], v[34:35] op_sel:[1,0,0]
	v_pk_fma_f32 v[4:5], v[50:51], v[6:7], v[4:5] op_sel_hi:[0,1,1]
	s_waitcnt lgkmcnt(2)
	v_pk_fma_f32 v[6:7], v[52:53], v[20:21], v[32:33] op_sel:[1,0,0]
	v_pk_fma_f32 v[4:5], v[52:53], v[20:21], v[4:5] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[6:7], v[54:55], v[22:23], v[6:7] op_sel:[1,0,0]
	v_pk_fma_f32 v[4:5], v[54:55], v[22:23], v[4:5] op_sel_hi:[0,1,1]
	s_waitcnt lgkmcnt(1)
	v_pk_fma_f32 v[6:7], v[56:57], v[28:29], v[6:7] op_sel:[1,0,0]
	v_pk_fma_f32 v[4:5], v[56:57], v[28:29], v[4:5] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[6:7], v[58:59], v[30:31], v[6:7] op_sel:[1,0,0]
	v_pk_fma_f32 v[4:5], v[58:59], v[30:31], v[4:5] op_sel_hi:[0,1,1]
	s_waitcnt lgkmcnt(0)
	v_pk_fma_f32 v[20:21], v[16:17], v[24:25], v[6:7] op_sel:[1,0,0]
	v_pk_fma_f32 v[4:5], v[16:17], v[24:25], v[4:5] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[6:7], v[18:19], v[26:27], v[4:5] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[4:5], v[18:19], v[26:27], v[20:21] op_sel:[1,0,0]
	s_barrier
	s_cbranch_scc0 .LBB0_5
	s_branch .LBB0_7
.LBB0_6:
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v7, 0
	v_mov_b32_e32 v6, 0
.LBB0_7:
	s_lshl_b64 s[0:1], s[14:15], 2
	s_add_u32 s0, s12, s0
	s_addc_u32 s1, s13, s1
	v_lshl_add_u32 v0, v8, 1, s6
	v_mov_b32_e32 v1, s1
	v_add_co_u32_e32 v2, vcc, s0, v9
	v_addc_co_u32_e32 v3, vcc, 0, v1, vcc
	v_ashrrev_i32_e32 v1, 31, v0
	v_mul_lo_u32 v8, s4, v1
	v_mul_lo_u32 v9, s5, v0
	v_mad_u64_u32 v[0:1], s[0:1], s4, v0, 0
	v_add3_u32 v1, v1, v8, v9
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	v_add_co_u32_e32 v0, vcc, v2, v0
	v_addc_co_u32_e32 v1, vcc, v3, v1, vcc
	s_lshl_b64 s[0:1], s[4:5], 2
	global_store_dwordx2 v[0:1], v[6:7], off
	v_mov_b32_e32 v2, s1
	v_add_co_u32_e32 v0, vcc, s0, v0
	v_addc_co_u32_e32 v1, vcc, v1, v2, vcc
	global_store_dwordx2 v[0:1], v[4:5], off
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel matmul_ta
		.amdhsa_group_segment_fixed_size 4096
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
		.amdhsa_next_free_vgpr 60
		.amdhsa_next_free_sgpr 20
		.amdhsa_accum_offset 60
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
	.size	matmul_ta, .Lfunc_end0-matmul_ta
	.set matmul_ta.num_vgpr, 60
	.set matmul_ta.num_agpr, 0
	.set matmul_ta.numbered_sgpr, 20
	.set matmul_ta.num_named_barrier, 0
	.set matmul_ta.private_seg_size, 0
	.set matmul_ta.uses_vcc, 1
	.set matmul_ta.uses_flat_scratch, 0
	.set matmul_ta.has_dyn_sized_stack, 0
	.set matmul_ta.has_recursion, 0
	.set matmul_ta.has_indirect_call, 0
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
    .group_segment_fixed_size: 4096
    .kernarg_segment_align: 8
    .kernarg_segment_size: 36
    .max_flat_workgroup_size: 256
    .name:           matmul_ta
    .private_segment_fixed_size: 0
    .sgpr_count:     24
    .sgpr_spill_count: 0
    .symbol:         matmul_ta.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     60
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx90a
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
