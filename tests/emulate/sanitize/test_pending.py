"""Loads that arrive late: sufficient waits change nothing, each dropped wait shows and is named."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from asmevo.check.engine.trace import check_trace
from asmevo.device.protocol import RunOptions, RunResult
from reference.sanitizers import built, capsule, device, run

OUT = "global_store_dword v1, v10, s[4:5]\n"
FILL = "ds_write_b32 v1, v0\ns_waitcnt lgkmcnt(0)\n"
BUFFER = "s_mov_b32 s12, s6\ns_mov_b32 s13, s7\ns_mov_b32 s14, 0x2000\ns_mov_b32 s15, 0x20000\n"
FLAT = "v_add_co_u32 v8, vcc, s6, v1\nv_mov_b32 v9, s7\nv_addc_co_u32 v9, vcc, 0, v9, vcc\n"
SHARED = "s_mov_b64 s[12:13], src_shared_base\nv_mov_b32 v8, v1\nv_mov_b32 v9, s13\n"
ADD = "v_add_u32 v10, 1, v10\n"
DMA = "s_mov_b32 m0, 0\ns_nop 0\nglobal_load_lds_dword v1, s[6:7]\n"


@dataclass(frozen=True)
class Case:
    """A body with its waits, and bodies with one too weak.

    `weak` maps a replacement of the text (old, new) to the (producer, consumer) that must be
    named; None where the static rules know no such pair.
    """

    name: str
    body: str
    weak: dict[tuple[str, str], tuple[str, str] | None] = field(default_factory=dict)
    stricter: bool = False  # the static rules ask for more than arrival in order


def loads(count: int, line: str) -> str:
    return "".join(line.format(n=20 + n % 100) for n in range(count))


VM, LGKM = "s_waitcnt vmcnt(0)\n", "s_waitcnt lgkmcnt(0)\n"
CASES = [
    Case(
        "global",
        "global_load_dword v10, v1, s[6:7]\n" + VM + ADD + OUT,
        {(VM, ""): ("global_load_dword", "v_add_u32"),
         (VM, "s_waitcnt vmcnt(1)\n"): ("global_load_dword", "v_add_u32"),
         (VM, "s_waitcnt lgkmcnt(0)\n"): ("global_load_dword", "v_add_u32")},
    ),
    Case(
        "wide",
        "v_lshlrev_b32 v5, 4, v0\nglobal_load_dwordx4 v[8:11], v5, s[6:7]\n" + VM
        + "v_add3_u32 v10, v8, v9, v11\n" + OUT,
        {(VM, ""): ("global_load_dwordx4", "v_add3_u32")},
    ),
    Case(
        "buffer",
        BUFFER + "buffer_load_dword v10, v1, s[12:15], 0 offen\n" + VM + ADD + OUT,
        {(VM, ""): ("buffer_load_dword", "v_add_u32")},
    ),
    Case(
        "lds",
        FILL + "ds_read_b32 v10, v1\n" + LGKM + ADD + OUT,
        {(LGKM + "v_add", "v_add"): ("ds_read_b32", "v_add_u32")},
    ),
    Case(
        "lds-pair",
        FILL + "ds_read2_b32 v[10:11], v1 offset1:0\n" + LGKM + "v_add_u32 v10, v10, v11\n" + OUT,
        {(LGKM + "v_add", "v_add"): ("ds_read2_b32", "v_add_u32")},
    ),
    Case(
        "flat-to-memory",
        FLAT + "flat_load_dword v10, v[8:9]\ns_waitcnt vmcnt(0) lgkmcnt(0)\n" + ADD + OUT,
        {(" lgkmcnt(0)\nv_add", "\ns_nop 0\nv_add_u32 v10, v10, v10\ns_nop 0\nv_add"): None,
         ("s_waitcnt vmcnt(0) lgkmcnt(0)\nv_add", "v_add"): ("flat_load_dword", "v_add_u32"),
         ("vmcnt(0) lgkmcnt(0)\nv_add", "lgkmcnt(0)\nv_add"): ("flat_load_dword", "v_add_u32")},
    ),
    Case(
        "flat-to-lds",
        FILL + SHARED + "flat_load_dword v10, v[8:9]\ns_waitcnt vmcnt(0) lgkmcnt(0)\n" + ADD + OUT,
        {("vmcnt(0) lgkmcnt(0)\nv_add", "vmcnt(0)\nv_add"): ("flat_load_dword", "v_add_u32")},
    ),
    Case(
        "counts-are-lost-while-flat-is-out",
        FLAT + "global_load_dword v10, v1, s[6:7]\nflat_load_dword v12, v[8:9]\n" + VM + ADD + OUT,
        {(VM, "s_waitcnt vmcnt(1)\n"): ("global_load_dword", "v_add_u32")},
    ),
    Case(
        "scalar-loads-are-unordered",
        "s_load_dword s20, s[6:7], 0x10\ns_load_dword s21, s[6:7], 0x20\n" + LGKM
        + "v_mov_b32 v10, s20\n" + OUT,
        {(LGKM + "v_mov", "s_waitcnt lgkmcnt(1)\nv_mov"): ("s_load_dword", "v_mov_b32"),
         (LGKM + "v_mov", "v_mov"): ("s_load_dword", "v_mov_b32")},
    ),
    Case(
        "scalar-loads-wide",
        "s_load_dwordx16 s[20:35], s[6:7], 0x40\n" + LGKM + "v_mov_b32 v10, s33\n" + OUT,
        {(LGKM + "v_mov", "v_mov"): ("s_load_dwordx16", "v_mov_b32")},
    ),
    Case(
        "lds-among-scalar-loads",
        FILL + "ds_read_b32 v10, v1\nds_read_b32 v11, v1\ns_load_dword s20, s[6:7], 0x10\n"
        "s_waitcnt lgkmcnt(1)\n" + ADD + OUT,
        {("lgkmcnt(1)", "lgkmcnt(2)"): ("ds_read_b32", "v_add_u32")},
    ),
    Case(
        "stores-count",
        "global_load_dword v10, v1, s[6:7]\nglobal_store_dword v1, v0, s[4:5] offset:1024\n"
        "global_store_dword v1, v0, s[4:5] offset:2048\ns_waitcnt vmcnt(2)\n" + ADD + OUT,
        {("vmcnt(2)", "vmcnt(3)"): ("global_load_dword", "v_add_u32")},
    ),
    Case(
        "full-vector-counter",
        "global_load_dword v10, v1, s[6:7]\n"
        + loads(63, "global_load_dword v{n}, v1, s[6:7] offset:4\n") + ADD + OUT,
        {("v82, v1, s[6:7] offset:4\n", "v82, v1, s[6:7] offset:8\ns_nop 0\n"): None,
         ("global_load_dword v82, v1, s[6:7] offset:4\n", ""): ("global_load_dword", "v_add_u32")},
    ),
    Case(
        "full-lds-counter",
        FILL + "ds_read_b32 v10, v1\n" + loads(15, "ds_read_b32 v{n}, v1 offset:4\n") + ADD + OUT,
        {("ds_read_b32 v34, v1 offset:4\n", ""): ("ds_read_b32", "v_add_u32")},
    ),
    Case("more-loads-than-the-queue-holds",
         loads(300, "global_load_dword v{n}, v1, s[6:7]\n") + VM + "v_mov_b32 v10, v30\n" + OUT),
    Case(
        "more-scalar-loads-than-the-queue-holds",
        "s_movk_i32 s30, 200\n.Lloop:\nglobal_load_dword v20, v1, s[6:7]\n"
        "s_load_dword s20, s[6:7], 0x10\ns_sub_u32 s30, s30, 1\n"
        "s_cmp_lg_u32 s30, 0\ns_cbranch_scc1 .Lloop\n" + LGKM + "v_mov_b32 v10, s20\n" + OUT,
        {(LGKM + "v_mov", "v_mov"): ("s_load_dword", "v_mov_b32")},
        stricter=True,
    ),
    Case(
        "largest-of-several-loads",
        "global_load_dword v10, v1, s[6:7]\n" + VM + "v_max_f32 v10, 1.0, v10\n" + OUT,
        {(VM, ""): ("global_load_dword", "v_max_f32")},
    ),
    Case(
        "smallest-of-several-loads",
        "global_load_dword v10, v1, s[6:7]\n" + VM + "v_min_f32 v10, 1.0, v10\n" + OUT,
        {(VM, ""): ("global_load_dword", "v_min_f32")},
    ),
    Case(
        "agpr",
        "global_load_dword a10, v1, s[6:7]\n" + VM + "v_accvgpr_read_b32 v10, a10\ns_nop 1\n" + OUT,
        {(VM, ""): ("global_load_dword", "v_accvgpr_read_b32")},
    ),
    Case(
        "two-halves-of-a-register",
        "v_lshlrev_b32 v5, 1, v0\nglobal_load_short_d16 v10, v5, s[6:7]\n"
        "global_load_short_d16_hi v10, v5, s[6:7] offset:512\n" + VM + ADD + OUT,
        {(VM, "s_waitcnt vmcnt(1)\n"): ("global_load_short_d16_hi", "v_add_u32"),
         (VM, ""): ("global_load_short_d16_hi", "v_add_u32")},
        stricter=True,
    ),
    Case(
        "two-halves-from-lds",
        FILL + "v_lshlrev_b32 v5, 1, v0\nds_read_u16_d16_hi v10, v5 offset:2\n"
        "ds_read_u16_d16 v10, v5\n" + LGKM + ADD + OUT,
        {(LGKM + "v_add", "s_waitcnt lgkmcnt(1)\nv_add"): ("ds_read_u16_d16", "v_add_u32")},
        stricter=True,  # LLVM ties the kept half to the result and waits before the second load
    ),
    Case(
        "atomic-with-return",
        "global_atomic_add v10, v1, v0, s[4:5] sc0\n" + VM + ADD
        + "global_store_dword v1, v10, s[4:5] offset:2048\n",
        {(VM, ""): ("global_atomic_add", "v_add_u32")},
    ),
    Case(
        "lds-atomic-with-return",
        FILL + "ds_add_rtn_u32 v10, v1, v0\n" + LGKM + ADD + OUT,
        {(LGKM + "v_add", "v_add"): ("ds_add_rtn_u32", "v_add_u32")},
    ),
    Case(
        "overwritten-while-pending",
        "global_load_dword v10, v1, s[6:7]\n" + VM + "v_mov_b32 v10, 5\n"
        "s_waitcnt vmcnt(0) lgkmcnt(0)\n" + OUT,
        {(VM + "v_mov", "v_mov"): ("global_load_dword", "v_mov_b32")},
    ),
    Case(
        "loads-of-one-kind-land-in-order",
        "global_load_dword v10, v1, s[6:7]\nglobal_load_dword v10, v1, s[6:7] offset:4\n"
        + VM + OUT,
    ),
    Case(
        "some-lanes",
        "v_mov_b32 v10, 7\ns_mov_b64 exec, 0xf0f0\nglobal_load_dword v10, v1, s[6:7]\n"
        "s_mov_b64 exec, -1\n" + VM + ADD + OUT,
        {(VM, ""): ("global_load_dword", "v_add_u32")},
    ),
    Case(
        "store-data",
        "global_load_dword v10, v1, s[6:7]\n" + VM + OUT,
        {(VM, ""): ("global_load_dword", "global_store_dword")},
    ),
    Case(
        "address",
        "global_load_dword v10, v1, s[6:7]\n" + VM + "v_and_b32 v10, 0xffc, v10\n"
        "ds_write_b32 v10, v0\n" + LGKM + "ds_read_b32 v10, v10\n" + LGKM + OUT,
        {(VM, ""): ("global_load_dword", "v_and_b32")},
    ),
    Case(
        "branch-condition",
        "s_load_dword s20, s[6:7], 0x10\ns_mov_b32 s21, 0xff0bfbad\n" + LGKM
        + "s_cmp_eq_u32 s20, s21\ns_cselect_b32 s22, 1, 2\nv_mov_b32 v10, s22\n" + OUT,
        {(LGKM + "s_cmp", "s_cmp"): ("s_load_dword", "s_cmp_eq_u32")},
    ),
    Case(
        "lds-dma",
        DMA + VM + "ds_read_b32 v10, v1\n" + LGKM + OUT,
        {(VM + "ds", "ds"): None, (VM + "ds", "s_waitcnt vmcnt(1)\nds"): None},
    ),
    Case(
        "lds-dma-by-count",
        DMA + "global_load_dword v11, v1, s[6:7]\ns_waitcnt vmcnt(1)\nds_read_b32 v10, v1\n"
        + LGKM + OUT,
        {("vmcnt(1)", "vmcnt(2)"): None},
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_sufficient_waits_change_nothing(case: Case) -> None:
    launch = capsule(waves=1)
    plain = run(case.body, launch, RunOptions(poison=1))
    late = run(case.body, launch, RunOptions(poison=1, late_loads=True))
    assert late.buffers == plain.buffers
    assert plain.buffers["a"] != launch.buffer("a").data
    assert bool(named(case.body, lds_half=False)) == case.stricter


def named(body: str, lds_half: bool = True) -> set[tuple[str, str]]:
    """(producer, consumer) of the wait errors along the executed path."""
    result = run(body, capsule(waves=1), RunOptions(trace_workgroups=1))
    program = device().program(built(body))
    seen = check_trace(program, "k", [t.indices for t in result.wave_traces])
    return {
        (
            program.instructions[s.finding.producer or 0].base,
            program.instructions[s.finding.index].base,
        )
        for s in seen
        if s.finding.rule in ("wait.raw", "wait.waw") and (lds_half or s.finding.mark != "L")
    }


WEAK = [
    pytest.param(case, old, new, pair, id=f"{case.name}-{n}")
    for case in CASES
    for n, ((old, new), pair) in enumerate(case.weak.items())
]


@pytest.mark.parametrize(("case", "old", "new", "pair"), WEAK)
def test_a_wait_too_weak_shows_and_is_named(
    case: Case, old: str, new: str, pair: tuple[str, str] | None
) -> None:
    assert case.body.count(old) == 1
    body = case.body.replace(old, new)
    launch = capsule(waves=1)
    plain = run(body, launch, RunOptions(poison=1))
    late = run(body, launch, RunOptions(poison=1, late_loads=True))
    harmless = pair is None and "dma" not in case.name
    assert (late.buffers == plain.buffers) == harmless
    if pair is not None:
        assert pair in named(body)


def test_dma_data_reaches_other_waves_behind_wait_and_barrier() -> None:
    dma = "s_lshl_b32 s9, s8, 8\ns_mov_b32 m0, s9\ns_nop 0\nglobal_load_lds_dword v1, s[6:7]\n"
    tail = "s_barrier\nds_read_b32 v10, v2\ns_waitcnt lgkmcnt(0)\n" + OUT
    for wait, same in ((VM, True), ("", False)):
        body = dma + wait + tail + VM
        plain = run(body, capsule(2), RunOptions(poison=1))
        late = run(body, capsule(2), RunOptions(poison=1, late_loads=True, watch_memory=True))
        assert (plain.buffers == late.buffers) == same
        assert early(body, late) == (set() if same else {("global_load_lds_dword", "ds_read_b32")})


def early(body: str, result: RunResult) -> set[tuple[str, str]]:
    """(LDS-DMA load, read) of what was read before it arrived."""
    instructions = device().program(built(body)).instructions
    return {
        (instructions[o.first].base, instructions[o.second].base)
        for o in result.observations
        if o.kind == "early-lds-read"
    }


@pytest.mark.parametrize("read", ["ds_read_b32 v10, v1\n", "ds_read_b32 v10, v5\n"])
def test_reads_before_dma_data_arrive_are_named(read: str) -> None:
    reversed_order = "v_sub_u32 v5, 0xfc, v1\n"
    body = reversed_order + DMA + "{wait}" + read + LGKM + OUT + VM
    for wait in ("", "s_waitcnt vmcnt(1)\n", VM):
        text = body.format(wait=wait)
        options = RunOptions(poison=1, late_loads=True, watch_memory=True)
        expected = set() if wait == VM else {("global_load_lds_dword", "ds_read_b32")}
        assert early(text, run(text, capsule(1), options)) == expected
    # Other bytes may be read at any time.
    other = FILL.replace("v0", "v0 offset:1024") + DMA + "ds_read_b32 v10, v1 offset:1024\n" + VM
    assert not early(other, run(other, capsule(1), options))
