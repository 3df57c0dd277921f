"""What a proposal may say, and everything that it may not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asmevo.isa.target import Target
from asmevo.program.encoding import table
from asmevo.program.grammar import MAX_LINES, EditError, vet, vet_line

GOOD = [
    "v_add_f32_e32 v0, s1, v2",
    "  v_add_f32   v0, -|v1|, v2 ",
    "v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7] op_sel_hi:[1,0,1]",
    "v_mov_b32_dpp v0, v1 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf",
    "s_waitcnt vmcnt(0) lgkmcnt(1)",
    "s_waitcnt vmcnt(0) & lgkmcnt(1)",
    "s_waitcnt 0",
    "buffer_load_dwordx4 v[0:3], v4, s[0:3], 0 offen offset:16",
    "global_load_dword v0, v[2:3], off offset:-8",
    "ds_read_b128 v[0:3], v4 offset:64",
    "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s0",
    "s_mov_b32 s0, 0xFF800000",
    "v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], a[0:3]",
    "v_add_u32_sdwa v0, v1, v2 dst_sel:DWORD src0_sel:BYTE_0 src1_sel:WORD_1",
    "s_endpgm",
    "s_nop 7",
    'ds_swizzle_b32 v0, v1 offset:swizzle(BITMASK_PERM,"0pi01")',
]
BAD = [
    '.incbin "/etc/passwd"', ".include \"x\"", ".rept 1000000", ".macro m", ".long 1", ".set x, 1",
    "s_nop 0\ns_nop 1", "s_nop 0\r.endr", "s_nop 0 ; comment", "s_nop 0 // comment",
    "s_nop 0 /* c */", "# line", "s_nop 0 # c", "s_mov_b32 s0, foo", "s_mov_b32 s0, foo+4",
    "s_mov_b32 s0, .amdgcn.next_free_vgpr", "s_mov_b32 s0, kernel@rel32@lo+4",
    "buffer_load_dword v0, off, s[0:3], 0 offset:.x", "label: s_nop 0", "a = 1", "",
    "s_branch 12", "s_branch", "s_cbranch_scc1 .+4", "s_nop 0 \\ s_nop 1", 's_nop "1"',
    "s_nop 'a'", "s_waitcnt foo", "S_NOP 0", "hello world", "s_nop\x00 0", "s_n\u00f8p 0",
    'ds_swizzle_b32 v0, v1 offset:swizzle(BITMASK_PERM,"0pi0x")',
    'ds_swizzle_b32 v0, v1 offset:swizzle(QUAD_PERM,"0pi01")', 's_mov_b32 s0, "0pi01"',
    "s_version foo", "s_version UC_VERSION_GFX12(.incbin)", "exp foo v0, v0, v0, v0",
    "v_interp_p1_f32 v0, v1, attr0.foo", "s_waitcnt_vscnt foo, 0",
    "s_mov_b32 s0, s1" + " " * 500, "v_add_f32 v0, \\@, v1", "s_add_u32 s0, s0, $x",
    "v_mov_b32 v0, src_foo", "s_mov_b32 s0, (foo)", "s_mov_b32 s0, 1+foo",
    "v_add_f32 v0, |foo|, v1", "s_mov_b32 s0, lit(foo)",
    "v_dual_mov_b32 v0, v1 :: s_mov_b32 s0, foo", "v_dual_mov_b32 v0, v1 :: .incbin x",
    # The second half must be an instruction, and there are only two halves (RDNA3 ISA, VOPD).
    "v_dual_mov_b32 v0, v1 :: frob v2, v3", "v_dual_mov_b32 v0, v1 :: -v2",
    "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v2, v3 :: v_dual_mov_b32 v4, v5",
    "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v2 :: s_nop 0 :: s_nop 0",
]  # fmt: skip


@pytest.mark.parametrize("line", GOOD)
def test_instructions_pass_and_assemble(line: str) -> None:
    statement = vet_line(line)
    assert statement.text is not None
    assert len(table(Target("gfx942")).assemble([statement.text])) == 1


@pytest.mark.parametrize("line", BAD)
def test_everything_else_is_refused(line: str) -> None:
    with pytest.raises(EditError) as caught:
        vet_line(line)
    assert caught.value.exit_code == 1
    assert "\n" not in caught.value.one_line()


@pytest.mark.parametrize(
    "line", [".incbin x", "  .long 1", "\t.text", ".L4 s_nop 0", ".", ".include"]
)
def test_a_directive_is_called_one(line: str) -> None:
    with pytest.raises(EditError, match="assembler directives are not allowed"):
        vet_line(line)


def test_a_pair_of_instructions_passes() -> None:
    text = "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v2"
    assert vet_line(text).text == text


def test_the_number_of_lines_is_limited() -> None:
    assert len(vet(["s_nop 0"] * MAX_LINES)) == MAX_LINES == 4096
    with pytest.raises(EditError, match="4097 lines in one edit; at most 4096"):
        vet(["s_nop 0"] * (MAX_LINES + 1))


def test_labels_and_branches() -> None:
    label, branch, call = vet(["again:", "s_cbranch_scc0 again", "s_call_b64 s[0:1], .L4"])
    assert label.label == "again"
    assert (branch.text, branch.branch) == ("s_cbranch_scc0 0", "again")
    assert (call.text, call.branch) == ("s_call_b64 s[0:1], 0", ".L4")


@given(st.text(max_size=60))
def test_whatever_passes_is_one_line_without_a_directive(line: str) -> None:
    try:
        statement = vet_line(line)
    except EditError:
        return
    if statement.text is not None:
        assert statement.text.isascii()
        assert not set(statement.text) & set("\n\r;#\"'\\/=@{}$")
        assert not statement.text.startswith(".")
