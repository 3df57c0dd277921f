"""MODE: set by the descriptor, changed by s_setreg, read by s_getreg, VSKIP."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from asmevo.emulate import layout as L
from asmevo.emulate.decode.encode import encode
from asmevo.errors import UnsupportedError
from emulate.harness import DEFAULT, Setup, encoded, lanes, launched, library, run_body

TINY = np.full(64, 0x00400000, np.uint32)  # a subnormal f32
ONE = np.full(64, 0x3F800000, np.uint32)


def test_descriptor_denormal_mode() -> None:
    kept = lanes("v_add_f32 v1, v1, v1", TINY)
    assert (kept == 0x00800000).all()
    flushed = lanes("v_add_f32 v1, v1, v1", TINY, setup=Setup(denorm_32=0))
    assert (flushed == 0).all()


def test_setreg_changes_later_instructions_only() -> None:
    body = """
        v_add_f32 v2, v1, v1
        s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0
        v_add_f32 v1, v1, v1
        v_or_b32 v1, v1, v2
    """
    assert (lanes(body, TINY) == 0x00800000).all()


def test_setreg_in_a_loop_and_back() -> None:
    # Two rounds: flushing in the first, keeping in the second; sums 0 + 0x800000.
    body = """
        s_mov_b32 s10, 0
        v_mov_b32 v3, 0
        s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0
        .Lagain:
        v_add_f32 v2, v1, v1
        v_add_u32 v3, v3, v2
        s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3
        s_add_u32 s10, s10, 1
        s_cmp_lt_u32 s10, 2
        s_cbranch_scc1 .Lagain
        v_mov_b32 v1, v3
    """
    assert (lanes(body, TINY) == 0x00800000).all()


def test_getreg_reads_mode_and_register_restores_it() -> None:
    body = """
        s_getreg_b32 s10, hwreg(HW_REG_MODE, 4, 4)
        s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0
        v_add_f32 v2, v1, v1
        s_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s10
        v_add_f32 v1, v1, v1
        v_lshlrev_b32 v2, 4, v2
        v_or_b32 v1, v1, v2
        v_or_b32 v1, s10, v1
    """
    assert (lanes(body, TINY) == (0x00800000 | 0xF)).all()


# A field of MODE from a register: clang -O0 writes FP_DENORM so around every f32 division with
# flushed subnormals. `{value}` leaves the new bits in s10.
_FROM_REGISTER = """
    {value}
    v_add_f32 v2, v1, v1
    s_setreg_b32 hwreg(HW_REG_MODE, 4, 2), s10
    v_add_f32 v1, v1, v1
    s_setreg_b32 hwreg(HW_REG_MODE, 4, 2), s11
    s_nop 1
