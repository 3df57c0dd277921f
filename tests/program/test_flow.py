"""Blocks and liveness on small programs whose answers are worked out by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from asmevo.codeobject import CodeObject
from asmevo.program import Program, recover
from asmevo.program.cfg import blocks
from asmevo.program.dataflow import liveness
from asmevo.program.edit import Edit, apply

Objects = Callable[..., bytes]
V, SCC, VCC = 1024, 128, {106, 107}


def program_of(kernel_objects: Objects, *lines: str) -> Program:
    """The saxpy object with its code replaced by `lines`."""
    program = recover(CodeObject.open(kernel_objects("saxpy")))
    return apply(program, [Edit(0, program.function().last, ("saxpy:", *lines))])


def test_blocks_of_a_loop(kernel_objects: Objects) -> None:
    program = program_of(
        kernel_objects,
        "s_mov_b32 s2, 4",
        "loop:",
        "s_sub_u32 s2, s2, 1",
        "s_cmp_eq_u32 s2, 0",
        "s_cbranch_scc0 loop",
        "s_endpgm",
    )
    found = blocks(program, program.function())
    assert [(b.first, b.last, b.successors, b.predecessors) for b in found] == [
        (0, 1, (1,), ()),
        (1, 4, (1, 2), (0, 1)),
        (4, 5, (), (1,)),
    ]
    assert not any(b.unknown_successors for b in found)


def test_returns_and_calls_have_unknown_successors(kernel_objects: Objects) -> None:
    program = recover(CodeObject.open(kernel_objects("calls", "gfx942", "recovery")))
    leaf = blocks(program, program.functions[0])
    assert [(b.successors, b.unknown_successors) for b in leaf] == [((), True)]
    walk = blocks(program, program.function("table_walk"))
    calls = [b for b in walk if b.call]
    assert calls
    for b in calls:
        assert program.instructions[b.last - 1].mnemonic == "s_swappc_b64"
        assert b.unknown_successors
        assert b.successors == (b.index + 1,)
    # A function's end is reached by nothing but its own code.
    assert walk[-1].last == program.function("table_walk").last


def test_scalar_liveness_in_a_loop(kernel_objects: Objects) -> None:
    program = program_of(
        kernel_objects,
        "s_mov_b32 s2, 4",
        "s_mov_b32 s3, 0",
        "loop:",
        "s_add_u32 s3, s3, s5",
        "s_sub_u32 s2, s2, 1",
        "s_cmp_eq_u32 s2, 0",
        "s_cbranch_scc0 loop",
        "v_mov_b32_e32 v1, s3",
        "global_store_dword v[2:3], v1, off",
        "s_endpgm",
    )
    live = liveness(program, program.function())
    scalars = {u for u in live.live_in(0) if u < 106}
    assert scalars == {5}
    assert {u for u in live.live_in(1) if u < 106} == {2, 3, 5}
    assert {u for u in live.live_out(1) if u < 106} == {2, 3, 5}
    assert {u for u in live.live_in(2) if u < 106} == {3}
    assert SCC not in live.live_before(3)
    assert SCC in live.live_before(5)
    assert live.live_out(2) == frozenset()
    assert {V + 1, V + 2, V + 3} <= live.live_before(7)
    assert V + 1 not in live.live_before(6)


def test_write_under_a_smaller_exec_does_not_end_a_life(kernel_objects: Objects) -> None:
    lines = [
        "v_mov_b32_e32 v1, 1",
        "s_mov_b64 s[4:5], 1",
        "s_xor_b64 exec, exec, s[4:5]",
        "v_mov_b32_e32 v1, 2",
        "s_mov_b64 exec, -1",
        "global_store_dword v[2:3], v1, off",
        "s_endpgm",
    ]
    program = program_of(kernel_objects, *lines)
    live = liveness(program, program.function())
    assert V + 1 in live.live_before(3)
    assert V + 1 in live.live_after(0)
    # With every lane on the write is complete.
    lines[2] = "s_mov_b64 exec, -1"
    program = program_of(kernel_objects, *lines)
    live = liveness(program, program.function())
    assert V + 1 not in live.live_before(3)


def test_restored_exec_ends_lives_again(kernel_objects: Objects) -> None:
    program = program_of(
        kernel_objects,
        "v_mov_b32_e32 v1, 1",
        "v_cmp_eq_u32_e32 vcc, 0, v0",
        "s_and_saveexec_b64 s[4:5], vcc",
        "v_mov_b32_e32 v1, 2",
        "s_or_b64 exec, exec, s[4:5]",
        "global_store_dword v[2:3], v1, off",
        "s_endpgm",
    )
    live = liveness(program, program.function())
    assert V + 1 in live.live_before(3)  # other lanes keep the first value
    assert V + 1 in live.live_after(0)
    assert V + 1 not in live.live_before(0)  # and all lanes had been written


def test_cross_lane_reads_and_matrix_writes_ignore_exec(kernel_objects: Objects) -> None:
    program = program_of(
        kernel_objects,
        "s_mov_b64 exec, s[6:7]",
        "v_mfma_f32_32x32x8_f16 a[0:15], v[4:5], v[6:7], 0",
        "s_mov_b64 exec, s[8:9]",
        "v_accvgpr_read_b32 v1, a3",
        "v_readlane_b32 s2, v1, 3",
        "s_store_dword s2, s[0:1], 0x0",
        "s_endpgm",
    )
    live = liveness(program, program.function())
    agprs = {2048 + i for i in range(16)}
    assert 2048 + 3 in live.live_after(1)
    assert not agprs & live.live_before(1)
    assert V + 1 in live.live_before(3)  # lane 3 may be off, then the old value is read


def test_a_loop_that_restores_exec_without_saving_it_ends(kernel_objects: Objects) -> None:
    program = program_of(
        kernel_objects,
        "loop:",
        "s_mov_b64 exec, s[4:5]",
        "v_mov_b32_e32 v1, 1",
        "s_mov_b64 exec, s[6:7]",
        "global_store_dword v[2:3], v1, off",
        "s_cbranch_scc1 loop",
        "s_endpgm",
    )
    live = liveness(program, program.function())
    assert {V + 2, V + 3} <= live.live_before(0)
    assert V + 1 in live.live_before(0)  # lanes of s[6:7] that s[4:5] lacks keep the old value


@pytest.mark.parametrize(
    ("write", "narrows"),
    [
        ("s_and_b64 exec, exec, s[4:5]", True),
        ("s_and_b64 exec, s[4:5], exec", True),
        ("s_andn2_b64 exec, exec, s[4:5]", True),
        ("s_andn2_b64 exec, s[4:5], exec", False),  # exactly the lanes that were off
        ("s_or_b64 exec, exec, s[4:5]", False),
        ("s_xor_b64 exec, exec, s[4:5]", False),
        ("s_nand_b64 exec, exec, s[4:5]", False),
    ],
)
def test_only_a_subset_of_the_lanes_keeps_a_write_complete(
    kernel_objects: Objects, write: str, narrows: bool
) -> None:
    """By the definitions of the operations: lanes that were off store what v1 held before."""
    lines = ("v_mov_b32_e32 v1, 1", write, "global_store_dword v[2:3], v1, off", "s_endpgm")
    program = program_of(kernel_objects, *lines)
    live = liveness(program, program.function())
    assert (V + 1 not in live.live_before(0)) == narrows


@pytest.mark.parametrize(
    ("write", "kept"),
    [
        ("s_mov_b32 s4, s9", False),
        ("s_mov_b32 s5, s9", False),  # lanes 32 to 63 of the saved mask
        ("s_mov_b64 s[4:5], s[8:9]", False),
        ("s_mov_b32 s6, s9", True),
        ("s_mov_b32 s3, s9", True),
    ],
)
def test_a_saved_mask_that_is_written_is_no_longer_known(
    kernel_objects: Objects, write: str, kept: bool
) -> None:
    """Lanes that the new mask turns on were not written by the first line."""
    program = program_of(
        kernel_objects,
        "v_mov_b32_e32 v1, 1",
        "s_and_saveexec_b64 s[4:5], vcc",
        "v_mov_b32_e32 v1, 2",
        write,
        "s_or_b64 exec, exec, s[4:5]",
        "global_store_dword v[2:3], v1, off",
        "s_endpgm",
    )
    live = liveness(program, program.function())
    assert (V + 1 not in live.live_before(0)) == kept


def test_a_call_may_return_with_fewer_lanes(kernel_objects: Objects) -> None:
    """Without the call all lanes write v1; a callee may leave any EXEC behind."""
    lines = [
        "s_mov_b64 exec, -1",
        "s_swappc_b64 s[30:31], s[8:9]",
        "v_mov_b32_e32 v1, 2",
        "s_mov_b64 exec, -1",
        "global_store_dword v[2:3], v1, off",
        "s_endpgm",
    ]
    program = program_of(kernel_objects, *lines)
    live = liveness(program, program.function())
    assert V + 1 in live.live_before(2)
    lines[1] = "s_nop 0"
    program = program_of(kernel_objects, *lines)
    live = liveness(program, program.function())
    assert V + 1 not in live.live_before(2)
