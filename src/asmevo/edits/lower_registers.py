"""Rule `lower_registers`: declare no more vector registers than the code names.

A wave gets what the descriptor declares, used or not, and the waves that a SIMD holds follow from
it. Compilers declare more when they were told how many waves to expect (`waves_per_eu`): Triton
objects are known that declare 264 registers and use 100. No instruction changes. Whether more
waves help depends on the grid, so the clock decides, as for every edit.
"""

from __future__ import annotations

from collections.abc import Iterator

from asmevo.codeobject import CodeObject
from asmevo.edits.base import Window, kernel_function
from asmevo.isa.decoded import decode
from asmevo.isa.flow import FlowKind, flow_of
from asmevo.isa.operand import AGPR0, VGPR0
from asmevo.isa.traits import traits_of
from asmevo.program.edit import Edit
from asmevo.program.model import Program
from asmevo.program.rebuild.resources import Resources, set_resources


class LowerRegisters:
    """See the module. One proposal at most, of the kernel's first instruction."""

    name = "lower_registers"

    def proposals(self, program: Program, kernel: str, window: Window) -> Iterator[Edit]:
        """The edit that declares what the code uses, where that is less."""
        del window  # the whole kernel decides
        function = kernel_function(program, kernel)
        names: set[int] = set()
        for inst in program.instructions[function.first : function.last]:
            if inst.text is None or flow_of(inst.base).kind in (FlowKind.CALL, FlowKind.COMPUTED):
                return
            if traits_of(inst.base).indirect:
                return
            record = decode(inst, program.target)
            names |= record.defs | record.uses
        vgprs = max((n - VGPR0 + 1 for n in names if VGPR0 <= n < AGPR0), default=0)
        agprs = max((n - AGPR0 + 1 for n in names if n >= AGPR0), default=0)
        before = program.object.kernel(kernel)
        wanted = Resources(vgprs=vgprs, agprs=agprs)
        lowered = CodeObject.open(set_resources(program.object, before, wanted))
        after = lowered.kernel(before.name).descriptor
        if after.vgprs >= before.descriptor.vgprs:
            return
        yield Edit(
            function.first, function.first, (),
            f"declares {after.vgprs} registers where {before.descriptor.vgprs} were, "
            f"{vgprs + agprs} are used", wanted,
        )  # fmt: skip
