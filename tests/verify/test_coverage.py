"""Coverage by instruction and branch, and what of an edit it leaves untested.

Cases `A25_wrong_edit_in_unexecuted_code` and `A05_conditional_barrier`, and their kin. How often a
branch is taken is known here from walks through the graph, which count every edge themselves.
"""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import asmevo
from asmevo.codeobject import CodeObject
from asmevo.program import Program, recover
from asmevo.program.cfg import blocks
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild
from asmevo.verify.coverage import coverage_of, untested
from program.frame import straight  # type: ignore[import-not-found]
from reference.assembly import COPY, HEAD, built, launch

LOOPS = """s_mov_b32 s8, 0
.Louter:
s_cmp_eq_u32 s9, 1
s_cbranch_scc1 .Lskip
s_cmp_eq_u32 s9, 2
s_cbranch_scc0 .Lskip
v_mov_b32 v1, v2
.Linner:
s_add_u32 s10, s10, 1
s_cmp_lt_u32 s10, 9
s_cbranch_scc1 .Linner
.Lskip:
s_cbranch_execz .Lend
s_branch .Lmore
.Lmore:
s_add_u32 s8, s8, 1
s_cmp_lt_u32 s8, 5
s_cbranch_scc1 .Louter
.Lend:
s_nop 0""".splitlines()


@pytest.mark.parametrize("seed", range(8))
def test_edges_are_those_of_the_walks(seed: int) -> None:
    program = straight(*LOOPS)
    rng = random.Random(seed)
    found = blocks(program, program.function("k"))
    counts = np.zeros(len(program.instructions), np.int64)
    went: set[tuple[int, bool]] = set()
    lean = {b.index: rng.choice([0.0, 0.5, 0.5, 0.6]) for b in found}
    for _ in range(rng.choice([1, 2, 30])):
        block = found[0]
        for _ in range(10_000):
            counts[block.first : block.last] += 1
            if not block.successors:
                break
            nearer, *others = block.successors
            following = others[0] if others and rng.random() < lean[block.index] else nearer
            last = block.last - 1
            if len(block.successors) == 2:
                went.add((last, found[following].first == program.targets[last]))
            block = found[following]
        else:
            return  # an endless walk says nothing
    edges = coverage_of(program, counts).edges
    assert {e for e, seen in edges.items() if seen} == went


# --- kernels whose launches leave a path out -----------------------------------------------------

TWO_PATHS = (
    HEAD
    + """global_load_dword v2, v1, s[4:5]
v_mov_b32_e32 v3, 0
s_mov_b32 s10, 3
s_mov_b32 s11, 5
s_mul_i32 s12, s8, 0x9e3779b1
s_cmp_eq_u32 s12, 0x6d5c4920
s_cbranch_scc1 .Lbig
s_waitcnt vmcnt(0)
v_add_u32_e32 v3, s10, v2
s_branch .Lstore
.Lbig:
s_waitcnt vmcnt(0)
v_add_u32_e32 v3, s11, v2
v_lshlrev_b32_e32 v3, 1, v3
v_mov_b32_e32 v5, v2
.Lstore:
global_store_dword v1, v3, s[6:7]
s_endpgm
"""
)


def changed(*swaps: tuple[str, str], body: str = TWO_PATHS) -> str:
    for old, new in swaps:
        assert body.count(old) == 1, old
        body = body.replace(old, new)
    return body


def verified(tmp_path: Path, body: str, n: int = 100, arch: str = "gfx942", **options: object):
    description = tmp_path / "launch.yaml"
    description.write_text(launch(n=n))
    k0, k1 = built({"k": TWO_PATHS}, arch), built({"k": body}, arch)
    return asmevo.verify(k0, k1, description, **options)


