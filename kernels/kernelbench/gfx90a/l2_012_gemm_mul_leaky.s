; clang 22.1.8 -O3 --offload-arch=gfx90a l2_012_gemm_mul_leaky.hip (kernels/build.py)
	.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
	.amdhsa_code_object_version 6
	.text
	.protected	gemm_mul_leaky
	.globl	gemm_mul_leaky
	.p2align	8
	.type	gemm_mul_leaky,@function
gemm_mul_leaky:
	s_load_dwordx8 s[8:15], s[4:5], 0x0
	s_load_dwordx2 s[16:17], s[4:5], 0x24
	s_mov_b32 s18, s7
	v_and_b32_e32 v21, 0x3ff, v0
	v_bfe_u32 v20, v0, 10, 10
	s_mov_b32 s19, 0
	v_mov_b32_e32 v3, 0
	s_waitcnt lgkmcnt(0)
	s_cmp_lt_i32 s17, 1
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
	v_cmp_gt_u32_e32 vcc, s0, v1
	v_add_u32_e32 v24, 0xffffff00, v1
	v_lshrrev_b32_e32 v1, 2, v1
	v_and_b32_e32 v4, 0x1ffc, v1
	s_lshl_b64 s[0:1], s[18:19], 8
	v_add_u32_e32 v22, 0x1000, v0
	v_and_b32_e32 v0, 15, v21
	v_mov_b32_e32 v1, s1
	v_add_co_u32_e64 v5, s[0:1], s0, v4
	s_ashr_i32 s5, s17, 31
	v_addc_co_u32_e64 v1, s[0:1], 0, v1, s[0:1]
	v_lshlrev_b32_e32 v2, 2, v0
	v_lshl_add_u32 v25, v0, 8, v4
	v_mul_lo_u32 v6, v5, s5
	v_mul_lo_u32 v7, v1, s17
	v_mad_u64_u32 v[0:1], s[0:1], v5, s17, v[2:3]
	v_add3_u32 v1, v7, v1, v6
	v_mov_b32_e32 v5, s9
	v_add_co_u32_e64 v0, s[0:1], s8, v0
	s_mov_b32 s7, s19
	v_addc_co_u32_e64 v1, s[0:1], v5, v1, s[0:1]
	s_lshl_b64 s[0:1], s[6:7], 8
	v_mov_b32_e32 v5, s1
	v_add_co_u32_e64 v4, s[0:1], s0, v4
	v_addc_co_u32_e64 v5, s[0:1], 0, v5, s[0:1]
	v_mul_lo_u32 v6, v4, s5
	v_mul_lo_u32 v5, v5, s17
	v_mad_u64_u32 v[2:3], s[0:1], v4, s17, v[2:3]
	s_mov_b32 s4, s17
	v_add3_u32 v3, v5, v3, v6
	v_mov_b32_e32 v4, s11
	v_add_co_u32_e64 v2, s[0:1], s10, v2
	v_lshlrev_b32_e32 v23, 4, v21
	s_lshl_b64 s[8:9], s[4:5], 6
	v_addc_co_u32_e64 v3, s[0:1], v4, v3, s[0:1]
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
	s_movk_i32 s5, 0x2ff
	s_branch .LBB0_3
