"""Symbolic EXEC, webs and loops on small kernels with the answers worked out by hand."""

from __future__ import annotations

from edit_kernels import LOADS, WINDOW, kernel, texts

from asmevo.edits import BatchLoop
from asmevo.edits.loops.batch_loop import _renamings
from asmevo.edits.loops.hoist_wait import loops
from asmevo.edits.loops.loop_shapes import Split
from asmevo.edits.values.exec_values import ENTRY, ExecValues
from asmevo.edits.values.webs import UNDEFINED, may_clobber, web_at
from asmevo.program.cfg import blocks
from asmevo.program.edit import apply
from asmevo.program.model import Program

STORE = "global_store_dword v[0:1], v2, off"
LOOP = (
    "s_mov_b64 s[6:7], 0",
    "v_mov_b32_e32 v2, 0",
    "top:",
    "global_load_dword v4, v[0:1], off",
    "v_add_u32_e32 v3, 1, v3",
    "v_cmp_lt_u32_e32 vcc, 9, v3",
    "v_lshl_add_u64 v[0:1], v[0:1], 0, s[8:9]",
    "s_or_b64 s[6:7], vcc, s[6:7]",
    "s_waitcnt vmcnt(0)",
    "v_add_f32_e32 v2, v2, v4",
    "s_andn2_b64 exec, exec, s[6:7]",
    "s_cbranch_execnz top",
    "s_or_b64 exec, exec, s[6:7]",
    STORE,
)


def masks_of(program: Program) -> ExecValues:
    return ExecValues(program, program.function("k"))


def at(program: Program, text: str, nth: int = 0) -> int:
    return [i for i in range(len(program.instructions)) if program.line(i) == text][nth]


def test_exec_comes_back_behind_nested_ifs() -> None:
    program = kernel(
        "v_cmp_eq_u32_e32 vcc, 0, v0", "s_and_saveexec_b64 s[4:5], vcc", "s_cbranch_execz outer",
        "v_mov_b32_e32 v1, 1", "s_and_saveexec_b64 s[6:7], vcc", "s_cbranch_execz inner",
        "v_mov_b32_e32 v1, 2", "inner:", "s_or_b64 exec, exec, s[6:7]", "v_mov_b32_e32 v1, 3",
        "outer:", "s_or_b64 exec, exec, s[4:5]", "v_mov_b32_e32 v1, 4",
    )  # fmt: skip
    masks = masks_of(program)
    one, two, three, four = (
        masks.before(at(program, f"v_mov_b32_e32 v1, {n}")) for n in (1, 2, 3, 4)
    )
    assert four == ENTRY
    assert one == three
    assert one not in (two, four)
    assert two is not None
    assert one is not None
    assert masks.within(two, one)
    assert masks.within(one, ENTRY)
    assert not masks.within(ENTRY, one)


def test_exec_saved_in_a_register_that_is_overwritten_is_lost() -> None:
    program = kernel(
        "s_and_saveexec_b64 s[4:5], vcc", "s_mov_b32 s5, 0", "s_or_b64 exec, exec, s[4:5]",
        "v_mov_b32_e32 v1, 4",
    )  # fmt: skip
    assert masks_of(program).before(at(program, "v_mov_b32_e32 v1, 4")) != ENTRY


def test_the_mask_of_a_loop_is_within_the_one_in_front() -> None:
    program = kernel(*LOOP)
    masks = masks_of(program)
    inside = masks.before(at(program, LOADS[0]))
    assert inside is not None
    assert inside != ENTRY
    assert masks.within(inside, ENTRY)


def test_a_masked_load_shares_its_register_with_the_default_value() -> None:
    program = kernel(
        "v_mov_b32_e32 v4, 0", "s_and_saveexec_b64 s[4:5], vcc", LOADS[0],
        "s_or_b64 exec, exec, s[4:5]", "s_waitcnt vmcnt(0)", "v_add_f32_e32 v2, v4, v3", STORE,
        "v_mov_b32_e32 v4, 1", "v_add_f32_e32 v2, v4, v3", STORE,
    )  # fmt: skip
    masks = masks_of(program)
    use = at(program, "v_add_f32_e32 v2, v4, v3")
    web = web_at(program, masks, 1024 + 4, use)
    assert web is not None
    assert web.defs == {0, 2}
    assert web.uses == {use}
    later = web_at(program, masks, 1024 + 4, use + 3)
    assert later is not None
    assert later.defs == {use + 2}


