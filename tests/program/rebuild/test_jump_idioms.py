"""Ways to a computed address: each grows right, or is refused by name before anything is written.

Every kernel stores 7 where its buffer begins with 1 and 5 where it begins with 0, over a jump or
a call whose address is made in another way; the emulator says so before anything is edited. What
must be refused follows from the ISA: a distance in a register, a table or a literal that nobody
finds stays as it was when the code between its ends grows. What is followed is run again with
`s_nop` everywhere. Siblings of `jumptable_rodata`, `llvm_longbranch` and `call_b64`.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

from asmevo.codeobject import CodeObject
from asmevo.emulate.decode.encode import EncodedKernel, encode
from asmevo.program import Program, recover
from asmevo.program.edit import Edit, apply
from asmevo.program.grammar import EditError
from asmevo.program.rebuild import rebuild
from asmevo.program.text.asmfile import write
from asmevo.program.text.asmread import read
from emulate.harness import Setup, encoded, launched, library

_HEAD = """s_load_dword s6, s[2:3], 0x0
s_waitcnt lgkmcnt(0)
v_lshlrev_b32 v1, 2, v0
s_mov_b32 s33, 0
s_lshl_b32 s10, s6, 3
s_mov_b32 s11, 0
s_cmp_eq_u32 s6, 1
"""
_GOALS = """base:
L0: v_mov_b32 v2, 5
s_branch Lx
L1: v_mov_b32 v2, 7
Lx: global_store_dword v1, v2, s[2:3]
"""
# Functions for the calls: they return through s[30:31].
_CALLEES = """s_endpgm
F0: v_mov_b32 v2, 5
s_setpc_b64 s[30:31]
F1: v_mov_b32 v2, 7
s_setpc_b64 s[30:31]
"""
_AFTER_CALL = "global_store_dword v1, v2, s[2:3]\n" + _CALLEES


def _address(label: str, n: int = 8) -> str:
    return (
        f"s_getpc_b64 s[{n}:{n + 1}]\ns_add_u32 s{n}, s{n}, {label}@rel32@lo+4\n"
        f"s_addc_u32 s{n + 1}, s{n + 1}, {label}@rel32@hi+12\n"
    )


_SUM = _address("base") + "s_add_u32 s8, s8, s10\ns_addc_u32 s9, s9, s11\n"
_PAIR = _address("L0") + _address("L1", 12)  # s[8:9] and s[12:13]
_CALLED = _address("F0") + _address("F1", 12)
_FSUM = _address("F0") + "s_add_u32 s8, s8, s10\ns_addc_u32 s9, s9, s11\n"
_CALL = "s_swappc_b64 s[30:31], s[8:9]\n"
_READ = "v_readfirstlane_b32 s16, v4\nv_readfirstlane_b32 s17, v5\ns_setpc_b64 s[16:17]\n"
_TO_VGPRS = "v_mov_b32 v4, s{0}\nv_mov_b32 v5, s{1}\n"
_WAIT = "s_waitcnt vmcnt(0) lgkmcnt(0)\n"
_TO_LANES = "v_writelane_b32 v6, s{0}, 3\nv_writelane_b32 v6, s{1}, 4\n"
_FROM_LANES = "v_readlane_b32 s16, v6, 3\nv_readlane_b32 s17, v6, 4\ns_setpc_b64 s[16:17]\n"
_MEMORY = "v_mov_b32 v7, 0\nglobal_store_dwordx2 v7, v[4:5], s[2:3] offset:384\n" + _WAIT
_TEST = "s_cmp_eq_u32 s6, 1\n"
_NEXT = "s_call_b64 s[8:9], Lhere\nLhere:\n"

# Name -> (kernel, why it must be refused).
REFUSED = {
    "sum": (_SUM + "s_setpc_b64 s[8:9]\n", "s_setpc_b64"),
    "sum-copied": (_SUM + "s_mov_b64 s[16:17], s[8:9]\ns_setpc_b64 s[16:17]\n", "s_setpc_b64"),
    "sum-copied-by-halves": (
        _SUM + "s_mov_b32 s16, s8\ns_mov_b32 s17, s9\ns_setpc_b64 s[16:17]\n", "s_setpc_b64",
    ),
    "sum-copied-twice-far": (
        _SUM + "s_mov_b64 s[16:17], s[8:9]\n" + "s_nop 0\n" * 80
        + "s_mov_b64 s[18:19], s[16:17]\ns_setpc_b64 s[18:19]\n", "s_setpc_b64",
    ),
    "copy-then-sum": (
        _address("base") + "s_mov_b64 s[16:17], s[8:9]\ns_add_u32 s16, s16, s10\n"
        "s_addc_u32 s17, s17, 0\ns_setpc_b64 s[16:17]\n", "s_setpc_b64",
    ),
    "sum-called": (_FSUM + _CALL, "s_swappc_b64"),
    "sum-called-by-a-copy": (
        _FSUM + "s_mov_b64 s[16:17], s[8:9]\ns_swappc_b64 s[30:31], s[16:17]\n", "s_swappc_b64",
    ),
    "sum-selected": (
        _SUM + "s_cmp_eq_u32 s6, 9\ns_cselect_b64 s[16:17], s[2:3], s[8:9]\n"
        "s_setpc_b64 s[16:17]\n", "s_setpc_b64",
    ),
    "sum-selected-by-halves": (
        _SUM + "s_cmp_eq_u32 s6, 9\ns_cselect_b32 s16, s2, s8\ns_cselect_b32 s17, s3, s9\n"
        "s_setpc_b64 s[16:17]\n", "s_setpc_b64",
    ),
    "sum-moved-on-condition": (
        _SUM + "s_mov_b64 s[16:17], s[2:3]\ns_cmp_lg_u32 s6, 9\n"
        "s_cmov_b64 s[16:17], s[8:9]\ns_setpc_b64 s[16:17]\n", "s_setpc_b64",
    ),
    "sum-on-one-way": (
        _address("L0") + _TEST + "s_cbranch_scc0 Lgo\n" + _SUM + "Lgo: s_setpc_b64 s[8:9]\n",
        "s_setpc_b64",
    ),
    "sum-in-lanes": (_SUM + _TO_LANES.format(8, 9) + _FROM_LANES, "s_setpc_b64"),
    "sum-in-vgprs": (_SUM + _TO_VGPRS.format(8, 9) + "s_nop 4\n" + _READ, "s_setpc_b64"),
    "sum-in-accumulators": (
        _SUM + _TO_VGPRS.format(8, 9) + "v_accvgpr_write_b32 a0, v4\nv_accvgpr_write_b32 a1, v5\n"
        "s_nop 4\nv_accvgpr_read_b32 v4, a0\nv_accvgpr_read_b32 v5, a1\ns_nop 4\n" + _READ,
        "s_setpc_b64",
    ),
    "sum-in-memory": (
        _SUM + _TO_VGPRS.format(8, 9) + _MEMORY
        + "global_load_dwordx2 v[4:5], v7, s[2:3] offset:384\n" + _WAIT + _READ,
        "memory holds sums",
    ),
    "sum-in-lds": (
        _SUM + _TO_VGPRS.format(8, 9) + "v_lshlrev_b32 v7, 3, v0\nds_write_b64 v7, v[4:5]\n"
        + _WAIT + "ds_read_b64 v[4:5], v7\n" + _WAIT + _READ, "memory holds sums",
    ),
    "address-in-memory": (
        _PAIR + _TEST + "s_cselect_b64 s[8:9], s[12:13], s[8:9]\n"
        + _TO_VGPRS.format(8, 9) + _MEMORY + "global_load_dwordx2 v[4:5], v7, s[2:3] offset:384\n"
        + _WAIT + _READ, "may be data",
    ),
    "sum-of-vectors": (
        _address("base") + _TO_VGPRS.format(8, 9) + "v_mov_b32 v8, s10\n"
        "v_add_co_u32 v4, vcc, v4, v8\nv_addc_co_u32 v5, vcc, 0, v5, vcc\ns_nop 4\n" + _READ,
        "s_setpc_b64",
    ),
    "difference": (
        _address("Lx") + "s_sub_u32 s14, 12, s10\ns_sub_u32 s8, s8, s14\n"
        "s_subb_u32 s9, s9, 0\ns_setpc_b64 s[8:9]\n", "s_setpc_b64",
    ),
    "high-half-masked": (
        _PAIR + _TEST + "s_cselect_b64 s[8:9], s[12:13], s[8:9]\n"
        "s_and_b32 s9, s9, 0xffff\ns_setpc_b64 s[8:9]\n", "s_setpc_b64",
    ),
    "high-half-of-a-number": (
        _PAIR + _TEST + "s_cselect_b32 s8, s12, s8\ns_mov_b32 s14, s9\n"
        "s_or_b32 s9, s14, 0\ns_setpc_b64 s[8:9]\n", "s_setpc_b64",
    ),
    "shifted-add": (
        _address("base") + "s_lshl3_add_u32 s8, s6, s8\ns_addc_u32 s9, s9, 0\n"
        "s_setpc_b64 s[8:9]\n", "s_setpc_b64",
    ),
    "distance-of-a-literal": (
        _address("base") + _TEST + "s_cselect_b32 s14, L1-base, 0\ns_add_u32 s8, s8, s14\n"
        "s_addc_u32 s9, s9, 0\ns_setpc_b64 s[8:9]\n", "s_setpc_b64",
    ),
    "jumptable_rodata": (
        _address("table", 12) + "s_lshl_b32 s10, s6, 2\ns_load_dword s14, s[12:13], s10\n" + _WAIT
        + _address("base") + "s_add_u32 s8, s8, s14\ns_addc_u32 s9, s9, 0\n"
        "s_setpc_b64 s[8:9]\n", "s_setpc_b64",
    ),
    "table-relative-to-itself": (
        _address("Ltable") + "s_lshl_b32 s10, s6, 2\ns_load_dword s14, s[8:9], s10\n" + _WAIT
        + "s_ashr_i32 s15, s14, 31\ns_add_u32 s8, s8, s14\ns_addc_u32 s9, s9, s15\n"
        "s_setpc_b64 s[8:9]\nLtable: .long L0-Ltable, L1-Ltable\n", "s_setpc_b64",
    ),
    "table-in-registers": (
        _address("base") + "s_mov_b32 s20, L0-base\ns_mov_b32 s21, L1-base\ns_mov_b32 m0, s6\n"
        "s_nop 0\ns_movrels_b32 s14, s20\ns_add_u32 s8, s8, s14\ns_addc_u32 s9, s9, 0\n"
        "s_setpc_b64 s[8:9]\n", "s_setpc_b64",
    ),
    "target-in-registers": (
        _PAIR + "s_mov_b64 s[20:21], s[8:9]\ns_mov_b64 s[22:23], s[12:13]\n"
        "s_lshl_b32 s14, s6, 1\ns_mov_b32 m0, s14\ns_nop 0\ns_movrels_b64 s[16:17], s[20:21]\n"
        "s_setpc_b64 s[16:17]\n", "s_setpc_b64",
    ),
    "counter-by-a-call": (
        _NEXT + "s_add_u32 s8, s8, base-Lhere\ns_addc_u32 s9, s9, 0\ns_add_u32 s8, s8, s10\n"
        "s_addc_u32 s9, s9, 0\ns_setpc_b64 s[8:9]\n", "return address",
    ),
    "data-by-a-call": (
        _NEXT + "s_add_u32 s8, s8, Ldata-Lhere\ns_addc_u32 s9, s9, 0\ns_cmp_eq_u32 s6, 1\n"
        "s_load_dword s14, s[8:9], 0x0\n" + _WAIT + "s_cbranch_scc1 L1\ns_branch L0\n"
        "Ldata: .long 0\n", "return address",
    ),
    "return-skips-words": (
        "s_cbranch_scc0 L0\ns_call_b64 s[30:31], Lskip\ns_endpgm\ns_branch L1\n"
        "Lskip: s_add_u32 s30, s30, 4\ns_addc_u32 s31, s31, 0\ns_setpc_b64 s[30:31]\n",
        "return address",
    ),
    "arguments-behind-the-call": (
        "s_call_b64 s[30:31], Largs\ns_branch L0\ns_branch L1\n"
        "Largs: s_load_dword s14, s[30:31], 0x0\n" + _WAIT + "s_cmp_eq_u32 s6, 1\n"
        "s_cbranch_scc1 L1\ns_setpc_b64 s[30:31]\n", "return address",
    ),
    "counter-copied": (
        "s_getpc_b64 s[8:9]\nLpc: s_mov_b64 s[16:17], s[8:9]\ns_add_u32 s16, s16, base-Lpc\n"
        "s_addc_u32 s17, s17, 0\ns_add_u32 s16, s16, s10\ns_addc_u32 s17, s17, 0\n"
        "s_setpc_b64 s[16:17]\n", "s_getpc_b64",
    ),
    "counter-in-lanes": (
        "s_getpc_b64 s[8:9]\nLpc:\n" + _TO_LANES.format(8, 9)
        + "v_readlane_b32 s16, v6, 3\nv_readlane_b32 s17, v6, 4\ns_add_u32 s16, s16, base-Lpc\n"
        "s_addc_u32 s17, s17, 0\ns_add_u32 s16, s16, s10\ns_addc_u32 s17, s17, 0\n"
        "s_setpc_b64 s[16:17]\n", "s_getpc_b64",
    ),
    "counter-for-two-ways": (
        "s_getpc_b64 s[8:9]\nLpc: s_cbranch_scc1 Ltwo\ns_add_u32 s8, s8, L0-Lpc\n"
        "s_addc_u32 s9, s9, 0\ns_setpc_b64 s[8:9]\nLtwo: s_add_u32 s8, s8, L1-Lpc\n"
        "s_addc_u32 s9, s9, 0\ns_setpc_b64 s[8:9]\n", "s_getpc_b64",
    ),
    "entered-in-between": (
        "s_getpc_b64 s[8:9]\nLpc: s_mov_b32 s20, 0\nLagain: s_add_u32 s8, s8, L0-Lpc\n"
        "s_addc_u32 s9, s9, 0\ns_cmp_eq_u32 s6, s20\ns_cbranch_scc1 Lgo\ns_cmp_eq_u32 s20, 0\n"
        "s_cbranch_scc0 Lgo\ns_mov_b32 s20, 1\ns_sub_u32 s8, s8, L0-Lpc-(L1-L0)\n"
        "s_subb_u32 s9, s9, 0\ns_branch Lagain\nLgo: s_setpc_b64 s[8:9]\n", "s_getpc_b64",
    ),
    "given-to-a-function": (
        _SUM + "s_call_b64 s[30:31], Ljump\ns_endpgm\nLjump: s_setpc_b64 s[8:9]\n", "s_setpc_b64",
    ),
    "given-back-by-a-function": (
        "s_mov_b64 s[8:9], s[2:3]\ns_call_b64 s[30:31], Lmake\ns_setpc_b64 s[8:9]\nLmake:\n"
        + _SUM + "s_setpc_b64 s[30:31]\n", "s_setpc_b64",
    ),
    "exception-return": (_SUM + "s_rfe_b64 s[8:9]\n", "s_rfe_b64"),
}  # fmt: skip
FOLLOWED = {
    "copied": _address("L0") + _TEST + "s_cbranch_scc0 Lgo\n" + _address("L1")
    + "Lgo: s_mov_b64 s[16:17], s[8:9]\ns_setpc_b64 s[16:17]\n",
    "selected": _PAIR + _TEST + "s_cselect_b64 s[16:17], s[12:13], s[8:9]\n"
    "s_setpc_b64 s[16:17]\n",
    "selected-by-halves": _PAIR + _TEST + "s_cselect_b32 s16, s12, s8\n"
    "s_cselect_b32 s17, s13, s9\ns_setpc_b64 s[16:17]\n",
    "moved-on-condition": _PAIR + _TEST + "s_cmov_b64 s[8:9], s[12:13]\n"
    "s_setpc_b64 s[8:9]\n",
    "in-lanes": _PAIR + _TEST + "s_cselect_b64 s[8:9], s[12:13], s[8:9]\n"
    + _TO_LANES.format(8, 9) + _FROM_LANES,
    "in-vgprs": _PAIR + _TEST + "s_cselect_b64 s[8:9], s[12:13], s[8:9]\n"
    + _TO_VGPRS.format(8, 9) + "s_nop 4\n" + _READ,
    "called-selected": _CALLED + _TEST + "s_cselect_b64 s[8:9], s[12:13], s[8:9]\n"
    + _CALL,
    "called-in-a-loop": _CALLED + _TEST + "s_cselect_b64 s[8:9], s[12:13], s[8:9]\n"
    "s_mov_b32 s20, 3\nLloop:\n" + _CALL
    + "s_sub_u32 s20, s20, 1\ns_cmp_eq_u32 s20, 0\ns_cbranch_scc0 Lloop\n",
    "return-kept": "s_cbranch_scc1 Lone\ns_call_b64 s[30:31], Lkeep\ns_branch L0\nLone:\n"
    "s_call_b64 s[30:31], Lkeep\ns_branch L1\nLkeep: s_mov_b64 s[16:17], s[30:31]\n"
    "s_setpc_b64 s[16:17]\n",
    "return-in-lanes": "s_cbranch_scc1 Lone\ns_call_b64 s[30:31], Lkeep\ns_branch L0\nLone:\n"
    "s_call_b64 s[30:31], Lkeep\ns_branch L1\nLkeep:\n" + _TO_LANES.format(30, 31) + _FROM_LANES,
    "given-to-a-function": _PAIR + _TEST + "s_cselect_b64 s[8:9], s[12:13], s[8:9]\n"
    "s_call_b64 s[30:31], Ljump\ns_endpgm\n"
    "Ljump: s_setpc_b64 s[8:9]\n",
    "sum-elsewhere": _SUM + _address("L0") + _TEST + "s_cbranch_scc0 Lgo\n" + _address("L1")
    + "Lgo: s_setpc_b64 s[8:9]\n",
}  # fmt: skip


def _kernel(idiom: str) -> EncodedKernel:
    table = '.section .rodata,"a",@progbits\ntable: .long L0-base, L1-base\n.text\n'
    calls = "_b64 s[30:31], s[" in idiom and "swappc" in idiom
    end = _AFTER_CALL if calls else _GOALS + "s_endpgm\n"
    labels = "base:\nL0:\nL1:\n" if calls else ""
    return encoded(f"{table}{_HEAD}{idiom}{end}{labels}", Setup(lds=4096))


def _stored(kernel: EncodedKernel, first: int) -> set[int]:
    memory = np.full(128, first, np.uint32)
    data, outcome = launched(kernel, memory)
    assert not outcome.fault, outcome.fault
    return set(data[:256].view(np.uint32).tolist())


def _with_nops(program: Program) -> bytes:
    inside = {i for r in program.references for i in range(r.pc_read + 1, r.high + 1)}
    places = [i for i in range(len(program.instructions)) if i not in inside]
    return rebuild(apply(program, [Edit(i, i, ("s_nop 0",)) for i in places]))


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_follow_is_refused_by_name(name: str) -> None:
    idiom, reason = REFUSED[name]
    kernel = _kernel(idiom)
    if "rfe" not in idiom:
        assert (_stored(kernel, 0), _stored(kernel, 1)) == ({5}, {7})
    program = kernel.program
    assert reason in program.growth_refused
    with pytest.raises(EditError, match=re.escape(program.growth_refused)):
        apply(program, [Edit(0, 0, ("s_nop 0",))])
    text = write(program)
    line = next(x for x in text.splitlines() if x.startswith("\ts_load_dword"))
    assert read(text) == program.object.data
    with pytest.raises(EditError, match=re.escape(program.growth_refused)):
        read(text.replace(line, f"\ts_nop 0\n{line}"))


@pytest.mark.parametrize("name", FOLLOWED)
def test_what_follows_grows_right(name: str) -> None:
    kernel = _kernel(FOLLOWED[name])
    assert (_stored(kernel, 0), _stored(kernel, 1)) == ({5}, {7})
    program = kernel.program
    assert program.growth_refused == ""
    co = CodeObject.open(_with_nops(program))
    larger = encode(recover(co), co.kernel(None), library())
    assert (_stored(larger, 0), _stored(larger, 1)) == ({5}, {7})
