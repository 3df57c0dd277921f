"""Cases of public reports on which the checker was wrong, with others of their kind.

`gfx1250-async-m0` (triton-lang/triton 8664, 9087): LLVM 22 emits no M0 for async loads to LDS but
for the multicast ones. Half registers: LLVM waits for the whole register (RDNA3 ISA, true 16 bit).
"""

from __future__ import annotations

import pytest
from text_program import TextProgram, lines, verdict

from asmevo.check.findings import errors
from asmevo.check.rules.hazards import check_hazards
from asmevo.check.rules.registers import Limits, check_registers
from asmevo.check.rules.waits import check_waits
from asmevo.isa.operand import EXEC, MODE, VGPR0

LIMITS = Limits(vgprs=64, agprs=0, sgprs=100)
ENTRY = 0xFFFF | 0xF << VGPR0 | 3 << EXEC | 1 << MODE  # s0..s15, v0..v3


def undefined(text: str, arch: str) -> list[str]:
    view = TextProgram.of(lines(text), arch).view()
    return [f.what for f in errors(check_registers(view, LIMITS, {0: ENTRY}))]


@pytest.mark.parametrize(
    "text",
    [
        "global_load_async_to_lds_b32 v1, v1, s[8:9]",
        "global_load_async_to_lds_b128 v1, v[2:3], off",
        "global_store_async_from_lds_b64 v1, v2, s[8:9]",
        "ds_load_b32 v2, v1",
    ],
)
def test_case_gfx1250_async_m0(text: str) -> None:
    assert undefined(text, "gfx1250") == []


def test_what_does_read_m0() -> None:
    assert undefined("cluster_load_async_to_lds_b32 v1, v2, s[8:9]", "gfx1250") == ["m0"]
    assert undefined("buffer_load_dword v0, s[0:3], 0 offen lds", "gfx942") == ["m0"]
    assert undefined("ds_read_addtid_b32 v1", "gfx942") == ["m0"]


def test_an_async_load_is_waited_for_by_its_own_counter() -> None:
    load, read = "global_load_async_to_lds_b32 v1, v1, s[8:9]", "ds_load_b32 v2, v3"
    good = lines(load, "s_wait_asynccnt 0x0", read)
    assert verdict(good, lines(load, "s_wait_loadcnt 0x0", read), "gfx1250") == [
        "wait.lds-dma-at-lds"
    ]
    two = lines(load, load, "s_wait_asynccnt 0x0", read)
    worse = verdict(two, two.replace("asynccnt 0x0", "asynccnt 0x1"), "gfx1250")
    assert worse == ["wait.lds-dma-at-lds"]


HALVES = [
    ("gfx1100", "global_load_b32 v1, v0, s[0:1]", "s_waitcnt vmcnt(0)",
     "v_add_f16_e32 v2.l, v1.l, v3.l"),
    ("gfx1100", "global_load_b32 v1, v0, s[0:1]", "s_waitcnt vmcnt(0)", "v_mov_b16_e32 v2.h, v1.h"),
    ("gfx1100", "ds_load_b32 v1, v0", "s_waitcnt lgkmcnt(0)",
     "v_cmp_lt_f16_e32 vcc_lo, v1.l, v2.l"),
    ("gfx1250", "global_load_b32 v1, v0, s[0:1]", "s_wait_loadcnt 0x0",
     "v_add_f16_e32 v2.l, v1.h, v3.l"),
    ("gfx1250", "ds_load_b32 v1, v0", "s_wait_dscnt 0x0", "v_fma_f16 v2.l, v3.l, v3.h, v1.l"),
]  # fmt: skip


@pytest.mark.parametrize("case", HALVES, ids=[f"{c[0]}-{c[3]}" for c in HALVES])
def test_a_half_register_needs_its_wait(case: tuple[str, str, str, str]) -> None:
    arch, load, wait, use = case
    (f,) = check_waits(TextProgram.of(lines(load, use), arch).view())
    assert (f.rule, f.severity, f.what, f.index) == ("wait.raw", "error", "v1", 1)
    assert check_waits(TextProgram.of(lines(load, wait, use), arch).view()) == []
    assert verdict(lines(load, wait, use), lines(load, use), arch) == ["wait.raw"]


def test_a_half_register_overwritten_and_undefined() -> None:
    text = lines("global_load_b32 v1, v0, s[0:1]", "v_mov_b16_e32 v1.l, 0")
    rules = {f.rule for f in check_waits(TextProgram.of(text, "gfx1100").view())}
    assert rules <= {"wait.waw", "wait.raw"}
    assert rules
    assert undefined("v_add_f16_e32 v2.l, v9.l, v0.l", "gfx1100") == ["v9"]


# Case `cmpx_sdst`: the VOP3 form of gfx9 names an SGPR pair and writes EXEC as well.
CMPX = "v_cmpx_eq_u32_e64 s[34:35], v0, s34"


def test_case_cmpx_sdst_writes_both() -> None:
    program = TextProgram.of(lines(CMPX), "gfx942")
    if program.instructions[0].text is None:
        pytest.skip("this LLVM does not read it")
    assert len(program.instructions) == 2
    load = "global_load_dword v9, v[2:3], off"
    (f,) = check_hazards(TextProgram.of(lines(CMPX, load), "gfx942").view())
    assert (f.rule, f.need) == ("hazard.exec-vmem", 5)
    sgpr = "buffer_load_dword v9, v8, s[0:3], s34 offen"
    rules = {f.rule for f in check_hazards(TextProgram.of(lines(CMPX, sgpr), "gfx942").view())}
    assert rules == {"hazard.exec-vmem", "hazard.sgpr-vmem"}
    # s[34:35] is defined by it, and s34 must be defined before.
    assert undefined("s_mov_b32 s34, 0\n" + CMPX + "\ns_mov_b64 s[4:5], s[34:35]", "gfx942") == []