def test_a_value_from_outside_is_marked() -> None:
    program = kernel("v_add_f32_e32 v2, v4, v3", STORE)
    web = web_at(program, masks_of(program), 1024 + 4, 0)
    assert web is not None
    assert web.defs == {UNDEFINED}


def test_which_registers_a_region_may_overwrite() -> None:
    program = kernel(
        "s_and_saveexec_b64 s[4:5], vcc", "s_nop 0", "s_mov_b64 exec, s[4:5]",
        "v_mov_b32_e32 v5, 0", "v_add_f32_e32 v2, v5, v6", STORE,
    )  # fmt: skip
    masks = masks_of(program)
    region = {1}
    assert may_clobber(program, masks, 1024 + 5, region)  # written again before it is read
    assert not may_clobber(program, masks, 1024 + 6, region)
    assert may_clobber(program, masks, 1024 + 30, region)


def test_natural_loops() -> None:
    program = kernel(*LOOP)
    found = loops(blocks(program, program.function("k")))
    assert found == [(1, frozenset({1}))]


def test_a_batched_loop_loads_first_and_uses_in_order() -> None:
    program = kernel(*LOOP)
    found = list(BatchLoop((2,)).composites(program, "k", WINDOW))
    assert len(found) == 1
    lines = texts(program, found[0])[2:]
    loop = [line for line in lines[: lines.index("s_or_b64 exec, exec, s[6:7]")]]
    assert loop[-1].startswith("s_cbranch_execnz")
    loads = [line for line in loop if line.startswith("global_load")]
    data = [line.split()[1].rstrip(",") for line in loads]
    assert len(set(data)) == 2
    adds = [f"v_add_f32_e32 v2, v2, {d}" for d in data]
    assert [line for line in loop if line.startswith("v_add_f32")] == adds
    assert max(loop.index(line) for line in loads) < loop.index(adds[0])
    # The older load alone is waited for first, then the younger one.
    waits = [line for line in loop if line.startswith("s_waitcnt")]
    assert waits == ["s_waitcnt vmcnt(1)", "s_waitcnt vmcnt(0)"]
    # Each use runs under the EXEC of its load.
    saved = [line.split()[1].rstrip(",") for line in loop if line.endswith(", exec")]
    restored = [line.split()[2] for line in loop if line.startswith("s_mov_b64 exec, ")]
    assert saved == restored
    assert loop.count("s_andn2_b64 exec, exec, s[6:7]") == 2


def unbatched(*changes: tuple[str, tuple[str, ...]]) -> bool:
    lines = list(LOOP)
    for old, new in changes:
        place = lines.index(old)
        lines[place : place + 1] = new
    return not list(BatchLoop().composites(kernel(*lines), "k", WINDOW))


def test_what_keeps_a_loop_as_it_is() -> None:
    add = "v_add_f32_e32 v2, v2, v4"
    assert not unbatched()
    # A store that a later load might read.
    assert unbatched((add, (add, "global_store_dword v[6:7], v2, off")))
    # The next address, or the exit, depends on what was loaded.
    assert unbatched((add, (add, "v_add_co_u32_e32 v0, vcc, v0, v4")))
    assert unbatched((add, (add, "v_add_u32_e32 v3, v3, v4")))
    # A use needs the address of its own iteration.
    assert unbatched((add, (add, "v_add_u32_e32 v2, v2, v3")))
    # A scalar counter is read behind the loop: it would count iterations without lanes.
    counted = ("v_add_u32_e32 v3, 1, v3", ("v_add_u32_e32 v3, 1, v3", "s_add_u32 s10, s10, 1"))
    assert not unbatched(counted)
    assert unbatched(counted, (STORE, ("v_mov_b32_e32 v2, s10", STORE)))
    # The loaded value itself is read behind the loop.
    assert unbatched((STORE, (STORE, "global_store_dword v[0:1], v4, off")))
    # The address comes through LDS that the use writes.
    load = "global_load_dword v4, v[0:1], off"
    through = ("ds_read_b32 v0, v8", "s_waitcnt lgkmcnt(0)", load)
    assert unbatched((load, through), (add, (add, "ds_write_b32 v8, v2")))
    # Other waves may be waiting.
    assert unbatched((add, (add, "s_barrier")))


