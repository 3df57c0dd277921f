"""The MODE that a function runs in."""

from __future__ import annotations

from asmevo.isa.decoded import decode
from asmevo.isa.flow import FlowKind
from asmevo.isa.semantics.table import FloatMode
from asmevo.program.model import Function, Program

_ELSEWHERE = (FlowKind.CALL, FlowKind.COMPUTED, FlowKind.TRAP)


def float_mode(program: Program, function: Function) -> FloatMode | None:
    """MODE of a function, as the descriptors say; None where something sets it.

    A function that kernels call runs in theirs, if they all agree.
    """
    alone = function.is_kernel and not any(
        decode(i, program.target).flow.kind in _ELSEWHERE
        for i in program.instructions[function.first : function.last]
    )
    looked_at = [function] if alone else program.functions
    for f in looked_at:
        inside = program.instructions[f.first : f.last]
        if any(decode(i, program.target).traits.sets_mode for i in inside):
            return None
    modes: set[FloatMode] = set()
    for kernel in program.object.kernels:
        if not alone or program.kernel_function(kernel) == function:
            d = kernel.descriptor
            modes.add(
                FloatMode(
                    d.float_round_mode_32, d.float_round_mode_16_64, d.float_denorm_mode_32,
                    d.float_denorm_mode_16_64, bool(d.dx10_clamp), bool(d.ieee_mode),
                    bool(d.fp16_ovfl),
                ).on_target(program.target.arch)
            )  # fmt: skip
    return modes.pop() if len(modes) == 1 else None
