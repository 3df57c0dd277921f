; clang 22.1.8 -O3 --offload-arch=gfx942 l2_030_gemm_groupnorm.hip (kernels/build.py)
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 6
	.text
	.protected	gemm_bias
	.globl	gemm_bias
	.p2align	8
	.type	gemm_bias,@function
gemm_bias:
	s_load_dwordx8 s[4:11], s[0:1], 0x0
	s_load_dwordx2 s[12:13], s[0:1], 0x24
	s_mov_b32 s14, s3
	v_and_b32_e32 v21, 0x3ff, v0
	v_bfe_u32 v20, v0, 10, 10
	s_mov_b32 s15, 0
	v_mov_b32_e32 v3, 0
	s_waitcnt lgkmcnt(0)
	s_cmp_lt_i32 s13, 1
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v7, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v9, 0
	v_mov_b32_e32 v8, 0
	v_mov_b32_e32 v13, 0
	v_mov_b32_e32 v12, 0
	v_mov_b32_e32 v11, 0
	v_mov_b32_e32 v10, 0
	v_mov_b32_e32 v15, 0
	v_mov_b32_e32 v14, 0
	v_mov_b32_e32 v17, 0
	v_mov_b32_e32 v16, 0
	v_mov_b32_e32 v19, 0
	v_mov_b32_e32 v18, 0
	s_cbranch_scc1 .LBB0_6
	v_lshlrev_b32_e32 v0, 4, v20
	v_add_u32_e32 v1, v0, v21
	s_movk_i32 s0, 0x400
	v_add_u32_e32 v22, 0x1000, v0
	v_lshrrev_b32_e32 v0, 2, v1
	v_cmp_gt_u32_e32 vcc, s0, v1
	v_and_b32_e32 v4, 15, v21
	v_and_b32_e32 v2, 0x1ffc, v0
	s_lshl_b64 s[0:1], s[14:15], 8
	s_ashr_i32 s17, s13, 31
	v_add_u32_e32 v24, 0xffffff00, v1
	v_lshl_add_u32 v25, v4, 8, v2
	v_lshl_add_u64 v[0:1], s[0:1], 0, v[2:3]
	v_lshlrev_b32_e32 v4, 2, v4
	v_mov_b32_e32 v5, v3
	s_mov_b32 s3, s15
	v_mul_lo_u32 v6, v0, s17
	v_mul_lo_u32 v7, v1, s13
	v_mad_u64_u32 v[0:1], s[0:1], v0, s13, v[4:5]
	s_lshl_b64 s[0:1], s[2:3], 8
	s_nop 0
	v_lshl_add_u64 v[2:3], s[0:1], 0, v[2:3]
	v_add3_u32 v1, v7, v1, v6
	v_mul_lo_u32 v6, v2, s17
	v_mul_lo_u32 v7, v3, s13
	v_mad_u64_u32 v[2:3], s[0:1], v2, s13, v[4:5]
	s_mov_b32 s16, s13
	v_add3_u32 v3, v7, v3, v6
	v_lshlrev_b32_e32 v23, 4, v21
	v_lshl_add_u64 v[0:1], s[4:5], 0, v[0:1]
	s_lshl_b64 s[4:5], s[16:17], 6
	v_lshl_add_u64 v[2:3], s[6:7], 0, v[2:3]
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
	v_mov_b32_e32 v18, 0
	v_mov_b32_e32 v19, 0
	v_mov_b32_e32 v14, 0
	v_mov_b32_e32 v15, 0
	v_mov_b32_e32 v12, 0
	v_mov_b32_e32 v13, 0
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v16, 0
	v_mov_b32_e32 v17, 0
	v_mov_b32_e32 v10, 0
	v_mov_b32_e32 v11, 0
	v_mov_b32_e32 v8, 0
	v_mov_b32_e32 v9, 0
	s_movk_i32 s3, 0x2ff
	s_branch .LBB0_3