WRONG = {
    "another operation": (("v_add_u32_e32 v3, s11, v2", "v_sub_u32_e32 v3, s11, v2"),),
    "another constant": (("v_lshlrev_b32_e32 v3, 1, v3", "v_lshlrev_b32_e32 v3, 2, v3"),),
    "taken out": (("v_lshlrev_b32_e32 v3, 1, v3\n", ""),),
    "put in": (("v_lshlrev_b32_e32 v3, 1, v3", "v_lshlrev_b32_e32 v3, 1, v3\nv_not_b32 v3, v3"),),
    "wrong order": ((
        "v_add_u32_e32 v3, s11, v2\nv_lshlrev_b32_e32 v3, 1, v3",
        "v_lshlrev_b32_e32 v3, 1, v3\nv_add_u32_e32 v3, s11, v2"),),
    "the path is never taken": (("s_cbranch_scc1 .Lbig\n", ""),),
    "the path is another one": (("s_cbranch_scc1 .Lbig", "s_cbranch_scc1 .Lstore"),),
    "another bound": (("s_cmp_eq_u32 s12, 0x6d5c4920", "s_cmp_eq_u32 s12, 0x6d5c4930"),),
    "a value that only the path reads": (("s_mov_b32 s11, 5", "s_mov_b32 s11, 6"),),
    "that value is taken out": (("s_mov_b32 s11, 5", "s_mov_b32 s11, s9"),),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("arch", ["gfx942", "gfx90a"])
def test_a_change_that_no_launch_shows_is_untested(tmp_path: Path, name: str, arch: str) -> None:
    """All of these are wrong for n = 800 alone, which nobody can guess from the code (A25)."""
    body = changed(*WRONG[name])
    found = verified(tmp_path, body, arch=arch)
    assert (found.ok, found.status) == (False, "untested"), found.reason
    assert found.data["untested"]["text"]
    allowed = verified(tmp_path, body, arch=arch, allow_untested=True)
    assert allowed.ok
    assert "untested changes allowed" in allowed.reason
    assert allowed.data["config"]["allow_untested"] is True
    assert any("untested changes are allowed" in n for n in allowed.data["notes"])


HONEST = {
    "nothing": (),
    "only another order": ((
        "v_lshlrev_b32_e32 v3, 1, v3\nv_mov_b32_e32 v5, v2",
        "v_mov_b32_e32 v5, v2\nv_lshlrev_b32_e32 v3, 1, v3"),),
    "a change of what is executed": (("v_add_u32_e32 v3, s10, v2", "v_add_u32_e32 v3, 3, v2"),),
    "longer code": (("s_mov_b32 s10, 3\n", "s_mov_b32 s10, 3\n" + "s_nop 0\n" * 90),),
    "an order before the branch": ((
        "s_mov_b32 s10, 3\ns_mov_b32 s11, 5\n", "s_mov_b32 s11, 5\ns_mov_b32 s10, 3\n"),),
}  # fmt: skip


@pytest.mark.parametrize("name", HONEST)
def test_what_is_tested_or_only_reordered_is_accepted(tmp_path: Path, name: str) -> None:
    found = verified(tmp_path, changed(*HONEST[name]))
    assert found.ok, found.reason
    covered = found.data["coverage"]
    assert covered["edges"] == 2
    assert covered["executed_edges"] == 1
    assert len(covered["never_taken"]) == 1


def test_a_launch_that_goes_there_decides(tmp_path: Path) -> None:
    found = verified(tmp_path, changed(*WRONG["another operation"]), n=800)
    assert found.status == "divergent"
    both = verified(
        tmp_path, changed(("v_lshlrev_b32_e32 v3, 1, v3", "v_add_u32_e32 v3, v3, v3")), n=800
    )
    assert both.ok, both.reason


def test_a_new_branch_must_go_both_ways(tmp_path: Path) -> None:
    """As A05 does with a barrier: skipped when n is small, and no launch has a small n."""
    skip = ("v_add_u32_e32 v3, s10, v2", "s_cmp_lt_i32 s8, 8\ns_cbranch_scc1 .Lno\n"
            "v_add_u32_e32 v3, s10, v2\n.Lno:")  # fmt: skip
    found = verified(tmp_path, changed(skip))
    assert found.status in ("untested", "static_invalid", "divergent"), found.reason


# --- alignment -----------------------------------------------------------------------------------


def program(body: str) -> Program:
    return recover(CodeObject.open(built({"k": body})))


@pytest.mark.parametrize("size", [100, 6000])
def test_changed_instructions_are_named_at_any_size(size: int) -> None:
    """Two edits far apart leave what lies between them unchanged."""
    lines = "".join(f"v_add_u32_e32 v{3 + n % 5}, {n % 60}, v{3 + n % 7}\n" for n in range(size))
    k0 = program(HEAD + lines + "s_endpgm")
    f = k0.function("k")
    edits = [Edit(f.first + 8, f.first + 9, ("v_mov_b32_e32 v9, v9", "s_nop 0")),
             Edit(f.last - 3, f.last - 2, ())]  # fmt: skip
    k1 = recover(CodeObject.open(rebuild(apply(k0, edits))))
    ones = np.ones(len(k0.instructions), np.int64), np.zeros(len(k1.instructions), np.int64)
    found = untested(coverage_of(k0, ones[0]), coverage_of(k1, ones[1]))
    assert found.instructions == (f.first + 8, f.first + 9)


def test_a_two_kernel_object_is_judged_kernel_by_kernel(tmp_path: Path) -> None:
    """A11: the launch of `one` says nothing of `two`; naming it leaves it untested."""
    description = tmp_path / "launch.yaml"
    description.write_text(launch("one"))
    k0 = built({"one": COPY, "two": COPY})
    k1 = built({"one": COPY, "two": COPY.replace("v2, 1, v2", "v2, 7, v2")})
    assert asmevo.verify(k0, k1, description).status == "static_invalid"
    assert asmevo.verify(k0, k1, description, also_edited=("two",)).status == "untested"
    k1 = built({"one": COPY.replace("v2, 1, v2", "v2, v2, v0"), "two": COPY})
    assert asmevo.verify(k0, k1, description).status == "divergent"
