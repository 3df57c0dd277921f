"""What is said of values and of the wave: by hand, from the texts of both sides."""

from __future__ import annotations

import pytest

from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Target
from asmevo.program.encoding import table
from asmevo.prove.versions.notes import notes
from asmevo.prove.versions.values import changes

TARGET = Target("gfx942")


def side(*lines: str) -> list[Instruction]:
    return table(TARGET).assemble(list(lines))


@pytest.mark.parametrize(
    ("before", "after", "kinds"),
    [
        (("v_add_u32_e32 v2, v0, v1", "v_add_u32_e32 v3, v0, v1"),
         ("v_add_u32_e32 v2, v0, v1",), {"merged"}),
        (("v_add_u32_e32 v2, v0, v1",),
         ("v_add_u32_e32 v2, v0, v1", "v_add_u32_e32 v3, v0, v1"), {"split"}),
        (("v_add_u32_e32 v2, v0, v1",), ("v_add_u32_e32 v9, v1, v0",), {"renamed"}),
        (("v_mov_b32_e32 v2, v0", "v_not_b32_e32 v3, v1"),
         ("v_not_b32_e32 v3, v1", "v_mov_b32_e32 v2, v0"), {"moved"}),
        (("v_add_u32_e32 v3, v0, v1", "v_add_u32_e32 v3, v3, v2"),
         ("v_add_u32_e32 v3, v1, v2", "v_add_u32_e32 v3, v3, v0"), {"re-associated"}),
        (("v_not_b32_e32 v3, v1",), ("v_mov_b32_e32 v3, v1",), {"gone", "new"}),
    ],
)  # fmt: skip
def test_what_became_of_values(
    before: tuple[str, ...], after: tuple[str, ...], kinds: set[str]
) -> None:
    found = changes(side(*before), side(*after), TARGET)
    assert kinds <= {c.kind for c in found}
    assert changes(side(*before), side(*before), TARGET) == []


@pytest.mark.parametrize(
    ("before", "after", "kind", "words"),
    [
        ("s_mul_i32 s4, s2, s3", "v_mul_lo_u32 v4, s2, v1", "scalar-vector", "not kept"),
        ("s_and_b32 s4, s2, s3", "v_and_b32_e32 v4, s2, v1", "scalar-vector", "vector register"),
        ("s_mov_b64 exec, s[2:3]", "s_and_b64 exec, exec, s[2:3]", "exec", "other instructions"),
        ("v_mov_b32_e32 v1, v0", "v_mov_b32_dpp v1, v0 row_shl:1 row_mask:0xf bank_mask:0xf",
         "cross-lane", "row_shl"),
        ("global_load_dword v1, v[2:3], off", "global_load_dwordx4 v[4:7], v[2:3], off",
         "memory", "coalescing"),
        ("ds_read_b32 v1, v2", "ds_read_b32 v1, v2 offset:4", "memory", "other banks"),
        ("global_load_dword v1, v[2:3], off", "global_load_dword v1, v[2:3], off offset:2",
         "memory", "alignment"),
        ("global_load_dword v1, v[2:3], off", "global_load_dword v1, v[2:3], off nt",
         "memory", "cache bits"),
        ("global_load_dword v1, v[2:3], off", "global_load_dword v1, v[4:5], off",
         "memory", "other address"),
    ],
)  # fmt: skip
def test_what_is_said_of_the_wave(before: str, after: str, kind: str, words: str) -> None:
    found = notes(side(before), side(after), TARGET)
    assert any(n.kind == kind and words in n.text for n in found), found
    assert notes(side(before), side(before), TARGET) == []


def test_memory_in_another_order_is_said() -> None:
    lines = ("global_load_dword v1, v[2:3], off", "global_load_dword v4, v[6:7], off")
    found = notes(side(*lines), side(*lines[::-1]), TARGET)
    assert [n.kind for n in found] == ["order"]
