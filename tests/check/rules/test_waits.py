"""Small racy and clean cases, each judged by hand against the ISA's counter rules."""

from __future__ import annotations

import pytest

from asmevo.check.findings import ERROR
from asmevo.check.rules.waits import check_waits

VM1 = "global_load_dword v1, v0, s[0:1]\n"
VM2 = "global_load_dword v2, v0, s[0:1] offset:4\n"
DS1 = "ds_read_b32 v1, v0\n"
DS2 = "ds_read_b32 v2, v0 offset:4\n"
SM = "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
USE1 = "v_add_f32_e32 v9, v1, v1\n"
USE2 = "v_add_f32_e32 v9, v2, v2\n"
END = "s_endpgm\n"


def wait(text: str) -> str:
    return f"s_waitcnt {text}\n"


# name, architecture, program, errors as (rule, consumer index, count that is enough).
CASES: list[tuple[str, str, str, list[tuple[str, int, int]]]] = [
    # --- VGPRs, in-order vmcnt ------------------------------------------------------------
    ("vgpr racy", "gfx942", VM1 + USE1 + END, [("wait.raw", 1, 0)]),
    ("vgpr clean", "gfx942", VM1 + wait("vmcnt(0)") + USE1 + END, []),
    ("vgpr older of two clean", "gfx942", VM1 + VM2 + wait("vmcnt(1)") + USE1 + END, []),
    (
        "vgpr younger of two racy", "gfx942", VM1 + VM2 + wait("vmcnt(1)") + USE2 + END,
        [("wait.raw", 3, 0)],
    ),
    (
        "a store counts too", "gfx942",
        VM1 + "global_store_dword v0, v5, s[0:1]\n" + wait("vmcnt(1)") + USE1 + END, [],
    ),
    ("wrong counter", "gfx942", VM1 + wait("lgkmcnt(0)") + USE1 + END, [("wait.raw", 2, 0)]),
    ("overwritten while pending", "gfx942", VM1 + "v_mov_b32_e32 v1, 0\n" + END,
     [("wait.waw", 1, 0)]),
    ("a read of the overwriting value is no second fault", "gfx942",
     VM1 + "v_mov_b32_e32 v1, 0\n" + USE1 + END, [("wait.waw", 1, 0)]),
    ("load over load is in order", "gfx942", VM1 + VM1 + wait("vmcnt(0)") + USE1 + END, []),
    ("load over load needs a wait on gfx12", "gfx1200",
     "global_load_b32 v1, v0, s[0:1]\nglobal_load_b32 v1, v0, s[0:1] offset:4\n"
     "s_wait_loadcnt 0x0\n" + USE1 + END, [("wait.waw", 1, 0)]),
    ("address register is free at once", "gfx942", VM1 + "v_mov_b32_e32 v0, 0\n" + END, []),
    ("store data is free at once", "gfx942",
     "global_store_dword v0, v5, s[0:1]\ns_nop 0\nv_mov_b32_e32 v5, 0\n" + END, []),
    ("agpr loaded directly", "gfx90a",
     "global_load_dword a1, v0, s[0:1]\nv_accvgpr_read_b32 v9, a1\n" + END, [("wait.raw", 1, 0)]),
    ("half of a wide load", "gfx942",
     "global_load_dwordx4 v[4:7], v0, s[0:1]\nv_mov_b32_e32 v9, v7\n" + END, [("wait.raw", 1, 0)]),
    ("kept half of a d16 load", "gfx942",
     VM1 + "global_load_short_d16_hi v1, v0, s[0:1]\n" + wait("vmcnt(0)") + USE1 + END,
     [("wait.raw", 1, 0)]),
    # LLVM: on gfx12 vector loads write out of order (PR 105549) and a d16 load may write the
    # whole register (PR 165587); on gfx11 those of one kind are in order (PR 194477).
    ("both halves by d16 loads", "gfx1100",
     "global_load_d16_b16 v1, v0, s[0:1]\nglobal_load_d16_hi_b16 v1, v0, s[0:1] offset:2\n"
     + wait("vmcnt(0)") + USE1 + END, []),
    ("both halves by d16 loads on gfx12", "gfx1200",
     "global_load_d16_b16 v1, v0, s[0:1]\nglobal_load_d16_hi_b16 v1, v0, s[0:1] offset:2\n"
     "s_wait_loadcnt 0x0\n" + USE1 + END, [("wait.raw", 1, 0)]),
    ("both halves by d16 loads with a wait on gfx12", "gfx1200",
     "global_load_d16_b16 v1, v0, s[0:1]\ns_wait_loadcnt 0x0\n"
     "global_load_d16_hi_b16 v1, v0, s[0:1] offset:2\ns_wait_loadcnt 0x0\n" + USE1 + END, []),
    ("both halves from LDS on gfx12", "gfx1200",
     "ds_load_u16_d16 v1, v0\nds_load_u16_d16_hi v1, v0 offset:2\ns_wait_dscnt 0x0\n"
     + USE1 + END, []),
    ("one half from LDS, one from memory on gfx12", "gfx1200",
     "ds_load_u16_d16 v1, v0\nglobal_load_d16_hi_b16 v1, v0, s[0:1]\ns_wait_dscnt 0x0\n"
     "s_wait_loadcnt 0x0\n" + USE1 + END, [("wait.raw", 1, 0)]),
    ("returning atomic", "gfx942",
     "global_atomic_add v1, v0, v2, s[0:1] sc0\n" + USE1 + END, [("wait.raw", 1, 0)]),
    ("atomic without return", "gfx942", "global_atomic_add v0, v1, s[0:1]\n" + USE1 + END, []),
    # --- halves of registers, and both results of a dual-issue pair --------------------------
    ("low half read too early", "gfx1100",
     "global_load_b32 v1, v0, s[0:1]\nv_add_f16_e32 v2.l, v1.l, v0.l\n" + END,
     [("wait.raw", 1, 0)]),
    ("high half read too early", "gfx1100",
     "global_load_b32 v1, v0, s[0:1]\nv_cvt_f32_f16_e32 v2, v1.h\n" + END, [("wait.raw", 1, 0)]),
    ("half read behind a wait", "gfx1100",
     "global_load_b32 v1, v0, s[0:1]\n" + wait("vmcnt(0)")
     + "v_add_f16_e32 v2.l, v1.h, v0.l\n" + END, []),
    ("half read too early on gfx1250", "gfx1250",
     "ds_load_b32 v1, v0\nv_mov_b16_e32 v2.l, v1.h\n" + END, [("wait.raw", 1, 0)]),
    ("half written over a load", "gfx1100",
     "global_load_b32 v1, v0, s[0:1]\nv_mov_b16_e32 v1.h, v0.l\n" + END, [("wait.raw", 1, 0)]),
    ("second half of a pair reads too early", "gfx1100",
     "global_load_b32 v5, v0, s[0:1]\nv_dual_mov_b32 v1, v2 :: v_dual_mul_f32 v4, v3, v5\n" + END,
     [("wait.raw", 1, 0)]),
    ("second half of a pair overwrites", "gfx1100",
     "global_load_b32 v4, v0, s[0:1]\nv_dual_mov_b32 v1, v2 :: v_dual_mov_b32 v4, v3\n" + END,
     [("wait.waw", 1, 0)]),
    ("result of a message", "gfx1100",
     "s_sendmsg_rtn_b32 s4, sendmsg(MSG_RTN_GET_DOORBELL)\ns_add_u32 s5, s4, 1\n" + END,
     [("wait.raw", 1, 0)]),
    ("target of a jump on gfx1250", "gfx1250",
     "s_load_b64 s[4:5], s[0:1], 0x0\ns_set_pc_i64 s[4:5]\n", [("wait.raw", 1, 0)]),
    ("flag of a barrier", "gfx1200",
     "s_barrier_signal_isfirst -1\ns_cselect_b32 s4, s5, s6\n" + END, [("wait.raw", 1, 0)]),
    # --- case buffer-inv-counts: the invalidate is counted, so one may stay in flight ---------
    ("an invalidate counts", "gfx942", VM1 + "buffer_inv sc1\n" + wait("vmcnt(1)") + USE1 + END,
     []),
    ("an invalidate counts on gfx950", "gfx950",
     VM1 + VM2 + "buffer_inv sc0 sc1\n" + wait("vmcnt(2)") + USE1 + END, []),
    ("an invalidate counts once", "gfx942",
     VM1 + "buffer_inv sc1\n" + wait("vmcnt(2)") + USE1 + END, [("wait.raw", 3, 1)]),
    ("gfx90a's is not known to count", "gfx90a",
     VM1 + "buffer_invl2\n" + wait("vmcnt(1)") + USE1 + END, [("wait.raw", 3, 0)]),
    ("an invalidate counts on gfx12", "gfx1200",
     "global_load_b32 v1, v0, s[0:1]\nglobal_inv\ns_wait_loadcnt 0x1\n" + USE1 + END, []),
    # --- SGPRs, out of order --------------------------------------------------------------
    ("sgpr racy", "gfx942", SM + "s_add_u32 s6, s4, 1\n" + END, [("wait.raw", 1, 0)]),
    ("sgpr clean", "gfx942", SM + wait("lgkmcnt(0)") + "s_add_u32 s6, s4, 1\n" + END, []),
    ("smem needs zero", "gfx942",
     SM + "s_load_dword s6, s[0:1], 0x8\n" + wait("lgkmcnt(1)") + "s_mov_b32 s7, s4\n" + END,
     [("wait.raw", 3, 0)]),
    ("smem loads the address of a load", "gfx942",
     SM + "global_load_dword v1, v0, s[4:5]\n" + END, [("wait.raw", 1, 0)]),
    ("branch on a loaded vcc", "gfx942",
     "s_load_dwordx2 vcc, s[0:1], 0x0\ns_cbranch_vccz 1\ns_nop 0\n" + END, [("wait.raw", 1, 0)]),
    ("memtime", "gfx942", "s_memtime s[4:5]\ns_mov_b32 s6, s4\n" + END, [("wait.raw", 1, 0)]),
    # --- LDS, mixed kinds -----------------------------------------------------------------
    ("lds racy", "gfx942", DS1 + USE1 + END, [("wait.raw", 1, 0)]),
    ("lds older of two clean", "gfx942", DS1 + DS2 + wait("lgkmcnt(1)") + USE1 + END, []),
    ("lds younger of two racy", "gfx942", DS1 + DS2 + wait("lgkmcnt(1)") + USE2 + END,
     [("wait.raw", 3, 0)]),
    ("lds over lds is in order", "gfx942", DS1 + DS1 + wait("lgkmcnt(0)") + USE1 + END, []),
    ("a younger smem is no proof for lds", "gfx942", DS1 + SM + wait("lgkmcnt(1)") + USE1 + END,
     [("wait.raw", 3, 0)]),
    ("younger lds prove lds beside smem", "gfx942",
     SM + DS1 + DS2 + wait("lgkmcnt(1)") + USE1 + END, []),
    ("younger lds prove nothing for smem", "gfx942",
     SM + DS1 + DS2 + wait("lgkmcnt(1)") + "s_mov_b32 s6, s4\n" + END, [("wait.raw", 4, 0)]),
    ("permute is asynchronous", "gfx942", "ds_bpermute_b32 v1, v0, v2\n" + USE1 + END,
     [("wait.raw", 1, 0)]),
    ("lds write returns nothing", "gfx942", "ds_write_b32 v0, v1\n" + USE1 + END, []),
    # --- flat -----------------------------------------------------------------------------
    ("flat racy", "gfx942", "flat_load_dword v1, v[2:3]\n" + USE1 + END, [("wait.raw", 1, 0)]),
    ("flat clean", "gfx942",
     "flat_load_dword v1, v[2:3]\n" + wait("vmcnt(0) lgkmcnt(0)") + USE1 + END, []),
    ("flat lacks vmcnt", "gfx942",
     "flat_load_dword v1, v[2:3]\n" + wait("lgkmcnt(0)") + USE1 + END, [("wait.raw", 2, 0)]),
    ("flat spoils vmcnt above 0", "gfx942",
     VM1 + "flat_load_dword v3, v[4:5]\n" + wait("vmcnt(1)") + USE1 + END, [("wait.raw", 3, 0)]),
    ("flat is in order on gfx10", "gfx1030",
     VM1 + "flat_load_dword v3, v[4:5]\n" + wait("vmcnt(1)") + USE1 + END, []),
    # --- saturation -----------------------------------------------------------------------
    ("fifteen younger lds complete the oldest", "gfx942",
     DS1 + DS2 * 15 + USE1 + END, []),
    ("fourteen younger lds do not", "gfx942", DS1 + DS2 * 14 + USE1 + END, [("wait.raw", 15, 14)]),
    ("sixty-three younger loads complete the oldest", "gfx942", VM1 + VM2 * 63 + USE1 + END, []),
    ("sixty-two do not", "gfx942", VM1 + VM2 * 62 + USE1 + END, [("wait.raw", 63, 62)]),
    # --- other counters -------------------------------------------------------------------
    ("gfx10 stores have vscnt", "gfx1030",
     VM1 + "global_store_dword v0, v5, s[0:1]\n" + wait("vmcnt(1)") + USE1 + END,
     [("wait.raw", 3, 0)]),
    ("gfx12 split counters racy", "gfx1200",
     "ds_load_b32 v1, v0\ns_wait_loadcnt 0x0\n" + USE1 + END, [("wait.raw", 2, 0)]),
    ("gfx12 combined wait", "gfx1200",
     "ds_load_b32 v1, v0\ns_wait_loadcnt_dscnt 0x3f00\n" + USE1 + END, []),
    ("gfx12 scalar loads", "gfx1200",
     "s_load_b64 s[4:5], s[0:1], 0x0\ns_wait_kmcnt 0x0\ns_mov_b32 s6, s4\n" + END, []),
    ("gfx11 field order", "gfx1100",
     "global_load_b32 v1, v0, s[0:1]\n" + wait("vmcnt(0)") + USE1 + END, []),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=[c[0] for c in CASES])
