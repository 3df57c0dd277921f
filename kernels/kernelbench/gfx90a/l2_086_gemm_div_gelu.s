; clang 22.1.8 -O3 --offload-arch=gfx90a l2_086_gemm_div_gelu.hip (kernels/build.py)
	.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
	.amdhsa_code_object_version 6
	.text
	.protected	gemm_div_gelu
	.globl	gemm_div_gelu
	.p2align	8
	.type	gemm_div_gelu,@function
gemm_div_gelu:
	s_load_dwordx8 s[8:15], s[4:5], 0x0
	s_load_dwordx2 s[16:17], s[4:5], 0x24
	s_mov_b32 s18, s7
	v_and_b32_e32 v19, 0x3ff, v0
	v_bfe_u32 v18, v0, 10, 10
	s_mov_b32 s19, 0
	v_mov_b32_e32 v9, 0
	s_waitcnt lgkmcnt(0)
	s_cmp_lt_i32 s17, 1
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v0, 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v7, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v11, 0
	v_mov_b32_e32 v10, 0
	v_mov_b32_e32 v13, 0
	v_mov_b32_e32 v12, 0
	v_mov_b32_e32 v15, 0
	v_mov_b32_e32 v14, 0
	v_mov_b32_e32 v17, 0
	v_mov_b32_e32 v16, 0
	v_mov_b32_e32 v21, 0
	v_mov_b32_e32 v20, 0
	s_cbranch_scc1 .LBB0_6
	v_lshlrev_b32_e32 v0, 4, v18
	v_add_u32_e32 v1, v0, v19
	s_movk_i32 s0, 0x400
	v_cmp_gt_u32_e32 vcc, s0, v1
	v_add_u32_e32 v24, 0xffffff00, v1
	v_lshrrev_b32_e32 v1, 2, v1
	v_and_b32_e32 v2, 0x1ffc, v1
	s_lshl_b64 s[0:1], s[18:19], 8
	v_add_u32_e32 v22, 0x1000, v0
	v_and_b32_e32 v0, 15, v19
	v_mov_b32_e32 v1, s1
	v_add_co_u32_e64 v3, s[0:1], s0, v2
	s_ashr_i32 s5, s17, 31
	v_addc_co_u32_e64 v1, s[0:1], 0, v1, s[0:1]
	v_lshlrev_b32_e32 v8, 2, v0
	v_lshl_add_u32 v25, v0, 8, v2
	v_mul_lo_u32 v4, v3, s5
	v_mul_lo_u32 v5, v1, s17
	v_mad_u64_u32 v[0:1], s[0:1], v3, s17, v[8:9]
	v_add3_u32 v1, v5, v1, v4
	v_mov_b32_e32 v3, s9
	v_add_co_u32_e64 v4, s[0:1], s8, v0
	s_mov_b32 s7, s19
	v_addc_co_u32_e64 v5, s[0:1], v3, v1, s[0:1]
	s_lshl_b64 s[0:1], s[6:7], 8
	v_mov_b32_e32 v0, s1
	v_add_co_u32_e64 v1, s[0:1], s0, v2
	v_addc_co_u32_e64 v0, s[0:1], 0, v0, s[0:1]
	v_mul_lo_u32 v2, v1, s5
	v_mul_lo_u32 v3, v0, s17
	v_mad_u64_u32 v[0:1], s[0:1], v1, s17, v[8:9]
	s_mov_b32 s4, s17
	v_add3_u32 v1, v3, v1, v2
	v_mov_b32_e32 v2, s11
	v_add_co_u32_e64 v8, s[0:1], s10, v0
	v_lshlrev_b32_e32 v23, 4, v19
	s_lshl_b64 s[8:9], s[4:5], 6
	v_addc_co_u32_e64 v9, s[0:1], v2, v1, s[0:1]
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v20, 0
	v_mov_b32_e32 v21, 0
	v_mov_b32_e32 v14, 0
	v_mov_b32_e32 v15, 0
	v_mov_b32_e32 v10, 0
	v_mov_b32_e32 v11, 0
	v_mov_b32_e32 v0, 0
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v16, 0
	v_mov_b32_e32 v17, 0
	v_mov_b32_e32 v12, 0
	v_mov_b32_e32 v13, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
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
	v_pk_fma_f32 v[14:15], v[30:31], v[26:27], v[14:15] op_sel:[1,0,0]
	v_pk_fma_f32 v[16:17], v[30:31], v[28:29], v[16:17] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[20:21], v[30:31], v[26:27], v[20:21] op_sel_hi:[0,1,1]
	s_waitcnt lgkmcnt(2)
	v_pk_fma_f32 v[14:15], v[34:35], v[46:47], v[14:15] op_sel:[1,0,0]
	v_pk_fma_f32 v[30:31], v[30:31], v[28:29], v[12:13] op_sel:[1,0,0]
	s_waitcnt lgkmcnt(1)
	v_pk_fma_f32 v[60:61], v[38:39], v[50:51], v[14:15] op_sel:[1,0,0]
	v_pk_fma_f32 v[14:15], v[34:35], v[48:49], v[16:17] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[62:63], v[38:39], v[52:53], v[14:15] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[14:15], v[34:35], v[48:49], v[30:31] op_sel:[1,0,0]
	v_pk_fma_f32 v[58:59], v[32:33], v[26:27], v[10:11] op_sel_hi:[0,1,1]
	ds_read_b128 v[10:13], v22 offset:1024
	v_pk_fma_f32 v[30:31], v[38:39], v[52:53], v[14:15] op_sel:[1,0,0]
	ds_read_b128 v[14:17], v23 offset:1024
	v_pk_fma_f32 v[6:7], v[32:33], v[28:29], v[6:7] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[20:21], v[34:35], v[46:47], v[20:21] op_sel_hi:[0,1,1]
	v_mov_b32_e32 v32, v33
	v_pk_fma_f32 v[58:59], v[36:37], v[46:47], v[58:59] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[20:21], v[38:39], v[50:51], v[20:21] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[6:7], v[36:37], v[48:49], v[6:7] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[58:59], v[40:41], v[50:51], v[58:59] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[6:7], v[40:41], v[52:53], v[6:7] op_sel_hi:[0,1,1]
	v_mov_b32_e32 v34, v37
	v_mov_b32_e32 v36, v41
	s_waitcnt lgkmcnt(2)
	v_pk_fma_f32 v[20:21], v[42:43], v[54:55], v[20:21] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[38:39], v[42:43], v[54:55], v[60:61] op_sel:[1,0,0]
	v_pk_fma_f32 v[40:41], v[42:43], v[56:57], v[62:63] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[30:31], v[42:43], v[56:57], v[30:31] op_sel:[1,0,0]
	v_pk_fma_f32 v[42:43], v[32:33], v[26:27], v[2:3] op_sel_hi:[0,1,1]
	s_waitcnt lgkmcnt(0)
	v_pk_fma_f32 v[20:21], v[10:11], v[14:15], v[20:21] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[60:61], v[10:11], v[14:15], v[38:39] op_sel:[1,0,0]
	v_pk_fma_f32 v[62:63], v[10:11], v[16:17], v[40:41] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[64:65], v[10:11], v[16:17], v[30:31] op_sel:[1,0,0]
	v_pk_fma_f32 v[10:11], v[34:35], v[46:47], v[42:43] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[58:59], v[44:45], v[54:55], v[58:59] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[6:7], v[44:45], v[56:57], v[6:7] op_sel_hi:[0,1,1]
	v_mov_b32_e32 v44, v45
	v_pk_fma_f32 v[32:33], v[32:33], v[28:29], v[0:1] op_sel_hi:[0,1,1]
	ds_read_b128 v[0:3], v22 offset:1280
	ds_read_b128 v[26:29], v23 offset:1280
	v_pk_fma_f32 v[10:11], v[36:37], v[50:51], v[10:11] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[58:59], v[12:13], v[14:15], v[58:59] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[6:7], v[12:13], v[16:17], v[6:7] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[10:11], v[44:45], v[54:55], v[10:11] op_sel_hi:[0,1,1]
	v_mov_b32_e32 v12, v13
	v_pk_fma_f32 v[46:47], v[12:13], v[14:15], v[10:11] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[10:11], v[34:35], v[48:49], v[32:33] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[10:11], v[36:37], v[52:53], v[10:11] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[10:11], v[44:45], v[56:57], v[10:11] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[48:49], v[12:13], v[16:17], v[10:11] op_sel_hi:[0,1,1]
	s_waitcnt lgkmcnt(1)
	v_mov_b32_e32 v50, v3
	s_waitcnt lgkmcnt(0)
	v_pk_fma_f32 v[20:21], v[0:1], v[26:27], v[20:21] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[52:53], v[0:1], v[26:27], v[60:61] op_sel:[1,0,0]
	v_pk_fma_f32 v[54:55], v[2:3], v[26:27], v[58:59] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[56:57], v[0:1], v[28:29], v[62:63] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[58:59], v[0:1], v[28:29], v[64:65] op_sel:[1,0,0]
	v_pk_fma_f32 v[6:7], v[2:3], v[28:29], v[6:7] op_sel_hi:[0,1,1]
	ds_read_b128 v[0:3], v23 offset:1536
	v_pk_fma_f32 v[46:47], v[50:51], v[26:27], v[46:47] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[48:49], v[50:51], v[28:29], v[48:49] op_sel_hi:[0,1,1]
	ds_read_b128 v[26:29], v23 offset:1792
	ds_read_b128 v[10:13], v22 offset:1536
	ds_read_b128 v[14:17], v22 offset:1792
	ds_read_b128 v[30:33], v22 offset:2048
	ds_read_b128 v[34:37], v22 offset:2304
	ds_read_b128 v[38:41], v22 offset:2560
	ds_read_b128 v[42:45], v22 offset:2816
	s_waitcnt lgkmcnt(5)
	v_mov_b32_e32 v50, v13
	v_pk_fma_f32 v[46:47], v[50:51], v[0:1], v[46:47] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[20:21], v[10:11], v[0:1], v[20:21] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[52:53], v[10:11], v[0:1], v[52:53] op_sel:[1,0,0]
	v_pk_fma_f32 v[54:55], v[12:13], v[0:1], v[54:55] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[48:49], v[50:51], v[2:3], v[48:49] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[50:51], v[10:11], v[2:3], v[56:57] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[56:57], v[10:11], v[2:3], v[58:59] op_sel:[1,0,0]
	v_pk_fma_f32 v[6:7], v[12:13], v[2:3], v[6:7] op_sel_hi:[0,1,1]
	s_waitcnt lgkmcnt(4)
	v_mov_b32_e32 v58, v17
	v_pk_fma_f32 v[20:21], v[14:15], v[26:27], v[20:21] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[52:53], v[14:15], v[26:27], v[52:53] op_sel:[1,0,0]
	v_pk_fma_f32 v[54:55], v[16:17], v[26:27], v[54:55] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[50:51], v[14:15], v[28:29], v[50:51] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[56:57], v[14:15], v[28:29], v[56:57] op_sel:[1,0,0]
	v_pk_fma_f32 v[6:7], v[16:17], v[28:29], v[6:7] op_sel_hi:[0,1,1]
	ds_read_b128 v[14:17], v23 offset:2048
	v_pk_fma_f32 v[46:47], v[58:59], v[26:27], v[46:47] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[48:49], v[58:59], v[28:29], v[48:49] op_sel_hi:[0,1,1]
	ds_read_b128 v[26:29], v23 offset:2304
	s_waitcnt lgkmcnt(5)
	v_mov_b32_e32 v58, v33
	s_waitcnt lgkmcnt(1)
	v_pk_fma_f32 v[20:21], v[30:31], v[14:15], v[20:21] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[52:53], v[30:31], v[14:15], v[52:53] op_sel:[1,0,0]
	v_pk_fma_f32 v[54:55], v[32:33], v[14:15], v[54:55] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[50:51], v[30:31], v[16:17], v[50:51] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[56:57], v[30:31], v[16:17], v[56:57] op_sel:[1,0,0]
	v_pk_fma_f32 v[6:7], v[32:33], v[16:17], v[6:7] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[46:47], v[58:59], v[14:15], v[46:47] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[48:49], v[58:59], v[16:17], v[48:49] op_sel_hi:[0,1,1]
	v_mov_b32_e32 v58, v37
	s_waitcnt lgkmcnt(0)
	v_pk_fma_f32 v[20:21], v[34:35], v[26:27], v[20:21] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[52:53], v[34:35], v[26:27], v[52:53] op_sel:[1,0,0]
	v_pk_fma_f32 v[54:55], v[36:37], v[26:27], v[54:55] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[50:51], v[34:35], v[28:29], v[50:51] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[56:57], v[34:35], v[28:29], v[56:57] op_sel:[1,0,0]
	v_pk_fma_f32 v[6:7], v[36:37], v[28:29], v[6:7] op_sel_hi:[0,1,1]
	ds_read_b128 v[34:37], v23 offset:2560
	v_pk_fma_f32 v[46:47], v[58:59], v[26:27], v[46:47] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[48:49], v[58:59], v[28:29], v[48:49] op_sel_hi:[0,1,1]
	ds_read_b128 v[26:29], v23 offset:2816
	v_mov_b32_e32 v58, v41
	s_waitcnt lgkmcnt(1)
	v_pk_fma_f32 v[46:47], v[58:59], v[34:35], v[46:47] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[48:49], v[58:59], v[36:37], v[48:49] op_sel_hi:[0,1,1]
	v_mov_b32_e32 v58, v45
	v_pk_fma_f32 v[20:21], v[38:39], v[34:35], v[20:21] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[52:53], v[38:39], v[34:35], v[52:53] op_sel:[1,0,0]
	v_pk_fma_f32 v[54:55], v[40:41], v[34:35], v[54:55] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[50:51], v[38:39], v[36:37], v[50:51] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[56:57], v[38:39], v[36:37], v[56:57] op_sel:[1,0,0]
	v_pk_fma_f32 v[6:7], v[40:41], v[36:37], v[6:7] op_sel_hi:[0,1,1]
	ds_read_b128 v[0:3], v22 offset:3072
	ds_read_b128 v[10:13], v22 offset:3328
	ds_read_b128 v[14:17], v22 offset:3584
	ds_read_b128 v[30:33], v22 offset:3840
	s_waitcnt lgkmcnt(4)
	v_pk_fma_f32 v[46:47], v[58:59], v[26:27], v[46:47] op_sel_hi:[0,1,1]
	ds_read_b128 v[34:37], v23 offset:3072
	ds_read_b128 v[38:41], v23 offset:3328
	v_pk_fma_f32 v[20:21], v[42:43], v[26:27], v[20:21] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[52:53], v[42:43], v[26:27], v[52:53] op_sel:[1,0,0]
	v_pk_fma_f32 v[54:55], v[44:45], v[26:27], v[54:55] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[48:49], v[58:59], v[28:29], v[48:49] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[50:51], v[42:43], v[28:29], v[50:51] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[56:57], v[42:43], v[28:29], v[56:57] op_sel:[1,0,0]
	v_pk_fma_f32 v[6:7], v[44:45], v[28:29], v[6:7] op_sel_hi:[0,1,1]
	ds_read_b128 v[26:29], v23 offset:3584
	ds_read_b128 v[42:45], v23 offset:3840
	s_waitcnt lgkmcnt(7)
	v_mov_b32_e32 v58, v3
	v_add_co_u32_e64 v4, s[0:1], 64, v4
	s_waitcnt lgkmcnt(3)
	v_pk_fma_f32 v[20:21], v[0:1], v[34:35], v[20:21] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[52:53], v[0:1], v[34:35], v[52:53] op_sel:[1,0,0]
	v_pk_fma_f32 v[54:55], v[2:3], v[34:35], v[54:55] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[50:51], v[0:1], v[36:37], v[50:51] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[0:1], v[0:1], v[36:37], v[56:57] op_sel:[1,0,0]
	v_pk_fma_f32 v[2:3], v[2:3], v[36:37], v[6:7] op_sel_hi:[0,1,1]
	v_mov_b32_e32 v6, v13
	v_pk_fma_f32 v[34:35], v[58:59], v[34:35], v[46:47] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[36:37], v[58:59], v[36:37], v[48:49] op_sel_hi:[0,1,1]
	v_addc_co_u32_e64 v5, s[0:1], 0, v5, s[0:1]
	v_mov_b32_e32 v56, v17
	s_waitcnt lgkmcnt(2)
	v_pk_fma_f32 v[20:21], v[10:11], v[38:39], v[20:21] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[48:49], v[10:11], v[38:39], v[52:53] op_sel:[1,0,0]
	v_pk_fma_f32 v[52:53], v[12:13], v[38:39], v[54:55] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[50:51], v[10:11], v[40:41], v[50:51] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[0:1], v[10:11], v[40:41], v[0:1] op_sel:[1,0,0]
	v_pk_fma_f32 v[2:3], v[12:13], v[40:41], v[2:3] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[10:11], v[6:7], v[38:39], v[34:35] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[6:7], v[6:7], v[40:41], v[36:37] op_sel_hi:[0,1,1]
	s_add_i32 s19, s19, 16
	v_mov_b32_e32 v46, v33
	s_waitcnt lgkmcnt(1)
	v_pk_fma_f32 v[12:13], v[14:15], v[26:27], v[20:21] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[34:35], v[14:15], v[26:27], v[48:49] op_sel:[1,0,0]
	v_pk_fma_f32 v[38:39], v[16:17], v[26:27], v[52:53] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[36:37], v[14:15], v[28:29], v[50:51] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[0:1], v[14:15], v[28:29], v[0:1] op_sel:[1,0,0]
	v_pk_fma_f32 v[2:3], v[16:17], v[28:29], v[2:3] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[26:27], v[56:57], v[26:27], v[10:11] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[28:29], v[56:57], v[28:29], v[6:7] op_sel_hi:[0,1,1]
	v_add_co_u32_e64 v8, s[0:1], 64, v8
	s_cmp_ge_i32 s19, s4
	s_waitcnt lgkmcnt(0)
	v_pk_fma_f32 v[20:21], v[30:31], v[42:43], v[12:13] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[14:15], v[30:31], v[42:43], v[34:35] op_sel:[1,0,0]
	v_pk_fma_f32 v[10:11], v[32:33], v[42:43], v[38:39] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[16:17], v[30:31], v[44:45], v[36:37] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[12:13], v[30:31], v[44:45], v[0:1] op_sel:[1,0,0]
	v_pk_fma_f32 v[6:7], v[32:33], v[44:45], v[2:3] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[2:3], v[46:47], v[42:43], v[26:27] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[0:1], v[46:47], v[44:45], v[28:29] op_sel_hi:[0,1,1]
	v_addc_co_u32_e64 v9, s[0:1], 0, v9, s[0:1]
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
	v_add_co_u32_e64 v30, s[2:3], s20, v4
	v_add_co_u32_e64 v28, s[0:1], s20, v8
	v_addc_co_u32_e64 v31, s[2:3], v5, v29, s[2:3]
	v_addc_co_u32_e64 v29, s[0:1], v9, v29, s[0:1]
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
	v_lshl_add_u32 v4, v19, 2, s0
	v_ashrrev_i32_e32 v5, 31, v4
	v_lshlrev_b64 v[8:9], 2, v[4:5]
	v_mov_b32_e32 v5, s13
	v_add_co_u32_e32 v4, vcc, s12, v8
	v_addc_co_u32_e32 v5, vcc, v5, v9, vcc
	global_load_dword v19, v[4:5], off
	s_mov_b32 s2, 0x41200000
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v19, v20, v19
	v_div_scale_f32 v20, s[0:1], s2, s2, v19
	v_rcp_f32_e32 v22, v20
	v_div_scale_f32 v23, vcc, v19, s2, v19
	v_fma_f32 v24, -v20, v22, 1.0
	v_fmac_f32_e32 v22, v24, v22
	v_mul_f32_e32 v24, v23, v22
	v_fma_f32 v25, -v20, v24, v23
	v_fmac_f32_e32 v24, v25, v22
	v_fma_f32 v20, -v20, v24, v23
	v_div_fmas_f32 v20, v20, v22, v24
	v_div_fixup_f32 v23, v20, s2, v19
	v_mul_f32_e32 v22, 0x3f3504f3, v23
	v_cmp_nlt_f32_e64 s[0:1], |v22|, 1.0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[0:1], exec, s[2:3]
	s_cbranch_execz .LBB0_8
	s_mov_b32 s2, 0x3ea7ba05
	v_fma_f32 v19, |v22|, s2, 1.0
	v_div_scale_f32 v20, s[2:3], v19, v19, 1.0
	v_rcp_f32_e32 v24, v20
	v_div_scale_f32 v25, vcc, 1.0, v19, 1.0
	s_mov_b32 s2, 0x3fb8aa3b
	v_fma_f32 v26, -v20, v24, 1.0
	v_fmac_f32_e32 v24, v26, v24
	v_mul_f32_e32 v26, v25, v24
	v_fma_f32 v27, -v20, v26, v25
	v_fmac_f32_e32 v26, v27, v24
	v_fma_f32 v20, -v20, v26, v25
	v_div_fmas_f32 v20, v20, v24, v26
	v_div_fixup_f32 v19, v20, v19, 1.0
	v_mov_b32_e32 v20, 0xbfba00e3
	v_fmac_f32_e32 v20, 0x3f87dc22, v19
	v_mov_b32_e32 v24, 0x3fb5f0e3
	v_fmac_f32_e32 v24, v19, v20
	v_mov_b32_e32 v20, 0xbe91a98e
	v_fmac_f32_e32 v20, v19, v24
	v_mul_f32_e64 v24, |v22|, -|v22|
	v_mul_f32_e32 v25, 0x3fb8aa3b, v24
	v_rndne_f32_e32 v26, v25
	v_sub_f32_e32 v27, v25, v26
	v_fma_f32 v25, v24, s2, -v25
	v_fmac_f32_e32 v25, 0x32a5705f, v24
	v_add_f32_e32 v25, v27, v25
	v_exp_f32_e32 v25, v25
	v_cvt_i32_f32_e32 v26, v26
	v_mov_b32_e32 v27, 0x3e827906
	s_mov_b32 s2, 0xc2ce8ed0
	v_fmac_f32_e32 v27, v19, v20
	v_ldexp_f32 v20, v25, v26
	v_cmp_ngt_f32_e32 vcc, s2, v24
	s_mov_b32 s2, 0x42b17218
	v_cndmask_b32_e32 v20, 0, v20, vcc
	v_mov_b32_e32 v25, 0x7f800000
	v_cmp_nlt_f32_e32 vcc, s2, v24
	v_mul_f32_e32 v19, v19, v27
	v_cndmask_b32_e32 v20, v25, v20, vcc
	v_fma_f32 v24, -v20, v19, 1.0
