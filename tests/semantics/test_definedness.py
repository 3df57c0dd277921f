"""The third instance of the instruction text: which bits are undefined.

Soundness by experiment: undefined source bits are flipped at random, and no result bit that is
called defined may change. Precision by hand: copies, masks, shifts and selections.
"""

from __future__ import annotations

import os
import random
import zlib

import numpy as np
import pytest

from asmevo.isa.operand import EXEC, VCC
from asmevo.isa.semantics.instruction.decode import UnsupportedForm
from asmevo.isa.semantics.instruction.definedness import nothing_undefined, run_defined
from asmevo.isa.semantics.instruction.reference import Registers, run
from asmevo.isa.semantics.table import Semantic
from opinion import compare, engine, scalar_engine
from opinion.compare import product_mode
from opinion.softfloat import Mode
from opinion.wave import assemble

ALL = int(os.environ.get("ASMEVO_OPINION_INPUTS", "64")) >= 2000
LANE = [(s, e) for s, e in compare.comparable() if s.scope == "lane"]
SCALAR = [(s, e) for s, e in compare.comparable() if s.scope == "scalar"]
LANES = 16


def _some(cases: list[tuple[Semantic, str]], count: int) -> list[tuple[Semantic, str]]:
    return cases if ALL else random.Random(17).sample(cases, count)


def _name(value: object) -> str:
    return value.name if isinstance(value, Semantic) else ""


def _noise(seed: str) -> tuple[Registers, Registers]:
    """Random values, and undefined bits in about a third of the registers."""
    rng = np.random.default_rng(zlib.crc32(seed.encode()))
    values, undefined = Registers(LANES), nothing_undefined(LANES)
    for target in (values.vector, values.scalar):
        target[:] = rng.integers(0, 1 << 32, target.shape, dtype=np.uint64)
    for target in (undefined.vector, undefined.scalar):
        bits = rng.integers(0, 1 << 32, target.shape, dtype=np.uint64)
        sparse = rng.integers(0, 1 << 32, target.shape, dtype=np.uint64)
        kind = rng.integers(0, 6, target.shape)
        target[:] = np.where(kind == 0, bits, np.where(kind == 1, bits & sparse & 0xFF0000FF, 0))
    values.write_scalar(EXEC, 0xFFFF if seed.endswith("0") else 0xA5F3, 64)
    undefined.write_scalar(EXEC, 0x0010 if seed.endswith("2") else 0, 64)
    undefined.scc = bool(rng.integers(0, 2))
    return values, undefined


def _copy(registers: Registers) -> Registers:
    out = Registers(LANES)
    out.vector[:], out.scalar[:], out.scc = registers.vector, registers.scalar, registers.scc
    return out


def _sound(text: str, arch: str, mode: Mode, seed: str) -> None:
    inst = assemble(text, arch)[0]
    values, undefined = _noise(seed)
    rng = np.random.default_rng(zlib.crc32(text.encode()))
    flipped = _copy(values)
    for target, mask in ((flipped.vector, undefined.vector), (flipped.scalar, undefined.scalar)):
        target ^= rng.integers(0, 1 << 32, target.shape, dtype=np.uint64).astype(np.uint32) & mask
    flipped.scc ^= undefined.scc
    plain = _copy(values)
    full = product_mode(mode).on_target(arch)
    with np.errstate(all="ignore"):
        try:
            run_defined(inst, values, undefined, full)
        except UnsupportedForm:
            return
        run(inst, flipped, full)
        run(inst, plain, full)
    assert (values.vector == plain.vector).all(), text
    assert (values.scalar == plain.scalar).all(), text
    assert not ((flipped.vector ^ values.vector) & ~undefined.vector).any(), text
    assert not ((flipped.scalar ^ values.scalar) & ~undefined.scalar).any(), text
    assert undefined.scc or flipped.scc == values.scc, text