def test_straight_line(case: tuple[str, str, str, list[tuple[str, int, int]]], text_view) -> None:
    _, arch, text, expected = case
    found = [
        (f.rule, f.index, f.need) for f in check_waits(text_view(text, arch)) if f.severity == ERROR
    ]
    assert found == expected


def test_a_finding_names_producer_path_and_fix(text_view) -> None:
    (f,) = check_waits(text_view(VM1 + VM2 + wait("vmcnt(2)") + USE1 + END))
    assert (f.producer, f.producer_text.split()[0], f.distance) == (0, "global_load_dword", 3)
    assert f.path == (0,)
    assert f.fix == "s_waitcnt vmcnt(1) before it"
    assert "v1 is read" in f.message


def test_only_one_of_two_paths_waits(text_view) -> None:
    text = f"""
    {VM1}
    s_cbranch_scc0 skip
    {wait("vmcnt(0)")}
    skip:
    {USE1}
    {END}"""
    (f,) = check_waits(text_view(text))
    assert (f.rule, f.index, f.producer) == ("wait.raw", 3, 0)
    assert f.path == (0, 3)  # through the branch, not through the wait


def test_the_producer_is_on_the_path_whose_wait_does_not_complete_it(text_view) -> None:
    """Two loads in flight: vmcnt(1) completes the older one, vmcnt(2) completes none."""
    text = f"""
    s_cbranch_scc1 other
    {VM1}
    {VM2}
    {wait("vmcnt(1)")}
    s_branch join
    other:
    {VM1}
    {VM2}
    {wait("vmcnt(2)")}
    s_nop 0
    s_nop 0
    s_nop 0
    join:
    {USE1}
    {END}"""
    (f,) = check_waits(text_view(text))
    # The other side's load is nearer, and complete.
    assert (f.rule, f.index, f.producer) == ("wait.raw", 11, 5)
    assert f.fix == "s_waitcnt vmcnt(1) before it"