.LBB0_2:
	s_or_b64 exec, exec, s[6:7]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[26:29], v22
	ds_read_b128 v[30:33], v22 offset:256
	ds_read_b128 v[34:37], v23
	ds_read_b128 v[38:41], v22 offset:512
	ds_read_b128 v[42:45], v22 offset:768
	ds_read_b128 v[46:49], v23 offset:256
	ds_read_b128 v[50:53], v23 offset:512
	s_waitcnt lgkmcnt(4)
	v_pk_fma_f32 v[18:19], v[26:27], v[34:35], v[18:19] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[14:15], v[26:27], v[34:35], v[14:15] op_sel:[1,0,0]
	v_pk_fma_f32 v[54:55], v[28:29], v[36:37], v[8:9] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[16:17], v[26:27], v[36:37], v[16:17] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[26:27], v[26:27], v[36:37], v[10:11] op_sel:[1,0,0]
	ds_read_b128 v[8:11], v23 offset:768
	v_pk_fma_f32 v[12:13], v[28:29], v[34:35], v[12:13] op_sel_hi:[0,1,1]
	s_waitcnt lgkmcnt(2)
	v_pk_fma_f32 v[12:13], v[32:33], v[46:47], v[12:13] op_sel_hi:[0,1,1]
	v_mov_b32_e32 v28, v29
	s_waitcnt lgkmcnt(1)
	v_pk_fma_f32 v[12:13], v[40:41], v[50:51], v[12:13] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[18:19], v[30:31], v[46:47], v[18:19] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[34:35], v[28:29], v[34:35], v[6:7] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[28:29], v[28:29], v[36:37], v[4:5] op_sel_hi:[0,1,1]
	ds_read_b128 v[4:7], v22 offset:1024
	s_waitcnt lgkmcnt(1)
	v_pk_fma_f32 v[36:37], v[44:45], v[8:9], v[12:13] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[56:57], v[30:31], v[46:47], v[14:15] op_sel:[1,0,0]
	v_pk_fma_f32 v[16:17], v[30:31], v[48:49], v[16:17] op_sel_hi:[0,1,1]
	ds_read_b128 v[12:15], v23 offset:1024
	v_pk_fma_f32 v[18:19], v[38:39], v[50:51], v[18:19] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[54:55], v[32:33], v[48:49], v[54:55] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[26:27], v[30:31], v[48:49], v[26:27] op_sel:[1,0,0]
	v_mov_b32_e32 v30, v33
	v_pk_fma_f32 v[32:33], v[42:43], v[8:9], v[18:19] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[18:19], v[38:39], v[50:51], v[56:57] op_sel:[1,0,0]
	v_pk_fma_f32 v[16:17], v[38:39], v[52:53], v[16:17] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[56:57], v[42:43], v[8:9], v[18:19] op_sel:[1,0,0]
	v_pk_fma_f32 v[18:19], v[40:41], v[52:53], v[54:55] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[58:59], v[42:43], v[10:11], v[16:17] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[16:17], v[38:39], v[52:53], v[26:27] op_sel:[1,0,0]
	v_pk_fma_f32 v[54:55], v[44:45], v[10:11], v[18:19] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[38:39], v[42:43], v[10:11], v[16:17] op_sel:[1,0,0]
	ds_read_b128 v[16:19], v22 offset:1280
	v_pk_fma_f32 v[34:35], v[30:31], v[46:47], v[34:35] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[30:31], v[30:31], v[48:49], v[28:29] op_sel_hi:[0,1,1]
	ds_read_b128 v[26:29], v23 offset:1280
	v_mov_b32_e32 v40, v41
	v_mov_b32_e32 v42, v45
	s_waitcnt lgkmcnt(2)
	v_pk_fma_f32 v[44:45], v[4:5], v[12:13], v[32:33] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[46:47], v[4:5], v[12:13], v[56:57] op_sel:[1,0,0]
	v_pk_fma_f32 v[48:49], v[6:7], v[12:13], v[36:37] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[56:57], v[4:5], v[14:15], v[58:59] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[38:39], v[4:5], v[14:15], v[38:39] op_sel:[1,0,0]
	v_pk_fma_f32 v[54:55], v[6:7], v[14:15], v[54:55] op_sel_hi:[0,1,1]
	v_mov_b32_e32 v4, v7
	v_pk_fma_f32 v[6:7], v[40:41], v[50:51], v[34:35] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[6:7], v[42:43], v[8:9], v[6:7] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[50:51], v[4:5], v[12:13], v[6:7] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[6:7], v[40:41], v[52:53], v[30:31] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[6:7], v[42:43], v[10:11], v[6:7] op_sel_hi:[0,1,1]
	s_waitcnt lgkmcnt(1)
	v_mov_b32_e32 v42, v19
	s_waitcnt lgkmcnt(0)
	v_pk_fma_f32 v[44:45], v[16:17], v[26:27], v[44:45] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[46:47], v[16:17], v[26:27], v[46:47] op_sel:[1,0,0]
	v_pk_fma_f32 v[48:49], v[18:19], v[26:27], v[48:49] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[52:53], v[16:17], v[28:29], v[56:57] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[38:39], v[16:17], v[28:29], v[38:39] op_sel:[1,0,0]
	v_pk_fma_f32 v[54:55], v[18:19], v[28:29], v[54:55] op_sel_hi:[0,1,1]
	ds_read_b128 v[16:19], v23 offset:1536
	v_pk_fma_f32 v[40:41], v[4:5], v[14:15], v[6:7] op_sel_hi:[0,1,1]
	ds_read_b128 v[4:7], v22 offset:1536
	ds_read_b128 v[8:11], v22 offset:1792
	ds_read_b128 v[12:15], v22 offset:2048
	ds_read_b128 v[30:33], v22 offset:2304
	ds_read_b128 v[34:37], v22 offset:2560
	v_pk_fma_f32 v[50:51], v[42:43], v[26:27], v[50:51] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[40:41], v[42:43], v[28:29], v[40:41] op_sel_hi:[0,1,1]
	s_waitcnt lgkmcnt(4)
	v_mov_b32_e32 v42, v7
	v_pk_fma_f32 v[44:45], v[4:5], v[16:17], v[44:45] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[46:47], v[4:5], v[16:17], v[46:47] op_sel:[1,0,0]
	v_pk_fma_f32 v[48:49], v[6:7], v[16:17], v[48:49] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[52:53], v[4:5], v[18:19], v[52:53] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[38:39], v[4:5], v[18:19], v[38:39] op_sel:[1,0,0]
	v_pk_fma_f32 v[54:55], v[6:7], v[18:19], v[54:55] op_sel_hi:[0,1,1]
	ds_read_b128 v[4:7], v23 offset:1792
	v_pk_fma_f32 v[50:51], v[42:43], v[16:17], v[50:51] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[40:41], v[42:43], v[18:19], v[40:41] op_sel_hi:[0,1,1]
	s_waitcnt lgkmcnt(4)
	v_mov_b32_e32 v42, v11
	ds_read_b128 v[26:29], v22 offset:2816
	ds_read_b128 v[16:19], v22 offset:3072
	s_waitcnt lgkmcnt(2)
	v_pk_fma_f32 v[44:45], v[8:9], v[4:5], v[44:45] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[46:47], v[8:9], v[4:5], v[46:47] op_sel:[1,0,0]
	v_pk_fma_f32 v[48:49], v[10:11], v[4:5], v[48:49] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[52:53], v[8:9], v[6:7], v[52:53] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[38:39], v[8:9], v[6:7], v[38:39] op_sel:[1,0,0]
	v_pk_fma_f32 v[54:55], v[10:11], v[6:7], v[54:55] op_sel_hi:[0,1,1]
	ds_read_b128 v[8:11], v23 offset:2048
	v_pk_fma_f32 v[50:51], v[42:43], v[4:5], v[50:51] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[40:41], v[42:43], v[6:7], v[40:41] op_sel_hi:[0,1,1]
	v_mov_b32_e32 v42, v15
	v_mov_b32_e32 v58, v37
	s_waitcnt lgkmcnt(0)
	v_pk_fma_f32 v[44:45], v[12:13], v[8:9], v[44:45] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[46:47], v[12:13], v[8:9], v[46:47] op_sel:[1,0,0]
	v_pk_fma_f32 v[48:49], v[14:15], v[8:9], v[48:49] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[52:53], v[12:13], v[10:11], v[52:53] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[38:39], v[12:13], v[10:11], v[38:39] op_sel:[1,0,0]
	v_pk_fma_f32 v[54:55], v[14:15], v[10:11], v[54:55] op_sel_hi:[0,1,1]
	ds_read_b128 v[12:15], v23 offset:2304
	v_pk_fma_f32 v[50:51], v[42:43], v[8:9], v[50:51] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[40:41], v[42:43], v[10:11], v[40:41] op_sel_hi:[0,1,1]
	v_mov_b32_e32 v42, v33
	ds_read_b128 v[4:7], v22 offset:3328
	ds_read_b128 v[8:11], v22 offset:3584
	s_waitcnt lgkmcnt(2)
	v_pk_fma_f32 v[44:45], v[30:31], v[12:13], v[44:45] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[46:47], v[30:31], v[12:13], v[46:47] op_sel:[1,0,0]
	v_pk_fma_f32 v[48:49], v[32:33], v[12:13], v[48:49] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[52:53], v[30:31], v[14:15], v[52:53] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[56:57], v[30:31], v[14:15], v[38:39] op_sel:[1,0,0]
	v_pk_fma_f32 v[54:55], v[32:33], v[14:15], v[54:55] op_sel_hi:[0,1,1]
	ds_read_b128 v[30:33], v23 offset:2560
	v_pk_fma_f32 v[50:51], v[42:43], v[12:13], v[50:51] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[42:43], v[42:43], v[14:15], v[40:41] op_sel_hi:[0,1,1]
	ds_read_b128 v[12:15], v23 offset:2816
	ds_read_b128 v[38:41], v22 offset:3840
	s_waitcnt lgkmcnt(2)
	v_pk_fma_f32 v[44:45], v[34:35], v[30:31], v[44:45] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[46:47], v[34:35], v[30:31], v[46:47] op_sel:[1,0,0]
	v_pk_fma_f32 v[48:49], v[36:37], v[30:31], v[48:49] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[52:53], v[34:35], v[32:33], v[52:53] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[34:35], v[34:35], v[32:33], v[56:57] op_sel:[1,0,0]
	v_pk_fma_f32 v[36:37], v[36:37], v[32:33], v[54:55] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[50:51], v[58:59], v[30:31], v[50:51] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[42:43], v[58:59], v[32:33], v[42:43] op_sel_hi:[0,1,1]
	ds_read_b128 v[30:33], v23 offset:3072
	v_mov_b32_e32 v54, v29
	s_waitcnt lgkmcnt(2)
	v_pk_fma_f32 v[44:45], v[26:27], v[12:13], v[44:45] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[46:47], v[26:27], v[12:13], v[46:47] op_sel:[1,0,0]
	v_pk_fma_f32 v[48:49], v[28:29], v[12:13], v[48:49] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[52:53], v[26:27], v[14:15], v[52:53] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[56:57], v[26:27], v[14:15], v[34:35] op_sel:[1,0,0]
	v_pk_fma_f32 v[58:59], v[28:29], v[14:15], v[36:37] op_sel_hi:[0,1,1]
	ds_read_b128 v[26:29], v23 offset:3328
	ds_read_b128 v[34:37], v23 offset:3584
	v_pk_fma_f32 v[12:13], v[54:55], v[12:13], v[50:51] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[14:15], v[54:55], v[14:15], v[42:43] op_sel_hi:[0,1,1]
	s_waitcnt lgkmcnt(2)
	v_pk_fma_f32 v[54:55], v[16:17], v[30:31], v[44:45] op_sel_hi:[0,1,1]
	ds_read_b128 v[42:45], v23 offset:3840
	v_mov_b32_e32 v50, v19
	v_pk_fma_f32 v[46:47], v[16:17], v[30:31], v[46:47] op_sel:[1,0,0]
	v_pk_fma_f32 v[48:49], v[18:19], v[30:31], v[48:49] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[52:53], v[16:17], v[32:33], v[52:53] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[16:17], v[16:17], v[32:33], v[56:57] op_sel:[1,0,0]
	v_pk_fma_f32 v[18:19], v[18:19], v[32:33], v[58:59] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[12:13], v[50:51], v[30:31], v[12:13] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[14:15], v[50:51], v[32:33], v[14:15] op_sel_hi:[0,1,1]
	v_mov_b32_e32 v30, v7
	s_waitcnt lgkmcnt(2)
	v_pk_fma_f32 v[46:47], v[4:5], v[26:27], v[46:47] op_sel:[1,0,0]
	v_mov_b32_e32 v32, v11
	v_pk_fma_f32 v[54:55], v[4:5], v[26:27], v[54:55] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[48:49], v[6:7], v[26:27], v[48:49] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[52:53], v[4:5], v[28:29], v[52:53] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[4:5], v[4:5], v[28:29], v[16:17] op_sel:[1,0,0]
	v_pk_fma_f32 v[6:7], v[6:7], v[28:29], v[18:19] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[12:13], v[30:31], v[26:27], v[12:13] op_sel_hi:[0,1,1]
	s_waitcnt lgkmcnt(1)
	v_pk_fma_f32 v[26:27], v[8:9], v[34:35], v[46:47] op_sel:[1,0,0]
	v_pk_fma_f32 v[28:29], v[30:31], v[28:29], v[14:15] op_sel_hi:[0,1,1]
	s_add_i32 s15, s15, 16
	v_mov_b32_e32 v50, v41
	v_pk_fma_f32 v[16:17], v[8:9], v[34:35], v[54:55] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[46:47], v[10:11], v[34:35], v[48:49] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[30:31], v[8:9], v[36:37], v[52:53] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[4:5], v[8:9], v[36:37], v[4:5] op_sel:[1,0,0]
	v_pk_fma_f32 v[6:7], v[10:11], v[36:37], v[6:7] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[34:35], v[32:33], v[34:35], v[12:13] op_sel_hi:[0,1,1]
	s_waitcnt lgkmcnt(0)
	v_pk_fma_f32 v[14:15], v[38:39], v[42:43], v[26:27] op_sel:[1,0,0]
	v_pk_fma_f32 v[26:27], v[32:33], v[36:37], v[28:29] op_sel_hi:[0,1,1]
	v_lshl_add_u64 v[0:1], v[0:1], 0, 64
	s_cmp_ge_i32 s15, s16
	v_pk_fma_f32 v[18:19], v[38:39], v[42:43], v[16:17] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[12:13], v[40:41], v[42:43], v[46:47] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[16:17], v[38:39], v[44:45], v[30:31] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[10:11], v[38:39], v[44:45], v[4:5] op_sel:[1,0,0]
	v_pk_fma_f32 v[8:9], v[40:41], v[44:45], v[6:7] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[6:7], v[50:51], v[42:43], v[34:35] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[4:5], v[50:51], v[44:45], v[26:27] op_sel_hi:[0,1,1]
	v_lshl_add_u64 v[2:3], v[2:3], 0, 64
	s_barrier
	s_cbranch_scc1 .LBB0_6