.LBB0_8:
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	s_cbranch_execz .LBB0_10
	v_mul_f32_e32 v19, v22, v22
	v_mov_b32_e32 v20, 0xba51ee0c
	v_fmac_f32_e32 v20, 0x38a491a7, v19
	v_mov_b32_e32 v24, 0x3baa00ec
	v_fmac_f32_e32 v24, v19, v20
	v_mov_b32_e32 v20, 0xbcdbfc46
	v_fmac_f32_e32 v20, v19, v24
	v_mov_b32_e32 v24, 0x3de71678
	v_fmac_f32_e32 v24, v19, v20
	v_mov_b32_e32 v20, 0xbec0939f
	v_fmac_f32_e32 v20, v19, v24
	v_mov_b32_e32 v24, 0x3f906eba
	v_fmac_f32_e32 v24, v19, v20
	v_mul_f32_e64 v24, |v22|, v24
.LBB0_10:
	s_or_b64 exec, exec, s[0:1]
	s_lshl_b32 s0, s18, 6
	v_lshl_add_u32 v20, v18, 2, s0
	v_mad_i64_i32 v[18:19], s[0:1], v20, s16, 0
	v_lshlrev_b64 v[18:19], 2, v[18:19]
	s_brev_b32 s0, -2
	v_mov_b32_e32 v25, s15
	v_add_co_u32_e32 v18, vcc, s14, v18
	v_bfi_b32 v22, s0, v24, v22
	v_addc_co_u32_e32 v19, vcc, v25, v19, vcc
	v_mul_f32_e32 v23, 0.5, v23
	v_add_f32_e32 v22, 1.0, v22
	v_mul_f32_e32 v24, v23, v22
	v_add_co_u32_e32 v22, vcc, v18, v8
	v_addc_co_u32_e32 v23, vcc, v19, v9, vcc
	global_store_dword v[22:23], v24, off
	global_load_dword v24, v[4:5], off offset:4
	s_mov_b32 s2, 0x41200000
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v21, v21, v24
	v_div_scale_f32 v24, s[0:1], s2, s2, v21
	v_rcp_f32_e32 v25, v24
	v_div_scale_f32 v26, vcc, v21, s2, v21
	v_fma_f32 v27, -v24, v25, 1.0
	v_fmac_f32_e32 v25, v27, v25
	v_mul_f32_e32 v27, v26, v25
	v_fma_f32 v28, -v24, v27, v26
	v_fmac_f32_e32 v27, v28, v25
	v_fma_f32 v24, -v24, v27, v26
	v_div_fmas_f32 v24, v24, v25, v27
	v_div_fixup_f32 v24, v24, s2, v21
	v_mul_f32_e32 v21, 0x3f3504f3, v24
	v_cmp_nlt_f32_e64 s[0:1], |v21|, 1.0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[0:1], exec, s[2:3]
	s_cbranch_execz .LBB0_12
	s_mov_b32 s2, 0x3ea7ba05
	v_fma_f32 v25, |v21|, s2, 1.0
	v_div_scale_f32 v26, s[2:3], v25, v25, 1.0
	v_rcp_f32_e32 v27, v26
	v_div_scale_f32 v28, vcc, 1.0, v25, 1.0
	s_mov_b32 s2, 0x3fb8aa3b
	v_fma_f32 v29, -v26, v27, 1.0
	v_fmac_f32_e32 v27, v29, v27
	v_mul_f32_e32 v29, v28, v27
	v_fma_f32 v30, -v26, v29, v28
	v_fmac_f32_e32 v29, v30, v27
	v_fma_f32 v26, -v26, v29, v28
	v_div_fmas_f32 v26, v26, v27, v29
	v_div_fixup_f32 v25, v26, v25, 1.0
	v_mov_b32_e32 v26, 0xbfba00e3
	v_fmac_f32_e32 v26, 0x3f87dc22, v25
	v_mov_b32_e32 v27, 0x3fb5f0e3
	v_fmac_f32_e32 v27, v25, v26
	v_mov_b32_e32 v26, 0xbe91a98e
	v_fmac_f32_e32 v26, v25, v27
	v_mul_f32_e64 v27, |v21|, -|v21|
	v_mul_f32_e32 v28, 0x3fb8aa3b, v27
	v_rndne_f32_e32 v29, v28
	v_sub_f32_e32 v30, v28, v29
	v_fma_f32 v28, v27, s2, -v28
	v_fmac_f32_e32 v28, 0x32a5705f, v27
	v_add_f32_e32 v28, v30, v28
	v_exp_f32_e32 v28, v28
	v_cvt_i32_f32_e32 v29, v29
	v_mov_b32_e32 v30, 0x3e827906
	s_mov_b32 s2, 0xc2ce8ed0
	v_fmac_f32_e32 v30, v25, v26
	v_ldexp_f32 v26, v28, v29
	v_cmp_ngt_f32_e32 vcc, s2, v27
	s_mov_b32 s2, 0x42b17218
	v_cndmask_b32_e32 v26, 0, v26, vcc
	v_mov_b32_e32 v28, 0x7f800000
	v_cmp_nlt_f32_e32 vcc, s2, v27
	v_mul_f32_e32 v25, v25, v30
	v_cndmask_b32_e32 v26, v28, v26, vcc
	v_fma_f32 v25, -v26, v25, 1.0
