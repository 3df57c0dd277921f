"""How long a capsule of a recorded dispatch takes to write, to open and to read.

One dispatch that reaches 1 GiB: half of it random floats (which do not compress), a quarter small
integers, a quarter zeros. Wall time, since disk and both cores count; CPU time beside it, since the
machine may be shared.

    python -m benchmarks.capsule_speed [--mib 1024]

Targets: written in at most 10 s, opened in at most 2 s.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from asmevo.capsule.recorded import (
    Allocation,
    CapsuleWriter,
    Dispatch,
    open_capsule,
)
from benchmarks.common import report

WRITTEN, OPENED = 10.0, 2.0


def memory(mib: int) -> tuple[Allocation, ...]:
    """Allocations of `mib` MiB together, as hipMalloc places them."""
    rng = np.random.default_rng(1)
    quarter = (mib << 20) // 4
    parts = {
        "weights": rng.standard_normal(quarter // 4, np.float32),
        "more": rng.standard_normal(quarter // 4, np.float32),
        "ids": rng.integers(0, 32000, quarter // 4, np.int32),
        "cache": np.zeros(quarter, np.uint8),
    }
    return tuple(
        Allocation(name, 0x7F00_0000_0000 + n * (1 << 32), data)
        for n, (name, data) in enumerate(parts.items())
    )


def measure(
    path: Path, allocations: tuple[Allocation, ...]
) -> tuple[float, float, float, float, int]:
    """Seconds to write (also of CPU), open and read a capsule, and its bytes on disk."""
    start, cpu = time.perf_counter(), time.process_time()
    with CapsuleWriter(path, target="gfx942") as out:
        sha = out.add_object(b"code")
        kernarg = b"".join(a.address.to_bytes(8, "little") for a in allocations)
        one = Dispatch("k", sha, (1, 1, 1), (64, 1, 1), kernarg, 0x7E00_0000_0000, allocations)
        out.add_dispatch(one)
    written, cpu = time.perf_counter() - start, time.process_time() - cpu
    start = time.perf_counter()
    with open_capsule(path) as found:
        opened = time.perf_counter() - start
        start = time.perf_counter()
        for a in found.dispatches[0].allocations:
            for _ in a.before.chunks():
                pass
        read = time.perf_counter() - start
    files = [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]
    return written, cpu, opened, read, sum(p.stat().st_size for p in files)


def main() -> int:
    """Measure and write the page; 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--mib", type=int, default=1024)
    mib = parser.parse_args().mib
    allocations = memory(mib)
    lines = [f"A dispatch that reaches {mib} MiB, half of it random floats.", "",
             "| form | written, s | CPU s | opened, s | all read and checked, s | MiB on disk |",
             "|---|---|---|---|---|---|"]  # fmt: skip
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        for form, name in (("folder", "c.capsule"), ("zip archive", "c.zip")):
            written, cpu, opened, read, size = measure(Path(folder) / name, allocations)
            missed |= written > WRITTEN or opened > OPENED
            lines.append(
                f"| {form} | {written:.1f} | {cpu:.1f} | {opened:.3f} | {read:.1f} | {size >> 20} |"
            )
    lines += ["", "Targets: " + (__doc__ or "").partition("Targets: ")[2].strip()]
    report("capsule-speed", "Speed of capsules", lines)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
