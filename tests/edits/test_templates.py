"""Templates: what they may say, that only right ones are used, and where they apply."""

from __future__ import annotations

from pathlib import Path

import pytest
from edit_kernels import WINDOW, kernel, texts

import asmevo
from asmevo.drivers.templates import Refusal, judged_templates, proved_templates
from asmevo.edits.base import CompositeRule
from asmevo.edits.templates import Templates, load_templates
from asmevo.errors import InputError
from asmevo.isa.target import Target

HEAD = "schema: asmevo/templates/1\ntargets: [gfx942]\ntemplates:\n"
STORE = ("v_mov_b32_e32 v30, 0", "global_store_dwordx4 v30, v[8:11], s[0:1]")
"""Makes v8 to v11 the results, so that nothing else is live."""


def found(*lines: str) -> list[list[str]]:
    """The code after each proposal of the built-in templates."""
    program = kernel(*lines, *STORE)
    rule = Templates(proved_templates)
    assert isinstance(rule, CompositeRule)
    sets = rule.composites(program, "k", WINDOW)
    return [texts(program, list(edits))[: -len(STORE) - 1] for edits in sets]


def folder(path: Path, text: str) -> Path:
    (path / "mine.yaml").write_text(HEAD + text)
    return path


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950"])
def test_every_built_in_template_is_proved(arch: str) -> None:
    judged = list(judged_templates(Target(arch)))
    assert len(judged) >= 15
    assert [j for j in judged if isinstance(j, Refusal)] == []


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["v_mul_lo_u32 v8, v1, 16"], ["v_lshlrev_b32_e32 v8, 4, v1"]),
        (
            ["v_lshlrev_b32_e32 v2, 2, v1", "v_add_u32_e32 v8, v2, v3"],
            ["v_lshl_add_u32 v8, v1, 2, v3"],
        ),
        # One register for several variables.
        (
            ["v_lshlrev_b32_e32 v8, 2, v8", "v_add_u32_e32 v8, v8, v3"],
            ["v_lshl_add_u32 v8, v8, 2, v3"],
        ),
        (
            ["v_lshrrev_b32_e32 v2, 3, v1", "v_and_b32_e32 v8, 0xff, v2"],
            ["v_bfe_u32 v8, v1, 3, 8"],
        ),
        (
            ["v_fmac_f32_e32 v8, v2, v4", "v_fmac_f32_e32 v9, v3, v5"],
            ["v_pk_fma_f32 v[8:9], v[2:3], v[4:5], v[8:9]"],
        ),
        (
            ["v_fmac_f32_e32 v8, v2, v4", "v_fmac_f32_e32 v9, v2, v5"],
            ["v_pk_fma_f32 v[8:9], v[2:3], v[4:5], v[8:9] op_sel_hi:[0,1,1]"],
        ),
        # What stands between and touches nothing stays where it is.
        (
            ["v_mul_f32_e32 v8, v2, v4", "v_mov_b32_e32 v10, v7", "v_mul_f32_e32 v9, v3, v5"],
            ["v_mov_b32_e32 v10, v7", "v_pk_mul_f32 v[8:9], v[2:3], v[4:5]"],
        ),
    ],
)  # fmt: skip
def test_an_instance_is_replaced(lines: list[str], expected: list[str]) -> None:
    assert expected in found(*lines)


