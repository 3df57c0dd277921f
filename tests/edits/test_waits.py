"""The shortcuts of the wait planner against the long way round, on random control flow.

What a block needs is worked out once and shared: masks, paths, looks into following blocks, states
of a function with one weaker wait. Here everything is derived anew for each question.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import pytest
from edit_kernels import kernel

from asmevo.edits.base import kernel_function
from asmevo.edits.waits.in_flight import is_sync
from asmevo.edits.waits.pending import FunctionWaits
from asmevo.edits.waits.spacing import Spacing, padding_before
from asmevo.isa.counters import decode_wait
from asmevo.program.cfg import Block
from asmevo.program.model import Program

_LINES = (
    "global_load_dword v4, v[0:1], off",
    "global_load_dword v5, v[2:3], off",
    "global_store_dword v[0:1], v6, off",
    "ds_read_b32 v7, v8",
    "ds_write_b32 v8, v9",
    "s_load_dword s6, s[0:1], 0x0",
    "v_add_f32_e32 v6, v4, v5",
    "v_mov_b32_e32 v4, v7",
    "v_rcp_f32_e32 v5, v6",
    "v_readfirstlane_b32 s4, v6",
    "v_cmp_eq_u32_e32 vcc, v4, v5",
    "v_div_fmas_f32 v9, v4, v5, v6",
    "buffer_load_dword v8, off, s[4:7], 0",
    "v_readlane_b32 s8, v6, s4",
    "v_mfma_f32_32x32x8_f16 v[16:31], v[4:5], v[6:7], v[16:31]",
    "v_add_f32_e32 v9, v16, v17",
    "v_mov_b32_e32 v16, v4",
    "v_fma_f64 v[10:11], v[4:5], v[6:7], v[10:11]",
    "v_mfma_f64_4x4x4_4b_f64 v[12:13], v[4:5], v[6:7], v[12:13]",
    "ds_write_b64 v8, v[10:11]",
    "s_nop 1",
    "s_barrier",
    "s_waitcnt vmcnt(1)",
    "s_waitcnt vmcnt(0) lgkmcnt(0)",
    "s_waitcnt lgkmcnt(2)",
)  # fmt: skip


def _random(seed: int, *, loops: bool) -> Program:
    """Four blocks of up to eight instructions that branch to one another at random."""
    rng = random.Random(seed)
    lines: list[str] = []
    for n in range(4):
        lines.append(f"at{n}:")
        lines += rng.choices(_LINES, k=rng.randrange(1, 9))
        lines.append("s_cmp_lg_u32 s9, 0")
        lines.append(f"s_cbranch_scc1 at{rng.randrange(0 if loops else n + 1, 4 if loops else 5)}")
    return kernel(*lines, "at4:")


def _paths_to(blocks: Sequence[Block], block: Block) -> Iterator[list[int]]:
    """Every way through a function without loops to the start of `block`, as instructions."""
    if not block.predecessors:
        yield []
    for n in block.predecessors:
        for before in _paths_to(blocks, blocks[n]):
            yield [*before, *range(blocks[n].first, blocks[n].last)]


def _paths_from(blocks: Sequence[Block], block: Block, depth: int) -> Iterator[list[Block]]:
    """Every way on from the end of `block`, up to `depth` blocks."""
    for n in block.successors:
        yield [blocks[n]]
        if depth > 1:
            for onward in _paths_from(blocks, blocks[n], depth - 1):
                yield [blocks[n], *onward]


@pytest.mark.parametrize("seed", range(30))
def test_nops_in_a_new_order_are_those_of_the_worst_path(seed: int) -> None:
    program = _random(seed, loops=False)
    function = kernel_function(program, "k")
    blocks, spacing = FunctionWaits(program, function).blocks, Spacing(program, function)
    rng = random.Random(seed)
    for block in blocks:
        before = [[spacing.step(i) for i in path] for path in _paths_to(blocks, block)]
        placed = [spacing.step(i) for i in range(block.first, block.last)]
        for _ in range(4):
            rng.shuffle(placed)
            for n, consumer in enumerate(placed):
                worst = max(padding_before([*h, *placed[:n]], consumer) for h in before)
                assert spacing.missing(block, placed[:n], consumer) == worst


@pytest.mark.parametrize("seed", range(30))
def test_nops_for_what_lies_behind_are_those_of_the_worst_path(seed: int) -> None:
    program = _random(100 + seed, loops=False)
    function = kernel_function(program, "k")
    blocks, spacing = FunctionWaits(program, function).blocks, Spacing(program, function)
    rng = random.Random(seed)
    for block in blocks:
        before = [[spacing.step(i) for i in path] for path in _paths_to(blocks, block)]
        placed = [spacing.step(i) for i in range(block.first, block.last)]
        for _ in range(4):
            rng.shuffle(placed)
            worst = 0
            for onward in _paths_from(blocks, block, 4):
                last = [spacing.step(i) for i in range(onward[-1].first, onward[-1].last)]
                between = [spacing.step(i) for b in onward[:-1] for i in range(b.first, b.last)]
                for history in before:
                    for n, consumer in enumerate(last):
                        found = padding_before([*history, *placed, *between, *last[:n]], consumer)
                        # What a block misses by itself is not the rewritten block's business.
                        if found > padding_before(last[:n], consumer):
                            worst = max(worst, found)
            assert spacing.missing_behind(block, placed) == worst


def _weaker(waits: FunctionWaits, other: FunctionWaits) -> list[int]:
    """What `weaker_at` says, from solutions that share nothing."""
    found: list[int] = []
    for block in waits.blocks:
        mine, theirs = waits.states(block), other.states(block)
        for n, i in enumerate(range(block.first, block.last)):
            inst = waits.program.instructions[i]
            base = theirs[n].exposed(inst)
            weaker = any(base.get(k, d + 1) > d for k, d in mine[n].exposed(inst).items())
            if weaker or (is_sync(inst, waits.program.target) and mine[n].excess(theirs[n])):
                found.append(i)
    return found


@pytest.mark.parametrize("seed", range(30))
def test_a_weaker_wait_gives_the_states_of_a_new_solution(seed: int) -> None:
    program = _random(200 + seed, loops=True)
    function = kernel_function(program, "k")
    waits = FunctionWaits(program, function)
    for index in range(function.first, function.last):
        fields = decode_wait(program.instructions[index], program.target)
        for counter, count in (fields or {}).items():
            for more in (None, count + 1, count + 3):
                weak = {c: n for c, n in (fields or {}).items() if c != counter}
                if more is not None:
                    weak[counter] = more
                quick = waits.relaxed(index, weak)
                slow = FunctionWaits(program, function, {index: weak})
                for block in waits.blocks:
                    assert quick.states(block) == slow.states(block)
                assert list(quick.weaker_at(waits)) == _weaker(slow, waits)
                assert quick.is_weaker(waits) == bool(_weaker(slow, waits))


@pytest.mark.parametrize(("between", "missing"), [(0, 5), (3, 2), (4, 1), (5, 0)])
def test_a_consumer_in_the_next_block_asks_for_the_rest(between: int, missing: int) -> None:
    # CDNA3 ISA 4.5: VALU writes an SGPR, VMEM reads it: five wait states.
    moves = ["v_mov_b32_e32 v9, v8"] * between
    program = kernel("v_readfirstlane_b32 s4, v6", "next:", *moves,
                     "buffer_load_dword v8, off, s[4:7], 0", "s_cmp_lg_u32 s9, 0",
                     "s_cbranch_scc1 next")  # fmt: skip
    function = kernel_function(program, "k")
    block = FunctionWaits(program, function).blocks[0]
    spacing = Spacing(program, function)
    assert spacing.missing_behind(block, [spacing.step(block.first)]) == missing