def test_both_paths_wait(text_view) -> None:
    text = f"""
    {VM1}
    s_cbranch_scc0 other
    {wait("vmcnt(0)")}
    s_branch join
    other:
    {wait("vmcnt(0) lgkmcnt(0)")}
    join:
    {USE1}
    {END}"""
    assert check_waits(text_view(text)) == []


def test_the_path_with_fewer_younger_loads_decides(text_view) -> None:
    text = f"""
    {VM1}
    s_cbranch_scc0 join
    {VM2}
    join:
    {wait("vmcnt(1)")}
    {USE1}
    {END}"""
    (f,) = check_waits(text_view(text))
    assert (f.rule, f.index, f.need) == ("wait.raw", 4, 0)


def test_loop_carried_load(text_view) -> None:
    racy = f"""
    loop:
    {USE1}
    {VM1}
    s_cbranch_scc0 loop
    {END}"""
    (f,) = check_waits(text_view(racy))
    assert (f.index, f.producer) == (0, 1)
    clean = racy.replace("loop:\n", "loop:\n" + wait("vmcnt(0)"), 1)
    assert check_waits(text_view(clean)) == []


def test_software_pipeline_with_partial_wait_is_clean(text_view) -> None:
    text = f"""
    {VM1}
    loop:
    {VM2}
    {wait("vmcnt(1)")}
    {USE1}
    {VM1}
    {wait("vmcnt(1)")}
    {USE2}
    s_cbranch_scc0 loop
    {wait("vmcnt(0)")}
    {END}"""
    assert check_waits(text_view(text)) == []
    # One weaker in the second wait: v2 is read while it may be the younger of two.
    weaker = text.replace(wait("vmcnt(1)") + f"\n    {USE2}", wait("vmcnt(2)") + f"\n    {USE2}")
    assert weaker != text
    assert [(f.rule, f.need) for f in check_waits(text_view(weaker))] == [("wait.raw", 1)]


