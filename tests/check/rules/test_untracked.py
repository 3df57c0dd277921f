"""What the checker does not follow is named, and an edit may neither remove nor cross it.

The cases `gfx1250-xcnt` and `gfx1250-tensorcnt` of public reports, and others of their kind. What
is right follows from what each wait is for (LLVM SIInsertWaitcnts, AMDGPUWaitSGPRHazards, RDNA
ISA).
"""

from __future__ import annotations

import pytest
from text_program import TextProgram, lines, verdict

from asmevo.check.findings import NOTE
from asmevo.check.rules.untracked import Untracked, check_coverage, untracked
from asmevo.isa.effects import effects
from asmevo.isa.target import Target

LOST, CROSSED = ["against.untracked"], ["against.crossed-untracked"]
# gfx1250 case `gfx1250-xcnt`: the store's address is overwritten while it is in flight.
STORE, WAIT, CLOBBER = (
    "global_store_b128 v[2:3], v[18:21], off", "s_wait_xcnt 0x0", "v_mov_b32_e32 v2, 0",
)  # fmt: skip
# tensor_load_to_lds s[8:11], s[16:23] as an assembler without it writes it.
TENSOR = ".long 0xd0710001\n.long 0x7c000000\n.long 0x7c7c1008"


def test_case_gfx1250_xcnt() -> None:
    good = lines(STORE, WAIT, CLOBBER)
    assert verdict(good, lines(STORE, CLOBBER), "gfx1250") == LOST
    assert verdict(good, good, "gfx1250") == []
    assert verdict(lines(STORE, CLOBBER), lines(STORE, CLOBBER), "gfx1250") == []
    assert verdict(lines(STORE, CLOBBER), good, "gfx1250") == []  # one more wait is no harm
    notes = check_coverage(TextProgram.of(lines(STORE, CLOBBER), "gfx1250").view())
    assert {(f.rule, f.severity) for f in notes} == {("coverage.counters", NOTE)}
    named = {f.message.split()[0] for f in notes}
    assert named == {"xcnt", "tensorcnt", "storecnt"}


def test_xcnt_may_not_be_weakened_moved_or_crossed() -> None:
    two = f"{STORE}\n{STORE}"
    good = lines(two, WAIT, CLOBBER)
    assert verdict(good, lines(two, "s_wait_xcnt 0x1", CLOBBER), "gfx1250") == LOST
    assert verdict(good, lines(two, CLOBBER, WAIT), "gfx1250") == CROSSED
    weak = lines(two, "s_wait_xcnt 0x1", CLOBBER)
    assert verdict(weak, good, "gfx1250") == []  # stronger


def test_case_gfx1250_tensorcnt() -> None:
    """The load is unknown, so its wait is what protects the LDS read."""
    rest = ("s_barrier_signal -1", "s_barrier_wait -1", "ds_load_b32 v2, v1", "s_wait_dscnt 0x0")
    good = lines(TENSOR, "s_wait_tensorcnt 0x0", *rest)
    program = TextProgram.of(good, "gfx1250")
    if all(i.text for i in program.instructions):
        pytest.skip("this LLVM reads tensor_load_to_lds")
    assert verdict(good, lines(TENSOR, *rest), "gfx1250") == LOST
    assert verdict(good, good, "gfx1250") == []
    (note,) = [f for f in check_coverage(program.view()) if f.rule == "coverage.untracked"]
    assert "bytes" in note.message
    assert "s_wait_tensorcnt" in note.message


# (target, with it, without it): each wait protects something that no table of the checker has.
WAITS = [
    ("gfx1250", "s_wait_asynccnt 0x0", "global_load_async_to_lds_b32 v1, v1, s[8:9]"),
    ("gfx1250", "s_wait_tensorcnt 0x0", "v_mov_b32_e32 v1, v2"),
    ("gfx1250", "s_wait_idle", "v_mov_b32_e32 v1, v2"),
    ("gfx1200", "s_wait_alu 0xfffe", "s_mov_b32 s4, 0"),
    ("gfx1200", "s_wait_event 0x2", "s_mov_b32 s4, 0"),
    ("gfx1200", "s_wait_storecnt 0x0", "global_store_b32 v1, v2, s[8:9]"),
    ("gfx1100", "s_waitcnt_depctr 0xfffe", "s_mov_b32 s4, 0"),
    ("gfx1100", "s_waitcnt_vscnt null, 0x0", "global_store_b32 v1, v2, s[8:9]"),
    ("gfx1030", "s_waitcnt_vmcnt s4, 0x0", "global_load_dword v7, v2, s[8:9]"),
    ("gfx1100", "s_nop 0", "v_mov_b32_e32 v1, v2"),
    ("gfx1030", "s_nop 2", "v_mov_b32_e32 v1, v2"),
    ("gfx908", "s_nop 1", "v_mov_b32_e32 v1, v2"),
]


@pytest.mark.parametrize(("arch", "wait", "before"), WAITS, ids=[f"{w[0]}-{w[1]}" for w in WAITS])
def test_a_wait_nobody_follows_stays(arch: str, wait: str, before: str) -> None:
    flag = (
        "global_store_dword v1, v9, s[10:11]"
        if arch in ("gfx1030", "gfx908")
        else ("global_store_b32 v1, v9, s[10:11]")
    )
    good = lines(before, wait, "s_barrier" if "async" in wait else flag)
    if arch in ("gfx1250",):
        good = good.replace("s_barrier", "s_barrier_signal -1")
    assert verdict(good, good, arch) == []
    worse = verdict(good, good.replace(f"{wait}\n", ""), arch)
    assert worse, wait
    if "async" not in wait:
        assert worse == LOST


