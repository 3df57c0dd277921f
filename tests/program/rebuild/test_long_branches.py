"""Long branches of Tensile and small 64-bit literals follow the code when it grows.

Case `tensile_longbranch` with siblings: the branch back, the one that goes either way, and
hipBLASLt's address of a function that is called elsewhere. What the kernels must store follows by
hand from their few lines; `calls_gfx1250`: the literal is the distance of the labels in bytes.
"""

from __future__ import annotations

import numpy as np
import pytest

from asmevo.codeobject import CodeObject
from asmevo.emulate.decode.encode import EncodedKernel, encode
from asmevo.isa.target import Target
from asmevo.program import Program, recover
from asmevo.program.build import assemble_object
from asmevo.program.edit import Edit, apply
from asmevo.program.encoding import table
from asmevo.program.grammar import EditError
from asmevo.program.rebuild import rebuild
from asmevo.program.text.asmfile import write
from asmevo.program.text.asmread import read
from emulate.harness import encoded, launched, library

HEAD = """s_load_dword s6, s[2:3], 0x0
s_waitcnt lgkmcnt(0)
v_lshlrev_b32 v1, 2, v0
v_mov_b32 v2, 1
s_cmp_eq_u32 s6, 1
"""
STORE = "global_store_dword v1, v2, s[2:3]\n"
DISTANCE = "s_getpc_b64 s[8:9]\nLbase: s_add_i32 s10, {0}-Lbase-4, 4\n"
ADD = "s_add_u32 s8, s8, s10\ns_addc_u32 s9, s9, 0\n"
SUBTRACT = "s_abs_i32 s10, s10\ns_sub_u32 s8, s8, s10\ns_subb_u32 s9, s9, 0\n"
JUMP = "s_setpc_b64 s[8:9]\n"
EITHER = f"s_cmp_ge_i32 s10, 0\ns_cbranch_scc1 Lplus\n{SUBTRACT}{JUMP}Lplus: {ADD}{JUMP}"


def ahead(branch: str) -> str:
    """Stores 1 where the buffer begins with 1 (over the long branch), else 5."""
    far = DISTANCE.format("Lfar") + branch
    return f"{HEAD}s_cbranch_scc0 Lno\n{far}Lno: v_mov_b32 v2, 5\nLfar: {STORE}"


def back(branch: str) -> str:
    """Stores 7 where the buffer begins with 1 (over the long branch), else 5."""
    far = DISTANCE.format("Lfar") + branch
    return (
        f"{HEAD}s_branch Lstart\nLfar: v_mov_b32 v2, 7\nLend: {STORE}s_endpgm\n"
        f"Lstart: s_cbranch_scc0 Lno\n{far}Lno: v_mov_b32 v2, 5\ns_branch Lend\n"
    )


# Stores 4 where the buffer begins with 1, else 5: the function adds 3 or 4.
CALLED = (
    HEAD + DISTANCE.format("Lgelu") + ADD + "s_branch Lafter\n"
    "Lgelu: v_add_u32 v2, 3, v2\ns_cmp_eq_u32 s6, 1\ns_cbranch_scc1 Lret\nv_add_u32 v2, 1, v2\n"
    "Lret: s_setpc_b64 s[40:41]\nLafter:\n" + "s_nop 0\n" * 70
    + "s_swappc_b64 s[40:41], s[8:9]\n" + STORE
)  # fmt: skip
KERNELS = {
    "tensile_longbranch": (ahead(ADD + JUMP), 1, 1),
    "back": (back(SUBTRACT + JUMP), -1, 7),
    "either-ahead": (ahead(EITHER), 0, 1),
    "either-back": (back(EITHER), 0, 7),
    "hipblaslt-address": (CALLED, 1, 4),
    "others-between": (
        ahead("v_mov_b32 v3, 0\n" + ADD.replace("\n", "\ns_mov_b32 s20, s6\n") + JUMP), 1, 1,
    ),
}  # fmt: skip


def stored(kernel: EncodedKernel, first: int) -> set[int]:
    memory = np.full(64, first, np.uint32)
    data, outcome = launched(kernel, memory)
    assert not outcome.fault
    return set(data.view(np.uint32).tolist())


def grown(program: Program, *edits: Edit) -> bytes:
    assert program.growth_refused == ""
    return rebuild(apply(program, edits))


@pytest.mark.parametrize("name", KERNELS)
def test_long_branches_arrive_after_growth(name: str) -> None:
    body, sign, taken = KERNELS[name]
    kernel = encoded(body)
    assert (stored(kernel, 1), stored(kernel, 0)) == ({taken}, {5})
    program = kernel.program
    (reference,) = program.references
    assert (reference.addend, reference.sign) == (4, sign)
    data = program.object.data
    assert read(write(program)) == data
    everywhere = [Edit(i, i, ("s_nop 1", "s_nop 2")) for i in range(len(program.instructions))]
    first = grown(program, *everywhere)
    co = CodeObject.open(first)
    again = recover(co)
    assert read(write(again)) == first
    larger = encode(again, co.kernel(None), library())
    assert (stored(larger, 1), stored(larger, 0)) == ({taken}, {5})
    text = write(program)
    line = next(x for x in text.splitlines() if x.startswith("\tv_mov_b32_e32 v2, 1"))
    through = CodeObject.open(read(text.replace(line, f"{line}\n" + "\ts_nop 3\n" * 9)))
    larger = encode(recover(through), through.kernel(None), library())
    assert (stored(larger, 1), stored(larger, 0)) == ({taken}, {5})


