"""What kind of element an instruction takes an operand for: f32, bf16, fp8, an integer, or bits.

For most opcodes the semantics table says it; those that the table calls plain bits (conversions of
small floats, dot products, packing) are listed here by name. It is a hint for people who have to
guess what lies in memory, and no part of any verdict.
"""

from __future__ import annotations

from functools import lru_cache

from asmevo.isa.decoded import Decoded
from asmevo.isa.operand import Imm
from asmevo.isa.semantics.matrix import F8F6F4
from asmevo.isa.semantics.table import lookup

INT = "int"
_FLOATS = ("f16", "f32", "f64")
_READS = {
    "v_cvt_f32_fp8": "fp8", "v_cvt_pk_f32_fp8": "fp8",
    "v_cvt_f32_bf8": "bf8", "v_cvt_pk_f32_bf8": "bf8",
    "v_cvt_scalef32_pk_f32_fp8": "fp8", "v_cvt_scalef32_f32_fp8": "fp8",
    "v_cvt_scalef32_pk_f16_fp8": "fp8", "v_cvt_scalef32_pk_bf16_fp8": "fp8",
    "v_cvt_scalef32_pk_f32_bf8": "bf8", "v_cvt_scalef32_f32_bf8": "bf8",
    "v_cvt_f32_bf16": "bf16",
    "v_dot2_f32_f16": "f16", "v_dot2c_f32_f16": "f16",
    "v_dot2_f32_bf16": "bf16", "v_dot2c_f32_bf16": "bf16",
    "v_dot4_i32_i8": "i8", "v_dot4c_i32_i8": "i8", "v_dot4_u32_u8": "u8",
    "v_cvt_f32_ubyte0": "u8", "v_cvt_f32_ubyte1": "u8",
    "v_cvt_f32_ubyte2": "u8", "v_cvt_f32_ubyte3": "u8",
    "v_pack_b32_f16": "",
}  # fmt: skip
_WRITES = {
    "v_cvt_pk_f16_f32": "f16", "v_cvt_pkrtz_f16_f32": "f16", "v_cvt_sr_f16_f32": "f16",
    "v_cvt_pk_bf16_f32": "bf16", "v_cvt_sr_bf16_f32": "bf16",
    "v_cvt_pk_fp8_f32": "fp8", "v_cvt_sr_fp8_f32": "fp8",
    "v_cvt_scalef32_pk_fp8_f32": "fp8", "v_cvt_scalef32_sr_fp8_f32": "fp8",
    "v_cvt_pk_bf8_f32": "bf8", "v_cvt_sr_bf8_f32": "bf8",
    "v_cvt_scalef32_pk_bf8_f32": "bf8",
    "v_cvt_pk_f32_fp8": "f32", "v_cvt_pk_f32_bf8": "f32",
    "v_cvt_pk_u8_f32": "u8",
    "v_dot2_i32_i16": INT, "v_dot4_i32_i8": INT, "v_dot4_u32_u8": INT,
}  # fmt: skip
# These hand the bits of their sources on, moved, merged or cut, and say nothing of what they mean.
_PASSING = frozenset((
    "v_mov_b32", "v_mov_b64", "v_accvgpr_read_b32", "v_accvgpr_write_b32", "v_accvgpr_mov_b32",
    "v_cndmask_b32", "v_readfirstlane_b32", "v_readlane_b32", "v_writelane_b32", "v_swap_b32",
    "v_pk_mov_b32", "v_and_b32", "v_or_b32", "v_or3_b32", "v_and_or_b32", "v_lshl_or_b32",
    "v_lshlrev_b32", "v_lshrrev_b32", "v_lshlrev_b16", "v_lshrrev_b16", "v_lshlrev_b64",
    "v_lshrrev_b64", "v_bfi_b32", "v_alignbit_b32", "v_alignbyte_b32", "v_perm_b32",
    "v_pack_b32_f16", "v_bfe_u32", "v_bfe_i32", "v_xor_b32", "v_not_b32", "v_permlane32_swap_b32",
    "v_permlane16_swap_b32", "v_add3_u32", "s_mov_b32", "s_mov_b64", "s_cselect_b32",
    "s_lshl_b32", "s_lshr_b32", "s_and_b32", "s_or_b32", "s_pack_ll_b32_b16", "s_pack_hh_b32_b16",
    "s_lshl_b64", "s_lshr_b64", "ds_bpermute_b32", "ds_permute_b32", "ds_swizzle_b32",
))  # fmt: skip
_UP = frozenset({"v_lshlrev_b32", "s_lshl_b32"})
_HALF = 16
_HIGH = 0xFFFF0000