.LBB0_3:
	s_and_saveexec_b64 s[6:7], vcc
	s_cbranch_execz .LBB0_2
	s_mov_b64 s[18:19], 0
	s_mov_b64 s[20:21], 0
	v_mov_b32_e32 v26, v25
	v_mov_b32_e32 v27, v24
.LBB0_5:
	v_lshl_add_u64 v[28:29], v[0:1], 0, s[20:21]
	v_lshl_add_u64 v[30:31], v[2:3], 0, s[20:21]
	global_load_dword v32, v[28:29], off
	global_load_dword v33, v[30:31], off
	v_add_u32_e32 v27, 0x100, v27
	s_add_u32 s20, s20, s4
	s_addc_u32 s21, s21, s5
	v_cmp_lt_u32_e64 s[0:1], s3, v27
	s_or_b64 s[18:19], s[0:1], s[18:19]
	s_waitcnt vmcnt(0)
	ds_write2st64_b32 v26, v33, v32 offset1:16
	v_add_u32_e32 v26, 64, v26
	s_andn2_b64 exec, exec, s[18:19]
	s_cbranch_execnz .LBB0_5
	s_branch .LBB0_2
.LBB0_6:
	s_lshl_b32 s0, s2, 6
	v_lshl_add_u32 v0, v21, 2, s0
	v_ashrrev_i32_e32 v1, 31, v0
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	v_lshl_add_u64 v[2:3], s[8:9], 0, v[0:1]
	global_load_dword v24, v[2:3], off
	s_lshl_b32 s0, s14, 6
	v_lshl_add_u32 v20, v20, 2, s0
	v_mov_b32_e32 v22, s10
	v_mov_b32_e32 v23, s11
	v_mad_i64_i32 v[20:21], s[0:1], v20, s12, 0
	v_lshl_add_u64 v[20:21], v[20:21], 2, v[22:23]
	v_lshl_add_u64 v[22:23], v[20:21], 0, v[0:1]
	s_ashr_i32 s13, s12, 31
	s_lshl_b64 s[0:1], s[12:13], 2
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v18, v18, v24
	global_store_dword v[22:23], v18, off
	global_load_dword v18, v[2:3], off offset:4
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v18, v19, v18
	global_store_dword v[22:23], v18, off offset:4
	global_load_dword v18, v[2:3], off offset:8
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v16, v16, v18
	global_store_dword v[22:23], v16, off offset:8
	global_load_dword v16, v[2:3], off offset:12
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v16, v17, v16
	global_store_dword v[22:23], v16, off offset:12
	global_load_dword v22, v[2:3], off
	v_lshl_add_u64 v[16:17], v[20:21], 0, s[0:1]
	v_lshl_add_u64 v[18:19], v[16:17], 0, v[0:1]
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v14, v14, v22
	global_store_dword v[18:19], v14, off
	global_load_dword v14, v[2:3], off offset:4
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v14, v15, v14
	global_store_dword v[18:19], v14, off offset:4
	global_load_dword v14, v[2:3], off offset:8
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v10, v10, v14
	global_store_dword v[18:19], v10, off offset:8
	global_load_dword v10, v[2:3], off offset:12
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v10, v11, v10
	global_store_dword v[18:19], v10, off offset:12
	global_load_dword v18, v[2:3], off
	v_lshl_add_u64 v[10:11], v[16:17], 0, s[0:1]
	v_lshl_add_u64 v[14:15], v[10:11], 0, v[0:1]
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v12, v12, v18
	global_store_dword v[14:15], v12, off
	global_load_dword v12, v[2:3], off offset:4
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v12, v13, v12
	global_store_dword v[14:15], v12, off offset:4
	global_load_dword v12, v[2:3], off offset:8
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v8, v8, v12
	global_store_dword v[14:15], v8, off offset:8
	global_load_dword v8, v[2:3], off offset:12
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v8, v9, v8
	global_store_dword v[14:15], v8, off offset:12
	global_load_dword v12, v[2:3], off
	v_lshl_add_u64 v[8:9], v[10:11], 0, s[0:1]
	v_lshl_add_u64 v[0:1], v[8:9], 0, v[0:1]
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v6, v6, v12
	global_store_dword v[0:1], v6, off
	global_load_dword v6, v[2:3], off offset:4
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v6, v7, v6
	global_store_dword v[0:1], v6, off offset:4
	global_load_dword v6, v[2:3], off offset:8
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v4, v4, v6
	global_store_dword v[0:1], v4, off offset:8
	global_load_dword v2, v[2:3], off offset:12
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v2, v5, v2
	global_store_dword v[0:1], v2, off offset:12
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel gemm_bias
		.amdhsa_group_segment_fixed_size 8192
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
		.amdhsa_system_vgpr_workitem_id 1
		.amdhsa_next_free_vgpr 60
		.amdhsa_next_free_sgpr 22
		.amdhsa_accum_offset 60
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
	.size	gemm_bias, .Lfunc_end0-gemm_bias
	.set gemm_bias.num_vgpr, 60
	.set gemm_bias.num_agpr, 0
	.set gemm_bias.numbered_sgpr, 22
	.set gemm_bias.num_named_barrier, 0
	.set gemm_bias.private_seg_size, 0
	.set gemm_bias.uses_vcc, 1
	.set gemm_bias.uses_flat_scratch, 0
	.set gemm_bias.has_dyn_sized_stack, 0
	.set gemm_bias.has_recursion, 0
	.set gemm_bias.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	groupnorm_clamp
	.globl	groupnorm_clamp
	.p2align	8
	.type	groupnorm_clamp,@function