COUNTED = (
    "s_movk_i32 s4, 0x5", "v_mov_b32_e32 v2, 0", "top:", "global_load_dword v4, v[0:1], off",
    "s_add_i32 s4, s4, -1", "v_lshl_add_u64 v[0:1], v[0:1], 0, s[8:9]", "s_cmp_eq_u32 s4, 0",
    "s_waitcnt vmcnt(0)", "v_add_f32_e32 v2, v2, v4", "s_cbranch_scc0 top", STORE,
)  # fmt: skip


def trace(program: Program, counts: int) -> tuple[list[str], int]:
    """Additions that one wave executes in the counted loop, and most loads in flight at once.

    A tiny interpreter of its own: it knows the counter, SCC, branches and which load filled which
    register.
    """
    function = program.function("k")
    left, scc, at = counts, False, function.first
    loads, flying, most = 0, 0, 0
    holds: dict[str, int] = {}
    added: list[str] = []
    for _ in range(10_000):
        line = program.line(at)
        word, _, rest = line.partition(" ")
        at += 1
        if word == "global_load_dword":
            holds[rest.split(",")[0]] = loads
            loads, flying = loads + 1, flying + 1
            most = max(most, flying)
        elif word == "s_waitcnt":
            flying = min(flying, int(rest[rest.index("(") + 1 : rest.index(")")]))
        elif word == "s_add_i32":
            left -= 1
        elif word == "s_cmp_eq_u32":
            scc = left == 0
        elif word == "v_add_f32_e32":
            data = rest.split(", ")[2]
            assert holds[data] < loads - flying, "used before it arrived"
            added.append(f"+{holds[data]}")
        elif word in ("s_cbranch_scc0", "s_cbranch_scc1", "s_branch"):
            if word == "s_branch" or scc == word.endswith("1"):
                target = program.branch_target(at - 1)
                assert target is not None
                at = target
        elif word == "s_endpgm":
            return added, most
    raise AssertionError("the loop does not end")


def test_a_counted_loop_adds_the_same_whatever_its_count() -> None:
    program = kernel(*COUNTED)
    found = list(BatchLoop((2, 3, 4)).composites(program, "k", WINDOW))
    assert len(found) == 3
    for edits, factor in zip(found, (2, 3, 4), strict=True):
        batched = apply(program, edits)
        for count in range(1, 12):
            added, most = trace(batched, count)
            assert added == [f"+{n}" for n in range(count)]
            assert most == min(count, factor)


def test_a_counted_loop_whose_use_writes_the_flag_stays() -> None:
    lines = list(COUNTED)
    place = lines.index("v_add_f32_e32 v2, v2, v4")
    lines[place:place] = ["s_add_u32 s10, s10, 1"]
    # The counter of its own goes with the addresses and is no matter; one that the use needs is.
    lines[place + 1] = "v_fma_f32 v2, v4, s10, v2"
    assert not list(BatchLoop().composites(kernel(*lines), "k", WINDOW))


def test_a_loaded_value_that_leaves_the_loop_gets_no_copies() -> None:
    """`_renamings` itself: its callers look at liveness before, it must not rely on that."""
    add = "v_add_f32_e32 v2, v2, v4"

    def copies(lines: tuple[str, ...]) -> object:
        program = kernel(*lines)
        masks = masks_of(program)
        load, use = at(program, LOADS[0]), at(program, add)
        split = Split(tuple(range(load, use)), (use,), (load,))
        return _renamings(program, masks, split, set(range(1024, 1034)), 32, 2)

    assert copies(COUNTED) is not None
    assert copies((*COUNTED[:-1], "v_mov_b32_e32 v2, v4", STORE)) is None
    # Of lanes that left the loop earlier the value is one from in front of it.
    assert copies((*LOOP[:-1], "v_mov_b32_e32 v2, v4", STORE)) is None
