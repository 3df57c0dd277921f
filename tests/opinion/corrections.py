"""Replacement texts for AMD's defective pseudocode, and texts for opcodes of older targets.

The texts are in AMD's language, with the extra functions of `calls.FUNCTIONS`. Each replacement
gives its reason and the source that decides; sources are abbreviated as in `known`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Correction:
    """Replacement of one entry's text."""

    reason: str
    source: str
    text: str


def _per_float(pattern: str, reason: str, source: str, text: str, sizes: str = "16 32 64") -> None:
    """One correction for each float size; `@` in name and text stands for the size."""
    for size in sizes.split():
        CORRECTIONS[pattern.replace("@", size)] = Correction(
            reason, source, text.replace("@", size)
        )


CORRECTIONS: dict[str, Correction] = {}

for _n in "01":
    CORRECTIONS[f"S_BCNT{_n}_I32_B64"] = Correction(
        "SCC tests a register pair that the opcode does not write",
        "LLVM SOPInstructions.td (one SGPR result)",
        f"""tmp = 0;
        for i in 0 : 63 do
        tmp += S0.u64[i] == 1'{_n}U ? 1 : 0
        endfor;
        D0.i32 = tmp;
        SCC = D0.u32 != 0U""",
    )

_per_float(
    "V_RNDNE_F@",
    "floor(x + 0.5) is wrong for -0 and for odd integers of at least 2^23",
    "TGhw test_vop1; IEEE 754 roundToIntegralTiesToEven",
    "D0.f@ = rint(S0.f@)",
)
_per_float(
    "V_FRACT_F@",
    "x - floor(x) can round to 1; the result is clamped below 1, NaN for infinities",
    "RJ-133; TGhw",
    "D0.f@ = fract(S0.f@)",
)
CORRECTIONS["V_CVT_RPI_I32_F32"] = Correction(
    "the sum x + 0.5 must not be rounded to f32 before floor",
    "RJ conversion.h",
    "D0.i32 = floor_half_i32(S0.f32)",
)
_per_float(
    "V_FREXP_EXP_I32_F@",
    "the exponent field is not the exponent of zero or of a subnormal",
    "RJ frexp.h (captures); LLVM#204204",
    "D0.i32 = frexp_exp(S0.f@)",
    "32 64",
)
CORRECTIONS["V_FREXP_EXP_I16_F16"] = Correction(
    "as V_FREXP_EXP_I32_F32", "RJ frexp.h", "D0.i16 = 16'I(frexp_exp(S0.f16))"
)
_per_float(
    "V_FREXP_MANT_F@",
    "mantissa() is not defined; the result is in [0.5, 1) with the sign, NaN is made quiet",
    "RJ frexp.h",
    "D0.f@ = frexp_mant(S0.f@)",
)
for _n in ("SIN", "COS"):
    _per_float(
        f"V_{_n}_F@",
        "the product with 2*pi must not be rounded before the reduction",
        "RJ; ISA text (input in revolutions)",
        f"D0.f@ = {_n.lower()}_turns(S0.f@)",
        "16 32",
    )
_per_float("V_RSQ_F@", "one rounding, not two", "ISA text", "D0.f@ = rsqrt(S0.f@)")
_per_float(
    "V_MED3_F@",
    "== between zeros of different sign picks the wrong operand; the order is total",
    "RJ minmax.h (captures)",
    """if (isNAN(64'F(S0.f@)) || isNAN(64'F(S1.f@)) || isNAN(64'F(S2.f@))) then
    D0.f@ = v_min3_f@(S0.f@, S1.f@, S2.f@)
    else
    D0.f@ = v_max_f@(v_min_f@(S0.f@, S1.f@), v_min_f@(v_max_f@(S0.f@, S1.f@), S2.f@))
    endif""",
    "16 32",
)

_MIX = """declare in : 32'F[3];
declare S : 32'B[3];
for i in 0 : 2 do
if !OPSEL_HI.u3[i] then
in[i] = S[i].f32
elsif OPSEL.u3[i] then
in[i] = f16_to_f32(S[i][31 : 16].f16)
else
in[i] = f16_to_f32(S[i][15 : 0].f16)
endif
endfor;
"""
for _name, _last in {
    "V_MAD_MIX_F32": "D0[31 : 0].f32 = fma(in[0], in[1], in[2])",
    "V_MAD_MIXLO_F16": "D0[15 : 0].f16 = f32_to_f16(fma(in[0], in[1], in[2]))",
    "V_MAD_MIXHI_F16": "D0[31 : 16].f16 = f32_to_f16(fma(in[0], in[1], in[2]))",
}.items():
    CORRECTIONS[_name] = Correction(
        "from gfx906 the opcode is V_FMA_MIX: one rounding",
        "LLVM; RDNA3 text; RJ-138",
        _MIX + _last,
    )