groupnorm_clamp:
	s_load_dword s3, s[0:1], 0x20
	s_load_dwordx8 s[4:11], s[0:1], 0x0
	v_mov_b32_e32 v11, 0
	v_mov_b32_e32 v7, 0
	v_mov_b32_e32 v6, 0
	s_waitcnt lgkmcnt(0)
	s_ashr_i32 s0, s3, 31
	s_lshr_b32 s0, s0, 28
	s_add_i32 s3, s3, s0
	s_ashr_i32 s20, s3, 4
	s_ashr_i32 s3, s20, 31
	v_cmp_gt_i32_e32 vcc, s20, v0
	s_mul_i32 s3, s3, s2
	s_mul_hi_u32 s21, s20, s2
	s_mul_i32 s12, s20, s2
	v_lshlrev_b32_e32 v10, 2, v0
	s_and_saveexec_b64 s[14:15], vcc
	s_cbranch_execz .LBB1_4
	s_add_i32 s13, s21, s3
	s_lshl_b64 s[0:1], s[12:13], 2
	s_add_u32 s0, s4, s0
	s_addc_u32 s1, s5, s1
	v_lshl_add_u64 v[2:3], s[0:1], 0, v[10:11]
	s_mov_b64 s[16:17], 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
	s_mov_b64 s[18:19], 0x400
	v_mov_b32_e32 v1, v0
