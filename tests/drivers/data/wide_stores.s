  .amdgcn_target "amdgcn-amd-amdhsa--gfx950"
  .amdhsa_code_object_version 5
  .text
  .protected k
  .globl k
  .p2align 8
  .type k,@function
k:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v8, 4, v0
  s_movk_i32 s10, 0x4000
  s_mov_b32 s11, 0x00027000
  s_waitcnt lgkmcnt(0)
  s_mov_b64 s[8:9], s[6:7]
  global_load_dwordx4 v[2:5], v8, s[4:5]
  s_mov_b32 s12, 0
  s_movk_i32 s13, 0x1000
  s_movk_i32 s14, 0x2000
  s_movk_i32 s15, 0x3000
  s_waitcnt vmcnt(0)
  buffer_store_dwordx4 v[2:5], v8, s[8:11], s12 offen
  s_nop 1
  v_pk_mul_f32 v[2:3], v[4:5], v[2:3]
  v_pk_add_f32 v[4:5], v[4:5], v[2:3]
  buffer_store_dwordx4 v[2:5], v8, s[8:11], s13 offen
  s_nop 1
  v_pk_mul_f32 v[2:3], v[4:5], v[2:3]
  v_pk_add_f32 v[4:5], v[4:5], v[2:3]
  buffer_store_dwordx4 v[2:5], v8, s[8:11], s14 offen
  s_nop 1
  v_pk_mul_f32 v[2:3], v[4:5], v[2:3]
  v_pk_add_f32 v[4:5], v[4:5], v[2:3]
  buffer_store_dwordx4 v[2:5], v8, s[8:11], s15 offen
  s_endpgm

.Lend_k:
  .size k, .Lend_k-k

  .section .rodata,"a",@progbits
  .p2align 6, 0x0
  .amdhsa_kernel k
    .amdhsa_group_segment_fixed_size 0
    .amdhsa_private_segment_fixed_size 0
    .amdhsa_kernarg_size 16
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_user_sgpr_count 2
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_system_sgpr_workgroup_id_y 0
    .amdhsa_system_sgpr_workgroup_id_z 0
    .amdhsa_system_vgpr_workitem_id 0
    .amdhsa_next_free_vgpr 32
    .amdhsa_next_free_sgpr 32
    .amdhsa_accum_offset 32
  .end_amdhsa_kernel
  .amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .name: x
        .offset: 0
        .size: 8
        .value_kind: global_buffer
        .address_space: global
      - .name: out
        .offset: 8
        .size: 8
        .value_kind: global_buffer
        .address_space: global
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 16
    .max_flat_workgroup_size: 256
    .name: k
    .private_segment_fixed_size: 0
    .sgpr_count: 38
    .symbol: k.kd
    .vgpr_count: 32
    .wavefront_size: 64
amdhsa.version:
  - 1
  - 2
...
  .end_amdgpu_metadata
