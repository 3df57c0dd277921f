"""Where a launch's memory requests are served, and what the device's bandwidth makes of them.

What a workgroup asks for the first time may have been asked for by others. How often is known from
the launch as a whole: all workgroups together cannot ask for more different bytes than there are
(the footprint). Assumed, and true of tiled kernels whose workgroups walk in step: a line that
several workgroups of one XCD share is found in that XCD's L2 by all but the first, and in the
last-level cache by all XCDs but the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asmevo.timing.cases import Residence
from asmevo.timing.machine import MachineModel
from asmevo.timing.unit import Load


@dataclass(frozen=True, slots=True)
class Traffic:
    """Bytes of the whole launch.

    Attributes:
        known: whether addresses were recorded; otherwise `moved` counts what lanes ask for.
        moved: between compute units and L2.
        fresh: of those, what a workgroup asked for the first time.
        footprint: different bytes among the fresh ones, at most.
        hottest: lane operations of atomics on the address that has most.
    """

    known: bool
    moved: float
    fresh: float
    footprint: float
    hottest: float = 0.0

    @staticmethod
    def of(
        loads: Sequence[Load], population: NDArray[np.int64], footprint: float | None
    ) -> Traffic:
        """Of a launch in which `loads[k]` stands for `population[k]` workgroups."""
        moved = float(sum(load.moved * n for load, n in zip(loads, population, strict=True)))
        fresh = float(sum(load.fresh * n for load, n in zip(loads, population, strict=True)))
        known = all(load.known for load in loads)
        least = max((load.fresh for load in loads), default=0.0)
        different = fresh if footprint is None else max(least, min(fresh, footprint))
        hot: dict[int, float] = {}
        for load, n in zip(loads, population.tolist(), strict=True):
            for at, count in load.hot.items():
                hot[at] = hot.get(at, 0.0) + count * n
        return Traffic(known, moved, fresh, different, max(hot.values(), default=0.0))

    def on(self, machine: MachineModel, units: int, data: Residence = "nominal") -> MachineModel:
        """The machine as `units` busy compute units see it with this traffic.

        First requests take the mean latency of the levels that serve them, and each unit has its
        share of the rates of the last-level cache and of device memory.
        """
        if not self.known or self.fresh <= 0.0:
            return machine
        to_mall, to_dram = self._beyond(machine, data)
        # The more units ask, the longer a request waits in the L2's queues: with all of them as
        # long as traces of full chips show, wherever it is served.
        load = units / machine["compute_units"]
        near, mall = machine["level_l2"], machine["level_mall"]
        near += max(0.0, machine["vmem_latency"] - near) * load
        mall = max(mall, near)
        latency = near + to_mall * (mall - near) + to_dram * (machine["level_dram"] - mall)
        clocks = max(
            to_mall / machine["mall_bytes_per_clk"], to_dram / machine["dram_bytes_per_clk"]
        )
        unlimited = machine["ta_bytes_per_clk"]
        rate = unlimited if clocks <= 0.0 else min(unlimited, 1.0 / (clocks * units))
        return machine.with_values(level_l2=near, fresh_latency=latency, fresh_bytes_per_clk=rate)

    def _beyond(self, machine: MachineModel, data: Residence) -> tuple[float, float]:
        """Shares of the fresh bytes that go past the L2, and past the last-level cache."""
        if data == "cache":
            return 0.0, 0.0
        to_mall = min(1.0, machine["l2_count"] * self.footprint / self.fresh)
        held = data == "nominal" and self.footprint <= machine["mall_bytes"]
        return to_mall, 0.0 if held else min(1.0, self.footprint / self.fresh)

    def least(self, machine: MachineModel, data: Residence = "nominal") -> float:
        """Clocks that the device's memory takes for this traffic at least.

        Atomics on one address follow each other, whichever wave or unit they come from.
        """
        if not self.known:
            return 0.0
        to_mall, to_dram = self._beyond(machine, data) if self.fresh > 0.0 else (0.0, 0.0)
        moving = self.fresh * max(
            to_mall / machine["mall_bytes_per_clk"], to_dram / machine["dram_bytes_per_clk"]
        )
        return max(moving, self.hottest * machine["atomic_clocks"])

    def served(self, machine: MachineModel) -> dict[str, float]:
        """Bytes of the launch that the L2, the last-level cache and device memory serve."""
        to_mall, to_dram = self._beyond(machine, "nominal") if self.fresh > 0.0 else (0.0, 0.0)
        found = {"l2": self.moved, "hbm": self.fresh * to_dram}
        if machine["mall_bytes"]:
            found["last_level"] = self.fresh * to_mall
        return found

    def of_units(self, machine: MachineModel, units: int) -> float:
        """Clocks that `units` compute units take to move it at their share of the bandwidth."""
        return self.moved / units / machine["vmem_bytes_per_clk"]