.LBB1_2:
	global_load_dword v4, v[2:3], off
	v_add_u32_e32 v1, 0x100, v1
	v_cmp_le_i32_e64 s[0:1], s20, v1
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[18:19]
	s_or_b64 s[16:17], s[0:1], s[16:17]
	s_waitcnt vmcnt(0)
	v_mul_f32_e32 v5, v4, v4
	v_pk_add_f32 v[6:7], v[6:7], v[4:5]
	s_andn2_b64 exec, exec, s[16:17]
	s_cbranch_execnz .LBB1_2
	s_or_b64 exec, exec, s[16:17]
.LBB1_4:
	s_or_b64 exec, exec, s[14:15]
	v_mbcnt_lo_u32_b32 v1, -1, 0
	v_mbcnt_hi_u32_b32 v1, -1, v1
	v_lshlrev_b32_e32 v3, 2, v1
	v_xor_b32_e32 v1, 0x80, v3
	ds_bpermute_b32 v2, v1, v6
	v_xor_b32_e32 v8, 64, v3
	v_xor_b32_e32 v9, 32, v3
	v_xor_b32_e32 v11, 16, v3
	v_xor_b32_e32 v12, 8, v3
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v6, v2
	ds_bpermute_b32 v4, v8, v2
	v_xor_b32_e32 v13, 4, v3
	v_lshrrev_b32_e32 v6, 4, v0
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v2, v4
	ds_bpermute_b32 v4, v9, v2
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v2, v4
	ds_bpermute_b32 v4, v11, v2
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v2, v4
	ds_bpermute_b32 v4, v12, v2
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v2, v4
	ds_bpermute_b32 v3, v13, v2
	v_and_b32_e32 v4, 63, v0
	v_cmp_eq_u32_e64 s[0:1], 0, v4
	s_and_saveexec_b64 s[14:15], s[0:1]
	s_cbranch_execz .LBB1_6
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v2, v3
	ds_write_b32 v6, v2
