"""Helpers for v_fma_mix_f32, v_fma_mixlo_f16 and v_fma_mixhi_f16 (CDNA3 ISA 12.10)."""

from __future__ import annotations

from asmevo.emulate.helpers.emit import Helper, Variant, family
from asmevo.emulate.helpers.lane.results import finish_float
from asmevo.emulate.helpers.lane.sources import FLUSH_IN, denorm_of, flush
from asmevo.emulate.native.ir import Module
from asmevo.isa.semantics.directed import directed
from asmevo.isa.semantics.values import Value, where
from asmevo.isa.semantics.vector_float import fma_full


def _source(h: Helper, index: int) -> Value:
    """Source `index` as f32: op_sel_hi chooses f16, op_sel its half; then abs and neg."""
    variant = h.variant
    position = index - 1
    value = h.v(h.source_row(index, variant.kinds[index]), 32)

    def chosen(name: str) -> bool:
        bits = variant.option(name, ())
        return position < len(bits) and bool(bits[position])

    if chosen("op_sel_hi"):
        half = value.bits(16 if chosen("op_sel") else 0, 16).f
        if FLUSH_IN[denorm_of(variant, 16)]:
            half = flush(half)
        value = half.fconvert(32)
    else:
        value = value.f
        if FLUSH_IN[denorm_of(variant, 32)]:
            value = flush(value)
    if variant.option("abs", 0) >> position & 1:
        value = value.fabs()
    if variant.option("neg", 0) >> position & 1:
        value = -value
    return value


@family("mix")
def emit_mix(module: Module, variant: Variant) -> None:
    """One rounding to f32; the f16 forms round the f32 result again (pseudocode V_MAD_MIX*)."""
    h = Helper(module, variant)
    a, b, c = (_source(h, i) for i in (1, 2, 3))
    rounding = variant.option("round")
    if rounding is not None:
        alg = directed(h.vector, {32: rounding[0], 16: rounding[1]})
        a, b, c = (Value(alg, v.raw, v.width, v.kind) for v in (a, b, c))
    result = fma_full(a, b, c)
    pointer = h.slot(0)
    if variant.name == "v_fma_mix_f32":
        result = finish_float(h, None, [], Value(h.vector, result.raw, 32, "f"))
        h.store_rows([(result.raw, pointer)])
        h.finish()
        return
    half = Value(h.vector, result.fconvert(16).raw, 16, "f")
    if variant.option("fp16_ovfl"):
        infinite = (result.u & 0x7FFFFFFF) == 0x7F800000
        overflow = ((half.u & 0x7FFF) == 0x7C00) & ~infinite
        half = where(overflow, half.u - 1, half.u).f
    half = finish_float(h, None, [], half)
    old = h.v(h.row(pointer), 32)
    if variant.name == "v_fma_mixlo_f16":
        row = (old & 0xFFFF0000) | half.u.to(32)
    else:
        row = (old & 0xFFFF) | (half.u.to(32) << 16)
    h.store_rows([(row.raw, pointer)])
    h.finish()