DMA = "s_mov_b32 m0, s9\ns_nop 0\nglobal_load_lds_dword v[2:3], off\n"


def rules(findings) -> list[str]:
    return [f.rule for f in findings]


def test_lds_dma_and_barriers_are_notes(text_view) -> None:
    read = "ds_read_b32 v1, v0\n"
    assert rules(check_waits(text_view(DMA + read + END))) == ["wait.lds-dma-at-lds"]
    assert check_waits(text_view(DMA + wait("vmcnt(0)") + read + END)) == []
    published = DMA + wait("vmcnt(0)") + "s_barrier\n" + read + END
    assert check_waits(text_view(published)) == []
    unpublished = DMA + "s_barrier\n" + wait("vmcnt(0)") + read + END
    assert sorted(rules(check_waits(text_view(unpublished)))) == [
        "wait.lds-dma-at-barrier", "wait.load-at-barrier",
    ]  # fmt: skip


def test_lds_write_pending_at_a_barrier(text_view) -> None:
    write = "ds_write_b32 v0, v5\n"
    (f,) = check_waits(text_view(write + write + "s_barrier\n" + END))
    assert (f.rule, f.severity, f.have) == ("wait.lds-write-at-barrier", "note", 2)
    assert check_waits(text_view(write + wait("lgkmcnt(0)") + "s_barrier\n" + END)) == []


