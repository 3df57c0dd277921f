"""Release and acquire patterns of compilers, and edits that break or keep them.

The patterns are those that LLVM emits for C++ atomics of each scope (AMDGPUUsage, memory model
code sequences): a flag behind its data, the wait in between, a loop or a ticket in front of what it
guards.
"""

from __future__ import annotations

import pytest
from text_program import lines, verdict


def rules(before: tuple[str, ...], after: tuple[str, ...], arch: str) -> set[str]:
    return set(verdict(lines(*before), lines(*after), arch))


DONE, LDS_DONE = "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)"
DATA, FLAG = "global_store_dword v[2:3], v4, off", "ds_write_b32 v5, v6"
# Another wave of the workgroup, which runs the same kernel, waits for the flag in LDS.
SPIN_LDS = (
    "s_cbranch_scc1 tell", "spin:", "ds_read_b32 v7, v5", LDS_DONE, "v_cmp_eq_u32_e32 vcc, 0, v7",
    "s_cbranch_vccnz spin", "global_load_dword v8, v[2:3], off", DONE, "s_endpgm", "tell:",
)  # fmt: skip
# The same with a flag in memory, workgroup scope, which no bit shows.
SPIN_MEMORY = tuple(
    line.replace("ds_read_b32 v7, v5", "global_load_dword v7, v5, s[4:5]").replace(LDS_DONE, DONE)
    for line in SPIN_LDS
)
FLAG_MEMORY = "global_store_short v5, v6, s[4:5]"
SPIN_11 = (
    "s_cbranch_scc1 tell", "spin:", "ds_load_b32 v7, v5", LDS_DONE,
    "v_cmp_eq_u32_e32 vcc_lo, 0, v7", "s_cbranch_vccnz spin", "global_load_b32 v8, v[2:3], off",
    DONE, "s_endpgm", "tell:",
)  # fmt: skip
DATA_11, FLAG_11 = "global_store_b32 v[2:3], v4, off", "ds_store_b32 v5, v6"
# Lanes leave one by one.
SPIN_LANES = (
    "s_cbranch_scc1 tell", "s_mov_b64 s[10:11], 0", "spin:", "ds_read_b32 v7, v5", LDS_DONE,
    "v_cmp_ne_u32_e32 vcc, 0, v7", "s_or_b64 s[10:11], vcc, s[10:11]",
    "s_andn2_b64 exec, exec, s[10:11]", "s_cbranch_execnz spin", "s_endpgm", "tell:",
)  # fmt: skip


ARGUMENTS = "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_load_dwordx2 s[6:7], s[0:1], 0x8\n" + LDS_DONE
RENAMED = ARGUMENTS.replace("s[6:7]", "s[10:11]").replace("s[4:5]", "s[8:9]")


