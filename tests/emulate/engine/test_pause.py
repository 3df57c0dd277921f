"""Schedules that pause waves in front of memory instructions.

Worked examples: n waves that each add one leave n, whatever the order, if the addition is
indivisible; a value that is told of by a flag is the one that was stored before the flag.
"""

from __future__ import annotations

import numpy as np
import pytest

from asmevo.capsule.schedule import Schedule
from asmevo.emulate.decode.templates import Style
from asmevo.errors import InputError
from tests.emulate.harness import Setup, encoded, launched

SEEDS = range(6)
BOTH = (0, 1)  # complementary halves of the instructions are slow
ATOMIC = "global_atomic_add v1, v3, s[2:3]"
IN_STEPS = """
    global_load_dword v2, v1, s[2:3]
    s_waitcnt vmcnt(0)
    v_add_u32_e32 v2, v2, v3
    global_store_dword v1, v2, s[2:3]
"""
LDS_ATOMIC = "ds_add_u32 v1, v3"
LDS_IN_STEPS = """
    ds_read_b32 v2, v1
    s_waitcnt lgkmcnt(0)
    v_add_u32_e32 v2, v2, v3
    ds_write_b32 v1, v2
"""


def run(body: str, seed: int, arch: str, words: int = 64, groups: int = 1) -> np.ndarray:
    kernel = encoded(body, Setup(arch=arch, lds=64), Style(pause=True))
    data, outcome = launched(
        kernel, np.zeros(words, np.uint32), block=256, groups=groups, pause=seed, resident=groups
    )
    assert not outcome.fault
    return data.view(np.uint32)


def add_one(how: str) -> str:
    return f"""
        s_mov_b64 exec, 1
        v_mov_b32_e32 v1, 0
        v_mov_b32_e32 v3, 1
        {how}
    """


def add_one_in_lds(how: str) -> str:
    return f"""
        v_mov_b32_e32 v1, 0
        v_mov_b32_e32 v3, 1
        v_readfirstlane_b32 s4, v0
        s_mov_b64 exec, 1
        s_cmp_lg_u32 s4, 0
        s_cbranch_scc1 ready
        ds_write_b32 v1, v1
    ready:
        s_waitcnt lgkmcnt(0)
        s_barrier
        {how}
        s_waitcnt lgkmcnt(0)
        s_barrier
        ds_read_b32 v2, v1
        s_waitcnt lgkmcnt(0)
        global_store_dword v1, v2, s[2:3]
    """


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950"])
@pytest.mark.parametrize(
    ("right", "wrong", "groups"),
    [
        (add_one(ATOMIC), add_one(IN_STEPS), 1),  # A02_atomic_to_rmw
        (add_one(ATOMIC), add_one(IN_STEPS), 4),
        (add_one_in_lds(LDS_ATOMIC), add_one_in_lds(LDS_IN_STEPS), 1),  # A03_lds_atomic_to_rmw
    ],
)
def test_an_atomic_in_steps_loses_additions(arch: str, right: str, wrong: str, groups: int) -> None:
    waves = 4 * groups
    assert [run(right, seed, arch, groups=groups)[0] for seed in SEEDS] == [waves] * len(SEEDS)
    assert any(run(wrong, seed, arch, groups=groups)[0] != waves for seed in BOTH)


def told(flag: str, look: str, order: tuple[str, str]) -> str:
    """Wave 0 stores 77 and sets the flag, the others wait for it and copy what they find."""
    return f"""
        v_mov_b32_e32 v1, 0
        v_mov_b32_e32 v3, 1
        v_mov_b32_e32 v4, 77
        v_readfirstlane_b32 s4, v0
        v_lshlrev_b32_e32 v8, 2, v0
        s_mov_b64 exec, 1
        s_cmp_lg_u32 s4, 0
        s_cbranch_scc1 begun
        ds_write_b32 v1, v1
        s_waitcnt lgkmcnt(0)
    begun:
        s_barrier
        s_cmp_lg_u32 s4, 0
        s_cbranch_scc1 spin
        {order[0]}
        {order[1]}
        s_endpgm
    spin:
        {look}
        s_waitcnt vmcnt(0) lgkmcnt(0)
        v_cmp_eq_u32_e32 vcc, 0, v5
        s_cbranch_vccnz spin
        global_load_dword v6, v1, s[2:3] offset:16
        s_waitcnt vmcnt(0)
        global_store_dword v8, v6, s[2:3] offset:64
    """


DATA = "global_store_dword v1, v4, s[2:3] offset:16"
FLAGS = {
    "lds": ("ds_write_b32 v1, v3", "ds_read_b32 v5, v1"),
    "lds atomic": ("ds_add_u32 v1, v3", "ds_read_b32 v5, v1"),
    "memory": ("global_store_dword v1, v3, s[2:3]", "global_load_dword v5, v1, s[2:3]"),
    "atomic": ("global_atomic_inc v1, v4, s[2:3]", "global_load_dword v5, v1, s[2:3]"),
}  # fmt: skip


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950"])
@pytest.mark.parametrize("flag", FLAGS)
def test_a_flag_in_front_of_its_data_is_seen(arch: str, flag: str) -> None:
    """A20_stock_search_flag_before_data_gfx942 and its kin."""
    tell, look = FLAGS[flag]
    found = {
        order: [
            run(told(tell, look, order), seed, arch, words=512)[16 + 64 :: 64][:3].tolist()
            for seed in SEEDS
        ]
        for order in ((DATA, tell), (tell, DATA))
    }
    assert found[DATA, tell] == [[77] * 3] * len(SEEDS)
    assert any(found[tell, DATA][seed] != [77] * 3 for seed in BOTH)