.LBB0_2:
	s_or_b64 exec, exec, s[10:11]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[26:29], v23
	ds_read_b128 v[30:33], v22
	ds_read_b128 v[34:37], v22 offset:256
	ds_read_b128 v[38:41], v22 offset:512
	ds_read_b128 v[42:45], v22 offset:768
	ds_read_b128 v[46:49], v23 offset:256
	ds_read_b128 v[50:53], v23 offset:512
	ds_read_b128 v[54:57], v23 offset:768
	s_waitcnt lgkmcnt(6)
	v_pk_fma_f32 v[12:13], v[32:33], v[26:27], v[12:13] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[18:19], v[30:31], v[26:27], v[18:19] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[14:15], v[30:31], v[26:27], v[14:15] op_sel:[1,0,0]
	s_waitcnt lgkmcnt(2)
	v_pk_fma_f32 v[12:13], v[36:37], v[46:47], v[12:13] op_sel_hi:[0,1,1]
	s_waitcnt lgkmcnt(1)
	v_pk_fma_f32 v[12:13], v[40:41], v[50:51], v[12:13] op_sel_hi:[0,1,1]
	s_waitcnt lgkmcnt(0)
	v_pk_fma_f32 v[60:61], v[44:45], v[54:55], v[12:13] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[12:13], v[34:35], v[46:47], v[18:19] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[58:59], v[32:33], v[28:29], v[8:9] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[18:19], v[38:39], v[50:51], v[12:13] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[12:13], v[34:35], v[46:47], v[14:15] op_sel:[1,0,0]
	v_pk_fma_f32 v[16:17], v[30:31], v[28:29], v[16:17] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[62:63], v[38:39], v[50:51], v[12:13] op_sel:[1,0,0]
	v_pk_fma_f32 v[12:13], v[36:37], v[48:49], v[58:59] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[30:31], v[30:31], v[28:29], v[10:11] op_sel:[1,0,0]
	v_pk_fma_f32 v[58:59], v[40:41], v[52:53], v[12:13] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[12:13], v[34:35], v[48:49], v[16:17] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[16:17], v[38:39], v[52:53], v[12:13] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[12:13], v[34:35], v[48:49], v[30:31] op_sel:[1,0,0]
	ds_read_b128 v[8:11], v22 offset:1024
	v_pk_fma_f32 v[30:31], v[38:39], v[52:53], v[12:13] op_sel:[1,0,0]
	ds_read_b128 v[12:15], v23 offset:1024
	v_mov_b32_e32 v32, v33
	v_mov_b32_e32 v34, v37
	v_mov_b32_e32 v36, v41
	v_pk_fma_f32 v[38:39], v[42:43], v[54:55], v[18:19] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[40:41], v[42:43], v[54:55], v[62:63] op_sel:[1,0,0]
	v_pk_fma_f32 v[62:63], v[42:43], v[56:57], v[16:17] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[30:31], v[42:43], v[56:57], v[30:31] op_sel:[1,0,0]
	v_pk_fma_f32 v[26:27], v[32:33], v[26:27], v[6:7] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[58:59], v[44:45], v[56:57], v[58:59] op_sel_hi:[0,1,1]
	v_mov_b32_e32 v42, v45
	s_waitcnt lgkmcnt(0)
	v_pk_fma_f32 v[44:45], v[8:9], v[12:13], v[38:39] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[64:65], v[8:9], v[12:13], v[40:41] op_sel:[1,0,0]
	v_pk_fma_f32 v[62:63], v[8:9], v[14:15], v[62:63] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[66:67], v[8:9], v[14:15], v[30:31] op_sel:[1,0,0]
	v_pk_fma_f32 v[8:9], v[34:35], v[46:47], v[26:27] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[28:29], v[32:33], v[28:29], v[4:5] op_sel_hi:[0,1,1]
	ds_read_b128 v[4:7], v22 offset:1280
	ds_read_b128 v[16:19], v23 offset:1280
	v_pk_fma_f32 v[8:9], v[36:37], v[50:51], v[8:9] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[60:61], v[10:11], v[12:13], v[60:61] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[58:59], v[10:11], v[14:15], v[58:59] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[8:9], v[42:43], v[54:55], v[8:9] op_sel_hi:[0,1,1]
	v_mov_b32_e32 v10, v11
	v_pk_fma_f32 v[46:47], v[10:11], v[12:13], v[8:9] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[8:9], v[34:35], v[48:49], v[28:29] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[8:9], v[36:37], v[52:53], v[8:9] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[8:9], v[42:43], v[56:57], v[8:9] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[42:43], v[10:11], v[14:15], v[8:9] op_sel_hi:[0,1,1]
	s_waitcnt lgkmcnt(1)
	v_mov_b32_e32 v48, v7
	s_waitcnt lgkmcnt(0)
	v_pk_fma_f32 v[44:45], v[4:5], v[16:17], v[44:45] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[50:51], v[4:5], v[16:17], v[64:65] op_sel:[1,0,0]
	v_pk_fma_f32 v[52:53], v[6:7], v[16:17], v[60:61] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[54:55], v[4:5], v[18:19], v[62:63] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[56:57], v[4:5], v[18:19], v[66:67] op_sel:[1,0,0]
	v_pk_fma_f32 v[58:59], v[6:7], v[18:19], v[58:59] op_sel_hi:[0,1,1]
	ds_read_b128 v[4:7], v23 offset:1536
	v_pk_fma_f32 v[46:47], v[48:49], v[16:17], v[46:47] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[42:43], v[48:49], v[18:19], v[42:43] op_sel_hi:[0,1,1]
	ds_read_b128 v[16:19], v23 offset:1792
	ds_read_b128 v[8:11], v22 offset:1536
	ds_read_b128 v[12:15], v22 offset:1792
	ds_read_b128 v[26:29], v22 offset:2048
	ds_read_b128 v[30:33], v22 offset:2304
	ds_read_b128 v[34:37], v22 offset:2560
	ds_read_b128 v[38:41], v22 offset:2816
	s_waitcnt lgkmcnt(5)
	v_mov_b32_e32 v48, v11
	v_pk_fma_f32 v[46:47], v[48:49], v[4:5], v[46:47] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[44:45], v[8:9], v[4:5], v[44:45] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[50:51], v[8:9], v[4:5], v[50:51] op_sel:[1,0,0]
	v_pk_fma_f32 v[52:53], v[10:11], v[4:5], v[52:53] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[42:43], v[48:49], v[6:7], v[42:43] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[48:49], v[8:9], v[6:7], v[54:55] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[54:55], v[8:9], v[6:7], v[56:57] op_sel:[1,0,0]
	v_pk_fma_f32 v[56:57], v[10:11], v[6:7], v[58:59] op_sel_hi:[0,1,1]
	s_waitcnt lgkmcnt(4)
	v_mov_b32_e32 v58, v15
	v_pk_fma_f32 v[44:45], v[12:13], v[16:17], v[44:45] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[50:51], v[12:13], v[16:17], v[50:51] op_sel:[1,0,0]
	v_pk_fma_f32 v[52:53], v[14:15], v[16:17], v[52:53] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[48:49], v[12:13], v[18:19], v[48:49] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[54:55], v[12:13], v[18:19], v[54:55] op_sel:[1,0,0]
	v_pk_fma_f32 v[56:57], v[14:15], v[18:19], v[56:57] op_sel_hi:[0,1,1]
	ds_read_b128 v[12:15], v23 offset:2048
	v_pk_fma_f32 v[46:47], v[58:59], v[16:17], v[46:47] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[42:43], v[58:59], v[18:19], v[42:43] op_sel_hi:[0,1,1]
	ds_read_b128 v[16:19], v23 offset:2304
	s_waitcnt lgkmcnt(5)
	v_mov_b32_e32 v58, v29
	s_waitcnt lgkmcnt(1)
	v_pk_fma_f32 v[44:45], v[26:27], v[12:13], v[44:45] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[50:51], v[26:27], v[12:13], v[50:51] op_sel:[1,0,0]
	v_pk_fma_f32 v[52:53], v[28:29], v[12:13], v[52:53] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[48:49], v[26:27], v[14:15], v[48:49] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[54:55], v[26:27], v[14:15], v[54:55] op_sel:[1,0,0]
	v_pk_fma_f32 v[56:57], v[28:29], v[14:15], v[56:57] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[46:47], v[58:59], v[12:13], v[46:47] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[42:43], v[58:59], v[14:15], v[42:43] op_sel_hi:[0,1,1]
	v_mov_b32_e32 v58, v33
	s_waitcnt lgkmcnt(0)
	v_pk_fma_f32 v[44:45], v[30:31], v[16:17], v[44:45] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[50:51], v[30:31], v[16:17], v[50:51] op_sel:[1,0,0]
	v_pk_fma_f32 v[52:53], v[32:33], v[16:17], v[52:53] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[48:49], v[30:31], v[18:19], v[48:49] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[54:55], v[30:31], v[18:19], v[54:55] op_sel:[1,0,0]
	v_pk_fma_f32 v[56:57], v[32:33], v[18:19], v[56:57] op_sel_hi:[0,1,1]
	ds_read_b128 v[30:33], v23 offset:2560
	v_pk_fma_f32 v[46:47], v[58:59], v[16:17], v[46:47] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[42:43], v[58:59], v[18:19], v[42:43] op_sel_hi:[0,1,1]
	ds_read_b128 v[16:19], v23 offset:2816
	v_mov_b32_e32 v58, v37
	s_waitcnt lgkmcnt(1)
	v_pk_fma_f32 v[46:47], v[58:59], v[30:31], v[46:47] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[42:43], v[58:59], v[32:33], v[42:43] op_sel_hi:[0,1,1]
	v_mov_b32_e32 v58, v41
	v_pk_fma_f32 v[44:45], v[34:35], v[30:31], v[44:45] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[50:51], v[34:35], v[30:31], v[50:51] op_sel:[1,0,0]
	v_pk_fma_f32 v[52:53], v[36:37], v[30:31], v[52:53] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[48:49], v[34:35], v[32:33], v[48:49] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[54:55], v[34:35], v[32:33], v[54:55] op_sel:[1,0,0]
	v_pk_fma_f32 v[56:57], v[36:37], v[32:33], v[56:57] op_sel_hi:[0,1,1]
	ds_read_b128 v[4:7], v22 offset:3072
	ds_read_b128 v[8:11], v22 offset:3328
	ds_read_b128 v[12:15], v22 offset:3584
	ds_read_b128 v[26:29], v22 offset:3840
	s_waitcnt lgkmcnt(4)
	v_pk_fma_f32 v[46:47], v[58:59], v[16:17], v[46:47] op_sel_hi:[0,1,1]
	ds_read_b128 v[30:33], v23 offset:3072
	ds_read_b128 v[34:37], v23 offset:3328
	v_pk_fma_f32 v[60:61], v[38:39], v[16:17], v[44:45] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[50:51], v[38:39], v[16:17], v[50:51] op_sel:[1,0,0]
	v_pk_fma_f32 v[16:17], v[40:41], v[16:17], v[52:53] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[52:53], v[58:59], v[18:19], v[42:43] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[48:49], v[38:39], v[18:19], v[48:49] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[54:55], v[38:39], v[18:19], v[54:55] op_sel:[1,0,0]
	v_pk_fma_f32 v[18:19], v[40:41], v[18:19], v[56:57] op_sel_hi:[0,1,1]
	ds_read_b128 v[38:41], v23 offset:3584
	ds_read_b128 v[42:45], v23 offset:3840
	s_waitcnt lgkmcnt(7)
	v_mov_b32_e32 v56, v7
	s_waitcnt lgkmcnt(3)
	v_pk_fma_f32 v[50:51], v[4:5], v[30:31], v[50:51] op_sel:[1,0,0]
	v_add_co_u32_e64 v0, s[0:1], 64, v0
	v_pk_fma_f32 v[58:59], v[4:5], v[30:31], v[60:61] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[16:17], v[6:7], v[30:31], v[16:17] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[48:49], v[4:5], v[32:33], v[48:49] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[4:5], v[4:5], v[32:33], v[54:55] op_sel:[1,0,0]
	v_pk_fma_f32 v[6:7], v[6:7], v[32:33], v[18:19] op_sel_hi:[0,1,1]
	v_mov_b32_e32 v18, v11
	v_pk_fma_f32 v[30:31], v[56:57], v[30:31], v[46:47] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[32:33], v[56:57], v[32:33], v[52:53] op_sel_hi:[0,1,1]
	s_waitcnt lgkmcnt(2)
	v_pk_fma_f32 v[50:51], v[8:9], v[34:35], v[50:51] op_sel:[1,0,0]
	v_addc_co_u32_e64 v1, s[0:1], 0, v1, s[0:1]
	v_mov_b32_e32 v54, v15
	v_pk_fma_f32 v[52:53], v[8:9], v[34:35], v[58:59] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[16:17], v[10:11], v[34:35], v[16:17] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[48:49], v[8:9], v[36:37], v[48:49] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[4:5], v[8:9], v[36:37], v[4:5] op_sel:[1,0,0]
	v_pk_fma_f32 v[6:7], v[10:11], v[36:37], v[6:7] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[8:9], v[18:19], v[34:35], v[30:31] op_sel_hi:[0,1,1]
	s_waitcnt lgkmcnt(1)
	v_pk_fma_f32 v[30:31], v[12:13], v[38:39], v[50:51] op_sel:[1,0,0]
	v_pk_fma_f32 v[32:33], v[18:19], v[36:37], v[32:33] op_sel_hi:[0,1,1]
	s_add_i32 s19, s19, 16
	v_mov_b32_e32 v46, v29
	v_pk_fma_f32 v[10:11], v[12:13], v[38:39], v[52:53] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[16:17], v[14:15], v[38:39], v[16:17] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[34:35], v[12:13], v[40:41], v[48:49] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[4:5], v[12:13], v[40:41], v[4:5] op_sel:[1,0,0]
	v_pk_fma_f32 v[6:7], v[14:15], v[40:41], v[6:7] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[36:37], v[54:55], v[38:39], v[8:9] op_sel_hi:[0,1,1]
	s_waitcnt lgkmcnt(0)
	v_pk_fma_f32 v[14:15], v[26:27], v[42:43], v[30:31] op_sel:[1,0,0]
	v_pk_fma_f32 v[30:31], v[54:55], v[40:41], v[32:33] op_sel_hi:[0,1,1]
	v_add_co_u32_e64 v2, s[0:1], 64, v2
	s_cmp_ge_i32 s19, s4
	v_pk_fma_f32 v[18:19], v[26:27], v[42:43], v[10:11] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[12:13], v[28:29], v[42:43], v[16:17] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[16:17], v[26:27], v[44:45], v[34:35] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[10:11], v[26:27], v[44:45], v[4:5] op_sel:[1,0,0]
	v_pk_fma_f32 v[8:9], v[28:29], v[44:45], v[6:7] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[6:7], v[46:47], v[42:43], v[36:37] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[4:5], v[46:47], v[44:45], v[30:31] op_sel_hi:[0,1,1]
	v_addc_co_u32_e64 v3, s[0:1], 0, v3, s[0:1]
	s_barrier
	s_cbranch_scc1 .LBB0_6
