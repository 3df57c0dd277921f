"""Growth that would be silently wrong is refused by name; what is followed still grows.

Cases `jumptable_rodata`, `data_in_text`, `data_in_text2`, `call_b64`, `llvm_longbranch`, `v_relr`,
`preload_two_nops_deleted`, rewritten small, with siblings. Which of them are wrong when the code
grows follows from the ISA: an offset stored as data does not move with the code.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

import pytest

from asmevo.codeobject import CodeObject
from asmevo.codeobject.elf import SHT_RELA, Elf
from asmevo.errors import BuildError
from asmevo.program import recover
from asmevo.program.build import assemble_object
from asmevo.program.edit import Edit, apply
from asmevo.program.grammar import EditError
from asmevo.program.text.asmfile import write
from asmevo.program.text.asmread import read

Objects = Callable[..., bytes]
_FRAME = """
\t.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
\t.amdhsa_code_object_version 5
\t.text
\t.globl k
\t.p2align 8
\t.type k,@function
k:
{body}
\t.section .rodata,"a",@progbits
table: .long L0-base, L1-base
\t.p2align 6
\t.amdhsa_kernel k
\t\t.amdhsa_next_free_vgpr 8
\t\t.amdhsa_next_free_sgpr 40
\t\t.amdhsa_accum_offset 8
{more}
\t.end_amdhsa_kernel
"""
_ADDRESS = (
    "s_getpc_b64 s[8:9]\ns_add_u32 s8, s8, {0}@rel32@lo+4\ns_addc_u32 s9, s9, {0}@rel32@hi+12"
)
_BASE = _ADDRESS.format("base")
_CALL = "s_swappc_b64 s[30:31], s[8:9]\n"
_END = "base:\nL0: s_nop 0\nL1: s_endpgm"


def growth(body: str, more: str = "") -> str:
    """What the recovered program says; a growth that is not refused must also work."""
    if "base:" not in body:
        body += "\nbase:\nL0:\nL1: s_endpgm"
    data = assemble_object(_FRAME.format(body=body, more=more))
    program = recover(CodeObject.open(data))
    assert read(write(program)) == data
    edit = Edit(0, 0, ("s_nop 7",))
    if program.growth_refused:
        with pytest.raises(EditError, match=re.escape(program.growth_refused)):
            apply(program, [edit])
    else:
        apply(program, [edit])
    return program.growth_refused


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        # jumptable_rodata: an offset from a table is added to an address of the code.
        (f"{_BASE}\ns_add_u32 s8, s8, s10\ns_addc_u32 s9, s9, s11\ns_setpc_b64 s[8:9]\n{_END}",
         "s_setpc_b64"),
        (f"s_load_dwordx2 s[8:9], s[0:1], 0x0\ns_setpc_b64 s[8:9]\n{_END}", "s_setpc_b64"),
        (f"{_BASE}\ns_mov_b64 s[12:13], s[8:9]\ns_lshl_b32 s12, s12, 1\ns_setpc_b64 s[12:13]\n"
         f"{_END}", "s_setpc_b64"),
        (f"s_add_u32 s30, s4, s5\ns_setpc_b64 s[30:31]\n{_END}", "s_setpc_b64"),
        # The same table, called.
        (f"{_BASE}\ns_add_u32 s8, s8, s10\ns_addc_u32 s9, s9, s11\n{_CALL}{_END}", "s_swappc_b64"),
        (f"{_BASE}\ns_sub_u32 s8, s8, s10\nv_mov_b32 v0, 0\n{_CALL}{_END}", "s_swappc_b64"),
        (f"{_BASE}\ns_add_u32 s8, s8, s10\ns_addc_u32 s9, s9, 0\ns_nop 0\ns_cmp_eq_u32 s4, 0\n"
         f"{_CALL}{_END}", "s_swappc_b64"),
        # data_in_text: it reads as a branch to nowhere; data_in_text2: to real instructions.
        (f"{_END}\n.long 0xbf827fff", "goes to no instruction"),
        (f"{_END}\ntab: .long 0xbf82fffd, 0xbf82fffd", "may be data"),
        (f"{_ADDRESS.format('tab')}\ns_load_dword s4, s[8:9], 0x0\n{_END}\n"
         "tab: .long 0xbf84fffe, 0xbf82fffd", "memory is read"),
        # Constants that are no branches, read by their address, by one of the code in front of
        # them, by an index, or by lanes: an insertion between them would move them apart.
        (f"{_ADDRESS.format('tab')}\ns_load_dword s4, s[8:9], 0x0\n{_END}\n"
         "tab: .long 0x3f800000, 0x7e040280", "memory is read"),
        (f"{_BASE}\ns_load_dword s4, s[8:9], 0x8\n{_END}\n.long 0x3f800000, 0x7e040280",
         "memory is read"),
        (f"{_BASE}\ns_add_u32 s8, s8, s10\ns_addc_u32 s9, s9, 0\ns_load_dword s4, s[8:9], 0x0\n"
         f"{_END}\n.long 0x3f800000, 0x7e040280", "memory is read"),
        (f"{_ADDRESS.format('tab')}\nv_mov_b32 v2, s8\nv_mov_b32 v3, s9\n"
         f"global_load_dword v4, v[2:3], off\n{_END}\ntab: .long 0x3f800000", "memory is read"),
        (f"{_ADDRESS.format('tab')}\nv_lshlrev_b32 v2, 2, v0\n"
         f"global_load_dword v4, v2, s[8:9]\n{_END}\ntab: .long 0x3f800000", "memory is read"),
        (f"{_ADDRESS.format('tab')}\nv_mov_b32 v2, s8\n{_END}\ntab: .long 0x3f800000",
         "may be data"),
        (f"{_END}\n.long 0xbf860001, 0xbf860000, 0", "may be data"),
    ],
)  # fmt: skip
def test_what_would_not_follow_is_refused(body: str, reason: str) -> None:
    assert reason in growth(body)


@pytest.mark.parametrize(
    "body",
    [
        f"s_cbranch_scc0 L1\n{_END}",
        # llvm_longbranch: an address of the code, taken as it is.
        f"{_BASE}\ns_setpc_b64 s[8:9]\n{_END}",
        # call_b64: the callee returns through the pair that the call wrote.
        "s_call_b64 s[8:9], L1\ns_endpgm\nbase:\nL0: s_nop 0\nL1: s_setpc_b64 s[8:9]",
        f"{_BASE}\ns_swappc_b64 s[30:31], s[8:9]\ns_endpgm\nbase:\nL0: s_cbranch_vccz L1\n"
        "s_nop 0\nL1: s_setpc_b64 s[30:31]",
        # A pointer from memory: its relocation is followed. So is an address taken far away.
        f"s_add_u32 s8, s8, s10\ns_load_dwordx2 s[8:9], s[8:9], 0x0\n{_CALL}{_END}",
        f"s_add_u32 s8, s8, s10\ns_endpgm\nbase:\nL0: s_nop 0\n{_CALL}L1: s_endpgm",
        f"{_BASE}\n" + "s_nop 0\n" * 99 + f"{_CALL}s_endpgm\nbase:\nL0: s_cbranch_vccz L1\n"
        "s_nop 0\nL1: s_setpc_b64 s[30:31]",
        # Constants that are no branches may stand behind the end.
        f"{_END}\n.long 0x3f800000, 0x40000000",
    ],
)
def test_what_is_followed_grows(body: str) -> None:
    assert growth(body) == ""


@pytest.mark.parametrize(("kind", "name"), [(19, "RELR"), (0x60000002, "Android RELA"), (9, "REL")])
def test_relocations_that_are_not_read_refuse_growth(
    kernel_objects: Objects, kind: int, name: str
) -> None:
    """`v_relr`: the packed words hold addresses of the data behind the code."""
    data = bytearray(kernel_objects("calls", "gfx942", "recovery"))
    (at,) = (s.header_offset for s in Elf.parse(bytes(data)).sections if s.type == SHT_RELA)
    struct.pack_into("<I", data, at + 4, kind)
    program = recover(CodeObject.open(bytes(data)))
    assert f"{name} relocations" in program.growth_refused


_PRELOAD = "\n".join(
    f"\t\t.amdhsa_{x}" for x in (
        "user_sgpr_count 4", "user_sgpr_kernarg_segment_ptr 1",
        "user_sgpr_kernarg_preload_length 2", "user_sgpr_kernarg_preload_offset 0",
    )
)  # fmt: skip


@pytest.mark.parametrize(("more", "refused"), [(_PRELOAD, False), ("", True)])
def test_the_second_entry_of_a_kernel_is_reached(more: str, refused: bool) -> None:
    """As in hipBLASLt: what the kernel does with preloaded arguments begins 256 bytes behind."""
    body = ".fill 63, 4, 0xbf800000\ns_endpgm\n"
    body += "s_cbranch_scc0 L1\ns_nop 0\nbase:\nL0:\nL1: s_endpgm"
    data = assemble_object(_FRAME.format(body=body, more=more))
    program = recover(CodeObject.open(data))
    assert ("may be data" in program.growth_refused) == refused
    if not refused:
        apply(program, [Edit(65, 65, ("s_nop 1",))])


def test_preload_two_nops_deleted() -> None:
    """Firmware with kernarg preload enters 256 bytes behind the descriptor's entry."""
    body = "s_load_dword s8, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\ns_branch L1\n"
    body += ".fill 60, 4, 0xbf800000\nbase:\nL0:\nL1: v_mov_b32 v0, 0\ns_endpgm"
    data = assemble_object(_FRAME.format(body=body, more=_PRELOAD))
    program = recover(CodeObject.open(data))
    text = write(program)
    assert read(text) == data
    nop = next(x for x in text.splitlines() if x.startswith("\ts_nop 0"))
    with pytest.raises(BuildError, match="second entry of k is"):
        read(text.replace(nop + "\n", "", 1).replace(nop + "\n", "", 1))
    # What grows takes the place of padding that nothing falls into, as long as there is some.
    for more, there in ((nop, "s_nop 0"), ("\tv_mov_b32_e32 v1, 0", "v_mov_b32_e32 v1, 0")):
        co = CodeObject.open(read(text.replace("\ts_waitcnt", f"{more}\n\ts_waitcnt", 1)))
        again = recover(co)
        assert (again.instructions[1].text, len(co.text)) == (there, len(program.text))
        assert again.instructions[again.offsets.index(256)].text == "v_mov_b32_e32 v0, 0"
    with pytest.raises(BuildError, match="second entry of k is"):
        read(text.replace("\ts_waitcnt", "\tv_mov_b32_e32 v1, 0\n" * 61 + "\ts_waitcnt", 1))
    assert read(text.replace(nop, "\ts_nop 1", 1)) != data
