"""What a launch costs a program on the emulated runtime: without execution, and of a small kernel.

A C client launches one kernel many times. Without execution (the worker answers at once) the time
is that of the library, the socket and the worker's loop; the bound is 30 us. Run:

    python benchmarks/hip_overhead.py [--launches 2000]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from asmevo.api.programs.executing import execute
from asmevo.hip.build import build, compiler
from asmevo.isa.target import Target
from asmevo.program.build import assemble_object

CLIENTS = Path(__file__).parents[1] / "tests" / "hip" / "clients"
BOUND = 30.0  # microseconds, median


def measure(launches: int) -> dict[str, tuple[float, float, float]]:
    """Microseconds per launch (10th, 50th, 90th percentile) without and with execution."""
    found: dict[str, tuple[float, float, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        client, object = Path(folder) / "client", Path(folder) / "object.hsaco"
        object.write_bytes(
            assemble_object((CLIENTS / "registered.s").read_text(), Target("gfx942"))
        )
        subprocess.run(
            [*compiler().command, "-O2", str(CLIENTS / "registered.c"), "-o", str(client),
             f"-L{build() / 'hip6'}", "-lamdhip64", "-lpthread"],
            check=True,
        )  # fmt: skip
        for name, value in (("no execution", "0"), ("executed", "1")):
            with (Path(folder) / "times").open("w+") as out:
                execute(
                    [str(client), str(object), "overhead", str(launches)], output=out.fileno(),
                    settings={"ASMEVO_HIP_EXECUTE": value},
                )  # fmt: skip
                out.seek(0)
                times = np.array([float(line) for line in out])
            found[name] = tuple(np.percentile(times, [10, 50, 90]).tolist())
    return found


def main() -> int:
    """Print the figures; exit code 1 when a launch costs more than the bound."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--launches", type=int, default=2000)
    found = measure(parser.parse_args().launches)
    for name, (low, middle, high) in found.items():
        print(f"{name}: {middle:.1f} us per launch (10 % {low:.1f}, 90 % {high:.1f})")
    return int(found["no execution"][1] > BOUND)


if __name__ == "__main__":
    sys.exit(main())