"""
_KEPT, _FLUSHED = 0x00800000, 0


@pytest.mark.parametrize(
    "value",
    [
        "s_mov_b32 s10, 3\ns_mov_b32 s11, 0",
        "s_movk_i32 s10, 0x3\ns_movk_i32 s11, 0x0",
        "s_mov_b32 s10, -1\ns_mov_b32 s11, 0",
    ],
)
def test_mode_from_a_register_with_a_constant_runs(value: str) -> None:
    setup = replace(DEFAULT, denorm_32=0)
    assert (lanes(_FROM_REGISTER.format(value=value), TINY, setup=setup) == _KEPT).all()


@pytest.mark.parametrize("bits", [0, 1, 2, 3])
def test_mode_from_a_register_without_a_constant_runs_once_it_was_met(bits: int) -> None:
    # The value comes from memory: the first run names it, the next one knows it.
    value = "v_readfirstlane_b32 s10, v2\ns_mov_b32 s11, 0"
    body = "\n".join(
        [
            "v_lshlrev_b32 v0, 2, v0",
            "global_load_dword v1, v0, s[2:3]",
            "global_load_dword v2, v0, s[2:3] offset:256",
            "s_waitcnt vmcnt(0)",
            _FROM_REGISTER.format(value=value),
            "global_store_dword v0, v1, s[2:3]",
        ]
    )
    memory = np.concatenate([TINY, np.full(64, bits, np.uint32)])
    setup = replace(DEFAULT, denorm_32=0)
    kernel = encoded(body, setup)
    _, outcome = launched(kernel, memory)
    met: tuple[int, ...] = ()
    if bits:
        assert outcome.fault == L.MODE_FAULT
        assert outcome.fault_address & 0xFF == 0xC0 | bits << 4
        met = (outcome.fault_address,)
    kernel = encode(kernel.program, kernel.kernel, library(), met=met)
    data, outcome = launched(kernel, memory)
    assert not outcome.fault
    # FP_DENORM: bit 0 allows subnormal inputs, bit 1 subnormal results (here it is normal).
    assert (data[:256].view(np.uint32) == (_KEPT if bits & 1 else _FLUSHED)).all()


def test_more_modes_than_the_emulator_keeps_are_refused_by_name() -> None:
    kernel = encoded("s_nop 0")
    with pytest.raises(UnsupportedError, match="more than 64 MODE values"):
        encode(kernel.program, kernel.kernel, library(), met=range(64))


@pytest.mark.parametrize(
    ("rounding", "up", "down"),
    [
        (0, 0x3F800000, 0xBF800000),
        (1, 0x3F800001, 0xBF800000),
        (2, 0x3F800000, 0xBF800001),
        (3, 0x3F800000, 0xBF800000),
    ],
)
def test_rounding_modes(rounding: int, up: int, down: int) -> None:
    # 1 + 2**-26, and its negation.
    small = np.full(64, 0x32800000, np.uint32)
    setup = Setup(round_32=rounding)
    assert (lanes("v_add_f32 v1, v1, v2", ONE, small, setup=setup) == up).all()
    got = lanes("v_add_f32 v1, -v1, -v2", ONE, small, setup=setup)
    assert (got == down).all()


@pytest.mark.parametrize("ieee", [0, 1])
def test_ieee_decides_about_signalling_nan(ieee: int) -> None:
    signalling = np.full(64, 0x7F800001, np.uint32)
    got = lanes("v_max_f32 v1, v1, v2", signalling, ONE, setup=Setup(ieee=ieee))
    assert (got == (0x7FC00001 if ieee else 0x3F800000)).all()


@pytest.mark.parametrize("dx10", [0, 1])
def test_dx10_clamp_decides_about_nan(dx10: int) -> None:
    nan = np.full(64, 0x7FC00123, np.uint32)
    got = lanes("v_add_f32 v1, v1, v1 clamp", nan, setup=Setup(dx10=dx10))
    assert (got == (0 if dx10 else 0x7FC00123)).all()


def test_omod_needs_flushing_and_no_ieee() -> None:
    two = 0x40000000
    assert (lanes("v_add_f32 v1, v1, v1 mul:2", ONE) == two).all()
    assert (lanes("v_add_f32 v1, v1, v1 mul:2", ONE, setup=Setup(ieee=0)) == two).all()
    setup = Setup(ieee=0, denorm_32=0)
    assert (lanes("v_add_f32 v1, v1, v1 mul:2", ONE, setup=setup) == 0x40800000).all()


def test_fp16_overflow_saturates() -> None:
    big = np.full(64, 0x49742400, np.uint32)  # 1e6
    body = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1\nv_cvt_f16_f32 v1, v1"
    assert (lanes(body, big) == 0x7BFF).all()
    assert (lanes("v_cvt_f16_f32 v1, v1", big) == 0x7C00).all()
    infinite = np.full(64, 0x7F800000, np.uint32)
    assert (lanes(body, infinite) == 0x7C00).all()


def test_vskip_suppresses_vector_instructions() -> None:
    body = """
        s_mov_b32 s10, 4
        s_setvskip s10, 2
        v_mov_b32 v1, 7
        s_mov_b32 s11, 9
        s_setvskip s10, 0
        v_add_u32 v1, s11, v1
    """
    value = np.arange(64, dtype=np.uint32)
    assert (lanes(body, value) == value + 9).all()


def test_one_copy_of_the_records_per_mode() -> None:
    plain = encoded("v_mov_b32 v1, 0")
    assert len(plain.modes) == 1
    changed = encoded("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\nv_mov_b32 v1, 0")
    assert len(changed.modes) == 2


def test_modes_under_an_interleaved_schedule() -> None:
    body = """
        v_lshlrev_b32 v0, 2, v0
        global_load_dword v1, v0, s[2:3]
        s_waitcnt vmcnt(0)
        s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0
        v_add_f32 v1, v1, v1
        global_store_dword v0, v1, s[2:3]
    """
    data, _ = run_body(body, np.tile(TINY, 4), block=256, quantum=1)
    assert not data.any()


def test_zero_flags_as_operands() -> None:
    body = """
        s_mov_b64 vcc, 0
        s_add_u32 s10, src_vccz, 4
        s_mov_b64 vcc, 3
        v_add_u32 v1, src_vccz, v1
        s_lshl_b32 s11, src_execz, 3
        v_add_u32 v1, s10, v1
        v_add_u32 v1, s11, v1
    """
    value = np.arange(64, dtype=np.uint32)
    assert (lanes(body, value) == value + 5).all()