_DIV_SCALE = """D0.f@ = S0.f@;
VCC.u64[laneId] = 1'0U;
apart = exponent(S2.f@) - exponent(S1.f@);
if apart >= FAR then
VCC.u64[laneId] = 1'1U;
if S0.f@ == S1.f@ then
D0.f@ = ldexp(S0.f@, SCALE)
endif
elsif exponent(S1.f@) == 0 then
D0.f@ = ldexp(S0.f@, SCALE)
elsif exponent(S1.f@) >= LARGE then
if apart <= -FAR then
VCC.u64[laneId] = 1'1U;
if S0.f@ == S1.f@ then
D0.f@ = ldexp(S0.f@, -SCALE)
endif
else
D0.f@ = ldexp(S0.f@, -SCALE)
endif
elsif apart <= -FAR then
VCC.u64[laneId] = 1'1U;
if S0.f@ != S1.f@ then
D0.f@ = ldexp(S0.f@, SCALE)
endif
elsif exponent(S2.f@) <= TINY then
D0.f@ = ldexp(S0.f@, SCALE)
endif;
if ((S2.f@ == 0.0#) || (S1.f@ == 0.0#)) then
D0.f@ = NAN.f@
elsif isNAN(S0.f@) then
D0.f@ = cvtToQuietNAN(S0.f@)
endif"""
for _size, _far, _scale, _large, _tiny, _suffix in (
    ("32", 96, 64, 253, 24, "F"),
    ("64", 768, 128, 2045, 53, ""),
):
    _text = _DIV_SCALE.replace("@", _size).replace("#", _suffix)
    for _word, _number in (("FAR", _far), ("SCALE", _scale), ("LARGE", _large), ("TINY", _tiny)):
        _text = _text.replace(_word, str(_number))
    CORRECTIONS[f"V_DIV_SCALE_F{_size}"] = Correction(
        "the branches follow encoded exponents; a denominator whose reciprocal is subnormal goes "
        "down; VCC is one bit per lane and set for zero operands by the same rule",
        "RJ division.h (checked on gfx1100/1201); TGhw test_vop3 (seven tests of TestDivScale)",
        _text,
    )
    _middle = {"32": (127, 64), "64": (1023, 128)}[_size]
    CORRECTIONS[f"V_DIV_FMAS_F{_size}"] = Correction(
        "scale is 2^+-64 (2^+-128), up when S2 is large, and part of the one rounding",
        "TGhw; RJ division.h",
        f"""if VCC.u64[laneId] then
        D0.f{_size} = fma_scaled(S0.f{_size}, S1.f{_size}, S2.f{_size},
        exponent(S2.f{_size}) > {_middle[0]} ? {_middle[1]} : -{_middle[1]})
        else
        D0.f{_size} = fma_scaled(S0.f{_size}, S1.f{_size}, S2.f{_size}, 0)
        endif""",
    )

_DIV_FIXUP = """den = flushed(S1.f@);
num = flushed(S2.f@);
sign_out = (sign(den) ^ sign(num));
if isNAN(num) then
result = cvtToQuietNAN(num)
elsif isNAN(den) then
result = cvtToQuietNAN(den)
elsif ((den == Z) && (num == Z)) then
result = NAN.f@
elsif ((abs(den) == INF.f@) && (abs(num) == INF.f@)) then
result = NAN.f@
elsif ((den == Z) || (abs(num) == INF.f@)) then
result = sign_out ? -INF.f@ : INF.f@
elsif ((abs(den) == INF.f@) || (num == Z)) then
result = sign_out ? -Z : Z
"""
_EXTREME = """elsif exponent(num) - exponent(den) < LIMIT then
result = div_underflow(S0.f@, sign_out)
elsif (isNAN(S0.f@) || (abs(S0.f@) == INF.f@)) then
result = div_overflow(S0.f@, sign_out)
"""
_FIX_END = """else
result = sign_out ? -abs(S0.f@) : abs(S0.f@)
endif;
"""
for _size, _zero, _limit in (("16", "16'0.0", ""), ("32", "0.0F", "-150"), ("64", "0.0", "-1075")):
    _text = _DIV_FIXUP + (_EXTREME.replace("LIMIT", _limit) if _limit else "") + _FIX_END
    _text = _text.replace("@", _size).replace("Z", _zero)
    CORRECTIONS[f"V_DIV_FIXUP_F{_size}"] = Correction(
        "the overflow test is dead code: a NaN or infinite estimate S0 is what signals overflow; "
        "underflow rounds a tiny value; MODE flushes S1 and S2, never the estimate",
        "TGhw; RJ division.h",
        _text + f"D0.f{_size} = result",
    )
    if _size == "16":
        CORRECTIONS["V_DIV_FIXUP_LEGACY_F16"] = Correction(
            "the text mixes f64 and f16 in one variable",
            "V_DIV_FIXUP_F16",
            _text + "if OPSEL.u4[3] then\nD0 = { result.f16, D0[15 : 0] }\n"
            "else\nD0 = { 16'0, result.f16 }\nendif",
        )

