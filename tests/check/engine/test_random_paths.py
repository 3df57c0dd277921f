"""Random straight-line code: the engines against a simulation that keeps explicit queues.

The simulation knows nothing of the checker's states: it holds every operation in a list and
removes what a wait completes, exactly as the ISA describes the counters.
"""

from __future__ import annotations

from functools import lru_cache

from hypothesis import given, settings
from hypothesis import strategies as st
from text_program import TextProgram

from asmevo.check.engine.view import build_view
from asmevo.check.rules.hazards import check_hazards
from asmevo.check.rules.waits import check_waits
from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Target

GFX942 = Target("gfx942")


@lru_cache(maxsize=4096)
def assembled(line: str) -> Instruction:
    return TextProgram.of(line, "gfx942").instructions[0]


def program(lines: list[str]) -> TextProgram:
    return TextProgram(GFX942, tuple(assembled(x) for x in (*lines, "s_endpgm")), ())


# (text, counter, order, register written late, registers read, register written at once)
Op = tuple[str, str, str, str, tuple[str, ...], str]
registers = st.integers(1, 6)


def loads(n: int) -> st.SearchStrategy[Op]:
    return st.sampled_from(
        [
            (f"ds_read_b32 v{n}, v0", "lgkmcnt", "lds", f"v{n}", ("v0",), ""),
            (f"global_load_dword v{n}, v0, s[0:1]", "vmcnt", "vmem", f"v{n}", ("v0",), ""),
            (f"global_store_dword v0, v{n}, s[0:1]", "vmcnt", "vmem", "", ("v0", f"v{n}"), ""),
            (f"ds_write_b32 v0, v{n}", "lgkmcnt", "lds", "", ("v0", f"v{n}"), ""),
            (f"s_load_dword s{n + 10}, s[0:1], 0x0", "lgkmcnt", "smem", f"s{n + 10}", (), ""),
            (f"v_mov_b32_e32 v{n}, v0", "", "", "", ("v0",), f"v{n}"),
            (f"v_mov_b32_e32 v9, v{n}", "", "", "", (f"v{n}",), "v9"),
            (f"s_mov_b32 s9, s{n + 10}", "", "", "", (f"s{n + 10}",), "s9"),
        ]
    )


def waits() -> st.SearchStrategy[Op]:
    vm = st.integers(0, 5).map(lambda n: (f"s_waitcnt vmcnt({n})", "vmcnt", n))
    lgkm = st.integers(0, 5).map(lambda n: (f"s_waitcnt lgkmcnt({n})", "lgkmcnt", n))
    return st.one_of(vm, lgkm).map(lambda w: (w[0], "wait " + w[1], str(w[2]), "", (), ""))


ops = st.lists(st.one_of(registers.flatmap(loads), registers.flatmap(loads), waits()), max_size=40)


def simulate(sequence: list[Op]) -> set[int]:
    """Indices of instructions that touch a register whose load no wait has completed."""
    queues: dict[str, list[tuple[str, str]]] = {"vmcnt": [], "lgkmcnt": []}
    limits = {"vmcnt": 63, "lgkmcnt": 15}
    found: set[int] = set()
    for i, (_text, counter, order, late, read, written) in enumerate(sequence):
        if counter.startswith("wait "):
            queue, count = queues[counter[5:]], int(order)
            if count == 0:
                queue.clear()
            for kind in ("lds", "vmem"):
                same = [x for x in queue if x[0] == kind]
                for done in same[: max(0, len(same) - count)]:
                    queue.remove(done)
            continue
        for queue in queues.values():
            for kind, register in list(queue):
                if not register:
                    continue
                if register in read:
                    found.add(i)
                in_order = register == late and kind == order and kind != "smem"
                if register == written or (register == late and not in_order):
                    found.add(i)
                    # The new value is what later reads mean.
                    queue[queue.index((kind, register))] = (kind, "")
        if counter:
            queue = queues[counter]
            queue.append((order, late))
            same = [x for x in queue if x[0] == order]
            if order != "smem" and len(same) > limits[counter]:
                queue.remove(same[0])
    return found


@settings(max_examples=150, deadline=None)
@given(ops)
def test_waits_on_random_straight_lines(sequence: list[Op]) -> None:
    p = program([op[0] for op in sequence])
    view = build_view(p, "k", 0, len(p.instructions), [0])
    found = {f.index for f in check_waits(view) if f.rule in ("wait.raw", "wait.waw")}
    assert found == simulate(sequence)


# MFMA of 8 passes on gfx942: (text, registers read, registers written, is it matrix)
MFMA = "v_mfma_f32_32x32x8_f16 v[16:31], v[0:1], v[2:3], v[16:31]"
steps = st.lists(
    st.sampled_from(
        [MFMA, "s_nop 0", "s_nop 3", "v_mov_b32_e32 v100, v101", "ds_write_b32 v90, v16",
         "v_add_f32_e32 v102, v20, v20", "s_waitcnt vmcnt(0)"]
    ),
    max_size=30,
)  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(steps)
def test_wait_states_on_random_straight_lines(lines: list[str]) -> None:
    """Readers of an 8-pass result need 11 wait states; nothing else here needs any."""
    expected: dict[int, int] = {}
    since: int | None = None
    for i, line in enumerate(lines):
        if since is not None and since < 11 and line.startswith(("ds_write", "v_add")):
            expected[i] = since
        states = int(line.split()[1]) + 1 if line.startswith("s_nop") else 1
        since = 0 if line == MFMA else None if since is None else since + states
    p = program(lines)
    view = build_view(p, "k", 0, len(p.instructions), [0])
    assert {f.index: f.have for f in check_hazards(view)} == expected