.LBB0_12:
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	s_cbranch_execz .LBB0_14
	v_mul_f32_e32 v25, v21, v21
	v_mov_b32_e32 v26, 0xba51ee0c
	v_fmac_f32_e32 v26, 0x38a491a7, v25
	v_mov_b32_e32 v27, 0x3baa00ec
	v_fmac_f32_e32 v27, v25, v26
	v_mov_b32_e32 v26, 0xbcdbfc46
	v_fmac_f32_e32 v26, v25, v27
	v_mov_b32_e32 v27, 0x3de71678
	v_fmac_f32_e32 v27, v25, v26
	v_mov_b32_e32 v26, 0xbec0939f
	v_fmac_f32_e32 v26, v25, v27
	v_mov_b32_e32 v27, 0x3f906eba
	v_fmac_f32_e32 v27, v25, v26
	v_mul_f32_e64 v25, |v21|, v27
.LBB0_14:
	s_or_b64 exec, exec, s[0:1]
	s_brev_b32 s0, -2
	v_bfi_b32 v21, s0, v25, v21
	v_mul_f32_e32 v24, 0.5, v24
	v_add_f32_e32 v21, 1.0, v21
	v_mul_f32_e32 v21, v24, v21
	global_store_dword v[22:23], v21, off offset:4
	global_load_dword v21, v[4:5], off offset:8
	s_mov_b32 s2, 0x41200000
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v16, v16, v21
	v_div_scale_f32 v21, s[0:1], s2, s2, v16
	v_rcp_f32_e32 v24, v21
	v_div_scale_f32 v25, vcc, v16, s2, v16
	v_fma_f32 v26, -v21, v24, 1.0
	v_fmac_f32_e32 v24, v26, v24
	v_mul_f32_e32 v26, v25, v24
	v_fma_f32 v27, -v21, v26, v25
	v_fmac_f32_e32 v26, v27, v24
	v_fma_f32 v21, -v21, v26, v25
	v_div_fmas_f32 v21, v21, v24, v26
	v_div_fixup_f32 v21, v21, s2, v16
	v_mul_f32_e32 v16, 0x3f3504f3, v21
	v_cmp_nlt_f32_e64 s[0:1], |v16|, 1.0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[0:1], exec, s[2:3]
	s_cbranch_execz .LBB0_16
	s_mov_b32 s2, 0x3ea7ba05
	v_fma_f32 v24, |v16|, s2, 1.0
	v_div_scale_f32 v25, s[2:3], v24, v24, 1.0
	v_rcp_f32_e32 v26, v25
	v_div_scale_f32 v27, vcc, 1.0, v24, 1.0
	s_mov_b32 s2, 0x3fb8aa3b
	v_fma_f32 v28, -v25, v26, 1.0
	v_fmac_f32_e32 v26, v28, v26
	v_mul_f32_e32 v28, v27, v26
	v_fma_f32 v29, -v25, v28, v27
	v_fmac_f32_e32 v28, v29, v26
	v_fma_f32 v25, -v25, v28, v27
	v_div_fmas_f32 v25, v25, v26, v28
	v_div_fixup_f32 v24, v25, v24, 1.0
	v_mov_b32_e32 v25, 0xbfba00e3
	v_fmac_f32_e32 v25, 0x3f87dc22, v24
	v_mov_b32_e32 v26, 0x3fb5f0e3
	v_fmac_f32_e32 v26, v24, v25
	v_mov_b32_e32 v25, 0xbe91a98e
	v_fmac_f32_e32 v25, v24, v26
	v_mul_f32_e64 v26, |v16|, -|v16|
	v_mul_f32_e32 v27, 0x3fb8aa3b, v26
	v_rndne_f32_e32 v28, v27
	v_sub_f32_e32 v29, v27, v28
	v_fma_f32 v27, v26, s2, -v27
	v_fmac_f32_e32 v27, 0x32a5705f, v26
	v_add_f32_e32 v27, v29, v27
	v_exp_f32_e32 v27, v27
	v_cvt_i32_f32_e32 v28, v28
	v_mov_b32_e32 v29, 0x3e827906
	s_mov_b32 s2, 0xc2ce8ed0
	v_fmac_f32_e32 v29, v24, v25
	v_ldexp_f32 v25, v27, v28
	v_cmp_ngt_f32_e32 vcc, s2, v26
	s_mov_b32 s2, 0x42b17218
	v_cndmask_b32_e32 v25, 0, v25, vcc
	v_mov_b32_e32 v27, 0x7f800000
	v_cmp_nlt_f32_e32 vcc, s2, v26
	v_mul_f32_e32 v24, v24, v29
	v_cndmask_b32_e32 v25, v27, v25, vcc
	v_fma_f32 v24, -v25, v24, 1.0
.LBB0_16:
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	s_cbranch_execz .LBB0_18
	v_mul_f32_e32 v24, v16, v16
	v_mov_b32_e32 v25, 0xba51ee0c
	v_fmac_f32_e32 v25, 0x38a491a7, v24
	v_mov_b32_e32 v26, 0x3baa00ec
	v_fmac_f32_e32 v26, v24, v25
	v_mov_b32_e32 v25, 0xbcdbfc46
	v_fmac_f32_e32 v25, v24, v26
	v_mov_b32_e32 v26, 0x3de71678
	v_fmac_f32_e32 v26, v24, v25
	v_mov_b32_e32 v25, 0xbec0939f
	v_fmac_f32_e32 v25, v24, v26
	v_mov_b32_e32 v26, 0x3f906eba
	v_fmac_f32_e32 v26, v24, v25
	v_mul_f32_e64 v24, |v16|, v26
.LBB0_18:
	s_or_b64 exec, exec, s[0:1]
	s_brev_b32 s0, -2
	v_bfi_b32 v16, s0, v24, v16
	v_mul_f32_e32 v21, 0.5, v21
	v_add_f32_e32 v16, 1.0, v16
	v_mul_f32_e32 v16, v21, v16
	global_store_dword v[22:23], v16, off offset:8
	global_load_dword v16, v[4:5], off offset:12
	s_mov_b32 s2, 0x41200000
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v16, v17, v16
	v_div_scale_f32 v17, s[0:1], s2, s2, v16
	v_rcp_f32_e32 v21, v17
	v_div_scale_f32 v24, vcc, v16, s2, v16
	v_fma_f32 v25, -v17, v21, 1.0
	v_fmac_f32_e32 v21, v25, v21
	v_mul_f32_e32 v25, v24, v21
	v_fma_f32 v26, -v17, v25, v24
	v_fmac_f32_e32 v25, v26, v21
	v_fma_f32 v17, -v17, v25, v24
	v_div_fmas_f32 v17, v17, v21, v25
	v_div_fixup_f32 v17, v17, s2, v16
	v_mul_f32_e32 v16, 0x3f3504f3, v17
	v_cmp_nlt_f32_e64 s[0:1], |v16|, 1.0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[0:1], exec, s[2:3]
	s_cbranch_execz .LBB0_20
	s_mov_b32 s2, 0x3ea7ba05
	v_fma_f32 v21, |v16|, s2, 1.0
	v_div_scale_f32 v24, s[2:3], v21, v21, 1.0
	v_rcp_f32_e32 v25, v24
	v_div_scale_f32 v26, vcc, 1.0, v21, 1.0
	s_mov_b32 s2, 0x3fb8aa3b
	v_fma_f32 v27, -v24, v25, 1.0
	v_fmac_f32_e32 v25, v27, v25
	v_mul_f32_e32 v27, v26, v25
	v_fma_f32 v28, -v24, v27, v26
	v_fmac_f32_e32 v27, v28, v25
	v_fma_f32 v24, -v24, v27, v26
	v_div_fmas_f32 v24, v24, v25, v27
	v_div_fixup_f32 v21, v24, v21, 1.0
	v_mov_b32_e32 v24, 0xbfba00e3
	v_fmac_f32_e32 v24, 0x3f87dc22, v21
	v_mov_b32_e32 v25, 0x3fb5f0e3
	v_fmac_f32_e32 v25, v21, v24
	v_mov_b32_e32 v24, 0xbe91a98e
	v_fmac_f32_e32 v24, v21, v25
	v_mul_f32_e64 v25, |v16|, -|v16|
	v_mul_f32_e32 v26, 0x3fb8aa3b, v25
	v_rndne_f32_e32 v27, v26
	v_sub_f32_e32 v28, v26, v27
	v_fma_f32 v26, v25, s2, -v26
	v_fmac_f32_e32 v26, 0x32a5705f, v25
	v_add_f32_e32 v26, v28, v26
	v_exp_f32_e32 v26, v26
	v_cvt_i32_f32_e32 v27, v27
	v_mov_b32_e32 v28, 0x3e827906
	s_mov_b32 s2, 0xc2ce8ed0
	v_fmac_f32_e32 v28, v21, v24
	v_ldexp_f32 v24, v26, v27
	v_cmp_ngt_f32_e32 vcc, s2, v25
	s_mov_b32 s2, 0x42b17218
	v_cndmask_b32_e32 v24, 0, v24, vcc
	v_mov_b32_e32 v26, 0x7f800000
	v_cmp_nlt_f32_e32 vcc, s2, v25
	v_mul_f32_e32 v21, v21, v28
	v_cndmask_b32_e32 v24, v26, v24, vcc
	v_fma_f32 v21, -v24, v21, 1.0
