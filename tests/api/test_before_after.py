"""What an edit takes away and puts in, as the report shows it (`report_label`: the kernel's entry
label was painted as removed although it is still there)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from asmevo import open as open_object
from asmevo.api.optimization import Optimization, before_after
from asmevo.cli.render.report import side_by_side
from asmevo.program.build import assemble_object
from asmevo.program.edit import Edit
from asmevo.program.recover import recover
from asmevo.search.types import Node

SOURCE = """\
  .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
  .amdhsa_code_object_version 5
  .text
  .globl stencil5
  .p2align 8
  .type stencil5,@function
stencil5:
  s_mov_b32 s4, 8
  v_mov_b32_e32 v1, 0
.Ltop:
  v_add_u32_e32 v1, 1, v1
  s_sub_u32 s4, s4, 1
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc1 .Ltop
  s_endpgm
  .size stencil5, .-stencil5
  .section .rodata,"a",@progbits
  .p2align 6
  .amdhsa_kernel stencil5
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 8
    .amdhsa_next_free_sgpr 8
    .amdhsa_accum_offset 8
  .end_amdhsa_kernel
\t.amdgpu_metadata
---
amdhsa.kernels:
  - .args: []
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 0
    .max_flat_workgroup_size: 64
    .name: stencil5
    .private_segment_fixed_size: 0
    .sgpr_count: 8
    .symbol: stencil5.kd
    .vgpr_count: 8
    .wavefront_size: 64
amdhsa.target: amdgcn-amd-amdhsa--gfx942
amdhsa.version: [1, 2]
...
\t.end_amdgpu_metadata
"""
FIRST, SECOND, ADD, SUB = (
    "s_mov_b32 s4, 8", "v_mov_b32_e32 v1, 0", "v_add_u32_e32 v1, 1, v1", "s_sub_u32 s4, s4, 1"
)  # fmt: skip


def shown(*edits: Edit) -> tuple[list[dict[str, Any]], set[str], set[str]]:
    """The step's edits, and the lines of the whole listing that are painted gone and new."""
    root = Node("k0", None, (), (), "original", 0, -1, 1.0)
    child = Node("k1", "k0", edits, (), "tested-exact", 1, 0, 1.1)
    run = SimpleNamespace(
        original=open_object(assemble_object(SOURCE)),
        search=SimpleNamespace(lineage=[root, child]),
    )
    [step], (before, after) = before_after(cast("Optimization", run))
    rows = side_by_side(before, after)
    gone = {r.left for r in rows if r.left is not None and r.left_kind == "gone"}
    new = {r.right for r in rows if r.right is not None and r.right_kind == "new"}
    return step["edits"], gone, new


def stripped(lines: list[str]) -> list[str]:
    return [line.strip() for line in lines]


@pytest.mark.parametrize(
    ("first", "lines", "before"),
    [
        (0, (SECOND, FIRST), [FIRST, SECOND]),  # at the kernel's entry
        (2, (SUB, ADD), [ADD, SUB]),  # at the head of a loop
        (1, (SECOND,), [SECOND]),  # behind a label
    ],
)
def test_a_label_that_stays_is_not_among_the_lines_taken_away(
    first: int, lines: tuple[str, ...], before: list[str]
) -> None:
    [edit], gone, new = shown(Edit(first, first + len(before), lines, "other order"))
    assert stripped(edit["before"]) == before
    assert edit["after"] == list(lines)
    assert not any(line.endswith(":") for line in gone | new)


def test_an_insertion_at_the_entry_takes_nothing_away() -> None:
    [edit], gone, new = shown(Edit(0, 0, ("s_nop 0",), "wait states"))
    assert (edit["before"], edit["after"]) == ([], ["s_nop 0"])
    assert (gone, new) == (set(), {"s_nop 0"})


def test_a_label_that_an_edit_moves_is_shown_on_both_sides() -> None:
    program = recover(open_object(assemble_object(SOURCE)).code)
    label = program.labels[2]
    [edit], _, _ = shown(Edit(1, 3, (SECOND, "s_nop 0", f"{label}:", ADD), "loop head"))
    assert stripped(edit["before"]) == [SECOND, f"{label}:", ADD]
    assert f"{label}:" in edit["after"]
