"""Code that only a call or a computed jump reaches: no wait or nop there may go, nor before it.

What is right follows from the programs: a result is used in a subroutine (or behind its return, or
at a jump's target) and only the removed wait completes it; a store's data is overwritten there, 2
wait states behind a 128-bit store on gfx942 (CDNA3 ISA, table 11), and a call or return is one.
"""

from __future__ import annotations

import pytest

from asmevo.check.report import check_against, check_object
from asmevo.program.build import assemble_object

OBJECT = """\
  .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
  .amdhsa_code_object_version 5
  .text
  .globl k
  .p2align 8
  .type k,@function
k:
{body}
  .size k, .-k
  .section .rodata,"a",@progbits
  .p2align 6
  .amdhsa_kernel k
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 24
    .amdhsa_accum_offset 16
  .end_amdhsa_kernel
\t.amdgpu_metadata
---
amdhsa.kernels:
  - .args: []
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 0
    .max_flat_workgroup_size: 64
    .name: k
    .private_segment_fixed_size: 0
    .sgpr_count: 24
    .symbol: k.kd
    .vgpr_count: 16
    .wavefront_size: 64
amdhsa.target: amdgcn-amd-amdhsa--gfx942
amdhsa.version: [1, 2]
...
\t.end_amdgpu_metadata
"""
LOAD, USE = "global_load_dword v9, v0, s[0:1]", "v_mov_b32_e32 v3, v9"
STORE, KILL = "global_store_dwordx4 v0, v[2:5], s[0:1]", "v_mov_b32_e32 v3, 0"
WAIT, NOP = "s_waitcnt vmcnt(0)", "s_nop 0"
DATA = "\n".join(f"v_mov_b32_e32 v{n}, 0" for n in (2, 3, 4, 5))

CALL = "{0}\ns_call_b64 s[18:19], .Lf\n{1}\ns_endpgm\n.Lf:\n{2}\ns_setpc_b64 s[18:19]"
POINTER = """\
s_getpc_b64 s[16:17]
.Lhere:
s_add_u32 s16, s16, .Lf-.Lhere
s_addc_u32 s17, s17, 0
{0}
s_swappc_b64 s[18:19], s[16:17]
{1}
s_endpgm
.Lf:
{2}
s_setpc_b64 s[18:19]"""
# Too far from its address' computation to be followed; its target is reached by a branch, too.
JUMP = """\
s_getpc_b64 s[16:17]
.Lhere:
s_add_u32 s16, s16, .Lf-.Lhere
s_addc_u32 s17, s17, 0
s_cmp_eq_u32 s0, 0
s_cbranch_scc1 .Lf
{1}
s_nop 7
s_nop 7
{0}
s_setpc_b64 s[16:17]
.Lf:
{2}
s_endpgm"""


def built(shape: str, *parts: str) -> bytes:
    return assemble_object(OBJECT.format(body=f"{DATA}\n{shape.format(*parts)}"))


def rules(k0: bytes, k1: bytes) -> list[str]:
    return [f.rule for f in check_against("k", k1, k0).findings]


# (shape, the original's parts, the parts without what the original needs)
LOST = [
    (CALL, (f"{LOAD}\n{WAIT}", "", USE), (LOAD, "", USE)),
    (CALL, (LOAD, "", f"{WAIT}\n{USE}"), (LOAD, "", USE)),
    (CALL, ("", USE, f"{LOAD}\n{WAIT}"), ("", USE, LOAD)),
    (CALL, ("", f"{WAIT}\n{USE}", LOAD), ("", USE, LOAD)),
    (CALL, (f"{STORE}\n{NOP}", "", KILL), (STORE, "", KILL)),
    (CALL, ("", KILL, f"{STORE}\n{NOP}"), ("", KILL, STORE)),
    (POINTER, (f"{LOAD}\n{WAIT}", "", USE), (LOAD, "", USE)),
    (POINTER, (f"{STORE}\n{NOP}", "", KILL), (STORE, "", KILL)),
    (JUMP, (f"{STORE}\n{NOP}", "", KILL), (STORE, "", KILL)),
]


@pytest.mark.parametrize(("shape", "good", "bad"), LOST)
def test_a_wait_or_nop_of_unfollowed_code_stays(
    shape: str, good: tuple[str, ...], bad: tuple[str, ...]
) -> None:
    k0 = built(shape, *good)
    assert "against.untracked" in rules(k0, built(shape, *bad))
    assert rules(k0, k0) == []
    noted = {f.rule for f in check_object("k", k0).findings}
    assert "coverage.unreached" in noted


def test_a_producer_does_not_cross_the_wait_of_unfollowed_code() -> None:
    k0 = built(CALL, f"{LOAD}\n{WAIT}", "", USE)
    moved = rules(k0, built(CALL, f"{WAIT}\n{LOAD}", "", USE))
    # The load is nearer to the call as well: a use of its result there may come too early.
    assert moved == ["against.crossed-untracked", "hazard.leaves-any-vgpr"]


@pytest.mark.parametrize(
    "body",
    [
        f"{LOAD}\n{WAIT}\n{USE}\ns_endpgm",
        # Dead code, and nothing that could reach it.
        f"{LOAD}\n{WAIT}\n{USE}\ns_endpgm\n{KILL}\ns_endpgm",
        # A long branch that is followed.
        "s_getpc_b64 s[16:17]\n.Lhere:\ns_add_u32 s16, s16, (.Lf-.Lhere)&4294967295\n"
        "s_addc_u32 s17, s17, (.Lf-.Lhere)>>32\n"
        f"s_setpc_b64 s[16:17]\n.Lf:\n{LOAD}\n{WAIT}\n{USE}\ns_endpgm",
    ],
)
def test_followed_code_is_judged_as_ever(body: str) -> None:
    """A wait that something stronger makes redundant may go."""
    k0, twice = built(body), built(body.replace(WAIT, f"{WAIT}\n{WAIT}"))
    assert rules(twice, k0) == []
    assert rules(k0, built(body.replace(WAIT, NOP))) == ["wait.raw"]
    assert "coverage.unreached" not in {f.rule for f in check_object("k", k0).findings}