.LBB1_6:
	s_or_b64 exec, exec, s[14:15]
	v_mov_b32_e32 v14, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[2:5], v14
	ds_bpermute_b32 v1, v1, v7
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v7, v1
	ds_bpermute_b32 v7, v8, v1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v1, v7
	ds_bpermute_b32 v7, v9, v1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v1, v7
	ds_bpermute_b32 v7, v11, v1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v1, v7
	ds_bpermute_b32 v7, v12, v1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v1, v7
	ds_bpermute_b32 v7, v13, v1
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[14:15], s[0:1]
	v_add_f32_e32 v1, v1, v7
	ds_write_b32 v6, v1
	s_or_b64 exec, exec, s[14:15]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[6:9], v14
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_11
	v_add_f32_e32 v1, 0, v2
	v_cvt_f32_i32_e32 v2, s20
	v_add_f32_e32 v1, v1, v3
	v_add_f32_e32 v1, v1, v4
	v_add_f32_e32 v1, v1, v5
	v_div_scale_f32 v4, s[0:1], v2, v2, v1
	v_rcp_f32_e32 v5, v4
	v_add_f32_e32 v3, 0, v6
	v_add_f32_e32 v3, v3, v7
	v_add_f32_e32 v3, v3, v8
	v_fma_f32 v6, -v4, v5, 1.0
	v_fmac_f32_e32 v5, v6, v5
	v_div_scale_f32 v6, vcc, v1, v2, v1
	v_mul_f32_e32 v7, v6, v5
	v_fma_f32 v8, -v4, v7, v6
	v_add_f32_e32 v3, v3, v9
	v_fmac_f32_e32 v7, v8, v5
	v_fma_f32 v4, -v4, v7, v6
	v_div_scale_f32 v6, s[0:1], v2, v2, v3
	v_rcp_f32_e32 v8, v6
	v_div_fmas_f32 v4, v4, v5, v7
	v_div_fixup_f32 v1, v4, v2, v1
	s_mov_b32 s0, 0xf800000
	v_fma_f32 v4, -v6, v8, 1.0
	v_fmac_f32_e32 v8, v4, v8
	v_div_scale_f32 v4, vcc, v3, v2, v3
	v_mul_f32_e32 v5, v4, v8
	v_fma_f32 v7, -v6, v5, v4
	v_fmac_f32_e32 v5, v7, v8
	v_fma_f32 v4, -v6, v5, v4
	v_div_fmas_f32 v4, v4, v8, v5
	v_div_fixup_f32 v2, v4, v2, v3
	v_fma_f32 v2, -v1, v1, v2
	v_add_f32_e32 v2, 0x3727c5ac, v2
	v_mul_f32_e32 v3, 0x4f800000, v2
	v_cmp_gt_f32_e32 vcc, s0, v2
	s_add_i32 s13, s21, s3
	v_mov_b32_e32 v11, 0
	v_cndmask_b32_e32 v2, v2, v3, vcc
	v_sqrt_f32_e32 v3, v2
	v_lshl_add_u64 v[8:9], s[12:13], 2, v[10:11]
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
	s_and_b32 s0, s2, 15
	s_mul_i32 s0, s20, s0
	s_mov_b64 s[2:3], 0x400
	v_fma_f32 v5, -v3, v4, 1.0
	v_fmac_f32_e32 v4, v5, v4
	v_div_scale_f32 v5, vcc, 1.0, v2, 1.0
	v_mul_f32_e32 v6, v5, v4
	v_fma_f32 v7, -v3, v6, v5
	v_fmac_f32_e32 v6, v7, v4
	v_fma_f32 v3, -v3, v6, v5
	v_div_fmas_f32 v3, v3, v4, v6
	v_div_fixup_f32 v12, v3, v2, 1.0
	v_add_u32_e32 v2, s0, v0
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshlrev_b64 v[4:5], 2, v[2:3]
	v_lshl_add_u64 v[2:3], s[6:7], 0, v[4:5]
	v_lshl_add_u64 v[4:5], s[8:9], 0, v[4:5]
	v_lshl_add_u64 v[6:7], s[4:5], 0, v[8:9]
	v_lshl_add_u64 v[8:9], s[10:11], 0, v[8:9]
	s_mov_b64 s[0:1], 0
