"""Profile of a node: execution counts from a run, and modelled stalls where the device has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from asmevo.capsule.model import Capsule
from asmevo.device.protocol import Device, RunOptions
from asmevo.errors import EnvironmentFault
from asmevo.program.model import Program
from asmevo.search.windows import Profile


@runtime_checkable
class StallSource(Protocol):
    """A device that can say how long waves stall at each instruction."""

    def stalls(self, object: bytes, capsule: Capsule) -> NDArray[np.float64]:
        """Stall cycles per instruction of the program."""
        ...


def profile_node(
    object: bytes, program: Program, capsules: Sequence[Capsule], device: Device
) -> Profile:
    """Run `object` on the first capsule and weigh its instructions.

    Raises:
        EnvironmentFault: the device gave no counts, or an accepted node faulted.
    """
    result = device.run(object, capsules[0], RunOptions(profile=True))
    if not result.ok:
        fault = result.fault.one_line() if result.fault else "no reason given"
        raise EnvironmentFault(f"an accepted object faulted while profiled: {fault}")
    count = len(program.instructions)
    if result.counts is None or len(result.counts) != count:
        raise EnvironmentFault(f"{device.name} gave no execution counts", "use another device")
    counts = result.counts
    if isinstance(device, StallSource):
        weights = np.asarray(device.stalls(object, capsules[0]), dtype=np.float64)
        # An instruction costs its issue even where nothing stalls.
        return Profile(counts, weights + 4.0 * counts, "modelled stalls")
    return Profile(counts, counts.astype(np.float64), "execution counts")
