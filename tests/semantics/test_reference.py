"""The engine and the NumPy reference: two instances of one text give the same bits.

What the text itself means is tested against AMD's pseudocode and against arithmetic elsewhere;
here every opcode runs with every modifier on both instances, so that neither adds anything.
"""

from __future__ import annotations

import os
import random
import zlib
from functools import lru_cache

import numpy as np
import pytest
from numpy.typing import NDArray

from asmevo.emulate import layout as L
from asmevo.emulate.decode.instruction import Unsupported
from asmevo.isa.instruction import Instruction
from asmevo.isa.operand import EXEC, M0, VCC
from asmevo.isa.semantics.instruction.decode import UnsupportedForm
from asmevo.isa.semantics.instruction.reference import Registers, run
from asmevo.isa.semantics.table import Semantic
from opinion import compare, edges, engine, scalar_engine
from opinion.compare import product_mode
from opinion.lane_engine import CONTROLS
from opinion.softfloat import Mode
from opinion.wave import Wave, assemble

ALL = int(os.environ.get("ASMEVO_OPINION_INPUTS", "64")) >= 2000
LANE = [(s, e) for s, e in compare.comparable() if s.scope == "lane"]
SCALAR = [(s, e) for s, e in compare.comparable() if s.scope == "scalar"]
SCALARS = [*range(100), VCC, VCC + 1, M0, EXEC, EXEC + 1]
EXECS = ((1 << 64) - 1, 0x8000_0F0F_1234_5671)


def _some(cases: list[tuple[Semantic, str]], count: int) -> list[tuple[Semantic, str]]:
    return cases if ALL else random.Random(11).sample(cases, count)


@lru_cache(maxsize=1)
def _pool() -> NDArray[np.uint32]:
    """Edge values of four kinds, a row of 64 each."""
    kinds = [("F", 32), ("U", 32), ("F", 16), ("PKF", 32)]
    rows = [[r[0] for r in edges.tuples([kinds[n % 4]], 64, f"pool {n}")] for n in range(32)]
    return np.array(rows, np.uint64).astype(np.uint32)


def _fill(wave: Wave, registers: Registers, seed: str, exec_mask: int) -> None:
    """The same edge values and noise in both."""
    noise = np.random.default_rng(zlib.crc32(seed.encode()))
    rows = noise.integers(0, len(_pool()), 256)
    registers.vector[:256] = noise.permuted(_pool()[rows], axis=1)
    _rows(wave)[:] = registers.vector[:256]
    registers.scalar[:] = noise.integers(0, 1 << 32, 128, dtype=np.uint64).astype(np.uint32)
    registers.write_scalar(EXEC, exec_mask, 64)
    for code in SCALARS:
        wave.set_scalar(L.sgpr(code), int(registers.scalar[code]))
    registers.scc = bool(noise.integers(0, 2))
    wave.set_scalar(L.SCC, registers.scc)


def _rows(wave: Wave) -> NDArray[np.uint32]:
    """All VGPRs."""
    return wave.state[L.vgpr(0) : L.vgpr(256)].view(np.uint32).reshape(256, 64)


def _agree(inst: Instruction, arch: str, mode: Mode, exec_mask: int, seed: str) -> bool:
    """Run both; False when both refuse."""
    wave, registers = Wave(), Registers()
    _fill(wave, registers, seed, exec_mask)
    try:
        wave.run([inst], arch, mode)
    except Unsupported:
        with pytest.raises(UnsupportedForm):
            run(inst, registers, product_mode(mode).on_target(arch))
        return False
    with np.errstate(all="ignore"):
        run(inst, registers, product_mode(mode).on_target(arch))
    got = _rows(wave)
    wrong = got != registers.vector[:256]
    if inst.base.startswith("v_dot2") and "_f32_" in inst.base:  # which NaN comes out is open
        wrong &= ~(np.isnan(got.view("f4")) & np.isnan(registers.vector[:256].view("f4")))
    for number, lane in np.argwhere(wrong)[:1]:
        raise AssertionError(
            f"{inst.text} ({arch}, {mode}): v{number}[{lane}]: engine {got[number, lane]:#x}, "
            f"reference {registers.vector[number, lane]:#x}"
        )
    for code in SCALARS:
        assert wave.scalar(L.sgpr(code)) == int(registers.scalar[code]), (inst.text, code)
    assert bool(wave.scalar(L.SCC)) == registers.scc, inst.text
    return True


def _name(value: object) -> str:
    return value.name if isinstance(value, Semantic) else ""