.LBB1_10:
	global_load_dword v10, v[6:7], off
	global_load_dword v11, v[2:3], off
	global_load_dword v13, v[4:5], off
	v_add_u32_e32 v0, 0x100, v0
	v_cmp_le_i32_e32 vcc, s20, v0
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[2:3]
	v_lshl_add_u64 v[4:5], v[4:5], 0, s[2:3]
	v_lshl_add_u64 v[6:7], v[6:7], 0, s[2:3]
	s_or_b64 s[0:1], vcc, s[0:1]
	s_waitcnt vmcnt(2)
	v_sub_f32_e32 v10, v10, v1
	v_mul_f32_e32 v10, v12, v10
	s_waitcnt vmcnt(0)
	v_fmac_f32_e32 v13, v11, v10
	v_med3_f32 v10, v13, -2.0, 2.0
	global_store_dword v[8:9], v10, off
	v_lshl_add_u64 v[8:9], v[8:9], 0, s[2:3]
	s_andn2_b64 exec, exec, s[0:1]
	s_cbranch_execnz .LBB1_10
.LBB1_11:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel groupnorm_clamp
		.amdhsa_group_segment_fixed_size 16
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
		.amdhsa_next_free_vgpr 15
		.amdhsa_next_free_sgpr 22
		.amdhsa_accum_offset 16
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
.Lfunc_end1:
	.size	groupnorm_clamp, .Lfunc_end1-groupnorm_clamp
	.set groupnorm_clamp.num_vgpr, 15
	.set groupnorm_clamp.num_agpr, 0
	.set groupnorm_clamp.numbered_sgpr, 22
	.set groupnorm_clamp.num_named_barrier, 0
	.set groupnorm_clamp.private_seg_size, 0
	.set groupnorm_clamp.uses_vcc, 1
	.set groupnorm_clamp.uses_flat_scratch, 0
	.set groupnorm_clamp.has_dyn_sized_stack, 0
	.set groupnorm_clamp.has_recursion, 0
	.set groupnorm_clamp.has_indirect_call, 0
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
    .group_segment_fixed_size: 8192
    .kernarg_segment_align: 8
    .kernarg_segment_size: 44
    .max_flat_workgroup_size: 256
    .name:           gemm_bias
    .private_segment_fixed_size: 0
    .sgpr_count:     28
    .sgpr_spill_count: 0
    .symbol:         gemm_bias.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     60
    .vgpr_spill_count: 0
    .wavefront_size: 64
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
    .group_segment_fixed_size: 16
    .kernarg_segment_align: 8
    .kernarg_segment_size: 36
    .max_flat_workgroup_size: 256
    .name:           groupnorm_clamp
    .private_segment_fixed_size: 0
    .sgpr_count:     28
    .sgpr_spill_count: 0
    .symbol:         groupnorm_clamp.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     15
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