@pytest.mark.parametrize(("semantic", "entry"), _some(LANE, 60), ids=_name)
def test_vector_instructions_are_sound(semantic: Semantic, entry: str) -> None:
    for modifiers in engine.modifier_sets(semantic):
        trial = engine.trial(semantic, entry, modifiers)
        if trial is not None:
            for seed in range(3):
                text = trial.instruction.text
                assert text is not None
                _sound(text, trial.arch, Mode(), f"{text} {seed}")


@pytest.mark.parametrize(("semantic", "entry"), _some(SCALAR, 40), ids=_name)
def test_scalar_instructions_are_sound(semantic: Semantic, entry: str) -> None:
    for trial in scalar_engine.trials(semantic, entry):
        for seed in range(4):
            text = trial.instruction.text
            assert text is not None
            _sound(text, "gfx942", Mode(), f"{text} {seed}")


@pytest.mark.parametrize(
    "text",
    [
        "v_mov_b32_dpp v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf",
        "v_add_co_u32_dpp v1, vcc, v2, v3 row_shl:1 row_mask:0x3 bank_mask:0xf",
        "v_add_u32_sdwa v1, v2, v3 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_2 "
        "src1_sel:WORD_1",
        "v_fma_mixhi_f16 v1, v2, v3, v4 op_sel_hi:[1,0,0]",
        "v_cmpx_lt_u32_e32 v2, v3",
    ],
)
def test_moves_and_parts_are_sound(text: str) -> None:
    for seed in range(12):
        _sound(text, "gfx942", Mode(), f"{text} {seed}")


def _after(text: str, undefined_v2: int, v3: int = 0, exec_mask: int = 0xFFFF) -> int:
    """Undefined bits of v1 in lane 0, when v2 = 0x12345678 has the given ones."""
    values, undefined = Registers(LANES), nothing_undefined(LANES)
    values.vector[2], values.vector[3] = 0x12345678, v3
    values.write_scalar(EXEC, exec_mask, 64)
    undefined.vector[2] = undefined_v2
    run_defined(assemble(text, "gfx942")[0], values, undefined)
    return int(undefined.vector[1][0])


@pytest.mark.parametrize(
    ("text", "undefined", "v3", "want"),
    [
        ("v_mov_b32_e32 v1, v2", 0xF0, 0, 0xF0),
        ("v_and_b32_e32 v1, 0xff, v2", 0xF0F0, 0, 0xF0),
        ("v_or_b32_e32 v1, 0xff, v2", 0xF0F0, 0, 0xF000),
        ("v_lshrrev_b32_e32 v1, 8, v2", 0xF0F0, 0, 0xF0),
        ("v_lshlrev_b32_e32 v1, v2, v3", 1 << 31, 1, 0),
        ("v_lshlrev_b32_e32 v1, v2, v3", 1, 1, 0xFFFFFFFF),
        ("v_add_u32_e32 v1, v2, v3", 0x100, 1, 0xFFFFFF00),
        ("v_xor_b32_e32 v1, v2, v2", 0x100, 0, 0x100),
        ("v_bfe_u32 v1, v2, 8, 4", 0xF000, 0, 0),
        ("v_mul_f32_e32 v1, v2, v3", 1, 0, 0xFFFFFFFF),
    ],
)
def test_precision(text: str, undefined: int, v3: int, want: int) -> None:
    """By hand, from what each operation does to bits."""
    got = _after(text, undefined, v3)
    assert got == want, hex(got)


def test_an_undefined_mask_spoils_only_what_differs() -> None:
    values, undefined = Registers(LANES), nothing_undefined(LANES)
    values.vector[2], values.vector[3] = 0xFF00, 0xFF0F
    undefined.write_scalar(VCC, 1, 64)
    run_defined(assemble("v_cndmask_b32_e32 v1, v2, v3, vcc", "gfx942")[0], values, undefined)
    assert [int(x) for x in undefined.vector[1][:2]] == [0xF, 0]


def test_inactive_lanes_keep_what_they_had() -> None:
    assert _after("v_mov_b32_e32 v1, v2", 0xF0, exec_mask=0xFFFE) == 0