def released(data: str, wait: str, flag: str) -> str:
    """Workgroup 0 stores 77 and sets the flag, the others wait for it and copy what they find."""
    return f"""
        v_mov_b32_e32 v1, 0
        v_mov_b32_e32 v3, 1
        v_mov_b32_e32 v4, 77
        v_mov_b32_e32 v5, 0
        v_mov_b32_e32 v9, s8
        v_lshlrev_b32_e32 v8, 2, v9
        s_mov_b64 exec, 1
        s_cmp_lg_u32 s8, 0
        s_cbranch_scc1 spin
        {data}
        {wait}
        {flag}
        s_endpgm
    spin:
        global_load_dword v5, v1, s[2:3] offset:128 glc
        s_waitcnt vmcnt(0)
        v_cmp_eq_u32_e32 vcc, 0, v5
        s_cbranch_vccnz spin
        global_load_dword v6, v1, s[2:3] offset:16
        s_waitcnt vmcnt(0)
        global_store_dword v8, v6, s[2:3] offset:64
    """


def copies(body: str, seed: int, arch: str) -> list[int]:
    if arch != "gfx90a":
        body = body.replace(" glc", " sc1")
    kernel = encoded(body, Setup(arch=arch), Style(pause=True), "s_mov_b32 s8, s2")
    data, outcome = launched(
        kernel, np.zeros(64, np.uint32), block=64, groups=4, pause=seed, resident=4
    )
    assert not outcome.fault
    return data.view(np.uint32)[17:20].tolist()


ALL_DONE = "s_waitcnt vmcnt(0)"
PIECES = {
    "dword": DATA,
    "short": "global_store_short v1, v4, s[2:3] offset:16",
    "wide": "global_store_dwordx2 v1, v[4:5], s[2:3] offset:16",
    "buffer": "s_mov_b64 s[12:13], s[2:3]\ns_mov_b32 s14, -1\ns_mov_b32 s15, 0x20000\n"
    "buffer_store_dword v4, v1, s[12:15], 0 offen offset:16",
}  # fmt: skip
TELLS = {
    "store": "global_store_dword v1, v3, s[2:3] offset:128",
    "atomic": "global_atomic_add v1, v3, s[2:3] offset:128",
}  # fmt: skip


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950"])
@pytest.mark.parametrize("data", PIECES)
@pytest.mark.parametrize("tell", TELLS)
def test_a_release_that_does_not_wait_is_seen(arch: str, data: str, tell: str) -> None:
    """A17_release_wait_dropped and A19_stock_search_breaks_release_gfx90a, with a consumer."""
    right, none, weak = (
        released(PIECES[data], wait, TELLS[tell]) for wait in (ALL_DONE, "", "s_waitcnt vmcnt(1)")
    )
    assert [copies(right, seed, arch) for seed in SEEDS] == [[77] * 3] * len(SEEDS)
    for wrong in (none, weak):
        assert any(copies(wrong, seed, arch) != [77] * 3 for seed in BOTH)


def test_what_a_wave_stored_it_sees_itself() -> None:
    """Loads, atomics and narrower stores of the wave's own bytes come in program order."""
    body = """
        v_lshlrev_b32_e32 v8, 2, v0
        v_mov_b32_e32 v3, 5
        global_store_dword v8, v3, s[2:3]
        global_store_byte v8, v0, s[2:3] offset:1
        global_atomic_add v8, v3, s[2:3]
        global_load_dword v6, v8, s[2:3]
        s_waitcnt vmcnt(0)
        global_store_dword v8, v6, s[2:3] offset:256
        global_store_dword v8, v0, s[2:3]
    """
    for seed in SEEDS:
        kernel = encoded(body, Setup(), Style(pause=True))
        data, outcome = launched(kernel, np.zeros(128, np.uint32), pause=seed)
        assert not outcome.fault
        words = data.view(np.uint32)
        lane = np.arange(64)
        assert words[:64].tolist() == lane.tolist()
        assert words[64:].tolist() == (10 + 256 * lane).tolist()


def test_waves_that_wait_for_nothing_are_stuck() -> None:
    body = told("s_nop 0", "ds_read_b32 v5, v1", (DATA, "s_nop 0"))
    kernel = encoded(body, Setup(lds=64), Style(pause=True))
    _, outcome = launched(
        kernel, np.zeros(512, np.uint32), block=256, pause=1, slice=1 << 16, budget=1 << 22
    )
    assert outcome.stuck or outcome.budget_spent


def test_seeds_are_checked() -> None:
    assert str(Schedule.parse("pause:3")) == "pause:3"
    with pytest.raises(InputError, match="'pause' is not understood"):
        Schedule.parse("pause")
