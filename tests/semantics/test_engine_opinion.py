"""Compiled instructions against AMD's pseudocode: modifiers, MODE, EXEC, DPP, SDWA, SALU.

`make test` runs a seeded part of the opcodes; ASMEVO_OPINION_INPUTS=2000 runs all of them with
every modifier set.
"""

from __future__ import annotations

import os
import random
from dataclasses import replace
from fnmatch import fnmatchcase

import pytest

from asmevo.emulate.decode.instruction import Unsupported
from asmevo.isa.codec.llvm import AssemblyError
from asmevo.isa.semantics.table import Semantic
from opinion import compare, engine, scalar_engine
from opinion.compare import Mismatch
from opinion.lane_engine import CONTROLS, FULL, OPS, SDWA_OPS, Op, Sdwa, run_dpp, run_sdwa
from opinion.lanes import Dpp
from opinion.modifiers import Modifiers
from opinion.softfloat import Mode

# Further runs of 64 lanes: with the modes and modifiers, 2,000 inputs and more per opcode.
SEEDS = 31 if int(os.environ.get("ASMEVO_OPINION_INPUTS", "64")) >= 2000 else 0
ALL = int(os.environ.get("ASMEVO_OPINION_INPUTS", "64")) >= 2000
LANE = [(s, e) for s, e in compare.comparable() if s.scope == "lane"]
SCALAR = [(s, e) for s, e in compare.comparable() if s.scope == "scalar"]
MUST = {
    "v_add_f32",
    "v_fma_f32",
    "v_fma_f16",
    "v_add_f16",
    "v_pk_fma_f16",
    "v_pk_fma_f32",
    "v_pk_add_u16",
    "v_cndmask_b32",
    "v_addc_co_u32",
    "v_mad_u64_u32",
    "v_cmp_lt_f32",
    "v_cmpx_gt_u32",
    "v_cmp_class_f16",
    "v_add_u32",
    "v_sub_i16",
    "v_mul_f64",
    "v_cvt_f16_f32",
    "v_cvt_i32_f32",
    "v_exp_f32",
    "v_lshlrev_b64",
    "v_swap_b32",
    "v_mbcnt_hi_u32_b32",
    "v_div_scale_f32",
    "v_ldexp_f16",
    "v_fmamk_f32",
    "v_dot4_i32_i8",
}


def _name(value: object) -> str:
    """Test id: the opcode."""
    return value.name if isinstance(value, Semantic) else ""


def _part(cases: list[tuple[Semantic, str]], count: int) -> list[tuple[Semantic, str]]:
    if ALL:
        return cases
    chosen = set(random.Random(7).sample(range(len(cases)), count))
    return [c for i, c in enumerate(cases) if i in chosen or c[0].name in MUST]


def _pending(s: Semantic, modifiers: Modifiers, mode: Mode, m: Mismatch) -> str:
    """What the engine still owes: the reason why a difference is expected, or an empty text."""
    name = s.name
    if name == "v_cvt_pk_bf16_f32" and mode.denorm_32 != 3:
        return "whether v_cvt_pk_bf16_f32 follows FP_DENORM is open"
    directed = (mode.round_32, mode.round_16_64) != (0, 0)
    if fnmatchcase(name, "v_ma[cd]*_f16") and (mode.denorm_16_64 != 3 or mode.fp16_ovfl):
        return "flushing and clamping of the product inside v_mad_f16 are open"
    if fnmatchcase(name, "v_ma[cd]*_f32"):
        return "a product that only rounding brings to the smallest normal is not flushed"
    if directed and name == "v_cubema_f32":
        return "overflow of v_cubema_f32 ignores the rounding mode"
    return ""


