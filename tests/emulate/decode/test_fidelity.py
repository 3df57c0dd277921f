"""The fidelity report: levels, notes, counts, and what it says about vendor objects."""

from __future__ import annotations

from pathlib import Path

import pytest

from asmevo.emulate.decode import fidelity
from asmevo.isa.instruction import Instruction
from asmevo.isa.semantics import table
from opinion.wave import assemble


def _one(text: str, arch: str = "gfx942", **options: bool) -> fidelity.OpcodeFidelity:
    (row,) = fidelity.report(assemble(text, arch), arch, **options)
    return row


@pytest.mark.parametrize(
    ("text", "arch", "level"),
    [
        ("v_add_f32 v0, v1, v2", "gfx942", "exact"),
        ("s_waitcnt vmcnt(0)", "gfx942", "exact"),
        ("v_exp_f32 v0, v1", "gfx942", "approximate"),
        ("v_dot2_f32_f16 v0, v1, v2, v3", "gfx90a", "open"),
        ("v_min3_f16 v0, v1, v2, v3", "gfx942", "open"),
        ("global_load_short_d16 v0, v1, s[2:3]", "gfx942", "open"),
        ("global_load_dword v0, v1, s[2:3]", "gfx942", "exact"),
        ("ds_read_b64_tr_b16 v[0:1], v2", "gfx950", "exact"),
        ("v_mfma_i32_16x16x16i8 v[0:3], v4, v5, v[0:3]", "gfx90a", "exact"),
        ("s_sendmsg sendmsg(MSG_GS_DONE, GS_OP_NOP)", "gfx942", "unsupported"),
    ],
)
def test_levels(text: str, arch: str, level: str) -> None:
    row = _one(text, arch)
    assert row.level == level
    assert bool(row.note) or level == "exact"


def test_matrix_arithmetic_decides() -> None:
    text = "v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], v[0:15]"
    assert _one(text).level == "approximate"
    assert _one(text, exact_matrix=True).level == "exact"


def test_counts_select_and_add_up() -> None:
    code = assemble("v_add_f32 v0, v1, v2\nv_exp_f32 v0, v1\nv_add_f32 v0, v1, v3", "gfx942")
    rows = fidelity.report(code, "gfx942", counts=[3, 0, 4])
    assert [(r.opcode, r.instructions, r.executed) for r in rows] == [("v_add_f32", 2, 7)]


def test_worst_level_comes_first() -> None:
    code = assemble("v_add_f32 v0, v1, v2\nv_exp_f32 v0, v1", "gfx942")
    assert [r.level for r in fidelity.report(code, "gfx942")] == ["approximate", "exact"]


def test_undecodable_bytes_are_unsupported() -> None:
    (row,) = fidelity.report([Instruction(b"\xff" * 4, None)], "gfx942")
    assert row.level == "unsupported"


def test_every_statement_of_the_table_has_a_level() -> None:
    for semantic in table.all_semantics().values():
        assert semantic.exact.split(" ")[0].rstrip(",") in ("exact", "approximate", "open")


@pytest.mark.corpus
def test_vendor_objects_have_nothing_unsupported(aiter_root: Path) -> None:
    from asmevo.codeobject import CodeObject
    from asmevo.program import recover

    files = sorted(p for p in aiter_root.rglob("*.co") if "/gfx9" in str(p))
    assert files
    for path in files[:: max(1, len(files) // 12)]:
        co = CodeObject.open(path.read_bytes())
        rows = fidelity.report(recover(co).instructions, co.target.arch)
        bad = [f"{r.opcode}: {r.note}" for r in rows if r.level == "unsupported"]
        assert not bad, f"{path.name}: {bad}"