.LBB0_20:
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	s_cbranch_execz .LBB0_22
	v_mul_f32_e32 v21, v16, v16
	v_mov_b32_e32 v24, 0xba51ee0c
	v_fmac_f32_e32 v24, 0x38a491a7, v21
	v_mov_b32_e32 v25, 0x3baa00ec
	v_fmac_f32_e32 v25, v21, v24
	v_mov_b32_e32 v24, 0xbcdbfc46
	v_fmac_f32_e32 v24, v21, v25
	v_mov_b32_e32 v25, 0x3de71678
	v_fmac_f32_e32 v25, v21, v24
	v_mov_b32_e32 v24, 0xbec0939f
	v_fmac_f32_e32 v24, v21, v25
	v_mov_b32_e32 v25, 0x3f906eba
	v_fmac_f32_e32 v25, v21, v24
	v_mul_f32_e64 v21, |v16|, v25
.LBB0_22:
	s_or_b64 exec, exec, s[0:1]
	s_brev_b32 s0, -2
	v_bfi_b32 v16, s0, v21, v16
	v_mul_f32_e32 v17, 0.5, v17
	v_add_f32_e32 v16, 1.0, v16
	v_mul_f32_e32 v16, v17, v16
	global_store_dword v[22:23], v16, off offset:12
	global_load_dword v16, v[4:5], off
	s_mov_b32 s2, 0x41200000
	s_ashr_i32 s17, s16, 31
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v14, v14, v16
	v_div_scale_f32 v16, s[0:1], s2, s2, v14
	v_rcp_f32_e32 v17, v16
	v_div_scale_f32 v21, vcc, v14, s2, v14
	v_fma_f32 v22, -v16, v17, 1.0
	v_fmac_f32_e32 v17, v22, v17
	v_mul_f32_e32 v22, v21, v17
	v_fma_f32 v23, -v16, v22, v21
	v_fmac_f32_e32 v22, v23, v17
	v_fma_f32 v16, -v16, v22, v21
	v_div_fmas_f32 v16, v16, v17, v22
	v_div_fixup_f32 v16, v16, s2, v14
	v_mul_f32_e32 v14, 0x3f3504f3, v16
	v_cmp_nlt_f32_e64 s[0:1], |v14|, 1.0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[0:1], exec, s[2:3]
	s_cbranch_execz .LBB0_24
	s_mov_b32 s2, 0x3ea7ba05
	v_fma_f32 v17, |v14|, s2, 1.0
	v_div_scale_f32 v21, s[2:3], v17, v17, 1.0
	v_rcp_f32_e32 v22, v21
	v_div_scale_f32 v23, vcc, 1.0, v17, 1.0
	s_mov_b32 s2, 0x3fb8aa3b
	v_fma_f32 v24, -v21, v22, 1.0
	v_fmac_f32_e32 v22, v24, v22
	v_mul_f32_e32 v24, v23, v22
	v_fma_f32 v25, -v21, v24, v23
	v_fmac_f32_e32 v24, v25, v22
	v_fma_f32 v21, -v21, v24, v23
	v_div_fmas_f32 v21, v21, v22, v24
	v_div_fixup_f32 v17, v21, v17, 1.0
	v_mov_b32_e32 v21, 0xbfba00e3
	v_fmac_f32_e32 v21, 0x3f87dc22, v17
	v_mov_b32_e32 v22, 0x3fb5f0e3
	v_fmac_f32_e32 v22, v17, v21
	v_mov_b32_e32 v21, 0xbe91a98e
	v_fmac_f32_e32 v21, v17, v22
	v_mul_f32_e64 v22, |v14|, -|v14|
	v_mul_f32_e32 v23, 0x3fb8aa3b, v22
	v_rndne_f32_e32 v24, v23
	v_sub_f32_e32 v25, v23, v24
	v_fma_f32 v23, v22, s2, -v23
	v_fmac_f32_e32 v23, 0x32a5705f, v22
	v_add_f32_e32 v23, v25, v23
	v_exp_f32_e32 v23, v23
	v_cvt_i32_f32_e32 v24, v24
	v_mov_b32_e32 v25, 0x3e827906
	s_mov_b32 s2, 0xc2ce8ed0
	v_fmac_f32_e32 v25, v17, v21
	v_ldexp_f32 v21, v23, v24
	v_cmp_ngt_f32_e32 vcc, s2, v22
	s_mov_b32 s2, 0x42b17218
	v_cndmask_b32_e32 v21, 0, v21, vcc
	v_mov_b32_e32 v23, 0x7f800000
	v_cmp_nlt_f32_e32 vcc, s2, v22
	v_mul_f32_e32 v17, v17, v25
	v_cndmask_b32_e32 v21, v23, v21, vcc
	v_fma_f32 v17, -v21, v17, 1.0
.LBB0_24:
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	s_cbranch_execz .LBB0_26
	v_mul_f32_e32 v17, v14, v14
	v_mov_b32_e32 v21, 0xba51ee0c
	v_fmac_f32_e32 v21, 0x38a491a7, v17
	v_mov_b32_e32 v22, 0x3baa00ec
	v_fmac_f32_e32 v22, v17, v21
	v_mov_b32_e32 v21, 0xbcdbfc46
	v_fmac_f32_e32 v21, v17, v22
	v_mov_b32_e32 v22, 0x3de71678
	v_fmac_f32_e32 v22, v17, v21
	v_mov_b32_e32 v21, 0xbec0939f
	v_fmac_f32_e32 v21, v17, v22
	v_mov_b32_e32 v22, 0x3f906eba
	v_fmac_f32_e32 v22, v17, v21
	v_mul_f32_e64 v17, |v14|, v22
.LBB0_26:
	s_or_b64 exec, exec, s[0:1]
	s_lshl_b64 s[0:1], s[16:17], 2
	v_add_co_u32_e32 v18, vcc, s0, v18
	s_brev_b32 s0, -2
	v_mov_b32_e32 v21, s1
	v_bfi_b32 v14, s0, v17, v14
	v_addc_co_u32_e32 v19, vcc, v19, v21, vcc
	v_mul_f32_e32 v16, 0.5, v16
	v_add_f32_e32 v14, 1.0, v14
	v_mul_f32_e32 v14, v16, v14
	v_add_co_u32_e32 v16, vcc, v18, v8
	v_addc_co_u32_e32 v17, vcc, v19, v9, vcc
	global_store_dword v[16:17], v14, off
	global_load_dword v14, v[4:5], off offset:4
	s_mov_b32 s2, 0x41200000
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v14, v15, v14
	v_div_scale_f32 v15, s[0:1], s2, s2, v14
	v_rcp_f32_e32 v18, v15
	v_div_scale_f32 v19, vcc, v14, s2, v14
	v_fma_f32 v21, -v15, v18, 1.0
	v_fmac_f32_e32 v18, v21, v18
	v_mul_f32_e32 v21, v19, v18
	v_fma_f32 v22, -v15, v21, v19
	v_fmac_f32_e32 v21, v22, v18
	v_fma_f32 v15, -v15, v21, v19
	v_div_fmas_f32 v15, v15, v18, v21
	v_div_fixup_f32 v15, v15, s2, v14
	v_mul_f32_e32 v14, 0x3f3504f3, v15
	v_cmp_nlt_f32_e64 s[0:1], |v14|, 1.0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[0:1], exec, s[2:3]
	s_cbranch_execz .LBB0_28
	s_mov_b32 s2, 0x3ea7ba05
	v_fma_f32 v18, |v14|, s2, 1.0
	v_div_scale_f32 v19, s[2:3], v18, v18, 1.0
	v_rcp_f32_e32 v21, v19
	v_div_scale_f32 v22, vcc, 1.0, v18, 1.0
	s_mov_b32 s2, 0x3fb8aa3b
	v_fma_f32 v23, -v19, v21, 1.0
	v_fmac_f32_e32 v21, v23, v21
	v_mul_f32_e32 v23, v22, v21
	v_fma_f32 v24, -v19, v23, v22
	v_fmac_f32_e32 v23, v24, v21
	v_fma_f32 v19, -v19, v23, v22
	v_div_fmas_f32 v19, v19, v21, v23
	v_div_fixup_f32 v18, v19, v18, 1.0
	v_mov_b32_e32 v19, 0xbfba00e3
	v_fmac_f32_e32 v19, 0x3f87dc22, v18
	v_mov_b32_e32 v21, 0x3fb5f0e3
	v_fmac_f32_e32 v21, v18, v19
	v_mov_b32_e32 v19, 0xbe91a98e
	v_fmac_f32_e32 v19, v18, v21
	v_mul_f32_e64 v21, |v14|, -|v14|
	v_mul_f32_e32 v22, 0x3fb8aa3b, v21
	v_rndne_f32_e32 v23, v22
	v_sub_f32_e32 v24, v22, v23
	v_fma_f32 v22, v21, s2, -v22
	v_fmac_f32_e32 v22, 0x32a5705f, v21
	v_add_f32_e32 v22, v24, v22
	v_exp_f32_e32 v22, v22
	v_cvt_i32_f32_e32 v23, v23
	v_mov_b32_e32 v24, 0x3e827906
	s_mov_b32 s2, 0xc2ce8ed0
	v_fmac_f32_e32 v24, v18, v19
	v_ldexp_f32 v19, v22, v23
	v_cmp_ngt_f32_e32 vcc, s2, v21
	s_mov_b32 s2, 0x42b17218
	v_cndmask_b32_e32 v19, 0, v19, vcc
	v_mov_b32_e32 v22, 0x7f800000
	v_cmp_nlt_f32_e32 vcc, s2, v21
	v_mul_f32_e32 v18, v18, v24
	v_cndmask_b32_e32 v19, v22, v19, vcc
	v_fma_f32 v18, -v19, v18, 1.0
.LBB0_28:
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	s_cbranch_execz .LBB0_30
	v_mul_f32_e32 v18, v14, v14
	v_mov_b32_e32 v19, 0xba51ee0c
	v_fmac_f32_e32 v19, 0x38a491a7, v18
	v_mov_b32_e32 v21, 0x3baa00ec
	v_fmac_f32_e32 v21, v18, v19
	v_mov_b32_e32 v19, 0xbcdbfc46
	v_fmac_f32_e32 v19, v18, v21
	v_mov_b32_e32 v21, 0x3de71678
	v_fmac_f32_e32 v21, v18, v19
	v_mov_b32_e32 v19, 0xbec0939f
	v_fmac_f32_e32 v19, v18, v21
	v_mov_b32_e32 v21, 0x3f906eba
	v_fmac_f32_e32 v21, v18, v19
	v_mul_f32_e64 v18, |v14|, v21