@pytest.mark.parametrize(("semantic", "entry"), _part(LANE, 40), ids=_name)
def test_vector_instruction(semantic: Semantic, entry: str) -> None:
    tried = 0
    left: list[str] = []
    for modifiers in engine.modifier_sets(semantic):
        trial = engine.trial(semantic, entry, modifiers)
        if trial is None:
            continue
        plain = modifiers == Modifiers()
        for mode in engine.modes(semantic) if plain else [Mode()]:
            try:
                result = engine.run(trial, mode)
            except Unsupported:
                assert modifiers.clamp, trial.label  # integer clamp of some opcodes
                continue
            tried += 1
            left += [
                f"{trial.label} {mode.denorm_32},{mode.denorm_16_64}: {m}"
                for m in result.mismatches
                if not _pending(semantic, modifiers, mode, m)
            ]
        if plain:
            for seed in range(SEEDS):
                result = engine.run(trial, Mode(), seed=f"more {seed}")
                left += [
                    f"{trial.label}: {m}"
                    for m in result.mismatches
                    if not _pending(semantic, modifiers, Mode(), m)
                ]
            for exec_mask in (0, 0x8000_0F0F_1234_5671):
                result = engine.run(trial, Mode(), exec_mask, seed="partial")
                left += [
                    f"{trial.label} EXEC {exec_mask:#x}: {m}"
                    for m in result.mismatches
                    if not _pending(semantic, modifiers, Mode(), m)
                ]
    assert not left, f"{len(left)}: " + "\n".join(left[:4])
    if not tried:
        pytest.skip("no target of this family has the opcode")


@pytest.mark.parametrize(("semantic", "entry"), _part(SCALAR, 50), ids=_name)
def test_scalar_instruction(semantic: Semantic, entry: str) -> None:
    trials = scalar_engine.trials(semantic, entry)
    assert trials, semantic.name
    for trial in trials:
        left = scalar_engine.run(trial, 256 if ALL else 24)
        assert not left, f"{trial.instruction.text}: {left[0]}"


@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize("op", OPS if ALL else OPS[:4], ids=lambda op: op.mnemonic)
def test_dpp(op: Op, control: str) -> None:
    dpp = Dpp(control)
    negated = Modifiers(neg=1) if op.kind == "F" else Modifiers()
    for variant, modifiers, exec_mask in (
        (dpp, Modifiers(), FULL),
        (replace(dpp, row_mask=0xA, bank_mask=0x5), Modifiers(), 0x1234_5678_9ABC_DEF0),
        (replace(dpp, bound_ctrl=True), negated, 0xFFFF_0000_FFFF_00FF),
        (dpp, Modifiers(), 0),
    ):
        left = run_dpp(op, variant, modifiers, exec_mask)
        assert not left, f"{variant}: {left[0]}"


SDWA = [
    Sdwa(),
    Sdwa("BYTE_1", "UNUSED_PRESERVE", "WORD_1", "BYTE_3"),
    Sdwa("WORD_1", "UNUSED_PAD", "BYTE_0", "WORD_0"),
    Sdwa("BYTE_2", "UNUSED_SEXT", "BYTE_2", "DWORD", 3),
    Sdwa("WORD_0", "UNUSED_SEXT", "WORD_0", "WORD_1"),
    Sdwa("WORD_1", "UNUSED_PRESERVE", "WORD_1", "WORD_1", 1),
    Sdwa("BYTE_0", "UNUSED_PAD", "DWORD", "BYTE_1"),
    Sdwa("BYTE_3", "UNUSED_SEXT"),
]


@pytest.mark.parametrize("op", SDWA_OPS if ALL else SDWA_OPS[::3], ids=lambda op: op.mnemonic)
@pytest.mark.parametrize("sdwa", SDWA, ids=lambda s: f"{s.dst}-{s.unused[7:]}-{s.src0}-{s.src1}")
def test_sdwa(op: Op, sdwa: Sdwa) -> None:
    is_float = op.kind == "F"
    if is_float:
        sdwa = replace(sdwa, sext=0)
    modifiers = Modifiers(neg=2, abs=1) if is_float and op.sources > 1 else Modifiers()
    tried = 0
    for m, exec_mask in ((Modifiers(), FULL), (modifiers, 0x0FF0_1234_5678_9ABC)):
        try:
            left = run_sdwa(op, sdwa, m, exec_mask)
        except AssemblyError:
            continue
        tried += 1
        assert not left, str(left[0])
    assert tried
