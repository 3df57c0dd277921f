"""Instruction sequences for end-to-end arithmetic, as clang emits them, and a bench to run them.

Operands are 32-, 64- or 16-bit patterns in lanes; each sequence is a straight line. Written from
the compiler's output for `a / b`, `sqrtf` and the like (LLVM SIISelLowering, AMDGPULegalizerInfo).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from asmevo.emulate import layout as L
from asmevo.isa.instruction import Instruction

from .softfloat import DEFAULT, Mode
from .wave import Wave, assemble

IN_A, IN_B, OUT = 2, 4, 40  # first registers of the operands and of the result


class Bench:
    """A text, assembled for a target, run on columns of operands of any length.

    `bits` are the widths of the operands (v2.., v4..) and of the result (v40..); texts may use
    the other VGPRs and SGPRs as they like. Parts of a text after `---` lines run in further
    modes of `modes`, as behind an `s_setreg`.
    """

    def __init__(self, text: str, arch: str, modes: Sequence[Mode] = (DEFAULT,)) -> None:
        self._wave = Wave()
        parts = text.split("---")
        assert len(parts) == len(modes), (len(parts), len(modes))
        self._parts = [
            _Part(tuple(assemble(part, arch)), arch, mode)
            for part, mode in zip(parts, modes, strict=True)
        ]

    def __call__(
        self, *operands: NDArray[np.generic], bits: int, out_bits: int | None = None
    ) -> NDArray[np.generic]:
        """Results (unsigned patterns) of operand patterns, 64 lanes at a time."""
        out_bits = out_bits or bits
        count = len(operands[0])
        padded = -(-count // 64) * 64
        columns = [np.resize(np.asarray(o, np.uint64), padded) for o in operands]
        result = np.zeros(padded, np.uint64)
        wave = self._wave
        for at in range(0, padded, 64):
            for first, column in zip((IN_A, IN_B, 6), columns, strict=False):
                chunk = column[at : at + 64]
                wave.row(first)[:] = chunk.astype(np.uint32)
                wave.row(first + 1)[:] = (chunk >> np.uint64(32)).astype(np.uint32)
            wave.set_scalar(L.EXEC, (1 << 64) - 1, 8)
            for part in self._parts:
                part.run(wave)
            low = wave.row(OUT).astype(np.uint64)
            if out_bits == 64:
                low |= wave.row(OUT + 1).astype(np.uint64) << np.uint64(32)
            result[at : at + 64] = low & np.uint64((1 << out_bits) - 1)
        kind = {16: np.uint16, 32: np.uint32, 64: np.uint64}[out_bits]
        return result[:count].astype(kind)


class _Part:
    """Instructions of one mode; their constants are put into the wave before each run."""

    def __init__(self, instructions: tuple[Instruction, ...], arch: str, mode: Mode) -> None:
        self._host = Wave()
        self._table = self._host.load(instructions, arch, mode)
        at = slice(L.CONSTANTS, None)
        self._constants = self._host.state[at].copy()

    def run(self, wave: Wave) -> None:
        wave.state[L.CONSTANTS :] = self._constants
        wave.start(self._table)


# --- division ---------------------------------------------------------------------------------
_DIV_32_HEAD = """
v_div_scale_f32 v10, s[4:5], v4, v4, v2
v_div_scale_f32 v11, vcc, v2, v4, v2
v_rcp_f32_e32 v12, v10
"""
_DIV_32_CHAIN = """
v_fma_f32 v13, -v10, v12, 1.0
v_fma_f32 v12, v13, v12, v12
v_mul_f32_e32 v13, v11, v12
v_fma_f32 v14, -v10, v13, v11
v_fma_f32 v13, v14, v12, v13
v_fma_f32 v10, -v10, v13, v11
"""
_DIV_32_TAIL = """
v_div_fmas_f32 v10, v10, v12, v13
v_div_fixup_f32 v40, v10, v4, v2
"""
DIV_32 = _DIV_32_HEAD + _DIV_32_CHAIN + _DIV_32_TAIL
# With flushed f32 subnormals the chain runs with subnormals allowed (s_setreg around it).
DIV_32_FLUSHED = _DIV_32_HEAD + "---" + _DIV_32_CHAIN + "---" + _DIV_32_TAIL
DIV_64 = """
v_div_scale_f64 v[10:11], s[4:5], v[4:5], v[4:5], v[2:3]
v_rcp_f64_e32 v[12:13], v[10:11]
v_fma_f64 v[14:15], -v[10:11], v[12:13], 1.0
v_fma_f64 v[12:13], v[12:13], v[14:15], v[12:13]
v_fma_f64 v[14:15], -v[10:11], v[12:13], 1.0
v_fma_f64 v[12:13], v[12:13], v[14:15], v[12:13]
v_div_scale_f64 v[14:15], vcc, v[2:3], v[4:5], v[2:3]
v_mul_f64 v[16:17], v[14:15], v[12:13]
v_fma_f64 v[10:11], -v[10:11], v[16:17], v[14:15]
v_div_fmas_f64 v[10:11], v[10:11], v[12:13], v[16:17]
v_div_fixup_f64 v[40:41], v[10:11], v[4:5], v[2:3]
"""
# f16 through f32 with one refinement; the correction is cut to its sign and exponent.
DIV_16 = """
v_cvt_f32_f16_e32 v10, v2
v_cvt_f32_f16_e32 v11, v4
v_rcp_f32_e32 v12, v11
v_mul_f32_e32 v13, v10, v12
v_fma_f32 v14, -v11, v13, v10
v_fmac_f32_e32 v13, v14, v12
v_fma_f32 v14, -v11, v13, v10
v_mul_f32_e32 v14, v14, v12
v_and_b32_e32 v14, 0xff800000, v14
v_add_f32_e32 v13, v14, v13
v_cvt_f16_f32_e32 v13, v13
v_div_fixup_f16 v40, v13, v4, v2
"""

# --- square root ------------------------------------------------------------------------------
SQRT_32 = """
v_mul_f32_e32 v10, 0x4f800000, v2
v_cmp_gt_f32_e32 vcc, 0xf800000, v2
s_mov_b64 s[4:5], vcc
v_cndmask_b32_e64 v10, v2, v10, s[4:5]
v_sqrt_f32_e32 v11, v10
v_add_u32_e32 v12, -1, v11
v_fma_f32 v13, -v12, v11, v10
v_cmp_ge_f32_e64 s[6:7], 0, v13
v_add_u32_e32 v13, 1, v11
v_cndmask_b32_e64 v12, v11, v12, s[6:7]
v_fma_f32 v14, -v13, v11, v10
v_cmp_lt_f32_e64 s[6:7], 0, v14
v_cndmask_b32_e64 v12, v12, v13, s[6:7]
v_mul_f32_e32 v13, 0x37800000, v12
v_cndmask_b32_e64 v12, v12, v13, s[4:5]
v_mov_b32_e32 v13, 0x260
v_cmp_class_f32_e32 vcc, v10, v13
v_cndmask_b32_e32 v40, v12, v10, vcc
"""
SQRT_64 = """
v_mov_b32_e32 v20, 0
v_mov_b32_e32 v21, 0x10000000
v_cmp_lt_f64_e32 vcc, v[2:3], v[20:21]
v_mov_b32_e32 v22, 0x100
v_cndmask_b32_e32 v22, 0, v22, vcc
v_mov_b32_e32 v23, 0xffffff80
v_cndmask_b32_e32 v23, 0, v23, vcc
v_ldexp_f64 v[10:11], v[2:3], v22
v_rsq_f64_e32 v[12:13], v[10:11]
v_mul_f64 v[14:15], v[10:11], v[12:13]
v_mul_f64 v[12:13], v[12:13], 0.5
v_fma_f64 v[16:17], -v[12:13], v[14:15], 0.5
v_fma_f64 v[14:15], v[14:15], v[16:17], v[14:15]
v_fma_f64 v[12:13], v[12:13], v[16:17], v[12:13]
v_fma_f64 v[18:19], -v[14:15], v[14:15], v[10:11]
v_fma_f64 v[14:15], v[18:19], v[12:13], v[14:15]
v_fma_f64 v[18:19], -v[14:15], v[14:15], v[10:11]
v_fma_f64 v[12:13], v[18:19], v[12:13], v[14:15]
v_ldexp_f64 v[12:13], v[12:13], v23
v_mov_b32_e32 v24, 0x260
v_cmp_class_f64_e32 vcc, v[10:11], v24
v_cndmask_b32_e32 v40, v12, v10, vcc
v_cndmask_b32_e32 v41, v13, v11, vcc
"""


@lru_cache(maxsize=64)
def bench(text: str, arch: str, modes: tuple[Mode, ...] = (DEFAULT,)) -> Bench:
    """The bench of a text, made once."""
    return Bench(text, arch, modes)
