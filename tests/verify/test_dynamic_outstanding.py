"""Accesses that are outstanding at a barrier (cases `barrier-before-read-wait`, `-write-wait`).

s_barrier waits for nothing (CDNA3 ISA, S_BARRIER), so an access before it is ordered before
another wave's behind it only if a wait has completed it. Which waits do follows from the counters:
LDS operations of a wave complete in order, scalar loads in none, so with N of them allowed to be
outstanding the last N issued may be.
"""

from __future__ import annotations

import pytest

from asmevo.check.findings import ERROR, NOTE, Finding
from asmevo.program.build import assemble_object
from asmevo.verify.dynamic import check_dynamic
from reference import sanitizers
from reference.sanitizers import built, capsule, device

OUT = "global_store_dword v1, v10, s[4:5]\ns_waitcnt vmcnt(0)\n"
LGKM, VM = "s_waitcnt lgkmcnt(0)\n", "s_waitcnt vmcnt(0)\n"
BARRIER = "s_barrier\n"
FILL = "ds_write_b32 v1, v0\n" + LGKM + BARRIER
READ = "ds_read_b32 v10, v2\n"  # the neighbour's slot
WRITE = "ds_write_b32 v1, v0\n"  # the own slot
END = LGKM + BARRIER + OUT


def races(body: str, waves: int = 2, arch: str = "gfx942") -> list[Finding]:
    found = check_dynamic(built(body, arch), [capsule(waves=waves)], device())
    assert not [f for f in found if f.severity == ERROR and not f.rule.startswith("race.")]
    return [f for f in found if f.rule.startswith("race.")]


def pair(f: Finding) -> tuple[str, str, str]:
    return f.severity, f.producer_text.split()[0], f.text.split()[0]


# What is outstanding at the barrier, and the access of another wave behind it.
OUTSTANDING = {
    "barrier-before-read-wait": FILL + READ + BARRIER + WRITE + END,
    "barrier-before-write-wait": WRITE + BARRIER + READ + END,
    "write then write": FILL + WRITE + BARRIER + "ds_write_b32 v2, v0\n" + READ + END,
    "atomic then read": FILL + "ds_add_u32 v1, v0\n" + BARRIER + READ + END,
    "atomic with result": FILL + "ds_add_rtn_u32 v11, v1, v0\n" + BARRIER + READ + END,
    "exchange": FILL + "ds_wrxchg_rtn_b32 v11, v1, v0\n" + BARRIER + READ + END,
    "wait behind the barrier": WRITE + BARRIER + LGKM + READ + END,
    "count too high": WRITE + "s_waitcnt lgkmcnt(1)\n" + BARRIER + READ + END,
    "younger one of two": "ds_write_b32 v1, v0 offset:1024\n" + WRITE
    + "s_waitcnt lgkmcnt(1)\n" + BARRIER + READ + END,
    "scalar load hides the order": WRITE + "s_load_dword s30, s[6:7], 0x0\n"
    + "s_waitcnt lgkmcnt(1)\n" + BARRIER + READ + END,
    "other counter": WRITE + VM + BARRIER + READ + END,
    "two barriers": WRITE + BARRIER + BARRIER + READ + END,
    "loop-carried": FILL + "s_mov_b32 s20, 3\n.Lturn:\n" + READ + "s_sub_u32 s20, s20, 1\n"
    + BARRIER + WRITE + "s_cmp_lg_u32 s20, 0\ns_cbranch_scc1 .Lturn\n" + END,
    "pair": FILL + "ds_read2_b32 v[10:11], v2 offset0:0 offset1:1\n" + BARRIER + WRITE + END,
    "bytes": FILL + "ds_read_u8 v10, v2\n" + BARRIER + "ds_write_b8 v1, v0\n" + END,
    "some lanes": FILL + READ + BARRIER + "s_mov_b64 exec, 5\n" + WRITE
    + "s_mov_b64 exec, -1\n" + END,
}  # fmt: skip


@pytest.mark.parametrize("name", OUTSTANDING)
def test_an_access_outstanding_at_a_barrier_is_an_error(name: str) -> None:
    found = races(OUTSTANDING[name])
    errors = [f for f in found if f.severity == ERROR]
    assert errors, name
    assert all(f.rule == "race.lds" for f in errors)
    assert any("outstanding" in f.message for f in errors)


def test_it_names_both_instructions_and_the_wait() -> None:
    (found,) = races(OUTSTANDING["barrier-before-read-wait"])
    assert pair(found) == (ERROR, "ds_read_b32", "ds_write_b32")
    assert found.what == "write-after-read"
    assert "lgkmcnt(0) before the s_barrier" in found.fix
    (found,) = races(OUTSTANDING["barrier-before-write-wait"])
    assert pair(found) == (ERROR, "ds_write_b32", "ds_read_b32")
    assert found.what == "read-after-write"


@pytest.mark.parametrize("waited", ["", VM, LGKM])
def test_a_flat_store_to_lds_is_in_both_counters(waited: str) -> None:
    """CDNA3 ISA, 4.4: flat instructions increment VM_CNT and LGKM_CNT; each may be the later."""
    flat = "s_mov_b64 s[14:15], src_shared_base\nv_mov_b32_e32 v11, s15\nv_mov_b32_e32 v10, v1\n"
    flat += "flat_store_dword v[10:11], v0\n"
    found = races(flat + waited + BARRIER + READ + END)
    assert [pair(f) for f in found] == [(ERROR, "flat_store_dword", "ds_read_b32")]
    assert all("vmcnt(0) lgkmcnt(0) before the s_barrier" in f.fix for f in found)
    assert not races(flat + "s_waitcnt vmcnt(0) lgkmcnt(0)\n" + BARRIER + READ + END)