def passes(decoded: Decoded) -> bool:
    """Whether the result is bits of its sources."""
    return decoded.name in _PASSING


def raises_half(decoded: Decoded) -> bool:
    """Whether the result is one half of a source as the upper half of a dword, the rest zero.

    That is how a bf16 becomes the f32 of the same value.
    """
    constants = [o.value.value for o in decoded.inst.operands if isinstance(o.value, Imm)]
    if decoded.name in _UP:
        return _HALF in constants
    return decoded.name in ("v_and_b32", "s_and_b32") and _HIGH in constants


def lowers_half(decoded: Decoded) -> bool:
    """Whether the result has the upper halves of its sources: how an f32 is cut to a bf16."""
    constants = [o.value.value for o in decoded.inst.operands if isinstance(o.value, Imm)]
    if decoded.name in ("v_lshrrev_b32", "s_lshr_b32"):
        return _HALF in constants
    if decoded.name in ("v_perm_b32", "v_alignbit_b32", "v_add3_u32"):
        return True
    return decoded.name in ("v_and_b32", "v_and_or_b32", "v_bfi_b32") and _HIGH in constants


@lru_cache(maxsize=65536)
def element_reads(decoded: Decoded) -> dict[int, str]:
    """Printed operand index -> kind of its elements, for operands that the opcode gives a meaning.

    Kinds are names of `capsule.dtypes` (`fp8` and `bf8` in the target's format) and `int`.
    """
    operands = decoded.use_operands
    matrix = decoded.matrix
    if matrix is not None:
        kinds = _matrix(decoded, matrix.in_type)
        return {n: kinds[i] for i, n in enumerate(decoded.use_operands[:2])} if kinds else {}
    semantic = lookup(decoded.name)
    special = _READS.get(decoded.name)
    if special is not None:
        count = 2 if decoded.name.startswith(("v_dot",)) else 1
        return {n: special for n in operands[:count] if special}
    if semantic is None or passes(decoded):
        return {}
    first = len(decoded.def_operands)
    found: dict[int, str] = {}
    if semantic.reads_dst and semantic.dsts[0] in _FLOATS:
        found[0] = semantic.dsts[0]
    for n, kind in enumerate(semantic.srcs, first):
        if n < len(decoded.inst.operands):
            if kind in _FLOATS:
                found[n] = kind
            elif kind[0] in "ui" and kind[1:].isdigit():
                found[n] = INT
    if decoded.name in ("v_ldexp_f32", "v_ldexp_f16"):
        found.pop(first + 1, None)
    return found


@lru_cache(maxsize=65536)
def element_writes(decoded: Decoded) -> str:
    """Kind of the elements of the result; empty where the opcode does not say."""
    if decoded.matrix is not None:
        out = decoded.matrix.out_type
        return INT if out.startswith("i") else out
    special = _WRITES.get(decoded.name)
    if special is not None:
        return special
    semantic = lookup(decoded.name)
    if semantic is None or passes(decoded) or not semantic.dsts:
        return ""
    kind = semantic.dsts[0]
    if kind in _FLOATS:
        return kind
    return INT if kind[0] in "ui" and kind[1:].isdigit() else ""


def _matrix(decoded: Decoded, kind: str) -> tuple[str, str] | None:
    if kind == "f8f6f4":
        codes = [decoded.inst.modifiers.get(w, 0) for w in ("cbsz", "blgp")]
        a, b = (F8F6F4[c] if isinstance(c, int) and c < len(F8F6F4) else "" for c in codes)
        return a, b
    parts = kind.split("_")
    if len(parts) == 2 and parts[1] != "1k":
        return parts[0], parts[1]
    plain = {"xf32": "f32"}.get(parts[0], parts[0])
    return plain, plain
