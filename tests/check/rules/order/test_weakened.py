"""Atomics, scopes, and fences that paths leave out or accesses cross, on all generations.

What is right and wrong follows from LLVM's memory model (AMDGPUUsage, "Memory Model" of each
generation): an atomic is indivisible, an access is coherent as far as its scope bits say, and what
a barrier or invalidate separates may not change sides.
"""

from __future__ import annotations

import pytest
from text_program import lines, verdict

ADD_2 = "v_add_u32_e32 v2, v2, v1"


def rules(before: tuple[str, ...], after: tuple[str, ...], arch: str) -> set[str]:
    return {r for r in verdict(lines(*before), lines(*after), arch) if r.startswith("order.")}


@pytest.mark.parametrize(
    ("arch", "before", "after"),
    [
        # A02_atomic_to_rmw, and the same on other parts and in other forms
        ("gfx942", ("global_atomic_add v0, v1, s[6:7]",),
         ("global_load_dword v2, v0, s[6:7]", "s_waitcnt vmcnt(0)", ADD_2,
          "global_store_dword v0, v2, s[6:7]")),
        ("gfx90a", ("global_atomic_add_f32 v0, v1, s[6:7]",),
         ("global_load_dword v2, v0, s[6:7]", "s_waitcnt vmcnt(0)", "v_add_f32_e32 v2, v2, v1",
          "global_store_dword v0, v2, s[6:7]")),
        ("gfx950", ("buffer_atomic_umax v1, v0, s[4:7], 0 offen",),
         ("buffer_load_dword v2, v0, s[4:7], 0 offen sc1", "s_waitcnt vmcnt(0)",
          "v_max_u32_e32 v2, v2, v1", "buffer_store_dword v2, v0, s[4:7], 0 offen sc1")),
        ("gfx1100", ("global_atomic_add_u32 v0, v1, s[6:7]",),
         ("global_load_b32 v2, v0, s[6:7]", "s_waitcnt vmcnt(0)", "v_add_nc_u32_e32 v2, v2, v1",
          "global_store_b32 v0, v2, s[6:7]")),
        ("gfx1200", ("global_atomic_add_u32 v0, v1, s[6:7] scope:SCOPE_DEV",),
         ("global_load_b32 v2, v0, s[6:7] scope:SCOPE_DEV", "s_wait_loadcnt 0x0",
          "v_add_nc_u32_e32 v2, v2, v1", "global_store_b32 v0, v2, s[6:7] scope:SCOPE_DEV")),
        # A03_lds_atomic_to_rmw
        ("gfx942", ("ds_add_u32 v0, v1",),
         ("ds_read_b32 v2, v0", "s_waitcnt lgkmcnt(0)", ADD_2, "ds_write_b32 v0, v2")),
        ("gfx90a", ("ds_add_rtn_u32 v3, v0, v1",),
         ("ds_read_b32 v3, v0", "s_waitcnt lgkmcnt(0)", "v_add_u32_e32 v2, v3, v1",
          "ds_write_b32 v0, v2")),
        ("gfx1030", ("ds_or_b32 v0, v1",),
         ("ds_read_b32 v2, v0", "s_waitcnt lgkmcnt(0)", "v_or_b32_e32 v2, v2, v1",
          "ds_write_b32 v0, v2")),
        # of two atomics one is left
        ("gfx942", ("global_atomic_add v0, v1, s[6:7]", "global_atomic_add v0, v1, s[6:7]"),
         ("v_lshlrev_b32_e32 v1, 1, v1", "global_atomic_add v0, v1, s[6:7]")),
    ],
)  # fmt: skip
def test_an_atomic_stays_indivisible(
    arch: str, before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    assert "order.atomic" in rules(before, after, arch)


@pytest.mark.parametrize(
    ("arch", "before", "after"),
    [
        # A08_scope_dropped, and the same on other parts, for stores and atomics
        ("gfx942", "global_load_dword v3, v2, s[12:13] sc1", "global_load_dword v3, v2, s[12:13]"),
        ("gfx942", "global_load_dword v3, v2, s[12:13] sc0 sc1",
         "global_load_dword v3, v2, s[12:13] sc1"),
        ("gfx950", "global_store_dword v2, v3, s[12:13] sc1",
         "global_store_dword v2, v3, s[12:13] nt"),
        ("gfx942", "global_atomic_add v0, v1, s[6:7] sc1", "global_atomic_add v0, v1, s[6:7]"),
        ("gfx90a", "global_load_dword v3, v2, s[12:13] glc", "global_load_dword v3, v2, s[12:13]"),
        ("gfx90a", "buffer_load_dword v3, v2, s[4:7], 0 offen glc",
         "buffer_load_dword v3, v2, s[4:7], 0 offen slc"),
        ("gfx1030", "global_load_dword v3, v2, s[12:13] glc dlc",
         "global_load_dword v3, v2, s[12:13] glc"),
        ("gfx1100", "global_load_b32 v3, v2, s[12:13] glc", "global_load_b32 v3, v2, s[12:13]"),
        ("gfx90a", "s_load_dword s4, s[8:9], 0x0 glc", "s_load_dword s4, s[8:9], 0x0"),
        ("gfx1200", "s_load_b32 s4, s[8:9], 0x0 scope:SCOPE_SYS", "s_load_b32 s4, s[8:9], 0x0"),
        ("gfx1200", "global_load_b32 v3, v2, s[12:13] scope:SCOPE_SYS",
         "global_load_b32 v3, v2, s[12:13] scope:SCOPE_DEV"),
        ("gfx1200", "global_store_b32 v2, v3, s[12:13] scope:SCOPE_DEV",
         "global_store_b32 v2, v3, s[12:13]"),
    ],
)  # fmt: skip
def test_a_scope_does_not_shrink(arch: str, before: str, after: str) -> None:
    assert rules((before,), (after,), arch) == {"order.scope"}
    assert rules((after,), (before,), arch) == set()


BARRIER = {
    "gfx1200": ("s_barrier_signal -1", "s_barrier_wait 0xffff"),
    "": ("s_barrier",),
}  # fmt: skip


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1200"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        # A05_conditional_barrier
        (("ds_nop", "B", "ds_nop"), ("s_cbranch_scc0 out", "B", "out:", "ds_nop")),
        # only some of the iterations
        (("top:", "B", "s_cbranch_scc1 top"),
         ("top:", "s_cbranch_vccz low", "B", "low:", "s_cbranch_scc1 top")),
        # the second of two
        (("B", "s_nop 0", "B"), ("B", "s_cbranch_vccnz out", "B", "out:", "s_nop 0")),
        # a way out in front
        (("s_nop 0", "B"), ("s_cbranch_scc1 on", "s_endpgm", "on:", "B")),
    ],
)  # fmt: skip
def test_no_path_leaves_a_barrier_out(
    arch: str, before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    barrier = "\n".join(BARRIER.get(arch, BARRIER[""]))
    old, new = (tuple(barrier if x == "B" else x for x in side) for side in (before, after))
    old, new = (tuple("s_nop 1" if x == "ds_nop" else x for x in side) for side in (old, new))
    assert rules(old, new, arch) == {"order.bypassed"}
    assert rules(old, old, arch) == set()


WRITE, READ = "ds_write_b32 v4, v1", "ds_read_b32 v6, v4"
HALVES = ("ds_write_b16 v4, v1", "ds_write_b16_d16_hi v4, v1 offset:2")
DONE = "s_waitcnt lgkmcnt(0)"


@pytest.mark.parametrize(
    ("arch", "before", "after"),
    [
        # A24_lds_write_behind_barrier
        ("gfx942", (WRITE, DONE, "s_barrier", READ), (DONE, "s_barrier", *HALVES, DONE, READ)),
        # one half of it
        ("gfx90a", (WRITE, DONE, "s_barrier", READ),
         (HALVES[0], DONE, "s_barrier", HALVES[1], DONE, READ)),
        # a read in front, under another name
        ("gfx950", (WRITE, DONE, "s_barrier", READ),
         ("ds_read_u16 v6, v4", "ds_read_u16_d16_hi v6, v4 offset:2", WRITE, DONE, "s_barrier")),
        ("gfx1100", ("global_store_b64 v[0:1], v[2:3], off", "s_waitcnt_vscnt null, 0x0",
                     "s_barrier"),
         ("s_waitcnt_vscnt null, 0x0", "s_barrier", "global_store_b32 v[0:1], v2, off",
          "global_store_b32 v[0:1], v3, off offset:4")),
        # behind the wait for stores that releases, in two
        ("gfx1030", ("global_store_dwordx2 v[0:1], v[2:3], off", "s_waitcnt_vscnt null, 0x0",
                     "global_store_dword v[4:5], v6, off"),
         ("global_store_dword v[0:1], v2, off", "s_waitcnt_vscnt null, 0x0",
          "global_store_dword v[0:1], v3, off offset:4", "global_store_dword v[4:5], v6, off")),
        ("gfx1200", ("global_store_b64 v[0:1], v[2:3], off", "s_wait_storecnt 0x0",
                     "global_store_b32 v[4:5], v6, off scope:SCOPE_DEV"),
         ("s_wait_storecnt 0x0", "global_store_b32 v[4:5], v6, off scope:SCOPE_DEV",
          "global_store_b32 v[0:1], v2, off", "global_store_b32 v[0:1], v3, off offset:4")),
        # A07_load_before_invalidate, the scope kept
        ("gfx942", ("buffer_inv sc1", "global_load_dword v0, v1, s[22:23] sc1",
                    "s_waitcnt vmcnt(0)"),
         ("global_load_dword v0, v1, s[22:23] sc1 nt", "s_waitcnt vmcnt(0)", "buffer_inv sc1")),
        ("gfx90a", ("buffer_wbinvl1_vol", "global_load_dwordx2 v[2:3], v1, s[22:23]",
                    "s_waitcnt vmcnt(0)"),
         ("global_load_dword v2, v1, s[22:23]", "global_load_dword v3, v1, s[22:23] offset:4",
          "s_waitcnt vmcnt(0)", "buffer_wbinvl1_vol")),
        ("gfx1100", ("buffer_gl0_inv", "global_load_b32 v0, v1, s[22:23]", "s_waitcnt vmcnt(0)"),
         ("global_load_b32 v0, v1, s[22:23] slc", "s_waitcnt vmcnt(0)", "buffer_gl0_inv")),
        ("gfx1200", ("global_inv scope:SCOPE_DEV", "global_load_b32 v0, v1, s[22:23]",
                     "s_wait_loadcnt 0x0"),
         ("global_load_b32 v0, v1, s[22:23] th:TH_LOAD_NT", "s_wait_loadcnt 0x0",
          "global_inv scope:SCOPE_DEV")),
        # a store where the original has none
        ("gfx942", (WRITE, DONE, "s_barrier", READ),
         (WRITE, DONE, "s_barrier", *HALVES, DONE, READ)),
    ],
)  # fmt: skip
def test_an_access_keeps_its_side_whatever_its_text(
    arch: str, before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    assert "order.moved" in rules(before, after, arch)


@pytest.mark.parametrize(
    ("arch", "load"),
    [
        ("gfx90a", "s_load_dword s4, s[8:9], 0x0"),
        ("gfx1030", "s_load_dword s4, s[8:9], 0x0"),
        ("gfx1200", "s_load_b32 s4, s[8:9], 0x0"),
    ],
)  # fmt: skip
def test_a_scalar_load_stays_behind_the_invalidate(arch: str, load: str) -> None:
    done = "s_wait_kmcnt 0x0" if arch == "gfx1200" else DONE
    right, wrong = ("s_dcache_inv", load, done), (load, "s_dcache_inv", done)
    assert "against.crossed-fence" in verdict(lines(*right), lines(*wrong), arch)
    assert verdict(lines(*right), lines(*right), arch) == []


STORE, TWICE = "global_store_dword v0, v1, s[6:7]", "global_store_dword v0, v1, s[6:7] offset:4"


@pytest.mark.parametrize(
    ("arch", "before", "after"),
    [
        # split and merged on their side
        ("gfx942", (WRITE, DONE, "s_barrier", READ), (*HALVES, DONE, "s_barrier", READ)),
        ("gfx90a", (STORE, TWICE, "s_barrier"),
         ("global_store_dwordx2 v0, v[2:3], s[6:7]", "s_barrier")),
        # unrolled between the same barriers
        ("gfx942", ("s_barrier", "top:", READ, STORE, "s_cbranch_scc1 top", "s_barrier"),
         ("s_barrier", "top:", READ, READ, STORE, TWICE, "s_cbranch_scc1 top", "s_barrier")),
        # loaded again behind the barrier rather than kept in a register
        ("gfx950", ("global_load_dword v2, v0, s[6:7]", "s_waitcnt vmcnt(0)", "s_barrier"),
         ("global_load_dword v2, v0, s[6:7]", "s_waitcnt vmcnt(0)", "s_barrier",
          "global_load_dword v2, v0, s[6:7]", "s_waitcnt vmcnt(0)")),
        # a redundant load saved
        ("gfx942", (READ, DONE, READ, DONE, "s_barrier"), (READ, DONE, "s_barrier")),
        # spilled to scratch, where nobody else looks
        ("gfx942", (WRITE, DONE, "s_barrier", READ),
         ("scratch_store_dword off, v9, s33", WRITE, DONE, "s_barrier", READ,
          "scratch_load_dword v9, off, s33", "s_waitcnt vmcnt(0)")),
        # a branch that skips work, not the barrier
        ("gfx1100", ("v_mov_b32_e32 v1, v2", "ds_store_b32 v4, v1", DONE, "s_barrier"),
         ("s_cbranch_execz on", "v_mov_b32_e32 v1, v2", "ds_store_b32 v4, v1", "on:", DONE,
          "s_barrier")),
        # relaxed atomics that change places, or are done twice as often in half as many turns
        ("gfx942", ("global_atomic_add v0, v1, s[6:7]", "global_atomic_smax v0, v1, s[8:9]"),
         ("global_atomic_smax v0, v1, s[8:9]", "global_atomic_add v0, v1, s[6:7]")),
        ("gfx942", ("top:", "ds_add_u32 v0, v1", "s_cbranch_scc1 top"),
         ("top:", "ds_add_u32 v0, v1", "ds_add_u32 v0, v1", "s_cbranch_scc1 top")),
        # the old value, which nobody reads, is not asked for
        ("gfx942", ("global_atomic_add v3, v0, v1, s[6:7] sc0", "s_waitcnt vmcnt(0)"),
         ("global_atomic_add v0, v1, s[6:7]",)),
        # wider scopes, hints
        ("gfx942", ("global_load_dword v3, v2, s[12:13] sc1", "s_waitcnt vmcnt(0)"),
         ("global_load_dword v3, v2, s[12:13] sc0 sc1 nt", "s_waitcnt vmcnt(0)")),
        ("gfx90a", ("global_load_dword v3, v2, s[12:13] slc", "s_waitcnt vmcnt(0)"),
         ("global_load_dword v3, v2, s[12:13]", "s_waitcnt vmcnt(0)")),
    ],
)  # fmt: skip
def test_honest_edits_pass(arch: str, before: tuple[str, ...], after: tuple[str, ...]) -> None:
    assert rules(before, after, arch) == set()
