"""Occupancy: how many waves fit a SIMD and how many workgroups a compute unit, and why no more.

Registers: gfx90a and later CDNA hold arch VGPRs and AGPRs of a wave in one file of 512 entries per
SIMD and lane; a wave's share is rounded up to the granule. Source: LLVM `AMDGPUBaseInfo.cpp`
(`getNumWavesPerEUWithNumVGPRs`, `getMaxWorkGroupsPerCU`), CDNA3 ISA section 3.6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from asmevo.errors import InputError
from asmevo.isa.target import Target
from asmevo.timing.machine import MachineModel, machine_for

Limiter = Literal["waves", "vgprs", "lds", "workgroups", "launch"]


@dataclass(frozen=True, slots=True)
class Occupancy:
    """What fits.

    Attributes:
        waves_per_simd: waves of the kernel that a SIMD holds at once (rounded up over SIMDs).
        workgroups_per_cu: workgroups that a compute unit holds at once; 0 never (that raises).
        waves_per_workgroup: waves of one workgroup.
        limiter: what stops one more workgroup: wave slots, VGPRs, LDS or workgroup slots.
    """

    waves_per_simd: int
    workgroups_per_cu: int
    waves_per_workgroup: int
    limiter: Limiter


def align(value: int, granule: int) -> int:
    """`value` rounded up to a multiple of `granule`."""
    return -(-value // granule) * granule


def allocated_vgprs(vgprs: int, agprs: int = 0) -> int:
    """Unified register count of a wave: AGPRs start at a multiple of four (LLVM accum_offset)."""
    return align(vgprs, 4) + agprs if agprs else vgprs


def waves_by_vgprs(machine: MachineModel, vgprs: int) -> int:
    """Waves per SIMD that `vgprs` registers (arch and AGPR together) allow.

    Raises:
        InputError: a wave cannot have that many registers.
    """
    total = machine.count("vgprs_per_simd")
    need = align(max(vgprs, 1), machine.count("vgpr_granule"))
    if vgprs < 0 or need > total:
        raise InputError(f"{vgprs} VGPRs per wave do not exist", f"a wave has at most {total}")
    return min(machine.count("wave_slots_per_simd"), total // need)


def occupancy(
    target: Target,
    vgprs: int,
    lds: int,
    block: int | tuple[int, int, int],
    agprs: int = 0,
    wave_size: int = 64,
    machine: MachineModel | None = None,
) -> Occupancy:
    """Occupancy of a kernel.

    Args:
        target: architecture with a machine table.
        vgprs: VGPRs of a wave. With `agprs` = 0 this is the allocated total as the kernel
            descriptor has it (AGPRs included); else arch VGPRs alone.
        lds: LDS bytes of a workgroup, static and dynamic.
        block: workitems of a workgroup, a number or three dimensions.
        agprs: accumulation registers, when not in `vgprs`.
        wave_size: lanes of a wave.
        machine: constants; the usual machine of the target by default.

    Raises:
        UnsupportedError: no machine table for the target.
        InputError: the workgroup does not fit an empty compute unit, or a size is not positive.
    """
    machine = machine_for(target) if machine is None else machine
    items = block if isinstance(block, int) else block[0] * block[1] * block[2]
    if items < 1 or lds < 0:
        raise InputError(f"workgroup of {items} workitems and {lds} bytes of LDS is no workgroup")
    simds = machine.count("simds_per_cu")
    waves = -(-items // wave_size)
    slots = machine.count("wave_slots_per_simd") * simds
    by_vgprs = waves_by_vgprs(machine, allocated_vgprs(vgprs, agprs)) * simds // waves
    limits: list[tuple[int, Limiter]] = [(slots // waves, "waves"), (by_vgprs, "vgprs")]
    size = align(lds, machine.count("lds_granule"))
    capacity = machine.count("lds_bytes_per_cu")
    if lds > capacity:
        raise InputError(
            f"{lds} bytes of LDS exceed the {capacity} of a {machine.arch} compute unit",
            "use a smaller workgroup or tile",
        )
    # Workgroups of one wave need no barrier and are not counted against the workgroup slots.
    most = slots if waves == 1 else machine.count("workgroups_per_cu")
    limits.append((most, "workgroups"))
    if lds:
        limits.append((max(capacity // size, 1), "lds"))
    fits, limiter = min(limits, key=lambda limit: limit[0])
    if fits < 1:
        raise InputError(
            f"a workgroup of {waves} waves with {vgprs + agprs} VGPRs does not fit a compute unit",
            "use fewer registers or a smaller workgroup",
        )
    return Occupancy(-(-fits * waves // simds), fits, waves, limiter)