@pytest.mark.parametrize(("semantic", "entry"), _some(LANE, 60), ids=_name)
def test_vector_instruction(semantic: Semantic, entry: str) -> None:
    for modifiers in engine.modifier_sets(semantic):
        trial = engine.trial(semantic, entry, modifiers)
        if trial is None:
            continue
        for mode in engine.modes(semantic):
            for exec_mask in EXECS:
                _agree(trial.instruction, trial.arch, mode, exec_mask, f"{trial.label}")


@pytest.mark.parametrize(("semantic", "entry"), _some(SCALAR, 60), ids=_name)
def test_scalar_instruction(semantic: Semantic, entry: str) -> None:
    trials = scalar_engine.trials(semantic, entry)
    for trial in trials:
        for seed in range(8):
            _agree(trial.instruction, "gfx942", Mode(), EXECS[seed & 1], f"{semantic.name} {seed}")


@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize(
    "text",
    [
        "v_add_f32_dpp v1, -v2, |v3|",
        "v_add_co_u32_dpp v1, vcc, v2, v3",
        "v_pk_fmac_f16_dpp v1, v2, v3",
        "v_mov_b32_dpp v1, v2",
        "v_subb_co_u32_dpp v1, vcc, v2, v3, vcc",
        "v_max_f16_dpp v1, v2, v3",
    ],
)
def test_dpp(text: str, control: str) -> None:
    for suffix in ("", " row_mask:0xa bank_mask:0x5", " row_mask:0xf bank_mask:0xf bound_ctrl:1"):
        inst = assemble(f"{text} {control}{suffix}", "gfx942")[0]
        for exec_mask in EXECS:
            assert _agree(inst, "gfx942", Mode(denorm_32=0), exec_mask, f"{text}{control}")


@pytest.mark.parametrize(
    "text",
    [
        "v_add_f32_sdwa v1, -v2, |v3| dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 "
        "src1_sel:DWORD",
        "v_add_u32_sdwa v1, sext(v2), v3 dst_sel:BYTE_2 dst_unused:UNUSED_SEXT src0_sel:BYTE_3 "
        "src1_sel:WORD_0",
        "v_cmp_lt_i16_sdwa s[20:21], sext(v2), v3 src0_sel:BYTE_1 src1_sel:WORD_1",
        "v_cmpx_eq_f16_sdwa vcc, v2, -v3 src0_sel:WORD_1 src1_sel:WORD_0",
        "v_pk_fmac_f16_sdwa v1, v2, v3 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:WORD_1 "
        "src1_sel:DWORD",
        "v_fma_mix_f32 v1, v2, -v3, |s20| op_sel:[1,0,0] op_sel_hi:[1,1,0]",
        "v_fma_mixlo_f16 v1, 0.5, v3, v4 op_sel_hi:[1,1,1] clamp",
        "v_fma_mixhi_f16 v1, v2, v3, 1.0 op_sel:[0,1,0] op_sel_hi:[0,1,0]",
        "v_add_f64 v[2:3], v[4:5], -1.0",
        "v_add_f32_e64 v1, 0.15915494, vcc_lo",
        "v_pk_add_f16 v1, v2, 1.0 op_sel_hi:[1,0]",
        "v_pk_add_u16 v1, v2, -1",
        "v_add_u16_e32 v1, -3, v2",
        "v_cndmask_b32_e64 v1, -v2, v3, s[20:21]",
        "v_accvgpr_mov_b32 a1, a2",
    ],
)
def test_forms(text: str) -> None:
    inst = assemble(text, "gfx942")[0]
    for mode in (Mode(), Mode(round_32=1, round_16_64=2, denorm_32=0, fp16_ovfl=True)):
        for exec_mask in EXECS:
            assert _agree(inst, "gfx942", mode, exec_mask, text)


def test_other_lane_counts() -> None:
    """Lanes per wave is a parameter: a wave of 32 moves and masks within its 32 lanes."""
    registers = Registers(lanes=32)
    registers.vector[2] = np.arange(32)
    registers.write_scalar(EXEC, 0xFFFFFFFE, 32)
    inst = assemble("v_mov_b32_dpp v1, v2 wave_ror:1 row_mask:0xf bank_mask:0xf", "gfx942")[0]
    run(inst, registers)
    want = [0, 0, *range(1, 31)]  # lane 0 is inactive, and lane 1 reads it
    assert registers.vector[1].tolist() == want


def test_what_the_reference_refuses() -> None:
    for text in ("global_load_dword v1, v2, s[2:3]", "s_barrier", "v_readlane_b32 s1, v2, 3"):
        with pytest.raises(UnsupportedForm, match="not in the semantics table"):
            run(assemble(text, "gfx942")[0], Registers())