for _fp in ("fp8", "bf8"):
    CORRECTIONS[f"V_CVT_SCALEF32_F16_{_fp.upper()}"] = Correction(
        "the result is a half; OPSEL[3] names the destination half, the other is preserved",
        "the text's own remark; LLVM int_amdgcn_cvt_scalef32_f16_fp8 takes the old destination",
        f"""scale = 32'U(exponent(S1.f32));
        srcbyte = OPSEL[1 : 0].i32 * 8;
        src = VGPR[laneId][SRC0.u32][srcbyte + 7 : srcbyte].{_fp};
        dstword = OPSEL[3].i32 * 16;
        VGPR[laneId][VDST.u32][dstword + 15 : dstword].f16 = {_fp}_to_f16_scale(src, scale.u8)""",
    )
    CORRECTIONS[f"V_CVT_SR_{_fp.upper()}_F32"] = Correction(
        "the text wraps the mantissa without carry and then rounds again; the manual's prose and "
        "both software references add, carry and truncate",
        "HIP fp8 headers; matrix_numerics.md 7.2",
        f"tmp = f32_to_{_fp}_sr(S0.f32, S1.u32);\ndstbyte = OPSEL[3 : 2].i32 * 8;\n"
        f"VGPR[laneId][VDST.u32][dstbyte + 7 : dstbyte].{_fp} = tmp",
    )

CORRECTIONS["V_TRIG_PREOP_F64"] = Correction(
    "the mask after the left shift keeps the wrong bits: the segment is 53 bits of 2/pi from the "
    "shift on, zeros past the table; a NaN source is made quiet",
    "LLVM#98562; tinygrad's fix",
    """shift = 32'I(S1[4 : 0].u32) * 53;
    if exponent(S0.f64) > 1077 then
    shift += exponent(S0.f64) - 1077
    endif;
    scale = -53 - shift;
    if exponent(S0.f64) >= 1968 then
    scale += 128
    endif;
    if isNAN(S0.f64) then
    D0.f64 = cvtToQuietNAN(S0.f64)
    else
    D0.f64 = ldexp(64'F(two_over_pi_segment(shift)), scale)
    endif""",
)

for _kind in ("DS_@_F32", "DS_@_RTN_F32", "DS_@_F64", "DS_@_RTN_F64"):
    for _op in ("MIN", "MAX"):
        _t = _kind[-3:].lower()
        CORRECTIONS[_kind.replace("@", _op)] = Correction(
            "src < tmp says nothing about NaN and zeros; the opcode follows V_MIN/V_MAX with the "
            "memory operand first",
            "RJ fp_mode.h atomic_scalar",
            f"addr = CalcDsAddr(ADDR.b32, OFFSET0.b32, OFFSET1.b32);\ntmp = MEM[addr].{_t};\n"
            f"MEM[addr].{_t} = v_{_op.lower()}_{_t}(tmp, DATA.{_t});\nRETURN_DATA.{_t} = tmp",
        )
for _space in ("GLOBAL", "FLAT", "BUFFER"):
    for _op in ("MIN", "MAX"):
        _args = {"GLOBAL": "ADDR.b32, SADDR.b32, OFFSET.b32", "FLAT": "ADDR.b32, OFFSET.b32"}.get(
            _space, "VADDR.b32, SRSRC.b32, SOFFSET.b32, OFFSET.b32"
        )
        CORRECTIONS[f"{_space}_ATOMIC_{_op}_F64"] = Correction(
            "as DS_MIN_F64",
            "RJ fp_mode.h atomic_scalar",
            f"addr = Calc{_space.title()}Addr({_args});\ntmp = MEM[addr].f64;\n"
            f"MEM[addr].f64 = v_{_op.lower()}_f64(tmp, DATA.f64);\nRETURN_DATA.f64 = tmp",
        )

# Opcodes that only older targets have (gfx90a and before): AMD's texts are not in the table.
SUPPLEMENT: dict[str, str] = {
    "V_MAD_F32": "D0.f32 = S0.f32 * S1.f32 + S2.f32",
    "V_MAC_F32": "D0.f32 = S0.f32 * S1.f32 + D0.f32",
    "V_MADMK_F32": "D0.f32 = S0.f32 * SIMM32.f32 + S1.f32",
    "V_MADAK_F32": "D0.f32 = S0.f32 * S1.f32 + SIMM32.f32",
    "V_MAD_LEGACY_F32": """if ((64'F(S0.f32) == 0.0) || (64'F(S1.f32) == 0.0)) then
    D0.f32 = 0.0F + S2.f32
    else
    D0.f32 = S0.f32 * S1.f32 + S2.f32
    endif""",
    "V_FMAC_F16": "D0.f16 = fma(S0.f16, S1.f16, D0.f16)",
    "V_FMAMK_F16": "D0.f16 = fma(S0.f16, SIMM16.f16, S1.f16)",
    "V_FMAAK_F16": "D0.f16 = fma(S0.f16, S1.f16, SIMM16.f16)",
}