.LBB0_30:
	s_or_b64 exec, exec, s[0:1]
	s_brev_b32 s0, -2
	v_bfi_b32 v14, s0, v18, v14
	v_mul_f32_e32 v15, 0.5, v15
	v_add_f32_e32 v14, 1.0, v14
	v_mul_f32_e32 v14, v15, v14
	global_store_dword v[16:17], v14, off offset:4
	global_load_dword v14, v[4:5], off offset:8
	s_mov_b32 s2, 0x41200000
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v12, v12, v14
	v_div_scale_f32 v14, s[0:1], s2, s2, v12
	v_rcp_f32_e32 v15, v14
	v_div_scale_f32 v18, vcc, v12, s2, v12
	v_fma_f32 v19, -v14, v15, 1.0
	v_fmac_f32_e32 v15, v19, v15
	v_mul_f32_e32 v19, v18, v15
	v_fma_f32 v21, -v14, v19, v18
	v_fmac_f32_e32 v19, v21, v15
	v_fma_f32 v14, -v14, v19, v18
	v_div_fmas_f32 v14, v14, v15, v19
	v_div_fixup_f32 v14, v14, s2, v12
	v_mul_f32_e32 v12, 0x3f3504f3, v14
	v_cmp_nlt_f32_e64 s[0:1], |v12|, 1.0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[0:1], exec, s[2:3]
	s_cbranch_execz .LBB0_32
	s_mov_b32 s2, 0x3ea7ba05
	v_fma_f32 v15, |v12|, s2, 1.0
	v_div_scale_f32 v18, s[2:3], v15, v15, 1.0
	v_rcp_f32_e32 v19, v18
	v_div_scale_f32 v21, vcc, 1.0, v15, 1.0
	s_mov_b32 s2, 0x3fb8aa3b
	v_fma_f32 v22, -v18, v19, 1.0
	v_fmac_f32_e32 v19, v22, v19
	v_mul_f32_e32 v22, v21, v19
	v_fma_f32 v23, -v18, v22, v21
	v_fmac_f32_e32 v22, v23, v19
	v_fma_f32 v18, -v18, v22, v21
	v_div_fmas_f32 v18, v18, v19, v22
	v_div_fixup_f32 v15, v18, v15, 1.0
	v_mov_b32_e32 v18, 0xbfba00e3
	v_fmac_f32_e32 v18, 0x3f87dc22, v15
	v_mov_b32_e32 v19, 0x3fb5f0e3
	v_fmac_f32_e32 v19, v15, v18
	v_mov_b32_e32 v18, 0xbe91a98e
	v_fmac_f32_e32 v18, v15, v19
	v_mul_f32_e64 v19, |v12|, -|v12|
	v_mul_f32_e32 v21, 0x3fb8aa3b, v19
	v_rndne_f32_e32 v22, v21
	v_sub_f32_e32 v23, v21, v22
	v_fma_f32 v21, v19, s2, -v21
	v_fmac_f32_e32 v21, 0x32a5705f, v19
	v_add_f32_e32 v21, v23, v21
	v_exp_f32_e32 v21, v21
	v_cvt_i32_f32_e32 v22, v22
	v_mov_b32_e32 v23, 0x3e827906
	s_mov_b32 s2, 0xc2ce8ed0
	v_fmac_f32_e32 v23, v15, v18
	v_ldexp_f32 v18, v21, v22
	v_cmp_ngt_f32_e32 vcc, s2, v19
	s_mov_b32 s2, 0x42b17218
	v_cndmask_b32_e32 v18, 0, v18, vcc
	v_mov_b32_e32 v21, 0x7f800000
	v_cmp_nlt_f32_e32 vcc, s2, v19
	v_mul_f32_e32 v15, v15, v23
	v_cndmask_b32_e32 v18, v21, v18, vcc
	v_fma_f32 v15, -v18, v15, 1.0
.LBB0_32:
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	s_cbranch_execz .LBB0_34
	v_mul_f32_e32 v15, v12, v12
	v_mov_b32_e32 v18, 0xba51ee0c
	v_fmac_f32_e32 v18, 0x38a491a7, v15
	v_mov_b32_e32 v19, 0x3baa00ec
	v_fmac_f32_e32 v19, v15, v18
	v_mov_b32_e32 v18, 0xbcdbfc46
	v_fmac_f32_e32 v18, v15, v19
	v_mov_b32_e32 v19, 0x3de71678
	v_fmac_f32_e32 v19, v15, v18
	v_mov_b32_e32 v18, 0xbec0939f
	v_fmac_f32_e32 v18, v15, v19
	v_mov_b32_e32 v19, 0x3f906eba
	v_fmac_f32_e32 v19, v15, v18
	v_mul_f32_e64 v15, |v12|, v19
.LBB0_34:
	s_or_b64 exec, exec, s[0:1]
	s_brev_b32 s0, -2
	v_bfi_b32 v12, s0, v15, v12
	v_mul_f32_e32 v14, 0.5, v14
	v_add_f32_e32 v12, 1.0, v12
	v_mul_f32_e32 v12, v14, v12
	global_store_dword v[16:17], v12, off offset:8
	global_load_dword v12, v[4:5], off offset:12
	s_mov_b32 s2, 0x41200000
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v12, v13, v12
	v_div_scale_f32 v13, s[0:1], s2, s2, v12
	v_rcp_f32_e32 v14, v13
	v_div_scale_f32 v15, vcc, v12, s2, v12
	v_fma_f32 v18, -v13, v14, 1.0
	v_fmac_f32_e32 v14, v18, v14
	v_mul_f32_e32 v18, v15, v14
	v_fma_f32 v19, -v13, v18, v15
	v_fmac_f32_e32 v18, v19, v14
	v_fma_f32 v13, -v13, v18, v15
	v_div_fmas_f32 v13, v13, v14, v18
	v_div_fixup_f32 v13, v13, s2, v12
	v_mul_f32_e32 v12, 0x3f3504f3, v13
	v_cmp_nlt_f32_e64 s[0:1], |v12|, 1.0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[0:1], exec, s[2:3]
	s_cbranch_execz .LBB0_36
	s_mov_b32 s2, 0x3ea7ba05
	v_fma_f32 v14, |v12|, s2, 1.0
	v_div_scale_f32 v15, s[2:3], v14, v14, 1.0
	v_rcp_f32_e32 v18, v15
	v_div_scale_f32 v19, vcc, 1.0, v14, 1.0
	s_mov_b32 s2, 0x3fb8aa3b
	v_fma_f32 v21, -v15, v18, 1.0
	v_fmac_f32_e32 v18, v21, v18
	v_mul_f32_e32 v21, v19, v18
	v_fma_f32 v22, -v15, v21, v19
	v_fmac_f32_e32 v21, v22, v18
	v_fma_f32 v15, -v15, v21, v19
	v_div_fmas_f32 v15, v15, v18, v21
	v_div_fixup_f32 v14, v15, v14, 1.0
	v_mov_b32_e32 v15, 0xbfba00e3
	v_fmac_f32_e32 v15, 0x3f87dc22, v14
	v_mov_b32_e32 v18, 0x3fb5f0e3
	v_fmac_f32_e32 v18, v14, v15
	v_mov_b32_e32 v15, 0xbe91a98e
	v_fmac_f32_e32 v15, v14, v18
	v_mul_f32_e64 v18, |v12|, -|v12|
	v_mul_f32_e32 v19, 0x3fb8aa3b, v18
	v_rndne_f32_e32 v21, v19
	v_sub_f32_e32 v22, v19, v21
	v_fma_f32 v19, v18, s2, -v19
	v_fmac_f32_e32 v19, 0x32a5705f, v18
	v_add_f32_e32 v19, v22, v19
	v_exp_f32_e32 v19, v19
	v_cvt_i32_f32_e32 v21, v21
	v_mov_b32_e32 v22, 0x3e827906
	s_mov_b32 s2, 0xc2ce8ed0
	v_fmac_f32_e32 v22, v14, v15
	v_ldexp_f32 v15, v19, v21
	v_cmp_ngt_f32_e32 vcc, s2, v18
	s_mov_b32 s2, 0x42b17218
	v_cndmask_b32_e32 v15, 0, v15, vcc
	v_mov_b32_e32 v19, 0x7f800000
	v_cmp_nlt_f32_e32 vcc, s2, v18
	v_mul_f32_e32 v14, v14, v22
	v_cndmask_b32_e32 v15, v19, v15, vcc
	v_fma_f32 v14, -v15, v14, 1.0
.LBB0_36:
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	s_cbranch_execz .LBB0_38
	v_mul_f32_e32 v14, v12, v12
	v_mov_b32_e32 v15, 0xba51ee0c
	v_fmac_f32_e32 v15, 0x38a491a7, v14
	v_mov_b32_e32 v18, 0x3baa00ec
	v_fmac_f32_e32 v18, v14, v15
	v_mov_b32_e32 v15, 0xbcdbfc46
	v_fmac_f32_e32 v15, v14, v18
	v_mov_b32_e32 v18, 0x3de71678
	v_fmac_f32_e32 v18, v14, v15
	v_mov_b32_e32 v15, 0xbec0939f
	v_fmac_f32_e32 v15, v14, v18
	v_mov_b32_e32 v18, 0x3f906eba
	v_fmac_f32_e32 v18, v14, v15
	v_mul_f32_e64 v14, |v12|, v18
.LBB0_38:
	s_or_b64 exec, exec, s[0:1]
	s_brev_b32 s0, -2
	v_bfi_b32 v12, s0, v14, v12
	v_mul_f32_e32 v13, 0.5, v13
	v_add_f32_e32 v12, 1.0, v12
	v_mul_f32_e32 v12, v13, v12
	global_store_dword v[16:17], v12, off offset:12
	global_load_dword v12, v[4:5], off
	s_mov_b32 s2, 0x41200000
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v10, v10, v12
	v_div_scale_f32 v12, s[0:1], s2, s2, v10
	v_rcp_f32_e32 v13, v12
	v_div_scale_f32 v14, vcc, v10, s2, v10
	v_fma_f32 v15, -v12, v13, 1.0
	v_fmac_f32_e32 v13, v15, v13
	v_mul_f32_e32 v15, v14, v13
	v_fma_f32 v16, -v12, v15, v14
	v_fmac_f32_e32 v15, v16, v13
	v_fma_f32 v12, -v12, v15, v14
	v_div_fmas_f32 v12, v12, v13, v15
	v_div_fixup_f32 v12, v12, s2, v10
	v_mul_f32_e32 v10, 0x3f3504f3, v12
	v_cmp_nlt_f32_e64 s[0:1], |v10|, 1.0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[0:1], exec, s[2:3]
	s_cbranch_execz .LBB0_40
	s_mov_b32 s2, 0x3ea7ba05
	v_fma_f32 v13, |v10|, s2, 1.0
	v_div_scale_f32 v14, s[2:3], v13, v13, 1.0
	v_rcp_f32_e32 v15, v14
	v_div_scale_f32 v16, vcc, 1.0, v13, 1.0
	s_mov_b32 s2, 0x3fb8aa3b
	v_fma_f32 v17, -v14, v15, 1.0
	v_fmac_f32_e32 v15, v17, v15
	v_mul_f32_e32 v17, v16, v15
	v_fma_f32 v18, -v14, v17, v16
	v_fmac_f32_e32 v17, v18, v15
	v_fma_f32 v14, -v14, v17, v16
	v_div_fmas_f32 v14, v14, v15, v17
	v_div_fixup_f32 v13, v14, v13, 1.0
	v_mov_b32_e32 v14, 0xbfba00e3
	v_fmac_f32_e32 v14, 0x3f87dc22, v13
	v_mov_b32_e32 v15, 0x3fb5f0e3
	v_fmac_f32_e32 v15, v13, v14
	v_mov_b32_e32 v14, 0xbe91a98e
	v_fmac_f32_e32 v14, v13, v15
	v_mul_f32_e64 v15, |v10|, -|v10|
	v_mul_f32_e32 v16, 0x3fb8aa3b, v15
	v_rndne_f32_e32 v17, v16
	v_sub_f32_e32 v18, v16, v17
	v_fma_f32 v16, v15, s2, -v16
	v_fmac_f32_e32 v16, 0x32a5705f, v15
	v_add_f32_e32 v16, v18, v16
	v_exp_f32_e32 v16, v16
	v_cvt_i32_f32_e32 v17, v17
	v_mov_b32_e32 v18, 0x3e827906
	s_mov_b32 s2, 0xc2ce8ed0
	v_fmac_f32_e32 v18, v13, v14
	v_ldexp_f32 v14, v16, v17
	v_cmp_ngt_f32_e32 vcc, s2, v15
	s_mov_b32 s2, 0x42b17218
	v_cndmask_b32_e32 v14, 0, v14, vcc
	v_mov_b32_e32 v16, 0x7f800000
	v_cmp_nlt_f32_e32 vcc, s2, v15
	v_mul_f32_e32 v13, v13, v18
	v_cndmask_b32_e32 v14, v16, v14, vcc
	v_fma_f32 v13, -v14, v13, 1.0
