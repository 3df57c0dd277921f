"""MachineModel tables of the cycle model: one row per constant, with a source for every value.

All times are shader clocks and all sizes bytes unless a row's unit says otherwise. The columns
are compute parts (CDNA): gfx90a (MI210), gfx942 (MI300X, MI325X) and gfx950 (MI350X). Sources:

* `trace`: mode of issue-to-issue distances in public rocprofv3 thread traces of MI325X (bf16
  GEMMs) and MI350X (attention, norms, MoE, GEMM); numbers only, no trace content.
* `calibrated`: fitted on those traces by `benchmarks/timing_traces.py`; held-out error there.
* `LLVM`: tables of LLVM 22 (`SISchedule.td`, `GCNHazardRecognizer.cpp`, occupancy as `llc` prints).
* `gpu-benches`: RRZE-HPC pointer-chase and bandwidth measurements of MI210 and MI300X.
* `spec`: AMD product data (ROCm "GPU hardware specifications").
* `microbench`: public measurements of single instructions (tingqli/pyhip on MI308X).
* `assumed`: no observation; carried over from the nearest part. Never validated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

from asmevo.errors import UnsupportedError
from asmevo.isa.arch import ARCHS, Arch
from asmevo.isa.target import Target


class Row(NamedTuple):
    """One constant on the three parts.

    Attributes:
        name: parameter name; `MachineModel.values` is keyed by it.
        unit: `clk`, `B`, `B/clk`, `entries`, `count` or `MHz`.
        gfx90a, gfx942, gfx950: values.
        source: where the values come from, per part where they differ.
    """

    name: str
    unit: str
    gfx90a: float
    gfx942: float
    gfx950: float
    source: str


_CARRIED = "gfx90a assumed"
# What `asmevo.isa.arch` states already.
_FACTS: tuple[tuple[str, str, Callable[[Arch], int]], ...] = (
    ("wave_slots_per_simd", "count", lambda a: a.waves_per_simd),
    ("vgpr_granule", "count", lambda a: a.vgpr_granules[64]),
    ("lds_bytes_per_cu", "B", lambda a: a.lds_bytes),
    ("lds_granule", "B", lambda a: a.lds_granule),
)
ROWS: tuple[Row, ...] = (
    # --- chip --------------------------------------------------------------------------------
    Row("compute_units", "count", 104, 304, 256, "spec (MI210, MI300X/MI325X, MI350X)"),
    Row("simds_per_cu", "count", 4, 4, 4, "CDNA3 ISA section 2"),
    Row("vgprs_per_simd", "count", 512, 512, 512, "LLVM (unified VGPR and AGPR file)"),
    *(
        Row(
            name,
            unit,
            fact(ARCHS["gfx90a"]),
            fact(ARCHS["gfx942"]),
            fact(ARCHS["gfx950"]),
            "asmevo.isa.arch (LLVM)",
        )
        for name, unit, fact in _FACTS
    ),
    Row("workgroups_per_cu", "count", 32, 32, 32, "LLVM getMaxWorkGroupsPerCU"),
    Row("clock_mhz", "MHz", 1700, 2100, 2200, "gpu-benches (gfx90a), spec"),
    Row("dram_bytes_per_clk", "B/clk", 964, 2524, 3636, "spec HBM rate / clock"),
    # --- issue -------------------------------------------------------------------------------
    Row("slot", "clk", 4, 4, 4, f"trace: one issue per SIMD in 4 clocks; {_CARRIED}"),
    Row("trans_issue", "clk", 16, 16, 8, f"trace: v_rcp 16 (gfx942), v_exp 8 (gfx950); {_CARRIED}"),
    Row("permlane_swap_issue", "clk", 8, 8, 8, "trace (gfx950); others have no such opcode"),
    Row(
        "lds_read_bytes_per_clk",
        "B/clk",
        64,
        64,
        128,
        "microbench (pyhip): b32 4, b128 16 clk; trace: b64 8 (gfx942), 4 (gfx950); gfx90a assumed",
    ),
    Row("lds_write_issue", "clk", 4, 4, 4, f"trace: 4 + lds_write_per_dword*dwords; {_CARRIED}"),
    Row("lds_write_per_dword", "clk", 4, 4, 4, f"trace: b32/b64/b128 8/12/20; {_CARRIED}"),
    Row("branch_taken", "clk", 20, 20, 20, f"trace; {_CARRIED}"),
    Row("branch_straddle", "clk", 16, 16, 16, f"trace: target crosses a 32 B window; {_CARRIED}"),
    Row("branch_not_taken", "clk", 4, 4, 4, f"trace (4-8); {_CARRIED}"),
    Row("barrier_release", "clk", 8, 8, 8, f"trace: last arrival to release; {_CARRIED}"),
    Row("sleep_unit", "clk", 64, 64, 64, "CDNA3 ISA S_SLEEP"),
    # --- dependencies: issue of the producer to issue of the consumer -------------------------
    Row("valu_to_memory", "clk", 12, 12, 12, f"trace: any VALU then LDS/VMEM; {_CARRIED}"),
    Row("trans_to_memory", "clk", 24, 24, 16, f"trace (gfx950): VALU+issue excess; {_CARRIED}"),
    Row("valu_to_salu", "clk", 20, 20, 20, f"trace: v_cmp/readfirstlane to SALU; {_CARRIED}"),
    Row("salu_to_vmem", "clk", 8, 8, 8, f"trace: SALU then buffer instruction; {_CARRIED}"),
    Row("salu_to_branch", "clk", 8, 8, 8, f"trace; {_CARRIED}"),
    Row("mfma_result", "clk", 16, 16, 16, "LLVM hazards: (passes + 3) wait states + issue"),
    Row("mfma_scale_idle", "clk", 0, 0, 4, "trace: 36 after idle, 32 in a row (LLVM PR 233721)"),
    Row("mfma_scale_issue", "clk", 4, 4, 8, "trace"),
    # --- LDS ---------------------------------------------------------------------------------
    Row(
        "lds_bytes_per_clk", "B/clk", 128, 128, 128, f"trace: 16 clk per b64 on 4 SIMDs; {_CARRIED}"
    ),
    Row("lds_latency", "clk", 52, 52, 44, f"trace: b64 56 (gfx942), b32 48, b128 52; {_CARRIED}"),
    Row("lds_write_latency", "clk", 52, 52, 48, f"trace: b64 64 (gfx942), 60 (gfx950); {_CARRIED}"),
    Row("lds_queue", "entries", 4, 4, 4, f"trace: five b64 per SIMD at 8 clk, then 16; {_CARRIED}"),
    Row("lds_banks", "count", 32, 32, 64, "CDNA3 ISA 2; gfx950: 64 (Modular, Mojo documentation)"),
    # --- vector memory -----------------------------------------------------------------------
    Row("ta_clocks", "clk", 4, 4, 4, f"trace: dword loads back to back; {_CARRIED}"),
    Row("ta_bytes_per_clk", "B/clk", 64, 64, 64, f"trace: dwordx4 16 clk per SIMD; {_CARRIED}"),
    Row("vmem_queue", "entries", 2, 2, 2, f"trace: two loads at 4 clk, then 16; {_CARRIED}"),
    Row("vmem_inflight", "B", 32768, 32768, 32768, f"trace: 31-32 KiB per 800 clk; {_CARRIED}"),
    Row("vmem_latency", "clk", 1000, 1627, 463, "calibrated, loaded system; gfx90a assumed"),
    Row("vmem_bytes_per_clk", "B/clk", 16, 55, 32, "calibrated, one CU's share; gfx90a assumed"),
    Row("vmem_cold", "clk", 0, 0, 0, f"not separable from vmem_latency; {_CARRIED}"),
    Row("store_latency", "clk", 250, 213, 213, "gpu-benches L2 latency"),
    Row(
        "store_bytes_per_clk",
        "B/clk",
        7.1,
        7.1,
        7.1,
        "microbench (pyhip, full MI308X): 1024-byte stores 128-176 clk apart; others assumed",
    ),
    Row("scratch_latency", "clk", 190, 190, 190, "trace (gfx942): 164-196; others assumed"),
    # --- scalar memory, instruction fetch -----------------------------------------------------
    Row("smem_latency", "clk", 60, 60, 60, f"trace: hits 40-60; {_CARRIED}"),
    Row("smem_miss", "clk", 250, 250, 250, "gpu-benches L2 latency plus the scalar cache"),
    Row(
        "smem_cold",
        "clk",
        484,
        484,
        397,
        "trace median (gfx942), calibrated (gfx950); gfx90a assumed",
    ),
    Row("smem_line", "clk", 339, 339, 278, "trace: 0.7 of smem_cold; gfx90a assumed"),
    Row("fetch_cold_line", "clk", 5, 5, 10, f"calibrated: first touch of a 128 B line; {_CARRIED}"),
    # --- caches ------------------------------------------------------------------------------
    Row("l1_bytes", "B", 16384, 32768, 32768, "CDNA2, CDNA3 white papers: vector L1 of a CU"),
    Row("l1_ways", "count", 64, 64, 64, "CDNA3 white paper: 64-way; others assumed"),
    Row("l2_count", "count", 1, 8, 8, "spec: one L2 for each XCD (gfx90a: for each die)"),
    Row("mall_bytes", "B", 0, 268435456, 268435456, "spec: 256 MiB Infinity Cache; gfx90a none"),
    Row("mall_bytes_per_clk", "B/clk", 964, 8190, 7818, "spec: 17.2 TB/s at most; gfx90a: HBM"),
    Row("fresh_latency", "clk", 680, 456, 456, "level_mall; set for each launch (`traffic`)"),
    Row("fresh_bytes_per_clk", "B/clk", 16, 27, 30, "set for each launch (`traffic`)"),
    Row("atomic_clocks", "clk", 4, 4, 4, "assumed: L2 read-modify-write of one dword"),
    # --- launch ------------------------------------------------------------------------------
    Row(
        "launch_first_issue", "clk", 650, 650, 650, f"trace: wave start to first issue; {_CARRIED}"
    ),
    Row("launch_workgroup", "clk", 128, 300, 128, f"trace: between workgroups on a CU; {_CARRIED}"),
    # --- memory levels, unloaded pointer chase (floors of a loaded latency) --------------------
    Row("level_l1", "clk", 128, 119, 119, "gpu-benches; gfx950 assumed"),
    Row("level_l2", "clk", 250, 213, 213, "gpu-benches; gfx950 assumed"),
    Row("level_mall", "clk", 680, 456, 456, "gpu-benches; gfx90a has none (DRAM); gfx950 assumed"),
    Row("level_dram", "clk", 680, 880, 880, "gpu-benches; gfx950 assumed"),
)
_PARTS = {
    "gfx90a": ("MI210", 2),
    "gfx942": ("MI300X/MI325X", 3),
    "gfx950": ("MI350X", 4),
}
ROW_OF: Mapping[str, Row] = MappingProxyType({row.name: row for row in ROWS})


@dataclass(frozen=True)
class MachineModel:
    """Constants of one part.

    Attributes:
        arch: architecture, `gfx942`.
        chip: product the values describe.
        values: constant by row name.
        changed: rows that differ from the table (empty for a stock machine).
    """

    arch: str
    chip: str
    values: Mapping[str, float] = field(repr=False)
    changed: frozenset[str] = frozenset()

    def __getitem__(self, name: str) -> float:
        return self.values[name]

    def count(self, name: str) -> int:
        """A constant as an integer."""
        return int(self.values[name])

    def with_values(self, **values: float) -> MachineModel:
        """A copy with some constants changed (calibration, what-if).

        Raises:
            UnsupportedError: the table has no such constant.
        """
        for name in values:
            if name not in ROW_OF:
                raise UnsupportedError(
                    f"the machine table has no constant {name!r}", "see asmevo.timing.machine.ROWS"
                )
        merged = MappingProxyType({**self.values, **values})
        return replace(self, values=merged, changed=self.changed | frozenset(values))


def has_machine(target: Target) -> bool:
    """Whether the table covers the target."""
    return target.arch in _PARTS


def machine_for(target: Target | str) -> MachineModel:
    """The machine table of a target.

    Raises:
        UnsupportedError: the model has no table for the architecture.
    """
    arch = target if isinstance(target, str) else target.arch
    part = _PARTS.get(arch)
    if part is None:
        raise UnsupportedError(
            f"the cycle model has no machine table for {arch}", "it covers " + ", ".join(_PARTS)
        )
    chip, column = part
    values: dict[str, float] = {}
    for row in ROWS:
        value = row[column]
        values[row.name] = float(value)
    return MachineModel(arch, chip, MappingProxyType(values))
