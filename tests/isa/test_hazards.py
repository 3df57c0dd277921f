"""The wait-state table against the researched rows, and the roles that feed it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from asmevo.isa.codec.llvm import assembler, disassembler
from asmevo.isa.hazards.roles import mask_of, roles, units_of, wait_states_of
from asmevo.isa.hazards.rows import RULES, C, P, interest, pair_table, reach, rule_by_name, rules_of
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import EXEC, VCC, VGPR0
from asmevo.isa.target import Target

# [id, wait states or by passes, mark, kind] as researched from LLVM and the ISA documents.
ROWS = json.loads((Path(__file__).parent / "data" / "hazard_rows.json").read_text())
# gfx90a calls everything but f64 by one class; here it is XDL.
SPELLED = {
    "smfma-c-overlap": "xdl-xdl-c", "smfma-dgemm-c": "xdl-sd-c", "smfma-ab": "xdl-ab",
    "smfma-valu-read": "xdl-valu-read", "smfma-mem-read": "xdl-mem-read", "smfma-waw": "xdl-waw",
    "smfma-war-c": "xdl-war-c", "dot-mfma": "dot-mfma-ab",
}  # fmt: skip
# A name for VCC other than its own is never printed by LLVM, so the pair cannot be told apart.
UNOBSERVABLE = {"vcc-alias"}


def one(text: str, arch: str = "gfx942") -> Instruction:
    target = Target(arch)
    code = assembler(target).assemble(text)
    (d,) = disassembler(target).decode(code)
    return Instruction(code, d.text)


@pytest.mark.parametrize("row", ROWS, ids=[r[0] for r in ROWS])
def test_every_researched_row_is_in_the_table(row: list) -> None:
    identity, need, mark, kind = row
    arch, name = identity.split(".", 1)
    name = SPELLED.get(name, name)
    if name in UNOBSERVABLE:
        pytest.skip("LLVM prints VCC by one name only")
    # A buffer store with an SGPR offset has rows of its own (tests/check/rules/test_hazards.py).
    found = [r for r in RULES[arch] if r.name == name and r.producer is not P.STORE_DATA_SGPR]
    if need == 0:
        assert found == []
        return
    assert found
    wanted = {int(p): n for p, n in need.items()} if isinstance(need, dict) else {0: need}
    for rule in found:
        for passes, states in wanted.items():
            assert rule.wait_states(passes) == states
        assert rule.mark.value == mark
        assert rule.kind == kind


def test_the_indices_agree_with_the_rows() -> None:
    target = Target("gfx942")
    rules = rules_of(target)
    assert rules
    table = pair_table(target)
    assert sum(len(v) for v in table.values()) == len(rules)
    for rule in rules:
        assert rule in table[rule.producer * 64 + rule.consumer]
        assert interest(target)[rule.producer] >> rule.consumer & 1
    assert reach(target, P.XDL_D, 16) == 19
    assert reach(Target("gfx950"), P.XDL_D, 16) == 20
    assert reach(target, P.VALU_SGPR, 0) == 5
    with pytest.raises(KeyError, match=r"gfx942\.nothing"):
        rule_by_name("gfx942", "nothing")


def test_targets_without_table() -> None:
    assert rules_of(Target("gfx1030")) == ()
    assert rules_of(Target("gfx1100")) is None


def produced(text: str, arch: str = "gfx942") -> dict[str, list[int]]:
    inst = one(text, arch)
    return {p.role.name: units_of(p.mask) for p in roles(inst, Target(arch)).produces}


def consumed(text: str, arch: str = "gfx942") -> dict[str, list[int]]:
    inst = one(text, arch)
    return {c.role.name: units_of(c.mask) for c in roles(inst, Target(arch)).consumes}


V = VGPR0


def test_roles_of_vector_instructions() -> None:
    assert produced("v_cmp_gt_u32_e32 vcc, v1, v2") == {"VALU_SGPR": [VCC, VCC + 1]}
    assert produced("v_exp_f32_e32 v1, v2") == {"VALU_VGPR": [V + 1], "TRANS_VGPR": [V + 1]}
    assert produced("v_dot2_f32_f16 v1, v2, v3, v4") == {"DOT_VGPR": [V + 1]}
    assert produced("v_fma_f16 v1, v2, v3, v4 op_sel:[0,0,0,1]")["DSTSEL_VGPR"] == [V + 1]
    assert "DSTSEL_VGPR" not in produced("v_fma_f16 v1, v2, v3, v4 op_sel:[1,0,0,0]")
    assert "DSTSEL_VGPR" not in produced("v_pk_fma_f16 v1, v2, v3, v4 op_sel:[0,0,1]")


def test_carries_and_lane_selects_are_not_constants() -> None:
    assert "VALU_SCONST" not in consumed("v_cndmask_b32_e64 v1, v2, v3, s[4:5]")
    assert consumed("v_add_u32_e32 v1, s9, v3")["VALU_SCONST"] == [9]
    assert "VALU_SCONST" not in consumed("v_readlane_b32 s1, v2, s3")
    assert consumed("v_readlane_b32 s1, v2, s3")["LANE_SELECT"] == [3]


def test_matrix_roles_follow_the_operands() -> None:
    text = "v_mfma_f32_32x32x8_f16 v[16:31], v[0:1], v[2:3], v[32:47]"
    found = produced(text)
    assert found["XDL_D"] == list(range(V + 16, V + 32))
    assert found["XDL_C"] == list(range(V + 32, V + 48))
    assert consumed(text)["MFMA_AB"] == [V, V + 1, V + 2, V + 3]
    sparse = "v_smfmac_f32_16x16x32_f16 v[16:19], v[0:1], v[4:7], v9"
    assert consumed(sparse)["XDL_C"] == list(range(V + 16, V + 20))
    assert V + 9 in consumed(sparse)["MFMA_AB"]  # the index register
    assert "XDL_C" not in consumed("v_mfma_f32_32x32x8_f16 v[16:31], v[0:1], v[2:3], 0")


def test_store_data_and_its_exemptions() -> None:
    assert "STORE_DATA" in produced("global_store_dwordx4 v0, v[4:7], s[0:1]")
    assert "STORE_DATA" in produced("buffer_store_dwordx3 v[4:6], v0, s[0:3], 0 offen")
    for text in (
        "global_store_dwordx2 v0, v[4:5], s[0:1]",
        "ds_write_b128 v0, v[4:7]",
        "global_load_dwordx4 v[4:7], v0, s[0:1]",
    ):
        assert "STORE_DATA" not in produced(text)
    scalar = produced("buffer_store_dwordx4 v[4:7], v0, s[0:3], s4 offen")
    assert scalar == {"STORE_DATA_SGPR": [V + 4, V + 5, V + 6, V + 7]}


def test_hardware_registers_are_units() -> None:
    mode = produced("s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s1")["SETREG"]
    assert consumed("s_getreg_b32 s2, hwreg(HW_REG_MODE, 4, 4)")["GETREG"] == mode
    assert consumed("s_getreg_b32 s2, hwreg(HW_REG_STATUS, 0, 4)")["GETREG"] != mode


def test_nop_states_and_masks() -> None:
    assert wait_states_of(one("s_nop 4"), Target("gfx942")) == 5
    assert wait_states_of(one("v_mov_b32_e32 v1, v2"), Target("gfx942")) == 1
    assert units_of(mask_of([3, EXEC, V + 7])) == [3, EXEC, V + 7]
    assert C.VECTOR in {c.role for c in roles(one("ds_read_b32 v1, v2"), Target("gfx942")).consumes}
