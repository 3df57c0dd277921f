"""Helpers for v_fma_mix_f32, v_fma_mixlo_f16 and v_fma_mixhi_f16."""

from __future__ import annotations

from asmevo.emulate.helpers.lane.ops import LaneState
from asmevo.emulate.native.helper import Helper
from asmevo.emulate.native.ir import Module
from asmevo.emulate.native.variant import Variant, family
from asmevo.isa.semantics.instruction.form import form_from
from asmevo.isa.semantics.instruction.mix import MIX, execute_mix


@family("mix")
def emit_mix(module: Module, variant: Variant) -> None:
    """A fused multiply-add of mixed precision."""
    h = Helper(module, variant)
    form = form_from(MIX[variant.name], (k == "v" for k in variant.kinds), variant.options)
    execute_mix(form, LaneState(h))
    h.finish()
