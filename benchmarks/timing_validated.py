"""Make the table of measured kernels that a figure's error band is taken from.

    python -m benchmarks.timing_validated [--traces DIR] [--coarse] [--gemm FILE]

Writes `src/asmevo/timing/validated.json`: features and errors of every kernel that the clock was
held against, numbers that are computed here from traces and device times. Errors of traces are
those of `timing_traces` with the kernel's family left out of the fit; errors of device times are
those of `timing_gemm` (run it first: it leaves them in `build/timing-gemm.json`).
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from pathlib import Path

import numpy as np

from asmevo.timing.att import Capture, read_capture
from asmevo.timing.machine import machine_for
from asmevo.timing.validation import FEATURES, features
from benchmarks import timing_traces
from benchmarks.timing_traces import best, family, grid_losses

CHECKOUT = Path(__file__).resolve().parent.parent
MACHINES = {"gfx942": "mi325x", "gfx950": "mi350x"}
GEMM = "bf16 GEMM"  # what the gfx942 captures and the device times are of


def residents(capture: Capture) -> int:
    """Most traced waves on one SIMD at once."""
    most = 0
    for unit in capture.units:
        for simd in {wave.simd for wave in unit}:
            mine = [w for w in unit if w.simd == simd]
            edges = [(int(w.issue[0]), 1) for w in mine] + [(int(w.issue[-1]), -1) for w in mine]
            most = max(most, *itertools.accumulate(step for _, step in sorted(edges)))
    return most


def point(capture: Capture) -> dict[str, float]:
    """Features of a capture."""
    size = len(capture.program)
    waves = [wave for unit in capture.units for wave in unit]
    executions = np.sum([np.bincount(w.indices, minlength=size) for w in waves], axis=0)
    slots = machine_for(capture.target)["wave_slots_per_simd"]
    found = features(capture.program, executions.astype(float), residents(capture) / slots)
    return {name: round(float(value), 4) for name, value in zip(FEATURES, found, strict=True)}


def traced(arch: str, captures: list[Capture]) -> list[dict]:
    """Rows of the captures of one architecture."""
    losses = grid_losses(captures, machine_for(arch))
    rows: list[dict] = []
    for n, capture in enumerate(captures):
        others = [i for i, c in enumerate(captures) if family(c.name) != family(capture.name)]
        rows.append(
            {
                "name": capture.name,
                "family": GEMM if arch == "gfx942" else family(capture.name).replace("_", " "),
                "machine": MACHINES[arch],
                "source": "att",
                "error": round(losses[best(losses, others)][n][1], 4),
                "features": point(capture),
            }
        )
    return rows


def timed(rows: list[dict]) -> tuple[list[dict], dict]:
    """Rows of the device times, and the errors of their ratios."""
    kernels = [
        {
            "name": row["name"],
            "family": GEMM,
            "machine": MACHINES["gfx942"],
            "source": "gemm",
            "error": round(row["modelled"] / row["measured"] - 1, 4),
            "features": {k: round(v, 4) for k, v in zip(FEATURES, row["point"], strict=True)},
        }
        for row in rows
    ]
    errors = [
        abs((a["modelled"] / b["modelled"]) / (a["measured"] / b["measured"]) - 1)
        for a, b in itertools.combinations(rows, 2)
    ]
    difference = {
        "families": [GEMM],
        "pairs": len(errors),
        "of": f"{GEMM} variants",
        "error": round(float(np.mean(errors)), 4),
        "worst": round(float(np.max(errors)), 4),
    }
    return kernels, difference


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--traces", type=Path, default=CHECKOUT.parent / "shared" / "traces")
    parser.add_argument("--gemm", type=Path, default=CHECKOUT / "build" / "timing-gemm.json")
    parser.add_argument("--coarse", action="store_true", help="every second point of the grid")
    options = parser.parse_args()
    files = sorted((options.traces / "att").glob("*.json.gz"))
    if not files or not options.gemm.is_file():
        print("needs the traces and the output of benchmarks.timing_gemm")
        return 4
    if options.coarse:
        timing_traces.GRID = {k: v[::2] for k, v in timing_traces.GRID.items()}
    kernels: list[dict] = []
    for arch in MACHINES:
        kernels += traced(arch, [read_capture(f) for f in files if f.name.startswith(arch)])
    more, difference = timed(json.loads(options.gemm.read_text()))
    table = {"kernels": kernels + more, "differences": {"gfx942": difference}}
    place = CHECKOUT / "src" / "asmevo" / "timing" / "validated.json"
    place.write_text(json.dumps(table, indent=1) + "\n")
    for row in table["kernels"]:
        print(f"{row['source']:5} {row['name']:60} {row['error']:+.1%}")
    print(f"differences: {difference['error']:.1%} over {difference['pairs']} pairs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
