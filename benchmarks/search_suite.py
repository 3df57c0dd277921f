"""The `rules` driver on the KernelBench problems: `python -m benchmarks.search_suite [ARCH]`.

Compiled by clang -O3 from the project's HIP sources; first launch of each problem. Says what the
rules find on code that nobody tuned them for, and how many proposals the gates stop.
"""

from __future__ import annotations

import math
import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from asmevo.capsule.spec import LaunchSpec
from asmevo.capsule.synthesize import synthesize
from asmevo.codeobject import CodeObject
from asmevo.device.emulated import EmulatedDevice
from asmevo.drivers import make_driver
from asmevo.program.build import assemble_object
from asmevo.search.controller import Config, Controller
from benchmarks.common import report

KERNELS = Path(__file__).resolve().parents[1] / "kernels"


def main() -> int:
    """Run and write the page."""
    arch = sys.argv[1] if len(sys.argv) > 1 else "gfx942"
    budget = int(sys.argv[2]) if len(sys.argv) > 2 else 12
    lines = [
        "| problem | modelled speedup | accepted | rules that paid | stopped before timing | s |",
        "|---|---|---|---|---|---|",
    ]
    speeds: list[float] = []
    stopped: Counter[str] = Counter()
    for path in sorted((KERNELS / "launch" / "kernelbench").glob("*.yaml")):
        source = KERNELS / "kernelbench" / arch / f"{path.stem.split('-')[0]}.s"
        spec = LaunchSpec.load(path)
        data = assemble_object(source.read_text())
        opened = CodeObject.open(data)
        capsule = synthesize(spec, opened.kernel(spec.kernel), opened.target)
        start = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            found = Controller(
                Config(
                    data,
                    spec.kernel,
                    (capsule,),
                    EmulatedDevice(),
                    make_driver("rules", 0),
                    Path(folder, "run.db"),
                    budget=budget,
                )
            ).run()
        early = [o for o in found.attempts if o.status not in ("accepted", "insufficient_speedup")]
        stopped.update(o.status for o in early)
        paid = list(dict.fromkeys(o.proposal.rule for o in found.attempts if o.accepted))
        speeds.append(found.best.speedup)
        lines.append(
            f"| {path.stem} | {found.best.speedup:.3f} | {found.verdicts.get('accepted', 0)} of "
            f"{len(found.attempts)} | {', '.join(paid) or '-'} | {len(early)} | "
            f"{time.perf_counter() - start:.1f} |"
        )
        print(lines[-1], flush=True)
    mean = math.exp(statistics.mean(math.log(s) for s in speeds))
    faster = sum(s > 1 for s in speeds)
    lines += [
        "",
        f"{faster} of {len(speeds)} faster, geometric mean {mean:.3f}. Stopped before timing: "
        + (", ".join(f"{n} {word}" for word, n in stopped.most_common()) or "none")
        + ".",
    ]
    report(
        f"search_{arch}",
        f"The rules on the KernelBench problems, {arch}",
        lines,
        f"Budget {budget} attempts a problem. Modelled, not measured; every accepted object was "
        "bit-equal or within tolerance on the launch, on two poison patterns and on stressed "
        "inputs.",
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
