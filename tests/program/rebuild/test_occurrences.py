"""Registers looked up by text: everything that names or implies them, and where it stands.

The expected registers are written by hand from the ISA; bytes without text may write whatever a
format like theirs can name. Whether growth is allowed is looked for when it is asked for only.
"""

from __future__ import annotations

import pickle
import sys

import pytest

from asmevo.codeobject import CodeObject
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import AGPR0, EXEC, M0, VCC, VGPR0
from asmevo.isa.target import Target
from asmevo.program import recover
from asmevo.program.edit import Edit, apply
from asmevo.program.encoding import table
from asmevo.program.rebuild import rebuild
from asmevo.program.rebuild.occurrences import Occurrences
from asmevo.program.roundtrip import roundtrip_bytes
from emulate.harness import encoded

V, A = VGPR0, AGPR0
# Target and line -> (units written, units read), of which some are looked for.
LINES = {
    ("gfx942", "s_load_dwordx4 s[12:15], s[2:3], 0x0"): ({12, 15}, {2, 3}),
    ("gfx942", "v_add_co_u32_e32 v4, vcc, v5, v6"): ({V + 4, VCC, VCC + 1}, {V + 5, V + 6}),
    ("gfx942", "v_cmp_eq_u32_e32 vcc, s7, v6"): ({VCC}, {7, V + 6, EXEC}),
    ("gfx942", "v_cmp_eq_u32_e64 s[20:21], v1, v6"): ({20, 21}, {V + 1}),
    ("gfx942", "v_cmpx_eq_u32_e64 s[20:21], v1, v6"): ({20, EXEC, EXEC + 1}, {V + 1}),
    ("gfx942", "s_mov_b32 m0, s9"): ({M0}, {9}),
    ("gfx942", "v_accvgpr_write_b32 a7, v3"): ({A + 7}, {V + 3}),
    ("gfx942", "global_load_dwordx4 a[8:11], v[30:31], off"): ({A + 8, A + 11}, {V + 30, V + 31}),
    ("gfx942", "v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], v[6:7], a[0:3]"): (
        {A, A + 3}, {V + 4, V + 7, A + 2},
    ),
    ("gfx942", "v_fma_f32 v0, -|v1|, -s9, abs(v3)"): ({V}, {V + 1, 9, V + 3}),
    ("gfx942", "v_writelane_b32 v40, s30, 0"): ({V + 40}, {30}),
    ("gfx942", "s_swappc_b64 s[30:31], s[8:9]"): ({30, 31}, {8, 9}),
    ("gfx942", "s_swappc_b64 vcc, s[8:9]"): ({VCC, VCC + 1}, {8}),
    ("gfx942", "s_and_saveexec_b64 s[0:1], vcc"): ({0, 1, EXEC}, {VCC, VCC + 1, EXEC}),
    ("gfx1100", "v_dual_mov_b32 v8, v9 :: v_dual_add_f32 v11, s4, v12"): (
        {V + 8, V + 11}, {V + 9, 4, V + 12},
    ),
    ("gfx1100", "v_cmp_lt_f32_e32 vcc_lo, v1, v2"): ({VCC}, {V + 1}),
    ("gfx1100", "s_mov_b32 s103, ttmp3"): ({103}, {111}),
    ("gfx1100", "image_sample v[4:7], [v1, v9], s[8:15], s[16:19] dmask:0xf dim:SQ_RSRC_IMG_2D"): (
        {V + 4, V + 7}, {V + 1, V + 9, 8, 15, 16, 19},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("arch", "line"), LINES)
def test_every_register_of_a_line_is_found_where_it_stands(arch: str, line: str) -> None:
    target = Target(arch)
    one, nop = table(target).assemble([line, "s_nop 0"])
    found = Occurrences(target, [nop, one, nop, nop, one])
    written, read = LINES[arch, line]
    for unit in written:
        assert found.places(found.writers(unit)) == [1, 4], unit
    assert set(found.users(read)) == {(at, unit) for at in (1, 4) for unit in read}
    others = {*range(VCC), *range(V, V + 64), *range(A, A + 64)}
    used = {u for _, u in found.users(others)}
    changed = {u for u in others if found.writers(u)}
    named = {u for u in others if _names(line, u)}
    assert used | changed == named


def _names(line: str, unit: int) -> bool:
    """Whether a line has a register, by a reading of its words that shares nothing."""
    for kind, base in (("s", 0), ("v", V), ("a", A)):
        for word in line.replace("|", " ").replace("(", " ").replace(")", " ").split():
            name = word.strip("-,[]")
            first, _, last = name[1:].strip("[]").partition(":")
            if name[:1] != kind or not first.isdigit():
                continue
            if int(first) <= unit - base <= int(last or first):
                return True
    return False


def test_bytes_without_text_may_write_what_their_format_can_name() -> None:
    scalar = Instruction(bytes.fromhex("000080c3"), None)
    vector = Instruction(bytes.fromhex("000000d8"), None)
    found = Occurrences(Target("gfx942"), [scalar, vector])
    assert (found.places(found.writers(5)), found.places(found.writers(V + 5))) == ([0], [1])


def test_places_and_pairs_are_in_order() -> None:
    target = Target("gfx942")
    a, b = table(target).assemble(["v_mov_b32_e32 v1, v2", "v_add_f32_e32 v3, v4, v5"])
    found = Occurrences(target, [a, b, b, a])
    assert found.where(lambda i: i.base == "v_add_f32") == [1, 2]
    assert found.where(lambda _: False) == []
    units = {"v_mov_b32": [7], "v_add_f32": [8, 9]}
    assert found.pairs(lambda i: units[i.base]) == [
        (0, 7), (1, 8), (1, 9), (2, 8), (2, 9), (3, 7),
    ]  # fmt: skip
    assert Occurrences(target, []).where(lambda _: True) == []


_BODY = "s_getpc_b64 s[8:9]\ns_add_u32 s8, s8, s4\ns_setpc_b64 s[8:9]\nv_mov_b32 v0, v1"


def test_growth_is_looked_into_when_it_is_asked_for_and_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = encoded(_BODY).program.object.data
    asked: list[object] = []

    def refuse(code: object) -> str:
        asked.append(code)
        return "because"

    # The package has a function of the module's name.
    monkeypatch.setattr(sys.modules["asmevo.program.recover"], "refuse_growth", refuse)
    program = recover(CodeObject.open(data))
    assert rebuild(program) == data
    assert roundtrip_bytes(data).growth_refused is None
    assert asked == []
    assert roundtrip_bytes(data, growth=True).growth_refused == "because"
    asked.clear()
    edited = apply(program, [Edit(3, 4, ("v_mov_b32 v0, v2",))])
    assert (program.growth_refused, edited.growth_refused) == ("because", "because")
    assert len(asked) == 1


def test_the_reason_goes_along_to_another_process() -> None:
    program = encoded(_BODY).program
    assert pickle.loads(pickle.dumps(program.growth)).refused == program.growth_refused != ""
