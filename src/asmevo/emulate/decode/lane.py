"""Decoding of VALU instructions of the semantics table into records."""

from __future__ import annotations

from asmevo.emulate.decode.operands import Context, Record, Unsupported
from asmevo.emulate.native.variant import Variant
from asmevo.isa.instruction import Instruction
from asmevo.isa.semantics import table
from asmevo.isa.semantics.instruction.decode import UnsupportedForm, options_of, printed_types
from asmevo.isa.semantics.instruction.mix import mix_options, mix_semantic, mix_types


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
    try:
        options = mix_options(inst, ctx.mode)
    except UnsupportedForm as err:
        raise Unsupported(*err.args) from None
    types = ["b32", *mix_types(options)]
    places = [ctx.place(o, t) for o, t in zip(inst.operands, types, strict=True)]
    kinds = "".join(k for k, _ in places)
    semantic = mix_semantic(inst.base)
    assert semantic is not None, inst.base
    return Record(
        Variant("mix", semantic.name, kinds, tuple(sorted(options.items()))), [p for _, p in places]
    )