@pytest.mark.parametrize(
    ("arch", "before", "after"),
    [
        # A20_stock_search_flag_before_data_gfx942, and on other parts
        ("gfx942", (*SPIN_LDS, DATA, FLAG), (*SPIN_LDS, FLAG, DATA)),
        ("gfx90a", (*SPIN_LDS, DATA, FLAG), (*SPIN_LDS, FLAG, DATA)),
        ("gfx950", (*SPIN_LANES, DATA, FLAG), (*SPIN_LANES, FLAG, DATA)),
        ("gfx1100", (*SPIN_11, DATA_11, FLAG_11), (*SPIN_11, FLAG_11, DATA_11)),
        ("gfx1030", (*SPIN_LDS[:4], "v_cmp_eq_u32_e32 vcc_lo, 0, v7", *SPIN_LDS[5:], DATA, FLAG),
         (*SPIN_LDS[:4], "v_cmp_eq_u32_e32 vcc_lo, 0, v7", *SPIN_LDS[5:], FLAG, DATA)),
        # an LDS atomic as the flag
        ("gfx942", (*SPIN_LDS, DATA, "ds_inc_u32 v5, v6"), (*SPIN_LDS, "ds_inc_u32 v5, v6", DATA)),
        # the data in two pieces
        ("gfx942", (*SPIN_LDS, "global_store_dwordx2 v[2:3], v[8:9], off", FLAG),
         (*SPIN_LDS, DATA, FLAG, "global_store_dword v[2:3], v9, off offset:4")),
        # a flag in memory, data in memory and in LDS
        ("gfx942", (*SPIN_MEMORY, DATA, FLAG_MEMORY), (*SPIN_MEMORY, FLAG_MEMORY, DATA)),
        ("gfx90a", (*SPIN_MEMORY, "ds_write_b64 v1, v[8:9]", LDS_DONE, FLAG_MEMORY),
         (*SPIN_MEMORY, "ds_write_b64 v1, v[8:9]", FLAG_MEMORY, LDS_DONE)),
        ("gfx950", (*SPIN_MEMORY, "ds_read_b64 v[8:9], v1", LDS_DONE, FLAG_MEMORY),
         (*SPIN_MEMORY, "ds_read_b64 v[8:9], v1", FLAG_MEMORY, LDS_DONE)),
        # A17_release_wait_dropped; the data behind the flag altogether; one of two data stores
        ("gfx942", (f"{DATA} sc0 sc1", DONE, "global_store_short v5, v6, s[4:5] sc0 sc1"),
         (f"{DATA} sc0 sc1", "global_store_short v5, v6, s[4:5] sc0 sc1")),
        ("gfx950", (f"{DATA} sc1", DONE, "global_store_short v5, v6, s[4:5] sc1"),
         ("global_store_short v5, v6, s[4:5] sc1", f"{DATA} sc1")),
        ("gfx942", (f"{DATA} sc1", f"{DATA} offset:4 sc1", DONE,
                    "global_atomic_add v5, v6, s[4:5]"),
         (f"{DATA} sc1", f"{DATA} offset:4 sc1", "s_waitcnt vmcnt(1)",
          "global_atomic_add v5, v6, s[4:5]")),
        # data and flag by one opcode: told apart by their registers, or by where these come from
        ("gfx942", (f"{DATA} sc1", DONE, "global_store_dword v[6:7], v8, off sc1"),
         ("global_store_dword v[6:7], v8, off sc1", DONE, f"{DATA} sc1")),
        ("gfx90a", (ARGUMENTS, "global_store_dword v0, v4, s[4:5]", DONE,
                    "global_store_dword v1, v6, s[6:7]"),
         (RENAMED, "global_store_dword v1, v6, s[10:11]", DONE,
          "global_store_dword v0, v4, s[8:9]")),
        ("gfx950", (ARGUMENTS, "global_store_dword v0, v4, s[4:5] sc0 sc1", DONE,
                    "global_store_dword v1, v6, s[6:7] sc0 sc1"),
         (RENAMED, "global_store_dword v1, v6, s[10:11] sc0 sc1", DONE,
          "global_store_dword v0, v4, s[8:9] sc0 sc1")),
        # told twice, the first time too early
        ("gfx942", (f"{DATA} sc1", DONE, "global_store_dword v[6:7], v8, off sc1"),
         ("global_store_dword v[6:7], v8, off sc1", f"{DATA} sc1", DONE,
          "global_store_dword v[6:7], v8, off sc1")),
        # where stores have no scope
        ("gfx90a", (DATA, DONE, FLAG_MEMORY), (FLAG_MEMORY, DATA)),
        # an atomic that has not completed where the next one tells of it
        ("gfx942", ("global_atomic_add v1, v6, s[6:7]", DONE, "global_atomic_add v5, v6, s[4:5]"),
         ("global_atomic_add v1, v6, s[6:7]", "global_atomic_add v5, v6, s[4:5]")),
    ],
)  # fmt: skip
def test_others_are_told_when_it_is_done(
    arch: str, before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    assert "order.release" in rules(before, after, arch)
    assert rules(before, before, arch) == set()


@pytest.mark.parametrize(
    ("arch", "before", "after"),
    [
        # A19_stock_search_breaks_release_gfx90a, and the write-back of later parts
        ("gfx90a", (DATA, DONE, FLAG_MEMORY), (DATA, FLAG_MEMORY)),
        ("gfx90a", ("buffer_store_dword v4, v2, s[8:11], 0 offen", DONE,
                    "global_atomic_add v5, v6, s[4:5]"),
         ("buffer_store_dword v4, v2, s[8:11], 0 offen", "global_atomic_add v5, v6, s[4:5]")),
        ("gfx942", (DATA, "buffer_wbl2 sc1", DONE, f"{FLAG_MEMORY} sc1"),
         (DATA, "buffer_wbl2 sc1", f"{FLAG_MEMORY} sc1")),
        ("gfx1030", (DATA, "s_waitcnt_vscnt null, 0x0", FLAG_MEMORY), (DATA, FLAG_MEMORY)),
        ("gfx1100", (DATA_11, "s_waitcnt_vscnt null, 0x0", "global_store_b32 v5, v6, s[4:5]"),
         (DATA_11, "global_store_b32 v5, v6, s[4:5]")),
        ("gfx1200", (DATA_11, "s_wait_storecnt 0x0", "global_store_b32 v5, v6, s[4:5]"),
         (DATA_11, "s_wait_storecnt 0x1", "global_store_b32 v5, v6, s[4:5]")),
    ],
)  # fmt: skip
def test_the_wait_of_a_release_stays(
    arch: str, before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    assert rules(before, after, arch)
    assert rules(before, before, arch) == set()


TICKET = (
    "global_atomic_add v7, v5, v6, s[4:5] sc0", DONE, "v_readfirstlane_b32 s8, v7", "s_nop 3",
    "s_cmp_lg_u32 s8, s9", "s_cbranch_scc1 out",
)  # fmt: skip
GUARDED = "global_load_dwordx2 v[8:9], v[2:3], off"


@pytest.mark.parametrize(
    ("arch", "before", "after"),
    [
        # what a loop guards, loaded in front of it
        ("gfx942", ("spin:", "ds_read_b32 v7, v5", LDS_DONE, "v_cmp_eq_u32_e32 vcc, 0, v7",
                    "s_cbranch_vccnz spin", GUARDED, DONE),
         (GUARDED, "spin:", "ds_read_b32 v7, v5", LDS_DONE, "v_cmp_eq_u32_e32 vcc, 0, v7",
          "s_cbranch_vccnz spin", DONE)),
        # into it
        ("gfx90a", ("spin:", "global_load_dword v7, v5, s[4:5] glc", DONE,
                    "v_cmp_eq_u32_e32 vcc, 0, v7", "s_cbranch_vccnz spin", GUARDED, DONE),
         ("spin:", "global_load_dword v7, v5, s[4:5] glc", GUARDED, DONE,
          "v_cmp_eq_u32_e32 vcc, 0, v7", "s_cbranch_vccnz spin")),
        ("gfx1100", ("spin:", "global_load_b32 v7, v5, s[4:5] glc", DONE,
                     "v_cmp_eq_u32_e32 vcc_lo, 0, v7", "s_cbranch_vccnz spin",
                     "ds_load_b32 v8, v9", LDS_DONE),
         ("ds_load_b32 v8, v9", "spin:", "global_load_b32 v7, v5, s[4:5] glc", DONE,
          "v_cmp_eq_u32_e32 vcc_lo, 0, v7", "s_cbranch_vccnz spin", LDS_DONE)),
        ("gfx1200", ("spin:", "global_load_b32 v7, v5, s[4:5] scope:SCOPE_DEV",
                     "s_wait_loadcnt 0x0", "v_cmp_eq_u32_e32 vcc_lo, 0, v7",
                     "s_cbranch_vccnz spin", "global_load_b32 v8, v[2:3], off",
                     "s_wait_loadcnt 0x0"),
         ("global_load_b32 v8, v[2:3], off", "spin:",
          "global_load_b32 v7, v5, s[4:5] scope:SCOPE_DEV", "s_wait_loadcnt 0x0",
          "v_cmp_eq_u32_e32 vcc_lo, 0, v7", "s_cbranch_vccnz spin")),
        # the last one to arrive
        ("gfx942", (*TICKET, GUARDED, DONE, "out:"), (GUARDED, *TICKET, DONE, "out:")),
        # looked at once instead of until it is set
        ("gfx942", ("spin:", "ds_read_b32 v7, v5", LDS_DONE, "v_cmp_eq_u32_e32 vcc, 0, v7",
                    "s_cbranch_vccnz spin", GUARDED, DONE),
         ("ds_read_b32 v7, v5", LDS_DONE, "v_cmp_eq_u32_e32 vcc, 0, v7", GUARDED, DONE)),
    ],
)  # fmt: skip
def test_nothing_is_used_before_it_is_told(
    arch: str, before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    assert "order.acquire" in rules(before, after, arch)
    assert rules(before, before, arch) == set()


OTHER = "global_load_dword v10, v[12:13], off"


@pytest.mark.parametrize(
    ("arch", "before", "after"),
    [
        # nobody looks for a flag: an LDS write may pass a store
        ("gfx942", (DATA, FLAG, LDS_DONE, "s_barrier"), (FLAG, DATA, LDS_DONE, "s_barrier")),
        ("gfx90a", (DATA, FLAG, LDS_DONE), (FLAG, DATA, LDS_DONE)),
        # a loop that walks through memory looks for no flag
        ("gfx942", ("top:", "global_load_dword v7, v[2:3], off", DONE,
                    "v_add_u32_e32 v2, 4, v2", "v_cmp_eq_u32_e32 vcc, 0, v7", "s_cbranch_vccnz top",
                    DATA, FLAG),
         ("top:", "global_load_dword v7, v[2:3], off", DONE, "v_add_u32_e32 v2, 4, v2",
          "v_cmp_eq_u32_e32 vcc, 0, v7", "s_cbranch_vccnz top", FLAG, DATA)),
        # a wait for one load need not cover the next
        ("gfx942", ("global_load_dword v4, v[12:13], off", OTHER, DONE, DATA, DONE),
         ("global_load_dword v4, v[12:13], off", OTHER, "s_waitcnt vmcnt(1)", DATA, DONE)),
        ("gfx90a", ("global_load_dword v4, v[12:13], off", OTHER, DONE, DATA, DONE),
         ("global_load_dword v4, v[12:13], off", OTHER, "s_waitcnt vmcnt(1)", DATA, DONE)),
        # a wait for loads that covered a store nobody waits for
        ("gfx942", (OTHER, "global_store_dword v[16:17], v14, off", DONE, "ds_write_b32 v5, v10",
                    LDS_DONE),
         (OTHER, "global_store_dword v[16:17], v14, off", "s_waitcnt vmcnt(1)",
          "ds_write_b32 v5, v10", LDS_DONE)),
        # loads up in front of a release
        ("gfx942", (f"{DATA} sc1", DONE, f"{FLAG_MEMORY} sc1", OTHER, DONE),
         (OTHER, f"{DATA} sc1", DONE, f"{FLAG_MEMORY} sc1")),
        # two waits in one, a stronger one
        ("gfx942", (f"{DATA} sc1", "ds_read_b32 v8, v5", LDS_DONE, DONE, f"{FLAG_MEMORY} sc1"),
         (f"{DATA} sc1", "ds_read_b32 v8, v5", "s_waitcnt vmcnt(0) lgkmcnt(0)",
          f"{FLAG_MEMORY} sc1")),
        # independent data stores in front of the flag
        ("gfx942", (f"{DATA} sc1", "global_store_byte v[12:13], v4, off sc1", DONE,
                    f"{FLAG_MEMORY} sc1"),
         ("global_store_byte v[12:13], v4, off sc1", f"{DATA} sc1", DONE, f"{FLAG_MEMORY} sc1")),
        # renamed throughout
        ("gfx90a", (ARGUMENTS, "global_store_dword v0, v4, s[4:5]", DONE,
                    "global_store_dword v1, v6, s[6:7]"),
         (RENAMED, "global_store_dword v0, v4, s[8:9]", DONE,
          "global_store_dword v1, v6, s[10:11]")),
        # relaxed atomics: stores and loads go round them
        ("gfx942", (DATA, "global_atomic_add v5, v6, s[4:5]"),
         ("global_atomic_add v5, v6, s[4:5]", DATA)),
        ("gfx950", ("global_atomic_add v5, v6, s[4:5]", OTHER, DONE),
         (OTHER, "global_atomic_add v5, v6, s[4:5]", DONE)),
        # a histogram in LDS, between barriers
        ("gfx942", ("s_barrier", OTHER, DONE, "ds_add_u32 v5, v10", DATA, LDS_DONE, "s_barrier"),
         ("s_barrier", OTHER, DATA, "s_waitcnt vmcnt(1)", "ds_add_u32 v5, v10", LDS_DONE,
          "s_barrier")),
        # a place handed out by an atomic, which decides an address and no branch
        ("gfx942", ("global_atomic_add v7, v5, v6, s[4:5] sc0", DONE, DATA,
                    "global_store_dword v7, v6, s[6:7]"),
         (DATA, "global_atomic_add v7, v5, v6, s[4:5] sc0", DONE,
          "global_store_dword v7, v6, s[6:7]")),
        # between a ticket and its branch nothing was told yet
        ("gfx942", (TICKET[0], OTHER, *TICKET[1:], GUARDED, DONE, "out:"),
         (OTHER, *TICKET, GUARDED, DONE, "out:")),
        # in front of a loop that waits: what it does not guard stays free
        ("gfx942", (OTHER, "ds_read_b32 v9, v11", *SPIN_LDS, DATA, FLAG),
         ("ds_read_b32 v9, v11", OTHER, *SPIN_LDS, DATA, FLAG)),
        # loads of a loop under way while others compute
        ("gfx950", ("top:", "ds_read_b128 v[20:23], v5", LDS_DONE,
                    "global_store_dwordx4 v[2:3], v[20:23], off", "s_cbranch_scc1 top"),
         ("top:", "ds_read_b128 v[20:23], v5", "ds_read_b128 v[24:27], v5 offset:16",
          "s_waitcnt lgkmcnt(1)", "global_store_dwordx4 v[2:3], v[20:23], off", LDS_DONE,
          "global_store_dwordx4 v[2:3], v[24:27], off offset:16", "s_cbranch_scc1 top")),
    ],
)  # fmt: skip
def test_honest_edits_pass(arch: str, before: tuple[str, ...], after: tuple[str, ...]) -> None:
    assert rules(before, after, arch) == set()
