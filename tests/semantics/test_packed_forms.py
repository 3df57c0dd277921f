"""Modifiers that the packed and dot product forms were silent about.

Expected values are computed here from the ISA document's rules (6.6 DPP, 6.7 SDWA, 12.10 VOP3P),
with NumPy halves for the arithmetic (a fused multiply-add of halves is exact in f64 before its
one rounding). Case: `cases/emulator` items 3, 4 and 6.
"""

from __future__ import annotations

import numpy as np
import pytest

from asmevo.emulate import layout as L
from asmevo.emulate.decode.instruction import ConstantPool, Decoder, Unsupported
from asmevo.isa.instruction import Instruction
from asmevo.isa.semantics.table import DEFAULT_MODE
from opinion.lanes import Dpp, sdwa_read, sdwa_write
from opinion.wave import Wave, assemble

FULL = (1 << 64) - 1


def _wave(seed: int = 1) -> Wave:
    """v2, v3: pairs of small halves; v1: old values; EXEC full."""
    wave = Wave()
    rng = np.random.default_rng(seed)
    for number in (1, 2, 3):
        pairs = rng.uniform(-4, 4, 128).astype(np.float16)
        wave.row(number)[:] = pairs.view(np.uint32)
    return wave


def _fmac(a: int, b: int, c: int) -> int:
    """a * b + c on both halves of dwords, one rounding each."""
    out = 0
    for at in (0, 16):
        x, y, z = (float(np.uint16(v >> at & 0xFFFF).view(np.float16)) for v in (a, b, c))
        out |= int(np.float16(x * y + z).view(np.uint16)) << at
    return out


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950"])
@pytest.mark.parametrize(
    ("dpp", "exec_mask"),
    [
        (Dpp("quad_perm:[1,0,3,2]", row_mask=0), FULL),
        (Dpp("quad_perm:[1,0,3,2]"), FULL),
        (Dpp("row_shr:3", row_mask=0x5, bank_mask=0x6), FULL),
        (Dpp("row_shl:5", bound_ctrl=True), 0xFFFF_0FF0_1234_5678),
        (Dpp("row_mirror"), 0x0F0F_0F0F_FFFF_0001),
    ],
    ids=str,
)
def test_packed_fmac_obeys_dpp(arch: str, dpp: Dpp, exec_mask: int) -> None:
    wave = _wave()
    old, a, b = (wave.row(n).tolist() for n in (1, 2, 3))
    wave.set_scalar(L.EXEC, exec_mask, 8)
    wave.run(assemble(f"v_pk_fmac_f16_dpp v1, v2, v3 {dpp}", arch), arch)
    for lane in range(64):
        moved, written = dpp.read(a, lane, exec_mask)
        want = _fmac(moved, b[lane], old[lane]) if written else old[lane]
        assert int(wave.row(1)[lane]) == want, lane


@pytest.mark.parametrize(
    ("dst", "unused", "src0", "src1"),
    [
        ("DWORD", "UNUSED_PRESERVE", "WORD_1", "DWORD"),
        ("WORD_1", "UNUSED_PRESERVE", "DWORD", "WORD_0"),
        ("WORD_0", "UNUSED_PAD", "WORD_0", "WORD_1"),
    ],
)
def test_packed_fmac_obeys_sdwa(dst: str, unused: str, src0: str, src1: str) -> None:
    wave = _wave(2)
    old, a, b = (wave.row(n).tolist() for n in (1, 2, 3))
    line = (
        f"v_pk_fmac_f16_sdwa v1, v2, v3 dst_sel:{dst} dst_unused:{unused} "
        f"src0_sel:{src0} src1_sel:{src1}"
    )
    wave.run(assemble(line, "gfx942"), "gfx942")
    for lane in range(64):
        result = _fmac(sdwa_read(src0, a[lane]), sdwa_read(src1, b[lane]), old[lane])
        assert int(wave.row(1)[lane]) == sdwa_write(dst, unused, old[lane], result), lane


def test_signs_of_packed_dpp_operands_are_refused() -> None:
    for line in (
        "v_pk_fmac_f16_dpp v1, -v2, v3 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
        "v_dot2c_f32_f16_dpp v1, -v2, v3 row_shl:1 row_mask:0xf bank_mask:0xf",
    ):
        with pytest.raises(Unsupported, match="neg of a packed operand"):
            Decoder(ConstantPool(), DEFAULT_MODE, "gfx942").decode(assemble(line, "gfx942")[0])


# --- clamp where nothing can saturate -----------------------------------------------------------
@pytest.mark.parametrize(
    "text",
    [
        "v_pk_mul_lo_u16 v1, v2, v3",
        "v_pk_lshlrev_b16 v1, v2, v3",
        "v_pk_lshrrev_b16 v1, v2, v3",
        "v_pk_ashrrev_i16 v1, v2, v3",
        "v_pk_mov_b32 v[10:11], v[2:3], v[2:3] op_sel:[0,1]",
        "v_mul_lo_u16_sdwa v1, v2, v3@",
        "v_ashrrev_i32_sdwa v1, v2, v3@",
        "v_not_b32_sdwa v1, v2@",
        "v_alignbit_b32 v1, v2, v3, v2",
        "v_cvt_i32_f32_e64 v1, v2",
    ],
)
def test_clamp_changes_nothing_that_cannot_saturate(text: str) -> None:
    """Products of the low half never saturate (tinygrad's clamp tests on hardware, RJ-080)."""
    found = []
    for clamp in ("", " clamp"):
        wave = _wave(3)
        line = text.replace("@", f"{clamp} dst_sel:DWORD src0_sel:WORD_1")
        wave.run(assemble(line if "@" in text else text + clamp, "gfx942"), "gfx942")
        found.append([wave.row(n).tolist() for n in (1, 10, 11)])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "text",
    [
        "v_mul_i32_i24_e64 v1, v2, v3 clamp",
        "v_mov_b32_sdwa v1, v2 clamp dst_sel:DWORD src0_sel:WORD_1",
    ],
)
def test_clamp_of_unknown_effect_is_refused(text: str) -> None:
    with pytest.raises(Unsupported, match="clamp"):
        Decoder(ConstantPool(), DEFAULT_MODE, "gfx942").decode(assemble(text, "gfx942")[0])


