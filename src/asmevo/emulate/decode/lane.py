"""Decoding of VALU instructions of the semantics table into records."""

from __future__ import annotations

from typing import Any

from asmevo.emulate.decode.operands import Context, Record, Unsupported
from asmevo.emulate.helpers.emit import Variant
from asmevo.isa.instruction import Instruction
from asmevo.isa.semantics import table
from asmevo.isa.semantics.instruction.decode import UnsupportedForm, options_of, printed_types


def decode_lane(ctx: Context, inst: Instruction, semantic: table.Semantic) -> Record:
    """A VALU opcode of the semantics table."""
    operands = list(inst.operands)
    if inst.base == "v_swap_b32":
        operands = operands * 2
    types = printed_types(semantic)
    if len(operands) != len(types):
        raise Unsupported(f"{inst.text}: {len(operands)} operands, {len(types)} expected")
    places = [ctx.place(o, t, semantic.packed) for o, t in zip(operands, types, strict=True)]
    try:
        options = options_of(inst, semantic, ctx.mode)
    except UnsupportedForm as err:
        raise Unsupported(*err.args) from None
    if ctx.open_junk and semantic.high == "open":
        options["open"] = True
    kinds = "".join(k for k, _ in places)
    extra = ctx.index_option(len([d for d in semantic.dsts if d not in table.IMPLICIT]))
    return Record(
        Variant("lane", inst.base, kinds, tuple(sorted(options.items())) + extra),
        [p for _, p in places],
    )


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
