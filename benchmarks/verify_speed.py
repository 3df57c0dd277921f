"""How long one candidate takes in differential verification, with K0's runs remembered.

Each launch has about 100,000 wave instructions. Five cases (seeds of the inputs) run with two
poison patterns at the launch's own addresses and by turns at two further placements; then
everything that a search does with one launch: late loads, stressed inputs, variations of its sizes.
Recovery and encoding of the candidate, and the comparison of its results, are counted. CPU time of
one core: the machine may be shared.

Where waves of a kernel communicate, it is also run so that waves pause and stores stay unseen as
long as they may (`pause:N`). These kernels do not; what such a run costs beside a plain one is
measured by asking for it.

    python -m benchmarks.verify_speed [-o docs/results/verify.md]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from asmevo.capsule.model import Capsule
from asmevo.codeobject import CodeObject
from asmevo.device.emulated import EmulatedDevice
from asmevo.device.protocol import RunOptions
from asmevo.isa.target import Target
from asmevo.program import recover
from asmevo.program.build import assemble_object
from asmevo.program.edit import Edit, apply
from asmevo.program.rebuild import rebuild
from asmevo.verify.oracle import DifferentialOracle
from asmevo.verify.report import VerifyConfig
from asmevo.verify.synthesize import capsules_for
from benchmarks.common import RESULTS, provenance

KERNELS = Path(__file__).resolve().parents[1] / "kernels"
# Sizes that give about 100,000 wave instructions.
SIZES: dict[str, dict[str, int]] = {
    "softmax": {"rows": 67, "columns": 601},
    "rmsnorm": {"rows": 150, "columns": 777},
    "reduce": {"n": 121_000},
    "matmul_f32": {"M": 148, "N": 90, "K": 53},
}
CASES, CANDIDATES, GOAL, SLOWER = 5, 5, 300, 3.0
REPEATS = 9
# Both poison patterns at home, one at each of two placements.
CASE = VerifyConfig(stress=(), variation_limit=0, late_loads=False)
SEARCH = VerifyConfig()


@dataclass(frozen=True)
class Row:
    """Figures of one kernel: wave instructions of a run; runs and CPU milliseconds.

    `visibility` is the time of a run with pauses over a plain one, `visibility_cases` how many of
    them a candidate of this kernel makes.
    """

    name: str
    instructions: int
    case_runs: int
    case_ms: float
    search_runs: int
    search_ms: float
    visibility: float
    visibility_cases: int


def candidates(k0: bytes) -> list[bytes]:
    """Objects that behave like K0 and are all different: a few nops in front."""
    program = recover(CodeObject.open(k0))
    first = program.functions[0].first
    return [
        rebuild(apply(program, [Edit(first, first, ("s_nop 0",) * (n + 1))]))
        for n in range(CANDIDATES)
    ]


def timed(
    k0: bytes, objects: Sequence[bytes], capsules: Sequence[Capsule], config: VerifyConfig
) -> tuple[int, int, float]:
    """Wave instructions of K0, runs, and CPU milliseconds (median) of one candidate.

    Raises:
        AssertionError: a candidate was refused, so its time says nothing.
    """
    oracle = DifferentialOracle(k0, EmulatedDevice(), config)
    oracle.verify(k0, capsules)
    times: list[float] = []
    runs = instructions = 0
    for data in objects:
        start = time.process_time()
        report = oracle.verify(data, capsules)
        times.append((time.process_time() - start) * 1e3)
        assert report.ok, report.reason
        runs = sum(len(c.runs) for c in report.capsules)
        instructions = report.capsules[0].k0_instructions
    return instructions, runs, statistics.median(times)


def visibility(k0: bytes, capsule: Capsule) -> float:
    """CPU time of a run in which waves pause over that of a plain run, medians."""
    device = EmulatedDevice()

    def once(schedule: str) -> float:
        start = time.process_time()
        assert device.run(k0, capsule, RunOptions(schedule=schedule)).ok
        return time.process_time() - start

    for schedule in ("pause:0", "barrier"):
        once(schedule)  # encodes
    plain, paused = (
        statistics.median(once(s) for _ in range(REPEATS)) for s in ("barrier", "pause:0")
    )
    return paused / plain


def measure(name: str) -> Row:
    """All figures of one kernel."""
    text = (KERNELS / "gfx942" / f"{name}.s").read_text(encoding="utf-8")
    k0 = assemble_object(text, Target("gfx942"))
    launch = KERNELS / "launch" / f"{name}.yaml"
    cases = [capsules_for(k0, launch, SIZES[name], seed=seed)[0] for seed in range(CASES)]
    objects = candidates(k0)
    instructions, runs, ms = timed(k0, objects, cases, CASE)
    _, all_runs, all_ms = timed(k0, objects, cases[:1], SEARCH)
    oracle = DifferentialOracle(k0, EmulatedDevice(), SEARCH)
    report = oracle.check(k0, cases[0])
    paused = sum(r.schedule.startswith("pause") for r in report.runs)
    return Row(name, instructions, runs, ms, all_runs, all_ms, visibility(k0, cases[0]), paused)


def page(rows: Sequence[Row]) -> str:
    """The result page."""
    lines = [
        "# Speed of verification", "", provenance(), "",
        f"CPU time of one core for one candidate, median of {CANDIDATES}; K0's runs are "
        f"remembered. Goal: {CASES} cases in at most {GOAL} ms. A search runs one such launch with "
        "everything that is made of it.", "",
        "| kernel | wave instructions of a run | runs of 5 cases | ms | runs of a search's launch "
        "| ms | a run with pauses, times a plain one | such runs of a candidate |",
        "|---|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    lines += [
        f"| {r.name} | {r.instructions} | {r.case_runs} | {r.case_ms:.0f} | {r.search_runs} "
        f"| {r.search_ms:.0f} | {r.visibility:.1f} | {r.visibility_cases} |"
        for r in rows
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Measure, print, and write the page; 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=RESULTS / "verify.md")
    options = parser.parse_args()
    rows = [measure(name) for name in SIZES]
    text = page(rows)
    print(text, end="")
    options.output.write_text(text, encoding="utf-8")
    return int(any(r.case_ms > GOAL or r.visibility > SLOWER for r in rows))


if __name__ == "__main__":
    sys.exit(main())
