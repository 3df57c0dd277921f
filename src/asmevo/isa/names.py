"""Aliases of opcode names: the one table from newer generations' spellings to the GFX9 one.

gfx11 renamed memory and many scalar opcodes, gfx12 the carries, gfx1250 the program counter. Only
names with the same meaning and the same operands in the same order are here; `ds_cmpstore_b32`,
for one, swaps its data operands and is not `ds_cmpst_b32`. Source: the aliases that LLVM's
assembler accepts (`SOPInstructions.td`, `DSInstructions.td`, `FLATInstructions.td`,
`BUFInstructions.td`, `VOP*Instructions.td`, renamed `Real`s).
"""

from __future__ import annotations

import re
from functools import lru_cache

ALIASES: dict[str, str] = {
    # scalar
    "s_and_not1_b32": "s_andn2_b32", "s_and_not1_b64": "s_andn2_b64",
    "s_or_not1_b32": "s_orn2_b32", "s_or_not1_b64": "s_orn2_b64",
    "s_clz_i32_u32": "s_flbit_i32_b32", "s_clz_i32_u64": "s_flbit_i32_b64",
    "s_cls_i32": "s_flbit_i32", "s_cls_i32_i64": "s_flbit_i32_i64",
    "s_ctz_i32_b32": "s_ff1_i32_b32", "s_ctz_i32_b64": "s_ff1_i32_b64",
    "s_add_co_u32": "s_add_u32", "s_sub_co_u32": "s_sub_u32",
    "s_add_co_i32": "s_add_i32", "s_sub_co_i32": "s_sub_i32",
    "s_add_co_ci_u32": "s_addc_u32", "s_sub_co_ci_u32": "s_subb_u32",
    "s_addk_co_i32": "s_addk_i32",
    "s_add_nc_u64": "s_add_u64", "s_sub_nc_u64": "s_sub_u64",
    "s_min_num_f32": "s_min_f32", "s_max_num_f32": "s_max_f32",
    "s_min_num_f16": "s_min_f16", "s_max_num_f16": "s_max_f16",
    # program counter
    "s_get_pc_i64": "s_getpc_b64", "s_set_pc_i64": "s_setpc_b64",
    "s_swap_pc_i64": "s_swappc_b64", "s_call_i64": "s_call_b64", "s_rfe_i64": "s_rfe_b64",
    # vector
    "v_add_nc_u32": "v_add_u32", "v_sub_nc_u32": "v_sub_u32", "v_subrev_nc_u32": "v_subrev_u32",
    "v_add_co_ci_u32": "v_addc_co_u32", "v_sub_co_ci_u32": "v_subb_co_u32",
    "v_subrev_co_ci_u32": "v_subbrev_co_u32",
    "v_clz_i32_u32": "v_ffbh_u32", "v_ctz_i32_b32": "v_ffbl_b32", "v_cls_i32": "v_ffbh_i32",
    "v_cvt_pk_rtz_f16_f32": "v_cvt_pkrtz_f16_f32",
    "v_cvt_floor_i32_f32": "v_cvt_flr_i32_f32", "v_cvt_nearest_i32_f32": "v_cvt_rpi_i32_f32",
    "v_mul_dx9_zero_f32": "v_mul_legacy_f32",
    "v_min_num_f32": "v_min_f32", "v_max_num_f32": "v_max_f32",
    "v_min_num_f16": "v_min_f16", "v_max_num_f16": "v_max_f16",
    "v_min_num_f64": "v_min_f64", "v_max_num_f64": "v_max_f64",
    "v_dot2acc_f32_f16": "v_dot2c_f32_f16",
}  # fmt: skip
for _bits in ("b32", "b64"):
    ALIASES.update({
        f"s_and_not1_saveexec_{_bits}": f"s_andn2_saveexec_{_bits}",
        f"s_or_not1_saveexec_{_bits}": f"s_orn2_saveexec_{_bits}",
        f"s_and_not0_saveexec_{_bits}": f"s_andn1_saveexec_{_bits}",
        f"s_or_not0_saveexec_{_bits}": f"s_orn1_saveexec_{_bits}",
        f"s_and_not1_wrexec_{_bits}": f"s_andn2_wrexec_{_bits}",
        f"s_and_not0_wrexec_{_bits}": f"s_andn1_wrexec_{_bits}",
    })  # fmt: skip

_DWORDS = {"b32": "dword", "b64": "dwordx2", "b96": "dwordx3", "b128": "dwordx4",
           "b256": "dwordx8", "b512": "dwordx16"}  # fmt: skip
_LOAD_PART = {"u8": "ubyte", "i8": "sbyte", "u16": "ushort", "i16": "sshort"}
_STORE_PART = {"b8": "byte", "b16": "short"}
_D16 = {"u8": "ubyte", "i8": "sbyte", "b16": "short", "b8": "byte"}
_ATOMIC = {
    "swap_b": "swap", "cmpswap_b": "cmpswap", "add_u": "add", "sub_u": "sub", "min_i": "smin",
    "min_u": "umin", "max_i": "smax", "max_u": "umax", "and_b": "and", "or_b": "or",
    "xor_b": "xor", "inc_u": "inc", "dec_u": "dec",
}  # fmt: skip
_MEMORY = re.compile(r"((?:s|buffer|global|flat|scratch|s_buffer)_(load|store)_)(.*)$")
_VMEM_ATOMIC = re.compile(r"((?:s|s_buffer|buffer|global|flat)_atomic_)(\w+_[biu])(32|64)$")
_DS = re.compile(r"ds_(load|store|storexchg)_(2addr_(?:stride64_)?)?(rtn_)?(.*)$")


def _plain_memory(head: str, action: str, tail: str) -> str | None:
    if tail in _DWORDS:
        return head + _DWORDS[tail]
    parts = _LOAD_PART if action == "load" else _STORE_PART
    if tail in parts:
        return head + parts[tail]
    found = re.match(r"d16_(hi_)?(\w+)$", tail)
    if found and found.group(2) in _D16:
        return f"{head}{_D16[found.group(2)]}_d16{'_hi' if found.group(1) else ''}"
    return None


def _lds(action: str, pair: str | None, rtn: str | None, tail: str) -> str:
    verb = {"load": "read", "store": "write", "storexchg": "wrxchg"}[action]
    two = "" if not pair else ("2st64" if "stride" in pair else "2")
    return f"ds_{verb}{two}_{rtn or ''}{tail}"


@lru_cache(maxsize=8192)
def canonical(base: str) -> str:
    """The GFX9 spelling of an opcode, or the name itself when it has no other."""
    known = ALIASES.get(base)
    if known is not None:
        return known
    found = _DS.match(base)
    if found:
        return _lds(*found.groups())
    found = _VMEM_ATOMIC.match(base)
    if found and found.group(2) in _ATOMIC:
        wide = "_x2" if found.group(3) == "64" else ""
        return f"{found.group(1)}{_ATOMIC[found.group(2)]}{wide}"
    found = _MEMORY.match(base)
    return (_plain_memory(*found.groups()) if found else None) or base


_UNIT = re.compile(r"^[sv]_")
_TYPES = re.compile(r"_(e32|e64|co|nc|lo|[buif]\d+|i24|u24)(?=_|$)")


def operation(name: str) -> str:
    """What an ALU opcode computes, without the unit and the types: `add` of `v_add_co_u32`."""
    return _TYPES.sub("", _UNIT.sub("", name))
