"""Matrix passes against numbers that LLVM 22's hazard recognizer and scheduler model gave."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from asmevo.errors import UnsupportedError
from asmevo.isa.instruction import Instruction
from asmevo.isa.matrix import MatrixClass, matrix_op
from asmevo.isa.target import Target

# [arch, mnemonic, class, passes, modifiers], read off LLVM, not off this project's rules.
TABLE = json.loads((Path(__file__).parent / "data" / "mfma_passes.json").read_text())


def instruction(text: str) -> Instruction:
    return Instruction(bytes(8), text)


def test_every_known_mnemonic_has_llvms_passes_and_class() -> None:
    assert len(TABLE) > 140
    for arch, mnemonic, cls, passes, modifiers in TABLE:
        op = matrix_op(
            instruction(f"{mnemonic} v[0:3], v[4:5], v[6:7], v[0:3] {modifiers}"), Target(arch)
        )
        assert op is not None
        assert (op.cls.value, op.passes) == (cls, passes), (arch, mnemonic, modifiers)


@pytest.mark.parametrize(
    ("arch", "mnemonic", "shape"),
    [
        ("gfx942", "v_mfma_f32_32x32x8_f16", (32, 32, 8, 1, "f16", "f32")),
        ("gfx942", "v_mfma_f32_16x16x4_4b_f16", (16, 16, 4, 4, "f16", "f32")),
        ("gfx90a", "v_mfma_f32_4x4x4bf16_1k", (4, 4, 4, 16, "bf16_1k", "f32")),
        ("gfx90a", "v_mfma_f32_32x32x1f32", (32, 32, 1, 2, "f32", "f32")),
        ("gfx950", "v_mfma_f64_16x16x4_f64", (16, 16, 4, 1, "f64", "f64")),
        ("gfx942", "v_mfma_i32_32x32x16_i8", (32, 32, 16, 1, "i8", "i32")),
    ],
)
def test_shape(arch: str, mnemonic: str, shape: tuple[object, ...]) -> None:
    op = matrix_op(instruction(f"{mnemonic} v[0:3], v[4:5], v[6:7], v[0:3]"), Target(arch))
    assert op is not None
    assert (op.m, op.n, op.k, op.blocks, op.in_type, op.out_type) == shape


def test_f32_inputs_are_sgemm_only_on_gfx940() -> None:
    inst = instruction("v_mfma_f32_16x16x4_f32 v[0:3], v4, v5, v[0:3]")
    op = matrix_op(inst, Target("gfx942"))
    assert op is not None
    assert op.cls is MatrixClass.SGEMM


def test_other_instructions_and_unknown_shapes() -> None:
    assert matrix_op(instruction("v_add_f32_e32 v0, v1, v2"), Target("gfx942")) is None
    with pytest.raises(UnsupportedError, match="v_mfma_future"):
        matrix_op(instruction("v_mfma_future v0, v1"), Target("gfx942"))
