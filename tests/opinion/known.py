"""Where AMD's strings are wrong, silent or disputed, and what decides.

`CORRECTIONS` replaces a defective text by one in the same language (with the extra functions of
`calls.FUNCTIONS`). `FORCED` holds mode bits an opcode ignores. `HIGH_HALF` says what a 16-bit
result does to the other half of its register. `KNOWN_DIFFERENCES` lists disputed cases: there a
comparison may differ, with the condition and the source that decides.

Sources are abbreviated as in the project's notes: LLVM = llvm/lib/Target/AMDGPU, TGhw = hardware
tests of tinygrad, RJ = rocjitsu (ROCm/rocm-systems emulation), ACO = mesa's README-ISA.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from .softfloat import F16, F32, F64, RNE, Format, Mode, is_nan, is_signal_nan


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
if ((S2.f@ == 0.0#) || (S1.f@ == 0.0#)) then
D0.f@ = NAN.f@
elsif exponent(S2.f@) - exponent(S1.f@) >= %d then
VCC.u64[laneId] = 1'1U;
if S0.f@ == S1.f@ then
D0.f@ = ldexp(S0.f@, %d)
endif
elsif S1.f@ == DENORM.f@ then
D0.f@ = ldexp(S0.f@, %d)
elsif ((1.0# / S1.f@ == DENORM.f@) && (S2.f@ / S1.f@ == DENORM.f@)) then
VCC.u64[laneId] = 1'1U;
if S0.f@ == S1.f@ then
D0.f@ = ldexp(S0.f@, %d)
endif
elsif 1.0# / S1.f@ == DENORM.f@ then
D0.f@ = ldexp(S0.f@, -%d)
elsif S2.f@ / S1.f@ == DENORM.f@ then
VCC.u64[laneId] = 1'1U;
if S0.f@ == S2.f@ then
D0.f@ = ldexp(S0.f@, %d)
endif
elsif exponent(S2.f@) <= %d then
D0.f@ = ldexp(S0.f@, %d)
endif"""
for _size, _numbers, _suffix in (
    ("32", (96, 64, 64, 64, 64, 64, 23, 64), "F"),
    ("64", (768, 128, 128, 128, 128, 128, 53, 128), ""),
):
    CORRECTIONS[f"V_DIV_SCALE_F{_size}"] = Correction(
        "D0 is S0 where no branch scales; 1/S1 is subnormal in the opcode's own format; VCC is "
        "one bit per lane",
        "RJ division.h (checked on gfx1100/1201); tinygrad's fixes",
        (_DIV_SCALE % _numbers).replace("@", _size).replace("#", _suffix),
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

_DIV_FIXUP = """sign_out = (sign(S1.f@) ^ sign(S2.f@));
if isNAN(S2.f@) then
result = cvtToQuietNAN(S2.f@)
elsif isNAN(S1.f@) then
result = cvtToQuietNAN(S1.f@)
elsif ((S1.f@ == Z) && (S2.f@ == Z)) then
result = NAN.f@
elsif ((abs(S1.f@) == INF.f@) && (abs(S2.f@) == INF.f@)) then
result = NAN.f@
elsif ((S1.f@ == Z) || (abs(S2.f@) == INF.f@)) then
result = sign_out ? -INF.f@ : INF.f@
elsif ((abs(S1.f@) == INF.f@) || (S2.f@ == Z)) then
result = sign_out ? -Z : Z
"""
_EXTREME = """elsif exponent(S2.f@) - exponent(S1.f@) < LIMIT then
result = sign_out ? -Z : Z
elsif (isNAN(S0.f@) || (abs(S0.f@) == INF.f@)) then
result = sign_out ? -INF.f@ : INF.f@
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
        "underflow rounds a tiny value (zero under round to nearest)",
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

# --- modes ------------------------------------------------------------------------------------

# Opcodes whose `S0.f32` reads move bits or classify them: subnormals are not flushed.
_NO_FLUSH = ("V_MOV_*", "V_CMP_CLASS_*", "V_CMPX_CLASS_*", "V_CNDMASK_*", "V_PACK_*", "V_SWAP_*")
_NO_FLUSH += ("V_DIV_FMAS_*", "V_DIV_SCALE_*", "V_CVT_SCALEF32_*", "V_CVT_F32_BF16", "DS_*")
_NO_FLUSH += ("GLOBAL_*", "FLAT_*", "BUFFER_*", "SCRATCH_*", "S_*", "V_ACCVGPR_*")


class _NoFlush:
    def __contains__(self, name: object) -> bool:
        return any(fnmatchcase(str(name), p) for p in _NO_FLUSH)


NO_FLUSH = _NoFlush()

# Mode bits that an opcode ignores.
FORCED: list[tuple[str, dict[str, Any], str]] = [
    ("V_CVT_SCALEF32_*", {"fnuz": False}, "gfx950 only: OCP formats"),
    ("V_DOT2*_F32_*", {"denorm_32": 0, "denorm_16_64": 0, "round_32": RNE}, "RJ-079"),
    ("V_MA[CD]_F32", {"denorm_32": 0}, "LLVM: v_mad_f32 and v_mac_f32 do not support denormals"),
    ("V_MAD[AM]K_F32", {"denorm_32": 0}, "as V_MAD_F32"),
    ("V_MAD_LEGACY_F32", {"denorm_32": 0}, "as V_MAD_F32"),
    ("V_DIV_SCALE_*", {"denorm_32": 3, "denorm_16_64": 3}, "RJ division.h"),
    *(
        (f"V_{n}_F32", {"denorm_32": 0, "round_32": RNE}, "LLVM#203566, #211017")
        for n in ("EXP", "LOG", "RCP", "RCP_IFLAG", "RSQ", "SQRT", "SIN", "COS")
    ),
    ("*_ATOMIC_ADD_F32", {"denorm_32": 0, "round_32": RNE}, "ISA manual, L2 atomics"),
    ("*_ATOMIC_*_F64", {"denorm_16_64": 3, "round_16_64": RNE}, "ISA manual, L2 atomics"),
    ("*_ATOMIC_PK_ADD_*", {"denorm_16_64": 3, "denorm_32": 3, "round_16_64": RNE}, "as above"),
    ("DS_*", {"round_32": RNE, "round_16_64": RNE}, "RJ; XML-035"),
]


def forced_mode(name: str, mode: Mode) -> Mode:
    """MODE as the opcode sees it."""
    for pattern, bits, _ in FORCED:
        if fnmatchcase(name, pattern):
            mode = replace(mode, **bits)
    return mode


# --- 16-bit destinations on GFX9 --------------------------------------------------------------

_ZERO = [
    "V_CVT_F16_*",
    "V_CVT_[IU]16_F16",
    "V_RCP_F16",
    "V_SQRT_F16",
    "V_RSQ_F16",
    "V_LOG_F16",
    "V_EXP_F16",
    "V_SIN_F16",
    "V_COS_F16",
    "V_FREXP_*_F16",
    "V_FLOOR_F16",
    "V_CEIL_F16",
    "V_TRUNC_F16",
    "V_RNDNE_F16",
    "V_FRACT_F16",
    "V_ADD_F16",
    "V_SUB_F16",
    "V_SUBREV_F16",
    "V_MUL_F16",
    "V_MAX_F16",
    "V_MIN_F16",
    "V_LDEXP_F16",
    "V_ADD_U16",
    "V_SUB_U16",
    "V_SUBREV_U16",
    "V_MUL_LO_U16",
    "V_LSHLREV_B16",
    "V_LSHRREV_B16",
    "V_ASHRREV_I16",
    "V_MAX_[UI]16",
    "V_MIN_[UI]16",
    "V_MAD_LEGACY_*",
    "V_FMA_LEGACY_F16",
    "V_DIV_FIXUP_LEGACY_F16",
]
_KEEP = ["V_MAD_F16", "V_MAD_[UI]16", "V_FMA_F16", "V_DIV_FIXUP_F16", "V_MAD_MIX*_F16"]
_UNKNOWN = [
    "V_MAC_F16",
    "V_MADMK_F16",
    "V_MADAK_F16",
    "V_FMAC_F16",
    "V_MIN3_?16",
    "V_MAX3_?16",
    "V_MED3_?16",
    "V_BITOP3_B16",
    "V_ADD_I16",
    "V_SUB_I16",
    "V_SAT_PK_U8_I16",
    "V_CVT_NORM_*",
    "V_ASHR_PK_*",
]


def high_half(name: str) -> str:
    """`zero`, `keep` or `unknown` for D0[31:16] after a 16-bit result; `` for other opcodes.

    LLVM GCNSubtarget::zeroesHigh16BitsOfDest ("mostly derived from experimentation").
    """
    for answer, patterns in (("zero", _ZERO), ("keep", _KEEP), ("unknown", _UNKNOWN)):
        if any(fnmatchcase(name, p) for p in patterns):
            return answer
    return ""


# --- disputed cases ---------------------------------------------------------------------------

Case = Mapping[str, Any]  # the environment of one evaluation


@dataclass(frozen=True)
class Known:
    """A case in which a difference from the (corrected) pseudocode is accepted."""

    opcode: str  # glob over entry names
    condition: str
    reason: str
    source: str
    applies: Callable[[Case, Mode], bool]


def subnormal(f: Format, a: int) -> bool:
    return not a & f.inf and bool(a & f.mant_mask)


def _any_source(test: Callable[[Format, int], bool], f: Format) -> Callable[[Case, Mode], bool]:
    keys = ("S0", "S1", "S2", "D0", "DATA")
    full = (1 << f.width) - 1
    return lambda case, _: any(test(f, case.get(k, 0) & full) for k in keys)


def _near_limit(case: Case) -> bool:
    """Whether a * b + c comes near the limits of f64 exponents."""
    fields = [(case[k] & F64.inf) >> F64.mant for k in ("S0", "S1", "S2")]
    product = fields[0] + fields[1] - F64.bias
    largest = max(product, fields[2])
    return largest > F64.exp_max - 132 or largest < 256


def _subnormal_in_only(case: Case, mode: Mode) -> bool:
    halves = [case.get(k, 0) >> at for k in ("S0", "S1", "S2") for at in (0, 16)]
    single = mode.denorm_32 == 1 and any(subnormal(F32, h & 0xFFFFFFFF) for h in halves)
    half = mode.denorm_16_64 == 1 and any(subnormal(F16, h & 0xFFFF) for h in halves)
    return single or half or mode.denorm_16_64 == 1


def _always(case: Case, mode: Mode) -> bool:
    return True


KNOWN_DIFFERENCES: list[Known] = [
    Known(
        "V_LSHL_ADD_U64",
        "shift count 5..7",
        "the manual treats counts above 4 as 0, the text masks three bits",
        "RJ-115 against the text; open",
        lambda case, _: case["S1"] & 7 > 4,
    ),
    Known(
        "V_CVT_PK_U8_F32",
        "the source is not an integer",
        "rounding of f32_to_u8 is not stated (here: MODE's rounding)",
        "open question 6 of semantics_traps.md",
        _always,
    ),
    Known(
        "V_CVT_PKACCUM_U8_F32",
        "the source is not an integer",
        "as V_CVT_PK_U8_F32",
        "open question 6 of semantics_traps.md",
        _always,
    ),
    Known(
        "V_CVT_*NORM_*",
        "ties",
        "round to nearest even or floor(x + 0.5) is not verified",
        "open question 6 of semantics_traps.md",
        _always,
    ),
    Known(
        "V_CVT_RPI_I32_F32",
        "NaN",
        "the manual says 0, gfx1201 saturates by the sign",
        "open question 6 of semantics_traps.md",
        _any_source(is_nan, F32),
    ),
    Known(
        "V_CVT_FLR_I32_F32",
        "NaN",
        "the manual says 0, gfx1201 saturates by the sign",
        "open question 6 of semantics_traps.md",
        _any_source(is_nan, F32),
    ),
    Known(
        "V_DIV_SCALE_F32",
        "a subnormal operand",
        "public recipes disagree on subnormal operands with FP_DENORM = 3",
        "open question 8 of semantics_traps.md",
        _any_source(subnormal, F32),
    ),
    Known(
        "V_DIV_SCALE_F64",
        "a subnormal operand",
        "as V_DIV_SCALE_F32",
        "open question 8 of semantics_traps.md",
        _any_source(subnormal, F64),
    ),
    Known(
        "V_MINIMUM3_*",
        "a signalling NaN",
        "which NaN wins is stated differently in the manual and on later silicon",
        "XML-077/081; open question 10 of semantics_traps.md",
        _any_source(is_signal_nan, F32),
    ),
    Known(
        "V_MAXIMUM3_*",
        "a signalling NaN",
        "as V_MINIMUM3",
        "XML-077/081; open question 10 of semantics_traps.md",
        _any_source(is_signal_nan, F32),
    ),
    *(
        Known(
            f"V_{name}_F32",
            "a subnormal operand",
            "the f32 forms flush subnormals whatever MODE says; not measured with FP_DENORM = 3",
            "LLVM#203566, #211017; open question 7 of semantics_traps.md",
            _any_source(subnormal, F32),
        )
        for name in ("EXP", "LOG", "RCP", "RCP_IFLAG", "RSQ", "SQRT", "SIN", "COS")
    ),
    *(
        Known(
            pattern,
            "MODE lets subnormals in but not out, and an operand is subnormal",
            "whether a selected operand passes the output flush is not documented",
            "open; canonicalization through v_max x, x is only described for the full flush",
            _subnormal_in_only,
        )
        for pattern in ("V_M[AI][XN]*_F*", "V_MED3_F*", "V_PK_M[AI][XN]*_F*")
    ),
    Known(
        "V_DIV_FMAS_F*",
        "MODE flushes results and a * b + c is small",
        "inputs are never flushed; whether the result is, is not documented",
        "TG fix; RJ division.h",
        lambda case, mode: mode.denorm_32 != 3 or mode.denorm_16_64 != 3,
    ),
    Known(
        "V_DIV_FMAS_F64",
        "a * b + c overflows or is subnormal before or after the scaling",
        "the f64 form rounds before it scales; division never gets there",
        "RJ division.h (one rounding)",
        lambda case, _: bool(case["VCC"]) and _near_limit(case),
    ),
    *(
        Known(
            pattern,
            "a subnormal operand",
            "LLVM selects V_MAD_F16 and V_MAC_F16 only where f16 subnormals are flushed, so they "
            "may flush regardless of MODE",
            "LLVM isFMADLegal",
            _any_source(subnormal, F16),
        )
        for pattern in ("V_MA[CD]_F16", "V_MAD_LEGACY_F16", "V_MAD[AM]K_F16")
    ),
    Known(
        "V_DOT2*_F32_*",
        "always: compared within a tolerance, unless an operand is subnormal",
        "order and internal precision of the accumulation are not documented; subnormals may be "
        "flushed whatever MODE says",
        "RJ-079; RJ dot2_bf16",
        _always,
    ),
]


def accepted(name: str, case: Case, mode: Mode) -> Known | None:
    """The disputed case that covers this evaluation, if any."""
    for known in KNOWN_DIFFERENCES:
        if fnmatchcase(name, known.opcode) and known.applies(case, mode):
            return known
    return None
