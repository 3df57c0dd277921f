"""Subnormal halves in dot products and mixed fma, per target and MODE.

Source: measurements on gfx90a and gfx950 in llvm-project#205101 (case `num-dot2-subnormal`).
"""

from __future__ import annotations

import numpy as np
import pytest

from asmevo.emulate.decode.fidelity import of_instruction
from opinion.softfloat import Mode
from opinion.wave import Wave, assemble

FLUSH, KEEP = Mode(denorm_32=0, denorm_16_64=0), Mode()
TINY, SMALL = 0x8001, 0x0400  # -2**-24, 2**-14
PRODUCT = 0xAC800000  # -2**-38, a normal f32


def _run(text: str, arch: str, mode: Mode, a: int = TINY, b: int = SMALL) -> int:
    wave = Wave()
    for number, bits in ((10, a), (11, b), (14, 0), (20, 0)):
        wave.row(number)[:] = bits
    wave.run(assemble(text, arch), arch, mode)
    return int(wave.row(20)[0])


@pytest.mark.parametrize("mode", [KEEP, FLUSH, Mode(ieee=False)], ids=["keep", "flush", "no-ieee"])
@pytest.mark.parametrize(
    "text", ["v_dot2c_f32_f16_e32 v20, v10, v11", "v_dot2_f32_f16 v20, v10, v11, v14"]
)
def test_num_dot2_subnormal(text: str, mode: Mode) -> None:
    """gfx90a flushes subnormal halves in every mode, gfx950 keeps them in every mode."""
    assert _run(text, "gfx90a", mode) == 0
    assert _run(text, "gfx950", mode) == PRODUCT
    # The high halves, and the other operand.
    assert _run(text, "gfx90a", mode, SMALL << 16, TINY << 16) == 0
    assert _run(text, "gfx950", mode, SMALL << 16, TINY << 16) == PRODUCT


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950"])
def test_fma_mix_follows_mode(arch: str) -> None:
    text = "v_fma_mix_f32 v20, v10, v11, v14 op_sel_hi:[1,1,0]"
    assert _run(text, arch, KEEP) == PRODUCT
    assert _run(text, arch, FLUSH) == 0
    assert _run(text, arch, Mode(denorm_16_64=0)) == 0
    assert _run(text, arch, Mode(denorm_32=0)) == PRODUCT  # a normal f32, halves kept


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950"])
def test_dot2_flushes_its_accumulator(arch: str) -> None:
    """The f32 accumulator and result lose subnormals whatever MODE says (LLVM #205101)."""
    wave = Wave()
    wave.row(14)[:] = 0x80000001
    wave.run(assemble("v_dot2_f32_f16 v20, v10, v11, v14", arch), arch, KEEP)
    assert int(wave.row(20)[0]) & 0x7FFFFFFF == 0


@pytest.mark.parametrize(
    ("text", "mode", "want"),
    [
        ("v_cvt_f32_f16_e32 v20, v10", KEEP, 0xB3800000),
        ("v_cvt_f32_f16_e32 v20, v10", Mode(denorm_16_64=0), 0x80000000),
        ("v_cvt_f32_f16_e32 v20, v10", Mode(denorm_32=0), 0xB3800000),
        ("v_add_f16_e32 v20, v10, v11", Mode(denorm_16_64=0), 0x0400),
        ("v_add_f16_e32 v20, v10, v11", KEEP, 0x03FF),
        ("v_dot4c_i32_i8_e32 v20, v10, v11", FLUSH, 0),  # bytes 01 80 . 00 04
        ("v_pk_mul_f16 v20, v10, v11", Mode(denorm_16_64=0), 0x8000),
    ],
)
def test_siblings_follow_mode(text: str, mode: Mode, want: int) -> None:
    """Values by hand: conversions, halves and packed halves obey the mode of their own width."""
    got = _run(text, "gfx942", mode)
    if "dot4" in text:
        want = int(np.int8(0x80 - 256)) * 4 & 0xFFFFFFFF
    assert got == want, hex(got)


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950"])
def test_what_is_contested_is_not_called_exact(arch: str) -> None:
    for text, words in (
        ("v_dot2_f32_f16 v20, v10, v11, v14", "llvm-project#205101"),
        ("v_dot2c_f32_f16_e32 v20, v10, v11", "llvm-project#205101"),
    ):
        level, note = of_instruction(assemble(text, arch)[0], arch)
        assert level == "open"
        assert words in note