# --- halves of dot products ---------------------------------------------------------------------
def test_dot2_chooses_and_negates_halves() -> None:
    """op_sel picks the low operand, op_sel_hi the high one, neg_lo and neg_hi negate them."""
    wave = _wave(4)
    wave.row(4)[:] = np.float32(1.5).view(np.uint32)
    line = "v_dot2_f32_f16 v1, v2, v3, v4 op_sel:[1,0,0] op_sel_hi:[1,0,1] neg_lo:[1,0,0]"
    wave.run(assemble(line, "gfx90a"), "gfx90a")
    a, b = (wave.row(n).view(np.float16).astype(np.float64).reshape(64, 2) for n in (2, 3))
    want = 1.5 - a[:, 1] * b[:, 0] + a[:, 1] * b[:, 0]
    assert np.allclose(wave.row(1).view(np.float32), want, atol=1e-5)


def test_integer_dot2_chooses_halves() -> None:
    wave = _wave(5)
    wave.row(4)[:] = 7
    line = "v_dot2_i32_i16 v1, v2, v3, v4 op_sel:[0,1,0] op_sel_hi:[0,1,0]"
    wave.run(assemble(line, "gfx90a"), "gfx90a")
    a, b = (wave.row(n).view(np.int16).astype(np.int64).reshape(64, 2) for n in (2, 3))
    want = 7 + 2 * a[:, 0] * b[:, 1]
    assert (wave.row(1).view(np.int32) == want.astype(np.int32)).all()


@pytest.mark.parametrize(
    "text",
    [
        "v_dot4_i32_i8 v1, v2, v3, v4 op_sel:[1,0,0]",
        "v_dot8_u32_u4 v1, v2, v3, v4 neg_lo:[1,0,0]",
        "v_alignbit_b32 v1, v2, v3, v4 op_sel:[0,0,1,0]",
        "v_pk_add_u16 v1, v2, v3 neg_lo:[1,0]",
        "v_dot2_f32_f16 v1, v2, v3, v4 neg_lo:[0,0,1]",
    ],
)
def test_modifiers_without_a_known_effect_are_refused(text: str) -> None:
    with pytest.raises(Unsupported, match="not supported"):
        Decoder(ConstantPool(), DEFAULT_MODE, "gfx90a").decode(assemble(text, "gfx90a")[0])


# --- v_cmpx of 64 bits ----------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "compare"),
    [
        ("v_cmpx_lt_u32_e64 s[20:21], v2, v3", lambda a, b: a < b),
        ("v_cmpx_ge_f32_e64 s[20:21], v2, v3", lambda a, b: a.view("f4") >= b.view("f4")),
        ("v_cmpx_ne_u16_e64 vcc, v2, v3", lambda a, b: (a & 0xFFFF) != (b & 0xFFFF)),
        ("v_cmpx_gt_i32_e64 s[20:21], v2, 0", lambda a, b: a.view("i4") > 0),
    ],
)
def test_cmpx_e64_writes_exec_and_its_destination(text: str, compare: object) -> None:
    """On GFX9 both are written, inactive lanes as 0 (ISA VOPC; `cases/emulator` item 4)."""
    assert callable(compare)
    wave, exec_mask = _wave(6), 0xFFFF_0F0F_1234_5678
    a, b = wave.row(2).copy(), wave.row(3).copy()
    want = sum(1 << n for n, c in enumerate(compare(a, b)) if c) & exec_mask
    wave.set_scalar(L.EXEC, exec_mask, 8)
    # The decoder's text is given: not every LLVM decodes these eight bytes.
    code = assemble("s_nop 0", "gfx942")[0].raw * 2
    wave.run([Instruction(code, text)], "gfx942")
    place = L.VCC if "vcc" in text else L.sgpr(20)
    assert (wave.scalar(place, 8), wave.scalar(L.EXEC, 8)) == (want, want)


# --- carry bits under DPP ---------------------------------------------------------------------
@pytest.mark.parametrize("bound", [False, True])
def test_carry_bits_of_suppressed_lanes(bound: bool) -> None:
    """A lane without a valid source keeps its carry; row and bank masks do not matter for it."""
    wave, exec_mask, old = _wave(7), FULL & ~(1 << 5), 0xAAAA_AAAA_AAAA_AAAA
    wave.row(2)[:] = 0xFFFFFFFF
    wave.row(3)[:] = np.arange(64)
    wave.set_scalar(L.EXEC, exec_mask, 8)
    wave.set_scalar(L.VCC, old, 8)
    dpp = Dpp("row_shr:1", row_mask=0x3, bound_ctrl=bound)
    wave.run(assemble(f"v_add_co_u32_dpp v1, vcc, v2, v3 {dpp}", "gfx942"), "gfx942")
    want = 0
    for lane in range(64):
        valid = lane % 16 > 0 and bool(exec_mask >> (lane - 1) & 1)
        if not exec_mask >> lane & 1:
            continue
        carry = lane > 0 if valid else (False if bound else bool(old >> lane & 1))
        want |= carry << lane
    assert wave.scalar(L.VCC, 8) == want
