"""AMD's entry names and LLVM's base mnemonics.

LLVM prints most opcodes of gfx90a/gfx942/gfx950 under AMD's name in lower case; the exceptions
are tabulated here. The base mnemonic has no `_e32`, `_e64`, `_dpp`, `_sdwa` suffix.
"""

from __future__ import annotations

import re

# LLVM base mnemonic -> entry name, where lower-casing is not enough.
ALIASES: dict[str, str] = {
    "v_fma_mix_f32": "V_MAD_MIX_F32",
    "v_fma_mixlo_f16": "V_MAD_MIXLO_F16",
    "v_fma_mixhi_f16": "V_MAD_MIXHI_F16",
    "v_mul_lo_i32": "V_MUL_LO_U32",
    "s_flbit_i32_i32": "S_FLBIT_I32",
    "v_cmp_t_f32": "V_CMP_TRU_F32",
    "v_cmp_t_f64": "V_CMP_TRU_F64",
    "v_cmp_t_f16": "V_CMP_TRU_F16",
    "buffer_atomic_fmin": "BUFFER_ATOMIC_MIN_F64",
    "buffer_atomic_fmax": "BUFFER_ATOMIC_MAX_F64",
}
_SUFFIX = re.compile(r"_(e32|e64|dpp|sdwa|e64_dpp)$")


def base_mnemonic(mnemonic: str) -> str:
    """Mnemonic without encoding suffix."""
    return _SUFFIX.sub("", mnemonic)


def entry_of(mnemonic: str, entries: set[str] | dict[str, str]) -> str | None:
    """Entry name of an LLVM mnemonic, None when AMD's table has none."""
    base = base_mnemonic(mnemonic)
    name = ALIASES.get(base, base.upper())
    return name if name in entries else None


def mnemonic_of(entry: str) -> str:
    """LLVM base mnemonic of an entry."""
    for mnemonic, name in ALIASES.items():
        if name == entry:
            return mnemonic
    return entry.lower()


def is_matrix(mnemonic: str) -> bool:
    """Matrix opcodes: their entries are prose."""
    return mnemonic.startswith(("v_mfma_", "v_smfmac_"))
