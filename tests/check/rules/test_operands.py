"""Tuples that the hardware cannot encode, and results over their own sources."""

from __future__ import annotations

from asmevo.check.findings import ERROR
from asmevo.check.rules.operands import operand_faults
from asmevo.isa.instruction import Instruction
from asmevo.isa.target import Target


def test_tuple_alignment_per_target(text_view) -> None:
    # The assembler refuses odd tuples on gfx90a and later, so the fact is checked on gfx908's
    # encoding of the same text.
    view = text_view("global_load_dwordx2 v[1:2], v[4:5], off\ns_endpgm", "gfx908")
    inst = view.facts[0].inst
    assert operand_faults(inst, Target("gfx908")) == ()
    ((rule, _, severity, message),) = operand_faults(inst, Target("gfx942"))
    assert (rule, severity) == ("register.alignment", ERROR)
    assert "v[1:2] must start at an even register" in message


def test_mfma_destination_overlap(text_view) -> None:
    def rules(text: str) -> list[tuple[str, str]]:
        inst = text_view(text + "\ns_endpgm").facts[0].inst
        return [(r, s) for r, _, s, _ in operand_faults(inst, Target("gfx942"))]

    mfma = "v_mfma_f32_32x32x8_f16 v[0:15], {}, v[30:31], {}"
    assert rules(mfma.format("v[32:33]", "v[0:15]")) == []
    assert rules(mfma.format("v[32:33]", "v[16:31]")) == []
    assert rules(mfma.format("v[2:3]", "v[16:31]")) == [("register.mfma-overlap", "note")]
    # Destinations of 128 bits may overlap: compiled code does it.
    assert rules("v_mfma_f32_16x16x16_f16 v[0:3], v[2:3], v[6:7], v[2:5]") == []
    assert rules("v_mfma_f32_4x4x4_16b_f16 v[0:3], v[2:3], v[6:7], v[8:11]") == []


def test_partial_overlap_with_c_is_an_error(text_view) -> None:
    # The assembler refuses it, so the operands are written as text only.
    text = "v_mfma_f32_32x32x8_f16 v[0:15], v[32:33], v[34:35], v[8:23]"
    ((rule, _, severity, _),) = operand_faults(Instruction(bytes(8), text), Target("gfx942"))
    assert (rule, severity) == ("register.mfma-overlap", ERROR)