.LBB0_40:
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	s_cbranch_execz .LBB0_42
	v_mul_f32_e32 v13, v10, v10
	v_mov_b32_e32 v14, 0xba51ee0c
	v_fmac_f32_e32 v14, 0x38a491a7, v13
	v_mov_b32_e32 v15, 0x3baa00ec
	v_fmac_f32_e32 v15, v13, v14
	v_mov_b32_e32 v14, 0xbcdbfc46
	v_fmac_f32_e32 v14, v13, v15
	v_mov_b32_e32 v15, 0x3de71678
	v_fmac_f32_e32 v15, v13, v14
	v_mov_b32_e32 v14, 0xbec0939f
	v_fmac_f32_e32 v14, v13, v15
	v_mov_b32_e32 v15, 0x3f906eba
	v_fmac_f32_e32 v15, v13, v14
	v_mul_f32_e64 v13, |v10|, v15
.LBB0_42:
	s_or_b64 exec, exec, s[0:1]
	v_or_b32_e32 v14, 2, v20
	v_mad_i64_i32 v[14:15], s[0:1], v14, s16, 0
	v_lshlrev_b64 v[14:15], 2, v[14:15]
	s_brev_b32 s0, -2
	v_mov_b32_e32 v16, s15
	v_add_co_u32_e32 v14, vcc, s14, v14
	v_bfi_b32 v10, s0, v13, v10
	v_addc_co_u32_e32 v15, vcc, v16, v15, vcc
	v_mul_f32_e32 v12, 0.5, v12
	v_add_f32_e32 v10, 1.0, v10
	v_mul_f32_e32 v10, v12, v10
	v_add_co_u32_e32 v12, vcc, v14, v8
	v_addc_co_u32_e32 v13, vcc, v15, v9, vcc
	global_store_dword v[12:13], v10, off
	global_load_dword v10, v[4:5], off offset:4
	s_mov_b32 s2, 0x41200000
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v10, v11, v10
	v_div_scale_f32 v11, s[0:1], s2, s2, v10
	v_rcp_f32_e32 v14, v11
	v_div_scale_f32 v15, vcc, v10, s2, v10
	v_fma_f32 v16, -v11, v14, 1.0
	v_fmac_f32_e32 v14, v16, v14
	v_mul_f32_e32 v16, v15, v14
	v_fma_f32 v17, -v11, v16, v15
	v_fmac_f32_e32 v16, v17, v14
	v_fma_f32 v11, -v11, v16, v15
	v_div_fmas_f32 v11, v11, v14, v16
	v_div_fixup_f32 v11, v11, s2, v10
	v_mul_f32_e32 v10, 0x3f3504f3, v11
	v_cmp_nlt_f32_e64 s[0:1], |v10|, 1.0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[0:1], exec, s[2:3]
	s_cbranch_execz .LBB0_44
	s_mov_b32 s2, 0x3ea7ba05
	v_fma_f32 v14, |v10|, s2, 1.0
	v_div_scale_f32 v15, s[2:3], v14, v14, 1.0
	v_rcp_f32_e32 v16, v15
	v_div_scale_f32 v17, vcc, 1.0, v14, 1.0
	s_mov_b32 s2, 0x3fb8aa3b
	v_fma_f32 v18, -v15, v16, 1.0
	v_fmac_f32_e32 v16, v18, v16
	v_mul_f32_e32 v18, v17, v16
	v_fma_f32 v19, -v15, v18, v17
	v_fmac_f32_e32 v18, v19, v16
	v_fma_f32 v15, -v15, v18, v17
	v_div_fmas_f32 v15, v15, v16, v18
	v_div_fixup_f32 v14, v15, v14, 1.0
	v_mov_b32_e32 v15, 0xbfba00e3
	v_fmac_f32_e32 v15, 0x3f87dc22, v14
	v_mov_b32_e32 v16, 0x3fb5f0e3
	v_fmac_f32_e32 v16, v14, v15
	v_mov_b32_e32 v15, 0xbe91a98e
	v_fmac_f32_e32 v15, v14, v16
	v_mul_f32_e64 v16, |v10|, -|v10|
	v_mul_f32_e32 v17, 0x3fb8aa3b, v16
	v_rndne_f32_e32 v18, v17
	v_sub_f32_e32 v19, v17, v18
	v_fma_f32 v17, v16, s2, -v17
	v_fmac_f32_e32 v17, 0x32a5705f, v16
	v_add_f32_e32 v17, v19, v17
	v_exp_f32_e32 v17, v17
	v_cvt_i32_f32_e32 v18, v18
	v_mov_b32_e32 v19, 0x3e827906
	s_mov_b32 s2, 0xc2ce8ed0
	v_fmac_f32_e32 v19, v14, v15
	v_ldexp_f32 v15, v17, v18
	v_cmp_ngt_f32_e32 vcc, s2, v16
	s_mov_b32 s2, 0x42b17218
	v_cndmask_b32_e32 v15, 0, v15, vcc
	v_mov_b32_e32 v17, 0x7f800000
	v_cmp_nlt_f32_e32 vcc, s2, v16
	v_mul_f32_e32 v14, v14, v19
	v_cndmask_b32_e32 v15, v17, v15, vcc
	v_fma_f32 v14, -v15, v14, 1.0
.LBB0_44:
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	s_cbranch_execz .LBB0_46
	v_mul_f32_e32 v14, v10, v10
	v_mov_b32_e32 v15, 0xba51ee0c
	v_fmac_f32_e32 v15, 0x38a491a7, v14
	v_mov_b32_e32 v16, 0x3baa00ec
	v_fmac_f32_e32 v16, v14, v15
	v_mov_b32_e32 v15, 0xbcdbfc46
	v_fmac_f32_e32 v15, v14, v16
	v_mov_b32_e32 v16, 0x3de71678
	v_fmac_f32_e32 v16, v14, v15
	v_mov_b32_e32 v15, 0xbec0939f
	v_fmac_f32_e32 v15, v14, v16
	v_mov_b32_e32 v16, 0x3f906eba
	v_fmac_f32_e32 v16, v14, v15
	v_mul_f32_e64 v14, |v10|, v16
.LBB0_46:
	s_or_b64 exec, exec, s[0:1]
	s_brev_b32 s0, -2
	v_bfi_b32 v10, s0, v14, v10
	v_mul_f32_e32 v11, 0.5, v11
	v_add_f32_e32 v10, 1.0, v10
	v_mul_f32_e32 v10, v11, v10
	global_store_dword v[12:13], v10, off offset:4
	global_load_dword v10, v[4:5], off offset:8
	s_mov_b32 s2, 0x41200000
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v6, v6, v10
	v_div_scale_f32 v10, s[0:1], s2, s2, v6
	v_rcp_f32_e32 v11, v10
	v_div_scale_f32 v14, vcc, v6, s2, v6
	v_fma_f32 v15, -v10, v11, 1.0
	v_fmac_f32_e32 v11, v15, v11
	v_mul_f32_e32 v15, v14, v11
	v_fma_f32 v16, -v10, v15, v14
	v_fmac_f32_e32 v15, v16, v11
	v_fma_f32 v10, -v10, v15, v14
	v_div_fmas_f32 v10, v10, v11, v15
	v_div_fixup_f32 v10, v10, s2, v6
	v_mul_f32_e32 v6, 0x3f3504f3, v10
	v_cmp_nlt_f32_e64 s[0:1], |v6|, 1.0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[0:1], exec, s[2:3]
	s_cbranch_execz .LBB0_48
	s_mov_b32 s2, 0x3ea7ba05
	v_fma_f32 v11, |v6|, s2, 1.0
	v_div_scale_f32 v14, s[2:3], v11, v11, 1.0
	v_rcp_f32_e32 v15, v14
	v_div_scale_f32 v16, vcc, 1.0, v11, 1.0
	s_mov_b32 s2, 0x3fb8aa3b
	v_fma_f32 v17, -v14, v15, 1.0
	v_fmac_f32_e32 v15, v17, v15
	v_mul_f32_e32 v17, v16, v15
	v_fma_f32 v18, -v14, v17, v16
	v_fmac_f32_e32 v17, v18, v15
	v_fma_f32 v14, -v14, v17, v16
	v_div_fmas_f32 v14, v14, v15, v17
	v_div_fixup_f32 v11, v14, v11, 1.0
	v_mov_b32_e32 v14, 0xbfba00e3
	v_fmac_f32_e32 v14, 0x3f87dc22, v11
	v_mov_b32_e32 v15, 0x3fb5f0e3
	v_fmac_f32_e32 v15, v11, v14
	v_mov_b32_e32 v14, 0xbe91a98e
	v_fmac_f32_e32 v14, v11, v15
	v_mul_f32_e64 v15, |v6|, -|v6|
	v_mul_f32_e32 v16, 0x3fb8aa3b, v15
	v_rndne_f32_e32 v17, v16
	v_sub_f32_e32 v18, v16, v17
	v_fma_f32 v16, v15, s2, -v16
	v_fmac_f32_e32 v16, 0x32a5705f, v15
	v_add_f32_e32 v16, v18, v16
	v_exp_f32_e32 v16, v16
	v_cvt_i32_f32_e32 v17, v17
	v_mov_b32_e32 v18, 0x3e827906
	s_mov_b32 s2, 0xc2ce8ed0
	v_fmac_f32_e32 v18, v11, v14
	v_ldexp_f32 v14, v16, v17
	v_cmp_ngt_f32_e32 vcc, s2, v15
	s_mov_b32 s2, 0x42b17218
	v_cndmask_b32_e32 v14, 0, v14, vcc
	v_mov_b32_e32 v16, 0x7f800000
	v_cmp_nlt_f32_e32 vcc, s2, v15
	v_mul_f32_e32 v11, v11, v18
	v_cndmask_b32_e32 v14, v16, v14, vcc
	v_fma_f32 v11, -v14, v11, 1.0
.LBB0_48:
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	s_cbranch_execz .LBB0_50
	v_mul_f32_e32 v11, v6, v6
	v_mov_b32_e32 v14, 0xba51ee0c
	v_fmac_f32_e32 v14, 0x38a491a7, v11
	v_mov_b32_e32 v15, 0x3baa00ec
	v_fmac_f32_e32 v15, v11, v14
	v_mov_b32_e32 v14, 0xbcdbfc46
	v_fmac_f32_e32 v14, v11, v15
	v_mov_b32_e32 v15, 0x3de71678
	v_fmac_f32_e32 v15, v11, v14
	v_mov_b32_e32 v14, 0xbec0939f
	v_fmac_f32_e32 v14, v11, v15
	v_mov_b32_e32 v15, 0x3f906eba
	v_fmac_f32_e32 v15, v11, v14
	v_mul_f32_e64 v11, |v6|, v15
