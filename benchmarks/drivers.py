"""All drivers at equal budget on the six kernels: `python -m benchmarks.drivers [BUDGET]`.

Same kernels, launches, gates and number of attempts for every driver, several seeds for those that
draw lots. A driver that is no better than `random` here has not earned its place.
"""

from __future__ import annotations

import math
import statistics
import sys
import tempfile
import time
from pathlib import Path

from asmevo.capsule.spec import LaunchSpec
from asmevo.capsule.synthesize import synthesize_all
from asmevo.codeobject import CodeObject
from asmevo.device.emulated import EmulatedDevice
from asmevo.drivers import DRIVER_NAMES, make_driver
from asmevo.program.build import assemble_object
from asmevo.search.controller import Config, Controller
from benchmarks.common import report

KERNELS = Path(__file__).resolve().parents[1] / "kernels"
NAMES = ("saxpy", "softmax", "rmsnorm", "reduce", "matmul_f32", "matmul_f16")
SEEDS = (0, 1, 2)


def search(name: str, driver: str, seed: int, budget: int) -> tuple[float, int]:
    """(modelled speedup found, attempts accepted)."""
    data = assemble_object((KERNELS / "gfx942" / f"{name}.s").read_text())
    opened = CodeObject.open(data)
    spec = LaunchSpec.load(KERNELS / "launch" / f"{name}.yaml")
    capsules = synthesize_all(spec, opened.kernel(spec.kernel), opened.target)
    with tempfile.TemporaryDirectory() as folder:
        found = Controller(
            Config(
                data,
                spec.kernel,
                capsules,
                EmulatedDevice(),
                make_driver(driver, seed),
                Path(folder, "run.db"),
                budget=budget,
            )
        ).run()
    return found.best.speedup, found.verdicts.get("accepted", 0)


def main() -> int:
    """Run and write the page."""
    budget = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    lines = [
        "| kernel | " + " | ".join(DRIVER_NAMES) + " |",
        "|---" * (len(DRIVER_NAMES) + 1) + "|",
    ]
    found: dict[str, list[float]] = {d: [] for d in DRIVER_NAMES}
    seconds = dict.fromkeys(DRIVER_NAMES, 0.0)
    for name in NAMES:
        cells: list[str] = []
        for driver in DRIVER_NAMES:
            # The rules driver's seed moves only its schedules; one run stands for it.
            seeds = SEEDS[:1] if driver == "rules" else SEEDS
            start = time.perf_counter()
            speeds = [search(name, driver, seed, budget)[0] for seed in seeds]
            seconds[driver] += (time.perf_counter() - start) / len(seeds)
            found[driver].append(math.exp(statistics.mean(math.log(s) for s in speeds)))
            spread = f" ({min(speeds):.3f} to {max(speeds):.3f})" if len(speeds) > 1 else ""
            cells.append(f"{statistics.median(speeds):.3f}{spread}")
            print(name, driver, cells[-1], flush=True)
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    mean = [math.exp(statistics.mean(math.log(s) for s in found[d])) for d in DRIVER_NAMES]
    lines.append("| geometric mean | " + " | ".join(f"{m:.3f}" for m in mean) + " |")
    cost = [f"{seconds[d] / len(NAMES):.1f}" for d in DRIVER_NAMES]
    lines.append("| seconds per run | " + " | ".join(cost) + " |")
    report(
        "drivers",
        "Drivers at equal budget",
        lines,
        f"Modelled speedup over K0 after {budget} attempts, geometric mean over the launches of "
        f"each kernel; median (and range) of {len(SEEDS)} seeds. Modelled, not measured: the "
        "figures compare proposers, not kernels.",
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
