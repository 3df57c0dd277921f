"""Decoding of VALU instructions of the semantics table: modifiers, DPP, SDWA, MODE."""

from __future__ import annotations

from typing import Any

from asmevo.emulate.decode.operands import Context, Record, Unsupported
from asmevo.emulate.helpers.emit import Variant
from asmevo.isa.instruction import Instruction
from asmevo.isa.semantics import integer_clamp, table
from asmevo.isa.semantics.table import DEFAULT_MODE

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
_IGNORED = frozenset(
    (
        *_DPP_WORDS,
        "row_mask",
        "bank_mask",
        "bound_ctrl",
        "dst_sel",
        "dst_unused",
        "src0_sel",
        "src1_sel",
        "fi",
    )
)


def _dpp_control(mods: Any) -> tuple[Any, ...]:
    for word in _DPP_WORDS:
        if word in mods:
            return (
                word,
                mods[word],
                int(mods.get("row_mask", 0xF)),
                int(mods.get("bank_mask", 0xF)),
                bool(mods.get("bound_ctrl", False)),
            )
    raise Unsupported("a DPP instruction without a known DPP control")


def _encoded_op_sel(inst: Instruction) -> int:
    """OPSEL of a VOP3 encoding (bits 14:11), 0 for other encodings."""
    word = int.from_bytes(inst.raw[:4], "little")
    return word >> 11 & 15 if word >> 26 == 0b110100 else 0


def decode_lane(ctx: Context, inst: Instruction, semantic: table.Semantic) -> Record:
    """A VALU opcode of the semantics table."""
    base, mods = inst.base, inst.modifiers
    operands = list(inst.operands)
    if base == "v_swap_b32":
        operands = operands * 2
    explicit = [d for d in semantic.dsts if d not in table.IMPLICIT]
    types = explicit + [s for s in semantic.srcs if s not in table.IMPLICIT]
    if len(operands) != len(types):
        raise Unsupported(f"{inst.text}: {len(operands)} operands, {len(types)} expected")
    places = [ctx.place(o, t, semantic.packed) for o, t in zip(operands, types, strict=True)]
    options: dict[str, Any] = {}
    sources = operands[len(explicit) :]
    for name in ("neg", "abs", "sext"):
        bits = sum(1 << i for i, o in enumerate(sources) if getattr(o, name))
        if bits:
            options[name] = bits
    for name, value in mods.items():
        _modifier(ctx, inst, semantic, options, name, value)
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
    _mode_options(ctx, semantic, types, options)
    if ctx.open_junk and semantic.high == "open":
        options["open"] = True
    kinds = "".join(k for k, _ in places)
    extra = ctx.index_option(len(explicit))
    return Record(
        Variant("lane", base, kinds, tuple(sorted(options.items())) + extra),
        [p for _, p in places],
    )


def _modifier(
    ctx: Context,
    inst: Instruction,
    semantic: table.Semantic,
    options: dict[str, Any],
    name: str,
    value: Any,
) -> None:
    is_float = any(d[0] == "f" for d in semantic.dsts)
    if name in ("op_sel", "op_sel_hi", "neg_lo", "neg_hi"):
        options[name] = value
    elif name == "clamp":
        if is_float:
            options["clamp"] = True
        elif semantic.dsts == ("m",) or integer_clamp.in_range_anyway(semantic.name):
            return  # compares: signal exceptions, no effect on the result
        elif integer_clamp.clampable(semantic.name):
            options["clamp"] = True
        else:
            raise Unsupported(f"{inst.base} with clamp is not supported")
    elif name in ("mul", "div"):
        # IEEE mode and output denormals switch omod off; integer results never have it.
        width = table.width_of(semantic.dsts[0])
        off = ctx.mode.ieee or ctx.mode.denorm_of(width) & 2
        if is_float and not off and not semantic.packed:
            options["omod"] = f"{name}{value}"
    elif name in semantic.immediates:
        options[name] = value
    elif name not in _IGNORED:
        raise Unsupported(f"modifier {name} of {inst.base} is not supported")


def _mode_options(
    ctx: Context, semantic: table.Semantic, types: list[str], options: dict[str, Any]
) -> None:
    """The MODE fields that this opcode depends on, where they differ from the default."""
    mode = ctx.mode
    floats = {t for t in types if t[0] == "f"}
    if floats and semantic.flush:
        denorm = (mode.denorm_32, mode.denorm_16_64)
        relevant = (
            mode.denorm_32 != 3 and "f32" in floats,
            mode.denorm_16_64 != 3 and ("f16" in floats or "f64" in floats),
        )
        if any(relevant):
            options["denorm"] = denorm
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


def decode_mix(ctx: Context, inst: Instruction) -> Record:
    """v_fma_mix_f32, v_fma_mixlo_f16, v_fma_mixhi_f16 (printed v_mad_mix* on older targets)."""
    mods = inst.modifiers
    halves = mods.get("op_sel_hi", ())
    op_sel = mods.get("op_sel", ())
    options: dict[str, Any] = {"op_sel": op_sel, "op_sel_hi": halves}
    sources = inst.operands[1:]
    for name in ("neg", "abs"):
        bits = sum(1 << i for i, o in enumerate(sources) if getattr(o, name))
        if bits:
            options[name] = bits
    for name in mods:
        if name == "clamp":
            options["clamp"] = True
            if not ctx.mode.dx10_clamp:
                options["dx10"] = False
        elif name not in ("op_sel", "op_sel_hi"):
            raise Unsupported(f"modifier {name} of {inst.base} is not supported")
    mode = ctx.mode
    if (mode.denorm_32, mode.denorm_16_64) != (3, 3):
        options["denorm"] = (mode.denorm_32, mode.denorm_16_64)
    if (mode.round_32, mode.round_16_64) != (0, 0):
        options["round"] = (mode.round_32, mode.round_16_64)
    if mode.fp16_ovfl and not inst.base.endswith("f32"):
        options["fp16_ovfl"] = True
    places = [ctx.place(inst.operands[0])]
    for i, operand in enumerate(sources):
        half = isinstance(halves, tuple) and i < len(halves) and halves[i]
        places.append(ctx.place(operand, "f16" if half else "f32"))
    kinds = "".join(k for k, _ in places)
    base = inst.base.replace("v_mad_mix", "v_fma_mix")
    return Record(
        Variant("mix", base, kinds, tuple(sorted(options.items()))), [p for _, p in places]
    )
