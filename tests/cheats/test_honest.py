"""Honest edits that round differently, or only stand elsewhere: both judges let them pass.

The counterpart of the cheats: what is refused there must not cost these. Speed is not asked for, so
a search ends at the commit rule, after every gate of correctness.
"""

from __future__ import annotations

import re

import pytest
from frame import Base, Cheat, Subject, searched, verified

from asmevo.program.edit import Edit

SAXPY, SOFTMAX, REDUCE = Base("saxpy"), Base("softmax"), Base("reduce")
RMSNORM, MATMUL = Base("rmsnorm"), Base("matmul_f32")
RELU90 = Base("l1_019_relu", "gfx90a", "kernelbench")
SUM950 = Base("l1_047_sum_dim1", "gfx950", "kernelbench")


def swapped(s: Subject, start: str) -> list[Edit]:
    """The two sources of every such instruction exchanged; both must be vector registers."""
    found: list[Edit] = []
    for i, inst in enumerate(s.program.instructions):
        match = re.fullmatch(rf"({start}\S*) (v\d+), (v\d+), (v\d+)", inst.text or "")
        if match:
            name, to, a, b = match.groups()
            found.append(Edit(i, i + 1, (f"{name} {to}, {b}, {a}",)))
    assert found
    return found


def unfused(s: Subject, free: str) -> list[Edit]:
    """Every fused multiply-add as two instructions, through a free register."""
    found: list[Edit] = []
    for i, inst in enumerate(s.program.instructions):
        match = re.fullmatch(r"v_fmac_f32_e32 (v\d+), (\S+), (v\d+)", inst.text or "")
        if match:
            to, a, b = match.groups()
            lines = (f"v_mul_f32_e32 {free}, {a}, {b}", f"v_add_f32_e32 {to}, {to}, {free}")
            found.append(Edit(i, i + 1, lines))
    assert found
    return found


HONEST = [
    Cheat("fused to separate", SAXPY, lambda s: unfused(s, "v6")),
    Cheat("operands exchanged", REDUCE, lambda s: swapped(s, "v_add_f32")),
    Cheat("operands exchanged, gfx950", SUM950, lambda s: swapped(s, "v_add_f32")),
    Cheat("maxima exchanged", SOFTMAX, lambda s: swapped(s, "v_max_f32")),
    Cheat("a wait earlier than needed", RMSNORM, lambda s: [
        s.after("global_load_dword", "s_waitcnt vmcnt(0)")]),
    Cheat("nops", RELU90, lambda s: [s.before("v_cmp_gt_i32", "s_nop 1")]),
    Cheat("a copy of a register", SAXPY, lambda s: [
        s.before("v_fmac_f32", "v_mov_b32_e32 v6, v4"),
        s.replace("v_fmac_f32", "v_fmac_f32_e32 v5, s4, v6")]),
    Cheat("a shift as a multiplication", REDUCE, lambda s: [
        s.replace("v_lshlrev_b32_e32 v1, 2, v0", "v_mul_u32_u24_e32 v1, 4, v0")]),
]  # fmt: skip


@pytest.mark.parametrize("edit", HONEST, ids=lambda c: c.name)
def test_it_passes(edit: Cheat) -> None:
    judgement = searched(edit)
    assert judgement.status in ("accepted", "insufficient_speedup"), judgement.reason
    result = verified(edit)
    assert result.ok, result.reason
