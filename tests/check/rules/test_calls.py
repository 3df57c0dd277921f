"""Wait states in front of calls and returns, and at what they lead to, stay in a comparison.

What may not go follows from the ISA alone: a matrix result is read 18 wait states behind a 16-pass
XDL, a scalar that the VALU wrote by a buffer instruction 5 behind it (CDNA3 ISA 4.5). The two ends
lie in different functions with symbols of their own, and no path between them is followed.
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
{caller}
  s_endpgm
  .size k, .-k
  .p2align 8
  .type f,@function
f:
{callee}
  .size f, .-f
  .section .rodata,"a",@progbits
  .p2align 6
  .amdhsa_kernel k
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 32
    .amdhsa_next_free_sgpr 40
    .amdhsa_accum_offset 32
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
    .sgpr_count: 40
    .symbol: k.kd
    .vgpr_count: 32
    .wavefront_size: 64
amdhsa.target: amdgcn-amd-amdhsa--gfx942
amdhsa.version: [1, 2]
...
\t.end_amdgpu_metadata
"""
MATRIX = "v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], v[0:15]"
READ = "v_add_f32_e32 v20, v0, v0"
LANE, BUFFER = "v_readfirstlane_b32 s8, v1", "buffer_load_dword v1, off, s[8:11], 0"
RETURN = "s_setpc_b64 s[30:31]"
CALLS = {
    "direct": "s_call_b64 s[30:31], f",
    "register": "s_getpc_b64 s[4:5]\ns_add_u32 s4, s4, f@rel32@lo+4\n"
    "s_addc_u32 s5, s5, f@rel32@hi+12\n{0}\ns_swappc_b64 s[30:31], s[4:5]",
}


def built(call: str, before: str, behind: str, callee: str) -> bytes:
    """The kernel with `before` right in front of its call; the callee returns by itself."""
    how = CALLS[call]
    caller = how.format(before) if "{0}" in how else f"{before}\n{how}"
    return assemble_object(OBJECT.format(caller=f"{caller}\n{behind}", callee=callee))


def refused(k0: bytes, k1: bytes) -> set[str]:
    """Rules on wait states that `k1` is refused for."""
    rules = {f.rule for f in check_against("k", k1, k0).findings}
    return {rule for rule in rules if rule.startswith("hazard.")}


# name -> (before the call, behind it, callee), with {nop} where the wait states are
SHAPES = {
    "matrix before the call": (f"{MATRIX}\n{{nop}}", "", f"{READ}\n{RETURN}"),
    "matrix before the return": ("", READ, f"{MATRIX}\n{{nop}}\n{RETURN}"),
    "use in the callee": (MATRIX, "", f"{{nop}}\n{READ}\n{RETURN}"),
    "use behind the return": ("", f"{{nop}}\n{READ}", f"{MATRIX}\n{RETURN}"),
    "lane before the call": (f"{LANE}\n{{nop}}", "", f"{BUFFER}\ns_waitcnt vmcnt(0)\n{RETURN}"),
    "lane before the return": ("", BUFFER, f"{LANE}\n{{nop}}\n{RETURN}"),
    "only on one path": (
        "", READ, f"s_cbranch_scc1 .Lother\n{MATRIX}\n{{nop}}\n.Lother:\n{RETURN}"
    ),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("shape", SHAPES)
def test_wait_states_near_a_call_stay(call: str, shape: str) -> None:
    def with_(nop: str) -> bytes:
        return built(call, *(part.format(nop=nop) for part in SHAPES[shape]))

    k0 = with_("s_nop 3")
    for less in ("", "s_nop 0"):
        found = refused(k0, with_(less))
        assert found
        assert all(rule.startswith(("hazard.leaves-", "hazard.arrives-")) for rule in found)
    assert refused(k0, k0) == set()
    assert refused(k0, with_("s_nop 7")) == set()
    assert refused(k0, with_("s_nop 2\ns_mov_b32 s22, 0")) == set()


@pytest.mark.parametrize("call", CALLS)
def test_an_instruction_that_gave_the_wait_states_stays_between(call: str) -> None:
    callee = f"{READ}\n{RETURN}"
    k0 = built(call, f"s_mov_b32 s20, 0\n{MATRIX}\ns_mov_b32 s21, 0", "", callee)
    moved = built(call, f"s_mov_b32 s20, 0\ns_mov_b32 s21, 0\n{MATRIX}", "", callee)
    assert refused(k0, moved) == {"hazard.leaves-xdl-d", "hazard.leaves-xdl-c"}
    assert refused(moved, k0) == set()  # farther away than it was


def test_a_use_that_nothing_overwrites_any_more_is_new() -> None:
    """The callee wrote the register before it read it; without that the caller's is read."""
    k0 = built("direct", "", "", f"v_mov_b32_e32 v0, 0\n{READ}\n{RETURN}")
    k1 = built("direct", "", "", f"s_nop 0\n{READ}\n{RETURN}")
    assert refused(k0, k1) == {"hazard.arrives-valu-read"}


def test_wait_states_do_not_move_from_one_call_to_another() -> None:
    call = CALLS["direct"]
    callee = f"{READ}\n{RETURN}"
    one, other = (
        built("direct", f"{MATRIX}\n{first}\n{call}\n{MATRIX}\n{second}", "", callee)
        for first, second in (("s_nop 7", "s_nop 3"), ("s_nop 3", "s_nop 7"))
    )
    assert "hazard.leaves-xdl-d" in refused(one, other) & refused(other, one)
    one, other = (
        built("direct", f"{call}\n{first}\n{READ}", f"{second}\n{READ}", callee)
        for first, second in (("s_nop 7", "s_nop 3"), ("s_nop 3", "s_nop 7"))
    )
    assert "hazard.arrives-valu-read" in refused(one, other) & refused(other, one)


@pytest.mark.parametrize("edit", [("v20, v0, v0", "v20, 2.0, v0"), ("v0", "v5"), ("v20", "v21")])
def test_a_change_at_the_same_distance_passes(edit: tuple[str, str]) -> None:
    """Another constant or destination, or all registers renamed one for one."""
    k0 = built("direct", "", "", f"s_nop 0\n{READ}\n{RETURN}")
    k1 = built("direct", "", "", f"s_nop 0\n{READ.replace(*edit)}\n{RETURN}")
    assert refused(k0, k1) == set()


def test_nops_that_are_out_of_reach_may_go() -> None:
    far = "\n".join(f"s_mov_b32 s{n}, 0" for n in range(12, 32))  # no rule asks for 20
    parts = (f"{MATRIX}\n{{0}}\n{far}", f"{far}\n{{0}}\n{READ}", f"{far}\n{{0}}\n{READ}\n{RETURN}")
    with_, without = (
        built("direct", *(p.format(nop) for p in parts)) for nop in ("s_nop 3", "s_mov_b32 s34, 0")
    )
    assert refused(with_, without) == set()


def test_one_object_alone_has_no_such_notes() -> None:
    k0 = built("direct", MATRIX, READ, f"{READ}\n{RETURN}")
    rules = {f.rule for f in check_object("k", k0).findings}
    assert not any(r.startswith(("hazard.leaves", "hazard.arrives-")) for r in rules)
