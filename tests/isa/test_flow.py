"""Control flow: LLVM's assembler takes every name, and nothing that branches is left out."""

from __future__ import annotations

import pytest

from asmevo.errors import BuildError
from asmevo.isa.codec.llvm import assembler
from asmevo.isa.flow import FLOW, FlowKind, flow_of, flow_of_text, inverse
from asmevo.isa.target import Target
from isa.records import record

_OPERANDS = ("", " 4", " s[0:1]", " s[0:1], s[2:3]", " s[0:1], 4", " s0, 4", " 0", " s4")
_TARGETS = ("gfx90a", "gfx1030", "gfx1100", "gfx1200", "gfx1250")


@pytest.mark.parametrize("name", sorted(FLOW))
def test_every_name_is_an_opcode_somewhere(name: str) -> None:
    def known(arch: str, operands: str) -> bool:
        try:
            return len(assembler(Target(arch)).assemble(name + operands)) >= 4
        except BuildError:
            return False

    assert any(known(arch, operands) for arch in _TARGETS for operands in _OPERANDS)


# ISA, "program control": taken from the opcode descriptions, not from the table.
@pytest.mark.parametrize(
    ("arch", "text", "kind", "direct", "falls"),
    [
        ("gfx942", "s_branch 4", FlowKind.JUMP, True, False),
        ("gfx942", "s_cbranch_scc0 4", FlowKind.CONDITIONAL, True, True),
        ("gfx942", "s_cbranch_cdbguser 4", FlowKind.CONDITIONAL, True, True),
        ("gfx1030", "s_subvector_loop_begin s0, 4", FlowKind.CONDITIONAL, True, True),
        ("gfx942", "s_call_b64 s[0:1], 4", FlowKind.CALL, True, True),
        ("gfx1250", "s_call_i64 s[0:1], 4", FlowKind.CALL, True, True),
        ("gfx942", "s_swappc_b64 s[0:1], s[2:3]", FlowKind.CALL, False, True),
        ("gfx1250", "s_swap_pc_i64 s[0:1], s[2:3]", FlowKind.CALL, False, True),
        ("gfx942", "s_setpc_b64 s[0:1]", FlowKind.COMPUTED, False, False),
        ("gfx1250", "s_set_pc_i64 s[0:1]", FlowKind.COMPUTED, False, False),
        ("gfx1250", "s_add_pc_i64 s[0:1]", FlowKind.COMPUTED, False, False),
        ("gfx942", "s_rfe_b64 s[0:1]", FlowKind.COMPUTED, False, False),
        ("gfx1250", "s_rfe_i64 s[0:1]", FlowKind.COMPUTED, False, False),
        ("gfx942", "s_cbranch_i_fork s[0:1], 4", FlowKind.FORK, True, True),
        ("gfx942", "s_cbranch_g_fork s[0:1], s[2:3]", FlowKind.FORK, False, True),
        ("gfx942", "s_trap 2", FlowKind.TRAP, False, True),
        ("gfx942", "s_endpgm", FlowKind.END, False, False),
        ("gfx942", "s_nop 0", FlowKind.NEXT, False, True),
        ("gfx942", "s_barrier", FlowKind.NEXT, False, True),
    ],
)
def test_kinds(arch: str, text: str, kind: FlowKind, direct: bool, falls: bool) -> None:
    found = record(text, arch).flow
    assert (found.kind, found.direct, found.falls) == (kind, direct, falls)
    assert flow_of_text(record(text, arch).inst.text or "") is found


def test_conditions_have_opposites() -> None:
    assert inverse("s_cbranch_scc0") == "s_cbranch_scc1"
    assert inverse("s_cbranch_vccnz") == "s_cbranch_vccz"
    assert inverse("s_cbranch_execz") == "s_cbranch_execnz"
    assert inverse("s_branch") is None
    assert inverse("s_cbranch_cdbguser") is None


def test_a_branch_that_skips_code_without_lanes() -> None:
    assert flow_of("s_cbranch_execz").skips_without_lanes
    assert not flow_of("s_cbranch_execnz").skips_without_lanes
    assert not flow_of("s_cbranch_vccz").skips_without_lanes
