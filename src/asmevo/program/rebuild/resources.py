"""Register, LDS and scratch counts: descriptor and metadata changed together, nothing else.

Counts are what the code needs; granules are applied here. On unified register files (gfx90a and
later CDNA) the AGPRs start at `accum_offset`, a multiple of 4, and the metadata's `.vgpr_count` is
the sum; on gfx908 the two files are allocated with one count, the larger. Source: LLVM
`AMDGPUUsage`, "compute_pgm_rsrc3 for GFX90A, GFX942"; `AMDGPUBaseInfo.cpp`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from asmevo.codeobject import CodeObject, Kernel
from asmevo.codeobject.note import patch_numbers
from asmevo.errors import BuildError, UnsupportedError


@dataclass(frozen=True, slots=True)
class Resources:
    """What a kernel shall have; None leaves a count as it is.

    Attributes:
        vgprs: v0.. that the code names.
        agprs: a0.. that the code names.
        sgprs: numbered SGPRs, VCC and the other trailing ones not counted.
        lds: bytes of fixed LDS.
        scratch: bytes of private segment per lane.
    """

    vgprs: int | None = None
    agprs: int | None = None
    sgprs: int | None = None
    lds: int | None = None
    scratch: int | None = None

    @property
    def declares(self) -> frozenset[str]:
        """Descriptor fields that these counts change, as `check.rules.abi` names them."""
        names: set[str] = set()
        if self.vgprs is not None or self.agprs is not None:
            names |= {"vgprs", "accum_offset"}
        if self.sgprs is not None:
            names.add("sgprs")
        if self.lds is not None:
            names.add("group_segment_fixed_size")
        if self.scratch is not None:
            names.add("private_segment_fixed_size")
        return frozenset(names)


def _limit(what: str, value: int, most: int) -> None:
    if not 0 <= value <= most:
        raise BuildError(f"{value} {what}; the target allows 0 to {most}", "use fewer")


def set_resources(co: CodeObject, kernel: Kernel, wanted: Resources) -> bytes:
    """The file with the kernel's resources set in descriptor and metadata.

    Raises:
        BuildError: more than the target has, or the metadata note has no room for a longer number.
        UnsupportedError: the target has no such register file.
    """
    d, target = kernel.descriptor, co.target
    numbers: dict[str, int] = {}
    if wanted.vgprs is not None or wanted.agprs is not None:
        vgprs = d.arch_vgprs if wanted.vgprs is None else wanted.vgprs
        agprs = kernel.metadata.agpr_count if wanted.agprs is None else wanted.agprs
        # On a unified file code names v0..v255, whatever a wave may have in all.
        _limit("VGPRs", vgprs, 256 if target.unified_vgprs else target.facts.vgprs)
        if agprs and not target.has_mfma:
            raise UnsupportedError(f"{target.arch} has no AGPRs")
        _limit("AGPRs", agprs, 256)
        if target.unified_vgprs:
            accum = max(4, -(-vgprs // 4) * 4)
            total = accum + agprs if agprs else max(vgprs, 1)
            d = d.replace(accum_offset=accum, vgprs=max(total, 1))
            numbers[".vgpr_count"] = total
        else:
            d = d.replace(vgprs=max(vgprs, agprs, 1))
            numbers[".vgpr_count"] = max(vgprs, agprs) if target.has_mfma else vgprs
        numbers[".agpr_count"] = agprs
    if wanted.sgprs is not None:
        _limit("SGPRs", wanted.sgprs, target.facts.sgprs)
        total = wanted.sgprs + target.facts.named_sgprs
        if target.facts.sgpr_granule:
            d = d.replace(sgprs=total)
        numbers[".sgpr_count"] = total
    if wanted.lds is not None:
        _limit("bytes of LDS", wanted.lds, target.lds_bytes_per_cu)
        d = d.replace(group_segment_fixed_size=wanted.lds)
        numbers[".group_segment_fixed_size"] = wanted.lds
    if wanted.scratch is not None:
        if wanted.scratch and not d.enable_private_segment:
            raise UnsupportedError(
                f"kernel {kernel.name} has no scratch set up", "scratch cannot be added"
            )
        d = d.replace(private_segment_fixed_size=wanted.scratch)
        numbers[".private_segment_fixed_size"] = wanted.scratch
    at = kernel.descriptor_offset
    data = co.data[:at] + d.raw + co.data[at + len(d.raw) :]
    if all(getattr(wanted, f.name) is None for f in fields(wanted)):
        return co.data
    return patch_numbers(data, co, kernel, numbers)