.LBB0_3:
	s_and_saveexec_b64 s[10:11], vcc
	s_cbranch_execz .LBB0_2
	s_mov_b64 s[20:21], 0
	s_mov_b64 s[22:23], 0
	v_mov_b32_e32 v26, v25
	v_mov_b32_e32 v27, v24
.LBB0_5:
	v_mov_b32_e32 v29, s21
	v_add_co_u32_e64 v30, s[2:3], s20, v0
	v_add_co_u32_e64 v28, s[0:1], s20, v2
	v_addc_co_u32_e64 v31, s[2:3], v1, v29, s[2:3]
	v_addc_co_u32_e64 v29, s[0:1], v3, v29, s[0:1]
	global_load_dword v32, v[30:31], off
	global_load_dword v33, v[28:29], off
	v_add_u32_e32 v27, 0x100, v27
	s_add_u32 s20, s20, s8
	s_addc_u32 s21, s21, s9
	v_cmp_lt_u32_e64 s[0:1], s5, v27
	s_or_b64 s[22:23], s[0:1], s[22:23]
	s_waitcnt vmcnt(0)
	ds_write2st64_b32 v26, v33, v32 offset1:16
	v_add_u32_e32 v26, 64, v26
	s_andn2_b64 exec, exec, s[22:23]
	s_cbranch_execnz .LBB0_5
	s_branch .LBB0_2