@pytest.mark.parametrize("name", KERNELS)
def test_long_branches_go_through_an_assembler(name: str) -> None:
    """The text without the container: labels and addends of LLVM's own relocations."""
    body, _, taken = KERNELS[name]
    co = CodeObject.open(assemble_object(write(encoded(body).program)))
    kernel = encode(recover(co), co.kernel(None), library())
    assert (stored(kernel, 1), stored(kernel, 0)) == ({taken}, {5})


def test_a_long_branch_keeps_its_direction() -> None:
    """`s_addc_u32 0` carries no sign: the target must stay ahead."""
    program = encoded(KERNELS["tensile_longbranch"][0]).program
    (reference,) = program.references
    assert reference.target is not None
    label = program.labels[reference.target]
    store = program.line(reference.target)
    with pytest.raises(EditError, match="cannot hold a distance"):
        apply(
            program,
            [
                Edit(0, 0, ("s_nop 0", f"{label}:", "s_nop 0")),
                Edit(reference.target, reference.target + 1, (store,)),
            ],
        )


@pytest.mark.parametrize(
    "body",
    [
        ahead("s_add_u32 s8, s8, s10\ns_addc_u32 s9, s9, 1\n" + JUMP),  # no plain carry
        ahead("s_add_u32 s8, s8, s11\ns_addc_u32 s9, s9, 0\n" + JUMP),  # another register
        ahead("s_add_u32 s8, s8, s10\ns_cmp_eq_u32 s6, 1\ns_addc_u32 s9, s9, 0\n" + JUMP),  # carry
        ahead("s_lshl_b32 s10, s10, 0\n" + ADD + JUMP),  # the distance is changed
        ahead(EITHER.replace("s_cbranch_scc1 Lplus", "s_cbranch_scc1 Lno")),
        ahead(SUBTRACT + JUMP),  # subtracts, though the target is ahead
    ],
)
def test_what_only_looks_like_one_refuses_growth(body: str) -> None:
    assert "s_getpc_b64" in encoded(body).program.growth_refused


_WIDE = """
\t.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
\t.text
\t.globl k
\t.p2align 8
\t.type k,@function
k:
\ts_get_pc_i64 s[6:7]
\ts_add_nc_u64 s[6:7], s[6:7], {0}@rel64+4
\ts_nop 0
\ts_swap_pc_i64 s[30:31], s[6:7]
\ts_endpgm
{0}:
\ts_set_pc_i64 s[30:31]
\t.section .rodata,"a",@progbits
\t.p2align 6
\t.amdhsa_kernel k
\t\t.amdhsa_next_free_vgpr 8
\t\t.amdhsa_next_free_sgpr 40
\t.end_amdhsa_kernel
"""


def test_calls_gfx1250() -> None:
    """The distance 24 fits an inline constant, and stands in a 64-bit literal all the same."""
    target = Target("gfx1250")
    data = assemble_object(_WIDE.format("callee"), target)
    program = recover(CodeObject.open(data))
    (reference,) = program.references
    # s_add_nc_u64 (12 bytes), s_nop, s_swap_pc_i64, s_endpgm: 4 each.
    assert program.instructions[reference.low].raw[4:] == (24).to_bytes(8, "little")
    assert read(write(program)) == data
    again = recover(CodeObject.open(grown(program, Edit(2, 2, ("s_nop 1", "s_nop 2")))))
    (reference,) = again.references
    assert again.instructions[reference.low].raw[4:] == (32).to_bytes(8, "little")
    assert read(write(again)) == again.object.data


@pytest.mark.parametrize(
    "code",
    [
        "00fe80a91400000000000000",  # s_add_nc_u64 s[0:1], s[0:1], 20
        "00fe80a9ac25000000000000",  # 0x25ac, which fits 32 bits
        "00fe80a9feffffffffffffff",  # -2
        "fe0180be0700000000000000",  # s_mov_b64 s[0:1], 7
        "00fe808b0000000000000000",  # s_and_b64 s[0:1], s[0:1], 0
        "00fe808bffffffffffffffff",  # -1
    ],
)
def test_small_64_bit_literals_have_a_text_of_their_own(code: str) -> None:
    """LLVM encodes what needs 64 bits with the first source 0xfe; here the value would not."""
    raw = bytes.fromhex(code)
    encodings = table(Target("gfx1250"))
    (inst,) = encodings.decode(raw)
    assert inst.editable
    assert "lit64(" in (inst.text or "")
    (made,) = encodings.assemble([inst.text or ""])
    assert made.raw == raw