STORE = "global_store_dword v0, v5, s[0:1]\n"


def test_release_and_acquire_sequences(text_view) -> None:
    def found(text: str) -> list[tuple[str, int | None]]:
        return [(f.rule, f.have) for f in check_waits(text_view(text + END))]

    release = "buffer_wbl2 sc1\n"
    assert found(release + STORE) == [("wait.write-back-at-store", 1)]
    assert found(release + wait("vmcnt(0)") + STORE) == []
    announce = "global_atomic_add v0, v6, s[0:1]\n"
    assert found(STORE + STORE + announce) == [("wait.store-at-atomic", 2)]
    assert found(STORE + STORE + wait("vmcnt(1)") + announce) == [("wait.store-at-atomic", 1)]
    assert found(STORE + wait("vmcnt(0)") + announce) == []
    acquire = "buffer_inv sc1\n"
    assert found(VM1 + acquire) == [("wait.load-at-invalidate", 1)]
    assert found(VM1 + wait("vmcnt(0)") + acquire) == []


def test_nothing_is_waited_for_at_the_end(text_view) -> None:
    assert check_waits(text_view(VM1 + DS2 + SM + END)) == []


def test_a_full_engine_is_replaced_and_gives_the_same_findings(text_view, monkeypatch) -> None:
    from asmevo.check.engine import analysis, pending

    text = VM1 + VM2 + wait("vmcnt(1)") + USE2 + END
    before = check_waits(text_view(text))
    view = text_view(text)
    old = analysis.engine_of(view.library, pending.Pending)
    monkeypatch.setattr(analysis, "_MEMO_LIMIT", 0)
    assert check_waits(view) == before
    assert analysis.engine_of(view.library, pending.Pending) is not old


@pytest.mark.parametrize("swap", [False, True])
def test_the_path_with_more_stores_counts_at_a_barrier(swap: bool, text_view) -> None:
    """One path has one store before the barrier, the other two: at most two may be pending."""
    store = "global_store_dword v1, v2, s[0:1]"
    one, two = f"{store}\n", f"{store}\n{store}\n"
    first, second = (two, one) if swap else (one, two)
    text = f"s_cbranch_scc0 other\n{first}s_branch both\nother:\n{second}both:\ns_barrier"
    (f,) = check_waits(text_view(text + "\ns_endpgm"))
    assert (f.rule, f.have) == ("wait.store-at-barrier", 2)


@pytest.mark.parametrize(
    ("access", "rule"),
    [
        ("ds_read_b32 v1, v0", "wait.lds-read-at-lds"),
        ("ds_write_b32 v0, v1", "wait.lds-write-at-lds"),
    ],
)
def test_a_load_to_lds_over_pending_lds_accesses(access: str, rule: str, text_view) -> None:
    text = f"{access}\nbuffer_load_dword v2, s[0:3], 0 offen lds\ns_endpgm"
    assert rule in {f.rule for f in check_waits(text_view(text))}
    waited = text.replace("\nbuffer", "\ns_waitcnt lgkmcnt(0)\nbuffer")
    assert check_waits(text_view(waited)) == []


def test_the_producer_of_an_unordered_queue_is_found_behind_others(text_view) -> None:
    """Scalar loads come back in any order: the one that writes the register is the producer."""
    text = "s_load_dword s4, s[0:1], 0x0\ns_load_dword s6, s[0:1], 0x4\ns_mov_b32 s8, s4\ns_endpgm"
    (f,) = check_waits(text_view(text))
    assert (f.rule, f.what, f.producer, f.distance, f.need) == ("wait.raw", "s4", 0, 2, 0)