CLEAN = {
    "waited": FILL + READ + LGKM + BARRIER + WRITE + END,
    "read and write in order of one wave": FILL + "ds_read_b32 v10, v1\nds_write_b32 v1, v0\n"
    + BARRIER + END,
    "older one of two": WRITE + "ds_write_b32 v1, v0 offset:1024\n" + "s_waitcnt lgkmcnt(1)\n"
    + BARRIER + READ + END,
    "two buffers": FILL + READ + BARRIER + "ds_write_b32 v1, v0 offset:1024\n" + END,
    "waited one barrier later": FILL + READ + BARRIER + LGKM + BARRIER + WRITE + END,
    "enough younger ones": WRITE + "ds_write_b32 v1, v0 offset:1024\n" * 15 + BARRIER + READ + END,
    "a later wait for both": WRITE + "s_waitcnt vmcnt(0) lgkmcnt(0)\n" + BARRIER + READ + END,
    "two reads": FILL + READ + BARRIER + "ds_read_b32 v11, v1\n" + END,
    "end of the wave waits": FILL + "s_cmp_eq_u32 s8, 1\ns_cbranch_scc0 .Lon\n" + WRITE
    + "s_endpgm\n.Lon:\n" + BARRIER + READ + LGKM + OUT,
}  # fmt: skip


@pytest.mark.parametrize("name", CLEAN)
def test_what_a_wait_completes_is_clean(name: str) -> None:
    assert not [f.one_line() for f in races(CLEAN[name])]


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950"])
def test_every_target_waits_the_same(arch: str) -> None:
    assert [f.severity for f in races(OUTSTANDING["barrier-before-write-wait"], arch=arch)] == [
        ERROR
    ]
    assert not races(CLEAN["waited"], arch=arch)


def test_transposing_reads_are_reads() -> None:
    read = "v_and_b32 v2, 0x1f8, v2\nds_read_b64_tr_b16 v[10:11], v2\n"
    found = races(FILL + read + BARRIER + WRITE + END, arch="gfx950")
    assert {pair(f) for f in found} == {(ERROR, "ds_read_b64_tr_b16", "ds_write_b32")}
    assert not races(FILL + read + LGKM + BARRIER + WRITE + END, arch="gfx950")


_FLAT = """s_mov_b64 s[20:21], src_shared_base
v_mov_b32 v21, s21
v_mov_b32 v20, v1
"""


@pytest.mark.parametrize(
    ("wait", "clean"),
    [
        ("", False),
        (LGKM, False),  # which counter falls last is not known: both are needed
        (VM, False),
        ("s_waitcnt vmcnt(0) lgkmcnt(0)\n", True),
    ],
)
def test_flat_accesses_of_lds_need_both_counters(wait: str, clean: bool) -> None:
    body = _FLAT + FILL + "flat_store_dword v[20:21], v0\n" + wait + BARRIER + READ + END
    assert [f.severity for f in races(body)] == ([] if clean else [ERROR])


DMA = "s_lshl_b32 s20, s8, 8\ns_mov_b32 m0, s20\ns_nop 0\nglobal_load_lds_dword v1, s[6:7]\n"


@pytest.mark.parametrize(("wait", "clean"), [("", False), (LGKM, False), (VM, True)])
def test_lds_dma_outstanding_at_a_barrier(wait: str, clean: bool) -> None:
    body = DMA + wait + BARRIER + READ + LGKM + OUT
    found = check_dynamic(built(body), [capsule()], device())
    assert ([f.rule for f in found if f.severity == ERROR] == []) is clean


def test_lds_dma_that_only_the_end_of_the_wave_completes() -> None:
    body = DMA + BARRIER + READ + LGKM + "global_store_dword v1, v10, s[4:5]\n"
    found = check_dynamic(built(body), [capsule()], device())
    assert "wait.lds-dma" in {f.rule for f in found if f.severity == ERROR}


_STORE = "global_store_dword v1, v0, s[4:5]\n"
_LOAD = "global_load_dword v10, v2, s[4:5]\n"
_MEMORY = {
    "store": _STORE + BARRIER + _LOAD + VM + BARRIER + "global_store_dword v1, v10, s[4:5]\n",
    "load": _LOAD + BARRIER + _STORE + VM,
    "atomic": "global_atomic_add v1, v0, s[4:5]\n" + BARRIER + _LOAD + VM + BARRIER,
}


def _split(body: str) -> bytes:
    text = sanitizers._TEMPLATE.replace(
        "  .amdhsa_accum_offset 256\n", "  .amdhsa_accum_offset 256\n  .amdhsa_tg_split 1\n"
    ).replace("4096", "0")
    return assemble_object(text.format(body=sanitizers._HEAD + body, arch="gfx942"))


@pytest.mark.parametrize("name", _MEMORY)
def test_device_memory_is_in_order_on_one_cu_only(name: str) -> None:
    # AMDGPUUsage, memory models GFX90A and GFX940: a workgroup fence waits for vmcnt(0) in
    # tgsplit mode and omits it otherwise, where all waves share an L1 that keeps their order.
    body = _MEMORY[name]
    notes = [f for f in races(body) if "outstanding" in f.message]
    assert notes
    assert {f.severity for f in notes} == {NOTE}
    found = check_dynamic(_split(body), [capsule()], device())
    assert [f for f in found if f.rule == "race.memory" and f.severity == ERROR]
    waited = body.replace(BARRIER, VM + BARRIER, 1)
    found = check_dynamic(_split(waited), [capsule()], device())
    assert not [f for f in found if f.rule == "race.memory"]
