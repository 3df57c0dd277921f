"""The options of a VALU instruction of the semantics table: modifiers, DPP, SDWA, MODE.

Options are what `form.form_from` makes a `Form` of, as a short mapping without defaults: the
engine names its compiled helpers by them. Nothing that LLVM prints is passed over: a modifier
changes the result, is known to have no effect, or is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from asmevo.errors import UnsupportedError
from asmevo.isa.instruction import Instruction
from asmevo.isa.semantics import table
from asmevo.isa.semantics.table import DEFAULT_MODE, FloatMode, Semantic
from asmevo.isa.semantics.vector import clamp

_DPP_WORDS = (
    "quad_perm",
    "row_shl",
    "row_shr",
    "row_ror",
    "row_mirror",
    "row_half_mirror",
    "row_newbcast",
    "row_bcast",
    "wave_shl",
    "wave_shr",
    "wave_rol",
    "wave_ror",
)
# Read as a whole by `_dpp_control` and `_sdwa`; `fi` is always 0 on GFX9.
_ELSEWHERE = frozenset(
    (
        *_DPP_WORDS,
        *("row_mask", "bank_mask", "bound_ctrl", "fi"),
        *("dst_sel", "dst_unused", "src0_sel", "src1_sel"),
    )
)


class UnsupportedForm(UnsupportedError):
    """A modifier whose effect on the opcode is not known; carries the reason alone."""


def printed_types(semantic: Semantic) -> list[str]:
    """Types of the printed operands, destinations first."""
    explicit = [d for d in semantic.dsts if d not in table.IMPLICIT]
    return explicit + [s for s in semantic.srcs if s not in table.IMPLICIT]


def options_of(inst: Instruction, semantic: Semantic, mode: FloatMode) -> dict[str, Any]:
    """The options of one instruction in one mode.

    Raises:
        UnsupportedForm: a modifier without a known effect.
    """
    mods = inst.modifiers
    options: dict[str, Any] = {}
    sources = inst.operands[len([d for d in semantic.dsts if d not in table.IMPLICIT]) :]
    for name in ("neg", "abs", "sext"):
        bits = sum(1 << i for i, o in enumerate(sources) if getattr(o, name))
        if bits:
            options[name] = bits
            _check_signs(inst, semantic, name, bits)
    for name, value in mods.items():
        _modifier(inst, semantic, mode, options, name, value)
    if semantic.part or semantic.source_part:
        options.pop("op_sel", None)
        options["part"] = _encoded_op_sel(inst)
    if "dpp" in inst.form:
        options["dpp"] = _dpp_control(mods)
    if inst.form == "sdwa":
        options["sdwa"] = (
            str(mods.get("dst_sel", "DWORD")),
            str(mods.get("dst_unused", "UNUSED_PAD")),
            str(mods.get("src0_sel", "DWORD")),
            str(mods.get("src1_sel", "DWORD")),
        )
    _mode_options(mode, semantic, options)
    return options


def _dpp_control(mods: Mapping[str, Any]) -> tuple[Any, ...]:
    for word in _DPP_WORDS:
        if word in mods:
            return (
                word,
                mods[word],
                int(mods.get("row_mask", 0xF)),
                int(mods.get("bank_mask", 0xF)),
                bool(mods.get("bound_ctrl", False)),
            )
    raise UnsupportedForm("a DPP instruction without a known DPP control")


def _encoded_op_sel(inst: Instruction) -> int:
    """OPSEL of a VOP3 encoding (bits 14:11), 0 for other encodings."""
    word = int.from_bytes(inst.raw[:4], "little")
    return word >> 11 & 15 if word >> 26 == 0b110100 else 0


def _check_signs(inst: Instruction, semantic: Semantic, name: str, bits: int) -> None:
    """A sign bit is that of a float; which halves of a pair it means is not documented."""
    if name == "sext":
        return
    if semantic.packed or any(bits >> position & 1 for position in semantic.pairs):
        raise UnsupportedForm(f"{name} of a packed operand of {inst.base} is not supported")


def _modifier(
    inst: Instruction,
    semantic: Semantic,
    mode: FloatMode,
    options: dict[str, Any],
    name: str,
    value: Any,
) -> None:
    is_float = any(d[0] == "f" for d in semantic.dsts)
    if name in ("op_sel", "op_sel_hi", "neg_lo", "neg_hi"):
        _check_halves(inst, semantic, name, value)
        options[name] = value
    elif name == "clamp":
        if is_float or clamp.clampable(semantic.name):
            options["clamp"] = True
        elif semantic.dsts != ("m",) and not clamp.in_range_anyway(semantic.name):
            # (Compares signal exceptions with it; no effect on the result.)
            raise UnsupportedForm(f"{inst.base} with clamp is not supported")
    elif name in ("mul", "div"):
        # IEEE mode and output denormals switch omod off; integer results never have it.
        width = table.width_of(semantic.dsts[0])
        off = mode.ieee or mode.denorm_of(width) & 2
        if is_float and not off and not semantic.packed:
            options["omod"] = f"{name}{value}"
        elif not off and semantic.name.startswith("v_cvt_pk"):
            raise UnsupportedForm(f"{inst.base} with an output modifier is not supported")
    elif name in semantic.immediates:
        options[name] = value
    elif name not in _ELSEWHERE:
        raise UnsupportedForm(f"modifier {name} of {inst.base} is not supported")


def _check_halves(inst: Instruction, semantic: Semantic, name: str, value: Any) -> None:
    """Refuse choices of halves for operands that have none."""
    if name.startswith("neg"):
        floats = semantic.packed and semantic.srcs[0][0] == "f"
        pairs = semantic.pairs if semantic.dsts[0][0] == "f" else ()
        known = bool(floats) or not any(b for i, b in enumerate(value) if i not in pairs)
    elif semantic.packed or semantic.pairs or semantic.part or semantic.source_part:
        known = True
    else:
        known = any(table.width_of(t) == 16 for t in printed_types(semantic))
    if not known:
        raise UnsupportedForm(f"{name} of {inst.base} is not supported")


def _mode_options(mode: FloatMode, semantic: Semantic, options: dict[str, Any]) -> None:
    """The MODE fields that this opcode depends on, where they differ from the default."""
    floats = {t for t in printed_types(semantic) if t[0] == "f"}
    if floats and semantic.flush:
        relevant = (
            mode.denorm_32 != 3 and "f32" in floats,
            mode.denorm_16_64 != 3 and ("f16" in floats or "f64" in floats),
        )
        if any(relevant):
            options["denorm"] = (mode.denorm_32, mode.denorm_16_64)
    float_dsts = {d for d in semantic.dsts if d[0] == "f"}
    if semantic.rounds and (float_dsts or "round" in semantic.uses):
        rounds = {mode.round_of(table.width_of(d)) for d in float_dsts}
        if rounds - {0}:
            options["round"] = (mode.round_32, mode.round_16_64)
    if options.get("clamp") and float_dsts and not mode.dx10_clamp:
        options["dx10"] = False
    if "f16" in float_dsts and mode.fp16_ovfl:
        options["fp16_ovfl"] = True
    for name in semantic.uses:
        value = getattr(mode, name)
        if value != getattr(DEFAULT_MODE, name):
            options[name] = value