@pytest.mark.parametrize(
    "lines",
    [
        # The shifted value is read behind, or between.
        ["v_lshlrev_b32_e32 v9, 2, v1", "v_add_u32_e32 v8, v9, v3"],
        ["v_lshlrev_b32_e32 v2, 2, v1", "v_mov_b32_e32 v9, v2", "v_add_u32_e32 v8, v2, v3"],
        # Its source changes before the addition, or other lanes are active then.
        ["v_lshlrev_b32_e32 v2, 2, v1", "v_mov_b32_e32 v1, 0", "v_add_u32_e32 v8, v2, v3"],
        ["v_lshlrev_b32_e32 v2, 2, v1", "s_mov_b64 exec, s[4:5]", "v_add_u32_e32 v8, v2, v3"],
        # A label: another path comes in with its own value.
        ["s_cbranch_scc1 L", "v_lshlrev_b32_e32 v2, 2, v1", "L:", "v_add_u32_e32 v8, v2, v3"],
        # No pair: from an odd number on, or not neighbours.
        ["v_fmac_f32_e32 v9, v3, v5", "v_fmac_f32_e32 v10, v4, v6"],
        ["v_fmac_f32_e32 v8, v2, v4", "v_fmac_f32_e32 v10, v3, v5"],
        # Modifiers are no part of the template; the mask has a hole; no power of two.
        ["v_mul_f32_e64 v8, -v2, v4", "v_mul_f32_e32 v9, v3, v5"],
        ["v_lshrrev_b32_e32 v2, 3, v1", "v_and_b32_e32 v8, 0xfd, v2"],
        ["v_mul_lo_u32 v8, v1, 12"],
        # A line reads what the one before wrote, under another name: the packed form reads both
        # factors before it writes, and the sum is of the shifted value twice.
        ["v_fmac_f32_e32 v8, v8, v4", "v_fmac_f32_e32 v9, v8, v5"],
        ["v_lshlrev_b32_e32 v2, 2, v1", "v_add_u32_e32 v8, v2, v2"],
        ["v_lshlrev_b32_e32 v8, 2, v1", "v_or_b32_e32 v8, v8, v8"],
    ],
)  # fmt: skip
def test_what_is_no_instance_stays(lines: list[str]) -> None:
    assert found(*lines) == []


@pytest.mark.parametrize(
    ("match", "replace", "words"),
    [
        ("v_mul_lo_u32 $d:v, $x:v, $n:pow2", "v_lshlrev_b32 $d, $x, $n", "refuted"),
        ("v_add_f32 $t:v, $x:v, $y:v\n      v_mul_f32 $d:v, $t, $z:v",
         "v_fma_f32 $d, $x, $z, $y", "refuted"),
        ("v_sub_u32 $d:v, $x:v, $y:v", "v_sub_u32 $d, $y, $x", "refuted"),
        ("v_add_u32 $d:v, $x:v, $n:imm", "v_add_u32 $d, $x, 0x1234567", "literal operands"),
        ("v_and_b32 $d:v, $n:imm, $x:v", "v_nonsense $d, $x", "failed"),
    ],
)  # fmt: skip
def test_a_wrong_template_is_refused_and_never_used(
    tmp_path: Path, match: str, replace: str, words: str
) -> None:
    place = folder(tmp_path, f"  - name: wrong\n    description: d\n    match: |\n      {match}\n"
                             f"    replace: {replace}\n")  # fmt: skip
    refused = [j for j in judged_templates(Target("gfx942"), [place]) if isinstance(j, Refusal)]
    assert [(r.template.name, words in r.reason) for r in refused] == [("wrong", True)], refused
    assert "wrong" not in {t.name for t in proved_templates(Target("gfx942"), (place,))}
    result = asmevo.check_templates([place])
    assert (result.ok, result.status) == (False, "refuted")
    assert [t["name"] for t in result.data["templates"] if t["refused"]] == ["wrong"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('  - {name: a, description: d, match: ".incbin x", replace: s_nop 0}\n', "mnemonic"),
        ('  - {name: a, description: d, match: "v_mov_b32 $d:v, a;b", replace: s_nop 0}\n',
         "operand"),
        ('  - {name: a, description: d, match: "v_mov_b32 $d:q, $x:v", replace: s_nop 0}\n',
         "no kind"),
        ('  - {name: a, description: d, match: "v_mov_b32 $d:v, v1", replace: s_nop 0, x: 1}\n',
         "x"),
        ('  - {name: a, description: d, match: "v_mov_b32 $d:v, v1", replace: s_nop 0, '
         'when: [__import__]}\n', "comparison"),
        ("  - {name: A b, description: d, match: s_nop 0, replace: s_nop 0}\n", "name"),
        ("  - [\n", "YAML"),
        ("  - {name: shift_add, description: d, match: s_nop 0, replace: s_nop 1}\n", "twice"),
    ],
)  # fmt: skip
def test_a_bad_file_is_named(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        load_templates(Target("gfx942"), [folder(tmp_path, text)])
    assert "mine.yaml" in caught.value.one_line()