.LBB0_50:
	s_or_b64 exec, exec, s[0:1]
	s_brev_b32 s0, -2
	v_bfi_b32 v6, s0, v11, v6
	v_mul_f32_e32 v10, 0.5, v10
	v_add_f32_e32 v6, 1.0, v6
	v_mul_f32_e32 v6, v10, v6
	global_store_dword v[12:13], v6, off offset:8
	global_load_dword v6, v[4:5], off offset:12
	s_mov_b32 s2, 0x41200000
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v6, v7, v6
	v_div_scale_f32 v7, s[0:1], s2, s2, v6
	v_rcp_f32_e32 v10, v7
	v_div_scale_f32 v11, vcc, v6, s2, v6
	v_fma_f32 v14, -v7, v10, 1.0
	v_fmac_f32_e32 v10, v14, v10
	v_mul_f32_e32 v14, v11, v10
	v_fma_f32 v15, -v7, v14, v11
	v_fmac_f32_e32 v14, v15, v10
	v_fma_f32 v7, -v7, v14, v11
	v_div_fmas_f32 v7, v7, v10, v14
	v_div_fixup_f32 v7, v7, s2, v6
	v_mul_f32_e32 v6, 0x3f3504f3, v7
	v_cmp_nlt_f32_e64 s[0:1], |v6|, 1.0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[0:1], exec, s[2:3]
	s_cbranch_execz .LBB0_52
	s_mov_b32 s2, 0x3ea7ba05
	v_fma_f32 v10, |v6|, s2, 1.0
	v_div_scale_f32 v11, s[2:3], v10, v10, 1.0
	v_rcp_f32_e32 v14, v11
	v_div_scale_f32 v15, vcc, 1.0, v10, 1.0
	s_mov_b32 s2, 0x3fb8aa3b
	v_fma_f32 v16, -v11, v14, 1.0
	v_fmac_f32_e32 v14, v16, v14
	v_mul_f32_e32 v16, v15, v14
	v_fma_f32 v17, -v11, v16, v15
	v_fmac_f32_e32 v16, v17, v14
	v_fma_f32 v11, -v11, v16, v15
	v_div_fmas_f32 v11, v11, v14, v16
	v_div_fixup_f32 v10, v11, v10, 1.0
	v_mov_b32_e32 v11, 0xbfba00e3
	v_fmac_f32_e32 v11, 0x3f87dc22, v10
	v_mov_b32_e32 v14, 0x3fb5f0e3
	v_fmac_f32_e32 v14, v10, v11
	v_mov_b32_e32 v11, 0xbe91a98e
	v_fmac_f32_e32 v11, v10, v14
	v_mul_f32_e64 v14, |v6|, -|v6|
	v_mul_f32_e32 v15, 0x3fb8aa3b, v14
	v_rndne_f32_e32 v16, v15
	v_sub_f32_e32 v17, v15, v16
	v_fma_f32 v15, v14, s2, -v15
	v_fmac_f32_e32 v15, 0x32a5705f, v14
	v_add_f32_e32 v15, v17, v15
	v_exp_f32_e32 v15, v15
	v_cvt_i32_f32_e32 v16, v16
	v_mov_b32_e32 v17, 0x3e827906
	s_mov_b32 s2, 0xc2ce8ed0
	v_fmac_f32_e32 v17, v10, v11
	v_ldexp_f32 v11, v15, v16
	v_cmp_ngt_f32_e32 vcc, s2, v14
	s_mov_b32 s2, 0x42b17218
	v_cndmask_b32_e32 v11, 0, v11, vcc
	v_mov_b32_e32 v15, 0x7f800000
	v_cmp_nlt_f32_e32 vcc, s2, v14
	v_mul_f32_e32 v10, v10, v17
	v_cndmask_b32_e32 v11, v15, v11, vcc
	v_fma_f32 v10, -v11, v10, 1.0
.LBB0_52:
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	s_cbranch_execz .LBB0_54
	v_mul_f32_e32 v10, v6, v6
	v_mov_b32_e32 v11, 0xba51ee0c
	v_fmac_f32_e32 v11, 0x38a491a7, v10
	v_mov_b32_e32 v14, 0x3baa00ec
	v_fmac_f32_e32 v14, v10, v11
	v_mov_b32_e32 v11, 0xbcdbfc46
	v_fmac_f32_e32 v11, v10, v14
	v_mov_b32_e32 v14, 0x3de71678
	v_fmac_f32_e32 v14, v10, v11
	v_mov_b32_e32 v11, 0xbec0939f
	v_fmac_f32_e32 v11, v10, v14
	v_mov_b32_e32 v14, 0x3f906eba
	v_fmac_f32_e32 v14, v10, v11
	v_mul_f32_e64 v10, |v6|, v14
.LBB0_54:
	s_or_b64 exec, exec, s[0:1]
	s_brev_b32 s0, -2
	v_bfi_b32 v6, s0, v10, v6
	v_mul_f32_e32 v7, 0.5, v7
	v_add_f32_e32 v6, 1.0, v6
	v_mul_f32_e32 v6, v7, v6
	global_store_dword v[12:13], v6, off offset:12
	global_load_dword v6, v[4:5], off
	s_mov_b32 s2, 0x41200000
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v2, v2, v6
	v_div_scale_f32 v6, s[0:1], s2, s2, v2
	v_rcp_f32_e32 v7, v6
	v_div_scale_f32 v10, vcc, v2, s2, v2
	v_fma_f32 v11, -v6, v7, 1.0
	v_fmac_f32_e32 v7, v11, v7
	v_mul_f32_e32 v11, v10, v7
	v_fma_f32 v12, -v6, v11, v10
	v_fmac_f32_e32 v11, v12, v7
	v_fma_f32 v6, -v6, v11, v10
	v_div_fmas_f32 v6, v6, v7, v11
	v_div_fixup_f32 v6, v6, s2, v2
	v_mul_f32_e32 v2, 0x3f3504f3, v6
	v_cmp_nlt_f32_e64 s[0:1], |v2|, 1.0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[0:1], exec, s[2:3]
	s_cbranch_execz .LBB0_56
	s_mov_b32 s2, 0x3ea7ba05
	v_fma_f32 v7, |v2|, s2, 1.0
	v_div_scale_f32 v10, s[2:3], v7, v7, 1.0
	v_rcp_f32_e32 v11, v10
	v_div_scale_f32 v12, vcc, 1.0, v7, 1.0
	s_mov_b32 s2, 0x3fb8aa3b
	v_fma_f32 v13, -v10, v11, 1.0
	v_fmac_f32_e32 v11, v13, v11
	v_mul_f32_e32 v13, v12, v11
	v_fma_f32 v14, -v10, v13, v12
	v_fmac_f32_e32 v13, v14, v11
	v_fma_f32 v10, -v10, v13, v12
	v_div_fmas_f32 v10, v10, v11, v13
	v_div_fixup_f32 v7, v10, v7, 1.0
	v_mov_b32_e32 v10, 0xbfba00e3
	v_fmac_f32_e32 v10, 0x3f87dc22, v7
	v_mov_b32_e32 v11, 0x3fb5f0e3
	v_fmac_f32_e32 v11, v7, v10
	v_mov_b32_e32 v10, 0xbe91a98e
	v_fmac_f32_e32 v10, v7, v11
	v_mul_f32_e64 v11, |v2|, -|v2|
	v_mul_f32_e32 v12, 0x3fb8aa3b, v11
	v_rndne_f32_e32 v13, v12
	v_sub_f32_e32 v14, v12, v13
	v_fma_f32 v12, v11, s2, -v12
	v_fmac_f32_e32 v12, 0x32a5705f, v11
	v_add_f32_e32 v12, v14, v12
	v_exp_f32_e32 v12, v12
	v_cvt_i32_f32_e32 v13, v13
	v_mov_b32_e32 v14, 0x3e827906
	s_mov_b32 s2, 0xc2ce8ed0
	v_fmac_f32_e32 v14, v7, v10
	v_ldexp_f32 v10, v12, v13
	v_cmp_ngt_f32_e32 vcc, s2, v11
	s_mov_b32 s2, 0x42b17218
	v_cndmask_b32_e32 v10, 0, v10, vcc
	v_mov_b32_e32 v12, 0x7f800000
	v_cmp_nlt_f32_e32 vcc, s2, v11
	v_mul_f32_e32 v7, v7, v14
	v_cndmask_b32_e32 v10, v12, v10, vcc
	v_fma_f32 v7, -v10, v7, 1.0
.LBB0_56:
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	s_cbranch_execz .LBB0_58
	v_mul_f32_e32 v7, v2, v2
	v_mov_b32_e32 v10, 0xba51ee0c
	v_fmac_f32_e32 v10, 0x38a491a7, v7
	v_mov_b32_e32 v11, 0x3baa00ec
	v_fmac_f32_e32 v11, v7, v10
	v_mov_b32_e32 v10, 0xbcdbfc46
	v_fmac_f32_e32 v10, v7, v11
	v_mov_b32_e32 v11, 0x3de71678
	v_fmac_f32_e32 v11, v7, v10
	v_mov_b32_e32 v10, 0xbec0939f
	v_fmac_f32_e32 v10, v7, v11
	v_mov_b32_e32 v11, 0x3f906eba
	v_fmac_f32_e32 v11, v7, v10
	v_mul_f32_e64 v7, |v2|, v11
.LBB0_58:
	s_or_b64 exec, exec, s[0:1]
	v_or_b32_e32 v10, 3, v20
	v_mad_i64_i32 v[10:11], s[0:1], v10, s16, 0
	v_lshlrev_b64 v[10:11], 2, v[10:11]
	s_brev_b32 s0, -2
	v_mov_b32_e32 v12, s15
	v_add_co_u32_e32 v10, vcc, s14, v10
	v_bfi_b32 v2, s0, v7, v2
	v_addc_co_u32_e32 v11, vcc, v12, v11, vcc
	v_mul_f32_e32 v6, 0.5, v6
	v_add_f32_e32 v2, 1.0, v2
	v_mul_f32_e32 v2, v6, v2
	v_add_co_u32_e32 v6, vcc, v10, v8
	v_addc_co_u32_e32 v7, vcc, v11, v9, vcc
	global_store_dword v[6:7], v2, off
	global_load_dword v2, v[4:5], off offset:4
	s_mov_b32 s2, 0x41200000
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v2, v3, v2
	v_div_scale_f32 v3, s[0:1], s2, s2, v2
	v_rcp_f32_e32 v8, v3
	v_div_scale_f32 v9, vcc, v2, s2, v2
	v_fma_f32 v10, -v3, v8, 1.0
	v_fmac_f32_e32 v8, v10, v8
	v_mul_f32_e32 v10, v9, v8
	v_fma_f32 v11, -v3, v10, v9
	v_fmac_f32_e32 v10, v11, v8
	v_fma_f32 v3, -v3, v10, v9
	v_div_fmas_f32 v3, v3, v8, v10
	v_div_fixup_f32 v3, v3, s2, v2
	v_mul_f32_e32 v2, 0x3f3504f3, v3
	v_cmp_nlt_f32_e64 s[0:1], |v2|, 1.0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[0:1], exec, s[2:3]
	s_cbranch_execz .LBB0_60
	s_mov_b32 s2, 0x3ea7ba05
	v_fma_f32 v8, |v2|, s2, 1.0
	v_div_scale_f32 v9, s[2:3], v8, v8, 1.0
	v_rcp_f32_e32 v10, v9
	v_div_scale_f32 v11, vcc, 1.0, v8, 1.0
	s_mov_b32 s2, 0x3fb8aa3b
	v_fma_f32 v12, -v9, v10, 1.0
	v_fmac_f32_e32 v10, v12, v10
	v_mul_f32_e32 v12, v11, v10
	v_fma_f32 v13, -v9, v12, v11
	v_fmac_f32_e32 v12, v13, v10
	v_fma_f32 v9, -v9, v12, v11
	v_div_fmas_f32 v9, v9, v10, v12
	v_div_fixup_f32 v8, v9, v8, 1.0
	v_mov_b32_e32 v9, 0xbfba00e3
	v_fmac_f32_e32 v9, 0x3f87dc22, v8
	v_mov_b32_e32 v10, 0x3fb5f0e3
	v_fmac_f32_e32 v10, v8, v9
	v_mov_b32_e32 v9, 0xbe91a98e
	v_fmac_f32_e32 v9, v8, v10
	v_mul_f32_e64 v10, |v2|, -|v2|
	v_mul_f32_e32 v11, 0x3fb8aa3b, v10
	v_rndne_f32_e32 v12, v11
	v_sub_f32_e32 v13, v11, v12
	v_fma_f32 v11, v10, s2, -v11
	v_fmac_f32_e32 v11, 0x32a5705f, v10
	v_add_f32_e32 v11, v13, v11
	v_exp_f32_e32 v11, v11
	v_cvt_i32_f32_e32 v12, v12
	v_mov_b32_e32 v13, 0x3e827906
	s_mov_b32 s2, 0xc2ce8ed0
	v_fmac_f32_e32 v13, v8, v9
	v_ldexp_f32 v9, v11, v12
	v_cmp_ngt_f32_e32 vcc, s2, v10
	s_mov_b32 s2, 0x42b17218
	v_cndmask_b32_e32 v9, 0, v9, vcc
	v_mov_b32_e32 v11, 0x7f800000
	v_cmp_nlt_f32_e32 vcc, s2, v10
	v_mul_f32_e32 v8, v8, v13
	v_cndmask_b32_e32 v9, v11, v9, vcc
	v_fma_f32 v8, -v9, v8, 1.0
