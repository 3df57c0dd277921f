"""Launch mechanics: threads, budgets, schedules, memory guards, faults that name their place."""

from __future__ import annotations

import numpy as np
import pytest

from asmevo.codeobject import CodeObject
from asmevo.emulate import layout as L
from asmevo.emulate.decode.encode import Style, aligned, encode
from asmevo.emulate.engine.launch import Launch, MemoryRegion
from asmevo.emulate.engine.machine import Machine, Outcome
from asmevo.emulate.engine.toolchain import shared_library
from asmevo.errors import InputError
from asmevo.program import recover
from asmevo.program.build import assemble_object
from benchmarks.common import kernel_source

BUFFER, KERNARG = 0x7F00_0000_0000, 0x7C00_0000_0000
# v2 = global work-item id (block of 64), s[4:5] = buffer, v3 = its byte offset.
HEAD = """s_load_dwordx2 s[4:5], s[0:1], 0x0
s_waitcnt lgkmcnt(0)
v_lshl_add_u32 v2, s2, 6, v0
v_lshlrev_b32 v3, 2, v2
"""


def run(
    body: str,
    groups: int = 1,
    size: int = 4096,
    *,
    threads: int = 1,
    style: Style | None = None,
    writable: bool = True,
    **launch: int,
) -> tuple[Outcome, np.ndarray]:
    style = style or Style()
    co = CodeObject.open(assemble_object(kernel_source(HEAD + body)))
    encoded = encode(recover(co), co.kernels[0], shared_library(), style)
    buffer, kernarg = aligned(size), aligned(64)
    kernarg[:8] = np.frombuffer(BUFFER.to_bytes(8, "little"), np.uint8)
    regions = [
        MemoryRegion("b", BUFFER, buffer, writable),
        MemoryRegion("kernarg", KERNARG, kernarg, False),
    ]
    block = launch.pop("block", 64)
    out = Machine(shared_library()).run(
        encoded,
        Launch((groups, 1, 1), (block, 1, 1), 0, bytes(64), KERNARG, **launch),
        regions,
        threads,
    )
    return out, buffer.view(np.uint32)


STORE_ID = "global_store_dword v3, v2, s[4:5]"


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_share_the_workgroups(threads: int) -> None:
    out, data = run(STORE_ID, groups=16, threads=threads)
    assert not out.stopped
    assert np.array_equal(data, np.arange(1024))
    assert out.executed == 16 * 6
    assert int(out.block_counts.sum()) == 16


def test_the_order_of_workgroups_is_a_parameter() -> None:
    # Each workgroup overwrites the same row: the last one launched stays.
    body = "v_lshlrev_b32 v3, 2, v0\nv_mov_b32 v2, s2\n" + STORE_ID
    _, data = run(body, groups=4)
    assert data[0] == 3
    _, data = run(body, groups=4, order=[3, 1, 2, 0])  # type: ignore[arg-type]
    assert data[0] == 0


def test_an_endless_loop_ends_with_the_budget() -> None:
    out, _ = run(".Lback:\ns_branch .Lback", budget=1000)
    assert out.budget_spent
    assert out.stopped
    assert 1000 <= out.executed < 1100


@pytest.mark.parametrize(
    ("body", "fault", "lanes", "address"),
    [
        # One lane past the end: lane 37 only.
        (
            "v_cmp_eq_u32 vcc, 37, v0\nv_mov_b32 v4, 0x10000\n"
            "v_cndmask_b32 v3, v3, v4, vcc\nglobal_load_dword v5, v3, s[4:5]",
            L.LOAD_FAULT,
            1 << 37,
            BUFFER + 0x10000,
        ),
        # The last dword straddles the end by one byte.
        (
            "v_mov_b32 v3, 0xffd\nglobal_load_dword v5, v3, s[4:5]",
            L.LOAD_FAULT,
            2**64 - 1,
            BUFFER + 0xFFD,
        ),
        (
            "v_mov_b32 v3, 0x1000\nglobal_store_byte v3, v2, s[4:5]",
            L.STORE_FAULT,
            2**64 - 1,
            BUFFER + 0x1000,
        ),
        ("v_mov_b32 v3, 0x1fff\nds_read_b32 v4, v3", L.LDS_FAULT, 2**64 - 1, 0x1FFF),
    ],
)
def test_faults_name_lanes_and_address(body: str, fault: int, lanes: int, address: int) -> None:
    out, _ = run(body)
    assert (out.fault, out.fault_lanes, out.fault_address) == (fault, lanes, address)
    assert out.fault_group == 0


def test_the_last_byte_is_inside() -> None:
    out, data = run("v_mov_b32 v3, 0xfff\nv_mov_b32 v2, 0x7f\nglobal_store_byte v3, v2, s[4:5]")
    assert not out.stopped
    assert data[-1] == 0x7F000000


def test_a_store_to_read_only_memory_faults_and_changes_nothing() -> None:
    out, data = run(STORE_ID, writable=False)
    assert out.fault == L.STORE_FAULT
    assert not data.any()


def test_waves_of_a_workgroup_meet_at_the_barrier() -> None:
    # Wave 0 writes LDS before the barrier, all read it afterwards.
    body = (
        """v_lshlrev_b32 v3, 2, v0
v_mov_b32 v6, 0
v_cmp_gt_u32 vcc, 64, v0
s_and_saveexec_b64 s[6:7], vcc
v_mov_b32 v5, 77
ds_write_b32 v6, v5
s_mov_b64 exec, s[6:7]
s_waitcnt lgkmcnt(0)
s_barrier
ds_read_b32 v2, v6
s_waitcnt lgkmcnt(0)
"""
        + STORE_ID
    )
    for options in ({}, {"shuffle": 5}, {"style": Style(tick=True), "quantum": 1}):
        out, data = run(body, block=256, **options)  # type: ignore[arg-type]
        assert not out.stopped
        assert (data[:256] == 77).all()


def test_traces_hold_the_blocks_in_order_and_say_when_they_are_cut() -> None:
    body = "s_mov_b32 s6, 5\n.Ltop:\ns_sub_u32 s6, s6, 1\ns_cmp_lg_u32 s6, 0\ns_cbranch_scc1 .Ltop"
    out, _ = run(body, groups=2, style=Style(trace=True), traced=(0,), trace_capacity=64)
    ((group, wave, blocks, entered),) = out.traces
    assert (group, wave, entered) == (0, 0, 7)
    assert blocks.tolist() == [0, 1, 1, 1, 1, 1, 2]
    out, _ = run(body, style=Style(trace=True), traced=(0,), trace_capacity=3)
    assert out.traces[0][2].tolist() == [0, 1, 1]
    assert out.traces[0][3] == 7


def test_too_much_lds_is_refused() -> None:
    co = CodeObject.open(assemble_object(kernel_source("s_nop 0")))
    encoded = encode(recover(co), co.kernels[0], shared_library())
    launch = Launch((1, 1, 1), (64, 1, 1), 65536, bytes(64), KERNARG)
    with pytest.raises(InputError, match="LDS"):
        Machine(shared_library()).run(encoded, launch, [])


def test_partial_last_wave_has_only_its_lanes() -> None:
    out, data = run("v_mov_b32 v2, 1\n" + STORE_ID, block=70)
    assert not out.stopped
    assert data[:70].all()
    assert not data[70:].any()
