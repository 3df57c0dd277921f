"""Where AMD's strings are wrong, silent or disputed, and what decides.

`corrections.CORRECTIONS` replaces defective texts. Here, `FORCED` holds mode bits an opcode
ignores, `high_half` says what a 16-bit result does to the other half of its register, and
`KNOWN_DIFFERENCES` lists disputed cases: there a comparison may differ, with the condition and
the source that decides.

Sources are abbreviated as in the project's notes: LLVM = llvm/lib/Target/AMDGPU, TGhw = hardware
tests of tinygrad, RJ = rocjitsu (ROCm/rocm-systems emulation), ACO = mesa's README-ISA.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from .softfloat import F16, F32, RNE, Format, Mode, is_nan, is_signal_nan

# --- modes ------------------------------------------------------------------------------------

# Opcodes whose `S0.f32` reads move bits or classify them: subnormals are not flushed.
_NO_FLUSH = ("V_MOV_*", "V_CMP_CLASS_*", "V_CMPX_CLASS_*", "V_CNDMASK_*", "V_PACK_*", "V_SWAP_*")
_NO_FLUSH += ("V_DIV_FMAS_*", "V_DIV_FIXUP_*", "V_CVT_SCALEF32_*", "V_CVT_F32_BF16", "DS_*")
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
    ("V_DIV_SCALE_*", {"round_32": RNE, "round_16_64": RNE}, "powers of two: exact"),
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
