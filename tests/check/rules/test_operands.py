"""Tuples that the hardware cannot encode, and results over their own sources."""

from __future__ import annotations

import pytest

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


@pytest.mark.parametrize(
    ("registers", "multiple"),
    [
        ("s[2:3]", 0), ("s[3:4]", 2), ("s[6:7]", 0), ("s[4:7]", 0), ("s[6:9]", 4), ("s[8:15]", 0),
        ("s[10:17]", 4), ("s[12:27]", 0), ("s[14:29]", 4), ("ttmp[4:7]", 0), ("ttmp[6:9]", 4),
        ("vcc", 0),
    ],
)  # fmt: skip
def test_scalar_tuples(registers: str, multiple: int) -> None:
    """CDNA3 ISA 3.6: pairs at even registers, larger tuples at multiples of four."""
    inst = Instruction(bytes(8), f"s_load_dwordx4 {registers}, s[0:1], 0x0")
    found = [m for *_, m in operand_faults(inst, Target("gfx942"))]
    expected = [f"{registers} must start at a multiple of {multiple}"] if multiple else []
    assert found == expected


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