@pytest.mark.parametrize("text", ["s_delay_alu instid0(VALU_DEP_1)", "s_setprio 1", "s_sleep 1"])
def test_hints_priority_and_idle_time_are_free(text: str) -> None:
    load = ("s_load_b64 s[4:5], s[0:1], 0x0", "v_mov_b32_e32 v1, 0")
    assert verdict(lines(load[0], text, load[1]), lines(*load), "gfx1100") == []
    assert verdict(lines(*load), lines(load[0], text, load[1]), "gfx1100") == []


def test_a_store_wait_is_crossed_by_memory_operations_only() -> None:
    store, flag = "global_store_b32 v1, v2, s[8:9]", "global_store_b64 v1, v[4:5], s[10:11]"
    move, wait = "v_mov_b32_e32 v9, 0", "s_waitcnt_vscnt null, 0x0"
    good = lines(store, wait, move, flag)
    assert verdict(good, lines(store, move, wait, flag), "gfx1100") == []
    assert verdict(good, lines(store, flag, wait, move), "gfx1100") == CROSSED


UNKNOWN = ".long 0xd7fe0001\n.long 0x00000102"


def test_unknown_instructions_are_neither_removed_moved_nor_crossed() -> None:
    first, second = "v_mov_b32_e32 v5, 0", "v_exp_f32_e32 v6, v7"
    program = TextProgram.of(lines(UNKNOWN), "gfx942")
    assert program.instructions[0].text is None
    good = lines(first, UNKNOWN, second)
    assert verdict(good, good) == []
    assert verdict(good, lines(first, second)) == LOST
    assert verdict(lines(first, second), good) == LOST  # added
    assert verdict(good, lines(first, second, UNKNOWN)) == CROSSED
    assert verdict(good, lines(UNKNOWN, first, second)) == CROSSED


def test_with_unknown_instructions_every_wait_and_nop_stays() -> None:
    waits = ("s_waitcnt vmcnt(0)", "s_nop 3")
    for wait in waits:
        good = lines(UNKNOWN, wait, "v_mov_b32_e32 v5, 0")
        assert verdict(good, lines(UNKNOWN, "v_mov_b32_e32 v5, 0")) == LOST
        assert verdict(lines(wait, "v_mov_b32_e32 v5, 0"), lines("v_mov_b32_e32 v5, 0")) == []
    good = lines(UNKNOWN, "s_nop 3", "v_mov_b32_e32 v5, 0")
    assert verdict(good, good.replace("s_nop 3", "s_nop 2")) == LOST
    assert verdict(good, good.replace("s_nop 3", "s_nop 4")) == []
    merged = lines(UNKNOWN, "s_waitcnt vmcnt(0) lgkmcnt(0)", "v_mov_b32_e32 v5, 0")
    assert verdict(good.replace("s_nop 3", "s_waitcnt vmcnt(1)"), merged) == []
    assert verdict(merged, merged.replace(" lgkmcnt(0)", "")) == LOST


def test_register_banks_are_not_touched_or_crossed() -> None:
    bank, add = "s_set_vgpr_msb 0x41", "v_add_f32_e32 v1, v2, v3"
    load = "global_load_b32 v9, v8, s[4:5]"
    good = lines(load, bank, "s_wait_loadcnt 0x0", add)
    assert verdict(good, lines(load, "s_wait_loadcnt 0x0", add), "gfx1250") == LOST
    assert verdict(good, lines(load, bank, add), "gfx1250") == LOST  # the wait, nobody can say
    assert verdict(good, lines(load, bank, add, "s_wait_loadcnt 0x0"), "gfx1250") == CROSSED
    assert verdict(good, good.replace("0x41", "0x40"), "gfx1250") == LOST


def why(text: str, arch: str) -> Untracked:
    inst = TextProgram.of(text, arch).instructions[0]
    target = Target(arch)
    return untracked(inst, effects(inst, target).kind, target)


def test_what_is_followed() -> None:
    assert why("s_nop 1", "gfx942") is Untracked.IF_BLIND
    assert why("s_nop 1", "gfx1100") is Untracked.NOP
    assert why("s_waitcnt vmcnt(3)", "gfx90a") is Untracked.IF_BLIND
    assert why("s_waitcnt 0xcf7f", "gfx90a") is Untracked.NO  # every field at its maximum
    assert why("s_waitcnt_depctr 0xffff", "gfx1100") is Untracked.NO
    assert why("s_wait_loadcnt 0x0", "gfx1250") is Untracked.IF_BLIND
    assert why("v_mov_b32_e32 v1, v2", "gfx1250") is Untracked.NO
    assert why("s_clause 0x1", "gfx1100") is Untracked.NO


def test_a_release_by_scope_bits_waits_for_earlier_stores() -> None:
    """LLVM's memory model for gfx942: stores complete before the store with a scope bit."""
    data, flag = "global_store_dword v1, v2, s[8:9]", "global_store_dword v1, v3, s[10:11] sc1"
    good = lines(data, "s_waitcnt vmcnt(0)", flag)
    assert verdict(good, lines(data, flag)) == ["order.release"]
    assert verdict(good.replace(" sc1", ""), lines(data, flag.replace(" sc1", ""))) == []
    plain = good.replace(" sc1", "")
    assert verdict(plain, plain.replace("s_waitcnt vmcnt(0)\n", ""), "gfx90a") == ["order.release"]
