"""Machine cases: what a kernel may meet that a single figure of the model does not say.

A gain that only one of them shows is a property of the model, not of the kernel. The cases are
where the data lies (all in the L2; from memory, with the whole chip asking), and the constants
that traces identify least, 20 % either way. The start of the workgroups that share a compute unit
is not under anyone's control: it is drawn anew for each stagger seed, and what that moves is noise
(on hardware 1-10 % at eight workgroups per unit).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from asmevo.timing.machine import MachineModel

_LATENCIES = (
    "vmem_latency", "level_l1", "level_l2", "level_mall", "level_dram", "store_latency",
    "smem_latency", "smem_miss", "smem_cold", "smem_line", "lds_latency", "lds_write_latency",
)  # fmt: skip
_RATES = (
    "vmem_bytes_per_clk", "store_bytes_per_clk", "mall_bytes_per_clk", "dram_bytes_per_clk",
    "vmem_inflight",
)  # fmt: skip
_SPREAD = 0.2
STAGGER_SEEDS = (1, 2)

Residence = Literal["nominal", "cache", "memory"]


@dataclass(frozen=True, slots=True)
class Case:
    """One variation of the machine.

    Attributes:
        name: for records and messages.
        latency, rate: factors of the memory path's latencies and bandwidths.
        data: where first requests are served: by the footprint, all by the L2, all by memory.
        seed: of the workgroups' starts; 0 for evenly one after the other.
    """

    name: str
    latency: float = 1.0
    rate: float = 1.0
    data: Residence = "nominal"
    seed: int = 0

    def of(self, machine: MachineModel) -> MachineModel:
        """The machine in this case."""
        if self.latency == self.rate == 1.0:
            return machine
        changed = {name: machine[name] * self.latency for name in _LATENCIES}
        changed |= {name: machine[name] * self.rate for name in _RATES}
        return machine.with_values(**changed)


NOMINAL = Case("nominal")
CASES = (
    Case("data in the L2", data="cache"),
    Case("data from memory", data="memory"),
    Case("latencies +20 %", latency=1 + _SPREAD),
    Case("latencies -20 %", latency=1 - _SPREAD),
    Case("bandwidths +20 %", rate=1 + _SPREAD),
    Case("bandwidths -20 %", rate=1 - _SPREAD),
)
STAGGERED = tuple(Case(f"stagger {seed}", seed=seed) for seed in STAGGER_SEEDS)