.LBB0_60:
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	s_cbranch_execz .LBB0_62
	v_mul_f32_e32 v8, v2, v2
	v_mov_b32_e32 v9, 0xba51ee0c
	v_fmac_f32_e32 v9, 0x38a491a7, v8
	v_mov_b32_e32 v10, 0x3baa00ec
	v_fmac_f32_e32 v10, v8, v9
	v_mov_b32_e32 v9, 0xbcdbfc46
	v_fmac_f32_e32 v9, v8, v10
	v_mov_b32_e32 v10, 0x3de71678
	v_fmac_f32_e32 v10, v8, v9
	v_mov_b32_e32 v9, 0xbec0939f
	v_fmac_f32_e32 v9, v8, v10
	v_mov_b32_e32 v10, 0x3f906eba
	v_fmac_f32_e32 v10, v8, v9
	v_mul_f32_e64 v8, |v2|, v10
.LBB0_62:
	s_or_b64 exec, exec, s[0:1]
	s_brev_b32 s0, -2
	v_bfi_b32 v2, s0, v8, v2
	v_mul_f32_e32 v3, 0.5, v3
	v_add_f32_e32 v2, 1.0, v2
	v_mul_f32_e32 v2, v3, v2
	global_store_dword v[6:7], v2, off offset:4
	global_load_dword v2, v[4:5], off offset:8
	s_mov_b32 s2, 0x41200000
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v0, v0, v2
	v_div_scale_f32 v2, s[0:1], s2, s2, v0
	v_rcp_f32_e32 v3, v2
	v_div_scale_f32 v8, vcc, v0, s2, v0
	v_fma_f32 v9, -v2, v3, 1.0
	v_fmac_f32_e32 v3, v9, v3
	v_mul_f32_e32 v9, v8, v3
	v_fma_f32 v10, -v2, v9, v8
	v_fmac_f32_e32 v9, v10, v3
	v_fma_f32 v2, -v2, v9, v8
	v_div_fmas_f32 v2, v2, v3, v9
	v_div_fixup_f32 v2, v2, s2, v0
	v_mul_f32_e32 v0, 0x3f3504f3, v2
	v_cmp_nlt_f32_e64 s[0:1], |v0|, 1.0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[0:1], exec, s[2:3]
	s_cbranch_execz .LBB0_64
	s_mov_b32 s2, 0x3ea7ba05
	v_fma_f32 v3, |v0|, s2, 1.0
	v_div_scale_f32 v8, s[2:3], v3, v3, 1.0
	v_rcp_f32_e32 v9, v8
	v_div_scale_f32 v10, vcc, 1.0, v3, 1.0
	s_mov_b32 s2, 0x3fb8aa3b
	v_fma_f32 v11, -v8, v9, 1.0
	v_fmac_f32_e32 v9, v11, v9
	v_mul_f32_e32 v11, v10, v9
	v_fma_f32 v12, -v8, v11, v10
	v_fmac_f32_e32 v11, v12, v9
	v_fma_f32 v8, -v8, v11, v10
	v_div_fmas_f32 v8, v8, v9, v11
	v_div_fixup_f32 v3, v8, v3, 1.0
	v_mov_b32_e32 v8, 0xbfba00e3
	v_fmac_f32_e32 v8, 0x3f87dc22, v3
	v_mov_b32_e32 v9, 0x3fb5f0e3
	v_fmac_f32_e32 v9, v3, v8
	v_mov_b32_e32 v8, 0xbe91a98e
	v_fmac_f32_e32 v8, v3, v9
	v_mul_f32_e64 v9, |v0|, -|v0|
	v_mul_f32_e32 v10, 0x3fb8aa3b, v9
	v_rndne_f32_e32 v11, v10
	v_sub_f32_e32 v12, v10, v11
	v_fma_f32 v10, v9, s2, -v10
	v_fmac_f32_e32 v10, 0x32a5705f, v9
	v_add_f32_e32 v10, v12, v10
	v_exp_f32_e32 v10, v10
	v_cvt_i32_f32_e32 v11, v11
	v_mov_b32_e32 v12, 0x3e827906
	s_mov_b32 s2, 0xc2ce8ed0
	v_fmac_f32_e32 v12, v3, v8
	v_ldexp_f32 v8, v10, v11
	v_cmp_ngt_f32_e32 vcc, s2, v9
	s_mov_b32 s2, 0x42b17218
	v_cndmask_b32_e32 v8, 0, v8, vcc
	v_mov_b32_e32 v10, 0x7f800000
	v_cmp_nlt_f32_e32 vcc, s2, v9
	v_mul_f32_e32 v3, v3, v12
	v_cndmask_b32_e32 v8, v10, v8, vcc
	v_fma_f32 v3, -v8, v3, 1.0
.LBB0_64:
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	s_cbranch_execz .LBB0_66
	v_mul_f32_e32 v3, v0, v0
	v_mov_b32_e32 v8, 0xba51ee0c
	v_fmac_f32_e32 v8, 0x38a491a7, v3
	v_mov_b32_e32 v9, 0x3baa00ec
	v_fmac_f32_e32 v9, v3, v8
	v_mov_b32_e32 v8, 0xbcdbfc46
	v_fmac_f32_e32 v8, v3, v9
	v_mov_b32_e32 v9, 0x3de71678
	v_fmac_f32_e32 v9, v3, v8
	v_mov_b32_e32 v8, 0xbec0939f
	v_fmac_f32_e32 v8, v3, v9
	v_mov_b32_e32 v9, 0x3f906eba
	v_fmac_f32_e32 v9, v3, v8
	v_mul_f32_e64 v3, |v0|, v9
.LBB0_66:
	s_or_b64 exec, exec, s[0:1]
	s_brev_b32 s0, -2
	v_bfi_b32 v0, s0, v3, v0
	v_mul_f32_e32 v2, 0.5, v2
	v_add_f32_e32 v0, 1.0, v0
	v_mul_f32_e32 v0, v2, v0
	global_store_dword v[6:7], v0, off offset:8
	global_load_dword v0, v[4:5], off offset:12
	s_mov_b32 s2, 0x41200000
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v0, v1, v0
	v_div_scale_f32 v1, s[0:1], s2, s2, v0
	v_rcp_f32_e32 v2, v1
	v_div_scale_f32 v3, vcc, v0, s2, v0
	v_fma_f32 v4, -v1, v2, 1.0
	v_fmac_f32_e32 v2, v4, v2
	v_mul_f32_e32 v4, v3, v2
	v_fma_f32 v5, -v1, v4, v3
	v_fmac_f32_e32 v4, v5, v2
	v_fma_f32 v1, -v1, v4, v3
	v_div_fmas_f32 v1, v1, v2, v4
	v_div_fixup_f32 v1, v1, s2, v0
	v_mul_f32_e32 v0, 0x3f3504f3, v1
	v_cmp_nlt_f32_e64 s[0:1], |v0|, 1.0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[0:1], exec, s[2:3]
	s_cbranch_execz .LBB0_68
	s_mov_b32 s2, 0x3ea7ba05
	v_fma_f32 v2, |v0|, s2, 1.0
	v_div_scale_f32 v3, s[2:3], v2, v2, 1.0
	v_rcp_f32_e32 v4, v3
	v_div_scale_f32 v5, vcc, 1.0, v2, 1.0
	s_mov_b32 s2, 0x3fb8aa3b
	v_fma_f32 v8, -v3, v4, 1.0
	v_fmac_f32_e32 v4, v8, v4
	v_mul_f32_e32 v8, v5, v4
	v_fma_f32 v9, -v3, v8, v5
	v_fmac_f32_e32 v8, v9, v4
	v_fma_f32 v3, -v3, v8, v5
	v_div_fmas_f32 v3, v3, v4, v8
	v_div_fixup_f32 v2, v3, v2, 1.0
	v_mov_b32_e32 v3, 0xbfba00e3
	v_fmac_f32_e32 v3, 0x3f87dc22, v2
	v_mov_b32_e32 v4, 0x3fb5f0e3
	v_fmac_f32_e32 v4, v2, v3
	v_mov_b32_e32 v3, 0xbe91a98e
	v_fmac_f32_e32 v3, v2, v4
	v_mul_f32_e64 v4, |v0|, -|v0|
	v_mul_f32_e32 v5, 0x3fb8aa3b, v4
	v_rndne_f32_e32 v8, v5
	v_sub_f32_e32 v9, v5, v8
	v_fma_f32 v5, v4, s2, -v5
	v_fmac_f32_e32 v5, 0x32a5705f, v4
	v_add_f32_e32 v5, v9, v5
	v_exp_f32_e32 v5, v5
	v_cvt_i32_f32_e32 v8, v8
	v_mov_b32_e32 v9, 0x3e827906
	s_mov_b32 s2, 0xc2ce8ed0
	v_fmac_f32_e32 v9, v2, v3
	v_ldexp_f32 v3, v5, v8
	v_cmp_ngt_f32_e32 vcc, s2, v4
	s_mov_b32 s2, 0x42b17218
	v_cndmask_b32_e32 v3, 0, v3, vcc
	v_mov_b32_e32 v5, 0x7f800000
	v_cmp_nlt_f32_e32 vcc, s2, v4
	v_mul_f32_e32 v2, v2, v9
	v_cndmask_b32_e32 v3, v5, v3, vcc
	v_fma_f32 v2, -v3, v2, 1.0
.LBB0_68:
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	s_cbranch_execz .LBB0_70
	v_mul_f32_e32 v2, v0, v0
	v_mov_b32_e32 v3, 0xba51ee0c
	v_fmac_f32_e32 v3, 0x38a491a7, v2
	v_mov_b32_e32 v4, 0x3baa00ec
	v_fmac_f32_e32 v4, v2, v3
	v_mov_b32_e32 v3, 0xbcdbfc46
	v_fmac_f32_e32 v3, v2, v4
	v_mov_b32_e32 v4, 0x3de71678
	v_fmac_f32_e32 v4, v2, v3
	v_mov_b32_e32 v3, 0xbec0939f
	v_fmac_f32_e32 v3, v2, v4
	v_mov_b32_e32 v4, 0x3f906eba
	v_fmac_f32_e32 v4, v2, v3
	v_mul_f32_e64 v2, |v0|, v4
.LBB0_70:
	s_or_b64 exec, exec, s[0:1]
	s_brev_b32 s0, -2
	v_bfi_b32 v0, s0, v2, v0
	v_mul_f32_e32 v1, 0.5, v1
	v_add_f32_e32 v0, 1.0, v0
	v_mul_f32_e32 v0, v1, v0
	global_store_dword v[6:7], v0, off offset:12
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel gemm_div_gelu
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
		.amdhsa_next_free_vgpr 66
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
	.size	gemm_div_gelu, .Lfunc_end0-gemm_div_gelu
	.set gemm_div_gelu.num_vgpr, 66
	.set gemm_div_gelu.num_agpr, 0
	.set gemm_div_gelu.numbered_sgpr, 24
	.set gemm_div_gelu.num_named_barrier, 0
	.set gemm_div_gelu.private_seg_size, 0
	.set gemm_div_gelu.uses_vcc, 1
	.set gemm_div_gelu.uses_flat_scratch, 0
	.set gemm_div_gelu.has_dyn_sized_stack, 0
	.set gemm_div_gelu.has_recursion, 0
	.set gemm_div_gelu.has_indirect_call, 0
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
    .name:           gemm_div_gelu
    .private_segment_fixed_size: 0
    .sgpr_count:     28
    .sgpr_spill_count: 0
    .symbol:         gemm_div_gelu.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     66
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx90a
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