.LBB0_6:
	s_lshl_b32 s0, s6, 6
	v_lshl_add_u32 v0, v21, 2, s0
	v_ashrrev_i32_e32 v1, 31, v0
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	v_mov_b32_e32 v3, s13
	v_add_co_u32_e32 v2, vcc, s12, v0
	v_addc_co_u32_e32 v3, vcc, v3, v1, vcc
	global_load_dword v22, v[2:3], off
	s_lshl_b32 s0, s18, 6
	v_lshl_add_u32 v20, v20, 2, s0
	v_mad_i64_i32 v[20:21], s[0:1], v20, s16, 0
	v_lshlrev_b64 v[20:21], 2, v[20:21]
	v_mov_b32_e32 v23, s15
	v_add_co_u32_e32 v24, vcc, s14, v20
	v_addc_co_u32_e32 v23, vcc, v23, v21, vcc
	v_add_co_u32_e32 v20, vcc, v24, v0
	v_addc_co_u32_e32 v21, vcc, v23, v1, vcc
	s_ashr_i32 s17, s16, 31
	s_lshl_b64 s[0:1], s[16:17], 2
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v18, v18, v22
	v_add_f32_e32 v18, v18, v18
	v_mul_f32_e32 v22, 0x3dcccccd, v18
	v_cmp_lt_f32_e32 vcc, 0, v18
	v_cndmask_b32_e32 v18, v22, v18, vcc
	global_store_dword v[20:21], v18, off
	global_load_dword v18, v[2:3], off offset:4
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v18, v19, v18
	v_add_f32_e32 v18, v18, v18
	v_mul_f32_e32 v19, 0x3dcccccd, v18
	v_cmp_lt_f32_e32 vcc, 0, v18
	v_cndmask_b32_e32 v18, v19, v18, vcc
	global_store_dword v[20:21], v18, off offset:4
	global_load_dword v18, v[2:3], off offset:8
	v_mov_b32_e32 v19, s1
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v16, v16, v18
	v_add_f32_e32 v16, v16, v16
	v_mul_f32_e32 v18, 0x3dcccccd, v16
	v_cmp_lt_f32_e32 vcc, 0, v16
	v_cndmask_b32_e32 v16, v18, v16, vcc
	global_store_dword v[20:21], v16, off offset:8
	global_load_dword v16, v[2:3], off offset:12
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v16, v17, v16
	v_add_f32_e32 v16, v16, v16
	v_mul_f32_e32 v17, 0x3dcccccd, v16
	v_cmp_lt_f32_e32 vcc, 0, v16
	v_cndmask_b32_e32 v16, v17, v16, vcc
	global_store_dword v[20:21], v16, off offset:12
	global_load_dword v18, v[2:3], off
	v_add_co_u32_e32 v20, vcc, s0, v24
	v_addc_co_u32_e32 v21, vcc, v23, v19, vcc
	v_add_co_u32_e32 v16, vcc, v20, v0
	v_addc_co_u32_e32 v17, vcc, v21, v1, vcc
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v14, v14, v18
	v_add_f32_e32 v14, v14, v14
	v_mul_f32_e32 v18, 0x3dcccccd, v14
	v_cmp_lt_f32_e32 vcc, 0, v14
	v_cndmask_b32_e32 v14, v18, v14, vcc
	global_store_dword v[16:17], v14, off
	global_load_dword v14, v[2:3], off offset:4
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v14, v15, v14
	v_add_f32_e32 v14, v14, v14
	v_mul_f32_e32 v15, 0x3dcccccd, v14
	v_cmp_lt_f32_e32 vcc, 0, v14
	v_cndmask_b32_e32 v14, v15, v14, vcc
	global_store_dword v[16:17], v14, off offset:4
	global_load_dword v14, v[2:3], off offset:8
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v10, v10, v14
	v_add_f32_e32 v10, v10, v10
	v_mul_f32_e32 v14, 0x3dcccccd, v10
	v_cmp_lt_f32_e32 vcc, 0, v10
	v_cndmask_b32_e32 v10, v14, v10, vcc
	global_store_dword v[16:17], v10, off offset:8
	global_load_dword v10, v[2:3], off offset:12
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v10, v11, v10
	v_add_f32_e32 v10, v10, v10
	v_mul_f32_e32 v11, 0x3dcccccd, v10
	v_cmp_lt_f32_e32 vcc, 0, v10
	v_cndmask_b32_e32 v10, v11, v10, vcc
	global_store_dword v[16:17], v10, off offset:12
	global_load_dword v14, v[2:3], off
	v_add_co_u32_e32 v15, vcc, s0, v20
	v_addc_co_u32_e32 v16, vcc, v21, v19, vcc
	v_add_co_u32_e32 v10, vcc, v15, v0
	v_addc_co_u32_e32 v11, vcc, v16, v1, vcc
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v12, v12, v14
	v_add_f32_e32 v12, v12, v12
	v_mul_f32_e32 v14, 0x3dcccccd, v12
	v_cmp_lt_f32_e32 vcc, 0, v12
	v_cndmask_b32_e32 v12, v14, v12, vcc
	global_store_dword v[10:11], v12, off
	global_load_dword v12, v[2:3], off offset:4
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v12, v13, v12
	v_add_f32_e32 v12, v12, v12
	v_mul_f32_e32 v13, 0x3dcccccd, v12
	v_cmp_lt_f32_e32 vcc, 0, v12
	v_cndmask_b32_e32 v12, v13, v12, vcc
	global_store_dword v[10:11], v12, off offset:4
	global_load_dword v12, v[2:3], off offset:8
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v8, v8, v12
	v_add_f32_e32 v8, v8, v8
	v_mul_f32_e32 v12, 0x3dcccccd, v8
	v_cmp_lt_f32_e32 vcc, 0, v8
	v_cndmask_b32_e32 v8, v12, v8, vcc
	global_store_dword v[10:11], v8, off offset:8
	global_load_dword v8, v[2:3], off offset:12
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v8, v9, v8
	v_add_f32_e32 v8, v8, v8
	v_mul_f32_e32 v9, 0x3dcccccd, v8
	v_cmp_lt_f32_e32 vcc, 0, v8
	v_cndmask_b32_e32 v8, v9, v8, vcc
	global_store_dword v[10:11], v8, off offset:12
	global_load_dword v8, v[2:3], off
	v_add_co_u32_e32 v9, vcc, s0, v15
	v_addc_co_u32_e32 v10, vcc, v16, v19, vcc
	v_add_co_u32_e32 v0, vcc, v9, v0
	v_addc_co_u32_e32 v1, vcc, v10, v1, vcc
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v6, v6, v8
	v_add_f32_e32 v6, v6, v6
	v_mul_f32_e32 v8, 0x3dcccccd, v6
	v_cmp_lt_f32_e32 vcc, 0, v6
	v_cndmask_b32_e32 v6, v8, v6, vcc
	global_store_dword v[0:1], v6, off
	global_load_dword v6, v[2:3], off offset:4
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v6, v7, v6
	v_add_f32_e32 v6, v6, v6
	v_mul_f32_e32 v7, 0x3dcccccd, v6
	v_cmp_lt_f32_e32 vcc, 0, v6
	v_cndmask_b32_e32 v6, v7, v6, vcc
	global_store_dword v[0:1], v6, off offset:4
	global_load_dword v6, v[2:3], off offset:8
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v4, v4, v6
	v_add_f32_e32 v4, v4, v4
	v_mul_f32_e32 v6, 0x3dcccccd, v4
	v_cmp_lt_f32_e32 vcc, 0, v4
	v_cndmask_b32_e32 v4, v6, v4, vcc
	global_store_dword v[0:1], v4, off offset:8
	global_load_dword v2, v[2:3], off offset:12
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v2, v5, v2
	v_add_f32_e32 v2, v2, v2
	v_mul_f32_e32 v3, 0x3dcccccd, v2
	v_cmp_lt_f32_e32 vcc, 0, v2
	v_cndmask_b32_e32 v2, v3, v2, vcc
	global_store_dword v[0:1], v2, off offset:12
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel gemm_mul_leaky
		.amdhsa_group_segment_fixed_size 8192
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 44
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
		.amdhsa_next_free_vgpr 68
		.amdhsa_next_free_sgpr 24
		.amdhsa_accum_offset 68
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
	.size	gemm_mul_leaky, .Lfunc_end0-gemm_mul_leaky
	.set gemm_mul_leaky.num_vgpr, 68
	.set gemm_mul_leaky.num_agpr, 0
	.set gemm_mul_leaky.numbered_sgpr, 24
	.set gemm_mul_leaky.num_named_barrier, 0
	.set gemm_mul_leaky.private_seg_size, 0
	.set gemm_mul_leaky.uses_vcc, 1
	.set gemm_mul_leaky.uses_flat_scratch, 0
	.set gemm_mul_leaky.has_dyn_sized_stack, 0
	.set gemm_mul_leaky.has_recursion, 0
	.set gemm_mul_leaky.has_indirect_call, 0
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
    .name:           gemm_mul_leaky
    .private_segment_fixed_size: 0
    .sgpr_count:     28
    .sgpr_spill_count: 0
    .symbol:         gemm_mul_leaky.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     68
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx90a
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
