"""Dependence graph and list scheduler against the token semantics of `edit_tokens.meaning`."""

from __future__ import annotations

import random

import pytest
from edit_tokens import GFX942, assemble, meaning
from hypothesis import given, settings
from hypothesis import strategies as st

from asmevo.edits.order.dependence import Dependence, is_fence
from asmevo.edits.order.latency import latencies_of
from asmevo.edits.order.schedule import hoisted_loads, list_schedule

# Templates with few registers, so that random programs collide often.
TEMPLATES = (
    "v_add_f32_e32 v{a}, v{b}, v{c}",
    "v_fmac_f32_e32 v{a}, v{b}, v{c}",
    "v_lshl_add_u64 v[2:3], v[0:1], 2, s[2:3]",
    "v_cmp_gt_i32_e32 vcc, s{a}, v{b}",
    "v_cndmask_b32_e32 v{a}, v{b}, v{c}, vcc",
    "v_mov_b32_e32 v{a}, s{b}",
    "v_exp_f32_e32 v{a}, v{b}",
    "s_add_u32 s{a}, s{b}, s{c}",
    "s_addc_u32 s{a}, s{b}, 0",
    "s_cmp_lt_i32 s{a}, s{b}",
    "s_cselect_b32 s{a}, s{b}, s{c}",
    "s_and_saveexec_b64 s[2:3], vcc",
    "s_or_b64 exec, exec, s[2:3]",
    "global_load_dword v{a}, v[0:1], off",
    "global_store_dword v[2:3], v{a}, off",
    "ds_read_b32 v{a}, v{b}",
    "ds_write_b32 v{a}, v{b}",
    "s_load_dword s{a}, s[2:3], 0x0",
    "v_readfirstlane_b32 s{a}, v{b}",
    "s_barrier",
)
registers = st.integers(0, 4)
line = st.builds(
    lambda t, a, b, c: t.format(a=a, b=b, c=c), st.sampled_from(TEMPLATES), registers, registers,
    registers,
)  # fmt: skip
programs = st.lists(line, min_size=2, max_size=14)


@settings(max_examples=150, deadline=None)
@given(programs, st.integers(0, 1000), st.sampled_from([0.0, 0.5]), st.booleans())
def test_list_schedules_keep_the_meaning(
    lines: list[str], seed: int, noise: float, late: bool
) -> None:
    code = assemble(lines)
    graph = Dependence(code, GFX942)
    order = list_schedule(graph, latencies_of(GFX942), noise, seed, late)
    assert sorted(order) == list(range(len(code)))
    assert meaning([code[i] for i in order]) == meaning(code)


@settings(max_examples=100, deadline=None)
@given(programs)
def test_hoisted_loads_keep_the_meaning(lines: list[str]) -> None:
    code = assemble(lines)
    for order in hoisted_loads(Dependence(code, GFX942), GFX942):
        assert sorted(order) == list(range(len(code)))
        assert meaning([code[i] for i in order]) == meaning(code)


@settings(max_examples=150, deadline=None)
@given(programs, st.integers(0, 10_000))
def test_any_allowed_permutation_keeps_the_meaning(lines: list[str], seed: int) -> None:
    code = assemble(lines)
    graph = Dependence(code, GFX942)
    rng = random.Random(seed)
    # A random topological order, built without the scheduler.
    missing = [len(p) for p in graph.predecessors]
    ready = [i for i, m in enumerate(missing) if m == 0]
    order: list[int] = []
    while ready:
        node = ready.pop(rng.randrange(len(ready)))
        order.append(node)
        for later in graph.successors[node]:
            missing[later] -= 1
            if missing[later] == 0:
                ready.append(later)
    assert graph.allows(order)
    assert meaning([code[i] for i in order]) == meaning(code)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("v_mov_b32_e32 v1, v0", "v_mov_b32_e32 v2, v1"),  # RAW
        ("v_mov_b32_e32 v1, v0", "v_mov_b32_e32 v0, v2"),  # WAR
        ("v_mov_b32_e32 v1, v0", "v_mov_b32_e32 v1, v2"),  # WAW
        ("s_add_u32 s0, s1, s2", "s_addc_u32 s3, s4, s5"),  # SCC
        ("v_cmp_gt_i32_e32 vcc, s0, v0", "v_cndmask_b32_e32 v1, v2, v3, vcc"),
        ("s_mov_b64 exec, s[0:1]", "v_mov_b32_e32 v0, v1"),  # EXEC
        ("s_mov_b32 m0, s0", "s_movrels_b32 s1, s2"),  # M0
        ("global_store_dword v[0:1], v2, off", "global_load_dword v3, v[4:5], off offset:64"),
        ("global_load_dword v3, v[4:5], off", "global_store_dword v[0:1], v2, off"),
        ("ds_write_b32 v0, v1", "ds_read_b32 v2, v3 offset:128"),
        ("global_load_lds_dword v[0:1], off", "ds_read_b32 v2, v3"),
        ("flat_store_dword v[0:1], v2", "ds_read_b32 v3, v4"),
        ("s_barrier", "ds_read_b32 v3, v4"),
        ("global_store_dword v[0:1], v2, off", "s_barrier"),
        ("s_setprio 1", "v_mov_b32_e32 v0, v1"),
        ("global_load_dword v0, v[2:3], off sc1", "global_load_dword v1, v[4:5], off"),
        ("buffer_inv sc1", "global_load_dword v1, v[4:5], off"),
    ],
)
def test_dependent_pairs_stay_in_order(first: str, second: str) -> None:
    graph = Dependence(assemble([first, second]), GFX942)
    assert not graph.allows([1, 0])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("v_mov_b32_e32 v1, v0", "v_mov_b32_e32 v2, v0"),
        ("global_load_dword v0, v[2:3], off", "global_load_dword v1, v[4:5], off"),
        ("ds_read_b32 v0, v1", "global_store_dword v[2:3], v4, off"),
        ("s_add_u32 s0, s1, s2", "v_add_f32_e32 v0, v1, v2"),
        ("s_barrier", "v_add_f32_e32 v0, v1, v2"),
        ("s_and_saveexec_b64 s[0:1], vcc", "s_mov_b32 s4, s5"),
    ],
)
def test_independent_pairs_may_swap(first: str, second: str) -> None:
    graph = Dependence(assemble([first, second]), GFX942)
    assert graph.allows([1, 0])


def test_loads_in_flight_at_the_end_keep_their_order() -> None:
    code = assemble(["global_load_dword v0, v[2:3], off", "global_load_dword v1, v[4:5], off"])
    assert Dependence(code, GFX942).allows([1, 0])
    assert not Dependence(code, GFX942, leaving=frozenset({0})).allows([1, 0])


@pytest.mark.parametrize("text", ["s_setreg_imm32_b32 hwreg(HW_REG_MODE), 0", "s_getpc_b64 s[0:1]",
                                  "s_sendmsg sendmsg(MSG_INTERRUPT)", "s_memtime s[0:1]",
                                  "s_endpgm", "s_set_gpr_idx_off"])  # fmt: skip
def test_fences(text: str) -> None:
    assert is_fence(assemble([text])[0], GFX942)
