"""Every instruction counts once per execution, whichever way its block is entered.

Expected counts are written out by hand from the text of each kernel, and compared with a second
count that the kernels keep themselves in a register.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from asmevo.emulate.decode.templates import PLAIN, Style
from emulate.harness import DEFAULT, encoded, launched, run_body

_JUMP = """
s_getpc_b64 s[10:11]
.Lpc{n}:
s_add_u32 s10, s10, ({to}-.Lpc{n})&4294967295
s_addc_u32 s11, s11, ({to}-.Lpc{n})>>32
{jump}
"""


def _jump(to: str, n: int = 0, jump: str = "s_setpc_b64 s[10:11]") -> str:
    return _JUMP.format(to=to, n=n, jump=jump)


def _counts(body: str, style: Style = PLAIN) -> tuple[list[int], int, list[str]]:
    """(executions per instruction, wave instructions, text per instruction) of one wave."""
    kernel = encoded(body, style=style)
    quantum = 3 if style.tick else 0
    _, outcome = launched(kernel, np.zeros(64, np.uint32), waits=style.waits, quantum=quantum)
    counts = [0] * len(kernel.program.instructions)
    for number, times in enumerate(outcome.block_counts.tolist()):
        if times:
            for i in range(*kernel.span(number)):
                counts[i] += times
    return counts, outcome.executed, [i.text or "" for i in kernel.program.instructions]


# The loop of `long-loop-uncounted`: closed by a computed jump to a place that no label or branch
# shows, once per turn.
_LOOP = f"""
s_mov_b32 s8, 0
.Lturn:
s_nop 0
v_mov_b32 v2, v2
v_mov_b32 v3, v3
s_add_u32 s8, s8, 1
s_cmp_eq_u32 s8, 10
s_cbranch_scc1 .Lout
{_jump(".Lturn")}
.Lout:
v_mov_b32 v1, s8
"""


@pytest.mark.parametrize("style", [PLAIN, Style(trace=True), Style(tick=True), Style(waits=True)])
def test_loop_closed_by_computed_jump_counts_every_turn(style: Style) -> None:
    counts, executed, texts = _counts(_LOOP, style)
    # load, wait, mov; ten turns of six; nine jumps of four; mov, end.
    assert executed == 3 + 10 * 6 + 9 * 4 + 2
    assert counts[texts.index("v_mov_b32_e32 v2, v2")] == 10
    assert counts[texts.index("s_setpc_b64 s[10:11]")] == 9
    assert sum(counts) == executed


def test_trace_of_a_computed_jump_holds_every_instruction() -> None:
    kernel = encoded(_LOOP, style=Style(trace=True))
    _, outcome = launched(kernel, np.zeros(64, np.uint32), traced=(0,))
    ((_, _, blocks, entered),) = outcome.traces
    path = [i for b in blocks.tolist() for i in range(*kernel.span(b))]
    assert entered == len(blocks)
    assert len(path) == outcome.executed
    texts = [kernel.program.instructions[i].text for i in path]
    assert texts.count("s_add_u32 s8, s8, 1") == 10
    assert texts[-1] == "s_endpgm"


def test_two_entries_into_one_block_count_their_own_rest() -> None:
    body = f"""
    s_mov_b32 s8, 0
    s_branch .Lfirst
    .Lblock:
    v_mov_b32 v2, v2
    .Lsecond:
    v_mov_b32 v3, v3
    .Lthird:
    v_mov_b32 v4, v4
    s_add_u32 s8, s8, 1
    s_cmp_eq_u32 s8, 2
    s_cbranch_scc1 .Lagain
    s_cmp_eq_u32 s8, 3
    s_cbranch_scc1 .Lend2
    .Lfirst:
    {_jump(".Lsecond", 1)}
    .Lagain:
    {_jump(".Lthird", 2)}
    .Lend2:
    s_nop 0
    """
    counts, executed, texts = _counts(body)
    assert counts[texts.index("v_mov_b32_e32 v2, v2")] == 0
    assert counts[texts.index("v_mov_b32_e32 v3, v3")] == 2
    assert counts[texts.index("v_mov_b32_e32 v4, v4")] == 3
    assert sum(counts) == executed


def test_call_into_the_middle_and_return_count_both() -> None:
    swap = _jump(".Lmiddle", 3, "s_swappc_b64 s[12:13], s[10:11]")
    body = f"""
    s_mov_b32 s8, 0
    {swap}
    s_add_u32 s8, s8, 1
    s_cmp_eq_u32 s8, 2
    s_cbranch_scc1 .Lover
    s_branch .Lcall
    .Lfunction:
    v_mov_b32 v2, v2
    .Lmiddle:
    v_mov_b32 v3, v3
    s_setpc_b64 s[12:13]
    .Lcall:
    s_call_b64 s[12:13], .Lmiddle
    s_add_u32 s8, s8, 1
    .Lover:
    s_nop 0
    """
    counts, executed, texts = _counts(body)
    assert counts[texts.index("v_mov_b32_e32 v2, v2")] == 0
    assert counts[texts.index("v_mov_b32_e32 v3, v3")] == 2
    assert sum(counts) == executed


def test_return_from_exception_counts_like_a_jump() -> None:
    counts, executed, texts = _counts(_LOOP.replace("s_setpc_b64", "s_rfe_b64"))
    assert counts[texts.index("s_rfe_b64 s[10:11]")] == 9
    assert counts[texts.index("v_mov_b32_e32 v2, v2")] == 10
    assert sum(counts) == executed == 3 + 10 * 6 + 9 * 4 + 2


@pytest.mark.parametrize("budget", [50, 51, 52, 53, 1000])
def test_endless_computed_loop_stops_at_the_budget(budget: int) -> None:
    body = f"""
    s_mov_b32 s8, 0
    .Lturn:
    s_nop 0
    s_add_u32 s8, s8, 1
    {_jump(".Lturn")}
    """
    kernel = encoded(body)
    _, outcome = launched(kernel, np.zeros(64, np.uint32), budget=budget)
    assert outcome.budget_spent
    # No block starts that the budget does not cover; a turn has six instructions.
    assert budget - 6 < outcome.executed <= budget


def test_swapped_registers_survive_the_end_of_the_budget() -> None:
    # The jump that ends the budget has not happened: its return address is not written either.
    body = f"""
    .Lturn:
    s_nop 0
    .Linside:
    s_nop 0
    {_jump(".Linside", 4, "s_swappc_b64 s[10:11], s[10:11]")}
    """
    for budget in range(20, 40):
        _, outcome = run_body(body, np.zeros(64, np.uint32), expect_fault=True, budget=budget)
        assert outcome.budget_spent
        assert not outcome.fault


def test_entry_behind_the_preload_prologue_is_counted() -> None:
    # With preloaded arguments the hardware starts 256 bytes behind the symbol, which no branch
    # shows; the descriptor is the only place that says so.
    body = "\n".join(["s_nop 0"] * 80)
    kernel = encoded(body, replace(DEFAULT, arch="gfx942", preload=2))
    _, outcome = launched(kernel, np.zeros(64, np.uint32))
    assert not outcome.fault
    program = kernel.program
    entry = next(i for i, at in enumerate(program.offsets) if at == 256)
    end = next(i for i, inst in enumerate(program.instructions) if inst.base == "s_endpgm")
    assert outcome.executed == end + 1 - entry
