"""Rule `skip_branch`: drop a branch around code that does nothing when no lane is enabled.

`s_cbranch_execz` saves the time of the code behind it when a wave has no enabled lanes, and costs
the branch when it has. Vector code executed with EXEC = 0 changes nothing, so the branch may go
when everything behind it is vector code, or scalar code whose results nobody needs afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator

from asmevo.edits.base import Window, analysed, kernel_function
from asmevo.isa.decoded import OpClass, decode
from asmevo.isa.flow import flow_of
from asmevo.isa.operand import EXEC, MODE
from asmevo.program.cfg import Block, blocks
from asmevo.program.dataflow import Liveness, liveness
from asmevo.program.edit import Edit
from asmevo.program.model import Program

_LONGEST = 64
_HARMLESS = frozenset(
    {OpClass.VALU, OpClass.TRANS, OpClass.VMEM, OpClass.LDS, OpClass.SALU, OpClass.WAIT,
     OpClass.NOP}
)  # fmt: skip


class SkipBranch:
    """See the module."""

    name = "skip_branch"

    def proposals(self, program: Program, kernel: str, window: Window) -> Iterator[Edit]:
        """Edits that remove a branch of `window`, or one that jumps over `window`."""
        function = kernel_function(program, kernel)
        found = blocks(program, function)
        live = analysed(program, function, liveness)
        for block in found:
            branch = block.last - 1
            if not flow_of(program.instructions[branch].base).skips_without_lanes:
                continue
            following = next((b for b in found if b.first == block.last), None)
            if following is None or not _near(block, following, window):
                continue
            if program.branch_target(branch) == following.last and _harmless(
                program, following, live
            ):
                yield Edit(branch, branch + 1, (), "run the few vector instructions masked")


def _near(block: Block, following: Block, window: Window) -> bool:
    return block.first < window[1] and following.last > window[0]


def _harmless(program: Program, body: Block, live: Liveness) -> bool:
    if body.last - body.first > _LONGEST or len(body.predecessors) != 1:
        return False
    after = live.live_out(body.index)
    for i in range(body.first, body.last):
        inst = program.instructions[i]
        effect = decode(inst, program.target)
        if effect.kind not in _HARMLESS or not inst.editable:
            return False
        traits = effect.traits
        if traits.ignores_exec or traits.sets_mode or traits.reads_pc or traits.idles:
            return False
        if effect.defs & {EXEC, EXEC + 1, MODE}:
            return False
        scalar = {u for u in effect.defs if u < 1024}
        if scalar & after:
            return False
    return True
