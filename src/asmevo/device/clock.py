"""The emulated device's clock: executed instruction streams from the emulator, cycles from the
model. Every figure is modelled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from asmevo.capsule.model import Capsule
from asmevo.codeobject import Kernel
from asmevo.device.protocol import Timing, WaveTrace
from asmevo.program import Program
from asmevo.timing.model import Estimate, estimate
from asmevo.timing.occupancy import Occupancy, occupancy

TRACED_WORKGROUPS = 8
"""Most workgroups whose streams feed the model; further residents repeat them in turn."""


@dataclass(frozen=True, slots=True)
class TimedLaunch:
    """What the model is given besides the streams.

    Attributes:
        occupancy: what fits a compute unit.
        workgroups: workgroups of the launch.
        traced: how many of them to execute for their streams.
    """

    occupancy: Occupancy
    workgroups: int
    traced: int


def plan(kernel: Kernel, capsule: Capsule) -> TimedLaunch:
    """Occupancy of a launch and how many workgroups to trace.

    Raises:
        InputError: the workgroup does not fit a compute unit.
        UnsupportedError: no machine table for the target.
    """
    d = kernel.descriptor
    fits = occupancy(
        d.target, d.vgprs, d.group_segment_fixed_size + capsule.lds_dynamic, capsule.block
    )
    total = capsule.workgroups
    return TimedLaunch(fits, total, min(total, fits.workgroups_per_cu, TRACED_WORKGROUPS))


def model(
    program: Program,
    kernel: Kernel,
    launch: TimedLaunch,
    traces: Sequence[WaveTrace],
    *,
    split: bool = False,
) -> Estimate:
    """The cycle model's estimate for a traced launch; `split` also gives the core-bound part."""
    function = program.kernel_function(kernel)
    inside = all(
        len(t.indices) == 0
        or (t.indices.min() >= function.first and t.indices.max() < function.last)
        for t in traces
    )
    return estimate(
        program,
        function if inside else None,
        traces,
        launch.occupancy,
        workgroups=launch.workgroups,
        split=split,
    )


def timing(result: Estimate) -> Timing:
    """An estimate as the device's timing: one sample, since the model is deterministic."""
    return Timing((result.cycles,), "cycles", "modelled", result.band, result.validation_class)
